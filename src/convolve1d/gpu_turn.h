/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the variant gpu_turn of convolve1d share: gpu_turn.c, gpu_turn_layout.c. */
#ifndef GP_CONVOLVE1D_GPU_TURN_H
#define GP_CONVOLVE1D_GPU_TURN_H

#include "gpu_sizes.h"

enum { TURN_MOST_INPUTS = 256 }; // of an item: the kernel has code for each

// A way to divide rows.
struct turn {
    unsigned group, rows;         // items; rows of a tile
    unsigned item_outputs, along; // macros of the kernel
    uint64_t bytes;               // of local memory
    struct turn_arguments a;
};

// Whether columns become rows. gpu_roll takes them where there is one phase.
bool gp_turn_is_back(const struct convolve_shape *s);

// Whether the tile has elements as they lie in memory.
bool gp_turn_has_words(const struct convolve_shape *s);

// Whether results go through local memory, because neighbouring items have outputs that lie apart.
bool gp_turn_has_exchange(const struct convolve_shape *s);

// The way that takes the least time. False: there is none.
bool gp_turn_choose(const gpuprim *gp, const struct convolve_shape *s, struct turn *best);

// Divides the rows in blocks for groups of `group` items. Returns the number of groups.
uint64_t gp_turn_lay_blocks(const struct convolve_shape *s, unsigned group, struct turn *t);

#endif
