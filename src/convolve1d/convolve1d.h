/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of convolve1d share: call.c checks a call, filter.c makes
 * filters, plan.c picks a variant and makes its program, gpu.c and
 * cpu.c lay it out on the device, run.c launches, host.c takes
 * host arrays to the device and back. The formula stands in kernels/convolve1d/convolve1d.cl. */
#ifndef GP_CONVOLVE1D_H
#define GP_CONVOLVE1D_H

#include <stdatomic.h>

#include "src/core/core.h"

// Zeros behind the taps, on the host and on the device, so that kernels may read whole vectors
// of taps, and take a struct of this size by value. Zeros are no taps: 0 * infinity is NaN.
enum { CONVOLVE_TAPS_PADDING = 4352, CONVOLVE_MAX_TAPS = 1 << 20 };

// Never changes but for the count of references: one of the caller's, one of each call that is
// being enqueued. What is enqueued holds the memory object itself, as OpenCL has it.
struct gpuprim_filter {
    atomic_uint references;
    gpuprim *gp;
    enum gpuprim_type taps_type, in, out;
    enum gpuprim_mode mode;
    enum gpuprim_boundary left, right;
    uint64_t constant[2];             // bits of what CONSTANT and ZERO are, left and right
    uint64_t taps, rows;              // rows of taps: 1, or as many as the data has
    uint64_t stride, dilation, reach; // reach: (taps - 1) * dilation
    int64_t offset;
    unsigned shift;
    unsigned sum_bits; // magnitudes of integer sums are below 2^sum_bits
    size_t size;       // bytes of a tap
    void *values;  // the taps as kernels take them: row by row, first the one that meets the
    cl_mem memory; // lowest input; the same on the device
};

// A checked call.
struct convolution {
    const struct gpuprim_filter *filter;
    struct gp_array in, out;
    struct gp_array before, after; // only where the left boundary is HISTORY
    bool hands_on;                 // after has elements
};

// What a program is made for, besides the types.
struct convolve_special {
    unsigned work_group; // items per group to ask for
    unsigned number;     // SHAPE of the kernels: each variant's own
    // Bytes of taps that the kernel takes by value, at most CONVOLVE_TAPS_PADDING; 0: its third
    // argument is the buffer. For filters with one row of taps.
    unsigned value_bytes;
};

// How outputs are shared out on the device; what is not `groups` goes to the kernel as it is.
struct convolve_layout {
    uint64_t groups;
    uint64_t share;
    uint32_t row_groups, extra;
};

// A variant's way of working; gp_variant's `ops`.
struct convolve_shape {
    // Depends on the filter alone: a variant has one program for all calls with it.
    void (*specialise)(const gpuprim *gp, const struct convolution *c,
                       const struct gp_variant *variant, struct convolve_special *out);
    // Lays out rows x outputs, both at least 1. *out is zero before.
    void (*lay_out)(const gpuprim *gp, const struct convolution *c,
                    const struct gp_variant *variant, unsigned work_group, uint64_t rows,
                    uint64_t outputs, struct convolve_layout *out);
};

// Member for member the kernels' struct arguments.
struct convolve_arguments {
    cl_long first, stride, row_stride;
    cl_long before_first, before_stride, before_row_stride;
    cl_long out_first, out_stride, out_row_stride;
    cl_ulong n, outputs, rows;
    cl_long lo;
    cl_ulong reach, tap_first, tap_row, constant_left, constant_right, share;
    cl_uint taps, step, dilation, left, right, shift, row_groups, extra;
};
_Static_assert(sizeof(struct convolve_arguments) == 23 * 8, "no padding, as in the kernels");

// ---------------------------------------------------------------------------------------
// filter.c: references; the last one that is given back ends the filter

void gp_filter_retain(const struct gpuprim_filter *filter);
void gp_filter_release(const struct gpuprim_filter *filter);

// ---------------------------------------------------------------------------------------
// taps.c

// The range of an integer input type.
void gp_filter_range(enum gpuprim_type type, int64_t *low, int64_t *high);

// Copies the taps to f->values, reversed where they are not to be correlated.
int gp_filter_take_taps(gpuprim *gp, const struct gp_array *array, bool correlate,
                        struct gpuprim_filter *f);

// Integer sums must fit 64 bits, whatever the data; where they fit 32, kernels are faster.
int gp_filter_check_sums(struct gpuprim_filter *f);

