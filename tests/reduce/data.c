/* SPDX-License-Identifier: Apache-2.0
 *
 * The data sets of the tests of reduce: random numbers, ties, NaNs and infinities, cancellation
 * and others. case.c fills the inputs of cases with them.
 */
#include "case.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "reference/half.h"
#include "reference/reduce/reduce.h"

static bool is_float(enum gpuprim_type type)
{
    return type >= GPUPRIM_F16;
}

// A number between -1 and 1.
static double fraction(struct check *check)
{
    return (double)(int64_t)check_random(check) * 0x1p-63;
}

static void put_float(unsigned char *p, enum gpuprim_type type, double value)
{
    if (type == GPUPRIM_F16) {
        const uint16_t half = half_from_float((float)value);
        memcpy(p, &half, sizeof half);
    } else if (type == GPUPRIM_F32) {
        const float single = (float)value;
        memcpy(p, &single, sizeof single);
    } else {
        memcpy(p, &value, sizeof value);
    }
}

// Stores the low bytes. Hosts are little-endian, as devices must be.
static void put_integer(unsigned char *p, enum gpuprim_type type, uint64_t value)
{
    memcpy(p, &value, reduce_reference_size(type));
}

// ---------------------------------------------------------------------------------------
// Element i of `count`. `row_value` is random but the same for the whole row.

static uint64_t least_integer(enum gpuprim_type type)
{
    const bool is_signed = type % 2 == 1;
    return is_signed ? UINT64_C(1) << (8 * reduce_reference_size(type) - 1) : 0;
}

static uint64_t integer_value(struct check *check, const struct reduce_case *test, uint64_t i,
                              uint64_t row_value)
{
    const uint64_t least = least_integer(test->type), greatest = ~least;
    switch (test->data) {
    case DATA_SMALL: // odd, so that products keep their lowest bit
        return 2 * check_below(check, 4) - (least ? 3 : 0) + (least ? 0 : 1);
    case DATA_EQUAL:
        return row_value;
    case DATA_TIES:
        return row_value + check_below(check, 3);
    case DATA_EXTREMES: {
        const uint64_t extremes[] = { least, greatest, 0, 1 };
        return extremes[check_below(check, 4)];
    }
    case DATA_LEAST:
        return least;
    case DATA_GREATEST:
        return greatest;
    case DATA_SPARSE:
        return check_once_in(check, 64) ? check_random(check) : 0;
    case DATA_ONE_ZERO:
        return i == row_value % test->count ? 0 : 1 + check_below(check, 100);
    case DATA_FALLING:
        return greatest - i;
    case DATA_FAR:
        return greatest - check_below(check, 6);
    case DATA_OUTLIER:
        return i == 0 ? greatest : 3;
    case DATA_TWOS: {
        const uint64_t bits = 8 * reduce_reference_size(test->type), twos = bits - 2,
                       neighbours = twos < 32 ? 48 / twos : 1;
        return i - row_value % test->count < neighbours ? UINT64_C(1) << twos
                                                        : 2 * check_below(check, 50) + 1;
    }
    default:
        return check_random(check);
    }
}

static double float_limit(enum gpuprim_type type)
{
    return type == GPUPRIM_F16 ? 65504 : type == GPUPRIM_F32 ? (double)FLT_MAX : DBL_MAX;
}

// Naive sums of squares of these lose the variance.
static double far_from_0(struct check *check, enum gpuprim_type type)
{
    return (type == GPUPRIM_F16   ? 1000
            : type == GPUPRIM_F32 ? 1e4
                                  : 1e9) +
           0.5 * fraction(check);
}

