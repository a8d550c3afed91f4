/* SPDX-License-Identifier: Apache-2.0
 *
 * Which tables of a classifier groups of gpu_words and gpu_tiles copy to local memory, and
 * cells of rows' own keys, which groups of gpu_tiles, gpu_channels and gpu_words make there. */
#include "classify.h"

// Whether the search index has the labels.
static bool is_of_steps(const struct gpuprim_classifier *f)
{
    return f->method == METHOD_SEARCH && f->rows == 1 && f->index.method == SEARCH_STEPS;
}

static uint64_t first_of_tables(const struct gpuprim_classifier *f)
{
    const bool has_labels = f->labels_at && !is_of_steps(f);
    const uint64_t first = f->method == METHOD_CHAIN                 ? 1
                           : f->method == METHOD_TABLE || has_labels ? f->labels_at
                                                                     : f->index_at;
    // Before the labels, which are never at word 0, and aligned, as they are copied by 16 bytes.
    return (first - 1) & ~(uint64_t)3;
}

uint64_t gp_classify_table_bytes(const struct gpuprim_classifier *f)
{
    return (f->words - first_of_tables(f)) * sizeof(cl_uint);
}

// The same of the search index, without labels.
static uint64_t first_of_index(const struct gpuprim_classifier *f)
{
    return (f->index_at - 1) & ~(uint64_t)3;
}

uint64_t gp_classify_index_bytes(const struct gpuprim_classifier *f)
{
    return (f->words - first_of_index(f)) * sizeof(cl_uint);
}

static uint64_t sieve_bytes(const struct gpuprim_classifier *f)
{
    const bool may_have = f->method == METHOD_HASH || f->method == METHOD_TABLE;
    return may_have ? f->index.cells * sizeof(cl_uint) : 0;
}

// A sieve is smaller than the tables that it stands for.
bool gp_classify_is_sieve(const struct gpuprim_classifier *f, uint64_t bytes)
{
    return bytes > 0 && bytes == sieve_bytes(f);
}

uint64_t gp_classify_first_local(const struct gpuprim_classifier *f, uint64_t bytes)
{
    return gp_classify_is_sieve(f, bytes)                 ? f->sieve_at
           : bytes && bytes == gp_classify_index_bytes(f) ? first_of_index(f)
                                                          : first_of_tables(f);
}

// The keys of INTERPOLATE are read so seldom that filling local memory would take longer. From
// some ten thousand on they do not fit. LINEAR reads none.
static bool is_seldom_read(const struct gpuprim_classifier *f)
{
    return f->method == METHOD_SEARCH && !f->labels_at &&
           (f->index.method == SEARCH_INTERPOLATE || f->index.method == SEARCH_LINEAR);
}

// As much of a table as fits beside counters. Less than a quarter would save little.
static uint64_t part_of_table(const struct gpuprim_classifier *f, uint64_t room)
{
    return room >= gp_classify_table_bytes(f) / 4 ? room & ~(uint64_t)7 : 0;
}

// Whether counters of classes fit beside the search index.
static bool is_by_class(const struct gpuprim_classifier *f, enum counted counted, uint64_t room)
{
    return counted == COUNTED_ALONE && gp_classify_index_bytes(f) <= room &&
           gp_classify_counters_of(f, counted, room - gp_classify_index_bytes(f), UINT64_MAX)
               .of_classes;
}

// Whether tables leave counters so little room that their fields overflow often, and they would
// have more bits without. The caches have the tables then. H100, driver 580.159.04, 2026-11-27,
// 72.9 million f32, 16 541 keys, counts and u16 labels: 804 us by 8 bits beside the tables, 212
// by 16 bits.
static bool crowds_fields(const struct gpuprim_classifier *f, enum counted counted,
                          uint64_t bytes, uint64_t room)
{
    enum { FEW_BITS = 16 };
    if (!counted || bytes > room || f->method != METHOD_SEARCH)
        return false;
    const struct classify_counters beside = gp_classify_counters_of(f, counted, room - bytes,
                                                                    UINT64_MAX),
                                   alone =
                                       gp_classify_counters_of(f, counted, room, UINT64_MAX);
    return beside.form == COUNTERS_FIELDS && 32 / beside.fields < FEW_BITS &&
           (alone.form == COUNTERS_WORDS || alone.fields < beside.fields);
}

uint64_t gp_classify_local_tables(const struct gpuprim_classifier *f, enum counted counted,
                                  uint64_t room)
{
    // Bytes of counters. One copy or more of the most labels that may have two.
    enum { COPIES_BESIDE_PART = 16384 };
    const uint64_t bytes =
        is_by_class(f, counted, room) ? gp_classify_index_bytes(f) : gp_classify_table_bytes(f);
    if (f->rows > 1 || is_seldom_read(f) || crowds_fields(f, counted, bytes, room))
        return 0;
    const struct classify_counters all = gp_classify_counters_of(f, counted, room, UINT64_MAX);
    // Copies of counters must not push a part of a table out.
    const uint64_t taken = all.copies > 1 ? gp_min(all.bytes, COPIES_BESIDE_PART) : all.bytes,
                   left = room - (counted ? taken : 0);
    const bool push_out =
        counted && bytes <= room && all.form != COUNTERS_DIRECT &&
        gp_classify_counters_of(f, counted, room - bytes, UINT64_MAX).form == COUNTERS_DIRECT;
    if (bytes <= room && !push_out)
        return bytes;
    if (f->method == METHOD_HASH || sieve_bytes(f))
        return sieve_bytes(f) <= left ? sieve_bytes(f) : 0;
    return f->method == METHOD_TABLE && !push_out ? part_of_table(f, left) : 0;
}

