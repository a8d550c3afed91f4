/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_tile: the tile of a group in local memory, and which part of the rows
 * it has. See gpu_tile.h. */
#include "gpu_tile.h"

enum {
    BANKS = 32,            // of local memory, 4 bytes wide
    MOST_STRIDE = 1 << 20, // the other three keep 32 bits from overflowing
    MOST_STEP = 1 << 12,
    MOST_WIDTH = 1 << 14,
    VECTOR_GAP = 6,   // positions from output to output, for a tap, that vectors do not load
    SORTING = 10,     // instructions for an input that gets its place by its phase,
    PADDING = 6,      // in a padded tile,
    PADDING_EVEN = 2, // where all vectors begin at the same element of a line,
    PADDING_ROWS = 8, // and of several rows
    MOST_TURNS = 2,   // of a warp that reads rows as they lie in x
    MOST_GAP = 96,    // bytes between rows that are loaded, where it is more than half a row
};

bool gp_tile_has_gaps(const struct convolve_shape *s)
{
    const struct gpuprim_filter *f = s->filter;
    const uint64_t least = s->packed ? VECTOR_GAP * f->taps : gp_ceil_div(3 * f->taps, 2);
    return f->stride > f->halo && f->stride >= least;
}

// What does not depend on how much a group takes: the lines of the tile.
static void describe_lines(const struct convolve_shape *s, struct tile *t)
{
    const struct gpuprim_filter *f = s->filter;
    struct tile_arguments *a = &t->a;
    t->phases = gp_tile_has_gaps(s) ? 1 : s->phases;
    t->out_lines = gp_ceil_div(s->outputs, t->phases);
    a->channels = (cl_uint)s->channels;
    a->out_lanes = (cl_uint)(s->channels * t->phases);
    // With gaps an output line has `taps` lines, and a line the channels at one position.
    if (gp_tile_has_gaps(s)) {
        t->step = (unsigned)f->taps | 1; // with the pad
        t->line_elements = (unsigned)f->taps * a->out_lanes;
        a->inputs = (cl_uint)f->stride;
        a->line_inputs = (cl_uint)f->dilation;
        a->lanes = a->out_lanes;
        t->line_pad = f->taps % 2 ? 0 : a->lanes;
        return;
    }
    t->step = (unsigned)s->step;
    a->inputs = (cl_uint)(s->step * f->dilation);
    a->line_inputs = 1;
    a->lanes = t->order == TILE_SORTED ? a->out_lanes : (cl_uint)s->lanes;
    t->line_elements = t->step * a->lanes;
    t->line_pad = t->order == TILE_PADDED ? (unsigned)s->lanes : 0;
    // Columns of neighbouring phases lie `stride` inputs apart.
    const bool is_spread = s->phases > 1 && t->order != TILE_SORTED;
    a->spread = is_spread ? (cl_uint)((f->stride - 1) * s->channels) : 0;
}

// Elements of a row of the tile that `lines` lines of outputs need.
static uint64_t elements_of(const struct convolve_shape *s, const struct tile *t,
                            uint64_t lines)
{
    const struct gpuprim_filter *f = s->filter;
    if (gp_tile_has_gaps(s))
        return lines * t->line_elements;
    return ((lines - 1) * t->step + f->taps - 1) * s->lanes +
           ((t->phases - 1) * f->stride + 1) * s->channels;
}

// Whether all of a row has its place in the tile, but perhaps for the next outputs' inputs.
static bool holds_rows(const struct convolve_shape *s, const struct tile *t, uint64_t elements)
{
    const int64_t origin = s->filter->offset - (int64_t)s->filter->halo;
    return origin <= 0 &&
           (int64_t)s->n - origin < (int64_t)elements + (t->order == TILE_PADDED ? 1 : t->step);
}

// Whether the inputs of a group are contiguous, or rows have gaps that are loaded as fast as
// they are left out. These have no place in the tile where outputs need part of a row only.
static bool comes_by_vectors(const struct convolve_shape *s, const struct tile *t,
                             uint64_t elements)
{
    const struct gpuprim_filter *f = s->filter;
    const bool is_reversed = !t->has_rows && s->channels == 1 && s->stride == -1;
    if (gp_tile_has_gaps(s) || !(s->packed || is_reversed))
        return false;
    if (!t->has_rows)
        return true;
    const uint64_t pitch = (uint64_t)s->row_stride, limit = 1 << 16;
    if (s->row_stride < (int64_t)s->n || pitch >= limit ||
        s->n * gp_convolve_operand_bytes(f) < 16)
        return false;
    const uint64_t gap = pitch - s->n;
    return gap == 0 || (holds_rows(s, t, elements) &&
                        (gap <= s->n / 2 || gap * gp_type_size(f->in) <= MOST_GAP));
}

