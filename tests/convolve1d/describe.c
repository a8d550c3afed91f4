/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: the text of gpuprim_filter_describe names the variant that runs the call
 * and how its rows lie; and gpuprim_convolve1d_prepare refuses what the call refuses. suite.c
 * runs this file. */
#include "case.h"
#include "tests/harness/model.h"

#include "src/convolve1d/convolve1d.h"

#include <string.h>

enum { TAPS = 5 };

static const float values[TAPS] = { 1, 2, 3, 2, 1 };

static gpuprim_filter *make(gpuprim *gp, uint64_t n, uint64_t stride, uint64_t dilation)
{
    gpuprim_filter *f = NULL;
    const struct gpuprim_array taps = gpuprim_host(GPUPRIM_F32, values, n);
    const struct gpuprim_filter_params params = { .stride = stride, .dilation = dilation };
    gpuprim_filter_create(gp, &taps, &params, &f);
    return f;
}

// A packed array without memory: rows or columns.
static struct gpuprim_array array_of(uint64_t rows, uint64_t columns, bool as_columns)
{
    const struct gpuprim_array a = { .type = GPUPRIM_F32,
                                     .memory = GPUPRIM_BUFFER,
                                     .count = rows * columns };
    return as_columns ? gpuprim_as_columns(a, rows, columns)
                      : gpuprim_as_rows(a, rows, columns);
}

// The text of a call on rows x columns has all the parts, and the name of the variant that the
// library picks for it.
static void tells(struct check *check, gpuprim *gp, const gpuprim_filter *f,
                  const struct gpuprim_array *in, const struct gpuprim_array *out,
                  const char *part)
{
    char text[512];
    struct convolution c = { .filter = f };
    check->cases++;
    if (!CHECK(check, gpuprim_filter_describe(f, in, out, text, sizeof text) > 0, "%s: %s",
               part, gpuprim_last_error()) ||
        gp_convolve_check_arrays(gp, f, in, out, true, &c))
        return;
    const struct convolve_shape s = gp_convolve_shape(&c);
    struct gp_plan plan;
    CHECK(check, strstr(text, part), "'%s' lacks '%s'", text, part);
    if (CHECK(check, gp_plan_alone(gp, &gp_primitive_convolve1d, &s, &plan) == GPUPRIM_OK, "%s",
              gpuprim_last_error()))
        CHECK(check, strstr(text, plan.variant->name), "'%s' lacks '%s'", text,
              plan.variant->name);
}

static void shapes(struct check *check, gpuprim *gp)
{
    gpuprim_filter *plain = make(gp, TAPS, 1, 1), *steps = make(gp, TAPS, 2, 3);
    if (!CHECK(check, plain && steps, "%s", gpuprim_last_error()))
        return;
    const struct gpuprim_array rows = array_of(30, 1000, false),
                               wide = array_of(1000, 30, true), half = array_of(30, 500, false);
    struct gpuprim_array apart = array_of(1, 2000, false);
    apart.count = 1000;
    apart.rows = 1;
    apart.stride = 2;
    const struct gpuprim_array one = array_of(1, 1000, false);
    tells(check, gp, plain, &one, &one, "5 f32 taps, f32 to f32; 1 row of 1000 inputs; ");
    tells(check, gp, plain, &rows, &rows, "; 30 rows of 1000 inputs; ");
    tells(check, gp, plain, &wide, &wide, "30 rows of 1000 inputs, interleaved: a matrix 30 ");
    tells(check, gp, plain, &apart, &one, "1 row of 1000 inputs, inputs apart; ");
    tells(check, gp, steps, &rows, &half,
          "stride 2, dilation 3; 30 rows of 1000 inputs: a "
          "matrix 3 wide, an output every 2 lines; ");
    gpuprim_filter_destroy(&plain);
    gpuprim_filter_destroy(&steps);
}

// With one tap, rows that follow each other are one row.
static void one_tap(struct check *check, gpuprim *gp)
{
    gpuprim_filter *f = make(gp, 1, 1, 1);
    if (!CHECK(check, f, "%s", gpuprim_last_error()))
        return;
    const struct gpuprim_array rows = array_of(30, 1000, false),
                               wide = array_of(1000, 30, true);
    struct gpuprim_array gaps = rows;
    gaps.row_stride++;
    tells(check, gp, f, &rows, &rows, "; 1 row of 30000 inputs; ");
    tells(check, gp, f, &wide, &wide, "; 1 row of 30000 inputs; ");
    tells(check, gp, f, &rows, &wide, "; 30 rows of 1000 inputs, interleaved");
    tells(check, gp, f, &gaps, &rows, "; 30 rows of 1000 inputs; ");
    gpuprim_filter_destroy(&f);
}

