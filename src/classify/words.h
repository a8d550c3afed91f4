/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the variant gpu_words of classify share: gpu_words.c, words_keys.c,
 * words_kind.c, words_layout.c, words_tuning.c. */
#ifndef GP_CLASSIFY_WORDS_H
#define GP_CLASSIFY_WORDS_H

#include "classify.h"

// What is tuned.
struct words_tuning {
    unsigned work_group;
    // Words that an item has in flight: where the tables are in local memory, and in global
    // memory.
    unsigned items, items_far;
    // Work-items of the launch for each compute unit: with at most WORDS_SMALL bytes of tables and
    // counters, or WORDS_SMALL_TABLES without counts, and with more. From WORDS_MANY bytes of counters on
    // there are 2048.
    unsigned items_per_unit, items_per_unit_large;
};

enum {
    WORDS_SMALL = 8192,
    WORDS_SMALL_TABLES = 16384,
    WORDS_MANY = 32768,
    WORDS_ITEM_ELEMENTS = 16, // that an item has in flight, at most
    // The same with u8 labels, of long rows of 8- and 16-bit elements and of short ones of
    // bytes, and how many bytes of tables are few for long rows.
    WORDS_NARROW_ELEMENTS = 32,
    WORDS_NARROW_TABLES = 2048,
    WORDS_SPREAD_LANES = 16, // as ROW_LANES and LEAST_LANES, where words have one element
};

// Words of a row at most: its first and its last may be in part outside.
static inline uint64_t gp_words_most(uint64_t count, uint64_t word)
{
    return gp_ceil_div(count + word - 1, word);
}

// words_kind.c: whether groups must not mix rows; whether they take parts of many rows, which are
// counted together.
bool gp_words_are_row_by_row(const struct classification *c);
bool gp_words_are_together(const struct classification *c);

enum {
    // Elements of a group, at least, that makes the words of RANK of its row, or cells of its
    // keys. Not measured.
    RANKED_PART = 32768,
    RANKED_KEY = 2, // and so many more for each key
};

// words_keys.c: whether elements are counted by the ranks of their row's keys.
bool gp_words_count_ranks(const struct classification *c);

// words_keys.c: what a group has of its row's own keys; `bytes` may be more than local memory has.
struct words_keys gp_words_keys(const struct classification *c);

// words_kind.c: whether a row is worth a group of its own, which sets up keys or counters for
// it.
bool gp_words_are_long(const struct classification *c);

// words_kind.c: WORDS_OF_ROW ...; whether such words have one element; whether the memory of labels
// is fetched before they are written.
unsigned gp_words_kind(const struct classification *c);
bool gp_words_are_spread(const struct classification *c, unsigned words);
bool gp_words_fetch_labels(const struct classification *c, unsigned words, bool is_spread);

// words_layout.c: classify_ops' `lay_out`.
void gp_words_lay_out(const gpuprim *gp, const struct classification *c,
                      const struct gp_variant *variant, const struct gp_program *program,
                      uint64_t rows, uint64_t count, struct classify_layout *l);

// The texts of programs of gpu_words after common.cl.
#define CLASSIFY_WORDS_SOURCES                                                                 \
    CLASSIFY_GPU_SOURCES("classify/row_keys.cl", "classify/row_places.cl",                     \
                         "classify/own_keys.cl", "classify/own_ranks.cl", "classify/label.cl", \
                         "classify/word.cl", "classify/word_loads.cl", "classify/store.cl",    \
                         CLASSIFY_COUNTER_SOURCES, "classify/spread.cl",                       \
                         "classify/row_ends.cl", "classify/word_tiles.cl",                     \
                         "classify/gpu_words.cl")

const struct words_tuning *gp_words_tuning(const struct classification *c,
                                           const struct classify_counters *counters,
                                           uint64_t table_bytes);

// words_tuning.c: where all words would fill less than half of the compute units, an item takes
// one word, and groups of 1024 that have few counts become smaller. An item keeps its words where
// they lie in one row, where rows have keys of their own (unless a word is one element), and where
// its group would have many counters for its elements, other than those of values. Where elements
// are taken one by one and not counted, and fill less than two tiles for each unit, an item takes 4
// of them. Changes c->choice; returns the items of a group, `work_group` so far.
unsigned gp_words_spread_few(const gpuprim *gp, const struct classification *c,
                             unsigned work_group);

#endif
