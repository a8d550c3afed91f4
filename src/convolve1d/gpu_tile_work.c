/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_tile: what a launch takes, for its estimate (cost.c). */
#include "gpu_tile.h"

// How much longer than elsewhere an addition takes. f32, 129 taps, 2^24 outputs: 103 us, 90 by
// gpu_register_window (2026-11-23). With a step fewer sums share an input, and with more taps
// fewer groups have room for their inputs. Local memory serves one of four warps at once, so
// that counts as far as an addition has reads to wait for. Sums of integers and of f64 do not show
// that. H200, driver 580.159.04, 2026-11-28 and 29, us and the estimate without these: f32, 577
// taps, step 7 869, 370; 257 taps, step 5, 4 channels 317, 176; 71 taps, step 2, 53 columns 199,
// 130; but i16, 115 taps, step 2 367, 330; i32, 44 taps, sums of 64 bits, step 3 237, 189; i16,
// 163 i32 taps, step 4 626, 697; f64, 216 taps, step 3 1373, 1417. 2026-11-30, us, and the
// estimate as if local memory were always what they wait for: f16, 106 taps, step 3 1354, 1880;
// 190 taps, step 7, dilation 23 1243, 1561; f32, 89 taps, step 4 393, 503, by gpu_tap_chunks 540;
// c32, 157 real taps, step 2, rows of 1195 1252, 1812. More than 577 taps were not measured. c32,
// 214 c32 taps, 10 rows 368, 201; but 85 of 490 808 rows of 105 857, 842.
static double times_as_long(const struct convolve_shape *s, const struct tile *t)
{
    enum {
        TWICE = 200, // taps with which an addition takes twice as long
        MOST = 600,  // more taps count as so many
        WARPS = 4    // that add at once
    };
    const struct gpuprim_filter *f = s->filter;
    if (f->taps_type == GPUPRIM_C32 && gp_tile_has_loop(s, t) && !t->has_rows)
        return 2.5;
    if (s->step > 1 && gp_tile_adds_f32(f)) {
        const double reads = (double)f->taps + (t->item_outputs - 1.0) * t->step,
                     adds = (double)f->taps * t->item_outputs,
                     share = WARPS * gp_tile_turns(s, t, t->a.pitch) * reads / adds;
        return 1 + (share < 1 ? share : 1) * (double)gp_min(f->taps, MOST) / TWICE;
    }
    return s->step == 1 && f->taps > TILE_LONG_TAPS && s->lanes == 1 ? 1.1 : 1;
}

// Loads that an element takes which comes alone. Lines of 16-bit elements that come by vectors
// count as if their elements came alone. The rows backwards below were measured when their elements
// came alone; these come by vectors now. A narrow element takes half of a load; with a stride only
// a byte does, where its neighbours come, too. One of c32 comes as two halves, and takes three
// times as long. H200, driver 580.159.04, 2026-11-28, us and the estimate without these: f16, 9
// taps, dilation 6, one row backwards 329, 633; i16, 4 taps, 11 pitched columns 206, 390; 11 taps,
// 2 pitched rows 130, 227; i16 to i64, 13 taps, stride 4 141, 166; c32, 48 c32 taps, step 8 376,
// 208, by gpu_turn 174; 94 c32 taps, every 13th 95, 61; 27 c32 taps, every third 258, 160.
// 2026-11-30, u8, 108 taps, stride 8, 2 channels backwards 1823, 3488, by gpu_tap_chunks 2216; but
// u16 to i8, 78 taps, stride 2, 4 channels 3393, 3856.
static double of_element(const struct convolve_shape *s)
{
    const struct gpuprim_filter *f = s->filter;
    const size_t size = gp_type_size(f->in);
    const bool have_neighbours = !gp_tile_has_gaps(s) && gp_abs(s->stride) == s->channels;
    const bool is_half = f->stride == 1 ? size < 4 : size == 1 && have_neighbours;
    return f->in == GPUPRIM_C32 ? 3 : is_half ? 0.5 : 1;
}

// Inputs that several groups load, of a small call alone, whose tiles are short. H200, driver
// 580.159.04, 2026-12-01, u8, 48 taps, history, 52 rows of 2119 to columns, tiles of 56 inputs for 9
// outputs, us and the estimate of each input once: 17.0, 2.1, by gpu_tap_chunks 7.2. Large calls were
// estimated without them.
static double loaded_again(const gpuprim *gp, const struct tile *t, double items, double inputs)
{
    enum { SMALL_ITEMS = 2048 }; // fewer for a compute unit, as gp_convolve_waiting() has it
    const double loaded = (double)t->groups * t->a.rows * t->a.elements;
    const bool is_small = items < (double)gp->caps.compute_units * SMALL_ITEMS;
    return is_small && loaded > inputs ? loaded - inputs : 0;
}

