// SPDX-License-Identifier: Apache-2.0
//
// classify on GPUs: rows of stride 1, read as aligned 16-byte words, ITEMS of them in flight, each
// becoming a word of labels. The tables go to local memory first, where they fit and each element
// needs them (IS_NEAR).
//
//     row    | head | word word word word ...                          | tail |
//               ^ up to the first 16-byte boundary                       ^ less than a word
//     tile   WG words, ITEMS times; item i takes words i, WG + i, ...
//
// A row has g.line_groups groups, which take its tiles in turn, so that what runs together reads
// what lies together; the first takes head and tail as well. A word behind the last is read as the
// last and given to nobody, so that loads have no condition. Reading the next tile meanwhile was
// worth less than 1 % (H200, driver 580.159, 2026-11-21).
//
//     labels of a word lie together, too: they leave as one store where the first of them lies
//     at a boundary of their size, else one by one
//
// Local memory (`room`): | tables, if IS_NEAR | tally: a word for each label and one for none |
// Barriers: after both are filled, and before the tally is added to the counts. Where no label's
// atomic_inc returns a value anybody reads, hardware merges those of a warp that meet: data that
// are all in one class are no slower.

#define N    (16 / BYTES) // elements of a word
#define TILE (WG * ITEMS) // words

// Element e of a word, which is its 4 pieces of 32 bits.
static C element(const uint *word, uint e)
{
#if TYPE == F64
    return as_double((ulong)word[2 * e + 1] << 32 | word[2 * e]);
#elif BYTES == 8
    return (C)((ulong)word[2 * e + 1] << 32 | word[2 * e]);
#elif TYPE == F32
    return as_float(word[e]);
#elif TYPE == F16
    const float2 pair = halves(word[e / 2]);
    return e % 2 ? pair.y : pair.x;
#else
    return (C)(T)(word[e * BYTES / 4] >> (e * BYTES % 4 * 8));
#endif
}

// Of EVEN's keys one is compared only where some element of the word is in doubt.
static void label_word(uint *label, const uint *word, const struct opened *opened,
                       NEARBY const uint *near, const struct arguments *g)
{
#if FORM == SEARCH && WAY == EVEN
    uint doubt = ~0u;
    #pragma unroll
    for (uint e = 0; e < N; e++) {
        const C x = element(word, e);
        const uint parts = parts_of(x, opened);
        doubt = min(doubt, doubt_of(parts, opened));
        label[e] = label_at(x, place_without_doubt(parts, opened, g), near, g);
    }
    if (doubt > 2 * (uint)g->slack)
        return;
#endif
    #pragma unroll
    for (uint e = 0; e < N; e++)
        label[e] = label_of(element(word, e), opened, near, g);
}

#if LABEL_TYPE
#define LABEL_BYTES ((int)sizeof(L))
#define OUT_BYTES   (N * LABEL_BYTES) // of a word's labels

static void store_word(global L *at, const uint *label, bool is_aligned)
{
    if (!is_aligned) {
        #pragma unroll
        for (uint e = 0; e < N; e++)
            at[e] = (L)label[e];
        return;
    }
#if LABEL_TYPE == U8 && N == 2
    *(global ushort *)at = (ushort)((label[0] & 255) | label[1] << 8);
#else
    uint out[N]; // as many of these are filled as there are pieces of 32 bits
    const uint each = 4 / LABEL_BYTES;
    #pragma unroll
    for (uint i = 0; i < N / each; i++) {
        out[i] = 0;
        #pragma unroll
        for (uint k = 0; k < each; k++)
            out[i] |= (uint)(L)label[i * each + k] << (k * LABEL_BYTES * 8);
    }
    #pragma unroll
    for (uint i = 0; i < N / each; i += 4) {
        if (N / each - i >= 4)
            *((global uint4 *)at + i / 4) = (uint4)(out[i], out[i + 1], out[i + 2], out[i + 3]);
        else if (N / each - i == 2)
            *((global uint2 *)at) = (uint2)(out[0], out[1]);
        else
            *((global uint *)at) = out[0];
    }
#endif
}
#endif

