/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_words of classify: rows of any place and stride on GPUs. Items take words of
 * neighbouring elements, aligned as the labels are; tables and counters lie in local memory as
 * far as they fit. words_kind.c says which words, words_tuning.c how many, and words_layout.c
 * which groups take them. The kernel is kernels/classify/gpu_words.cl. */
#include "words.h"

#include <stdio.h>

// Whether each row has keys of its own, one for each node of its tree.
static bool has_full_tree(const struct gpuprim_classifier *f)
{
    return f->rows > 1 && f->are_even_rows && f->n + 1 == 1u << gp_classify_levels(f->n);
}

static bool fits(const gpuprim *gp, const void *call)
{
    const struct classification *c = call;
    return gp_words_keys(c).bytes <= gp_classify_local_room(gp);
}

static bool suits(const gpuprim *gp, const void *call)
{
    const struct classification *c = call;
    // With shorter rows a group would have more setting up than work.
    return !gp->caps.is_cpu &&
           (c->in.rows == 1 || gp_words_are_long(c) || !gp_words_are_row_by_row(c));
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
    ROW_LANES =
        4, // WORDS_OF_ROWS: items of a row from which on all words of an item lie in one
    // Bytes of local memory of a group that are few, and some, and of counters (rows_group()).
    FEW_BYTES = 4096,
    SOME_BYTES = 16384,
    FEW_COUNTERS = 1024,
};

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

// The tables and counters that a group has in local memory.
static void take_local(const gpuprim *gp, const struct classification *c)
{
    const struct gpuprim_classifier *f = c->classifier;
    struct classify_choice *t = c->choice;
    const uint64_t room = gp_classify_local_room(gp), own_bytes = t->keys.bytes;
    const enum counted counted = !c->has_counts                            ? COUNTED_NOT
                                 : gp_words_count_ranks(c)                 ? COUNTED_BY_RANK
                                 : c->has_labels || gp_classify_are_few(c) ? COUNTED_BESIDE
                                                                           : COUNTED_ALONE;
    const struct classify_counters direct = { .form = COUNTERS_DIRECT, .label_shift = 32 };
    uint64_t table_bytes = gp_classify_local_tables(f, counted, room);
    t->counters = direct;
    if (c->has_counts)
        t->counters = gp_classify_counters_of(f, counted, room - table_bytes - own_bytes,
                                              gp_classify_counted(c));
    if (!t->counters.of_values && gp_classify_are_few(c))
        t->counters = direct;
    else
        leave_map(c, room - own_bytes, &table_bytes, &t->counters);
    // A classifier of 4-byte elements has one more program for that: of many elements, with
    // labels and counts.
    const bool are_many =
        !c->counts_rows && (gp->as_if_large || gp_classify_counted(c) == UINT64_MAX);
    if (c->in.size == 4 && c->has_labels && are_many && !t->counters.map_is_far)
        gp_classify_copy_counters(f, room - table_bytes - own_bytes, &t->counters);
    t->counters.label_shift = gp_classify_label_shift(c);
    if (gp_classify_counts_intervals(c)) {
        t->counters = gp_classify_interval_counters(f);
        table_bytes = c->has_labels ? gp_classify_local_tables(f, COUNTED_NOT, room) : 0;
    }
    t->local_first = gp_classify_first_local(f, table_bytes);
    t->local_words = table_bytes / sizeof(cl_uint);
    t->local_bytes = table_bytes + own_bytes + t->counters.bytes;
}

// Passes all tables by value, where local memory has room for them beside the counters. Any number
// of elements is taken so: it is one program less for each classifier.
static void take_by_value(const gpuprim *gp, const struct gpuprim_classifier *f,
                          struct classify_choice *t)
{
    enum { POINTERS = 8 };
    const uint64_t words = gp_ceil_div(f->words, 4) * 4; // as aligned as memory is
    const uint64_t bytes =
        t->local_bytes - t->local_words * sizeof(cl_uint) + words * sizeof(cl_uint);
    if (f->rows > 1 || f->words > MOST_BY_VALUE || bytes > gp_classify_local_room(gp) ||
        sizeof f->by_value + sizeof(struct arguments) + POINTERS * sizeof(cl_ulong) >
            gp->caps.max_parameter_bytes)
        return;
    t->local_bytes = bytes;
    t->local_first = 0;
    t->local_words = words;
    t->by_value = true;
}

