/* SPDX-License-Identifier: Apache-2.0
 *
 * Elements of any type as numbers, and sums as elements of an integer type, for the reference
 * of convolve1d. */
#ifndef CONVOLVE1D_NUMBER_H
#define CONVOLVE1D_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#include <gpuprim/gpuprim.h>

typedef long double real;

// An element of any type: integers in `whole`, floats in re and im.
struct number {
    int64_t whole;
    real re, im;
};

bool convolve_is_integer(enum gpuprim_type type);
size_t convolve_size(enum gpuprim_type type); // bytes

struct number convolve_load(enum gpuprim_type type, const void *p);
void convolve_store(enum gpuprim_type type, struct number x, void *p);

// A filter's constant as an element of the input.
struct number convolve_constant_of(enum gpuprim_type type, const double constant[2]);

// Divides by 2^shift, rounds half to even, and saturates to the range of the type.
int64_t convolve_scaled(int64_t sum, unsigned shift, enum gpuprim_type type);
// Rounds half to even and saturates; NaN gives 0.
int64_t convolve_rounded(real sum, enum gpuprim_type type);

#endif
