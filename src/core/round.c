/* SPDX-License-Identifier: Apache-2.0
 *
 * Rounds a double to f16 or f32, and widens f16, by integers alone. No conversion to float is
 * used, because a compiler may drop it: gcc 12 -O2 drops those of `(double)(float)x` where it
 * vectorises. What the host proves with these bits must hold for the device's, too. */
#include "round.h"

#include <float.h>
#include <string.h>

// Sums and products of doubles round to double. Registers of x87 do not: meson.build asks for
// SSE.
_Static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1,
               "double arithmetic with more bits");

static uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// A float type narrower than double.
struct narrow {
    unsigned bits;       // of a value
    unsigned mantissa;   // bits behind the point
    unsigned bias;       // of the exponent
    double least, units; // the least normal; denormals count 1 / units
    uint64_t infinity;   // its bits
};

// Nearest value, ties to even.
static uint64_t narrow_bits(const struct narrow *to, double value)
{
    const uint64_t bits = bits_of_double(value), sign = bits >> 63;
    const double magnitude = value < 0 ? -value : value;
    uint64_t rounded;
    if (magnitude < to->least) // a denormal: the low bits of the sum count units
        rounded = bits_of_double(magnitude * to->units + 0x1p52) & UINT32_MAX;
    else {
        const unsigned cut = 52 - to->mantissa;
        const uint64_t moved = (bits & INT64_MAX) - ((uint64_t)(1023 - to->bias) << 52),
                       is_odd = moved >> cut & 1;
        rounded = (moved + ((uint64_t)1 << (cut - 1)) - 1 + is_odd) >> cut;
    }
    if (rounded > to->infinity)
        rounded = to->infinity;
    return sign << (to->bits - 1) | rounded;
}

uint16_t gp_f16_bits(double value)
{
    static const struct narrow f16 = { 16, 10, 15, 0x1p-14, 0x1p24, 0x7c00 };
    return (uint16_t)narrow_bits(&f16, value);
}

uint32_t gp_f32_bits(double value)
{
    static const struct narrow f32 = { 32, 23, 127, 0x1p-126, 0x1p149, 0x7f800000 };
    return (uint32_t)narrow_bits(&f32, value);
}

uint32_t gp_f16_widened(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16, magnitude = half & 0x7fff;
    uint32_t bits;
    if (magnitude == 0x7c00)
        return sign | 0x7f800000;
    if (magnitude >= 0x400)
        return sign | ((magnitude << 13) + ((uint32_t)(127 - 15) << 23));
    const float value = (float)magnitude * 0x1p-24f;
    memcpy(&bits, &value, sizeof bits);
    return sign | bits;
}

double gp_f32_number(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return (double)number;
}

double gp_f64_number(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}
