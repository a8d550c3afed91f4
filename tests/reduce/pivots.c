/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of reduce: statistics of data that lie far from the pivot of a chain, as the header bounds their
 * errors (gpuprim.h, "Statistics"). suite.c runs this file. */
#include "case.h"
#include "tests/harness/model.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

// As f16. 64 squares of their distance, which are added in f32, are 16 u too large.
enum { FAR = 0x77e1, NEAR = 0x4126, NAN16 = 0x7e00 };
static const double far_value = 32272, near_value = 2.57421875;

// A device of one unit, so that an item has many lines.
static const struct device_model one_unit = { .type = CL_DEVICE_TYPE_GPU,
                                              .units = 1,
                                              .work_group = 32 };

// f16: the first element of each row is FAR, `nans` are NaNs, and the others are NEAR. NaNs are left
// out. What is lost grows with the number of elements that are far from a pivot.
static void outlier_of(struct check *check, gpuprim *gp, const struct gpuprim_array *layout,
                       uint64_t nans)
{
    const uint64_t rows = layout->rows, each = layout->count, count = each - nans,
                   n = (each - 1) * (uint64_t)layout->stride +
                       (rows - 1) * (uint64_t)layout->row_stride + 1;
    uint16_t *x = check_allocate(sizeof *x * n);
    double *got = check_allocate(sizeof *got * rows * 5);
    const bool is_f64 = gp && gp->caps.has_fp64;
    struct gpuprim_array in = *layout;
    in.base = x;
    const struct gpuprim_array out = gpuprim_as_rows(
        gpuprim_host(is_f64 ? GPUPRIM_F64 : GPUPRIM_F32, got, rows * 5), rows, 5);
    const struct gpuprim_reduce_params params = { .op = GPUPRIM_STATISTICS,
                                                  .nan = nans ? GPUPRIM_NAN_IGNORE
                                                              : GPUPRIM_NAN_PROPAGATE };
    const double share = 1.0 / (double)count, apart = far_value - near_value,
                 mean = near_value + apart * share,
                 variance = apart * apart * share * (1 - share),
                 bound =
                     1024 * log2((double)count) * 0x1p-24 * sqrt(1 + mean * mean / variance);
    for (uint64_t i = 0; i < each; i++) {
        const uint16_t element = i > nans ? NEAR : i > 0 ? NAN16 : FAR;
        for (uint64_t row = 0; row < rows; row++)
            x[row * (uint64_t)layout->row_stride + i * (uint64_t)layout->stride] = element;
    }
    check->cases++;
    if (gp)
        CHECK(check, gpuprim_reduce(gp, &in, &out, &params, NULL) == GPUPRIM_OK, "%s",
              gpuprim_last_error());
    for (uint64_t row = 0; gp && row < rows; row++) {
        const double v = is_f64 ? got[row * 5 + 4] : (double)((float *)got)[row * 5 + 4];
        CHECK(check, fabs(v - variance) <= bound * variance,
              "row %" PRIu64 ": variance %g, not %g", row, v, variance);
    }
    free(got);
    free(x);
}

static struct gpuprim_array lines(enum gpuprim_type type, uint64_t count, uint64_t columns)
{
    return gpuprim_as_columns(gpuprim_host(type, NULL, count * columns), count, columns);
}

static void outlier(struct check *check)
{
    struct gpuprim_array rows =
        gpuprim_as_rows(gpuprim_host(GPUPRIM_F16, NULL, 64 * 120), 64, 120);
    rows.row_stride = 120;
    rows.stride = 1;
    gpuprim *gp = check_context(check, "reduce:gpu_tiles", 32);
    outlier_of(check, gp, &rows, 0);
    gpuprim_destroy(&gp);
}

// An item has 8192 lines of its columns at once. A pivot that does not move loses more than the bound
// allows, and so does one that moves by the number of lines instead of that of numbers.
static void outlier_in_columns(struct check *check)
{
    const struct gpuprim_array columns = lines(GPUPRIM_F16, 16384, 2048);
    gpuprim *gp = check_context_on(check, &one_unit, "reduce:gpu_columns", 32);
    outlier_of(check, gp, &columns, 0);
    outlier_of(check, gp, &columns, 4100);
    gpuprim_destroy(&gp);
}

