/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_tile: GPUs; interleaved channels, dilation, output steps, and rows
 * shorter than a group's work. A tile of inputs lies in local memory, and each item computes
 * some outputs of a column of it. Its kernel is kernels/convolve1d/gpu_tile.cl. */
#include "gpu_tile.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum {
    MOST_INPUTS = 256,  // of an item: the kernel has code for each, but for those of a loop
    MOST_PERIOD = 64,   // inputs that an item keeps in a loop
    MOST_OWN_TAPS = 24, // of 4 bytes, where rows have taps of their own
    ITEMS = 512,        // for each compute unit. With fewer, items have fewer outputs,
    FEW_OUTPUTS = 3,    // but at least so many
    LEAST_ROOM = 2048,
    LONG_TAPS = 100, // beside a window of more than 31 inputs there are too few registers
    STORE = 52,      // instructions: the rate of the estimate
};

// The most local memory that a group takes.
static uint64_t local_limit(const gpuprim *gp)
{
    return gp_min(gp->caps.local_bytes, CONVOLVE_LOCAL_BYTES);
}

// Instructions for an output, about: an item's own, and those of an output and of an input. An
// item's outputs that its row lacks take as long as others. Local memory, which serves one of four
// warps at once, works beside them, but not altogether.
static double cost_of(const struct convolve_shape *s, const struct tile *t)
{
    const struct gpuprim_filter *f = s->filter;
    const double item = 250, output = 8, taps = (double)f->taps, own = t->item_outputs;
    const double outputs = (double)s->outputs * (double)s->rows;
    // What an item reads. Without steps, one for an output is among the 8.
    const double inputs = taps + (own - 1) * (t->step - 1.0);
    const double words = gp_convolve_operand_bytes(f) / 4;
    const double issue = item + inputs + own * (output + taps * words);
    const double local =
        4 * words *
        (gp_tile_turns(s, t, t->a.pitch) * (inputs + 2 * own) + own * (t->step + 1.0));
    const double longer = issue > local ? issue : local, other = issue + local - longer;
    return (longer + other / 2) * (double)t->groups * gp_tile_group(s) / outputs;
}

// Whether an item goes through its taps in a loop: where code for all of them would be so long
// that it leaves the caches of instructions. H200, driver 580.159, 2026-11-27, us without and
// with it: f32, 75 taps, dilation 18 347, 328; 68 taps, rows of 11019 273, 260; 112 taps, rows
// of 96, full 326, 297; 54 taps, 3 channels 220, 217; but 75 taps, rows of 919 185, 200.
static bool has_loop(const struct convolve_shape *s, const struct tile *t)
{
    enum { ADDS = 1100, ADDS_OF_ROWS = 3000, ADDS_OF_C32 = 1536, ADDS_OF_OTHERS = 4096 };
    const struct gpuprim_filter *f = s->filter;
    const bool is_f32 = f->in != GPUPRIM_F64 && !gp_filter_sums_whole(f) && !f->sums_in_f64;
    const uint64_t parts = f->in != GPUPRIM_C32 ? 1 : f->taps_type == GPUPRIM_C32 ? 4 : 2;
    const uint64_t most = f->in == GPUPRIM_C32                 ? ADDS_OF_C32
                          : !is_f32                            ? ADDS_OF_OTHERS
                          : t->has_rows && f->taps < LONG_TAPS ? ADDS_OF_ROWS
                                                               : ADDS;
    return f->taps * t->item_outputs * parts > most && t->item_outputs * t->step <= MOST_PERIOD;
}

static bool is_possible(const gpuprim *gp, const struct convolve_shape *s, unsigned outputs,
                        struct tile *t)
{
    const uint64_t taps = s->filter->taps;
    return gp_tile_lay_out(s, gp_tile_group(s), outputs, local_limit(gp), t) &&
           (taps + (outputs - 1) * t->step <= MOST_INPUTS || has_loop(s, t));
}