// With one tap the lines of a matrix of columns are rows, on a GPU.
static void one_tap_of_columns(struct check *check)
{
    gpuprim *gp = check_context_on(check, &model_gpu, NULL, 0);
    gpuprim_filter *f = gp ? make(gp, 1, 1, 1) : NULL;
    struct gpuprim_array lines = array_of(30, 1000, true), few = array_of(1000, 30, true);
    if (f) {
        lines.stride += 7; // gaps behind the lines
        few.stride += 7;
        tells(check, gp, f, &lines, &lines, "; 30 rows of 1000 inputs; ");
        tells(check, gp, f, &few, &few, "; 30 rows of 1000 inputs, interleaved");
    }
    gpuprim_filter_destroy(&f);
    gpuprim_destroy(&gp);
}

// Segments are told where transforms run the call: not where its step does not divide the
// dilation.
static void transforms(struct check *check, gpuprim *gp)
{
    const struct gpuprim_array taps = gpuprim_host(GPUPRIM_F32, values, TAPS);
    for (uint64_t stride = 1; stride < 3; stride++) {
        const struct gpuprim_filter_params params = { .stride = stride,
                                                      .method = GPUPRIM_METHOD_FFT };
        char text[512] = "";
        gpuprim_filter *f = NULL;
        check->cases++;
        CHECK(check,
              !gpuprim_filter_create(gp, &taps, &params, &f) &&
                  gpuprim_filter_describe(f, NULL, NULL, text, sizeof text),
              "stride %d: %s", (int)stride, gpuprim_last_error());
        const bool is_fft = strstr(text, "_fft") != NULL;
        CHECK(check, !strstr(text, ", segments of ") == !is_fft && (stride == 1 || !is_fft),
              "stride %d: '%s'", (int)stride, text);
        gpuprim_filter_destroy(&f);
    }
}

// More rows than any memory holds, with a dilation that makes the matrix wider than 64 bits.
static void large(struct check *check, gpuprim *gp)
{
    gpuprim_filter *f = make(gp, TAPS, 1, INT32_MAX);
    char text[512];
    const struct gpuprim_array many = array_of(3, (uint64_t)1 << 45, true);
    struct gpuprim_array more = many;
    more.rows = (uint64_t)1 << 60;
    tells(check, gp, f, &many, &many, "; 35184372088832 rows of 3 inputs, interleaved: ");
    CHECK(check, gpuprim_filter_describe(f, &more, &more, text, sizeof text) == 0, "'%s'",
          text);
    CHECK(check, gpuprim_convolve1d_prepare(gp, f, &more, &more, NULL) == GPUPRIM_E_RANGE,
          "prepare: '%s'", gpuprim_last_error());
    gpuprim_filter_destroy(&f);
}

// Every size of room: what fits is written, the length is that of all.
static void rooms(struct check *check, gpuprim *gp)
{
    char whole[512], part[512];
    gpuprim_filter *f = make(gp, TAPS, 1, 1);
    const size_t length = gpuprim_filter_describe(f, NULL, NULL, whole, sizeof whole);
    CHECK(check, length > 0 && length == strlen(whole), "length %zu of '%s'", length, whole);
    for (size_t size = 0; size <= length + 2; size++) {
        memset(part, '#', sizeof part);
        const size_t kept = size == 0 ? 0 : size - 1 < length ? size - 1 : length;
        const bool is_right = gpuprim_filter_describe(f, NULL, NULL, part, size) == length &&
                              memcmp(part, whole, kept) == 0 &&
                              (size == 0 || part[kept] == '\0') &&
                              part[size ? kept + 1 : 0] == '#';
        check->cases++;
        if (!CHECK(check, is_right, "room for %zu of %zu", size, length))
            break;
    }
    const struct gpuprim_array in = array_of(1, 1000, false), out = array_of(1, 999, false);
    CHECK(check, gpuprim_filter_describe(NULL, NULL, NULL, part, 10) == 0, "of NULL");
    CHECK(check, gpuprim_filter_describe(f, &in, &out, part, 10) == 0, "wrong outputs");
    CHECK(check, strstr(gpuprim_last_error(), "gpuprim_filter_describe"), "'%s'",
          gpuprim_last_error());
    CHECK(check, gpuprim_filter_describe(f, &in, NULL, part, 10) == 0, "no out");
    CHECK(check,
          gpuprim_convolve1d_prepare(gp, f, &in, &out, NULL) == GPUPRIM_E_ARG &&
              strstr(gpuprim_last_error(), "gpuprim_convolve1d_prepare"),
          "prepare: '%s'", gpuprim_last_error());
    gpuprim_filter_destroy(&f);
}

