/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of reduce, fifth part: what a call asks of the driver.
 */
#include "reduce_case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "reduce_flight.h"
#include "shim.h"

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

// Copies of a host array that the call has begun, once they are `expected` and have had time to
// become more.
static unsigned copies_begun(unsigned expected)
{
    unsigned n = 0;
    for (int i = 0; i < 10000 && n < expected; i++) {
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
        n = shim_calls_of("clEnqueueWriteBuffer");
    }
    nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
    return shim_calls_of("clEnqueueWriteBuffer");
}

// While the first piece's launch is held back, the second piece is copied, and the third is
// not: it needs the memory of the first.
static void overlap(struct check *check, struct gpuprim_array view)
{
    enum { STAGING = 1 << 16 };
    const uint64_t rows = view.rows ? view.rows : 1, n = view.count * rows;
    gpuprim *gp = check_context(check, NULL, 0);
    if (!gp)
        return;
    gp->caps.is_cpu = false;
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
        const unsigned copies = started ? copies_begun(2) : 0;
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

void reduce_driver_run(struct check *check)
{
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
}