// H200, 2026-11-22, us, before with up to 31 outputs: 5 channels of 151648, 65 taps, dilation 2:
// 7.5, 11.5; u16, 19610 rows of 72, 21 taps: 9.7, 11.9; an empty kernel takes 3.6.
static bool has_few_items(const gpuprim *gp, const struct convolve_shape *s,
                          const struct tile *t)
{
    return t->groups * gp_tile_group(s) < (uint64_t)ITEMS * gp->caps.compute_units;
}

// Gives an item several rows, where one is so little work that most of what an item does is its
// own beginning, and groups of more rows are still many. H100, driver 580.159.04, 2026-11-27:
// f32, 2 taps, dilation 26, rows of 69, of which an item has 3 outputs: 236 us, 136 with four
// rows. The number of adds was not varied.
static void take_rows(const gpuprim *gp, const struct convolve_shape *s, struct tile *best)
{
    enum {
        ROWS = 4,
        FEW_ADDS = 32,
        GROUPS = 16, // of a unit
        ROOM = 160,  // bytes of an item
    };
    const unsigned group = gp_tile_group(s), words = gp_convolve_operand_bytes(s->filter) / 4;
    struct tile t;
    if (best->has_rows && s->filter->rows == 1 &&
        s->filter->taps * best->item_outputs * words <= FEW_ADDS &&
        gp_tile_lay_out_as(best->order, s, group, best->item_outputs, ROWS,
                           gp_min((uint64_t)ROOM * group, local_limit(gp)), &t) &&
        t.a.rows == ROWS * best->a.rows && t.by_vectors == best->by_vectors &&
        t.groups >= (uint64_t)GROUPS * gp->caps.compute_units)
        *best = t;
}

static bool choose_outputs(const gpuprim *gp, const struct convolve_shape *s, struct tile *best)
{
    static const unsigned fewer[] = { 13, 9, 7, 5, 3, 1 },
                          fitting[] = { 35, 33, 31, 29, 27, 25, 23, 21, 19,
                                        17, 15, 13, 11, 9,  7,  5,  3 };
    // No more outputs than a column has, or one more.
    const unsigned usual =
        (unsigned)gp_min(gp_tile_usual_outputs(s), gp_ceil_div(s->outputs, s->phases) | 1);
    bool found = is_possible(gp, s, usual, best);
    for (unsigned i = 0; !found && i < COUNT(fewer); i++)
        found = fewer[i] < usual && is_possible(gp, s, fewer[i], best);
    // Fewer items than the device takes: more of them with less work are done sooner.
    struct tile t;
    const bool are_few = found && has_few_items(gp, s, best);
    for (unsigned i = 0; are_few && i < COUNT(fewer) && has_few_items(gp, s, best); i++)
        if (fewer[i] < best->item_outputs && fewer[i] >= FEW_OUTPUTS &&
            is_possible(gp, s, fewer[i], &t))
            *best = t;
    if (are_few)
        return true;
    // Many rows: the number that fits their length. u16 to u8, 3 taps, rows of 70: 252 us with 25
    // outputs, 214 with 35 (2026-11-23). Few rows: others where items meet in banks.
    if (!found || (s->batches == 1 && gp_tile_turns(s, best, best->a.pitch) == 1))
        return found;
    const bool is_narrow = gp_type_size(s->filter->in) < 4;
    // f32, 197 taps, 5 channels: 674 us with 31 outputs, 782 with 33 (2026-11-23).
    const unsigned more = s->filter->taps > LONG_TAPS ? 31 : 35;
    const unsigned most = s->step > 1                             ? usual
                          : gp_convolve_sum_bytes(s->filter) == 8 ? 13
                          : is_narrow || s->batches == 1          ? more
                                                                  : 25;
    double cost = cost_of(s, best);
    for (unsigned i = 0; i < COUNT(fitting); i++)
        if (fitting[i] <= most && is_possible(gp, s, fitting[i], &t) && cost_of(s, &t) < cost) {
            cost = cost_of(s, &t);
            *best = t;
        }
    return found;
}

static bool choose(const gpuprim *gp, const struct convolve_shape *s, struct tile *best)
{
    const bool found = choose_outputs(gp, s, best);
    if (found)
        take_rows(gp, s, best);
    return found;
}

// ---------------------------------------------------------------------------------------

