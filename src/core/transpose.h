/* SPDX-License-Identifier: Apache-2.0
 *
 * A part of a call: brings columns to rows, or rows to columns (transpose.c). One side is scratch
 * memory, so that the primitive's own kernels read and write the layout that suits them.
 */
#ifndef GP_TRANSPOSE_H
#define GP_TRANSPOSE_H

#include "arguments.h"
#include "call.h"

enum { TRANSPOSE_LOCAL_BYTES = 17408 }; // that a tile takes, at most

// What a program of kernels/core/transpose.cl follows from: bytes of an element in rows and in
// columns, the tile, whether rows become columns, and whether all bits one stay so where elements
// become wider. `anywhere`, where columns become rows: rows begin at any element, and their elements
// may lie apart; else they begin where 4 bytes do, and have room behind them up to a multiple of these.
// `pairs`: elements of 8 bytes begin where 4 do.
struct transpose {
    unsigned size, column_size, rows, count;
    bool to_columns, rejects, anywhere, pairs;
};

// Bytes of scratch memory for a piece of a call: those of staging memory, or half of them where host
// arrays go through that, but no more than a 32nd of the device's memory.
uint64_t gp_transpose_room(const gpuprim *gp, bool has_host);

// What brings so many columns of elements of so many bytes to rows.
struct transpose gp_transpose_of(uint64_t columns, size_t size);

int gp_transpose_launch(struct gp_call *call, const struct transpose *transpose,
                        const struct gp_argument *from, const struct gp_argument *to,
                        const struct transpose_arguments *arguments, bool last);
// `kinds`: of the memory arguments, GP_SVM_IN and GP_SVM_OUT.
int gp_transpose_build(gpuprim *gp, const struct transpose *transpose, unsigned kinds);

#endif
