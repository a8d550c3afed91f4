/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant cpu_fft: CPU devices; filters of the method FFT over f32 and f16, of any
 * number of taps. Its kernel is kernels/convolve1d/cpu_fft.cl; this file decides how long
 * segments are, and when AUTO takes it. fft.c has the spectra. */
#include "cpu_tiles.h"
#include "fft.h"

#include <string.h>

enum {
    LANES = 16,  // of a vector
    OUTER = 16,  // vectors of the first pass of a transform, or fewer
    LEAST = 256, // points of a segment
    // PoCL 3.1, two cores with AVX-512 that others used, too, 2026-11-23, millions of outputs in
    // a second of both processors' time, direct and FFT, medians of 9 in turn: 97 taps 1640 and
    // 1527, 113 taps 1534 and 1517, 129 taps 1333 and 1487, 141 taps 1317 and 1534.
    CROSSOVER = 120
};

bool gp_cpu_fft_takes(const gpuprim *gp, const struct gpuprim_filter *f)
{
    const char *others = "convolve1d:gpu_fft"; // gpu_fft_columns, too
    return gp_convolve_cpu_takes(gp) && f->rows == 1 && f->taps_type == GPUPRIM_F32 &&
           f->in <= GPUPRIM_F32 && f->out <= GPUPRIM_F32 &&
           strncmp(gp->force_variant, others, strlen(others)) != 0;
}

// Local memory of a group, in which points lie as kernels/convolve1d/cpu_fft.cl says.
static uint64_t local_bytes(uint64_t length, bool is_divided, bool gaps)
{
    return 2 * (length + (gaps ? OUTER * LANES : 0)) * sizeof(float) * (is_divided ? 2 : 1);
}

// Whether the taps are divided where segments have this length.
static bool is_divided(const struct gpuprim_filter *f, uint64_t length)
{
    return f->taps > length / 8 * 5;
}

// The points of segments for so many taps. PoCL 3.1, two cores with AVX-512 that others used, too,
// 2026-11-23, Mout/s of both processors' time with 2048 / 4096 / 16384 / 32768 / 65536 / 131072
// points: 257 taps 1407 / 1294 / 1333; 400 taps 1048 / 1178 / 1306; 1025 taps 717 / 1093 / 1307 /
// 1203; 4097 taps - / - / 1132 / 1154 / 1055; 8193 taps 862 with 16384, then 1065 / 1000 / 912;
// 16385 taps 832 / 1016 / 945; 32769 taps - / 743 / 828. Short segments suit short rows.
static uint64_t length_for(const struct gpuprim_filter *f)
{
    return f->taps <= 257     ? 2048
           : f->taps <= 513   ? 4096
           : f->taps <= 4608  ? 16384
           : f->taps <= 9216  ? 32768
           : f->taps <= 26624 ? 65536
                              : 131072;
}

// Outputs of a segment. A multiple of the points from a vector of the first pass to the next is
// the faster number, though it may be less: 2048 points, 150 taps, 1888 outputs 1068, 1792
// outputs 1332 Mout/s; 400 taps, 1648 outputs 1015, 1536 outputs 964; 16384 points, 514 taps,
// 15856 outputs 1225, 15360 outputs 1348.
static uint32_t valid_of(const struct convolve_fft *t)
{
    const uint32_t most = (t->length + 1 - t->part_taps) / LANES * LANES;
    const uint32_t span = t->length / t->outer, least = t->length / 8 * 7;
    const bool is_whole = most >= least || most % span <= most / 16;
    return most >= span && is_whole ? most / span * span : most;
}

// Parts of about half a segment cost the least: a part more is a transform more for each block,
// and longer parts leave fewer outputs.
void gp_cpu_fft_size(const gpuprim *gp, struct gpuprim_filter *f)
{
    struct convolve_fft *t = &f->fft;
    const uint64_t room = gp->caps.local_bytes;
    uint64_t length = length_for(f);
    t->crossover = CROSSOVER;
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
    t->height = 1;
    t->is_for_cpu = true;
    t->outer = (uint32_t)gp_min(OUTER, length / LEAST);
    t->middle = (uint32_t)(length / LEAST / t->outer);
    t->part_taps = (uint32_t)gp_ceil_div(f->taps, parts);
    t->parts = (uint32_t)gp_ceil_div(f->taps, t->part_taps); // rounded up, they may be fewer
    t->valid = valid_of(t);
}

static uint64_t groups_of(const struct convolve_shape *s)
{
    return s->rows * s->phases * gp_fft_blocks_of(s);
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
    const uint64_t computed = groups_of(s) * 2 * f->fft.valid;
    const double wanted = (double)(s->rows * s->outputs);
    return gp_fft_is_dense(s) && f->taps >= CROSSOVER &&
           (double)computed * CROSSOVER <= 1.125 * wanted * (double)f->taps;
}

static void specialise(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key)
{
    const struct convolve_fft *t = &s->filter->fft;
    (void)variant;
    gp_convolve_cpu_define(gp, s, 1, key);
    gp_define(key, "LANES", LANES);
    gp_define(key, "OUTER", t->outer);
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
    .sources = CONVOLVE_SOURCES(
        "cpu.cl", "convolve1d/cpu_vector.cl", "convolve1d/cpu_results.cl",
        "convolve1d/cpu_transpose.cl", "convolve1d/fft.cl", "convolve1d/fft32.cl",
        "convolve1d/fft_lines.cl", "convolve1d/cpu_fft_passes.cl", "convolve1d/cpu_fft.cl"),
    .work_group = 1,
    .ops = &ops,
};
