/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant cpu_matrix: short rows one behind the other, each with the inputs beyond its
 * ends (kernels/convolve1d/cpu_padded.cl). */
#include "cpu_tiles.h"

// Elements of a padded row that are no input of the row, or no output: the more of both. An offset
// may leave few inputs in reach of the outputs.
static uint64_t beyond_of(const struct convolve_shape *s)
{
    const struct gpuprim_filter *f = s->filter;
    const int64_t reach = (int64_t)((f->taps - 1) * f->dilation), first = s->origin,
                  past = first + (int64_t)((s->outputs - 1) * f->stride) + reach + 1,
                  n = (int64_t)s->n, from = first < 0 ? 0 : first, to = past < n ? past : n,
                  inside = to > from ? to - from : 0, outside = past - first - inside;
    return (uint64_t)(outside > reach ? outside : reach);
}

// Whether it takes less time than rows side by side as lanes, which are transposed on their way in
// and out. Inputs beyond the ends come one by one, and sums are added up for them, too. PoCL 3.1,
// both cores of an AMD EPYC with AVX2, 2026-11-30, 2^21 inputs (2^20 where elements lie apart), time in
// proportion to that of lanes, rows of so many elements, with `gap` more between them:
//     taps                     2    3    5    9   17   33   65
//     u8, dense, 4          0.54 0.54 0.91 1.50
//     24                    0.85 0.97 0.99 1.21 1.77
//     50                    0.74 0.80 0.88 1.00 1.42
//     100                   0.66 0.77 0.69 0.87 1.08 1.17
//     i16, gap 3, 4         0.35 0.48 0.59 0.78 1.75
//     f32, gap 3, 7         0.69 0.82 1.11 1.45
//     f32, dense, 2         0.71 0.83                  by AVX-512, 2026-12-01
//     3                     0.81 0.98
//     4                     0.98 1.24
//     7                     1.16 1.22 1.57 2.20
//     50                    0.98 1.05 1.11 1.29 1.49
//     100                   0.63 0.66 0.74 0.79 1.00 1.04 1.20
//     400                   0.71 0.72 0.79 0.85 0.87 0.89 0.93
//     dilation 3, 100       0.66 0.68 0.77 0.84 1.18 1.51
//     step 3, 200           0.97 1.22 1.05 1.43
//     400                   0.55 0.83 0.73 0.99 1.03
//     elements 2 apart, f32, 24
//                           0.85 0.84 0.95 1.02 1.33
//     100                   0.34 0.36 0.44 0.56 0.71 0.80 1.02
//     outputs 3 apart, 24   0.79 0.87 0.84 0.80 1.11
//     both 3 apart, u8, 50  0.89 0.94 0.70 0.81 1.08
//     f64, dense, 24        0.89 0.93 1.05 1.28
//     100                   0.68 0.70 0.74 0.80 0.87 0.91 1.18
static bool is_worth_it(const struct convolve_shape *s)
{
    enum { FEW = 2, SPACED = 24, LONG = 40, LONG_STEP = 128 };
    const size_t size = gp_type_size(s->filter->in);
    const uint64_t length = gp_min(s->n, s->outputs * s->filter->stride), beyond = beyond_of(s);
    if (s->step > 1)
        return s->outputs >= LONG_STEP && beyond <= length / 64;
    if (gp_abs(s->stride) > 1 || gp_abs(s->out_stride) > 1)
        return length >= SPACED && beyond <= length / 3;
    const bool are_apart = gp_abs(s->out_row_stride) != s->outputs;
    if (beyond <= FEW && (size < 4 || (size == 4 && (are_apart || length == 2))))
        return true;
    return length >= LONG && beyond <= length / 10;
}

// Whether neighbours in memory belong to one row.
static bool lies_along(int64_t stride, int64_t row_stride)
{
    return gp_abs(stride) == 1 || gp_abs(stride) < gp_abs(row_stride);
}

static bool suits(const struct convolve_shape *s)
{
    const struct gpuprim_filter *f = s->filter;
    // Dense rows of 768 to 2000 u8 and f16 with 3 and 9 taps take 0.38 to 0.92 of the time of
    // cpu_residues, those of f32 0.98 to 1.7.
    const uint64_t longest = (gp_type_size(f->in) < 4 ? 2 : 1) * CPU_SHORT_ROW;
    return f->rows == 1 && s->channels == 1 && s->rows > 1 && s->outputs &&
           s->outputs < longest && lies_along(s->stride, s->row_stride) &&
           lies_along(s->out_stride, s->out_row_stride) && is_worth_it(s);
}

bool gp_convolve_cpu_pad(const gpuprim *gp, const struct convolve_shape *s,
                         struct matrix_arguments *m)
{
    const uint64_t order = gp_convolve_order(gp, s->filter),
                   taps = gp_min(s->filter->taps, SPAN_ORDERS * order),
                   phases = gp_min(s->step, taps),
                   room = gp_min(MATRIX_INPUT_VECS / phases, MATRIX_SUM_VECS / 2) * order,
                   padded = s->outputs + (taps - 1) / s->step * s->phases;
    if (!suits(s) || room < padded)
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
