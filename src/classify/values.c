/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of all types as ordinals: whole numbers in the values' order, without gaps. What rules
 * need of a type, its order, its next larger value and its ends, is the same for all that way.
 * A float's ordinal is its magnitude's bits with its sign, so that both zeros have 0. */
#include "classify.h"

#include <float.h>
#include <string.h>

// Sums and products of doubles round to double. Registers of x87 do not: meson.build asks for
// SSE.
_Static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1,
               "double arithmetic with more bits");

static bool is_signed(enum gpuprim_type type)
{
    return type == GPUPRIM_I8 || type == GPUPRIM_I16 || type == GPUPRIM_I32 ||
           type == GPUPRIM_I64;
}

static unsigned bits_of(enum gpuprim_type type)
{
    return 8 * (unsigned)gp_type_size(type);
}

#define TOP_BIT ((uint64_t)1 << 63)

int64_t gp_ordinal(enum gpuprim_type type, const void *value)
{
    uint64_t bits = 0;
    memcpy(&bits, value, gp_type_size(type)); // devices and hosts are little-endian
    const uint64_t sign = (uint64_t)1 << (bits_of(type) - 1);
    if (gp_type_is_float(type)) {
        const int64_t magnitude = (int64_t)(bits & (sign - 1));
        return bits & sign ? -magnitude : magnitude;
    }
    if (is_signed(type))
        return (int64_t)((bits ^ sign) - sign);
    return (int64_t)(type == GPUPRIM_U64 ? bits ^ TOP_BIT : bits);
}

int64_t gp_ordinal_highest(enum gpuprim_type type)
{
    switch (type) {
    case GPUPRIM_F16:
        return 0x7c00;
    case GPUPRIM_F32:
        return 0x7f800000;
    case GPUPRIM_F64:
        return (int64_t)0x7ff << 52;
    case GPUPRIM_U64:
        return INT64_MAX;
    default:
        return (int64_t)(((uint64_t)1 << (bits_of(type) - is_signed(type))) - 1);
    }
}

int64_t gp_ordinal_lowest(enum gpuprim_type type)
{
    if (gp_type_is_float(type))
        return -gp_ordinal_highest(type);
    if (type == GPUPRIM_U64)
        return INT64_MIN;
    return is_signed(type) ? -gp_ordinal_highest(type) - 1 : 0;
}

// ---------------------------------------------------------------------------------------
// Keys

size_t gp_key_size(enum gpuprim_type type)
{
    return gp_type_size(type) == 8 ? 8 : 4;
}

// The bits of an f32 that has the value of an f16's magnitude.
static uint32_t widened_half(uint32_t half)
{
    uint32_t bits;
    if (half == 0x7c00)
        return 0x7f800000;
    if (half >= 0x400)
        return (half << 13) + ((uint32_t)(127 - 15) << 23);
    const float value = (float)half * 0x1p-24f;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

void gp_key_store(enum gpuprim_type type, int64_t ordinal, void *key)
{
    uint64_t bits = (uint64_t)ordinal;
    if (gp_type_is_float(type)) {
        bits = gp_abs(ordinal);
        if (type == GPUPRIM_F16)
            bits = widened_half((uint32_t)bits);
        if (ordinal < 0)
            bits |= (uint64_t)1 << (8 * gp_key_size(type) - 1);
    } else if (type == GPUPRIM_U64)
        bits ^= TOP_BIT;
    memcpy(key, &bits, gp_key_size(type));
}

// ---------------------------------------------------------------------------------------
// Rounding

static uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// A float type narrower than double.
struct narrow {
    unsigned mantissa;   // bits behind the point
    unsigned bias;       // of the exponent
    double least, units; // the least normal; denormals count 1 / units
    uint64_t infinity;   // its bits
};
static const struct narrow half = { 10, 15, 0x1p-14, 0x1p24, 0x7c00 };
static const struct narrow single = { 23, 127, 0x1p-126, 0x1p149, 0x7f800000 };

// The bits of the nearest value, ties to even; infinity's where it is beyond the largest. No
// conversion to float is used, because a compiler may drop it: gcc 12 -O2 does with those of
// `(double)(float)x` where it makes vectors. What is proven with these bits must hold for the
// device's.
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
    return sign << (to == &half ? 15 : 31) | rounded;
}

uint32_t gp_f32_bits(double value)
{
    return (uint32_t)narrow_bits(&single, value);
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

static bool round_float(enum gpuprim_type type, double value, void *to)
{
    if (type == GPUPRIM_F64) {
        memcpy(to, &value, sizeof value);
        return true;
    }
    const struct narrow *narrow = type == GPUPRIM_F16 ? &half : &single;
    const uint64_t bits = narrow_bits(narrow, value);
    memcpy(to, &bits, gp_type_size(type)); // devices and hosts are little-endian
    return (bits & narrow->infinity) != narrow->infinity;
}

bool gp_value_round(enum gpuprim_type type, double value, void *to)
{
    if (!(value - value == 0))
        return false;
    if (gp_type_is_float(type))
        return round_float(type, value, to);
    if (type == GPUPRIM_U64 && value >= 0x1p63 && value < 0x1p64) { // whole, so large as it is
        const uint64_t whole = (uint64_t)value;
        memcpy(to, &whole, sizeof whole);
        return true;
    }
    if (!(value >= -0x1p63 && value < 0x1p63))
        return false;
    int64_t whole = (int64_t)value;
    whole += (double)whole < value;
    memcpy(to, &whole, gp_type_size(type));
    if (type == GPUPRIM_U64)
        return whole >= 0;
    return whole >= gp_ordinal_lowest(type) && whole <= gp_ordinal_highest(type);
}
