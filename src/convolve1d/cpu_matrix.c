/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant cpu_matrix: CPU devices; any strides, dilation and rows. A tile of inputs
 * is put side by side as a matrix whose lanes meet the same taps. Its kernel is
 * kernels/convolve1d/cpu_matrix.cl, which draws it; this file decides what the lanes are. */
#include "cpu_tiles.h"

#include <string.h>

enum {
    GROUP_TAPS = 1 << 20, // as in cpu_residues.c
    OUTPUT_TAPS = 16,
    MOST_LINES = 256, // of outputs in a tile of many lanes
    FEWEST_LINES = 32,
    MOST_LANES = 512,
    NEAR_VECS = 512, // fit the nearest cache
};

// What there is to divide. A phase of a tile has the lines of its outputs and turns * spread
// more.
struct work {
    uint64_t order;             // elements of a vector
    uint64_t channels, batches; // rows that may be lanes, and how many times
    uint64_t fold;              // outputs of a line
    uint64_t spread;            // lines of a phase from a tap to that `phases` taps on
    uint64_t phases, turns;     // taps of a span: turns + 1 of the first phase
    uint64_t outputs;
    bool short_rows; // are the channels
    bool own_taps;   // each row has its own
};

// Lines of outputs for which there is room.
static uint64_t room(const struct work *w, uint64_t pitch)
{
    const uint64_t inputs = MATRIX_INPUT_VECS * w->order / (w->phases * pitch),
                   halo = w->turns * w->spread;
    return inputs > halo ? gp_min(inputs - halo, MATRIX_SUM_VECS * w->order / pitch) : 0;
}

// Makes dilated rows one long line each: taps are further apart then.
static void unfold(struct work *w)
{
    w->spread *= w->fold;
    w->fold = 1;
}

// The lanes of a tile whose channels have taps of their own: the kernel has two vectors of each
// tap, in which the channels' taps recur.
static uint64_t tap_pitch(const struct work *w)
{
    uint64_t pitch = 2;
    while (pitch < w->channels && pitch < 2 * w->order)
        pitch *= 2;
    return pitch;
}

// Whether a phase takes elements of a row by vectors of spaced ones, and blocks of rows cannot
// be transposed. Such rows are lanes only if they have fewer outputs than six vectors: a row's
// sums are rounded up to ten. PoCL 3.1, both cores with AVX-512, 2026-11-28; outputs of a row:
// us as lanes, row by row:
//     f32, 1 tap, step 5, 153: 258, 196
//     u8, 3 taps, every second, 400: 549, 269
//     i32, 5 taps, step 7, dilation 2, 400: 1617, 470
//     f32, 33 taps, step 5, dilation 3, 200: 1822, 1394
// Slower:
//     f32, 33 taps, step 5, dilation 3, 60: 911, 1026; 129 taps, 200: 1214, 1538
//     i16, 9 taps, step 4, dilation 2, 100: 408, 444
//     f32, 9 taps, step 20, 50: 610, 777; step 5 without a dilation, 100: 250, 537
static bool lies_spaced(const struct convolve_shape *s, uint64_t taps)
{
    enum { MOST_TAPS = 64 };
    const struct gpuprim_filter *f = s->filter;
    const uint64_t between = gp_abs(s->stride), apart = f->stride * between;
    return apart >= 2 && apart <= 7 && f->taps <= MOST_TAPS &&
           (between > 1 || f->dilation > 1 || taps < s->step);
}

