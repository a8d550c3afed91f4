/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_tap_chunks: how lanes and local memory are divided among groups. See
 * gpu_chunks.h. */
#include "gpu_chunks.h"
#include "gpu_lanes.h"

enum {
    SECTOR = 32, // bytes of memory that are read together
    // With more than MANY_TAPS a group has FEW_LANES of the lanes that lie beside each other: more
    // outputs share an input, and the items of a warp put theirs in all banks.
    MANY_TAPS = 64,
    FEW_LANES = 8,
    MANY_ITEMS = 8 // of a row: one more is no loss
};

// The outputs of a lane are neighbours.
static bool is_contiguous(const struct convolve_shape *s, const struct chunk_plan *p)
{
    return p->phases == 1 && s->channels == 1 && s->out_stride == 1;
}

void gp_chunk_share_lanes(const gpuprim *gp, const struct convolve_shape *s,
                          const struct chunk_plan *p, unsigned work_group, uint64_t most,
                          struct chunk_arguments *c)
{
    // Lanes that lie beside each other: as many of them as fill a sector, or fewer.
    const uint64_t beside = s->channels * (s->filter->stride == 1 ? p->phases : 1);
    const uint64_t sector = SECTOR / gp_type_size(s->filter->in);
    const uint64_t wanted = s->filter->taps > MANY_TAPS ? gp_min(sector, FEW_LANES) : sector;
    const uint64_t lanes = gp_min(gp_even_part(beside, wanted), most);
    // Vectors of outputs lie aligned where a group has one row: the first may lack all but one.
    const uint64_t most_lost =
        is_contiguous(s, p) && p->outputs >= (uint64_t)MANY_ITEMS * p->item_outputs ? p->vec - 1
                                                                                    : 0;
    c->segments = (uint32_t)gp_even_part(gp_ceil_div(p->outputs + most_lost, p->item_outputs),
                                         work_group / lanes);
    const uint64_t slots = gp_ceil_div(p->outputs, (uint64_t)c->segments * p->item_outputs);
    most = gp_min(most, gp_ceil_div(p->lanes * slots, gp->caps.compute_units));
    c->together = (uint32_t)gp_min(gp_min(p->lanes, most), work_group / c->segments);
    c->along_lanes = beside > 1;
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
static bool share_room(const struct convolve_shape *s, const struct chunk_plan *p,
                       uint32_t room, struct chunk_arguments *c)
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
static bool share_rows(const struct convolve_shape *s, const struct chunk_plan *p,
                       uint32_t room, struct chunk_arguments *c)
{
    const struct gpuprim_filter *f = s->filter;
    // The lanes' inputs begin at vectors.
    const uint32_t operands = (room - c->together) * p->vec, rows = p->item_outputs;
    // The operands that a tap of each lane takes the room of.
    const uint32_t taps = (uint32_t)gp_ceil_div(f->size, gp_convolve_operand_bytes(f)) *
                          (f->rows > 1 ? c->together : 1);
    c->columns = (uint32_t)gp_min(gp_min(s->step, f->taps),
                                  operands / (c->together * (rows + 1) + 2 * taps));
    if (c->columns == 0)
        return false;
    c->pitch = (rows * c->columns) | 1; // neighbouring items read different banks
    const uint32_t spare = operands - 2 * taps * c->columns;
    // Of the room, at most half is for inputs behind those of the items, and for taps.
    const uint32_t block = c->together * c->pitch, next = block + rows * c->columns * taps;
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

// From an item's input beyond an end to its next one. The kernel has 32 bits for it.
static void set_repeats(struct chunk_arguments *c)
{
    const uint64_t apart = (uint64_t)c->along * c->apart;
    c->repeats_far = c->left_period > INT32_MAX || c->right_period > INT32_MAX;
    if (c->repeats_far)
        return;
    c->left_by = (cl_uint)(apart % (uint64_t)c->left_period);
    c->right_by = (cl_uint)(apart % (uint64_t)c->right_period);
}

// Items that take the `count` elements of a lane, or of `across` lanes. Each lane takes a while
// to begin: of short ones that lie apart fewer items take one, each at least `least` elements.
static uint32_t along_of(unsigned work_group, uint32_t across, uint32_t together,
                         uint64_t count, unsigned least)
{
    enum { MOST = 32, FEWEST = 4 };
    if (across > 1 || together == 1)
        return work_group / across;
    uint32_t items = (uint32_t)gp_min(work_group, MOST);
    while (items > FEWEST && count < (uint64_t)items * least)
        items /= 2;
    return items;
}

// How items share lanes and elements when they load, and when they write. Neighbours in memory go
// to neighbouring items: of the same lane, or of neighbouring lanes.
static void share_items(const struct convolve_shape *s, const struct chunk_plan *p,
                        unsigned work_group, struct chunk_arguments *c)
{
    enum { LEAST_INPUTS = 24 };
    const uint64_t outputs = gp_min((uint64_t)c->segments * p->item_outputs, p->outputs);
    const uint64_t inputs = outputs * c->step + gp_min(c->chunk, s->filter->taps);
    c->across = c->along_lanes && gp_convolve_reads_lines(s) ? c->together : 1;
    c->along = along_of(work_group, c->across, c->together, inputs, LEAST_INPUTS);
    c->lane_step = work_group / (c->across * c->along) * c->across;
    c->by_team = 65536 / (c->across * c->along) + 1;
    c->by_across = 65536 / c->across + 1;
    c->out_across = c->along_lanes && gp_convolve_writes_lines(s) ? c->together : 1;
    c->out_along = along_of(work_group, c->out_across, c->together, outputs, 1);
    c->out_lane_step = work_group / (c->out_across * c->out_along) * c->out_across;
    c->by_out_team = 65536 / (c->out_across * c->out_along) + 1;
    c->by_out_across = 65536 / c->out_across + 1;
}

struct chunk_arguments gp_chunk_lay_out(const gpuprim *gp, const struct convolve_shape *s,
                                        const struct chunk_plan *p, unsigned work_group,
                                        uint32_t room)
{
    struct chunk_arguments c = { .lanes = p->lanes,
                                 .outputs = p->outputs,
                                 .phases = (uint32_t)p->phases,
                                 .is_interleaved = s->channels > 1,
                                 .step = (uint32_t)(p->step ? p->step : s->step),
                                 .apart = (uint32_t)p->apart };
    set_period(s->filter->left, (int64_t)s->n, &c.left_period, &c.left_last);
    set_period(s->filter->right, (int64_t)s->n, &c.right_period, &c.right_last);
    uint64_t most_lanes = work_group;
    do {
        gp_chunk_share_lanes(gp, s, p, work_group, most_lanes, &c);
        most_lanes = c.together / 2;
    } while (!(p->step ? share_room(s, p, room, &c) : share_rows(s, p, room, &c)));
    share_items(s, p, work_group, &c);
    set_repeats(&c);
    c.skips_left = gp_convolve_skips_left(s->filter);
    c.skips_right = gp_convolve_skips_right(s->filter);
    c.plus_taps = (cl_uint)s->filter->plus_taps;
    c.by_segments = 65536 / c.segments + 1;
    const uint32_t tile = c.segments * p->item_outputs;
    c.out_pitch = c.together > 1 ? pitch_of(c.segments * p->vectors, c.segments, p->vectors)
                                 : c.segments * p->vectors;
    c.is_contiguous = c.together == 1 && is_contiguous(s, p) &&
                      (p->outputs > tile || p->outputs + p->vec - 1 <= tile);
    c.is_dense = s->stride == 1 && p->apart == 1;
    // The first vector of outputs may lack all but one.
    c.slots = (uint32_t)gp_ceil_div(p->outputs + (c.is_contiguous ? p->vec - 1 : 0), tile);
    c.blocks = (uint32_t)gp_ceil_div(p->lanes, c.together);
    return c;
}
