/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant cpu_fft: CPU devices; filters of the method FFT over f32 and f16, of any
 * number of taps. Its kernel is kernels/convolve1d/cpu_fft.cl; this file decides how long
 * segments are, and when AUTO takes it. fft.c has the spectra. */
#include "cpu_tiles.h"
#include "fft.h"

#include <string.h>

enum {
    BLOCKS = 16, // of a group: the lanes of its vectors
    LEAST = 256, // points of a segment where there is little local memory; otherwise:
    SHORTEST = 1024,
    LONGEST = 4096,
    ALIGNMENT = 16, // outputs of a segment
    // PoCL 3.1, two cores with AVX-512 that others used, too, 2026-11-22, millions of outputs in
    // a second of both processors' time, direct and FFT, medians of 7 in turn: 97 taps 2246 and
    // 1564, 129 taps 1764 and 1575, 161 taps 1380 and 1490, 257 taps 873 and 1305, 1025 taps 220
    // and 980.
    CROSSOVER = 150
};

bool gp_cpu_fft_takes(const gpuprim *gp, const struct gpuprim_filter *f)
{
    const char *other = "convolve1d:gpu_fft";
    return gp_convolve_cpu_takes(gp) && f->rows == 1 && f->taps_type == GPUPRIM_F32 &&
           f->in <= GPUPRIM_F32 && f->out <= GPUPRIM_F32 &&
           strcmp(gp->force_variant, other) != 0;
}

// Local memory of a group, in which points lie as kernels/convolve1d/cpu_fft.cl says.
static uint64_t local_bytes(uint64_t length, bool is_divided, bool gaps)
{
    return 2 * (length + (gaps ? length / 16 : 0)) * BLOCKS * sizeof(float) *
           (is_divided ? 2 : 1);
}

// Whether the taps are divided where segments have this length.
static bool is_divided(const struct gpuprim_filter *f, uint64_t length)
{
    return f->taps > length / 8 * 5;
}

// Parts of about half a segment cost the least: a part more is a transform more for each block,
// and longer parts leave fewer outputs.
void gp_cpu_fft_size(const gpuprim *gp, struct gpuprim_filter *f)
{
    struct convolve_fft *t = &f->fft;
    const uint64_t room = gp->caps.local_bytes;
    uint64_t length = SHORTEST;
    t->crossover = CROSSOVER;
    while (2 * length <= LONGEST && f->taps > length / 4 &&
           local_bytes(2 * length, is_divided(f, 2 * length), false) <= room)
        length *= 2;
    while (length > LEAST && local_bytes(length, is_divided(f, length), false) > room)
        length /= 2;
    if (local_bytes(length, is_divided(f, length), false) > room)
        return;
    uint64_t parts = 1;
    if (is_divided(f, length)) {
        parts = (f->taps + length / 4) / (length / 2);
        parts += parts < 2;
    }
    t->length = (uint32_t)length;
    t->is_for_cpu = true;
    t->outer = 16;
    t->middle = (uint32_t)(length / 256);
    t->part_taps = (uint32_t)gp_ceil_div(f->taps, parts);
    t->parts = (uint32_t)gp_ceil_div(f->taps, t->part_taps); // rounded up, they may be fewer
    t->valid = (uint32_t)((length + 1 - t->part_taps) / ALIGNMENT * ALIGNMENT);
}

static uint64_t groups_of(const struct convolve_shape *s)
{
    return gp_ceil_div(s->rows * s->phases * gp_fft_blocks_of(s), BLOCKS);
}

static bool fits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    return gp_convolve_cpu_takes(gp) && s->filter->fft.is_for_cpu && gp_fft_has_lines(s);
}

// Whether AUTO takes it: not where few of the outputs that it computes are wanted, or where
// elements lie apart, which it reads one by one. The last blocks may be an eighth more than is
// wanted.
static bool suits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    const struct gpuprim_filter *f = s->filter;
    (void)gp;
    if (f->method == GPUPRIM_METHOD_FFT)
        return true;
    const uint64_t computed = groups_of(s) * BLOCKS * 2 * f->fft.valid;
    const double wanted = (double)(s->rows * s->outputs);
    return gp_fft_is_dense(s) && f->taps >= CROSSOVER &&
           (double)computed * CROSSOVER <= 1.125 * wanted * (double)f->taps;
}

static void specialise(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key)
{
    const struct convolve_fft *t = &s->filter->fft;
    gp_convolve_cpu_define(gp, s, variant, key);
    gp_define(key, "LANES", BLOCKS);
    gp_define(key, "LENGTH", t->length);
    gp_define(key, "MIDDLE", t->middle);
    gp_define(key, "PARTITIONED", t->parts > 1);
    gp_define(key, "GAPS", local_bytes(t->length, t->parts > 1, true) <= gp->caps.local_bytes);
    gp_define(key, "DENSE", gp_fft_is_dense(s));
}

static void lay_out(const gpuprim *gp, const struct convolve_shape *s,
                    const struct gp_variant *variant, unsigned work_group,
                    struct convolve_layout *l)
{
    const struct fft_arguments a = gp_fft_arguments(s);
    (void)gp, (void)variant, (void)work_group;
    l->groups = groups_of(s);
    memcpy(l->own, &a, sizeof a);
    l->own_size = sizeof a;
}

static const struct convolve_ops ops = {
    .specialise = specialise,
    .lay_out = lay_out,
    .why = "the filter's method takes transforms for such rows on a CPU",
    .by_spectrum = true,
};

const struct gp_variant gp_convolve_cpu_fft = {
    .name = "cpu_fft",
    .fits = fits,
    .suits = suits,
    .sources =
        CONVOLVE_SOURCES("cpu.cl", "convolve1d/cpu_vector.cl", "convolve1d/cpu_results.cl",
                         "convolve1d/cpu_transpose.cl", "convolve1d/fft.cl",
                         "convolve1d/fft_lines.cl", "convolve1d/cpu_fft.cl"),
    .work_group = 1,
    .items = 1,
    .ops = &ops,
};
