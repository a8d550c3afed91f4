// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_columns: statistics of columns whose sums are floats with a pivot, but for f64
// (IN_MOMENTS of reduce/column_chains.cl, which says what is defined here). An item keeps the
// extremes of a column in a type of 4 bytes, or of f16 by pairs where the device has them
// (reduce/column_pairs.cl), and sums as reduce/moments.cl says.
//
// Per element: a conversion to OPERAND, two comparisons of 4 bytes, and three operations of
// OPERAND. STEP takes six of OPERAND and four selections, because the extremes are f64 there. Pairs
// take one comparison for each element.

#if IN_MOMENTS
#define CHAIN_LINES CHAIN

// What holds an element: exact for all types that come here.
#if IS_FLOAT
#define NUMBER        float
#define LESSER(x, y)  fmin(x, y) // a NaN loses
#define GREATER(x, y) fmax(x, y)
#else
#define NUMBER        ELEM
#define LESSER(x, y)  min(x, y)
#define GREATER(x, y) max(x, y)
#endif

typedef struct {
#if HAS_RANGES
    ranges range;
#else
    NUMBER low[VEC_N], high[VEC_N];
#endif
    OPERAND sum[VEC_N], squares[VEC_N], pivot[VEC_N];
#if SKIP_NAN
    uint count[VEC_N];
#else
    uint lines;
#endif
} chains;

static NUMBER number_of_column(vec v, int c)
{
#if TYPE == F16
    return (NUMBER)column_of(v, c);
#else
    return ((const ELEM *)&v)[c];
#endif
}

static void chains_start(chains *s, vec v)
{
#if HAS_RANGES
    ranges_start(&s->range);
#endif
    #pragma unroll
    for (int c = 0; c < VEC_N; c++) {
#if !HAS_RANGES
        s->low[c] = HIGHEST;
        s->high[c] = LOWEST;
#endif
        s->sum[c] = s->squares[c] = 0;
#if SKIP_NAN // the pivot is the first number
        s->pivot[c] = 0;
        s->count[c] = 0;
#else
        const OPERAND first = SCALED((OPERAND)number_of_column(v, c));
        s->pivot[c] = FINITE_OR(first, 0);
        s->lines = 0;
#endif
    }
}

static void chains_take(chains *s, vec v, uint n, INDEX at)
{
#if !SKIP_NAN
    s->lines++;
#endif
#if HAS_RANGES
    ranges_take(&s->range, v);
#endif
    #pragma unroll
    for (int c = 0; c < VEC_N; c++) {
        const NUMBER x = number_of_column(v, c);
        const OPERAND y = SCALED((OPERAND)x);
#if !HAS_RANGES
        s->low[c] = LESSER(s->low[c], x);
        s->high[c] = GREATER(s->high[c], x);
#endif
#if SKIP_NAN
        const bool is_number = x == x;
        s->pivot[c] = s->count[c] == 0 ? FINITE_OR(y, 0) : s->pivot[c];
        s->count[c] += is_number;
        const OPERAND d = is_number ? y - s->pivot[c] : (OPERAND)0;
#else
        const OPERAND d = y - s->pivot[c];
#endif
        s->sum[c] += d;
        s->squares[c] = fma(d, d, s->squares[c]);
    }
}

static void chains_end(acc *r, const chains *s, ulong base, const struct places *f)
{
#if HAS_RANGES
    const vec low = lows_of(&s->range), high = highs_of(&s->range);
#endif
    #pragma unroll
    for (int c = 0; c < VEC_N; c++) {
        moments m;
#if SKIP_NAN
        m.count = (OPERAND)s->count[c];
#else
        m.count = (OPERAND)s->lines;
#endif
#if HAS_RANGES
        m.low = column_of(low, c);
        m.high = column_of(high, c);
#else
        m.low = (OPERAND)s->low[c];
        m.high = (OPERAND)s->high[c];
#endif
        m.sum = s->sum[c];
        m.squares = s->squares[c];
        m.pivot = s->pivot[c];
        take_moments(&r[c], &m);
    }
}
#endif
