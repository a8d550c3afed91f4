/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_tile: how the outputs of a group lie in memory and reach it, and the
 * kernel's arguments that follow from a layout. See gpu_tile.h. */
#include "gpu_tile.h"

enum {
    LEAST_LINE = 8,    // outputs of a row that a team writes
    LEAST_PACKED = 48, // and of one that it writes by vectors
    LEAST_TEAM = 32,   // items that take elements one by one
    TEAM_START = 3,    // what a team takes to begin with a row, in vectors of an item
};

// divide() of the kernel takes it for a number up to `most`, which is below 2^16.
static cl_uint reciprocal(uint64_t d, uint64_t most)
{
    return d == 1 ? 0 : d > most ? 1 : (cl_uint)gp_ceil_div((uint64_t)1 << 32, d);
}

unsigned gp_tile_load_length(const struct convolve_shape *s)
{
    return 16 / (unsigned)gp_type_size(s->filter->in);
}

bool gp_tile_has_packs(const struct convolve_shape *s)
{
    return gp_type_size(s->filter->out) < 4;
}

// Whether the outputs of a group are contiguous, in some order. Backwards only what is surely
// aligned to its elements.
static bool is_contiguous(const struct convolve_shape *s, const struct tile *t)
{
    const bool rows_touch = s->channels > 1
                                ? gp_abs(s->out_row_stride) == 1
                                : !t->has_rows || gp_abs(s->out_row_stride) == s->outputs;
    const bool has_lines = s->channels > 1 || t->has_rows;
    const bool is_forward = s->out_stride > 0 && (!has_lines || s->out_row_stride > 0);
    return gp_abs(s->out_stride) == s->channels && rows_touch &&
           (is_forward || s->filter->out != GPUPRIM_C32);
}

bool gp_tile_is_turned(const struct convolve_shape *s, const struct tile *t)
{
    return (t->has_lines || is_contiguous(s, t)) && s->out_stride < 0;
}

bool gp_tile_is_mirrored(const struct convolve_shape *s, const struct tile *t)
{
    const bool rows_turned = s->out_row_stride < 0, turned = s->out_stride < 0;
    return is_contiguous(s, t) &&
           (t->has_rows ? rows_turned : s->channels > 1 && rows_turned != turned);
}

// Whether the outputs of rows that lie apart are written one by one: short rows, and wide
// outputs.
static bool has_short_lines(const struct convolve_shape *s, const struct tile *t)
{
    return !gp_tile_has_packs(s) || (t->has_rows && s->outputs < LEAST_PACKED);
}

bool gp_tile_has_lines(const struct convolve_shape *s, const struct tile *t)
{
    return gp_abs(s->out_stride) == 1 && !is_contiguous(s, t) &&
           (t->has_rows || gp_min(t->a.part_positions, s->outputs) >= LEAST_LINE);
}

// How many items take a row or a channel together: whatever takes the least time.
static void form_teams(const struct convolve_shape *s, unsigned group, uint64_t lines,
                       struct tile *t)
{
    struct tile_arguments *a = &t->a;
    const unsigned vec = 16 / gp_convolve_operand_bytes(s->filter);
    const uint64_t vectors = gp_ceil_div(t->has_rows ? a->elements : a->part_positions, vec);
    const cl_uint even = lines < group / 8 ? (cl_uint)(group / lines) : 8;
    const cl_uint sizes[] = { even, 8, 16, 32 };
    uint64_t least = UINT64_MAX;
    a->team = group;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const cl_uint team = (cl_uint)gp_min(sizes[i], group);
        const uint64_t turns = gp_ceil_div(lines, group / team);
        const uint64_t cost = turns * (TEAM_START + gp_ceil_div(vectors, team));
        if (cost < least) {
            least = cost;
            a->team = team;
        }
    }
    a->teams = group / a->team;
    a->by_team = reciprocal(a->team, group);
}

// What an item takes for `lines` lines of so many elements each, in elements. `is_folded`: those
// beyond the ends of short rows. An item either finds an element once and puts it into all its
// lines, or goes through one line after the other, four elements at a time. As ptxas counts: 13
// instructions for an element, 30 to find one or to begin with a line, and 50 to begin with
// them. H100, driver 580.159.04, 2026-11-27, us where each is found once and by lines: f32 to
// f16, 40 taps, dilation 17, rows of 136, full 238, 181; i8, 22 taps, dilation 14, rows of 20,
// full 705, 648.
static uint64_t turns_of(uint64_t elements, uint64_t lines, bool is_folded)
{
    enum { START = 3, FIRST = 4, AT_ONCE = 4 };
    if (is_folded && elements > lines)
        return (gp_ceil_div(elements, AT_ONCE) * AT_ONCE + START) * lines + FIRST;
    return elements * lines + (is_folded ? START * elements : 0);
}

