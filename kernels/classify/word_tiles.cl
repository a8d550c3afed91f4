// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_words: what a group does with the words of a tile, and with a row's words or those
// of some rows. gpu_words.cl draws them.
//
// Macros  those of gpu_words.cl
//
// Defines take_row() or take_rows(), prefetch_tile()

// Words that are labelled together: where keys may have to be loaded, those of 8 elements.
// Prototype with a path for doubt, H200, 2026-11-22, f32: 8 elements for an item at once 1.03 of
// the bound, 16 elements 0.77. With counters that takes too many registers for two groups of
// 1024 on a unit: 256 bins of f32, counts alone, 278 us with 8 elements (53 registers), 255 us
// with 4 (31); labels of 255 keys 314 and 317 us (H200, driver 580.159, 2026-11-22).
#if HAS_DOUBT || HAS_SIEVE
#define FEW      (COUNTS && !HAS_SIEVE ? 4 : 8)
#define TOGETHER (ITEMS * WORD <= FEW ? ITEMS : WORD < FEW ? FEW / WORD : 1)
#else
#define TOGETHER 1
#endif

#if !SPREAD
#if WORDS == WORDS_OF_ALL
// The row of a number of which each row has `each`.
static uint row_of(uint number, uint each, const struct arguments *g)
{
    const uint row = mul_hi(number, g->row_factor); // or one less
    return row + (number - row * each >= each);
}

// The same as load_word() where `at` is counted through all rows.
static void load_across(PART *word, const struct words *w, int at, const struct arguments *g)
{
    const uint count = (uint)g->count, first = (uint)max(at, 0);
    const uint row = row_of(first, count, g);
    const long next_row = g->row_stride - (long)(count - 1) * g->stride;
    uint i = first - row * count;
    long from = (long)row * g->row_stride + (long)i * g->stride;
    #pragma unroll
    for (int e = 0; e < WORD; e++) {
        load_element(word, (uint)e, w->x, from);
        if (at + e >= 0 && at + e + 1 < w->high) {
            i++;
            from += i == count ? next_row : g->stride;
            i = i == count ? 0 : i;
        }
    }
}
#endif

// Counts those elements of a word that exist.
static __attribute__((always_inline)) void count_word(struct counters *counters,
                                                      const KEY_T *x, const uint *label,
                                                      uint there, const struct arguments *g)
{
#if COUNTS && LABEL_SHIFT == 32 // else count_and_label() does it
    if ((COUNTERS != COUNTERS_DIRECT) | (there == WHOLE_WORD)) {
        count_elements(counters, x, label, WORD, there, g);
        return;
    }
    #pragma unroll
    for (uint e = 0; e < WORD; e++)
        if (there >> e & 1)
            count_elements(counters, x + e, label + e, 1, 1, g);
#endif
}

#if WORDS == WORDS_OF_ALL
// Loads the item's words of up to TILE, from number `first` on. Where they begin, and which of
// their elements exist.
static void load_tile(PART word[ITEMS][PARTS], int *at, uint *there, const struct words *rows,
                      uint first, uint left, const struct arguments *g)
{
    #pragma unroll
    for (uint i = 0; i < ITEMS; i++) {
        const uint number = i * WG + (uint)get_local_id(0);
        at[i] = (int)((first + min(number, left - 1)) * WORD) - rows->offset;
        load_across(word[i], rows, at[i], g);
        there[i] = number >= left ? 0 : are_there(rows, at[i]);
    }
}
#elif WORDS == WORDS_OF_ROWS
// The same of an item's words of its rows, in each of them from number `first` on. All elements
// of a word exist, or it does not.
static void load_tile(PART word[ITEMS][PARTS], int *at, uint *there, const struct words *rows,
                      uint first, uint left, const struct arguments *g)
{
    #pragma unroll
    for (uint i = 0; i < ITEMS; i++) {
        const struct words *w = rows + i / ROW_ITEMS;
        const uint number = first + i % ROW_ITEMS * g->row_words;
        at[i] = (int)(w->head + min(number, max(w->words, 1u) - 1) * WORD);
        there[i] = number >= w->words || w->is_idle ? 0 : WHOLE_WORD;
    }
    load_words(word, rows, at, g);
}
#endif

