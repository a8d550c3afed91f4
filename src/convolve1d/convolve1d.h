/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of convolve1d share. A file calls only those below it in this list:
 *
 *     call.c      gpuprim_convolve1d: checks the arguments of a call
 *     filter.c    gpuprim_filter_create and gpuprim_filter_destroy; params.c checks the
 *                 parameters, taps.c reads the taps, planes.c divides them into bytes (they share
 *                 filter.h, which says what a filter is)
 *     describe.c  gpuprim_filter_describe, and what `gpuprim info` prints of convolve1d
 *     run.c       runs a checked call; host.h lists the files for arrays on the host
 *     launches.c  plans a launch, which gpu_transposed makes several of, and builds for it
 *     launch.c    enqueues one kernel
 *     plan.c      the table of variants; what a launch runs, and how it is divided
 *     shape.c     how the rows of a launch lie in memory
 *     baseline.c  and the other variants, one file each: cpu_residues.c, cpu_matrix.c
 *                 (they share cpu_tiles.c), gpu_register_window.c, gpu_tap_chunks.c,
 *                 gpu_narrow.c, gpu_stretches.c, gpu_row_registers.c, gpu_folds.c, gpu_places.c,
 *                 gpu_tile.c (with gpu_tile_layout.c), gpu_turn.c, gpu_walk.c, gpu_roll.c (they
 *                 share gpu_lanes.c), gpu_byte_matrices.c, gpu_transposed.c;
 *                 gpu_sizes.h has what several go by
 *     fft.c       the spectra of a filter's taps, for cpu_fft.c, gpu_fft.c and gpu_fft_columns.c
 *                 (they share fft.h)
 *     cost.c      about how long a launch would take by a variant
 *     order.c     the order in which the products of an output are added
 *
 * The formula stands in kernels/convolve1d/convolve1d.cl. */
#ifndef GP_CONVOLVE1D_H
#define GP_CONVOLVE1D_H

#include "filter.h"

// A checked call.
struct convolution {
    const struct gpuprim_filter *filter;
    struct gp_array in, out;
    struct gp_array before, after; // only where the left boundary is HISTORY
    bool has_after;                // after has elements: the history is to be updated
};

// A launch's rows in memory. This is what a variant is chosen by, and laid out for.
//
// Rows that lie between each other's elements, such as the columns of a matrix, in the input or
// in the outputs, are the `channels` of one row. Position p of channel c then has the flat
// index p * channels + c. Taps lie `lanes` flat elements apart. So a row is a matrix of inputs,
// `lanes` wide, which is convolved down its columns:
//
//     columns of a matrix of 4096   channels 4096, lanes 4096
//     stereo                        channels 2, lanes 2
//     dilation 16                   channels 1, lanes 16
//     many short rows               channels 1, lanes 1, many batches
//
// Of the outputs those that are `phases` apart share a lane. In it they are `step` inputs
// apart.
struct convolve_shape {
    const struct gpuprim_filter *filter;
    uint64_t n, outputs, rows; // inputs and outputs of a row
    int64_t stride, row_stride, out_stride, out_row_stride;
    int64_t origin;           // the lowest input that output 0 needs
    uint64_t updates_history; // by whom the launch may, if its variant can: UPDATES_...; or 0
    uint64_t is_part; // 1: of gpu_transposed, planned by gp_primitive_convolve1d_part; or 0
    // The rest follows (gp_convolve_derive). What stands above has no padding: plan.c compares it.
    uint64_t channels;       // all rows, or 1
    uint64_t batches;        // rows / channels
    uint64_t phases;         // dilation / gcd(dilation, the filter's stride)
    uint64_t step;           // the filter's stride / that gcd
    uint64_t lanes;          // channels * dilation
    uint64_t out_lanes;      // channels * phases
    bool packed, out_packed; // the flat index is the distance in memory
};

