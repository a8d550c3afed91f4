/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: the text of gpuprim_classifier_describe, and numbers that are no member of
 * an enum. No program is built. */
#include "corners.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/harness/model.h"
#include "tests/harness/shim.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

void classify_tells(struct check *check, gpuprim *gp,
                    const struct gpuprim_classifier_params *params, const char *const *words)
{
    char text[2048] = "";
    gpuprim_classifier *c = classify_unbuilt(check, gp, params);
    check->cases++;
    if (!c)
        return;
    const size_t length = gpuprim_classifier_describe(c, text, sizeof text);
    CHECK(check, length == strlen(text), "%zu characters are told as %zu", strlen(text),
          length);
    for (; *words; words++)
        if (**words == '!')
            CHECK(check, !strstr(text, *words + 1), "'%s' is in: %s", *words + 1, text);
        else
            CHECK(check, strstr(text, *words), "'%s' is not in: %s", *words, text);
    gpuprim_classifier_destroy(&c);
}

void classify_corners_each(struct check *check, const struct corner *groups, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (check_begin(check, "classify/corners/%s", groups[i].name)) {
            gpuprim *gp = check_context(check, NULL, 0);
            if (gp)
                groups[i].run(check, gp);
            gpuprim_destroy(&gp);
            check_end(check);
        }
}

// ---------------------------------------------------------------------------------------
// Texts

// Each search method is chosen for the keys that suit it, and named on CPUs and GPUs.
static void search_methods(struct check *check, gpuprim *gp)
{
    enum { N = 100 };
    float few[3] = { 1, 2, 50 }, even[N], jittered[N], octaves[N], bunches[N];
    for (int k = 0; k < N; k++) {
        even[k] = (float)k;
        jittered[k] = (float)k + (float)(k * 37 % N) / N; // ascends, by no even steps
        octaves[k] = ldexpf(1 + (float)(k % 3) / 4, k / 3);
        bunches[k] = k ? nextafterf(bunches[k - 1], INFINITY) : 1; // but for the last
    }
    bunches[N - 1] = 1e30f;
    const struct {
        const float *keys;
        uint64_t n;
        const char *cpu, *gpu;
    } kinds[] = {
        { few, 0, "keys in registers", "each of the 0 keys compared" },
        { few, 3, "keys in registers", "each of the 3 keys compared" },
        { even, N, "even distances computed", "even distances computed" },
        { jittered, N, "cells of one width", "cells of one width" },
        { octaves, N, "cells of equally many values", "cells of equally many values" },
        { bunches, N, "then a tree to level 7", "a tree of 7 levels" },
    };
    gpuprim *gpu = check_context_on(check, &model_gpu, NULL, 0);
    for (unsigned i = 0; gpu && i < COUNT(kinds); i++) {
        const struct gpuprim_thresholds rule = { .values = gpuprim_host(
                                                     GPUPRIM_F32, kinds[i].keys, kinds[i].n) };
        const struct gpuprim_classifier_params params = { .thresholds = &rule };
        char among[64];
        snprintf(among, sizeof among, "thresholds of f32: a search among %llu keys",
                 (unsigned long long)kinds[i].n);
        if (gp->caps.is_cpu)
            CLASSIFY_TELLS(&params, among, kinds[i].cpu, "; cpu_blocks: ", "!map", "!row");
        const char *const words[] = {
            among, kinds[i].gpu, "; gpu_words: ", "!map", "!row", NULL
        };
        classify_tells(check, gpu, &params, words);
    }
    gpuprim_destroy(&gpu);
}

