/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant cpu_residues: CPU devices; elements, outputs and taps side by side. A
 * vector of inputs is loaded once for all taps of a residue modulo ORDER. Its kernel is
 * kernels/convolve1d/cpu_residues.cl; cpu_tiles.c divides the rows. */
#include "arguments.h"
#include "cpu_tiles.h"

// Filters with fewer taps get a program for their number of taps.
enum { SHORT = 32 };

static bool fits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    return gp_convolve_cpu_takes(gp) && s->stride == 1 && s->out_stride == 1 &&
           s->filter->stride == 1 && s->filter->dilation == 1;
}

static bool suits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    (void)gp;
    return s->outputs >= CPU_SHORT_ROW || s->rows == 1;
}

static void specialise(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key)
{
    const struct gpuprim_filter *f = s->filter;
    const unsigned taps = (unsigned)f->taps, order = gp_convolve_order(gp, f),
                   span = SPAN_ORDERS * order;
    const bool is_short = taps < SHORT;
    gp_convolve_cpu_define(gp, s, variant, key);
    gp_define(key, "TAPS", is_short ? taps : 0);
    gp_define(key, "LAST_ORDERS", is_short ? 0 : taps % span / order);
    gp_define(key, "HAS_SPANS", !is_short && taps >= span);
}

static const struct convolve_ops ops = {
    .specialise = specialise,
    .lay_out = gp_convolve_cpu_lay_out,
    .why = "elements and taps of long rows lie side by side on a CPU",
};

// The kernel file has the measurements of `items`.
const struct gp_variant gp_convolve_cpu_residues = {
    .name = "cpu_residues",
    .fits = fits,
    .suits = suits,
    .sources =
        CONVOLVE_SOURCES("cpu.cl", "convolve1d/cpu_vector.cl", "convolve1d/cpu_results.cl",
                         "convolve1d/cpu_row.cl", "convolve1d/cpu_residues.cl"),
    .work_group = 1,
    .items = 10,
    .groups_per_unit = 4,
    .ops = &ops,
};
