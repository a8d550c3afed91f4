/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of reduce: single values that decide the result. The first number after NaNs, the first
 * of several NaNs, what operations begin with, and the type of a mean.
 * suite.c runs this file. */
#include "case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

// All rows are NaNs but for the worst value of the type, at `at`. It is a number, so that its
// position is the result.
static void one_number(struct check *check, gpuprim *gp, const char *variant, float *x,
                       uint64_t n, uint64_t rows, uint64_t at)
{
    enum { MOST_ROWS = 20 };
    uint64_t got[MOST_ROWS] = { 0 };
    for (int op = 0; op < 2; op++) {
        const struct gpuprim_reduce_params params = { .op =
                                                          op ? GPUPRIM_ARGMAX : GPUPRIM_ARGMIN,
                                                      .nan = GPUPRIM_NAN_IGNORE };
        for (uint64_t k = 0; k < n * rows; k++)
            x[k] = k % n == at ? (op ? -INFINITY : INFINITY) : NAN;
        struct gpuprim_array in = gpuprim_host(GPUPRIM_F32, x, n);
        in.rows = rows;
        in.row_stride = (int64_t)n;
        const struct gpuprim_array out = gpuprim_host(GPUPRIM_U64, got, rows);
        check->cases++;
        const int status = gpuprim_reduce(gp, &in, &out, &params, NULL);
        for (uint64_t row = 0; row < rows; row++)
            if (!CHECK(check, status == GPUPRIM_OK && got[row] == at,
                       "%s, %s: the number in row %llu is at %llu, not at %llu (%d)", variant,
                       op ? "argmax" : "argmin", (unsigned long long)row,
                       (unsigned long long)at, (unsigned long long)got[row], status))
                break;
    }
}

// A lane has nothing but NaNs in several tiles, others have the number.
static void nan_first(struct check *check, const char *variant)
{
    enum { N = 200011, ROW = 8192, ROWS = 20 };
    static const uint64_t firsts[] = { 0,    1,    3,     4,     64,     255,  2048,
                                       2049, 8191, 12288, 16390, 100000, N - 2 };
    float *x = check_allocate(N * sizeof *x);
    gpuprim *gp = check_context(check, variant, 0);
    if (gp)
        gp->caps.compute_units = 1; // so few groups that each has several tiles
    for (unsigned i = 0; gp && i < COUNT(firsts); i++) {
        if (strcmp(variant, "reduce:gpu_rows") != 0) // which takes several rows
            one_number(check, gp, variant, x, N, 1, firsts[i]);
        one_number(check, gp, variant, x, ROW, ROWS, firsts[i] % ROW);
    }
    gpuprim_destroy(&gp);
    free(x);
}

// argmin and argmax give the first of several NaNs, whichever chains have the others.
static void first_nan(struct check *check, const char *variant)
{
    enum { N = 20011 };
    static float x[N];
    static const uint64_t firsts[] = { 0, 1, 63, 1024, 4099, 8192, 12290, N - 2 };
    gpuprim *gp = check_context(check, variant, 0);
    const struct gpuprim_reduce_params params = { .op = GPUPRIM_ARGMAX };
    if (gp)
        gp->caps.compute_units = 1; // so few groups that each has several tiles
    for (unsigned i = 0; gp && i < COUNT(firsts); i++)
        for (unsigned step = 1; step < 5000; step = 7 * step + step % 3) {
            for (uint64_t k = 0; k < N; k++)
                x[k] = k >= firsts[i] && (k - firsts[i]) % step == 0 ? NAN : (float)(k % 100);
            uint64_t got = N;
            const struct gpuprim_array in = gpuprim_host(GPUPRIM_F32, x, N);
            const struct gpuprim_array out = gpuprim_host(GPUPRIM_U64, &got, 1);
            check->cases++;
            const int status = gpuprim_reduce(gp, &in, &out, &params, NULL);
            CHECK(check, status == GPUPRIM_OK && got == firsts[i],
                  "%s: NaNs from %llu on, each %u: argmax is %llu (%d)", variant,
                  (unsigned long long)firsts[i], step, (unsigned long long)got, status);
        }
    gpuprim_destroy(&gp);
}

