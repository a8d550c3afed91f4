/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of classify share: classifier.c makes classifiers and ends them,
 * rules.c and cases.c bring each rule to one of three forms by way of
 * search.c and values.c, plan.c picks a variant and makes its
 * program, call.c checks a call, run.c launches, host.c brings counts
 * home. The forms and how their tables lie in memory stand in kernels/classify/classify.cl. */
#ifndef GP_CLASSIFY_H
#define GP_CLASSIFY_H

#include <stdatomic.h>

#include "src/core/core.h"

enum classify_form { CLASSIFY_SEARCH, CLASSIFY_TABLE, CLASSIFY_CHAIN };
_Static_assert(sizeof(enum classify_form) <= sizeof(uint32_t), "a form fits a key");

enum {
    CLASSIFY_MAX_KEYS = 65535,
    CLASSIFY_MAX_ENTRIES = 65536, // of a table, and cases
    CLASSIFY_MAX_COMPARISONS = 16,
    CLASSIFY_INDEX_BITS = 16, // of a table that is made of cases
    // As many ranges are asked one after another sooner than searched among. PoCL 3.1 on two
    // cores of a Xeon with AVX-512, baseline, u32 to u8, Gelem/s by chain and by search: 16
    // cases .054 and .031, 32 cases .028 and .034, 64 cases .015 and .036.
    CLASSIFY_FEW_CASES = 24,
};

// Number for number the ways of kernels/classify/place.cl.
enum classify_way {
    CLASSIFY_NO_WAY,
    CLASSIFY_COUNTED,
    CLASSIFY_TREE,
    CLASSIFY_LINEAR,
    CLASSIFY_ORDERED,
    CLASSIFY_EVEN
};

// How a search in one row of keys goes; all but baseline use it.
struct classify_aid {
    enum classify_way way;
    unsigned levels;
    uint32_t cells, shift; // of a guide; EVEN: 2^shift parts of a place
    uint64_t low, scale;   // bits
    uint64_t slack;        // EVEN: parts
    uint64_t words;        // of its tables
};

// Never changes but for the count of references: one of the caller's, one of each call that is
// being enqueued. What is enqueued holds the memory object itself, as OpenCL has it.
struct gpuprim_classifier {
    atomic_uint references;
    gpuprim *gp;
    const char *rule; // its name
    enum gpuprim_type in;
    bool accumulates;
    bool may_reject; // some element may have no label
    uint64_t labels; // one more than the largest

    // The form, as in struct arguments of the kernels.
    enum classify_form form;
    uint64_t rows; // SEARCH: rows of keys
    uint32_t n;    // SEARCH: up to 131072 keys, of cases that are ranges
    uint32_t first_class, classes, nan_class;
    uint64_t rows_at, labels_at; // words
    unsigned index_bits;         // TABLE
    struct classify_aid aid;     // SEARCH in one row of keys
    uint64_t aid_at;             // words

    // The tables, on the host as on the device.
    uint32_t *tables;
    uint64_t words;
    cl_mem memory;

    void *edges; // UNIFORM: bins + 1 of them, of type `in`
    uint32_t bins;
    uint32_t *shadowed; // CASES: those that can never decide
    uint32_t n_shadowed;
};

// ---------------------------------------------------------------------------------------
// values.c: values of all types as numbers that can be compared and counted up

// A value's place among those of its type: x < y exactly where its ordinal is less, the next
// larger value has the next ordinal, and both zeros have one. NaNs are beyond the ends.
int64_t gp_ordinal(enum gpuprim_type type, const void *value);
int64_t gp_ordinal_lowest(enum gpuprim_type type);
int64_t gp_ordinal_highest(enum gpuprim_type type);

// Keys are what kernels compare with: f32 for f16, 32-bit integers for smaller ones, else the
// type itself.
size_t gp_key_size(enum gpuprim_type type);
void gp_key_store(enum gpuprim_type type, int64_t ordinal, void *key);

// Rounds to the type, floats to nearest even, integers up, and stores the value. False where it
// is beyond the type's finite values.
bool gp_value_round(enum gpuprim_type type, double value, void *to);

// ---------------------------------------------------------------------------------------
// search.c

// A search, as the kernels have it; keys are ordinals. A key that would have to be beyond the
// type's last value is left out: no element reaches it.
struct classify_search {
    uint64_t rows;
    uint32_t pitch;     // keys of a row, at most
    int64_t *keys;      // rows of them
    uint32_t *row_keys; // how many each row has
    uint32_t first_class, classes, nan_class;
    const uint32_t *map; // NULL: a class is its own label
};

// Room for `rows` rows of `pitch` keys. gp_search_free is right after a failure, too.
int gp_search_allocate(struct classify_search *s, uint64_t rows, uint32_t pitch);
void gp_search_free(struct classify_search *s);

