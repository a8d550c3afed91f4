/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_roll: the words of a group and the outputs of an item, as measured. */
#include "gpu_roll.h"

// What a kernel is compiled for: the first row for the lanes of a word, the bytes of an element
// and the taps. H200, driver 580.159, 2026-11-22, shares of the bound of 2^28 f32 by
// work-group / outputs. Four lanes, columns of 4096 and, behind a comma, of 1000:
//      33 taps  128/6 0.873, 0.775; 128/8 0.894, 0.733; 128/4 0.842; 256/6 0.869
//      65       128/6 0.733, 0.686; 128/8 0.665, 0.636; 256/8 0.675; 256/6 0.666
//     129       256/5 0.758; 256/4 0.732; 128/4 0.714; 128/6 0.596, 0.588; 128/8 0.546
// One lane: 33 taps 256/12 0.853, columns of 1001 with 128/24 0.402; 65 taps 256/16 0.665,
// 256/12 0.642; 129 taps 256/16 0.728, 256/12 0.711, 128/24 0.562. Code of more than some 40
// KiB (outputs * lanes * taps * 16 bytes) is slow, so the rows for many taps have few outputs.
// u8, 33 taps: 128/8 0.566, 128/12 0.499, 256/8 0.517; with 8 words 0.544; 100 taps, 8 words:
// 128/6 0.625, 128/8 0.539. f16, 33 taps: 128/8 0.633, 128/12 0.552. f64, 33 taps: 128/12
// 0.898, c32 0.758. 33 taps, columns of 1000, in one run (2026-11-23): 128/6 0.710, 256/6 0.812,
// 256/8 0.796. With steps, groups of 256 and, in brackets, of 128: f32, 30 taps, step 4,
// lines of 6157: 0.716 (0.522); 168 taps, step 3, 2550 lanes: 0.424 (0.365); c32, 21 taps, step
// 5: 0.626 (0.440). Not measured: more than 168 taps, i32 with sums of 64 bits.
// H100, driver 580.159.04, 2026-11-27, us of two outputs more, in front of them of as many as
// before: one lane of 16 bits, 70 to 156 taps 138, 133; 372, 348; 388, 364; 817, 752; 727, 717
// (of f32, 60 taps 401, 433). Four lanes of 16 bits and f32 taps 165, 149; 401, 374; 586, 540;
// 505, 481; 1007, 972; 624, 622; 98, 101; with integer taps 281, 311; 521, 526; 298, 290; 568,
// 544. f64, 93 and 99 taps, by 32 words 268, 378, by 16 352, 512; c32, 71 c32 taps 808, 760.
// Twice the words where four lanes have up to 64 or 48 taps, so that a group's lines have fewer
// sectors that are written in two parts: i16, 20 taps 568, 460; f16 98, 91; 624, 592; u16 301,
// 292; i16 165, 163; 505, 498; i8 281, 284; f32 250, 226; 132, 128; 172, 166; 327, 328. Of lines
// of 16 lanes 185, 194; with more taps 388, 403; 532, 560; 727, 759.
// clang-format off
static const struct roll_tuning rows[] = {
    // lanes, bytes   taps up to   group   words   outputs      strip
    { 1, 4,            48,         256,    32,     { 12, 12 },  2048 },
    { 1, 2,           180,         256,    32,     { 16, 18 },  2048 },
    { 1, 4,           180,         256,    32,     { 16, 16 },  2048 },
    { 1, 8,            64,         256,    32,     { 12, 12 },  1024 },
    { 1, 8,           100,         128,    32,     { 12, 12 },  1024 },
    { 1, 8,           180,         128,    16,     { 12, 12 },  1024 },
    { 4, 2,            64,         128,    32,     {  8, 10 },  1024 },
    { 4, 2,           180,         128,     8,     {  6,  6 },  1024 },
    { 4, 4,            48,         256,    16,     {  6,  6 },  2048 },
    { 4, 4,            96,         128,     8,     {  6,  6 },  2048 },
    { 4, 4,           132,         256,     8,     {  5,  5 },  2048 },
    { 4, 4,           180,         256,     8,     {  4,  4 },  2048 },
};
// clang-format on

