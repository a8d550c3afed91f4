/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: a case of each rule, by the formula of its own. */
#include <string.h>

#include "bench.h"
#include "check.h"

enum { N = 1000 };

struct fixture {
    struct check *check;
    gpuprim *gp;
    gpuprim_classifier *classifier;
};

// Makes the classifier, or counts a failure.
static bool make(struct fixture *f, const struct gpuprim_classifier_params *params,
                 uint64_t labels)
{
    const int status = gpuprim_classifier_create(f->gp, params, &f->classifier);
    f->check->cases++;
    if (!CHECK(f->check, status == GPUPRIM_OK, "create: %s", gpuprim_last_error()))
        return false;
    return CHECK(f->check, gpuprim_classifier_labels(f->classifier) == labels, "%llu labels",
                 (unsigned long long)gpuprim_classifier_labels(f->classifier));
}

// Labels of u8 and counts against what is expected; ends the classifier.
static void judge(struct fixture *f, const struct gpuprim_array *in, const uint8_t *expected,
                  uint64_t n_labels)
{
    uint8_t labels[N];
    uint64_t counts[256], expected_counts[256] = { 0 };
    const struct gpuprim_array l = gpuprim_host(GPUPRIM_U8, labels, in->count);
    const struct gpuprim_array c = gpuprim_host(GPUPRIM_U64, counts, n_labels);
    memset(labels, 77, sizeof labels);
    memset(counts, 77, sizeof counts);
    const int status = gpuprim_classify(f->gp, f->classifier, in, &l, &c, NULL);
    CHECK(f->check, status == GPUPRIM_OK, "classify: %s", gpuprim_last_error());
    for (uint64_t i = 0; i < in->count; i++) {
        CHECK(f->check, labels[i] == expected[i], "label %u instead of %u at %llu", labels[i],
              expected[i], (unsigned long long)i);
        expected_counts[expected[i]]++;
    }
    for (uint64_t i = 0; i < n_labels; i++)
        CHECK(f->check, counts[i] == expected_counts[i], "count %llu instead of %llu at %llu",
              (unsigned long long)counts[i], (unsigned long long)expected_counts[i],
              (unsigned long long)i);
    char words[512];
    CHECK(f->check, gpuprim_classifier_describe(f->classifier, words, sizeof words) > 20,
          "no words");
    gpuprim_classifier_destroy(&f->classifier);
}

static void thresholds(struct fixture *f, enum gpuprim_closed closed)
{
    static const float t[] = { -1, 0, 0, 0.5f, 3 };
    float x[N];
    uint8_t expected[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)(int)check_below(f->check, 100) / 16 - 2;
        if (i % 50 == 0)
            x[i] = i % 100 ? (float)-0.0 : (float)(0.0 / (x[i] - x[i]));
        expected[i] = 0;
        for (int k = 0; k < 5; k++)
            expected[i] += x[i] != x[i] || (closed ? t[k] < x[i] : t[k] <= x[i]);
    }
    const struct gpuprim_classifier_params params = {
        .rule = GPUPRIM_THRESHOLDS,
        .thresholds = gpuprim_host(GPUPRIM_F32, t, 5),
        .closed = closed,
    };
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_F32, x, N);
    if (make(f, &params, 6))
        judge(f, &in, expected, 6);
}

static void uniform(struct fixture *f)
{
    int16_t x[N];
    uint8_t expected[N];
    for (int i = 0; i < N; i++) {
        x[i] = (int16_t)((int)check_below(f->check, 300) - 50);
        expected[i] = x[i] < 0 || x[i] > 200 ? 255 : x[i] == 200 ? 9 : (uint8_t)(x[i] / 20);
    }
    const struct gpuprim_classifier_params params = {
        .rule = GPUPRIM_UNIFORM,
        .in = GPUPRIM_I16,
        .high = 200,
        .bins = 10,
        .outside = GPUPRIM_OUTSIDE_REJECTED,
        .top_inclusive = 1,
    };
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_I16, x, N);
    if (make(f, &params, 10)) {
        int16_t edges[11];
        const struct gpuprim_array e = gpuprim_host(GPUPRIM_I16, edges, 11);
        CHECK(f->check, gpuprim_classifier_edges(f->classifier, &e) == GPUPRIM_OK, "%s",
              gpuprim_last_error());
        for (int i = 0; i < 11; i++)
            CHECK(f->check, edges[i] == 20 * i, "edge %d is %d", i, edges[i]);
        judge(f, &in, expected, 10);
    }
}

