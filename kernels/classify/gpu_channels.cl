// SPDX-License-Identifier: Apache-2.0
//
// classify on GPUs: rows that are interleaved without gaps, as the channels of a signal or the
// columns of a matrix are, with counts or keys of their own. All elements are one line, whose
// words are taken as gpu_words takes those of a row. A column is a row in the order of the
// line.
//
// Few columns: a group has all of them, and takes tiles of the line.
//
//     line      | x0 x1 x2 x0 x1 x2 x0 x1 x2 ...   3 columns
//     words     |    | word 0 | word 1 | ...       aligned as word.cl says
//
// Many (COLUMNS 0): a group has a window of columns, and the words that begin there. The last of
// them may end in the columns behind, so that the group has WORD - 1 more. An item keeps to its
// place in the window, and takes a word of each of ITEMS rounds of the line. A round has all
// columns.
//
//     round 0   | x0 x1 x2 x3 x4 x5 x6 |           7 columns, a window of 4
//     words     | . | word 0    | word 1    |      word 0 begins in the first window, word 1 in
//     round 1   | x0 x1 x2 x3 x4 x5 x6 |           the second
//     words      1 | word 2    | word 3  . . .     word 2 in the first
//
// MIXED: a round lies backwards in the input, and not in the labels. Its elements are loaded one
// by one.
//
// Barriers: after local memory is filled, before counters are emptied, before sums are.
//
// An element takes BYTES of reading and LABEL_TYPE of writing in global memory; COUNT_VALUES: one
// access of local memory; else what label.cl says and one local atomic; and few operations for
// its column.
//
// Macros  those of word.cl (WORDS_OF_ROW, PACKED) and counters.cl
//         COLUMNS     how many there are; 0: many, see above
//         BACKWARDS   1: the last row is the first column
//         MIXED       as above
//         OWN_COUNTS  1: each row has counts of its own
//         ROW_KEYS    1: each row has keys of its own (row_keys.cl)

#if !defined(COLUMNS) || !defined(BACKWARDS) || !defined(MIXED) || !defined(OWN_COUNTS) ||        \
    !defined(ROW_KEYS)
#error "COLUMNS, BACKWARDS, MIXED, OWN_COUNTS and ROW_KEYS must be defined"
#endif

// All elements, one behind the other. Words begin `head` elements behind the first one.
struct line {
    global const ELEM *x;
    global LABEL_T *labels;
    ulong all, words;
    uint head, tail;
    bool is_wide;
};

static void find_line(struct line *line, global const ELEM *x, global LABEL_T *labels,
                      const struct arguments *g)
{
    const long last = (long)g->rows - 1;
    line->x = x + (g->first + (BACKWARDS ? last * g->row_stride : 0));
    line->labels = labels + (g->label_first + (BACKWARDS ? last * g->label_row_stride : 0));
    struct words w = { .x = line->x, .labels = line->labels };
    word_offset(&w, g);
    // Where words are loaded from what lies around them, there is a word on each side.
    const uint around = w.is_wide ? 0 : AROUND;
    line->all = g->count * g->rows;
    line->is_wide = w.is_wide;
    line->head = (uint)min(line->all, (ulong)(around + (WORD - (uint)w.offset) % WORD));
    const ulong rest = line->all - line->head;
    line->words = rest < around ? 0 : (rest - around) / WORD;
    line->tail = (uint)(rest - line->words * WORD);
}

// How many elements of a word have different columns: element e has that of element e % PERIOD. What
// follows from a column is computed once for a word. H200, driver 580.159.04, 2026-11-30, 5 channels
// of i8, us by a computation for each element and so: 104 counts 272, 266, 196 counts 436, 419.
#define PERIOD (COLUMNS && COLUMNS < WORD ? COLUMNS : WORD)

// The column behind. A group of many has those that follow its window.
static uint next_column(uint column)
{
    return column + 1 == COLUMNS ? 0 : column + 1;
}

// Where element `at` of the line lies in the input. Its column is counted from the first one of
// all.
static long place_of_element(ulong at, uint column, const struct arguments *g)
{
    const long from = (long)at - (MIXED ? 2 * (long)column : 0);
    return g->stride < 0 ? -from : from;
}

// A word whose first element is element `at` of the line, and of the group's `column`.
static void load_line(PART *word, const struct line *line, ulong at, uint column,
                      const struct group *group, const struct arguments *g)
{
#if MIXED
    column += group->first;
    #pragma unroll
    for (uint e = 0; e < WORD; e++) {
        load_element(word, e, line->x, place_of_element(at + e, column, g));
        column = column + 1 == (uint)g->rows ? 0 : column + 1;
    }
#else
    load_one(word, line->x + (long)at * STRIDE(g), line->is_wide);
#endif
}

// Labels and counts a word.
static __attribute__((always_inline)) void take_word(const PART *word, const struct line *line,
                                                     ulong at, uint column, struct group *group,
                                                     const struct arguments *g)
{
    KEY_T x[WORD];
    uint label[WORD], columns[PERIOD] = { column };
    #pragma unroll
    for (uint k = 1; k < PERIOD; k++)
        columns[k] = next_column(columns[k - 1]);
    #pragma unroll
    for (uint e = 0; e < WORD; e++)
        x[e] = element(word, e);
#if !COUNT_VALUES && !ROW_KEYS
    label_few(label, x, WORD, &group->constants, group->tables, g);
#endif
    #pragma unroll
    for (uint e = 0; e < WORD; e++)
        label[e] = label_element(x[e], label[e], columns[e % PERIOD], group, g);
#if LABEL_TYPE
    const struct words w = { .labels = line->labels + at };
    store_whole(&w, 0, label, g);
#endif
}

