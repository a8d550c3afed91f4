/* SPDX-License-Identifier: Apache-2.0
 *
 * From a plan to the device: a call takes a scratch slot, launches, and leaves the slot to the
 * next one when the device is done with it. Kernel objects are shared by all threads, so that
 * setting arguments and enqueueing happen under the context's lock. */
#include "core.h"

// Staging memory that a slot keeps for the next call; more is given back at once.
enum { MAX_KEPT_STAGING = 4 << 20 };

// More results than this are copied home: single stores across the bus would take longer, it is
// assumed. One value is what was measured.
enum { HOME_BYTES = 4096 };
#define MEM_LOCATION_HOST_NV 1 // of cl_nv_create_buffer, whose header is not everywhere

static bool is_complete(cl_event event)
{
    cl_int state;
    return clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                          NULL) ||
           state <= CL_COMPLETE;
}

// A slot that nothing uses, or NULL.
static struct gp_scratch *take_slot(gpuprim *gp)
{
    for (unsigned i = 0; i < GP_SCRATCH_SLOTS; i++) {
        struct gp_scratch *slot = &gp->scratch[i];
        if (slot->busy)
            continue;
        if (slot->done && is_complete(slot->done)) {
            clReleaseEvent(slot->done);
            slot->done = NULL;
        }
        if (!slot->done)
            return slot;
    }
    return NULL;
}

