/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: values, cases and counts that random tests seldom find. Classifiers are
 * made without their programs, so that a group compiles one program or none. describe.c has the
 * texts of gpuprim_classifier_describe. suite.c runs this file. */
#include "corners.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

// Checks the labels of up to 256 elements by each of the variants.
static void expect(struct check *check, gpuprim *gp,
                   const struct gpuprim_classifier_params *params,
                   const struct gpuprim_array *in, const uint32_t *expected,
                   const char *const *variants)
{
    uint32_t got[256];
    for (; *variants; variants++) {
        const struct gpuprim_array labels = gpuprim_host(GPUPRIM_U32, got, in->count);
        gpuprim_classifier *c = NULL;
        check->cases++;
        gpuprim *own = **variants ? check_context(check, *variants, 0) : gp;
        int status = own ? classify_make_unbuilt(own, params, &c) : GPUPRIM_E_NO_DEVICE;
        if (!status)
            status = gpuprim_classify(own, c, in, &labels, NULL, NULL);
        CHECK(check, status == GPUPRIM_OK, "%s: %s", *variants, gpuprim_last_error());
        for (uint64_t i = 0; !status && i < in->count; i++)
            if (!CHECK(check, got[i] == expected[i], "%s: element %llu has label %ld, not %ld",
                       *variants, (unsigned long long)i, (long)(int32_t)got[i],
                       (long)(int32_t)expected[i]))
                break;
        gpuprim_classifier_destroy(&c);
        if (own != gp)
            gpuprim_destroy(&own);
    }
}

static const char *const baseline_alone[] = { "classify:baseline", NULL };
static const char *const own_and_words[] = { "", "classify:gpu_words", NULL };

// ---------------------------------------------------------------------------------------
// CASES

enum { SWITCH = 130 }; // more than a chain is made of

// A switch over values of both signs, with prefixes that no element has and one case that takes
// every value: the cases behind it are never asked.
static void mask_of_nothing(struct check *check, gpuprim *gp)
{
    static const int32_t x[] = { INT32_MIN, INT32_MIN + 1, -1,      0,  1,
                                 INT32_MAX, -1000000,      1000000, -3, 3 };
    struct gpuprim_case cases[SWITCH] = { { .mask = 0 } };
    uint32_t expected[COUNT(x)];
    const struct gpuprim_cases rule = { .list = cases, .count = SWITCH, .otherwise = 500 };
    const struct gpuprim_classifier_params params = { .cases = &rule, .in = GPUPRIM_I32 };
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_I32, x, COUNT(x));
    for (uint32_t at = 0; at < SWITCH; at += 43) { // where the case without a mask stands
        for (uint32_t k = 0; k < SWITCH; k++)
            cases[k] = (struct gpuprim_case){ .mask = UINT32_MAX, // of no element
                                              .value = 2000000 + k,
                                              .label = k };
        for (uint32_t k = 0; k < COUNT(x); k++)
            cases[k].value = (uint32_t)x[k];
        for (uint32_t k = COUNT(x); k < COUNT(x) + 5; k++)
            cases[k] = (struct gpuprim_case){ .mask = 0xffff0000u << (k - COUNT(x)),
                                              .value = 0x12300000u << (k - COUNT(x)) };
        cases[at] = (struct gpuprim_case){ .mask = 0, .label = 200 };
        for (uint32_t i = 0; i < COUNT(x); i++)
            expected[i] = i < at ? i : 200;
        CLASSIFY_TELLS(&params,
                       at > 80 ? "cases of i32: a search among"
                       : at    ? "cases of i32: "
                               : "cases of i32: a chain of 0 cases",
                       at + 1 < SWITCH ? "can never decide" : "!never");
        expect(check, gp, &params, &in, expected, baseline_alone);
    }
}

