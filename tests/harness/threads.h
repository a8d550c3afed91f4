/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls in flight and in several threads: a gate that holds the device's work back, chains of
 * calls behind it, and threads that run the same test at once.
 */
#ifndef CHECK_THREADS_H
#define CHECK_THREADS_H

#include "check.h"

// A user event that holds work back. A call that wrongly waits for it would hang. Then a
// watchdog opens the gate after a while, and the test fails.
struct gate {
    cl_event event;
    pthread_t watchdog;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool open, late;
};

bool gate_make(struct check *check, struct gate *gate, cl_context context);
// Counts a failure if the watchdog was first.
void gate_open(struct check *check, struct gate *gate);

// How many copies of host arrays to the device a call in another thread has begun: returns once
// they are `expected` and have had time to become more. Counted since shim_fail.
unsigned gate_copies(unsigned expected);

// Calls of a queue behind a gate, each of which waits for the one before. Every call has an
// event.
enum { CHAIN_CALLS = 6 };
struct chain {
    cl_command_queue queue;
    struct gate gate;
    cl_event events[CHAIN_CALLS];
};

// False where there is no such queue, or with a failure counted where there is no event.
bool chain_begin(struct check *check, const gpuprim *gp, struct chain *chain,
                 bool out_of_order);
// How many elements call number i takes of those that are left. The last takes all of them, the
// one before it none.
uint64_t chain_share(struct check *check, unsigned i, uint64_t left);
// What to make call number i with.
struct gpuprim_sync chain_sync(struct chain *chain, unsigned i);
// Opens the gate and waits for all calls. `status` is the first that is not GPUPRIM_OK, or
// that.
void chain_end(struct check *check, struct chain *chain, int status);

// Runs `work` in `n` threads that begin together, and adds up their cases and failures. Each
// has a `check` of its own, with random numbers of its own.
void crew_run(struct check *check, unsigned n, void (*work)(struct check *check, void *user),
              void *user);

#endif
