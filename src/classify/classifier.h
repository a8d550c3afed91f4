/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: a classifier, and what makes one. It is made in these steps:
 *     classifier.c   checks the parameters; creates and destroys classifiers
 *     thresholds.c, uniform.c, comparisons.c, table.c, cases.c
 *                    bring each rule to one of the methods: SEARCH, TABLE, CHAIN, HASH, BITS or LISTS
 *     case_groups.c, hash.c, hash_places.c, case_bits.c, case_lists.c, ranges.c
 *                    what cases.c needs (cases.h)
 *     classes.c      the NaN class and the map
 *     rule_arrays.c  the arrays that the caller gives a rule
 *     search.c       ascending keys, and the files that search.h names: how they are searched
 *     intervals.c    intervals of one label, of elements of 8 and 16 bits
 *     values.c       values of all types as whole numbers
 *     describe.c     gpuprim_classifier_describe
 * kernels/classify/classify.cl says how the methods' tables lie in memory. */
#ifndef GP_CLASSIFIER_H
#define GP_CLASSIFIER_H

#include "arguments.h"
#include "search.h"

enum {
    CLASSIFY_MAX_KEYS = 65535,
    CLASSIFY_MAX_ENTRIES = 65536, // of a table, and cases
};

// A classifier never changes after its creation but for `newest` and `repeats`, so that threads
// share it.
// Commands that are enqueued with it keep `memory` alive, as OpenCL says of kernel arguments.
struct gpuprim_classifier {
    gpuprim *gp;
    const char *rule; // its name
    enum gpuprim_type in;
    bool accumulates;
    bool may_reject; // some element may have no label
    uint64_t labels; // one more than the largest

    // The method, as in struct arguments.
    unsigned method;    // METHOD_SEARCH ...
    uint64_t rows;      // SEARCH: rows of keys
    bool are_even_rows; // SEARCH: each of them has n keys
    uint32_t n;         // SEARCH: up to 131072 keys, of cases that are ranges
    uint32_t first_class, classes, nan_class; // HASH: classes is the number of codes
    uint64_t rows_at, labels_at;
    bool may_rank_rows;   // SEARCH: groups may make the words of RANK of a row of keys
    uint64_t places_at;   // and the places of rows; 0: no row has equal keys
    uint32_t ranks;       // with places: one more than a row's keys that differ, at most
    unsigned index_bits;  // TABLE
    unsigned entry_bytes; // TABLE, SEARCH with a map: 1, 2 or 4
    bool is_all_bits;     // TABLE: the index is all bits of an element
    uint64_t entries;     // TABLE
    unsigned ways;        // HASH: tables of a mask
    uint32_t code_bits, otherwise; // HASH
    uint64_t sieve_at;             // HASH, TABLE: of index.cells words; 0 words: there is none
    struct search_index index;     // SEARCH in one row of keys
    struct search_index multiples; // MULTIPLES, beside INTERPOLATE; or no method
    uint64_t index_at;
    uint32_t intervals, low_intervals; // as in kernels/classify/intervals.cl
    uint64_t intervals_at; // of elements of 8 and 16 bits; 0: there are none, or too many

    uint32_t *tables; // on the host, until the device has them
    uint64_t words;
    cl_mem memory;                   // on the device
    cl_uint by_value[MOST_BY_VALUE]; // all tables, where they are so few words

    void *edges; // UNIFORM: bins + 1 of them, of type `in`
    uint32_t bins;
    uint32_t *shadowed; // CASES: those that can never decide
    uint32_t n_shadowed;

    struct classify_newest *newest; // plans of its newest calls; the context's lock guards them
    struct gp_repeats *repeats;     // and the calls themselves
};

// ---------------------------------------------------------------------------------------
// values.c: values of all types as numbers that can be compared and counted up

// A value's number among those of its type: x < y exactly where its ordinal is less, the next
// larger value has the next ordinal, and both zeros have one. The ordinals of NaNs are beyond
// the lowest and the highest.
int64_t gp_ordinal(enum gpuprim_type type, const void *value);
int64_t gp_ordinal_lowest(enum gpuprim_type type);
int64_t gp_ordinal_highest(enum gpuprim_type type);

