/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows B2 and B3 of the lab: what the library's rows beside them take from them. */
#ifndef GP_LAB_BRANCHES_H
#define GP_LAB_BRANCHES_H

#include "lab.h"

// A file of tools/lab/kernels/, with groups of lab->group.
cl_program lab_branches_program(struct lab *lab, const char *file);

// Two kernels, each with an output of its own: a value of `size` bytes for each of the n at x.
struct lab_pair lab_branches_pair(struct lab *lab, cl_program program, const char *before,
                                  const char *after, cl_mem x, uint64_t n, size_t size);

// The right table of B2, for its kernel with one.
void lab_branches_set_modes(struct lab *lab, cl_kernel kernel);

// Data of B2: each of the 32 codes, then random words.
cl_mem lab_blocks(struct lab *lab, uint64_t n);

// Data of B3: random numbers from 0 to 1, behind floats of all kinds and what is next to a
// bound.
enum { LAB_BOUNDS = 5 };
extern const float lab_bounds[LAB_BOUNDS]; // ascending
cl_mem lab_cosines(struct lab *lab, cl_program program, uint64_t n);

#endif
