/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: sums in f32 that become integers or f16. Of the taps one is 1 and the
 * others are 0, so that a sum is an input: half way between two results, at an end of the
 * type's range, beyond it, an infinity, a NaN. And taps that are all 0, and integer sums as large as
 * doubles hold. suite.c runs this file. */
#include "case.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "reference/half.h"

#define MOST_F16 65504.0f

static const struct range {
    enum gpuprim_type type;
    double low, high;
} ranges[] = {
    { GPUPRIM_I8, INT8_MIN, INT8_MAX },
    { GPUPRIM_U8, 0, UINT8_MAX },
    { GPUPRIM_I16, INT16_MIN, INT16_MAX },
    { GPUPRIM_U16, 0, UINT16_MAX },
    { GPUPRIM_I32, INT32_MIN, INT32_MAX },
    { GPUPRIM_F16, -65520, 65520 }, // infinite from there
};
enum { RANGES = sizeof ranges / sizeof *ranges };

// Half way between two values of f16, or a float beside that; many are below its normal ones.
static float between_halves(struct check *check)
{
    const uint16_t below = (uint16_t)check_below(check, 0x7bff);
    const float sum = (half_to_float(below) + half_to_float(below + 1)) / 2;
    const uint64_t beside = check_below(check, 3);
    const float size = beside == 0 ? sum : nextafterf(sum, beside == 1 ? 0 : INFINITY);
    return check_once_in(check, 2) ? size : -size;
}

static float any_sum(struct check *check, const struct range *range, bool not_finite)
{
    static const float rare[] = { FLT_MAX, -FLT_MAX, -0.0f, NAN, INFINITY, -INFINITY };
    const double ends[] = { range->low, range->high, 0, 0x1p22, 0x1p23, 0x1p24, 0x1p31 };
    const double end = ends[check_below(check, 7)] * (check_once_in(check, 2) ? 1 : -1);
    const double whole =
        range->low + (double)check_below(check, (uint64_t)(range->high - range->low) + 1);
    const float to = check_once_in(check, 2) ? INFINITY : -INFINITY;
    if (range->type == GPUPRIM_F16 && check_once_in(check, 2))
        return between_halves(check);
    switch (check_below(check, 6)) {
    case 0:
        return rare[check_below(check, not_finite ? 6 : 3)];
    case 1: // near an end, by quarters
        return (float)(end + (double)check_below(check, 17) / 4 - 2);
    case 2: // the floats beside an end, and beside what lies half way to the next integer
        return nextafterf((float)(end + (double)check_below(check, 3) / 2 - 0.5), to);
    case 3:
        return (float)(whole + 0.5);
    case 4:
        return nextafterf((float)(whole + 0.5), to);
    default: // anything, also beyond the range
        return (float)(3 * whole + (double)check_below(check, 1 << 20) * 0x1p-20);
    }
}

void convolve_fill_rounding(struct check *check, const struct convolve_case *test,
                            const struct gpuprim_array *view)
{
    unsigned r = 0;
    while (ranges[r].type != test->kind.out)
        r++;
    for (uint64_t row = 0; row < (view->rows ? view->rows : 1); row++)
        for (uint64_t i = 0; i < view->count; i++) {
            const float x = any_sum(check, &ranges[r], test->not_finite);
            const uint16_t half = half_from_float(fmaxf(fminf(x, MOST_F16), -MOST_F16));
            memcpy(check_element(view, row, i),
                   view->type == GPUPRIM_F16 ? (const void *)&half : &x,
                   gp_type_size(view->type));
        }
}

void convolve_fill_impulse(struct check *check, const struct gpuprim_array *view)
{
    static const float values[] = { 0, 1 };
    for (uint64_t row = 0; row < (view->rows ? view->rows : 1); row++) {
        const uint64_t one = check_below(check, view->count);
        for (uint64_t i = 0; i < view->count; i++)
            memcpy(check_element(view, row, i), &values[i == one], sizeof(float));
    }
}

