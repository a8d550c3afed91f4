/* SPDX-License-Identifier: Apache-2.0
 *
 * gpuprim beside an application's own OpenCL objects: contexts, buffers, queues, events.
 *
 * Ownership: gpuprim_create_cl retains the context and the device it is given. Queues, buffers
 * and events stay the caller's; nothing is kept of them beyond the enqueued work.
 */
#ifndef GPUPRIM_CL_H
#define GPUPRIM_CL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>

#include "gpuprim.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes a gpuprim context on an OpenCL context and one of its devices. `options` may be NULL;
// its `device` is not read. *out is untouched on failure.
// Fails: E_ARG (NULL, or the device is not in the context); E_UNSUPPORTED (a device without a
// compiler, of the embedded profile or big-endian); E_MEMORY; an OpenCL code.
GPUPRIM_API int gpuprim_create_cl(cl_context context, cl_device_id device,
                                  const struct gpuprim_options *options, gpuprim **out);

// The OpenCL objects of a context, for buffers, queues and commands of the caller's own. They
// stay the context's: nothing is retained for the caller, and they are valid until
// gpuprim_destroy. NULL for NULL. The queue is in-order; blocking calls run in it.
GPUPRIM_API cl_context gpuprim_cl_context(const gpuprim *gp);
GPUPRIM_API cl_device_id gpuprim_cl_device(const gpuprim *gp);
GPUPRIM_API cl_command_queue gpuprim_cl_queue(const gpuprim *gp);

// An array of `count` packed elements in a buffer, beginning at element `first`.
static inline struct gpuprim_array gpuprim_buffer(enum gpuprim_type type, cl_mem buffer,
                                                  uint64_t first, uint64_t count)
{
    struct gpuprim_array array = { type, GPUPRIM_BUFFER, (void *)buffer, first, count, 0, 0,
                                   0,    { 0, 0, 0, 0 } };
    return array;
}

// With a gpuprim_sync a call enqueues on `queue` (in-order or out-of-order, of the context's
// cl_context and device) and returns without waiting. The work begins after the n_wait events
// of `wait`. If `done` is not NULL it receives an event, complete when the results are in
// place, which the caller releases; it is untouched on failure. SVM results of coarse grain
// must be mapped before the host reads them. The wait list is read during the call only.
// Any number of calls may be in flight; up to 32 at once in a context find their scratch memory
// ready, more than that allocate theirs. A call like one before it sets arguments and enqueues
// one launch, or two, and makes nothing: no object, no allocation. The exception is one event,
// also without `done`, where partial results lie in scratch memory: nothing else tells when that
// memory is free again. On an out-of-order queue each launch has an event, to order them.
struct gpuprim_sync {
    cl_command_queue queue;
    cl_uint n_wait;
    const cl_event *wait;
    cl_event *done;
    uint64_t reserved[4];
};

#ifdef __cplusplus
}
#endif

#endif
