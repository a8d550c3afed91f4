/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_words of classify: rows of any place and stride on GPUs. Items take words of
 * neighbouring elements, aligned as the labels are; tables and counters lie in local memory as
 * far as they fit. The kernel is kernels/classify/gpu_words.cl. */
#include "classify.h"

#include <stdio.h>

// What is tuned.
struct tuning {
    unsigned work_group;
    // Words that an item has in flight: where the tables are in local memory, and in global
    // memory.
    unsigned items, items_far;
    // Work-items of the launch for each compute unit: with at most SMALL bytes of tables and
    // counters, and with more. From MANY bytes of counters on there are 2048.
    unsigned items_per_unit, items_per_unit_large;
};
enum { SMALL = 8192, MANY = 16000 };

// Groups are large where counters have to be merged. There are more groups the less each has to
// fill. H200, driver 580.159, 2026-11-21, 2^28 of f32, us by group / items / items_per_unit, by
// a kernel that read the next tile meanwhile, which was worth less than 1 %:
//     256 bins, counts alone    1024/2/4096 254, 512/4/4096 260, 256/4/4096 274
//     255 keys, u8 and counts   1024/4/16384 333, 512/4/16384 335, 256/4/8192 346
//     1023 keys, u16 and counts 1024/1/16384 403, 512/1/16384 409, 1024/2/16384 407
//     255 keys, u8              512/4/16384 315, 512/4/8192 318, 512/2/16384 319
//     1023 keys, u16            512/2/16384 386, 512/2/8192 401, 512/1/16384 386
//     1023 keys in cells        1024/4/8192 384, 512/4/8192 392, 512/4/4096 413; but of 4095
//                               1024/4/8192 446, 512/4/8192 433
static const struct tuning tunings[2][3] = {
    { { 512, 4, 2, 4096, 4096 }, { 512, 4, 4, 16384, 8192 }, { 512, 4, 2, 16384, 8192 } },
    { { 1024, 2, 2, 4096, 4096 }, { 1024, 4, 4, 16384, 8192 }, { 1024, 1, 1, 16384, 8192 } },
};

// Keys of each row's own, wherever labels go: the prototype's groups (kernels/classify/
// own_keys.cl). The library has not measured them.
static const struct tuning own_keys = { 256, 4, 4, 2048, 2048 };

// The same without counts, or with counts that have no counters, and with few counters; by the
// labels: none, u8, or wider. From MANY bytes of counters on, of some 4000 labels, groups that
// empty them are few: two of 1024 items for each unit (prototype, H200, 2026-11-22: 4096 and
// 12 000 classes 0.93 and 0.90 of the bound). PAIRS, PLANES and counters of values have the
// groups that were best there; the library has not measured them.
//
// Where hash tables or a table fill more than LARGE bytes, a group takes so many tiles that
// filling local memory is little work. Prototypes, H200, 2026-11-22, of a copy: two hash tables of
// 1000 and of 5000 cases 0.98 by four groups a unit; a part of a table of 65536 bytes 0.93 by two.
// The library has not measured them.
enum { LARGE = 16384 };
static const struct tuning *tuning_of(const struct classification *c,
                                      const struct classify_counters *counters,
                                      uint64_t table_bytes)
{
    static const struct tuning hash = { 512, 2, 2, 2048, 2048 },
                               table = { 1024, 2, 2, 2048, 2048 };
    if (!c->has_counts && table_bytes > LARGE && c->classifier->method == METHOD_HASH)
        return &hash;
    if (!c->has_counts && table_bytes > LARGE && c->classifier->method == METHOD_TABLE)
        return &table;

    static const struct tuning pairs = { 512, 2, 2, 2048, 2048 },
                               planes = { 1024, 1, 1, 2048, 2048 },
                               values[2] = { { 512, 4, 4, 2048, 2048 },
                                             { 512, 2, 2, 2048, 2048 } };
    if (counters->form == COUNTERS_PAIRS)
        return &pairs;
    if (counters->form == COUNTERS_PLANES)
        return &planes;
    if (counters->of_values)
        return &values[c->has_labels];
    return &tunings[counters->form == COUNTERS_WORDS][!c->has_labels        ? 0
                                                      : c->labels.size == 1 ? 1
                                                                            : 2];
}

// The first word of those tables that every element needs: search index and labels.
static uint64_t first_local(const struct gpuprim_classifier *f)
{
    const uint64_t first = f->method == METHOD_CHAIN                   ? 1
                           : f->method == METHOD_TABLE || f->labels_at ? f->labels_at
                                                                       : f->index_at;
    // Even, because keys of 64 bits are aligned, and before the labels, which are never at word
    // 0.
    return (first - 1) & ~(uint64_t)1;
}

