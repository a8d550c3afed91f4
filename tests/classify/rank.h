/* SPDX-License-Identifier: Apache-2.0
 *
 * Ranks: numbers in the order of a type's values. Neighbours, which are one ulp or 1 apart,
 * have ranks that differ by 1, so that drawing, sorting and stepping need no arithmetic in the
 * type. -0 comes before +0.
 */
#ifndef CLASSIFY_RANK_H
#define CLASSIFY_RANK_H

#include "case.h"

bool rank_is_float(enum gpuprim_type type);
bool rank_is_signed(enum gpuprim_type type);
unsigned rank_bits(enum gpuprim_type type); // of an element
uint64_t rank_all_bits(enum gpuprim_type type);

uint64_t rank_of(enum gpuprim_type type, uint64_t bits);
uint64_t rank_of_double(enum gpuprim_type type, double x); // rounded to the type
uint64_t rank_to_bits(enum gpuprim_type type, uint64_t rank);
uint64_t rank_random(struct check *check, enum gpuprim_type type);
// The rank `step` further, at most that of an infinity or of the type's last value.
uint64_t rank_step(enum gpuprim_type type, uint64_t rank, int64_t step);

// The bits of an element.
uint64_t rank_read(const struct gpuprim_array *view, uint64_t row, uint64_t i);
void rank_write(const struct gpuprim_array *view, uint64_t row, uint64_t i, uint64_t bits);

// A packed host array, which the caller frees.
struct gpuprim_array classify_packed(enum gpuprim_type type, uint64_t n, uint64_t rows);

#endif
