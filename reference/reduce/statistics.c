/* SPDX-License-Identifier: Apache-2.0
 *
 * The reference of STATISTICS: two passes over a row in long doubles, the second over the
 * distances from the mean of the first. reduce.c calls it, row by row.
 */
#include "row.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

struct statistics {
    uint64_t taken, nans;
    long double low, high;
    long double mean, variance; // of the finite elements
};

static long double value_of(const void *p, enum gpuprim_type type)
{
    if (reference_is_float(type))
        return reference_float(p, type);
    const uint64_t x = reference_integer(p, type);
    return reference_is_signed(type) ? (long double)(int64_t)x : (long double)x;
}

// Adds x to the sum in total[0], whose rounding error is total[1]. Knuth's two-sum.
static void add(long double total[2], long double x)
{
    const long double sum = total[0] + x, t = sum - total[0];
    total[1] += (total[0] - (sum - t)) + (x - t);
    total[0] = sum;
}

static struct statistics statistics_of(const struct gpuprim_array *in, uint64_t row,
                                       const struct gpuprim_reduce_params *params)
{
    struct statistics s = { .low = INFINITY, .high = -INFINITY };
    long double sum[2] = { 0, 0 }, squares[2] = { 0, 0 };
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t i = 0; i < in->count; i++) {
            const long double x = value_of(reference_element(in, row, i), in->type);
            if (isnan(x) && params->nan == GPUPRIM_NAN_IGNORE)
                continue;
            if (pass == 0) {
                s.taken++;
                s.nans += isnan(x) != 0;
                s.low = x < s.low ? x : s.low;
                s.high = x > s.high ? x : s.high;
            }
            if (!isfinite(x))
                continue;
            if (pass == 0)
                add(sum, x);
            else
                add(squares, (x - s.mean) * (x - s.mean));
        }
        if (pass == 0 && s.taken)
            s.mean = (sum[0] + sum[1]) / (long double)s.taken;
    }
    s.variance = s.taken ? (squares[0] + squares[1]) / (long double)s.taken : NAN;
    return s;
}

// Data of f64, and of f32 where the device lacks f64, are scaled by 2^-16, and their squares by
// 2^-32: this much is lost of numbers next to 0. Results of f32 lose more than f64 data did.
static long double lost_next_to_0(enum gpuprim_type in, enum gpuprim_type out)
{
    if (out == GPUPRIM_F64)
        return in == GPUPRIM_F64 ? 0x1p-1040L : 0;
    return in == GPUPRIM_F32 ? 0x1p-94L : 0x1p-149L;
}

// The bounds that gpuprim.h states, with k = 0: that all roundings of a work-item's merges go
// one way does not happen here. f64 results mean that the device calculated in f64, but for f16.
static bool values_agree(const struct statistics *s, enum gpuprim_type in,
                         enum gpuprim_type out, const double got[5], char *why, size_t size)
{
    const bool wide = out == GPUPRIM_F64;
    const long double unit = wide && in != GPUPRIM_F16 ? DBL_EPSILON / 2 : FLT_EPSILON / 2;
    const long double largest = wide ? DBL_MAX : FLT_MAX;
    const long double least = lost_next_to_0(in, out);
    const long double greatest = fmaxl(fabsl(s->low), fabsl(s->high));
    const long double log_n = fmaxl(1, log2l((long double)s->taken));
    long double bound = (256 + log_n) * unit * greatest + least;
    // An f32 may be infinite where all numbers that are right, or some, leave its range.
    const long double nearest = s->mean + copysignl(bound, got[3]);
    const bool overflow = isinf(got[3]) && fabsl(nearest) > largest && nearest * got[3] > 0;
    if (fabsl(got[3] - s->mean) > bound && !overflow)
        return reference_wrong(why, size, "mean %.17g, expected %.17Lg within %.3Lg", got[3],
                               s->mean, bound);
    if (got[3] < got[1] || got[3] > got[2])
        return reference_wrong(why, size, "mean %.17g is not between the extremes", got[3]);
    if (s->low == s->high)
        return got[4] == 0 ||
               reference_wrong(why, size, "variance %.17g of equal elements", got[4]);
    const long double variance = s->variance;
    bound = 1024 * unit * sqrtl(variance * (variance + s->mean * s->mean)) * log_n + least;
    if (!reference_is_float(in) && reduce_reference_size(in) == (wide ? 8 : 4)) // rounded first
        bound += powl(unit * greatest, 2);
    if (!(got[4] >= 0))
        return reference_wrong(why, size, "variance %.17g", got[4]);
    const long double n = (long double)s->taken;
    if (isinf(got[4]) && (variance + bound) * n * n > largest)
        return true; // the squares leave the range
    return fabsl(got[4] - variance) <= bound ||
           reference_wrong(why, size, "variance %.17g, expected %.17Lg within %.3Lg", got[4],
                           variance, bound);
}

bool reference_statistics(const struct gpuprim_array *in, uint64_t row,
                          const struct gpuprim_reduce_params *params,
                          const struct reference_results *results, char *why, size_t size)
{
    const struct statistics s = statistics_of(in, row, params);
    double got[5];
    for (unsigned k = 0; k < 5; k++)
        got[k] = reference_float(results->at[k], results->type);
    const bool wide = results->type == GPUPRIM_F64;
    const double count = wide ? (double)s.taken : (double)(float)s.taken;
    if (got[0] != count)
        return reference_wrong(why, size, "count %.17g, expected %.17g", got[0], count);
    if (s.nans) {
        for (unsigned k = 1; k < 5; k++)
            if (!isnan(got[k]))
                return reference_wrong(why, size, "result %u is %.17g in spite of a NaN", k,
                                       got[k]);
        return true;
    }
    const double low = wide ? (double)s.low : (double)(float)s.low;
    const double high = wide ? (double)s.high : (double)(float)s.high;
    if (got[1] != low || got[2] != high)
        return reference_wrong(why, size, "extremes %.17g %.17g, expected %.17g %.17g", got[1],
                               got[2], low, high);
    if (isfinite(s.low) && isfinite(s.high))
        return values_agree(&s, in->type, results->type, got, why, size);
    const double mean = (double)(s.low + s.high); // an infinity; NaN of both and of no element
    const bool right = isnan(mean) ? isnan(got[3]) : got[3] == mean;
    return (right && isnan(got[4])) ||
           reference_wrong(why, size, "mean %.17g and variance %.17g, expected %.17g and NaN",
                           got[3], got[4], mean);
}