// How a launch is divided among groups. All but `groups` goes to the kernel unchanged.
struct convolve_layout {
    uint64_t groups;
    uint64_t share;
    uint32_t row_groups;
    uint32_t steps;   // launches, if the variant has `step`
    uint64_t scratch; // bytes of device memory that the kernel has as its last argument, or 0
    // The variant's own argument of the kernel, a struct of arguments.h behind `struct
    // arguments`. Size 0: it has none.
    uint32_t own_size;
    _Alignas(8) unsigned char own[224];
};

// What a variant would do for a launch, all items together, and what each of it takes: the
// time of a launch, by which its variant is chosen (cost.c).
struct convolve_work {
    double items;    // of all groups
    double outputs;  // that are computed, those that rows lack included
    double products; // of as many outputs as this
    double loads;    // beside those that come as vectors of 16 bytes
    double stores;   // likewise
    bool is_ragged;  // lines of the matrix begin anywhere in those of memory
    double passes;   // more over the bytes of inputs and outputs,
    double pieces;   // and over those of outputs alone, for sectors that are written in parts
    double met;      // the share of inputs that are loaded, if all others are left out; or 1
    double chain;    // microseconds in which an item adds its taps, one behind the other
};
struct convolve_rates {
    double start;                     // microseconds until items work at full rate
    double item, output, load, store; // instructions
    double passes, ragged; // over the bytes of inputs and outputs; more of ragged lines
};

// What a variant of convolve1d can do besides `fits` and `suits`; gp_variant's `ops`. The
// `call` of all of them is a struct convolve_shape.
struct convolve_ops {
    // Defines the variant's own macros, and the items per group. Each set of macros is a
    // program, compiled by the first call that needs it, so there should be few.
    void (*specialise)(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key);
    // Divides the rows and outputs, both at least 1, among groups of `work_group` items. *out
    // is zero before.
    void (*lay_out)(const gpuprim *gp, const struct convolve_shape *s,
                    const struct gp_variant *variant, unsigned work_group,
                    struct convolve_layout *out);
    // GPUs: counts what a launch would do (cost.c).
    void (*count)(const gpuprim *gp, const struct convolve_shape *s, struct convolve_work *out);
    struct convolve_rates rates;
    // Where a layout takes several launches: makes the variant's own argument that of launch i,
    // and returns its groups. NULL: there is one launch.
    uint64_t (*step)(const struct gpuprim_filter *f, const struct convolve_layout *l,
                     uint32_t i, void *own);
    // Why the variant takes the shapes that suit it: the end of the sentence "NAME, because".
    const char *why;
    // The kernel takes the taps by value, at most CONVOLVE_TAPS_PADDING bytes. Otherwise its
    // third argument is the buffer.
    bool by_value;
    // The kernel sums integers as such. Taps that were made floats are integers to it.
    bool whole_sums;
    // The kernel gets integer taps as bytes, where rows have the same.
    bool by_planes;
    bool by_spectrum; // the third argument is the filter's spectra
    // The kernel can update the history when all groups have read it
    // (kernels/convolve1d/update.cl).
    bool updates_history;
    // How many whole rows a group has, before which no other group reads: it can update their
    // history itself. 0, and NULL: none.
    uint64_t (*own_rows)(const gpuprim *gp, const struct convolve_shape *s);
};

// The .cl files of a variant, after common.cl.
// clang-format off
#define CONVOLVE_SOURCES(...) \
    (const char *const[]){ "convolve1d/arguments.h", "convolve1d/convolve1d.cl", \
                           "convolve1d/results.cl", "convolve1d/history_words.cl",        \
                           "convolve1d/history.cl", "convolve1d/update.cl", \
                           __VA_ARGS__, NULL }
// clang-format on

// ---------------------------------------------------------------------------------------
// run.c

// Runs a checked call from beginning to end.
int gp_convolve_run(gpuprim *gp, const struct convolution *c, const struct gpuprim_sync *sync,
                    const struct gp_again *again);