// Results cross local memory on their way out. They must be no longer than operands there.
bool gp_roll_is_across(const struct convolve_shape *s)
{
    return gp_convolve_outputs_cross(s) &&
           gp_type_size(s->filter->out) <= gp_convolve_operand_bytes(s->filter);
}

// Four lanes where they are neighbours with the same taps, and where an item can write them as
// a vector, or where they are narrow (but not from 16 bits to 16 bits), lines are long, and
// taps are few. Words of 16 bytes must be aligned in the input, too. Driver 580.159,
// 2026-11-27, us of one lane and of four that are no vector: H200, f16 to u8, 44 taps, 27597
// columns 538, 491; u8, 18 taps, 583 columns 532, 517; H100, i8, 46 taps, 147 columns 994,
// 1061. H200, driver 580.159.04, 2026-11-28: u8 to i16, 20 taps, 14894 columns 373, 265; u8, 25
// taps, step 4, 1122 columns 215, 194; but f16, 31 taps, 4598 columns 153, 179, and 61 taps,
// 3717 columns 406, 504. i16 and u16 to 16 bits were not measured.
unsigned gp_roll_word_lanes(const struct convolve_shape *s)
{
    enum { LONG = 512, FEW = 64 };
    const size_t size = gp_type_size(s->filter->in);
    const int64_t line = gp_convolve_distance(s->stride, gp_convolve_line_inputs(s));
    const bool is_aligned = size < 4 || (size == 4 && line % 4 == 0);
    if (!is_aligned || !gp_convolve_lanes_adjoin(s) || s->filter->rows > 1)
        return 1;
    const bool are_halves = size == 2 && gp_type_size(s->filter->out) == 2;
    const bool are_narrow = size < 4 && !are_halves && s->filter->taps <= FEW &&
                            gp_convolve_line_lanes(s, 4) >= LONG &&
                            gp_convolve_out_lanes_adjoin(s);
    return gp_roll_is_across(s) || gp_convolve_out_words(s) || are_narrow ? 4 : 1;
}

const struct roll_tuning *gp_roll_tuning(const struct convolve_shape *s)
{
    const struct gpuprim_filter *f = s->filter;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].lanes == gp_roll_word_lanes(s) && gp_type_size(f->in) <= rows[i].bytes &&
            f->taps <= rows[i].most_taps)
            return &rows[i];
    return NULL;
}

// With steps groups are large if they have room, and an item has fewer outputs, because it loads
// more lines for each.
unsigned gp_roll_outputs(const struct convolve_shape *s)
{
    // Of four lanes as bytes 10 outputs lose 3 to 6 %.
    const bool are_bytes = gp_roll_word_lanes(s) == 4 && gp_type_size(s->filter->out) == 1;
    const bool has_more = !gp_filter_sums_whole(s->filter) && !are_bytes;
    const unsigned outputs = gp_roll_tuning(s)->outputs[has_more];
    const unsigned step = (unsigned)gp_convolve_lane_step(s);
    if (step == 1)
        return outputs;
    return outputs / step + 2 < 32 / step ? outputs / step + 2 : 32 / step;
}

// Words side by side, but for what words_of() does. With steps, long ones would not have room.
// Where a line has fewer words, half of them, if these are more than 8.
unsigned gp_roll_words(const struct convolve_shape *s)
{
    const unsigned words = gp_roll_tuning(s)->words, lanes = gp_roll_word_lanes(s);
    if (gp_type_size(s->filter->in) == 8 && gp_convolve_lane_step(s) > 1 && words > 16)
        return 16;
    return lanes == 4 && words > 8 && gp_convolve_line_lanes(s, lanes) < lanes * words
               ? words / 2
               : words;
}
