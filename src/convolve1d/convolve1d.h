/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of convolve1d share. A file calls only those below it in this list:
 *
 *     call.c      gpuprim_convolve1d: checks the arguments of a call
 *     filter.c    gpuprim_filter_create and gpuprim_filter_destroy; params.c checks the
 *                 parameters, taps.c reads the taps
 *     run.c       runs a checked call; host.h lists the files for arrays on the host
 *     plan.c      the table of variants; which one takes a call, and its program
 *     baseline.c  and the other variants, one file each: cpu_residues.c, cpu_gathered.c
 *                 (they share cpu_tiles.c), gpu_short_taps.c, gpu_register_window.c,
 *                 gpu_tap_chunks.c (they share gpu_tiles.c)
 *     launch.c    enqueues one kernel
 *     order.c     the order in which the products of an output are added
 *
 * The formula stands in kernels/convolve1d/convolve1d.cl. */
#ifndef GP_CONVOLVE1D_H
#define GP_CONVOLVE1D_H

#include "src/core/core.h"

// This many zero bytes stand behind the taps, on the host and on the device. Kernels may
// therefore read whole vectors of taps, or take a struct of up to this size by value. They
// never use these zeros as taps: 0 * infinity would be NaN.
enum { CONVOLVE_TAPS_PADDING = 4352, CONVOLVE_MAX_TAPS = 1 << 20 };

// Immutable once it is made. OpenCL itself keeps `memory` alive for enqueued kernels.
struct gpuprim_filter {
    gpuprim *gp;
    enum gpuprim_type taps_type, in, out;
    enum gpuprim_mode mode;
    enum gpuprim_boundary left, right;
    uint64_t constant[2];            // bits of the value for CONSTANT and ZERO, left and right
    uint64_t taps, rows;             // rows of taps: 1, or as many as the data has
    uint64_t stride, dilation, halo; // halo: (taps - 1) * dilation
    int64_t offset;
    unsigned shift;
    unsigned sum_bits; // magnitudes of integer sums are below 2^sum_bits
    size_t size;       // bytes of a tap
    // The taps as kernels take them: row by row, in each row first the tap that meets the
    // lowest input.
    void *values;  // on the host
    cl_mem memory; // on the device
};

// A row of a variant's table of tunings; only the files of such variants know its members. And
// the variants that have a table.
struct convolve_tuning;
enum { TUNED_SHORT_TAPS, TUNED_REGISTER_WINDOW, TUNED_TAP_CHUNKS, CONVOLVE_TUNED };

// A checked call.
struct convolution {
    const struct gpuprim_filter *filter;
    struct gp_array in, out;
    struct gp_array before, after; // only where the left boundary is HISTORY
    bool has_after;                // after has elements: the history is to be updated
    // The variants' rows for the filter, found once (gp_convolve_tune). NULL: the variant
    // cannot take the filter on this device.
    const struct convolve_tuning *tuning[CONVOLVE_TUNED];
};

// How a launch is divided among groups. All but `groups` goes to the kernel unchanged.
struct convolve_layout {
    uint64_t groups;
    uint64_t share;
    uint32_t row_groups;
};

// What a variant of convolve1d can do besides `fits` and `suits`; gp_variant's `ops`.
struct convolve_ops {
    // Finds the variant's row for a filter; NULL where it cannot take the filter. `tuned` is
    // its place in the call's `tuning`. A variant without a table has no such function.
    const struct convolve_tuning *(*tuning)(const gpuprim *gp, const struct gpuprim_filter *f);
    unsigned tuned;
    // Defines the variant's own macros, and the items per group. They depend on the filter
    // alone, so that a variant has one program for all calls with a filter.
    void (*specialise)(const gpuprim *gp, const struct convolution *c,
                       const struct gp_variant *variant, struct gp_key *key);
    // Divides rows x outputs, both at least 1, among groups of `work_group` items. *out is zero
    // before.
    void (*lay_out)(const gpuprim *gp, const struct convolution *c,
                    const struct gp_variant *variant, unsigned work_group, uint64_t rows,
                    uint64_t outputs, struct convolve_layout *out);
    // The kernel takes the taps by value, at most CONVOLVE_TAPS_PADDING bytes. Otherwise its
    // third argument is the buffer.
    bool by_value;
};

// The .cl files of a variant, after common.cl.
// clang-format off
#define CONVOLVE_SOURCES(...) \
    (const char *const[]){ "convolve1d/arguments.h", "convolve1d/convolve1d.cl", \
                           "convolve1d/history.cl", __VA_ARGS__, NULL }
