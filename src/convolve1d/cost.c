/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d on GPUs: about how long a launch takes by a variant. Of those that suit a shape
 * the one that takes the least runs it. Each counts what it would do, and has what that takes
 * (struct convolve_work). docs/kernels.md has the formula.
 *
 * The numbers are fitted to times of 298 calls by all variants that suit them: maps with the
 * seeds 9301, 9302 and 9311 to 9315, and calls with few lanes; H200, driver 580.159,
 * 2026-11-23. An estimate is off by 10 to 18 % in the mean. Calls that the numbers were not fitted
 * to took 5 % longer than by their fastest variants (docs/measurements/convolve1d.md). The numbers
 * of gpu_roll and gpu_tap_chunks but for the passes and the stores of gpu_roll are 1.2 and 1.5
 * times those: 180 calls of the maps with the seeds 52801 to 61036 took 3.3 % longer before,
 * and 1.7 % with them (H100, driver 580.159.04, 2026-11-27). What strides and rows that become
 * columns take was fitted anew on 2026-11-30, and sums of 64 bits on 2026-12-01. 240 calls of the
 * maps with the seeds 96001, 96003 and 96004 took 3.5 % longer than by their fastest variants
 * before that, and 2.1 % since (H200, driver 580.159.04; docs/measurements/convolve1d.md). */
#include "gpu_sizes.h"

// What a compute unit does in a microsecond, at the rates of the map: H200, driver 580.159,
// 2026-11-23, copy 4250 GB/s, 65.4 TFLOP/s by 132 units. Other GPUs differ in both alike, more
// or less.
static const double UNIT_BYTES = 32.2e3, UNIT_INSTRUCTIONS = 248e3;

double gp_convolve_byte_instructions(void)
{
    return UNIT_INSTRUCTIONS / UNIT_BYTES;
}

enum {
    UNIT_ITEMS = 256, // fewer items for a compute unit leave it idle, waiting for the memory
    // Instructions that make a result of a sum of 64 bits, and of an integer in f64. They were 50
    // and 16, and a product 2.8 and 2.1 instructions, until 2026-12-01. H200, driver 580.159.04, us
    // and the estimate then: i32 to u8, 1 tap, gpu_register_window 151, 270; 4 taps, dilation 12,
    // gpu_tile 497, 750; i8 to i32, 11 taps in f64, gpu_tile 428, 560; u8, 12 taps in f64, 5
    // channels, gpu_tile 3038, 3972; i32, 116 taps, gpu_roll 4132, 3780.
    LONG_SUM = 18,
    F64_SUM = 2,
    // Instructions that make a result of 64 bits. It was 100 until 2026-12-01. H200, driver
    // 580.159.04, us, the estimate with 100 and with this: i32, 30 taps, 134 rows of 1 640 497,
    // gpu_register_window 674, 1315, 710, by gpu_byte_matrices 1363; i32, 11 taps, step 2, columns,
    // gpu_walk 300, 453, 286; u8, 1 tap, gpu_turn 255, 432, 273.
    LONG_RESULT = 10,
    LINE = 64 // bytes that are moved for an element whose neighbours nobody wants
};

// An operand from local memory is a part of it.
double gp_convolve_multiply_add(const struct gpuprim_filter *f)
{
    const double one = 1.15;
    if (f->in == GPUPRIM_C32)
        return one * (f->taps_type == GPUPRIM_C32 ? 4 : 2);
    if (f->sums_in_f64)
        return one * 1.75;
    if (f->in == GPUPRIM_F64)
        return one * 2.1;
    return !gp_filter_sums_whole(f) ? one : one * (gp_convolve_has_long_sums(f) ? 3.3 : 2);
}

// Instructions more that an output takes.
static double of_result(const struct gpuprim_filter *f)
{
    return (f->sums_in_f64                 ? F64_SUM
            : gp_convolve_has_long_sums(f) ? LONG_SUM
                                           : 0) +
           (f->out == GPUPRIM_I64 ? LONG_RESULT : 0);
}