// How a call without history is made again at other places of its arrays.
extern const struct gp_repeat_form gp_convolve_form;

// ---------------------------------------------------------------------------------------
// call.c

// Checks in and out of a call with a filter and resolves them. `ignore_base`: base of the
// arrays is not looked at.
int gp_convolve_check_arrays(gpuprim *gp, const gpuprim_filter *filter,
                             const struct gpuprim_array *in, const struct gpuprim_array *out,
                             bool ignore_base, struct convolution *c);

// ---------------------------------------------------------------------------------------
// describe.c

// gp_primitive's `describe`.
int gp_convolve_describe(gpuprim *gp, char *text, size_t size);

// ---------------------------------------------------------------------------------------
// plan.c

// Its calls are struct convolve_shape. The other one plans the parts of gpu_transposed, by the
// variants that have a cost.
extern const struct gp_primitive gp_primitive_convolve1d, gp_primitive_convolve1d_part;

// The one that plans this shape.
const struct gp_primitive *gp_convolve_primitive_of(const struct convolve_shape *s);

// What a launch runs, and how it is divided among groups.
struct convolve_planned {
    struct convolve_shape shape;
    struct gp_plan plan;
    struct convolve_layout layout;
    unsigned updates; // who updates the history, where it is updated: UPDATES_...
};

// Most launches have the shape of one before, and to plan a shape takes up to 2 us.
struct convolve_plans {
    struct gp_newest_plans newest;
    struct convolve_planned entries[GP_NEWEST];
    struct gp_repeats repeats; // the calls themselves
};

// Plans a launch, of whose shape all but what follows is there. *out stays until the filter's
// next launch. The lock is held.
int gp_convolve_plan(gpuprim *gp, const struct convolve_shape *shape,
                     const struct convolve_planned **out);

// ---------------------------------------------------------------------------------------
// shape.c

// Fills in what follows from the other members.
void gp_convolve_derive(struct convolve_shape *s);

// Rows that lie from the last to the first are numbered so, where they have the same taps: the
// kernels have more and faster ways for rows that lie backwards in the outputs alone. Returns
// whether it turned them. To be called first.
bool gp_convolve_turn_rows(struct convolve_shape *s);

// With one tap an output needs one input: rows that follow each other in both arrays become one
// row, and so do all columns of a matrix; the lines of other columns become rows. To be called
// before gp_convolve_derive.
void gp_convolve_join_rows(struct convolve_shape *s, int64_t origin);

bool gp_convolve_has_host(const struct convolution *c);

// Who shall update the history in a launch of this shape, if its variant can.
unsigned gp_convolve_update_of(const struct convolve_shape *s);

// The shape of a call's launch. Arrays on the host that are copied to the device have shapes of
// their own there, piece by piece; this is then the shape of most pieces.
struct convolve_shape gp_convolve_shape(const struct convolution *c);

// A long contiguous row. A filter is created with the program for this shape.
struct convolve_shape gp_convolve_packed_shape(const struct gpuprim_filter *filter);

// ---------------------------------------------------------------------------------------
// The variants, one file each

extern const struct gp_variant gp_convolve_cpu_residues;
extern const struct gp_variant gp_convolve_cpu_matrix;
extern const struct gp_variant gp_convolve_cpu_fft;
extern const struct gp_variant gp_convolve_gpu_fft;
extern const struct gp_variant gp_convolve_gpu_fft_columns;
extern const struct gp_variant gp_convolve_gpu_walk;
extern const struct gp_variant gp_convolve_gpu_roll;
extern const struct gp_variant gp_convolve_gpu_transposed;
extern const struct gp_variant gp_convolve_gpu_turn;
extern const struct gp_variant gp_convolve_gpu_stretches;
extern const struct gp_variant gp_convolve_gpu_row_registers;
extern const struct gp_variant gp_convolve_gpu_folds;
extern const struct gp_variant gp_convolve_gpu_places;
extern const struct gp_variant gp_convolve_gpu_tile;
extern const struct gp_variant gp_convolve_gpu_narrow;
extern const struct gp_variant gp_convolve_gpu_register_window;
extern const struct gp_variant gp_convolve_gpu_tap_chunks;
extern const struct gp_variant gp_convolve_gpu_byte_matrices;
extern const struct gp_variant gp_convolve_baseline;