// The keys of INTERPOLATE are read so seldom that filling local memory would take longer. From
// some ten thousand on they do not fit.
static bool is_seldom_read(const struct gpuprim_classifier *f)
{
    return f->method == METHOD_SEARCH && f->index.method == SEARCH_INTERPOLATE && !f->labels_at;
}

// Bytes of a row's own keys in local memory, as a tree (kernels/classify/own_keys.cl).
static uint64_t own_key_bytes(const struct gpuprim_classifier *f)
{
    return f->rows == 1 ? 0 : gp_key_size(f->in) << gp_classify_levels(f->n);
}

static bool fits(const gpuprim *gp, const void *call)
{
    const struct classification *c = call;
    return own_key_bytes(c->classifier) <= gp_classify_local_room(gp);
}

// Whether groups must not mix rows.
static bool is_row_by_row(const struct classification *c)
{
    return c->in.rows == 1 || c->counts_rows || c->classifier->rows > 1;
}

static bool suits(const gpuprim *gp, const void *call)
{
    const struct classification *c = call;
    // With shorter rows a group would have more setting up than work.
    return !gp->caps.is_cpu && (c->in.rows == 1 || c->in.count >= 4096 || !is_row_by_row(c));
}

enum {
    LONG_ROW = 8192, // from so many elements on, a row is work for a group
    // Shorter rows without gaps between their labels are numbered through (prototype, one H200,
    // 2026-11-22, shares of the bound: rows of 5 1.03, of 20 0.89, of 100 0.83; rows of 1000,
    // which have gaps, word by word 0.93; the library has measured none of it).
    DENSE_ROW = 512,
    OWN_PART =
        16384, // elements of a group, where rows have keys (kernels/classify/own_keys.cl)
};

static unsigned words_of(const struct classification *c)
{
    const struct gp_array *labels = &c->labels;
    if (is_row_by_row(c) || c->in.count >= LONG_ROW)
        return WORDS_OF_ROW;
    // Pieces of host arrays may be a part of each row.
    const bool is_whole =
        c->in.memory != GPUPRIM_HOST && (!c->has_labels || labels->memory != GPUPRIM_HOST);
    const bool is_dense =
        !c->has_labels || (labels->stride == 1 && labels->row_stride == (int64_t)labels->count);
    return is_whole && is_dense && c->in.count < DENSE_ROW ? WORDS_OF_ALL : WORDS_OF_ROWS;
}

static uint64_t needed_bytes(const struct gpuprim_classifier *f)
{
    return (f->words - first_local(f)) * sizeof(cl_uint);
}

// As much of a table as fits beside counters. Less than a quarter would save little.
static uint64_t part_of_table(const struct gpuprim_classifier *f, uint64_t room,
                              bool has_counts)
{
    const uint64_t counters = has_counts ? gp_classify_counters(f, room).bytes : 0,
                   left = (room - counters) & ~(uint64_t)7;
    return f->method == METHOD_TABLE && left >= needed_bytes(f) / 4 ? left : 0;
}

// Bytes of tables in local memory: all, a part of a table, or none. Counters that would not fit
// beside them go first.
static uint64_t local_table_bytes(const gpuprim *gp, const struct gpuprim_classifier *f,
                                  bool has_counts)
{
    const uint64_t bytes = needed_bytes(f), room = gp_classify_local_room(gp);
    if (f->rows > 1 || is_seldom_read(f))
        return 0;
    if (bytes > room)
        return part_of_table(f, room, has_counts);
    const bool push_out = gp_classify_counters(f, room - bytes).form == COUNTERS_DIRECT &&
                          gp_classify_counters(f, room).form != COUNTERS_DIRECT;
    return has_counts && push_out ? 0 : bytes;
}