// Statistics of equal columns of f32, whose lines are value(0), value(1) ...: those of one column, of
// which all others have the same bits. False where there are none.
static bool of_lines(struct check *check, bool has_doubles, float (*value)(unsigned line),
                     float *statistics)
{
    enum { LINES = 300, COLUMNS = 2048, RESULTS = 5 };
    float *x = check_allocate(sizeof *x * LINES * COLUMNS);
    float *got = check_allocate(sizeof *got * COLUMNS * RESULTS);
    struct gpuprim_array in = lines(GPUPRIM_F32, LINES, COLUMNS);
    in.base = x;
    const struct gpuprim_array out =
        gpuprim_as_rows(gpuprim_host(GPUPRIM_F32, got, COLUMNS * RESULTS), COLUMNS, RESULTS);
    const struct gpuprim_reduce_params params = { .op = GPUPRIM_STATISTICS };
    gpuprim *gp = check_context_on(check, &one_unit, "reduce:gpu_columns", 32);
    for (size_t i = 0; i < (size_t)LINES * COLUMNS; i++)
        x[i] = value((unsigned)(i / COLUMNS));
    check->cases++;
    if (gp && !has_doubles)
        gp->caps.has_fp64 = false;
    const bool works =
        gp && CHECK(check, gpuprim_reduce(gp, &in, &out, &params, NULL) == GPUPRIM_OK, "%s",
                    gpuprim_last_error());
    for (size_t c = 1; works && c < COLUMNS; c++)
        CHECK(check, memcmp(got, got + c * RESULTS, sizeof *got * RESULTS) == 0,
              "columns 0 and %zu differ", c);
    if (works) {
        memcpy(statistics, got, sizeof *got * RESULTS);
        CHECK(check, statistics[0] == LINES, "%g elements", (double)statistics[0]);
    }
    gpuprim_destroy(&gp);
    free(got);
    free(x);
    return works;
}

static float near_1e24(unsigned line)
{
    return line % 2 ? 1e24f : 0;
}

static float near_3e30(unsigned line)
{
    return line % 2 ? 3e30f : 1e30f;
}

static float widest(unsigned line)
{
    return line % 2 ? 3e38f : -3e38f;
}

// Without f64 squares of f32 become infinite, but nothing else does, and nothing becomes NaN.
static void large_without_doubles(struct check *check)
{
    static float (*const values[])(unsigned) = { near_1e24, near_3e30, widest };
    for (unsigned v = 0; v < COUNT(values); v++) {
        float s[5];
        const float low = values[v](0), high = values[v](1), mean = low / 2 + high / 2;
        if (of_lines(check, false, values[v], s))
            CHECK(check,
                  s[1] == low && s[2] == high && fabsf(s[3] - mean) <= 1e-4f * high && s[4] > 0,
                  "%g and %g: %g %g %g %g", (double)low, (double)high, (double)s[1],
                  (double)s[2], (double)s[3], (double)s[4]);
    }
}

static float infinite_once(unsigned line)
{
    return line == 5 ? INFINITY : (float)(line % 3);
}

// A pivot stays finite. So the mean of data with an infinity is infinite, and not NaN.
static void infinity_in_columns(struct check *check)
{
    float s[5];
    if (of_lines(check, true, infinite_once, s))
        CHECK(check, s[1] == 0 && s[2] == INFINITY && s[3] == INFINITY && isnan(s[4]),
              "%g %g %g %g", (double)s[1], (double)s[2], (double)s[3], (double)s[4]);
}

void reduce_pivots_run(struct check *check)
{
    static const struct {
        const char *name;
        void (*run)(struct check *check);
    } groups[] = { { "outlier", outlier },
                   { "outlier_in_columns", outlier_in_columns },
                   { "large_without_doubles", large_without_doubles },
                   { "infinity_in_columns", infinity_in_columns } };
    for (unsigned i = 0; i < COUNT(groups); i++)
        if (check_begin(check, "reduce/pivots/%s", groups[i].name)) {
            groups[i].run(check);
            check_end(check);
        }
}
