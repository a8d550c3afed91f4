/* SPDX-License-Identifier: Apache-2.0
 *
 * The reference of reduce for floats. Sums are compensated sums of long doubles: for every
 * array that fits in memory they are far more exact than any bound that is checked here.
 * integer.c has the other types, statistics.c STATISTICS; reduce.c calls both, row by row.
 */
#include "row.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

struct limits {
    long double unit; // u: half the distance from 1 to the next number
    long double largest;
    long double smallest; // denormal
    int64_t top, bottom; // products between 2^bottom and 2^top are safe, with room for rounding
};

static const struct limits *limits_of(enum gpuprim_type type)
{
    static const struct limits f32 = { FLT_EPSILON / 2, FLT_MAX, 0x1p-149L, 127, -125 };
    static const struct limits f64 = { DBL_EPSILON / 2, DBL_MAX, 0x1p-1074L, 1023, -1021 };
    return type == GPUPRIM_F64 ? &f64 : &f32;
}

// ---------------------------------------------------------------------------------------
// One pass over a row

struct total {
    long double sum, error; // together the sum, as if it had not been rounded
};

static void add(struct total *total, long double x)
{
    const long double sum = total->sum + x, t = sum - total->sum; // two-sum (Knuth)
    total->error += (total->sum - (sum - t)) + (x - t);
    total->sum = sum;
}

struct floats {
    uint64_t n; // elements taken: all, or with NAN_IGNORE the numbers
    uint64_t nans, first_nan;
    uint64_t zeros, positives, negatives; // an infinity is one of the latter two
    uint64_t plus_infinities, minus_infinities;
    struct total sum, magnitude, squares; // of the finite elements
    double least, greatest;
    uint64_t least_at, greatest_at;
    long double fraction; // the product of elements that are neither 0 nor infinite is
    int64_t exponent;     //     fraction * 2^exponent
    double rise, fall;    // the product of any part of it lies between 2^fall and 2^rise
};

static void multiply(struct floats *f, double x)
{
    int exponent;
    f->fraction = frexpl(f->fraction * x, &exponent);
    f->exponent += exponent;
    const double size = log2(fabs(x));
    if (size > 0)
        f->rise += size;
    else
        f->fall += size;
}

static void take(struct floats *f, double x, uint64_t i)
{
    f->zeros += x == 0;
    f->positives += x > 0;
    f->negatives += x < 0;
    if (x < f->least || f->least_at == UINT64_MAX) {
        f->least = x;
        f->least_at = i;
    }
    if (x > f->greatest || f->greatest_at == UINT64_MAX) {
        f->greatest = x;
        f->greatest_at = i;
    }
    if (isinf(x)) {
        f->plus_infinities += x > 0;
        f->minus_infinities += x < 0;
    } else {
        add(&f->sum, x);
        add(&f->magnitude, fabs(x));
        add(&f->squares, (long double)x * x);
    }
}

static struct floats fold_floats(const struct gpuprim_array *in, uint64_t row,
                                 const struct gpuprim_reduce_params *params)
{
    struct floats f = { .first_nan = UINT64_MAX,
                        .fraction = 1,
                        .least = INFINITY,
                        .greatest = -INFINITY,
                        .least_at = UINT64_MAX,
                        .greatest_at = UINT64_MAX };
    for (uint64_t i = 0; i < in->count; i++) {
        const double x = reference_float(reference_element(in, row, i), in->type);
        if (isnan(x) && params->nan == GPUPRIM_NAN_IGNORE)
            continue;
        f.n++;
        if (!isnan(x)) {
            take(&f, x, i);
        } else if (f.nans++ == 0) {
            f.first_nan = i;
        }
        if (params->op == GPUPRIM_PRODUCT && isfinite(x) && x != 0)
            multiply(&f, x);
    }
    return f;
}

// ---------------------------------------------------------------------------------------
// Sums and means

// Sums whose magnitudes stay below this overflow in no order, whatever their rounding.
static bool may_overflow(long double magnitude, const struct limits *limits)
{
    return !(magnitude < 0.999L * limits->largest);
}

// Checks a sum with infinities among its terms. In some orders the finite terms overflow to the
// other infinity. Then NaN is right too.
static bool infinite_sum_agrees(uint64_t plus, uint64_t minus, bool overflow, double got)
{
    if (plus && minus)
        return isnan(got);
    return got == (plus ? INFINITY : -INFINITY) || (overflow && isnan(got));
}

