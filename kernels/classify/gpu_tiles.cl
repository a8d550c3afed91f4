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
// Where rows have counts of their own, a group has counters for each row of its tiles, if they
// fit local memory, else it counts in global memory. Groups keep to the same rows then: the
// host makes the number of groups a multiple of the number of tiles that cover the rows.
//
// Local memory: | tables, if TABLES_LOCAL | keys (row_keys.cl) | labels, if TURNED | counters |
// Barriers: after they are filled, around each tile's labels, and before counters are emptied.
//
// An element takes BYTES of reading and LABEL_TYPE of writing in global memory, where TURNED the
// same of a label in local memory and back, the reads of search.cl and label.cl, what it takes to
// be counted, and about ten operations.
//
// Macros  those of label.cl and counters.cl
//         ITEMS       elements that an item has in flight
//         ROWS_ALONG  1: the input's lines pass from row to row; 0: along the elements of a row
//         TURNED      0, or how labels pass through local memory: 1
//                     + TURNED_BY_WORDS      labels of 4 bytes go there together
//                     + TURNED_SIDE_BY_SIDE  all elements of an item lie side by side across
//                     + TURNED_AHEAD         the next tile's elements are loaded while this
//                                            one's labels leave
//         ROW_COUNTS  each row's: 0: one row of counts for all; 1: in local memory; 2: in global
//         ROW_KEYS    1: each row has keys of its own (row_keys.cl)

#if !defined(ITEMS) || !defined(ROWS_ALONG) || !defined(TURNED) ||                             \
    !defined(ROW_COUNTS) || !defined(ROW_KEYS)
#error "ITEMS, ROWS_ALONG, TURNED, ROW_COUNTS and ROW_KEYS must be defined"
#endif

// Elements that are labelled together: as in gpu_words. ITEMS may be any number up to 32.
#if (HAS_DOUBT || HAS_SIEVE) && ITEMS > 8 && ITEMS % 8 == 0
#define TOGETHER 8
#elif ITEMS > 4 && ITEMS % 4 == 0
#define TOGETHER 4
#elif ITEMS <= 7
#define TOGETHER ITEMS
#else
#define TOGETHER (ITEMS % 2 == 0 ? 2 : ITEMS % 3 == 0 ? 3 : ITEMS % 5 == 0 ? 5 : 1)
#endif

#if !TURNED
#define SIDES 1
#endif

// Whether a group's tiles must have the same rows.
#define OF_ROWS (ROW_COUNTS || ROW_KEYS)

// Tiles are numbered along the input, or, where groups keep to rows, from row to row: a tile is the
// i-th of the j-th line of tiles.
#define IS_ALONG ((ROWS_ALONG) | !(OF_ROWS))

// How many elements a tile has along and across, and where the first one and its label lie.
struct tile {
    uint i, j, width, depth;
    long x, labels;
};

// What the arguments say, by directions instead of rows and elements.
struct lines {
    ulong width, depth;            // of the piece
    uint tile_width, tile_depth;   // of a whole tile
    long along, across;            // strides of the input
    long label_along, label_across;
    uint tiles_i, tiles_j;         // of a line of tiles, and lines
    uint more_i, more_j;           // how far a group's next tile is
    uint last_width, last_depth;   // of the last tiles
    long more_x, more_labels;      // the same of its places in memory
    long wrap_x, wrap_labels;      // and if it is in the line behind
};

static ulong first_along(const struct tile *tile, const struct lines *l)
{
    return (ulong)(IS_ALONG ? tile->i : tile->j) * l->tile_width;
}

static ulong first_across(const struct tile *tile, const struct lines *l)
{
    return (ulong)(IS_ALONG ? tile->j : tile->i) * l->tile_depth;
}

static void load_lines(struct lines *l, const struct arguments *g)
{
#if ROWS_ALONG
    l->width = g->rows, l->depth = g->count;
    l->tile_width = g->block_rows, l->tile_depth = g->block_count;
    l->along = g->row_stride, l->across = g->stride;
    l->label_along = g->label_row_stride, l->label_across = g->label_stride;
#else
    l->width = g->count, l->depth = g->rows;
    l->tile_width = g->block_count, l->tile_depth = g->block_rows;
    l->along = g->stride, l->across = g->row_stride;
    l->label_along = g->label_stride, l->label_across = g->label_row_stride;
#endif
    l->tiles_i = (uint)g->segment_groups;
    l->tiles_j = (uint)g->segment / l->tiles_i;
    l->last_width = (uint)(l->width - (ulong)((IS_ALONG ? l->tiles_i : l->tiles_j) - 1) * l->tile_width);
    l->last_depth = (uint)(l->depth - (ulong)((IS_ALONG ? l->tiles_j : l->tiles_i) - 1) * l->tile_depth);
}

