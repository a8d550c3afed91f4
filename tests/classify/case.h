/* SPDX-License-Identifier: Apache-2.0
 *
 * One case of the tests of classify: a rule, data in memory of some kind and geometry, a call,
 * and the comparison of every label, every count and every byte around them. case.c runs it,
 * make.c makes rules, data.c fills the input, suite.c goes through rules, types and variants.
 */
#ifndef CLASSIFY_CASE_H
#define CLASSIFY_CASE_H

#include "tests/harness/place.h"
#include "tests/harness/sources.h"
#include "tests/harness/variants.h"

// The types that a rule takes: TABLE and CASES the first eight.
enum { CLASSIFY_TYPES = 11, CLASSIFY_INTEGERS = 8 };
extern const enum gpuprim_type classify_types[CLASSIFY_TYPES];

enum classify_filling {
    FILL_AROUND, // thresholds, their neighbours one ulp away, values that cases ask for, rare
                 // ones
    FILL_RANDOM, // any bits
    FILL_ONE     // all the same: one class
};

struct classify_case {
    struct gpuprim_classifier_params params; // what it points to is packed and on the host
    enum gpuprim_type type;                  // of the input
    uint64_t count, rows;                    // rows at least 1
    enum classify_filling data;
    enum gpuprim_type labels, counts; // not a type: not asked for
    bool counts_per_row;
    struct check_layout in, out, counted, rule; // rule: of thresholds, table and map
};

// ---------------------------------------------------------------------------------------
// make.c, data.c: rules and data

// How thresholds lie.
enum classify_spread {
    SPREAD_RANDOM,  // over all values, infinities among them
    SPREAD_EVEN,    // equally far from each other
    SPREAD_NEARLY,  // about equally far, in a part of the range
    SPREAD_LOG,     // each the same multiple of the one before
    SPREAD_CLUSTER, // next to each other, but for the last
    SPREAD_EQUAL,   // all the same
    SPREAD_FEW,     // few values, many times
    SPREADS
};

// These fill params->in and what the rule needs; classify_free ends what they allocated.
void classify_thresholds(struct check *check, enum gpuprim_type type, uint64_t n, uint64_t rows,
                         enum classify_spread spread, struct gpuprim_classifier_params *params);
// Of a rule that classify_thresholds made.
void classify_close(const struct gpuprim_classifier_params *params, enum gpuprim_closed closed);
// Makes the last key of the first row the largest value, or infinity. No element is above it, so
// that the row lacks it where keys belong to the class below.
void classify_end_first_row(const struct gpuprim_classifier_params *params,
                            enum gpuprim_type type);
void classify_uniform(struct check *check, enum gpuprim_type type, uint32_t bins,
                      struct gpuprim_classifier_params *params);
void classify_table(struct check *check, enum gpuprim_type type,
                    struct gpuprim_classifier_params *params);
void classify_cases(struct check *check, enum gpuprim_type type, uint32_t n, uint64_t within,
                    struct gpuprim_classifier_params *params); // masks within these bits
// Cases of one mask, which has all bits.
void classify_switch(struct check *check, enum gpuprim_type type, uint32_t n,
                     struct gpuprim_classifier_params *params);
void classify_rules(struct check *check, enum gpuprim_type type, unsigned n,
                    struct gpuprim_classifier_params *params);
// THRESHOLDS and UNIFORM: what becomes of NaNs, and labels other than the classes.
void classify_nan(struct check *check, struct gpuprim_classifier_params *params);
void classify_map(struct check *check, struct gpuprim_classifier_params *params);
void classify_free(struct gpuprim_classifier_params *params);

void classify_fill(struct check *check, const struct classify_case *test,
                   const struct gpuprim_array *view);

// Devices without f32 denormals get none.
void classify_ask_denormals(const gpuprim *gp);
bool classify_has_denormals(void);

// ---------------------------------------------------------------------------------------
// case.c

// Chooses data, geometry, memory, and which outputs are asked for; not params, type, count and
// rows.
void classify_shuffle(struct check *check, const gpuprim *gp, struct classify_case *test);

// Runs the case and compares. Counts the case and its failure. A forced variant other than
// baseline may refuse a case.
bool classify_run(struct check *check, gpuprim *gp, const struct classify_case *test);

// Runs a case whose labels are below `limit` on contiguous arrays of any values. Few labels are
// counted, too. Ends the params.
void classify_run_limit(struct check *check, gpuprim *gp, struct classify_case *test,
                        uint64_t limit);

// Labels the elements of a packed host array, and compares labels and counts with `expected`.
// The reference must agree too.
void classify_expect(struct check *check, gpuprim *gp,
                     const struct gpuprim_classifier_params *params,
                     const struct gpuprim_array *in, const uint32_t *expected);

// A context on a model of a GPU with `local_bytes` of local memory and `units` compute units; 0:
// those of the model. The variant is forced. NULL, with a failure counted, if there is none.
gpuprim *classify_small_gpu(struct check *check, cl_ulong local_bytes, unsigned units,
                            const char *variant);

// The group classify/named/`name`: `run` with each variant forced.
void classify_each_variant(struct check *check, const char *name,
                           void (*run)(struct check *check, gpuprim *gp));

extern const struct check_sources classify_sources; // sources.c

// The groups beyond rules, types and variants, a file each.
void classify_tiny_run(struct check *check);
void classify_views_run(struct check *check);
void classify_tiles_run(struct check *check);
void classify_words_keys_run(struct check *check);
void classify_row_keys_run(struct check *check);
void classify_channels_run(struct check *check);
void classify_columns_run(struct check *check);
void classify_parts_run(struct check *check);
void classify_turned_run(struct check *check);
void classify_named_run(struct check *check);
void classify_few_cases_run(struct check *check);
void classify_forms_run(struct check *check);
void classify_large_tables_run(struct check *check); // forms.c runs it
void classify_unhashed_run(struct check *check);     // forms.c runs it
void classify_sieves_run(struct check *check);
void classify_maps_run(struct check *check);
void classify_values_run(struct check *check);
void classify_edges_run(struct check *check);
void classify_interpolate_run(struct check *check);
void classify_uneven_run(struct check *check);
void classify_counters_run(struct check *check);
void classify_stream_run(struct check *check);
void classify_errors_run(struct check *check);
void classify_async_run(struct check *check);
void classify_driver_run(struct check *check);
void classify_prepare_run(struct check *check);
void classify_kept_run(struct check *check);
void classify_large_run(struct check *check);
void classify_corners_run(struct check *check);

// bench.c: the rows of `check --bench`.
void bench_classify(struct bench *bench);

// map.c: the calls of `check --bench --map`.
extern const struct map_primitive map_classify;

#endif