static void table(struct fixture *f)
{
    static const uint8_t labels[] = { 3, 1, 4, 1, 5, 9, 2, 6 };
    int32_t x[N];
    uint8_t expected[N];
    for (int i = 0; i < N; i++) {
        x[i] = (int32_t)check_random(f->check);
        expected[i] = labels[(uint32_t)x[i] >> 29];
    }
    const struct gpuprim_classifier_params params = { .rule = GPUPRIM_TABLE,
                                                      .in = GPUPRIM_I32,
                                                      .table =
                                                          gpuprim_host(GPUPRIM_U8, labels, 8),
                                                      .shift = 29 };
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_I32, x, N);
    if (make(f, &params, 10))
        judge(f, &in, expected, 10);
}

// `mask` of the first case decides whether it becomes a table or a chain.
static void cases(struct fixture *f, uint64_t mask)
{
    const struct gpuprim_case list[] = {
        { .mask = mask, .value = 0x12 & mask, .label = 7 },
        { .mask = 0x3, .value = 1, .label = 2 },
        { .mask = 0x40003, .value = 0x40001, .label = 3 }, // the one before takes it
        { .mask = 0x40003, .value = 0x40002, .label = 4 },
    };
    uint32_t x[N];
    uint8_t expected[N];
    for (int i = 0; i < N; i++) {
        x[i] = i % 3 ? (uint32_t)check_random(f->check) : 0x12;
        expected[i] = (x[i] & mask) == (0x12 & mask) ? 7
                      : (x[i] & 3) == 1              ? 2
                      : (x[i] & 0x40003) == 0x40002  ? 4
                                                     : 255;
    }
    const struct gpuprim_classifier_params params = { .rule = GPUPRIM_CASES,
                                                      .in = GPUPRIM_U32,
                                                      .cases = list,
                                                      .n_cases = 4,
                                                      .otherwise = GPUPRIM_REJECT };
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_U32, x, N);
    char words[512];
    if (make(f, &params, 8)) {
        gpuprim_classifier_describe(f->classifier, words, sizeof words);
        CHECK(f->check, strstr(words, "never decide") && strstr(words, ": 2"), "%s", words);
        judge(f, &in, expected, 8);
    }
}

static void rules(struct fixture *f)
{
    static const double t[] = { 2, -1, 2 };
    static const enum gpuprim_comparison comparisons[] = { GPUPRIM_LESS, GPUPRIM_GREATER_EQUAL,
                                                           GPUPRIM_NOT_EQUAL };
    static const uint8_t labels[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    double x[N];
    uint8_t expected[N];
    for (int i = 0; i < N; i++) {
        x[i] = (double)check_below(f->check, 40) / 4 - 5;
        if (i % 50 == 0)
            x[i] = 0.0 / (x[i] - x[i]);
        expected[i] = (uint8_t)((x[i] < 2) | (x[i] >= -1) << 1 | (x[i] != 2) << 2);
    }
    const struct gpuprim_classifier_params params = { .rule = GPUPRIM_RULES,
                                                      .thresholds =
                                                          gpuprim_host(GPUPRIM_F64, t, 3),
                                                      .table =
                                                          gpuprim_host(GPUPRIM_U8, labels, 8),
                                                      .comparisons = comparisons };
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_F64, x, N);
    if (f->gp->caps.has_fp64 && make(f, &params, 8))
        judge(f, &in, expected, 8);
}

static void run(struct check *check)
{
    static const unsigned groups[] = { 0, 1, 3, 64 };
    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (!check_begin(check, "classify/rules/%u", groups[i]))
            continue;
        struct fixture f = { .check = check, .gp = check_context(check, NULL, groups[i]) };
        if (f.gp) {
            thresholds(&f, GPUPRIM_CLOSED_LEFT);
            thresholds(&f, GPUPRIM_CLOSED_RIGHT);
            uniform(&f);
            table(&f);
            cases(&f, 0xff);
            cases(&f, 0xfffff);
            rules(&f);
        }
        gpuprim_destroy(&f.gp);
        check_end(check);
    }
}

const struct check_suite check_classify = { "classify", run };

// No rows yet.
void bench_classify(struct bench *bench);

void bench_classify(struct bench *bench)
{
    (void)bench;
}
