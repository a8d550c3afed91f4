// SPDX-License-Identifier: Apache-2.0
//
// reduce, third stage: finish() turns the acc of a row into its result, or results.
//
// Macros: OUT_TYPE, the type of results, a number of enum gpuprim_type; others see reduce.cl.
// Defines OUT_T, that type.

#if !defined(OUT_TYPE)
#error "OUT_TYPE must be defined: a number of enum gpuprim_type"
#endif

#if OUT_TYPE == TYPE
#define OUT_T ELEM
#elif OUT_TYPE == F64
#define OUT_T double
#elif OUT_TYPE == F32
#define OUT_T float
#elif OUT_TYPE == I64
#define OUT_T long
#elif OUT_TYPE == U64
#define OUT_T ulong
#elif OUT_TYPE == U8
#define OUT_T uchar
#else
#error "OUT_TYPE is no type of results"
#endif

#if OP == MEAN
static OUT_T mean_of(const acc *r, ulong count)
{
#if IS_WIDE
    // Takes count * 2^63 off again. Then magnitude and sign are separate, so that nothing
    // cancels.
    ulong low = r->v, high = r->n;
#if IS_SIGNED
    high -= (count >> 1) + (low < (count << 63));
    low -= count << 63;
#endif
    const bool negative = IS_SIGNED && (high >> 63);
    if (negative) {
        high = ~high + (low == 0);
        low = -low;
    }
    const double sum = (double)high * 18446744073709551616.0 + (double)low;
    return (negative ? -sum : sum) / (double)count;
#elif IS_FLOAT
#if SKIP_NAN
    count = r->n;
#endif
    return ((OUT_T)r->v + (isfinite(r->v) ? (OUT_T)r->w : (OUT_T)0)) / (OUT_T)count;
#elif IS_SIGNED
    return (double)(long)r->n / (double)count;
#else
    return (double)r->n / (double)count;
#endif
}
#endif

#if OP == STATISTICS
// x / n, rounded once, where r is 1 / n (Markstein): several quotients take one division.
static REAL quotient(REAL x, REAL n, REAL r)
{
    const REAL q = x * r;
    return fma(fma(-q, n, x), r, q);
}

#if EXACT
// The variance is (n * squares - sum^2) / n^2, a quotient of integers. The numerator has 64 bits
// where a row `is_short`, of 2^15 elements or fewer, else 128. share * share is off by a few
// roundings. The quotient is rounded once all the same in f64: n^2 of a short row has few bits, so
// that no quotient lies near the middle between two numbers.
static REAL variance_of(const acc *r, REAL n, REAL share, bool is_short)
{
    if (is_short)
        return quotient((REAL)((long)(r->n * r->squares) - r->sum * r->sum), n * n,
                        share * share);
    const ulong sum = r->sum < 0 ? -(ulong)r->sum : (ulong)r->sum;
    const ulong minuend = r->n * r->squares, square = sum * sum, low = minuend - square;
    const ulong high = mul_hi(r->n, r->squares) + r->n * r->carry - mul_hi(sum, sum) -
                       (minuend < square);
    return quotient(quotient((REAL)high * (REAL)0x1p64f + (REAL)low, n, share), n, share);
}

static REAL mean_of(const acc *r, REAL n, REAL share)
{
    return quotient((REAL)r->sum, n, share);
}
#else
static REAL variance_of(const acc *r, REAL n, REAL share, bool is_short)
{
    const REAL variance = isfinite(r->m2) ? quotient(r->m2, n, share) : r->m2;
    return variance / MEAN_SCALE / MEAN_SCALE;
}

static REAL mean_of(const acc *r, REAL n, REAL share)
{
    return r->mean / MEAN_SCALE;
}
#endif

#define RESULTS 5

// The five results. The extremes say whether there are NaNs (both are NaN) or infinities. share
// is 1 / n.
static void results_of(OUT_T *out, const acc *r, REAL share, bool is_short)
{
    const REAL n = (REAL)r->n, low = r->n ? (REAL)r->v : (REAL)INFINITY,
               high = r->n ? (REAL)r->w : -(REAL)INFINITY;
    const bool finite = EXACT ? r->n > 0 : isfinite(low) && isfinite(high);
    const REAL mean = mean_of(r, n, share);
    const REAL inside = mean < low ? low : mean > high ? high : mean; // rounding leaves the range
    out[0] = (OUT_T)r->n;
    out[1] = (OUT_T)low;
    out[2] = (OUT_T)high;
    out[3] = (OUT_T)(finite ? inside : low + high);
    out[4] = (OUT_T)(finite ? variance_of(r, n, share, is_short) : (REAL)NAN);
}
#endif

// Writes the result of a row of `count` elements to out[at], others each `step` behind.
static void finish(global OUT_T *out, long at, long step, const acc *r, ulong count)
{
#if OP == STATISTICS
    OUT_T results[RESULTS];
    results_of(results, r, 1 / (REAL)r->n, false);
    #pragma unroll
    for (int i = 0; i < RESULTS; i++)
        out[at + i * step] = results[i];
#elif OP == MEAN
    out[at] = mean_of(r, count);
#elif IS_SUM && IS_FLOAT
    out[at] = isfinite(r->v) ? r->v + r->w : r->v; // the error term of an infinity is NaN
#elif OP == ANY
    out[at] = r->n != 0;
#elif OP == ALL
    out[at] = r->n == 0;
#elif IS_SUM || IS_COUNT || IS_ARG || (OP == PRODUCT && !IS_FLOAT)
    out[at] = (OUT_T)r->n;
#elif OUT_TYPE == F16
    vstore_half(r->v, at, out);
#if OP == MINMAX
    vstore_half(r->w, at + step, out);
#endif
#else
    out[at] = (OUT_T)r->v;
#if OP == MINMAX
    out[at + step] = (OUT_T)r->w;
#endif
#endif
}