bool gp_ordinal_is_nan(enum gpuprim_type type, int64_t ordinal);

static inline unsigned gp_value_bits(enum gpuprim_type type)
{
    return 8 * (unsigned)gp_type_size(type);
}

// All bits of a value, and how many bits a mask has.
static inline uint64_t gp_value_mask(enum gpuprim_type type)
{
    return UINT64_MAX >> (64 - gp_value_bits(type));
}
unsigned gp_bits_in(uint64_t mask);

// Keys are what kernels compare with: f32 for f16, 32-bit integers for smaller ones, else the
// type itself.
size_t gp_key_size(enum gpuprim_type type);
void gp_key_store(enum gpuprim_type type, int64_t ordinal, void *key);

// Kernels compute places in the float type that has the size of a key. These give the bits of
// the number there that is nearest to `number`, the number of such bits, and `number` rounded
// to it.
uint64_t gp_place_bits(size_t key_size, double number);
double gp_place_number(size_t key_size, uint64_t bits);
double gp_place_rounded(size_t key_size, double number);

// Rounds to the type, floats to nearest even, integers up, and stores the value. False where it
// is beyond the type's finite values.
bool gp_value_round(enum gpuprim_type type, double value, void *to);

// ---------------------------------------------------------------------------------------
// rule_arrays.c: the arrays that the caller gives a rule

// The failure of an allocation.
int gp_classify_no_memory(void);

// Reads all elements of an array, row by row. The caller frees *out, after a failure, too.
int gp_classify_read(gpuprim *gp, const struct gp_array *array, const char *name,
                     unsigned char **out);

// Reads the values that THRESHOLDS or RULES compare with, at most `most` in a row. The caller
// frees *out.
int gp_classify_read_values(struct gpuprim_classifier *c, const struct gpuprim_array *given,
                            uint64_t most, struct gp_array *array, unsigned char **out);

// Reads labels of u8, u16 or u32 to `*out`, which the caller frees. Notes each of them. `name`
// stands in messages.
int gp_classify_read_labels(struct gpuprim_classifier *c, const struct gpuprim_array *array,
                            const char *name, uint32_t **out, uint64_t *n);

// Notes a label that the classifier may give. What matters is the largest, and rejection.
void gp_classify_note_label(struct gpuprim_classifier *c, uint32_t label);

// ---------------------------------------------------------------------------------------
// The end of rules that bring elements to classes

// classes.c: gp_search_finish() for THRESHOLDS and UNIFORM, with the NaN class and the map of the params.
int gp_classify_finish_classes(struct gpuprim_classifier *c,
                               const struct gpuprim_classifier_params *p,
                               struct classify_search *s);

// intervals.c: notes the intervals of a rule that is brought to its method, where they are few.
int gp_classify_search_intervals(struct gpuprim_classifier *c, const struct classify_search *s);
int gp_classify_table_intervals(struct gpuprim_classifier *c);

// ---------------------------------------------------------------------------------------
// Rules. Each brings its rule, whose options are checked, to a method with its tables.

typedef int gp_classify_rule(struct gpuprim_classifier *c,
                             const struct gpuprim_classifier_params *p);
gp_classify_rule gp_classify_thresholds;  // thresholds.c
gp_classify_rule gp_classify_uniform;     // uniform.c
gp_classify_rule gp_classify_comparisons; // comparisons.c: the rule RULES
gp_classify_rule gp_classify_table;       // table.c
gp_classify_rule gp_classify_cases;       // cases.c

// table.c: makes room for a table of `entries` labels behind `runs` runs. The caller fills
// c->tables: runs from word 0 on, labels from c->labels_at on. Then it narrows the labels, as
// all of them have been noted.
int gp_classify_make_table(struct gpuprim_classifier *c, uint32_t runs, uint64_t entries);
void gp_classify_narrow_table(struct gpuprim_classifier *c);

#endif
