/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_tiles of reduce: many short rows of stride 1 on GPUs. A group copies whole
 * rows to local memory and folds them there. The kernel is kernels/reduce/gpu_tiles.cl. */
#include "arguments.h"
#include "reduce.h"

enum { LONGEST_ROW = 63 * VEC16_BYTES }; // bytes

static bool fits(const gpuprim *gp, const void *call)
{
    (void)gp;
    const struct gp_array *in = &((const struct reduction *)call)->in;
    return in->stride == 1 && in->count >= 1 && in->count * in->size <= LONGEST_ROW &&
           (in->rows == 1 || in->row_stride >= 1);
}

// Rows of whole vectors, but for the shortest, and long rows are faster by gpu_rows. H200,
// driver 580.159, 2026-11-21, 1 GiB of f32, GB/s by this variant / by gpu_rows: rows of 3 3951
// / 1200, 7 4293 / 4068, 15 4252 / 3928, 33 4192 / 4155, 63 4202 / 3580, 130 4185 / 3273, 201
// 4150 / 3737; gpu_rows has 3798 for rows of 20, 4163 for 32, 4198 for 100. Rows of 16, 32 ...
// 112 bytes were not measured with this variant; that it takes them is what their neighbours
// suggest.
static bool suits(const gpuprim *gp, const void *call)
{
    const struct gp_array *in = &((const struct reduction *)call)->in;
    const uint64_t bytes = in->count * in->size;
    return !gp->caps.is_cpu && in->rows > 1 && (uint64_t)in->row_stride <= in->count &&
           (bytes < 128 || (bytes < 1024 && bytes % VEC16_BYTES));
}

// Elements that a tile has room for, wherever in a vector the first of them lies.
static uint64_t room_of(const struct gp_variant *variant, const struct gp_array *in,
                        unsigned work_group)
{
    const uint64_t bytes = (uint64_t)work_group * variant->items * VEC16_BYTES;
    return bytes / in->size - (VEC16_BYTES / in->size - 1);
}

// One row must fit the tile of a group. How large groups are is known once the kernels are
// built.
static bool holds(const struct gp_variant *variant, const void *call,
                  const struct gp_program *program)
{
    const struct gp_array *in = &((const struct reduction *)call)->in;
    return in->count <= room_of(variant, in, program->work_group);
}

// A group is one warp, which waits for no other.
static void specialise(const gpuprim *gp, const struct reduction *r,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)r;
    if (gp->caps.width > variant->work_group)
        key->work_group = gp->caps.width;
    gp_define(key, "ITEMS", variant->items);
}

static void lay_out(const gpuprim *gp, const struct reduction *r,
                    const struct gp_variant *variant, unsigned work_group,
                    const struct gp_piece *piece, uint64_t most, struct layout *l)
{
    (void)gp, (void)most;
    const uint64_t step = piece->rows > 1 ? (uint64_t)r->in.row_stride : 1;
    const uint64_t room = (room_of(variant, &r->in, work_group) - piece->count) / step + 1;
    const uint64_t tile = gp_min(room, piece->rows);
    l->tile = (uint32_t)tile;
    // As many items share a row as divide the group: fold_group() reads the values of all of
    // them.
    l->lanes = 1;
    while (2 * l->lanes * tile <= work_group && 2 * l->lanes <= piece->count &&
           work_group % (2 * l->lanes) == 0)
        l->lanes *= 2;
    l->slots = l->partials = 1;
    l->groups = gp_ceil_div(piece->rows, tile);
}

static const struct reduce_ops ops = { specialise, lay_out };

// H200, driver 580.159, 2026-11-21, 1 GiB, GB/s, rows of so many f32:
//     items x vectors          3       33      63      130
//     32 x 8                   3951    4192    4202    4185
//     64 x 4                   3734    4165    3594    3299
//     128 x 4                  3898    4228    3715    3440
//     64 x 8                   3314    3567    3813    3725
const struct gp_variant gp_reduce_gpu_tiles = {
    .name = "gpu_tiles",
    .fits = fits,
    .suits = suits,
    .sources = REDUCE_SOURCES("reduce/gpu_tiles.cl"),
    .work_group = 32,
    .groups_per_unit = 32,
    .items = 8,
    .ops = &ops,
    .holds = holds,
};
