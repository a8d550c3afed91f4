// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_columns: the extremes of columns of 8 and 16 bits by the instructions of
// reduce/pairs.cl, for extremes (IN_PAIRS of reduce/column_chains.cl, which says what is defined
// here) and for statistics (reduce/column_exact.cl, reduce/column_moments.cl).
//
// Per word of 4 bytes: one instruction for each extreme, for bytes two and a shift.

#if IN_PAIRS || HAS_RANGES
typedef struct { // the upper ones: of bytes that are shifted up
    uint low[WORDS], high[WORDS], low_up[WORDS], high_up[WORDS];
} ranges;

static void ranges_start(ranges *s)
{
    #pragma unroll
    for (int k = 0; k < WORDS; k++) {
        s->low[k] = s->low_up[k] = LAST;
        s->high[k] = s->high_up[k] = FIRST;
    }
}

static void ranges_take(ranges *s, vec v)
{
    #pragma unroll
    for (int k = 0; k < WORDS; k++) {
        const uint w = OP == MAX_ABS ? MAGNITUDES(WORD(v, k)) : WORD(v, k);
        if (IS_LEAST) {
            s->low[k] = least(s->low[k], w);
            if (BYTES == 1)
                s->low_up[k] = least(s->low_up[k], w << 8);
        }
        if (IS_MOST) {
            s->high[k] = most(s->high[k], w);
            if (BYTES == 1)
                s->high_up[k] = most(s->high_up[k], w << 8);
        }
    }
}

// The elements of which every second one is shifted up.
static vec join(const uint *words, const uint *up)
{
    vec v;
    #pragma unroll
    for (int k = 0; k < WORDS; k++)
        ((uint *)&v)[k] =
            BYTES == 1 ? (words[k] & 0xff00ff00) | (up[k] >> 8 & 0x00ff00ff) : words[k];
    return v;
}

static vec lows_of(const ranges *s)
{
    return join(s->low, s->low_up);
}

static vec highs_of(const ranges *s)
{
    return join(s->high, s->high_up);
}
#endif

#if IN_PAIRS
#define CHAIN_LINES 0

typedef ranges chains;

static void chains_start(chains *s, vec v)
{
    ranges_start(s);
}

static void chains_take(chains *s, vec v, uint n, INDEX at)
{
    ranges_take(s, v);
}

static void chains_end(acc *r, const chains *s, ulong base, const struct places *f)
{
    const vec low = lows_of(s), high = highs_of(s);
    #pragma unroll
    for (int c = 0; c < VEC_N; c++) {
        const OPERAND a = column_of(low, c), b = column_of(high, c);
#if OP == MINMAX
        take(&r[c], a, b, base);
#elif OP == MAX_ABS && IS_SIGNED
        take(&r[c], max(-a, b), 0, base);
#else
        take(&r[c], IS_LEAST ? a : b, 0, base);
#endif
    }
}
#endif
