/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_stretches: GPUs; many short rows of narrow elements, few taps. Its
 * kernel, kernels/convolve1d/gpu_stretches.cl, says how a group takes whole rows. */
#include "gpu_sizes.h"

#include <string.h>

enum {
    GROUP = 128,
    MOST_INPUTS = 64,   // of a window: the kernel has code for each
    MOST_WINDOWS = 16,  // of a stretch; this and the next were not measured
    MOST_HELD = 256,    // inputs of all windows
    MOST_CODE = 1024,   // multiply-adds of a stretch, which are all unrolled
    MOST_OWN_TAPS = 24, // of 4 bytes, where rows have taps of their own
    MOST_OUTPUTS = 32,
    MOST_ROW = 1 << 14, // keeps 32 bits from overflowing
    ROOM = 32 << 10,    // bytes of local memory, more only where 32 rows have more
    FEW_BANKS = 32,     // bytes: a row's results of a multiple of them meet others in a bank
    SLACK = 160,        // bytes behind the tile that items read
    LOADED = 4          // words of a row that an item copies at once: WIDE of gpu_turn_fill.cl
};

// A way to divide rows.
struct stretches {
    unsigned rows, item_outputs, along; // macros of the kernel
    uint64_t bytes;                     // of local memory
    struct stretch_arguments a;
};

static bool has_lines(const struct convolve_shape *s)
{
    return gp_abs(s->out_row_stride) != s->outputs;
}

static uint64_t result_bytes(const struct convolve_shape *s)
{
    return s->outputs * gp_type_size(s->filter->out);
}

static bool is_padded(const struct convolve_shape *s)
{
    return !has_lines(s) && result_bytes(s) % FEW_BANKS == 0;
}

// Windows of a stretch, as the kernel says what these are: one, or one for each tap where that one
// would have too many inputs, or more than all of these.
static uint64_t windows_of(const struct convolve_shape *s, unsigned outputs)
{
    const struct gpuprim_filter *f = s->filter;
    const uint64_t apart = (outputs - 1) * f->stride + 1, all = apart + f->halo;
    return all <= MOST_INPUTS && all <= f->taps * apart ? 1 : f->taps;
}

// Inputs of a window.
static uint64_t inputs_of(const struct convolve_shape *s, unsigned outputs)
{
    const uint64_t apart = (outputs - 1) * s->filter->stride + 1;
    return windows_of(s, outputs) == 1 ? apart + s->filter->halo : apart;
}

// Outputs of a stretch: those with which the teams are done first. In instructions: once, of a
// window, of an input, and of an output beside its multiply-adds.
static unsigned outputs_of(const struct convolve_shape *s, unsigned teams)
{
    enum { ONCE = 35, WINDOW = 10, INPUT = 3, OUTPUT = 5 };
    const struct gpuprim_filter *f = s->filter;
    unsigned best = 0;
    uint64_t least = UINT64_MAX;
    for (unsigned n = 4; n <= MOST_OUTPUTS; n += 4) {
        const uint64_t rounds = gp_ceil_div(gp_ceil_div(s->outputs, (uint64_t)n), teams);
        const uint64_t inputs = inputs_of(s, n), windows = windows_of(s, n);
        const uint64_t cost =
            rounds * (ONCE + windows * (WINDOW + INPUT * inputs) + n * (OUTPUT + f->taps));
        if (inputs > MOST_INPUTS || windows > MOST_WINDOWS || windows * inputs > MOST_HELD ||
            n * f->taps > MOST_CODE || cost >= least)
            continue;
        least = cost;
        best = n;
    }
    return best;
}

// Lays out groups of `rows` rows.
static void lay_rows(const struct convolve_shape *s, unsigned rows, struct stretches *l)
{
    const struct gpuprim_filter *f = s->filter;
    struct stretch_arguments *a = &l->a;
    const uint64_t in_word = 4 / gp_type_size(f->in), bytes = result_bytes(s);
    const uint64_t stretches = gp_ceil_div(s->outputs, (uint64_t)l->item_outputs);
    const uint64_t width =
        (stretches * l->item_outputs - 1) * f->stride + f->halo + 1; // of a row of the tile
    // A row may begin and end inside a word.
    const uint64_t words = (width + 2 * in_word - 2) / in_word | 1;
    a->stretches = (cl_uint)stretches;
    a->pitch = (cl_uint)(words * in_word);
    const uint64_t tile = gp_ceil_div(rows * words * 4 + SLACK, (uint64_t)16);
    a->results_at = (cl_uint)tile;
    const uint64_t out_words = (bytes + 7 - gp_type_size(f->out)) / 4;
    a->units = (cl_uint)(!has_lines(s) ? bytes / 16 : out_words > 1 ? out_words : 2);
    a->by_units = a->units > 1 ? (cl_uint)gp_ceil_div((uint64_t)1 << 32, a->units) : 0;
    a->out_pitch = (cl_uint)(has_lines(s)   ? (a->units | 1) * 4
                             : is_padded(s) ? bytes + STRETCH_PAD
                                            : bytes);
    // A line begins inside a vector.
    l->bytes = 16 * (tile + gp_ceil_div((uint64_t)rows * a->out_pitch, (uint64_t)16) + 2);
}

