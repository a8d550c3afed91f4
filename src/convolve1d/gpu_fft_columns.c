/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_fft_columns: filters of the method FFT that are too long for gpu_fft.
 * Its kernel is kernels/convolve1d/gpu_fft_columns.cl; gpu_fft.c decides how long segments are.
 * This file divides a launch into pieces, whose matrices fit the scratch memory. */
#include "fft.h"

#include <string.h>

// Scratch memory of a call: the matrices of one piece, on small devices less. Those of one
// block have at most 32 MiB. H200, 2026-11-23, Gout/s of 2^28 f32 with 16 / 32 / 64 / 256 MiB:
// 16383 taps 97 / 112 / 118 / 137; 65537 taps 79 / 83 / 87 / 97.
enum {
    SCRATCH_BYTES = 256 << 20,
    SCRATCH_SHARE = 32,    // of the device's memory
    LEAST_BYTES = 64 << 10 // where a simulator's groups are forced
};

static uint64_t scratch_bytes(const gpuprim *gp)
{
    const uint64_t most = gp->force_work_group ? LEAST_BYTES : SCRATCH_BYTES;
    return gp_min(most, gp->caps.global_bytes / SCRATCH_SHARE);
}

static bool fits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    const struct convolve_fft *t = &s->filter->fft;
    (void)gp;
    return !t->is_for_cpu && t->height > 1 && gp_fft_has_lines(s);
}

static void specialise(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key)
{
    gp_gpu_fft_specialise(gp, s, variant, key);
    gp_define(key, "PARTITIONED", s->filter->fft.parts > 1);
}

static void lay_out(const gpuprim *gp, const struct convolve_shape *s,
                    const struct gp_variant *variant, unsigned work_group,
                    struct convolve_layout *l)
{
    const struct convolve_fft *t = &s->filter->fft;
    const uint64_t bytes = (uint64_t)t->parts * t->length * gp_fft_number_bytes(s->filter);
    const uint64_t blocks = s->rows * s->phases * gp_fft_blocks_of(s), room = scratch_bytes(gp),
                   most = room > bytes ? room / bytes : 1;
    const uint64_t pieces = gp_ceil_div(blocks, most);
    const struct fft_arguments a = gp_fft_arguments(s);
    (void)variant, (void)work_group;
    l->groups = blocks * t->outer;
    l->share = gp_ceil_div(blocks, pieces);
    l->steps = (uint32_t)(3 * gp_ceil_div(blocks, l->share));
    l->scratch = l->share * bytes;
    memcpy(l->own, &a, sizeof a);
    l->own_size = sizeof a;
}

static uint64_t step(const struct gpuprim_filter *f, const struct convolve_layout *l,
                     uint32_t i, void *own)
{
    struct fft_arguments a;
    memcpy(&a, own, sizeof a);
    a.step = i % 3;
    a.first = (cl_uint)(i / 3 * l->share);
    memcpy(own, &a, sizeof a);
    const uint64_t matrices = gp_min(l->share, (uint64_t)a.lines * a.blocks - a.first);
    return matrices * f->fft.outer * (a.step == FFT_COLUMNS ? f->fft.parts : 1);
}

static const struct convolve_ops ops = {
    .specialise = specialise,
    .lay_out = lay_out,
    .step = step,
    .why = "the filter's method takes long transforms for such rows",
    .by_spectrum = true,
};

const struct gp_variant gp_convolve_gpu_fft_columns = {
    .name = "gpu_fft_columns",
    .fits = fits,
    .suits = gp_gpu_fft_suits,
    .holds = gp_gpu_fft_holds,
    .sources =
        CONVOLVE_SOURCES("convolve1d/fft.cl", "convolve1d/fft32.cl", "convolve1d/fft_lines.cl",
                         "convolve1d/gpu_fft_passes.cl", "convolve1d/gpu_fft_points.cl",
                         "convolve1d/gpu_fft_columns.cl"),
    .ops = &ops,
};
