/* SPDX-License-Identifier: Apache-2.0
 *
 * IEEE binary16 to and from float, for hosts whose compiler has no half type. The tests prove
 * both directions over all 65536 values (tests/core/references.c).
 */
#ifndef HALF_H
#define HALF_H

#include <math.h>
#include <stdint.h>
#include <string.h>

// Exact.
static inline float half_to_float(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    const uint32_t exponent = half >> 10 & 31, mantissa = half & 1023;
    uint32_t bits;
    float value;
    if (exponent == 0) { // zero or denormal: mantissa * 2^-24
        value = (float)mantissa * 0x1p-24f;
        memcpy(&bits, &value, sizeof bits);
    } else if (exponent == 31) {
        bits = 0x7f800000 | mantissa << 13;
    } else {
        bits = (exponent + 127 - 15) << 23 | mantissa << 13;
    }
    bits |= sign;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Rounds to nearest even; what is too large becomes an infinity.
static inline uint16_t half_from_float(float value)
{
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    const float magnitude = fabsf(value);
    uint32_t bits;
    if (isnan(value)) {
        bits = 0x7e00;
    } else if (magnitude >= 65520.0f) { // half way from the largest, 65504, to 65536
        bits = 0x7c00;
    } else if (magnitude < 0x1p-14f) {
        bits = (uint32_t)rintf(magnitude * 0x1p24f);
    } else {
        int exponent; // magnitude = fraction * 2^exponent, 0.5 <= fraction < 1
        const float fraction = frexpf(magnitude, &exponent);
        // 11 bits with the leading one; a carry out of them raises the exponent as it should.
        bits = (uint32_t)(exponent + 13) * 1024 + (uint32_t)rintf(fraction * 2048);
    }
    return (uint16_t)(sign | bits);
}

#endif
