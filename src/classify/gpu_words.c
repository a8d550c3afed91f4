/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_words of classify: rows of any place and stride on GPUs. Items take words of
 * neighbouring elements, aligned as the labels are; tables and counters lie in local memory as
 * far as they fit. words_kind.c says which words, words_tuning.c how many. The kernel is
 * kernels/classify/gpu_words.cl. */
#include "words.h"

#include <stdio.h>

// Bytes of a row's own keys in local memory, as a tree, and of the places of values of 8 bits
// (kernels/classify/own_keys.cl).
static uint64_t own_key_bytes(const struct gpuprim_classifier *f)
{
    enum { VALUES = 256 };
    const unsigned levels = gp_classify_levels(f->n);
    const uint64_t places = gp_type_size(f->in) > 1 ? 0 : levels > 8 ? 4 * VALUES : VALUES;
    return f->rows == 1 ? 0 : (gp_key_size(f->in) << levels) + places;
}

static bool fits(const gpuprim *gp, const void *call)
{
    const struct classification *c = call;
    return own_key_bytes(c->classifier) <= gp_classify_local_room(gp);
}

static bool suits(const gpuprim *gp, const void *call)
{
    const struct classification *c = call;
    // With shorter rows a group would have more setting up than work.
    return !gp->caps.is_cpu &&
           (c->in.rows == 1 || c->in.count >= 4096 || !gp_words_are_row_by_row(c));
}

enum {
    // A row has work for so many tiles, if groups of LEAST_GROUP items can do it. H200, driver
    // 580.159, 2026-11-22, 10117 rows of 8813 i32, u64 counts of 103 bins for each row, us by
    // group / items: 1024/2 283, 512/2 134, 256/2 110.
    ROW_TILES = 4,
    // The same where each row has counts of its own. H200, driver 580.159.04, 2026-11-23, 335
    // rows of 222 383 f16, 5 counts of each, us by 4 and 16: 98.9 92.3.
    OWN_ROW_TILES = 16,
    LEAST_GROUP = 256,
    ROW_PARTS = 8, // for each group, where rows are counted together
    // WORDS_OF_ROWS: tiles of a group at least, if a half of the groups still has them: filling
    // in the tables takes as long as a tile. H200, driver 580.159.04, 2026-11-23, us without
    // and with it: i8, 210 984 rows of 340 81.0, 77.4; f16 and counts, 174 092 rows of 438 145,
    // 136; u8, 1 353 959 rows of 45 69.2, 66.5; u8, 145 227 rows of 447 67.7, 67.8. With a
    // quarter of the groups, or twice the tiles, the last took 71.9.
    LEAST_TILES = 4,
    LEAST_PART = 2,
    // WORDS_OF_ROWS: items of a row side by side, if it has the words; passes of them that are
    // wanted, so that a row's place is found once for some words, if all items that the device runs
    // at once have so many; how many more are tried; and items of a row from which on all words of
    // an item lie in one row. H100, driver 580.159.04, 2026-11-27, us by four passes that left few
    // groups and by the fewest: 1622 rows of 577 u16 14.2 7.9, 163 rows of 1192 f16 and counts 10.0
    // 7.7. docs/measurements/classify.md has the figures of large calls.
    LEAST_LANES = 8,
    WANTED_PASSES = 4,
    MORE_PASSES = 8,
    ROW_LANES = 4,
    SPREAD_LANES = 16, // the first and the last of these, where words have one element
    RUN_ITEMS = 2048,  // that a compute unit runs at once
    // Bytes of local memory of a group that are few, and some, and of counters (rows_group()).
    FEW_BYTES = 4096,
    SOME_BYTES = 16384,
    FEW_COUNTERS = 1024,
    OWN_PART =
        16384, // elements of a group, where rows have keys (kernels/classify/own_keys.cl)
};

// Words of a row at most: its first and its last may be in part outside.
static uint64_t most_words(uint64_t count, uint64_t word)
{
    return gp_ceil_div(count + word - 1, word);
}

// Whether words store the steps of SEARCH_STEPS as they are (kernels/classify/steps.cl).
static bool has_plain_steps(const struct classification *c)
{
    const struct gpuprim_classifier *f = c->classifier;
    return f->method == METHOD_SEARCH && f->index.method == SEARCH_STEPS && !c->has_counts &&
           c->labels.size <= (f->index.rises ? 2 : 1);
}

