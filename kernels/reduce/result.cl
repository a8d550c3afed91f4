// SPDX-License-Identifier: Apache-2.0
//
// reduce, third stage: finish() turns the acc of a row into its result, or results.
//
// Macros: see reduce.cl. Defines OUT_T, the type of results; gp_reduce_result_type() in
// src/reduce/operations.c gives the caller's name of it.

#if OP == MEAN && !(TYPE == F32 && SUM_TYPE == F32)
#define OUT_T double
#elif OP == MEAN
#define OUT_T float
#elif IS_ARG || OP == COUNT
#define OUT_T ulong
#elif OP == ANY || OP == ALL
#define OUT_T uchar
#elif (IS_SUM || OP == PRODUCT) && IS_SIGNED
#define OUT_T long
#elif (IS_SUM || OP == PRODUCT) && !IS_FLOAT
#define OUT_T ulong
#elif IS_SUM || OP == PRODUCT
#define OUT_T OPERAND
#else
#define OUT_T T
#endif

#if OP == MEAN
static OUT_T mean_of(const acc *r, ulong count)
{
#if IS_WIDE
    // Takes count * 2^63 off again. Then magnitude and sign are separate, so that nothing cancels.
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

// Writes the result of a row of `count` elements to out[at], a second one `step` behind.
static void finish(global OUT_T *out, long at, long step, const acc *r, ulong count)
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
    out[at] = (OUT_T)r->n;
#elif TYPE == F16 && OP != PRODUCT
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
