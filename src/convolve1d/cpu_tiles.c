/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d on CPU devices: how rows are divided among groups, for cpu_residues.c and
 * cpu_gathered.c. See cpu_tiles.h. */
#include "cpu_tiles.h"

enum {
    LINE = 64,            // bytes: tiles of outputs begin where a line of the cache does
    GROUP_TAPS = 1 << 20, // least taps of a group: to wake a core costs more than these take
    OUTPUT_TAPS = 16,     // an output costs as much as this many taps, besides its own
};

bool gp_convolve_cpu_takes(const gpuprim *gp)
{
    return gp->caps.is_cpu && gp->force_work_group <= 1;
}

unsigned gp_convolve_cpu_arithmetic(const gpuprim *gp, const struct gpuprim_filter *f)
{
    if (f->in >= GPUPRIM_F16)
        return 0;
    return (unsigned)(f->sum_bits <= 53 && gp->caps.has_fp64) << 10 |
           (unsigned)(f->sum_bits <= 24) << 11;
}

void gp_convolve_cpu_lay_out(const gpuprim *gp, const struct gpuprim_filter *f,
                             const struct gp_variant *variant,
                             const struct convolve_tuning *tuning, unsigned work_group,
                             uint64_t rows, uint64_t outputs, struct convolve_layout *l)
{
    (void)tuning, (void)work_group;
    const uint64_t tile = variant->items * gp_convolve_order(gp, f);
    const uint64_t groups = (uint64_t)gp->caps.compute_units * variant->groups_per_unit;
    const uint64_t least = GROUP_TAPS / (f->taps + OUTPUT_TAPS);
    // The first tile may begin up to a line before the first output.
    const uint64_t all = outputs + LINE - 1;
    uint64_t share = gp_ceil_div(all, gp_ceil_div(groups, rows));
    if (share < least)
        share = least;
    l->share = gp_ceil_div(share, tile) * tile;
    l->row_groups = (uint32_t)gp_ceil_div(all, l->share);
    l->groups = rows * l->row_groups;
}
