/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_transposed of convolve1d (gpu_transposed.c). launches.c and describe.c call it. */
#ifndef GP_CONVOLVE1D_TRANSPOSED_H
#define GP_CONVOLVE1D_TRANSPOSED_H

#include "convolve1d.h"
#include "src/core/transpose.h"

// Whether outputs go by way of scratch memory.
static inline bool gp_convolve_transposes(const struct gp_variant *variant)
{
    return variant == &gp_convolve_gpu_transposed;
}

// A part of a launch: some rows, and some outputs of each.
struct transposed_piece {
    uint64_t row, rows, output, outputs;
};

// Outputs in scratch memory, in elements: where the first of a piece lies, and how far apart they
// and their rows are.
struct transposed_place {
    int64_t first, stride, row_stride;
    uint64_t elements; // that the piece takes there
};

// gpu_transposed.c: the largest piece of a shape, where outputs and rows are those of the shape and
// `bytes` is what scratch memory may have; and how its outputs lie there: as the inputs do.
struct transposed_piece gp_transposed_largest(const struct convolve_shape *s, uint64_t bytes);
struct transposed_place gp_transposed_place(const struct convolve_shape *s,
                                            const struct transposed_piece *piece);

// What a piece is convolved by: its shape with outputs in scratch memory.
struct convolve_shape gp_transposed_shape(const struct convolve_shape *s,
                                          const struct transposed_piece *piece);

// What brings a piece's outputs from there to where they belong.
struct transpose gp_transposed_transpose(const struct convolve_shape *s,
                                         const struct transposed_piece *piece);

#endif
