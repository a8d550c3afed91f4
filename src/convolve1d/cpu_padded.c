/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant cpu_matrix: short rows one behind the other, each with the inputs beyond its
 * ends (kernels/convolve1d/cpu_padded.cl). */
#include "cpu_tiles.h"

// Whether it takes less time than rows side by side as lanes, which are transposed on their way in
// and out. Inputs beyond the ends come one by one, and sums are added up for them, too. PoCL 3.1,
// both cores of an AMD EPYC with AVX2, 2026-11-30, 2^21 inputs, time in proportion to that of lanes,
// dense rows of so many elements:
//     f32 taps            2    3    5    9   17   33   65
//     f32, rows of 4   0.34 0.47 0.67 1.05 1.96
//     12               0.43 0.44 0.66 0.91 1.85
//     50               0.54 0.59 0.64 0.69 0.95 1.06 1.46
//     200              0.42 0.41 0.40 0.54 0.64 0.73 0.79
//     dilation 3, 12   0.61 0.89 0.94 2.35
//     100              0.37 0.36 0.39 0.68 1.00 1.29 2.21
//     u8, 12           0.42 0.45 0.54 0.77 1.46
//     200              0.42 0.42 0.45 0.51 0.70 0.76 0.81
//     step 3, f32, 24  0.89 1.16 1.15 1.28 1.60
//     100              0.51 0.68 0.81 0.99 1.00 1.12 1.49
//     400              0.75 0.49 0.62 0.64 0.68 0.78 0.99
//     f64, 12          1.01 1.10 1.18 1.01 1.99
//     100              0.60 0.59 0.98 0.85 0.77 0.87 1.16
static bool is_worth_it(const struct convolve_shape *s, uint64_t order, uint64_t beyond)
{
    enum { LEAST_SPACED = 32 };
    if (order == 16 && s->step == 1)
        return beyond <= 6 + 7 * s->n / 20;
    return s->n >= LEAST_SPACED && beyond <= s->n / 5;
}

static bool suits(const struct convolve_shape *s, uint64_t order)
{
    const struct gpuprim_filter *f = s->filter;
    // Dense rows of 768 to 2000 u8 and f16 with 3 and 9 taps take 0.38 to 0.92 of the time of
    // cpu_residues, those of f32 0.98 to 1.7.
    const uint64_t longest = (gp_type_size(f->in) < 4 ? 2 : 1) * CPU_SHORT_ROW;
    return f->rows == 1 && s->channels == 1 && s->rows > 1 && s->outputs &&
           s->outputs < longest && gp_abs(s->stride) == 1 && gp_abs(s->out_stride) == 1 &&
           is_worth_it(s, order, (f->taps - 1) * f->dilation);
}

bool gp_convolve_cpu_pad(const gpuprim *gp, const struct convolve_shape *s,
                         struct matrix_arguments *m)
{
    const uint64_t order = gp_convolve_order(gp, s->filter),
                   taps = gp_min(s->filter->taps, SPAN_ORDERS * order),
                   phases = gp_min(s->step, taps),
                   room = gp_min(MATRIX_INPUT_VECS / phases, MATRIX_SUM_VECS / 2) * order,
                   padded = s->outputs + (taps - 1) / s->step * s->phases;
    if (!suits(s, order) || room < padded)
        return false;
    const uint64_t rows = gp_min(room / padded, s->rows), tiles = gp_ceil_div(s->rows, rows);
    *m = (struct matrix_arguments){ .tiles = tiles,
                                    .line_tiles = 1,
                                    .channel_blocks = tiles,
                                    .z_blocks = 1,
                                    .channels = (cl_uint)rows,
                                    .zs = 1,
                                    .fold = 1,
                                    .lines = (cl_uint)(rows * padded),
                                    .pitch = 1,
                                    .length = (cl_uint)(rows * padded),
                                    .step = (cl_uint)s->step,
                                    .spread = (cl_uint)s->phases,
                                    .padded = (cl_uint)padded };
    return true;
}
