/* SPDX-License-Identifier: Apache-2.0
 *
 * Elements as numbers, and numbers as results (number.h). */
#include "number.h"

#include <math.h>
#include <string.h>

#include "reference/half.h"
#include "reference/reduce/row.h"

bool convolve_is_integer(enum gpuprim_type type)
{
    return type < GPUPRIM_F16;
}

size_t convolve_size(enum gpuprim_type type)
{
    return type == GPUPRIM_C32 ? 8 : reduce_reference_size(type);
}

struct number convolve_load(enum gpuprim_type type, const void *p)
{
    struct number x = { 0, 0, 0 };
    float parts[2];
    uint16_t half;
    double d;
#define INTEGER(name, c)                                                                       \
    case name: {                                                                               \
        c v;                                                                                   \
        memcpy(&v, p, sizeof v);                                                               \
        x.whole = (int64_t)v;                                                                  \
        return x;                                                                              \
    }
    switch (type) {
        INTEGER(GPUPRIM_I8, int8_t)
        INTEGER(GPUPRIM_U8, uint8_t)
        INTEGER(GPUPRIM_I16, int16_t)
        INTEGER(GPUPRIM_U16, uint16_t)
        INTEGER(GPUPRIM_I32, int32_t)
        INTEGER(GPUPRIM_I64, int64_t)
    case GPUPRIM_F16:
        memcpy(&half, p, sizeof half);
        x.re = half_to_float(half);
        return x;
    case GPUPRIM_F32:
        memcpy(parts, p, 4);
        x.re = parts[0];
        return x;
    case GPUPRIM_F64:
        memcpy(&d, p, sizeof d);
        x.re = d;
        return x;
    default:
        memcpy(parts, p, 8);
        x.re = parts[0];
        x.im = parts[1];
        return x;
    }
}

void convolve_store(enum gpuprim_type type, struct number x, void *p)
{
    const float parts[2] = { (float)x.re, (float)x.im };
    const double d = (double)x.re;
    if (convolve_is_integer(type)) {
        memcpy(p, &x.whole, convolve_size(type)); // hosts are little-endian
    } else if (type == GPUPRIM_F16) {
        const uint16_t half = half_from_float(parts[0]);
        memcpy(p, &half, sizeof half);
    } else if (type == GPUPRIM_F64)
        memcpy(p, &d, sizeof d);
    else
        memcpy(p, parts, convolve_size(type));
}

struct number convolve_constant_of(enum gpuprim_type type, const double constant[2])
{
    struct number x = { 0, constant[0], constant[1] };
    if (convolve_is_integer(type))
        x.whole = (int64_t)constant[0];
    else if (type == GPUPRIM_F16)
        x.re = half_to_float(half_from_float((float)constant[0]));
    else if (type != GPUPRIM_F64) {
        x.re = (float)constant[0];
        x.im = (float)constant[1];
    }
    return x;
}

// ---------------------------------------------------------------------------------------
// Results

// The range of an integer type. Unsigned ones of 32 and 64 bits are no outputs.
static int64_t highest(enum gpuprim_type type)
{
    const unsigned bits = 8 * (unsigned)convolve_size(type);
    const bool is_unsigned = type == GPUPRIM_U8 || type == GPUPRIM_U16;
    return type == GPUPRIM_I64 ? INT64_MAX : ((int64_t)1 << (bits - !is_unsigned)) - 1;
}

static int64_t lowest(enum gpuprim_type type)
{
    return type == GPUPRIM_U8 || type == GPUPRIM_U16 ? 0 : -highest(type) - 1;
}

int64_t convolve_scaled(int64_t sum, unsigned shift, enum gpuprim_type type)
{
    const int64_t unit = (int64_t)1 << shift;
    int64_t q = sum / unit, rest = sum % unit;
    if (rest < 0) {
        q--;
        rest += unit;
    }
    if (rest > unit - rest || (rest == unit - rest && q % 2 != 0))
        q++;
    return q < lowest(type) ? lowest(type) : q > highest(type) ? highest(type) : q;
}

int64_t convolve_rounded(real sum, enum gpuprim_type type)
{
    if (isnan(sum))
        return 0;
    if (sum <= (real)lowest(type))
        return lowest(type);
    if (sum >= (real)highest(type))
        return highest(type);
    const real below = floorl(sum), rest = sum - below;
    const int64_t q = (int64_t)below;
    return q + (rest > 0.5L || (rest == 0.5L && q % 2 != 0));
}
