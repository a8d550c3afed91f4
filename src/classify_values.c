/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of all types as ordinals: whole numbers in the values' order, without gaps. What rules
 * need of a type, its order, its next larger value and its ends, is the same for all that way.
 * A float's ordinal is its magnitude's bits with its sign, so that both zeros have 0. */
#include "classify.h"

#include <string.h>

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
        bits = gp_magnitude(ordinal);
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

// The magnitude's bits; 0x7c00 and beyond where it is too large.
static uint64_t half_bits(double magnitude)
{
    if (magnitude < 0x1p-14) { // a denormal, or the first normal: its bits count units of 2^-24
        const double counted = magnitude * 0x1p24 + 0x1p52;
        return bits_of_double(counted) & 0xffff;
    }
    if (magnitude >= 0x1p16)
        return 0x7c00;
    const unsigned cut = 52 - 10;
    const uint64_t bits = bits_of_double(magnitude) - ((uint64_t)(1023 - 15) << 52);
    const uint64_t is_odd = bits >> cut & 1;
    return (bits + ((uint64_t)1 << (cut - 1)) - 1 + is_odd) >> cut;
}

static bool round_float(enum gpuprim_type type, double value, void *to)
{
    if (type == GPUPRIM_F64) {
        memcpy(to, &value, sizeof value);
        return true;
    }
    const double magnitude = value < 0 ? -value : value;
    if (type == GPUPRIM_F32) {
        const double beyond = 0x1.ffffffp127; // half way from the largest to 2^128
        const float rounded = magnitude < beyond ? (float)value : 0;
        memcpy(to, &rounded, sizeof rounded);
        return magnitude < beyond;
    }
    const uint64_t sign = bits_of_double(value) >> 63, half = half_bits(magnitude);
    const uint16_t bits = (uint16_t)(sign << 15 | half);
    memcpy(to, &bits, sizeof bits);
    return half < 0x7c00;
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
