// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_words: rows element by element (SPREAD), where words would leave most of their
// elements out: elements with gaps between them, and short rows with gaps. Neighbouring items take
// neighbouring elements of a row, and then those of the next row. An item goes down a column: its
// ITEMS elements are equally far apart, so that an element costs two additions for its address,
// two for that of its label, and no question.
//
//     rows of 3, 4 at once    | 0 1 2 | . . | 3 4 5 | . . | 6 7 8 | . . | 9 10 11 | . .    items
//     the next 4 rows         | 0 1 2 | . . | 3 4 5 | . . | ...                            the same
//
// In long rows an item's elements lie in one row: g.row_words apart (ROW_ITEMS = ITEMS), and WG
// apart in rows of their groups (WORDS_OF_ROW).
//
// Labels with gaps between them, or between their rows, are parts of sectors. Those are fetched
// first (FETCH_LABELS). H200, driver 580.159.04, 2026-11-27, us without and with it: i16 to u8,
// rows of 18 with gaps 378 201; u16 to u8, rows of 4 212 126; f32 to u8, rows of 1 170 127.
//
// Macros  those of gpu_words.cl
//         FETCH_LABELS  1: the memory of labels is fetched before they are written
//
// Defines take_row() or take_rows(), as word_tiles.cl does

#if SPREAD
#ifndef FETCH_LABELS
#error "FETCH_LABELS must be defined"
#endif

// Elements that are labelled together (word_tiles.cl).
#if ITEMS < 8
#define COLUMN_PART ITEMS
#elif HAS_SIEVE || (HAS_DOUBT && !COUNTS)
#define COLUMN_PART 8
#else
#define COLUMN_PART 4
#endif

// Where an item's elements lie. Element k exists if k * apart < left.
struct column {
    global const ELEM *x;
    global LABEL_T *to;
    long step, label_step;
    uint left, apart;
};

// Asks for the memory of labels, where other items, or nobody, write the rest of their sectors.
static void fetch_labels(global LABEL_T *to, long step)
{
#if FETCH_LABELS
    #pragma unroll
    for (uint k = 0; k < ITEMS; k++) {
        prefetch_line(to);
        to += step;
    }
#endif
}

// ITEMS elements that exist.
static void take_whole(const struct column *c, struct counters *counters,
                       const struct row_constants *constants, TABLE_SPACE const uint *tables,
                       const struct arguments *g)
{
    KEY_T value[ITEMS];
    global const ELEM *x = c->x;
    global LABEL_T *to = c->to;
    fetch_labels(to, c->label_step);
    #pragma unroll
    for (uint k = 0; k < ITEMS; k++) {
        value[k] = (KEY_T)LOAD(x, 0);
        x += c->step;
    }
    #pragma unroll
    for (uint first = 0; first < ITEMS; first += COLUMN_PART) {
        uint label[COLUMN_PART];
#if LABEL_SHIFT < 32
        count_and_label(counters, value + first, label, COLUMN_PART, ~0u);
#else
        label_few(label, value + first, COLUMN_PART, constants, tables, g);
        if (COUNT_CLASSES)
            count_elements(counters, value + first, label, COLUMN_PART, ~0u, g);
        map_labels(counters, label, COLUMN_PART, g);
        if (!COUNT_CLASSES)
            count_elements(counters, value + first, label, COLUMN_PART, ~0u, g);
#endif
#if LABEL_TYPE
        #pragma unroll
        for (uint e = 0; e < COLUMN_PART; e++) {
            *to = (LABEL_T)label[e];
            to += c->label_step;
        }
#endif
    }
}

// The elements at the end of the rows, or of a row, where not all exist.
static void take_rest(const struct column *c, struct counters *counters,
                      const struct row_constants *constants, TABLE_SPACE const uint *tables,
                      const struct arguments *g)
{
    #pragma unroll 1
    for (uint k = 0; k < ITEMS && k * c->apart < c->left; k++) {
        const KEY_T value = (KEY_T)LOAD(c->x + k * c->step, 0);
        const uint label = take_one(value, counters, constants, tables, g);
#if LABEL_TYPE
        c->to[k * c->label_step] = (LABEL_T)label;
#endif
    }
}

static void take_column(const struct column *c, struct counters *counters,
                        const struct row_constants *constants, TABLE_SPACE const uint *tables,
                        const struct arguments *g)
{
    next_tile(counters, g);
    if (c->left > (ITEMS - 1) * c->apart)
        take_whole(c, counters, constants, tables, g);
    else
        take_rest(c, counters, constants, tables, g);
}

#if WORDS == WORDS_OF_ROW
// Tiles of one row, or of a part of it.
static void take_row(global const ELEM *x, global LABEL_T *labels, uint part,
                     struct counters *counters, const struct row_constants *constants,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
    const uint item = get_local_id(0);
    struct column c = { .step = (long)WG * g->stride, .label_step = (long)WG * g->label_stride,
                        .apart = WG };
    #pragma unroll 1
    for (ulong t = (ulong)part * TILE; t < g->count; t += g->segment_groups * TILE) {
        const uint rest = (uint)min(g->count - t, (ulong)TILE);
        c.x = x + (long)(t + item) * g->stride;
        c.to = labels + (long)(t + item) * g->label_stride;
        c.left = rest - min(rest, item);
        take_column(&c, counters, constants, tables, g);
    }
}
#else
// All rows of a group.
static void take_rows(global const ELEM *x, global LABEL_T *labels, struct counters *counters,
                      const struct row_constants *constants, TABLE_SPACE const uint *tables,
                      const struct arguments *g)
{
    const uint item = get_local_id(0), lanes = g->row_words, at_once = WG / lanes;
    const uint lane = item % lanes, own = item / lanes; // the last items may have no row
    const uint rows = (uint)g->rows, count = (uint)g->count;
    struct column c = { .apart = ROWS_EACH == 1 ? lanes : at_once };
    c.step = (long)c.apart * (ROWS_EACH == 1 ? g->stride : g->row_stride);
    c.label_step = (long)c.apart * (ROWS_EACH == 1 ? g->label_stride : g->label_row_stride);
    #pragma unroll 1
    for (uint r = get_group_id(0) * g->block_rows; r < rows;
         r += get_num_groups(0) * g->block_rows) {
        const uint row = r + own;
        const bool has_row = own < at_once && row < rows;
        #pragma unroll 1
        for (uint first = 0; first < count; first += ROW_ITEMS * lanes) {
            const uint e = first + lane;
            c.left = !has_row || e >= count ? 0 : ROWS_EACH == 1 ? count - e : rows - row;
            c.x = x + (long)row * g->row_stride + (long)e * g->stride;
            c.to = labels + (long)row * g->label_row_stride + (long)e * g->label_stride;
            take_column(&c, counters, constants, tables, g);
        }
    }
}
#endif
#endif
