/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_tile: the outputs of an item and the items of a group, as measured. */
#include "gpu_tile.h"

enum { GAP_OUTPUTS = 7 }; // of an item, whose inputs are its own

// H200, driver 580.159, 2026-11-22, queued calls on 2^28 f32, share
// of the bound by outputs of an item:
//     stereo, 9 taps        9 0.88, 11 0.96, 13 1.00, 17 0.99     33 taps  25 0.99, 33 0.98
//     3 channels, 9 taps    11 0.84, 13 0.94, 17 0.99             33 taps  17 0.85, 31 0.93
//     5 channels, 9 taps    13 0.71, 15 0.94, 17 0.97             6        13 0.95, 17 1.00
//     stereo, 65 taps       25 0.77, 33 0.72              129     13 0.75, 25 0.68, before it had a loop
//     step 2, 33 taps       9 0.71, 13 0.85, 17 0.85              step 4   7 1.02, 9 0.93
//     rows of 4096, 33      13 0.82, 17 0.86, 23 0.87, 33 0.82    of 1000  17 0.77, 21 0.68
//     rows of 100, 9 taps   13 0.74, 17 0.81, 25 0.79             33 taps  25 0.67
//     c32, stereo, 33 taps  9 0.73, 13 0.81, 17 0.75              f16, 9   13 0.66, 25 0.88
// Dilation 16, 33 taps: groups of 128 items 0.97. Lost: groups of 128 or 256 items for short
// rows and stereo, 2 to 6 % behind.
unsigned gp_tile_usual_outputs(const struct convolve_shape *s)
{
    // By step, up to 8, of elements of 8, 4 and less bytes. i32 with sums of 64 bits, 11 taps,
    // step 2: 228 us with 13 outputs, 325 with 7. u8, 2 taps, step 7: 262 us with 3, 211 with 5,
    // 201 with 9, 280 with 13; 45 taps, step 3: 368 with 9, 354 with 13, 340 with 21
    // (2026-11-23).
    static const unsigned of_steps[3][9] = { { 0, 0, 7, 5, 5, 3, 3, 3, 3 },
                                             { 0, 0, 13, 9, 7, 5, 5, 3, 3 },
                                             { 0, 0, 25, 21, 15, 11, 9, 9, 7 } },
                          of_long_f64[9] = { 0, 0, 13, 9, 7, 7, 7, 5, 5 };
    const struct gpuprim_filter *f = s->filter;
    const size_t size = gp_type_size(f->in);
    const bool is_wide = gp_convolve_sum_bytes(f) == 8, is_f64 = f->in == GPUPRIM_F64;
    if (gp_tile_has_gaps(s))
        return GAP_OUTPUTS;
    if (s->step > 16)
        return 1;
    if (s->step > 8)
        return 3;
    if (s->step > 1 && is_f64 && f->taps > 24)
        return of_long_f64[s->step];
    if (s->step > 1)
        return of_steps[(size < 8) + (size < 4)][s->step];
    if (is_wide)
        return f->taps <= 16 ? 7 : 13;
    // Other numbers of lanes than powers of two meet in banks of local memory;
    // gpu_tile_outputs.c mends that.
    const bool is_power = (s->lanes & (s->lanes - 1)) == 0;
    if (f->taps > 16)
        return is_power ? 25 : 31;
    return size < 4 ? 25 : is_power ? 13 : 17;
}

// Items of a group for long rows: 128, or some more where these leave fewer idle. A group takes
// whole lines of outputs. Of 27 lanes 128 items have four lines and 20 idle items, 192 have seven
// and three. H100, driver 580.159.04, 2026-11-27, us by 128 and by so many: u16, 191 taps,
// dilation 27 1461, 1364; i16 to f32, 69 taps, columns 340, 314; f64, 77 taps, dilation 10 341,
// 330; but f16, 255 taps, dilation 23 1691, 1735. 34 others within 2 %. The twentieth that more
// items must gain was not varied.
static unsigned full_group(uint64_t lanes)
{
    static const unsigned groups[] = { 160, 192, 224 };
    unsigned best = 128;
    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++) {
        const double used = (double)(groups[i] / lanes * lanes) / groups[i];
        if (used > 1.05 * (double)(best / lanes * lanes) / best)
            best = groups[i];
    }
    return best;
}

// H200, driver 580.159, 2026-11-23, us of groups of 128 and 64. Sums of 64 bits: i32, 14 taps,
// rows of 130439 348, 412; 18 taps, rows of 290 230, 259. Steps: f32, 33 taps, step 2 392, 458;
// 22 taps, step 4, rows of 37 230, 239; 3 taps, step 2, stereo 373, 425; u8, 45 taps, step 3
// 356, 376; but 2 taps, step 7 238, 218. Elements of 1 and 2 bytes: i8 to f16, 9 taps, rows of
// 570 218, 257; u16, 11 taps, 4 channels to rows 265, 288; i8, 79 taps, rows of 514 851, 915;
// but u8, 2 taps, rows of 939, one of which fills 64 items, 376, 255. Lines of more than 64
// lanes, which fill smaller groups badly or not at all: H100, driver 580.159.04, 2026-11-27, us
// by gpu_tap_chunks or gpu_roll, which took them before, and by groups of 256: c32, 9 taps,
// dilation 17, 5 channels to rows 1544, 248; f16, 2 taps, dilation 11, 6 channels to rows 938,
// 186; 18 taps, dilation 23, 6 channels 527, 295.
unsigned gp_tile_group(const struct convolve_shape *s)
{
    const struct gpuprim_filter *f = s->filter;
    const uint64_t lanes = gp_tile_has_gaps(s) ? s->channels : s->out_lanes; // of the tile
    if (lanes > TILE_LANES)
        return TILE_DILATED_LANES;
    const bool is_long = gp_convolve_has_long_sums(f) && s->step == 1;
    const bool has_steps =
        s->step > 1 && (f->taps > 8 || (s->batches == 1 && gp_type_size(f->in) == 4));
    const uint64_t lines = gp_ceil_div(s->outputs, s->phases);
    const uint64_t row_items =
        gp_ceil_div(lines, (uint64_t)gp_tile_usual_outputs(s)) * s->out_lanes;
    const bool is_narrow = gp_type_size(f->in) < 4 && s->step == 1 &&
                           (s->batches == 1 || row_items <= 32 || row_items > 128);
    if (s->out_lanes < 8 && !is_long && !has_steps && !is_narrow)
        return 64;
    return row_items > 2 * TILE_LANES ? full_group(lanes) : 128;
}