// Words that an item has in flight, and items for each unit.
static void take_items(const struct classification *c, const struct words_tuning *tuning,
                       bool is_spread)
{
    struct classify_choice *t = c->choice;
    const bool is_narrow = !is_spread && !c->has_counts && c->in.size <= 2 &&
                           c->labels.size == 1 && c->classifier->rows == 1;
    const bool is_narrow_row = is_narrow && t->words == WORDS_OF_ROW;
    // H200, driver 580.159.04, 2026-11-28, us of 16 elements and of 32: u8 to u8, rows of 52
    // 173 143; i8 to u8, of 1638 69.4 65.5, of 3691 49.7 48.2. But f16 to u8, rows of 1033 92.0
    // 107, u16, of 1081 89.1 100, i16 to u8, of 564 79.1 75.3.
    const bool is_byte_row = is_narrow && t->words == WORDS_OF_ROWS && c->in.size == 1;
    const unsigned small = is_narrow_row   ? WORDS_NARROW_TABLES
                           : c->has_counts ? WORDS_SMALL
                                           : WORDS_SMALL_TABLES,
                   elements = is_narrow_row || is_byte_row ? WORDS_NARROW_ELEMENTS
                                                           : WORDS_ITEM_ELEMENTS;
    t->items_per_unit = t->counters.bytes >= WORDS_MANY ? 2048
                        : t->local_bytes <= small       ? tuning->items_per_unit
                                                        : tuning->items_per_unit_large;
    t->items = t->local_words || t->keys.bytes ? tuning->items : tuning->items_far;
    t->word = is_spread ? 1 : WORD_ELEMENTS(c->in.size);
    if (is_spread)
        t->items = c->in.size <= 2 ? 16 : 8;
    // So many elements are work enough, or 64 bytes of them; or two words whose elements have rows
    // of their own (the prototype of kernels/classify/gpu_words.cl).
    const uint64_t most = is_spread                  ? t->items
                          : t->words == WORDS_OF_ALL ? 2
                                                     : 64 / (t->word * c->in.size);
    while (t->items > most ||
           (t->items > 1 && !t->counters.of_values && t->counters.form != COUNTERS_INTERVALS &&
            t->items * t->word > elements))
        t->items /= 2;
    // Rows of fewer words would leave an item less than a row's neighbours.
    const unsigned lanes = is_spread ? WORDS_SPREAD_LANES : ROW_LANES;
    t->row_items =
        t->words == WORDS_OF_ROWS && gp_words_most(c->in.count, t->word) < lanes * t->items
            ? 1
            : t->items;
}

static unsigned group_of(const struct classification *c, unsigned work_group, bool is_spread)
{
    const struct classify_choice *t = c->choice;
    const unsigned tiles = c->counts_rows ? OWN_ROW_TILES : ROW_TILES;
    if (t->words == WORDS_OF_ROWS && !is_spread)
        work_group = (unsigned)gp_min(work_group, rows_group(t));
    if (t->words == WORDS_OF_ROW && c->in.rows > 1)
        while (work_group > LEAST_GROUP &&
               work_group * t->items * t->word * tiles > c->in.count)
            work_group /= 2;
    return work_group;
}

// Elements that are counted alone. H200, driver 580.159.04, 2026-11-30, 2^28 f32, us by INTERPOLATE
// and by this: 256 / 1024 / 4096 bins 241 / 243 / 249, 239 / 239 / 240. With labels it is no gain:
// 1023 keys 376, 379; labels and counts at places that are not aligned 316, 320.
static bool computes_multiples(const struct classification *c)
{
    return c->classifier->multiples.method == SEARCH_MULTIPLES && c->has_counts &&
           !c->has_labels;
}

static void define_keys(struct gp_key *key, const struct gpuprim_classifier *f,
                        const struct words_keys *keys)
{
    gp_define(key, "OWN_KEYS", keys->form);
    if (keys->form == OWN_TREE)
        gp_define(key, "FULL_TREE", has_full_tree(f));
    if (keys->form == OWN_RANKS)
        gp_define(key, "RANK_PLACES", keys->places);
    if (keys->form != OWN_CELLS)
        return;
    gp_define(key, "KEYS_LOCAL", 1);
    gp_define(key, "KEYS_EVEN", f->are_even_rows);
    gp_classify_define_cells(key, f, CELLS_LOCAL, keys->merge, keys->apart);
}

