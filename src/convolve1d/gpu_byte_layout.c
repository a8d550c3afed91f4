/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_byte_matrices: how lanes, taps and local memory are divided among
 * groups, and what these take. See gpu_bytes.h. */
#include "gpu_bytes.h"

enum {
    OCTET = 8,        // outputs of an octet
    TILE_OCTETS = 16, // of a product
    SPAN = 32,        // inputs of a matrix
    MOST_OCTETS = 2048,
    MOST_ROWS = 128,   // of a group
    MOST_LANES = 1024, // of a group
    MOST_STEP = 64,
    ROOM_WORDS = CONVOLVE_LOCAL_BYTES / 16 * 4,
    EVEN_PARTS = 8,   // of a lane: so few are alike
    SIDE_BY_SIDE = 8, // units or outputs, at least
    MOST_CHUNKS = 64,
    WAITING = 128000, // instructions that could be done while a group waits for memory, of four
    UNIT_GROUPS = 2,  // groups that keep a compute unit busy
    // So many groups of a unit are there at once, and have twice the items. NVIDIA H100, driver
    // 580.159.04, 2026-11-27, us: 202 groups of 132 units 11.9, 9.6; 251 14.3, 11.5; 342 10.7,
    // 9.5; 432 22.5, 19.3; but 1134 31.3, 32.9; and with 3232 to 33312 most took longer.
    FEW_GROUPS = 4,
    LEAST_BYTES = 32, // bytes that memory gives at once
    // Instructions that could be done while memory takes an output whose neighbours other
    // groups write. NVIDIA H100, driver 580.159.04, 2026-11-27: 98 taps of i8 in 9 rows to 9
    // channels, us by groups of one row 1205, and 343 without these. The groups of 9 rows that
    // they lead to are in docs/measurements/convolve1d.md.
    SHARED_WRITE = 20
};

// Outputs of a row's first lane.
static uint64_t lane_outputs(const struct convolve_shape *s)
{
    return gp_ceil_div(s->outputs, gp_min(s->phases, s->outputs));
}

// Of a lane's inputs for a chunk of taps.
static uint64_t chunk_words(const struct convolve_shape *s, const struct byte_division *d)
{
    return gp_ceil_div((d->octets - 1) * OCTET * s->step + (uint64_t)SPAN * d->ksteps, 4);
}

uint32_t gp_byte_lane_words(const struct convolve_shape *s, const struct byte_division *d)
{
    return d->chunks > 1 ? (uint32_t)chunk_words(s, d) : d->a.words;
}

// Of taps in local memory.
static uint64_t tap_words(const struct convolve_shape *s, const struct byte_division *d)
{
    const struct gpuprim_filter *f = s->filter;
    return f->tap_bytes * (f->rows > 1 ? d->a.rows * BYTE_OWN_PLANE(s->step, d->ksteps)
                                       : 4 * BYTE_TAP_COPY(s->step, d->ksteps));
}

