/* SPDX-License-Identifier: Apache-2.0
 *
 * Scratch memory: a slot for each call in flight, kept for the calls that follow. A call
 * without sync gives its slot back when it returns. The calls of a queue that keeps their order
 * use one slot, which stays the queue's until no other is free. A call in an out-of-order queue
 * leaves an event, and the slot is free when that is complete. A call takes one when it asks for
 * memory first; launch.c frees it.
 *
 * An event for each call would take longer than the call: H200, driver 580.159.04, 2026-11-23,
 * launches of one kernel among many 3.7 us, with events 5.9 us. */
#include "core.h"

#include <stdlib.h>

// Staging memory that a slot keeps for the next call, and segments and transposed elements of a call
// in an out-of-order queue. More is released at once.
enum { MAX_KEPT_STAGING = 4 << 20 };

#define MEM_LOCATION_HOST_NV 1 // of cl_nv_create_buffer, whose header is not everywhere

static bool is_complete(cl_event event)
{
    cl_int state;
    return clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                          NULL) ||
           state <= CL_COMPLETE;
}

// Forgets what uses a slot.
static void forget(struct gp_scratch *slot)
{
    if (slot->done)
        clReleaseEvent(slot->done);
    if (slot->queue)
        clReleaseCommandQueue(slot->queue);
    slot->done = NULL;
    slot->queue = NULL;
}

// Whether nothing uses a slot any more. What a queue has had so far is complete when a marker is.
static bool is_free(struct gp_scratch *slot)
{
    if (slot->queue && !slot->done) {
        cl_event marker;
        if (clEnqueueMarkerWithWaitList(slot->queue, 0, NULL, &marker))
            return false;
        slot->done = marker;
        clFlush(slot->queue); // or the marker might never be complete
    }
    if (slot->done && !is_complete(slot->done))
        return false;
    forget(slot);
    return true;
}

struct gp_scratch *gp_scratch_take(gpuprim *gp, cl_command_queue in_order)
{
    struct gp_scratch *slots = gp->scratch;
    for (unsigned i = 0; in_order && i < GP_SCRATCH_SLOTS; i++)
        if (!slots[i].busy && slots[i].queue == in_order)
            return &slots[i];
    for (unsigned i = 0; i < GP_SCRATCH_SLOTS; i++) // queues may go on to need theirs
        if (!slots[i].busy && !slots[i].queue && is_free(&slots[i]))
            return &slots[i];
    for (unsigned i = 0; i < GP_SCRATCH_SLOTS; i++)
        if (!slots[i].busy && slots[i].queue && is_free(&slots[i]))
            return &slots[i];
    return NULL;
}

void gp_scratch_use(struct gp_scratch *slot, cl_command_queue in_order, cl_event done)
{
    if (in_order && in_order == slot->queue) {
        if (slot->done) // a marker behind what the queue had before
            clReleaseEvent(slot->done);
        slot->done = NULL;
        return;
    }
    if (in_order ? clRetainCommandQueue(in_order) : clRetainEvent(done)) {
        gp_scratch_drop(slot); // the driver keeps the memory until the device is done with it
        slot->ticket = UINT64_MAX; // but not the slot's words in the memory of programs
        return;
    }
    forget(slot);
    slot->queue = in_order;
    slot->done = in_order ? NULL : done;
}

static void drop(struct gp_scratch *slot, enum gp_scratch_use use)
{
    if (slot->memory[use])
        clReleaseMemObject(slot->memory[use]);
    slot->memory[use] = NULL;
    slot->bytes[use] = 0;
}

void gp_scratch_drop(struct gp_scratch *slot)
{
    for (int use = 0; use < GP_SCRATCH_USES; use++)
        drop(slot, (enum gp_scratch_use)use);
}