// H200, driver 580.159.04, 2026-11-28, us and the estimate without this. gpu_tile: u8, 128
// taps, dilation 3, 22 columns of 22 426 15, 6; 25 taps, step 6, dilation 27, 10 columns of 49
// 698 11, 3; i8, 26 taps, step 3, 226 rows of 10 386 14, 9. gpu_turn: f32, 192 taps, dilation
// 8, history, 11 rows of 2 35, 3.
double gp_convolve_waiting(const gpuprim *gp, const struct convolve_work *w)
{
    enum { UNIT_ITEMS = 2048, MOST = 4 };
    const double wait = (double)gp->caps.compute_units * UNIT_ITEMS / w->items;
    return w->loads < w->items ? 1 : wait > MOST ? MOST : wait > 1 ? wait : 1;
}

uint64_t gp_convolve_apart(const struct convolve_shape *s, int64_t stride, int64_t row_stride)
{
    return s->rows > 1 ? gp_min(gp_abs(stride), gp_abs(row_stride)) : gp_abs(stride);
}

// Bytes of the elements of all rows, of which the share `met` is moved where others lie in lines of
// their own. H200, driver 580.159.04, 2026-11-30, us and the estimate of all inputs: i16, 1 own
// tap, stride 4, 114 columns, gpu_walk 202, 463; c32, 1 c32 tap, stride 8, every sixth element of
// 906 rows, gpu_tile 174, 341; 2026-11-28, f32 to u8, 166 taps, stride 6, dilation 3, 14 354
// columns, gpu_roll 144, 206.
static double bytes_of(const struct convolve_shape *s, uint64_t n, enum gpuprim_type type,
                       int64_t stride, int64_t row_stride, double met)
{
    const double size = (double)gp_type_size(type), most = LINE / size;
    const bool are_columns = s->rows > 1 && gp_abs(row_stride) < gp_abs(stride);
    if (are_columns && (double)gp_abs(stride) < most)
        met = 1;
    const double apart =
        (double)gp_convolve_apart(s, stride, row_stride) / (are_columns ? 1 : met);
    return (double)n * met * (double)s->rows * (apart < most ? apart : most) * size;
}

// How much more is moved than the inputs of columns, where their lines have gaps. Memory is moved
// by sectors, so that short gaps are moved, too. H200, driver 580.159.04, 2026-11-30, us and the
// estimates without and with this: u16, 11 taps, stride 5, 13 of 22 columns, gpu_tap_chunks 621,
// 509, 610.
static double with_gaps(const struct convolve_shape *s)
{
    enum { SECTOR = 32 }; // bytes
    const double size = (double)gp_type_size(s->filter->in), line = (double)s->rows * size,
                 pitch = (double)gp_abs(s->stride) * size, most = line + SECTOR - size;
    if (s->rows == 1 || gp_abs(s->row_stride) != 1 || pitch <= line)
        return 1;
    return (pitch < most ? pitch : most) / line;
}

double gp_convolve_cost(const gpuprim *gp, const struct gp_variant *variant, const void *call)
{
    const struct convolve_shape *s = call;
    const struct gpuprim_filter *f = s->filter;
    const struct convolve_ops *ops = variant->ops;
    const struct convolve_rates *r = &ops->rates;
    struct convolve_work w = { .met = 1 };
    ops->count(gp, s, &w);
    const double units = gp->caps.compute_units;
    const uint64_t history = f->left == GPUPRIM_HISTORY ? f->halo : 0;
    const double written = bytes_of(s, s->outputs, f->out, s->out_stride, s->out_row_stride, 1);
    const double read = bytes_of(s, s->n, f->in, s->stride, s->row_stride, w.met);
    const double bytes = read * with_gaps(s) + written + bytes_of(s, history, f->in, 1, 1, 1);
    const double passes = r->passes + w.passes + (w.is_ragged ? r->ragged : 0);
    const double moving = (passes * bytes + w.pieces * written) / (units * UNIT_BYTES);
    const double instructions = r->item * w.items + r->load * w.loads + r->store * w.stores +
                                (r->output + of_result(f)) * w.outputs +
                                w.products * (double)f->taps * gp_convolve_multiply_add(f);
    const double idle = units * UNIT_ITEMS / w.items;
    const double working = instructions / (units * UNIT_INSTRUCTIONS) * (idle > 1 ? idle : 1);
    // Both go on side by side, but not altogether where they are alike: about the fourth root
    // of the sum of their fourth powers.
    const double longer = moving > working ? moving : working;
    const double share = (moving > working ? working : moving) / longer;
    const double spent = longer * (1 + 0.19 * share * share * share * share);
    return r->start + (spent > w.chain ? spent : w.chain);
}