// The first three cases together decide every value. The others can never decide, although none
// of them is equal to one of the first.
static void decided_early(struct check *check, gpuprim *gp)
{
    static const struct gpuprim_case cases[] = { { .mask = 1, .value = 1, .label = 1 },
                                                 { .mask = 4, .value = 4, .label = 2 },
                                                 { .mask = 4, .value = 0, .label = 3 },
                                                 { .mask = 6, .value = 2, .label = 4 },
                                                 { .mask = 0, .label = 5 } };
    static const uint8_t x[] = { 0, 1, 2, 3, 4, 5, 6, 7, 254, 255 };
    static const uint32_t expected[] = { 3, 1, 3, 1, 2, 1, 2, 1, 2, 1 };
    struct gpuprim_cases rule = { .list = cases, .count = COUNT(cases), .otherwise = 9 };
    const struct gpuprim_classifier_params params = { .cases = &rule, .in = GPUPRIM_U8 };
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_U8, x, COUNT(x));
    CLASSIFY_TELLS(&params, "a table of 8 labels by 3 bits of the element in 1 run",
                   "2 of the cases can never decide", ": 3, 4");
    expect(check, gp, &params, &in, expected, baseline_alone);
    rule.count = 3;
    CLASSIFY_TELLS(&params, "!never decide");
    expect(check, gp, &params, &in, expected, baseline_alone);
    rule.count = 2; // what is left is for `otherwise`
    static const uint32_t otherwise[] = { 9, 1, 9, 1, 2, 1, 2, 1, 2, 1 };
    CLASSIFY_TELLS(&params, "a table of 4 labels by 2 bits of the element in 2 runs",
                   "!never decide");
    expect(check, gp, &params, &in, otherwise, baseline_alone);
}

// ---------------------------------------------------------------------------------------
// Values at the ends of their types

static int edges_of(struct check *check, gpuprim *gp, enum gpuprim_type type, double low,
                    double high, uint32_t bins, void *edges)
{
    const struct gpuprim_uniform rule = { .low = low, .high = high, .bins = bins };
    const struct gpuprim_classifier_params params = { .uniform = &rule, .in = type };
    gpuprim_classifier *c = NULL;
    check->cases++;
    int status = classify_make_unbuilt(gp, &params, &c);
    if (!status) {
        const struct gpuprim_array to = gpuprim_host(type, edges, bins + 1);
        status = gpuprim_classifier_edges(c, &to);
    }
    gpuprim_classifier_destroy(&c);
    return status;
}

// From half way between the largest value and the next power of two on, a number is not rounded
// to the largest value any more.
static void beyond_the_largest(struct check *check, gpuprim *gp)
{
    static const struct {
        enum gpuprim_type type;
        double beyond, largest;
    } types[] = { { GPUPRIM_F32, 0x1.ffffffp127, FLT_MAX }, { GPUPRIM_F16, 65520, 65504 } };
    for (unsigned i = 0; i < COUNT(types); i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const double beyond = sign * types[i].beyond, within = nextafter(beyond, 0);
            float e[2] = { 0, 0 };
            uint16_t half[2] = { 0, 0 };
            void *edges = i ? (void *)half : (void *)e;
            int status = edges_of(check, gp, types[i].type, sign < 0 ? beyond : 0,
                                  sign < 0 ? 0 : beyond, 1, edges);
            CHECK(check,
                  status == GPUPRIM_E_ARG && strstr(gpuprim_last_error(), "within the range"),
                  "an edge of %a: status %d, %s", beyond, status, gpuprim_last_error());
            status = edges_of(check, gp, types[i].type, sign < 0 ? within : 0,
                              sign < 0 ? 0 : within, 1, edges);
            const bool is_largest = i ? half[sign > 0] == (sign < 0 ? 0xfbff : 0x7bff)
                                      : e[sign > 0] == (float)(sign * types[i].largest);
            CHECK(check, status == GPUPRIM_OK && is_largest, "an edge of %a: status %d", within,
                  status);
        }
}

