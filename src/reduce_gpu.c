/* SPDX-License-Identifier: Apache-2.0
 *
 * reduce on GPUs: rows of stride 1 by wide loads. */
#include "reduce.h"

enum { ROWS_GROUP = 128 }; // items per group of the wide loads where there are several rows

// ---------------------------------------------------------------------------------------
// wide_loads: rows of stride 1

// Rows of less than a few words are the baseline's.
bool gp_reduce_fits_wide(const gpuprim *gp, const void *call)
{
    const struct reduction *r = call;
    const bool worth_it =
        !gp->caps.is_cpu && (r->in.rows == 1 || r->in.count * r->in.size >= 64);
    return r->in.stride == 1 && (worth_it || gp_reduce_is_forced(gp));
}

// How many items of a group the wide loads want for a row; 0 = all of the group. An item that
// reads a whole short row alone waits for it, one that shares a long row has too little to do:
// 16 words each are best from rows of 9 words on, 4 below. H200, driver 580.159, 2026-11-20,
// 1 GiB of f32, GB/s with 4 / 8 / 16 words an item: rows of 32 4002 / 3545 / 3557, of 256
// 4230 / 4344 / 4327, of 1000 2871 / 3997 / 4133, of 4096 4335 / 4489 / 4442.
static unsigned lanes_wanted(const struct reduction *r)
{
    if (r->in.rows == 1)
        return 0;
    const uint64_t words = gp_divide_up(r->in.count * r->in.size, 16);
    const uint64_t share = words > 8 ? 16 : 4;
    unsigned lanes = 1;
    while (lanes < ROWS_GROUP && lanes * share < words)
        lanes *= 2;
    return lanes < ROWS_GROUP ? lanes : 0;
}

// What the kernel makes of it (LANES in kernels/reduce_gpu.cl).
static unsigned lanes_within(unsigned work_group, unsigned wanted)
{
    if (wanted == 0 || wanted >= work_group)
        return work_group;
    return work_group % wanted ? 1 : wanted;
}

static void specialise_wide(const gpuprim *gp, const struct reduction *r,
                            const struct gp_variant *variant, struct special *out)
{
    out->number = lanes_wanted(r);
    out->work_group = r->in.rows > 1 ? ROWS_GROUP : variant->work_group;
    if (gp->caps.is_cpu)
        out->work_group = 64; // forced there
}

static void lay_out_wide(const gpuprim *gp, const struct reduction *r,
                         const struct gp_variant *variant, unsigned work_group,
                         const struct gp_piece *piece, uint64_t most, struct layout *l)
{
    l->lanes = lanes_within(work_group, lanes_wanted(r));
    l->sets = work_group / l->lanes;
    const uint64_t tile = (uint64_t)l->lanes * variant->items * (16 / r->in.size);
    const uint64_t row_groups = gp_divide_up(piece->rows, l->sets);
    uint64_t wanted = (uint64_t)gp->caps.compute_units * variant->groups_per_unit / row_groups;
    if (wanted > gp_divide_up(piece->count, tile))
        wanted = gp_divide_up(piece->count, tile);
    gp_reduce_cut(l, piece->count, wanted, tile, most);
    l->groups = row_groups * l->slots;
    l->one_launch = gp->caps.has_fences && l->sets == 1 && l->slots > 1;
}

const struct reduce_shape gp_reduce_wide = { specialise_wide, lay_out_wide };
