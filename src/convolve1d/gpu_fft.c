/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_fft: filters of the method FFT that a group can transform, on lines of
 * any layout. Its kernel is kernels/convolve1d/gpu_fft.cl; this file decides how long segments
 * are, those of gpu_fft_columns.c, too, and when AUTO takes them. fft.c has the spectra. */
#include "fft.h"

#include "gpu_sizes.h"

#include <string.h>

enum {
    MOST_ITEMS = 256, // of a group
    SHORTEST = 1024,  // points of a segment, but where a simulator's groups are forced
    LONGEST = 8192,   // complex points of a group
    ALIGNMENT = 32    // outputs of a segment, and where its loads begin, in elements
};

// The H200, Gout/s of 2^28 f32, direct and FFT, 2026-11-22: 65 taps 387 and 453, 129 taps 214
// and 436. With 49 taps a prototype had 504 and 492. Other GPUs have more multiply-adds per
// byte or fewer: a number from 64 on is the cautious side. On a CPU a group is a loop over
// items, and AUTO computes directly.
static uint64_t crossover(const gpuprim *gp)
{
    return gp->caps.is_cpu ? UINT64_MAX : 64;
}

// A group takes some 10 us for a block, in which the device would compute so many outputs for
// each compute unit. H200, 2026-11-23, us of 2^18 / 2^20 / 2^22 / 2^24 f32 by the clock of the
// host, direct and FFT: 65 taps 9.5 and 13.9 / 12.2 and 15.4 / 17.4 and 22.0 / 53.4 and 56.3;
// 97 taps 6.5 and 14.2 / 9.1 and 15.7 / 19.7 and 22.3 / 71.5 and 57.2.
enum { UNIT_OUTPUTS = 1 << 15 };

static unsigned most_items(const gpuprim *gp)
{
    const unsigned forced = gp->force_work_group;
    const uint64_t most = gp_min(gp->caps.max_work_group, MOST_ITEMS);
    return (unsigned)(forced ? gp_min(forced, most) : most);
}

// Points that an item has in registers. 32 f64 take all of them.
static unsigned points_of(const gpuprim *gp, const struct gpuprim_filter *f)
{
    return f->in == GPUPRIM_F64 || most_items(gp) < 32 ? 16 : 32;
}

// The local memory for segments of so many points. `split`: of the kernel's SPLIT.
static uint64_t local_bytes(const struct gpuprim_filter *f, uint64_t length, bool split)
{
    return (length + length / f->fft.outer) * gp_fft_number_bytes(f) / (split ? 2 : 1);
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

// The longest segments from `shortest` on, which there is room for, up to `most`.
static uint64_t longest(const gpuprim *gp, const struct gpuprim_filter *f, uint64_t shortest,
                        uint64_t most)
{
    uint64_t length = shortest;
    while (!gp->force_work_group && 2 * length <= most && has_room(gp, f, 2 * length))
        length *= 2;
    return length;
}

// The most complex points for so many taps. H200, driver 580.159, Gout/s of 2^28 f32,
// 2026-11-22, two segments of 1024 / 2048 / 4096 / 8192 points: 129 taps 436 / 395; 257 taps
// 398 / 372 / 368; 513 taps - / 326 / 366. 2026-11-23, packed points of 4096 / 8192: 2049 taps
// 268 / 235; 3000 taps 193 / 197; 4097 taps 158 / 220.
static uint64_t points_for(const struct gpuprim_filter *f)
{
    return f->taps <= 288 ? 1024 : f->taps <= 2800 ? LONGEST / 2 : LONGEST;
}

// Whether a complex point has two neighbouring inputs of one segment, twice as long, and not
// those of two segments. The product then takes longer (kernels/convolve1d/gpu_fft.cl). H200,
// 2026-11-23, Gout/s of 2^28 f32, two segments and packed: 513 taps 379 and 345; 1025 taps 334
// and 306; 2049 taps 262 and 268; 4097 taps 191 and 220.
static bool is_packed(const struct gpuprim_filter *f, uint64_t points)
{
    return f->in != GPUPRIM_C32 && f->taps > gp_min(points, LONGEST / 2) / 16 * 7;
}

// The most points of a row of a segment that is a matrix. H200, 2026-11-23, Gout/s of 2^28 f32
// with 4096 / 8192: 16383 taps 118 / 102; 65537 taps 74 / 87.
static uint64_t width_for(const struct gpuprim_filter *f)
{
    return f->taps <= SHORTEST ? SHORTEST : f->taps <= 32768 ? LONGEST / 2 : LONGEST;
}

// Whether the taps leave a segment less than seven sixteenths of its points as outputs. H200,
// 2026-11-23, Gout/s of 2^28 f32: 8193 taps 157 in segments of 16384 points, 9300 taps 142 in
// matrices.
static bool is_long(const struct gpuprim_filter *f, uint64_t length)
{
    return f->taps > length / 16 * 9;
}

// With more taps than nine sixteenths of a segment each part takes half a segment.
void gp_gpu_fft_size(const gpuprim *gp, struct gpuprim_filter *f)
{
    struct convolve_fft *t = &f->fft;
    t->crossover = crossover(gp);
    t->outer = points_of(gp, f);
    const uint64_t shortest =
        gp->force_work_group ? (uint64_t)gp->force_work_group * t->outer : SHORTEST;
    if (!has_room(gp, f, shortest))
        return;
    uint64_t points = longest(gp, f, shortest, points_for(f));
    t->is_packed = is_packed(f, points);
    t->height = 1;
    if (is_long(f, points * (t->is_packed ? 2 : 1)) ||
        strcmp(gp->force_variant, "convolve1d:gpu_fft_columns") == 0) {
        t->height = t->outer;
        t->is_packed = false;
        points = t->height * longest(gp, f, shortest, width_for(f));
    }
    const uint64_t length = points * (t->is_packed ? 2 : 1);
    const uint64_t alignment = length < SHORTEST ? 1 : ALIGNMENT;
    const int64_t origin = (f->offset - (int64_t)f->halo) % (int64_t)alignment;
    t->length = (uint32_t)length;
    t->middle = gp_fft_width_of(t) / t->outer / t->outer;
    t->lead = (uint32_t)(origin < 0 ? origin + (int64_t)alignment : origin);
    t->part_taps = (uint32_t)(is_long(f, length) ? length / 2 : f->taps);
    t->parts = (uint32_t)gp_ceil_div(f->taps, t->part_taps);
    t->valid = (uint32_t)((length + 1 - t->lead - t->part_taps) / alignment * alignment);
}

static bool fits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    const struct convolve_fft *t = &s->filter->fft;
    (void)gp;
    return !t->is_for_cpu && t->height == 1 && gp_fft_has_lines(s);
}

