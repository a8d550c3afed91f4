/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_channels of classify: rows that are interleaved without gaps, as the channels
 * of a signal or the columns of a matrix are, on GPUs. Rows have counts or keys of their own,
 * and all elements are one line. The kernel is kernels/classify/gpu_channels.cl. */
#include "classify.h"

enum {
    WORK_GROUP = 512,
    FEW_COLUMNS = 64, // each number of them is a program; of more, groups have a window
    // A window, in bytes of the input and in elements, and the local memory that it is worth.
    LEAST_WINDOW = 32,
    MOST_WINDOW = 512,
    MOST_WINDOW_ELEMENTS = 128,
    WINDOW_ROOM = 24576,
    // Bytes of an item's words, and its elements.
    ITEM_BYTES = 64,
    ITEM_ELEMENTS = 16,
    VALUE_ELEMENTS = 32,
    // Work-items of the launch for each compute unit: with at most SMALL bytes of local memory, and
    // with more.
    PER_UNIT = 8192,
    PER_UNIT_LARGE = 4096,
    PER_UNIT_VALUES = 2048,
    SMALL = 8192,
    // Elements of a group for each word of local memory that it fills and empties. By 64 the
    // counts of 3023 columns of u8 (below) took 157 us instead of 135.
    FILLED = 16,
    COPIES_BYTES = 16384,
    // Bytes of the copies of counters of values, at most. H200, driver 580.159.04, 2026-11-30, 5 channels of i8, us by
    // 2 copies and by 8: 104 counts 266, 246, 196 counts 419, 387.
    VALUE_COPIES_BYTES = 40960,
    MOST_COPIES = 16,
    VALUES = 256,
    MOST_LABEL_BITS = 12,
    ALIGNED = 16, // bytes that parts of local memory begin at a multiple of
};

static bool is_wide(const struct classification *c)
{
    return c->in.rows > FEW_COLUMNS;
}

static bool is_of_values(const struct classification *c)
{
    return c->in.size == 1 && !is_wide(c);
}

// Whether the last row is the first in memory; without labels c->labels is the input.
static bool is_backwards(const struct classification *c)
{
    return c->labels.row_stride < 0;
}

static bool is_mixed(const struct classification *c)
{
    return (c->in.stride < 0) != (is_backwards(c) != (c->in.row_stride < 0));
}

static bool is_one_line(const struct gp_array *a, uint64_t rows)
{
    return gp_abs(a->row_stride) == 1 && gp_abs(a->stride) == rows;
}

static unsigned label_bits(const struct gpuprim_classifier *f)
{
    unsigned bits = 8;
    while (f->labels + f->may_reject > (uint64_t)1 << bits)
        bits++;
    return bits;
}

// Local memory of a group for so many columns: keys, and words with one copy of each.
static uint64_t key_bytes(const struct classification *c, uint64_t columns)
{
    const struct gpuprim_classifier *f = c->classifier;
    return gp_classify_has_row_keys(c) && !is_of_values(c)
               ? gp_ceil_div(columns * (f->n | 1) * gp_key_size(f->in), ALIGNED) * ALIGNED
               : 0;
}

static uint64_t slots_of(const struct classification *c, uint64_t columns)
{
    const struct gpuprim_classifier *f = c->classifier;
    if (is_of_values(c))
        return columns * VALUES;
    return c->has_counts ? (c->counts_rows ? columns : 1) * (f->labels + f->may_reject) : 0;
}

static uint64_t sums_of(const struct classification *c, uint64_t columns)
{
    return is_of_values(c) && c->has_counts
               ? (c->counts_rows ? columns : 1) * c->classifier->labels
               : 0;
}

static uint64_t bytes_of(const struct classification *c, uint64_t columns)
{
    return key_bytes(c, columns) +
           (slots_of(c, columns) + sums_of(c, columns)) * sizeof(cl_uint);
}

