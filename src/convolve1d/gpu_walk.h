/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_walk of convolve1d: what its two files share. gpu_walk.c has the variant and its
 * layout, gpu_walk_work.c what a launch takes. */
#ifndef GP_CONVOLVE1D_GPU_WALK_H
#define GP_CONVOLVE1D_GPU_WALK_H

#include "gpu_lanes.h"

enum { WALK_GROUP = 128 };

// ---------------------------------------------------------------------------------------
// gpu_walk.c

// Lanes that an item takes, and how words of them lie in lines.
unsigned gp_walk_word_lanes(const struct convolve_shape *s);
struct lane_words gp_walk_words(const struct convolve_shape *s);

// Whether there are more taps than are taken without a step.
bool gp_walk_has_many_taps(const struct convolve_shape *s);

// Outputs that meet a line.
uint64_t gp_walk_sums(const struct convolve_shape *s);

// Taps of its rows that an item keeps, in words of 4 bytes.
uint64_t gp_walk_own_words(const struct convolve_shape *s, unsigned word_lanes);

// Whether sectors at the ends of lines of outputs are fetched before strips write them.
bool gp_walk_fetches(const struct convolve_shape *s);

void gp_walk_lay_out(const gpuprim *gp, const struct convolve_shape *s,
                     const struct gp_variant *variant, unsigned work_group,
                     struct convolve_layout *l);

// ---------------------------------------------------------------------------------------
// gpu_walk_work.c

void gp_walk_count(const gpuprim *gp, const struct convolve_shape *s, struct convolve_work *w);

#endif
