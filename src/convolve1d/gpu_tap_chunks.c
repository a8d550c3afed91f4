/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_tap_chunks: GPUs; any number of taps, rows of any shape, also rows
 * with taps of their own. Its kernel, kernels/convolve1d/gpu_tap_chunks.cl, says what a lane
 * is. This file divides the lanes among groups and local memory. */
#include "gpu_sizes.h"

#include <string.h>

// H200, driver 580.159, 2026-11-22, 2^26 f32, share of the FMA rate by vectors that an item
// computes (WORK_GROUP 128, 18 vectors in a trip):
//                               5 vectors  3      1
//     a row, 257 taps           0.710      0.703
//     columns of 4096, 257      0.548      0.534
//     rows of 1000, 257         0.359      0.396
// 1025 taps on a row 0.83. More room without steps, or sectors of 64 bytes, change nothing or
// are slower. Trips of 6 vectors: 0.80 of the FMA rate with 1025 taps. Calls of the maps with
// seeds 9101 and 9102, 2026-11-23, us by vectors (f32 and f16 with 1, and with step 2 and 5, had
// their taps by value, which takes up to 7 % longer with 3):
//     f16, 246 taps, step 2, rows            1199       1151   1517
//     f32, 299 taps, step 3, 84 columns      2665       435    521
//     f32, 595 taps, step 5, one row                    577    714
//     f32, 282 taps, step 6, 32555 columns              695    607
//     u16, 3584 taps, step 6, 780 columns               14316  11494
//     f64, 1672 taps, step 7, 6 channels                1477   1654
//     c32, 437 real taps, 6 channels         1176       1296
// Since inputs are copied (kernels/convolve1d/gpu_chunk_loads.cl), seeds 9301 and 9303, us:
//     f32, 190 taps, 1964 columns, 5 and 7 vectors     766 before    691
//     f64, 190 taps, 7 channels, 3 and 5               864           690
//     f16 (not copied), 621 taps, 57 columns, 5 and 7  6838          6941
//     i32, 265 taps, 64-bit sums, dilation 6, 3 and 5  3687          3445
//     c32, 20 own taps, 45113 columns, 3               260           242
// Rows in a small launch of which a group took 42, now few: 17.5, 9.7.
// clang-format off
enum {
    WORK_GROUP = 128,
    ROOM_VECS = 15,   // of local memory for an item: 30.25 KiB for a group;
    STEPS_VECS = 23,  // or 46.25 KiB
    ROOM_REST = 16,   // besides, for a group
    MOST_STEPS = 8,   // more are an argument of the kernel (STEP 0)
    TRIP_VECS = 18,   // most vectors of a trip
    SECTOR = 32,      // bytes of memory that are read together
    SHORT_ROW = 2000, // outputs of a row
};
// clang-format on

static unsigned operands_of(const struct gpuprim_filter *f)
{
    return 16 / gp_convolve_operand_bytes(f);
}

// What the macros say of a kernel, and what follows from the shape.
struct plan {
    unsigned vec, step, vectors, turns, item_outputs, room_vecs;
    uint64_t phases, outputs, lanes; // outputs: of a lane
};

static unsigned turns_of(unsigned vectors, unsigned step)
{
    const unsigned turns = TRIP_VECS / ((vectors + 1) * (step ? step : 1));
    return turns ? turns : 1;
}

// Shares n among groups of at most `most`, as evenly as can be.
static uint64_t even_share(uint64_t n, uint64_t most)
{
    return gp_ceil_div(n, gp_ceil_div(n, most));
}

// How many lanes a group takes, at most `most`, and how many items each of them. In a small launch
// a group has fewer lanes, so that each compute unit has a group; its items without outputs load
// inputs all the same.
static void share_lanes(const gpuprim *gp, const struct convolve_shape *s, const struct plan *p,
                        unsigned work_group, uint64_t most, struct chunk_arguments *c)
{
    // Lanes that lie beside each other: as many of them as fill a sector.
    const uint64_t beside = s->channels * (s->filter->stride == 1 ? p->phases : 1);
    const uint64_t lanes =
        gp_min(even_share(beside, SECTOR / gp_type_size(s->filter->in)), most);
    c->segments =
        (uint32_t)even_share(gp_ceil_div(p->outputs, p->item_outputs), work_group / lanes);
    const uint64_t slots = gp_ceil_div(p->outputs, (uint64_t)c->segments * p->item_outputs);
    most = gp_min(most, gp_ceil_div(p->lanes * slots, gp->caps.compute_units));
    c->together = (uint32_t)gp_min(gp_min(p->lanes, most), work_group / c->segments);
    c->along_lanes = beside > 1;
    c->across = c->along_lanes ? c->together : 1;
    c->along = c->along_lanes || c->together == 1 ? work_group / c->across
                                                  : (uint32_t)gp_min(work_group, 32);
    c->lane_step = work_group / (c->across * c->along) * c->across;
}

