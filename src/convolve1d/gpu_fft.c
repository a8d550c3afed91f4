/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_fft: filters of the method FFT, of any number of taps, on lines of any
 * layout. Its kernel is kernels/convolve1d/gpu_fft.cl; this file decides how long segments are,
 * and when AUTO takes it. fft.c has the spectra. */
#include "fft.h"

#include "gpu_sizes.h"

#include <string.h>

enum {
    MOST_ITEMS = 256, // of a group
    SHORTEST = 1024,  // points of a segment, but where a simulator's groups are forced
    ALIGNMENT = 32    // outputs of a segment, and where its loads begin, in elements
};

// The H200, Gout/s of 2^28 f32, direct and FFT, 2026-11-22: 65 taps 387 and 453, 129 taps 214 and
// 436. With 49 taps a prototype had 504 and 492. Other GPUs have more multiply-adds per byte or
// fewer: a number from 64 on is the cautious side. On a CPU a group is a loop over items, and
// AUTO computes directly.
static uint64_t crossover(const gpuprim *gp)
{
    return gp->caps.is_cpu ? UINT64_MAX : 64;
}

static unsigned most_items(const gpuprim *gp)
{
    const unsigned forced = gp->force_work_group;
    const uint64_t most = gp_min(gp->caps.max_work_group, MOST_ITEMS);
    return (unsigned)(forced ? gp_min(forced, most) : most);
}

static uint64_t number_bytes(const struct gpuprim_filter *f)
{
    return f->in == GPUPRIM_F64 ? 16 : 8;
}

// Points that an item has in registers. 32 f64 take all of them.
static unsigned points_of(const gpuprim *gp, const struct gpuprim_filter *f)
{
    return f->in == GPUPRIM_F64 || most_items(gp) < 32 ? 16 : 32;
}

// The local memory for segments of so many points. `split`: of the kernel's SPLIT.
static uint64_t local_bytes(const struct gpuprim_filter *f, uint64_t length, bool split)
{
    return (length + length / f->fft.outer) * number_bytes(f) / (split ? 2 : 1);
}

static uint64_t room(const gpuprim *gp)
{
    return gp_min(gp->caps.local_bytes, CONVOLVE_LOCAL_BYTES);
}

// Whether the kernel may have segments of so many points here.
static bool has_room(const gpuprim *gp, const struct gpuprim_filter *f, uint64_t length)
{
    const uint64_t points = f->fft.outer, items = length / points, middle = items / points;
    const bool is_dft = middle == 1 || middle == 2 || middle == 4 || middle == 8 ||
                        (middle == 16 && points == 16);
    return is_dft && items % points == 0 && items <= most_items(gp) &&
           local_bytes(f, length, true) <= room(gp);
}

// The longest segments for so many taps. H200, driver 580.159, 2026-11-22, Gout/s of 2^28 f32 with
// 1024 / 2048 / 4096 / 8192 points: 129 taps 436 / 395; 257 taps 398 / 372 / 368; 513 taps - / 326 /
// 366; 1025 taps 321 with 4096 points (another form: 252 / 332 / 276 with 2048 ... 8192); 2049 taps
// - / - / 227 / 236; 4097 taps 178 with 8192. 16383 taps, divided: 64 with 8192 points.
static uint64_t length_for(const struct gpuprim_filter *f)
{
    return f->taps <= 288 ? 1024 : f->taps <= 1792 ? 4096 : 8192;
}

// With more taps than five eighths of a segment each part takes half a segment.
void gp_gpu_fft_size(const gpuprim *gp, struct gpuprim_filter *f)
{
    struct convolve_fft *t = &f->fft;
    t->crossover = crossover(gp);
    t->outer = points_of(gp, f);
    uint64_t length =
        gp->force_work_group ? (uint64_t)gp->force_work_group * t->outer : SHORTEST;
    if (!has_room(gp, f, length))
        return;
    while (!gp->force_work_group && 2 * length <= length_for(f) && has_room(gp, f, 2 * length))
        length *= 2;
    const uint64_t alignment = length < SHORTEST ? 1 : ALIGNMENT;
    const bool is_whole = f->taps <= length / 8 * 5;
    const int64_t origin = (f->offset - (int64_t)f->halo) % (int64_t)alignment;
    t->length = (uint32_t)length;
    t->middle = t->length / t->outer / t->outer;
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
    return !t->is_for_cpu && gp_fft_has_lines(s);
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
    (void)variant;
    key->work_group = t->length / t->outer;
    gp_define(key, "LANES", 1);
    gp_define(key, "FFT_POINTS", t->outer);
    gp_define(key, "SPLIT", local_bytes(s->filter, t->length, false) > room(gp));
    gp_define(key, "PARTITIONED", t->parts > 1);
    gp_define(key, "DENSE", gp_fft_is_dense(s));
}

static bool holds(const struct gp_variant *variant, const void *call,
                  const struct gp_program *program)
{
    const struct convolve_shape *s = call;
    (void)variant;
    return program->work_group * s->filter->fft.outer == s->filter->fft.length;
}

static void lay_out(const gpuprim *gp, const struct convolve_shape *s,
                    const struct gp_variant *variant, unsigned work_group,
                    struct convolve_layout *l)
{
    const struct fft_arguments a = gp_fft_arguments(s);
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
    .sources =
        CONVOLVE_SOURCES("convolve1d/fft.cl", "convolve1d/fft32.cl", "convolve1d/fft_lines.cl",
                         "convolve1d/gpu_fft_passes.cl", "convolve1d/gpu_fft.cl"),
    .ops = &ops,
};