// False: not even 32 rows fit.
static bool choose(const gpuprim *gp, const struct convolve_shape *s, struct stretches *l)
{
    static const unsigned all[] = { 128, 64, 32 };
    const uint64_t limit = gp_min(gp->caps.local_bytes, CONVOLVE_LOCAL_BYTES);
    if (s->n > MOST_ROW || s->outputs > MOST_ROW)
        return false;
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        l->rows = all[i];
        l->item_outputs = outputs_of(s, GROUP / all[i]);
        if (l->item_outputs == 0)
            return false;
        lay_rows(s, all[i], l);
        if (l->bytes <= gp_min(all[i] > 32 ? ROOM : limit, limit))
            break;
        if (all[i] == 32)
            return false;
    }
    l->along = 4;
    while (l->along < 32 && l->a.pitch * gp_type_size(s->filter->in) / 4 > LOADED * l->along)
        l->along *= 2;
    return true;
}

static bool fits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    const struct gpuprim_filter *f = s->filter;
    struct stretches l;
    const bool has_taps = f->rows > 1
                              ? f->taps * f->size <= MOST_OWN_TAPS * sizeof(float)
                              : gp_convolve_takes_taps(gp, f, sizeof(struct stretch_arguments));
    return !gp->caps.is_cpu && has_taps && gp_type_size(f->in) <= 2 &&
           gp_type_size(f->out) <= 4 && gp_abs(s->stride) == 1 && gp_abs(s->out_stride) == 1 &&
           f->taps <= MOST_INPUTS && f->halo <= MOST_ROW && s->n > 0 && choose(gp, s, &l) &&
           gp_ceil_div(s->rows, 32) <= INT32_MAX;
}

// A group takes long by itself, because its items wait for the memory several times. Few groups
// leave compute units without other work meanwhile. H200, driver 580.159.04, 2026-11-29, f16 to
// i8, 41 taps, a history, 3333 rows of 137: 23.3 us, by gpu_tile 9.3, where the estimates are
// 4.8 and 5.1; u8, 2 taps, 6533 rows of 263, in 205 groups of 32: 22.0, the estimate 3.1. The
// limit was not measured.
static bool suits(const gpuprim *gp, const void *call)
{
    enum { LEAST_GROUPS = 2 }; // of a compute unit
    const struct convolve_shape *s = call;
    struct stretches l;
    return choose(gp, s, &l) && gp_ceil_div(s->rows, (uint64_t)l.rows) >=
                                    (uint64_t)LEAST_GROUPS * gp->caps.compute_units;
}

static void specialise(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)variant;
    struct stretches l;
    choose(gp, s, &l);
    key->work_group = GROUP;
    gp_define(key, "VEC_N", 4);
    gp_define(key, "TAPS", (uint32_t)s->filter->taps);
    gp_define(key, "STEP", (uint32_t)s->filter->stride);
    gp_define(key, "DILATION", s->filter->taps > 1 ? (uint32_t)s->filter->dilation : 1);
    gp_define(key, "WINDOWS", (uint32_t)windows_of(s, l.item_outputs));
    gp_define(key, "ITEM_OUTPUTS", l.item_outputs);
    gp_define(key, "OWN_TAPS", s->filter->rows > 1);
    gp_define(key, "TILE_ROWS", l.rows);
    gp_define(key, "BACK", 0);
    gp_define(key, "WORDS", 1);
    gp_define(key, "BACKWARDS", s->stride < 0);
    gp_define(key, "ALONG", l.along);
    gp_define(key, "LINES", has_lines(s));
    gp_define(key, "TURNED", s->out_stride < 0);
    gp_define(key, "MIRRORED", !has_lines(s) && s->out_row_stride < 0);
    gp_define(key, "PADDED", is_padded(s));
    // Rounded up, so that fewer programs are built.
    const uint64_t limit = gp_min(gp->caps.local_bytes, CONVOLVE_LOCAL_BYTES),
                   room = gp_min(gp_ceil_div(l.bytes, 1024) * 1024, limit);
    gp_define(key, "ROOM", (uint32_t)(room / 16));
}

