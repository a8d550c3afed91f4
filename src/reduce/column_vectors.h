/* SPDX-License-Identifier: Apache-2.0
 *
 * The vectors by which gpu_columns reads the lines of a matrix. The words are those of the drawing
 * in kernels/reduce/gpu_columns.cl. */
#ifndef GP_REDUCE_COLUMN_VECTORS_H
#define GP_REDUCE_COLUMN_VECTORS_H

#include "reduce.h"

// Columns of a vector.
unsigned gp_reduce_columns_of(const gpuprim *gp, const struct reduction *r);

// Whether lines are fused whose vectors have so many columns, if there is room for the partials;
// and then whether with the gaps between them.
bool gp_reduce_is_fused(const gpuprim *gp, const struct reduction *r, unsigned columns);
bool gp_reduce_is_dense(const struct reduction *r);

// log2 of the lines that have a whole number of vectors together.
unsigned gp_reduce_fuse_of(const struct gp_array *in, unsigned columns);

// Whether groups that read such vectors have half the items, with twice the vectors in flight.
bool gp_reduce_has_half_groups(const struct reduction *r, unsigned columns);

#endif
