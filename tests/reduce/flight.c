/* SPDX-License-Identifier: Apache-2.0
 *
 * A gate before the device, and calls in flight.
 */
#include "flight.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "reference/reduce/reduce.h"
#include "tests/harness/shim.h"

// ---------------------------------------------------------------------------------------
// The gate

enum { PATIENCE_S = 60 };

static void *watch(void *argument)
{
    struct gate *gate = argument;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    pthread_mutex_lock(&gate->lock);
    while (!gate->open && !gate->late)
        gate->late = pthread_cond_timedwait(&gate->changed, &gate->lock, &until) == ETIMEDOUT;
    if (!gate->open)
        clSetUserEventStatus(gate->event, CL_COMPLETE);
    pthread_mutex_unlock(&gate->lock);
    return NULL;
}

bool gate_make(struct check *check, struct gate *gate, cl_context context)
{
    cl_int error;
    *gate =
        (struct gate){ .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
    gate->event = clCreateUserEvent(context, &error);
    return CHECK(check, gate->event && !pthread_create(&gate->watchdog, NULL, watch, gate),
                 "no user event: %d", error);
}

void gate_open(struct check *check, struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->open = true;
    CHECK(check, !gate->late, "a call waited for an event instead of only enqueuing");
    if (!gate->late)
        clSetUserEventStatus(gate->event, CL_COMPLETE);
    pthread_cond_signal(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
    pthread_join(gate->watchdog, NULL);
    clReleaseEvent(gate->event);
}

unsigned flight_copies(unsigned expected)
{
    unsigned n = 0;
    for (int i = 0; i < 10000 && n < expected; i++) {
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
        n = shim_calls_of("clEnqueueWriteBuffer");
    }
    nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
    return shim_calls_of("clEnqueueWriteBuffer");
}

// ---------------------------------------------------------------------------------------
// Calls in flight

void flight_make(struct check *check, const gpuprim *gp, struct flight *flight,
                 const struct reduce_case *test)
{
    *flight = (struct flight){ .params = test->params };
    struct gpuprim_array shape = gpuprim_host(test->type, NULL, test->count);
    shape.rows = test->rows;
    check_block_make(&flight->in, shape, test->lead, 0);
    reduce_fill(check, test, &flight->in.view);
    shape = gpuprim_host(reduce_reference_result(test->type, &test->params), NULL, test->rows);
    check_block_make(&flight->out, shape, 5, 5);
    check_block_canaries(&flight->out);
    check_place_make(check, gp, &flight->in_place, &flight->in, test->in_memory);
    check_place_make(check, gp, &flight->out_place, &flight->out, test->out_memory);
}

int flight_start(gpuprim *gp, struct flight *flight, cl_command_queue queue,
                 const cl_event *wait)
{
    const struct gpuprim_sync sync = {
        .queue = queue, .n_wait = wait ? 1 : 0, .wait = wait, .done = &flight->done
    };
    return gpuprim_reduce(gp, &flight->in_place.view, &flight->out_place.view, &flight->params,
                          &sync);
}

void flight_check(struct check *check, const gpuprim *gp, struct flight *flight)
{
    char why[256];
    check->cases++;
    check_place_read(check, gp, &flight->out_place, &flight->out);
    CHECK(check,
          reduce_reference_agrees(&flight->in.view, &flight->out.view, &flight->params, why,
                                  sizeof why),
          "%s: %s", reduce_op_name(flight->params.op), why);
    CHECK(check, check_block_intact(&flight->out), "something beside the results was written");
}

void flight_free(const gpuprim *gp, struct flight *flight)
{
    if (flight->done)
        clReleaseEvent(flight->done);
    check_place_free(gp, &flight->in_place);
    check_place_free(gp, &flight->out_place);
    free(flight->in.bytes);
    free(flight->out.bytes);
}
