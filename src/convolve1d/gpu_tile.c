/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_tile: GPUs; interleaved channels, dilation, output steps, and rows
 * shorter than a group's work. A tile of inputs lies in local memory, and each item computes
 * some outputs of a column of it. Its kernel is kernels/convolve1d/gpu_tile.cl. */
#include "gpu_tile.h"

#include <string.h>

enum {
    MOST_OWN_TAPS = 24, // of 4 bytes, where rows have taps of their own
    LEAST_ROOM = 2048,
};

// OWN_TAPS of the kernel. Many taps are read from memory, where neighbouring items mostly have the
// same row.
static unsigned own_taps(const struct gpuprim_filter *f)
{
    return f->rows == 1                                         ? 0
           : f->taps * f->size <= MOST_OWN_TAPS * sizeof(float) ? 1
                                                                : OWN_IN_MEMORY;
}

static bool fits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    const struct gpuprim_filter *f = s->filter;
    struct tile t;
    const bool has_taps = own_taps(f) == 0
                              ? gp_convolve_takes_taps(gp, f, sizeof(struct tile_arguments))
                              : own_taps(f) == 1 || s->channels == 1;
    return !gp->caps.is_cpu && has_taps && gp_tile_choose(gp, s, &t);
}

// Taps in memory are read by as many items at once as share a row. Rows that fewer items share were
// not measured.
static bool suits(const gpuprim *gp, const void *call)
{
    enum { LEAST_ITEMS = 32 }; // that share a row
    const struct convolve_shape *s = call;
    struct tile t;
    if (own_taps(s->filter) != OWN_IN_MEMORY)
        return true;
    gp_tile_choose(gp, s, &t);
    return t.a.items >= LEAST_ITEMS;
}

// Rounded up by less than an eighth, so that there are few programs. Of groups with LEAST_ROOM
// bytes a compute unit holds as many as of groups without local memory.
static uint32_t round_room(const gpuprim *gp, unsigned bytes)
{
    enum { UNITS = 16 };
    unsigned unit = LEAST_ROOM / UNITS;
    if (bytes < LEAST_ROOM)
        bytes = LEAST_ROOM;
    while (bytes > UNITS * unit)
        unit *= 2;
    return (uint32_t)gp_min(gp_ceil_div(bytes, unit) * unit, gp_tile_local_limit(gp)) / 16;
}

// Of `a` modulo m, which have no common divisor.
static uint32_t inverse(uint64_t a, uint64_t m)
{
    uint32_t i = 0;
    while (a * i % m != 1 % m)
        i++;
    return i;
}

static void specialise(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)variant;
    struct tile t;
    gp_tile_choose(gp, s, &t);
    gp_tile_complete(s, gp_tile_group(s), &t);
    const unsigned lanes = t.a.lanes, size = gp_convolve_operand_bytes(s->filter);
    const bool is_square = lanes == t.a.out_lanes; // the same lanes in and out
    key->work_group = gp_tile_group(s);
    gp_define(key, "VEC_N", 16 / size);
    gp_define(key, "TAPS", (uint32_t)s->filter->taps);
    gp_define(key, "ITEM_OUTPUTS", t.item_outputs);
    gp_define(key, "STEP", t.step);
    gp_define(key, "LANES", is_square ? lanes : 0);
    gp_define(key, "PADDED", t.order == TILE_PADDED);
    gp_define(key, "GAPS", gp_tile_has_gaps(s));
    gp_define(key, "SORTED", t.order == TILE_SORTED ? (uint32_t)t.phases : 0);
    gp_define(key, "INVERSE", t.order == TILE_SORTED ? inverse(s->step, t.phases) : 0);
    gp_define(key, "ROWS", t.has_rows);
    gp_define(key, "ITEM_ROWS", t.item_rows);
    gp_define(key, "ROW_LOADS", gp_tile_row_loads(s, gp_tile_group(s), &t));
    gp_define(key, "MANY_ENDS", gp_tile_has_many_ends(s, gp_tile_group(s), &t));
    gp_define(key, "FILLER", gp_tile_has_gaps(s) ? 0 : gp_tile_filler(s, gp_tile_group(s), &t));
    gp_define(key, "BY_VECTORS", t.by_vectors);
    gp_define(key, "REVERSED", t.by_vectors && s->stride < 0);
    gp_define(key, "LINE_VECTORS", t.has_line_vectors);
    gp_define(key, "OWN_TAPS", own_taps(s->filter));
    gp_define(key, "TURNED", gp_tile_is_turned(s, &t));
    gp_define(key, "MIRRORED", gp_tile_is_mirrored(s, &t));
    gp_define(key, "LOOP", gp_tile_has_loop(s, &t));
    gp_define(key, "LINES", t.has_lines ? (uint32_t)t.phases : 0);
    gp_define(key, "ROOM", round_room(gp, t.room));
    gp_define(key, "FETCH", !t.a.out_is_flat && gp_convolve_fetches(s));
}