// A mean of f32 has the type of its accumulator: f64 where the caller asks for it.
static void mean_types(struct check *check)
{
    static const struct {
        enum gpuprim_type accumulator, out;
        int expected;
    } calls[] = {
        { GPUPRIM_TYPE_INVALID, GPUPRIM_F32, GPUPRIM_OK },
        { GPUPRIM_TYPE_INVALID, GPUPRIM_F64, GPUPRIM_E_TYPE },
        { GPUPRIM_F64, GPUPRIM_F64, GPUPRIM_OK },
        { GPUPRIM_F64, GPUPRIM_F32, GPUPRIM_E_TYPE },
    };
    gpuprim *gp = check_context(check, "reduce:baseline", 0);
    const float x[4] = { 1, 2, 4, 8 };
    for (unsigned i = 0; gp && gp->caps.has_fp64 && i < COUNT(calls); i++) {
        double wide = 0;
        float narrow = 0;
        const bool is_wide = calls[i].out == GPUPRIM_F64;
        const struct gpuprim_reduce_params p = { .op = GPUPRIM_MEAN,
                                                 .accumulator = calls[i].accumulator };
        const struct gpuprim_array in = gpuprim_host(GPUPRIM_F32, x, 4);
        const struct gpuprim_array out =
            gpuprim_host(calls[i].out, is_wide ? (void *)&wide : (void *)&narrow, 1);
        check->cases++;
        const int status = gpuprim_reduce(gp, &in, &out, &p, NULL);
        const double got = is_wide ? wide : (double)narrow;
        CHECK(check, status == calls[i].expected && got == (status ? 0 : 3.75),
              "accumulator %d, out %d: status %d, %g", (int)calls[i].accumulator,
              (int)calls[i].out, status, got);
    }
    gpuprim_destroy(&gp);
}

// What operations begin with: AND with all bits set. A NaN that is ignored does not count for
// COUNT.
static void starts(struct check *check)
{
    enum { N = 1000 };
    static uint64_t bits[N];
    static float x[N];
    uint64_t all = 0, hits = 0;
    gpuprim *gp = check_context(check, "reduce:baseline", 0);
    for (int i = 0; i < N; i++) {
        bits[i] = UINT64_MAX - (i == 7 ? 2 : 0);
        x[i] = i % 3 == 0 ? NAN : i % 3 == 1 ? 0 : (float)i;
    }
    const struct gpuprim_array results[] = { gpuprim_host(GPUPRIM_U64, &all, 1),
                                             gpuprim_host(GPUPRIM_U64, &hits, 1) };
    const struct gpuprim_array in[] = { gpuprim_host(GPUPRIM_U64, bits, N),
                                        gpuprim_host(GPUPRIM_F32, x, N) };
    const struct gpuprim_reduce_params params[] = {
        { .op = GPUPRIM_AND }, { .op = GPUPRIM_COUNT, .nan = GPUPRIM_NAN_IGNORE }
    };
    for (int i = 0; gp && i < 2; i++) {
        check->cases++;
        CHECK(check, !gpuprim_reduce(gp, &in[i], &results[i], &params[i], NULL), "%s",
              gpuprim_last_error());
    }
    CHECK(check, !gp || (all == UINT64_MAX - 2 && hits == N / 3), "and %llx, count %llu",
          (unsigned long long)all, (unsigned long long)hits);
    gpuprim_destroy(&gp);
}

static void nans(struct check *check)
{
    static const char *const variants[] = { "reduce:baseline", "reduce:gpu_long_rows",
                                            "reduce:cpu_rows" };
    gpuprim *gp = check_context(check, NULL, 0);
    for (unsigned v = 0; gp && v < (gp->caps.is_cpu ? 3u : 2u); v++) {
        nan_first(check, variants[v]);
        first_nan(check, variants[v]);
    }
    if (gp)
        nan_first(check, "reduce:gpu_rows");
    gpuprim_destroy(&gp);
}

void reduce_values_run(struct check *check)
{
    static const struct {
        const char *name;
        void (*run)(struct check *check);
    } groups[] = { { "nan_first", nans }, { "mean_types", mean_types }, { "starts", starts } };
    for (unsigned i = 0; i < COUNT(groups); i++)
        if (check_begin(check, "reduce/corners/%s", groups[i].name)) {
            groups[i].run(check);
            check_end(check);
        }
}
