/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of reduce: calls with a gpuprim_sync. Nothing may run before the events that the call
 * names, the call may not wait for them, and the results are there when `done` is complete.
 * flight.h has one such call, harness/threads.h the gate. suite.c runs this file. */
#include "flight.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reference/reduce/reduce.h"
#include "tests/harness/shim.h"

// A call that finishes in one launch and one that needs two, of any operation.
static struct reduce_case any_case(struct check *check, const gpuprim *gp)
{
    static const uint64_t counts[] = { 0, 100, 5000, 300007 };
    struct reduce_case test = { .data = DATA_TIES };
    do {
        test.params.op = (enum gpuprim_op)check_below(check, 4); // few kernels, many calls
        test.type = check_once_in(check, 2) ? GPUPRIM_I32 : GPUPRIM_F32;
    } while (!reduce_op_takes(test.params.op, test.type));
    test.rows = check_once_in(check, 3) ? 7 : 1;
    test.count = counts[check_below(check, check->quick ? 3 : 4)];
    test.lead = check_below(check, 18);
    const unsigned kinds = gp->caps.has_svm ? 2 : 1;
    test.in_memory = (enum gpuprim_memory)(GPUPRIM_BUFFER + check_below(check, kinds));
    test.out_memory = (enum gpuprim_memory)(GPUPRIM_BUFFER + check_below(check, kinds));
    return test;
}

static cl_command_queue make_queue(struct check *check, const gpuprim *gp, bool out_of_order)
{
    cl_int error;
    cl_command_queue queue =
        clCreateCommandQueue(gp->context, gp->device,
                             out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &error);
    if (!queue && out_of_order)
        return NULL; // the device has none
    CHECK(check, queue, "no queue: %d", error);
    return queue;
}

// ---------------------------------------------------------------------------------------

// The call returns, but nothing runs before the gate opens.
static void gated(struct check *check, gpuprim *gp, cl_command_queue queue)
{
    for (int i = 0; i < 12; i++) {
        const struct reduce_case test = any_case(check, gp);
        struct flight flight;
        struct gate gate;
        flight_make(check, gp, &flight, &test);
        if (!gate_make(check, &gate, gp->context))
            return;
        int status = gpuprim_reduce_prepare(gp, &flight.in_place.view, &flight.out_place.view,
                                            &test.params);
        if (!status)
            status = flight_start(gp, &flight, queue, &gate.event);
        if (status == GPUPRIM_E_UNSUPPORTED && gp->force_variant[0]) {
            check->cases++;
            check->not_taken++;
        } else if (CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error())) {
            clFlush(queue);
            nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
            cl_int state = CL_COMPLETE;
            clGetEventInfo(flight.done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                           NULL);
            CHECK(check, state == CL_QUEUED || state == CL_SUBMITTED,
                  "done is in state %d before what it waits for", state);
            check_place_read(check, gp, &flight.out_place, &flight.out);
            flight.out.view.count = 0; // nothing of it
            CHECK(check, check_block_intact(&flight.out), "written before the wait list was");
            flight.out.view.count = test.rows;
        }
        gate_open(check, &gate);
        if (status == GPUPRIM_OK) {
            clWaitForEvents(1, &flight.done);
            flight_check(check, gp, &flight);
        }
        flight_free(gp, &flight);
    }
}

