/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_places: GPUs; columns that are shorter than the filter's reach. Its
 * kernel, kernels/convolve1d/gpu_places.cl, says how a group takes them. This file divides them
 * among groups. */
#include "gpu_folds.h"

#include <float.h>
#include <string.h>

// Of these WORK_GROUP and MOST_TEAMS make groups of one to four warps with a task each; the others
// were not varied.
enum {
    WORK_GROUP = 128,
    MOST_TEAMS = 4,
    MOST_SUMS = 16,      // of an item, in words of 4 bytes
    MOST_PLACES = 65535, // of a row: entries have 16 bits
    MOST_APART = 4,      // elements from a column to the next
    ROOM = 8 << 10,      // local memory, in multiples: the cache has what groups leave
    MOST_ROOM = 40 << 10,
    CACHE = 64 << 10, // bytes of it that a group has for inputs
    SCHEDULERS = 4,   // of a compute unit
    WARP = 32
};

// Instructions for sm_90, counted in programs of f32 and f64 with 7, 13 and 16 outputs. Of a
// warp for an input, beside its ADDs: its place, its address, the load, the tap, and a part of
// the loop. Inputs that are not taken in passes are some at both ends, OUTSIDE, and those that
// not all outputs need; they take twice as many, and SLOW more. ENTRY: of an item for an entry
// of a table. A warp that is alone on its scheduler waits WAIT cycles for an input. Not
// measured: SLOW, WAIT, FAR (taps in global memory), and the bytes that a scheduler gets in a
// cycle from the cache of its unit, and from that of the device, where rows are longer than the
// former.
static const double INPUT = 5.3, OUTSIDE = 24, SLOW = 10, ENTRY = 56, WAIT = 1.5, FAR = 1.05;
static const double NEAR_BYTES = 32, FAR_BYTES = 6;

// Whether some places are constants.
static bool has_constants(const struct gpuprim_filter *f)
{
    return f->left <= GPUPRIM_CONSTANT || f->right <= GPUPRIM_CONSTANT;
}

// Completes *t. Returns the bytes of local memory, a multiple of ROOM.
static uint64_t lay_room(const struct convolve_shape *s, struct fold *t)
{
    t->a.taps_at = (cl_uint)gp_ceil_div((uint64_t)t->teams * t->a.length * 2, 16);
    const uint64_t taps = t->near_taps ? (uint64_t)t->a.length * s->filter->size : 0;
    return gp_ceil_div(t->a.taps_at * (uint64_t)16 + taps, ROOM) * ROOM;
}

// Groups of `group` items.
static uint64_t groups_of(const struct convolve_shape *s, const struct fold *t, unsigned group)
{
    return gp_ceil_div(s->rows, group / t->teams) * gp_ceil_div(t->a.tasks, t->teams);
}

