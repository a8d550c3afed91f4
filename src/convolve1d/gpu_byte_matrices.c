/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_byte_matrices: GPUs that multiply matrices of bytes; integer taps and
 * data. Its kernel, kernels/convolve1d/gpu_byte_matrices.cl, says what lanes, octets and planes
 * are. */
#include "gpu_sizes.h"

#include <string.h>

enum {
    WORK_GROUP = 128,
    OCTET = 8,        // outputs of an octet
    TILE_OCTETS = 16, // of a product
    SPAN = 32,        // inputs of a matrix
    MOST_OCTETS = 2048,
    MOST_ROWS = 128,   // of a group
    MOST_LANES = 1024, // of a group
    FEW_TAPS = 24,     // fewer are no work
    MOST_STEP = 64,
    MOST_TAPS = 8192, // sums of 32 bits hold the products of all bytes of one weight
    ROOM_WORDS = CONVOLVE_LOCAL_BYTES / 8 * 2,
    WAITING = 128000, // instructions that could be done while a group waits for memory, of four
    UNIT_GROUPS = 2,  // groups that keep a compute unit busy
    LEAST_BYTES = 32  // bytes that memory gives at once
};

struct division {
    unsigned octets, ksteps, phases, plane, room; // macros of the kernel
    struct byte_arguments a;
};

static bool is_across(const struct convolve_shape *s)
{
    return s->rows > 1 && gp_abs(s->row_stride) < gp_abs(s->stride);
}

static bool out_is_across(const struct convolve_shape *s)
{
    return s->rows > 1 && gp_abs(s->out_row_stride) < gp_abs(s->out_stride);
}

// Outputs of a row's first lane.
static uint64_t lane_outputs(const struct convolve_shape *s)
{
    return gp_ceil_div(s->outputs, gp_min(s->phases, s->outputs));
}

// Completes *d, of which rows and octets are there. Returns whether there is room.
static bool lay_room(const struct convolve_shape *s, struct division *d)
{
    const struct gpuprim_filter *f = s->filter;
    const uint64_t step = s->step, planes = gp_type_size(f->in);
    struct byte_arguments *a = &d->a;
    d->phases = (unsigned)gp_min(s->phases, s->outputs);
    d->ksteps = (unsigned)gp_ceil_div(f->taps + (OCTET - 1) * step, SPAN);
    const uint64_t octets = d->octets, lanes = (uint64_t)a->rows * d->phases;
    const uint64_t pitch = gp_ceil_div((octets - 1) * OCTET * step + SPAN * d->ksteps, 4) | 1;
    const uint64_t out_pitch = octets * OCTET + out_is_across(s);
    if (lanes > MOST_LANES || lanes * pitch > ROOM_WORDS)
        return false;
    const uint64_t blocks = gp_ceil_div(s->rows, a->rows);
    const uint64_t segments = gp_ceil_div(lane_outputs(s), octets * OCTET);
    if (blocks > INT32_MAX / segments) // a group's number has 32 bits
        return false;
    a->row_blocks = (cl_uint)blocks;
    a->segments = (cl_uint)segments;
    a->words = (cl_uint)gp_ceil_div((octets * OCTET - 1) * step + f->taps, 4);
    a->pitch = (cl_uint)pitch;
    d->plane = (unsigned)(lanes * pitch);
    a->out_pitch = (cl_uint)out_pitch;
    const uint64_t taps = (uint64_t)f->tap_bytes * 4 * BYTE_TAP_COPY(step, d->ksteps);
    const uint64_t results_at = (taps + planes * d->plane + 1) / 2 * 2;
    a->results_at = (cl_uint)results_at;
    const uint64_t results = gp_ceil_div(lanes * out_pitch * gp_type_size(f->out), 4);
    d->room = (unsigned)gp_ceil_div(results_at + results, 2);
    return results_at + results <= ROOM_WORDS;
}