// Starts take longer to make than keys to copy. The limits were not measured.
static bool are_worth_starts(const struct classification *c)
{
    enum { LEAST_COUNT = 1024, ELEMENTS_OF_KEY = 4 };
    const struct gpuprim_classifier *f = c->classifier;
    return f->gp->as_if_large ||
           (c->in.count >= LEAST_COUNT && c->in.count >= (uint64_t)f->n * ELEMENTS_OF_KEY);
}

uint64_t gp_classify_fit_starts(const struct gpuprim_classifier *f, uint64_t room,
                                unsigned apart, unsigned *merge)
{
    // Keys of a cell in the mean, and cells for each key, at most, and empty cells that one
    // item may have to write. Not measured.
    enum { MOST_OF_CELL = 16, MOST_FOR_KEY = 2, MOST_EMPTY = 64 };
    const struct search_index *index = &f->index;
    *merge = 0;
    const uint64_t size = gp_key_size(f->in), n = MOST_COPIED((uint64_t)f->n, apart, size),
                   least = gp_ceil_div(n + 1, MOST_OF_CELL),
                   keys = (n | 1) * (size / sizeof(cl_uint));
    for (; index->cells >> *merge >= least; ++*merge) {
        const uint64_t cells = ((index->cells - 1) >> *merge) + 1,
                       words = ROW_WORDS(keys, cells, sizeof(cl_ushort), size) - keys;
        if (words * sizeof(cl_uint) <= room && cells <= n * MOST_FOR_KEY &&
            index->most_empty >> *merge <= MOST_EMPTY)
            return words * sizeof(cl_uint);
    }
    return 0;
}

uint64_t gp_classify_choose_starts(const struct classification *c, uint64_t room,
                                   unsigned *merge)
{
    const struct gpuprim_classifier *f = c->classifier;
    const uint64_t bytes = are_worth_starts(c) ? gp_classify_fit_starts(f, room, 0, merge) : 0;
    // Two reads say which keys lie in a cell. 2^merge cells have so many times the keys, at most.
    return bytes && f->index.levels + *merge + 2 < gp_classify_levels(f->n) ? bytes : 0;
}

void gp_classify_define_cells(struct gp_key *key, const struct gpuprim_classifier *f,
                              unsigned cells, unsigned merge, unsigned apart)
{
    const bool have_keys = cells == CELLS_GLOBAL || cells == CELLS_LOCAL;
    gp_define(key, "ROW_CELLS", cells);
    gp_define(key, "ROW_GRID", have_keys && f->index.is_grid);
    gp_define(key, "CELL_MERGE", cells == CELLS_LOCAL ? merge : 0);
    gp_define(key, "KEYS_APART", apart);
}

// Whether a group counts classes, so that it reads the map for its counters alone. They must
// not be more than the labels, for which the counters have room.
static bool counts_classes(const struct classification *c, const struct classify_choice *t)
{
    return t->counters.of_classes ||
           (c->has_counts && !c->has_labels && t->counters.form == COUNTERS_WORDS &&
            !t->counters.of_values && gp_classify_has_counted_classes(c->classifier));
}

// Both of two hash tables are read for each element, if they take up to so many bytes of local
// memory. H200, driver 580.159.04, 2026-12-01, 2^28 u32, one mask, shares of a copy with both tables
// read, and with the second one read where the first has no such case: 1000 cases, 9 KiB, 0.993
// 0.977; 5000, 42 KiB, 0.896 0.943. Sizes between, more masks and 64 bits were not measured.
enum { BOTH_LOOKS_BYTES = 16384 };

void gp_classify_define_local(struct gp_key *key, const struct classification *c,
                              const struct classify_choice *t)
{
    const struct gpuprim_classifier *f = c->classifier;
    gp_classify_define_method(key, f,
                              t->keys.form == OWN_RANKS ? SEARCH_RANK
                              : t->is_multiples         ? SEARCH_MULTIPLES
                                                        : f->index.method);
    gp_classify_define_counters(key, &t->counters);
    gp_define(key, "COUNT_CLASSES", counts_classes(c, t));
    gp_define(key, "FAR_MAP", t->counters.map_is_far);
    gp_define(key, "ZEROES", t->zeroes);
    gp_define(key, "REJECTS", f->may_reject);
    gp_define(key, "TABLES_LOCAL", t->local_words > 0);
    gp_define(key, "BY_VALUE", t->by_value);
    const uint64_t bytes = t->local_words * sizeof(cl_uint);
    const bool is_sieve = gp_classify_is_sieve(f, bytes);
    if (f->method == METHOD_HASH || f->method == METHOD_TABLE)
        gp_define(key, "SIEVED", is_sieve);
    if (f->method == METHOD_HASH)
        gp_define(key, "BOTH_LOOKS", bytes > 0 && bytes <= BOTH_LOOKS_BYTES && !is_sieve);
    if (f->method != METHOD_TABLE)
        return;
    gp_define(key, "ALL_BITS", f->is_all_bits);
    gp_define(key, "PART_LOCAL", !is_sieve && bytes > 0 && bytes < gp_classify_table_bytes(f));
}