static void specialise(const gpuprim *gp, const struct classification *c,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)variant;
    const struct gpuprim_classifier *f = c->classifier;
    struct classify_choice *t = c->choice;
    const uint64_t own_bytes = own_key_bytes(f), word = WORD_ELEMENTS(c->in.size);
    const uint64_t table_bytes = local_table_bytes(gp, f, c->has_counts);
    t->counters = (struct classify_counters){ .form = COUNTERS_DIRECT };
    if (c->has_counts)
        t->counters =
            gp_classify_counters(f, gp_classify_local_room(gp) - table_bytes - own_bytes);
    const struct tuning *row =
        f->rows > 1 ? &own_keys : tuning_of(c, &t->counters, table_bytes);
    t->local_first = first_local(f);
    t->local_words = table_bytes / sizeof(cl_uint);
    t->local_bytes = table_bytes + own_bytes + t->counters.bytes;
    t->items_per_unit = t->counters.bytes >= MANY ? 2048
                        : t->local_bytes <= SMALL ? row->items_per_unit
                                                  : row->items_per_unit_large;
    t->items = t->local_words || own_bytes ? row->items : row->items_far;
    t->words = words_of(c);
    // 16 elements are work enough, or 64 bytes of them; or two words whose elements have rows
    // of their own (prototype, as above).
    const uint64_t most = t->words == WORDS_OF_ALL ? 2 : 64 / (word * c->in.size);
    while (t->items > most || (t->items > 1 && !t->counters.of_values && t->items * word > 16))
        t->items /= 2;
    key->work_group = row->work_group;
    gp_classify_define_method(key, f);
    gp_classify_define_counters(key, &t->counters);
    gp_define(key, "TABLES_LOCAL", t->local_words > 0);
    if (f->method == METHOD_TABLE)
        gp_define(key, "PART_LOCAL", table_bytes > 0 && table_bytes < needed_bytes(f));
    gp_define(key, "ITEMS", t->items);
    gp_define(key, "WORDS", t->words);
    gp_define(key, "REJECTS", f->may_reject);
}

// Whole short rows, as many as a tile has words for.
static void lay_out_rows(const struct classification *c, uint64_t rows, uint64_t count,
                         uint64_t tile, uint64_t wanted, struct classify_layout *l)
{
    const uint64_t word = WORD_ELEMENTS(c->in.size);
    const bool through = c->choice->words == WORDS_OF_ALL;
    uint64_t each = count, at_once;
    if (through) { // a multiple of `word` rows, so that all groups begin alike within a word
        at_once = (tile - 1) * word / count / word * word;
    } else {
        each = l->row_words = (uint32_t)gp_ceil_div(count + word - 1, word);
        at_once = tile / each;
    }
    const uint64_t factor = ((uint64_t)1 << 32) / each;
    l->row_factor = factor > UINT32_MAX ? UINT32_MAX : (uint32_t)factor;
    l->block_rows = (uint32_t)(at_once ? at_once : through ? word : 1);
    const uint64_t most = gp_ceil_div(rows, l->block_rows);
    l->groups = wanted > most ? most : wanted;
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
    const uint64_t least = gp_ceil_div(all, (uint64_t)1 << 31); // counters have 32 bits
    uint64_t wanted = (uint64_t)gp->caps.compute_units * t->items_per_unit / work_group;
    if (t->words == WORDS_OF_ROW) {
        const uint64_t most = gp_ceil_div(count, tile * WORD_ELEMENTS(c->in.size));
        wanted /= rows;
        if (c->classifier->rows > 1 && wanted < count / OWN_PART)
            wanted = count / OWN_PART;
        wanted = wanted > most ? most : wanted ? wanted : 1;
        l->segment_groups = wanted < least ? least : wanted;
        l->groups = l->segment_groups * rows;
    } else {
        lay_out_rows(c, rows, count, tile, wanted < least ? least : wanted, l);
    }
    l->local_first = t->local_first;
    l->local_words = t->local_words;
    l->local_bytes = t->local_bytes;
}

static int describe(const struct gpuprim_classifier *f, char *text, size_t size)
{
    const uint64_t room =
        gp_classify_local_room(f->gp) - own_key_bytes(f) - local_table_bytes(f->gp, f, true);
    const struct classify_counters counters = gp_classify_counters(f, room);
    const uint64_t table_bytes = local_table_bytes(f->gp, f, false);
    int n = gp_classify_describe_method(f, text, size);
    if (n < 0 || (size_t)n >= size)
        return n;
    n += snprintf(text + n, size - (size_t)n, "%s; ",
                  table_bytes && table_bytes < needed_bytes(f)
                      ? ", of which local memory has a part"
                      : "");
    if ((size_t)n >= size)
        return n;
    return n + gp_classify_describe_counters(&counters, text + n, size - (size_t)n);
}

static const char *const sources[] = { "classify/arguments.h",
                                       "classify/classify.cl",
                                       "classify/search.cl",
                                       "classify/compare_all.cl",
                                       "classify/tree.cl",
                                       "classify/interpolate.cl",
                                       "classify/cells.cl",
                                       "classify/bits.cl",
                                       "classify/hash.cl",
                                       "classify/case_bits.cl",
                                       "classify/own_keys.cl",
                                       "classify/label.cl",
                                       "classify/word.cl",
                                       "classify/counter_forms.cl",
                                       "classify/counters.cl",
                                       "classify/gpu_words.cl",
                                       NULL };
static const struct classify_ops ops = { specialise, lay_out, describe };

const struct gp_variant gp_classify_gpu_words = {
    .name = "gpu_words", .fits = fits, .suits = suits, .sources = sources, .ops = &ops
};
