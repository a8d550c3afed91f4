/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_byte_matrices: how lanes are divided among groups, by an estimate of
 * what these take. See gpu_bytes.h. */
#include "gpu_bytes.h"

enum {
    TILE_OCTETS = 16, // of a product
    MOST_OCTETS = 2048,
    MOST_ROWS = 128, // of a group
    MOST_STEP = 64,
    EVEN_PARTS = 8, // of a lane: so few are alike
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
    const double words = d->chunks > 1 ? (double)gp_byte_lane_words(s, d) * d->chunks
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
    const bool has_few =
        gp_byte_lane_words(s, d) < BYTE_BATCH(d->chunks) * (uint64_t)a->load_units;
    const double waits = has_few && rows >= 4.0 * a->load_rows ? wait * inputs : 0;
    // Inputs beyond the ends are found by a table, for WORK_GROUP units at a time. Of three segments
    // and more only the first and the last have such inputs, unless rows are shorter than the reach
    // of the taps. Of taps that come in chunks a group then waits for one table after the other.
    // H200, driver 580.159.04, 2026-11-30, i16, 3910 taps, dilation 27, rows of 1767, three segments,
    // eight chunks: 31 789 us, estimated as 3310 before this, by gpu_tap_chunks 3514.
    const bool are_short = s->n <= s->filter->halo;
    // Instructions for each input: of rows that are shorter than the reach of the taps SHORT, of
    // others LONG. H200, driver 580.159.04, 2026-12-01, us and the estimate with LONG for all: u8 to
    // i16, 143 taps, step 3, rows of 79 4327, 2417 (by gpu_folds 1914); u16, 193 taps, dilation 3,
    // rows of 59 1890, 1314; 833 taps, history, rows of 273 4046, 1892.
    enum { SHORT = 53, LONG = 8 };
    const double unit = are_short && d->chunks > 1 ? 900 : 400;
    return a->segments > 2 && !are_short
               ? loads + waits
               : loads + waits + (are_short ? SHORT : LONG) * inputs +
                     unit * (columns > BYTES_WORK_GROUP ? columns : BYTES_WORK_GROUP);
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
    const double taps = (f->rows > 1 ? 30 : 3) * (double)gp_byte_tap_words(s, d) * d->chunks;
    const double writes =
        9 / used(d, a->out_rows, a->out_at_once) + SHARED_WRITE * more_outputs(s, d);
    return loads_of(s, d) + taps + rounds * 128 * cycles +
           octets * BYTE_OCTET * (13 + 7 * planes + writes) + (double)WAITING * d->chunks;
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

// Completes *d, and returns whether the device has room for it.
static bool has_room(const gpuprim *gp, const struct convolve_shape *s, struct byte_division *d)
{
    return gp_byte_lay_room(s, d) &&
           d->room * 16 <= gp_min(gp->caps.local_bytes, CONVOLVE_LOCAL_BYTES);
}

// Tries groups of so many rows and phases, with any number of octets, in as few chunks as have
// room, and keeps the best.
static void take_octets(const gpuprim *gp, const struct convolve_shape *s, uint64_t rows,
                        uint64_t phases, struct byte_division *best, double *least)
{
    const uint64_t needed = gp_ceil_div(gp_byte_lane_outputs(s), BYTE_OCTET);
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
        bool is_laid = has_room(gp, s, &d);
        while (!is_laid && d.chunks < MOST_CHUNKS && d.ksteps > 1 && is_one_round(s, &d)) {
            d.chunks *= 2;
            is_laid = has_room(gp, s, &d);
        }
        // More octets may be few enough groups.
        if (is_laid) {
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
    if (gp_byte_groups(&d) <= FEW_GROUPS * (double)gp->caps.compute_units &&
        has_room(gp, s, &d)) {
        gp_byte_share_items(s, d.items, &d);
        *best = d;
    }
}

// Finds the best division or, where `any` will do, one. False: there is none.
static bool find(const gpuprim *gp, const struct convolve_shape *s, bool any,
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
            if (phases <= BYTES_WORK_GROUP && rows * phases <= BYTE_MOST_LANES)
                take_octets(gp, s, rows, phases, best, &least);
            if (any && least > 0)
                return true;
        }
        if (wanted >= s->rows)
            break;
    }
    return least > 0;
}

bool gp_byte_divide(const gpuprim *gp, const struct convolve_shape *s,
                    struct byte_division *best)
{
    if (!find(gp, s, false, best))
        return false;
    double_items(gp, s, best);
    return true;
}

bool gp_byte_is_divisible(const gpuprim *gp, const struct convolve_shape *s)
{
    struct byte_division d;
    return find(gp, s, true, &d);
}
