/* SPDX-License-Identifier: Apache-2.0
 *
 * What the variants for CPU devices share: cpu_residues.c and cpu_gathered.c. In both, one item
 * per group owns a core's vector unit and computes its share of a row in tiles. */
#ifndef GP_CONVOLVE1D_CPU_TILES_H
#define GP_CONVOLVE1D_CPU_TILES_H

#include "convolve1d.h"

// Whether the device is a CPU that may run groups of one item.
bool gp_convolve_cpu_takes(const gpuprim *gp);

// Defines the macros of kernels/convolve1d/cpu_vector.cl.
void gp_convolve_cpu_define(const gpuprim *gp, const struct convolution *c,
                            const struct gp_variant *variant, struct gp_key *key);

// As struct convolve_ops has it.
void gp_convolve_cpu_lay_out(const gpuprim *gp, const struct convolution *c,
                             const struct gp_variant *variant, unsigned work_group,
                             uint64_t rows, uint64_t outputs, struct convolve_layout *l);

#endif