// The first tile of a group.
static void first_tile(struct tile *tile, struct lines *l)
{
    const long x_along = l->tile_width * l->along, x_across = l->tile_depth * l->across;
    const long labels_along = l->tile_width * l->label_along,
               labels_across = l->tile_depth * l->label_across;
    const long x_i = IS_ALONG ? x_along : x_across, x_j = IS_ALONG ? x_across : x_along;
    const long labels_i = IS_ALONG ? labels_along : labels_across;
    const long labels_j = IS_ALONG ? labels_across : labels_along;
    const uint group = (uint)get_group_id(0), groups = (uint)get_num_groups(0);
    tile->i = group % l->tiles_i;
    tile->j = group / l->tiles_i;
    tile->x = tile->i * x_i + tile->j * x_j;
    tile->labels = tile->i * labels_i + tile->j * labels_j;
    l->more_i = groups % l->tiles_i;
    l->more_j = groups / l->tiles_i;
    l->more_x = l->more_i * x_i + l->more_j * x_j;
    l->more_labels = l->more_i * labels_i + l->more_j * labels_j;
    l->wrap_x = x_j - l->tiles_i * x_i;
    l->wrap_labels = labels_j - l->tiles_i * labels_i;
}

static void next_place(struct tile *tile, const struct lines *l)
{
    const bool wraps = tile->i + l->more_i >= l->tiles_i;
    tile->i += l->more_i - (wraps ? l->tiles_i : 0);
    tile->j += l->more_j + wraps;
    tile->x += l->more_x + (wraps ? l->wrap_x : 0);
    tile->labels += l->more_labels + (wraps ? l->wrap_labels : 0);
}

static void size_tile(struct tile *tile, const struct lines *l)
{
    const bool last_i = tile->i + 1 == l->tiles_i, last_j = tile->j + 1 == l->tiles_j;
    tile->width = (IS_ALONG ? last_i : last_j) ? l->last_width : l->tile_width;
    tile->depth = (IS_ALONG ? last_j : last_i) ? l->last_depth : l->tile_depth;
}

// What a group has in local memory, and where it counts.
struct group {
    TABLE_SPACE const uint *tables;
    global const uint *all_tables;
#if TURNED
    struct turned turned;
#endif
    local uint *row_counters;
#if ROW_KEYS
    KEY_SPACE const KEY_T *keys;
#endif
    struct counters counters;
    struct row_constants constants;
};

// Counts one element of the tile's row `row`.
static void count_one(struct group *group, ulong first_row, uint row, KEY_T x,
                      uint label, global uint *counts, const struct arguments *g)
{
#if ROW_COUNTS == 1
    if (!REJECTS || label < g->labels)
        atomic_inc(group->row_counters + row * (uint)g->labels + label);
#elif ROW_COUNTS == 2
    const ulong all = first_row + row;
    if (!REJECTS || label < g->labels)
        count_add(counts, g->count_first + (long)all * g->count_row_stride +
                              (long)label * g->count_stride, 1, g->wide);
#elif COUNTS
    count_elements(&group->counters, &x, &label, 1, 1, g);
#endif
}

// An item's part of a tile: element k is place_in(k) lines behind the first one.
struct part {
    global const ELEM *x; // its first element
    global LABEL_T *line; // the label of that
    uint a, b;            // its place along and across
    uint step;            // from SIDES elements that lie side by side to the next ones
    uint last;            // elements are up to so many lines from the first
};

static uint place_in(const struct part *p, uint k)
{
    return k / SIDES * p->step + k % SIDES;
}

// Puts the labels of an element and of those beside it that are in its word where they belong.
#if TURNED
static void turn_labels(local LABEL_T *to, const uint *label)
{
#if BY_WORDS
    uint word = 0;
    #pragma unroll
    for (uint e = 0; e < WORD_LABELS; e++)
        word |= (uint)(LABEL_T)label[e] << (e * LABEL_BYTES * 8);
    *(local uint *)to = word;
#else
    *to = (LABEL_T)*label;
#endif
}
#endif

