/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_turn: how rows, outputs and local memory are divided among groups. */
#include "gpu_turn.h"

enum {
    MOST_STEP = 1 << 12,
    MOST_DILATION = 1 << 14, // these two keep 32 bits from overflowing
    ROOM = 24 << 10,      // bytes of local memory, more only where a tile would be mostly halo
    BACK_ROOM = 32 << 10, // the same where columns become rows
    MOST_CODE = 2560,     // multiply-adds of an item, which are all unrolled
    NEAR = 64,            // blocks of rows that are taken in turn
    SECTOR = 32,          // bytes that come from memory at once
    GROUP = 150,          // instructions of an item once,
    ITEM = 30,            // and for a unit,
    OUTPUT = 8,           // of an output, beside its multiply-adds,
    LOAD = 12,            // of an input,
    BATCH = 64,           // so many of which items load at once,
    BYTE = 6,             // what a byte from the second level cache takes,
    PART = 1200           // and sectors that are written in two parts, at both ends of a line
};

bool gp_turn_is_back(const struct convolve_shape *s)
{
    return gp_abs(s->stride) > gp_abs(s->row_stride);
}

// Only taps that are all zero have sums of i32 in f32, and bits of i32 that were read as f32 could
// be NaN.
bool gp_turn_has_words(const struct convolve_shape *s)
{
    const struct gpuprim_filter *f = s->filter;
    return !gp_turn_is_back(s) && gp_type_size(f->in) <= 4 && gp_abs(s->stride) == 1 &&
           !(f->in == GPUPRIM_I32 && f->sums_in_f32);
}

// Whether the tile has elements of less than 4 bytes as they are.
static bool has_cells(const struct convolve_shape *s)
{
    return gp_type_size(s->filter->in) < 4 && (gp_turn_is_back(s) || gp_turn_has_words(s));
}

bool gp_turn_has_exchange(const struct convolve_shape *s)
{
    return gp_turn_is_back(s) && s->phases * gp_type_size(s->filter->out) < SECTOR;
}

// Bytes of a position of a row in the tile.
static unsigned cell_bytes(const struct convolve_shape *s)
{
    return has_cells(s) ? (unsigned)gp_type_size(s->filter->in)
                        : gp_convolve_operand_bytes(s->filter);
}

// Lays out a group that takes `segments` times ITEM_OUTPUTS outputs of a phase.
static void lay_tile(const struct convolve_shape *s, uint64_t segments, struct turn *t)
{
    const struct gpuprim_filter *f = s->filter;
    const uint64_t outputs = segments * t->item_outputs * s->phases;
    const uint64_t elements = (outputs - 1) * f->stride + f->halo + 1, unit = 16;
    uint64_t pitch = elements | 1; // of more segments than fit it has more than 32 bits
    if (gp_turn_has_words(s) || has_cells(s)) { // a row may begin and end inside a word
        const uint64_t in_word = 4 / gp_type_size(f->in);
        pitch = ((elements + 2 * in_word - 2) / in_word | 1) * in_word;
    }
    t->a.outputs = (cl_uint)outputs;
    t->a.pitch = (cl_uint)pitch;
    t->bytes = gp_ceil_div(pitch * t->rows * cell_bytes(s), unit) * unit +
               (gp_turn_has_exchange(s) ? outputs * t->rows * gp_type_size(f->out) : 0);
}

// Where columns become rows, items that are neighbours in a row have an odd number of outputs: they
// read from different banks.
static unsigned fewer(const struct convolve_shape *s, unsigned outputs)
{
    return !gp_turn_is_back(s) ? outputs / 2 : outputs == 1 ? 0 : outputs - 2;
}

// Instructions of an item for a unit: its multiply-adds, its loads from local memory, ITEM
// more, and OUTPUT for an output.
static uint64_t unit_of(const struct convolve_shape *s, unsigned outputs)
{
    return outputs * s->filter->taps + s->filter->taps + (outputs - 1) * s->step +
           OUTPUT * outputs + ITEM;
}

