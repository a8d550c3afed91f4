/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_tap_chunks: GPUs; any number of taps, rows of any shape, also rows
 * with taps of their own. Its kernel, kernels/convolve1d/gpu_tap_chunks.cl, says what a lane
 * is. This file divides the lanes among groups and local memory. */
#include "gpu_chunks.h"

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
//     f32, 316 taps, long rows, 5 and 7                454           483
//     f64, 190 taps, 7 channels, 3 and 5               864           690
//     f16 (not copied), 621 taps, 57 columns, 5 and 7  6838          6941
//     i32, 265 taps, 64-bit sums, dilation 6, 3 and 5  3687          3445
//     c32, 20 own taps, 45113 columns, 3               260           242
// H200, driver 580.159.04, 2026-11-28, us by 1, 3 and 5 vectors:
//     f64, 4254 taps, step 2, 4 channels       18538  8181  7903
//     f64, 578 taps, step 2, 11926 columns      3085  1505  1506
//     f64, 2537 taps, step 3, 3407 columns     11094  5345  17718
// c32 with a step was not timed, and has one.
// Rows in a small launch of which a group took 42, now few: 17.5, 9.7. Not measured: 5 vectors
// since inputs are copied, or come in whole batches.
// clang-format off
enum {
    WORK_GROUP = 128,
    LARGE_GROUP = 160,
    ROOM_VECS = 15,   // of local memory for an item: 30.25 KiB for a group;
    LARGE_VECS = 23,  // or 46.25 KiB
    ROOM_REST = 16,   // besides, for a group
    MOST_STEPS = 8,   // more are an argument of the kernel (STEP 0)
    TRIP_VECS = 18,   // most vectors of a trip
    SHORT_ROW = 2000, // outputs of a row
    MOST_CHANNELS = 8,
    LOAD = 63, // instructions of a load
    LONE_STORE = 48, // stores, for one whose neighbours in memory come from other items,
    LONE_NARROW_STORE = 4, // and for a narrow one
};
// clang-format on

static unsigned operands_of(const struct gpuprim_filter *f)
{
    return 16 / gp_convolve_operand_bytes(f);
}

static unsigned turns_of(unsigned vectors, unsigned step)
{
    const unsigned turns = TRIP_VECS / ((vectors + 1) * (step ? step : 1));
    return turns ? turns : 1;
}

// What an output takes by vectors of an item, where a unit has several groups.
static const struct {
    unsigned vectors, percent;
} choices[] = { { 7, 97 }, { 5, 100 }, { 3, 104 }, { 1, 180 } };
enum { CHOICES = sizeof choices / sizeof *choices };

static double percent_of(unsigned vectors)
{
    unsigned i = 0;
    while (i < CHOICES - 1 && choices[i].vectors != vectors)
        i++;
    return choices[i].percent;
}

