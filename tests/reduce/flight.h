/* SPDX-License-Identifier: Apache-2.0
 *
 * Tools for the tests of calls that only enqueue.
 */
#ifndef REDUCE_FLIGHT_H
#define REDUCE_FLIGHT_H

#include "case.h"

// A user event that holds work back. A call that wrongly waits for it would hang: then a
// watchdog opens the gate and tells.
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

// Copies of host arrays to the device that a call in another thread has begun, once they are
// `expected` and have had time to become more. Counted since shim_fail.
unsigned flight_copies(unsigned expected);

// A call with its arrays on the device.
struct flight {
    struct gpuprim_reduce_params params;
    struct check_block in, out;
    struct check_place in_place, out_place;
    cl_event done;
};

void flight_make(struct check *check, const gpuprim *gp, struct flight *flight,
                 const struct reduce_case *test);
// Makes the call, after the event `wait` (NULL: at once). The results are there with
// flight->done.
int flight_start(gpuprim *gp, struct flight *flight, cl_command_queue queue,
                 const cl_event *wait);
void flight_check(struct check *check, const gpuprim *gp, struct flight *flight);
void flight_free(const gpuprim *gp, struct flight *flight);

#endif
