/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_turn: GPUs; rows that become columns, and columns with dilation
 * that become rows. Its kernel, kernels/convolve1d/gpu_turn.cl, says how a group takes them;
 * gpu_turn_layout.c divides them. */
#include "gpu_turn.h"

#include <string.h>

enum {
    LEAST_ROWS = 9,
    LEAST_ROWS_OF_PHASES = 5, // the same with dilation
    SHORT_ROW = 16,           // inputs of a row that need not become a column
    // An item keeps so many bytes of taps, where rows that become columns have their own. 16
    // bytes were timed.
    OWN_BYTES = 32
};

// H200, driver 580.159, 2026-11-22, share of the bound, before: by gpu_walk, gpu_tap_chunks or
// gpu_tile.
//     f32, 2 taps, dilation 28     100883 rows of 948        0.494   0.089
//     f32, 1 tap                   1573605 rows of 62        0.548   0.150
//     f32, 7 taps                  2328058 rows of 25        0.573   0.244
//     f32 to i16, 27 taps          2629 rows of 44318        0.425   0.298
//     i16, 5 taps, dilation 3      58 rows of 3488679        0.379   0.340
//     i32, 1 tap, step 8           1567429 rows of 55        0.692   0.274
//     i32, 85 taps, 64-bit sums    19930 rows of 3220        0.170   0.152
//     u16, 4 taps, dilation 20     644 columns of 308380     0.378   0.052 (2026-11-23)
// With 48 KiB of local memory the last row has 0.312. f32 to u8, 14 taps, dilation 13, 1556
// columns of 409, which are 98 groups: 25 us, gpu_roll 20.
// NEAR 16 and 4: the first row 0.488 and 0.415. 12 or 48 KiB of local memory: within 2 %, but
// with 27 taps and 12 KiB 0.364 for 0.393. Few rows, H100, driver 580.159.04, 2026-11-27, us by
// this variant and by another: u8, 2 taps, dilation 23, 9 rows 380, 1114; i16, 20 taps, 11 rows
// 274, 310. With dilation, by this variant and by gpu_tap_chunks: f32 to i8, 3 taps, dilation
// 26, 8 channels 174, 686; u8 to f16, 10 taps, step 7, dilation 9, 7 rows 113, 356; c32, 53
// taps, dilation 9, 7 channels 435, 957; without it f32, 58 taps, step 5, 5 rows 145, 110. Fewer
// rows were not measured.

static bool fits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    const struct gpuprim_filter *f = s->filter;
    struct turn t;
    const bool has_taps = f->rows == 1 || gp_turn_is_back(s) || f->taps * f->size <= OWN_BYTES;
    return !gp->caps.is_cpu && has_taps && f->taps <= TURN_MOST_INPUTS &&
           gp_convolve_takes_taps(gp, f, sizeof(struct turn_arguments)) &&
           gp_turn_choose(gp, s, &t) && gp_turn_lay_blocks(s, t.group, &t) <= INT32_MAX;
}

static bool suits(const gpuprim *gp, const void *call)
{
    (void)gp;
    const struct convolve_shape *s = call;
    const bool out_near = gp_abs(s->out_stride) < gp_abs(s->out_row_stride);
    const uint64_t least = s->phases > 1 ? LEAST_ROWS_OF_PHASES : LEAST_ROWS;
    return s->rows >= least && (gp_turn_is_back(s) == out_near || s->n <= SHORT_ROW);
}

static void specialise(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)variant;
    struct turn t;
    gp_turn_choose(gp, s, &t);
    key->work_group = t.group;
    gp_define(key, "TAPS", (uint32_t)s->filter->taps);
    gp_define(key, "TILE_ROWS", t.rows);
    gp_define(key, "STEP", (uint32_t)s->step);
    gp_define(key, "DILATION", (uint32_t)s->filter->dilation);
    gp_define(key, "ITEM_OUTPUTS", t.item_outputs);
    gp_define(key, "BACK", gp_turn_is_back(s));
    gp_define(key, "EXCHANGE", gp_turn_has_exchange(s));
    gp_define(key, "PHASES", (uint32_t)s->phases);
    gp_define(key, "WORDS", gp_turn_has_words(s));
    gp_define(key, "BACKWARDS", gp_turn_has_words(s) && s->stride < 0);
    gp_define(key, "ALONG", t.along);
    gp_define(key, "OWN_TAPS", s->filter->rows > 1);
    // Rounded up, so that fewer programs are built.
    const uint64_t limit = gp_min(gp->caps.local_bytes, CONVOLVE_LOCAL_BYTES),
                   room = gp_min(gp_ceil_div(t.bytes, 1024) * 1024, limit);
    gp_define(key, "ROOM", (uint32_t)(room / 16));
}

