/* SPDX-License-Identifier: Apache-2.0
 *
 * Doubles rounded to narrower floats (round.c), as bits and as numbers. */
#ifndef GP_ROUND_H
#define GP_ROUND_H

#include <stdint.h>

// The bits of the f16 or f32 nearest to a value, ties to even; infinity beyond the largest. Not
// for NaNs.
uint16_t gp_f16_bits(double value);
uint32_t gp_f32_bits(double value);

// The bits of the f32 that has the value of an f16. Not for NaNs.
uint32_t gp_f16_widened(uint16_t half);

// The numbers that bits stand for.
double gp_f32_number(uint32_t bits);
double gp_f64_number(uint64_t bits);

#endif
