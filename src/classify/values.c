/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: values of all types as ordinals, which are whole numbers in the order of the
 * values, without gaps. So the rules need no case for each type to compare values, to find the
 * next larger one, or the ends of a type. A float's ordinal is the bits of its magnitude with
 * its sign; both zeros have 0. Also keys, and numbers as kernels compute places with them. */
#include "classifier.h"

#include <string.h>

#define TOP_BIT ((uint64_t)1 << 63)

int64_t gp_ordinal(enum gpuprim_type type, const void *value)
{
    uint64_t bits = 0;
    memcpy(&bits, value, gp_type_size(type)); // devices and hosts are little-endian
    const uint64_t sign = (uint64_t)1 << (gp_value_bits(type) - 1);
    if (gp_type_is_float(type)) {
        const int64_t magnitude = (int64_t)(bits & (sign - 1));
        return bits & sign ? -magnitude : magnitude;
    }
    if (gp_type_is_signed(type))
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
        return (int64_t)(((uint64_t)1 << (gp_value_bits(type) - gp_type_is_signed(type))) - 1);
    }
}

int64_t gp_ordinal_lowest(enum gpuprim_type type)
{
    if (gp_type_is_float(type))
        return -gp_ordinal_highest(type);
    if (type == GPUPRIM_U64)
        return INT64_MIN;
    return gp_type_is_signed(type) ? -gp_ordinal_highest(type) - 1 : 0;
}

bool gp_ordinal_is_nan(enum gpuprim_type type, int64_t ordinal)
{
    return ordinal < gp_ordinal_lowest(type) || ordinal > gp_ordinal_highest(type);
}

unsigned gp_bits_in(uint64_t mask)
{
    unsigned n = 0;
    for (; mask; mask &= mask - 1)
        n++;
    return n;
}

// ---------------------------------------------------------------------------------------
// Keys

size_t gp_key_size(enum gpuprim_type type)
{
    return gp_type_size(type) == 8 ? 8 : 4;
}

void gp_key_store(enum gpuprim_type type, int64_t ordinal, void *key)
{
    uint64_t bits = (uint64_t)ordinal;
    if (gp_type_is_float(type)) {
        bits = gp_abs(ordinal);
        if (type == GPUPRIM_F16)
            bits = gp_f16_widened((uint16_t)bits);
        if (ordinal < 0)
            bits |= (uint64_t)1 << (8 * gp_key_size(type) - 1);
    } else if (type == GPUPRIM_U64)
        bits ^= TOP_BIT;
    memcpy(key, &bits, gp_key_size(type));
}

uint64_t gp_place_bits(size_t key_size, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return key_size == 8 ? bits : gp_f32_bits(number);
}

double gp_place_number(size_t key_size, uint64_t bits)
{
    return key_size == 8 ? gp_f64_number(bits) : gp_f32_number((uint32_t)bits);
}

double gp_place_rounded(size_t key_size, double number)
{
    return gp_place_number(key_size, gp_place_bits(key_size, number));
}

// ---------------------------------------------------------------------------------------
// Rounding

static bool round_float(enum gpuprim_type type, double value, void *to)
{
    if (type == GPUPRIM_F64) {
        memcpy(to, &value, sizeof value);
        return true;
    }
    const uint32_t bits = type == GPUPRIM_F16 ? gp_f16_bits(value) : gp_f32_bits(value);
    const uint32_t infinity = type == GPUPRIM_F16 ? 0x7c00 : 0x7f800000;
    memcpy(to, &bits, gp_type_size(type)); // devices and hosts are little-endian
    return (bits & infinity) != infinity;
}

bool gp_value_round(enum gpuprim_type type, double value, void *to)
{
    if (!(value - value == 0))
        return false;
    if (gp_type_is_float(type))
        return round_float(type, value, to);
    if (type == GPUPRIM_U64 && value >= 0x1p63 &&
        value < 0x1p64) { // a double of this size is whole
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
