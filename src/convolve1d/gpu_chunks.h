/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of the variant gpu_tap_chunks: gpu_tap_chunks.c is the variant, gpu_chunk_tuning.c decides
 * what an item computes, and gpu_chunk_layout.c divides lanes and local memory among groups. The
 * kernel, kernels/convolve1d/gpu_tap_chunks.cl, says what these are. */
#ifndef GP_CONVOLVE1D_GPU_CHUNKS_H
#define GP_CONVOLVE1D_GPU_CHUNKS_H

#include "gpu_sizes.h"

// What the macros say of a kernel, and what follows from the shape.
struct chunk_plan {
    unsigned group, vec, step, vectors, turns, item_outputs, room_vecs;
    uint64_t phases, outputs, lanes; // outputs: of a lane
    uint64_t apart;                  // positions between neighbouring inputs of a lane
};

enum { CHUNK_ROOM_REST = 16 }; // vectors of local memory of a group, besides those of its items

// gpu_chunk_tuning.c: the plan of a call, and what an output takes by so many vectors of an item,
// in percent, where a unit has several groups.
struct chunk_plan gp_chunk_plan(const gpuprim *gp, const struct convolve_shape *s);
double gp_chunk_percent(unsigned vectors);

// gpu_chunk_layout.c: how many lanes a group takes, at most `most`, and how many items each of them.
// In a small launch a group has fewer lanes, so that each compute unit has a group; its items without
// outputs load inputs all the same.
void gp_chunk_share_lanes(const gpuprim *gp, const struct convolve_shape *s,
                          const struct chunk_plan *p, unsigned work_group, uint64_t most,
                          struct chunk_arguments *c);

// Lays out groups that have `room` vectors of local memory.
struct chunk_arguments gp_chunk_lay_out(const gpuprim *gp, const struct convolve_shape *s,
                                        const struct chunk_plan *p, unsigned work_group,
                                        uint32_t room);

#endif