// Where labels are written and counted, and the map leaves no room for the search index in local
// memory: the index goes there alone, and counters of classes, if these are no more than the labels.
// The map is read from global memory.
static void leave_map(const struct classification *c, uint64_t room, uint64_t *table_bytes,
                      struct classify_counters *counters)
{
    const struct gpuprim_classifier *f = c->classifier;
    const bool has_index = f->method == METHOD_SEARCH && f->rows == 1 && f->labels_at &&
                           f->index.method != SEARCH_STEPS && f->index.words;
    if (!c->has_labels || !c->has_counts || *table_bytes || !has_index)
        return;
    const uint64_t bytes = gp_classify_index_bytes(f), left = room - gp_min(room, bytes);
    struct classify_counters near = gp_classify_counters_of(f, COUNTED_ALONE, left, UINT64_MAX);
    const bool is_wide =
        near.form == COUNTERS_WORDS ||
        (near.form == COUNTERS_FIELDS && counters->form != COUNTERS_WORDS &&
         (counters->form == COUNTERS_DIRECT || near.fields <= counters->fields));
    if (!is_wide)
        return;
    *table_bytes = bytes;
    *counters = near;
    counters->map_is_far = true;
}

// Items of a group of short rows, at most. Their kernels take some registers more than others, so
// that one group of 1024 would be on a unit, or two of 512. Smaller groups fill in their tables, and
// empty their counters, for fewer elements. H100, driver 580.159.04, 2026-11-27, 300 counts of 1968
// rows of 7524 f64, us by 512 and 256 items: 69.7 72.4.
static unsigned rows_group(const struct classify_choice *t)
{
    const bool are_few = t->counters.bytes <= FEW_COUNTERS;
    return t->local_bytes <= FEW_BYTES && are_few ? 256
           : t->local_bytes <= SOME_BYTES         ? 512
                                                  : 1024;
}

static void specialise(const gpuprim *gp, const struct classification *c,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)variant;
    const struct gpuprim_classifier *f = c->classifier;
    struct classify_choice *t = c->choice;
    const uint64_t own_bytes = own_key_bytes(f);
    t->words = gp_words_kind(c);
    const bool is_spread = gp_words_are_spread(c, t->words);
    const enum counted counted = !c->has_counts                            ? COUNTED_NOT
                                 : c->has_labels || gp_classify_are_few(c) ? COUNTED_BESIDE
                                                                           : COUNTED_ALONE;
    const uint64_t room = gp_classify_local_room(gp);
    uint64_t table_bytes = gp_classify_local_tables(f, counted, room);
    const struct classify_counters direct = { .form = COUNTERS_DIRECT, .label_shift = 32 };
    t->counters = direct;
    if (c->has_counts)
        t->counters = gp_classify_counters_of(f, counted, room - table_bytes - own_bytes,
                                              gp_classify_counted(c));
    if (!t->counters.of_values && gp_classify_are_few(c))
        t->counters = direct;
    else
        leave_map(c, room - own_bytes, &table_bytes, &t->counters);
    t->counters.label_shift = gp_classify_label_shift(c);
    if (gp_classify_counts_intervals(c)) {
        t->counters = gp_classify_interval_counters(f);
        table_bytes = c->has_labels ? gp_classify_local_tables(f, COUNTED_NOT, room) : 0;
    }
    const bool is_narrow_row = t->words == WORDS_OF_ROW && !is_spread && !c->has_counts &&
                               c->in.size <= 2 && c->labels.size == 1 && f->rows == 1;
    const struct words_tuning *row =
        gp_words_tuning(c, &t->counters, table_bytes, is_narrow_row);
    t->local_first = gp_classify_first_local(f, table_bytes);
    t->local_words = table_bytes / sizeof(cl_uint);
    t->local_bytes = table_bytes + own_bytes + t->counters.bytes;
    const unsigned small = is_narrow_row   ? WORDS_NARROW_TABLES
                           : c->has_counts ? WORDS_SMALL
                                           : WORDS_SMALL_TABLES,
                   elements = is_narrow_row ? WORDS_NARROW_ELEMENTS : WORDS_ITEM_ELEMENTS;
    t->items_per_unit = t->counters.bytes >= WORDS_MANY ? 2048
                        : t->local_bytes <= small       ? row->items_per_unit
                                                        : row->items_per_unit_large;
    t->items = t->local_words || own_bytes ? row->items : row->items_far;
    t->word = is_spread ? 1 : WORD_ELEMENTS(c->in.size);
    if (is_spread)
        t->items = c->in.size <= 2 ? 16 : 8;
    // So many elements are work enough, or 64 bytes of them; or two words whose elements have rows
    // of their own (prototype, as above).
    const uint64_t most = is_spread                  ? t->items
                          : t->words == WORDS_OF_ALL ? 2
                                                     : 64 / (t->word * c->in.size);
    while (t->items > most ||
           (t->items > 1 && !t->counters.of_values && t->counters.form != COUNTERS_INTERVALS &&
            t->items * t->word > elements))
        t->items /= 2;
    key->work_group = row->work_group;
    if (t->words == WORDS_OF_ROWS && !is_spread)
        key->work_group = (unsigned)gp_min(key->work_group, rows_group(t));
    if (t->words == WORDS_OF_ROW && c->in.rows > 1)
        while (key->work_group > LEAST_GROUP &&
               key->work_group * t->items * t->word *
                       (c->counts_rows ? OWN_ROW_TILES : ROW_TILES) >
                   c->in.count)
            key->work_group /= 2;
    t->zeroes = gp_classify_zeroes(gp, c);
    gp_classify_define_local(key, c, t);
    gp_define(key, "ITEMS", t->items);
    gp_define(key, "WORDS", t->words);
    // Rows of fewer words would leave an item less than a row's neighbours.
    t->row_items =
        t->words == WORDS_OF_ROWS && most_words(c->in.count, t->word) <
                                         (is_spread ? SPREAD_LANES : ROW_LANES) * t->items
            ? 1
            : t->items;
    gp_define(key, "ROW_ITEMS", t->row_items);
    gp_define(key, "ROWS_TOGETHER", t->words == WORDS_OF_ROW && gp_words_are_together(c));
    gp_define(key, "SPREAD", is_spread);
    gp_define(key, "FETCH_LABELS", gp_words_fetch_labels(c, t->words, is_spread));
    gp_define(key, "PLAIN_STEPS", has_plain_steps(c));
    const bool are_forward = !c->has_labels || c->labels.stride == 1;
    gp_define(key, "PACKED", are_forward && gp_abs(c->in.stride) == 1);
    gp_define(key, "REVERSED", are_forward && c->in.stride == -1);
}

