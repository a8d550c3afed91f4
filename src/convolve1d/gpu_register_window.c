/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_register_window: GPUs; long rows without steps, up to 260 taps, or so
 * many inputs from the first tap's to the last one's. A tile of inputs lies in local memory,
 * and each item moves a window over it, held in registers. Its kernel is
 * kernels/convolve1d/gpu_register_window.cl. */
#include "gpu_sizes.h"

// Kinds of data. An operand vector has 16 bytes: four operands, or two of f64 or c32 inputs.
enum data {
    QUADS = 1,     // four operands of 32 bits
    NARROW = 2,    // four, each from an input of 8 or 16 bits
    BYTES = 4,     // the same where an input and an output have up to 3 bytes together
    LONG_SUMS = 8, // four, whose sums take 64 bits each
    PAIRS = 16,    // two operands
    FOURS = QUADS | NARROW | BYTES | LONG_SUMS
};

enum {
    MOST_SPAN = 260, // inputs from the first tap's to the last one's
    WIDE_TAPS = 64,  // as with so many taps, at most
    SMALL_GROUP = 64,
    WAITING_LOADS = 3500 // more loads for the ends of a row where each group has one: count()
};

// What the kernel is compiled for. The row for a filter is the first one of its kind of data
// whose most_taps are enough.
struct tuning {
    unsigned data; // kinds of data
    unsigned most_taps;
    unsigned work_group;
    unsigned vectors; // of outputs that an item computes; odd
    unsigned tiles;   // that a group takes one after the other
};

// H200, driver 580.159, 2026-11-21, Gout/s of 2^28 f32 (a copy: 528) by work-group / vectors /
// tiles; of a kernel without local memory, which this one replaced, by work-group / 1:
//      3 taps  128/1 525, 256/1 519, 64/3/1 520           44 taps  64/3/4 491, 64/3/3 487
//      9       128/1 520, 256/1 511, 64/3/1 522           57       64/5/1 407, 128/5/1 404
//     12       64/3/1 518, 128/1 516, 128/3/1 514         65       64/7/1 385, 64/5/1 374
//     17       64/3/1 522, 128/1 504, 64/3/2 518          72       64/5/1 358, 64/7/1 354
//     28       64/3/2 520, 64/3/1 511                     88       64/5/1 308, 128/5/1 303
//     40       64/3/3 508, 64/3/2 506, 64/3/1 474        129       64/3/1 214, 256/3/1 210
// 257 taps: 256/3/1 106, 128/3/1 103. c32, 9 taps: 64/3/1 249, 128/1 244, 128/2 227; 65 taps:
// 64/3/1 103, 128/3/1 101. Narrow data want more outputs for an item; i16, 2026-11-22:
//      3 taps  64/3/1 1017, 64/5/1 890                     25 taps  64/7/1 782, 64/5/1 745
//      9       64/5/1 984, 64/7/1 978, 64/3/1 874         49       64/7/1 497, 64/5/1 478
// f16, 9 taps: 64/5/1 1017; 64/7/1 876 with 2^27, where 64/5/1 had 1001 before its loads
// changed; 5 taps, dilation 17, 2026-11-23: 64/3/1 683, 64/7/1 898. Boundaries, 9 taps: 502 to
// 504 each. Sums of integers beyond 24 bits take multiply-adds at half the rate of f32. Taps
// split in two, with exact sums in f32 of both halves, would take as long: not tried. Bytes,
// 2026-11-23, us with 64/3/1 and 64/7/1: f16 to i8, 1 tap 189, 163; f16 to u8, 1 tap 102, 95; 3
// taps 114, 115; i8 to i8, 1 tap 316, 250; u8 to u8, 1 tap, pitched rows 145, 128; but i8 to
// i32, 1 tap 85, 88. Not measured: LONG_SUMS, f64.
// clang-format off
static const struct tuning tunings[] = {
    // data           taps up to  group  vectors  tiles
    { NARROW,                  5,    64,       3,     1 },
    { NARROW,                 12,    64,       5,     1 },
    { NARROW | BYTES,         64,    64,       7,     1 },
    { QUADS | LONG_SUMS,      24,    64,       3,     1 },
    { QUADS | LONG_SUMS,      40,    64,       3,     2 },
    { QUADS | LONG_SUMS,      56,    64,       3,     4 },
    { QUADS | LONG_SUMS,      64,    64,       5,     1 },
    { QUADS | NARROW | BYTES, 68,    64,       7,     1 },
    { FOURS,                  96,    64,       5,     1 },
    { FOURS,                 192,    64,       3,     1 },
    { FOURS,                 260,   256,       3,     1 },
    { PAIRS,                 260,    64,       3,     1 },
};
// clang-format on

