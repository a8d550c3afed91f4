/* SPDX-License-Identifier: Apache-2.0
 *
 * What reduce must give, in plain C and in higher precision than the device. The tests and
 * `gpuprim reduce --check` compare with this.
 *
 * Integers, positions, bits, counts, minima and maxima must be exact (-0 equals +0). Float sums
 * and means must lie within the bound that gpuprim.h states, products within 2 count u of the
 * true product. Where the sum of |x|, or a part of the product, may leave the range of the
 * accumulator, the result depends on the order, and more than one answer is accepted; float.c
 * says which.
 */
#ifndef REDUCE_REFERENCE_H
#define REDUCE_REFERENCE_H

#include <stdbool.h>

#include <gpuprim/gpuprim.h>

// True if every result in `out` is right for `in`; else false, and `why` says what the first
// wrong result is. The host must be able to read both: `base` is taken as a pointer whatever
// `memory` says. gpuprim_reduce must accept the arrays.
bool reduce_reference_agrees(const struct gpuprim_array *in, const struct gpuprim_array *out,
                             const struct gpuprim_reduce_params *params, char *why,
                             size_t why_size);

// The accumulator that `params` means for elements of `type`, and the type of the results.
enum gpuprim_type reduce_reference_accumulator(enum gpuprim_type type,
                                               const struct gpuprim_reduce_params *params);
enum gpuprim_type reduce_reference_result(enum gpuprim_type type,
                                          const struct gpuprim_reduce_params *params);

// Results of a row.
unsigned reduce_reference_results(enum gpuprim_op op);

// Bytes of an element; 0 for C32 and for what is no type.
size_t reduce_reference_size(enum gpuprim_type type);

#endif
