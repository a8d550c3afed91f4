// SPDX-License-Identifier: Apache-2.0
//
// classify on GPUs: rows of some hundred or thousand neighbouring elements, with counts of
// their own. A group takes g.block_rows rows at once, by g.row_words items each. It counts in
// local memory, for each row by itself, and empties its counters before it takes the next rows.
//
//     items     | 0 1 2 0 1 2 . . | 3 4 5 3 4 5 . . |   ITEMS 2, 3 items for each of two rows
//     row r     | head | word word word word word word | tail |
//     row r + 1   | head | word ...
//
// Words are those of word.cl. Elements that are no whole words are taken one by one.
//
// Local memory: | tables, if TABLES_LOCAL | row, label: count | ... |, COPIES side by side
// Barriers: after local memory is filled, around the emptying of counters.
//
// An element takes BYTES of reading and LABEL_TYPE of writing in global memory, the reads of
// search.cl and label.cl, a local atomic, and about ten operations.
//
// Macros  those of word.cl (WORDS_OF_ROW, PACKED) and counters.cl

struct row {
    struct words w; // its first whole word
    uint head, words, tail;
};

static void find_row(struct row *r, global const ELEM *x, global LABEL_T *labels, uint number,
                     const struct arguments *g)
{
    const uint count = (uint)g->count;
    const ulong apart = max(abs(g->row_stride), 1ul);
    // Memory of the input goes on for two words at either end of the row, as other rows are there.
    const uint far = apart < 2 * WORD ? 2 * WORD / (uint)apart + 1 : 1;
    const bool is_inside = number >= far && number + far < (uint)g->rows;
    r->w.x = x + (long)number * g->row_stride;
    r->w.labels = labels + (long)number * g->label_row_stride;
    word_offset(&r->w, g);
    const uint around = r->w.is_wide || is_inside ? 0 : AROUND;
    r->head = min(count, around + (WORD - (uint)r->w.offset) % WORD);
    const uint rest = count - r->head;
    r->words = rest < around ? 0 : (rest - around) / WORD;
    r->tail = rest - r->words * WORD;
    r->w.x += (long)r->head * STRIDE(g);
    r->w.labels += r->head;
}

static uint slots_of(const struct arguments *g)
{
    return (COUNT_CLASSES ? g->classes : (uint)g->labels) + REJECTS;
}

static void count_label(local uint *counters, uint label, const struct arguments *g)
{
    const uint slot = REJECTS ? min(label, slots_of(g) - 1) : label;
    atomic_inc(counters + slot * COPIES + get_local_id(0) % COPIES);
}

// The item's words of a row, from number `first` on.
static void take_words(const struct row *r, uint first, uint lanes, local uint *counters,
                       const struct row_constants *constants, TABLE_SPACE const uint *tables,
                       const struct arguments *g)
{
    PART word[ITEMS][PARTS];
    uint number[ITEMS];
    #pragma unroll
    for (uint i = 0; i < ITEMS; i++)
        number[i] = min(first + i * lanes, r->words - 1);
    load_whole(word, &r->w, number, g);
    #pragma unroll
    for (uint i = 0; i < ITEMS; i++) {
        KEY_T x[WORD];
        uint label[WORD];
        #pragma unroll
        for (uint e = 0; e < WORD; e++)
            x[e] = element(word[i], e);
        if (first + i * lanes >= r->words)
            continue;
        label_few(label, x, WORD, constants, tables, g);
        #pragma unroll
        for (uint e = 0; e < WORD; e++)
            count_label(counters, label[e], g);
#if LABEL_TYPE
        store_whole(&r->w, number[i], label, g);
#endif
    }
}

// The elements before the first word and behind the last.
static void take_ends(const struct row *r, uint lane, uint lanes, local uint *counters,
                      const struct row_constants *constants, TABLE_SPACE const uint *tables,
                      const struct arguments *g)
{
    #pragma unroll 1
    for (uint i = lane; i < r->head + r->tail; i += lanes) {
        const int at = i < r->head ? (int)i - (int)r->head : (int)(r->words * WORD + i - r->head);
        const uint label = label_of((KEY_T)LOAD(r->w.x, at * (int)STRIDE(g)), constants, tables, g);
        count_label(counters, label, g);
#if LABEL_TYPE
        r->w.labels[at] = (LABEL_T)label;
#endif
    }
}

// Adds the counters of the rows from `first` on to their counts, or stores them there, and sets
// them to zero.
static void empty_rows(local uint *counters, uint first, uint rows, global uint *counts,
                       TABLE_SPACE const uint *tables, const struct arguments *g)
{
    const uint slots = slots_of(g);
    for (uint i = get_local_id(0); i < rows * slots; i += WG) {
        uint n = 0;
        #pragma unroll
        for (uint copy = 0; copy < COPIES; copy++) {
            n += counters[i * COPIES + copy];
            counters[i * COPIES + copy] = 0;
        }
        const uint row = i / slots, slot = i - row * slots;
#if COUNT_CLASSES
        TABLE_SPACE const ENTRY_T *map = (TABLE_SPACE const ENTRY_T *)(tables + g->labels_at);
        const uint label = slot < g->classes ? label_of_entry(map[slot]) : REJECT;
#else
        const uint label = slot;
#endif
        const long at = g->count_first + (long)(first + row) * g->count_row_stride +
                        (long)label * g->count_stride;
        if (label < g->labels)
            count_put(counts, at, n, g);
    }
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void classify(global const ELEM *restrict x, global const uint *restrict all_tables,
              global LABEL_T *restrict labels, global uint *counts, local uint4 *aligned,
              const struct arguments g)
{
    local uint *counters = (local uint *)aligned; // aligned: fill_tables()
#if TABLES_LOCAL
    fill_tables(counters, all_tables + g.local_first, (uint)g.local_words);
    TABLE_SPACE const uint *tables = counters;
    counters += g.local_words;
#else
    TABLE_SPACE const uint *tables = all_tables;
#endif
    const uint lanes = g.row_words, at_once = g.block_rows, item = get_local_id(0);
    const uint own = item / lanes, lane = item % lanes, rows = (uint)g.rows;
    for (uint i = item; i < at_once * slots_of(&g) * COPIES; i += WG)
        counters[i] = 0;
#if ZEROES
    zero_counts(counts, &g);
#endif
    barrier(ZEROES ? CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE : CLK_LOCAL_MEM_FENCE);
#if ZEROES
    begin_counts(&g);
    bool is_zero = false;
#endif
    struct row_constants constants;
    load_row(&constants, 0, all_tables, tables, &g);
    for (uint first = get_group_id(0) * at_once; first < rows;
         first += (uint)get_num_groups(0) * at_once) {
        if (own < at_once && first + own < rows) {
            local uint *of_row = counters + own * slots_of(&g) * COPIES;
            struct row r;
            find_row(&r, x + g.first, labels + g.label_first, first + own, &g);
            for (uint word = lane; word < r.words; word += ITEMS * lanes)
                take_words(&r, word, lanes, of_row, &constants, tables, &g);
            take_ends(&r, lane, lanes, of_row, &constants, tables, &g);
        }
#if ZEROES
        if (!is_zero)
            end_counts(&g);
        is_zero = true;
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
        empty_rows(counters, first, min(at_once, rows - first), counts, tables, &g);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