// Of elements of 16 bits, and of four channels or more. H200, driver 580.159.04, 2026-11-29, us
// by elements and by vectors, beside other changes: f16, 10 taps, 50 of 69 columns 163, 148; 62
// taps, dilation 5, 19 of 38 313, 287; 36 taps, 12 of 16 385, 380; 3 taps, 15 of 21 214, 211;
// but u8, 24 taps, 8 channels backwards 385, 612. Wider elements were not measured. Lines that
// overlap may have less than a vector of memory beside them.
static bool has_line_vectors(const struct convolve_shape *s, const struct tile *t)
{
    enum { LEAST = 4 };
    return !t->by_vectors && !t->has_rows && !gp_tile_has_gaps(s) && s->row_stride == 1 &&
           s->channels >= LEAST && gp_abs(s->stride) >= s->channels &&
           gp_type_size(s->filter->in) == 2;
}

unsigned gp_tile_turns(const struct convolve_shape *s, const struct tile *t, uint64_t pitch)
{
    const struct tile_arguments *a = &t->a;
    const unsigned banks = BANKS * 4 / gp_convolve_operand_bytes(s->filter);
    unsigned met[BANKS] = { 0 }, most = 1;
    for (unsigned item = 0; item < banks; item++) {
        const unsigned line = item / a->items, number = item % a->items;
        const unsigned segment = number / a->out_lanes, column = number % a->out_lanes;
        const uint64_t place = line * pitch + segment * a->segment_pitch + column +
                               column / a->channels * a->spread;
        const unsigned meets = ++met[place % banks];
        most = meets > most ? meets : most;
    }
    return most;
}

// Lays out `lines` lines of outputs of `rows` rows. Returns the bytes of local memory.
static uint64_t lay_tile(const struct convolve_shape *s, unsigned group, uint64_t rows,
                         uint64_t lines, struct tile *t)
{
    struct tile_arguments *a = &t->a;
    const unsigned size = gp_convolve_operand_bytes(s->filter), vec = 16 / size;
    const uint64_t line_pitch = t->line_elements + t->line_pad;
    const uint64_t segments = gp_ceil_div(lines, t->item_outputs);
    const uint64_t elements = elements_of(s, t, lines);
    t->has_rows = rows > 1;
    t->by_vectors = comes_by_vectors(s, t, elements);
    t->has_line_vectors = has_line_vectors(s, t);
    // Rows that do not touch begin late, where their loads are aligned. Loads at both ends hold
    // what lies beside a row: those of different rows have places of their own.
    const bool is_late = t->has_rows && !t->by_vectors && t->order != TILE_PADDED;
    // Of the inputs in front of a phase's first line and behind its last one some have a place.
    const uint64_t sorted_lines = (lines - 1) * t->step + s->filter->taps + t->step + 3;
    const uint64_t span = t->order == TILE_SORTED
                              ? sorted_lines * a->lanes
                              : elements +
                                    gp_ceil_div(elements, t->line_elements) * t->line_pad +
                                    (is_late ? 3 * (gp_tile_load_length(s) - 1) : 0);
    a->rows = (cl_uint)rows;
    a->outputs = (cl_uint)(lines * a->out_lanes);
    a->elements = (cl_uint)elements;
    a->segment_pitch = (cl_uint)(t->item_outputs * line_pitch);
    a->items = rows > 1 ? (cl_uint)segments * a->out_lanes : group;
    // The items of one row go on in the banks where those of the row before end.
    const unsigned banks = BANKS * 4 / size;
    a->pitch = (cl_uint)span;
    if (rows > 1)
        a->pitch += (cl_uint)((segments * a->segment_pitch + banks - span % banks) % banks);
    // Rows lie in the tile as in x, if what stands beyond their ends has room between them.
    // Else vectors that hold parts of two rows do.
    const cl_uint in_pitch = (cl_uint)s->row_stride;
    const bool is_span = elements <= in_pitch && t->order != TILE_PADDED &&
                         gp_tile_turns(s, t, in_pitch) <= MOST_TURNS;
    if (t->has_rows && t->by_vectors && is_span && holds_rows(s, t, elements))
        a->pitch = in_pitch;
    else if (t->has_rows && t->by_vectors) {
        a->pitch = a->pitch < in_pitch + vec - 1 ? in_pitch + vec - 1 : a->pitch;
        a->pitch += (in_pitch % vec + vec - a->pitch % vec) % vec;
    }
    // The last item may have fewer outputs, but reads the inputs of all.
    const uint64_t taps = s->filter->taps, pads = t->order == TILE_PADDED ? taps / t->step : 0;
    const uint64_t reach = segments * a->segment_pitch + (taps + pads) * a->lanes +
                           (uint64_t)a->spread * t->phases + a->out_lanes;
    const uint64_t lead = t->order == TILE_PADDED   ? 2 * line_pitch
                          : t->order == TILE_SORTED ? line_pitch + 4 * a->lanes
                                                    : 0;
    const uint64_t places = (rows - 1) * a->pitch +
                            (reach > span + t->step ? reach : span + t->step) + lead +
                            2 * gp_tile_load_length(s) + vec;
    // A line begins up to vec - 1 places late, and their pitch is an odd number of vectors.
    const uint64_t line_slack = rows * a->channels * (gp_tile_has_packs(s) ? 4 * vec : 1);
    const uint64_t held = rows > 1 ? segments * t->item_outputs : lines;
    const uint64_t sums =
        (rows * held * a->out_lanes + 8 + line_slack) * gp_convolve_sum_bytes(s->filter);
    return places * size > sums ? places * size : sums;
}

