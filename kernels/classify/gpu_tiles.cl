// SPDX-License-Identifier: Apache-2.0
//
// classify on GPUs: tiles of some rows and some elements of each. For calls whose labels have
// other neighbours than the input, and for rows that are interleaved or short and have counts or
// keys of their own.
//
// An item takes one line across the tile: elements that have the same place along the input's
// lines. So neighbouring items read neighbours. Where the labels' neighbours lie across
// (TURNED), the tile's labels pass through local memory:
//
//     input     along ->            labels    across ->        local memory
//     across    x0 x1 x2            along     y0 y3 y6 y9      | . y0 y3 y6 | y9 ...
//       |       x3 x4 x5              |       y1 y4 y7 y10     | . . y1 y4  | y7 y10 ...
//       v       x6 x7 x8              v
//
// There a line of labels lies within its words of 4 bytes as in global memory, so that whole
// words are copied. The words of lines are an odd number, so that the labels of neighbouring
// items lie in different banks.
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
//         TURNED      1: labels pass through local memory
//         ROW_COUNTS  each row's: 0: one row of counts for all; 1: in local memory; 2: in global
//         ROW_KEYS    1: each row has keys of its own (row_keys.cl)

#if !defined(ITEMS) || !defined(ROWS_ALONG) || !defined(TURNED) ||                             \
    !defined(ROW_COUNTS) || !defined(ROW_KEYS)
#error "ITEMS, ROWS_ALONG, TURNED, ROW_COUNTS and ROW_KEYS must be defined"
#endif

// Elements that are labelled together: as in gpu_words.
#if (HAS_DOUBT || HAS_SIEVE) && ITEMS > 8
#define TOGETHER 8
#elif ITEMS > 4
#define TOGETHER 4
#else
#define TOGETHER ITEMS
#endif

// Whether a group's tiles must have the same rows.
#define OF_ROWS (ROW_COUNTS || ROW_KEYS)

// A tile: where it begins, and how many elements it has along and across.
struct tile {
    ulong along, across;
    uint width, depth;
};

// What the arguments say, by directions instead of rows and elements.
struct lines {
    ulong width, depth;            // of the piece
    uint tile_width, tile_depth;   // of a whole tile
    long along, across;            // strides of the input
    long label_along, label_across;
};

static void load_lines(struct lines *l, const struct arguments *g)
{
#if ROWS_ALONG
    *l = (struct lines){ g->rows, g->count, g->block_rows, g->block_count,
                         g->row_stride, g->stride, g->label_row_stride, g->label_stride };
#else
    *l = (struct lines){ g->count, g->rows, g->block_count, g->block_rows,
                         g->stride, g->row_stride, g->label_stride, g->label_row_stride };
#endif
}

// Tiles are numbered along the input, or, where groups keep to rows, from row to row.
static void load_tile(struct tile *tile, uint number, const struct lines *l,
                      const struct arguments *g)
{
    const uint fast = (uint)g->segment_groups;
    const uint i = number % fast, j = number / fast;
    const bool is_along = (ROWS_ALONG) | !(OF_ROWS);
    tile->along = (ulong)(is_along ? i : j) * l->tile_width;
    tile->across = (ulong)(is_along ? j : i) * l->tile_depth;
    tile->width = (uint)min(l->width - tile->along, (ulong)l->tile_width);
    tile->depth = (uint)min(l->depth - tile->across, (ulong)l->tile_depth);
}

#if TURNED
#define LABEL_BYTES ((uint)sizeof(LABEL_T))
#define WORD_LABELS (4 / LABEL_BYTES)

// How far within a word a line of labels begins.
static uint shift_of(global const LABEL_T *line)
{
    return ((uint)(size_t)line & 3) / LABEL_BYTES;
}

// Labels of a tile on their way through local memory: `lines` lines of `n` neighbours. Line 0
// begins at `to`, and each `along` behind the one before. In local memory they are `pitch` words
// apart, each at its shift.
struct turned {
    local LABEL_T *labels;
    global LABEL_T *to;
    long along;
    uint lines, n, pitch;
};

