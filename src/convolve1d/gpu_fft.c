/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_fft: filters of the method FFT, of any number of taps, on lines of any
 * layout. Its kernel is kernels/convolve1d/gpu_fft.cl; this file decides how long segments are,
 * and when AUTO takes it. fft.c has the spectra. */
#include "fft.h"

#include "arguments.h"
#include "gpu_sizes.h"

#include <string.h>

enum {
    MOST_ITEMS = 512, // of a group; FEWEST_ITEMS: only where a simulator's groups are forced
    FEWEST_ITEMS = 4,
    LONG_ITEMS = 64, // of the shortest segments otherwise
    ALIGNMENT = 32   // outputs of a segment, and where its loads begin, in elements
};

// From about 50 taps on the H200 is faster by transforms than directly (prototype, 2026-11-20:
// direct 504 Gout/s with 49 taps, FFT 492; 423 and 493 with 65). The plain form of the kernel,
// which this one resembles, gave 443 with 65. Not measured in this form. Other GPUs have more
// multiply-adds per byte or fewer: a number from 64 on is the cautious side. On a CPU a group is
// a loop over items, and AUTO computes directly.
static uint64_t crossover(const gpuprim *gp)
{
    return gp->caps.is_cpu ? UINT64_MAX : 64;
}

static uint64_t number_bytes(const struct gpuprim_filter *f)
{
    return f->in == GPUPRIM_F64 ? 16 : 8;
}

// The local memory for groups of so many items. `split`: of the kernel's SPLIT.
static uint64_t local_bytes(const struct gpuprim_filter *f, uint64_t items, bool split)
{
    return items * (FFT_POINTS + 1) * number_bytes(f) / (split ? 2 : 1);
}

static uint64_t room(const gpuprim *gp)
{
    return gp_min(gp->caps.local_bytes, CONVOLVE_LOCAL_BYTES);
}

// The shortest segments of which the taps take a quarter, because longer ones cost more passes,
// barriers and local memory; else the longest that the device has room for. Their taps may take
// five eighths. (Prototype, H200, plain form, Gout/s: 257 taps 417 with 1024 points, 400 with
// 4096; 513 taps 369 with 2048; 1025 taps 319 with 4096; 4097 taps 199 with 8192.) With still
// more taps each part takes half a segment.
void gp_gpu_fft_size(const gpuprim *gp, struct gpuprim_filter *f)
{
    struct convolve_fft *t = &f->fft;
    t->crossover = crossover(gp);
    const unsigned forced = gp->force_work_group;
    uint64_t items = LONG_ITEMS, most = gp_min(gp->caps.max_work_group, MOST_ITEMS);
    if (forced)
        items = most = gp_min(forced, most);
    while (items > 1 && items > most)
        items /= 2;
    while (2 * items <= most && local_bytes(f, 2 * items, true) <= room(gp) &&
           f->taps > items * FFT_POINTS / 4)
        items *= 2;
    if (items < FEWEST_ITEMS || (items & (items - 1)) || local_bytes(f, items, true) > room(gp))
        return;
    const uint64_t length = items * FFT_POINTS;
    const uint64_t alignment = items < LONG_ITEMS ? 1 : ALIGNMENT;
    const bool is_whole = f->taps <= length / 8 * 5;
    const int64_t origin = (f->offset - (int64_t)f->halo) % (int64_t)alignment;
    t->length = (uint32_t)length;
    t->lead = (uint32_t)(origin < 0 ? origin + (int64_t)alignment : origin);
    t->part_taps = (uint32_t)(is_whole ? f->taps : length / 2);
    t->parts = (uint32_t)gp_ceil_div(f->taps, t->part_taps);
    t->valid = (uint32_t)((length + 1 - t->lead - t->part_taps) / alignment * alignment);
}

static bool fits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    const struct convolve_fft *t = &s->filter->fft;
    (void)gp;
    return !t->middle && gp_fft_has_lines(s);
}

// Whether AUTO takes it. Short lines leave points unused, and lines whose elements lie apart are
// read a line of memory for each: the direct variants for matrices do better for longer. By
// counting only: not measured. The last block of a line may be an eighth more than is wanted.
static bool suits(const gpuprim *gp, const void *call)
{
    enum { APART = 4 };
    const struct convolve_shape *s = call;
    const struct gpuprim_filter *f = s->filter;
    (void)gp;
    if (f->method == GPUPRIM_METHOD_FFT)
        return true;
    const uint64_t computed =
        gp_fft_blocks_of(s) * s->phases * gp_fft_segments_of(s) * f->fft.valid;
    const uint64_t least = f->fft.crossover * (gp_fft_is_dense(s) ? 1 : APART);
    return least <= f->taps &&
           (double)computed * (double)least <= 1.125 * (double)s->outputs * (double)f->taps;
}

static void specialise(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key)
{
    const struct convolve_fft *t = &s->filter->fft;
    const unsigned items = t->length / FFT_POINTS;
    (void)variant;
    key->work_group = items;
    gp_define(key, "LANES", 1);
    gp_define(key, "SPLIT", local_bytes(s->filter, items, false) > room(gp));
    gp_define(key, "PARTITIONED", t->parts > 1);
    gp_define(key, "DENSE", gp_fft_is_dense(s));
}

static bool holds(const struct gp_variant *variant, const void *call,
                  const struct gp_program *program)
{
    const struct convolve_shape *s = call;
    (void)variant;
    return program->work_group * FFT_POINTS == s->filter->fft.length;
}

static void lay_out(const gpuprim *gp, const struct convolve_shape *s,
                    const struct gp_variant *variant, unsigned work_group,
                    struct convolve_layout *l)
{
    const struct convolve_fft *t = &s->filter->fft;
    const struct fft_arguments a = { .lines = (cl_uint)(s->rows * s->phases),
                                     .phases = (cl_uint)s->phases,
                                     .blocks = (cl_uint)gp_fft_blocks_of(s),
                                     .lines_near = s->lanes > 1,
                                     .valid = t->valid,
                                     .lead = t->lead,
                                     .parts = t->parts,
                                     .part_taps = t->part_taps };
    (void)gp, (void)variant, (void)work_group;
    l->groups = (uint64_t)a.lines * a.blocks;
    memcpy(l->own, &a, sizeof a);
    l->own_size = sizeof a;
}

static const struct convolve_ops ops = {
    .specialise = specialise,
    .lay_out = lay_out,
    .why = "the filter's method takes transforms for such rows",
    .by_spectrum = true,
};

const struct gp_variant gp_convolve_gpu_fft = {
    .name = "gpu_fft",
    .fits = fits,
    .suits = suits,
    .holds = holds,
    .sources = CONVOLVE_SOURCES("convolve1d/fft.cl", "convolve1d/fft_lines.cl",
                                "convolve1d/gpu_fft_passes.cl", "convolve1d/gpu_fft.cl"),
    .work_group = LONG_ITEMS,
    .ops = &ops,
};
