// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_columns: statistics of columns whose sums are floats with a pivot, but for f64
// (IN_MOMENTS of reduce/column_chains.cl, which says what is defined here). An item keeps the
// extremes of a column in a type of 4 bytes, and sums as reduce/moments.cl says.
//
// Per element: a conversion to OPERAND, two comparisons of 4 bytes, and three operations of
// OPERAND. STEP takes six of OPERAND and four selections, because the extremes are f64 there.

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
    NUMBER low[VEC_N], high[VEC_N];
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
    #pragma unroll
    for (int c = 0; c < VEC_N; c++) {
        s->low[c] = HIGHEST;
        s->high[c] = LOWEST;
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
    #pragma unroll
    for (int c = 0; c < VEC_N; c++) {
        const NUMBER x = number_of_column(v, c);
        const OPERAND y = SCALED((OPERAND)x);
        s->low[c] = LESSER(s->low[c], x);
        s->high[c] = GREATER(s->high[c], x);
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
    #pragma unroll
    for (int c = 0; c < VEC_N; c++) {
        moments m;
#if SKIP_NAN
        m.count = (OPERAND)s->count[c];
#else
        m.count = (OPERAND)s->lines;
#endif
        m.low = (OPERAND)s->low[c];
        m.high = (OPERAND)s->high[c];
        m.sum = s->sum[c];
        m.squares = s->squares[c];
        m.pivot = s->pivot[c];
        take_moments(&r[c], &m);
    }
}
#endif
