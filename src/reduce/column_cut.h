/* SPDX-License-Identifier: Apache-2.0
 *
 * How gpu_columns cuts a matrix into blocks of a line and slots of its lines, one of each for a
 * group. */
#ifndef GP_REDUCE_COLUMN_CUT_H
#define GP_REDUCE_COLUMN_CUT_H

#include "reduce.h"

// What the cut of a matrix into groups depends on.
struct shares {
    uint64_t rows, vectors, lines; // vectors of a line
    uint64_t pitch_bytes;          // from line to line
    uint64_t units, groups;        // of the device; that it runs at once
    uint64_t slots;                // at most
    unsigned depth, work_group, vector_bytes;
    unsigned alone; // tiles that one group takes before another is worth it
    bool is_small, fused;
    bool few_lanes; // lanes take long to merge
};

// Sets block, blocks and slots of *l to a cut into as many groups as the device runs at once, or a
// multiple. fuse and fused of *l are known.
void gp_reduce_cut_columns(struct layout *l, const struct shares *s);

// The same for small matrices of which each group has one tile. False where groups would have more.
bool gp_reduce_cut_small(struct layout *l, const struct shares *s);

#endif
