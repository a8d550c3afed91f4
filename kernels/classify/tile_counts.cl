// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_tiles: what a group has in local memory, and how an item counts an element.
//
// Macros  those of gpu_tiles.cl
//
// Defines TOGETHER          elements that are labelled together
//         COUNTED_TOGETHER  1: and counted together
//         JOINS_ALIKE       1: elements of one count that an item meets one behind the other are
//                           added together; add_alike() adds the last of them
//         struct group
//         count_one()
//         empty_row_counters()

// Elements that are labelled together: as in gpu_words. ITEMS may be any number up to 32.
#if ((HAS_DOUBT || HAS_SIEVE) && ITEMS > 8 && ITEMS % 8 == 0) || \
    (defined HALVES_CELLS && HALVES_CELLS && ITEMS == 8)
#define TOGETHER 8
#elif ITEMS > 4 && ITEMS % 4 == 0
#define TOGETHER 4
#elif ITEMS <= 7
#define TOGETHER ITEMS
#else
#define TOGETHER (ITEMS % 2 == 0 ? 2 : ITEMS % 3 == 0 ? 3 : ITEMS % 5 == 0 ? 5 : 1)
#endif

// FIELDS: elements are counted by four at least. One by one, each of them had the code for
// fields that overflow. H100, driver 580.159.04, 2026-11-27, 30.4 million f32, 22 459 counts,
// u16 labels: 153 us, 142 by four. By WORDS the same took 2 to 3 % longer.
#if COUNTS && ROW_COUNTS == 0 && COUNTERS == COUNTERS_FIELDS && TOGETHER % 4 == 0
#define COUNTED_TOGETHER 1
#else
#define COUNTED_TOGETHER 0
#endif

// Where counts are in global memory, and an item's elements are of one row, those that it meets
// one behind the other and that have one count are added together. Most elements of skewed data
// are.
#define JOINS_ALIKE (ROW_COUNTS == 2 && ROWS_ALONG)

// Whether an item has the keys of one row in all its tiles.
#define KEEPS_KEYS (ROW_KEYS && KEYS_HELD && ROWS_ALONG && !PASSES)

// Rows for which local memory has room.
#define TABLE_ROWS(g) (LINE_ROWS ? LINE_ROWS : (g).block_rows)

#if ROW_COUNTS == 1
#define LINE_COUNTS 4 // of a row that neighbouring items store, where they lie side by side

// Words of a row's counters.
static uint row_slots(const struct arguments *g)
{
    const uint labels = (uint)g->labels;
    return LINE_ROWS ? labels : SHORT_COUNTERS ? SHORT_ROW_COUNTERS(labels) : ROW_COUNTERS(labels);
}

// The word of a row's counter.
static uint counter_word(uint row, uint slot, const struct arguments *g)
{
    return LINE_ROWS ? slot * LINE_ROWS + row
                     : row * row_slots(g) + (SHORT_COUNTERS ? slot / 2 : slot);
}

static void add_to_counter(local uint *counters, uint row, uint slot, uint n,
                           const struct arguments *g)
{
    atomic_add(counters + counter_word(row, slot, g), SHORT_COUNTERS ? n << slot % 2 * 16 : n);
}

static uint counter_value(local const uint *counters, uint row, uint slot,
                          const struct arguments *g)
{
    const uint word = counters[counter_word(row, slot, g)];
    return SHORT_COUNTERS ? word >> slot % 2 * 16 & 0xffff : word;
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
#if JOINS_ALIKE
    long alike_at; // the count of the elements that the item met last,
    uint alike;    // and how many they are
#endif
#if ROW_KEYS
    row_table table;
#endif
    struct counters counters;
    struct row_constants constants;
};

#if JOINS_ALIKE
static void add_alike(struct group *group, global uint *counts, const struct arguments *g)
{
    if (group->alike)
        count_add(counts, group->alike_at, group->alike, g->wide);
    group->alike = 0;
}
#endif

// FEW_COUNTS: an item counts its elements in fields of 8 bits of a register. Then it adds the fields
// to its row's counters. H200, driver 580.159.04, 2026-11-30, u8, labels and 4 counts of each of 254
// columns, us before this and ROW_COUNTERS, and with both: 1020, 804.
#if FEW_COUNTS
#if ITEMS > 255 || !ROWS_ALONG || ROW_COUNTS != 1
#error "an item's elements must be of one row, and no more than a field has room for"
#endif
#define EACH_COUNT 4 // fields of a word

static void count_in_fields(uint *fields, uint label, const struct arguments *g)
{
    const bool is_counted = !REJECTS || label < (COUNT_CLASSES ? g->classes : g->labels);
    const uint one = is_counted ? 1u << (label % EACH_COUNT * 8) : 0;
    fields[0] += FEW_COUNTS == 1 || label < EACH_COUNT ? one : 0;
    if (FEW_COUNTS == 2)
        fields[FEW_COUNTS - 1] += label < EACH_COUNT ? 0 : one;
}

static void add_fields(struct group *group, uint row, const uint *fields, const struct arguments *g)
{
    #pragma unroll
    for (uint label = 0; label < EACH_COUNT * FEW_COUNTS; label++) {
        const uint n = fields[label / EACH_COUNT] >> (label % EACH_COUNT * 8) & 0xff;
        if (n)
            add_to_counter(group->row_counters, row, label, n, g);
    }
}
#endif

// Counts one element of the tile's row `row`.
static void count_one(struct group *group, ulong first_row, uint row, KEY_T x,
                      uint label, global uint *counts, const struct arguments *g)
{
#if ROW_COUNTS == 1
    if (!REJECTS || label < (COUNT_CLASSES ? g->classes : g->labels))
        add_to_counter(group->row_counters, row, label, 1, g);
#elif ROW_COUNTS == 2
    if (REJECTS && label >= g->labels)
        return;
    const long at = g->count_first + (long)(first_row + row) * g->count_row_stride +
                    (long)label * g->count_stride;
#if JOINS_ALIKE
    if (at != group->alike_at) {
        add_alike(group, counts, g);
        group->alike_at = at;
    }
    group->alike++;
#else
    count_add(counts, at, 1, g->wide);
#endif
#elif COUNTS
    count_elements(&group->counters, &x, &label, 1, 1, g);
#endif
}

#if ROW_COUNTS == 1
// Adds the counters of each row to its counts, or stores them there. COUNT_CLASSES: they are of
// classes.
static void empty_row_counters(const struct group *group, global uint *counts, ulong first_row,
                               uint rows, const struct arguments *g)
{
    const uint labels = (uint)g->labels, of_row = LINE_ROWS ? LINE_COUNTS : labels;
    const uint n = LINE_ROWS ? (labels + LINE_COUNTS - 1) / LINE_COUNTS * LINE_COUNTS : labels;
    for (uint i = get_local_id(0); i < rows * n; i += WG) {
        const uint of_line = i / of_row, line = LINE_ROWS ? of_line / rows : 0;
        const uint row = of_line - line * rows;
        const uint slot = line * of_row + i % of_row;
        const uint label = counted_label(&group->counters, slot, g);
        if (slot >= labels || label >= labels) // no class, or one without a label
            continue;
        const long at = g->count_first + (long)(first_row + row) * g->count_row_stride +
                        (long)label * g->count_stride;
        count_put(counts, at, counter_value(group->row_counters, row, slot, g), g);
    }
}
#endif
