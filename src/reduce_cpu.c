/* SPDX-License-Identifier: Apache-2.0
 *
 * reduce on CPU devices: one item per group owns a core's vector unit. */
#include "reduce.h"

enum {
    BLOCK = 4096, // elements; shares are multiples, so that all but the last are whole blocks
    SHARE = 1 << 16, // a core's wake-up costs more than this many elements
};

static bool takes(const gpuprim *gp)
{
    return gp->caps.is_cpu && gp->force_work_group <= 1;
}

static void specialise(const gpuprim *gp, const struct reduction *r,
                       const struct gp_variant *variant, struct special *out)
{
    (void)gp, (void)r;
    out->work_group = variant->work_group;
}

// ---------------------------------------------------------------------------------------
// blocks: rows of stride 1, each a group's or a few groups'

bool gp_reduce_fits_blocks(const gpuprim *gp, const void *call)
{
    const struct reduction *r = call;
    return takes(gp) && r->in.stride == 1 && (r->in.count >= 16 || gp_reduce_is_forced(gp));
}

static void lay_out_blocks(const gpuprim *gp, const struct reduction *r,
                           const struct gp_variant *variant, unsigned work_group,
                           const struct gp_piece *piece, uint64_t most, struct layout *l)
{
    (void)r, (void)work_group;
    l->sets = l->lanes = 1;
    const uint64_t groups = (uint64_t)gp->caps.compute_units * variant->groups_per_unit;
    uint64_t wanted = groups / piece->rows;
    if (wanted > piece->count / SHARE)
        wanted = piece->count / SHARE;
    gp_reduce_cut(l, piece->count, wanted, BLOCK, most);
    l->groups = piece->rows * l->slots;
}

const struct reduce_shape gp_reduce_blocks = { specialise, lay_out_blocks };
