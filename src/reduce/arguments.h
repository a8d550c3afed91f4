/* SPDX-License-Identifier: Apache-2.0
 *
 * What the host code and the kernels of reduce both know: the argument struct of the kernels,
 * its flags, and numbers. This text is valid in C, where run.c and the variants include it, and
 * in OpenCL C, where it is embedded as "reduce/arguments.h" (kernels/embed.py says how). */
#ifndef GP_REDUCE_ARGUMENTS_H
#define GP_REDUCE_ARGUMENTS_H

#ifndef __OPENCL_C_VERSION__
#include "src/core/core.h"
#endif

// Elements that a chain of additions may take. 64 additions of floats keep the error small, and
// 32 bits have room for sums of 16-bit values even after thousands of chains have met.
#define CHAIN 64

// Bytes of the vectors that variants for GPUs load.
#define VEC16_BYTES 16

// Bytes of the vectors in which variants for CPUs calculate, and how many of these cpu_rows
// adds side by side.
#define CPU_VECTOR_BYTES 64
#define CPU_ROWS_CHAINS  8

// Bytes of a line of memory. Loads of warps touch one line more where they begin within one.
#define LINE_BYTES 128

// gpu_rows: items that share a row in groups of `group` items, where `wanted` are asked for.
#define LANES_OF_GROUP(group, wanted)                                                          \
    ((wanted) >= (group) ? (group) : (group) % (wanted) ? 1 : (wanted))
#define WHOLE_GROUP 65536 // as `wanted`: no group has more items

// gpu_rows: what the macro APART is. In step are strides that divide a vector.
#define IN_STEP     1
#define OUT_OF_STEP 2

// Bytes that keys of bytes can number (kernels/reduce/keys.cl): those of 256 words.
#define MOST_KEY_BYTES 1024

// Scratch memory begins with so many counters; the partials lie behind them.
#define REDUCE_COUNTERS 4096

// gpu_columns: vectors of `columns` columns that `width` of them may touch, wherever they begin.
#define VECTORS_OF_SKIPPED(width, columns) (((width) + 2 * (columns)-2) / (columns))

// Members of `flags`.
#define DIRECT      1  // write results, not partials
#define ACROSS_ROWS 2  // neighbouring items take neighbouring rows, not elements or partials
#define ONE_LAUNCH  4  // a group folds the partials of the others
#define FUSED       8  // gpu_columns: lines are fused, there is a remainder
#define SKIPPED     16 // gpu_columns: and the gaps between them are not read

// Words of a launch's signals in tickets.cl, and of all slots. More have memory of their own.
#define SLOT_WORDS   1024
#define TICKET_WORDS 32768

struct arguments {
    cl_long first; // where the rows begin in x, elements
    cl_long stride, row_stride;
    cl_ulong count;    // elements of a row in this launch
    cl_ulong rows;     // in this launch
    cl_ulong index;    // position in its whole row of the first element
    cl_ulong total;    // elements of the whole row
    cl_ulong slots;    // parts a row is cut into
    cl_ulong share;    // elements of a slot, where slots are contiguous
    cl_ulong partials; // of a row in this launch
    cl_ulong pitch;    // from the partials of a row to those of the next, in `part`
    cl_ulong begin;    // first partial to fold: 1, or 0 from the second piece on
    cl_long out_first; // where row 0's result goes
    cl_long out_row;   // elements from there to the next row's
    cl_long out_step;  // elements between the results of a row
    cl_ulong launch;   // its number, which no signal has yet; 32 bits
    cl_uint lanes;     // items that share a slot
    cl_uint flags;
    cl_uint block;   // gpu_columns: vectors of a line that a group takes
    cl_uint blocks;  // gpu_columns: blocks of a line
    cl_uint fuse;    // gpu_columns: 1 << fuse lines are read as one
    cl_uint tile;    // gpu_tiles: rows that a group takes
    cl_uint ticket;  // the slot of tickets.cl, where the launch has no memory for signals
    cl_uint folders; // gpu_columns: groups that fold the partials of a block
    cl_uint apart;   // from a partial of a row to the next one
    cl_uint zero;    // 0, which compilers do not know
};

#ifndef __OPENCL_C_VERSION__
_Static_assert(REDUCE_COUNTERS == GP_MAX_COUNTERS, "the core's memory");
_Static_assert(TICKET_WORDS == SLOT_WORDS * GP_SCRATCH_SLOTS, "some for each slot");
_Static_assert(sizeof(struct arguments) == 16 * 8 + 10 * 4,
               "no padding: host and device agree");
#endif

#endif