#if AHEAD
// Loads an item's elements. is_whole: there are ITEMS of them. If not, the last one stands for
// those that the tile does not have, so that no load or store has a condition.
static __attribute__((always_inline)) void load_part(KEY_T *value, struct part p,
                                                     const bool is_whole, const struct lines *l)
{
    const long next = l->across, next_side = (p.step - (SIDES - 1)) * l->across;
    #pragma unroll
    for (uint k = 0; k < ITEMS; k++) {
        value[k] = (KEY_T)LOAD(p.x, 0);
        p.x += !is_whole && place_in(&p, k + 1) > p.last ? 0 : (k + 1) % SIDES ? next : next_side;
    }
}
#endif

// Labels and counts them. AHEAD: load_part() gave `ahead`. Else they are loaded here: behind a call
// of load_part() compilers made other code, by which calls took 3 to 10 % longer.
static __attribute__((always_inline)) void take_part(struct part p, const bool is_whole,
                                                     const KEY_T *ahead, global uint *counts,
                                                     const struct tile *tile,
                                                     const struct lines *l, struct group *group,
                                                     const struct arguments *g)
{
#if AHEAD
    const KEY_T *value = ahead;
    const ulong first_row = ROWS_ALONG ? first_along(tile, l) : first_across(tile, l);
#else
    const long next = l->across, next_side = (p.step - (SIDES - 1)) * l->across;
    const ulong first_row = ROWS_ALONG ? first_along(tile, l) : first_across(tile, l);
    KEY_T value[ITEMS];
    #pragma unroll
    for (uint k = 0; k < ITEMS; k++) {
        value[k] = (KEY_T)LOAD(p.x, 0);
        p.x += !is_whole && place_in(&p, k + 1) > p.last ? 0 : (k + 1) % SIDES ? next : next_side;
    }
#endif
#if ROW_KEYS && ROWS_ALONG
    load_keys_of(&group->constants, group->keys, p.a, first_row, group->all_tables, g);
#endif
#if TURNED
    local LABEL_T *to = group->turned.labels + p.a * group->turned.pitch + p.b;
#endif
#if ROW_KEYS && !ROWS_ALONG
    uint row = p.b;
#endif
    #pragma unroll
    for (uint first = 0; first < ITEMS; first += TOGETHER) {
        uint label[TOGETHER];
#if ROW_KEYS && !ROWS_ALONG
        #pragma unroll
        for (uint e = 0; e < TOGETHER; e++) {
            row = is_whole || place_in(&p, first + e) <= p.last ? p.b + place_in(&p, first + e) : row;
            load_keys_of(&group->constants, group->keys, row, first_row, group->all_tables, g);
            label[e] = label_of(value[first + e], &group->constants, group->tables, g);
        }
#else
        label_few(label, value + first, TOGETHER, &group->constants, group->tables, g);
#endif
        #pragma unroll
        for (uint e = 0; e < TOGETHER; e++) {
            const uint k = first + e;
#if TURNED
            if (k % WORD_SIDES == 0 && (is_whole || place_in(&p, k) <= p.last))
                turn_labels(to + place_in(&p, k), label + e);
#elif LABEL_TYPE
            *p.line = (LABEL_T)label[e];
            p.line += is_whole || place_in(&p, k + 1) <= p.last ? p.step * l->label_across : 0;
#endif
            if (COUNTS && (is_whole || place_in(&p, k) <= p.last))
                count_one(group, first_row, ROWS_ALONG ? p.a : p.b + place_in(&p, k), value[k], label[e],
                          counts, g);
        }
    }
}

// Whether an item has a part of a tile, and which. x and labels are the tile's.
static bool has_part(const struct part *p, const struct tile *tile)
{
    return p->b < min(p->step, tile->depth) && p->a < tile->width;
}

static void find_part(struct part *p, global const ELEM *x, global LABEL_T *labels,
                      const struct tile *tile, const struct lines *l)
{
    p->x = x + (long)p->a * l->along + (long)p->b * l->across;
    p->line = labels + (long)p->a * l->label_along + (long)p->b * l->label_across;
    p->last = tile->depth - 1 - p->b;
}

static bool is_whole_part(const struct part *p)
{
    return place_in(p, ITEMS - 1) <= p->last;
}

#if AHEAD
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

