// SPDX-License-Identifier: Apache-2.0
//
// classify on GPUs: rows of any place and stride. An item takes ITEMS words, loads the elements
// of all of them, and stores the labels of each together (word.cl). The tables that every
// element needs are copied to local memory first, where they fit (TABLES_LOCAL).
//
// WORDS says how words are numbered:
//
//     WORDS_OF_ROW   the words of one row that are whole. A group takes tiles of them in turn.
//                    Groups that run together read what lies together. A row has
//                    g.segment_groups groups, or parts with ROWS_TOGETHER. The first takes the elements before the first
//                    whole word, and those behind the last, one by one.
//         row      | head | word word word word ...                                | tail |
//         tile     WG words, ITEMS times; item i takes words i, WG + i, ...
//
//     WORDS_OF_ROWS  the whole words of short rows: a row has g.row_words items side by side, and
//                    a group as many rows at once as it has items for. An item keeps to its row,
//                    so that the row's place is computed once for ROW_ITEMS words. They are
//                    g.row_words apart. With ROW_ITEMS 1 the ITEMS words of an item lie in as many
//                    rows. Then the group takes the elements at the ends of these rows one by one
//                    (row_ends.cl).
//         row 0    | head | 0 1 2 0 1 2 | tail |     items 0 1 2, ROW_ITEMS 2
//         row 1    | head | 3 4 5 3 4 5 | tail |
//
//     WORDS_OF_ALL   short rows whose labels lie one behind the other: words pass from row to
//                    row. The multiplication gives the row of a word's first element.
//         labels   | row 0 | row 1 | row 2 | ...
//         words    |  |  |  |  |  |  |  |
//
// A word behind the last is read as the last, and its labels are dropped, so that loads have no
// condition. One H200, driver 580.159, 2026-11-22: docs/measurements/classify.md has the figures
// of WORDS_OF_ROW. Prototype, f32 to u8 labels by 15 keys, WG 256, ITEMS 4, share of the bound:
// 0.93 for rows of 1000 with gaps (WORDS_OF_ROWS), 1.03 for rows of 5 with dense labels
// (WORDS_OF_ALL, ITEMS 2). To read the next tile meanwhile was worth less than 1 % (H200,
// 2026-11-21).
//
// Local memory: | tables, if TABLES_LOCAL | of the row's own keys | counters.cl |
// The row's own keys are what own_keys.cl, own_ranks.cl or row_keys.cl say (OWN_KEYS).
// Barriers: after they are filled, of keys of 8 bits and of tables that come by value twice,
// those of own_ranks.cl, in next_tile(), and before the counters are emptied.
//
// An element takes BYTES of reading and LABEL_TYPE of writing in global memory, the reads of
// search.cl and label.cl in local memory, what counters.cl says if it is counted, and about ten
// operations for its address, packing and the tests of the loop.
//
// Macros  those of word.cl and counters.cl
//         ITEMS  words that an item has in flight
//         WORDS  WORDS_OF_ROW ...
//         ROW_ITEMS  WORDS_OF_ROWS: words of one row that an item has in flight: 1 or ITEMS

#if !defined(ITEMS) || !defined(WORDS) || !defined(ROW_ITEMS)
#error "ITEMS, WORDS and ROW_ITEMS must be defined"
#endif

// A launch with a memory argument less takes the host 0.35 us less of 5
// (docs/measurements/calls.md).
#if BY_VALUE
struct tables {
    uint words[MOST_BY_VALUE];
};
#define TABLES_PARAMETER const struct tables by_value
#else
#define TABLES_PARAMETER global const uint *restrict all_tables
#endif

