// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_columns: statistics of columns of 8 and 16 bits (IN_EXACT of
// reduce/column_chains.cl, which says what is defined here). An item keeps the extremes of two
// columns in a word where the device has pairs, and for each column its sum and its sum of
// squares.
//
// Per element on NVIDIA GPUs: a dot product with a word that has one at its place, half an
// instruction for each extreme (bytes more: reduce/column_pairs.cl), what makes it an int, and
// a multiplication with an addition, of 64 bits for elements of 16.

#if IN_EXACT
// 32 bits have room for the squares of so many bytes, and for the sums of as many values of 16
// bits.
#define CHAIN_LINES (1 << 16)

#if BYTES == 1
typedef uint squares_t;
#else
typedef ulong squares_t;
#endif

typedef struct {
#if HAS_PACKS
    ranges range;
#else
    OPERAND low[VEC_N], high[VEC_N];
#endif
    OPERAND sum[VEC_N];
    squares_t squares[VEC_N];
    uint lines;
} chains;

// sum + element c of a word, which is x.
static OPERAND add_column(uint word, int c, OPERAND x, OPERAND sum)
{
#if PTX && BYTES == 1 && IS_SIGNED
    asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(word), "r"(1 << 8 * c), "r"(sum));
#elif PTX && BYTES == 1
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(word), "r"(1 << 8 * c), "r"(sum));
#elif PTX && IS_SIGNED
    asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(word), "r"(1 << 8 * c), "r"(sum));
#elif PTX
    asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(word), "r"(1 << 8 * c), "r"(sum));
#else
    sum += x;
#endif
    return sum;
}

static void chains_start(chains *s, vec v)
{
    s->lines = 0;
#if HAS_PACKS
    ranges_start(&s->range);
#endif
    #pragma unroll
    for (int c = 0; c < VEC_N; c++) {
#if !HAS_PACKS
        s->low[c] = HIGHEST;
        s->high[c] = LOWEST;
#endif
        s->sum[c] = 0;
        s->squares[c] = 0;
    }
}

static void chains_take(chains *s, vec v, uint n, INDEX at)
{
    s->lines++;
#if HAS_PACKS
    ranges_take(&s->range, v);
#endif
    #pragma unroll
    for (int c = 0; c < VEC_N; c++) {
        const OPERAND x = column_of(v, c);
#if !HAS_PACKS
        s->low[c] = min(s->low[c], x);
        s->high[c] = max(s->high[c], x);
#endif
        s->sum[c] = add_column(WORD(v, c * BYTES / 4), c % (4 / BYTES), x, s->sum[c]);
#if BYTES == 1
        s->squares[c] += (uint)(x * x);
#elif IS_SIGNED
        s->squares[c] += (ulong)((long)x * (long)x);
#else
        s->squares[c] += (ulong)x * (ulong)x;
#endif
    }
}

static void chains_end(acc *r, const chains *s, ulong base, const struct places *f)
{
#if HAS_PACKS
    const vec low = lows_of(&s->range), high = highs_of(&s->range);
#endif
    #pragma unroll
    for (int c = 0; c < VEC_N; c++) {
        moments m;
        m.count = (OPERAND)s->lines;
#if HAS_PACKS
        m.low = column_of(low, c);
        m.high = column_of(high, c);
#else
        m.low = s->low[c];
        m.high = s->high[c];
#endif
        m.sum = s->sum[c];
        m.squares = (OPERAND)(s->squares[c] & 0xffff);
        m.squares_high = (OPERAND)(s->squares[c] >> 16);
        take_moments(&r[c], &m);
    }
}
#endif