// The program's groups may be smaller than those it was asked for.
static void lay_out(const gpuprim *gp, const struct convolve_shape *s,
                    const struct gp_variant *variant, unsigned work_group,
                    struct convolve_layout *l)
{
    (void)variant;
    struct tile t;
    gp_tile_choose(gp, s, &t);
    if (work_group != gp_tile_group(s)) {
        const bool has_rows = t.has_rows, by_vectors = t.by_vectors, has_lines = t.has_lines,
                   has_line_vectors = t.has_line_vectors;
        gp_tile_lay_out_as(t.order, s, work_group, t.item_outputs, t.item_rows, t.room, &t);
        t.has_rows = has_rows;
        t.by_vectors = by_vectors;
        t.has_lines = has_lines;
        t.has_line_vectors = has_line_vectors;
    }
    gp_tile_complete(s, work_group, &t);
    l->groups = t.groups;
    l->own_size = sizeof t.a;
    memcpy(l->own, &t.a, sizeof t.a);
}

// A line of outputs has no more columns than a group has items, and where groups were to take
// several rows, they take at least one.
static bool holds(const struct gp_variant *variant, const void *call,
                  const struct gp_program *program)
{
    (void)variant;
    const struct convolve_shape *s = call;
    struct tile t;
    if (program->work_group == gp_tile_group(s))
        return true;
    gp_tile_choose(s->filter->gp, s, &t);
    const bool has_rows = t.has_rows;
    return gp_tile_lay_out_as(t.order, s, program->work_group, t.item_outputs, t.item_rows,
                              t.room, &t) &&
           (!has_rows || t.a.parts == 1);
}

static uint64_t own_rows(const gpuprim *gp, const struct convolve_shape *s)
{
    struct tile t;
    return gp_tile_choose(gp, s, &t) && t.has_rows ? t.a.rows : 0;
}

static const struct convolve_ops ops = {
    .count = gp_tile_count,
    .rates = { .start = 0.65, .item = 300, .load = 82, .store = TILE_STORE, .passes = 1.01 },
    .specialise = specialise,
    .lay_out = lay_out,
    .by_value = true,
    .why = "a tile of local memory takes short rows, interleaved rows, dilation and steps",
    .updates_history = true,
    .own_rows = own_rows,
};

const struct gp_variant gp_convolve_gpu_tile = {
    .name = "gpu_tile",
    .fits = fits,
    .suits = suits,
    .cost = gp_convolve_cost,
    .holds = holds,
    .sources =
        CONVOLVE_SOURCES("convolve1d/gpu_vectors.cl", "convolve1d/gpu_tile_fill.cl",
                         "convolve1d/gpu_tile_lines.cl", "convolve1d/gpu_tile_elements.cl",
                         "convolve1d/gpu_tile_apart.cl", "convolve1d/gpu_tile_rows.cl",
                         "convolve1d/gpu_tile_repeats.cl", "convolve1d/gpu_tile_ends.cl",
                         "convolve1d/gpu_fetch.cl", "convolve1d/gpu_tile_write.cl",
                         "convolve1d/gpu_tile_sums.cl", "convolve1d/gpu_tile.cl"),
    .ops = &ops,
};
