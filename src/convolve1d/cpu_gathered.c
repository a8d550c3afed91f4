/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant cpu_gathered: CPU devices; elements, outputs or taps lie apart. The
 * inputs of a tile are put side by side first. Its kernel is
 * kernels/convolve1d/cpu_gathered.cl; cpu_tiles.c divides the rows. */
#include "arguments.h"
#include "cpu_tiles.h"

// With larger strides and dilations the inputs of a tile would not fit the nearest cache.
static bool fits(const gpuprim *gp, const void *call)
{
    const struct convolution *c = call;
    return gp_convolve_cpu_takes(gp) && c->filter->stride <= GATHERED_STEPS &&
           c->filter->dilation <= GATHERED_STEPS;
}

static const struct convolve_ops ops = { .specialise = gp_convolve_cpu_define,
                                         .lay_out = gp_convolve_cpu_lay_out };

const struct gp_variant gp_convolve_cpu_gathered = {
    .name = "cpu_gathered",
    .fits = fits,
    .sources = CONVOLVE_SOURCES("cpu.cl", "convolve1d/cpu_vector.cl", "convolve1d/cpu_row.cl",
                                "convolve1d/cpu_gathered.cl"),
    .work_group = 1,
    .items = 10,
    .groups_per_unit = 4,
    .ops = &ops,
};