// More calls in flight than the library has slots for, in more queues than that.
static void many(struct check *check, gpuprim *gp, cl_command_queue queue)
{
    enum { MANY = 100, QUEUES = GP_SCRATCH_SLOTS + 8 };
    cl_command_queue queues[QUEUES] = { queue };
    cl_command_queue_properties properties = 0;
    clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    for (int i = 1; i < QUEUES; i++)
        queues[i] = make_queue(check, gp, properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    struct flight *flights = check_allocate(MANY * sizeof *flights);
    struct gate gate;
    const bool is_gated = gate_make(check, &gate, gp->context);
    int status[MANY];
    for (int i = 0; is_gated && i < MANY; i++) {
        const struct reduce_case test = any_case(check, gp);
        flight_make(check, gp, &flights[i], &test);
        status[i] = flight_start(gp, &flights[i], queues[i % QUEUES], &gate.event);
        CHECK(check, status[i] == GPUPRIM_OK, "call %d: %s", i, gpuprim_last_error());
    }
    if (is_gated)
        gate_open(check, &gate);
    for (int i = 0; is_gated && i < MANY; i++) {
        if (status[i] == GPUPRIM_OK) {
            clWaitForEvents(1, &flights[i].done);
            flight_check(check, gp, &flights[i]);
        }
        flight_free(gp, &flights[i]);
    }
    for (int i = 1; i < QUEUES; i++)
        if (queues[i])
            clReleaseCommandQueue(queues[i]);
    free(flights);
}

// The calls of an in-order queue share scratch memory, however many are in flight: after the
// first one they create nothing.
static void shared(struct check *check, gpuprim *gp, cl_command_queue queue)
{
    enum { CALLS = 40 }; // more than there are slots
    const struct reduce_case test = { .type = GPUPRIM_F32,
                                      .data = DATA_TIES,
                                      .rows = 1,
                                      .count = 300007,
                                      .in_memory = GPUPRIM_BUFFER,
                                      .out_memory = GPUPRIM_BUFFER };
    struct flight flights[CALLS];
    struct gate gate;
    cl_command_queue_properties properties = 0;
    clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    if (!gate_make(check, &gate, gp->context))
        return;
    for (int i = 0; i < CALLS; i++)
        flight_make(check, gp, &flights[i], &test);
    for (int i = 0; i < CALLS; i++) {
        const int status = flight_start(gp, &flights[i], queue, &gate.event);
        CHECK(check, status == GPUPRIM_OK, "call %d: %s", i, gpuprim_last_error());
        if (i == 0)
            shim_fail(-1, 0);
    }
    const unsigned created = shim_calls_of("clCreate");
    CHECK(check, (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) || created == 0,
          "%d calls behind the first created %u objects", CALLS - 1, created);
    gate_open(check, &gate);
    for (int i = 0; i < CALLS; i++) {
        if (flights[i].done) {
            clWaitForEvents(1, &flights[i].done);
            flight_check(check, gp, &flights[i]);
        }
        flight_free(gp, &flights[i]);
    }
}

// The results of one call are the input of the next, on events alone.
static void chained(struct check *check, gpuprim *gp, cl_command_queue queue)
{
    for (int i = 0; i < 10; i++) {
        struct reduce_case test = { .type = GPUPRIM_I32,
                                    .data = DATA_RANDOM,
                                    .rows = 1000,
                                    .count = 100 + check_below(check, 200),
                                    .in_memory = GPUPRIM_BUFFER,
                                    .out_memory = GPUPRIM_BUFFER };
        struct flight rows;
        flight_make(check, gp, &rows, &test);
        int64_t total = 0, expected = 0;
        cl_int error;
        cl_mem memory =
            clCreateBuffer(gp->context, CL_MEM_READ_WRITE, sizeof total, NULL, &error);
        const struct gpuprim_array out = gpuprim_buffer(GPUPRIM_I64, memory, 0, 1);
        cl_event done = NULL;
        int status = flight_start(gp, &rows, queue, NULL);
        const struct gpuprim_sync sync = {
            .queue = queue, .n_wait = 1, .wait = &rows.done, .done = &done
        };
        if (!status)
            status =
                gpuprim_reduce(gp, &rows.out_place.view, &out,
                               &(struct gpuprim_reduce_params){ .op = GPUPRIM_SUM }, &sync);
        if (CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error())) {
            clWaitForEvents(1, &done);
            clReleaseEvent(done);
            clEnqueueReadBuffer(gp->queue, memory, CL_TRUE, 0, sizeof total, &total, 0, NULL,
                                NULL);
            const int32_t *x = (const int32_t *)rows.in.view.base;
            for (uint64_t k = 0; k < test.rows * test.count; k++)
                expected += x[k];
            CHECK(check, total == expected, "%" PRId64 " instead of %" PRId64, total, expected);
            flight_check(check, gp, &rows);
        }
        clReleaseMemObject(memory);
        flight_free(gp, &rows);
    }
}

// After _prepare a call neither builds nor waits. The second call creates nothing either.
static void only_enqueues(struct check *check, gpuprim *gp, cl_command_queue queue)
{
    for (int i = 0; i < 12; i++) {
        const struct reduce_case test = any_case(check, gp);
        struct flight flight;
        flight_make(check, gp, &flight, &test);
        int status = gpuprim_reduce_prepare(gp, &flight.in_place.view, &flight.out_place.view,
                                            &test.params);
        CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error());
        for (int call = 0; call < 2; call++) {
            shim_fail(-1, 0);
            status = flight_start(gp, &flight, queue, NULL);
            const unsigned waits = shim_calls_of("clFinish") +
                                   shim_calls_of("clWaitForEvents") +
                                   shim_calls_of("clEnqueueRead");
            const unsigned builds = shim_calls_of("clBuild"),
                           creates = shim_calls_of("clCreate");
            CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error());
            CHECK(check, waits == 0, "call %d waited", call);
            CHECK(check, builds == 0, "call %d built a program", call);
            CHECK(check, call == 0 || creates == 0, "call %d created %u objects", call,
                  creates);
            if (status == GPUPRIM_OK)
                clWaitForEvents(1, &flight.done);
            if (call == 0 && flight.done) {
                clReleaseEvent(flight.done);
                flight.done = NULL;
            }
        }
        flight_check(check, gp, &flight);
        flight_free(gp, &flight);
    }
}

// Without `done` the queue tells when the results are there.
static void no_event(struct check *check, gpuprim *gp, cl_command_queue queue)
{
    for (int i = 0; i < 12; i++) {
        const struct reduce_case test = any_case(check, gp);
        struct flight flight;
        flight_make(check, gp, &flight, &test);
        const struct gpuprim_sync sync = { .queue = queue };
        const int status = gpuprim_reduce(gp, &flight.in_place.view, &flight.out_place.view,
                                          &test.params, &sync);
        CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error());
        clFinish(queue);
        flight_check(check, gp, &flight);
        flight_free(gp, &flight);
    }
}

void reduce_async_run(struct check *check)
{
    static const struct {
        const char *name;
        void (*run)(struct check *check, gpuprim *gp, cl_command_queue queue);
    } tests[] = { { "gated", gated },
                  { "many", many },
                  { "shared", shared },
                  { "chained", chained },
                  { "only_enqueues", only_enqueues },
                  { "no_event", no_event } };
    for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++)
        for (int out_of_order = 0; out_of_order < 2; out_of_order++) {
            if (!check_begin(check, "reduce/async/%s/%s", tests[i].name,
                             out_of_order ? "out_of_order" : "in_order"))
                continue;
            gpuprim *gp = check_context(check, NULL, 0);
            cl_command_queue queue = gp ? make_queue(check, gp, out_of_order) : NULL;
            if (queue) {
                tests[i].run(check, gp, queue);
                clReleaseCommandQueue(queue);
            }
            gpuprim_destroy(&gp);
            if (queue || check->failures)
                check_end(check);
            else
                check_skip(check, "the device has no out-of-order queues");
        }
}
