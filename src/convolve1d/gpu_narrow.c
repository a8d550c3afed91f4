/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_narrow: GPUs; contiguous elements of 8 or 16 bits in long rows, also
 * interleaved or with dilation. An item computes some vectors of outputs straight from global
 * memory. Its kernel is kernels/convolve1d/gpu_narrow.cl. */
#include "gpu_sizes.h"

#include <string.h>

// Work-group 128, by bytes / tiles, and of gpu_register_window (window); dense rows. H200, driver
// 580.159.04, 2026-12-01, u8 to u8, shares of a copy:
// Dot products:
//      3 taps  32/1 0.92, 32/4 0.955, 32/8 0.94, 64/4 0.68, 16/8 0.86; two channels 32/1 0.83, 32/4
//              0.92, 32/8 0.89
//      9       32/1 0.86, 32/2 0.90, 32/4 0.94, 32/8 0.94, 64/4 0.94, 16/8 0.835; two channels
//              32/4 0.86, 32/8 0.87, 64/4 0.91
//     33       64/4 0.74, 32/4 0.65, 16/8 0.61; two channels 32/4 0.40, 64/4 0.39
// Single products, f32 taps:
//      3 taps  32/1 0.86, 32/2 0.95, 32/4 0.95, 32/8 0.935, 64/4 0.70
//      9       32/1 0.68, 32/2 0.815, 32/4 0.88, 32/8 0.895, 64/4 0.86
// H200, driver 580.159, 2026-11-22:
// Dot products, u8 to u8, 33 taps: window 0.29; 65: 32/4 0.39, 64/4 0.38, 32/1 0.35, window 0.19
// Dot products, i16 to i16:
//      9 taps  32/4 0.90, window 0.95
//     17       32/4 0.88, 64/2 0.87, window 0.85
//     33       64/2 0.70, 32/4 0.69, window 0.62
//     65       32/4 0.41, 64/2 0.41, window 0.37
// Single products, 9 taps, 32/2: u8 to f16 0.86, window 0.81; i16 to u8 0.89, 0.80; f16 to f16
// 0.87, 1.00; u8 to f32 0.44, 0.87. Integer sums, i16 to i16 0.84, window 0.75; with 33 taps
// 0.43, 0.42. These were not measured with 32/4, which they have now. Groups of 64 items: at most 1 %
// more; of 256, 2026-12-01, 1 to 5 % less.

// What the kernel is compiled for.
struct tuning {
    bool dot;           // by dot products
    unsigned most_span; // inputs from the first tap's to the last one's
    unsigned work_group;
    unsigned bytes; // of an item's outputs, or of the inputs where elements get smaller
    unsigned tiles; // that a group takes one after the other
};

static const struct tuning tunings[] = {
    { true, 16, 128, 32, 4 },
    { true, 48, 128, 64, 4 },
    { true, NARROW_DOT_TAPS, 128, 32, 4 },
    { false, 48, 128, 32, 4 },
};

enum {
    GROUPS_PER_UNIT = 16, // that a compute unit has before groups take more than one tile
    MOST_SINGLE = 16,     // taps up to which single products are worth it
    MOST_DOT_LANES = 3    // bytes: dot products multiply the zeros between taps, too
};

// Inputs from the first tap's to the last one's.
static uint64_t span_of(const struct convolve_shape *s)
{
    return (s->filter->taps - 1) * s->lanes + 1;
}

// Whether the kernel may take dot products: taps are bytes, with zeros between those of other
// lanes, and it rounds results by way of floats that have the sums. Sums of bytes are below
// 2^22 with so many taps; their floats must also have 2^shift.
static bool is_for_dot(const struct convolve_shape *s)
{
    const struct gpuprim_filter *f = s->filter;
    const size_t in = gp_type_size(f->in);
    return f->sums_in_f32 && f->taps_are_i8 && span_of(s) <= NARROW_DOT_TAPS &&
           s->lanes <= (in == 1 ? MOST_DOT_LANES : 1) && (in == 2 || f->shift <= 22);
}

// NULL: the variant cannot take the shape.
static const struct tuning *tuning_for(const gpuprim *gp, const struct convolve_shape *s)
{
    const struct gpuprim_filter *f = s->filter;
    const bool dot = is_for_dot(s), is_wide = gp_convolve_has_long_sums(f) ||
                                              (gp_filter_sums_whole(f) && f->shift > 31);
    if (gp->caps.is_cpu || gp_type_size(f->in) > 2 || gp_type_size(f->out) > 4 || is_wide ||
        f->rows > 1 || !gp_convolve_takes_taps(gp, f, sizeof(struct narrow_arguments)))
        return NULL;
    for (unsigned i = 0; i < sizeof tunings / sizeof *tunings; i++)
        if (tunings[i].dot == dot && span_of(s) <= tunings[i].most_span)
            return &tunings[i];
    return NULL;
}