// Outputs of an item, in vectors. Many: each input that is read goes into many sums. Few: fewer
// slots of a short lane are empty, and a small launch has groups for all compute units.
// `percent`: what an output takes, where a unit has several groups. A group that is alone on
// its unit takes ALONE longer than its outputs. `most`: as many as there are registers for.
static unsigned vectors_of(const gpuprim *gp, const struct convolve_shape *s, struct plan p,
                           unsigned most)
{
    enum { ALONE = 8 };
    static const struct {
        unsigned vectors, percent;
    } choices[] = { { 7, 97 }, { 5, 100 }, { 3, 104 }, { 1, 180 } };
    unsigned best = 1;
    uint64_t lowest = UINT64_MAX;
    for (unsigned i = 0; i < sizeof choices / sizeof *choices; i++) {
        const unsigned outputs = choices[i].vectors * p.vec;
        struct chunk_arguments c;
        p.item_outputs = outputs;
        share_lanes(gp, s, &p, WORK_GROUP, WORK_GROUP, &c);
        const uint64_t slots = gp_ceil_div(p.outputs, (uint64_t)c.segments * outputs);
        const uint64_t groups = slots * gp_ceil_div(p.lanes, c.together);
        const uint64_t shared =
            gp_ceil_div(groups, gp->caps.compute_units) * outputs * choices[i].percent;
        const uint64_t alone = 100 * (outputs + ALONE);
        const uint64_t cost = shared > alone ? shared : alone;
        if (choices[i].vectors <= most && cost < lowest) {
            lowest = cost;
            best = choices[i].vectors;
        }
    }
    return best;
}

// Of local memory for an item. Where windows take most registers, groups are few: they have more
// room each.
static unsigned room_of(const gpuprim *gp, unsigned step)
{
    const bool has_room = gp->caps.local_bytes >= (WORK_GROUP * STEPS_VECS + ROOM_REST) * 16;
    return step >= 4 && has_room ? STEPS_VECS : ROOM_VECS;
}

// A window takes registers for each residue of a step. So many vectors of each, and one of those
// that follow, must have room.
static unsigned most_vectors(const gpuprim *gp, const struct plan *p,
                             const struct gpuprim_filter *f)
{
    if (p->step == 0)
        return 1;
    if (p->step > 1)
        return (p->step < 6 || p->vec == 2) && 3 * p->step < room_of(gp, p->step) ? 3 : 1;
    return f->size == 4 && !gp_convolve_has_long_sums(f) ? 7 : 5;
}

static struct plan plan_of(const gpuprim *gp, const struct convolve_shape *s)
{
    const struct gpuprim_filter *f = s->filter;
    struct plan p = { .vec = operands_of(f) };
    p.phases = s->phases < s->outputs ? s->phases : s->outputs;
    p.outputs = gp_ceil_div(s->outputs, p.phases);
    p.lanes = s->rows * p.phases;
    p.step = s->step <= MOST_STEPS ? (unsigned)s->step : 0;
    p.vectors = vectors_of(gp, s, p, most_vectors(gp, &p, f));
    p.turns = turns_of(p.vectors, p.step);
    p.item_outputs = p.vectors * p.vec;
    p.room_vecs = room_of(gp, p.step);
    return p;
}

static bool fits(const gpuprim *gp, const void *call)
{
    (void)call;
    return !gp->caps.is_cpu; // baseline sums in another order there
}