// Rows of one narrow element are columns to a CPU, but not two of them so far apart that a third
// would lie beyond 64 bits: columns would have no stride.
static void rows_of_one(struct check *check, gpuprim *gp)
{
    enum { ROWS = 300 };
    const int64_t far = (int64_t)3 << 61;
    const struct {
        enum gpuprim_type type;
        uint64_t n, rows;
        int64_t row_stride, out_row_stride; // 0: packed
        int64_t stride;                     // that is expected
    } calls[] = { { GPUPRIM_U8, 1, ROWS, 0, 0, ROWS }, { GPUPRIM_F16, 1, ROWS, 0, 0, ROWS },
                  { GPUPRIM_F32, 1, ROWS, 0, 0, 1 },   { GPUPRIM_U8, 2, ROWS, 0, 0, 1 },
                  { GPUPRIM_U8, 1, 2, 1, 1, 2 },       { GPUPRIM_U8, 1, 2, far, 1, 1 },
                  { GPUPRIM_U8, 1, 2, 1, far, 1 } };
    const struct gpuprim_array taps = gpuprim_host(GPUPRIM_F32, values, TAPS);
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        const struct gpuprim_filter_params params = { .in = calls[i].type };
        struct gpuprim_array in = array_of(calls[i].rows, calls[i].n, false);
        struct convolution c = { .filter = NULL };
        gpuprim_filter *f = NULL;
        in.type = calls[i].type;
        struct gpuprim_array out = in;
        in.row_stride = calls[i].row_stride;
        out.row_stride = calls[i].out_row_stride;
        if (!CHECK(check, !gpuprim_filter_create(gp, &taps, &params, &f), "%s",
                   gpuprim_last_error()))
            return;
        check->cases++;
        const int64_t stride = gp->caps.is_cpu ? calls[i].stride : 1;
        if (CHECK(check, !gp_convolve_check_arrays(gp, f, &in, &out, true, &c), "%s",
                  gpuprim_last_error()))
            CHECK(check, c.in.stride == stride && c.out.stride == stride,
                  "call %u: strides %lld and %lld, not %lld", i, (long long)c.in.stride,
                  (long long)c.out.stride, (long long)stride);
        gpuprim_filter_destroy(&f);
    }
}

// Columns that a GPU filters line by line, whatever the step is: groups of gpu_roll have room. With long
// steps few sums meet a line, which an item of gpu_walk has.
static void steps_of_columns(struct check *check)
{
    enum { MOST = 30, COLUMNS = 4096, LINES = 1000 };
    static const float many[MOST] = { 1 };
    gpuprim *gp = check_context_on(check, &model_gpu, NULL, 0);
    for (uint64_t stride = 1; gp && stride <= 5; stride++) {
        const struct gpuprim_array taps = gpuprim_host(GPUPRIM_F32, many, MOST);
        const struct gpuprim_filter_params params = { .stride = stride };
        const struct gpuprim_array in = array_of(LINES, COLUMNS, true),
                                   out = array_of((LINES + stride - 1) / stride, COLUMNS, true);
        gpuprim_filter *f = NULL;
        if (CHECK(check, !gpuprim_filter_create(gp, &taps, &params, &f), "%s",
                  gpuprim_last_error()))
            tells(check, gp, f, &in, &out, stride < 4 ? "gpu_roll" : "gpu_walk");
        gpuprim_filter_destroy(&f);
    }
    gpuprim_destroy(&gp);
}

void convolve_describe_run(struct check *check)
{
    if (!check_begin(check, "convolve1d/described"))
        return;
    gpuprim *gp = check_context(check, NULL, 0);
    if (gp) {
        shapes(check, gp);
        one_tap(check, gp);
        transforms(check, gp);
        large(check, gp);
        rooms(check, gp);
        rows_of_one(check, gp);
    }
    gpuprim_destroy(&gp);
    one_tap_of_columns(check);
    steps_of_columns(check);
    check_end(check);
}
