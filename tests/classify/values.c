/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: values whose labels were found by hand, for THRESHOLDS, RULES and TABLE.
 * suite.c runs this file. */
#include "case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/half.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

// ---------------------------------------------------------------------------------------
// THRESHOLDS

// A slot in a quadrant by its cosine. A NaN falls through all comparisons.
static uint32_t slot_of(float v)
{
    if (v >= .965926f)
        return 0;
    else if (v >= .866025f)
        return 1;
    else if (v >= .707107f)
        return 2;
    else if (v >= .5f)
        return 3;
    else if (v >= .258819f)
        return 4;
    return 5;
}

static void slots(struct check *check, gpuprim *gp)
{
    enum { N = 3001 };
    static const float bounds[] = { .258819f, .5f, .707107f, .866025f, .965926f };
    static const uint8_t map[] = { 5, 4, 3, 2, 1, 0 };
    static const float rare[] = { NAN, INFINITY, -INFINITY, 0, -0.0f, 1 };
    const struct gpuprim_thresholds rule = { .values = gpuprim_host(GPUPRIM_F32, bounds,
                                                                    COUNT(bounds)) };
    const struct gpuprim_classifier_params params = {
        .thresholds = &rule,
        .nan = GPUPRIM_NAN_CLASS, // the class below all bounds
        .map = gpuprim_host(GPUPRIM_U8, map, COUNT(map)),
    };
    static float x[N];
    static uint32_t expected[N];
    for (int i = 0; i < N; i++) {
        const float bound = bounds[check_below(check, COUNT(bounds))];
        const uint64_t way = check_below(check, 6);
        x[i] = way < 2    ? nextafterf(bound, way ? 0 : 2)
               : way == 2 ? bound
               : way == 3 ? rare[check_below(check, COUNT(rare))]
                          : (float)check_below(check, 1 << 24) * 0x1p-24f;
        expected[i] = slot_of(x[i]);
    }
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_F32, x, N);
    classify_expect(check, gp, &params, &in, expected);
}

// Zeros of either sign are one value: in the data, and among the thresholds, in either order.
static void zeros_and_infinities(struct check *check, gpuprim *gp)
{
    static const float t[2][4] = { { -INFINITY, -0.0f, 0.0f, INFINITY },
                                   { -INFINITY, 0.0f, -0.0f, INFINITY } };
    static const float x[] = { -INFINITY, -1, -0.0f, 0.0f, 1, INFINITY, NAN, -NAN };
    static const uint32_t left[] = { 1, 1, 3, 3, 3, 4, 4, 4 },
                          right[] = { 0, 1, 1, 1, 3, 3, 4, 4 };
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_F32, x, COUNT(x));
    for (int order = 0; order < 2; order++) {
        struct gpuprim_thresholds rule = { .values = gpuprim_host(GPUPRIM_F32, t[order], 4) };
        const struct gpuprim_classifier_params params = { .thresholds = &rule };
        classify_expect(check, gp, &params, &in, left);
        rule.closed = GPUPRIM_CLOSED_RIGHT;
        classify_expect(check, gp, &params, &in, right);
    }
}

// Every half float.
static void all_f16(struct check *check, gpuprim *gp)
{
    enum { N = 65536 };
    static const uint16_t t[] = { 0xfbff, 0xbc00, 0x8001, 0x0001, 0x0400, 0x3c00, 0x7bff };
    uint16_t *x = check_allocate(sizeof *x * N);
    uint32_t *expected = check_allocate(sizeof *expected * N);
    struct gpuprim_thresholds rule = { .values = gpuprim_host(GPUPRIM_F16, t, 7) };
    struct gpuprim_classifier_params params = { .thresholds = &rule,
                                                .nan = GPUPRIM_NAN_REJECTED };
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_F16, x, N);
    for (int way = 0; way < 4; way++) {
        const int closed = way % 2;
        rule.closed = (enum gpuprim_closed)closed;
        params.nan = way < 2 ? GPUPRIM_NAN_REJECTED : GPUPRIM_NAN_HIGH;
        for (uint32_t i = 0; i < N; i++) {
            const float v = half_to_float(x[i] = (uint16_t)i);
            expected[i] = !isnan(v) ? 0 : way < 2 ? GPUPRIM_REJECT : 7;
            for (int k = 0; k < 7 && !isnan(v); k++)
                expected[i] += closed ? half_to_float(t[k]) < v : half_to_float(t[k]) <= v;
        }
        classify_expect(check, gp, &params, &in, expected);
    }
    free(x), free(expected);
}

// ---------------------------------------------------------------------------------------
// RULES, TABLE

// Six comparisons with one value. The label is the index itself.
static void six_comparisons(struct check *check, gpuprim *gp)
{
    static const float t[] = { 2, 2, 2, 2, 2, 2 };
    static const enum gpuprim_comparison comparisons[] = {
        GPUPRIM_LESS,          GPUPRIM_LESS_EQUAL, GPUPRIM_GREATER,
        GPUPRIM_GREATER_EQUAL, GPUPRIM_EQUAL,      GPUPRIM_NOT_EQUAL
    };
    static const float x[] = { 1, 2, 3, NAN, INFINITY, -INFINITY };
    static const uint32_t expected[] = { 0x23, 0x1a, 0x2c, 0x20, 0x2c, 0x23 };
    uint8_t table[64];
    for (int i = 0; i < 64; i++)
        table[i] = (uint8_t)i;
    const struct gpuprim_rules rule = { .values = gpuprim_host(GPUPRIM_F32, t, 6),
                                        .comparisons = comparisons,
                                        .labels = gpuprim_host(GPUPRIM_U8, table, 64) };
    const struct gpuprim_classifier_params params = { .rules = &rule };
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_F32, x, COUNT(x));
    classify_expect(check, gp, &params, &in, expected);
}