static void specialise(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)variant;
    const struct plan p = plan_of(gp, s);
    key->work_group = WORK_GROUP;
    gp_define(key, "VEC_N", p.vec);
    gp_define(key, "ITEM_VECS", p.vectors);
    gp_define(key, "STEP", p.step);
    gp_define(key, "TRIP_TURNS", p.turns);
    gp_define(key, "ROOM_VECS", p.room_vecs);
    gp_define(key, "ROOM_REST", ROOM_REST);
}

// Vectors from one lane to the next, of at least `least_pitch`: such that neighbouring items'
// vectors lie in different banks.
static uint32_t pitch_of(uint32_t least_pitch, uint32_t segments, uint32_t vectors)
{
    if (segments % 8 == 0)
        return least_pitch | 1;
    return least_pitch + ((segments * vectors - least_pitch) & 7);
}

// As many taps as there is room for. Returns false if there is none for a vector of them.
static bool share_room(const struct convolve_shape *s, const struct plan *p, uint32_t room,
                       struct chunk_arguments *c)
{
    const struct gpuprim_filter *f = s->filter;
    const uint32_t unit = p->vec * p->step; // taps
    const uint32_t trip = p->turns * (p->vectors + 1);
    const uint64_t all = gp_ceil_div(f->taps, unit);
    const bool own = f->rows > 1;
    uint32_t vecs = (uint32_t)gp_min(all, room);
    for (;;) {
        c->pitch = c->segments * p->vectors + vecs;
        c->lane_pitch = c->together == 1
                            ? c->pitch * p->step
                            : pitch_of(c->pitch * p->step, c->segments, p->vectors);
        c->taps_at = c->together * c->lane_pitch;
        c->chunk = vecs * unit;
        // Each lane's taps begin in other banks.
        const uint32_t tap_vecs = (uint32_t)gp_ceil_div((uint64_t)c->chunk * f->size, 16) | own;
        const uint32_t taps = tap_vecs * (own ? c->together : 1);
        c->tap_pitch = own ? tap_vecs * 16 / (uint32_t)f->size : 0;
        if (c->taps_at + taps <= room)
            break;
        if (vecs == 1)
            return false;
        // Close to what there is room for: each vector of taps takes one of each lane's inputs.
        const uint32_t excess = c->taps_at + taps - room;
        const uint32_t lessen = excess / (p->step * c->together * 2) + 1;
        vecs = vecs > lessen + 1 ? vecs - lessen : vecs - 1;
    }
    if (vecs < all && vecs > trip) {
        vecs -= vecs % trip;
        c->chunk = vecs * unit;
    }
    return true;
}

// The same where the step is an argument: a row of inputs has `columns`, at most a step; an
// item has as many rows as outputs. The taps of a chunk meet `more` rows. False: less room than
// an item needs.
static bool share_rows(const struct convolve_shape *s, const struct plan *p, uint32_t room,
                       struct chunk_arguments *c)
{
    const struct gpuprim_filter *f = s->filter;
    // The lanes' inputs begin at vectors.
    const uint32_t operands = (room - c->together) * p->vec, rows = p->item_outputs;
    const uint32_t tap_sets = f->rows > 1 ? c->together : 1;
    c->columns = (uint32_t)gp_min(gp_min(s->step, f->taps),
                                  operands / (c->together * (rows + 1) + 2 * tap_sets));
    if (c->columns == 0)
        return false;
    c->pitch = (rows * c->columns) | 1; // neighbouring items read different banks
    const uint32_t spare = operands - 2 * tap_sets * c->columns;
    // Of the room, at most half is for inputs behind those of the items, and for taps; a tap
    // takes as much as an operand, or less.
    const uint32_t block = c->together * c->pitch, next = block + rows * c->columns * tap_sets;
    uint32_t more = 1;
    if (c->columns == s->step)
        more = (uint32_t)gp_min(gp_ceil_div(f->taps, s->step), 1 + spare / 2 / next * rows);
    const uint32_t blocks = (uint32_t)gp_ceil_div(more - 1, rows);
    c->segments = (uint32_t)gp_min(c->segments, (spare - blocks * next) / block);
    c->chunk = more * c->columns;
    c->lane_pitch = (uint32_t)gp_ceil_div((uint64_t)(c->segments + blocks) * c->pitch, p->vec);
    c->taps_at = c->together * c->lane_pitch;
    c->tap_pitch = f->rows > 1 ? c->chunk : 0;
    c->reciprocal = c->columns > 1 ? (uint32_t)gp_ceil_div((uint64_t)1 << 32, c->columns) : 0;
    return true;
}

