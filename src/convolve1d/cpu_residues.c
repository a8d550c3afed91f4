/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant cpu_residues: CPU devices; elements, outputs and taps side by side. A
 * vector of inputs is loaded once for all taps of a residue modulo ORDER. Its kernel is
 * kernels/convolve1d/cpu_residues.cl. */
#include "cpu_tiles.h"

// Filters with fewer taps get a program for their number of taps.
enum { SHORT = 32 };

enum {
    GROUP_TAPS = 1 << 20, // least taps of a group: to wake a core costs more than these take
    OUTPUT_TAPS = 16,     // an output costs as much as this many taps, besides its own
};

static bool fits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    return gp_convolve_cpu_takes(gp) && s->stride == 1 && s->out_stride == 1 &&
           s->filter->stride == 1 && s->filter->dilation == 1;
}

static bool suits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    struct matrix_arguments m;
    return s->rows == 1 || (s->outputs >= CPU_SHORT_ROW && !gp_convolve_cpu_pad(gp, s, &m));
}

// The kernel file has the measurements for registers of 64 bytes. With those of 32 bytes, PoCL 3.1, both
// cores of an AMD EPYC with AVX2, 2026-11-30, 2^20 outputs, us by tiles of 10, 8, 6 and 4 vectors:
//     f32, 3 taps 251 228 176 231; 9 335 322 271 275; 12 522 407 318 308
//     f32, 129 taps, by 10 and 4 4422 1459; 1000 taps 50 696 10 646; f64, 65 taps 4401 1540
//     f16, 3 taps 210 231 231 309; 9 330 330 356 386; 12 454 395 377 422; 129, by 10 and 4 2884 1500
// A vector of inputs serves one of few taps: it needs no register for the next. What a tile converts
// beside its own inputs costs as much as few taps do.
static unsigned tile_vecs(const gpuprim *gp, const struct convolve_shape *s)
{
    enum { WIDE = 10, FEW_TAPS = 10 };
    const struct gpuprim_filter *f = s->filter;
    const bool converts = gp_type_size(f->in) < sizeof(cl_float);
    if (f->taps > gp_convolve_order(gp, f))
        return gp_convolve_cpu_vecs(gp, WIDE, 4);
    return gp_convolve_cpu_vecs(gp, WIDE, converts && f->taps <= FEW_TAPS ? WIDE : 6);
}

static void specialise(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key)
{
    const struct gpuprim_filter *f = s->filter;
    const unsigned taps = (unsigned)f->taps, order = gp_convolve_order(gp, f),
                   span = SPAN_ORDERS * order;
    const bool is_short = taps < SHORT;
    (void)variant;
    gp_convolve_cpu_define(gp, s, tile_vecs(gp, s), key);
    gp_define(key, "TAPS", is_short ? taps : 0);
    gp_define(key, "LAST_ORDERS", is_short ? 0 : taps % span / order);
    gp_define(key, "HAS_SPANS", !is_short && taps >= span);
}

static void lay_out(const gpuprim *gp, const struct convolve_shape *s,
                    const struct gp_variant *variant, unsigned work_group,
                    struct convolve_layout *l)
{
    (void)work_group;
    const uint64_t tile = tile_vecs(gp, s) * gp_convolve_order(gp, s->filter);
    const uint64_t groups = (uint64_t)gp->caps.compute_units * variant->groups_per_unit;
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

static const struct convolve_ops ops = {
    .specialise = specialise,
    .lay_out = lay_out,
    .why = "elements and taps of long rows lie side by side on a CPU",
};

const struct gp_variant gp_convolve_cpu_residues = {
    .name = "cpu_residues",
    .fits = fits,
    .suits = suits,
    .sources =
        CONVOLVE_SOURCES("cpu.cl", "convolve1d/cpu_vector.cl", "convolve1d/cpu_results.cl",
                         "convolve1d/cpu_row.cl", "convolve1d/cpu_residues.cl"),
    .work_group = 1,
    .groups_per_unit = 4,
    .ops = &ops,
};
