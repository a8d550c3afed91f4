/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_tap_chunks: GPUs; any number of taps, rows of any shape, also rows
 * with taps of their own. Its kernel, kernels/convolve1d/gpu_tap_chunks.cl, says what a lane
 * is. gpu_chunk_tuning.c says what an item computes, gpu_chunk_layout.c how lanes and local memory are
 * divided among groups. */
#include "gpu_chunks.h"
#include "gpu_lanes.h"

#include <string.h>

enum {
    SHORT_ROW = 2000, // outputs of a row
    MOST_CHANNELS = 8,
    PIECES = 4,            // passes more of short lines with gaps
    LOAD = 63,             // instructions of a load
    LONE_STORE = 48,       // stores, for one whose neighbours in memory come from other items,
    LONE_NARROW_STORE = 4, // and for a narrow one
};

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
    const uint32_t room = p->group * p->room_vecs + CHUNK_ROOM_REST;
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
    const struct chunk_plan p = gp_chunk_plan(gp, s);
    key->work_group = p.group;
    gp_define(key, "VEC_N", p.vec);
    gp_define(key, "ITEM_VECS", p.vectors);
    gp_define(key, "STEP", p.step);
    gp_define(key, "TRIP_TURNS", p.turns);
    gp_define(key, "FLAT_ENDS", p.step && gp_convolve_has_flat_ends(s));
    gp_define(key, "IN_PARTS", takes_parts(gp, s, &p));
    gp_define(key, "ROOM_VECS", p.room_vecs);
    gp_define(key, "ROOM_REST", CHUNK_ROOM_REST);
}