static unsigned operands(const struct gpuprim_filter *f)
{
    return 16 / gp_convolve_operand_bytes(f);
}

static enum data data_of(const struct gpuprim_filter *f)
{
    if (operands(f) == 2)
        return PAIRS;
    if (gp_convolve_has_long_sums(f))
        return LONG_SUMS;
    if (gp_type_size(f->in) + gp_type_size(f->out) <= 3)
        return BYTES;
    return gp_type_size(f->in) < 4 ? NARROW : QUADS;
}

// Outputs that a group computes.
static uint64_t tile_of(const struct gpuprim_filter *f, const struct tuning *t,
                        unsigned work_group)
{
    return (uint64_t)work_group * t->vectors * operands(f) * t->tiles;
}

static uint64_t span_of(const struct convolve_shape *s)
{
    return (s->filter->taps - 1) * s->lanes + 1;
}

// NULL: the variant cannot take the filter.
static const struct tuning *tuning_for(const gpuprim *gp, const struct convolve_shape *s)
{
    const struct gpuprim_filter *f = s->filter;
    const enum data data = data_of(f);
    if (gp->caps.is_cpu || f->rows > 1 || !gp_convolve_takes_taps(gp, f, 0))
        return NULL;
    // Where taps lie apart, an item reads the inputs between them, too: as with more taps.
    const uint64_t apart = s->lanes > 1 ? gp_min(span_of(s) / 2, WIDE_TAPS) : 0;
    const struct tuning *t = tunings, *end = tunings + sizeof tunings / sizeof *tunings;
    while (t < end && (!(t->data & data) || t->most_taps < f->taps || t->most_taps < apart))
        t++;
    if (t == end)
        return NULL;
    // The row in front of large groups has small ones, of which there are enough for all units.
    const uint64_t outputs = s->outputs * s->rows;
    const bool is_few = outputs < gp->caps.compute_units * tile_of(f, t, t->work_group);
    return is_few && t->work_group > SMALL_GROUP ? t - 1 : t;
}

static bool fits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    const bool is_flat = s->lanes == 1 || (s->packed && s->out_packed);
    return s->filter->stride == 1 && is_flat && span_of(s) <= MOST_SPAN && tuning_for(gp, s);
}

// Whether the elements of rows lie from the last to the first.
static bool is_backwards(const struct convolve_shape *s)
{
    return s->lanes == 1 && s->stride == -1;
}

static bool out_is_backwards(const struct convolve_shape *s)
{
    return s->lanes == 1 && s->out_stride == -1;
}

// Whether inputs and outputs come and go by vectors.
static bool is_packed(const struct convolve_shape *s)
{
    return (s->packed || is_backwards(s)) && (s->out_packed || out_is_backwards(s));
}

static void specialise(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)variant;
    const struct tuning *t = tuning_for(gp, s);
    key->work_group = t->work_group;
    gp_define(key, "VEC_N", operands(s->filter));
    gp_define(key, "ITEM_VECS", t->vectors);
    gp_define(key, "TAPS", (uint32_t)s->filter->taps);
    gp_define(key, "WIDTH", (uint32_t)s->lanes);
    gp_define(key, "TILES", t->tiles);
    gp_define(key, "PACKED", is_packed(s));
    gp_define(key, "BACKWARDS", is_packed(s) && is_backwards(s));
    gp_define(key, "OUT_BACKWARDS", is_packed(s) && out_is_backwards(s));
}