// The columns of a window: so many that its words take WINDOW_ROOM, or at least one word. A
// group has those of a word more.
static uint64_t window_of(const struct classification *c)
{
    const uint64_t word = WORD_ELEMENTS(c->in.size),
                   most = gp_min(MOST_WINDOW / c->in.size, MOST_WINDOW_ELEMENTS),
                   least = gp_ceil_div(LEAST_WINDOW, c->in.size * word) * word;
    uint64_t window = most;
    while (window > least && bytes_of(c, window + word - 1) > WINDOW_ROOM)
        window -= word;
    return window;
}

// Columns that a group has keys, labels or counters of.
static uint64_t columns_of(const struct classification *c)
{
    return is_wide(c) ? window_of(c) + WORD_ELEMENTS(c->in.size) - 1 : c->in.rows;
}

static bool fits(const gpuprim *gp, const void *call)
{
    const struct classification *c = call;
    const struct gpuprim_classifier *f = c->classifier;
    // The line is taken whole: nothing goes through staging memory, and no row is left to a
    // second launch.
    const bool is_here = c->in.memory != GPUPRIM_HOST &&
                         (!c->has_labels || c->labels.memory != GPUPRIM_HOST) &&
                         !(gp_classify_has_row_counts(c) && c->counts.memory == GPUPRIM_HOST);
    return is_here && c->in.rows > 1 && c->in.count > 1 && c->labels.stride > 0 &&
           is_one_line(&c->in, c->in.rows) && is_one_line(&c->labels, c->in.rows) &&
           (gp_classify_has_row_keys(c) || gp_classify_has_row_counts(c)) &&
           (!gp_classify_has_row_keys(c) || f->are_even_rows || is_of_values(c)) &&
           (!is_of_values(c) || label_bits(f) <= MOST_LABEL_BITS) &&
           c->in.rows <= CLASSIFY_MAX_ROWS &&
           bytes_of(c, columns_of(c)) <= gp_classify_local_room(gp);
}

// Whether many columns suit. H200, driver 580.159.04, us by gpu_tiles and by this. 2026-11-23: u8,
// labels and 75 counts of each of 3023 224, 135; u16, hash tables, 200 counts of each of 377 228,
// 543; f32, 287 of each of 19 434 168, 182; f64, 300 of each of 1218 98, 107. 2026-11-30, labels
// and counts of bytes: 42 counts 640, 522; 4 790, 711; 5 572, 472; 128 2121, 1101; but MIXED, 21
// 1008, 1356; 200 of 4812 cases 857, 1239. Of 16 bits by keys: 44 1614, 1218; 31, MIXED, 753, 642;
// 323 4440, 3228; 489 4874, 2687; but 189 of 15 cases 1615, 2575. Counts alone of bytes: 2 483,
// 675; 11 490, 638; 45 339, 510; of 16 bits: 7 665, 541; 92 734, 737; 122 377, 379; 299 760, 822;
// 2026-12-01, 3 458, 449; 4 464, 700; 5 623, 401, of 11 comparisons 1009, 1571; 8 854, 648; 20 402,
// 1388; 31 394, 331; 69 361, 403. Labels and counts of 4 bytes: 2 641, 423; 5 524, 359, of 16
// comparisons 1330, 1228; 13 691, 534; 17 579, 515; 31 993, 751; 39 1020, 777; 68 713, 471; 118 1081,
// 847; but 4, most elements of one, 732, 890; 200 of 65 cases 1163, 1199. Calls of more counts have
// parts (parts.c).
static bool suits_wide(const struct classification *c)
{
    const struct gpuprim_classifier *f = c->classifier;
    const uint64_t size = c->in.size;
    if (!c->has_labels)
        return false;
    if (size == 2)
        return f->method == METHOD_SEARCH;
    return !is_mixed(c) && (size == 1 || (size == 4 && f->labels < CLASSIFY_MANY));
}

