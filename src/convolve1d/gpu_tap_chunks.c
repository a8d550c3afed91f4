/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_tap_chunks: GPUs; any number of taps, also rows with taps of their
 * own. As gpu_register_window, but the taps come through local memory, too, a chunk at a time.
 * Its kernel is kernels/convolve1d/gpu_tap_chunks.cl; gpu_tiles.c divides the rows. */
#include "gpu_tiles.h"

// H200, driver 580.159, 2026-11-21, Gout/s of 2^28 f32 with 1025 taps, by work-group / vectors
// / turns / trips: 128/5/3/14 27.2, 128/5/2/21 26.8, 128/3/4/16 25.7. Not measured: LONG_SUMS,
// PAIRS.
// clang-format off
static const struct convolve_tuning rows[] = {
    // data             taps up to  group  vectors  tiles  turns  trips
    { QUADS | NARROW, CONVOLVE_MAX_TAPS, 128,   5,      1,     3,    14 },
    { LONG_SUMS,      CONVOLVE_MAX_TAPS, 128,   3,      1,     3,    21 },
    { PAIRS,          CONVOLVE_MAX_TAPS, 128,   3,      1,     4,    31 },
};
// clang-format on

static const struct convolve_tuning *tuning_for(const gpuprim *gp,
                                                const struct gpuprim_filter *f)
{
    return gp_convolve_gpu_has_phases(f)
               ? gp_convolve_gpu_tuning(gp, rows, sizeof rows / sizeof *rows, f)
               : NULL;
}

static bool fits(const gpuprim *gp, const void *call)
{
    (void)gp;
    const struct convolution *c = call;
    return c->tuning[TUNED_TAP_CHUNKS] != NULL;
}

static bool suits(const gpuprim *gp, const void *call)
{
    (void)gp;
    const struct convolution *c = call;
    const struct gpuprim_filter *f = c->filter;
    return f->taps >= CONVOLVE_GPU_LEAST_TAPS && !c->tuning[TUNED_REGISTER_WINDOW] &&
           gp_convolve_gpu_is_long(c, c->tuning[TUNED_TAP_CHUNKS]);
}

static void specialise(const gpuprim *gp, const struct convolution *c,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)gp, (void)variant;
    const struct convolve_tuning *tuning = c->tuning[TUNED_TAP_CHUNKS];
    gp_convolve_gpu_define(c->filter, tuning, key);
    gp_define(key, "TRIP_TURNS", tuning->turns);
    gp_define(key, "CHUNK_TRIPS", tuning->trips);
}

static const struct convolve_ops ops = {
    .tuning = tuning_for,
    .tuned = TUNED_TAP_CHUNKS,
    .specialise = specialise,
    .lay_out = gp_convolve_gpu_lay_out,
};

const struct gp_variant gp_convolve_gpu_tap_chunks = {
    .name = "gpu_tap_chunks",
    .fits = fits,
    .suits = suits,
    .sources = CONVOLVE_SOURCES("convolve1d/gpu_vectors.cl", "convolve1d/gpu_tile.cl",
                                "convolve1d/gpu_tap_chunks.cl"),
    .ops = &ops,
};