// Items of a row side by side: so many that in few passes, but as many as are wanted, most items
// of a group have words. More passes must save a sixteenth of the items.
static uint64_t lanes_of(uint64_t row_words, uint64_t row_items, uint64_t work_group,
                         uint64_t least_lanes, uint64_t wanted)
{
    const uint64_t fewest = gp_ceil_div(row_words, row_items * work_group),
                   few = gp_min(wanted, row_words / (row_items * least_lanes)),
                   least = fewest > few ? fewest : few;
    uint64_t best = 0, best_part = 0;
    for (uint64_t passes = least; passes < least + MORE_PASSES; passes++) {
        const uint64_t lanes = gp_ceil_div(row_words, row_items * passes);
        const uint64_t part = row_words * (work_group / lanes) * 256 / (passes * row_items) /
                              work_group; // of 256
        if (part <= best_part + (best ? 16 : 0) || (best && lanes < least_lanes))
            continue;
        best = lanes;
        best_part = part;
    }
    return best ? best : 1;
}

// Whole short rows, as many as a tile has words for.
static void lay_out_rows(const gpuprim *gp, const struct classification *c, uint64_t rows,
                         uint64_t count, uint64_t work_group, uint64_t wanted,
                         struct classify_layout *l)
{
    const struct classify_choice *t = c->choice;
    const uint64_t word = t->word;
    if (t->words == WORDS_OF_ALL) {
        // A multiple of `word` rows, so that all groups begin alike within a word.
        const uint64_t tile = work_group * t->items,
                       at_once = (tile - 1) * word / count / word * word,
                       factor = ((uint64_t)1 << 32) / count;
        l->row_factor = factor > UINT32_MAX ? UINT32_MAX : (uint32_t)factor;
        l->block_rows = (uint32_t)(at_once ? at_once : word);
    } else {
        const uint64_t row_words = most_words(count, word),
                       each = rows * row_words /
                              ((uint64_t)gp->caps.compute_units * RUN_ITEMS * t->items),
                       lanes = lanes_of(row_words, t->row_items, work_group,
                                        word == 1 ? SPREAD_LANES : LEAST_LANES,
                                        word == 1 ? 1 : gp_min(WANTED_PASSES, each));
        l->row_words = (uint32_t)lanes;
        l->block_rows = (uint32_t)(work_group / lanes * (t->items / t->row_items));
    }
    const uint64_t most = gp_ceil_div(rows, l->block_rows);
    l->groups = wanted > most ? most : wanted;
}

// Into how many groups a row that is counted by itself is cut: waves of groups that run at once
// take the least time, where a group has START elements' work to begin and to end, and some for
// each of its counters. H200, driver 580.159.04, 2026-11-23, us by twice the groups that run at
// once and by this: 5504 counts of each of 36 rows of f32 96.1 87.5, 5 counts of each of 335
// rows of f16 92.2 90.2.
static uint64_t parts_of(const gpuprim *gp, const struct classify_choice *t, uint64_t rows,
                         uint64_t count, uint64_t work_group)
{
    enum { MOST_PARTS = 512, START = 8192, OF_COUNTER = 4, UNIT_BYTES = 200000 };
    const uint64_t of_items = RUN_ITEMS / work_group + (work_group > RUN_ITEMS),
                   of_bytes = UNIT_BYTES / (t->local_bytes + 1024) + 1,
                   at_once = gp->caps.compute_units * gp_min(of_items, of_bytes),
                   work = START + OF_COUNTER * t->counters.bytes / sizeof(cl_uint);
    uint64_t best = 1, least = UINT64_MAX;
    for (uint64_t parts = 1; parts <= MOST_PARTS; parts++) {
        const uint64_t time = gp_ceil_div(rows * parts, at_once) * (count / parts + work);
        best = time < least ? parts : best;
        least = time < least ? time : least;
    }
    return best;
}