// Appends a key to a row: the ordinal itself, or the one behind it.
void gp_search_add(const struct gpuprim_classifier *c, struct classify_search *s, uint64_t row,
                   int64_t ordinal, bool behind);

// Of the first row: puts the keys in order, each once; how many are not greater than x.
void gp_search_sort(struct classify_search *s);
uint32_t gp_search_place(const struct classify_search *s, int64_t x);

// Leaves out the keys, and their labels, with one label on either side: map[k] stands before
// key k, map[k + 1] behind it.
void gp_search_merge(struct classify_search *s, uint32_t *map);

// Makes the form and its tables.
int gp_search_finish(struct gpuprim_classifier *c, const struct classify_search *s);

// ---------------------------------------------------------------------------------------
// aid.c

// Chooses how a search goes, within `room` words if that can be, and makes the tables for it,
// which the caller frees.
int gp_classify_aid(const struct gpuprim_classifier *c, const int64_t *keys, uint32_t n,
                    uint64_t room, struct classify_aid *aid, uint32_t **words);

// even.c: whether the keys are at so even distances that an element's place is computed;
// then *aid says how, of tables that are the keys.
bool gp_classify_even(const struct gpuprim_classifier *c, const int64_t *keys, uint32_t n,
                      struct classify_aid *aid);

// ---------------------------------------------------------------------------------------
// rules.c: THRESHOLDS, UNIFORM and RULES; cases.c: TABLE and CASES

// Reads labels of u8, u16 or u32 to `*out`, which the caller frees, and takes note of the
// largest and of rejection. `name` stands in the words of a failure.
int gp_classify_read_labels(struct gpuprim_classifier *c, const struct gpuprim_array *array,
                            const char *name, uint32_t **out, uint64_t *n);

// Takes note of a label that the classifier may give.
void gp_classify_note_label(struct gpuprim_classifier *c, uint32_t label);

// Each brings its rule, of which the options alone are checked, to a form with its tables.
int gp_classify_thresholds(struct gpuprim_classifier *c,
                           const struct gpuprim_classifier_params *p);
int gp_classify_uniform(struct gpuprim_classifier *c,
                        const struct gpuprim_classifier_params *p);
int gp_classify_rules(struct gpuprim_classifier *c, const struct gpuprim_classifier_params *p);
int gp_classify_table(struct gpuprim_classifier *c, const struct gpuprim_classifier_params *p);
int gp_classify_cases(struct gpuprim_classifier *c, const struct gpuprim_classifier_params *p);

// CASES that are ranges of values: whether all are, and by a search. ranges.c.
bool gp_classify_are_ranges(const struct gpuprim_classifier *c, const struct gpuprim_cases *p);
int gp_classify_ranges(struct gpuprim_classifier *c, const struct gpuprim_cases *p);

// Makes the form TABLE of `entries` labels behind room for `runs` runs: the caller fills
// c->tables, runs from word 0 and labels from c->labels_at on.
int gp_classify_make_table(struct gpuprim_classifier *c, uint32_t runs, uint64_t entries);

// ---------------------------------------------------------------------------------------
// classifier.c: references; the last one that is given back ends the classifier

void gp_classifier_retain(const struct gpuprim_classifier *classifier);
void gp_classifier_release(const struct gpuprim_classifier *classifier);
int gp_classify_no_memory(void);

// All elements of an array, row by row; the caller frees *out, after a failure, too.
int gp_classify_read(gpuprim *gp, const struct gp_array *array, const char *name,
                     unsigned char **out);

// ---------------------------------------------------------------------------------------
// plan.c

// A checked call.
struct classification {
    const struct gpuprim_classifier *classifier;
    bool has_labels, has_counts;
    bool counts_rows; // a row of counts for each row
    struct gp_array in, labels, counts;
};

// What a program is made for, besides types and form.
struct classify_special {
    unsigned work_group; // items per group to ask for
    unsigned number;     // SHAPE of the kernels: each variant's own
};

// How elements are shared out on the device: as in struct arguments of the kernels.
struct classify_layout {
    uint64_t groups, length, share, line_groups;
    size_t
        local_bytes; // of the kernel's local memory: for `gathers`, or what the variant needs
    bool gathers;
    uint32_t extra;
    uint64_t near_first, near_words; // of the tables, that go to local memory
};