// Completes *d, of which rows, phases, octets and chunks are there. Returns whether there is
// room.
static bool lay_room(const struct convolve_shape *s, struct byte_division *d)
{
    const struct gpuprim_filter *f = s->filter;
    const uint64_t step = s->step, planes = gp_type_size(f->in);
    struct byte_arguments *a = &d->a;
    a->phases = (cl_uint)gp_min(s->phases, s->outputs);
    a->phase_blocks = (cl_uint)gp_ceil_div(a->phases, d->phases);
    const uint64_t spans = gp_ceil_div(f->taps + (OCTET - 1) * step, SPAN);
    d->ksteps = (unsigned)gp_ceil_div(spans, d->chunks);
    d->chunks = (unsigned)gp_ceil_div(spans, d->ksteps);
    const uint64_t octets = d->octets, lanes = (uint64_t)a->rows * d->phases;
    const uint64_t pitch = chunk_words(s, d) | 1;
    const uint64_t out_pad = BYTE_OUT_PAD(gp_type_size(f->out));
    const uint64_t row_pads = a->rows * BYTE_ROW_PAD(d->phases);
    const uint64_t out_pitch = octets * OCTET + out_pad;
    if (lanes > MOST_LANES || lanes * pitch > ROOM_WORDS)
        return false;
    const uint64_t blocks = gp_ceil_div(s->rows, a->rows);
    const uint64_t segments = gp_ceil_div(lane_outputs(s), octets * OCTET);
    if (blocks > INT32_MAX / segments / a->phase_blocks) // a group's number has 32 bits
        return false;
    a->row_blocks = (cl_uint)blocks;
    a->segments = (cl_uint)segments;
    const uint64_t part = gp_min(octets * OCTET, lane_outputs(s)),
                   last = lane_outputs(s) - (segments - 1) * octets * OCTET;
    a->words = (cl_uint)gp_ceil_div((part - 1) * step + f->taps, 4);
    a->last_words = (cl_uint)gp_ceil_div((last - 1) * step + f->taps, 4);
    a->last_outputs = (cl_uint)last;
    a->last_phases = (cl_uint)(s->outputs - (lane_outputs(s) - 1) * a->phases);
    a->pitch = (cl_uint)pitch;
    a->tap_words = gp_filter_plane_words(f);
    a->out_pitch = (cl_uint)out_pitch;
    const uint64_t taps = tap_words(s, d);
    a->inputs_at = (cl_uint)(gp_ceil_div(taps, 4) * 4); // whole vectors
    d->plane = (unsigned)(lanes * pitch + row_pads);
    const uint64_t results_at = gp_ceil_div(a->inputs_at + planes * d->plane, 4) * 4;
    a->results_at = (cl_uint)results_at;
    const uint64_t elements = lanes * out_pitch + row_pads * out_pad;
    const uint64_t results = gp_ceil_div(elements * gp_type_size(f->out), 16) * 4;
    // There are no results yet when all inputs are loaded.
    a->table_at = (cl_uint)(results_at + (d->chunks > 1 ? results : 0));
    const uint64_t table_end = a->table_at + (uint64_t)d->items * BYTE_TABLE_WORDS;
    const uint64_t end = table_end > results_at + results ? table_end : results_at + results;
    d->room = (unsigned)(end / 4);
    a->rows_near = gp_byte_is_across(s) || gp_byte_out_is_across(s);
    return end <= ROOM_WORDS;
}

// As many as have room in registers. docs/measurements/convolve1d.md has the times with two of
// them.
unsigned gp_byte_tiles(const struct gpuprim_filter *f)
{
    return 4 / (unsigned)gp_type_size(f->in);
}

// How many rows, and how many of `count` units or outputs of a lane, `items` take at once: as
// many neighbours as there are, but an item shall have up to `most` of those of a lane where the
// others find work in other rows, and SIDE_BY_SIDE neighbours are left.
static void spread(const struct byte_division *d, unsigned items, bool across, uint64_t count,
                   uint64_t most, cl_uint *rows_at_once, cl_uint *at_once)
{
    const uint64_t places = items / d->phases, rows = d->a.rows;
    const uint64_t own = gp_min(most, count < SIDE_BY_SIDE ? 1 : count / SIDE_BY_SIDE);
    const uint64_t some = gp_ceil_div(count, own), alone = gp_ceil_div(places, rows);
    const uint64_t beside = gp_min(count, some > alone ? some : alone);
    // Rows are few: about as many each time.
    const uint64_t near = across ? gp_ceil_div(rows, gp_ceil_div(rows, gp_min(places, rows)))
                                 : gp_min(beside, places);
    const uint64_t far = gp_min(across ? count : rows, places / near);
    *rows_at_once = (cl_uint)(across ? near : far);
    *at_once = (cl_uint)(across ? far : near);
}

void gp_byte_share_items(const struct convolve_shape *s, unsigned items,
                         struct byte_division *d)
{
    struct byte_arguments *a = &d->a;
    spread(d, items, gp_byte_is_across(s), gp_byte_lane_words(s, d), BYTE_BATCH(d->chunks),
           &a->load_rows, &a->load_units);
    spread(d, items, gp_byte_out_is_across(s),
           gp_min(lane_outputs(s), (uint64_t)OCTET * d->octets), 1, &a->out_rows,
           &a->out_at_once);
}

// The part of a group's items that have a place.
static double used(const struct byte_division *d, cl_uint rows, cl_uint at_once)
{
    return (double)rows * at_once * d->phases / d->items;
}