static void lay_out(const gpuprim *gp, const struct classification *c,
                    const struct gp_variant *variant, const struct gp_program *program,
                    uint64_t rows, uint64_t count, struct classify_layout *l)
{
    (void)variant;
    const struct classify_choice *t = c->choice;
    const unsigned work_group = program->work_group;
    const uint64_t tile = (uint64_t)work_group * t->items;
    const uint64_t all = t->words == WORDS_OF_ROW ? count : rows * count;
    // Counters have so many bits, and no group has four times the elements of the others.
    const uint64_t most_counted = t->counters.form == COUNTERS_INTERVALS
                                      ? (uint64_t)work_group << 14
                                      : (uint64_t)1 << (t->counters.label_shift - 2),
                   least = gp_ceil_div(all, most_counted);
    // A group for each unit, of 1024 items, is enough to keep it busy.
    const uint64_t units = gp_ceil_div((uint64_t)gp->caps.compute_units * 1024, work_group);
    uint64_t wanted = (uint64_t)gp->caps.compute_units * t->items_per_unit / work_group;
    if (!c->counts_rows)
        wanted = gp_classify_groups(c, rows * count, wanted, units);
    if (t->words == WORDS_OF_ROWS) {
        const uint64_t few = wanted / LEAST_PART,
                       worth = gp_ceil_div(all, tile * t->word) / LEAST_TILES;
        wanted = gp_min(wanted, worth > few ? worth : few);
    }
    if (t->words == WORDS_OF_ROW) {
        const uint64_t most = gp_ceil_div(count, tile * t->word), enough = wanted;
        // Rows that are counted together are cut into more parts than there are groups, so that
        // all groups get about as many. Elsewhere a part is a group. There are more than run at
        // once, of which the last end at about the same time, unless each has many counters to
        // empty.
        if (rows > 1)
            wanted = gp_words_are_together(c)         ? gp_ceil_div(ROW_PARTS * wanted, rows)
                     : c->counts_rows                 ? parts_of(gp, t, rows, count, work_group)
                     : t->counters.bytes < WORDS_MANY ? gp_ceil_div(2 * wanted, rows)
                                                      : wanted / rows;
        if (c->classifier->rows > 1 && wanted < count / OWN_PART)
            wanted = count / OWN_PART;
        wanted = wanted > most ? most : wanted ? wanted : 1;
        l->segment_groups = wanted < least ? least : wanted;
        l->segment = l->groups = l->segment_groups * rows;
        const uint64_t fewest = gp_ceil_div(rows * count, most_counted);
        if (gp_words_are_together(c) && l->groups > enough)
            l->groups = enough > fewest ? enough : fewest;
    } else {
        lay_out_rows(gp, c, rows, count, work_group, wanted < least ? least : wanted, l);
    }
    l->local_first = t->local_first;
    l->local_words = t->local_words;
    l->local_bytes = t->local_bytes;
}

static int describe(const struct gpuprim_classifier *f, char *text, size_t size)
{
    const uint64_t room =
        gp_classify_local_room(f->gp) - own_key_bytes(f) -
        gp_classify_local_tables(f, COUNTED_BESIDE, gp_classify_local_room(f->gp));
    const struct classify_counters counters = f->intervals_at
                                                  ? gp_classify_interval_counters(f)
                                                  : gp_classify_counters(f, room, UINT64_MAX);
    const uint64_t table_bytes =
        gp_classify_local_tables(f, COUNTED_NOT, gp_classify_local_room(f->gp));
    int n = gp_classify_describe_method(f, text, size);
    if (n < 0 || (size_t)n >= size)
        return n;
    n += snprintf(text + n, size - (size_t)n, "%s; ",
                  table_bytes && table_bytes < gp_classify_table_bytes(f)
                      ? ", of which local memory has a part"
                      : "");
    if ((size_t)n >= size)
        return n;
    return n + gp_classify_describe_counters(&counters, text + n, size - (size_t)n);
}

static const struct classify_ops ops = { specialise, lay_out, describe };

const struct gp_variant gp_classify_gpu_words = { .name = "gpu_words",
                                                  .fits = fits,
                                                  .suits = suits,
                                                  .sources = CLASSIFY_WORDS_SOURCES,
                                                  .ops = &ops };
