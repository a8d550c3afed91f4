// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs: a long history of elements of 8 or 16 bits, which are neighbours, is
// updated by words (history.cl).
//
// A row of few inputs keeps most of its history: its elements move by n places. A word of after
// has its elements from two words of before:
//
//     before    | a b c d | e f g h | i j k l |        n = 2
//     after     | c d e f | g h i j | k l x x |
//
// A team of items has a row. What is not in such words is moved element by element: up to 7
// bytes in front of the first word of after, up to 6 behind the last one, and the inputs.
//
// after may be the memory of before. So the elements at the ends are read first, and each item
// has HISTORY_AT_ONCE words in a turn: it reads them, waits, and writes them. In the same
// memory the word of after from element k on has its elements from k + n on. Its words of before
// begin n % WORD_ELEMS elements lower, and so not in front of k, up to where earlier turns wrote.
//
// Macros   those of convolve1d.cl
// Barriers one per turn, as many for all rows; reached by all items
// Per word: two loads, of which the second comes from a cache, and a store.

#if BYTES > 2 || WG == 1
#define update_by_words(x, before, after, g, rows)
#else
#define WORD_ELEMS (4 / BYTES)

// Of a row: word i of after has the bits of two words of before, from bit `shift` of the first
// one on. Rows have up to `most` words.
static void move_history_words(global uint *after, global const uint *before, uint shift,
                               uint words, uint most, uint lane, uint team)
{
    #pragma unroll 1
    for (uint turn = 0, i = lane; turn < most; turn += HISTORY_AT_ONCE * team) {
        uint v[HISTORY_AT_ONCE];
        #pragma unroll
        for (uint u = 0; u < HISTORY_AT_ONCE; u++)
            if (i + u * team < words)
                v[u] = before[i + u * team] >> shift |
                       (shift ? before[i + u * team + 1] << (32 - shift) : 0);
        barrier(CLK_GLOBAL_MEM_FENCE);
        #pragma unroll
        for (uint u = 0; u < HISTORY_AT_ONCE; u++, i += team)
            if (i < words)
                after[i] = v[u];
    }
}

// The n inputs of a row.
static void put_latest(global ELEM *after, global const ELEM *x, long stride, uint n, uint lane,
                       uint team)
{
    #pragma unroll 1
    for (uint i = lane; i < n; i += HISTORY_AT_ONCE * team) {
        RAW v[HISTORY_AT_ONCE];
        #pragma unroll
        for (uint u = 0; u < HISTORY_AT_ONCE; u++)
            if (i + u * team < n)
                v[u] = RAW_LOAD(x, (long)(i + u * team) * stride);
        #pragma unroll
        for (uint u = 0; u < HISTORY_AT_ONCE; u++)
            if (i + u * team < n)
                RAW_STORE(after, i + u * team, v[u]);
    }
}

// Of `rows` rows, the first of which x, before and after begin with: as many as there are teams,
// or fewer. A team has HISTORY_TEAM items or more, one for each element at an end.
static void update_by_words(global const ELEM *x, global const ELEM *before, global ELEM *after,
                            const struct arguments *g, uint rows)
{
    const uint team = g->team, lane = get_local_id(0) % team, row = get_local_id(0) / team;
    const bool works = row < rows;
    const uint n = (uint)g->n, kept = (uint)g->outputs - n;
    x += (long)row * g->row_stride;
    before += (long)row * g->before_row_stride + n; // so that elements keep their numbers
    after += (long)row * g->out_row_stride;
    // The first word of after whose elements lie in whole words of the row in before.
    uint first = (uint)(-(size_t)after % 4) / BYTES;
    const uint shift = (uint)((size_t)(before + first) % 4) / BYTES; // in elements
    first += shift > first + n ? WORD_ELEMS : 0;
    const uint words = (kept - first - (shift ? WORD_ELEMS - shift : 0)) / WORD_ELEMS;
    const uint behind = first + words * WORD_ELEMS + lane;
    const bool has_front = works && lane < first, has_end = works && behind < kept;
    RAW front = 0, end = 0;
    if (has_front)
        front = RAW_LOAD(before, lane);
    if (has_end)
        end = RAW_LOAD(before, behind);
    move_history_words((global uint *)(after + first),
                       (global const uint *)(before + (first - (long)shift)), 8 * BYTES * shift,
                       works ? words : 0, kept / WORD_ELEMS, lane, team);
    if (has_front)
        RAW_STORE(after, lane, front);
    if (has_end)
        RAW_STORE(after, behind, end);
    if (works)
        put_latest(after + kept, x, g->stride, n, lane, team);
}
#endif
