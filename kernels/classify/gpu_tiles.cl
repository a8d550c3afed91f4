// SPDX-License-Identifier: Apache-2.0
//
// classify on GPUs: tiles of some rows and some elements of each. For calls whose labels have
// other neighbours than the input, and for rows that are interleaved or short and have counts or
// keys of their own.
//
// An item takes one line across the tile: elements that have the same place along the input's
// lines. So neighbouring items read neighbours. Where the labels' neighbours lie across
// (TURNED), the tile's labels pass through local memory (turned.cl), and an item takes as many
// elements side by side across as make a word of labels there (SIDES):
//
//     input     along ->            labels    across ->          items, SIDES 2
//     across    x0 x1 x2            along     y0 y3 y6 y9        0 1 2
//       |       x3 x4 x5              |       y1 y4 y7 y10       0 1 2
//       |       x6 x7 x8              v       y2 y5 y8 y11       3 4 5
//       v       x9 x10 x11                                       3 4 5
//
// Where there are many elements, a tile of turned labels is what some passes of the group take
// (PASSES): across first, and then along. So lines of labels are long, and barriers and stores of
// labels come after more elements. Between its passes an item waits for no other.
//
// Where rows have counts of their own, a group has counters for each row of its tiles, if they
// fit local memory, else it counts in global memory. Groups keep to the same rows then: the
// host makes the number of groups a multiple of the number of tiles that cover the rows.
//
// Local memory: | tables, if TABLES_LOCAL | tables of rows (row_keys.cl) | labels, if TURNED |
//                 counters |
// Barriers: after they are filled, around each tile's labels, and before counters are emptied.
//
// An element takes BYTES of reading and LABEL_TYPE of writing in global memory, where TURNED the
// same of a label in local memory and back, the reads of search.cl and label.cl, what it takes to
// be counted, and about ten operations. LABEL_SHIFT: the addition that counts it gives its label.
//
// Macros  those of label.cl and counters.cl
//         ITEMS       elements that an item has in flight
//         ROWS_ALONG  1: the input's lines pass from row to row; 0: along the elements of a row
//         TURNED      0, or how labels pass through local memory: 1
//                     + TURNED_BY_WORDS      labels of 4 bytes go there together
//                     + TURNED_SIDE_BY_SIDE  all elements of an item lie side by side across
//                     + TURNED_PASSES        a tile takes several passes
//                     + TURNED_PADDED        dense lines have a free word behind each 32
//         LOADS_AHEAD 1: the next tile's elements are loaded while this one's are labelled, or while
//                     turned labels leave
//         ROW_COUNTS  each row's: 0: one row of counts for all; 1: in local memory; 2: in global
//         SHORT_COUNTERS  1: those in local memory have 16 bits. A group counts at most 65 535
//                     elements of a row
//         FEW_COUNTS  1, 2: there are at most 4, or 8, and an item's elements are of one row
//         ROW_KEYS    1: each row has keys of its own (row_keys.cl)
//         LINE_ROWS   0, or a power of two: counters and keys of so many rows lie side by side in
//                     local memory (row_keys.cl)

#if LOADS_AHEAD
static __attribute__((always_inline)) void load_tile(KEY_T *value, struct part *p,
                                                     global const ELEM *x, global LABEL_T *labels,
                                                     const struct tile *tile, const struct lines *l)
{
    if (!has_part(p, tile))
        return;
    find_part(p, x + tile->x, labels + tile->labels, tile, l);
    if (is_whole_part(p))
        load_part(value, *p, true, l);
    else
        load_part(value, *p, false, l);
}

// An item's part of a tile, whose elements are loaded.
static __attribute__((always_inline)) void take_loaded(const struct part *p, const KEY_T *value,
                                                       global uint *counts, const struct tile *tile,
                                                       const struct lines *l, struct group *group,
                                                       const struct arguments *g)
{
    if (!has_part(p, tile))
        return;
    if (is_whole_part(p))
        take_part(*p, true, value, counts, tile, l, group, g);
    else
        take_part(*p, false, value, counts, tile, l, group, g);
}

// The tiles of a group.
static void take_tiles(global const ELEM *x, global LABEL_T *labels, global uint *counts,
                       struct part p, struct tile tile, const struct lines *l,
                       struct group *group, const struct arguments *g)
{
    KEY_T value[ITEMS];
    load_tile(value, &p, x, labels, &tile, l);
    for (uint t = get_group_id(0); t < g->segment; t += get_num_groups(0)) {
        const bool is_last = t + get_num_groups(0) >= g->segment;
        next_tile(&group->counters, g);
#if TURNED
        take_loaded(&p, value, counts, &tile, l, group, g);
        place_turned(&group->turned, labels + tile.labels, l->label_along, tile.width, tile.depth);
        barrier(CLK_LOCAL_MEM_FENCE);
#else
        const struct part this_part = p;
        const struct tile this_tile = tile;
        KEY_T this_value[ITEMS];
        #pragma unroll
        for (uint k = 0; k < ITEMS; k++)
            this_value[k] = value[k];
#endif
        if (!is_last) {
            next_place(&tile, l);
            size_tile(&tile, l);
            load_tile(value, &p, x, labels, &tile, l);
        }
#if TURNED
        store_turned(&group->turned, l->label_across);
        barrier(CLK_LOCAL_MEM_FENCE);
#else
        take_loaded(&this_part, this_value, counts, &this_tile, l, group, g);
#endif
    }
}
#else