// f32 data, and f16 where that is not the result's type, because other variants take it. Inputs
// that are not finite spoil the outputs of all taps: several taps go without them.
static void rounding(struct check *check, gpuprim *gp, const char *variant)
{
    static const uint64_t counts[] = { 40, 257, 3001 };
    for (unsigned r = 0; r < RANGES; r++)
        for (unsigned i = 0; i < (check->quick ? 2 : 6); i++) {
            const bool is_long = i % 2, is_f16 = is_long && ranges[r].type != GPUPRIM_F16;
            struct convolve_case test = {
                .kind = { GPUPRIM_F32, is_f16 ? GPUPRIM_F16 : GPUPRIM_F32, ranges[r].type },
                .is_rounding = true,
                .taps = is_long ? convolve_taps_of(variant) : 1,
                .count = counts[i % 3]
            };
            convolve_shuffle(check, gp, &test);
            test.not_finite = test.taps == 1;
            if (i % 3) { // not all variants take steps
                test.params = (struct gpuprim_filter_params){ .mode = GPUPRIM_SAME,
                                                              .right = GPUPRIM_WRAP };
                test.in.stride = test.out.stride = 1;
                test.in.row_stride = test.out.row_stride = 0;
            }
            convolve_run(check, gp, &test);
        }
}

// Taps that are all zero have sums in f32, also of i32. Elements whose bits would be a NaN or an
// infinity of f32 give 0 nevertheless.
static void zero_taps(struct check *check, gpuprim *gp, const char *variant)
{
    static const enum gpuprim_type outs[] = { GPUPRIM_I8, GPUPRIM_I16, GPUPRIM_I32 };
    for (unsigned i = 0; i < (check->quick ? 3 : 6); i++) {
        struct convolve_case test = { .kind = { GPUPRIM_I32, GPUPRIM_I32, outs[i % 3] },
                                      .taps = 1 + check_below(check, 4),
                                      .count = 1 + check_below(check, i % 2 ? 40 : 400) };
        convolve_shuffle(check, gp, &test);
        test.small_taps = true; // of i32 only zeros have sums of 32 bits
        if (i % 2) { // not all variants take steps; gpu_turn has rows as they lie in memory
            test.params =
                (struct gpuprim_filter_params){ .mode = GPUPRIM_SAME, .right = GPUPRIM_WRAP };
            test.in.stride = test.out.stride = 1;
            test.in.row_stride = test.out.row_stride = 0;
            test.rows = 1 + check_below(check, 40); // the layouts were drawn for another number
            test.taps = convolve_taps_of(variant);
        }
        convolve_run(check, gp, &test);
    }
}

static void zero_taps_run(struct check *check, const char *variant)
{
    if (!check_begin(check, "convolve1d/zero_taps/%s", variant))
        return;
    gpuprim *gp = check_variant(check, "convolve1d", variant, 0);
    if (gp)
        zero_taps(check, gp, variant);
    gpuprim_destroy(&gp);
    check_end(check);
}

// Integer sums around the limits below which CPUs calculate them in f64: 2^51 and 2^53.
static void wide_sums(struct check *check, const char *variant)
{
    static const enum gpuprim_type outs[] = { GPUPRIM_I64, GPUPRIM_I32, GPUPRIM_U8 };
    enum { LEAST_BITS = 18, MOST_BITS = 24 }; // of taps; inputs have 31
    if (!check_begin(check, "convolve1d/wide_sums/%s", variant))
        return;
    gpuprim *gp = check_variant(check, "convolve1d", variant, 0);
    for (unsigned bits = LEAST_BITS; gp && bits <= MOST_BITS; bits++)
        for (unsigned i = 0; i < 3; i++) {
            struct convolve_case test = { .kind = { GPUPRIM_I32, GPUPRIM_I32, outs[i] },
                                          .taps = 1 + i,
                                          .count = 700 };
            convolve_shuffle(check, gp, &test);
            test.small_taps = false;
            test.tap_bits = bits;
            test.params =
                (struct gpuprim_filter_params){ .mode = GPUPRIM_SAME, .right = GPUPRIM_WRAP };
            const uint64_t shift = check_below(check, i ? bits + 31 : 3);
            test.params.shift = (unsigned)shift;
            test.in.stride = test.out.stride = 1;
            test.in.row_stride = test.out.row_stride = 0;
            convolve_run(check, gp, &test);
        }
    gpuprim_destroy(&gp);
    check_end(check);
}

void convolve_rounding_run(struct check *check)
{
    const struct gp_primitive *convolve = check_primitive("convolve1d");
    for (unsigned v = convolve->n_variants; v-- > 0;) {
        const char *variant = convolve->variants[v]->name;
        if (convolve_method_of(variant))
            continue;
        if (strncmp(variant, "cpu_", 4) == 0)
            wide_sums(check, variant);
        if (strcmp(variant, "gpu_narrow") != 0) // it takes no i32
            zero_taps_run(check, variant);
        if (!check_begin(check, "convolve1d/rounding/%s", variant))
            continue;
        gpuprim *gp = check_variant(check, "convolve1d", variant, 0);
        if (gp)
            rounding(check, gp, variant);
        gpuprim_destroy(&gp);
        check_end(check);
    }
}