static void specialise(const gpuprim *gp, const struct classification *c,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)variant;
    struct classify_choice *t = c->choice;
    t->keys = gp_words_keys(c);
    t->is_multiples = computes_multiples(c);
    take_local(gp, c);
    t->words = gp_words_kind(c);
    const bool is_spread = gp_words_are_spread(c, t->words);
    const struct words_tuning *tuning =
        gp_words_tuning(c, &t->counters, t->local_words * sizeof(cl_uint));
    take_items(c, tuning, is_spread);
    key->work_group = gp_words_spread_few(gp, c, group_of(c, tuning->work_group, is_spread));
    t->zeroes = gp_classify_zeroes(gp, c);
    take_by_value(gp, c->classifier, t);
    gp_classify_define_local(key, c, t);
    define_keys(key, c->classifier, &t->keys);
    gp_define(key, "ITEMS", t->items);
    gp_define(key, "WORDS", t->words);
    gp_define(key, "ROW_ITEMS", t->row_items);
    gp_define(key, "ROWS_TOGETHER", t->words == WORDS_OF_ROW && gp_words_are_together(c));
    gp_define(key, "SPREAD", is_spread);
    gp_define(key, "FETCH_LABELS", gp_words_fetch_labels(c, t->words, is_spread));
    gp_define(key, "PLAIN_STEPS", has_plain_steps(c));
    const bool are_forward = !c->has_labels || c->labels.stride == 1;
    gp_define(key, "PACKED", are_forward && gp_abs(c->in.stride) == 1);
    gp_define(key, "REVERSED", are_forward && c->in.stride == -1);
}

static int describe_cells(const struct gpuprim_classifier *f, const struct words_keys *keys,
                          char *text, size_t size)
{
    return snprintf(text, size,
                    "%u cells of %s for each row, then the row's keys halved, of which local "
                    "memory has 1 in %u",
                    ((f->index.cells - 1) >> keys->merge) + 1,
                    f->index.is_grid ? "one width" : "equally many values", 1u << keys->apart);
}

// Of long rows, whose elements have labels and are counted, or are counted by intervals alone.
static int describe(const struct gpuprim_classifier *f, char *text, size_t size)
{
    struct classify_choice t = { .items = 0 };
    struct classification c = gp_classify_packed_call(f, CLASSIFY_LONG, true, true, &t);
    t.keys = gp_words_keys(&c);
    if (t.keys.bytes > gp_classify_local_room(f->gp)) { // keys leave no room for counters
        c.has_counts = false;
        t.keys = gp_words_keys(&c);
    }
    take_local(f->gp, &c);
    if (f->intervals_at) // of counts alone
        t.counters = gp_classify_interval_counters(f);
    const uint64_t table_bytes =
        gp_classify_local_tables(f, COUNTED_NOT, gp_classify_local_room(f->gp));
    const unsigned method = t.keys.form == OWN_RANKS ? SEARCH_RANK : f->index.method;
    int n = t.keys.form == OWN_CELLS ? describe_cells(f, &t.keys, text, size)
                                     : gp_classify_describe_method(f, method, text, size);
    if (n < 0 || (size_t)n >= size)
        return n;
    n += snprintf(text + n, size - (size_t)n, "%s; ",
                  gp_classify_is_sieve(f, table_bytes) ? ", behind a sieve in local memory"
                  : table_bytes && table_bytes < gp_classify_table_bytes(f)
                      ? ", of which local memory has a part"
                      : "");
    if ((size_t)n >= size)
        return n;
    return n + gp_classify_describe_counters(&t.counters, text + n, size - (size_t)n);
}

static const struct classify_ops ops = { specialise, gp_words_lay_out, describe };

const struct gp_variant gp_classify_gpu_words = { .name = "gpu_words",
                                                  .fits = fits,
                                                  .suits = suits,
                                                  .sources = CLASSIFY_WORDS_SOURCES,
                                                  .ops = &ops };
