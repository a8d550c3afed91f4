/* SPDX-License-Identifier: Apache-2.0
 *
 * What the variants of reduce share when they lay a call out on the device: how rows are cut into
 * slots, how large a partial is. Calls no other file of this folder. */
#include "reduce.h"

bool gp_reduce_is_forced(const gpuprim *gp)
{
    return gp_variant_is_forced(gp, "reduce");
}

void gp_reduce_cut(struct layout *l, uint64_t count, uint64_t wanted, uint64_t multiple,
                   uint64_t most)
{
    uint64_t slots = wanted < most ? wanted : most;
    if (slots < 1)
        slots = 1;
    l->share = gp_ceil_div(count, slots);
    if (slots > 1)
        l->share = gp_ceil_div(l->share, multiple) * multiple;
    l->slots = l->share ? gp_ceil_div(count, l->share) : 1;
    l->partials = l->slots;
}

void gp_reduce_lay_out_vec16(const gpuprim *gp, const struct reduction *r,
                             const struct gp_variant *variant, unsigned work_group,
                             unsigned lanes, const struct gp_piece *piece, uint64_t most,
                             struct layout *l)
{
    l->lanes = lanes;
    l->sets = work_group / lanes;
    const uint64_t tile = (uint64_t)lanes * variant->items * (16 / r->in.size);
    const uint64_t row_groups = gp_ceil_div(piece->rows, l->sets);
    uint64_t wanted = (uint64_t)gp->caps.compute_units * variant->groups_per_unit / row_groups;
    if (wanted > gp_ceil_div(piece->count, tile))
        wanted = gp_ceil_div(piece->count, tile);
    gp_reduce_cut(l, piece->count, wanted, tile, most);
    l->groups = row_groups * l->slots;
    l->one_launch = gp->caps.ptx && l->sets == 1 && l->slots > 1;
}

uint64_t gp_reduce_partial_bytes(const struct reduction *r)
{
    const uint64_t sum = r->sum == GPUPRIM_F32 ? 4 : 8;
    switch (r->op) {
    case GPUPRIM_MEAN:
        return 2 * sum + (r->skip_nan ? 8 : 0);
    case GPUPRIM_SUM:
    case GPUPRIM_SUM_ABS:
    case GPUPRIM_SUM_SQUARES:
        return 2 * sum;
    case GPUPRIM_MINMAX:
    case GPUPRIM_ARGMIN:
    case GPUPRIM_ARGMAX:
        return 16;
    default:
        return 8;
    }
}
