/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows B2 and B3 of the lab: the parts of branches.c that classify.c uses for the library's
 * rows.
 */
#ifndef GP_LAB_BRANCHES_H
#define GP_LAB_BRANCHES_H

#include "measure.h"

// Builds a file of tools/lab/kernels/ for groups of lab->group items.
cl_program lab_branches_program(struct lab *lab, const char *file);

// Two kernels, each with its own output: n values of `size` bytes, one for each value of x.
struct lab_pair lab_branches_pair(struct lab *lab, cl_program program, const char *before,
                                  const char *after, cl_mem x, uint64_t n, size_t size);

// Gives B2's kernel with a table the correct table.
void lab_branches_set_modes(struct lab *lab, cl_kernel kernel);

// Data of B2: each of the 32 codes, then random u32.
cl_mem lab_blocks(struct lab *lab, uint64_t n);

// Data of B3: floats of all kinds, the neighbours of each bound, then random numbers from 0 to
// 1.
enum { LAB_BOUNDS = 5 };
extern const float lab_bounds[LAB_BOUNDS]; // ascending
cl_mem lab_cosines(struct lab *lab, cl_program program, uint64_t n);

#endif