#if COUNTS
static void count_label(global uint *counts, long at, local uint *tally, uint label,
                        const struct arguments *g)
{
#if TALLIES
    atomic_inc(tally + (REJECTS ? min(label, (uint)g->labels) : label));
#else
    if (label < g->labels)
        count_add(counts, at + (long)label * g->count_stride, 1, g->wide);
#endif
}
#endif

// Head and tail of a row, less than two words: by one item, whatever WG is.
static void take_ends(global const T *p, global L *out, global uint *counts, long counts_at,
                      local uint *tally, uint head, uint tail, const struct opened *opened,
                      NEARBY const uint *near, const struct arguments *g)
{
    #pragma unroll 1
    for (uint i = 0; i < head + tail; i++) {
        const ulong e = i < head ? i : g->count - tail + (i - head);
        const uint label = label_of((C)LOAD(p, e), opened, near, g);
#if LABEL_TYPE
        out[e] = (L)label;
#endif
#if COUNTS
        count_label(counts, counts_at, tally, label, g);
#endif
    }
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void classify(global const T *restrict x, global const uint *restrict tables,
              global L *restrict labels, global uint *counts, local ulong *aligned,
              const struct arguments g)
{
    local uint *room = (local uint *)aligned; // keys may be of 64 bits
    const uint item = get_local_id(0);
    // 32 bits: a division of 64 takes a GPU long.
    const uint group = get_group_id(0), row_groups = (uint)g.line_groups;
    const uint row = group / row_groups, mine = group % row_groups;
#if IS_NEAR
    NEARBY const uint *near = room;
    for (uint i = item; i < g.near_words; i += WG)
        room[i] = tables[g.near_first + i];
    local uint *tally = room + g.near_words;
#else
    NEARBY const uint *near = tables;
    local uint *tally = room;
#endif
    const long counts_at = g.count_first + (long)row * g.count_row_stride;
#if COUNTS && TALLIES
    for (uint l = item; l <= g.labels; l += WG)
        tally[l] = 0;
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    struct opened opened;
    open_row(&opened, row, tables, near, &g);

    global const T *p = x + (g.first + (long)row * g.row_stride);
    global L *out = labels + (g.label_first + (long)row * g.label_row_stride);
    const uint head = min(g.count, (ulong)((16 - ((uint)(size_t)p & 15)) & 15) / BYTES);
    const ulong words = (g.count - head) / N;
    const uint tail = (g.count - head) % N;
    if (mine == 0 && item == 0)
        take_ends(p, out, counts, counts_at, tally, head, tail, &opened, near, &g);
    global const uint4 *first = (global const uint4 *)(p + head);
    out += head;
#if LABEL_TYPE
    const bool is_aligned = ((uint)(size_t)out & (min(OUT_BYTES, 16) - 1)) == 0;
#endif

    for (ulong t = (ulong)mine * TILE; t < words; t += (ulong)row_groups * TILE) {
        const uint left = (uint)min(words - t, (ulong)TILE);
        uint4 v[ITEMS];
        #pragma unroll
        for (uint i = 0; i < ITEMS; i++)
            v[i] = first[t + min(i * WG + item, left - 1)];
        #pragma unroll
        for (uint i = 0; i < ITEMS; i++) {
            const uint word[4] = { v[i].x, v[i].y, v[i].z, v[i].w }, w = i * WG + item;
            uint label[N];
            label_word(label, word, &opened, near, &g);
            if (w < left) {
#if LABEL_TYPE
                store_word(out + t * N + w * N, label, is_aligned);
#endif
#if COUNTS
                #pragma unroll
                for (uint e = 0; e < N; e++)
                    count_label(counts, counts_at, tally, label[e], &g);
#endif
            }
        }
    }

#if COUNTS && TALLIES
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint l = item; l < g.labels; l += WG)
        if (tally[l])
            count_add(counts, counts_at + (long)l * g.count_stride, tally[l], g.wide);
#endif
}