// How items share `far` lines of `near` elements, by teams of at least `least` items, where lines
// are so long: whatever takes the least time, by teams as large as possible.
static struct tile_share share_lines(unsigned group, uint64_t near, uint64_t far,
                                     unsigned least, bool is_folded)
{
    struct tile_share best = { .team = 1 };
    uint64_t fewest = UINT64_MAX;
    for (unsigned lines = 1; lines <= group; lines++) {
        const uint64_t team = gp_min(group / lines, near);
        const uint64_t turns =
            turns_of(gp_ceil_div(near, team), gp_ceil_div(far, (uint64_t)lines), is_folded);
        if (turns < fewest && (lines == 1 || team >= gp_min(near, least))) {
            fewest = turns;
            best.team = (cl_uint)team;
        }
    }
    best.by_team = reciprocal(best.team, group + 1);
    return best;
}

// The same for elements that lie beyond an end of short rows.
static struct tile_share share_ends(const struct convolve_shape *s, unsigned group,
                                    const struct tile *t)
{
    const int64_t elements = (int64_t)t->a.elements, origin = s->origin;
    const int64_t left = origin < 0 ? -origin : 0, right = origin + elements - (int64_t)s->n;
    const int64_t longer = left > right ? left : right;
    return share_lines(group, longer > 0 ? gp_min((uint64_t)longer, t->a.elements) : 1,
                       t->a.rows, 1, true);
}

// How the sums of rows lie in local memory. Items of short rows write also those that a row
// lacks. The first vector may lack all but one output.
static void shape_lines(const struct convolve_shape *s, unsigned group, uint64_t lines,
                        struct tile *t)
{
    struct tile_arguments *a = &t->a;
    const uint64_t vec = 16 / gp_convolve_operand_bytes(s->filter);
    const uint64_t unit = t->item_outputs * t->phases;
    const uint64_t outputs = t->has_rows ? gp_ceil_div(a->out_near, unit) * unit : a->out_near;
    a->out_by_elements = has_short_lines(s, t);
    a->out_units =
        (cl_uint)(a->out_by_elements ? a->out_near : (a->out_near + 2 * vec - 2) / vec);
    a->by_out_units = reciprocal(a->out_units, (uint64_t)lines * a->out_units + 8 * group);
    a->out_near = (cl_uint)(gp_tile_has_packs(s) ? (outputs + 2 * vec - 2) / vec : outputs);
}

// Inputs beyond the ends, for one fold. Where another one is needed, or none, the shift is -1:
// beyond an end again.
static void fold(enum gpuprim_boundary mode, bool is_left, int64_t n, cl_int *factor,
                 cl_long *shift)
{
    *factor = mode == GPUPRIM_REFLECT_HALF || mode == GPUPRIM_REFLECT_WHOLE ? -1
              : mode == GPUPRIM_WRAP                                        ? 1
                                                                            : 0;
    *shift = mode == GPUPRIM_REFLECT_HALF    ? (is_left ? -1 : 2 * n - 1)
             : mode == GPUPRIM_REFLECT_WHOLE ? (is_left ? 0 : 2 * n - 2)
             : mode == GPUPRIM_WRAP          ? (is_left ? n : -n)
             : mode == GPUPRIM_EDGE          ? (is_left ? 0 : n - 1)
                                             : -1;
}

void gp_tile_complete(const struct convolve_shape *s, unsigned group, struct tile *t)
{
    const struct gpuprim_filter *f = s->filter;
    struct tile_arguments *a = &t->a;
    a->out_is_flat = is_contiguous(s, t);
    fold(f->left, true, (int64_t)s->n, &a->left_factor, &a->left_shift);
    fold(f->right, false, (int64_t)s->n, &a->right_factor, &a->right_shift);
    const uint64_t most = (uint64_t)a->rows * a->elements + a->pitch;
    a->by_items = reciprocal(a->items, group);
    a->by_out_lanes = reciprocal(a->out_lanes, a->outputs + group);
    a->by_line = reciprocal(t->line_elements, most);
    a->by_channels = reciprocal(a->channels, most);
    // The last group may have fewer rows, and the last one of a row fewer positions.
    const uint64_t rows = t->has_rows ? a->rows : s->channels;
    const uint64_t inputs = a->elements / s->channels;
    const uint64_t outputs = gp_min(a->part_positions, s->outputs);
    a->in_rows_near = gp_abs(s->row_stride) < gp_abs(s->stride);
    a->in_near = (cl_uint)(a->in_rows_near ? rows : inputs);
    a->in_far = (cl_uint)(a->in_rows_near ? inputs : rows);
    a->by_in_near = reciprocal(a->in_near, rows * inputs + 4 * group);
    a->out_rows_near = gp_abs(s->out_row_stride) < gp_abs(s->out_stride);
    a->out_near = (cl_uint)(a->out_rows_near ? rows : outputs);
    form_teams(s, group, rows, t);
    a->in = share_lines(group, a->in_near, a->in_far, LEAST_TEAM, false);
    a->ends = share_ends(s, group, t);
    a->out =
        share_lines(group, a->out_near, a->out_rows_near ? outputs : rows, LEAST_TEAM, false);
    const uint64_t front = s->origin < 0 ? gp_min((uint64_t)-s->origin, a->elements) : 0;
    if (t->has_rows && front > 0)
        a->by_history = reciprocal(front, a->rows * front + 8 * group);
    const int64_t inside = (int64_t)s->n - s->origin; // inputs up to the right end
    const int64_t tail = inside < (int64_t)front ? (int64_t)front : inside;
    const uint64_t ends =
        front + (tail < (int64_t)a->elements ? a->elements - (uint64_t)tail : 0);
    if (t->has_rows && ends > 0)
        a->by_ends = reciprocal(ends, a->rows * ends + group);
    if (t->has_lines)
        shape_lines(s, group, rows, t);
    if (t->by_vectors && t->has_rows) {
        const uint64_t pitch = (uint64_t)s->row_stride;
        const unsigned vec = 16 / gp_convolve_operand_bytes(f);
        a->turn_rows = (cl_uint)(group * vec / pitch);
        a->turn_rest = (cl_uint)(group * vec % pitch);
        a->by_row = reciprocal(pitch, a->rows * pitch);
    } else if (t->has_rows) {
        const unsigned length = gp_tile_load_length(s);
        a->row_loads = (cl_uint)((gp_min(a->elements, s->n) + 2 * length - 2) / length);
        a->turn_rows = (cl_uint)(group / a->row_loads);
        a->turn_rest = (cl_uint)(group % a->row_loads);
        a->by_row = reciprocal(a->row_loads, group);
    } else if (t->has_line_vectors) {
        const unsigned vec = 16 / gp_convolve_operand_bytes(f);
        a->row_loads = (cl_uint)((s->channels + 2 * vec - 2) / vec);
        a->by_row = reciprocal(a->row_loads, inputs * a->row_loads + TILE_LINE_AHEAD * group);
    }
}