// The program's groups may be smaller than those it was asked for: fewer rows then.
static void lay_out(const gpuprim *gp, const struct convolve_shape *s,
                    const struct gp_variant *variant, unsigned work_group,
                    struct convolve_layout *out)
{
    (void)variant;
    struct stretches l;
    choose(gp, s, &l);
    lay_rows(s, ROWS_AT_ONCE(work_group, l.rows), &l);
    out->groups = gp_ceil_div(s->rows, (uint64_t)ROWS_AT_ONCE(work_group, l.rows));
    out->own_size = sizeof l.a;
    memcpy(out->own, &l.a, sizeof l.a);
}

static void count(const gpuprim *gp, const struct convolve_shape *s, struct convolve_work *w)
{
    const double WINDOW_LOADS = 1.6, INPUT_LOADS = 0.5; // of a window, in instructions of loads
    struct stretches l;
    choose(gp, s, &l);
    const double groups = (double)gp_ceil_div(s->rows, (uint64_t)l.rows);
    const double rows = groups * l.rows;
    w->items = groups * GROUP;
    w->outputs = w->products = rows * l.a.stretches * l.item_outputs;
    // Words, and elements beyond the ends, each of which takes as long as two, those of a history
    // as twenty.
    const double left = s->filter->left == GPUPRIM_HISTORY ? 20 : 2, right = 2;
    w->loads =
        rows * (l.a.pitch * (double)gp_type_size(s->filter->in) / 4 +
                left * gp_convolve_beyond(s, true) + right * gp_convolve_beyond(s, false));
    // The rate of an output has one window in it.
    const uint64_t windows = windows_of(s, l.item_outputs);
    w->loads += rows * l.a.stretches * (double)(windows - 1) *
                (WINDOW_LOADS + INPUT_LOADS * (double)inputs_of(s, l.item_outputs));
    w->stores = rows * l.a.units;
}

static uint64_t own_rows(const gpuprim *gp, const struct convolve_shape *s)
{
    struct stretches l;
    return choose(gp, s, &l) ? l.rows : 0;
}

// H100, driver 580.159.04, 2026-11-27, us by gpu_tile (57011/35 and 41009/11: gpu_row_registers) and
// by this variant, rows of the map: 56003/27 u16 to i8, 2 taps, rows of 48, backwards 394, 152;
// 57004/22 u8, 14 taps, rows of 404 442, 317; 42001/40 u8 to i16, 28 taps, 64-bit sums, rows of 239
// 618, 435; 42001/44 u8 to u16, 4 taps, rows of 426 with gaps 137, 117; 56002/42 i16, 3 taps, step
// 3, rows of 170 with gaps 178, 153; 42003/38 i8 to u16, 3 taps, rows of 47 150, 117; but 41008/23
// i16 to i8, 4 taps, rows of 422 159, 178; 57013/33 f16, 19 taps, a history, rows of 73 527, 561;
// 57011/35 1 tap, step 5, rows of 38 187, 203; 41009/11 f16 to i8, 7 taps, rows of 25 289, 418.
// The numbers are fitted to times before positions that no output needs were left out.
static const struct convolve_ops ops = {
    .count = count,
    .rates = { .start = 1, .item = 550, .output = 13, .load = 6, .store = 14, .passes = 1.25 },
    .specialise = specialise,
    .lay_out = lay_out,
    .by_value = true,
    .why = "items that take the same outputs of neighbouring rows have narrow inputs as words",
    .updates_history = true,
    .own_rows = own_rows,
};

const struct gp_variant gp_convolve_gpu_stretches = {
    .name = "gpu_stretches",
    .fits = fits,
    .suits = suits,
    .cost = gp_convolve_cost,
    .sources =
        CONVOLVE_SOURCES("convolve1d/gpu_vectors.cl", "convolve1d/gpu_turn_fill.cl",
                         "convolve1d/gpu_stretches_give.cl", "convolve1d/gpu_stretches.cl"),
    .ops = &ops,
};
