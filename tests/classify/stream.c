/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: host arrays that go piece by piece and share counts.
 * suite.c runs this file. */
#include "case.h"
#include "tests/harness/model.h"

// One of a few rules, so that there are few kernels; the geometries differ.
static void any_rule(struct check *check, struct classify_case *test)
{
    switch (check_below(check, 4)) {
    case 0:
        test->type = GPUPRIM_F32;
        classify_thresholds(check, GPUPRIM_F32, 7, 1, SPREAD_RANDOM, &test->params);
        break;
    case 1: // a row of thresholds for each row, wherever pieces begin
        test->type = GPUPRIM_F32;
        classify_thresholds(check, GPUPRIM_F32, 7, test->rows, SPREAD_RANDOM, &test->params);
        break;
    case 2:
        test->type = GPUPRIM_U8;
        classify_table(check, GPUPRIM_U8, &test->params);
        break;
    default:
        test->type = GPUPRIM_U16;
        classify_cases(check, GPUPRIM_U16, 14, 0xf0f, &test->params);
    }
    if (test->params.thresholds)
        classify_close(&test->params, GPUPRIM_CLOSED_LEFT);
}

// Small staging memory on the model of a GPU, or a small largest allocation where arrays are
// used in place, so that rows are cut into pieces.
static void streamed(struct check *check, const char *variant, uint64_t staging_bytes,
                     uint64_t alloc_bytes)
{
    static const uint64_t rows[] = { 1, 1, 2, 3, 17, 200 };
    gpuprim *gp = check_context_on(check, staging_bytes ? &model_gpu : NULL, variant, 0);
    if (!gp)
        return;
    if (staging_bytes)
        gp->staging_bytes = staging_bytes;
    else
        gp->caps.max_alloc_bytes = alloc_bytes;
    for (unsigned i = 0; i < (check->quick ? 20 : 150); i++) {
        struct classify_case test = { .rows = rows[check_below(check, 6)] };
        test.count = check_below(check, check_once_in(check, 3) ? 60000 : 3000);
        if (test.rows > 3)
            test.count = test.count / test.rows;
        any_rule(check, &test);
        classify_shuffle(check, gp, &test);
        if (test.labels) // one type, because each is a program to be compiled
            test.labels = GPUPRIM_U32;
        if (test.counts)
            test.counts = GPUPRIM_U32;
        if (check_below(check, 8) != 0)
            test.in.memory = GPUPRIM_HOST;
        if (check_once_in(check, 2))
            test.out.memory = GPUPRIM_HOST;
        classify_run(check, gp, &test);
        classify_free(&test.params);
    }
    gpuprim_destroy(&gp);
}

void classify_stream_run(struct check *check)
{
    static const uint64_t sizes[] = { 1 << 12, 1 << 16 };
    for (int i = 0; i < 2; i++) {
        if (check_begin(check, "classify/streamed/%llu", (unsigned long long)sizes[i])) {
            streamed(check, "classify:baseline", sizes[i], 0);
            streamed(check, "classify:gpu_words", sizes[i], 0);
            check_end(check);
        }
        if (check_begin(check, "classify/in_place/%llu", (unsigned long long)sizes[i])) {
            streamed(check, "classify:baseline", 0, sizes[i]);
            streamed(check, NULL, 0, sizes[i]);
            check_end(check);
        }
    }
}
