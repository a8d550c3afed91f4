/* SPDX-License-Identifier: Apache-2.0
 *
 * Who tests the reference? Half floats are proven over all their values against the definition,
 * and the reference of reduce must accept results known by hand and refuse each neighbour.
 */
#include "check.h"

#include <math.h>

#include "half.h"

// The definition in IEEE 754: (-1)^s * 0.m * 2^-14 for e = 0, else (-1)^s * 1.m * 2^(e-15).
static float half_by_definition(unsigned half)
{
    const int exponent = half >> 10 & 31, mantissa = half & 1023;
    float magnitude;
    if (exponent == 31)
        magnitude = mantissa ? NAN : INFINITY;
    else if (exponent == 0)
        magnitude = ldexpf((float)mantissa, -24);
    else
        magnitude = ldexpf((float)(1024 + mantissa), exponent - 25);
    return half & 0x8000 ? -magnitude : magnitude;
}

static bool same(float a, float b)
{
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

static void halves(struct check *check)
{
    if (check_begin(check, "reference/half/to_float")) {
        for (unsigned half = 0; half <= 0xffff; half++) {
            const float got = half_to_float((uint16_t)half),
                        expected = half_by_definition(half);
            check->cases++;
            CHECK(check, same(got, expected), "0x%04x: %a, expected %a", half, got, expected);
        }
        check_end(check);
    }
    if (check_begin(check, "reference/half/from_float")) {
        for (unsigned half = 0; half <= 0xffff; half++) {
            const float value = half_by_definition(half);
            const uint16_t got = half_from_float(value);
            check->cases++;
            CHECK(check, isnan(value) ? isnan(half_by_definition(got)) : got == half,
                  "%a: 0x%04x, expected 0x%04x", value, got, half);
        }
        check_end(check);
    }
    if (check_begin(check, "reference/half/rounding")) {
        // Half way between neighbours goes to the even one, a little off goes to the nearer.
        // Beyond the largest, 65504, stands the infinity in the place of 65536.
        for (unsigned half = 0; half < 0x7c00; half++) {
            const float low = half_by_definition(half);
            const float high = half + 1 == 0x7c00 ? 65536 : half_by_definition(half + 1);
            const float middle = (low + high) / 2;
            const unsigned even = half & 1 ? half + 1 : half;
            check->cases++;
            CHECK(check,
                  half_from_float(middle) == even &&
                      half_from_float(nextafterf(middle, 0)) == half &&
                      half_from_float(nextafterf(middle, INFINITY)) == half + 1 &&
                      half_from_float(-middle) == (even | 0x8000),
                  "between 0x%04x and the next", half);
        }
        check_end(check);
    }
}

static void run(struct check *check)
{
    halves(check);
}

const struct check_suite check_reference = { "reference", run };