// Every method, rule and variant.
static void methods(struct check *check, gpuprim *gp)
{
    static const float t[6] = { 1, 2, 3, 4, 5, 6 };
    static const uint8_t labels[8] = { 7, 6, 5, 4, 3, 2, 1, 0 };
    static const enum gpuprim_comparison comparisons[3] = { GPUPRIM_LESS, GPUPRIM_EQUAL,
                                                            GPUPRIM_GREATER };
    static const struct gpuprim_case chain[] = { { .mask = 0xffff0000, .value = 0x10000 },
                                                 { .mask = 0xffff, .value = 1, .label = 1 } };
    struct gpuprim_thresholds thresholds = { .values = gpuprim_host(GPUPRIM_F32, t, 3) };
    const struct gpuprim_uniform uniform = { .low = 0, .high = 1, .bins = 20 };
    struct gpuprim_table table = { .labels = gpuprim_host(GPUPRIM_U8, labels, 8), .mask = 1 };
    struct gpuprim_cases cases = { .list = chain, .count = 2 };
    const struct gpuprim_rules rules = { .values = thresholds.values,
                                         .comparisons = comparisons,
                                         .labels = table.labels };
    struct gpuprim_classifier_params p = { .thresholds = &thresholds };
    thresholds.values.rows = 2;
    CLASSIFY_TELLS(&p, "a search among 3 keys in each of 2 rows", "the row's keys");
    p.map = gpuprim_host(GPUPRIM_U8, labels, 4);
    CLASSIFY_TELLS(&p, "in each of 2 rows, then a map");
    p = (struct gpuprim_classifier_params){ .uniform = &uniform, .in = GPUPRIM_F64 };
    if (gp->caps.has_fp64)
        CLASSIFY_TELLS(&p, "uniform of f64: a search among 19 keys", "!map");
    p = (struct gpuprim_classifier_params){ .rules = &rules };
    CLASSIFY_TELLS(&p, "rules of f32: a search among ", ", then a map");
    p = (struct gpuprim_classifier_params){ .table = &table, .in = GPUPRIM_U16 };
    CLASSIFY_TELLS(&p, "table of u16: a table of 2 labels by 1 bit of the element in 1 run;",
                   "one look into the table");
    table.mask = 5; // one run in which a bit is open
    CLASSIFY_TELLS(&p, "a table of 6 labels by 2 bits of the element in 1 run;");
    p = (struct gpuprim_classifier_params){ .cases = &cases, .in = GPUPRIM_U32 };
    CLASSIFY_TELLS(&p, "cases of u32: a chain of 2 cases, as no tables take less time",
                   "all cases asked");
    p.in = GPUPRIM_U8; // a switch of one case, of no bits
    cases.count = 0;
    CLASSIFY_TELLS(&p, "a table of 1 labels by 0 bits of the element in 0 runs");
    // Where the forced variant does not take the classifier, the text names no variant.
    const uint64_t local_bytes = gp->caps.local_bytes;
    p = (struct gpuprim_classifier_params){ .thresholds = &thresholds };
    classify_force(gp, "classify:gpu_words");
    CLASSIFY_TELLS(&p, "; gpu_words: a tree of the row's keys, of 2 levels");
    classify_force(gp, "classify:gpu_tiles");
    CLASSIFY_TELLS(&p, "; gpu_tiles: the row's keys halved, 2 times at most");
    classify_force(gp, "classify:gpu_words");
    gp->caps.local_bytes = 16; // no room for the keys of a row
    CLASSIFY_TELLS(&p, "in each of 2 rows", "!;");
    gp->caps.local_bytes = local_bytes;
    classify_force(gp, "classify:baseline");
    CLASSIFY_TELLS(&p, "; baseline: search by halves");
    cases.count = 2;
    p = (struct gpuprim_classifier_params){ .cases = &cases, .in = GPUPRIM_U32 };
    CLASSIFY_TELLS(&p, "baseline: all cases asked");
    classify_force(gp, "");
}

// Keys of each row's own that gpu_words finds by cells, of which local memory has all or some, and
// beside which there may be no room for counters.
static void own_cells(struct check *check, gpuprim *gp)
{
    enum { ROWS = 2 };
    static const struct {
        uint64_t n;
        const char *keys, *counts;
    } kinds[] = { { 1000, "then the row's keys halved, of which local memory has 1 in 1; ",
                    "counts by" },
                  { 9000, "local memory has 1 in 2; ", "counts by" },
                  { 60000, "local memory has 1 in 8; ", "counts each element at once" } };
    gpuprim *model = classify_small_gpu(check, 49152, 0, "gpu_words");
    for (unsigned i = 0; model && i < COUNT(kinds); i++) {
        const uint64_t n = kinds[i].n;
        float *keys = check_allocate(ROWS * n * sizeof *keys);
        for (uint64_t k = 0; k < ROWS * n; k++)
            keys[k] = (float)(k % n);
        struct gpuprim_thresholds rule = { .values = gpuprim_host(GPUPRIM_F32, keys, n) };
        rule.values.rows = ROWS;
        rule.values.row_stride = (int64_t)n;
        const struct gpuprim_classifier_params params = { .thresholds = &rule };
        const char *const words[] = { "; gpu_words: ", "cells of one width for each row, ",
                                      kinds[i].keys, kinds[i].counts, NULL };
        classify_tells(check, model, &params, words);
        free(keys);
    }
    gpuprim_destroy(&model);
    (void)gp;
}