#if WORDS == WORDS_OF_ROW
// Part n of all parts of rows. Parts are numbered row by row. Where rows are interleaved, in the
// input or in the labels, they are numbered across the rows, which share lines of memory; and with
// ROWS_TOGETHER, so that a group does not take the same part of each row. 32 bits: a division of
// 64 bits takes a GPU long.
static void find_part(uint n, uint *row, uint *part, const struct arguments *g)
{
    const uint rows = (uint)g->rows, parts = (uint)g->segment_groups;
    const bool are_interleaved =
        !PACKED & ((abs(g->row_stride) < abs(g->stride)) |
                   (LABEL_TYPE && abs(g->label_row_stride) < abs(g->label_stride)));
    const bool goes_across = ROWS_TOGETHER | are_interleaved;
    const uint divisor = goes_across ? rows : parts;
    const uint quotient = n / divisor, rest = n - quotient * divisor;
    *row = goes_across ? rest : quotient;
    *part = goes_across ? quotient : rest;
}
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void classify(global const ELEM *restrict x, TABLES_PARAMETER,
              global LABEL_T *restrict labels, global uint *counts, local uint4 *aligned,
              const struct arguments g)
{
    local uint *local_memory = (local uint *)aligned; // aligned: fill_tables()
#if WORDS == WORDS_OF_ROW
    const uint group = get_group_id(0);
    uint row, part;
    find_part(group, &row, &part, &g);
#else
    const uint row = 0;
#endif
#if WORDS == WORDS_OF_ROW && !SPREAD
    prefetch_tile(x + (g.first + (long)row * g.row_stride), part, &g);
#endif
#if BY_VALUE
    local const uint *all_tables = local_memory, *tables = local_memory;
    for (uint i = get_local_id(0); i < g.local_words; i += WG)
        local_memory[i] = by_value.words[i];
    local_memory += g.local_words;
    barrier(CLK_LOCAL_MEM_FENCE);
#elif TABLES_LOCAL
    TABLE_SPACE const uint *tables = local_memory;
    fill_tables(local_memory, all_tables + g.local_first, (uint)g.local_words);
    local_memory += g.local_words;
#else
    TABLE_SPACE const uint *tables = all_tables;
#endif
#if OWN_KEYS == OWN_TREE
    local KEY_T *nodes = (local KEY_T *)local_memory;
    fill_tree(nodes, row, all_tables, &g);
    local uint *places = local_memory + OWN_WORDS;
    local_memory += OWN_WORDS + PLACE_WORDS;
#elif OWN_KEYS == OWN_RANKS
    local uint *ranks = local_memory;
    fill_ranks(ranks, row, all_tables, &g);
    local_memory += own_rank_words(&g);
#elif OWN_KEYS == OWN_CELLS
    local uint *cells = local_memory;
    fill_rows(cells, row, 1, all_tables, &g);
    local_memory += row_table_words(&g);
#endif
    struct counters counters;
    clear_counters(&counters, counts, g.count_first + (long)row * g.count_row_stride,
                   local_memory, all_tables, &g);
#if COUNT_RANKS
    counters.places = (global const ushort *)places_of_row(row, all_tables, &g);
#endif
#if ZEROES
    zero_counts(counts, &g);
#endif
    barrier(ZEROES ? CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE : CLK_LOCAL_MEM_FENCE);
#if ZEROES
    begin_counts(&g);
#endif
    struct row_constants constants;
#if OWN_KEYS == OWN_TREE
    load_own_keys(&constants, nodes, row, all_tables, &g);
#if OWN_PLACES
    fill_places((local OWN_PLACE_T *)places, &constants);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#elif OWN_KEYS == OWN_RANKS
    load_own_ranks(&constants, ranks, row, all_tables, &g);
#elif OWN_KEYS == OWN_CELLS
    load_keys_of(&constants, cells, 0, row, all_tables, &g);
#else
    load_row(&constants, row, all_tables, tables, &g);
#endif
#if LABEL_SHIFT < 32
    fill_labels(&counters, &constants, tables, &g);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif

#if WORDS == WORDS_OF_ROW
#if ROWS_TOGETHER
    for (uint p = group; p < g.segment; p += get_num_groups(0)) {
        find_part(p, &row, &part, &g);
#else
    {
#endif
        take_row(x + (g.first + (long)row * g.row_stride),
                 labels + (g.label_first + (long)row * g.label_row_stride), part, &counters,
                 &constants, tables, &g);
    }
#else
    take_rows(x + g.first, labels + g.label_first, &counters, &constants, tables, &g);
#endif

#if COUNTS
#if ZEROES
    end_counts(&g);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    empty_counters(&counters, &constants, tables, &g);
#endif
}
