/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_folds: GPUs; many rows that are shorter than the filter's reach. Its
 * kernel, kernels/convolve1d/gpu_folds.cl, says how a group takes them; gpu_folds_layout.c divides
 * them. */
#include "gpu_folds.h"

#include <string.h>

enum { SHORT_ROW = 16 }; // inputs of a row

static bool fits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    struct fold t;
    return !gp->caps.is_cpu && s->filter->rows == 1 && gp_folds_choose(gp, s, &t);
}

// H200, 2026-11-22: share of the bound, beside gpu_tile or, with 300 taps, gpu_tap_chunks as
// they were then. f32, rows of together 160 to 240 MB. Ends are reflected where nothing else is
// said.
//
//     n    taps  dilation         folds  other
//     3    9     1, edge          0.278  0.115
//     3    139   1                0.304  0.004
//     13   23    21               0.227  0.007
//     13   33    1, wrap          0.237  0.181
//     30   33    1, zero          0.248  0.526
//     30   139   1                0.304  0.105
//     30   300   1                0.385  0.070
//     100  139   1                0.245  0.327
//
// Not measured: histories. Long filters: docs/measurements/convolve1d.md.
static bool suits(const gpuprim *gp, const void *call)
{
    (void)gp;
    const struct convolve_shape *s = call;
    return s->n <= s->filter->halo || s->n <= SHORT_ROW;
}

static void specialise(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)variant;
    struct fold t;
    gp_folds_choose(gp, s, &t);
    key->work_group = FOLDS_GROUP;
    gp_define(key, "ITEM_OUTPUTS", t.item_outputs);
    gp_define(key, "ITEM_ROWS", t.item_rows);
    gp_define(key, "TEAMS", t.teams);
    gp_define(key, "STEP", t.folded ? 0 : gp_folds_step(s, t.item_outputs));
    gp_define(key, "FOLDED", t.folded);
    gp_define(key, "FLAT_ENDS", !t.folded && gp_convolve_has_flat_ends(s));
    gp_define(key, "NEAR_TAPS", t.near_taps);
    gp_define(key, "TEAM_TABLES", t.team_tables);
    gp_define(key, "NEAR_POSITIONS", gp_folds_is_near(s, t.item_outputs));
    gp_define(key, "ROOM", t.room / 16);
}

// The program's groups may be smaller than those it was asked for: fewer rows then.
static void lay_out(const gpuprim *gp, const struct convolve_shape *s,
                    const struct gp_variant *variant, unsigned work_group,
                    struct convolve_layout *l)
{
    (void)variant;
    struct fold t;
    gp_folds_choose(gp, s, &t);
    gp_folds_lay_room(s, work_group, &t);
    l->groups = gp_ceil_div(s->rows, FOLD_ROWS(work_group, t.teams, t.item_rows));
    l->own_size = sizeof t.a;
    memcpy(l->own, &t.a, sizeof t.a);
}

static void count(const gpuprim *gp, const struct convolve_shape *s, struct convolve_work *w)
{
    struct fold t;
    gp_folds_choose(gp, s, &t);
    const double rows = (double)s->rows;
    w->items = (double)gp_ceil_div(s->rows, FOLD_ROWS(FOLDS_GROUP, t.teams, t.item_rows)) *
               FOLDS_GROUP;
    w->outputs = w->products = rows * (double)s->outputs;
    const unsigned length = t.folded ? t.a.places : t.a.length - t.left - t.right;
    w->loads = rows * t.a.tasks * length * gp_convolve_operand_bytes(s->filter) / 4;
    const double taps = (double)s->filter->taps;
    const double left = (double)t.left / taps, right = (double)t.right / taps;
    if (!t.folded)
        w->products *= 1 - left - right +
                       (t.a.flat_left == FLAT_ZEROS ? 0 : left / t.item_outputs) +
                       (t.a.flat_right == FLAT_ZEROS ? 0 : right);
    if (t.folded) {
        w->products *= t.a.places / taps;
        w->loads += (double)t.a.tasks * t.item_outputs * taps * w->items / FOLDS_GROUP * 2;
    }
    if (t.team_tables)
        w->loads += (double)t.a.tasks * t.a.length * w->items / FOLDS_GROUP * 20;
    w->stores = s->filter->left == GPUPRIM_HISTORY ? rows * (double)s->filter->halo : 0;
}

static bool holds(const struct gp_variant *variant, const void *call,
                  const struct gp_program *program)
{
    (void)variant, (void)call;
    return program->work_group >= FOLDS_MOST_TEAMS;
}

static const struct convolve_ops ops = {
    .count = count,
    .rates = { .start = 6,
               .item = 620,
               .output = 105,
               .load = 5.4,
               .store = 92,
               .passes = 1.7 },
    .specialise = specialise,
    .lay_out = lay_out,
    .why = "many rows are shorter than the filter, and their ends have the same inputs",
    .updates_history = true,
};

const struct gp_variant gp_convolve_gpu_folds = {
    .name = "gpu_folds",
    .fits = fits,
    .suits = suits,
    .cost = gp_convolve_cost,
    .holds = holds,
    .sources =
        CONVOLVE_SOURCES("convolve1d/gpu_positions.cl", "convolve1d/gpu_folds_fill.cl",
                         "convolve1d/gpu_folds_sums.cl", "convolve1d/gpu_folds_passes.cl",
                         "convolve1d/gpu_folds_flat.cl", "convolve1d/gpu_folds_task.cl",
                         "convolve1d/gpu_folds_taps.cl", "convolve1d/gpu_folds.cl"),
    .ops = &ops,
};