// Instructions of an ADD, and cycles that it keeps a scheduler from the next one: f64 and
// multiplications of integers have half the rate.
struct add {
    double instructions, cycles;
};
static struct add cost_of_add(const struct gpuprim_filter *f)
{
    if (gp_filter_sums_whole(f))
        return gp_convolve_has_long_sums(f) ? (struct add){ 3, 4 } : (struct add){ 1, 2 };
    if (f->in == GPUPRIM_F64 || f->sums_in_f64)
        return (struct add){ 1, 2 };
    const double words = f->taps_type == GPUPRIM_C32 ? 4 : f->in == GPUPRIM_C32 ? 2 : 1;
    return (struct add){ words, words };
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

// Cycles of a warp for its task. One value beyond an end is one chain for all outputs on the
// left, and needs no loads on the right.
static double task_cost(const struct convolve_shape *s, const struct fold *t)
{
    const struct add add = cost_of_add(s->filter);
    const double left = t->a.flat_left == FLAT_ZEROS ? 0 : t->left;
    const double right = t->a.flat_right == FLAT_ZEROS ? 0 : t->right;
    const double inputs = (double)t->a.length - t->left - t->right;
    const double all = t->item_outputs, most = OUTSIDE + 2 * all * (double)s->step;
    const double outside = most < inputs ? most : inputs;
    const double size = (double)gp_type_size(s->filter->in);
    const bool is_near = (double)s->n * WORK_GROUP / t->teams * size <= CACHE;
    const double load = WARP * size / (is_near ? NEAR_BYTES : FAR_BYTES);
    const double issued = all * add.instructions, busy = all * add.cycles;
    const double input = larger(larger(issued + INPUT, busy), load);
    return inputs * input + outside * (input + SLOW) + left * (add.instructions + 2) +
           right * larger(issued + 2, busy) + inputs * ENTRY * t->teams / WORK_GROUP;
}

// What a launch takes, in cycles of the scheduler that has most warps.
static double cost_of(const gpuprim *gp, const struct convolve_shape *s, const struct fold *t)
{
    const double units = gp->caps.compute_units;
    const double groups = (double)gp_ceil_div(groups_of(s, t, WORK_GROUP), (uint64_t)units);
    const double own = task_cost(s, t), alone = own + (double)t->a.length * WAIT;
    return larger(groups * own, alone) * (t->near_taps ? 1 : FAR);
}

static unsigned most_outputs(const struct gpuprim_filter *f)
{
    return MOST_SUMS * 4 / gp_convolve_sum_bytes(f);
}

// Whether 32 bits hold what kernels calculate, and local memory what they need.
static bool has_room(const gpuprim *gp, const struct convolve_shape *s, struct fold *t)
{
    return gp_folds_step(s, t->item_outputs) &&
           lay_room(s, t) <= gp_min(MOST_ROOM, gp->caps.local_bytes) &&
           groups_of(s, t, MOST_TEAMS) <= INT32_MAX;
}

// Histories of neighbouring rows may lie far apart: the shape does not say. One output of an item,
// one team and taps in global memory need the least room.
static bool fits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    const struct gpuprim_filter *f = s->filter;
    if (gp->caps.is_cpu || f->left == GPUPRIM_HISTORY || f->rows > 1 || s->n == 0 ||
        s->n + 2 > MOST_PLACES || gp_abs(s->stride) > (uint64_t)INT32_MAX / 8 ||
        !gp_folds_is_near(s, most_outputs(f)))
        return false;
    struct fold t = { .teams = 1 };
    gp_folds_divide(s, 1, &t);
    return has_room(gp, s, &t);
}

// The way that takes the least time.
static struct fold choose(const gpuprim *gp, const struct convolve_shape *s)
{
    struct fold best = { .teams = 1 }, t = { .teams = 1 };
    double least = DBL_MAX;
    for (unsigned outputs = 1; outputs <= most_outputs(s->filter); outputs++) {
        gp_folds_divide(s, outputs, &t);
        for (t.teams = MOST_TEAMS; t.teams > 0; t.teams /= 2)
            for (unsigned near = 0; near < 2; near++) {
                t.near_taps = near;
                const double cost = has_room(gp, s, &t) ? cost_of(gp, s, &t) : DBL_MAX;
                if (cost < least) {
                    least = cost;
                    best = t;
                }
            }
    }
    return best;
}

// Long filters with a step over columns of f64, whose windows gpu_tap_chunks fills in vain by
// half. H200, driver 580.159.04, 2026-11-28, 578 taps, step 2, 11 926 columns of 3964: 1811 us,
// by gpu_tap_chunks 2904.
static bool is_long_step(const struct convolve_shape *s)
{
    enum { LONG = 256 };
    return s->step > 1 && s->filter->in == GPUPRIM_F64 && s->filter->taps >= LONG &&
           s->n > s->filter->halo;
}