// Products that share taps: as many as have room in registers. docs/measurements/convolve1d.md has
// the times with two of them.
static unsigned tiles_of(const struct gpuprim_filter *f)
{
    return 4 / (unsigned)gp_type_size(f->in);
}

// Instructions that load the inputs of a group. Of short rows each position is resolved, once for
// some rows.
static double loads_of(const struct convolve_shape *s, const struct division *d)
{
    const struct byte_arguments *a = &d->a;
    const double planes = (double)gp_type_size(s->filter->in), rows = a->rows;
    const double columns = (double)d->phases * a->words, inputs = 4 * rows * columns;
    // Of rows side by side memory gives more than those of a group.
    const double side = rows + 0.5 * LEAST_BYTES / planes, all = (double)gp_abs(s->stride);
    const double more = is_across(s) ? (side < all ? side : all) / rows - 1 : 0;
    const double loads = inputs * (5 + 1.6 * planes + 10 * more);
    return a->segments > 2
               ? loads
               : loads + 8 * inputs + 400 * (columns > WORK_GROUP ? columns : WORK_GROUP);
}

// Instructions of all items of a group.
static double work_of(const struct convolve_shape *s, const struct division *d)
{
    const struct gpuprim_filter *f = s->filter;
    const struct byte_arguments *a = &d->a;
    const double planes = (double)gp_type_size(f->in), lanes = (double)a->rows * d->phases;
    const double octets = lanes * d->octets;
    const unsigned tiles = tiles_of(f);
    const double rounds = (double)gp_ceil_div((uint64_t)octets, TILE_OCTETS * tiles);
    const double reads = 2 * f->tap_bytes + 4 * planes * tiles;
    const double products = planes * f->tap_bytes * tiles;
    // A read of a warp from local memory takes a cycle, a product two, an instruction a quarter.
    const double cycles = 48 + 0.8 * d->ksteps * (reads > 2 * products ? reads : 2 * products);
    const double taps = 4.0 * BYTE_TAP_COPY(s->step, d->ksteps) * 30;
    return loads_of(s, d) + taps + rounds * 128 * cycles + octets * OCTET * (22 + 7 * planes) +
           WAITING;
}

static double cost_of(const gpuprim *gp, const struct convolve_shape *s,
                      const struct division *d)
{
    const double groups = (double)d->a.row_blocks * d->a.segments;
    const double few = (double)UNIT_GROUPS * gp->caps.compute_units;
    return work_of(s, d) * (groups > few ? groups : few);
}

static bool choose(const gpuprim *gp, const struct convolve_shape *s, struct division *best)
{
    const struct gpuprim_filter *f = s->filter;
    double least = 0;
    bool found = false;
    if (f->taps_type != GPUPRIM_I32 || f->taps > MOST_TAPS || s->step > MOST_STEP ||
        gp_min(s->phases, s->outputs) > WORK_GROUP)
        return false;
    const uint64_t needed = gp_ceil_div(lane_outputs(s), OCTET);
    for (unsigned wanted = 1; wanted <= MOST_ROWS; wanted *= 2) {
        const uint64_t rows = gp_ceil_div(s->rows, gp_ceil_div(s->rows, wanted));
        for (unsigned octets = 1; octets <= MOST_OCTETS; octets *= 2) {
            // Of long lanes few numbers, for few programs; of short ones as many as there are.
            struct division d = { .octets = (unsigned)gp_min(octets, needed),
                                  .a = { .rows = (cl_uint)rows } };
            if (!lay_room(s, &d) || d.room * 8 > gp->caps.local_bytes)
                continue; // more octets may be few enough groups
            const double cost = cost_of(gp, s, &d);
            if (!found || cost < least) {
                least = cost;
                *best = d;
                found = true;
            }
            if (octets >= needed)
                break;
        }
        if (wanted >= s->rows || f->rows > 1)
            break;
    }
    return found;
}

