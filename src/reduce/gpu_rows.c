/* SPDX-License-Identifier: Apache-2.0
 *
 * reduce on GPUs: rows of stride 1 by wide loads. */
#include "reduce.h"

// Bytes of a row from which on a whole group reads it, or several do.
enum { LONG_ROW = 64 << 10 };

// How many items of a group share a row. One that reads a whole short row alone waits for it,
// one that shares a long row has too little to do. H200, driver 580.159, 2026-11-21, 1 GiB of
// f32, GB/s by the words an item may take:
//     rows of   256    1000   4096       rows of 32, by 1 / 2 / 4 / 8 words: 1684 / 3227 /
//     8 words   4319   4445   4469       4183 / 3553
//     16        4322   4410   4482
//     32        3701   4290   4445
static unsigned lanes_wanted(const struct reduction *r, const struct gp_variant *variant)
{
    const uint64_t words = gp_ceil_div(r->in.count * r->in.size, 16);
    const uint64_t share = words > 8 ? 8 : 4;
    unsigned lanes = 1;
    while (lanes < variant->work_group && lanes * share < words)
        lanes *= 2;
    return lanes;
}

// What the kernel makes of it (LANES in kernels/reduce/wide.cl).
static unsigned lanes_within(unsigned work_group, unsigned wanted)
{
    if (wanted == 0 || wanted >= work_group)
        return work_group;
    return work_group % wanted ? 1 : wanted;
}

// On CPUs, where these are for the tests alone, large groups take long.
static unsigned group_of(const gpuprim *gp, const struct gp_variant *variant)
{
    return gp->caps.is_cpu ? 64 : variant->work_group;
}

static void lay_out(const gpuprim *gp, const struct reduction *r,
                    const struct gp_variant *variant, unsigned work_group,
                    const struct gp_piece *piece, uint64_t most, struct layout *l)
{
    l->sets = work_group / l->lanes;
    const uint64_t tile = (uint64_t)l->lanes * variant->items * (16 / r->in.size);
    const uint64_t row_groups = gp_ceil_div(piece->rows, l->sets);
    uint64_t wanted = (uint64_t)gp->caps.compute_units * variant->groups_per_unit / row_groups;
    if (wanted > gp_ceil_div(piece->count, tile))
        wanted = gp_ceil_div(piece->count, tile);
    gp_reduce_cut(l, piece->count, wanted, tile, most);
    l->groups = row_groups * l->slots;
    l->one_launch = gp->caps.ptx && l->sets == 1 && l->slots > 1;
}

// ---------------------------------------------------------------------------------------
// wide_loads: one row, or long ones, each read by whole groups

bool gp_reduce_fits_wide(const gpuprim *gp, const void *call)
{
    const struct reduction *r = call;
    const bool worth_it =
        !gp->caps.is_cpu && (r->in.rows == 1 || r->in.count >= LONG_ROW / r->in.size);
    return r->in.stride == 1 && (worth_it || gp_reduce_is_forced(gp));
}

static void specialise_wide(const gpuprim *gp, const struct reduction *r,
                            const struct gp_variant *variant, struct special *out)
{
    (void)r;
    out->work_group = group_of(gp, variant);
}

static void lay_out_wide(const gpuprim *gp, const struct reduction *r,
                         const struct gp_variant *variant, unsigned work_group,
                         const struct gp_piece *piece, uint64_t most, struct layout *l)
{
    l->lanes = work_group;
    lay_out(gp, r, variant, work_group, piece, most, l);
}

const struct reduce_shape gp_reduce_wide = { specialise_wide, lay_out_wide };

// ---------------------------------------------------------------------------------------
// wide_rows: many rows, several of them read by each group

bool gp_reduce_fits_rows(const gpuprim *gp, const void *call)
{
    const struct reduction *r = call;
    const bool worth_it = !gp->caps.is_cpu && r->in.count * r->in.size >= 64;
    return r->in.stride == 1 && r->in.rows > 1 && (worth_it || gp_reduce_is_forced(gp));
}

static void specialise_rows(const gpuprim *gp, const struct reduction *r,
                            const struct gp_variant *variant, struct special *out)
{
    out->number = lanes_wanted(r, variant);
    out->work_group = group_of(gp, variant);
}

static void lay_out_rows(const gpuprim *gp, const struct reduction *r,
                         const struct gp_variant *variant, unsigned work_group,
                         const struct gp_piece *piece, uint64_t most, struct layout *l)
{
    l->lanes = lanes_within(work_group, lanes_wanted(r, variant));
    lay_out(gp, r, variant, work_group, piece, most, l);
}

const struct reduce_shape gp_reduce_rows = { specialise_rows, lay_out_rows };