// Bins that all lie beyond 2^63, the range of signed integers.
static void upper_half(struct check *check, gpuprim *gp)
{
    enum { BINS = 4 };
    static const uint64_t quarter = (uint64_t)1 << 61, top = (uint64_t)1 << 63;
    uint64_t edges[BINS + 1] = { 0 }, x[2 * BINS + 4];
    uint32_t expected[COUNT(x)];
    int status = edges_of(check, gp, GPUPRIM_U64, 0x1p63, 0x1p64, BINS, edges);
    CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error());
    for (uint32_t j = 0; j <= BINS; j++) {
        const uint64_t edge = j < BINS ? top + j * quarter : UINT64_MAX;
        CHECK(check, edges[j] == edge, "edge %u is %llx, not %llx", (unsigned)j,
              (unsigned long long)edges[j], (unsigned long long)edge);
        x[2 * j] = edge;
        x[2 * j + 1] = edge - 1;
        expected[2 * j] = j < BINS ? j : BINS - 1;
        expected[2 * j + 1] = j ? j - 1 : GPUPRIM_REJECT;
    }
    x[2 * BINS + 1] = UINT64_MAX - 1;
    x[2 * BINS + 2] = 0;
    x[2 * BINS + 3] = 1;
    expected[2 * BINS + 2] = expected[2 * BINS + 3] = GPUPRIM_REJECT;
    const struct gpuprim_uniform rule = {
        .low = 0x1p63, .high = 0x1p64, .bins = BINS, .outside = GPUPRIM_OUTSIDE_REJECTED
    };
    const struct gpuprim_classifier_params params = { .uniform = &rule, .in = GPUPRIM_U64 };
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_U64, x, COUNT(x));
    expect(check, gp, &params, &in, expected, baseline_alone);
    // One and two steps of a double below the end, and beyond it.
    status =
        edges_of(check, gp, GPUPRIM_U64, 0x1.ffffffffffffep63, 0x1.fffffffffffffp63, 1, edges);
    CHECK(check,
          status == GPUPRIM_OK && edges[0] == UINT64_MAX - 4095 &&
              edges[1] == UINT64_MAX - 2047,
          "the last doubles below 2^64: %llx, %llx", (unsigned long long)edges[0],
          (unsigned long long)edges[1]);
    status = edges_of(check, gp, GPUPRIM_U64, 0, 0x1.0000000000001p64, 1, edges);
    CHECK(check, status == GPUPRIM_E_ARG, "beyond 2^64: status %d", status);
    status = edges_of(check, gp, GPUPRIM_U64, -1, 1, 2, edges);
    CHECK(check, status == GPUPRIM_E_ARG && strstr(gpuprim_last_error(), "within the range"),
          "below 0: status %d, %s", status, gpuprim_last_error());
}

// ---------------------------------------------------------------------------------------
// One key in each of 64 cells of equally many values. A cell begins at 0, and -0.0 belongs to
// that cell, although its bits are those of the cell below.
static void zeros_in_cells(struct check *check, gpuprim *gp)
{
    enum { SIDE = 32, KEYS = 2 * SIDE };
    float t[KEYS], x[2 * KEYS + 4];
    uint32_t expected[COUNT(x)];
    for (int k = 0; k < SIDE; k++) { // a cell has two octaves
        t[SIDE - 1 - k] = -ldexpf(1, 2 * k - 126);
        t[SIDE + k] = k ? ldexpf(1, 2 * k - 126) : 0;
    }
    t[0] = -nextafterf(0x1p-63f, 0); // so that a whole number of cells ends at 0
    for (uint32_t k = 0; k < KEYS; k++) {
        x[2 * k] = t[k];
        x[2 * k + 1] = nextafterf(t[k], -INFINITY);
        expected[2 * k] = k + 1;
        expected[2 * k + 1] = k;
    }
    x[2 * SIDE + 1] = t[SIDE - 1]; // instead of a denormal
    x[2 * KEYS] = -0.0f;
    x[2 * KEYS + 1] = 0x1p-126f;
    expected[2 * KEYS] = expected[2 * KEYS + 1] = SIDE + 1;
    x[2 * KEYS + 2] = INFINITY;
    x[2 * KEYS + 3] = NAN;
    expected[2 * KEYS + 2] = expected[2 * KEYS + 3] = KEYS;
    const struct gpuprim_thresholds rule = { .values = gpuprim_host(GPUPRIM_F32, t, KEYS) };
    const struct gpuprim_classifier_params params = { .thresholds = &rule };
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_F32, x, COUNT(x));
    CLASSIFY_TELLS(&params, "cells of equally many values");
    expect(check, gp, &params, &in, expected, own_and_words);
}