// Whether AUTO takes it. Short lines leave points unused, and lines whose elements lie apart
// are read a line of memory for each: the direct variants for matrices do better for longer. By
// counting only: not measured. The last block of a line may be an eighth more than is wanted.
bool gp_gpu_fft_suits(const gpuprim *gp, const void *call)
{
    enum { APART = 4 };
    const struct convolve_shape *s = call;
    const struct gpuprim_filter *f = s->filter;
    if (f->method == GPUPRIM_METHOD_FFT)
        return true;
    const double wanted = (double)s->rows * (double)s->outputs;
    const double computed = (double)s->rows * (double)(gp_fft_blocks_of(s) * s->phases *
                                                       gp_fft_segments_of(s) * f->fft.valid);
    const double begun = (double)gp->caps.compute_units * UNIT_OUTPUTS;
    const uint64_t least = f->fft.crossover * (gp_fft_is_dense(s) ? 1 : APART);
    return least <= f->taps &&
           (computed + begun) * (double)least <= 1.125 * wanted * (double)f->taps;
}

void gp_gpu_fft_specialise(const gpuprim *gp, const struct convolve_shape *s,
                           const struct gp_variant *variant, struct gp_key *key)
{
    const struct convolve_fft *t = &s->filter->fft;
    const uint32_t width = gp_fft_width_of(t);
    (void)variant;
    key->work_group = width / t->outer;
    gp_define(key, "LANES", 1);
    gp_define(key, "FFT_POINTS", t->outer);
    gp_define(key, "SPLIT", local_bytes(s->filter, width, false) > room(gp));
    gp_define(key, "COLUMNS", t->height > 1);
    gp_define(key, "PACKED", t->is_packed);
    gp_define(key, "DENSE", gp_fft_is_dense(s));
}

bool gp_gpu_fft_holds(const struct gp_variant *variant, const void *call,
                      const struct gp_program *program)
{
    const struct convolve_fft *t = &((const struct convolve_shape *)call)->filter->fft;
    (void)variant;
    return program->work_group * t->outer == gp_fft_width_of(t);
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
    .specialise = gp_gpu_fft_specialise,
    .lay_out = lay_out,
    .why = "the filter's method takes transforms for such rows",
    .by_spectrum = true,
    .updates_history = true,
};

const struct gp_variant gp_convolve_gpu_fft = {
    .name = "gpu_fft",
    .fits = fits,
    .suits = gp_gpu_fft_suits,
    .holds = gp_gpu_fft_holds,
    .sources = CONVOLVE_SOURCES("convolve1d/fft.cl", "convolve1d/fft32.cl",
                                "convolve1d/fft_lines.cl", "convolve1d/gpu_fft_passes.cl",
                                "convolve1d/gpu_fft_points.cl", "convolve1d/gpu_fft.cl"),
    .ops = &ops,
};
