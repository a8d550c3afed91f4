/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: host arrays that are taken piece by piece. Results, overlap of copies
 * and launches, bounds of staging memory, faults on the way. suite.c runs this file. */
#include "case.h"
#include "tests/harness/threads.h"

#include <stdlib.h>

#include "tests/harness/model.h"
#include "tests/harness/shim.h"

// Random cases whose rows fall into windows: on a GPU because of small staging memory, in place
// because of a small largest allocation.
static void streamed(struct check *check, uint64_t staging_bytes, uint64_t alloc_bytes)
{
    static const uint64_t taps[] = { 1, 2, 9, 33, 65, 257, 1025 };
    static const struct convolve_kind kinds[] = { { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 },
                                                  { GPUPRIM_F32, GPUPRIM_F16, GPUPRIM_F32 },
                                                  { GPUPRIM_C32, GPUPRIM_C32, GPUPRIM_C32 },
                                                  { GPUPRIM_I32, GPUPRIM_I16, GPUPRIM_I64 },
                                                  { GPUPRIM_F32, GPUPRIM_U8, GPUPRIM_I16 } };
    gpuprim *gp =
        check_context_on(check, staging_bytes ? &model_gpu : NULL, "convolve1d:baseline", 0);
    if (!gp)
        return;
    if (staging_bytes)
        gp->staging_bytes = staging_bytes;
    else
        gp->caps.max_alloc_bytes = alloc_bytes;
    for (unsigned i = 0; i < (check->quick ? 20 : 150); i++) {
        // Few kernels, many geometries.
        struct convolve_case test = { .kind = kinds[check_below(check, 5)] };
        test.taps = taps[check_below(check, check->quick ? 5 : 7)];
        test.count = check_below(check, check_once_in(check, 3) ? 30000 : 3000);
        if (test.count * test.taps > 1000000)
            test.count = 1000000 / test.taps;
        convolve_shuffle(check, gp, &test);
        if (check_below(check, 8) != 0)
            test.in.memory = GPUPRIM_HOST;
        if (check_once_in(check, 2))
            test.out.memory = GPUPRIM_HOST;
        convolve_run(check, gp, &test);
    }
    gpuprim_destroy(&gp);
}

// ---------------------------------------------------------------------------------------
// Copies beside launches

enum { TAPS = 5 };

// A call on host arrays that sums five neighbours.
struct streamed_call {
    gpuprim *gp;
    gpuprim_filter *filter;
    struct gpuprim_array in, out;
    uint64_t count, rows;
    int32_t *x, *y;
    int status;
};

static void streamed_make(struct check *check, struct streamed_call *call, uint64_t staging,
                          uint64_t count, uint64_t rows)
{
    static const int32_t ones[TAPS] = { 1, 1, 1, 1, 1 };
    const struct gpuprim_array taps = gpuprim_host(GPUPRIM_I32, ones, TAPS);
    *call = (struct streamed_call){ .count = count, .rows = rows };
    call->gp = check_context_on(check, &model_gpu, NULL, 0);
    call->x = check_allocate(count * rows * sizeof *call->x);
    call->y = check_allocate(count * rows * sizeof *call->y);
    for (uint64_t i = 0; i < count * rows; i++)
        call->x[i] = (int32_t)(i % 1009);
    call->in = gpuprim_host(GPUPRIM_I32, call->x, count);
    call->in.rows = rows;
    call->out = gpuprim_host(GPUPRIM_I32, call->y, count - TAPS + 1);
    call->out.rows = rows;
    if (!call->gp)
        return;
    call->gp->staging_bytes = staging;
    const struct gpuprim_filter_params params = { .mode = GPUPRIM_VALID };
    call->status = gpuprim_filter_create(call->gp, &taps, &params, &call->filter);
}

static void *streamed_run(void *argument)
{
    struct streamed_call *call = argument;
    if (!call->status)
        call->status =
            gpuprim_convolve1d(call->gp, call->filter, &call->in, &call->out, NULL, NULL);
    return NULL;
}

static void streamed_check(struct check *check, const struct streamed_call *call)
{
    uint64_t wrong = 0;
    const uint64_t n = call->out.count, step = call->out.stride ? 2 : 1;
    for (uint64_t i = 0; i < n * call->rows; i++) {
        const int32_t *x = call->x + i / n * call->count + i % n;
        wrong += call->y[i * step] != x[0] + x[1] + x[2] + x[3] + x[4];
    }
    check->cases++;
    CHECK(check, call->status == GPUPRIM_OK, "status %d", call->status);
    CHECK(check, wrong == 0, "%llu wrong outputs", (unsigned long long)wrong);
}