// ---------------------------------------------------------------------------------------
// launches.c

struct convolve_run;
struct convolve_launch;

// Enqueues the convolution, and the update of the history.
int gp_convolve_launch(struct convolve_run *run, const struct convolve_launch *launch);

// Builds what the launches of a call on device arrays need.
int gp_convolve_prepare(gpuprim *gp, const struct convolution *c);

// ---------------------------------------------------------------------------------------
// launch.c

// Everything that stays the same from launch to launch of a call.
struct convolve_run {
    struct gp_call call;
    const struct convolution *c;
    struct gp_plan plan; // of the newest launch; no program before the first
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
    const struct convolve_view *after;            // NULL: the history is not updated
    uint64_t n, row, rows, outputs;
    int64_t origin; // the lowest input that output 0 needs
    bool last;      // of the call
};

// The shape of a launch. Sets *turned where the last row of the launch is the shape's first one.
struct convolve_shape gp_convolve_launch_shape(const struct convolve_run *run,
                                               const struct convolve_launch *launch,
                                               bool *turned);

// Enqueues the convolution, as it was planned for this shape, and the update of the history.
int gp_convolve_launch_planned(struct convolve_run *run, const struct convolve_launch *launch,
                               const struct convolve_planned *planned, bool turned);

// Which memory objects the kernels of a call on device arrays have. `updates`: the first one updates
// the history.
void gp_convolve_kinds(const struct convolution *c, bool updates,
                       unsigned kinds[GP_MAX_KERNELS]);

// Enqueues: after (launch->out) = the last `outputs` elements of before and x.
int gp_convolve_update_history(struct convolve_run *run, const struct convolve_launch *launch);

// history_shares.c: returns the number of groups of `items` that do so, and sets how they share
// the rows.
struct arguments;
uint64_t gp_convolve_share_history(const struct convolve_launch *launch,
                                   const struct convolve_view *before,
                                   const struct convolve_run *run, unsigned items,
                                   struct arguments *arguments);

// Views: of an array in device memory, from a row on; of a packed array in a buffer of the
// library's; of no memory, for an array that there is not.
void gp_convolve_view(const struct gp_array *array, uint64_t row, struct convolve_view *out);
void gp_convolve_view_packed(cl_mem memory, uint64_t first, uint64_t count,
                             struct convolve_view *out);
void gp_convolve_view_none(struct convolve_view *out);

// ---------------------------------------------------------------------------------------
// cost.c

// Instructions of a multiply-add on GPUs.
double gp_convolve_multiply_add(const struct gpuprim_filter *f);

// Instructions that a compute unit has time for while a byte moves.
double gp_convolve_byte_instructions(void);

// How much longer elements that come one by one take where few items run, which wait for them.
double gp_convolve_waiting(const gpuprim *gp, const struct convolve_work *w);

// How far the elements of an array of these strides lie from their nearest neighbours.
uint64_t gp_convolve_apart(const struct convolve_shape *s, int64_t stride, int64_t row_stride);

// Microseconds that a launch takes by a variant on an H200, about; on other GPUs, in
// proportion to their compute units. gp_variant's `cost`.
double gp_convolve_cost(const gpuprim *gp, const struct gp_variant *variant, const void *call);

// ---------------------------------------------------------------------------------------
// order.c

// ORDER of the kernels: the order in which the products of an output are added. A property of
// the device and the filter, the same for all variants that the device may choose.
unsigned gp_convolve_order(const gpuprim *gp, const struct gpuprim_filter *filter);

#endif