// Outputs of an item, in vectors. Many: each input that is read goes into many sums. Few: fewer
// slots of a short lane are empty, and a small launch has groups for all compute units. A group
// that is alone on its unit takes ALONE longer than its outputs. `most`: as many as there are
// registers for.
static unsigned vectors_of(const gpuprim *gp, const struct convolve_shape *s,
                           struct chunk_plan p, unsigned most)
{
    enum { ALONE = 8 };
    unsigned best = 1;
    uint64_t lowest = UINT64_MAX;
    for (unsigned i = 0; i < CHOICES; i++) {
        const unsigned outputs = choices[i].vectors * p.vec;
        struct chunk_arguments c;
        p.item_outputs = outputs;
        gp_chunk_share_lanes(gp, s, &p, WORK_GROUP, WORK_GROUP, &c);
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

// Items of a group. The outputs of a lane that are a few more than those of 128 items would go to
// two groups, both with half-empty warps; and where many lanes lie side by side, 128 items may be
// few for whole numbers of segments. Where groups are few, smaller ones share the compute units
// more evenly. u16, 1010 taps, stride 2, dilation 11, rows of 27240, whose lanes have 146
// segments, takes six warps for a lane by groups of 128, and five by groups of 160: 7117 us, by
// gpu_tile 19665 (H100, driver 580.159.04, 2026-11-27).
static unsigned group_of(const gpuprim *gp, const struct convolve_shape *s,
                         const struct chunk_plan *p)
{
    enum { MANY_GROUPS = 16 }; // of a compute unit
    static const unsigned sizes[] = { WORK_GROUP, LARGE_GROUP };
    const uint64_t width = gp->caps.width;
    uint64_t groups[2], warps[2];
    for (unsigned i = 0; i < 2; i++) {
        struct chunk_arguments c;
        gp_chunk_share_lanes(gp, s, p, sizes[i], sizes[i], &c);
        groups[i] = gp_ceil_div(p->outputs, (uint64_t)c.segments * p->item_outputs) *
                    gp_ceil_div(p->lanes, c.together);
        warps[i] = groups[i] * gp_ceil_div((uint64_t)c.segments * c.together, width);
    }
    const uint64_t room = gp_min(gp->caps.local_bytes, CONVOLVE_LOCAL_BYTES);
    const bool has_room = (LARGE_GROUP * p->room_vecs + ROOM_REST) * 16 <= room;
    return has_room && LARGE_GROUP % width == 0 && 11 * warps[1] < 10 * warps[0] &&
                   groups[1] >= (uint64_t)MANY_GROUPS * gp->caps.compute_units
               ? LARGE_GROUP
               : WORK_GROUP;
}

// Of local memory for an item. Where windows take most registers, groups are few: they have more
// room each.
static unsigned room_of(const gpuprim *gp, const struct convolve_shape *s)
{
    const bool has_room = gp->caps.local_bytes >= (WORK_GROUP * LARGE_VECS + ROOM_REST) * 16;
    const bool is_large = s->step >= 4 && s->step <= MOST_STEPS && s->filter->taps > 1;
    return is_large && has_room ? LARGE_VECS : ROOM_VECS;
}

// A window takes registers for each residue of a step. So many vectors of each, and one of those
// that follow, must have room. Lanes side by side have more loads to share.
static unsigned most_vectors(const struct chunk_plan *p, const struct convolve_shape *s)
{
    const struct gpuprim_filter *f = s->filter;
    const bool is_beside = s->channels > 1 || p->phases > 1;
    if (p->step == 0)
        return 1;
    const bool has_room = p->step < 6 && 3 * p->step < p->room_vecs;
    if (p->step > 1)
        return has_room && (p->vec == 4 || f->in == GPUPRIM_F64) ? 3 : 1;
    return is_beside && gp_type_size(f->in) == 4 && !gp_convolve_has_long_sums(f) ? 7 : 5;
}

static struct chunk_plan plan_of(const gpuprim *gp, const struct convolve_shape *s)
{
    const struct gpuprim_filter *f = s->filter;
    struct chunk_plan p = { .vec = operands_of(f), .apart = f->dilation };
    p.phases = gp_min(s->phases, s->outputs);
    p.step = s->step <= MOST_STEPS ? (unsigned)s->step : 0;
    if (f->taps == 1) { // outputs need no inputs between theirs
        p.phases = p.step = 1;
        p.apart = f->stride;
    }
    p.outputs = gp_ceil_div(s->outputs, p.phases);
    p.lanes = s->rows * p.phases;
    p.room_vecs = room_of(gp, s);
    p.vectors = vectors_of(gp, s, p, most_vectors(&p, s));
    p.turns = turns_of(p.vectors, p.step);
    p.item_outputs = p.vectors * p.vec;
    p.group = group_of(gp, s, &p);
    return p;
}

static bool fits(const gpuprim *gp, const void *call)
{
    (void)call;
    return !gp->caps.is_cpu; // baseline sums in another order there
}

// Whether the inputs of lanes at ends come in parts. That takes registers: where many inputs of
// the lanes would be found one by one, or groups have few others beside them. Where the step is
// 1, an end that is one value is as fast without.
static bool takes_parts(const gpuprim *gp, const struct convolve_shape *s,
                        const struct chunk_plan *p)
{
    enum { MANY_GROUPS = 8 }; // of a compute unit
    const struct gpuprim_filter *f = s->filter;
    const uint32_t room = p->group * p->room_vecs + ROOM_REST;
    const struct chunk_arguments c = gp_chunk_lay_out(gp, s, p, p->group, room);
    const bool is_dear_left = p->step > 1 || !gp_convolve_is_flat(f->left);
    const bool is_dear_right = p->step > 1 || !gp_convolve_is_flat(f->right);
    const double dear = (is_dear_left ? gp_convolve_beyond(s, true) : 0) +
                        (is_dear_right ? gp_convolve_beyond(s, false) : 0);
    return p->step &&
           (gp_convolve_has_flat_ends(s) || (c.slots <= 2 && 2 * dear >= (double)s->n) ||
            (uint64_t)c.slots * c.blocks < (uint64_t)MANY_GROUPS * gp->caps.compute_units);
}

static void specialise(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)variant;
    const struct chunk_plan p = plan_of(gp, s);
    key->work_group = p.group;
    gp_define(key, "VEC_N", p.vec);
    gp_define(key, "ITEM_VECS", p.vectors);
    gp_define(key, "STEP", p.step);
    gp_define(key, "TRIP_TURNS", p.turns);
    gp_define(key, "FLAT_ENDS", p.step && gp_convolve_has_flat_ends(s));
    gp_define(key, "IN_PARTS", takes_parts(gp, s, &p));
    gp_define(key, "ROOM_VECS", p.room_vecs);
    gp_define(key, "ROOM_REST", ROOM_REST);
}

static void lay_out(const gpuprim *gp, const struct convolve_shape *s,
                    const struct gp_variant *variant, unsigned work_group,
                    struct convolve_layout *l)
{
    (void)variant;
    const struct chunk_plan p = plan_of(gp, s);
    const uint32_t room = work_group * p.room_vecs + ROOM_REST;
    const struct chunk_arguments c = gp_chunk_lay_out(gp, s, &p, work_group, room);
    l->groups = (uint64_t)c.slots * c.blocks;
    l->own_size = sizeof c;
    memcpy(l->own, &c, sizeof c);
}

// Taps that a group whose first output of a lane is number `first` takes by chunks: those of
// FLAT_ENDS meet inputs beyond the left end or the right end alone.
struct parts_of_taps {
    double left, inside, right;
};
static struct parts_of_taps share_taps(const struct convolve_shape *s,
                                       const struct chunk_plan *p,
                                       const struct chunk_arguments *c, uint64_t first)
{
    const struct gpuprim_filter *f = s->filter;
    const double taps = (double)f->taps, apart = (double)p->apart;
    const double step = (double)c->step * apart, n = (double)s->n;
    const double tile = (double)gp_min((uint64_t)c->segments * p->item_outputs, p->outputs);
    const double low = (double)s->origin + (double)first * step;
    const double high = low + (double)(p->phases - 1) * (double)f->stride + (tile - 1) * step;
    double left = 0, right = taps;
    if (gp_convolve_has_flat_ends(s) && gp_convolve_is_flat(f->left) && high < 0)
        left = -high / apart < taps ? -high / apart : taps;
    if (gp_convolve_has_flat_ends(s) && gp_convolve_is_flat(f->right) &&
        (n - low) / apart < taps)
        right = (n - low) / apart > left ? (n - low) / apart : left;
    return (struct parts_of_taps){ left, right - left, taps - right };
}

// Groups load the inputs, and load some again, or what stands beyond the ends: this takes AGAIN
// as long.
static void count(const gpuprim *gp, const struct convolve_shape *s, struct convolve_work *w)
{
    const double AGAIN = 0.4;
    // Instructions of an item for each lane: of one that is inside, and of one that reaches
    // beyond an end, whose parts are found once where all lanes have the same.
    const double INSIDE = 60, PARTS = 400, FIND = 200;
    const struct gpuprim_filter *f = s->filter;
    const struct chunk_plan p = plan_of(gp, s);
    const uint32_t room = p.group * p.room_vecs + ROOM_REST;
    const struct chunk_arguments c = gp_chunk_lay_out(gp, s, &p, p.group, room);
    const double groups = (double)c.slots * c.blocks, taps = (double)f->taps;
    const uint64_t last = p.outputs - gp_min(p.outputs, (uint64_t)c.segments * p.item_outputs);
    const struct parts_of_taps begin = share_taps(s, &p, &c, 0),
                               end = share_taps(s, &p, &c, last);
    const double inside = (begin.inside + end.inside) / 2;
    w->items = groups * p.group;
    w->outputs = w->items * p.item_outputs;
    // Taps on the left make one sum for all outputs of an item.
    w->products = w->outputs / taps * percent_of(p.vectors) / 100 *
                  (inside + (c.skips_right ? 0 : (begin.right + end.right) / 2) +
                   (c.skips_left ? 0 : (begin.left + end.left) / p.item_outputs));
    const double chunks = (double)gp_ceil_div((uint64_t)inside, c.chunk);
    const double lane =
        chunks * (c.segments * p.item_outputs - 1) * (p.step ? p.step : 1) + inside;
    const double loads = groups * c.together * lane;
    const double inputs = (double)s->n * (double)s->rows;
    const bool is_dense = s->stride == 1 && s->lanes == 1;
    const bool is_short = s->batches > 1 && s->outputs < SHORT_ROW;
    // Elements of c32 come in halves.
    w->loads = (is_dense               ? 0
                : f->in == GPUPRIM_C32 ? 2 * inputs
                                       : inputs) +
               (is_short ? 2 * inputs : 0) + (loads > inputs ? AGAIN * (loads - inputs) : 0);
    const double sharers =
        c.across > 1 ? c.along * (double)c.across : c.along * (double)c.together;
    const bool is_cut = c.slots <= 2;
    const double parts = is_cut ? PARTS + (p.phases > 1 ? FIND : 0) : INSIDE;
    w->loads += groups * chunks *
                (sharers * parts + (is_cut && p.phases == 1 ? FIND * p.group : 0)) / LOAD;
    // A group reads a sector of each line of long elements.
    w->is_ragged = s->channels > MOST_CHANNELS && gp_type_size(f->in) == 8;
    // Neighbouring items write far apart.
    const bool is_across = (gp_abs(s->row_stride) < gp_abs(s->stride)) !=
                           (gp_abs(s->out_row_stride) < gp_abs(s->out_stride));
    const double outputs = (double)s->outputs * (double)s->rows;
    const size_t out_size = gp_type_size(f->out);
    if (is_across && s->channels > 1)
        w->stores = outputs * 4 / (double)out_size;
    // With dilation they take much longer. H100, driver 580.159.04, 2026-11-27, us and what was
    // estimated without this: f32, 6 taps, rows to columns 1028, 185; c32, 9 taps, 5 channels to
    // rows 1544, 433; i32 to i64, 250 taps, columns to rows 4348, 1751; f16, 2 taps, 6 channels to
    // rows 938, 769; f32 to i8, 3 taps, 8 channels to rows 686, 476.
    if (is_across && p.phases > 1)
        w->stores += outputs * (out_size >= 4 ? LONE_STORE : LONE_NARROW_STORE);
}

static const struct convolve_ops ops = {
    .count = count,
    .rates = { .start = 2.5,
               .item = 900,
               .output = 38,
               .load = LOAD,
               .store = 20,
               .passes = 1.25,
               .ragged = 1 },
    .specialise = specialise,
    .lay_out = lay_out,
    .why = "it takes any number of taps and rows of any shape",
    .updates_history = true,
};

const struct gp_variant gp_convolve_gpu_tap_chunks = {
    .name = "gpu_tap_chunks",
    .fits = fits,
    .cost = gp_convolve_cost,
    .sources = CONVOLVE_SOURCES("convolve1d/gpu_vectors.cl", "convolve1d/gpu_ring.cl",
                                "convolve1d/gpu_copies.cl", "convolve1d/gpu_chunk_parts.cl",
                                "convolve1d/gpu_chunk_loads.cl", "convolve1d/gpu_chunk_ends.cl",
                                "convolve1d/gpu_chunk_lines.cl", "convolve1d/gpu_chunk_fill.cl",
                                "convolve1d/gpu_chunk_flat.cl", "convolve1d/gpu_chunk_write.cl",
                                "convolve1d/gpu_tap_chunks.cl"),
    .ops = &ops,
};
