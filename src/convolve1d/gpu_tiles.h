/* SPDX-License-Identifier: Apache-2.0
 *
 * What the variants for GPUs share: gpu_short_taps.c, gpu_register_window.c and
 * gpu_tap_chunks.c. In all of them a group computes a tile of outputs, an item some contiguous
 * ones of it (kernels/convolve1d/gpu_tile.cl). */
#ifndef GP_CONVOLVE1D_GPU_TILES_H
#define GP_CONVOLVE1D_GPU_TILES_H

#include "convolve1d.h"

// Kinds of data. An operand vector has 16 bytes: four operands, or two of f64 or c32 inputs.
enum convolve_data {
    QUADS = 1,     // four operands of 32 bits
    NARROW = 2,    // four, each from an input of 8 or 16 bits
    LONG_SUMS = 4, // four, whose sums take 64 bits each
    PAIRS = 8,     // two operands
    FOURS = QUADS | NARROW | LONG_SUMS
};

// What a kernel is compiled for, and for which filters. A variant has a table of these rows.
// Its row for a filter is the first one of the filter's kind of data whose most_taps are
// enough.
struct convolve_tuning {
    unsigned data; // kinds of data
    unsigned most_taps;
    unsigned work_group;
    unsigned vectors; // of outputs that an item computes; odd where they are read from a tile
    unsigned tiles;   // that a group takes one after the other (gpu_register_window, others 1)
    // gpu_tap_chunks:
    unsigned turns; // of the ring of inputs in a trip; turns * (vectors + 1) <= 24
    unsigned trips; // in a chunk of taps
};

// The row for the filter. NULL where the table has none, and on CPUs: baseline sums in another
// order there, and all variants of a device must sum in the same.
const struct convolve_tuning *gp_convolve_gpu_tuning(const gpuprim *gp,
                                                     const struct convolve_tuning *rows,
                                                     unsigned n,
                                                     const struct gpuprim_filter *f);

// The filter has no steps: neighbouring outputs, and neighbouring taps, need neighbouring
// inputs.
bool gp_convolve_gpu_is_dense(const struct gpuprim_filter *f);

// A row falls into phases, each a row without dilation: the filter's stride is 1, or as long as
// its dilation. Other strides are left to baseline.
bool gp_convolve_gpu_has_phases(const struct gpuprim_filter *f);

// A filter that is not dense, or has rows of taps, is worth these kernels from this many taps
// on. With fewer taps it is left to baseline.
enum { CONVOLVE_GPU_LEAST_TAPS = 18 };

// Whether the device lets a kernel take the filter's taps by value.
bool gp_convolve_gpu_by_value(const gpuprim *gp, const struct gpuprim_filter *f);

// Whether a row has work for a group. Otherwise these kernels are not worth it.
bool gp_convolve_gpu_is_long(const struct convolution *c, const struct convolve_tuning *tuning);

// Sets the items per group and defines the macros of kernels/convolve1d/gpu_tile.cl.
void gp_convolve_gpu_define(const struct gpuprim_filter *f,
                            const struct convolve_tuning *tuning, struct gp_key *key);

// As struct convolve_ops has it.
void gp_convolve_gpu_lay_out(const gpuprim *gp, const struct convolution *c,
                             const struct gp_variant *variant, unsigned work_group,
                             uint64_t rows, uint64_t outputs, struct convolve_layout *l);

#endif