// H200, driver 580.159.04, 2026-11-23, us by gpu_tiles and by this: u8, labels and 45 counts of
// each of 8 rows 209, 180; f32, 5 counts of each of 11 94, 82, and 23 of each of 4 143, 104; keys
// of each row: u8 1 in 3 rows, MIXED 200, 118, f32 76 in 3 rows 204, 188; but 7 of i16 in 1378
// columns 276, 305; 29 of f16 in 6, MIXED 325, 345.
static bool suits(const gpuprim *gp, const void *call)
{
    const struct classification *c = call;
    const bool searches = gp_classify_has_row_keys(c) && !is_of_values(c);
    return !gp->caps.is_cpu && (!is_wide(c) || suits_wide(c)) &&
           !(searches && (is_wide(c) || is_mixed(c)));
}

static struct classify_counters counters_of(const struct classification *c, uint64_t room)
{
    struct classify_counters counters = { .form = COUNTERS_DIRECT, .label_shift = 32 };
    const uint64_t columns = columns_of(c), words = slots_of(c, columns) * sizeof(cl_uint),
                   sums = sums_of(c, columns) * sizeof(cl_uint),
                   most = is_of_values(c) ? VALUE_COPIES_BYTES : COPIES_BYTES;
    if (!words)
        return counters;
    counters.form = COUNTERS_WORDS;
    counters.copies = 1;
    counters.of_values = is_of_values(c);
    if (counters.of_values)
        counters.label_shift = 32 - label_bits(c->classifier);
    while (c->has_counts && c->in.size <= 2 && counters.copies < MOST_COPIES &&
           2 * counters.copies * words <= most && 2 * counters.copies * words + sums <= room)
        counters.copies *= 2;
    counters.bytes = counters.copies * words + sums;
    return counters;
}

static void specialise(const gpuprim *gp, const struct classification *c,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)variant;
    const struct gpuprim_classifier *f = c->classifier;
    struct classify_choice *t = c->choice;
    const uint64_t columns = columns_of(c), keys = key_bytes(c, columns),
                   local = gp_classify_local_room(gp);
    const uint64_t table_bytes =
        is_of_values(c)
            ? 0
            : gp_classify_local_tables(f, COUNTED_NOT, local - bytes_of(c, columns));
    t->counters = counters_of(c, local - table_bytes - keys);
    unsigned merge = 0;
    const uint64_t room = local - table_bytes - keys - t->counters.bytes,
                   starts =
                       keys && room > ALIGNED
                           ? gp_classify_choose_starts(c, (room - ALIGNED) / columns, &merge)
                           : 0;
    t->local_first = gp_classify_first_local(f, table_bytes);
    t->local_words = table_bytes / sizeof(cl_uint);
    t->local_bytes = table_bytes + keys + gp_ceil_div(columns * starts, ALIGNED) * ALIGNED +
                     t->counters.bytes;
    t->tile_rows = window_of(c);
    t->word = WORD_ELEMENTS(c->in.size);
    const unsigned most = is_of_values(c) ? VALUE_ELEMENTS : ITEM_ELEMENTS;
    t->items = (unsigned)gp_min(ITEM_BYTES / (t->word * c->in.size), most / t->word);
    t->zeroes = gp_classify_zeroes(gp, c);
    key->work_group = WORK_GROUP;
    gp_classify_define_local(key, c, t);
    gp_define(key, "ITEMS", t->items);
    gp_define(key, "WORDS", WORDS_OF_ROW);
    gp_define(key, "ROW_ITEMS", t->items);
    gp_define(key, "SPREAD", 0);
    gp_define(key, "PACKED", 1);
    gp_define(key, "REVERSED", c->in.stride < 0 && !is_mixed(c));
    gp_define(key, "COLUMNS", is_wide(c) ? 0 : (uint32_t)c->in.rows);
    gp_define(key, "BACKWARDS", is_backwards(c));
    gp_define(key, "MIXED", is_mixed(c));
    gp_define(key, "OWN_COUNTS", gp_classify_has_row_counts(c));
    gp_define(key, "ROW_KEYS", gp_classify_has_row_keys(c));
    if (!gp_classify_has_row_keys(c))
        return;
    gp_define(key, "KEYS_LOCAL", keys > 0);
    gp_define(key, "KEYS_EVEN", f->are_even_rows);
    gp_classify_define_cells(key, f,
                             starts                    ? CELLS_LOCAL
                             : keys || !f->index.words ? 0
                                                       : CELLS_GLOBAL,
                             merge, 0);
}