unsigned gp_tile_row_loads(const struct convolve_shape *s, unsigned group, const struct tile *t)
{
    const struct tile_arguments *a = &t->a;
    if (!t->has_rows || gp_abs(s->stride) != 1)
        return 1;
    uint64_t loads = (uint64_t)a->rows * a->row_loads;
    if (t->by_vectors) {
        const uint64_t pitch = (uint64_t)s->row_stride;
        const unsigned vec = 16 / gp_convolve_operand_bytes(s->filter);
        const bool is_span = t->order != TILE_PADDED && a->pitch == pitch;
        loads = 1 + gp_ceil_div((a->rows - 1) * pitch + s->n,
                                is_span ? gp_tile_load_length(s) : vec);
    }
    unsigned most = 1;
    while (most < TILE_ROW_LOADS && (uint64_t)most * group < loads)
        most *= 2;
    return most;
}

// Elements that a row of the tile has beyond an end.
static uint64_t beyond(const struct convolve_shape *s, const struct tile *t, bool left)
{
    const int64_t elements = (int64_t)t->a.elements,
                  count = left ? -s->origin : s->origin + elements - (int64_t)s->n;
    return count > 0 ? (uint64_t)(count < elements ? count : elements) : 0;
}

// f32, 3 taps, rows of 100, by ptxas: 2072 instructions with the code for many, 1488 without. H100,
// driver 580.159.04, 2026-11-28: 739 us with it, 723 when it had 288 instructions less. Without
// it was not measured.
bool gp_tile_has_many_ends(const struct convolve_shape *s, unsigned group, const struct tile *t)
{
    return t->has_rows && t->a.rows * (beyond(s, t, true) + beyond(s, t, false)) >
                              (uint64_t)TILE_ITEM_ENDS * group;
}

// A constant everywhere takes 3 instructions for 16 bytes and a barrier, some 30; where it is put
// element by element, 5 for each. By counting; not measured.
unsigned gp_tile_filler(const struct convolve_shape *s, unsigned group, const struct tile *t)
{
    const struct gpuprim_filter *f = s->filter;
    const bool left = f->left <= GPUPRIM_CONSTANT, right = f->right <= GPUPRIM_CONSTANT;
    const bool is_span = t->by_vectors && t->a.pitch == (uint64_t)s->row_stride;
    if (!t->has_rows || is_span || !(left || right))
        return 0;
    // Vectors that rows share are stored for both: behind the inputs of one, up to those of the
    // next, and in front of those of the other. They must not reach the far end of a row beside.
    const uint64_t head = beyond(s, t, true),
                   more = 16 / gp_convolve_operand_bytes(f) - 1 + s->step - 1;
    if (t->by_vectors && (head + gp_abs(s->row_stride) + more > t->a.pitch ||
                          t->a.elements + more > t->a.pitch + head))
        return 0;
    const uint64_t on_left = left ? beyond(s, t, true) : 0;
    const uint64_t on_right = right ? beyond(s, t, false) : 0;
    const bool is_left = on_left >= on_right;
    const uint64_t count = is_left ? on_left : on_right;
    const uint64_t near = gp_tile_load_length(s) +
                          (t->by_vectors ? gp_abs(s->row_stride) - s->n : 0); // of those beside
    if (count <= near || 5 * (count - near) * t->a.rows <= 3 * t->room / 16 + 30 * group)
        return 0;
    return is_left ? 1 : 2;
}
