/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d on GPUs: whether groups ask for the memory at the ends of lines of outputs before
 * they write them (kernels/convolve1d/gpu_fetch.cl). */
#include "gpu_sizes.h"

// Lines with gaps between them, and neighbours within. H200, driver 580.159.04, 2026-11-29.
// Stores of 200 MB alone (a program in CUDA), us without and with it: f32, lines of 50 of 75
// 206, 126; of 1000 of 1501 88, 80; u16, lines of 15 of 25 255, 145; but f32, lines of 48 of
// 72, which begin and end with a sector, 56, 122, so that such ends are left out. gpu_tile: f16
// to f32, 10 taps, lines of 50 214, 163; f16 to i16, 36 taps, of 12 487, 385; to i32, 62 taps,
// of 19 357, 313; f16, 3 taps, of 15 249, 214; but u16, 1 tap, of 387 115, 120; rows of 261 f32
// with gaps, 8 taps, 55, 56, and shorter rows were not measured. gpu_walk: i32 to u16, 4 taps,
// of 45 149, 113; f64, 7 taps, of 11 239, 165. Lost: gpu_roll, c32, 45 taps, of 290 140, 149,
// f32, 89 taps, of 1011 91, 114; gpu_turn, five calls 2 % more in the mean; asking when a group
// begins, f32, of 50 214, 230; outputs that lie apart, asked for one by one, 0 to 25 % more.
enum { MOST_LINE = 512 }; // bytes of a line of outputs

bool gp_convolve_fetches(const struct convolve_shape *s)
{
    const uint64_t row = gp_abs(s->out_row_stride), step = gp_abs(s->out_stride);
    const bool across = s->rows > 1 && row < step;
    const uint64_t near = across ? row : step, far = across ? step : row;
    const uint64_t count = across ? s->rows : s->outputs, lines = across ? s->outputs : s->rows;
    return near == 1 && lines > 1 && far > count &&
           count * gp_type_size(s->filter->out) <= MOST_LINE;
}
