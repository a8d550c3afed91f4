/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d on CPU devices: how rows are divided among groups, for cpu_residues.c. See
 * cpu_tiles.h. */
#include "cpu_tiles.h"

enum {
    GROUP_TAPS = 1 << 20, // least taps of a group: to wake a core costs more than these take
    OUTPUT_TAPS = 16,     // an output costs as much as this many taps, besides its own
};

unsigned gp_convolve_cpu_vecs(const gpuprim *gp, unsigned wide, unsigned narrow)
{
    enum { WIDE_BYTES = 64 };
    return gp->caps.vector_bytes >= WIDE_BYTES ? wide : narrow;
}

bool gp_convolve_cpu_takes(const gpuprim *gp)
{
    return gp->caps.is_cpu && gp->force_work_group <= 1;
}

// The type in which sums are calculated. Integers take a float type where it is exact.
static enum gpuprim_type arithmetic(const gpuprim *gp, const struct gpuprim_filter *f)
{
    if (!gp_filter_sums_whole(f))
        return f->in == GPUPRIM_F64 ? GPUPRIM_F64 : GPUPRIM_F32;
    if (f->sum_bits <= 24)
        return GPUPRIM_F32;
    return f->sum_bits <= 53 && gp->caps.has_fp64 ? GPUPRIM_F64 : GPUPRIM_I64;
}

void gp_convolve_cpu_define(const gpuprim *gp, const struct convolve_shape *s,
                            unsigned tile_vecs, struct gp_key *key)
{
    gp_define(key, "ORDER", gp_convolve_order(gp, s->filter));
    gp_define(key, "ARITHMETIC", arithmetic(gp, s->filter));
    gp_define(key, "TILE_VECS", tile_vecs);
    gp_define(key, "REGISTER_BYTES", gp_convolve_cpu_vecs(gp, 64, 32));
}

void gp_convolve_cpu_lay_out(const gpuprim *gp, const struct convolve_shape *s,
                             unsigned tile_vecs, unsigned groups_per_unit,
                             struct convolve_layout *l)
{
    const uint64_t tile = tile_vecs * gp_convolve_order(gp, s->filter);
    const uint64_t groups = (uint64_t)gp->caps.compute_units * groups_per_unit;
    const uint64_t least = GROUP_TAPS / (s->filter->taps + OUTPUT_TAPS);
    // The first tile may begin up to a line before the first output.
    const uint64_t all = s->outputs + GP_CACHE_LINE - 1;
    uint64_t share = gp_ceil_div(all, gp_ceil_div(groups, s->rows));
    if (share < least)
        share = least;
    l->share = gp_ceil_div(share, tile) * tile;
    l->row_groups = (uint32_t)gp_ceil_div(all, l->share);
    l->groups = s->rows * l->row_groups;
}
