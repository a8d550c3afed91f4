/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the variant gpu_folds of convolve1d share: gpu_folds.c, gpu_folds_layout.c,
 * and with gpu_places.c. */
#ifndef GP_CONVOLVE1D_GPU_FOLDS_H
#define GP_CONVOLVE1D_GPU_FOLDS_H

#include "gpu_sizes.h"

enum {
    FOLDS_GROUP = 128,   // items
    FOLDS_MOST_TEAMS = 4 // 32 items to a team
};

// A way to divide rows and outputs.
struct fold {
    // Macros of the kernel; room in bytes.
    unsigned item_outputs, item_rows, teams, room;
    bool folded, near_taps, team_tables;
    // Of the inputs of a task, on average: those that are one place at the left end, and at the
    // right one.
    unsigned left, right;
    struct fold_arguments a;
};

// The macro STEP: taps of so many steps have room in registers, or else none.
unsigned gp_folds_step(const struct convolve_shape *s, unsigned item_outputs);

// The macro NEAR_POSITIONS: 32 bits hold all positions that tasks look at.
bool gp_folds_is_near(const struct convolve_shape *s, unsigned item_outputs);

// Divides the outputs of a row into tasks.
void gp_folds_divide(const struct convolve_shape *s, unsigned item_outputs, struct fold *t);

// Completes *t for groups of `group` items. Returns the bytes of local memory.
uint64_t gp_folds_lay_room(const struct convolve_shape *s, unsigned group, struct fold *t);

// The way that takes the least time. False: there is none.
bool gp_folds_choose(const gpuprim *gp, const struct convolve_shape *s, struct fold *best);

#endif