// Items of a group that take a round of a window's words, which begin anywhere in a word.
static uint64_t round_items(const struct classification *c, uint64_t rows)
{
    return gp_min(window_of(c), rows) / WORD_ELEMENTS(c->in.size) + 1;
}

static bool holds(const struct gp_variant *variant, const void *call,
                  const struct gp_program *program)
{
    (void)variant;
    const struct classification *c = call;
    return !is_wide(c) || program->work_group >= round_items(c, c->in.rows);
}

static void lay_out(const gpuprim *gp, const struct classification *c,
                    const struct gp_variant *variant, const struct gp_program *program,
                    uint64_t rows, uint64_t count, struct classify_layout *l)
{
    (void)variant;
    const struct classify_choice *t = c->choice;
    const uint64_t work_group = program->work_group, all = rows * count,
                   tile = work_group * t->items * t->word,
                   units = gp_ceil_div((uint64_t)gp->caps.compute_units * 1024, work_group);
    const unsigned per_unit = is_of_values(c)           ? PER_UNIT_VALUES
                              : t->local_bytes <= SMALL ? PER_UNIT
                                                        : PER_UNIT_LARGE;
    const uint64_t wanted = (uint64_t)gp->caps.compute_units * per_unit / work_group,
                   worth = all * sizeof(cl_uint) / (FILLED * (t->local_bytes + 1)),
                   most = gp_ceil_div(all, tile);
    // Counters have so many bits, and no group has four times the elements of the others.
    const uint64_t least = gp_ceil_div(all, (uint64_t)1 << (t->counters.label_shift - 2));
    l->groups = gp_min(gp_min(wanted, worth > units ? worth : units), most);
    l->groups = l->groups < least ? least : l->groups;
    l->segment_groups = 1;
    if (is_wide(c)) { // groups of each window
        l->block_rows = (uint32_t)t->tile_rows;
        l->row_words = (uint32_t)round_items(c, rows);
        l->segment_groups = gp_ceil_div(rows, t->tile_rows);
        const uint64_t parts = gp_min(l->groups / l->segment_groups,
                                      gp_ceil_div(count, work_group / l->row_words * t->items));
        const uint64_t least_parts = gp_ceil_div(count * columns_of(c), (uint64_t)1 << 31);
        l->groups = l->segment_groups * (parts > least_parts ? parts : least_parts);
    }
    l->segment = l->groups;
    l->local_first = t->local_first;
    l->local_words = t->local_words;
    l->local_bytes = t->local_bytes;
}

static int describe(const struct gpuprim_classifier *f, char *text, size_t size)
{
    return gp_classify_describe_method(f, f->index.method, text, size);
}

static const struct classify_ops ops = { specialise, lay_out, describe };

const struct gp_variant gp_classify_gpu_channels = {
    .name = "gpu_channels",
    .fits = fits,
    .suits = suits,
    .holds = holds,
    .sources = CLASSIFY_GPU_SOURCES(
        "classify/row_keys.cl", "classify/row_places.cl", "classify/label.cl",
        "classify/word.cl", "classify/word_loads.cl", "classify/store.cl",
        CLASSIFY_COUNTER_SOURCES, "classify/columns.cl", "classify/gpu_channels.cl"),
    .ops = &ops
};