// No copies of a signed element's sign are shifted in, and a table needs no entries beyond the
// mask.
static void signed_bits(struct check *check, gpuprim *gp)
{
    static const int16_t x[] = { 0, 1, -1, INT16_MIN, INT16_MAX, 0x4000, -0x4000 };
    static const uint32_t table[] = { 10, 11, GPUPRIM_REJECT, 13 };
    static const uint32_t top_two[] = { 10, 10, 13, GPUPRIM_REJECT, 11, 11, 13 };
    static const uint32_t bit_one[] = { 10, 10, GPUPRIM_REJECT, 10, GPUPRIM_REJECT, 10, 10 };
    struct gpuprim_table rule = { .shift = 14, .labels = gpuprim_host(GPUPRIM_U32, table, 4) };
    const struct gpuprim_classifier_params params = { .table = &rule, .in = GPUPRIM_I16 };
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_I16, x, COUNT(x));
    classify_expect(check, gp, &params, &in, top_two);
    rule.shift = 0;
    rule.mask = 2;
    rule.labels.count = 3;
    classify_expect(check, gp, &params, &in, bit_one);
}

// No u16 is above 65535: of four keys closed on the right row 0 has one, row 1 none, row 2 all.
static void fewer_keys(struct check *check, gpuprim *gp)
{
    enum { ROWS = 3, KEYS = 4, EACH = 6 };
    static const uint16_t t[] = { 10,    65535, 65535, 65535, 65535, 65535,
                                  65535, 65535, 10,    20,    30,    40 };
    static const uint16_t x[] = { 0,  5,  10,    11, 35, 65535, 0,  5,  10,
                                  11, 35, 65535, 0,  5,  10,    11, 35, 65535 };
    static const uint32_t expected[] = { 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 4 };
    const struct gpuprim_thresholds rule = {
        .values = gpuprim_as_rows(gpuprim_host(GPUPRIM_U16, t, COUNT(t)), ROWS, KEYS),
        .closed = GPUPRIM_CLOSED_RIGHT
    };
    const struct gpuprim_classifier_params params = { .thresholds = &rule };
    const struct gpuprim_array in =
        gpuprim_as_rows(gpuprim_host(GPUPRIM_U16, x, COUNT(x)), ROWS, EACH);
    uint32_t got[COUNT(x)];
    const struct gpuprim_array labels =
        gpuprim_as_rows(gpuprim_host(GPUPRIM_U32, got, COUNT(x)), ROWS, EACH);
    gpuprim_classifier *c = NULL;
    check->cases++;
    int status = gpuprim_classifier_create(gp, &params, &c);
    if (!status)
        status = gpuprim_classify(gp, c, &in, &labels, NULL, NULL);
    gpuprim_classifier_destroy(&c);
    if (status == GPUPRIM_E_UNSUPPORTED && check_may_refuse(gp)) {
        check->not_taken++;
        return;
    }
    CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error());
    for (unsigned i = 0; !status && i < COUNT(x); i++)
        CHECK(check, got[i] == expected[i], "row %u, element %u: label %u, not %u", i / EACH,
              i % EACH, (unsigned)got[i], (unsigned)expected[i]);
}

// A classifier without labels, and a row of no counts for each row.
static void no_counts(struct check *check, gpuprim *gp)
{
    enum { ROWS = 4, EACH = 1000, BEHIND = 8 * ROWS * EACH };
    static const uint32_t nothing[] = { GPUPRIM_REJECT, GPUPRIM_REJECT };
    const struct gpuprim_table rule = { .labels = gpuprim_host(GPUPRIM_U32, nothing, 2) };
    const struct gpuprim_classifier_params params = { .table = &rule, .in = GPUPRIM_U16 };
    uint16_t *x = check_allocate(BEHIND * sizeof *x);
    uint8_t *got = check_allocate(BEHIND);
    uint32_t none;
    const struct gpuprim_array in =
        gpuprim_as_rows(gpuprim_host(GPUPRIM_U16, x, ROWS * EACH), ROWS, EACH);
    const struct gpuprim_array labels =
        gpuprim_as_rows(gpuprim_host(GPUPRIM_U8, got, ROWS * EACH), ROWS, EACH);
    const struct gpuprim_array counts =
        gpuprim_as_rows(gpuprim_host(GPUPRIM_U32, &none, 0), ROWS, 0);
    gpuprim_classifier *c = NULL;
    check->cases++;
    int status = gpuprim_classifier_create(gp, &params, &c);
    memset(x, 0, BEHIND * sizeof *x), memset(got, 7, BEHIND);
    if (!status)
        status = gpuprim_classify(gp, c, &in, &labels, &counts, NULL);
    gpuprim_classifier_destroy(&c);
    if (status == GPUPRIM_E_UNSUPPORTED && check_may_refuse(gp))
        check->not_taken++;
    else if (CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error()))
        for (unsigned i = 0; i < BEHIND; i++)
            if (!CHECK(check, got[i] == (i < ROWS * EACH ? 255 : 7), "label %u is %u", i,
                       got[i]))
                break;
    free(x), free(got);
}

void classify_values_run(struct check *check)
{
    classify_each_variant(check, "slots", slots);
    classify_each_variant(check, "fewer_keys", fewer_keys);
    classify_each_variant(check, "no_counts", no_counts);
    classify_each_variant(check, "zeros_and_infinities", zeros_and_infinities);
    classify_each_variant(check, "all_f16", all_f16);
    classify_each_variant(check, "six_comparisons", six_comparisons);
    classify_each_variant(check, "signed_bits", signed_bits);
}
