/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of the references that other tests compare with (reference/). Half floats are compared
 * with their definition over all values. The references of reduce and convolve1d must accept
 * results known by hand and refuse their neighbours.
 */
#include "tests/harness/choice.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "reference/convolve1d/convolve1d.h"
#include "reference/half.h"
#include "reference/reduce/reduce.h"

// The definition in IEEE 754: (-1)^s * 0.m * 2^-14 for e = 0, else (-1)^s * 1.m * 2^(e-15).
static float half_by_definition(unsigned half)
{
    const int exponent = (int)(half >> 10 & 31), mantissa = (int)(half & 1023);
    float magnitude;
    if (exponent == 31)
        magnitude = mantissa ? NAN : INFINITY;
    else if (exponent == 0)
        magnitude = ldexpf((float)mantissa, -24);
    else
        magnitude = ldexpf((float)(1024 + mantissa), exponent - 25);
    return half & 0x8000 ? -magnitude : magnitude;
}

static bool same(float a, float b)
{
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

static void halves(struct check *check)
{
    if (check_begin(check, "reference/half/to_float")) {
        for (unsigned half = 0; half <= 0xffff; half++) {
            const float got = half_to_float((uint16_t)half),
                        expected = half_by_definition(half);
            check->cases++;
            CHECK(check, same(got, expected), "0x%04x: %a, expected %a", half, got, expected);
        }
        check_end(check);
    }
    if (check_begin(check, "reference/half/from_float")) {
        for (unsigned half = 0; half <= 0xffff; half++) {
            const float value = half_by_definition(half);
            const uint16_t got = half_from_float(value);
            check->cases++;
            CHECK(check, isnan(value) ? isnan(half_by_definition(got)) : got == half,
                  "%a: 0x%04x, expected 0x%04x", value, got, half);
        }
        check_end(check);
    }
    if (check_begin(check, "reference/half/rounding")) {
        // Half way between neighbours goes to the even one, a little off goes to the nearer.
        // Beyond the largest, 65504, stands the infinity in the place of 65536.
        for (unsigned half = 0; half < 0x7c00; half++) {
            const float low = half_by_definition(half);
            const float high = half + 1 == 0x7c00 ? 65536 : half_by_definition(half + 1);
            const float middle = (low + high) / 2;
            const unsigned even = half & 1 ? half + 1 : half;
            check->cases++;
            CHECK(check,
                  half_from_float(middle) == even &&
                      half_from_float(nextafterf(middle, 0)) == half &&
                      half_from_float(nextafterf(middle, INFINITY)) == half + 1 &&
                      half_from_float(-middle) == (even | 0x8000),
                  "between 0x%04x and the next", half);
        }
        check_end(check);
    }
}

// ---------------------------------------------------------------------------------------
// Reduce

// What the reference says of `result` for a packed row.
static bool says(enum gpuprim_op op, enum gpuprim_nan nan, enum gpuprim_type type,
                 const void *x, uint64_t count, const void *result)
{
    const struct gpuprim_reduce_params params = { .op = op, .nan = nan };
    const struct gpuprim_array in = gpuprim_host(type, x, count);
    const struct gpuprim_array out = gpuprim_host(reduce_reference_result(type, &params),
                                                  result, reduce_reference_results(op));
    char why[256];
    return reduce_reference_agrees(&in, &out, &params, why, sizeof why);
}

struct float_case {
    enum gpuprim_op op;
    enum gpuprim_nan nan;
    uint64_t count;
    float x[3];
    float right, also, wrong; // two right ones, perhaps the same, and one that is not
};

static void reduce_f32(struct check *check)
{
    static const struct float_case cases[] = {
        { GPUPRIM_SUM, 0, 3, { 1, 2, 3 }, 6, 6.00001f, 6.001f },
        { GPUPRIM_SUM, 0, 0, { 0 }, 0, -0.0f, 1 },
        { GPUPRIM_SUM, 0, 2, { INFINITY, 1 }, INFINITY, INFINITY, NAN },
        { GPUPRIM_SUM, 0, 2, { -INFINITY, INFINITY }, NAN, NAN, INFINITY },
        { GPUPRIM_SUM, 0, 2, { NAN, 1 }, NAN, NAN, 1 },
        { GPUPRIM_SUM, GPUPRIM_NAN_IGNORE, 2, { NAN, 1 }, 1, 1, NAN },
        { GPUPRIM_SUM, 0, 2, { FLT_MAX, FLT_MAX }, INFINITY, INFINITY, NAN },
        { GPUPRIM_SUM, 0, 2, { FLT_MAX, FLT_MAX }, INFINITY, INFINITY, FLT_MAX },
        { GPUPRIM_SUM, 0, 2, { -FLT_MAX, -FLT_MAX }, -INFINITY, -INFINITY, INFINITY },
        { GPUPRIM_SUM, 0, 3, { FLT_MAX, FLT_MAX, -FLT_MAX }, INFINITY, FLT_MAX, 0 },
        { GPUPRIM_SUM_ABS, 0, 2, { -1, 2 }, 3, 3.00001f, 1 },
        { GPUPRIM_SUM_ABS, 0, 2, { -INFINITY, INFINITY }, INFINITY, INFINITY, NAN },
        { GPUPRIM_SUM_SQUARES, 0, 2, { -3, 4 }, 25, 25.00001f, 25.001f },
        { GPUPRIM_SUM_SQUARES, 0, 1, { 1e30f }, INFINITY, INFINITY, NAN },
        { GPUPRIM_MAX_ABS, 0, 3, { 1, -3, 2 }, 3, 3, 2 },
        { GPUPRIM_MAX_ABS, 0, 2, { -INFINITY, 2 }, INFINITY, INFINITY, 2 },
        { GPUPRIM_MAX_ABS, 0, 2, { -1, NAN }, NAN, NAN, 1 },
        { GPUPRIM_MAX_ABS, GPUPRIM_NAN_IGNORE, 2, { -1, NAN }, 1, 1, NAN },
        { GPUPRIM_MAX_ABS, GPUPRIM_NAN_IGNORE, 1, { NAN }, 0, 0, NAN },
        { GPUPRIM_MEAN, 0, 0, { 0 }, NAN, NAN, 0 },
        { GPUPRIM_MEAN, 0, 2, { 1, 2 }, 1.5f, 1.500001f, 1.501f },
        { GPUPRIM_MEAN, GPUPRIM_NAN_IGNORE, 3, { 1, NAN, 2 }, 1.5f, 1.5f, 1 },
        { GPUPRIM_MEAN, GPUPRIM_NAN_IGNORE, 1, { NAN }, NAN, NAN, 0 },
        { GPUPRIM_PRODUCT, 0, 0, { 0 }, 1, 1, 0 },
        { GPUPRIM_PRODUCT, 0, 3, { 2, -3, 1 }, -6, -6.0000005f, -6.00001f },
        { GPUPRIM_PRODUCT, 0, 2, { 0, INFINITY }, NAN, NAN, 0 },
        { GPUPRIM_PRODUCT, 0, 3, { 1e30f, 1e30f, 1e-30f }, INFINITY, 1e30f, -INFINITY },
        { GPUPRIM_PRODUCT, 0, 2, { 1e-30f, 1e-30f }, 0, 0, NAN },
        { GPUPRIM_MIN, 0, 2, { 1, NAN }, NAN, NAN, 1 },
        { GPUPRIM_MIN, GPUPRIM_NAN_IGNORE, 2, { 1, NAN }, 1, 1, NAN },
        { GPUPRIM_MIN, GPUPRIM_NAN_IGNORE, 1, { NAN }, INFINITY, INFINITY, FLT_MAX },
        { GPUPRIM_MAX, 0, 2, { -0.0f, 0.0f }, 0.0f, -0.0f, FLT_MIN },
        { GPUPRIM_MAX, 0, 0, { 0 }, -INFINITY, -INFINITY, -FLT_MAX },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct float_case *c = &cases[i];
        check->cases++;
        CHECK(check,
              says(c->op, c->nan, GPUPRIM_F32, c->x, c->count, &c->right) &&
                  says(c->op, c->nan, GPUPRIM_F32, c->x, c->count, &c->also),
              "f32 case %u: a right result is refused", i);
        CHECK(check, !says(c->op, c->nan, GPUPRIM_F32, c->x, c->count, &c->wrong),
              "f32 case %u: a wrong result is accepted", i);
    }
}

struct position_case {
    enum gpuprim_op op;
    enum gpuprim_nan nan;
    uint64_t count;
    float x[4];
    uint64_t right;
};

// Positions, and what is counted: right is exactly one number.
static void reduce_positions(struct check *check)
{
    static const struct position_case cases[] = {
        { GPUPRIM_ARGMIN, 0, 3, { 3, 1, 1 }, 1 },
        { GPUPRIM_ARGMAX, 0, 4, { 5, 1, 9, 9 }, 2 },
        { GPUPRIM_ARGMAX, 0, 4, { 5, NAN, 9, NAN }, 1 },
        { GPUPRIM_ARGMAX, GPUPRIM_NAN_IGNORE, 4, { NAN, NAN, 9, 9 }, 2 },
        { GPUPRIM_ARGMIN, GPUPRIM_NAN_IGNORE, 2, { NAN, NAN }, UINT64_MAX },
        { GPUPRIM_ARGMIN, 0, 2, { INFINITY, INFINITY }, 0 },
        { GPUPRIM_ARGMIN, 0, 0, { 0 }, UINT64_MAX },
        { GPUPRIM_COUNT, 0, 4, { NAN, 0, -0.0f, 1 }, 2 },
        { GPUPRIM_COUNT, GPUPRIM_NAN_IGNORE, 4, { NAN, 0, -0.0f, 1 }, 1 },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct position_case *c = &cases[i];
        for (int off = -1; off <= 1; off++) {
            const uint64_t result = c->right + (uint64_t)off;
            check->cases++;
            CHECK(check,
                  says(c->op, c->nan, GPUPRIM_F32, c->x, c->count, &result) == (off == 0),
                  "position case %u, result %d off", i, off);
        }
    }
}

static void reduce_integers(struct check *check)
{
    static const int64_t extremes[] = { INT64_MAX, INT64_MAX, INT64_MIN };
    static const uint8_t bytes[] = { 255, 255, 0, 15 };
    static const int8_t signed_bytes[] = { -128, 127, 1 };
    static const double two_63 = 0x1p63, wrapped = -1;
    static const struct {
        enum gpuprim_op op;
        enum gpuprim_type type;
        const void *x;
        uint64_t count, right;
    } cases[] = {
        { GPUPRIM_SUM, GPUPRIM_U8, bytes, 4, 525 },
        { GPUPRIM_SUM, GPUPRIM_I8, signed_bytes, 1, (uint64_t)-128 },
        { GPUPRIM_SUM, GPUPRIM_I64, extremes, 2, (uint64_t)-2 }, // wraps
        { GPUPRIM_PRODUCT, GPUPRIM_I64, extremes, 2, 1 },
        { GPUPRIM_SUM_ABS, GPUPRIM_I64, extremes + 2, 1, UINT64_C(1) << 63 },
        { GPUPRIM_SUM_SQUARES, GPUPRIM_I8, signed_bytes, 1, 16384 },
        { GPUPRIM_COUNT, GPUPRIM_U8, bytes, 4, 3 },
        { GPUPRIM_ARGMAX, GPUPRIM_U8, bytes, 4, 0 },
        { GPUPRIM_MIN, GPUPRIM_I64, extremes, 0, INT64_MAX },
        { GPUPRIM_AND, GPUPRIM_I64, extremes, 0, UINT64_MAX },
        { GPUPRIM_XOR, GPUPRIM_I64, extremes, 3, UINT64_C(1) << 63 },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int off = -1; off <= 1; off++) {
            const uint64_t result = cases[i].right + (uint64_t)off;
            check->cases++;
            CHECK(check,
                  says(cases[i].op, 0, cases[i].type, cases[i].x, cases[i].count, &result) ==
                      (off == 0),
                  "integer case %u, result %d off", i, off);
        }
    CHECK(check, says(GPUPRIM_MEAN, 0, GPUPRIM_I64, extremes, 2, &two_63), "mean of 2^63 - 1");
    CHECK(check, !says(GPUPRIM_MEAN, 0, GPUPRIM_I64, extremes, 2, &wrapped), "wrapped mean");
    // Sums of two words, with carries and borrows between them.
    static const int64_t below[] = { -5, 2, INT64_MIN, INT64_MIN, INT64_MIN };
    static const uint64_t above[] = { UINT64_MAX, UINT64_MAX, 1 };
    static const struct {
        enum gpuprim_type type;
        const void *x;
        uint64_t count;
        double mean;
    } means[] = {
        { GPUPRIM_I64, below, 1, -5 },          { GPUPRIM_I64, below, 2, -1.5 },
        { GPUPRIM_I64, below + 2, 3, -0x1p63 }, { GPUPRIM_I64, below + 1, 1, 2 },
        { GPUPRIM_U64, above, 2, 0x1p64 },      { GPUPRIM_U64, above + 1, 2, 0x1p63 }
    };
    for (unsigned i = 0; i < sizeof means / sizeof *means; i++) {
        const double other = -means[i].mean;
        CHECK(
            check,
            says(GPUPRIM_MEAN, 0, means[i].type, means[i].x, means[i].count, &means[i].mean) &&
                !says(GPUPRIM_MEAN, 0, means[i].type, means[i].x, means[i].count, &other),
            "mean %u", i);
    }
    CHECK(
        check,
        says(GPUPRIM_MINMAX, 0, GPUPRIM_I8, signed_bytes, 3, (const int8_t[]){ -128, 127 }) &&
            !says(GPUPRIM_MINMAX, 0, GPUPRIM_I8, signed_bytes, 3, (const int8_t[]){ -128, 1 }),
        "minmax");
    CHECK(check,
          says(GPUPRIM_MAX_ABS, 0, GPUPRIM_I8, signed_bytes, 3, (const uint64_t[]){ 128 }) &&
              !says(GPUPRIM_MAX_ABS, 0, GPUPRIM_I8, signed_bytes, 3, (const uint64_t[]){ 127 }),
          "max_abs");
}

// Five results each. The wrong ones differ in one of them.
static void reduce_statistics(struct check *check)
{
    static const struct {
        enum gpuprim_nan nan;
        uint64_t count;
        float x[4];
        double right[5];
    } rows[] = {
        { 0, 0, { 0 }, { 0, INFINITY, -INFINITY, NAN, NAN } },
        { 0, 1, { 7 }, { 1, 7, 7, 7, 0 } },
        { 0, 4, { 1, 2, 3, 6 }, { 4, 1, 6, 3, 3.5 } },
        { 0, 3, { 1, NAN, 3 }, { 3, NAN, NAN, NAN, NAN } },
        { GPUPRIM_NAN_IGNORE, 3, { 1, NAN, 3 }, { 2, 1, 3, 2, 1 } },
        { GPUPRIM_NAN_IGNORE, 1, { NAN }, { 0, INFINITY, -INFINITY, NAN, NAN } },
        { 0, 2, { 1, INFINITY }, { 2, 1, INFINITY, INFINITY, NAN } },
        { 0, 2, { -INFINITY, INFINITY }, { 2, -INFINITY, INFINITY, NAN, NAN } },
        { 0, 2, { -FLT_MAX, FLT_MAX }, { 2, -FLT_MAX, FLT_MAX, 0, (double)FLT_MAX * FLT_MAX } },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned wrong = 0; wrong <= 5; wrong++) { // 0: none
            double results[5];
            memcpy(results, rows[i].right, sizeof results);
            if (wrong)
                results[wrong - 1] =
                    isfinite(results[wrong - 1])
                        ? results[wrong - 1] + 1e-4 * (1 + fabs(results[wrong - 1]) -
                                                       fmin(0, (double)rows[i].x[0]))
                        : 1;
            check->cases++;
            CHECK(check,
                  says(GPUPRIM_STATISTICS, rows[i].nan, GPUPRIM_F32, rows[i].x, rows[i].count,
                       results) == !wrong,
                  "statistics %u, result %u", i, wrong);
        }
}

// Rows that stand upside down and run backwards; results two apart.
static void reduce_views(struct check *check)
{
    const int32_t x[] = { 6, 5, 4, 0, 3, 2, 1, 0 };
    int64_t results[] = { 6, -1, 15, -1 };
    const struct gpuprim_reduce_params params = { .op = GPUPRIM_SUM };
    struct gpuprim_array in = gpuprim_host(GPUPRIM_I32, x, 3);
    in.first = 6;
    in.stride = -1;
    in.rows = 2;
    in.row_stride = -4;
    struct gpuprim_array out = gpuprim_host(GPUPRIM_I64, results, 2);
    out.stride = 2;
    char why[256];
    check->cases += 4;
    CHECK(check, reduce_reference_agrees(&in, &out, &params, why, sizeof why), "flat: %s", why);
    out.count = 1;
    out.rows = 2;
    out.row_stride = 2;
    CHECK(check, reduce_reference_agrees(&in, &out, &params, why, sizeof why), "rows: %s", why);
    results[2] = 14;
    CHECK(check, !reduce_reference_agrees(&in, &out, &params, why, sizeof why),
          "a wrong second row is accepted");
    in.rows = out.rows = 0;
    results[0] = 5;
    CHECK(check, reduce_reference_agrees(&in, &out, &params, why, sizeof why), "no rows: %s",
          why);
}

// ---------------------------------------------------------------------------------------
// Convolve

// What the reference says of a single output in u8.
static bool gives(const float *h, const float *x, uint64_t count, uint8_t result)
{
    const struct gpuprim_filter_params params = { .mode = GPUPRIM_VALID };
    const struct gpuprim_array taps = gpuprim_host(GPUPRIM_F32, h, count),
                               in = gpuprim_host(GPUPRIM_F32, x, count),
                               out = gpuprim_host(GPUPRIM_U8, &result, 1);
    char why[256];
    return convolve_reference_agrees(&in, &taps, &params, NULL, &out, why, sizeof why);
}

// A float sum as an integer: one value where f32 holds the sum exactly, else all that a rounding
// error away lie.
static void convolve_rounding(struct check *check)
{
    static const float one[2] = { 1, 1 };
    static const struct {
        float sum;
        uint8_t right;
    } exact[] = { { 0.5f, 0 },     { 1.5f, 2 },       { 2.5f, 2 },     { 0x1.400002p1f, 3 },
                  { 254.5f, 254 }, { 255.5f, 255 },   { 300, 255 },    { -3, 0 },
                  { NAN, 0 },      { INFINITY, 255 }, { -INFINITY, 0 } };
    for (unsigned i = 0; i < sizeof exact / sizeof *exact; i++)
        for (unsigned result = 0; result < 256; result++) {
            check->cases++;
            CHECK(check,
                  gives(one, &exact[i].sum, 1, (uint8_t)result) == (result == exact[i].right),
                  "%a rounded to %u", (double)exact[i].sum, result);
        }
    static const struct {
        float x[2];
        unsigned low, high;
    } pairs[] = { { { 2, 0.5f }, 2, 2 },        // 2.5
                  { { 2.5f, 0x1p-22f }, 3, 3 }, // f32 holds the sum
                  { { 2.5f, 0x1p-30f }, 2, 3 }, // f32 may make 2.5 of it
                  { { 2.5f, -0x1p-30f }, 2, 3 },
                  { { 2.25f, 0x1p-30f }, 2, 2 } };
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (unsigned result = 0; result < 256; result++) {
            check->cases++;
            CHECK(check,
                  gives(one, pairs[i].x, 2, (uint8_t)result) ==
                      (result >= pairs[i].low && result <= pairs[i].high),
                  "%a + %a rounded to %u", (double)pairs[i].x[0], (double)pairs[i].x[1],
                  result);
        }
}

// Whether the reference takes an f32 for the sum of three.
static bool sums_to(const float *x, float result)
{
    static const float ones[3] = { 1, 1, 1 };
    const struct gpuprim_filter_params params = { .mode = GPUPRIM_VALID };
    const struct gpuprim_array taps = gpuprim_host(GPUPRIM_F32, ones, 3),
                               in = gpuprim_host(GPUPRIM_F32, x, 3),
                               out = gpuprim_host(GPUPRIM_F32, &result, 1);
    char why[256];
    return convolve_reference_agrees(&in, &taps, &params, NULL, &out, why, sizeof why);
}

// A sum of some of the products may be infinite where the sum of all is not.
static void convolve_overflow(struct check *check)
{
    static const struct {
        float x[3], result;
        bool right;
    } known[] = {
        { { 3e38f, 3e38f, -3e38f }, 3e38f, true }, // in another order
        { { 3e38f, 3e38f, -3e38f }, INFINITY, true },
        { { 3e38f, 3e38f, 3e38f }, INFINITY, true },
        { { 3e38f, 3e38f, 3e38f }, -INFINITY, false },
        { { 3e38f, 3e38f, 3e38f }, 3e38f, false },
        { { 3e38f, 3e37f, -3e37f }, INFINITY, false }, // no order leaves the range
        { { INFINITY, 3e38f, -3e38f }, 3e38f, false },
        { { INFINITY, 3e38f, -3e38f }, INFINITY, true },
        { { INFINITY, -INFINITY, 1 }, INFINITY, false },
        { { INFINITY, -INFINITY, 1 }, NAN, true },
    };
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
        check->cases++;
        CHECK(check, sums_to(known[i].x, known[i].result) == known[i].right, "%u: %g %s", i,
              (double)known[i].result, known[i].right ? "is refused" : "is accepted");
    }
}

static void run(struct check *check)
{
    static const struct {
        const char *name;
        void (*run)(struct check *check);
    } tests[] = { { "reduce_f32", reduce_f32 },
                  { "reduce_positions", reduce_positions },
                  { "reduce_integers", reduce_integers },
                  { "reduce_statistics", reduce_statistics },
                  { "reduce_views", reduce_views },
                  { "convolve_rounding", convolve_rounding },
                  { "convolve_overflow", convolve_overflow } };
    halves(check);
    for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++)
        if (check_begin(check, "reference/%s", tests[i].name)) {
            tests[i].run(check);
            check_end(check);
        }
    check_choice_run(check);
}

const struct check_suite check_reference = { .name = "reference", .run = run };
