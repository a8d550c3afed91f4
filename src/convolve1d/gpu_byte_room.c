/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_byte_matrices: what a group has in local memory, and how its items
 * load and write. See gpu_bytes.h. */
#include "gpu_bytes.h"

enum {
    SPAN = 32, // inputs of a matrix
    ROOM_WORDS = CONVOLVE_LOCAL_BYTES / 16 * 4,
    SIDE_BY_SIDE = 8 // units or outputs, at least
};

// Outputs of a row's first lane.
uint64_t gp_byte_lane_outputs(const struct convolve_shape *s)
{
    return gp_ceil_div(s->outputs, gp_min(s->phases, s->outputs));
}

// Of a lane's inputs for a chunk of taps.
static uint64_t chunk_words(const struct convolve_shape *s, const struct byte_division *d)
{
    return gp_ceil_div((d->octets - 1) * BYTE_OCTET * s->step + (uint64_t)SPAN * d->ksteps, 4);
}

uint32_t gp_byte_lane_words(const struct convolve_shape *s, const struct byte_division *d)
{
    return d->chunks > 1 ? (uint32_t)chunk_words(s, d) : d->a.words;
}

// Of taps in local memory.
uint64_t gp_byte_tap_words(const struct convolve_shape *s, const struct byte_division *d)
{
    const struct gpuprim_filter *f = s->filter;
    return f->tap_bytes * (f->rows > 1 ? d->a.rows * BYTE_OWN_PLANE(s->step, d->ksteps)
                                       : 4 * BYTE_TAP_COPY(s->step, d->ksteps));
}

// Completes *d, of which rows, phases, octets, chunks and items are there. Returns whether there is
// room.
bool gp_byte_lay_room(const struct convolve_shape *s, struct byte_division *d)
{
    const struct gpuprim_filter *f = s->filter;
    const uint64_t step = s->step, planes = gp_type_size(f->in);
    struct byte_arguments *a = &d->a;
    a->phases = (cl_uint)gp_min(s->phases, s->outputs);
    a->phase_blocks = (cl_uint)gp_ceil_div(a->phases, d->phases);
    const uint64_t spans = gp_ceil_div(f->taps + (BYTE_OCTET - 1) * step, SPAN);
    d->ksteps = (unsigned)gp_ceil_div(spans, d->chunks);
    d->chunks = (unsigned)gp_ceil_div(spans, d->ksteps);
    const uint64_t octets = d->octets, lanes = (uint64_t)a->rows * d->phases;
    const uint64_t pitch = chunk_words(s, d) | 1;
    const uint64_t out_pad = BYTE_OUT_PAD(gp_type_size(f->out));
    const uint64_t row_pads = a->rows * BYTE_ROW_PAD(d->phases);
    const uint64_t out_pitch = octets * BYTE_OCTET + out_pad;
    if (lanes > BYTE_MOST_LANES || lanes * pitch > ROOM_WORDS)
        return false;
    const uint64_t blocks = gp_ceil_div(s->rows, a->rows);
    const uint64_t segments = gp_ceil_div(gp_byte_lane_outputs(s), octets * BYTE_OCTET);
    if (blocks > INT32_MAX / segments / a->phase_blocks) // a group's number has 32 bits
        return false;
    a->row_blocks = (cl_uint)blocks;
    a->segments = (cl_uint)segments;
    const uint64_t part = gp_min(octets * BYTE_OCTET, gp_byte_lane_outputs(s)),
                   last = gp_byte_lane_outputs(s) - (segments - 1) * octets * BYTE_OCTET;
    a->words = (cl_uint)gp_ceil_div((part - 1) * step + f->taps, 4);
    a->last_words = (cl_uint)gp_ceil_div((last - 1) * step + f->taps, 4);
    a->last_outputs = (cl_uint)last;
    a->last_phases = (cl_uint)(s->outputs - (gp_byte_lane_outputs(s) - 1) * a->phases);
    a->pitch = (cl_uint)pitch;
    a->tap_words = gp_filter_plane_words(f);
    a->out_pitch = (cl_uint)out_pitch;
    const uint64_t taps = gp_byte_tap_words(s, d);
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
    const uint64_t near =
        across ? gp_even_part(rows, gp_min(places, rows)) : gp_min(beside, places);
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
           gp_min(gp_byte_lane_outputs(s), (uint64_t)BYTE_OCTET * d->octets), 1, &a->out_rows,
           &a->out_at_once);
}