static bool fits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    const struct gpuprim_filter *f = s->filter;
    struct tile t;
    const bool has_taps = f->rows > 1
                              ? f->taps * f->size <= MOST_OWN_TAPS * sizeof(float)
                              : gp_convolve_takes_taps(gp, f, sizeof(struct tile_arguments));
    return !gp->caps.is_cpu && has_taps && choose(gp, s, &t);
}

static void count(const gpuprim *gp, const struct convolve_shape *s, struct convolve_work *w)
{
    struct tile t;
    choose(gp, s, &t);
    gp_tile_complete(s, gp_tile_group(s), &t);
    const double inputs = (double)s->n * (double)s->rows,
                 outputs = (double)s->outputs * (double)s->rows;
    const double met = outputs * (double)s->filter->taps;
    // Items with several rows take less, which was not measured: they count as one for each.
    w->items = (double)t.groups * gp_tile_group(s) * t.item_rows;
    // f32, 129 taps, 2^24 outputs: 103 us, 90 by gpu_register_window (2026-11-23).
    w->outputs = w->items * t.item_outputs;
    w->products = w->outputs * (s->filter->taps > LONG_TAPS && s->lanes == 1 ? 1.1 : 1);
    // Rows that lie apart come by vectors, which take some ten times fewer instructions than
    // elements.
    const bool has_row_vectors =
        t.has_rows && gp_abs(s->stride) == 1 && s->filter->in != GPUPRIM_C32;
    const double by_elements = inputs < met ? inputs : met;
    w->loads = (double)s->filter->halo * (double)s->rows + (t.by_vectors      ? 0
                                                            : has_row_vectors ? inputs / 10
                                                                              : by_elements);
    // Narrow elements are converted one by one, twelve for the time of a store.
    const bool is_narrow = gp_type_size(s->filter->in) < 4 || gp_type_size(s->filter->out) < 4;
    w->stores = (t.a.out_is_flat                       ? 0
                 : t.has_lines && !t.a.out_by_elements ? outputs / 8
                 : t.has_lines                         ? outputs / 3
                                                       : outputs) +
                (is_narrow ? outputs / 12 : 0);
    // An output of narrow elements of short rows takes 30 instructions more than these loads and
    // stores. Many taps hide them. H100, driver 580.159.04, 2026-11-27, us and the estimate
    // without and with them: i8 to u16, 3 taps, rows of 47, full 151, 92, 169; u8 to u16, 4 taps,
    // rows of 426 138, 73, 126; f16 to i8, 7 taps, rows of 25 425, 295, 446; but u8 to i16, 28
    // taps, rows of 239 622, 779.
    const double taps = (double)s->filter->taps;
    if (t.has_rows && is_narrow && taps < 30)
        w->stores += outputs * (30 - taps) / STORE;
}

// Rounded up by less than an eighth, so that there are few programs. Of groups with LEAST_ROOM
// bytes a compute unit holds as many as of groups without local memory.
static uint32_t round_room(const gpuprim *gp, unsigned bytes)
{
    enum { UNITS = 16 };
    unsigned unit = LEAST_ROOM / UNITS;
    if (bytes < LEAST_ROOM)
        bytes = LEAST_ROOM;
    while (bytes > UNITS * unit)
        unit *= 2;
    return (uint32_t)gp_min(gp_ceil_div(bytes, unit) * unit, local_limit(gp)) / 16;
}

// Of `a` modulo m, which have no common divisor.
static uint32_t inverse(uint64_t a, uint64_t m)
{
    uint32_t i = 0;
    while (a * i % m != 1 % m)
        i++;
    return i;
}

