/* SPDX-License-Identifier: Apache-2.0
 *
 * What a call asks of the driver. A call is made twice: the second one may create, build and
 * allocate nothing, whatever variant runs it and however it is made. And the memory that a call
 * takes on the device beside its arrays has a limit. The driver.c of each primitive gives the
 * calls.
 */
#ifndef CHECK_REPEAT_H
#define CHECK_REPEAT_H

#include "check.h"

// How a call is made.
enum repeat_way { REPEAT_BLOCKING, REPEAT_ENQUEUED, REPEAT_WITH_EVENT, REPEAT_OUT_OF_ORDER };

struct repeat_call {
    const char *name; // for messages
    int (*make)(gpuprim *gp, const void *fixture, const struct gpuprim_sync *sync);
    const void *fixture; // of make
    unsigned least_launches, most_launches;
    bool is_built; // the first call builds nothing either, and makes no kernel objects
    bool is_empty; // no elements: other commands and events may take the launches' place
    bool
        is_large; // calls in out-of-order queues do not keep so much memory: each makes it anew
};

// Makes the call twice on the queue and checks what it asked for. Counts a case, and one that
// the forced variant refused.
void repeat_twice(struct check *check, gpuprim *gp, enum repeat_way way, cl_command_queue queue,
                  const struct repeat_call *call);

// Makes the call once and checks that it takes at most `allowed` bytes on the device. `before`
// is what the device held without the context's scratch memory, `arrays` what the call's own
// arrays and objects hold. Counts a case, and one that the forced variant refused.
void repeat_bytes(struct check *check, gpuprim *gp, const struct repeat_call *call, long before,
                  long arrays, long allowed);

// The groups PRIMITIVE/driver/again/VARIANT, and one for what the device chooses: `run` with
// each way, each time with a new context and queue, and with the same random numbers.
typedef void repeat_run(struct check *check, gpuprim *gp, enum repeat_way way,
                        cl_command_queue queue);
void repeat_groups(struct check *check, const char *primitive, repeat_run *run);

// The groups PRIMITIVE/driver/scratch/VARIANT/UNITS: `run` for every variant, on the device and
// on a model of a GPU with 132 compute units. It makes its contexts by check_context_on.
struct device_model;
typedef void repeat_bytes_run(struct check *check, const struct device_model *model,
                              const char *forced);
void repeat_bytes_groups(struct check *check, const char *primitive, repeat_bytes_run *run);

#endif