// Inputs beyond an end that reflects or wraps.
static void set_period(enum gpuprim_boundary side, int64_t n, cl_long *period, cl_long *last)
{
    const bool wraps = side == GPUPRIM_WRAP;
    *last = wraps ? INT64_MAX : side == GPUPRIM_REFLECT_HALF ? 2 * n - 1 : 2 * n - 2;
    *period = wraps ? n : side == GPUPRIM_REFLECT_HALF ? 2 * n : n > 1 ? 2 * n - 2 : 1;
}

static void lay_out(const gpuprim *gp, const struct convolve_shape *s,
                    const struct gp_variant *variant, unsigned work_group,
                    struct convolve_layout *l)
{
    (void)variant;
    const struct plan p = plan_of(gp, s);
    const uint32_t room = work_group * p.room_vecs + ROOM_REST;
    struct chunk_arguments c = { .lanes = p.lanes,
                                 .outputs = p.outputs,
                                 .phases = (uint32_t)p.phases,
                                 .is_interleaved = s->channels > 1,
                                 .step = (uint32_t)s->step };
    set_period(s->filter->left, (int64_t)s->n, &c.left_period, &c.left_last);
    set_period(s->filter->right, (int64_t)s->n, &c.right_period, &c.right_last);
    uint64_t most_lanes = work_group;
    do {
        share_lanes(gp, s, &p, work_group, most_lanes, &c);
        most_lanes = c.together / 2;
    } while (!(p.step ? share_room(s, &p, room, &c) : share_rows(s, &p, room, &c)));
    c.by_segments = 65536 / c.segments + 1;
    c.by_team = 65536 / (c.across * c.along) + 1;
    c.by_across = 65536 / c.across + 1;
    const uint32_t tile = c.segments * p.item_outputs;
    c.out_pitch = c.together > 1 ? pitch_of(c.segments * p.vectors, c.segments, p.vectors)
                                 : c.segments * p.vectors;
    c.is_contiguous =
        c.together == 1 && p.phases == 1 && s->out_stride == 1 && p.outputs > tile;
    c.is_dense = s->stride == 1 && s->filter->dilation == 1;
    // The first vector of outputs may lack all but one.
    c.slots = (uint32_t)gp_ceil_div(p.outputs + (c.is_contiguous ? p.vec - 1 : 0), tile);
    c.blocks = (uint32_t)gp_ceil_div(p.lanes, c.together);
    l->groups = (uint64_t)c.slots * c.blocks;
    l->own_size = sizeof c;
    memcpy(l->own, &c, sizeof c);
}

static void count(const gpuprim *gp, const struct convolve_shape *s, struct convolve_work *w)
{
    const struct plan p = plan_of(gp, s);
    struct convolve_layout l = { .groups = 0 };
    lay_out(gp, s, NULL, WORK_GROUP, &l);
    w->items = (double)l.groups * WORK_GROUP;
    const double rows = (double)s->rows, inputs = (double)s->n * rows;
    const bool is_dense = s->stride == 1 && s->lanes == 1;
    const bool is_short = s->batches > 1 && s->outputs < SHORT_ROW;
    w->outputs = w->products = w->items * p.item_outputs;
    w->loads = (is_dense ? 0 : inputs) + (is_short ? 2 * inputs : 0) +
               6 * (double)s->filter->halo * rows;
}

static const struct convolve_ops ops = {
    .count = count,
    .rates = { .start = 1.1, .item = 940, .output = 25, .load = 50, .passes = 1.57 },
    .specialise = specialise,
    .lay_out = lay_out,
    .why = "it takes any number of taps and rows of any shape",
};

const struct gp_variant gp_convolve_gpu_tap_chunks = {
    .name = "gpu_tap_chunks",
    .fits = fits,
    .cost = gp_convolve_cost,
    .sources = CONVOLVE_SOURCES("convolve1d/gpu_vectors.cl", "convolve1d/gpu_ring.cl",
                                "convolve1d/gpu_chunk_loads.cl", "convolve1d/gpu_chunk_fill.cl",
                                "convolve1d/gpu_tap_chunks.cl"),
    .ops = &ops,
};
