/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of reduce share: reduce.c checks a call, reduce_plan.c picks a variant and
 * lays it out, reduce_run.c launches. The kernels and the drawing of who reads what stand in
 * kernels/reduce*.cl. */
#ifndef GP_REDUCE_H
#define GP_REDUCE_H

#include "internal.h"

// A checked call.
struct reduction {
    enum gpuprim_op op;
    struct gp_array in, out;
    enum gpuprim_type sum; // SUM_TYPE of the kernels; 0 = 128 bits
    bool skip_nan;
    unsigned pairs;            // results per row
    int64_t out_row, out_pair; // elements between rows' results, between a row's two
};

// How a piece of `rows` x `count` is laid out on the device.
struct layout {
    uint32_t sets, lanes; // rows that a group takes at once, items on each
    bool across;
    uint64_t slots, share; // parts of a row, elements of one
    uint64_t groups;       // of the launch
};

enum {
    REDUCE_ACC_BYTES = 24,          // the kernels' acc, at most
    REDUCE_SCRATCH_BYTES = 1 << 20, // partials of a launch, about
    REDUCE_SCRATCH_SLOTS = REDUCE_SCRATCH_BYTES / REDUCE_ACC_BYTES - 1, // of one row
};

// The first variant that takes the call, or NULL with the words set where one is forced.
const struct gp_variant *gp_reduce_pick(const gpuprim *gp, const struct reduction *r);

// The program of a variant for this call. The lock is held.
int gp_reduce_program(gpuprim *gp, const struct reduction *r, const struct gp_variant *variant,
                      struct gp_program **out);

// Cuts the rows of a piece into as many slots as fill the device, none too small to be worth a
// group; at most `max_slots`, which is what there is scratch for.
struct layout gp_reduce_layout(const gpuprim *gp, const struct reduction *r,
                               const struct gp_variant *variant,
                               const struct gp_program *program, const struct gp_piece *piece,
                               uint64_t max_slots);

// True where the last group of a row can fold its partials in the same launch.
bool gp_reduce_one_launch(const gpuprim *gp, const struct gp_variant *variant,
                          const struct layout *layout);

// Runs a checked call from beginning to end.
int gp_reduce_run(gpuprim *gp, const struct reduction *r, const struct gp_variant *variant,
                  const struct gpuprim_sync *sync);

enum { REDUCE_VARIANTS = 3 };
extern const struct gp_variant gp_reduce_variants[REDUCE_VARIANTS];

#endif
