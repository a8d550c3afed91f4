/* SPDX-License-Identifier: Apache-2.0
 *
 * The three files of the variant gpu_byte_matrices: gpu_byte_layout.c divides a launch into
 * groups by what they take, gpu_byte_room.c says what a group has in local memory, and
 * gpu_byte_matrices.c has the rest. The kernel,
 * kernels/convolve1d/gpu_byte_matrices.cl, says what lanes, octets and planes are. */
#ifndef GP_CONVOLVE1D_GPU_BYTES_H
#define GP_CONVOLVE1D_GPU_BYTES_H

#include "gpu_sizes.h"

enum {
    BYTES_WORK_GROUP = 128,
    BYTE_OCTET = 8,        // outputs of an octet
    BYTE_MOST_LANES = 1024 // of a group
};

struct byte_division {
    unsigned items;                                       // of a group
    unsigned octets, ksteps, chunks, phases, plane, room; // macros of the kernel
    struct byte_arguments a;
};

// Divides a launch into the groups that take least by an estimate. Returns false if a group has
// no room, or the taps are no integers.
bool gp_byte_divide(const gpuprim *gp, const struct convolve_shape *s,
                    struct byte_division *best);

// Whether there is a way. It takes less time than to find the best.
bool gp_byte_is_divisible(const gpuprim *gp, const struct convolve_shape *s);

// Completes *d, of which items, rows, phases, octets and chunks are there. Returns whether there
// is room.
bool gp_byte_lay_room(const struct convolve_shape *s, struct byte_division *d);

// Outputs of a row's first lane.
uint64_t gp_byte_lane_outputs(const struct convolve_shape *s);

// Words of taps in local memory.
uint64_t gp_byte_tap_words(const struct convolve_shape *s, const struct byte_division *d);

// Sets how a group of `items` loads inputs and writes outputs.
void gp_byte_share_items(const struct convolve_shape *s, unsigned items,
                         struct byte_division *d);

// Instructions of all items of a group.
double gp_byte_work(const struct convolve_shape *s, const struct byte_division *d);

// How many groups there are.
double gp_byte_groups(const struct byte_division *d);

// Words of a lane's inputs that a group has at once, at most.
uint32_t gp_byte_lane_words(const struct convolve_shape *s, const struct byte_division *d);

// Products that share taps.
unsigned gp_byte_tiles(const struct gpuprim_filter *f);

// Whether neighbouring rows lie closer than neighbouring inputs, or outputs.
static inline bool gp_byte_is_across(const struct convolve_shape *s)
{
    return s->rows > 1 && gp_abs(s->row_stride) < gp_abs(s->stride);
}
static inline bool gp_byte_out_is_across(const struct convolve_shape *s)
{
    return s->rows > 1 && gp_abs(s->out_row_stride) < gp_abs(s->out_stride);
}

#endif
