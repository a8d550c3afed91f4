/* SPDX-License-Identifier: Apache-2.0
 *
 * One case of the tests of convolve1d: data in memory of some kind and geometry, a filter, a
 * call, and the comparison of every output and of every byte around the outputs. case.c runs
 * it, data.c fills its arrays, suite.c goes through types and variants.
 */
#ifndef CONVOLVE1D_CASE_H
#define CONVOLVE1D_CASE_H

#include "tests/harness/place.h"
#include "tests/harness/sources.h"
#include "tests/harness/variants.h"

// Types that go together.
struct convolve_kind {
    enum gpuprim_type taps, in, out;
};
enum { CONVOLVE_KINDS = 34 };
extern const struct convolve_kind convolve_kinds[CONVOLVE_KINDS];

// For names of tests: what stands behind the input's type where another kind of taps goes with
// it, too.
const char *convolve_taps_suffix(const struct convolve_kind *kind);

struct convolve_case {
    struct convolve_kind kind;
    struct gpuprim_filter_params params;
    uint64_t taps, count, rows; // rows at least 1
    uint64_t outputs;           // EXPLICIT: of a row; else not read
    bool taps_per_row;
    bool small_taps;      // integers: sums fit 32 bits
    unsigned tap_bits;    // integers: so many, and a sign; 0: as many as sums have room for
    bool not_finite;      // floats: some infinities and NaNs
    bool is_rounding;     // to integers or f16: each sum is an input (rounding.c)
    bool updates_history; // HISTORY: after has elements
    bool after_is_before;
    uint64_t after_apart; // after begins so many elements later than before, and so do its rows
    bool is_tight;        // nothing lies behind the arrays: Oclgrind sees who reads there
    struct check_layout in, out, history, taps_layout;
};

// Random elements, and taps that are small enough for any sum of integers to fit.
void convolve_fill(struct check *check, const struct gpuprim_array *view, bool not_finite);
void convolve_fill_taps(struct check *check, const struct convolve_case *test,
                        const struct gpuprim_array *view);

// rounding.c: the inputs and the taps of a case that is_rounding.
void convolve_fill_rounding(struct check *check, const struct convolve_case *test,
                            const struct gpuprim_array *view);
void convolve_fill_impulse(struct check *check, const struct gpuprim_array *view);

// Chooses everything but kind, taps and count at random.
void convolve_shuffle(struct check *check, const gpuprim *gp, struct convolve_case *test);

// Gives the boundary CONSTANT a value, or none if no side is CONSTANT. To be called after the
// sides were changed.
void convolve_constant(struct convolve_case *test);

// Runs the case and compares. Counts the case and its failure. A forced variant other than
// baseline may refuse a case. The filter has the method of a forced variant.
bool convolve_run(struct check *check, gpuprim *gp, const struct convolve_case *test);

// The method of filters for a forced variant. That of "gpu_fft" is FFT, and its results do not
// have the bits of the others. The kinds of types that FFT takes.
enum gpuprim_method convolve_method_of(const char *variant);
bool convolve_has_fft(const struct convolve_kind *kind);

// A number of taps that the variant is made for: a group of gpu_register_window takes several
// tiles in turn, one of gpu_tap_chunks several chunks.
uint64_t convolve_taps_of(const char *variant);

// A context with a variant for CPUs forced. Simulators run it, too, though the library takes
// them for GPUs. NULL on GPUs.
gpuprim *convolve_cpu_context(struct check *check, const char *variant);

// gpu_tile.c: a context with gpu_tile forced, and groups of `work_group` items, or with 0 as large
// as on a GPU.
gpuprim *convolve_tile_context(struct check *check, unsigned work_group);

// costs.c: a filter of f32 taps without a program, for shapes that are looked at and not run.
struct gpuprim_filter convolve_filter_of(gpuprim *gp, enum gpuprim_type type, uint64_t taps,
                                         uint64_t stride, uint64_t dilation);

// costs.c: how `rows` rows of `n` elements lie in the input and in the output, and their shape; and
// the device at hand with the limits of a large GPU.
enum convolve_rows { AS_ROWS, AS_COLUMNS, ROWS_TO_COLUMNS, COLUMNS_TO_ROWS };
struct convolve_shape;
struct convolve_shape convolve_shape_of(const struct gpuprim_filter *f, uint64_t rows,
                                        uint64_t n, enum convolve_rows layout);
gpuprim *convolve_large_gpu(struct check *check);

// Types that the variant takes.
const struct convolve_kind *convolve_kind_of(const char *variant);

extern const struct check_sources convolve1d_sources; // sources.c

// The groups beyond types and variants, a file each.
void convolve_tiny_run(struct check *check);
void convolve_identities_run(struct check *check);
void convolve_flat_ends_run(struct check *check);
void convolve_stream_run(struct check *check);
void convolve_errors_run(struct check *check);
void convolve_async_run(struct check *check);
void convolve_driver_run(struct check *check);
void convolve_builds_run(struct check *check);
void convolve_plans_run(struct check *check);
void convolve_describe_run(struct check *check);
void convolve_costs_run(struct check *check);
void convolve_divisions_run(struct check *check);
void convolve_cpu_matrix_run(struct check *check);
void convolve_gpu_byte_matrices_run(struct check *check);
void convolve_gpu_folds_run(struct check *check);
void convolve_gpu_stretches_run(struct check *check);
void convolve_gpu_tile_run(struct check *check);
void convolve_gpu_tile_lines_run(struct check *check);
void convolve_host_run(struct check *check);
void convolve_limits_run(struct check *check);
void convolve_ends_run(struct check *check);
void convolve_histories_run(struct check *check);
void convolve_shapes_run(struct check *check);
void convolve_transposed_run(struct check *check);
void convolve_updates_run(struct check *check);
void convolve_rounding_run(struct check *check);
void convolve_matrices_run(struct check *check);
void convolve_fft_run(struct check *check);
void convolve_fft_auto_run(struct check *check);

// bench.c: the rows of `check --bench`.
void bench_convolve1d(struct bench *bench);

// map.c: the calls of `check --bench --map`.
extern const struct map_primitive map_convolve1d;

#endif