// How many times as much memory as a group's is moved, less one, where others have the rest of
// what memory gives at once: `lanes` of `all` lie side by side, `bytes` apart.
static double beside(double lanes, double all, double bytes)
{
    const double side = lanes + 0.5 * LEAST_BYTES / bytes;
    return (side < all ? side : all) / lanes - 1;
}

// The same of inputs and outputs. Where a group has all of the rows that lie side by side, its
// phases do so, too.
static double more_inputs(const struct convolve_shape *s, const struct byte_division *d)
{
    const double bytes = (double)gp_type_size(s->filter->in), all = (double)gp_abs(s->stride);
    const double rows = d->a.rows;
    if (!gp_byte_is_across(s))
        return beside(d->phases, d->a.phases, bytes * all * (double)s->filter->stride);
    return beside(rows * (rows < all ? 1 : d->phases), all * d->a.phases, bytes);
}

static double more_outputs(const struct convolve_shape *s, const struct byte_division *d)
{
    const double bytes = (double)gp_type_size(s->filter->out),
                 all = (double)gp_abs(s->out_stride);
    const double rows = d->a.rows;
    if (!gp_byte_out_is_across(s))
        return beside(d->phases, d->a.phases, bytes * all);
    return beside(rows * (rows < all ? 1 : d->phases), all * d->a.phases, bytes);
}

// Instructions that load the inputs of a group.
static double loads_of(const struct convolve_shape *s, const struct byte_division *d)
{
    const struct byte_arguments *a = &d->a;
    const double planes = (double)gp_type_size(s->filter->in), rows = a->rows;
    const double parts = a->segments;
    const double words = d->chunks > 1 ? (double)chunk_words(s, d) * d->chunks
                                       : a->words - (a->words - (double)a->last_words) / parts;
    const double columns = d->phases * words, inputs = 4 * rows * columns;
    const double loads = inputs * (5 + 1.6 * planes) / used(d, a->load_rows, a->load_units) +
                         10 * more_inputs(s, d) * inputs;
    // Inputs of rows one behind the other, of which an item takes many: calls of the maps with
    // the seeds 41001 to 41009, 42001 to 42003 and 51701 to 51704 took 1.1 to 3 times what was
    // estimated, as much as 75 instructions of an item for each input of 8 bits, and 25 to 53
    // for each other (NVIDIA H100, driver 580.159.04, 2026-11-27). Half of that and more is
    // added.
    const double wait = planes == 1 ? 55 : planes == 2 ? 45 : 28;
    // Not where it has as many of each row as it loads at once.
    const double units = gp_byte_lane_words(s, d) / (double)a->load_units;
    const double alone = 1 - gp_min(units, BYTE_BATCH(d->chunks)) / BYTE_BATCH(d->chunks);
    const double waits = rows >= 4.0 * a->load_rows ? wait * alone * inputs : 0;
    return a->segments > 2
               ? loads + waits
               : loads + waits + 8 * inputs +
                     400 * (columns > BYTES_WORK_GROUP ? columns : BYTES_WORK_GROUP);
}

double gp_byte_work(const struct convolve_shape *s, const struct byte_division *d)
{
    const struct gpuprim_filter *f = s->filter;
    const struct byte_arguments *a = &d->a;
    const double planes = (double)gp_type_size(f->in), lanes = (double)a->rows * d->phases;
    const double octets = lanes * d->octets;
    const unsigned tiles = gp_byte_tiles(f);
    const double rounds = (double)gp_ceil_div((uint64_t)octets, TILE_OCTETS * tiles);
    const double reads = 2 * f->tap_bytes + 4 * planes * tiles;
    const double products = planes * f->tap_bytes * tiles;
    // A read of a warp from local memory takes a cycle, a product two, an instruction a
    // quarter.
    const double cycles =
        48 + 0.8 * d->ksteps * d->chunks * (reads > 2 * products ? reads : 2 * products);
    const double taps = (f->rows > 1 ? 30 : 3) * (double)tap_words(s, d) * d->chunks;
    const double writes =
        9 / used(d, a->out_rows, a->out_at_once) + SHARED_WRITE * more_outputs(s, d);
    return loads_of(s, d) + taps + rounds * 128 * cycles +
           octets * OCTET * (13 + 7 * planes + writes) + (double)WAITING * d->chunks;
}

double gp_byte_groups(const struct byte_division *d)
{
    return (double)d->a.row_blocks * d->a.segments * d->a.phase_blocks;
}

