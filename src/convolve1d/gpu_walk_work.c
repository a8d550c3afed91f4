/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_walk: what a launch takes, for its estimate (cost.c). */
#include "gpu_sizes.h"
#include "gpu_walk.h"

// ENDS: loads that an input beyond the ends takes, in short lanes. MIXED_ENDS: the same where a
// line has fewer words than a warp has items. Some items of a warp are then at an end of their
// lanes, and others are not, so that all take both ways. One call was measured: H100, driver
// 580.159.04, 2026-11-27, 10 taps of i8, dilation 23, rows of 969: 695 us, 312 by gpu_tile.
enum { ENDS = 5, MIXED_ENDS = 25, WARP = 32 };

// Whether lines of narrow elements are so short that most warps have parts of several. H200,
// driver 580.159.04, 2026-11-28, us and the estimate without this: f16, 4 taps, 42 of 48
// columns 377, 144; u16, 3 taps, dilation 6, 22 of 29 columns 458, 174; f32 to f16, 3 taps,
// dilation 6, one row 233, 142 (gpu_tile 94); u8, 7 taps, 6 channels 1311, 626 (gpu_narrow
// 281). But f32, 4 taps, dilation 17, one row 167, 176; i16 to u16, 2 taps, 16 628 columns 147,
// 139.
static bool has_short_lines(const struct convolve_shape *s)
{
    enum { SHORT = 128 }; // bytes
    const struct gpuprim_filter *f = s->filter;
    const uint64_t size = gp_min(gp_type_size(f->in), gp_type_size(f->out));
    const uint64_t lanes = gp_convolve_lines_are_pieces(s)
                               ? s->channels
                               : gp_convolve_line_lanes(s, gp_walk_word_lanes(s));
    return size < 4 && lanes * size <= SHORT;
}

// How much longer a product takes: twice as long where many sums meet a line. The cause was not found.
// H200, driver 580.159.04, 2026-11-30, us, the estimates without and with this, and us by another variant,
// sums in front: 25, f32 to u8 513, 265, 333, 333; 33, f32 1206, 532, 797, 602; 33, i8 2097, 1193, 1900,
// 2596; 36, f32 to i16 1023, 588, 928, 1253; 48, f32 1842, 957, 1550, 2141. Fewer, without this: 18, f16
// 778, 772; 17, u8 1621, 1790; 13, u8 1677, 1472.
static double product_of(const struct convolve_shape *s)
{
    enum { MANY_SUMS = 20 };
    const double TIMES_AS_LONG = 1.9;
    return gp_walk_has_many_taps(s) && gp_walk_sums(s) > MANY_SUMS ? TIMES_AS_LONG : 1;
}

void gp_walk_count(const gpuprim *gp, const struct convolve_shape *s, struct convolve_work *w)
{
    struct convolve_layout l = { .groups = 0 };
    gp_walk_lay_out(gp, s, NULL, WALK_GROUP, &l);
    w->items = (double)l.groups * WALK_GROUP;
    w->outputs = w->products = (double)s->outputs * (double)s->rows;
    // Lines are left out, too, where the step is longer than the filter.
    const double taps = (double)s->filter->taps, step = (double)gp_convolve_lane_step(s);
    w->met = gp_convolve_met(s) * (taps < step ? taps / step : 1);
    // With a step an output takes more inputs, but what an item does for an output remains. H200,
    // driver 580.159.04, 2026-11-30, us and the estimates of whole loads and of these: u8, 15 taps,
    // step 8, 90 columns 859, 1308, 950. Other calls with steps that were measured wait for memory
    // or for their sums.
    const double INPUT = 0.6; // of a load
    w->products *= product_of(s);
    const double lines = w->items * gp_walk_word_lanes(s) * (double)s->filter->taps,
                 beyond = (double)s->filter->halo * (double)s->rows;
    // Four narrow lanes come at once, but are converted one by one.
    const double word = gp_walk_word_lanes(s) > 1 ? 0.5 : 1;
    const uint64_t line = gp_convolve_line_lanes(s, gp_walk_word_lanes(s));
    const int ends = line < WARP * (uint64_t)gp_walk_word_lanes(s) ? MIXED_ENDS : ENDS;
    w->loads = (word * (w->outputs * (1 + INPUT * (step - 1)) + lines) + ends * beyond) *
                   gp_convolve_operand_bytes(s->filter) / 4 +
               w->items * (double)gp_walk_own_words(s, gp_walk_word_lanes(s));
    const bool are_ragged = gp_convolve_lines_are_ragged(s) &&
                            gp_type_size(s->filter->in) < 8 && gp_walk_words(s).overlap == 0;
    // A store of a part of a sector makes the memory read the sector. So lines that begin anywhere
    // cost as their outputs are, which with a step are fewer than the inputs. H200, driver
    // 580.159.04, 2026-11-30, us, and the estimates by all bytes and by outputs: u16, 11 taps,
    // stride 5, 13 of 22 columns 507, 802, 539; f16, 7 taps, stride 3, 11 of 12 columns 599, 950,
    // 625; f32 to i16, 12 taps, stride 8, dilation 12, 2281 columns 107, 135, 111. Lines whose
    // ends are fetched: us and the estimate by all bytes, 2026-11-29: i32 to u16, 4 taps, 45 of 72
    // columns 113, 181; f64, 7 taps, 11 of 12 165, 202.
    const double of_pieces = gp_walk_fetches(s) ? 2.4 : 4;
    w->pieces = are_ragged + (gp_convolve_lines_are_pieces(s) ? of_pieces : 0) +
                (has_short_lines(s) ? 2 : 0);
}