// Lines of labels that lie one behind the other are one line.
static void place_turned(struct turned *t, const struct tile *tile, const struct lines *l,
                         const struct arguments *g)
{
    const bool is_dense = l->label_across == 1 && l->label_along == (long)tile->depth;
    t->along = l->label_along;
    t->lines = is_dense ? 1 : tile->width;
    t->n = is_dense ? tile->width * tile->depth : tile->depth;
    t->pitch = is_dense ? 0 : g->row_words;
}

// Where a line's first label is in local memory.
static uint place_line(const struct turned *t, uint line, uint depth)
{
    return t->pitch ? line * t->pitch * WORD_LABELS + shift_of(t->to + line * t->along)
                    : line * depth + shift_of(t->to);
}

// Copies those labels that make whole words.
static void store_words(const struct turned *t)
{
    const uint words = t->n / WORD_LABELS + 1; // most of a line, and the first may be none
    const uint lines = WG / words, rest = WG % words;
    uint line = get_local_id(0) / words, word = get_local_id(0) % words;
    while (line < t->lines) {
        global LABEL_T *to = t->to + (long)line * t->along;
        const int first = (int)(word * WORD_LABELS) - (int)shift_of(to);
        if (first >= 0 && first + (int)WORD_LABELS <= (int)t->n)
            *(global uint *)(to + first) =
                ((local const uint *)t->labels)[line * t->pitch + word];
        word += rest;
        line += lines + (word >= words);
        word -= word >= words ? words : 0;
    }
}

// Copies the others: at most WORD_LABELS - 1 at either end of a line.
static void store_ends(const struct turned *t)
{
    for (uint i = get_local_id(0); i < t->lines * 2 * WORD_LABELS; i += WG) {
        const uint line = i / (2 * WORD_LABELS), e = i % WORD_LABELS;
        global LABEL_T *to = t->to + (long)line * t->along;
        const uint shift = shift_of(to), head = (WORD_LABELS - shift) % WORD_LABELS;
        const bool is_head = i % (2 * WORD_LABELS) < WORD_LABELS;
        const uint n = is_head ? head : (shift + t->n) % WORD_LABELS;
        const uint k = is_head ? e : t->n - 1 - e;
        if (e < n && k < t->n && is_head == (k < head))
            to[k] = t->labels[line * t->pitch * WORD_LABELS + shift + k];
    }
}

// Copies labels that are not neighbours.
static void store_each(const struct turned *t, long across)
{
    for (uint i = get_local_id(0); i < t->lines * t->n; i += WG) {
        const uint line = i / t->n, k = i % t->n;
        t->to[(long)line * t->along + (long)k * across] =
            t->labels[place_line(t, line, 0) + k];
    }
}
#endif

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
static void count_one(struct group *group, const struct tile *tile, uint row, KEY_T x,
                      uint label, global uint *counts, const struct arguments *g)
{
#if ROW_COUNTS == 1
    if (!REJECTS || label < g->labels)
        atomic_inc(group->row_counters + row * (uint)g->labels + label);
#elif ROW_COUNTS == 2
    const ulong all = (ROWS_ALONG ? tile->along : tile->across) + row;
    if (!REJECTS || label < g->labels)
        count_add(counts, g->count_first + (long)all * g->count_row_stride +
                              (long)label * g->count_stride, 1, g->wide);
#elif COUNTS
    count_elements(&group->counters, &x, &label, 1, 1, g);
#endif
}

// An item's part of a tile.
struct part {
    global const ELEM *x; // its first element
    global LABEL_T *line; // the label of that
    uint a, b;            // its place along and across
    uint step;            // lines from one of its elements to the next
    uint last;            // elements are up to so many lines from the first
};

