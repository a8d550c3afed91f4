/* SPDX-License-Identifier: Apache-2.0
 *
 * What the variants for CPU devices share: cpu_residues.c and cpu_matrix.c. In both, one item
 * per group owns a core's vector unit and computes its share of the outputs in tiles. */
#ifndef GP_CONVOLVE1D_CPU_TILES_H
#define GP_CONVOLVE1D_CPU_TILES_H

#include "arguments.h"
#include "convolve1d.h"

// Rows of fewer outputs are taken many at a time, by cpu_matrix, except some whose inputs lie
// apart. Rows of up to twice as many narrow outputs are, too, if they have few taps (cpu_padded.c).
// f32, PoCL 3.1, two cores with AVX-512, shared, 2026-11-22, ms for 2^22 elements (cpu_residues;
// cpu_matrix):
//     taps      3            9            33            129
//     rows of 7     32.9; 3.7                130; 7.6
//     100       2.8; 4.0     3.7; 4.5     9.2; 6.3
//     500       2.9; 2.5                  5.3; 3.8
//     750                    3.0; 2.7     4.3; 4.1      10.0; 9.2
//     1000                   2.3; 2.4     3.3; 3.6
enum { CPU_SHORT_ROW = 768 };

// Vectors of outputs in a tile, for which sums stay in registers: `wide` of them where a register
// holds a vector of 16 f32, else `narrow`.
unsigned gp_convolve_cpu_vecs(const gpuprim *gp, unsigned wide, unsigned narrow);

// Whether the device is a CPU that may run groups of one item.
bool gp_convolve_cpu_takes(const gpuprim *gp);

// Defines the macros of kernels/convolve1d/cpu_vector.cl.
void gp_convolve_cpu_define(const gpuprim *gp, const struct convolve_shape *s,
                            unsigned tile_vecs, struct gp_key *key);

// cpu_padded.c: divides short rows into tiles of rows one behind the other, if that takes less time
// than what cpu_matrix.c has for them.
bool gp_convolve_cpu_pad(const gpuprim *gp, const struct convolve_shape *s,
                         struct matrix_arguments *m);

#endif
