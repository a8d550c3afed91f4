/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant cpu_gathered: CPU devices; elements, outputs or taps lie apart. The inputs
 * of a tile are put side by side first. Its kernel is kernels/convolve1d/cpu_gathered.cl;
 * cpu_tiles.c divides the rows. */
#include "cpu_tiles.h"

// Strides and dilations up to this: the inputs of a tile fit the nearest cache.
enum { NEAR = 8 };

static bool fits(const gpuprim *gp, const void *call)
{
    const struct convolution *c = call;
    return gp_convolve_cpu_takes(gp) && c->filter->stride <= NEAR &&
           c->filter->dilation <= NEAR;
}

static void specialise(const gpuprim *gp, const struct gpuprim_filter *f,
                       const struct gp_variant *variant, struct gp_key *key)
{
    gp_define(key, "ORDER", gp_convolve_order(gp, f));
    gp_define(key, "ITEMS", variant->items);
    gp_define(key, "SHAPE", gp_convolve_cpu_arithmetic(gp, f));
}

static const struct convolve_ops ops = { .specialise = specialise,
                                         .lay_out = gp_convolve_cpu_lay_out };

const struct gp_variant gp_convolve_cpu_gathered = {
    .name = "cpu_gathered",
    .fits = fits,
    .sources = (const char *const[]){ "convolve1d/convolve1d.cl", "convolve1d/cpu_vector.cl",
                                      "convolve1d/cpu_gathered.cl", NULL },
    .work_group = 1,
    .items = 10,
    .groups_per_unit = 4,
    .ops = &ops,
};