// Up to TILE words of *rows, from number `first` on. WORDS_OF_ROW: whole ones.
static void take_tile(const struct words *rows, uint first, uint left,
                      struct counters *counters, const struct row_constants *constants,
                      TABLE_SPACE const uint *tables, const struct arguments *g)
{
    PART word[ITEMS][PARTS];
#if WORDS == WORDS_OF_ROW
    const uint item = get_local_id(0);
    uint number[ITEMS];
    #pragma unroll
    for (uint i = 0; i < ITEMS; i++)
        number[i] = min(i * WG + item, left - 1);
    load_whole(word, rows, number, g);
#else
    int at[ITEMS];
    uint there[ITEMS];
    load_tile(word, at, there, rows, first, left, g);
#endif
#if PAIRED
    #pragma unroll
    for (uint i = 0; i < ITEMS * PARTS; i++)
        word[i / PARTS][i % PARTS] = indices_of(word[i / PARTS][i % PARTS], constants);
#endif
    next_tile(counters, g);
    #pragma unroll
    for (uint first_word = 0; first_word < ITEMS; first_word += TOGETHER) {
        KEY_T x[TOGETHER * WORD];
        uint labels[TOGETHER * WORD];
        #pragma unroll
        for (uint e = 0; e < TOGETHER * WORD; e++)
            x[e] = element(word[first_word + e / WORD], e % WORD);
        if (LABEL_SHIFT == 32)
            label_word(labels, x, TOGETHER * WORD, constants, tables, g);
        #pragma unroll
        for (uint k = 0; k < TOGETHER; k++) {
            const uint i = first_word + k;
            uint *label = labels + k * WORD;
#if WORDS == WORDS_OF_ROW
            const uint exist = WHOLE_WORD;
            if (i * WG + item >= left)
                continue;
#else
            const uint exist = WORDS == WORDS_OF_ALL ? there[i] : WHOLE_WORD;
            if (!there[i])
                continue;
#endif
#if LABEL_SHIFT < 32
            count_and_label(counters, x + k * WORD, label, WORD, exist);
#endif
            if (COUNT_CLASSES)
                count_word(counters, x + k * WORD, label, exist, g);
            map_labels(counters, label, WORD, g);
#if LABEL_TYPE && WORDS == WORDS_OF_ROW && EXCHANGES
            if (left == TILE)
                store_exchanged(rows, i * WG + item, label);
            else
                store_whole(rows, i * WG + item, label, g);
#elif LABEL_TYPE && WORDS == WORDS_OF_ROW
            store_whole(rows, i * WG + item, label, g);
#elif LABEL_TYPE && WORDS == WORDS_OF_ROWS
            store_at(rows + i / ROW_ITEMS, (uint)at[i], label, g);
#elif LABEL_TYPE
            store_word(rows, at[i], there[i], label, g);
#endif
            if (!COUNT_CLASSES)
                count_word(counters, x + k * WORD, label, exist, g);
        }
    }
}

#if WORDS == WORDS_OF_ROW
// The first `head` and the last `tail` elements of a row, which are no whole words.
static void take_ends(global const ELEM *x, global LABEL_T *labels, uint head, uint tail,
                      struct counters *counters, const struct row_constants *constants,
                      TABLE_SPACE const uint *tables, const struct arguments *g)
{
    next_tile(counters, g);
    #pragma unroll 1
    for (uint i = get_local_id(0); i < head + tail; i += WG) {
        const long e = i < head ? (long)i : (long)g->count - (head + tail) + i;
        const KEY_T key = (KEY_T)LOAD(x, e * STRIDE(g));
        const uint label = take_one(key, counters, constants, tables, g);
#if LABEL_TYPE
        labels[e * LABEL_STRIDE(g)] = (LABEL_T)label;
#endif
    }
}

// Asks for the first tile of a part, so that it comes while tables and counters are filled: 0.5 to
// 1 % (H200, driver 580.159.04, 2026-11-23; docs/measurements/classify.md).
static void prefetch_tile(global const ELEM *x, uint part, const struct arguments *g)
{
#if PTX && PACKED
    #pragma unroll
    for (uint i = 0; i < ITEMS; i++) {
        const ulong e = ((ulong)part * TILE + i * WG + get_local_id(0)) * WORD;
        if (e < g->count)
            prefetch_line(x + (long)e * STRIDE(g));
    }
#endif
}

