// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs: loads words of lanes. Follows gpu_lanes.cl; gpu_walk and gpu_roll share
// both.
//
// A word of four narrow lanes is one vector where lines are aligned. Else it lies in two
// aligned vectors or, with MOVES, words of 4 bytes, which are all read and joined. Beyond the
// ends of rows a word is a word at another position, or it is put together element by element.
//
// Macros  those of gpu_lanes.cl
//         AHEAD   words that an item loads at once
//         BEYOND  how many of these it loads at once beyond the ends, where the code is long
//         SPREAD  1: lanes of a word may be at different positions of a row. Their code takes
//                 registers of the whole kernel
//
// Defines load_lines()

#ifndef AHEAD
#error "AHEAD must be defined"
#endif
#if AHEAD < 1 || AHEAD > 32
#error "AHEAD must be 1 to 32"
#endif
#ifndef BEYOND
#error "BEYOND must be defined"
#endif
#if !defined(SPREAD) || (SPREAD && WORD_LANES == 1)
#error "SPREAD must be defined, for words of several lanes"
#endif
#if BEYOND < 1 || AHEAD % BEYOND
#error "AHEAD must be a multiple of BEYOND"
#endif

// A split word may read a little beside its line. So the first and the last line of all, or of
// each row where the lanes are phases, are not read so.
#define SPLIT WORD_LANES

// Whether lines 0 ... lines - 1 of a strip, and those that are loaded with them, are inside the
// row, by as much as split words need.
static bool is_strip_inside(const struct word *s, const struct lane_arguments *m,
                            const struct arguments *g, int lines)
{
    return s->j >= SPLIT && s->j + (long)m->line_inputs * (lines + AHEAD) +
                                    (long)m->spread * g->step < (long)g->n - SPLIT;
}

#if SPREAD
// Element j of a row, as it lies in memory.
static BITS_T bits_at(global const ELEM *x, global const ELEM *before,
                      const struct arguments *g, ulong row, long j)
{
    j = resolve(j, (long)g->n, g->left, g->right);
    if ((ulong)j < g->n)
        return ((global const BITS_T *)x)[g->first + (long)row * g->row_stride + j * g->stride];
    if (j < 0 && g->left == BOUNDARY_HISTORY)
        return ((global const BITS_T *)
                    before)[g->before_first + (long)row * g->before_row_stride +
                            (j + (long)g->halo) * g->before_stride];
    return (BITS_T)(j < 0 ? g->constant_left : g->constant_right);
}

// The word whose first lane is at position j, where the others may be at other positions.
static WORD_T word_beyond(global const ELEM *x, global const ELEM *before,
                          const struct arguments *g, const struct lane_arguments *m,
                          const struct word *s, long j)
{
    uint channel;
    const ulong phase = quotient(s->lane, m->channels, m->channels_by, &channel);
    BITS_T e[WORD_LANES];
    #pragma unroll
    for (uint u = 0; u < WORD_LANES; u++) {
        uint c;
        const ulong p = quotient(s->lane + u, m->channels, m->channels_by, &c);
        e[u] = bits_at(x, before, g, s->row + c, j + (long)((p - phase) * g->step));
    }
    return JOIN(e);
}
#endif

// A word that is one aligned vector. With MOVES there are none.
static HELD_T whole_word(global const ELEM *p)
{
#if WORD_LANES == 1 && TYPE == C32
    return *p;
#elif WORD_LANES == 1
    return load_one(p);
#elif MOVES
    return held(word_of(0), 0);
#else
    return load_vec((global const in_vec *)p, 0);
#endif
}

// A word that begins anywhere: of the aligned vectors in which it lies.
static HELD_T split_word(global const ELEM *p)
{
#if WORD_LANES == 1
    return load_one(p);
#elif BYTES == 4
    global const uint *v = (global const uint *)p;
    return (uint4)(v[0], v[1], v[2], v[3]);
#elif MOVES
    global const uint *v = (global const uint *)((global const uchar *)p - (size_t)p % 4);
#if BYTES == 1
    return (uint2)(v[0], v[1]);
#else
    return (uint3)(v[0], v[1], v[2]);
#endif
#else
    const uint begin = (uint)(size_t)p % sizeof(in_vec);
    global const in_vec *v = (global const in_vec *)((global const uchar *)p - begin);
    return moved_vec(load_vec(v, 0), load_vec(v, 1), begin / BYTES);
#endif
}