static void lay_out(const gpuprim *gp, const struct convolve_shape *s,
                    const struct gp_variant *variant, unsigned work_group,
                    struct convolve_layout *l)
{
    (void)variant;
    const struct gpuprim_filter *f = s->filter;
    // The first vector of outputs may lack all but one.
    const uint64_t places = s->outputs * s->channels + operands(f) - 1;
    l->share = s->channels;
    l->row_groups = (uint32_t)gp_ceil_div(places, tile_of(f, tuning_for(gp, s), work_group));
    l->groups = s->batches * l->row_groups;
}

static void count(const gpuprim *gp, const struct convolve_shape *s, struct convolve_work *w)
{
    const struct gpuprim_filter *f = s->filter;
    const struct tuning *t = tuning_for(gp, s);
    struct convolve_layout l = { .groups = 0 };
    lay_out(gp, s, NULL, t->work_group, &l);
    w->items = (double)l.groups * t->work_group;
    w->outputs = w->products = (double)l.groups * (double)tile_of(f, t, t->work_group);
    // The groups at the ends of a row load one by one, while others wait. With other lanes an
    // item goes through all inputs between its taps, eight for the time of a load. H200, driver
    // 580.159, 2026-11-27, us by this variant and by the one that an estimate of three took:
    // f32 to u8, 54 taps, 3 channels 194, 220; u8, 3 taps, dilation 9, 8 channels 289, 392; u8
    // to i64, 23 taps, 6 channels 132, 187.
    // Where no groups lie between those at the ends, all wait. i16, two groups for a row, us: 7
    // taps, rows of 1385, 768, and 404 by gpu_tile (H200, driver 580.159.04, 2026-11-27); 49
    // taps, rows of 2642, 1114 (H100, the same day). Without WAITING_LOADS the estimates are
    // 356 and 658.
    const double at_ends = l.row_groups > 2 ? 2.0 / l.row_groups : 1,
                 end_loads = CONVOLVE_END_LOADS + WAITING_LOADS * at_ends;
    // It does so for each of its tiles: u8, 12 taps, dilation 2, 5 channels, four tiles 4785, estimated as 3262
    // for one; by gpu_tile 3038 (H200, driver 580.159.04, 2026-12-01).
    const double between = (double)(span_of(s) - f->taps) * gp_convolve_operand_bytes(f) / 4;
    w->loads = end_loads * (double)s->batches + w->items * t->tiles * between / 8 +
               (s->packed || is_packed(s) ? 0 : (double)s->n * (double)s->rows) +
               (s->out_packed || is_packed(s) ? 0 : (double)s->outputs * (double)s->rows);
    // Bytes are converted one by one.
    w->stores = gp_type_size(f->in) == 1 || gp_type_size(f->out) == 1 ? w->outputs : 0;
    w->is_ragged = s->lanes > 1;
    // H200, driver 580.159.04, 2026-11-28, us, the estimate without this and us by gpu_narrow:
    // u8 to i8, 3 taps 192, 157, 147; u8, 2 taps 166, 130, 129; i8, 1 tap, 11 channels 180,
    // 139, 150; u8 to u16, 2 taps 143, 110, 122. But i8 to f32, 7 taps 100, 95.
    w->passes = gp_type_size(f->in) == 1 && gp_type_size(f->out) <= 2 ? 0.3 : 0;
}

static const struct convolve_ops ops = {
    .count = count,
    .rates = { .start = 2, .item = 120, .load = 36, .store = 6, .passes = 1, .ragged = 0.02 },
    .specialise = specialise,
    .lay_out = lay_out,
    .by_value = true,
    .why = "rows are long and the taps few enough to be arguments of the kernel",
    .updates_history = true,
};

const struct gp_variant gp_convolve_gpu_register_window = {
    .name = "gpu_register_window",
    .fits = fits,
    .cost = gp_convolve_cost,
    .sources = CONVOLVE_SOURCES("convolve1d/gpu_vectors.cl", "convolve1d/gpu_row.cl",
                                "convolve1d/gpu_ring.cl", "convolve1d/gpu_window_inputs.cl",
                                "convolve1d/gpu_register_window.cl"),
    .ops = &ops,
};