// Outputs of an item: few where taps are few, or the code would be long, and those with which the
// teams of a group are done first with a short row.
static unsigned outputs_of(const struct convolve_shape *s, const struct turn *t)
{
    const struct gpuprim_filter *f = s->filter;
    const uint64_t lane = gp_ceil_div(s->outputs, s->phases), teams = t->group / t->rows;
    unsigned best = 1;
    uint64_t least = UINT64_MAX;
    const unsigned most = gp_convolve_sum_bytes(f) == 8 || f->taps <= 8 ? 8 : 16;
    for (unsigned n = gp_turn_is_back(s) ? most - 1 : most; n > 0; n = fewer(s, n)) {
        const uint64_t inputs = f->taps + (n - 1) * s->step;
        const uint64_t units = gp_ceil_div(lane, (uint64_t)n) * s->phases;
        const uint64_t cost = gp_ceil_div(units, teams) * unit_of(s, n);
        if (n * f->taps > MOST_CODE || inputs > TURN_MOST_INPUTS || cost >= least)
            continue;
        least = cost;
        best = n;
    }
    return best;
}

// Instructions of all groups, about. The teams of a group share its units, or all items do
// where columns become rows. A group loads the inputs in front of its own again, and a sector
// more of each line. H200, driver 580.159, 2026-11-27, us of 32, 48 and 64 rows with groups of
// 192: f32, 1 tap, 44 rows (two blocks, or one) 441, 251, 253; f32, 9 taps, 174444 rows 153,
// 139, 152, with 256 items 147, 131, 134; f16, 30 taps, 143 rows 489, 427, 428; f64, 1 tap,
// 78947 rows 305, 284, 259.
static double cost_of(const struct convolve_shape *s, uint64_t segments, const struct turn *t)
{
    const uint64_t rows = t->rows, units = segments * s->phases;
    const uint64_t rounds = gp_turn_is_back(s) ? gp_ceil_div(rows * units, (uint64_t)t->group)
                                               : gp_ceil_div(units, t->group / rows);
    // Beside the rows of a tile lie those of others, but where it has all of them.
    const uint64_t blocks = gp_ceil_div(s->rows, rows);
    const bool has_lines = blocks == 1 && gp_abs(s->out_stride) == s->rows;
    const uint64_t batch = gp_turn_is_back(s) ? 1 : BATCH,
                   loads = gp_ceil_div(t->a.pitch, batch) * batch *
                           (LOAD * rows + (gp_turn_is_back(s) ? BYTE * SECTOR : 0)),
                   stores = gp_turn_is_back(s) || has_lines ? 0 : PART * t->a.outputs;
    const double groups =
        (double)blocks * (double)gp_ceil_div(s->outputs, (uint64_t)t->a.outputs);
    return groups *
           (double)(t->group * (GROUP + rounds * unit_of(s, t->item_outputs)) + loads + stores);
}

// Segments that fit `bytes`: at most as many as a row has, or 0.
static uint64_t most_segments(const struct convolve_shape *s, uint64_t bytes, struct turn *t)
{
    const uint64_t lane = gp_ceil_div(s->outputs, s->phases);
    // A segment has at least one byte.
    uint64_t fit = 0, end = gp_min(gp_ceil_div(lane, (uint64_t)t->item_outputs), bytes) + 1;
    while (fit + 1 < end) {
        const uint64_t middle = fit + (end - fit) / 2;
        lay_tile(s, middle, t);
        if (t->bytes <= bytes)
            fit = middle;
        else
            end = middle;
    }
    return fit;
}

// Of these the number with which all groups are done first. 0: not even one fits. *least is
// what they cost.
static uint64_t segments_for(const struct convolve_shape *s, uint64_t bytes, struct turn *t,
                             double *least)
{
    enum { TRIED = 24 };
    const uint64_t most = most_segments(s, bytes, t);
    uint64_t best = 0;
    for (uint64_t segments = most; segments > 0 && segments + TRIED > most; segments--) {
        lay_tile(s, segments, t);
        const double cost = cost_of(s, segments, t);
        if (best == 0 || cost < *least) {
            *least = cost;
            best = segments;
        }
    }
    return best;
}