// A variant's way of working; gp_variant's `ops`.
struct classify_shape {
    // Depends on the classifier, the types and the strides, not on counts or memory: the
    // programs of a classifier are built when it is made.
    void (*specialise)(const gpuprim *gp, const struct classification *c,
                       const struct gp_variant *variant, struct classify_special *out);
    // Lays out a piece of rows x count elements, both at least 1. *out is zero before.
    void (*lay_out)(const gpuprim *gp, const struct classification *c,
                    const struct gp_variant *variant, const struct gp_program *program,
                    uint64_t rows, uint64_t count, struct classify_layout *out);
    // How it computes the classifier's form and why, in a sentence of
    // gpuprim_classifier_describe.
    int (*describe)(const struct gpuprim_classifier *c, char *text, size_t size);
};

enum { CLASSIFY_VARIANTS = 3 };
extern const struct gp_variant *const gp_classify_variants[CLASSIFY_VARIANTS];

// Asked for by name (GPUPRIM_VARIANT, or the tests), a variant takes whatever it can do, worth
// it or not.
bool gp_classify_is_forced(const gpuprim *gp);

// cpu_blocks: CPUs, rows of stride 1, a core's vector unit to an item.
bool gp_classify_fits_cpu_blocks(const gpuprim *gp, const void *call);
extern const struct classify_shape gp_classify_cpu_blocks;

// gpu_words: GPUs, rows of stride 1 by aligned 16-byte words, tables in local memory.
bool gp_classify_fits_gpu_words(const gpuprim *gp, const void *call);
extern const struct classify_shape gp_classify_gpu_words;

// How a classifier's places are found by kernels/classify/place.cl; classify_shape's `describe`.
int gp_classify_describe_places(const struct gpuprim_classifier *c, char *text, size_t size);

enum { CLASSIFY_ROOM = 1 << 18 }; // bytes of counters per group at most, as the header promises

// What of local memory a driver leaves to a kernel: NVIDIA's takes 16 bytes of what it reports.
static inline uint64_t gp_classify_local_room(const gpuprim *gp)
{
    return gp->caps.local_bytes > 16 ? gp->caps.local_bytes - 16 : 0;
}

extern const struct gp_primitive gp_primitive_classify;

// gp_primitive's `describe`.
int gp_classify_describe(gpuprim *gp, char *text, size_t size);

// The narrowest type of labels that a call may have; 0 where labels need more than 32 bits.
enum gpuprim_type gp_classify_narrowest(const struct gpuprim_classifier *classifier);

// A call with the classifier on long contiguous arrays in device memory.
struct classification gp_classify_packed_call(const struct gpuprim_classifier *classifier,
                                              bool has_labels, bool has_counts);

// The variant that runs a typical call that gives labels. NULL where a forced variant does not take
// that call, where none builds, and in the child of a fork. May build a program.
const struct gp_variant *gp_classify_typical_variant(const struct gpuprim_classifier *c);

// Builds all that the call needs, and enqueues nothing.
int gp_classify_build(gpuprim *gp, const struct classification *c);

// Builds what packed calls need that give labels, counts or both.
int gp_classify_build_packed(const struct gpuprim_classifier *classifier);

// ---------------------------------------------------------------------------------------
// run.c

// Member for member the kernels' struct arguments.
struct classify_arguments {
    cl_long first, stride, row_stride;
    cl_long label_first, label_stride, label_row_stride;
    cl_long count_first, count_stride, count_row_stride;
    cl_ulong rows, count, length, share, line_groups, step_rows, step;
    cl_ulong row, rows_at, labels_at, labels;
    cl_uint n, top, first_class, classes, nan_class, wide, gathers, extra;
    cl_uint cells, shift;
    cl_ulong low, scale, slack, aid_at, near_first, near_words;
};
_Static_assert(sizeof(struct classify_arguments) == 31 * 8, "no padding, as in the kernels");

// Everything that stays the same from launch to launch of a call.
struct classify_run {
    struct gp_call call;
    const struct classification *c;
    struct gp_plan plan;
    struct gp_bound counts;  // of the rows that are being counted
    struct gp_readback home; // labels
};

// Runs a checked call from beginning to end.
int gp_classify_run(gpuprim *gp, const struct classification *c,
                    const struct gpuprim_sync *sync);

// Sets the bound counts of `rows` rows to zero; 0 rows: a launch that touches nothing.
int gp_classify_zero(struct classify_run *run, uint64_t rows, bool last);

// ---------------------------------------------------------------------------------------
// host.c

// The largest piece that goes at once, from row 0 and element 0.
struct gp_piece gp_classify_largest(const gpuprim *gp, const struct classification *c);

// Binds the counts of `rows` rows from `row` on and sets them to zero where a call begins so.
int gp_classify_open_counts(struct classify_run *run, uint64_t row, uint64_t rows);

// Brings them home where they belong to a host array; waits.
int gp_classify_close_counts(struct classify_run *run, uint64_t row, uint64_t rows);

#endif