// Whether neighbouring inputs or outputs are those of one channel. Blocks of them are transposed, for
// which tiles have all positions, whatever the dilation. PoCL 3.1, both cores of an AMD EPYC with
// AVX-512, 2026-12-01, f32, us of tiles of every dilation-th position and so: 64 rows of 32 768 to
// columns, 33 taps, dilation 2 4529 1055, 9 taps, dilation 5 3549 772; 39 rows, 79 taps, dilation 2
// 4410 3294; 500 rows, 33 taps 1821 1143; 64 columns to rows, 79 taps, dilation 2 6269 1917; 100
// columns, 9 taps, dilation 3 1232 905. With a step, and phases that are taken together
// (kernels/convolve1d/cpu_lines.cl): 64 rows, 9 taps, dilation 3, step 2 3481 647, step 5 3084 891;
// u8, step 2 3820 541; 33 taps, dilation 5, step 3 3384 1044; columns to rows the same.
static bool crosses(const struct convolve_shape *s)
{
    return gp_abs(s->stride) < gp_abs(s->row_stride) ||
           gp_abs(s->out_stride) < gp_abs(s->out_row_stride);
}

static struct work work_of(const gpuprim *gp, const struct convolve_shape *s)
{
    struct work w = { .order = gp_convolve_order(gp, s->filter),
                      .channels = s->channels,
                      .batches = s->batches,
                      .fold = s->phases,
                      .spread = 1,
                      .outputs = s->outputs,
                      .own_taps = s->filter->rows > 1 };
    const uint64_t taps = gp_min(s->filter->taps, SPAN_ORDERS * w.order);
    w.turns = (taps - 1) / s->step;
    w.phases = gp_min(s->step, taps);
    uint64_t pitch = tap_pitch(&w), most = MOST_LINES;
    const uint64_t shortest = lies_spaced(s, taps) ? 6 * w.order : CPU_SHORT_ROW;
    if (w.channels == 1 && s->outputs < shortest && s->rows >= 2 * w.order) {
        w.channels = s->rows;
        w.batches = 1;
        w.short_rows = true;
        pitch = w.order;
    } else if (w.channels > 1 && !w.own_taps && crosses(s)) {
        pitch = 2 * w.order;
        most = MOST_LINES / w.phases; // neighbouring inputs are taken at once
    } else if (!w.own_taps || w.channels == 1)
        return w;
    struct work whole = w;
    unfold(&whole);
    return room(&whole, pitch) >= gp_min(w.outputs, most) ? whole : w;
}

// Short rows whose inputs all have room, beside two constants and the history: the kernel has a
// table of the lines that inputs stand in.
static bool take_whole(struct work *w, const struct convolve_shape *s,
                       struct matrix_arguments *m, uint64_t lanes)
{
    const struct gpuprim_filter *f = s->filter;
    const uint64_t rows = s->channels > 1 ? s->channels : s->rows, most = MATRIX_PLACES;
    const uint64_t history = f->left == GPUPRIM_HISTORY ? f->halo : 0;
    if (w->own_taps || s->n > most || s->outputs > most || f->stride > most ||
        (s->n + 2 + history) * lanes > MATRIX_INPUT_VECS * w->order ||
        3 * gp_ceil_div(rows, lanes) * lanes > 5 * rows)
        return false;
    const uint64_t places = (s->outputs - 1) * f->stride + f->halo + 1;
    w->channels = rows;
    w->batches = w->fold = 1;
    m->channels = m->pitch = (cl_uint)lanes;
    m->zs = m->fold = 1;
    m->lines = (cl_uint)(MATRIX_SUM_VECS * w->order / lanes);
    m->places = (cl_uint)gp_min(places, MATRIX_PLACES + 1);
    return true;
}