static void streamed_free(struct streamed_call *call)
{
    gpuprim_filter_destroy(&call->filter);
    gpuprim_destroy(&call->gp);
    free(call->x);
    free(call->y);
}

// While the launch of the first piece is held back, its readback is enqueued and the second
// piece is copied. The third is not copied, because it needs the memory of the first.
static void overlap(struct check *check, uint64_t count, uint64_t rows)
{
    enum { STAGING = 1 << 16 };
    struct streamed_call call;
    struct gate gate;
    pthread_t thread;
    streamed_make(check, &call, STAGING, count, rows);
    if (call.gp && gate_make(check, &gate, call.gp->context)) {
        clEnqueueBarrierWithWaitList(call.gp->queue, 1, &gate.event, NULL);
        shim_fail(-1, 0);
        const bool started = !pthread_create(&thread, NULL, streamed_run, &call);
        const unsigned copies = started ? gate_copies(2) : 0;
        const unsigned reads = shim_calls_of("clEnqueueReadBuffer");
        gate_open(check, &gate);
        if (started)
            pthread_join(thread, NULL);
        CHECK(check, copies == 2 && reads == 2,
              "%u copies and %u reads begun instead of 2 and 2", copies, reads);
        streamed_check(check, &call);
    }
    streamed_free(&call);
}

// How much device memory a call takes besides the taps.
static void staging(struct check *check, uint64_t bytes, uint64_t count, uint64_t rows)
{
    struct streamed_call call;
    streamed_make(check, &call, bytes, count, rows);
    const long before = shim_held();
    shim_fail(-1, 0);
    streamed_run(&call);
    const long most = shim_held_most() - before;
    CHECK(check, most <= (long)bytes, "%llu rows of %llu: %ld bytes of memory, %ld are allowed",
          (unsigned long long)rows, (unsigned long long)count, most, (long)bytes);
    streamed_check(check, &call);
    streamed_free(&call);
}

// Lets each call into OpenCL fail once while results are read back by way of the library's own
// memory. None may arrive after that memory was freed; sanitizers would see it.
static void faults(struct check *check)
{
    struct streamed_call call;
    streamed_make(check, &call, 1 << 12, 1500, 1);
    call.out.count = (call.out.count + 1) / 2;
    call.in.count = call.out.count + TAPS - 1;
    call.out.stride = 2;
    bool failed = call.gp != NULL;
    for (int nth = 0; failed; nth++) {
        shim_fail(nth, CL_OUT_OF_RESOURCES);
        streamed_run(&call);
        failed = shim_failed() != NULL;
        check->cases++;
        CHECK(check, call.status == (failed ? CL_OUT_OF_RESOURCES : GPUPRIM_OK),
              "status %d where %s failed", call.status, failed ? shim_failed() : "nothing");
        call.status = GPUPRIM_OK;
    }
    shim_fail(-1, 0);
    streamed_check(check, &call);
    streamed_free(&call);
}

void convolve_host_run(struct check *check)
{
    static const uint64_t sizes[] = { 1 << 12, 1 << 16 };
    for (int i = 0; i < 2; i++) {
        if (check_begin(check, "convolve1d/streamed/%llu", (unsigned long long)sizes[i])) {
            streamed(check, sizes[i], 0);
            check_end(check);
        }
        if (check_begin(check, "convolve1d/in_place/%llu", (unsigned long long)sizes[i])) {
            streamed(check, 0, sizes[i]);
            check_end(check);
        }
    }
    if (check_begin(check, "convolve1d/streamed/overlap/one_row")) {
        overlap(check, 100003, 1);
        check_end(check);
    }
    if (check_begin(check, "convolve1d/streamed/overlap/rows")) {
        overlap(check, 101, 1000);
        check_end(check);
    }
    if (check_begin(check, "convolve1d/streamed/faults")) {
        faults(check);
        check_end(check);
    }
    if (check_begin(check, "convolve1d/streamed/memory")) {
        for (uint64_t bytes = 1 << 16; bytes <= 1 << 24; bytes *= 16) {
            staging(check, bytes, 3000001, 1);
            staging(check, bytes, 100, 30000);
        }
        check_end(check);
    }
}
