/* SPDX-License-Identifier: Apache-2.0
 *
 * The names that fragments of README.md and docs/ use without declaring them. They are compiled, and
 * never run. */
#include <gpuprim/gpuprim_cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

extern gpuprim *gp;
extern gpuprim_filter *filter;
extern gpuprim_classifier *classifier;
extern struct gpuprim_array in, out, taps, labels, counts;
extern float *x, *y, *image;
extern uint64_t count, rows, columns, height, width;
extern cl_context context;
extern cl_device_id device;
extern cl_command_queue queue;
extern cl_mem buffer, results;
extern int status;