static bool fits(const gpuprim *gp, const void *call)
{
    struct division d;
    return !gp->caps.is_cpu && choose(gp, call, &d);
}

static bool suits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    return gp->caps.ptx >= 80 && s->filter->taps >= FEW_TAPS;
}

static void specialise(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)variant;
    struct division d;
    choose(gp, s, &d);
    key->work_group = WORK_GROUP;
    gp_define(key, "RAW_TYPE", gp_filter_tap_type(s->filter));
    gp_define(key, "TAP_PLANES", s->filter->tap_bytes);
    gp_define(key, "STEP", (uint32_t)s->step);
    gp_define(key, "PHASES", d.phases);
    gp_define(key, "OCTETS", d.octets);
    gp_define(key, "KSTEPS", d.ksteps);
    gp_define(key, "DENSE", s->stride == 1 && s->filter->dilation <= 1);
    gp_define(key, "PLANE", d.plane);
    gp_define(key, "ACROSS", is_across(s));
    gp_define(key, "OUT_ACROSS", out_is_across(s));
    gp_define(key, "TILES", tiles_of(s->filter));
    gp_define(key, "ROOM", d.room);
}

// How many rows, and how many of `count` words or outputs of a lane, `items` take at once: as many
// neighbours as there are.
static void spread(const struct division *d, unsigned items, bool across, uint64_t count,
                   cl_uint *rows_at_once, cl_uint *at_once)
{
    const uint64_t places = items / d->phases, rows = d->a.rows;
    // Rows are few: about as many each time.
    const uint64_t near =
        across ? gp_ceil_div(rows, gp_ceil_div(rows, places)) : gp_min(count, places);
    const uint64_t far = gp_min(across ? count : rows, places / near);
    *rows_at_once = (cl_uint)(across ? near : far);
    *at_once = (cl_uint)(across ? far : near);
}

static void lay_out(const gpuprim *gp, const struct convolve_shape *s,
                    const struct gp_variant *variant, unsigned work_group,
                    struct convolve_layout *l)
{
    (void)variant;
    struct division d;
    choose(gp, s, &d);
    spread(&d, work_group, is_across(s), d.a.words, &d.a.load_rows, &d.a.load_words);
    spread(&d, work_group, out_is_across(s),
           gp_min(lane_outputs(s), (uint64_t)OCTET * d.octets), &d.a.out_rows,
           &d.a.out_at_once);
    l->groups = (uint64_t)d.a.row_blocks * d.a.segments;
    l->own_size = sizeof d.a;
    memcpy(l->own, &d.a, sizeof d.a);
}

static void count(const gpuprim *gp, const struct convolve_shape *s, struct convolve_work *w)
{
    struct division d;
    choose(gp, s, &d);
    const double groups = (double)d.a.row_blocks * d.a.segments;
    w->items = groups * WORK_GROUP;
    w->loads = groups * work_of(s, &d);
}

// Warps take matrices together, and an item has inputs of one phase.
static bool holds(const struct gp_variant *variant, const void *call,
                  const struct gp_program *program)
{
    const struct convolve_shape *s = call;
    (void)variant;
    return gp_min(s->phases, s->outputs) <= program->work_group &&
           (s->filter->gp->caps.ptx < 80 || program->work_group % 32 == 0);
}

static const struct convolve_ops ops = {
    .count = count,
    .rates = { .start = 4, .load = 1, .passes = 1.1 },
    .specialise = specialise,
    .lay_out = lay_out,
    .whole_sums = true,
    .why = "integers are multiplied as matrices of bytes",
};

const struct gp_variant gp_convolve_gpu_byte_matrices = {
    .name = "gpu_byte_matrices",
    .fits = fits,
    .suits = suits,
    .cost = gp_convolve_cost,
    .holds = holds,
    .sources =
        CONVOLVE_SOURCES("convolve1d/gpu_byte_fill.cl", "convolve1d/gpu_byte_matrices.cl"),
    .ops = &ops,
};