static void specialise(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)variant;
    struct tile t;
    choose(gp, s, &t);
    gp_tile_complete(s, gp_tile_group(s), &t);
    const unsigned lanes = t.a.lanes, size = gp_convolve_operand_bytes(s->filter);
    const bool is_square = lanes == t.a.out_lanes; // the same lanes in and out
    key->work_group = gp_tile_group(s);
    gp_define(key, "VEC_N", 16 / size);
    gp_define(key, "TAPS", (uint32_t)s->filter->taps);
    gp_define(key, "ITEM_OUTPUTS", t.item_outputs);
    gp_define(key, "STEP", t.step);
    gp_define(key, "LANES", is_square ? lanes : 0);
    gp_define(key, "PADDED", t.order == TILE_PADDED);
    gp_define(key, "GAPS", gp_tile_has_gaps(s));
    gp_define(key, "SORTED", t.order == TILE_SORTED ? (uint32_t)t.phases : 0);
    gp_define(key, "INVERSE", t.order == TILE_SORTED ? inverse(s->step, t.phases) : 0);
    gp_define(key, "ROWS", t.has_rows);
    gp_define(key, "ITEM_ROWS", t.item_rows);
    gp_define(key, "ROW_LOADS", gp_tile_row_loads(s, gp_tile_group(s), &t));
    gp_define(key, "MANY_ENDS", gp_tile_has_many_ends(s, gp_tile_group(s), &t));
    gp_define(key, "FILLER", gp_tile_has_gaps(s) ? 0 : gp_tile_filler(s, gp_tile_group(s), &t));
    gp_define(key, "BY_VECTORS", t.by_vectors);
    gp_define(key, "OWN_TAPS", s->filter->rows > 1);
    gp_define(key, "TURNED", gp_tile_is_turned(s, &t));
    gp_define(key, "MIRRORED", gp_tile_is_mirrored(s, &t));
    gp_define(key, "LOOP", has_loop(s, &t));
    gp_define(key, "LINES", t.has_lines ? (uint32_t)t.phases : 0);
    gp_define(key, "ROOM", round_room(gp, t.room));
}

// The program's groups may be smaller than those it was asked for.
static void lay_out(const gpuprim *gp, const struct convolve_shape *s,
                    const struct gp_variant *variant, unsigned work_group,
                    struct convolve_layout *l)
{
    (void)variant;
    struct tile t;
    choose(gp, s, &t);
    if (work_group != gp_tile_group(s)) {
        const bool has_rows = t.has_rows, by_vectors = t.by_vectors, has_lines = t.has_lines;
        gp_tile_lay_out_as(t.order, s, work_group, t.item_outputs, t.item_rows, t.room, &t);
        t.has_rows = has_rows;
        t.by_vectors = by_vectors;
        t.has_lines = has_lines;
    }
    gp_tile_complete(s, work_group, &t);
    l->groups = t.groups;
    l->own_size = sizeof t.a;
    memcpy(l->own, &t.a, sizeof t.a);
}

// A line of outputs has no more columns than a group has items, and where groups were to take
// several rows, they take at least one.
static bool holds(const struct gp_variant *variant, const void *call,
                  const struct gp_program *program)
{
    (void)variant;
    const struct convolve_shape *s = call;
    struct tile t;
    if (program->work_group == gp_tile_group(s))
        return true;
    choose(s->filter->gp, s, &t);
    const bool has_rows = t.has_rows;
    return gp_tile_lay_out_as(t.order, s, program->work_group, t.item_outputs, t.item_rows,
                              t.room, &t) &&
           (!has_rows || t.a.parts == 1);
}

static const struct convolve_ops ops = {
    .count = count,
    .rates = { .start = 0.65, .item = 300, .load = 82, .store = STORE, .passes = 1.01 },
    .specialise = specialise,
    .lay_out = lay_out,
    .by_value = true,
    .why = "a tile of local memory takes short rows, interleaved rows, dilation and steps",
    .updates_history = true,
};

const struct gp_variant gp_convolve_gpu_tile = {
    .name = "gpu_tile",
    .fits = fits,
    .cost = gp_convolve_cost,
    .holds = holds,
    .sources =
        CONVOLVE_SOURCES("convolve1d/gpu_vectors.cl", "convolve1d/gpu_tile_fill.cl",
                         "convolve1d/gpu_tile_elements.cl", "convolve1d/gpu_tile_apart.cl",
                         "convolve1d/gpu_tile_rows.cl", "convolve1d/gpu_tile_repeats.cl",
                         "convolve1d/gpu_tile_ends.cl", "convolve1d/gpu_tile_write.cl",
                         "convolve1d/gpu_tile_sums.cl", "convolve1d/gpu_tile.cl"),
    .ops = &ops,
};