// The program's groups may be smaller than those it was asked for: fewer rows then.
static void lay_out(const gpuprim *gp, const struct convolve_shape *s,
                    const struct gp_variant *variant, unsigned work_group,
                    struct convolve_layout *l)
{
    (void)variant;
    struct turn t;
    gp_turn_choose(gp, s, &t);
    l->groups = gp_turn_lay_blocks(s, work_group, &t);
    l->own_size = sizeof t.a;
    memcpy(l->own, &t.a, sizeof t.a);
}

// Positions beyond the ends of a row that all groups together fill: each fills those in front of
// its own outputs again.
static double beyond_ends(const struct convolve_shape *s, const struct turn *t)
{
    const double advance = (double)t->a.outputs * (double)s->filter->stride;
    double all = 0;
    for (unsigned left = 0; left < 2; left++) {
        const double beyond = gp_convolve_beyond(s, left),
                     groups = 1 + (double)(uint64_t)(beyond / advance);
        all += groups * beyond - advance * groups * (groups - 1) / 2;
    }
    return all;
}

// Loads of all groups. Items copy words where they can, in some 6 instructions each
// (docs/measurements/convolve1d.md), but fill positions beyond the ends one by one. H200, driver
// 580.159.04, 2026-11-30, us and the estimate with a load for each element: i16, 18 taps, stride
// 6, dilation 27, 211579 rows 1258, 3839, by gpu_tap_chunks 4190; f16, 2 taps, stride 3, dilation
// 8, 238 rows 233, 556; to f32, 102 taps, stride 8, 904 rows 501, 939; i8 to i32, 92 taps, stride
// 3, 50 rows 475, 886; i32 to i16, 3 taps, 33 rows 343, 738.
static double loads_of(const struct convolve_shape *s, const struct turn *t)
{
    const double WORD = 0.5; // of a load
    const double all = (double)t->a.parts * t->a.pitch;
    if (!gp_turn_has_words(s))
        return all * (double)s->rows * gp_convolve_operand_bytes(s->filter) / 4;
    const double beyond = beyond_ends(s, t), single = beyond < all ? beyond : all;
    const double words = (all - single) * (double)gp_type_size(s->filter->in) / 4;
    return (single + WORD * words) * (double)s->rows;
}

// All taps of an item's outputs are code. Where that leaves the caches of instructions, an
// addition takes several times as long. H200, driver 580.159.04, 2026-11-28, c32, 214 c32 taps,
// dilation 2, 10 rows: 436 us, the estimate without this 136; by gpu_tap_chunks 203. Own taps
// of columns, which neighbouring items read at one address: 2026-11-29, f32, 72 taps of each of
// 6077 columns, step 5 310 us, the estimate without and with them 183, 286; by gpu_roll 161.
static void count(const gpuprim *gp, const struct convolve_shape *s, struct convolve_work *w)
{
    enum { ADDS = 3000, TIMES_AS_LONG = 4 };
    const double ONE_ADDRESS = 0.5;
    struct turn t;
    gp_turn_choose(gp, s, &t);
    const double adds =
        (double)s->filter->taps * t.item_outputs * gp_convolve_multiply_add(s->filter);
    w->items = (double)gp_turn_lay_blocks(s, t.group, &t) * t.group;
    w->outputs = (double)s->outputs * (double)s->rows;
    w->products = w->outputs * (adds > ADDS ? TIMES_AS_LONG : 1);
    w->loads = loads_of(s, &t);
    if (s->filter->rows > 1)
        w->loads += w->items * (double)(s->filter->taps * s->filter->size) / 4 *
                    (gp_turn_is_back(s) ? ONE_ADDRESS : 1);
    w->loads *= gp_convolve_waiting(gp, w);
}

static const struct convolve_ops ops = {
    .count = count,
    .rates = { .start = 1.2, .item = 240, .output = 39, .load = 38, .passes = 1.4 },
    .specialise = specialise,
    .lay_out = lay_out,
    .by_value = true,
    .why = "rows become columns, or columns rows",
    .updates_history = true,
};

const struct gp_variant gp_convolve_gpu_turn = {
    .name = "gpu_turn",
    .fits = fits,
    .suits = suits,
    .cost = gp_convolve_cost,
    .sources = CONVOLVE_SOURCES("convolve1d/gpu_turn_fill.cl", "convolve1d/gpu_turn_back.cl",
                                "convolve1d/gpu_turn.cl"),
    .ops = &ops,
};
