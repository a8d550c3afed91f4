// SPDX-License-Identifier: Apache-2.0
//
// classify on GPUs: rows of stride 1. An item reads ITEMS aligned vectors of 16 bytes (vec16)
// and writes the labels of each together (gpu_vectors.cl). The tables that every element needs
// are copied to local memory first, where they fit (TABLES_LOCAL).
//
//     row    | head | vec16 vec16 vec16 vec16 ...                      | tail |
//               ^ up to the first 16-byte boundary                       ^ less than a vec16
//     tile   WG vec16, ITEMS times; item i takes vec16 i, WG + i, ...
//
// A row has g.segment_groups groups, which take its tiles in turn, so that groups that run
// together read what lies together. The first group takes head and tail as well. A vec16 behind
// the last is read as the last and its labels are dropped, so that loads have no condition. To
// read the next tile meanwhile was worth less than 1 % (H200, driver 580.159, 2026-11-21).
//
// Local memory: | tables, if TABLES_LOCAL | counters (counters.cl) |
// Barriers: after both are filled, in next_tile(), and before the counters are emptied.
//
// An element takes BYTES of reading and LABEL_TYPE of writing in global memory, the reads of
// search.cl and label.cl in local memory, what counters.cl says if it is counted, and about ten
// operations for unpacking, packing and the tests of the loop.
//
// Macros  those of gpu_vectors.cl and counters.cl
//         ITEMS  vec16 that an item has in flight

#ifndef ITEMS
#error "ITEMS must be defined"
#endif

#define TILE (WG * ITEMS) // vec16

#if COUNTERS == COUNTERS_PAIRS && 2 * TILE * VEC_N + 2 * VEC_N > 65535
#error "two tiles and both ends must not overflow a counter of 16 bits"
#endif

static void count_vec16(const struct counters *counters, const uint *vec, const uint *label,
                        const struct arguments *g)
{
    KEY_T x[VEC_N];
    #pragma unroll
    for (uint e = 0; e < VEC_N; e++)
        x[e] = element(vec, e);
    count_elements(counters, x, label, VEC_N, g);
}

// Head and tail of a row, together less than two vec16: by one item, whatever WG is.
static void take_ends(global const ELEM *p, global LABEL_T *out,
                      const struct counters *counters, uint head, uint tail,
                      const struct row_constants *constants, TABLE_SPACE const uint *tables,
                      const struct arguments *g)
{
    #pragma unroll 1
    for (uint i = 0; i < head + tail; i++) {
        const ulong e = i < head ? i : g->count - tail + (i - head);
        const KEY_T v = (KEY_T)LOAD(p, e);
        const uint label = label_of(v, constants, tables, g);
#if LABEL_TYPE
        out[e] = (LABEL_T)label;
#endif
        count_elements(counters, &v, &label, 1, g);
    }
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void classify(global const ELEM *restrict x, global const uint *restrict all_tables,
              global LABEL_T *restrict labels, global uint *counts, local ulong *aligned,
              const struct arguments g)
{
    local uint *local_memory = (local uint *)aligned; // aligned: keys may have 64 bits
    const uint item = get_local_id(0);
    // 32 bits: a division of 64 bits takes a GPU long.
    const uint group = get_group_id(0), row_groups = (uint)g.segment_groups;
    const uint row = group / row_groups, row_group = group % row_groups;
#if TABLES_LOCAL
    TABLE_SPACE const uint *tables = local_memory;
    for (uint i = item; i < g.local_words; i += WG)
        local_memory[i] = all_tables[g.local_first + i];
    local_memory += g.local_words;
#else
    TABLE_SPACE const uint *tables = all_tables;
#endif
    struct counters counters;
    clear_counters(&counters, counts, g.count_first + (long)row * g.count_row_stride,
                   local_memory, &g);
    barrier(CLK_LOCAL_MEM_FENCE);
    struct row_constants constants;
    load_row(&constants, row, all_tables, tables, &g);

    global const ELEM *p = x + (g.first + (long)row * g.row_stride);
    global LABEL_T *out = labels + (g.label_first + (long)row * g.label_row_stride);
    const uint head = min(g.count, (ulong)((16 - ((uint)(size_t)p & 15)) & 15) / BYTES);
    const ulong vectors = (g.count - head) / VEC_N;
    const uint tail = (g.count - head) % VEC_N;
    if (row_group == 0 && item == 0)
        take_ends(p, out, &counters, head, tail, &constants, tables, &g);
    global const uint4 *first = (global const uint4 *)(p + head);
    out += head;
#if LABEL_TYPE
    const bool is_aligned = ((uint)(size_t)out & (min(STORE_BYTES, 16) - 1)) == 0;
#endif

    for (ulong t = (ulong)row_group * TILE; t < vectors; t += (ulong)row_groups * TILE) {
        const uint left = (uint)min(vectors - t, (ulong)TILE);
        uint4 v[ITEMS];
        #pragma unroll
        for (uint i = 0; i < ITEMS; i++)
            v[i] = first[t + min(i * WG + item, left - 1)];
        next_tile(&counters, TILE * VEC_N, &g);
        #pragma unroll
        for (uint i = 0; i < ITEMS; i++) {
            const uint vec[4] = { v[i].x, v[i].y, v[i].z, v[i].w }, at = i * WG + item;
            uint label[VEC_N];
            label_vec16(label, vec, &constants, tables, &g);
            if (at < left) {
#if LABEL_TYPE
                store_labels(out + t * VEC_N + at * VEC_N, label, is_aligned);
#endif
                count_vec16(&counters, vec, label, &g);
            }
        }
    }

#if COUNTS
    barrier(CLK_LOCAL_MEM_FENCE);
    empty_counters(&counters, &constants, tables, &g);
#endif
}
