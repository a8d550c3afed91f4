/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of the option staging_bytes, which limits the memory that host arrays are copied
 * through: by the size of the copies that all three primitives make, and by what a context
 * keeps of it for later calls. The other options are tested in api_contexts.c. Part of the
 * suite `api` (api.h).
 */
#include "api.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/model.h"
#include "tests/harness/shim.h"

// ---------------------------------------------------------------------------------------
// One call of each primitive

enum { ROWS = 3, N = 301 };

struct streamed {
    int32_t x[ROWS * N];
    int64_t sums[ROWS];
    int32_t filtered[ROWS * N];
    uint8_t labels[ROWS * N];
    uint32_t counts[2];
};

static bool are_right(const struct streamed *s)
{
    uint32_t counts[2] = { 0, 0 };
    for (int r = 0; r < ROWS; r++) {
        int64_t sum = 0;
        for (int i = r * N; i < (r + 1) * N; i++) {
            const int label = s->x[i] >= 0;
            sum += s->x[i];
            counts[label]++;
            if (s->labels[i] != label ||
                s->filtered[i] != s->x[i] - (i > r * N ? s->x[i - 1] : 0))
                return false;
        }
        if (s->sums[r] != sum)
            return false;
    }
    return counts[0] == s->counts[0] && counts[1] == s->counts[1];
}

static int call_all(gpuprim *gp, struct streamed *s)
{
    static const int32_t difference[2] = { 1, -1 }, zero = 0;
    struct gpuprim_array in = gpuprim_host(GPUPRIM_I32, s->x, N);
    const struct gpuprim_array sums = gpuprim_host(GPUPRIM_I64, s->sums, ROWS);
    struct gpuprim_array filtered = gpuprim_host(GPUPRIM_I32, s->filtered, N);
    struct gpuprim_array labels = gpuprim_host(GPUPRIM_U8, s->labels, N);
    const struct gpuprim_array counts = gpuprim_host(GPUPRIM_U32, s->counts, 2);
    in.rows = filtered.rows = labels.rows = ROWS;
    const struct gpuprim_array taps = gpuprim_host(GPUPRIM_I32, difference, 2);
    const struct gpuprim_filter_params causal = { .mode = GPUPRIM_CAUSAL };
    const struct gpuprim_thresholds at_zero = { .values = gpuprim_host(GPUPRIM_I32, &zero, 1) };
    const struct gpuprim_classifier_params sign = { .thresholds = &at_zero };
    gpuprim_filter *filter = NULL;
    gpuprim_classifier *classifier = NULL;
    int status = gpuprim_reduce(gp, &in, &sums, &(struct gpuprim_reduce_params){ 0 }, NULL);
    if (!status)
        status = gpuprim_filter_create(gp, &taps, &causal, &filter);
    if (!status)
        status = gpuprim_convolve1d(gp, filter, &in, &filtered, NULL, NULL);
    if (!status)
        status = gpuprim_classifier_create(gp, &sign, &classifier);
    if (!status)
        status = gpuprim_classify(gp, classifier, &in, &labels, &counts, NULL);
    gpuprim_filter_destroy(&filter);
    gpuprim_classifier_destroy(&classifier);
    return status;
}

// ---------------------------------------------------------------------------------------
// The limit

// A context with that limit on a model of a GPU, because CPU devices use no staging memory.
static gpuprim *with_staging(struct check *check, uint64_t bytes)
{
    const struct gpuprim_options options = { .staging_bytes = bytes };
    gpuprim *gp = NULL;
    const int status = model_create(&model_gpu, &options, &gp);
    model_end();
    CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error());
    return gp;
}

// Limits down to one byte, with which elements are copied one at a time. The size of the
// copies shows the limit.
static void staging(struct check *check)
{
    static const uint64_t limits[] = { 0, 4096, 64, 16, 1 };
    struct streamed *s = check_allocate(sizeof *s);
    for (int i = 0; i < ROWS * N; i++)
        s->x[i] = (int32_t)check_below(check, 2000) - 1000;
    for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++) {
        gpuprim *gp = with_staging(check, limits[i]);
        check->cases++;
        if (!gp)
            continue;
        memset(s->sums, 0x55, sizeof *s - offsetof(struct streamed, sums));
        shim_fail(-1, 0);
        const int status = call_all(gp, s);
        const unsigned copies = shim_calls_of("clEnqueueWriteBuffer");
        CHECK(check, !status && are_right(s), "staging_bytes %llu: %d (%s)",
              (unsigned long long)limits[i], status, gpuprim_last_error());
        // A half has at most a quarter of the limit. The ends of filtered rows are copied
        // apart.
        const uint64_t half = limits[i] / 4 > sizeof(int32_t) ? limits[i] / 4 : sizeof(int32_t);
        CHECK(check, limits[i] ? copies >= 2 * sizeof s->x / half : copies == 3 /* calls */,
              "staging_bytes %llu: %u copies", (unsigned long long)limits[i], copies);
        const unsigned reads = shim_calls_of("clEnqueueReadBuffer");
        CHECK(check, limits[i] || reads <= 4 /* outputs */, "%u reads for four small outputs",
              reads);
        gpuprim_destroy(&gp);
    }
    free(s);
}

// A context keeps at most 4 MiB of staging memory for later calls. A call that needs no more
// than that allocates nothing if one like it came before.
static void kept_staging(struct check *check)
{
    enum { MIB = 1 << 20, ELEMENTS = 12 * MIB / (int)sizeof(int32_t) };
    static const struct {
        unsigned staging, bytes; // MiB; a half is a quarter of `staging`
        bool again;              // the second call allocates nothing
    } cases[] = {
        { 64, 1, true }, { 64, 3, true }, { 64, 5, false }, { 12, 12, false }, { 4, 12, true }
    };
    int32_t *x = check_allocate(sizeof *x * ELEMENTS);
    for (int i = 0; i < ELEMENTS; i++)
        x[i] = 1;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        gpuprim *gp = with_staging(check, cases[i].staging * MIB);
        check->cases++;
        if (!gp)
            continue;
        const uint64_t n = cases[i].bytes * MIB / sizeof *x;
        const struct gpuprim_array in = gpuprim_host(GPUPRIM_I32, x, n);
        int64_t sum = 0;
        const struct gpuprim_array out = gpuprim_host(GPUPRIM_I64, &sum, 1);
        const long before = shim_held();
        for (int turn = 0; turn < 2; turn++) {
            shim_fail(-1, 0);
            const int status =
                gpuprim_reduce(gp, &in, &out, &(struct gpuprim_reduce_params){ 0 }, NULL);
            CHECK(check, !status && sum == (int64_t)n, "%s", gpuprim_last_error());
        }
        // Scratch memory comes on top.
        CHECK(check, shim_held() - before <= 4 * MIB + MIB, "case %u: %ld bytes are kept", i,
              shim_held() - before);
        CHECK(check, (shim_calls_of("clCreateBuffer") == 0) == cases[i].again,
              "case %u: the second call makes %u buffers", i, shim_calls_of("clCreateBuffer"));
        gpuprim_destroy(&gp);
    }
    free(x);
}

void staging_run(struct check *check)
{
    if (check_begin(check, "api/options/staging_bytes")) {
        staging(check);
        check_end(check);
    }
    if (check_begin(check, "api/options/kept_staging")) {
        kept_staging(check);
        check_end(check);
    }
}