void gp_scratch_trim(struct gp_scratch *slot)
{
    size_t kept = 0;
    // Each call in flight in an out-of-order queue has a slot. The driver keeps the memory until
    // the device is done with it.
    for (int use = GP_SEGMENTS; use <= GP_TRANSPOSED; use++)
        if (slot->done && !slot->queue && slot->bytes[use] > MAX_KEPT_STAGING)
            drop(slot, (enum gp_scratch_use)use);
    for (int use = GP_RESULTS; use < GP_SCRATCH_USES; use++)
        if (kept + slot->bytes[use] > MAX_KEPT_STAGING)
            drop(slot, (enum gp_scratch_use)use);
        else
            kept += slot->bytes[use];
}

static int create_memory(gpuprim *gp, enum gp_scratch_use use, size_t bytes, cl_mem *out)
{
    cl_int error;
    if (use == GP_READBACK)
        *out = gp->caps.create_buffer_nv(gp->context, CL_MEM_READ_WRITE, MEM_LOCATION_HOST_NV,
                                         bytes, NULL, &error);
    else if (use == GP_PARTIALS || use == GP_SIGNALS) {
        void *zeros = calloc(1, bytes);
        if (!zeros)
            return gp_fail(GPUPRIM_E_MEMORY, "out of memory");
        *out = clCreateBuffer(gp->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                              zeros, &error);
        free(zeros);
    } else
        *out = clCreateBuffer(gp->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    return error ? gp_fail_cl(error, "clCreateBuffer (scratch)") : GPUPRIM_OK;
}

// Where no slot is free, a call has memory of its own. It must not wait for another call, here or
// on the device, because that one may wait for something that the caller does only after this
// call.
static struct gp_scratch *slot_of(struct gp_call *call)
{
    const bool in_order = call->sync && !call->out_of_order;
    if (!call->scratch) {
        call->scratch = gp_scratch_take(call->gp, in_order ? call->queue : NULL);
        if (!call->scratch)
            call->scratch = &call->own;
        call->scratch->busy = true;
    }
    return call->scratch;
}

int gp_call_memory(struct gp_call *call, enum gp_scratch_use use, size_t bytes, cl_mem *out)
{
    struct gp_scratch *slot = slot_of(call);
    if (slot->bytes[use] < bytes) {
        // Sizes are powers of two, so that slowly growing calls do not allocate each time.
        // Staging memory, and sizes above 512 KiB, are exact, so that limits are kept.
        size_t grown = use >= GP_RESULTS ? 4096 : 65536;
        while (use < GP_RESULTS && grown < bytes && grown < (1u << 19))
            grown *= 2;
        if (grown < bytes)
            grown = bytes;
        drop(slot, use); // before the new one is made: both at once may not fit
        cl_mem memory = NULL;
        const int status = create_memory(call->gp, use, grown, &memory);
        if (status)
            return status;
        slot->memory[use] = memory;
        slot->bytes[use] = grown;
    }
    call->scratch_uses |= 1u << use;
    *out = slot->memory[use];
    return GPUPRIM_OK;
}

int gp_call_signals(struct gp_call *call, size_t bytes, cl_mem *out, cl_uint *launch)
{
    struct gp_scratch *slot = slot_of(call);
    if (++slot->launch == 0) { // after 2^32 launches: new memory, which is zero
        drop(slot, GP_SIGNALS);
        slot->launch = 1;
    }
    *launch = slot->launch;
    call->signal_bytes = bytes;
    return gp_call_memory(call, GP_SIGNALS, bytes, out);
}

bool gp_call_ticket(struct gp_call *call, cl_ulong last, struct gp_ticket *out)
{
    struct gp_scratch *slot = slot_of(call);
    if (slot == &call->own || slot->ticket >= last)
        return false;
    *out = (struct gp_ticket){ ++slot->ticket, (cl_uint)(slot - call->gp->scratch) };
    call->has_ticket = true;
    return true;
}

void gp_scratch_release(gpuprim *gp)
{
    for (unsigned i = 0; i < GP_SCRATCH_SLOTS; i++) {
        forget(&gp->scratch[i]);
        gp_scratch_drop(&gp->scratch[i]);
    }
}