// Lanes are neighbouring channels, or neighbouring outputs with all channels. Few taps take
// wide tiles, because memory is read by the line; many take long ones, because each tile reads
// lines that others read, too.
static void take_lanes(const struct work *w, bool are_channels, struct matrix_arguments *m)
{
    const uint64_t near = NEAR_VECS * w->order, sums = MATRIX_SUM_VECS * w->order;
    const uint64_t halo = w->turns * w->spread, unit = are_channels ? w->order : w->channels;
    const uint64_t all = are_channels ? w->channels : w->channels * w->fold;
    const bool lane_taps = w->own_taps && are_channels;
    uint64_t lines = w->short_rows ? w->outputs : gp_min(4 * halo, MOST_LINES);
    if (lines < FEWEST_LINES)
        lines = FEWEST_LINES;
    lines = gp_min(lines, gp_ceil_div(w->outputs, w->fold));
    uint64_t pitch = gp_min(sums / lines, near / (w->phases * (lines + halo)));
    pitch = gp_min(pitch, MOST_LANES);
    const uint64_t narrow = w->short_rows ? w->order : 2 * w->order;
    if (pitch < narrow)
        pitch = narrow;
    if (lane_taps)
        pitch = tap_pitch(w);
    const uint64_t blocks = all < pitch ? 1 : (all + pitch / 2) / pitch;
    uint64_t lanes = gp_ceil_div(gp_ceil_div(all, blocks), unit) * unit;
    if (w->short_rows && room(w, lanes) == 0)
        lanes = w->order;
    if (lane_taps)
        lanes = pitch;
    m->pitch = (cl_uint)(lane_taps ? pitch : gp_ceil_div(lanes, w->order) * w->order);
    m->channels = (cl_uint)(are_channels ? lanes : w->channels);
    m->zs = are_channels ? 1 : (cl_uint)(lanes / w->channels);
    m->fold = (cl_uint)w->fold;
    m->spread = (cl_uint)w->spread;
    m->lines = (cl_uint)room(w, m->pitch);
}

static void take_flat(struct work *w, struct matrix_arguments *m)
{
    unfold(w);
    const uint64_t near = MATRIX_SUM_VECS / 2 * w->order / w->channels; // the nearest cache
    const uint64_t most = 4 * w->turns * w->spread;
    m->pitch = m->channels = (cl_uint)w->channels;
    m->zs = m->fold = 1;
    m->spread = (cl_uint)w->spread;
    m->lines = (cl_uint)gp_min(room(w, w->channels), near > most ? near : most);
}

// Large steps with several channels may leave no room for a line: then each channel is a row.
static void divide(struct work *w, struct matrix_arguments *m)
{
    struct work flat = *w;
    unfold(&flat);
    if (w->channels >= 2 * w->order || (w->own_taps && w->channels > 1))
        take_lanes(w, true, m);
    else if (w->channels * w->fold >= 2 * w->order &&
             room(&flat, w->channels) < 4 * flat.turns * flat.spread)
        take_lanes(w, false, m);
    else
        take_flat(w, m);
    if (m->lines)
        return;
    w->batches *= w->channels;
    w->channels = 1;
    w->short_rows = false;
    divide(w, m);
}

static bool fits(const gpuprim *gp, const void *call)
{
    (void)call;
    return gp_convolve_cpu_takes(gp);
}

// With registers of 32 bytes, PoCL 3.1, both cores of an AMD EPYC with AVX2, 2026-11-30, 2^20 f32, us by 10
// vectors and a window of 8, and by 6 and 4: dilation 3, 33 taps 2228 749, 129 taps 4077 1729; stereo, 33 taps
// 2270 686; columns of 100, 33 taps 3073 901; rows of 100, 33 taps 1729 1175; step 2, 9 taps 356 320.
static unsigned tile_vecs(const gpuprim *gp)
{
    return gp_convolve_cpu_vecs(gp, 10, 6);
}

static void specialise(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)variant;
    gp_convolve_cpu_define(gp, s, tile_vecs(gp), key);
    gp_define(key, "WINDOW", gp_convolve_cpu_vecs(gp, 8, 4));
    gp_define(key, "LANE_TAPS", s->filter->rows > 1);
}

static struct matrix_arguments tiles_of(const gpuprim *gp, const struct convolve_shape *s)
{
    struct work w = work_of(gp, s);
    struct matrix_arguments m = { .step = (cl_uint)s->step };
    if (!take_whole(&w, s, &m, tile_vecs(gp) * w.order))
        divide(&w, &m);
    const uint64_t lines = gp_ceil_div(w.outputs, m.fold), zs = gp_min(m.fold, w.outputs);
    m.lines = (cl_uint)gp_min(m.lines, lines);
    m.length = m.lines + (cl_uint)w.turns * m.spread;
    m.line_tiles = gp_ceil_div(lines, m.lines);
    m.lines = (cl_uint)gp_ceil_div(lines, m.line_tiles);
    m.z_blocks = gp_ceil_div(zs, m.zs);
    m.channel_blocks = gp_ceil_div(w.channels, m.channels);
    m.tiles = m.line_tiles * m.z_blocks * m.channel_blocks * w.batches;
    return m;
}