static bool sum_agrees(const struct floats *f, enum gpuprim_op op, const struct limits *limits,
                       const struct limits *result, double got, char *why, size_t size)
{
    const bool mean = op == GPUPRIM_MEAN, squares = op == GPUPRIM_SUM_SQUARES;
    const bool folded = squares || op == GPUPRIM_SUM_ABS; // no term is negative
    if (f->nans || (mean && f->n == 0))
        return isnan(got) || reference_wrong(why, size, "%.17g, expected NaN", got);

    const struct total *terms = squares ? &f->squares : folded ? &f->magnitude : &f->sum;
    const struct total *magnitudes = squares ? &f->squares : &f->magnitude;
    const long double magnitude = magnitudes->sum + magnitudes->error;
    const bool overflow = may_overflow(magnitude, limits);
    const uint64_t minus = folded ? 0 : f->minus_infinities;
    const uint64_t plus = f->plus_infinities + f->minus_infinities - minus;
    if (plus || minus)
        return infinite_sum_agrees(plus, minus, overflow && !folded, got) ||
               reference_wrong(why, size, "%.17g, but %" PRIu64 " +inf and %" PRIu64 " -inf",
                               got, plus, minus);

    const long double divisor = mean ? (long double)f->n : 1;
    const long double expected = (terms->sum + terms->error) / divisor;
    const long double n = f->n ? (long double)f->n : 1;
    long double bound = (256 + log2l(n)) * limits->unit * magnitude / divisor;
    if (squares) // each product rounds before it is added, and may be denormal
        bound += limits->unit * magnitude + n * limits->smallest;
    if (mean) // the division rounds, and so does the sum when it takes the result's type
        bound += 2 * result->unit * fabsl(expected) + result->smallest;
    if (fabsl(got - expected) <= bound)
        return true;
    // Terms of one sign leave the range in one direction. Terms of both may give anything.
    if (overflow && (folded || f->negatives == 0) && got == INFINITY)
        return true;
    if (overflow && !folded && f->positives == 0 && got == -INFINITY)
        return true;
    if (overflow && !folded && f->negatives && f->positives && !isfinite(got))
        return true;
    return reference_wrong(why, size, "%.17g, expected %.17Lg within %.3Lg (sum of |x| %.3Lg)",
                           got, expected, bound, magnitude);
}

// ---------------------------------------------------------------------------------------
// Products

static bool product_agrees(const struct floats *f, const struct limits *limits, double got,
                           char *why, size_t size)
{
    const bool overflow = f->rise > (double)limits->top;
    const bool underflow = f->fall < (double)limits->bottom;
    const bool infinite = f->plus_infinities || f->minus_infinities;
    const double sign = f->negatives % 2 ? -1 : 1;
    if (f->nans || (infinite && f->zeros))
        return isnan(got) || reference_wrong(why, size, "%.17g, expected NaN", got);
    if (infinite) // the others may underflow to 0 first
        return got == sign * INFINITY || (underflow && isnan(got)) ||
               reference_wrong(why, size, "%.17g, expected %g", got, sign * INFINITY);
    if (f->zeros) // the others may overflow first
        return got == 0 || (overflow && isnan(got)) ||
               reference_wrong(why, size, "%.17g, expected 0", got);

    const int64_t exponent = f->exponent > 20000    ? 20000 // beyond long double
                             : f->exponent < -20000 ? -20000
                                                    : f->exponent;
    const long double expected = ldexpl(f->fraction, (int)exponent);
    const long double bound = 2 * (long double)f->n * limits->unit * fabsl(expected);
    if (fabsl(got - expected) <= bound)
        return true;
    if (overflow && underflow) // any order may pass through 0 or an infinity
        return true;
    if (overflow && got == sign * INFINITY)
        return true;
    if (underflow && isfinite(got) && !(got * sign < 0)) // precision is lost on the way
        return true;
    return reference_wrong(why, size, "%.17g, expected %.17Lg within %.3Lg", got, expected,
                           bound);
}

// ---------------------------------------------------------------------------------------
// The other operations are exact

static bool value_agrees(const struct floats *f, double expected, double got, char *why,
                         size_t size)
{
    if (f->nans ? isnan(got) : got == expected)
        return true;
    return reference_wrong(why, size, "%.17g, expected %.17g", got, f->nans ? NAN : expected);
}

static bool number_agrees(uint64_t expected, uint64_t got, char *why, size_t size)
{
    return got == expected ||
           reference_wrong(why, size, "%" PRIu64 ", expected %" PRIu64, got, expected);
}

bool reference_floats(const struct gpuprim_array *in, uint64_t row,
                      const struct gpuprim_reduce_params *params,
                      const struct reference_results *results, char *why, size_t size)
{
    const struct floats f = fold_floats(in, row, params);
    const struct limits *limits = limits_of(reduce_reference_accumulator(in->type, params));
    uint64_t number = 0;
    double got[2] = { 0, 0 };
    for (unsigned k = 0; k < results->count; k++) {
        if (reference_is_float(results->type))
            got[k] = reference_float(results->at[k], results->type);
        else
            number = (uint64_t)reference_integer(results->at[k], results->type);
    }
    switch (params->op) {
    case GPUPRIM_PRODUCT:
        return product_agrees(&f, limits, got[0], why, size);
    case GPUPRIM_MIN:
        return value_agrees(&f, f.least, got[0], why, size);
    case GPUPRIM_MAX:
        return value_agrees(&f, f.greatest, got[0], why, size);
    case GPUPRIM_MAX_ABS:
        return value_agrees(&f, f.n ? fmax(fabs(f.least), fabs(f.greatest)) : 0, got[0], why,
                            size);
    case GPUPRIM_MINMAX:
        return value_agrees(&f, f.least, got[0], why, size) &&
               value_agrees(&f, f.greatest, got[1], why, size);
    case GPUPRIM_ARGMIN:
        return number_agrees(f.nans ? f.first_nan : f.least_at, number, why, size);
    case GPUPRIM_ARGMAX:
        return number_agrees(f.nans ? f.first_nan : f.greatest_at, number, why, size);
    case GPUPRIM_ANY:
        return number_agrees(f.n > f.zeros, number, why, size);
    case GPUPRIM_ALL:
        return number_agrees(f.zeros == 0, number, why, size);
    case GPUPRIM_COUNT:
        return number_agrees(f.n - f.zeros, number, why, size);
    default:
        return sum_agrees(&f, params->op, limits, limits_of(results->type), got[0], why, size);
    }
}