// The tiles of a group.
static void take_tiles(global const ELEM *x, global LABEL_T *labels, global uint *counts,
                       struct part p, struct tile tile, const struct lines *l,
                       struct group *group, const struct arguments *g)
{
    KEY_T value[ITEMS];
    load_tile(value, &p, x, labels, &tile, l);
    for (uint t = get_group_id(0); t < g->segment; t += get_num_groups(0)) {
        next_tile(&group->counters);
        if (has_part(&p, &tile)) {
            if (is_whole_part(&p))
                take_part(p, true, value, counts, &tile, l, group, g);
            else
                take_part(p, false, value, counts, &tile, l, group, g);
        }
        place_turned(&group->turned, labels + tile.labels, l->label_along, tile.width, tile.depth);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t + get_num_groups(0) < g->segment) {
            next_place(&tile, l);
            size_tile(&tile, l);
            load_tile(value, &p, x, labels, &tile, l);
        }
        store_turned(&group->turned, l->label_across);
        barrier(CLK_LOCAL_MEM_FENCE);
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
    next_tile(&group->counters);
    if (has_part(&p, tile)) {
        find_part(&p, x, labels, tile, l);
        if (is_whole_part(&p))
            take_part(p, true, NULL, counts, tile, l, group, g);
        else
            take_part(p, false, NULL, counts, tile, l, group, g);
    }
#if TURNED
    place_turned(&group->turned, labels, l->label_along, tile->width, tile->depth);
    barrier(CLK_LOCAL_MEM_FENCE);
    store_turned(&group->turned, l->label_across);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}
#endif

#if ROW_COUNTS == 1
// Adds the counters of each row to its counts.
static void empty_row_counters(const struct group *group, global uint *counts, ulong first_row,
                               uint rows, const struct arguments *g)
{
    const uint labels = (uint)g->labels;
    for (uint i = get_local_id(0); i < rows * labels; i += WG) {
        const uint n = group->row_counters[i];
        if (n)
            count_add(counts, g->count_first + (long)(first_row + i / labels) * g->count_row_stride +
                                  (long)(i % labels) * g->count_stride, n, g->wide);
    }
}
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void classify(global const ELEM *restrict x, global const uint *restrict all_tables,
              global LABEL_T *restrict labels, global uint *counts, local uint4 *aligned,
              const struct arguments g
#if ZEROES
              , global ulong *signals
#endif
              )
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
#if ROW_KEYS && KEYS_LOCAL
    fill_keys((local KEY_T *)local_memory, first_row, rows, all_tables, &g);
    group.keys = (local KEY_T *)local_memory;
    local_memory += g.block_rows * key_pitch(&g) * (uint)(sizeof(KEY_T) / 4);
#elif ROW_KEYS
    group.keys = (global const KEY_T *)all_tables + (g.row + first_row) * g.n;
#endif
#if TURNED
    group.turned.labels = (local LABEL_T *)(local_memory + TURNED_BESIDE);
    for (uint i = get_local_id(0); i < l.tile_width * g.row_words + 2 * TURNED_BESIDE; i += WG)
        local_memory[i] = 0; // what lies beside labels is read with them, and not used
    local_memory += l.tile_width * g.row_words + 2 * TURNED_BESIDE;
#endif
    group.row_counters = local_memory;
#if ROW_COUNTS == 1
    for (uint i = get_local_id(0); i < g.block_rows * (uint)g.labels; i += WG)
        local_memory[i] = 0;
#endif
    clear_counters(&group.counters, counts, g.count_first, local_memory, all_tables, &g);
#if ZEROES
    zero_counts(counts, &g);
#endif
    barrier(ZEROES ? CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE : CLK_LOCAL_MEM_FENCE);
#if ZEROES
    begin_counts(signals, &g);
#endif
#if !ROW_KEYS
    load_row(&group.constants, 0, all_tables, group.tables, &g);
#endif

    const uint item = get_local_id(0);
    const struct part part = { .a = item % l.tile_width, .b = item / l.tile_width * SIDES,
                               .step = WG / l.tile_width * SIDES };
#if TURNED
    // Lines of labels that lie one behind the other are one line.
    const bool is_dense = !BY_WORDS && l.label_across == 1 && l.label_along == (long)l.depth &&
                          l.tile_depth == l.depth;
    start_turned(&group.turned, l.tile_width, l.tile_depth, is_dense, &g);
#endif
#if AHEAD
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
    end_counts(signals, &g);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
#if ROW_COUNTS == 1
    empty_row_counters(&group, counts, first_row, rows, &g);
#elif ROW_COUNTS == 0
    empty_counters(&group.counters, &group.constants, group.tables, &g);
#endif
#endif
}