// The elements before the first word and behind the last, of the group's columns.
static void take_ends(const struct line *line, uint width, struct group *group,
                      const struct arguments *g)
{
    #pragma unroll 1
    for (uint i = get_local_id(0); i < line->head + line->tail; i += WG) {
        const ulong at = i < line->head ? i : line->all - (line->head + line->tail) + i;
        const uint of_all = (uint)(at % g->rows), column = of_all - group->first;
        if (column >= width) // or wraps
            continue;
        const KEY_T x = (KEY_T)LOAD(line->x, place_of_element(at, of_all, g));
        uint label = 0;
#if !COUNT_VALUES && !ROW_KEYS
        label = label_of(x, &group->constants, group->tables, g);
#endif
        label = label_element(x, label, column, group, g);
#if LABEL_TYPE
        line->labels[at] = (LABEL_T)label;
#endif
    }
}

#if COLUMNS
// A group's tiles. Word i of an item is WG words behind the one before.
static void take_line(const struct line *line, struct group *group, const struct arguments *g)
{
    const uint item = get_local_id(0);
    const ulong step = (ulong)get_num_groups(0) * TILE;
    ulong t = (ulong)get_group_id(0) * TILE;
    uint column = (uint)((line->head + (t + item) * WORD) % COLUMNS);
    const uint more = (uint)(step * WORD % COLUMNS);
    for (; t < line->words; t += step) {
        const uint left = (uint)min(line->words - t, (ulong)TILE);
        PART word[ITEMS][PARTS];
        #pragma unroll
        for (uint i = 0; i < ITEMS; i++) {
            const bool is_there = i * WG + item < left;
            load_line(word[i], line, line->head + (is_there ? (t + i * WG + item) * WORD : 0),
                      (is_there ? column + i * WG * WORD : line->head) % COLUMNS, group, g);
        }
        #pragma unroll
        for (uint i = 0; i < ITEMS; i++)
            if (i * WG + item < left)
                take_word(word[i], line, line->head + (t + i * WG + item) * WORD,
                          (column + i * WG * WORD) % COLUMNS, group, g);
        column += more;
        column -= column >= COLUMNS ? COLUMNS : 0;
    }
    if (get_group_id(0) == 0) // last: by then they have come with what lies beside them
        take_ends(line, COLUMNS, group, g);
}
#else

// A group's part of the rounds, of a window of `width` columns.
static void take_window(const struct line *line, uint width, uint part, uint parts,
                        struct group *group, const struct arguments *g)
{
    const uint item = get_local_id(0), lanes = g->row_words, at_once = WG / lanes;
    const uint lane = item % lanes, own = item / lanes, rows = (uint)g->rows;
    const ulong end = line->head + line->words * WORD;
    for (ulong r = (ulong)part * at_once * ITEMS; line->words && r < g->count;
         r += (ulong)parts * at_once * ITEMS) {
        PART word[ITEMS][PARTS];
        uint column[ITEMS];
        #pragma unroll
        for (uint i = 0; i < ITEMS; i++) {
            const ulong round = r + i * at_once + own, from = round * rows + group->first;
            column[i] = ((line->head - (uint)from) & (WORD - 1)) + lane * WORD;
            const ulong at = from + column[i];
            const bool is_there = own < at_once && column[i] < width && at >= line->head &&
                                  at + WORD <= end;
            column[i] = is_there ? column[i] : ~0u;
            load_line(word[i], line, is_there ? at : line->head,
                      is_there ? column[i] : line->head % rows - group->first, group, g);
        }
        #pragma unroll
        for (uint i = 0; i < ITEMS; i++)
            if (column[i] != ~0u)
                take_word(word[i], line, (r + i * at_once + own) * rows + group->first + column[i],
                          column[i], group, g);
    }
    if (part == 0)
        take_ends(line, width, group, g);
}
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void classify(global const ELEM *restrict x, global const uint *restrict all_tables,
              global LABEL_T *restrict labels, global uint *counts, local uint4 *aligned,
              const struct arguments g)
{
    struct group group;
#if COLUMNS
    group.first = 0;
    group.columns = COLUMNS;
#else
    const uint windows = (uint)g.segment_groups, window = get_group_id(0) % windows;
    group.first = window * g.block_rows;
    const uint width = min(g.block_rows, (uint)g.rows - group.first);
    group.columns = width + WORD - 1;
#endif
    start_group(&group, (local uint *)aligned, all_tables, &g); // aligned: fill_tables()
#if ZEROES
    zero_counts(counts, &g);
#endif
    barrier(ZEROES ? CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE : CLK_LOCAL_MEM_FENCE);
#if ZEROES
    begin_counts(&g);
#endif
#if !COUNT_VALUES && !ROW_KEYS
    load_row(&group.constants, 0, all_tables, group.tables, &g);
#endif
    struct line line;
    find_line(&line, x, labels, &g);
#if COLUMNS
    take_line(&line, &group, &g);
#else
    take_window(&line, width, get_group_id(0) / windows, get_num_groups(0) / windows, &group, &g);
#endif
#if COUNTS
#if ZEROES
    end_counts(&g);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    empty_words(&group, counts, &g);
#endif
}
