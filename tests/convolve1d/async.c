/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d, fifth part: calls with a gpuprim_sync, filters that end while their
 * calls are in flight, and one filter in many threads. */
#include "case.h"
#include "tests/reduce/flight.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/convolve1d/convolve1d.h"
#include "tests/harness/shim.h"

enum { N = 3000, BLOCKS = 6, TAPS = 33, THREADS = 4 };

// Taps and a signal of small whole numbers, so that f32 sums are exact, in device memory.
struct lake {
    float h[TAPS], x[N], y[N], expected[N];
    cl_mem in, out, history;
};

static struct gpuprim_filter_params params_of(enum gpuprim_boundary left)
{
    return (struct gpuprim_filter_params){ .mode = GPUPRIM_CAUSAL, .left = left };
}

static bool lake_make(struct check *check, gpuprim *gp, struct lake *lake)
{
    cl_int error;
    for (int k = 0; k < TAPS; k++)
        lake->h[k] = (float)check_below(check, 9) - 4;
    for (int i = 0; i < N; i++)
        lake->x[i] = (float)check_below(check, 201) - 100;
    lake->in = clCreateBuffer(gp->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                              sizeof lake->x, lake->x, &error);
    memset(lake->y, 0, sizeof lake->y);
    lake->out = clCreateBuffer(gp->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                               sizeof lake->y, lake->y, &error);
    lake->history = clCreateBuffer(gp->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   (TAPS - 1) * sizeof(float), lake->y, &error);
    const struct gpuprim_array h = gpuprim_host(GPUPRIM_F32, lake->h, TAPS);
    const struct gpuprim_array x = gpuprim_host(GPUPRIM_F32, lake->x, N);
    const struct gpuprim_array y = gpuprim_host(GPUPRIM_F32, lake->expected, N);
    const struct gpuprim_filter_params params = params_of(GPUPRIM_ZERO);
    convolve_reference(&x, &h, &params, NULL, &y);
    return CHECK(check, !error, "no device memory: %d", error);
}

static void lake_check(struct check *check, gpuprim *gp, struct lake *lake, const char *what)
{
    clEnqueueReadBuffer(gp->queue, lake->out, CL_TRUE, 0, sizeof lake->y, lake->y, 0, NULL,
                        NULL);
    check->cases++;
    CHECK(check, memcmp(lake->y, lake->expected, sizeof lake->y) == 0, "%s: wrong results",
          what);
}

static void lake_free(struct lake *lake)
{
    clReleaseMemObject(lake->in);
    clReleaseMemObject(lake->out);
    clReleaseMemObject(lake->history);
}

// A chain of blocks behind a gate, of which each waits for the one before; the filter ends, and
// then the gate opens. The history stays in one place.
static void chain(struct check *check, gpuprim *gp, bool out_of_order)
{
    struct lake lake;
    struct gate gate;
    cl_int error;
    gpuprim_filter *filter = NULL;
    cl_event events[BLOCKS] = { NULL };
    cl_command_queue queue =
        clCreateCommandQueue(gp->context, gp->device,
                             out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &error);
    if (!queue)
        return; // the device has none that is out of order
    const struct gpuprim_filter_params params = params_of(GPUPRIM_HISTORY);
    if (!lake_make(check, gp, &lake) || !gate_make(check, &gate, gp->context))
        return;
    const struct gpuprim_array h = gpuprim_host(GPUPRIM_F32, lake.h, TAPS);
    int status = gpuprim_filter_create(gp, &h, &params, &filter);
    const struct gpuprim_array past = gpuprim_buffer(GPUPRIM_F32, lake.history, 0, TAPS - 1);
    const struct gpuprim_history history = { .before = past, .after = past };
    uint64_t begin = 0;
    for (int i = 0; !status && i < BLOCKS; i++) {
        // The last but one is empty, and has an event all the same.
        const uint64_t n = i == BLOCKS - 1 ? N - begin
                           : i == BLOCKS - 2
                               ? 0
                               : check_below(check, (N - begin) / (uint64_t)(BLOCKS - i));
        const struct gpuprim_array in = gpuprim_buffer(GPUPRIM_F32, lake.in, begin, n);
        const struct gpuprim_array out = gpuprim_buffer(GPUPRIM_F32, lake.out, begin, n);
        const struct gpuprim_sync sync = { .queue = queue,
                                           .n_wait = 1,
                                           .wait = i ? &events[i - 1] : &gate.event,
                                           .done = &events[i] };
        status = gpuprim_convolve1d(gp, filter, &in, &out, &history, &sync);
        begin += n;
    }
    gpuprim_filter_destroy(&filter);
    gate_open(check, &gate);
    if (CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error())) {
        for (int i = 0; i < BLOCKS; i++)
            CHECK(check, events[i] != NULL, "block %d has no event", i);
        clWaitForEvents(1, &events[BLOCKS - 1]);
    }
    clFinish(queue);
    if (!status)
        lake_check(check, gp, &lake, out_of_order ? "out of order" : "in order");
    for (int i = 0; i < BLOCKS; i++)
        if (events[i])
            clReleaseEvent(events[i]);
    clReleaseCommandQueue(queue);
    lake_free(&lake);
}