static void lay_out(const gpuprim *gp, const struct convolve_shape *s,
                    const struct gp_variant *variant, unsigned work_group,
                    struct convolve_layout *l)
{
    (void)variant;
    const struct chunk_plan p = gp_chunk_plan(gp, s);
    const uint32_t room = work_group * p.room_vecs + CHUNK_ROOM_REST;
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

// Loads of inputs, of which groups make `all`: they load some again, or what stands beyond the
// ends. Between the inputs of lanes lie those that no output meets. Items that take neighbouring
// lanes load a step at a time; where lines of these are short, what a warp loads lies in few
// sectors. Of a lane alone a warp takes a turn for each line of the cache that it meets: up to
// twice as long, where each load has a line of its own. H200, driver 580.159.04, 2026-11-30, us
// and the estimate of one load for each input: f16 to u8, 85 taps, stride 7, dilation 7, one row
// 719, 2189, by gpu_tile 2022; u16 to i8, 78 taps, stride 2, 4 channels 2768, 4250, by gpu_tile
// 3393; u8, 108 taps, stride 8, 2 channels 2216, 3962, by gpu_tile 1823; i8, 201 own taps, stride
// 2, 35 columns 7906, 10652; i16, 18 taps, stride 6, dilation 27, rows to columns 4190, 3115. But
// f32 to i8, 171 taps, stride 8, dilation 3, 27 531 columns 289, 287. Us, the estimates of twice
// as long from a sector on and as it is, and us by gpu_tile: f16, 281 taps, stride 5, every
// fifth, loads 50 bytes apart 707, 1130, 883, 803; f32, 157 taps, stride 3, every third, 36 bytes
// apart 563, 796, 639, 638. Lines between these were not measured.
static double loads_of(const struct convolve_shape *s, const struct chunk_plan *p,
                       const struct chunk_arguments *c, double all)
{
    enum { SECTOR = 32, SHORT_LINE = 64, CACHE_LINE = 128 }; // bytes
    const double AGAIN = 0.4, BESIDE = 0.15;                 // loads
    const struct gpuprim_filter *f = s->filter;
    const size_t size = gp_type_size(f->in);
    const double inputs = (double)s->n * (double)s->rows * gp_convolve_met(s);
    const bool are_beside =
        c->across > 1 && p->step > 1 && gp_abs(s->stride) * size <= SHORT_LINE;
    // Bytes between what neighbouring items load.
    const double apart =
        (double)c->step * (double)p->apart * (double)gp_abs(s->stride) * (double)size;
    const double lines = (apart - SECTOR) / (CACHE_LINE - SECTOR);
    const double more = c->across > 1 || lines < 0 ? 0 : lines < 1 ? lines : 1;
    const double one = are_beside ? BESIDE : 1 + more;
    const bool is_dense = s->stride == 1 && s->lanes == 1;
    const bool is_short = s->batches > 1 && s->outputs < SHORT_ROW;
    // Elements of c32 come in halves.
    return (is_dense ? 0 : one * (f->in == GPUPRIM_C32 ? 2 * inputs : inputs)) +
           (is_short ? 2 * inputs : 0) +
           (all > inputs ? (are_beside ? BESIDE : AGAIN) * (all - inputs) : 0);
}

static void count(const gpuprim *gp, const struct convolve_shape *s, struct convolve_work *w)
{
    // Instructions of an item for each lane: of one that is inside, and of one that reaches
    // beyond an end, whose parts are found once where all lanes have the same.
    const double INSIDE = 60, PARTS = 400, FIND = 200, OF_ROWS = 1.12;
    const struct gpuprim_filter *f = s->filter;
    const struct chunk_plan p = gp_chunk_plan(gp, s);
    const uint32_t room = p.group * p.room_vecs + CHUNK_ROOM_REST;
    const struct chunk_arguments c = gp_chunk_lay_out(gp, s, &p, p.group, room);
    const double groups = (double)c.slots * c.blocks, taps = (double)f->taps;
    const uint64_t last = p.outputs - gp_min(p.outputs, (uint64_t)c.segments * p.item_outputs);
    const struct parts_of_taps begin = share_taps(s, &p, &c, 0),
                               end = share_taps(s, &p, &c, last);
    const double inside = (begin.inside + end.inside) / 2;
    w->items = groups * p.group;
    w->outputs = w->items * p.item_outputs;
    // OF_ROWS lets gpu_tile have these five calls on contiguous rows. H200, driver 580.159.04,
    // 2026-12-01, us and the estimate without OF_ROWS, and both by gpu_tile: f16, 296 taps, step 4
    // 4844 4399, 3493 4336; f32, 180 taps, step 3 1206 1328, 1150 1312; f32, 965 taps 3533 3488, 3159
    // 3566; f16, 698 taps 4298 4074, 3652 4089; u8, 127 taps, step 5 2921 2414, 2462 2454. Columns
    // stay: by gpu_roll f32, 66 taps 1860 2717, 1665 1719; 110 taps 2977 3087, 1899 2253.
    const bool is_row = s->packed && s->channels == 1;
    // Taps on the left make one sum for all outputs of an item.
    w->products = (is_row ? OF_ROWS : 1) * w->outputs / taps * gp_chunk_percent(p.vectors) /
                  100 *
                  (inside + (c.skips_right ? 0 : (begin.right + end.right) / 2) +
                   (c.skips_left ? 0 : (begin.left + end.left) / p.item_outputs));
    const double chunks = (double)gp_ceil_div((uint64_t)inside, c.chunk);
    const double lane =
        chunks * (c.segments * p.item_outputs - 1) * (p.step ? p.step : 1) + inside;
    w->met = gp_convolve_met(s);
    w->loads = loads_of(s, &p, &c, groups * c.together * lane);
    const double sharers =
        c.across > 1 ? c.along * (double)c.across : c.along * (double)c.together;
    const bool is_cut = c.slots <= 2;
    const double parts = is_cut ? PARTS + (p.phases > 1 ? FIND : 0) : INSIDE;
    w->loads += groups * chunks *
                (sharers * parts + (is_cut && p.phases == 1 ? FIND * p.group : 0)) / LOAD;
    // Sectors at the ends of short lines with gaps are read before they are written, as by gpu_walk.
    w->pieces = gp_convolve_lines_are_pieces(s) ? PIECES : 0;
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
