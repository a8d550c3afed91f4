/* SPDX-License-Identifier: Apache-2.0
 *
 * One case of the tests of reduce: data in memory of some kind and geometry, a call, and the
 * comparison of every result and of every byte around the results. case.c runs it, data.c fills
 * the input, suite.c goes through operations, types and variants.
 */
#ifndef REDUCE_CASE_H
#define REDUCE_CASE_H

#include "src/reduce/operations.h"
#include "tests/harness/place.h"
#include "tests/harness/sources.h"
#include "tests/harness/variants.h"

enum { REDUCE_OPS = REDUCE_N_OPERATIONS, REDUCE_TYPES = GPUPRIM_F64 }; // types count from 1

// What is in the input.
enum reduce_data {
    DATA_RANDOM,       // integers: all bits; floats: between -100 and 100
    DATA_SMALL,        // small and never zero: products stay what they are
    DATA_EQUAL,        // one value per row
    DATA_TIES,         // three values, so that the best one comes often
    DATA_EXTREMES,     // the type's least and greatest numbers, 0 and 1
    DATA_LEAST,        // nothing but the least number
    DATA_GREATEST,     // nothing but the greatest: sums leave 32 and 64 bits
    DATA_SPARSE,       // zeros but for a few
    DATA_ONE_ZERO,     // one zero among others
    DATA_FALLING,      // the minimum comes last, the maximum first
    DATA_FAR,          // close together, far from 0
    DATA_OUTLIER,      // equal, but for the first
    DATA_TWOS,         // integers: odd, but for neighbours that have 30 to 62 twos as factors
    DATA_INTEGER_SETS, // from here on for floats only
    DATA_NAN_FIRST = DATA_INTEGER_SETS,
    DATA_NAN_MIDDLE,
    DATA_NAN_LAST,
    DATA_NAN_OFTEN,
    DATA_NAN_ALL,
    DATA_PLUS_INFINITY, // one among numbers
    DATA_MINUS_INFINITY,
    DATA_BOTH_INFINITIES,
    DATA_ALL_PLUS_INFINITY,
    DATA_ALL_MINUS_INFINITY,
    DATA_DENORMAL,
    DATA_SIGNED_ZEROS,
    DATA_FAR_AFTER_NANS, // close together, far from 0, behind some NaNs
    DATA_CANCELLING,     // large numbers and their negatives around small ones
    DATA_SETS
};

struct reduce_case {
    struct gpuprim_reduce_params params;
    enum gpuprim_type type;
    enum reduce_data data;
    uint64_t count, rows;       // rows at least 1
    int64_t stride, row_stride; // as in struct gpuprim_array
    uint64_t lead, tail;        // elements of the block before and after those of the array
    bool from_middle;           // host and SVM: base points at element 0, not at the block
    enum gpuprim_memory in_memory, out_memory;
    bool out_in_rows; // a row for each row's results, else flat
    bool f32_results; // statistics, which are f64 else
    int64_t out_stride, out_row_stride;
    uint64_t out_lead;
};

const char *reduce_op_name(enum gpuprim_op op);
bool reduce_op_takes(enum gpuprim_op op, enum gpuprim_type type);
// True if the result depends on the accumulator.
bool reduce_op_accumulates(enum gpuprim_op op);

// Operations that between them have every kind of chain, partial and output.
enum { REDUCE_MIX = 8 };
extern const struct reduce_kind {
    enum gpuprim_op op;
    enum gpuprim_type type;
} reduce_mix[REDUCE_MIX];

// Fills the elements of a host view for the case, and nothing between them.
void reduce_fill(struct check *check, const struct reduce_case *test,
                 const struct gpuprim_array *view);

// What a variant takes where it is forced.
enum reduce_case_kind {
    KIND_ANY,        // all or nearly all that chance brings
    KIND_ROWS,       // several rows of neighbours
    KIND_SHORT_ROWS, // rows of neighbours, no longer than reduce_longest_row()
    KIND_COLUMNS,    // several columns of a matrix
};
enum reduce_case_kind reduce_case_kind_of(const char *variant);
uint64_t reduce_longest_row(const gpuprim *gp, enum gpuprim_type type);

// Why the variant can run nothing on this device, or NULL. Some variants are for CPUs only.
const char *reduce_cannot(const gpuprim *gp, const char *variant);

// Whether the case needs double precision and the device has none.
bool reduce_lacks_doubles(const gpuprim *gp, const struct reduce_case *test);

// Counts a failure if the forced variant took fewer than `least` of the group's cases.
void reduce_expect_taken(struct check *check, uint64_t least);

// Chooses memory, leads, strides and the geometry of the output at random.
void reduce_shuffle(struct check *check, const gpuprim *gp, struct reduce_case *test);

// After reduce_shuffle: mostly makes the case one that the forced variant takes.
void reduce_suit(struct check *check, const gpuprim *gp, struct reduce_case *test);

// Runs the case and compares. Counts the case and its failure. A forced variant other than
// baseline may refuse a case.
bool reduce_run(struct check *check, gpuprim *gp, const struct reduce_case *test);

extern const struct check_sources reduce_sources; // sources.c

// The groups beyond op x type, a file each.
void reduce_shapes_run(struct check *check);
void reduce_tiny_run(struct check *check);
void reduce_layouts_run(struct check *check);
void reduce_pivots_run(struct check *check);
void reduce_narrow_run(struct check *check);
void reduce_numerics_run(struct check *check);
void reduce_async_run(struct check *check);
void reduce_driver_run(struct check *check);
void reduce_stream_run(struct check *check);
void reduce_large_run(struct check *check);
void reduce_corners_run(struct check *check);
void reduce_values_run(struct check *check);
void reduce_keys_run(struct check *check);

// bench.c: the rows of `check --bench`.
void bench_reduce(struct bench *bench);

// map.c: the calls of `check --bench --map`.
extern const struct map_primitive map_reduce;

#endif
