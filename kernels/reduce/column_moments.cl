// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_columns: statistics of columns whose sums are floats with a pivot, but for f64
// (IN_MOMENTS of reduce/column_chains.cl, which says what is defined here). An item keeps the
// extremes of a column in a type of 4 bytes, or of f16 by pairs where the device has them
// (reduce/column_pairs.cl).
//
// Sums are about a pivot, as reduce/moments.cl says: of CHAIN lines in OPERAND, then these are added
// to those of all lines before, in REAL. The pivot moves to the mean of all elements so far after CHAIN
// lines, and whenever they have become twice as many as when it moved:
//
//     pivot' = pivot + move,  sums' = S - n move,  squares' = Q - 2 move S + n move^2
//
// Error: the pivot is the mean of half of the elements, or more, so that Q is at most twice M2. Before
// the pivot moves, and for CHAIN lines after it was the mean of few, Q is at most 65 times M2. Each
// addition of a chain rounds Q by u. So k of them cost at most 2 k u of M2, and the first 65 u. A chain
// rounds its squares by 32 u of their sum.
//
// Per element: a conversion to OPERAND, two comparisons of 4 bytes, and three operations of
// OPERAND. STEP takes six of OPERAND and four selections, because the extremes are f64 there. Pairs
// take one comparison for each element.

#if IN_MOMENTS
// Without f64 the sums of more lines could leave the range: a distance is below 2^113.
#define CHAIN_LINES (SUM_TYPE == F64 ? 0 : 1 << 15)

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
    OPERAND pivot[VEC_N];
    OPERAND sum[VEC_N], squares[VEC_N];   // of the chain that is not closed
    REAL sums[VEC_N], all_squares[VEC_N]; // of those before
#if SKIP_NAN
    uint count[VEC_N];
#else
    uint lines;
#endif
    uint moved[VEC_N]; // elements when the pivot moved
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
        s->sums[c] = s->all_squares[c] = 0;
        s->moved[c] = 0;
#if SKIP_NAN
        s->pivot[c] = 0;
        s->count[c] = 0;
#else
        const OPERAND first = SCALED((OPERAND)number_of_column(v, c));
        s->pivot[c] = FINITE_OR(first, 0);
        s->lines = 0;
#endif
    }
}

#if CHOOSES_PIVOTS
// Columns without a number so far get the first one of the n vectors v as their pivot.
static void chains_choose(chains *s, const vec *v, int n)
{
    uint least = s->count[0];
    #pragma unroll
    for (int c = 1; c < VEC_N; c++)
        least = min(least, s->count[c]);
    if (least > 0)
        return;
    #pragma unroll
    for (int i = n - 1; i >= 0; i--)
        #pragma unroll
        for (int c = 0; c < VEC_N; c++) {
            const NUMBER x = number_of_column(v[i], c);
            const OPERAND y = SCALED((OPERAND)x);
            if (s->count[c] == 0 && x == x)
                s->pivot[c] = FINITE_OR(y, 0);
        }
}
#endif

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
        s->count[c] += is_number;
        const OPERAND d = is_number ? y - s->pivot[c] : (OPERAND)0;
#else
        const OPERAND d = y - s->pivot[c];
#endif
        s->sum[c] += d;
        s->squares[c] = fma(d, d, s->squares[c]);
    }
}

static uint count_of(const chains *s, int c)
{
#if SKIP_NAN
    return s->count[c];
#else
    return s->lines;
#endif
}

// Adds a chain to those before it, and moves the pivot where it is time.
static void chains_close(chains *s)
{
    #pragma unroll
    for (int c = 0; c < VEC_N; c++) {
        s->sums[c] += (REAL)s->sum[c];
        s->all_squares[c] += (REAL)s->squares[c];
        s->sum[c] = s->squares[c] = 0;
        const uint count = count_of(s, c);
        if (count == 0 || count / 2 < s->moved[c])
            continue;
        s->moved[c] = count;
        const OPERAND pivot = s->pivot[c] + (OPERAND)(s->sums[c] / (REAL)count);
        const REAL move = (REAL)pivot - (REAL)s->pivot[c];
        const REAL less = move * (2 * s->sums[c] - (REAL)count * move);
        if (!isfinite(move)) // a sum is NaN or infinite, and so are the squares
            continue;
        s->all_squares[c] -= isfinite(less) ? less : 0; // else they are infinite, and stay so
        s->sums[c] -= (REAL)count * move;
        s->pivot[c] = pivot;
    }
}

static void chains_end(acc *r, const chains *s, ulong base, const struct places *f)
{
#if HAS_RANGES
    const vec low = lows_of(&s->range), high = highs_of(&s->range);
#endif
    #pragma unroll
    for (int c = 0; c < VEC_N; c++) {
#if HAS_RANGES
        const OPERAND least = column_of(low, c), most = column_of(high, c);
#else
        const OPERAND least = (OPERAND)s->low[c], most = (OPERAND)s->high[c];
#endif
        acc q;
        acc_of_sums(&q, count_of(s, c), least, most, s->sums[c] + (REAL)s->sum[c],
                    s->all_squares[c] + (REAL)s->squares[c], (REAL)s->pivot[c]);
        merge(&r[c], &q);
    }
}
#endif
