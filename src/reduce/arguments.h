/* SPDX-License-Identifier: Apache-2.0
 *
 * What the host code and the kernels of reduce both know: the argument struct of the kernels, its
 * flags, and numbers. This text is valid in C, where run.c and the variants include it, and in
 * OpenCL C, where it is embedded as "reduce/arguments.h" (kernels/embed.py says how). */
#ifndef GP_REDUCE_ARGUMENTS_H
#define GP_REDUCE_ARGUMENTS_H

#ifndef __OPENCL_C_VERSION__
#include "src/core/core.h"
#endif

// Elements that a chain of additions may take: 64 additions of floats, and room for 16-bit values
// in 32 bits even after thousands of chains have met.
#define CHAIN 64

// Members of `flags`.
#define DIRECT      1 // write results, not partials
#define ACROSS_ROWS 2 // neighbouring items take neighbouring rows, not elements
#define ONE_LAUNCH  4 // the last group of a row folds its partials
#define GLUED       8 // gpu_columns: lines do not begin at words, there are strays

struct arguments {
    cl_long first; // where the rows begin in x, elements
    cl_long stride, row_stride;
    cl_ulong count; // elements of a row in this launch
    cl_ulong rows;
    cl_ulong index;    // position in its whole row of the first element
    cl_ulong total;    // elements of the whole row
    cl_ulong slots;    // parts a row is cut into
    cl_ulong share;    // elements of a part, where parts are contiguous
    cl_ulong partials; // of a row in this launch
    cl_ulong pitch;    // partials of a row in `part`
    cl_ulong begin;    // first partial to fold: 1, or 0 from the second piece on
    cl_long out_first, out_row,
        out_pair;  // where row 0's result goes, the next row's, a second one
    cl_uint lanes; // items that share a part
    cl_uint flags;
    cl_uint block;  // gpu_columns: words of a line that a group takes
    cl_uint blocks; // gpu_columns: blocks of a line
    cl_uint glue;   // gpu_columns: 1 << glue lines are seen as one
    cl_uint tile;   // gpu_tiles: rows that a group takes
};

#ifndef __OPENCL_C_VERSION__
_Static_assert(sizeof(struct arguments) == 15 * 8 + 6 * 4, "no padding: host and device agree");
#endif

#endif