// H100, driver 580.159.04, 2026-11-27, us by gpu_tap_chunks and by this, and its estimate: f64,
// 461 taps, dilation 16, 1911 columns of 97 82, 22, 15; f32, 2751 taps, dilation 6, 492 columns
// of 389 93, 51, 41; 76 taps, 3515 columns of 48 7.6, 8.3, 6.1. c32, 3524 taps, 6106330 rows of
// 4, which are no columns, 22601 for 5561 by gpu_folds.
static bool suits(const gpuprim *gp, const void *call)
{
    (void)gp;
    const struct convolve_shape *s = call;
    return (s->n <= s->filter->halo || is_long_step(s)) && s->rows > 1 &&
           gp_abs(s->row_stride) <= MOST_APART && gp_abs(s->out_row_stride) <= MOST_APART &&
           gp_abs(s->row_stride) < gp_abs(s->stride) &&
           gp_abs(s->out_row_stride) < gp_abs(s->out_stride);
}

static void specialise(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)variant;
    struct fold t = choose(gp, s);
    key->work_group = WORK_GROUP;
    gp_define(key, "ITEM_OUTPUTS", t.item_outputs);
    gp_define(key, "TEAMS", t.teams);
    gp_define(key, "STEP", gp_folds_step(s, t.item_outputs));
    gp_define(key, "FLAT_ENDS", gp_convolve_has_flat_ends(s));
    gp_define(key, "CONSTANTS", has_constants(s->filter));
    gp_define(key, "NEAR_TAPS", t.near_taps);
    gp_define(key, "NEAR_POSITIONS", 1);
    gp_define(key, "ROOM", lay_room(s, &t) / 16);
}

static void lay_out(const gpuprim *gp, const struct convolve_shape *s,
                    const struct gp_variant *variant, unsigned work_group,
                    struct convolve_layout *l)
{
    (void)variant;
    const struct fold t = choose(gp, s);
    l->groups = groups_of(s, &t, work_group);
    l->own_size = sizeof t.a;
    memcpy(l->own, &t.a, sizeof t.a);
}

static void count(const gpuprim *gp, const struct convolve_shape *s, struct convolve_work *w)
{
    struct fold t = choose(gp, s);
    w->items = 1e9; // cost_of() knows of idle compute units
    w->outputs = (double)s->outputs * (double)s->rows;
    // Of a warp, on one of four schedulers. Calls took 1.5 to 1.8 times as long as their cycles,
    // and by gpu_tap_chunks 1.3 to 1.8 times as long as its estimate: this is between. The call
    // of is_long_step() took 0.6 times as long.
    const double MEASURED = 1.3, OF_LONG_STEP = 0.6;
    w->loads = (is_long_step(s) ? OF_LONG_STEP : MEASURED) * cost_of(gp, s, &t) *
               gp->caps.compute_units * SCHEDULERS * WARP;
}

static bool holds(const struct gp_variant *variant, const void *call,
                  const struct gp_program *program)
{
    (void)variant, (void)call;
    return program->work_group >= MOST_TEAMS;
}

static const struct convolve_ops ops = {
    .count = count,
    .rates = { .start = 4, .output = 25, .load = 1, .passes = 1.25 },
    .specialise = specialise,
    .lay_out = lay_out,
    .why = "columns are shorter than the filter, and their ends have the same inputs",
};

const struct gp_variant gp_convolve_gpu_places = {
    .name = "gpu_places",
    .fits = fits,
    .suits = suits,
    .cost = gp_convolve_cost,
    .holds = holds,
    .sources =
        CONVOLVE_SOURCES("convolve1d/gpu_positions.cl", "convolve1d/gpu_places_inputs.cl",
                         "convolve1d/gpu_folds_sums.cl", "convolve1d/gpu_folds_passes.cl",
                         "convolve1d/gpu_folds_flat.cl", "convolve1d/gpu_folds_task.cl",
                         "convolve1d/gpu_places.cl"),
    .ops = &ops,
};