static double cost_of(const gpuprim *gp, const struct convolve_shape *s,
                      const struct byte_division *d)
{
    const double groups = gp_byte_groups(d);
    const double few = (double)UNIT_GROUPS * gp->caps.compute_units;
    return gp_byte_work(s, d) * (groups > few ? groups : few);
}

// Whether the warps of a group take all of its octets at once. Taps come in chunks only then.
static bool is_one_round(const struct convolve_shape *s, const struct byte_division *d)
{
    return (uint64_t)d->a.rows * d->phases * d->octets <=
           BYTES_WORK_GROUP / 32 * TILE_OCTETS * gp_byte_tiles(s->filter);
}

// Tries groups of so many rows and phases, with any number of octets, in as few chunks as have
// room, and keeps the best.
static void take_octets(const gpuprim *gp, const struct convolve_shape *s, uint64_t rows,
                        uint64_t phases, struct byte_division *best, double *least)
{
    const uint64_t needed = gp_ceil_div(lane_outputs(s), OCTET);
    for (unsigned octets = 1; octets <= MOST_OCTETS; octets *= 2) {
        // Of long lanes few numbers, for few programs; of short ones as many as there are, or
        // parts that are alike. But whole products where each of several rows has taps of its
        // own.
        const uint64_t parts = gp_ceil_div(needed, octets);
        const uint64_t even = parts <= EVEN_PARTS ? gp_ceil_div(needed, parts) : octets;
        const uint64_t unit =
            s->filter->rows > 1 && rows > 1 ? TILE_OCTETS * gp_byte_tiles(s->filter) : 1;
        struct byte_division d = { .items = BYTES_WORK_GROUP,
                                   .octets = (unsigned)(gp_ceil_div(even, unit) * unit),
                                   .chunks = 1,
                                   .phases = (unsigned)phases,
                                   .a = { .rows = (cl_uint)rows } };
        const uint64_t room = gp_min(gp->caps.local_bytes, CONVOLVE_LOCAL_BYTES);
        bool has_room = lay_room(s, &d) && d.room * 16 <= room;
        while (!has_room && d.chunks < MOST_CHUNKS && d.ksteps > 1 && is_one_round(s, &d)) {
            d.chunks *= 2;
            has_room = lay_room(s, &d) && d.room * 16 <= room;
        }
        // More octets may be few enough groups.
        if (has_room) {
            gp_byte_share_items(s, BYTES_WORK_GROUP, &d);
            const double cost = cost_of(gp, s, &d);
            if (*least == 0 || cost < *least) {
                *least = cost;
                *best = d;
            }
        }
        if (octets >= needed)
            break;
    }
}

// Of few groups: twice the items, if there is room for what they need.
static void double_items(const gpuprim *gp, const struct convolve_shape *s,
                         struct byte_division *best)
{
    struct byte_division d = *best;
    d.items *= 2;
    if (gp_byte_groups(&d) <= FEW_GROUPS * (double)gp->caps.compute_units && lay_room(s, &d) &&
        d.room * 16 <= gp_min(gp->caps.local_bytes, CONVOLVE_LOCAL_BYTES)) {
        gp_byte_share_items(s, d.items, &d);
        *best = d;
    }
}

bool gp_byte_divide(const gpuprim *gp, const struct convolve_shape *s,
                    struct byte_division *best)
{
    const struct gpuprim_filter *f = s->filter;
    const uint64_t all = gp_min(s->phases, s->outputs);
    double least = 0;
    if (f->taps_type != GPUPRIM_I32 || f->taps > CONVOLVE_BYTE_TAPS || s->step > MOST_STEP)
        return false;
    for (unsigned wanted = 1; wanted <= MOST_ROWS; wanted *= 2) {
        const uint64_t rows = gp_ceil_div(s->rows, gp_ceil_div(s->rows, wanted));
        for (uint64_t blocks = 1; blocks <= all; blocks *= 2) {
            const uint64_t phases = gp_ceil_div(all, blocks);
            if (phases <= BYTES_WORK_GROUP)
                take_octets(gp, s, rows, phases, best, &least);
        }
        if (wanted >= s->rows)
            break;
    }
    if (least > 0)
        double_items(gp, s, best);
    return least > 0;
}