// Data sets that integers have too.
static double plain_float(struct check *check, const struct reduce_case *test, uint64_t i,
                          uint64_t row_value)
{
    const double limit = float_limit(test->type);
    switch (test->data) {
    case DATA_SMALL: // the nearer to 1, the more there are: products stay in range
        return (1 + fraction(check) / (16 + (double)test->count / 50)) *
               (check_once_in(check, 2) ? 1 : -1);
    case DATA_EQUAL:
        return (double)(int64_t)row_value * 0x1p-60;
    case DATA_TIES:
        return (double)(row_value % 7) + (double)check_below(check, 3);
    case DATA_EXTREMES: {
        const double extremes[] = { -limit, limit, 0, 1 };
        return extremes[check_below(check, 4)];
    }
    case DATA_LEAST:
        return -limit;
    case DATA_GREATEST:
        return limit;
    case DATA_SPARSE:
        return check_once_in(check, 64) ? fraction(check) : 0;
    case DATA_ONE_ZERO:
        return i == row_value % test->count ? 0 : 2 + fraction(check);
    case DATA_FALLING:
        return 1000 - (double)i / 64;
    case DATA_FAR:
        return far_from_0(check, test->type);
    case DATA_OUTLIER:
        return i == 0 ? 1e4 : 0.1;
    default:
        return 100 * fraction(check);
    }
}

static double float_value(struct check *check, const struct reduce_case *test, uint64_t i,
                          uint64_t row_value)
{
    const uint64_t special = row_value % test->count, other = row_value / 3 % test->count;
    const double ordinary = 10 * fraction(check);
    switch (test->data) {
    case DATA_NAN_FIRST:
        return i == 0 ? NAN : ordinary;
    case DATA_NAN_MIDDLE:
        return i == test->count / 2 ? NAN : ordinary;
    case DATA_NAN_LAST:
        return i == test->count - 1 ? NAN : ordinary;
    case DATA_NAN_OFTEN:
        return check_once_in(check, 3) ? NAN : ordinary;
    case DATA_NAN_ALL:
        return NAN;
    case DATA_PLUS_INFINITY:
        return i == special ? INFINITY : ordinary;
    case DATA_MINUS_INFINITY:
        return i == special ? -INFINITY : ordinary;
    case DATA_BOTH_INFINITIES:
        return i == special ? INFINITY : i == other ? -INFINITY : ordinary;
    case DATA_ALL_PLUS_INFINITY:
        return INFINITY;
    case DATA_ALL_MINUS_INFINITY:
        return -INFINITY;
    case DATA_DENORMAL:
        return fraction(check) * (test->type == GPUPRIM_F16   ? 0x1p-14
                                  : test->type == GPUPRIM_F32 ? 0x1p-126
                                                              : 0x1p-1022);
    case DATA_SIGNED_ZEROS:
        return check_once_in(check, 2) ? -0.0 : 0.0;
    case DATA_FAR_AFTER_NANS:
        return i < 1 + row_value % 70 && i + 2 < test->count ? NAN
                                                             : far_from_0(check, test->type);
    case DATA_CANCELLING:
        return i % 2 ? fraction(check) : (i % 4 ? -10000.0 : 10000.0);
    default:
        return plain_float(check, test, i, row_value);
    }
}

void reduce_fill(struct check *check, const struct reduce_case *test,
                 const struct gpuprim_array *view)
{
    const size_t size = reduce_reference_size(view->type);
    const int64_t stride = view->stride ? view->stride : 1;
    const int64_t row_stride =
        view->row_stride ? view->row_stride : (int64_t)view->count * stride;
    for (uint64_t row = 0; row < test->rows; row++) {
        const uint64_t row_value = check_random(check);
        const int64_t start = (int64_t)view->first + (int64_t)row * row_stride;
        for (uint64_t i = 0; i < view->count; i++) {
            const int64_t at = start + (int64_t)i * stride;
            unsigned char *p = (unsigned char *)view->base + at * (int64_t)size;
            if (is_float(view->type))
                put_float(p, view->type, float_value(check, test, i, row_value));
            else
                put_integer(p, view->type, integer_value(check, test, i, row_value));
        }
    }
}
