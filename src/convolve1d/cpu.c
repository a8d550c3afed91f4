/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d on CPU devices: one item per group owns a core's vector unit. */
#include "convolve1d.h"

enum {
    LINE = 64,       // bytes: tiles of outputs begin where a line of the cache does
    SHORT = 32,      // below this a program is made for each number of taps
    WORTH = 1 << 20, // a core's wake-up costs more than this many taps take
    NEAR = 8,        // steps and dilations of which the inputs of a tile fit the nearest cache
    BASE = 16,       // an output costs as much as this many taps, besides its own
};

static bool takes(const gpuprim *gp)
{
    return gp->caps.is_cpu && gp->force_work_group <= 1;
}

// ---------------------------------------------------------------------------------------
// cpu_residues: stride 1 everywhere, taps side by side

bool gp_convolve_fits_residues(const gpuprim *gp, const void *call)
{
    const struct convolution *c = call;
    return takes(gp) && c->in.stride == 1 && c->out.stride == 1 && c->filter->stride == 1 &&
           c->filter->dilation == 1;
}

// Exact arithmetic on integers, in floats where these do: bits of SHAPE of
// kernels/convolve1d/cpu_residues.cl.
static unsigned arithmetic(const gpuprim *gp, const struct gpuprim_filter *f)
{
    if (f->in >= GPUPRIM_F16)
        return 0;
    return (unsigned)(f->sum_bits <= 53 && gp->caps.has_fp64) << 10 |
           (unsigned)(f->sum_bits <= 24) << 11;
}

static void specialise_residues(const gpuprim *gp, const struct convolution *c,
                                const struct gp_variant *variant, struct convolve_special *out)
{
    const struct gpuprim_filter *f = c->filter;
    const unsigned taps = (unsigned)f->taps, order = gp_convolve_order(gp, f),
                   span = 16 * order;
    out->work_group = variant->work_group;
    out->number = taps < SHORT ? taps : taps % span / order << 5 | (taps >= span) << 9;
    out->number |= arithmetic(gp, f);
}

static void lay_out(const gpuprim *gp, const struct convolution *c,
                    const struct gp_variant *variant, unsigned work_group, uint64_t rows,
                    uint64_t outputs, struct convolve_layout *l)
{
    (void)work_group;
    const uint64_t tile = variant->items * gp_convolve_order(gp, c->filter);
    const uint64_t groups = (uint64_t)gp->caps.compute_units * variant->groups_per_unit;
    const uint64_t least = WORTH / (c->filter->taps + BASE);
    // The first tile may begin up to a line before the first output.
    const uint64_t all = outputs + LINE - 1;
    uint64_t share = gp_ceil_div(all, gp_ceil_div(groups, rows));
    if (share < least)
        share = least;
    l->share = gp_ceil_div(share, tile) * tile;
    l->row_groups = (uint32_t)gp_ceil_div(all, l->share);
    l->groups = rows * l->row_groups;
}

const struct convolve_shape gp_convolve_residues = { specialise_residues, lay_out };

// ---------------------------------------------------------------------------------------
// cpu_gathered: elements, outputs or taps apart

bool gp_convolve_fits_gathered(const gpuprim *gp, const void *call)
{
    const struct convolution *c = call;
    return takes(gp) && c->filter->stride <= NEAR && c->filter->dilation <= NEAR;
}

static void specialise_gathered(const gpuprim *gp, const struct convolution *c,
                                const struct gp_variant *variant, struct convolve_special *out)
{
    out->work_group = variant->work_group;
    out->number = arithmetic(gp, c->filter);
}

const struct convolve_shape gp_convolve_gathered = { specialise_gathered, lay_out };
