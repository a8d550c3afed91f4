/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls made twice, and their memory (repeat.h). The shim counts (shim.h). */
#include "repeat.h"

#include <stdio.h>
#include <stdlib.h>

#include "model.h"
#include "shim.h"
#include "variants.h"

enum { WAYS = REPEAT_OUT_OF_ORDER + 1, MANY_UNITS = 132 };
static const char *const way_names[WAYS] = { "blocking", "enqueued", "with an event",
                                             "out of order" };

// The events that the call makes: what the caller asked for, and what an out-of-order queue needs to
// keep the launches in order and to tell when scratch memory is free again.
static unsigned events_of(enum repeat_way way, unsigned launches)
{
    return way == REPEAT_OUT_OF_ORDER ? launches : way == REPEAT_WITH_EVENT ? 1 : 0;
}

struct counts {
    unsigned launches, others, creates, kernels, builds, events, allocations;
};

static int make_and_count(gpuprim *gp, enum repeat_way way, cl_command_queue queue,
                          const struct repeat_call *call, struct counts *counts)
{
    cl_event done = NULL;
    struct gpuprim_sync sync = { .queue = queue };
    if (way != REPEAT_ENQUEUED)
        sync.done = &done;
    shim_fail(-1, 0);
    const int status = call->make(gp, call->fixture, way == REPEAT_BLOCKING ? NULL : &sync);
    *counts = (struct counts){ .launches = shim_calls_of("clEnqueueNDRangeKernel"),
                               .creates = shim_calls_of("clCreate"),
                               .kernels = shim_calls_of("clCreateKernel"),
                               .builds = shim_calls_of("clBuild"),
                               .events = shim_events(),
                               .allocations = shim_allocations() };
    counts->others = shim_calls_of("clEnqueue") - counts->launches;
    if (done)
        clReleaseEvent(done);
    clFinish(queue); // whatever the call used is free again
    return status;
}

void repeat_twice(struct check *check, gpuprim *gp, enum repeat_way way, cl_command_queue queue,
                  const struct repeat_call *call)
{
    struct counts first, again = { 0 };
    check->cases++;
    int status = make_and_count(gp, way, queue, call, &first);
    if (!status)
        status = make_and_count(gp, way, queue, call, &again);
    if (status == GPUPRIM_E_UNSUPPORTED && check_may_refuse(gp)) {
        check->not_taken++;
        return;
    }
    char name[96];
    snprintf(name, sizeof name, "%s, %s", way_names[way], call->name);
    if (!CHECK(check, status == GPUPRIM_OK, "%s: %s", name, gpuprim_last_error()))
        return;
    CHECK(check, first.builds == 0 || !call->is_built, "%s: the first call builds", name);
    CHECK(check, first.kernels == 0 || !call->is_built, "%s: the first call makes %u kernels",
          name, first.kernels);
    const unsigned creates = call->is_large && way == REPEAT_OUT_OF_ORDER ? 1 : 0;
    CHECK(check, again.creates <= creates && again.builds == 0,
          "%s: %u objects were made, %u programs built", name, again.creates, again.builds);
    CHECK(check, again.allocations == 0, "%s: memory was allocated %u times", name,
          again.allocations);
    CHECK(check,
          again.launches >= call->least_launches && again.launches <= call->most_launches,
          "%s: %u launches", name, again.launches);
    if (call->is_empty)
        return;
    CHECK(check, again.others == 0, "%s: %u commands beside the launches", name, again.others);
    const unsigned expected = events_of(way, again.launches);
    CHECK(check, again.events == expected, "%s: %u events for %u launches, expected are %u",
          name, again.events, again.launches, expected);
}

void repeat_bytes(struct check *check, gpuprim *gp, const struct repeat_call *call, long before,
                  long arrays, long allowed)
{
    check->cases++;
    shim_fail(-1, 0);
    const int status = call->make(gp, call->fixture, NULL);
    const long most = shim_held_most() - before - arrays;
    if (status == GPUPRIM_E_UNSUPPORTED && check_may_refuse(gp)) {
        check->not_taken++;
        return;
    }
    CHECK(check, status == GPUPRIM_OK, "%s: %s", call->name, gpuprim_last_error());
    CHECK(check, most <= allowed, "%s: %ld bytes of scratch memory, %ld are allowed",
          call->name, most, allowed);
}

// ---------------------------------------------------------------------------------------
// Groups

// Each way with a context of its own and the same calls.
static void each_way(struct check *check, const char *primitive, const char *variant,
                     repeat_run *run)
{
    const uint64_t random = check->random;
    for (int way = 0; way < WAYS; way++) {
        check->random = random;
        gpuprim *gp = variant ? check_variant(check, primitive, variant, 0)
                              : check_context(check, NULL, 0);
        cl_int error;
        const cl_command_queue_properties properties =
            way == REPEAT_OUT_OF_ORDER ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
        cl_command_queue queue =
            gp ? clCreateCommandQueue(gp->context, gp->device, properties, &error) : NULL;
        if (queue) { // else the device has none that is out of order
            run(check, gp, (enum repeat_way)way, queue);
            clReleaseCommandQueue(queue);
        }
        gpuprim_destroy(&gp);
    }
}

void repeat_groups(struct check *check, const char *primitive, repeat_run *run)
{
    const struct gp_primitive *p = check_primitive(primitive);
    for (unsigned v = 0; v <= p->n_variants; v++) {
        const char *variant = v < p->n_variants ? p->variants[v]->name : NULL;
        if (!check_begin(check, "%s/driver/again/%s", primitive, variant ? variant : "chosen"))
            continue;
        shim_fail(-1, 0);
        free(check_allocate(1));
        CHECK(check, shim_allocations() == 1, "allocations are not counted");
        each_way(check, primitive, variant, run);
        check_end(check);
    }
}

void repeat_bytes_groups(struct check *check, const char *primitive, repeat_bytes_run *run)
{
    static const struct device_model large = { .type = CL_DEVICE_TYPE_GPU,
                                               .units = MANY_UNITS,
                                               .work_group = 64 };
    const struct gp_primitive *p = check_primitive(primitive);
    for (unsigned v = 0; v < p->n_variants; v++)
        for (unsigned units = 0; units <= MANY_UNITS; units += MANY_UNITS) {
            const char *variant = p->variants[v]->name;
            char forced[64];
            if (!check_begin(check, "%s/driver/scratch/%s/%u", primitive, variant, units))
                continue;
            snprintf(forced, sizeof forced, "%s:%s", primitive, variant);
            run(check, units ? &large : NULL, forced);
            if (check->not_taken == check->cases)
                check_skip(check, "the variant is for other devices");
            else
                check_end(check);
        }
}
