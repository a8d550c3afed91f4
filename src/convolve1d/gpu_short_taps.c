/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_short_taps: GPUs; a few taps, side by side like the elements. Each
 * item loads what it needs itself, without local memory. Its kernel is
 * kernels/convolve1d/gpu_short_taps.cl; gpu_tiles.c divides the rows. */
#include "gpu_tiles.h"

// The measurements in gpu_register_window.c compare both variants: they say up to how many taps
// this one is faster.
static const struct convolve_tuning rows[] = {
    { QUADS | LONG_SUMS, .most_taps = 9, .work_group = 128, .vectors = 1, .tiles = 1 },
    { PAIRS, .most_taps = 5, .work_group = 128, .vectors = 1, .tiles = 1 },
};

static const struct convolve_tuning *tuning_for(const gpuprim *gp,
                                                const struct gpuprim_filter *f)
{
    return gp_convolve_gpu_is_dense(f) && gp_convolve_gpu_by_value(gp, f)
               ? gp_convolve_gpu_tuning(gp, rows, sizeof rows / sizeof *rows, f)
               : NULL;
}

static bool fits(const gpuprim *gp, const void *call)
{
    (void)gp;
    const struct convolution *c = call;
    return c->tuning[TUNED_SHORT_TAPS] && c->in.stride == 1 && c->out.stride == 1;
}

static bool suits(const gpuprim *gp, const void *call)
{
    (void)gp;
    const struct convolution *c = call;
    return gp_convolve_gpu_is_long(c, c->tuning[TUNED_SHORT_TAPS]);
}

static void specialise(const gpuprim *gp, const struct convolution *c,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)gp, (void)variant;
    const struct convolve_tuning *tuning = c->tuning[TUNED_SHORT_TAPS];
    gp_convolve_gpu_define(c->filter, tuning, key);
    gp_define(key, "TAPS", (uint32_t)c->filter->taps);
}

static const struct convolve_ops ops = {
    .tuning = tuning_for,
    .tuned = TUNED_SHORT_TAPS,
    .specialise = specialise,
    .lay_out = gp_convolve_gpu_lay_out,
    .by_value = true,
};

const struct gp_variant gp_convolve_gpu_short_taps = {
    .name = "gpu_short_taps",
    .fits = fits,
    .suits = suits,
    .sources = CONVOLVE_SOURCES("convolve1d/gpu_vectors.cl", "convolve1d/gpu_tile.cl",
                                "convolve1d/gpu_short_taps.cl"),
    .ops = &ops,
};
