/* SPDX-License-Identifier: Apache-2.0
 *
 * A call of reduce that is enqueued, and its arrays, for the tests that have several in flight
 * (async.c) or hold one back by a gate (harness/threads.h).
 */
#ifndef REDUCE_FLIGHT_H
#define REDUCE_FLIGHT_H

#include "case.h"
#include "tests/harness/threads.h"

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
