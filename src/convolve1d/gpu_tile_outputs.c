/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_tile: how many outputs an item has, and whether it goes through its
 * taps in a loop. gpu_tile_tuning.c says how many are the best for long rows. */
#include "gpu_tile.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum {
    MOST_INPUTS = 256, // of an item: the kernel has code for each, but for those of a loop
    MOST_PERIOD = 64,  // inputs that an item keeps in a loop
    ITEMS = 512,       // for each compute unit. With fewer, items have fewer outputs
};

uint64_t gp_tile_local_limit(const gpuprim *gp)
{
    return gp_min(gp->caps.local_bytes, CONVOLVE_LOCAL_BYTES);
}

// Instructions for an output, about: an item's own, and those of an output and of an input. An
// item's outputs that its row lacks take as long as others. Local memory, which serves one of
// four warps at once, works beside them, but not altogether.
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

// Inputs that so many outputs of an item need.
static uint64_t inputs_of(const struct convolve_shape *s, const struct tile *t,
                          unsigned outputs)
{
    return s->filter->taps + (uint64_t)(outputs - 1) * t->step;
}

bool gp_tile_adds_f32(const struct gpuprim_filter *f)
{
    return f->in != GPUPRIM_F64 && !gp_filter_sums_whole(f) && !f->sums_in_f64;
}

// Code for all taps would be so long that it leaves the caches of instructions. H200, driver
// 580.159, 2026-11-27, us without and with it: f32, 75 taps, dilation 18 347, 328; 68 taps,
// rows of 11019 273, 260; 112 taps, rows of 96, full 326, 297; 54 taps, 3 channels 220, 217;
// but 75 taps, rows of 919 185, 200. Or an item has more inputs than are unrolled: driver
// 580.159.04, 2026-11-28, f64, 254 taps, step 2, 7 channels 2390 by one output of an item, 346.
bool gp_tile_has_loop(const struct convolve_shape *s, const struct tile *t)
{
    enum { ADDS = 1100, ADDS_OF_ROWS = 3000, ADDS_OF_C32 = 1536, ADDS_OF_OTHERS = 4096 };
    const struct gpuprim_filter *f = s->filter;
    const uint64_t parts = f->in != GPUPRIM_C32 ? 1 : f->taps_type == GPUPRIM_C32 ? 4 : 2;
    const uint64_t most = f->in == GPUPRIM_C32                      ? ADDS_OF_C32
                          : !gp_tile_adds_f32(f)                    ? ADDS_OF_OTHERS
                          : t->has_rows && f->taps < TILE_LONG_TAPS ? ADDS_OF_ROWS
                                                                    : ADDS;
    const bool is_long = inputs_of(s, t, t->item_outputs) > MOST_INPUTS ||
                         f->taps * t->item_outputs * parts > most;
    return is_long && t->item_outputs * t->step <= MOST_PERIOD;
}

static bool is_possible(const gpuprim *gp, const struct convolve_shape *s, unsigned outputs,
                        struct tile *t)
{
    return gp_tile_lay_out(s, gp_tile_group(s), outputs, gp_tile_local_limit(gp), t) &&
           (inputs_of(s, t, outputs) <= MOST_INPUTS || gp_tile_has_loop(s, t));
}

// H200, 2026-11-22, us, before with up to 31 outputs: 5 channels of 151648, 65 taps, dilation
// 2: 7.5, 11.5; u16, 19610 rows of 72, 21 taps: 9.7, 11.9; an empty kernel takes 3.6.
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
                           gp_min((uint64_t)ROOM * group, gp_tile_local_limit(gp)), &t) &&
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
        if (fewer[i] < best->item_outputs && fewer[i] >= TILE_FEW_OUTPUTS &&
            is_possible(gp, s, fewer[i], &t))
            *best = t;
    if (are_few)
        return true;
    // Many rows: the number that fits their length. u16 to u8, 3 taps, rows of 70: 252 us with
    // 25 outputs, 214 with 35 (2026-11-23). Few rows: others where items meet in banks.
    if (!found || (s->batches == 1 && gp_tile_turns(s, best, best->a.pitch) == 1))
        return found;
    const bool is_narrow = gp_type_size(s->filter->in) < 4;
    // f32, 197 taps, 5 channels: 674 us with 31 outputs, 782 with 33 (2026-11-23).
    const unsigned more = s->filter->taps > TILE_LONG_TAPS ? 31 : 35;
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

bool gp_tile_choose(const gpuprim *gp, const struct convolve_shape *s, struct tile *best)
{
    const bool found = choose_outputs(gp, s, best);
    if (found)
        take_rows(gp, s, best);
    return found;
}