// A call like one before it makes nothing: no memory, no object, no event that was not asked
// for.
static void again(struct check *check, gpuprim *gp)
{
    struct lake lake;
    gpuprim_filter *filter = NULL;
    const struct gpuprim_filter_params params = params_of(GPUPRIM_ZERO);
    const struct gpuprim_sync sync = { .queue = gp->queue };
    if (!lake_make(check, gp, &lake))
        return;
    const struct gpuprim_array h = gpuprim_host(GPUPRIM_F32, lake.h, TAPS);
    const struct gpuprim_array in = gpuprim_buffer(GPUPRIM_F32, lake.in, 0, N);
    const struct gpuprim_array out = gpuprim_buffer(GPUPRIM_F32, lake.out, 0, N);
    int status = gpuprim_filter_create(gp, &h, &params, &filter);
    for (int i = 0; !status && i < 3; i++) {
        shim_fail(-1, 0);
        status = gpuprim_convolve1d(gp, filter, &in, &out, NULL, &sync);
        // The first call, too: its kernels are those that the filter was made with.
        CHECK(check, shim_calls_of("clCreate") + shim_calls_of("clBuild") == 0,
              "call %d made objects", i);
        CHECK(check, shim_allocations() == 0 && shim_events() == 0,
              "call %d: %u allocations, %u events", i, shim_allocations(), shim_events());
    }
    clFinish(gp->queue);
    if (CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error()))
        lake_check(check, gp, &lake, "again");
    gpuprim_filter_destroy(&filter);
    lake_free(&lake);
}

// ---------------------------------------------------------------------------------------

struct worker {
    pthread_t thread;
    struct check check;
    gpuprim *gp;
    const gpuprim_filter *filter;
    const struct lake *lake;
};

static void *work(void *argument)
{
    struct worker *w = argument;
    float *y = check_allocate(sizeof w->lake->y);
    for (int i = 0; i < 50; i++) {
        const uint64_t n = 1 + check_below(&w->check, N);
        const struct gpuprim_array in = gpuprim_host(GPUPRIM_F32, w->lake->x, n);
        const struct gpuprim_array out = gpuprim_host(GPUPRIM_F32, y, n);
        w->check.cases++;
        const int status = gpuprim_convolve1d(w->gp, w->filter, &in, &out, NULL, NULL);
        CHECK(&w->check, status == GPUPRIM_OK, "%s", gpuprim_last_error());
        CHECK(&w->check, memcmp(y, w->lake->expected, n * sizeof *y) == 0, "wrong results");
    }
    free(y);
    return NULL;
}

static void threads(struct check *check, gpuprim *gp)
{
    struct worker workers[THREADS];
    struct lake lake;
    gpuprim_filter *filter = NULL;
    const struct gpuprim_filter_params params = params_of(GPUPRIM_ZERO);
    if (!lake_make(check, gp, &lake))
        return;
    const struct gpuprim_array h = gpuprim_host(GPUPRIM_F32, lake.h, TAPS);
    if (CHECK(check, !gpuprim_filter_create(gp, &h, &params, &filter), "%s",
              gpuprim_last_error())) {
        for (int i = 0; i < THREADS; i++) {
            workers[i] =
                (struct worker){ .check = *check, .gp = gp, .filter = filter, .lake = &lake };
            workers[i].check.random = check_random(check);
            workers[i].check.cases = workers[i].check.failures = 0;
            if (pthread_create(&workers[i].thread, NULL, work, &workers[i])) {
                printf("Bail out! no thread\n");
                exit(1);
            }
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(workers[i].thread, NULL);
            check->cases += workers[i].check.cases;
            check->failures += workers[i].check.failures;
        }
    }
    gpuprim_filter_destroy(&filter);
    lake_free(&lake);
}

void convolve_async_run(struct check *check)
{
    static const char *const names[] = { "in_order", "out_of_order", "threads", "again" };
    for (int i = 0; i < 4; i++)
        if (check_begin(check, "convolve1d/async/%s", names[i])) {
            gpuprim *gp = check_context(check, NULL, 0);
            for (int k = 0; gp && i < 2 && k < 8; k++)
                chain(check, gp, i == 1);
            if (gp && i == 2)
                threads(check, gp);
            if (gp && i == 3)
                again(check, gp);
            gpuprim_destroy(&gp);
            check_end(check);
        }
}
