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

// Bytes of four lines are turned, so that a word has four elements of one column: two dot products
// take these in.
#define TURNS (PTX && BYTES == 1)

typedef struct {
#if HAS_RANGES
    ranges range;
#else
    OPERAND low[VEC_N], high[VEC_N];
#endif
    OPERAND sum[VEC_N];
    squares_t squares[VEC_N];
    uint lines;
#if TURNS
    uint word[4][WORDS]; // of lines that are not taken in yet, else 0
#endif
} chains;

#if TURNS
// sum + the products of the four elements of x with those of y.
static uint add_products(uint x, uint y, uint sum)
{
#if IS_SIGNED
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(x), "r"(y), "r"(sum));
#else
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(x), "r"(y), "r"(sum));
#endif
    return sum;
}

// Takes in the words of four lines.
static void take_lines(chains *s)
{
    #pragma unroll
    for (int k = 0; k < WORDS; k++) {
        const uint a = s->word[0][k], b = s->word[1][k], c = s->word[2][k], d = s->word[3][k];
        const uint even_ab = joined_bytes(a, b, 0x6240), odd_ab = joined_bytes(a, b, 0x7351);
        const uint even_cd = joined_bytes(c, d, 0x6240), odd_cd = joined_bytes(c, d, 0x7351);
        const uint columns[4] = { joined_bytes(even_ab, even_cd, 0x5410),
                                  joined_bytes(odd_ab, odd_cd, 0x5410),
                                  joined_bytes(even_ab, even_cd, 0x7632),
                                  joined_bytes(odd_ab, odd_cd, 0x7632) };
        #pragma unroll
        for (int i = 0; i < 4; i++) {
            const uint x = columns[i];
            s->sum[4 * k + i] = (OPERAND)add_products(x, 0x01010101, (uint)s->sum[4 * k + i]);
            s->squares[4 * k + i] = add_products(x, x, s->squares[4 * k + i]);
        }
        s->word[0][k] = s->word[1][k] = s->word[2][k] = s->word[3][k] = 0;
    }
}
#else
// sum + element c of a word, which is x.
static OPERAND add_column(uint word, int c, OPERAND x, OPERAND sum)
{
#if PTX && IS_SIGNED
    asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(word), "r"(1 << 8 * c), "r"(sum));
#elif PTX
    asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(word), "r"(1 << 8 * c), "r"(sum));
#else
    sum += x;
#endif
    return sum;
}
#endif

static void chains_start(chains *s, vec v)
{
    s->lines = 0;
#if TURNS
    #pragma unroll
    for (int k = 0; k < WORDS; k++)
        s->word[0][k] = s->word[1][k] = s->word[2][k] = s->word[3][k] = 0;
#endif
#if HAS_RANGES
    ranges_start(&s->range);
#endif
    #pragma unroll
    for (int c = 0; c < VEC_N; c++) {
#if !HAS_RANGES
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
#if HAS_RANGES
    ranges_take(&s->range, v);
#endif
#if TURNS
    #pragma unroll
    for (int k = 0; k < WORDS; k++)
        s->word[n % 4][k] = WORD(v, k);
    if (n % 4 == 3)
        take_lines(s);
#endif
#if !TURNS || !HAS_RANGES
    #pragma unroll
    for (int c = 0; c < VEC_N; c++) {
        const OPERAND x = column_of(v, c);
#if !HAS_RANGES
        s->low[c] = min(s->low[c], x);
        s->high[c] = max(s->high[c], x);
#endif
#if !TURNS
        s->sum[c] = add_column(WORD(v, c * BYTES / 4), c % (4 / BYTES), x, s->sum[c]);
#if BYTES == 1
        s->squares[c] += (uint)(x * x);
#elif IS_SIGNED
        s->squares[c] += (ulong)((long)x * (long)x);
#else
        s->squares[c] += (ulong)x * (ulong)x;
#endif
#endif
    }
#endif
}

static void chains_end(acc *r, chains *s, ulong base, const struct places *f)
{
#if TURNS
    take_lines(s);
#endif
#if HAS_RANGES
    const vec low = lows_of(&s->range), high = highs_of(&s->range);
#endif
    #pragma unroll
    for (int c = 0; c < VEC_N; c++) {
        moments m;
        m.count = (OPERAND)s->lines;
#if HAS_RANGES
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
