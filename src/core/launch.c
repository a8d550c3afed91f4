/* SPDX-License-Identifier: Apache-2.0
 *
 * A call on its way to the device: it checks the caller's queue, takes the lock and a scratch
 * slot (scratch.c), sets arguments, enqueues, and hands out the event. All threads share the
 * kernel objects, so arguments are set and launches enqueued under the context's lock. */
#include "core.h"

// The context and the device must be those of gp. A queue's context, device and order never
// change, so the newest queue is not asked again.
static int queue_check(gpuprim *gp, cl_command_queue queue)
{
    cl_context context;
    cl_device_id device;
    cl_command_queue_properties properties;
    if (queue == gp->known_queue)
        return GPUPRIM_OK;
    cl_int error =
        clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (!error)
        error = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (!error)
        error = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties,
                                      &properties, NULL);
    if (error)
        return gp_fail_cl(error, "clGetCommandQueueInfo");
    if (context != gp->context || device != gp->device)
        return gp_fail(GPUPRIM_E_ARG,
                       "sync: the queue is of another OpenCL context or device than gp");
    error = clRetainCommandQueue(queue);
    if (error)
        return gp_fail_cl(error, "clRetainCommandQueue");
    if (gp->known_queue)
        clReleaseCommandQueue(gp->known_queue);
    gp->known_queue = queue;
    gp->known_out_of_order = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
    return GPUPRIM_OK;
}

static int sync_check(gpuprim *gp, const struct gpuprim_sync *sync)
{
    const int status = gp_reserved_check(sync->reserved, "sync");
    if (status)
        return status;
    if (!sync->queue)
        return gp_fail(GPUPRIM_E_ARG, "sync: queue is NULL");
    if ((sync->n_wait == 0) != (sync->wait == NULL))
        return gp_fail(GPUPRIM_E_ARG, "sync: n_wait is %u, but wait is %sNULL", sync->n_wait,
                       sync->wait ? "not " : "");
    return queue_check(gp, sync->queue);
}

int gp_call_begin(gpuprim *gp, const struct gpuprim_sync *sync, struct gp_call *call)
{
    *call = (struct gp_call){ .gp = gp, .sync = sync, .queue = gp->queue };
    pthread_mutex_lock(&gp->lock);
    if (!sync)
        return GPUPRIM_OK;
    const int status = sync_check(gp, sync);
    if (status) {
        pthread_mutex_unlock(&gp->lock);
        return status;
    }
    call->out_of_order = gp->known_out_of_order;
    call->queue = sync->queue;
    call->n_wait = sync->n_wait;
    call->wait = sync->wait;
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
    }
    if (slot) {
        if (slot == &call->own || (status && call->enqueued))
            gp_scratch_drop(slot);
        if (slot != &call->own && call->sync && call->enqueued) {
            // A call that failed may have launches without an event. Its queue holds the slot
            // then, so that no later launch has the same words of a program's memory.
            const bool by_queue = status || !call->out_of_order;
            gp_scratch_use(slot, by_queue ? call->queue : NULL, by_queue ? NULL : call->last);
        }
        gp_scratch_trim(slot);
        slot->busy = false;
    }
    if (!status && call->sync && call->sync->done) {
        *call->sync->done = call->last;
        call->last = NULL;
    }
    for (unsigned half = 0; half < 2; half++)
        if (call->reader[half])
            clReleaseEvent(call->reader[half]);
    if (call->last)
        clReleaseEvent(call->last);
    pthread_mutex_unlock(&gp->lock);
    return status;
}

int gp_call_nothing(gpuprim *gp, const struct gpuprim_sync *sync)
{
    struct gp_call call;
    int status = gp_call_begin(gp, sync, &call);
    if (status)
        return status;
    // Without an event to give, a wait list still holds back what follows in the queue.
    if (sync && (sync->done || call.n_wait)) {
        const cl_int error =
            clEnqueueMarkerWithWaitList(call.queue, call.n_wait, call.wait, &call.last);
        if (error)
            status = gp_fail_cl(error, "clEnqueueMarkerWithWaitList");
    }
    return gp_call_end(&call, status);
}

static void trace(gpuprim *gp, cl_event event)
{
    if (gp->trace && gp->trace->n < sizeof gp->trace->events / sizeof *gp->trace->events &&
        !clRetainEvent(event))
        gp->trace->events[gp->trace->n++] = event;
}

int gp_set_argument(cl_kernel kernel, unsigned i, const struct gp_argument *a)
{
    const cl_int error = a->is_svm ? clSetKernelArgSVMPointer(kernel, i, a->value)
                                   : clSetKernelArg(kernel, i, a->size, a->value);
    return error ? gp_fail_cl(error, "clSetKernelArg") : GPUPRIM_OK;
}

int gp_launch(struct gp_call *call, cl_kernel kernel, uint64_t groups, unsigned work_group,
              const struct gp_argument *arguments, unsigned n_arguments, bool last)
{
    int status = GPUPRIM_OK;
    call->gp->set_by = NULL;
    for (unsigned i = 0; !status && i < n_arguments; i++)
        status = gp_set_argument(kernel, i, &arguments[i]);
    if (!status)
        status = gp_enqueue(call, kernel, groups, work_group, last);
    if (!status && ++call->launches == 1 && last && call->again)
        gp_repeat_keep(call, kernel, groups, work_group, arguments, n_arguments);
    return status;
}

int gp_enqueue(struct gp_call *call, cl_kernel kernel, uint64_t groups, unsigned work_group,
               bool last)
{
    gpuprim *gp = call->gp;
    if (groups > SIZE_MAX / work_group) // where size_t has 32 bits
        return gp_fail(GPUPRIM_E_UNSUPPORTED,
                       "%llu groups of %u are more than this system counts",
                       (unsigned long long)groups, work_group);
    const bool chained = call->out_of_order && call->last;
    const bool wanted = call->out_of_order || call->staged || gp->trace ||
                        (last && call->sync && call->sync->done);
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
