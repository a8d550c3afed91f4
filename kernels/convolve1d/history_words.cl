// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs: a long history of elements of 8 or 16 bits, whose rows lie one behind the
// other without gaps, is updated by words (history.cl).
//
// A row of few inputs keeps most of its history. In such rows all elements that are kept move
// by n places, as if the group's rows were one:
//
//     before        | b b b b b b b b | c c c c c c c c |        two rows, n = 2
//     moved         | b b b b b b c c   c c c c c c |
//     after         | b b b b b b x x | c c c c c c y y |
//
// What moves in from the next row stands where the inputs of a row belong. These are written
// last. A word of after has its elements from two words of before. after may be the memory of
// before: items read HISTORY_AT_ONCE words each, wait, and write them. A later turn reads only
// behind what earlier ones wrote.
//
// Elements at the ends of a group's rows, whose words are not wholly its own, are moved by its
// first item: up to MOST_MOVED in front, and as many behind.
//
// Macros   those of convolve1d.cl
// Barriers one per turn, and one more before the inputs; reached by all items
// Per word: two loads, of which the second comes from a cache, and a store.

#if BYTES > 2 || WG == 1
#define update_by_words(x, before, after, g, rows)
#else
enum { WORD_ELEMS = 4 / BYTES, MOST_MOVED = 7 / BYTES };

// The first item moves elements begin ... end - 1, at most MOST_MOVED, by n places.
static void move_history_ends(global ELEM *after, global const ELEM *before, uint n, uint begin,
                              uint end)
{
    RAW v[MOST_MOVED];
    if (get_local_id(0) > 0)
        return;
    #pragma unroll
    for (uint i = 0; i < MOST_MOVED; i++)
        if (begin + i < end)
            v[i] = RAW_LOAD(before, begin + i + n);
    #pragma unroll
    for (uint i = 0; i < MOST_MOVED; i++)
        if (begin + i < end)
            RAW_STORE(after, begin + i, v[i]);
}

// A word of after has the bits of two words of before, from bit `shift` of the first one on.
static void move_history_words(global uint *after, global const uint *before, uint shift,
                               uint words)
{
    #pragma unroll 1
    for (uint w = get_local_id(0), turn = 0; turn < words; turn += HISTORY_AT_ONCE * WG) {
        uint v[HISTORY_AT_ONCE];
        #pragma unroll
        for (uint u = 0; u < HISTORY_AT_ONCE; u++)
            if (w + u * WG < words)
                v[u] = before[w + u * WG] >> shift |
                       (shift ? before[w + u * WG + 1] << (32 - shift) : 0);
        barrier(CLK_GLOBAL_MEM_FENCE);
        #pragma unroll
        for (uint u = 0; u < HISTORY_AT_ONCE; u++, w += WG)
            if (w < words)
                after[w] = v[u];
    }
}

// The inputs of rows go to the ends of their histories.
static void put_latest(global const ELEM *x, global ELEM *after, const struct arguments *g,
                       uint rows)
{
    const uint n = (uint)g->n, all = rows * n;
    after += g->outputs - n;
    #pragma unroll 1
    for (uint first = get_local_id(0); first < all; first += HISTORY_AT_ONCE * WG) {
        RAW v[HISTORY_AT_ONCE];
        #pragma unroll
        for (uint u = 0; u < HISTORY_AT_ONCE; u++) {
            const uint e = first + u * WG;
            if (e < all)
                v[u] = RAW_LOAD(x, (long)(e / n) * g->row_stride + (long)(e % n) * g->stride);
        }
        #pragma unroll
        for (uint u = 0; u < HISTORY_AT_ONCE; u++) {
            const uint e = first + u * WG;
            if (e < all)
                RAW_STORE(after, (long)(e / n) * g->out_row_stride + (e % n), v[u]);
        }
    }
}

// Of `rows` rows, the first of which x, before and after begin with.
static void update_by_words(global const ELEM *x, global const ELEM *before, global ELEM *after,
                            const struct arguments *g, uint rows)
{
    const uint n = (uint)g->n, all = rows * (uint)g->outputs - n;
    // The first word of after whose elements lie in whole words of before.
    uint first = (uint)(-(size_t)after % 4) / BYTES;
    const uint shift = (uint)((size_t)(before + first + n) % 4) / BYTES; // in elements
    first += shift > first + n ? WORD_ELEMS : 0;
    const uint words = (all - first - (shift ? WORD_ELEMS - shift : 0)) / WORD_ELEMS;
    move_history_ends(after, before, n, 0, first);
    move_history_words((global uint *)(after + first),
                       (global const uint *)(before + (first + n - shift)), 8 * BYTES * shift,
                       words);
    move_history_ends(after, before, n, first + words * WORD_ELEMS, all);
    barrier(CLK_GLOBAL_MEM_FENCE);
    put_latest(x, after, g, rows);
}
#endif
