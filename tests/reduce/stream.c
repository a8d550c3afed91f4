/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of reduce: host arrays that pass through staging memory piece by piece, as on any
 * device that is not a CPU. large.c has host arrays of 3 GiB. suite.c runs this file. */
#include "case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "flight.h"
#include "tests/harness/model.h"
#include "tests/harness/shim.h"

// ---------------------------------------------------------------------------------------
// Streaming

// All operations and types on a device that takes host arrays in pieces.
static void streamed(struct check *check, uint64_t staging_bytes)
{
    gpuprim *gp = check_context_on(check, &model_gpu, NULL, 0);
    if (!gp)
        return;
    gp->staging_bytes = staging_bytes;
    static const uint64_t counts[] = { 0, 1, 100, 1000, 8192, 40000 };
    static const uint64_t row_counts[] = { 1, 3, 50, 3000 };
    // A third of the mix, because each pair of operation and type is a program to compile.
    for (unsigned m = (unsigned)check_below(check, 3); m < REDUCE_MIX; m += 3)
        for (unsigned i = 0; i < 24; i++) {
            struct reduce_case test = { .type = reduce_mix[m].type,
                                        .params = { .op = reduce_mix[m].op },
                                        .count = counts[i % 6],
                                        .rows = row_counts[i / 6] };
            if (test.count * test.rows > (check->quick ? 10000 : 200000))
                continue;
            test.data = check_once_in(check, 2) ? DATA_RANDOM : DATA_TIES;
            reduce_shuffle(check, gp, &test);
            test.in_memory = GPUPRIM_HOST;
            reduce_run(check, gp, &test);
        }
    gpuprim_destroy(&gp);
}

// Lines that lie far apart, so that their gaps are not copied: rows and columns of wide
// matrices, in both directions, and so many columns that their partials do not fit the scratch
// memory at once. Each element is copied once, and little else.
static void gaps(struct check *check)
{
    static const struct {
        uint64_t count, rows;
        int64_t stride, row_stride, along; // along: between neighbours on a line
    } views[] = {
        { 1000, 150, 1, 9000, 1 },    { 1000, 150, -1, 9000, 1 },  { 500, 150, 2, -9001, 2 },
        { 150, 1000, 9000, 1, 1 },    { 150, 1000, -9001, 1, 1 },  { 150, 1000, 9000, -1, 1 },
        { 200, 1, 9000, 0, 1 },       { 200, 1, -9000, 0, 1 },     { 30000, 5, 1, 40000, 1 },
        { 5, 30000, 40000, 1, 1 },    { 70, 1100, 11000, 5, 5 },   { 3, 150000, 150000, 1, 1 },
        { 3, 150000, -150000, 1, 1 }, { 100000, 3, 1, 100000, 1 },
    };
    gpuprim *gp = check_context_on(check, &model_gpu, NULL, 0);
    if (!gp)
        return;
    gp->staging_bytes = 1 << 19;
    for (unsigned i = 0; i < 2 * sizeof views / sizeof *views; i++) {
        struct reduce_case test = { .type = reduce_mix[i % REDUCE_MIX].type,
                                    .params = { .op = reduce_mix[i % REDUCE_MIX].op },
                                    .data = DATA_RANDOM,
                                    .count = views[i / 2].count,
                                    .rows = views[i / 2].rows,
                                    .stride = views[i / 2].stride,
                                    .row_stride = views[i / 2].row_stride,
                                    .lead = check_below(check, 18) };
        const uint64_t bytes = test.count * test.rows * gp_type_size(test.type);
        const uint64_t most = bytes * (uint64_t)views[i / 2].along;
        if (check->quick && bytes > 400000)
            continue;
        shim_fail(-1, 0); // counts from 0 again
        reduce_run(check, gp, &test);
        CHECK(check, shim_written() >= most * 99 / 100 && shim_written() <= most,
              "view %u: %" PRIu64 " bytes were copied, %" PRIu64 " are enough", i / 2,
              shim_written(), most);
    }
    gpuprim_destroy(&gp);
}

// ---------------------------------------------------------------------------------------
// Copies beside launches

struct streamed_call {
    gpuprim *gp;
    struct gpuprim_array in, out;
    int status;
};

static void *run_streamed(void *argument)
{
    struct streamed_call *call = argument;
    const struct gpuprim_reduce_params params = { .op = GPUPRIM_SUM };
    call->status = gpuprim_reduce(call->gp, &call->in, &call->out, &params, NULL);
    return NULL;
}

