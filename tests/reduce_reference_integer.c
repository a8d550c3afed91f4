/* SPDX-License-Identifier: Apache-2.0
 *
 * The reference of reduce for integers: modulo 2^64, and for the mean in 128 bits.
 */
#include "reduce_reference_row.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

// What one pass over a row of integers finds.
struct integers {
    uint64_t sum, sum_abs, sum_squares, product; // modulo 2^64
    uint64_t all_and, all_or, all_xor, nonzero;
    wide exact_sum;
    wide least, greatest;
    uint64_t least_at, greatest_at;
};

static struct integers fold_integers(const struct gpuprim_array *in, uint64_t row)
{
    const unsigned bits = 8 * (unsigned)reduce_reference_size(in->type);
    const wide one = 1;
    struct integers f = { .product = 1, .all_and = UINT64_MAX };
    f.least = (one << (reference_is_signed(in->type) ? bits - 1 : bits)) - 1;
    f.greatest = reference_is_signed(in->type) ? -f.least - 1 : 0;
    f.least_at = f.greatest_at = UINT64_MAX;
    for (uint64_t i = 0; i < in->count; i++) {
        const wide x = reference_integer(reference_element(in, row, i), in->type);
        const uint64_t x64 = (uint64_t)x;
        f.sum += x64;
        f.sum_abs += x < 0 ? -x64 : x64;
        f.sum_squares += x64 * x64;
        f.product *= x64;
        f.all_and &= x64;
        f.all_or |= x64;
        f.all_xor ^= x64;
        f.nonzero += x != 0;
        f.exact_sum += x;
        if (x < f.least || f.least_at == UINT64_MAX) {
            f.least = x;
            f.least_at = i;
        }
        if (x > f.greatest || f.greatest_at == UINT64_MAX) {
            f.greatest = x;
            f.greatest_at = i;
        }
    }
    return f;
}

// The result that an operation on integers must give, as 64 bits; the mean is apart.
static uint64_t expected_integer(const struct integers *f, enum gpuprim_op op, unsigned which,
                                 uint64_t count)
{
    switch (op) {
    case GPUPRIM_SUM:
        return f->sum;
    case GPUPRIM_PRODUCT:
        return f->product;
    case GPUPRIM_MIN:
        return (uint64_t)f->least;
    case GPUPRIM_MAX:
        return (uint64_t)f->greatest;
    case GPUPRIM_ARGMIN:
        return f->least_at;
    case GPUPRIM_ARGMAX:
        return f->greatest_at;
    case GPUPRIM_MINMAX:
        return (uint64_t)(which == 0 ? f->least : f->greatest);
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
    case GPUPRIM_SUM_ABS:
        return f->sum_abs;
    default:
        return f->sum_squares;
    }
}

// The sum is exact; turning it into a double and dividing round, three times at most.
static bool mean_of_integers_agrees(const struct integers *f, uint64_t count, double got,
                                    char *why, size_t size)
{
    if (count == 0)
        return isnan(got) || reference_wrong(why, size, "%.17g, expected NaN", got);
    const long double mean = (long double)f->exact_sum / (long double)count;
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
        const uint64_t got = (uint64_t)reference_integer(results->at[which], results->type);
        if (got << spare != expected << spare)
            return reference_wrong(why, size, "result %u is 0x%" PRIx64 ", expected 0x%" PRIx64,
                                   which, got, expected);
    }
    return true;
}