static void take_tile(global const ELEM *x, global LABEL_T *labels, global uint *counts,
                      const struct part *first, const struct tile *tile, const struct lines *l,
                      struct group *group, const struct arguments *g)
{
    struct part p = *first;
    x += tile->x;
    labels += tile->labels;
    next_tile(&group->counters, g);
    if (has_part(&p, tile)) {
        find_part(&p, x, labels, tile, l);
#if PASSES
        #pragma unroll 1
        do {
#endif
            if (is_whole_part(&p))
                take_part(p, true, NULL, counts, tile, l, group, g);
            else
                take_part(p, false, NULL, counts, tile, l, group, g);
#if PASSES
        } while (next_part(&p, first, tile, l, g));
#endif
    }
#if TURNED
    place_turned(&group->turned, labels, l->label_along, tile->width, tile->depth);
    barrier(CLK_LOCAL_MEM_FENCE);
    store_turned(&group->turned, l->label_across);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void classify(global const ELEM *restrict x, global const uint *restrict all_tables,
              global LABEL_T *restrict labels, global uint *counts, local uint4 *aligned,
              const struct arguments g)
{
    local uint *local_memory = (local uint *)aligned; // aligned: fill_tables()
    struct lines l;
    struct tile tile;
    load_lines(&l, &g);
    first_tile(&tile, &l);
    size_tile(&tile, &l);
    const ulong first_row = ROWS_ALONG ? first_along(&tile, &l) : first_across(&tile, &l);
    const uint rows = ROWS_ALONG ? tile.width : tile.depth; // of all tiles, if OF_ROWS
    struct group group = { .all_tables = all_tables };
#if TABLES_LOCAL
    fill_tables(local_memory, all_tables + g.local_first, (uint)g.local_words);
    group.tables = local_memory;
    local_memory += g.local_words;
#else
    group.tables = all_tables;
#endif
#if ROW_KEYS && ROW_TABLE_LOCAL
    fill_rows(local_memory, first_row, rows, all_tables, &g);
    group.table = local_memory;
    local_memory += TABLE_ROWS(g) * row_table_words(&g);
#elif ROW_KEYS
    group.table = (global const KEY_T *)all_tables + (g.row + first_row) * g.n;
#endif
#if TURNED
    group.turned.labels = (local LABEL_T *)(local_memory + TURNED_BESIDE);
    for (uint i = get_local_id(0); i < l.tile_width * g.row_words + 2 * TURNED_BESIDE; i += WG)
        local_memory[i] = 0; // what lies beside labels is read with them, and not used
    local_memory += l.tile_width * g.row_words + 2 * TURNED_BESIDE;
#endif
    group.row_counters = local_memory;
#if ROW_COUNTS == 1
    for (uint i = get_local_id(0); i < TABLE_ROWS(g) * row_slots(&g); i += WG)
        local_memory[i] = 0;
#endif
    clear_counters(&group.counters, counts, g.count_first, local_memory, all_tables, &g);
#if ZEROES
    zero_counts(counts, &g);
#endif
    barrier(ZEROES ? CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE : CLK_LOCAL_MEM_FENCE);
#if ZEROES
    begin_counts(&g);
#endif
#if !ROW_KEYS
    load_row(&group.constants, 0, all_tables, group.tables, &g);
#endif
#if LABEL_SHIFT < 32
    fill_labels(&group.counters, &group.constants, group.tables, &g);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif

    const uint item = get_local_id(0);
    const uint along = PASSES ? g.row_factor : l.tile_width; // items
    const struct part part = { .a = item % along, .b = item / along * SIDES,
                               .step = WG / along * SIDES };
#if KEEPS_KEYS
    load_keys_of(&group.constants, group.table, min(part.a, rows - 1), first_row, all_tables, &g);
#endif
#if TURNED
    // Lines of labels that lie one behind the other are one line.
    const bool is_dense = !BY_WORDS && l.label_across == 1 && l.label_along == (long)l.depth &&
                          l.tile_depth == l.depth;
    start_turned(&group.turned, l.tile_width, l.tile_depth, is_dense, &g);
#endif
#if LOADS_AHEAD
    take_tiles(x + g.first, labels + g.label_first, counts, part, tile, &l, &group, &g);
#else
    for (uint t = get_group_id(0); t < g.segment; t += get_num_groups(0)) {
        size_tile(&tile, &l);
        take_tile(x + g.first, labels + g.label_first, counts, &part, &tile, &l, &group, &g);
        next_place(&tile, &l);
    }
#endif

#if COUNTS
#if ZEROES
    end_counts(&g);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
#if JOINS_ALIKE
    add_alike(&group, counts, &g);
#elif ROW_COUNTS == 1
    empty_row_counters(&group, counts, first_row, rows, &g);
#elif ROW_COUNTS == 0
    empty_counters(&group.counters, &group.constants, group.tables, &g);
#endif
#endif
}