// ---------------------------------------------------------------------------------------
// plan.c

extern const struct gp_primitive gp_primitive_convolve1d;

// gp_primitive's `describe`.
int gp_convolve_describe(gpuprim *gp, char *text, size_t size);

// What a variant's program is made for, for this call.
struct convolve_special gp_convolve_special(const gpuprim *gp, const struct convolution *c,
                                            const struct gp_variant *variant);

// Two calls with the filter on device memory: on long contiguous arrays, and for one output of
// arrays with gaps. Whichever variant a call with the filter gets, one of these gets it too:
// what they need is built when the filter is made.
struct convolution gp_convolve_packed_call(const struct gpuprim_filter *filter);
struct convolution gp_convolve_strided_call(const struct gpuprim_filter *filter);

// ---------------------------------------------------------------------------------------
// run.c

// Everything that stays the same from launch to launch of a call.
struct convolve_run {
    struct gp_call call;
    const struct convolution *c;
    struct gp_plan plan;
    struct convolve_special special;
};

// An array, or a part of one, as a kernel's argument.
struct convolve_view {
    struct gp_argument argument;
    cl_mem memory; // what argument.value points to, where it is a cl_mem
    int64_t first, stride, row_stride;
};

// A launch: `rows` rows from `row` on; the views begin with that row. `lo` as in the kernels.
struct convolve_launch {
    const struct convolve_view *x, *before, *out; // before: NULL where it is not read
    uint64_t n, row, rows, outputs;
    int64_t lo;
    bool last; // of the call
};

int gp_convolve_launch(struct convolve_run *run, const struct convolve_launch *launch);

// after (launch->out) = the last `outputs` elements of before and x.
int gp_convolve_hand_on(struct convolve_run *run, const struct convolve_launch *launch);

// An array in device memory, from a row on.
void gp_convolve_view(const struct gp_array *array, uint64_t row, struct convolve_view *out);

// A packed array in a buffer of the library's.
void gp_convolve_packed(cl_mem memory, uint64_t first, uint64_t count,
                        struct convolve_view *out);

bool gp_convolve_has_host(const struct convolution *c);

// Runs a checked call from beginning to end.
int gp_convolve_run(gpuprim *gp, const struct convolution *c, const struct gpuprim_sync *sync);

// ---------------------------------------------------------------------------------------
// host.c

// The launches of a call of which some array is on the host. Blocking.
int gp_convolve_host(struct convolve_run *run);

// ---------------------------------------------------------------------------------------
// The variants, in the order in which they are asked. Whether one fits depends, beside the
// filter, on nothing but whether the arrays of the call are contiguous and long.

enum { CONVOLVE_VARIANTS = 6 };
extern const struct gp_variant *const gp_convolve_variants[CONVOLVE_VARIANTS];

// Asked for by name (GPUPRIM_VARIANT, or the tests), a variant takes whatever it can do, worth
// it or not.
bool gp_convolve_is_forced(const gpuprim *gp);

// ORDER of the kernels: in which order they sum. All variants sum a filter in the same order on
// one device.
unsigned gp_convolve_order(const gpuprim *gp, const struct gpuprim_filter *filter);

// gpu_short_taps: GPUs, few taps: each item loads the words it needs, no local memory.
bool gp_convolve_fits_short(const gpuprim *gp, const void *call);
extern const struct convolve_shape gp_convolve_short;

// gpu_register_window: GPUs, a tile in local memory and a window of contiguous outputs per item.
bool gp_convolve_fits_window(const gpuprim *gp, const void *call);
extern const struct convolve_shape gp_convolve_window;

// gpu_tap_chunks: the same for any number of taps, which come through local memory too.
bool gp_convolve_fits_chunks(const gpuprim *gp, const void *call);
extern const struct convolve_shape gp_convolve_chunks;

// cpu_residues: CPUs, vectors of inputs shared by all taps of a residue modulo ORDER.
bool gp_convolve_fits_residues(const gpuprim *gp, const void *call);
extern const struct convolve_shape gp_convolve_residues;

// cpu_gathered: CPUs, elements, outputs or taps apart: inputs are put side by side first.
bool gp_convolve_fits_gathered(const gpuprim *gp, const void *call);
extern const struct convolve_shape gp_convolve_gathered;

#endif
