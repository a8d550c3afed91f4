/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_roll: what inputs and the ends of rows take, by the estimate.
 * gpu_roll.c is the variant. */
#include "gpu_roll.h"

// An access of local memory, which serves one of four warps at once, takes the time of WARPS
// additions. With a step an item has few outputs, so that each input that it reads goes into few
// sums. Lines that stay for the next tile are moved for few outputs, too. Own taps are read once
// for a tile. H200, driver 580.159.04, 2026-11-30, us, the estimate of (1 + step) / 2 loads and
// this one: f32 to u16, 121 taps, step 7, 8 channels 622, 373, 627, by gpu_tile 505; u16 to i16,
// 150 taps, step 6, 5 channels 1221, 855, 1109, by gpu_tile 908; f32, 66 own taps, step 3, 6
// channels 881, 543, 647; f64, 154 taps, step 3, 5 channels 944, 1085, 1124; f32, 133 taps, step
// 2, 7 channels 948, 977, 1048. Us, the estimate of as many loads as a step has lines and this
// one: f32 to u16, 133 taps, step 4, columns to rows 554, 355, 586; u8, 45 taps, step 4, dilation
// 9 1880, 1586, 2155. Without a step this is no better than a load for each output: 18 calls, the
// estimates differ by 18 % from their mean ratio to the times, and by this by 22 %.
double gp_roll_loads(const struct convolve_shape *s, unsigned tile)
{
    enum { WARPS = 4, INPUT = 10 }; // INPUT: instructions for a word of input
    const struct gpuprim_filter *f = s->filter;
    const double lanes = gp_roll_word_lanes(s), word = gp_convolve_operand_bytes(f) / 4.0;
    const double step = (double)gp_convolve_lane_step(s), taps = (double)f->taps;
    if (step == 1)
        return word / lanes;
    const double outputs = gp_roll_outputs(s), own = f->rows > 1 ? taps : 0,
                 reads = ((outputs - 1) * step + taps + own) / outputs,
                 moves = taps > step ? 2 * (taps - step) / tile : 0;
    return (WARPS * (reads + step + moves) + INPUT * step * word / lanes) / ROLL_LOAD;
}

// A group writes a part of each row. Where rows begin anywhere in sectors, both ends of it are
// parts of sectors, which are read before they are written. H200, driver 580.159.04, 2026-11-30,
// us, and the estimates without and with this: f16 to f32, 3 taps, 11952 pitched columns, parts
// of 160 bytes 488, 281, 460, by gpu_turn 348; but rows that begin with a sector, 5 taps, 1566
// columns 312, 288; f32, 5 taps, step 2, 41 columns, parts of 256 bytes 820, 766, 934, by gpu_turn
// 870.
double gp_roll_ends(const struct convolve_shape *s, unsigned tile)
{
    enum { SECTOR = 32, ENDS = 320 }; // bytes; ENDS: as long as both ends take
    const size_t size = gp_type_size(s->filter->out);
    if (gp_abs(s->out_row_stride) * size % SECTOR == 0)
        return 0;
    const double passes = ENDS / ((double)tile * (double)size);
    return passes < ROLL_RAGGED ? passes : ROLL_RAGGED;
}
