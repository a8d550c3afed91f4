// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_channels: what a group has in local memory for each of its columns: keys,
// labels and counters. A column is a row in the order in which rows lie in memory.
//
//     local memory   | tables, if TABLES_LOCAL | tables of rows (row_keys.cl) | words |
//     words          COUNT_VALUES: | column, value: label, count | ... | sums: of each count |
//                    else          | column, label: count | ... |       COPIES of each, side by side
//
// COUNT_VALUES: elements of 8 bits are looked up. The word of a column and value has the label
// in its upper bits, and how often the value came up below them. One access counts and gives
// the label.
//
// Macros  those of gpu_channels.cl
//
// Defines struct group    what a group has
//         start_group()   fills its local memory; called by all items, before a barrier
//         label_element() the label of an element, which is counted
//         empty_words()   adds the counters to the counts; called by all items, behind a barrier

#define LABEL_BITS_MASK (0xffffffffu >> (32 - LABEL_SHIFT))

struct group {
    TABLE_SPACE const uint *tables;
    global const uint *all_tables;
    local uint *words;
    uint first, columns; // the group's, counted from the first one of all
    uint slots;          // of a column
#if ROW_KEYS
    row_table table; // of its columns, or of all rows
#endif
    struct row_constants constants;
};

// Columns of the group may go on at the first one of all.
static uint row_of(const struct group *group, uint column, const struct arguments *g)
{
    const uint rows = (uint)g->rows, of_all = group->first + column;
    const uint place = of_all >= rows ? of_all - rows : of_all;
    return BACKWARDS ? rows - 1 - place : place;
}

// The columns that have counters of their own.
static uint counted_columns(const struct group *group)
{
    return OWN_COUNTS ? group->columns : 1;
}

static uint label_in(KEY_T x, uint column, struct group *group, const struct arguments *g)
{
#if ROW_KEYS && ROW_TABLE_LOCAL
    load_keys_of(&group->constants, group->table, column, 0, group->all_tables, g);
#elif ROW_KEYS
    load_keys_of(&group->constants, group->table, row_of(group, column, g), 0,
                 group->all_tables, g);
#endif
    return label_of(x, &group->constants, group->tables, g);
}

#if ROW_KEYS && ROW_TABLE_LOCAL
static void fill_columns(local uint *words, const struct group *group,
                         const struct arguments *g)
{
    global const KEY_T *keys = (global const KEY_T *)group->all_tables + g->row * g->n;
    const uint each = g->n + HAS_STARTS;
    for (uint i = get_local_id(0); i < group->columns * each; i += WG) {
        const uint column = i / each;
        fill_row(words + column * row_table_words(g),
                 keys + (ulong)row_of(group, column, g) * g->n, i - column * each, g->n, g);
    }
}
#endif

#if COUNT_VALUES
static void fill_words(struct group *group, const struct arguments *g)
{
    for (uint i = get_local_id(0); i < group->columns * 256; i += WG) {
        const uint word = label_in((KEY_T)(ELEM)i, i / 256, group, g) << LABEL_SHIFT;
        for (uint copy = 0; copy < COPIES; copy++)
            group->words[i * COPIES + copy] = word;
    }
}
#endif

static void start_group(struct group *group, local uint *local_memory,
                        global const uint *all_tables, const struct arguments *g)
{
    group->all_tables = all_tables;
#if TABLES_LOCAL
    fill_tables(local_memory, all_tables + g->local_first, (uint)g->local_words);
    group->tables = local_memory;
    local_memory += g->local_words;
#else
    group->tables = all_tables;
#endif
#if ROW_KEYS && ROW_TABLE_LOCAL
    fill_columns(local_memory, group, g);
    group->table = local_memory;
    local_memory += (group->columns * row_table_words(g) + 3) & ~3u;
#elif ROW_KEYS
    group->table = (global const KEY_T *)all_tables + g->row * g->n;
#endif
    group->words = local_memory;
    group->slots = (COUNT_CLASSES ? g->classes : (uint)g->labels) + REJECTS;
#if COUNT_VALUES
#if !ROW_KEYS
    load_row(&group->constants, 0, all_tables, group->tables, g);
#endif
    fill_words(group, g);
#endif
#if COUNTS
    const uint from = COUNT_VALUES ? group->columns * 256 * COPIES : 0;
    const uint n = counted_columns(group) * (COUNT_VALUES ? (uint)g->labels : group->slots * COPIES);
    for (uint i = get_local_id(0); i < n; i += WG)
        local_memory[from + i] = 0;
#endif
}

// The label of an element, if it is not `known` yet.
static uint label_element(KEY_T x, uint known, uint column, struct group *group,
                          const struct arguments *g)
{
#if COUNT_VALUES || COUNTS
    const uint copy = get_local_id(0) % COPIES;
#endif
#if COUNT_VALUES
    local uint *word = group->words + (column * 256 + (uint)BITS(x)) * COPIES + copy;
    uint label = 0;
    if (!COUNTS)
        label = *word >> LABEL_SHIFT;
    else if (LABEL_TYPE)
        label = atomic_add(word, 1u) >> LABEL_SHIFT;
    else
        atomic_inc(word);
    return REJECTS && label == REJECT >> LABEL_SHIFT ? REJECT : label;
#else
    const uint label = ROW_KEYS ? label_in(x, column, group, g) : known;
#if COUNTS
    const uint slot = (OWN_COUNTS ? column * group->slots : 0) +
                      (REJECTS ? min(label, group->slots - 1) : label);
    atomic_inc(group->words + slot * COPIES + copy);
#endif
    return label;
#endif
}

#if COUNTS
static uint sum_copies(local const uint *word, uint slot, uint mask)
{
    uint n = 0;
    #pragma unroll
    for (uint copy = 0; copy < COPIES; copy++) // neighbours read different banks
        n += word[slot * COPIES + (copy + slot / 2) % COPIES] & mask;
    return n;
}

static void add_to_row(const struct group *group, global uint *counts, uint column, uint label,
                       uint n, const struct arguments *g)
{
    const uint row = OWN_COUNTS ? row_of(group, column, g) : 0;
    if (n && label < g->labels)
        count_add(counts, g->count_first + (long)row * g->count_row_stride +
                              (long)label * g->count_stride, n, g->wide);
}

static void empty_words(const struct group *group, global uint *counts, const struct arguments *g)
{
    local uint *words = group->words;
    const uint counted = counted_columns(group);
#if COUNT_VALUES
    // Values of one label are added up first.
    local uint *sums = words + group->columns * 256 * COPIES;
    const uint labels = (uint)g->labels;
    for (uint i = get_local_id(0); i < group->columns * 256; i += WG) {
        const uint n = sum_copies(words, i, LABEL_BITS_MASK), label = words[i * COPIES] >> LABEL_SHIFT;
        if (n && label < labels)
            atomic_add(sums + (OWN_COUNTS ? i / 256 * labels : 0) + label, n);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < counted * labels; i += WG)
        add_to_row(group, counts, i / labels, i % labels, sums[i], g);
#else
    for (uint i = get_local_id(0); i < counted * group->slots; i += WG) {
        const uint column = i / group->slots, slot = i % group->slots;
#if COUNT_CLASSES
        TABLE_SPACE const ENTRY_T *map =
            (TABLE_SPACE const ENTRY_T *)(group->tables + g->labels_at);
        const uint label = slot < g->classes ? label_of_entry(map[slot]) : REJECT;
#else
        const uint label = slot;
#endif
        add_to_row(group, counts, column, label, sum_copies(words, i, ~0u), g);
    }
#endif
}
#endif