#if !SPREAD
// The word whose lanes are all at position j. It would lie at p.
static WORD_T word_at(global const ELEM *p, global const ELEM *before,
                      const struct arguments *g, const struct lane_arguments *m,
                      const struct word *s, long j)
{
    const long n = (long)g->n, q = (ulong)j < (ulong)n ? j : resolve(j, n, g->left, g->right);
    const bool is_inside = (ulong)q < (ulong)n;
    if (!is_inside && (j >= 0 || g->left != BOUNDARY_HISTORY))
        return word_of(j < 0 ? g->constant_left : g->constant_right);
    p += (q - j) * g->stride;
    if (is_inside && s->is_whole && g->stride % WORD_LANES == 0)
        return word_in(whole_word(p), 0);
    if (is_inside && q >= SPLIT && q < n - SPLIT)
        return word_in(split_word(p), 8 * (uint)(size_t)p);
    if (!is_inside) {
        uint channel;
        quotient(s->lane, m->channels, m->channels_by, &channel);
        p = before + (g->before_first + (long)(s->row + channel) * g->before_row_stride +
                      (j + (long)g->halo) * g->before_stride);
    }
#if WORD_LANES == 1
    return load_one(p);
#else
    const long lane = is_inside ? 1 : g->before_row_stride; // from an element to the next
    BITS_T e[WORD_LANES];
    #pragma unroll
    for (int u = 0; u < WORD_LANES; u++)
        e[u] = ((global const BITS_T *)p)[u * lane];
    return JOIN(e);
#endif
}
#endif

// Loads AHEAD words, `gap` lines apart, of which the first is line `from` of the strip. Only
// lines 0 ... need - 1 count; others are 0, or what lies there. With gap 1 the first one is the
// first input of some output, and lines that no output needs are left out. No array is indexed
// by a number that the compiler does not know: that would put it in memory, here and for all.
static void load_lines(HELD_T *ahead, global const ELEM *x, global const ELEM *before,
                       const struct arguments *g, const struct lane_arguments *m,
                       const struct word *s, int from, int gap, int need)
{
    const long n = (long)g->n, d = (long)m->line_inputs * gap;
    const long reach = SPREAD ? (long)m->spread * g->step : 0;
    const long j = s->j + (long)m->line_inputs * from, step = m->line * gap;
    const long last = j + (AHEAD - 1) * d + reach;
    global const ELEM *p = s->x + m->line * from;
    if (need && s->is_whole && (s->is_inside || (j >= 0 && last < n))) {
        #pragma unroll
        for (int u = 0; u < AHEAD; u++, p += step)
            if (gap > 1 || u % STEP < TAPS)
                ahead[u] = whole_word(p);
    } else if (need && !s->is_whole &&
               (s->is_inside || (j >= SPLIT && last < n - SPLIT))) {
        #pragma unroll
        for (int u = 0; u < AHEAD; u++, p += step)
            if (gap > 1 || u % STEP < TAPS)
                ahead[u] = split_word(p);
    } else {
        #pragma unroll 1
        for (int u = 0; u < AHEAD; u += BEYOND) {
            #pragma unroll
            for (int v = BEYOND; v < AHEAD; v++)
                ahead[v - BEYOND] = ahead[v];
            #pragma unroll
            for (int b = 0; b < BEYOND; b++) {
                const long at = j + (u + b) * d;
                const bool is_needed = (uint)(from + (u + b) * gap) < (uint)need;
                WORD_T w = word_of(0);
                if (is_needed)
#if SPREAD
                    w = word_beyond(x, before, g, m, s, at);
#else
                    w = word_at(p + (u + b) * step, before, g, m, s, at);
#endif
                ahead[AHEAD - BEYOND + b] =
                    held(w, s->bits + (from + (u + b) * gap) * s->line_bits);
            }
        }
    }
}