// clang-format on

// ---------------------------------------------------------------------------------------
// params.c

// Refuses combinations of f->in, taps_type and out that are not offered.
int gp_filter_check_types(const struct gpuprim_filter *f);

// Checks the parameters and stores them in *f, of which taps and types are there.
int gp_filter_take_params(const struct gpuprim_filter_params *p, struct gpuprim_filter *f);

// ---------------------------------------------------------------------------------------
// taps.c

// The range of an integer input type.
void gp_filter_range(enum gpuprim_type type, int64_t *low, int64_t *high);

// Copies the taps to f->values. Reverses them unless `correlate`.
int gp_filter_take_taps(gpuprim *gp, const struct gp_array *array, bool correlate,
                        struct gpuprim_filter *f);

// Refuses integer taps whose sums could leave 64 bits. Sets f->sum_bits: kernels are faster
// where sums fit 32 bits.
int gp_filter_check_sums(struct gpuprim_filter *f);

// ---------------------------------------------------------------------------------------
// run.c

bool gp_convolve_has_host(const struct convolution *c);

// Runs a checked call from beginning to end.
int gp_convolve_run(gpuprim *gp, const struct convolution *c, const struct gpuprim_sync *sync);

// ---------------------------------------------------------------------------------------
// call.c

// gp_primitive's `describe`.
int gp_convolve_describe(gpuprim *gp, char *text, size_t size);

// ---------------------------------------------------------------------------------------
// plan.c

// Besides the filter, only this decides which variant takes a call: whether its arrays are
// contiguous, and whether they are long.
extern const struct gp_primitive gp_primitive_convolve1d;

// Finds the variants' rows for c->filter. To be called before the call is planned.
void gp_convolve_tune(const gpuprim *gp, struct convolution *c);

// Two calls with the filter on device memory: one on long contiguous arrays, and one with a
// single output and gaps between elements. Every call with the filter gets the variant of one
// of these two, so a filter is prepared by building for both.
struct convolution gp_convolve_packed_call(const struct gpuprim_filter *filter);
struct convolution gp_convolve_strided_call(const struct gpuprim_filter *filter);

// ---------------------------------------------------------------------------------------
// The variants, one file each

extern const struct gp_variant gp_convolve_cpu_residues;
extern const struct gp_variant gp_convolve_cpu_gathered;
extern const struct gp_variant gp_convolve_gpu_short_taps;
extern const struct gp_variant gp_convolve_gpu_register_window;
extern const struct gp_variant gp_convolve_gpu_tap_chunks;
extern const struct gp_variant gp_convolve_baseline;

// ---------------------------------------------------------------------------------------
// launch.c

// Everything that stays the same from launch to launch of a call.
struct convolve_run {
    struct gp_call call;
    const struct convolution *c;
    struct gp_plan plan;
};

// An array, or a part of one, as a kernel's argument.
struct convolve_view {
    struct gp_argument argument;
    cl_mem memory; // what argument.value points to, where it is a cl_mem
    int64_t first, stride, row_stride;
};

// A launch: `rows` rows from `row` on; the views begin with that row.
struct convolve_launch {
    const struct convolve_view *x, *before, *out; // before: NULL where it is not read
    uint64_t n, row, rows, outputs;
    int64_t origin; // the lowest input that output 0 needs
    bool last;      // of the call
};

// Enqueues the convolution.
int gp_convolve_launch(struct convolve_run *run, const struct convolve_launch *launch);

// Enqueues: after (launch->out) = the last `outputs` elements of before and x.
int gp_convolve_update_history(struct convolve_run *run, const struct convolve_launch *launch);

// Views: of an array in device memory, from a row on; of a packed array in a buffer of the
// library's; of memory that no kernel reads, for an argument that is not used.
void gp_convolve_view(const struct gp_array *array, uint64_t row, struct convolve_view *out);
void gp_convolve_view_packed(cl_mem memory, uint64_t first, uint64_t count,
                             struct convolve_view *out);
void gp_convolve_view_unused(const struct convolve_run *run, struct convolve_view *out);

// ---------------------------------------------------------------------------------------
// order.c

// ORDER of the kernels: the order in which the products of an output are added. A property of
// the device and the filter, the same for all variants that the device may choose.
unsigned gp_convolve_order(const gpuprim *gp, const struct gpuprim_filter *filter);

#endif
