// SPDX-License-Identifier: Apache-2.0
//
// reduce, third stage: what becomes of the last partial result.
//
// Macros: see reduce.cl. Defines R, the type of results.

#if OP == MEAN && !(TYPE == F32 && SUM_TYPE == F32)
#define R double
#elif OP == MEAN
#define R float
#elif IS_ARG || OP == COUNT
#define R ulong
#elif OP == ANY || OP == ALL
#define R uchar
#elif (IS_SUM || OP == PRODUCT) && IS_SIGNED
#define R long
#elif (IS_SUM || OP == PRODUCT) && !IS_FLOAT
#define R ulong
#elif IS_SUM || OP == PRODUCT
#define R W
#else
#define R T
#endif

#if OP == MEAN
static R mean_of(const acc *r, ulong count)
{
#if IS_WIDE
    // Take count * 2^63 off again, then magnitude and sign apart: no cancellation.
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
    return ((R)r->v + (isfinite(r->v) ? (R)r->w : (R)0)) / (R)count;
#elif IS_SIGNED
    return (double)(long)r->n / (double)count;
#else
    return (double)r->n / (double)count;
#endif
}
#endif

// Writes the result of a row of `count` elements.
static void finish(global R *out, long at, long pair, const acc *r, ulong count)
{
#if OP == MEAN
    out[at] = mean_of(r, count);
#elif IS_SUM && IS_FLOAT
    out[at] = isfinite(r->v) ? r->v + r->w : r->v; // the error term of an infinity is NaN
#elif OP == ANY
    out[at] = r->n != 0;
#elif OP == ALL
    out[at] = r->n == 0;
#elif IS_SUM || IS_COUNT || IS_ARG || (OP == PRODUCT && !IS_FLOAT)
    out[at] = (R)r->n;
#elif TYPE == F16 && OP != PRODUCT
    vstore_half(r->v, at, out);
#if OP == MINMAX
    vstore_half(r->w, at + pair, out);
#endif
#else
    out[at] = (R)r->v;
#if OP == MINMAX
    out[at + pair] = (R)r->w;
#endif
#endif
}
