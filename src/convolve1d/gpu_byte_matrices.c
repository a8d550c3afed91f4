/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_byte_matrices: GPUs that multiply matrices of bytes; integer taps and
 * data. Its kernel, kernels/convolve1d/gpu_byte_matrices.cl, says what lanes, octets and planes
 * are. gpu_bytes.h names the other files. */
#include "gpu_bytes.h"

#include <string.h>

// Fewer taps are no work. With a step other variants load more than they multiply: u8 to i16, 4 taps, step
// 8, dilation 2, one row 299 us, by gpu_tile 824 (H200, driver 580.159.04, 2026-12-01).
enum { FEW_TAPS = 24, FEW_TAPS_OF_STEPS = 4 };

static bool fits(const gpuprim *gp, const void *call)
{
    return !gp->caps.is_cpu && gp_byte_is_divisible(gp, call);
}

static bool suits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    return gp->caps.ptx >= 80 &&
           s->filter->taps >= (s->step > 1 ? FEW_TAPS_OF_STEPS : FEW_TAPS);
}

// Whether 32 bits hold any sum and 256 times the next one.
static bool has_pairs(const struct gpuprim_filter *f)
{
    const uint64_t planes = gp_min(gp_type_size(f->in), f->tap_bytes);
    return f->taps * planes * 255 * 255 * (256 + 1) <= INT32_MAX;
}

static void specialise(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)variant;
    struct byte_division d;
    gp_byte_divide(gp, s, &d);
    key->work_group = d.items;
    gp_define(key, "TABLE", d.items);
    gp_define(key, "OWN_TAPS", s->filter->rows > 1);
    gp_define(key, "RAW_TYPE", gp_filter_tap_type(s->filter));
    gp_define(key, "CHUNKS", d.chunks);
    gp_define(key, "CHUNK_WORDS", gp_byte_lane_words(s, &d));
    gp_define(key, "TAP_PLANES", s->filter->tap_bytes);
    gp_define(key, "STEP", (uint32_t)s->step);
    gp_define(key, "PHASES", d.phases);
    gp_define(key, "OCTETS", d.octets);
    gp_define(key, "KSTEPS", d.ksteps);
    gp_define(key, "DENSE", s->stride == 1 && s->filter->dilation <= 1);
    gp_define(key, "PLANE", d.plane);
    gp_define(key, "ACROSS", gp_byte_is_across(s));
    gp_define(key, "OUT_ACROSS", gp_byte_out_is_across(s));
    gp_define(key, "TILES", gp_byte_tiles(s->filter));
    gp_define(key, "PAIRS", has_pairs(s->filter));
    gp_define(key, "ROOM", d.room);
}

static void lay_out(const gpuprim *gp, const struct convolve_shape *s,
                    const struct gp_variant *variant, unsigned work_group,
                    struct convolve_layout *l)
{
    (void)variant;
    struct byte_division d;
    gp_byte_divide(gp, s, &d);
    gp_byte_share_items(s, work_group, &d);
    l->groups = (uint64_t)gp_byte_groups(&d);
    l->own_size = sizeof d.a;
    memcpy(l->own, &d.a, sizeof d.a);
}

// How many times as long as without a step the loads and products of a call take. H200, driver
// 580.159.04, 2026-12-01, 28 calls of steps 2 to 8 whose estimates by this variant and by gpu_tile
// were alike, with a factor of 1.3 for elements that are taken apart, and 1 for bytes. In the mean such
// elements took 0.82 of the estimate with step 2, 0.92 with 3, 1.0 with 4, 1.2 with 8, and bytes
// 1.2 of it. The choices took 8.1 % longer than the faster of the two, and 5.1 % by the factors below.
static double by_step(const struct convolve_shape *s)
{
    enum { MOST_STEP = 8 }; // that was measured
    if (s->step == 1)
        return 1;
    if (gp_type_size(s->filter->in) == 1)
        return 1.1;
    return 0.9 + 0.09 * (double)gp_min(s->step, MOST_STEP);
}

// H200, driver 580.159.04, 2026-11-28, us and the estimate without FAR: u8, 121 taps, every 26th
// element 388, 140, by gpu_tile 208. 2026-12-01, 65 calls of any step: 60 took 0.52 to 1.20 of their
// estimates, in the mean 0.83. The five others took 1.4 to 2.1 of them; four had rows of 27 to 799
// elements (gpu_byte_layout.c counts short rows more since).
static void count(const gpuprim *gp, const struct convolve_shape *s, struct convolve_work *w)
{
    enum { FAR = 16 }; // bytes from an element to the next
    const uint64_t apart = gp_convolve_apart(s, s->stride, s->row_stride);
    struct byte_division d;
    gp_byte_divide(gp, s, &d);
    w->items = gp_byte_groups(&d) * d.items;
    w->loads = gp_byte_groups(&d) * gp_byte_work(s, &d) * by_step(s);
    w->passes = apart * gp_type_size(s->filter->in) >= FAR ? 1 : 0;
}

// Warps take matrices together, and an item has inputs of one phase. A group has no more phases than
// BYTES_WORK_GROUP.
static bool holds(const struct gp_variant *variant, const void *call,
                  const struct gp_program *program)
{
    const struct convolve_shape *s = call;
    const gpuprim *gp = s->filter->gp;
    struct byte_division d;
    (void)variant;
    if (gp->caps.ptx >= 80 && program->work_group % 32 != 0)
        return false;
    return program->work_group >= BYTES_WORK_GROUP ||
           (gp_byte_divide(gp, s, &d) && d.phases <= program->work_group);
}

static const struct convolve_ops ops = {
    .count = count,
    .rates = { .start = 8, .load = 0.85, .passes = 1.1 },
    .specialise = specialise,
    .lay_out = lay_out,
    .whole_sums = true,
    .by_planes = true,
    .why = "integers are multiplied as matrices of bytes",
    .updates_history = true,
};

const struct gp_variant gp_convolve_gpu_byte_matrices = {
    .name = "gpu_byte_matrices",
    .fits = fits,
    .suits = suits,
    .cost = gp_convolve_cost,
    .holds = holds,
    .sources =
        CONVOLVE_SOURCES("convolve1d/gpu_copies.cl", "convolve1d/gpu_byte_taps.cl",
                         "convolve1d/gpu_byte_units.cl", "convolve1d/gpu_byte_fill.cl",
                         "convolve1d/gpu_byte_products.cl", "convolve1d/gpu_byte_matrices.cl"),
    .ops = &ops,
};