// While the launch of the first piece is held back, the second piece is copied. The third is
// not, because it needs the memory of the first.
static void overlap(struct check *check, struct gpuprim_array view)
{
    enum { STAGING = 1 << 16 };
    const uint64_t rows = view.rows ? view.rows : 1, n = view.count * rows;
    gpuprim *gp = check_context_on(check, &model_gpu, NULL, 0);
    if (!gp)
        return;
    gp->staging_bytes = STAGING;
    int32_t *x = check_allocate(n * sizeof *x);
    int64_t *sums = check_allocate(rows * sizeof *sums);
    for (uint64_t i = 0; i < n; i++)
        x[i] = (int32_t)i;
    struct streamed_call call = { .gp = gp,
                                  .in = view,
                                  .out = gpuprim_host(GPUPRIM_I64, sums, rows) };
    call.in.base = x;
    run_streamed(&call); // compiles
    CHECK(check, call.status == GPUPRIM_OK, "%s", gpuprim_last_error());

    struct gate gate;
    pthread_t thread;
    if (gate_make(check, &gate, gp->context)) {
        clEnqueueBarrierWithWaitList(gp->queue, 1, &gate.event, NULL);
        shim_fail(-1, 0);
        sums[0] = sums[rows - 1] = -1;
        const bool started = !pthread_create(&thread, NULL, run_streamed, &call);
        const unsigned copies = started ? gate_copies(2) : 0;
        gate_open(check, &gate);
        if (started)
            pthread_join(thread, NULL);
        const uint64_t bytes = n * sizeof *x, all = shim_calls_of("clEnqueueWriteBuffer");
        CHECK(check, copies == 2, "%u copies begun instead of 2", copies);
        CHECK(check, all >= bytes / (STAGING / 2), "%" PRIu64 " copies of %" PRIu64 " bytes",
              all, bytes);
        CHECK(check, call.status == GPUPRIM_OK, "status %d", call.status);
    }
    for (uint64_t r = 0; r < rows; r++) {
        const uint64_t first = r * view.count;
        const int64_t expected = (int64_t)(view.count * (2 * first + view.count - 1) / 2);
        check->cases++;
        CHECK(check, sums[r] == expected, "row %" PRIu64 ": %" PRId64 " instead of %" PRId64, r,
              sums[r], expected);
    }
    free(x);
    free(sums);
    gpuprim_destroy(&gp);
}

// ---------------------------------------------------------------------------------------
// Memory

// The limit on staging memory holds for host arrays and for results that wait to be read back.
static void staging(struct check *check, uint64_t bytes)
{
    gpuprim *gp = check_context_on(check, &model_gpu, NULL, 0);
    if (!gp)
        return;
    gp->staging_bytes = bytes;
    static const struct {
        const char *name;
        uint64_t count, rows;
        int64_t stride, row_stride;
    } views[] = { { "long row", 3000001, 1, 1, 0 },
                  { "short rows", 3, 300000, 1, 3 },
                  { "columns", 3, 300000, 300000, 1 },
                  { "long columns", 300000, 3, 3, 1 },
                  { "lines", 100, 300, 1, 10000 } };
    uint64_t *x = check_allocate(3000001 * sizeof *x), *sums = check_allocate(300000 * 8);
    for (uint64_t i = 0; i < 3000001; i++)
        x[i] = i;
    const long allowed = (long)bytes + (1 << 20) + 64 * (long)gp->caps.compute_units;
    const long before = shim_held();
    for (unsigned i = 0; i < sizeof views / sizeof *views; i++) {
        struct gpuprim_array in = gpuprim_host(GPUPRIM_U64, x, views[i].count);
        const struct gpuprim_array out = gpuprim_host(GPUPRIM_U64, sums, views[i].rows);
        in.rows = views[i].rows;
        in.stride = views[i].stride;
        in.row_stride = views[i].row_stride;
        check->cases++;
        shim_fail(-1, 0);
        const int status = gpuprim_reduce(
            gp, &in, &out, &(struct gpuprim_reduce_params){ .op = GPUPRIM_SUM }, NULL);
        const long most = shim_held_most() - before;
        CHECK(check, status == GPUPRIM_OK, "%s: %s", views[i].name, gpuprim_last_error());
        CHECK(check, most <= allowed, "%s: %ld bytes of device memory, %ld are allowed",
              views[i].name, most, allowed);
    }
    free(x);
    free(sums);
    gpuprim_destroy(&gp);
}

void reduce_stream_run(struct check *check)
{
    for (uint64_t staging = 4096; staging <= 1 << 20; staging *= 16)
        if (check_begin(check, "reduce/streamed/%" PRIu64, staging)) {
            streamed(check, staging);
            check_end(check);
        }
    if (check_begin(check, "reduce/streamed/gaps")) {
        gaps(check);
        check_end(check);
    }
    if (check_begin(check, "reduce/streamed/overlap/one_row")) {
        overlap(check, gpuprim_host(GPUPRIM_I32, NULL, 100003));
        check_end(check);
    }
    if (check_begin(check, "reduce/streamed/overlap/rows")) {
        struct gpuprim_array rows = gpuprim_host(GPUPRIM_I32, NULL, 101);
        rows.rows = 1000;
        overlap(check, rows);
        check_end(check);
    }
    for (uint64_t bytes = 1 << 16; bytes <= 1 << 24; bytes *= 16)
        if (check_begin(check, "reduce/streamed/memory/%" PRIu64, bytes)) {
            staging(check, bytes);
            check_end(check);
        }
}
