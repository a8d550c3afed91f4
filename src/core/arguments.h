/* SPDX-License-Identifier: Apache-2.0
 *
 * What the host code and the kernels of the core both know. For OpenCL C this text is embedded as
 * "core/arguments.h" (kernels/embed.py says how). */
#ifndef GP_CORE_ARGUMENTS_H
#define GP_CORE_ARGUMENTS_H

#ifndef __OPENCL_C_VERSION__
#include "error.h"
#endif

// What kernels/core/transpose.cl takes, in elements: where columns lie, and how far apart their elements
// and the columns are; where rows lie, and how far apart they are; and their numbers.
struct transpose_arguments {
    cl_long first, stride, row_stride;
    cl_long rows_first, rows_stride, pitch;
    cl_ulong rows, count;
};

#endif
