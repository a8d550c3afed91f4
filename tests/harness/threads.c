/* SPDX-License-Identifier: Apache-2.0
 *
 * Gates, chains of calls behind them, and threads (threads.h). */
#include "threads.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "shim.h"

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

unsigned gate_copies(unsigned expected)
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
// Chains

bool chain_begin(struct check *check, const gpuprim *gp, struct chain *chain, bool out_of_order)
{
    cl_int error;
    *chain = (struct chain){ .events = { NULL } };
    chain->queue =
        clCreateCommandQueue(gp->context, gp->device,
                             out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &error);
    if (!chain->queue) {
        CHECK(check, out_of_order, "no queue: %d", error);
        return false; // the device has none that is out of order
    }
    if (gate_make(check, &chain->gate, gp->context))
        return true;
    clReleaseCommandQueue(chain->queue);
    return false;
}

uint64_t chain_share(struct check *check, unsigned i, uint64_t left)
{
    if (i == CHAIN_CALLS - 1)
        return left;
    return i == CHAIN_CALLS - 2 ? 0 : check_below(check, left / (CHAIN_CALLS - i));
}

struct gpuprim_sync chain_sync(struct chain *chain, unsigned i)
{
    return (struct gpuprim_sync){ .queue = chain->queue,
                                  .n_wait = 1,
                                  .wait = i ? &chain->events[i - 1] : &chain->gate.event,
                                  .done = &chain->events[i] };
}

void chain_end(struct check *check, struct chain *chain, int status)
{
    gate_open(check, &chain->gate);
    if (CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error())) {
        for (int i = 0; i < CHAIN_CALLS; i++)
            CHECK(check, chain->events[i], "call %d has no event", i);
        clWaitForEvents(1, &chain->events[CHAIN_CALLS - 1]);
    }
    clFinish(chain->queue);
    for (int i = 0; i < CHAIN_CALLS; i++)
        if (chain->events[i])
            clReleaseEvent(chain->events[i]);
    clReleaseCommandQueue(chain->queue);
}

// ---------------------------------------------------------------------------------------
// Threads

enum { MOST_THREADS = 16 };

struct member {
    pthread_t thread;
    struct check check;
    pthread_barrier_t *start;
    void (*work)(struct check *check, void *user);
    void *user;
};

static void *begin(void *argument)
{
    struct member *member = argument;
    pthread_barrier_wait(member->start);
    member->work(&member->check, member->user);
    return NULL;
}

void crew_run(struct check *check, unsigned n, void (*work)(struct check *check, void *user),
              void *user)
{
    struct member members[MOST_THREADS];
    pthread_barrier_t start;
    if (n > MOST_THREADS)
        n = MOST_THREADS;
    pthread_barrier_init(&start, NULL, n);
    for (unsigned i = 0; i < n; i++) {
        members[i] =
            (struct member){ .check = *check, .start = &start, .work = work, .user = user };
        members[i].check.random = check_random(check);
        members[i].check.cases = members[i].check.not_taken = 0;
        members[i].check.failures = 0;
        if (pthread_create(&members[i].thread, NULL, begin, &members[i])) {
            printf("Bail out! no thread\n");
            exit(1);
        }
    }
    for (unsigned i = 0; i < n; i++) {
        pthread_join(members[i].thread, NULL);
        check->cases += members[i].check.cases;
        check->not_taken += members[i].check.not_taken;
        check->failures += members[i].check.failures;
    }
    pthread_barrier_destroy(&start);
}
