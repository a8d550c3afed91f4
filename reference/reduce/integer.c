/* SPDX-License-Identifier: Apache-2.0
 *
 * The reference of reduce for integers: modulo 2^64, and for the mean in 128 bits. float.c has
 * the other types; reduce.c calls both, row by row.
 */
#include "row.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

// A sum of 128 bits, in two's complement: not all systems have an integer of that size.
struct exact_sum {
    uint64_t high, low;
};

static void add(struct exact_sum *sum, uint64_t x, bool is_negative)
{
    sum->low += x;
    sum->high += (sum->low < x) - (uint64_t)is_negative;
}

// The sum as a long double; rounds where that has fewer bits, three times at most.
static long double value_of(struct exact_sum sum)
{
    const bool is_negative = sum.high >> 63;
    if (is_negative) { // so that nothing cancels
        sum.low = -sum.low;
        sum.high = ~sum.high + (sum.low == 0);
    }
    const long double value = ldexpl((long double)sum.high, 64) + (long double)sum.low;
    return is_negative ? -value : value;
}

// What one pass over a row of integers finds.
struct integers {
    uint64_t sum, sum_abs, sum_squares, product; // modulo 2^64
    uint64_t all_and, all_or, all_xor, nonzero;
    struct exact_sum exact_sum;
    uint64_t least, greatest, magnitude;
    uint64_t least_at, greatest_at;
};

static struct integers fold_integers(const struct gpuprim_array *in, uint64_t row)
{
    const unsigned bits = 8 * (unsigned)reduce_reference_size(in->type);
    // With this bit inverted, values are in the order of unsigned numbers.
    const uint64_t sign = (uint64_t)reference_is_signed(in->type) << 63;
    struct integers f = { .product = 1, .all_and = UINT64_MAX };
    f.least = UINT64_MAX >> (64 - bits + (sign ? 1 : 0));
    f.greatest = sign ? ~f.least : 0;
    f.least_at = f.greatest_at = UINT64_MAX;
    for (uint64_t i = 0; i < in->count; i++) {
        const uint64_t x = reference_integer(reference_element(in, row, i), in->type);
        const bool is_negative = x & sign;
        const uint64_t magnitude = is_negative ? -x : x;
        f.sum += x;
        f.sum_abs += magnitude;
        f.magnitude = magnitude > f.magnitude ? magnitude : f.magnitude;
        f.sum_squares += x * x;
        f.product *= x;
        f.all_and &= x;
        f.all_or |= x;
        f.all_xor ^= x;
        f.nonzero += x != 0;
        add(&f.exact_sum, x, is_negative);
        if ((x ^ sign) < (f.least ^ sign) || f.least_at == UINT64_MAX) {
            f.least = x;
            f.least_at = i;
        }
        if ((x ^ sign) > (f.greatest ^ sign) || f.greatest_at == UINT64_MAX) {
            f.greatest = x;
            f.greatest_at = i;
        }
    }
    return f;
}

// The result that an operation on integers must give, as 64 bits. Not for means.
static uint64_t expected_integer(const struct integers *f, enum gpuprim_op op, unsigned which,
                                 uint64_t count)
{
    switch (op) {
    case GPUPRIM_SUM:
        return f->sum;
    case GPUPRIM_PRODUCT:
        return f->product;
    case GPUPRIM_MIN:
        return f->least;
    case GPUPRIM_MAX:
        return f->greatest;
    case GPUPRIM_ARGMIN:
        return f->least_at;
    case GPUPRIM_ARGMAX:
        return f->greatest_at;
    case GPUPRIM_MINMAX:
        return which == 0 ? f->least : f->greatest;
    case GPUPRIM_AND:
        return f->all_and;
    case GPUPRIM_OR:
        return f->all_or;
    case GPUPRIM_XOR:
        return f->all_xor;
    case GPUPRIM_ANY:
        return f->nonzero > 0;
    case GPUPRIM_ALL:
        return f->nonzero == count;
    case GPUPRIM_COUNT:
        return f->nonzero;
    case GPUPRIM_MAX_ABS:
        return f->magnitude;
    case GPUPRIM_SUM_ABS:
        return f->sum_abs;
    default:
        return f->sum_squares;
    }
}

// Checks a mean. The sum is exact; the conversion to double and the division round, three times
// at most.
static bool mean_of_integers_agrees(const struct integers *f, uint64_t count, double got,
                                    char *why, size_t size)
{
    if (count == 0)
        return isnan(got) || reference_wrong(why, size, "%.17g, expected NaN", got);
    const long double mean = value_of(f->exact_sum) / (long double)count;
    const long double bound = 3 * (long double)(DBL_EPSILON / 2) * fabsl(mean);
    if (fabsl(got - mean) <= bound)
        return true;
    return reference_wrong(why, size, "%.17g, expected %.17Lg within %.3Lg", got, mean, bound);
}

bool reference_integers(const struct gpuprim_array *in, uint64_t row,
                        const struct gpuprim_reduce_params *params,
                        const struct reference_results *results, char *why, size_t size)
{
    const struct integers f = fold_integers(in, row);
    if (params->op == GPUPRIM_MEAN)
        return mean_of_integers_agrees(&f, in->count, *(const double *)results->at[0], why,
                                       size);
    const unsigned spare = 64 - 8 * (unsigned)reduce_reference_size(results->type);
    for (unsigned which = 0; which < results->count; which++) {
        const uint64_t expected = expected_integer(&f, params->op, which, in->count);
        const uint64_t got = reference_integer(results->at[which], results->type);
        if (got << spare != expected << spare)
            return reference_wrong(why, size, "result %u is 0x%" PRIx64 ", expected 0x%" PRIx64,
                                   which, got, expected);
    }
    return true;
}