bool gp_tile_lay_out_as(enum tile_order order, const struct convolve_shape *s, unsigned group,
                        unsigned outputs, unsigned item_rows, uint64_t limit, struct tile *t)
{
    *t = (struct tile){ .item_outputs = outputs, .item_rows = item_rows, .order = order };
    if (s->lanes > MOST_WIDTH || s->step > MOST_STEP || s->filter->stride > MOST_STRIDE)
        return false;
    describe_lines(s, t);
    struct tile_arguments *a = &t->a;
    if (a->out_lanes > (t->phases > 1 ? TILE_DILATED_LANES : TILE_LANES) ||
        a->out_lanes > group)
        return false;
    const uint64_t columns = group / a->out_lanes;
    const uint64_t segments = gp_ceil_div(t->out_lines, outputs);
    uint64_t rows = 1, lines = gp_min(t->out_lines, columns * outputs), bytes = 0;
    if (s->batches > 1 && segments <= columns)
        rows = gp_min(s->batches, columns / segments * item_rows);
    // Halves what a group takes until it fits: only long filters and steps need that.
    for (bool fits = false; !fits;) {
        if (lines == 0)
            return false;
        bytes = lay_tile(s, group, rows, lines, t);
        fits = bytes <= limit && a->elements < 1 << 16;
        if (!fits && rows > 1)
            rows = (rows + 1) / 2;
        else if (!fits)
            lines = lines > outputs ? (lines / 2 + outputs - 1) / outputs * outputs : 0;
    }
    t->room = (unsigned)bytes;
    const uint64_t parts = gp_ceil_div(t->out_lines, lines), before_last = (parts - 1) * lines;
    a->parts = (cl_uint)parts;
    a->has_sets = s->batches > rows;
    a->part_inputs = lines * a->inputs;
    a->part_positions = lines * t->phases;
    a->last_elements = (cl_uint)elements_of(s, t, t->out_lines - before_last);
    a->last_outputs = (cl_uint)((s->outputs - before_last * t->phases) * s->channels);
    t->groups = gp_ceil_div(s->batches, rows) * parts;
    t->has_lines = gp_tile_has_lines(s, t);
    return t->groups <= INT32_MAX;
}

// Whether the turns that phases spare outweigh what inputs take to get there, in instructions.
// u8, 166 taps, step 8, dilation 27: 212 us with inputs as in x, 136 by phases (H200, 2026-11-23).
static bool is_worth_sorting(const struct convolve_shape *s, const struct tile *t,
                             const struct tile *sorted)
{
    const double turns = (double)gp_tile_turns(s, t, t->a.pitch) -
                         (double)gp_tile_turns(s, sorted, sorted->a.pitch);
    const double reads =
        ((double)s->filter->taps + (t->item_outputs - 1.0) * t->step) / t->item_outputs;
    const double words = gp_convolve_operand_bytes(s->filter) / 4;
    return 4 * words * turns * reads > SORTING * (double)t->a.elements / t->a.outputs;
}

// The same for lines of outputs that lie padded: an even step lets items meet in banks. The turns
// go on beside other instructions.
static bool is_worth_padding(const struct convolve_shape *s, const struct tile *t,
                             const struct tile *padded)
{
    const double turns = (double)gp_tile_turns(s, t, t->a.pitch) -
                         (double)gp_tile_turns(s, padded, padded->a.pitch);
    const double reads =
        ((double)s->filter->taps + (t->item_outputs - 1.0) * t->step) / t->item_outputs;
    const unsigned size = gp_convolve_operand_bytes(s->filter), vec = 16 / size;
    const bool is_even = vec % t->line_elements == 0;
    const double padding = t->has_rows && t->by_vectors ? PADDING_ROWS
                           : is_even                    ? PADDING_EVEN
                                                        : PADDING;
    return size / 2 * turns * reads > padding * (double)t->a.elements / t->a.outputs;
}

bool gp_tile_lay_out(const struct convolve_shape *s, unsigned group, unsigned outputs,
                     uint64_t limit, struct tile *t)
{
    struct tile other;
    if (!gp_tile_lay_out_as(TILE_AS_X, s, group, outputs, 1, limit, t))
        return false;
    const bool has_phases = t->phases > 1 && s->channels == 1 && s->step == s->filter->stride;
    const bool is_even = !gp_tile_has_gaps(s) && s->phases == 1 && s->step % 2 == 0;
    if (has_phases && !t->has_rows &&
        gp_tile_lay_out_as(TILE_SORTED, s, group, outputs, 1, limit, &other) &&
        is_worth_sorting(s, t, &other))
        *t = other;
    else if (is_even && gp_tile_lay_out_as(TILE_PADDED, s, group, outputs, 1, limit, &other) &&
             is_worth_padding(s, t, &other))
        *t = other;
    return true;
}