// The best layout of tiles of t->rows rows and groups of t->group items. Returns what it costs;
// 0: there is none.
static double lay_out_rows(const gpuprim *gp, const struct convolve_shape *s, struct turn *t)
{
    const uint64_t halo = s->filter->halo,
                   limit = gp_min(gp->caps.local_bytes, CONVOLVE_LOCAL_BYTES - 16);
    for (t->item_outputs = outputs_of(s, t); t->item_outputs > 0;
         t->item_outputs = fewer(s, t->item_outputs)) {
        double cost = 0;
        uint64_t segments =
            segments_for(s, gp_min(gp_turn_is_back(s) ? BACK_ROOM : ROOM, limit), t, &cost);
        if (segments * t->item_outputs * s->phases * s->filter->stride < halo)
            segments = segments_for(s, limit, t, &cost);
        if (segments == 0)
            continue;
        lay_tile(s, segments, t);
        return gp_ceil_div(s->outputs, (uint64_t)t->a.outputs) <= INT32_MAX ? cost : 0;
    }
    return 0;
}

// Items of a group that takes `rows` rows: as many as leave few idle. All items take units
// where columns become rows.
static unsigned group_of(const struct convolve_shape *s, unsigned rows)
{
    static const unsigned groups[] = { 256, 192, 224, 160, 128 };
    unsigned best = groups[gp_turn_is_back(s)];
    for (unsigned i = 0; !gp_turn_is_back(s) && i < sizeof groups / sizeof *groups; i++)
        if (groups[i] / rows * rows * best > best / rows * rows * groups[i])
            best = groups[i];
    return best;
}

// Blocks share the rows evenly. They have about 32, 64 or 128 rows where rows become columns, and
// 32, 48 or 64 where columns become rows. Where rows become columns, more rows of a block leave
// fewer sectors that are written in two parts, which the memory reads first. H100, driver
// 580.159.04, 2026-11-27, us by 32, 64 and 128 rows: u8, 1 tap, 97381 rows 449, 368, 312; f32,
// 1 tap, 12823 rows 293, 234, 194; f16 to f32, 15 taps, 34172 rows 529, 391, 360; but u16, 26
// taps, 83552 rows 187, 205, 223. 31 calls took 6 % longer than by the best of nine layouts, with
// PART 800 or 2400 7 %, by 32, 48 or 64 rows 20 %. Where columns become rows, fewer of them leave
// more room for positions, of which a group loads those in front of its own again; so do 16 or 8
// where there is no room for 32. f32 to f16, 27 taps, dilation 24, 158 rows, us by 8 rows 157, by
// 16 267, by gpu_tap_chunks 356.
bool gp_turn_choose(const gpuprim *gp, const struct convolve_shape *s, struct turn *best)
{
    enum { MANY = 3, ALL = 5 };
    static const unsigned forward[ALL] = { 32, 64, 128, 16, 8 },
                          back[ALL] = { 32, 48, 64, 16, 8 };
    const unsigned *abouts = gp_turn_is_back(s) ? back : forward;
    const struct gpuprim_filter *f = s->filter;
    if (s->step > MOST_STEP || f->stride > MOST_STEP || f->dilation > MOST_DILATION ||
        f->halo > CONVOLVE_LOCAL_BYTES)
        return false;
    unsigned tried = gp_turn_is_back(s) ? ALL : MANY;
    double least = 0;
    for (unsigned i = 0; i < tried; i++) {
        const uint64_t blocks = gp_ceil_div(s->rows, (uint64_t)abouts[i]);
        struct turn t = { .rows = (unsigned)gp_ceil_div(s->rows, blocks) };
        t.group = group_of(s, t.rows);
        const double cost = lay_out_rows(gp, s, &t);
        if (i + 1 == MANY && cost == 0 && least == 0)
            tried = ALL;
        if (cost == 0 || (least > 0 && cost >= least))
            continue;
        least = cost;
        *best = t;
    }
    if (least == 0)
        return false;
    best->along = gp_turn_is_back(s) ? best->group : 32;
    const uint64_t width = best->a.pitch * cell_bytes(s) / gp_convolve_operand_bytes(s->filter);
    while (!gp_turn_is_back(s) && best->along > 4 && width <= best->along / 2)
        best->along /= 2;
    best->a.parts = (cl_uint)gp_ceil_div(s->outputs, (uint64_t)best->a.outputs);
    return true;
}

uint64_t gp_turn_lay_blocks(const struct convolve_shape *s, unsigned group, struct turn *t)
{
    const uint64_t blocks = gp_ceil_div(s->rows, (uint64_t)ROWS_AT_ONCE(group, t->rows));
    const uint64_t sets = gp_ceil_div(blocks, NEAR);
    t->a.near = (cl_uint)gp_ceil_div(blocks, sets);
    return sets * t->a.near * t->a.parts;
}
