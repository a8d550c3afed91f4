/* SPDX-License-Identifier: Apache-2.0
 *
 * The two files of the variant gpu_roll: gpu_roll.c divides a matrix among groups, and
 * gpu_roll_tuning.c says how much a group and an item of it take. */
#ifndef GP_CONVOLVE1D_GPU_ROLL_H
#define GP_CONVOLVE1D_GPU_ROLL_H

#include "gpu_lanes.h"
#include "gpu_sizes.h"

struct roll_tuning {
    unsigned lanes, bytes; // of a word; of an element, at most
    unsigned most_taps;
    unsigned work_group;
    unsigned words;      // side by side in a group
    unsigned outputs[2]; // of an item, without steps: integer sums, or words of bytes; others
    unsigned strip;      // outputs of a lane that a group takes, about
};

// NULL: there are too many taps.
const struct roll_tuning *gp_roll_tuning(const struct convolve_shape *s);

// Whether results cross local memory on their way out.
bool gp_roll_is_across(const struct convolve_shape *s);

// The lanes of a word: one or four.
unsigned gp_roll_word_lanes(const struct convolve_shape *s);

// The outputs of an item, and the words that lie side by side in a group.
unsigned gp_roll_outputs(const struct convolve_shape *s);
unsigned gp_roll_words(const struct convolve_shape *s);

enum {
    ROLL_LOAD = 47, // instructions of a load: the rate of the estimate
    ROLL_RAGGED = 2 // passes more over outputs whose lines begin anywhere in sectors
};

// Loads that the inputs of an output take, in a group that has `tile` outputs of a lane at once;
// and passes more over outputs, where columns become rows that begin anywhere in sectors.
double gp_roll_loads(const struct convolve_shape *s, unsigned tile);
double gp_roll_ends(const struct convolve_shape *s, unsigned tile);

#endif