// Of many cases that can never decide, 32 are named. A text that is cut short ends with a zero,
// wherever it is cut.
static void long_texts(struct check *check, gpuprim *gp)
{
    static struct gpuprim_case cases[40];
    static char whole[4096], part[4096];
    const struct gpuprim_cases rule = { .list = cases, .count = 40 };
    const struct gpuprim_classifier_params params = { .cases = &rule, .in = GPUPRIM_U8 };
    CLASSIFY_TELLS(&params, "39 of the cases can never decide", ": 1, 2, 3", ", 32, ...",
                   "!33");
    gpuprim_classifier *c = classify_unbuilt(check, gp, &params);
    if (!c)
        return;
    const size_t length = gpuprim_classifier_describe(c, whole, sizeof whole);
    for (size_t size = 0; size <= length + 2; size++) {
        memset(part, '#', sizeof part);
        const size_t got = gpuprim_classifier_describe(c, part, size);
        const size_t kept = size == 0 ? 0 : size - 1 < length ? size - 1 : length;
        check->cases++;
        if (!CHECK(check,
                   got == length && memcmp(part, whole, kept) == 0 &&
                       (size == 0 || part[kept] == '\0') && part[size ? kept + 1 : 0] == '#',
                   "room for %zu of %zu: %zu, '%.*s'", size, length, got, (int)kept, part))
            break;
    }
    gpuprim_classifier_destroy(&c);
    CHECK(check, gpuprim_classifier_describe(NULL, part, 10) == 0, "of NULL");
}

// ---------------------------------------------------------------------------------------
// Numbers that are no member of an enum are refused, also where their lowest bits alone are
// one. No program is built.
static void beside(struct check *check, gpuprim *gp)
{
    static const int numbers[] = {
        13, 99, 256, 257, 266, 512, 65546, -1, -246, INT32_MIN + 10
    };
    static const float t[] = { 1, 2, 3 };
    static const uint8_t labels[8];
    enum { KINDS = 8 };
    for (unsigned i = 0; i < KINDS * COUNT(numbers); i++) {
        const int number = numbers[i / KINDS];
        const unsigned kind = i % KINDS;
        enum gpuprim_comparison comparisons[3] = { GPUPRIM_LESS };
        struct gpuprim_thresholds thresholds = { .values = gpuprim_host(GPUPRIM_F32, t, 3) };
        struct gpuprim_uniform uniform = { .high = 1, .bins = 4 };
        struct gpuprim_table table = { .labels = gpuprim_host(GPUPRIM_U8, labels, 8) };
        const struct gpuprim_rules rules = { .values = thresholds.values,
                                             .comparisons = comparisons,
                                             .labels = table.labels };
        struct gpuprim_classifier_params p = { .in = GPUPRIM_F32 };
        const int expected = kind < 4 ? GPUPRIM_E_ARG : GPUPRIM_E_TYPE;
        switch (kind) {
        case 0:
            thresholds.closed = (enum gpuprim_closed)number;
            break;
        case 1:
            p.nan = (enum gpuprim_nan_class)number;
            break;
        case 2:
            p.uniform = &uniform;
            uniform.outside = (enum gpuprim_outside)number;
            break;
        case 3:
            p.rules = &rules;
            comparisons[2] = (enum gpuprim_comparison)number;
            break;
        case 4:
            p.in = (enum gpuprim_type)number;
            break;
        case 5:
            thresholds.values.type = (enum gpuprim_type)number;
            break;
        case 6:
            p.map = gpuprim_host((enum gpuprim_type)number, labels, 4);
            break;
        default:
            p.table = &table;
            p.in = GPUPRIM_U8;
            table.labels.type = (enum gpuprim_type)number;
        }
        if (!p.uniform && !p.rules && !p.table)
            p.thresholds = &thresholds;
        gpuprim_classifier *const untouched = (gpuprim_classifier *)(void *)&p;
        gpuprim_classifier *c = untouched;
        check->cases++;
        shim_fail(-1, 0);
        const int status = gpuprim_classifier_create(gp, &p, &c);
        CHECK(check,
              status == expected && c == untouched && strlen(gpuprim_last_error()) > 8 &&
                  shim_calls_of("clBuildProgram") == 0,
              "%d as parameter %u: status %d, not %d: %s", number, kind, status, expected,
              gpuprim_last_error());
        if (c != untouched)
            gpuprim_classifier_destroy(&c);
    }
}

void classify_describe_run(struct check *check)
{
    static const struct corner groups[] = { { "search_methods", search_methods },
                                            { "methods", methods },
                                            { "own_cells", own_cells },
                                            { "long_texts", long_texts },
                                            { "beside", beside } };
    classify_corners_each(check, groups, COUNT(groups));
}