// How long a group waits for its taps, one after another, which only small calls show. H200, driver
// 580.159.04, 2026-12-01. Sums of integers, us, the estimate without this, and us by gpu_byte_matrices:
// u8, 577 taps, dilation 5, 3 channels of 59 064 24, 9, 11; i32, 414 taps with sums of 64 bits, 24 rows
// of 954 20, 9, 12. Sums of floats wait in a loop of few outputs. They wait longer, the more items a unit
// has, and the less of the taps is in the cache of constants, which seems to hold 512 of 4 bytes. us by
// this variant and by gpu_tap_chunks: f32 taps of i8, 155 rows of 942, FULL, 100 taps 5, 8; 300 13, 11;
// 500 24, 14; 600 70, 16; 900 176, 21; of f32, one row of 285 355, 500 taps 48, 13; 900 107, 18; but of
// 1 000 000, of which an item has more, 500 taps 26, 24; 900 46, 39. Taps of c32 were not measured.
static double waits_for_taps(const gpuprim *gp, const struct convolve_shape *s,
                             const struct tile *t, double items)
{
    enum { CACHED = 2048, UNIT_ITEMS = 512 }; // bytes; items of a unit that wait as measured
    const double TAP = 0.03, LOOP_TAP = 0.045, UNCACHED_TAP = 0.25;
    const struct gpuprim_filter *f = s->filter;
    const double taps = (double)f->taps, cached = CACHED / (double)f->size;
    if (gp_filter_sums_whole(f))
        return TAP * taps;
    if (!gp_tile_has_loop(s, t) || t->item_outputs > TILE_FEW_OUTPUTS || f->rows > 1)
        return 0;
    const double full = items / ((double)gp->caps.compute_units * UNIT_ITEMS);
    return (full < 1 ? full : 1) *
           (LOOP_TAP * taps + (taps > cached ? UNCACHED_TAP * (taps - cached) : 0));
}

void gp_tile_count(const gpuprim *gp, const struct convolve_shape *s, struct convolve_work *w)
{
    enum { CONVERTED = 5 }; // inputs for the time of a store
    // Outputs for it, where the ends of their lines are asked for. H200, driver 580.159.04,
    // 2026-11-29, us and the estimate: f32, 16 taps, 47 columns 186, 202; f64, 7 taps, 11 150, 122;
    // f16 to f32, 10 taps, 50 148, 153; to i16, 36 taps, 12 379, 360; to i32, 62 taps, 19 287, 232;
    // f16, 3 taps, 15 211, 212.
    enum { FETCHED = 2 };
    struct tile t;
    gp_tile_choose(gp, s, &t);
    gp_tile_complete(s, gp_tile_group(s), &t);
    const double inputs = (double)s->n * (double)s->rows,
                 outputs = (double)s->outputs * (double)s->rows;
    const double met = outputs * (double)s->filter->taps;
    if (gp_tile_has_gaps(s))
        w->met = (double)s->filter->taps / (double)s->filter->stride;
    // Items with several rows take less, which was not measured: they count as one for each.
    w->items = (double)t.groups * gp_tile_group(s) * t.item_rows;
    w->outputs = w->items * t.item_outputs;
    w->products = w->outputs * times_as_long(s, &t);
    // Rows that lie apart come by vectors, which take some ten times fewer instructions than
    // elements.
    const bool has_row_vectors =
        t.has_rows && gp_abs(s->stride) == 1 && s->filter->in != GPUPRIM_C32;
    const double by_elements = inputs < met ? inputs : met;
    // The update of a history loads it again. H200, driver 580.159.04, 2026-11-28, f32, 283
    // taps, rows of 43, us and the estimate without this: 951, 416; by gpu_tap_chunks 654. But
    // a history that is not updated: u8, 129 taps, dilation 5, rows of 109 1022, 1210; by
    // gpu_tap_chunks 1345.
    const double beyond = s->updates_history ? 2 : 1;
    const double apart =
        has_row_vectors ? inputs / 10
                        : of_element(s) * by_elements + loaded_again(gp, &t, w->items, inputs);
    w->loads = beyond * (double)s->filter->halo * (double)s->rows + (t.by_vectors ? 0 : apart);
    // Narrow elements are converted one by one, twelve for the time of a store.
    const bool is_narrow = gp_type_size(s->filter->in) < 4 || gp_type_size(s->filter->out) < 4;
    w->stores = (t.a.out_is_flat                       ? 0
                 : t.has_lines && !t.a.out_by_elements ? outputs / 8
                 : t.has_lines                         ? outputs / 3
                 : gp_convolve_fetches(s)              ? outputs / FETCHED
                                                       : outputs) +
                (is_narrow ? outputs / 12 : 0);
    // An output of narrow elements of short rows takes 30 instructions more than these loads and
    // stores. Many taps hide them. H100, driver 580.159.04, 2026-11-27, us and the estimate
    // without and with them: i8 to u16, 3 taps, rows of 47, full 151, 92, 169; u8 to u16, 4 taps,
    // rows of 426 138, 73, 126; f16 to i8, 7 taps, rows of 25 425, 295, 446; but u8 to i16, 28
    // taps, rows of 239 622, 779.
    const double taps = (double)s->filter->taps;
    if (t.has_rows && is_narrow && taps < 30)
        w->stores += outputs * (30 - taps) / TILE_STORE;
    // With a stride there are more inputs than outputs. H200, driver 580.159.04, 2026-11-28, us
    // and the estimate without this: i8, 17 taps, step 3, 2 channels 204, 119; u16 to i8, 8
    // taps, step 2, 87 rows 121, 75; 2026-11-30, f16 to u8, 85 taps, stride and dilation 7 2022,
    // 1521; i16 to u8, 3 taps, stride 2, dilation 26 524, 410.
    if (s->filter->stride > 1 && is_narrow && t.by_vectors)
        w->stores += inputs / CONVERTED;
    w->loads *= gp_convolve_waiting(gp, w);
    w->chain = waits_for_taps(gp, s, &t, w->items);
}