static int sync_check(const gpuprim *gp, const struct gpuprim_sync *sync, bool *out_of_order)
{
    cl_context context;
    cl_device_id device;
    cl_command_queue_properties properties;
    if (!gp_is_zero(sync->reserved))
        return gp_fail(GPUPRIM_E_ARG, "sync: reserved members must be zero");
    if (!sync->queue)
        return gp_fail(GPUPRIM_E_ARG, "sync: queue is NULL");
    if ((sync->n_wait == 0) != (sync->wait == NULL))
        return gp_fail(GPUPRIM_E_ARG, "sync: n_wait and wait do not go together");
    cl_int error =
        clGetCommandQueueInfo(sync->queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (!error)
        error =
            clGetCommandQueueInfo(sync->queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (!error)
        error = clGetCommandQueueInfo(sync->queue, CL_QUEUE_PROPERTIES, sizeof properties,
                                      &properties, NULL);
    if (error)
        return gp_fail_cl(error, "clGetCommandQueueInfo");
    if (context != gp->context || device != gp->device)
        return gp_fail(GPUPRIM_E_ARG,
                       "sync: the queue is not of this OpenCL context and device");
    *out_of_order = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
    return GPUPRIM_OK;
}

int gp_call_begin(gpuprim *gp, const struct gpuprim_sync *sync, struct gp_call *call)
{
    *call = (struct gp_call){ .gp = gp, .sync = sync, .queue = gp->queue };
    if (sync) {
        const int status = sync_check(gp, sync, &call->out_of_order);
        if (status)
            return status;
        call->queue = sync->queue;
        call->n_wait = sync->n_wait;
        call->wait = sync->wait;
    }
    pthread_mutex_lock(&gp->lock);
    // With more calls in flight than there are slots, this one has memory of its own: waiting
    // for another call, here or on the device, could wait for what the caller has yet to do.
    call->scratch = take_slot(gp);
    if (!call->scratch)
        call->scratch = &call->own;
    call->scratch->busy = true;
    return GPUPRIM_OK;
}

void gp_call_unlock(struct gp_call *call)
{
    pthread_mutex_unlock(&call->gp->lock);
}

void gp_call_lock(struct gp_call *call)
{
    pthread_mutex_lock(&call->gp->lock);
}

int gp_call_finish(struct gp_call *call)
{
    const cl_int error = clFinish(call->queue);
    return error ? gp_fail_cl(error, "clFinish") : GPUPRIM_OK;
}

static void drop(struct gp_scratch *slot, enum gp_scratch_use use)
{
    if (slot->memory[use])
        clReleaseMemObject(slot->memory[use]);
    slot->memory[use] = NULL;
    slot->bytes[use] = 0;
}

static void drop_memory(struct gp_scratch *slot)
{
    for (int use = 0; use < GP_SCRATCH_USES; use++)
        drop(slot, (enum gp_scratch_use)use);
}

static void trim_staging(struct gp_scratch *slot)
{
    size_t kept = 0;
    for (int use = GP_RESULTS; use < GP_SCRATCH_USES; use++)
        if (kept + slot->bytes[use] > MAX_KEPT_STAGING)
            drop(slot, (enum gp_scratch_use)use);
        else
            kept += slot->bytes[use];
}

int gp_call_end(struct gp_call *call, int status)
{
    gpuprim *gp = call->gp;
    struct gp_scratch *slot = call->scratch;
    if (status && call->enqueued) {
        // A blocking call waits, because the device may still read its host memory. The others
        // must not wait; the driver keeps the memory until the device is done with it. What the
        // memory holds is no longer known, so that it is not used again.
        if (!call->sync)
            clFinish(call->queue);
        if (call->staged && gp->copies)
            clFinish(gp->copies);
        drop_memory(slot);
    }
    if (slot == &call->own)
        drop_memory(slot);
    else if (!status && call->sync && call->uses_scratch && call->last &&
             !clRetainEvent(call->last))
        slot->done = call->last;
    trim_staging(slot);
    if (!status && call->sync && call->sync->done) {
        *call->sync->done = call->last;
        call->last = NULL;
    }
    for (unsigned half = 0; half < 2; half++)
        if (call->reader[half])
            clReleaseEvent(call->reader[half]);
    if (call->last)
        clReleaseEvent(call->last);
    slot->busy = false;
    pthread_mutex_unlock(&gp->lock);
    return status;
}

int gp_call_nothing(gpuprim *gp, const struct gpuprim_sync *sync)
{
    struct gp_call call;
    int status = gp_call_begin(gp, sync, &call);
    if (status)
        return status;
    if (sync && sync->done) {
        const cl_int error =
            clEnqueueMarkerWithWaitList(call.queue, call.n_wait, call.wait, &call.last);
        if (error)
            status = gp_fail_cl(error, "clEnqueueMarkerWithWaitList");
    }
    return gp_call_end(&call, status);
}

static cl_mem create_memory(gpuprim *gp, enum gp_scratch_use use, size_t bytes, cl_int *error)
{
    static const cl_uint zeros[GP_MAX_COUNTERS];
    if (use == GP_HOME)
        return gp->caps.create_buffer_nv(gp->context, CL_MEM_READ_WRITE, MEM_LOCATION_HOST_NV,
                                         bytes, NULL, error);
    if (use == GP_COUNTERS)
        return clCreateBuffer(gp->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                              (void *)(uintptr_t)zeros, error);
    return clCreateBuffer(gp->context, CL_MEM_READ_WRITE, bytes, NULL, error);
}

int gp_call_memory(struct gp_call *call, enum gp_scratch_use use, size_t bytes, cl_mem *out)
{
    struct gp_scratch *slot = call->scratch;
    if (bytes)
        call->uses_scratch = true;
    else
        bytes = 1;
    if (slot->bytes[use] < bytes) {
        // In powers of two, so that slowly growing calls do not allocate each time; staging and
        // what is larger than 512 KiB exactly, so that limits are kept.
        size_t grown = use >= GP_RESULTS ? 4096 : 65536;
        while (use < GP_RESULTS && grown < bytes && grown < (1u << 19))
            grown *= 2;
        if (grown < bytes)
            grown = bytes;
        drop(slot, use); // before the new one is made: both at once may not fit
        if (use == GP_COUNTERS)
            grown = GP_MAX_COUNTERS * sizeof(cl_uint);
        cl_int error;
        cl_mem memory = create_memory(call->gp, use, grown, &error);
        if (error)
            return gp_fail_cl(error, "clCreateBuffer (scratch)");
        slot->memory[use] = memory;
        slot->bytes[use] = grown;
    }
    *out = slot->memory[use];
    return GPUPRIM_OK;
}

int gp_call_results(struct gp_call *call, size_t bytes, cl_mem *out)
{
    const bool home = call->gp->caps.create_buffer_nv && bytes <= HOME_BYTES;
    return gp_call_memory(call, home ? GP_HOME : GP_RESULTS, home ? HOME_BYTES : bytes, out);
}

static void trace(gpuprim *gp, cl_event event)
{
    if (gp->trace && gp->trace->n < sizeof gp->trace->events / sizeof *gp->trace->events &&
        !clRetainEvent(event))
        gp->trace->events[gp->trace->n++] = event;
}

int gp_launch(struct gp_call *call, cl_kernel kernel, uint64_t groups, unsigned work_group,
              const struct gp_argument *arguments, unsigned n_arguments, bool last)
{
    gpuprim *gp = call->gp;
    for (unsigned i = 0; i < n_arguments; i++) {
        const struct gp_argument *a = &arguments[i];
        const cl_int error = a->is_svm ? clSetKernelArgSVMPointer(kernel, i, a->value)
                                       : clSetKernelArg(kernel, i, a->size, a->value);
        if (error)
            return gp_fail_cl(error, "clSetKernelArg");
    }
    if (groups > SIZE_MAX / work_group) // where size_t has 32 bits
        return gp_fail(GPUPRIM_E_UNSUPPORTED,
                       "%llu groups of %u are more than this system counts",
                       (unsigned long long)groups, work_group);
    const bool chained = call->out_of_order && call->last;
    const bool wanted = call->out_of_order || call->staged || gp->trace ||
                        (last && call->sync && (call->sync->done || call->uses_scratch));
    const size_t local = work_group, global = (size_t)groups * work_group;
    cl_event event = NULL;
    const cl_int error = clEnqueueNDRangeKernel(
        call->queue, kernel, 1, NULL, &global, &local, chained ? 1 : call->n_wait,
        chained ? &call->last : call->wait, wanted ? &event : NULL);
    if (error)
        return gp_fail_cl(error, "clEnqueueNDRangeKernel");
    gp_log(gp, GPUPRIM_LOG_TRACE, "launch: %llu groups of %u", (unsigned long long)groups,
           work_group);
    call->enqueued = true;
    call->n_wait = 0;
    call->wait = NULL;
    if (event) {
        trace(gp, event);
        if (call->last)
            clReleaseEvent(call->last);
        call->last = event;
    }
    return GPUPRIM_OK;
}

unsigned gp_occupancy(const gpuprim *gp, const struct gp_program *program, const char **limit)
{
    // OpenCL does not say how many items or groups a compute unit holds; these are what most
    // GPUs of today have.
    enum { UNIT_ITEMS = 2048, UNIT_GROUPS = 32 };
    const unsigned items = program->work_group;
    uint64_t groups = UNIT_ITEMS / items;
    *limit = "items per compute unit";
    if (groups > UNIT_GROUPS) {
        groups = UNIT_GROUPS;
        *limit = "groups per compute unit";
    }
    if (program->registers && gp->caps.registers) {
        const uint64_t fit = gp->caps.registers / ((uint64_t)program->registers * items);
        if (fit < groups) {
            groups = fit;
            *limit = "registers";
        }
    }
    if (program->local_bytes && gp->caps.local_bytes / program->local_bytes < groups) {
        groups = gp->caps.local_bytes / program->local_bytes;
        *limit = "local memory";
    }
    const uint64_t percent = groups * items * 100 / UNIT_ITEMS;
    return percent > 100 ? 100 : (unsigned)percent;
}
