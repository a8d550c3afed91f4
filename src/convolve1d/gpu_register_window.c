/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_register_window: GPUs; up to 260 taps. A tile of inputs lies in local
 * memory, and each item moves a window over it, held in registers. Its kernel is
 * kernels/convolve1d/gpu_register_window.cl; gpu_tiles.c divides the rows. */
#include "gpu_tiles.h"

// H200, driver 580.159, 2026-11-21, Gout/s of 2^28 f32 (a copy: 528) by work-group / vectors /
// tiles; of gpu_short_taps, which has one vector and one tile, by work-group / 1:
//      3 taps  128/1 525, 256/1 519, 64/3/1 520           44 taps  64/3/4 491, 64/3/3 487
//      9       128/1 520, 256/1 511, 64/3/1 522           57       64/5/1 407, 128/5/1 404
//     12       64/3/1 518, 128/1 516, 128/3/1 514         65       64/7/1 385, 64/5/1 374
//     17       64/3/1 522, 128/1 504, 64/3/2 518          72       64/5/1 358, 64/7/1 354
//     28       64/3/2 520, 64/3/1 511                     88       64/5/1 308, 128/5/1 303
//     40       64/3/3 508, 64/3/2 506, 64/3/1 474        129       64/3/1 214, 256/3/1 210
// 257 taps: 256/3/1 106, 128/3/1 103. With 9 taps, narrow data want more outputs for an item:
// f16 64/5/1 953, 128/1 680; i16 601, 420. c32, 9 taps: 64/3/1 249, 128/1 244, 128/2 227; 65
// taps: 64/3/1 103, 128/3/1 101. Not measured: LONG_SUMS, f64, data of 8 bits, other data of 16
// bits than with 9 and 65 taps.
// clang-format off
static const struct convolve_tuning rows[] = {
    // data           taps up to  group  vectors  tiles; turns, trips: none
    { NARROW,                 64,    64,       5,     1, 0, 0 },
    { QUADS | LONG_SUMS,      24,    64,       3,     1, 0, 0 },
    { QUADS | LONG_SUMS,      40,    64,       3,     2, 0, 0 },
    { QUADS | LONG_SUMS,      56,    64,       3,     4, 0, 0 },
    { QUADS | LONG_SUMS,      64,    64,       5,     1, 0, 0 },
    { QUADS | NARROW,         68,    64,       7,     1, 0, 0 },
    { FOURS,                  96,    64,       5,     1, 0, 0 },
    { FOURS,                 192,    64,       3,     1, 0, 0 },
    { FOURS,                 260,   256,       3,     1, 0, 0 },
    { PAIRS,                 260,    64,       3,     1, 0, 0 },
};
// clang-format on

static const struct convolve_tuning *tuning_for(const gpuprim *gp,
                                                const struct gpuprim_filter *f)
{
    return gp_convolve_gpu_has_phases(f) && gp_convolve_gpu_by_value(gp, f)
               ? gp_convolve_gpu_tuning(gp, rows, sizeof rows / sizeof *rows, f)
               : NULL;
}

static bool fits(const gpuprim *gp, const void *call)
{
    (void)gp;
    const struct convolution *c = call;
    return c->tuning[TUNED_REGISTER_WINDOW] != NULL;
}

static bool suits(const gpuprim *gp, const void *call)
{
    (void)gp;
    const struct convolution *c = call;
    const struct gpuprim_filter *f = c->filter;
    return (f->taps >= CONVOLVE_GPU_LEAST_TAPS || gp_convolve_gpu_is_dense(f)) &&
           !c->tuning[TUNED_SHORT_TAPS] &&
           gp_convolve_gpu_is_long(c, c->tuning[TUNED_REGISTER_WINDOW]);
}

static void specialise(const gpuprim *gp, const struct convolution *c,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)gp, (void)variant;
    const struct convolve_tuning *tuning = c->tuning[TUNED_REGISTER_WINDOW];
    gp_convolve_gpu_define(c->filter, tuning, key);
    gp_define(key, "TAPS", (uint32_t)c->filter->taps);
    gp_define(key, "TILES", tuning->tiles);
}

static const struct convolve_ops ops = {
    .tuning = tuning_for,
    .tuned = TUNED_REGISTER_WINDOW,
    .specialise = specialise,
    .lay_out = gp_convolve_gpu_lay_out,
    .by_value = true,
};

const struct gp_variant gp_convolve_gpu_register_window = {
    .name = "gpu_register_window",
    .fits = fits,
    .suits = suits,
    .sources = CONVOLVE_SOURCES("convolve1d/gpu_vectors.cl", "convolve1d/gpu_tile.cl",
                                "convolve1d/gpu_register_window.cl"),
    .ops = &ops,
};