static unsigned outputs_of(const struct gpuprim_filter *f, const struct tuning *t)
{
    const size_t in = gp_type_size(f->in), out = gp_type_size(f->out);
    return (unsigned)(t->bytes * gp_min(in, out) >= 16 * (in > out ? in : out)
                          ? t->bytes / (in > out ? in : out)
                          : 16 / gp_min(in, out));
}

static bool fits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    return s->filter->stride == 1 && s->packed && s->out_packed && tuning_for(gp, s);
}

// Outputs of 32 bits are written as vectors that are far apart from the neighbour's.
static bool suits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    return gp_type_size(s->filter->out) <= 2 &&
           (tuning_for(gp, s)->dot || s->filter->taps <= MOST_SINGLE);
}

static void specialise(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)variant;
    const struct tuning *t = tuning_for(gp, s);
    key->work_group = t->work_group;
    gp_define(key, "VEC_N", 4);
    gp_define(key, "DOT", t->dot);
    gp_define(key, "ITEM_OUTPUTS", outputs_of(s->filter, t));
    gp_define(key, "TAPS", (uint32_t)s->filter->taps);
    gp_define(key, "WIDTH", (uint32_t)s->lanes);
    gp_define(key, "PACKED", 1);
}

// The taps are the filter's divided by 2^shift: such sums are in f32 (taps.c).
static void pack_taps(const struct convolve_shape *s, struct narrow_arguments *own)
{
    const struct gpuprim_filter *f = s->filter;
    const float *taps = f->values, unit = (float)((uint64_t)1 << f->shift);
    for (uint64_t k = 0; k < f->taps; k++) {
        const uint64_t place = k * s->lanes;
        own->taps[place / 4] |= (uint32_t)((int32_t)(taps[k] * unit) & 0xff) << place % 4 * 8;
    }
}

static void lay_out(const gpuprim *gp, const struct convolve_shape *s,
                    const struct gp_variant *variant, unsigned work_group,
                    struct convolve_layout *l)
{
    (void)variant;
    const struct tuning *t = tuning_for(gp, s);
    const uint64_t tile = (uint64_t)work_group * outputs_of(s->filter, t);
    // The first vector of outputs may lack all but one.
    const uint64_t places = s->outputs * s->channels + 16 / gp_type_size(s->filter->out) - 1;
    const uint64_t tiles = gp_ceil_div(places, tile);
    const uint64_t each = s->batches * tiles / (GROUPS_PER_UNIT * gp->caps.compute_units),
                   most = gp_min(each < 1 ? 1 : each, t->tiles);
    l->share = gp_even_part(tiles, gp_min(most, tiles));
    l->row_groups = (uint32_t)gp_ceil_div(tiles, l->share);
    l->groups = s->batches * l->row_groups;
    struct narrow_arguments own = { .channels = (cl_uint)s->channels };
    if (t->dot)
        pack_taps(s, &own);
    memcpy(l->own, &own, sizeof own);
    l->own_size = sizeof own;
}

static void count(const gpuprim *gp, const struct convolve_shape *s, struct convolve_work *w)
{
    const struct tuning *t = tuning_for(gp, s);
    struct convolve_layout l = { .groups = 0 };
    lay_out(gp, s, NULL, t->work_group, &l);
    w->items = (double)l.groups * t->work_group;
    w->outputs = w->products = w->items * (double)l.share * outputs_of(s->filter, t);
    // Zeros between taps are multiplied, too, four bytes or two halves in 1.6 or 1.8
    // instructions.
    if (t->dot)
        w->products *= (double)span_of(s) / (double)s->filter->taps *
                       (gp_type_size(s->filter->in) == 1 ? 0.4 : 0.9);
    w->loads = CONVOLVE_END_LOADS * (double)s->batches;
}

static const struct convolve_ops ops = {
    .count = count,
    .rates = { .start = 9.4, .item = 20, .output = 6, .load = 40, .passes = 1.07 },
    .specialise = specialise,
    .lay_out = lay_out,
    .by_value = true,
    .why = "rows of 8 or 16 bits are long and contiguous, and taps few and near each other",
    .updates_history = true,
};

const struct gp_variant gp_convolve_gpu_narrow = {
    .name = "gpu_narrow",
    .fits = fits,
    .suits = suits,
    .cost = gp_convolve_cost,
    .sources = CONVOLVE_SOURCES("convolve1d/gpu_vectors.cl", "convolve1d/gpu_row.cl",
                                "convolve1d/gpu_narrow_sums.cl", "convolve1d/gpu_narrow.cl"),
    .ops = &ops,
};