// Tiles of one row, or of a part of it.
static void take_row(global const ELEM *x, global LABEL_T *labels, uint part,
                     struct counters *counters, const struct row_constants *constants,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
    struct words w = { .x = x, .labels = labels };
    word_offset(&w, g);
    // Where words are loaded from what lies around them, there is a word on each side.
    const uint around = (PACKED & !w.is_wide) ? AROUND : 0;
    const uint head = (uint)min(g->count, (ulong)(around + (WORD - (uint)w.offset) % WORD));
    const ulong rest = g->count - head;
    const ulong words = rest < around ? 0 : (rest - around) / WORD;
    const uint tail = (uint)(rest - words * WORD);
    const ulong first = (ulong)part * TILE, step = g->segment_groups * TILE;
    const long at = (long)(head + first * WORD), far = (long)(step * WORD);
    w.x = x + at * STRIDE(g);
    w.labels = labels + at * LABEL_STRIDE(g);
    // Words that are left are counted down: counted up, ptxas computed anew how many are left, for
    // each word of an item.
    for (long left = (long)(words - first); left > 0; left -= (long)step) {
        take_tile(&w, 0, (uint)min(left, (long)TILE), counters, constants, tables, g);
        w.x += far * STRIDE(g);
        w.labels += far * LABEL_STRIDE(g);
    }
    if (part == 0) // last: by then they have come with what lies beside them
        take_ends(x, labels, head, tail, counters, constants, tables, g);
}
#elif WORDS == WORDS_OF_ALL

// All words of the rows of a group, g->block_rows at once.
static void take_rows(global const ELEM *x, global LABEL_T *labels, struct counters *counters,
                      const struct row_constants *constants, TABLE_SPACE const uint *tables,
                      const struct arguments *g)
{
    const ulong step = (ulong)get_num_groups(0) * g->block_rows;
    for (ulong r = (ulong)get_group_id(0) * g->block_rows; r < g->rows; r += step) {
        const uint rows = (uint)min((ulong)g->block_rows, g->rows - r);
        struct words w = { .x = x + (long)r * g->row_stride,
                           .labels = labels + (long)r * g->label_row_stride,
                           .high = (int)(rows * (uint)g->count) };
        word_offset(&w, g);
        const uint words = ((uint)w.high + (uint)w.offset + WORD - 1) / WORD;
        for (uint t = 0; t < words; t += TILE)
            take_tile(&w, t, min(words - t, (uint)TILE), counters, constants, tables, g);
    }
}
#else
// The same, where an item keeps to its rows. Where there are none left, it reads row 0.
static void take_rows(global const ELEM *x, global LABEL_T *labels, struct counters *counters,
                      const struct row_constants *constants, TABLE_SPACE const uint *tables,
                      const struct arguments *g)
{
    const uint item = get_local_id(0), lanes = g->row_words, at_once = WG / lanes;
    const uint lane = item % lanes, rows = (uint)g->rows;
    const uint own = min(item / lanes, at_once - 1); // the last items have no row of their own
    const uint step = get_num_groups(0) * g->block_rows;
    const uint most = (uint)g->count / WORD, ends = most_ends(x, labels, g);
    uint row = get_group_id(0) * g->block_rows + own, turn = 0;
    global const ELEM *from = x + (long)row * g->row_stride;
    global LABEL_T *to = labels + (long)row * g->label_row_stride;
    for (uint r = row - own; r < rows; r += step) {
        struct words w[ROWS_EACH];
        #pragma unroll
        for (uint k = 0; k < ROWS_EACH; k++) {
            const uint at = row + k * at_once;
            find_words(&w[k], at >= rows ? x : from + k * (at_once * g->row_stride),
                       at >= rows ? labels : to + k * (at_once * g->label_row_stride),
                       at >= rows ? 0 : at, g);
            w[k].is_idle = item >= at_once * lanes || at >= rows;
            fetch_ends(&w[k], w[k].is_idle ? ~0u : lane, g);
        }
        for (uint first = 0; first < most; first += ROW_ITEMS * lanes)
            take_tile(w, first + lane, 0, counters, constants, tables, g);
        if (ends)
            take_ends(x, labels, r, ends, turn, counters, constants, tables, g);
        turn = (turn + (g->block_rows * ends + 31) / 32 * 32) % WG;
        row += step;
        from += step * g->row_stride;
        to += step * g->label_row_stride;
    }
}
#endif
#endif // !SPREAD