// Labels and counts an item's elements. is_whole: there are ITEMS of them. If not, the last one
// stands for those that the tile does not have, so that no load or store has a condition.
static __attribute__((always_inline)) void take_part(struct part p, const bool is_whole,
                                                     global uint *counts,
                                                     const struct tile *tile,
                                                     const struct lines *l, struct group *group,
                                                     const struct arguments *g)
{
    const long next = p.step * l->across, next_label = p.step * l->label_across;
    KEY_T value[ITEMS];
    #pragma unroll
    for (uint k = 0; k < ITEMS; k++) {
        value[k] = (KEY_T)LOAD(p.x, 0);
        p.x += is_whole || (k + 1) * p.step <= p.last ? next : 0;
    }
#if ROW_KEYS && ROWS_ALONG
    load_keys_of(&group->constants, group->keys, p.a, tile->along, group->all_tables, g);
#endif
#if TURNED
    uint to = place_line(&group->turned, p.a, tile->depth) + p.b;
#endif
    uint row = p.b;
    #pragma unroll
    for (uint first = 0; first < ITEMS; first += TOGETHER) {
        uint label[TOGETHER];
#if ROW_KEYS && !ROWS_ALONG
        #pragma unroll
        for (uint e = 0; e < TOGETHER; e++) {
            load_keys_of(&group->constants, group->keys, row, tile->across, group->all_tables,
                         g);
            label[e] = label_of(value[first + e], &group->constants, group->tables, g);
            row += is_whole || (first + e + 1) * p.step <= p.last ? p.step : 0;
        }
#else
        label_few(label, value + first, TOGETHER, &group->constants, group->tables, g);
#endif
        #pragma unroll
        for (uint e = 0; e < TOGETHER; e++) {
            const uint k = first + e;
            const bool is_last = !is_whole && (k + 1) * p.step > p.last;
#if TURNED
            group->turned.labels[to] = (LABEL_T)label[e];
            to += is_last ? 0 : p.step;
#elif LABEL_TYPE
            *p.line = (LABEL_T)label[e];
            p.line += is_last ? 0 : next_label;
#endif
            if (COUNTS && (is_whole || k * p.step <= p.last))
                count_one(group, tile, ROWS_ALONG ? p.a : p.b + k * p.step, value[k], label[e],
                          counts, g);
        }
    }
}

static void take_tile(global const ELEM *x, global LABEL_T *labels, global uint *counts,
                      const struct tile *tile, const struct lines *l, struct group *group,
                      const struct arguments *g)
{
    const uint item = get_local_id(0);
    struct part p = { .a = item % l->tile_width, .b = item / l->tile_width,
                      .step = WG / l->tile_width };
    x += (long)tile->along * l->along + (long)tile->across * l->across;
    labels += (long)tile->along * l->label_along + (long)tile->across * l->label_across;
    next_tile(&group->counters, WG * ITEMS, g);
#if TURNED
    group->turned.to = labels;
    place_turned(&group->turned, tile, l, g);
#endif
    if (p.b < min(p.step, tile->depth) && p.a < tile->width) {
        p.x = x + (long)p.a * l->along + (long)p.b * l->across;
        p.line = labels + (long)p.a * l->label_along + (long)p.b * l->label_across;
        p.last = tile->depth - 1 - p.b;
        if (tile->depth == p.step * ITEMS)
            take_part(p, true, counts, tile, l, group, g);
        else
            take_part(p, false, counts, tile, l, group, g);
    }
#if TURNED
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l->label_across == 1) {
        store_words(&group->turned);
        store_ends(&group->turned);
    } else {
        store_each(&group->turned, l->label_across);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

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
    load_tile(&tile, get_group_id(0), &l, &g);
    const ulong first_row = ROWS_ALONG ? tile.along : tile.across;
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
    group.turned.labels = (local LABEL_T *)local_memory;
    local_memory += l.tile_width * g.row_words + 1;
#endif
    group.row_counters = local_memory;
#if ROW_COUNTS == 1
    for (uint i = get_local_id(0); i < g.block_rows * (uint)g.labels; i += WG)
        local_memory[i] = 0;
#endif
    clear_counters(&group.counters, counts, g.count_first, local_memory, &g);
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

    for (uint t = get_group_id(0); t < g.segment; t += get_num_groups(0)) {
        load_tile(&tile, t, &l, &g);
        take_tile(x + g.first, labels + g.label_first, counts, &tile, &l, &group, &g);
    }

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
