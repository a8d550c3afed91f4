/* SPDX-License-Identifier: Apache-2.0
 *
 * What the host code and the kernels of convolve1d both know: the argument struct of the
 * kernels, and numbers that both calculate with. launch.c and the variants include this text as
 * C; for OpenCL C it is embedded as "convolve1d/arguments.h" (kernels/embed.py says how). */
#ifndef GP_CONVOLVE1D_ARGUMENTS_H
#define GP_CONVOLVE1D_ARGUMENTS_H

#ifndef __OPENCL_C_VERSION__
#include "src/core/core.h"
#endif

// A span has SPAN_ORDERS * ORDER taps (kernels/convolve1d/convolve1d.cl: order of summation).
#define SPAN_ORDERS 16

// cpu_gathered: the largest stride and dilation that its buffer has room for.
#define GATHERED_STEPS 8

// Positions and steps are in elements.
struct arguments {
    cl_long first, stride, row_stride;                      // of x
    cl_long before_first, before_stride, before_row_stride; // read where left is HISTORY
    cl_long out_first, out_stride, out_row_stride;
    cl_ulong n;         // inputs of a row
    cl_ulong outputs;   // of a row, in this launch
    cl_ulong rows;      // at least 1, as are outputs
    cl_long origin;     // the input that g[0] meets for output 0
    cl_ulong halo;      // (taps - 1) * dilation
    cl_ulong tap_first; // where the taps of the first row begin
    cl_ulong tap_row;   // from the taps of a row to those of the next; 0: one row for all
    cl_ulong constant_left, constant_right; // the bits of an element; integers: as a long
    cl_ulong share;                         // outputs of an item (baseline) or a group (CPUs)
    cl_uint taps, step, dilation;           // step: the filter's stride
    cl_uint left, right;                    // BOUNDARY_...
    cl_uint shift;
    cl_uint row_groups; // groups of a row; baseline does not divide rows
    cl_uint unused;     // 0
};

#ifndef __OPENCL_C_VERSION__
_Static_assert(sizeof(struct arguments) == 19 * 8 + 8 * 4, "no padding: host and device agree");
#endif

#endif