static void lay_out(const gpuprim *gp, const struct convolve_shape *s,
                    const struct gp_variant *variant, unsigned work_group,
                    struct convolve_layout *l)
{
    struct matrix_arguments m;
    (void)work_group;
    if (!gp_convolve_cpu_pad(gp, s, &m))
        m = tiles_of(gp, s);
    const double taps =
        (double)(s->filter->taps + OUTPUT_TAPS) * (double)m.lines * m.pitch * (double)m.tiles;
    uint64_t groups = (uint64_t)gp->caps.compute_units * variant->groups_per_unit;
    if (taps < (double)GROUP_TAPS * (double)groups)
        groups = (uint64_t)(taps / GROUP_TAPS) + 1;
    l->share = gp_ceil_div(m.tiles, groups);
    l->groups = gp_ceil_div(m.tiles, l->share);
    memcpy(l->own, &m, sizeof m);
    l->own_size = sizeof m;
}

static const struct convolve_ops ops = {
    .specialise = specialise,
    .lay_out = lay_out,
    .why = "elements, taps or outputs lie apart, or rows are short, on a CPU",
};

// Measured with PoCL 3.1 on two cores with AVX-512 that others used too, 2026-11-22: processor
// time for 2^22 elements, as a share of the bound in proportion to that of one contiguous row
// with as many taps; cpu_gathered or baseline, which ran these rows before; cpu_matrix.
//     f32 columns of 4096, 9 and 129 taps       0.02 0.07; 0.53 0.50
//     f32 columns of 1000 and 100, 9 taps       0.06 0.09; 0.47 0.43
//     u8 and f16 columns of 4096, 9 taps        0.03 0.03; 0.93 0.91
//     f32 stereo, 33 taps; six channels, 9      0.25 0.23; 0.50 0.51
//     i16 stereo, 33 taps; f16, 9               0.22 0.08; 0.64 0.90
//     f32 rows of 7, 30 and 100, 9 or 3 taps    0.02 0.10 0.32; 0.34 0.34 0.32
//     f32 step 2, 4 and 16, 9, 33 and 129 taps  0.34 0.32 0.02; 0.57 0.67 0.30
//     f16 step 2, 9 taps; step 4, 33            0.13 0.09; 1.10 0.48
//     f32 dilation 2 and 16, 33 taps            0.33 0.01; 0.47 0.63
//     f32 dilation 1000, 9 and 33 taps          0.02 0.01; 0.50 0.40
//     f32 1000 columns with own taps, 9         0.06; 0.37
// The tile's room: half the sums take f32 columns with 33 taps 1.17 times as long, and stereo
// with 3 taps 0.9 times; few taps therefore take half.
const struct gp_variant gp_convolve_cpu_matrix = {
    .name = "cpu_matrix",
    .fits = fits,
    .sources = CONVOLVE_SOURCES(
        "cpu.cl", "convolve1d/cpu_vector.cl", "convolve1d/cpu_results.cl",
        "convolve1d/cpu_transpose.cl", "convolve1d/cpu_blocks.cl", "convolve1d/cpu_take.cl",
        "convolve1d/cpu_spaced.cl", "convolve1d/cpu_take_even.cl", "convolve1d/cpu_lines.cl",
        "convolve1d/cpu_give.cl", "convolve1d/cpu_give_even.cl", "convolve1d/cpu_padded.cl",
        "convolve1d/cpu_tile.cl", "convolve1d/cpu_matrix_sums.cl", "convolve1d/cpu_matrix.cl"),
    .work_group = 1,
    .groups_per_unit = 4,
    .ops = &ops,
};