// ---------------------------------------------------------------------------------------
// Counts that are added to those in device memory

enum { LABELS = 7, ELEMENTS = 5000 }; // the last label never comes

// Adds the counts of x to counts of 64 bits, or of 32 bits, which wrap.
static void add_counts(struct check *check, gpuprim *gp, const uint8_t *x,
                       const uint64_t *added, bool wide)
{
    static const uint64_t held[LABELS] = { UINT32_MAX, UINT32_MAX - 1,
                                           UINT64_MAX, UINT64_MAX - 1,
                                           0,          ~(uint64_t)UINT32_MAX };
    static const uint8_t t[LABELS - 1] = { 1, 2, 3, 4, 5, 6 };
    const struct gpuprim_thresholds rule = { .values =
                                                 gpuprim_host(GPUPRIM_U8, t, LABELS - 1) };
    const struct gpuprim_classifier_params params = { .thresholds = &rule, .accumulate = 1 };
    const enum gpuprim_type type = wide ? GPUPRIM_U64 : GPUPRIM_U32;
    const size_t size = gp_type_size(type);
    unsigned char counts[LABELS * sizeof(uint64_t)];
    for (unsigned l = 0; l < LABELS; l++)
        memcpy(counts + l * size, &held[l], size);
    cl_int error;
    cl_mem buffer = clCreateBuffer(gp->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   LABELS * size, counts, &error);
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_U8, x, ELEMENTS);
    const struct gpuprim_array to = gpuprim_buffer(type, buffer, 0, LABELS);
    gpuprim_classifier *c = NULL;
    check->cases++;
    int status = classify_make_unbuilt(gp, &params, &c);
    if (!status)
        status = gpuprim_classify(gp, c, &in, NULL, &to, NULL);
    CHECK(check, status == GPUPRIM_OK, "%s: %s", gp->force_variant, gpuprim_last_error());
    clEnqueueReadBuffer(gp->queue, buffer, CL_TRUE, 0, LABELS * size, counts, 0, NULL, NULL);
    for (unsigned l = 0; !status && l < LABELS; l++) {
        const uint64_t sum = held[l] + added[l];
        uint64_t got = 0, expected = 0;
        memcpy(&got, counts + l * size, size);
        memcpy(&expected, &sum, size);
        CHECK(check, got == expected, "%s: %llx and %llu more are %llx, not %llx",
              gp->force_variant, (unsigned long long)held[l], (unsigned long long)added[l],
              (unsigned long long)got, (unsigned long long)expected);
    }
    gpuprim_classifier_destroy(&c);
    clReleaseMemObject(buffer);
}

// Carries reach the upper half: of a label that comes once, and of labels that come often.
static void carries(struct check *check, gpuprim *gp)
{
    static const char *const variants[] = { "classify:baseline", "classify:gpu_words",
                                            "classify:cpu_blocks" };
    uint8_t x[ELEMENTS];
    uint64_t added[LABELS] = { 0 };
    for (unsigned i = 0; i < ELEMENTS; i++) {
        x[i] = (uint8_t)(i < 2 ? i : 2 + check_below(check, LABELS - 3));
        added[x[i]]++;
    }
    for (unsigned v = 0; v < (gp->caps.is_cpu ? COUNT(variants) : 2); v++) {
        gpuprim *own = check_context(check, variants[v], 0);
        if (!own)
            return;
        add_counts(check, own, x, added, false);
        add_counts(check, own, x, added, true);
        gpuprim_destroy(&own);
    }
}

void classify_corners_run(struct check *check)
{
    static const struct corner groups[] = {
        { "mask_of_nothing", mask_of_nothing },       { "decided_early", decided_early },
        { "beyond_the_largest", beyond_the_largest }, { "upper_half", upper_half },
        { "zeros_in_cells", zeros_in_cells },         { "carries", carries },
    };
    classify_corners_each(check, groups, COUNT(groups));
    classify_describe_run(check);
    classify_choices_run(check);
    classify_column_choices_run(check);
    classify_tile_choices_run(check);
    classify_tile_room_run(check);
    classify_group_choices_run(check);
    classify_small_run(check);
}
