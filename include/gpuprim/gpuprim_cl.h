/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * gpuprim for programs that have OpenCL contexts, buffers, queues and events of their own. They
 * include this header in place of `gpuprim.h`.
 *
 * Ownership: gpuprim_create_cl() retains the OpenCL context and the device. Queues, buffers and
 * events stay the caller's. The library keeps none of them after the enqueued work.
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

/// @defgroup cl OpenCL
/// @{

/// Creates a gpuprim context from an OpenCL context and one of its devices. `options` may be
/// NULL; its member `device` is ignored. The OpenCL context and the device are retained.
/// Queues, buffers and events stay the caller's; the library keeps none of them after the
/// enqueued work. `*out` is untouched on failure.
///
/// **Fails.** E_ARG: NULL, or the device is not in the context. E_UNSUPPORTED: the device has
/// no compiler, only the embedded profile, or is big-endian or older than OpenCL 1.2. E_MEMORY.
/// E_FORKED. An OpenCL code.
GPUPRIM_API int gpuprim_create_cl(cl_context context, cl_device_id device,
                                  const struct gpuprim_options *options, gpuprim **out);

/// The OpenCL context, for buffers of the caller's own. It belongs to the gpuprim context and
/// is valid until gpuprim_destroy(); it is not retained for the caller. NULL for NULL.
GPUPRIM_API cl_context gpuprim_cl_context(const gpuprim *gp);

/// The OpenCL device of a context, likewise.
GPUPRIM_API cl_device_id gpuprim_cl_device(const gpuprim *gp);

/// A queue of the context, likewise, for commands of the caller's own. It is in-order, and
/// blocking calls run in it.
GPUPRIM_API cl_command_queue gpuprim_cl_queue(const gpuprim *gp);

/// `count` packed elements of a buffer, beginning with element `first`.
static inline struct gpuprim_array gpuprim_buffer(enum gpuprim_type type, cl_mem buffer,
                                                  uint64_t first, uint64_t count)
{
    struct gpuprim_array array = { type, GPUPRIM_BUFFER, (void *)buffer, first, count, 0, 0,
                                   0,    { 0, 0, 0, 0 } };
    return array;
}

/// A call with a gpuprim_sync enqueues its work on `queue` and returns without waiting. The
/// work begins when the events of `wait` are complete.
///
/// **Flight.** Any number of calls may be in flight. Calls in an in-order queue share scratch
/// memory; each call in an out-of-order queue has its own. It is ready for 32 such queues or
/// calls in each context; further calls allocate theirs. A repeated call sets arguments and
/// enqueues its launches, mostly one or two. It creates and allocates nothing, but for large scratch
/// memory on an out-of-order queue ("Memory" of gpuprim_convolve1d() and gpuprim_classify()). On such
/// a queue each launch has an event, which orders the launches.
///
/// **Queues.** A context keeps a reference to the queue of the newest call, and to in-order
/// queues whose calls used scratch memory, to 32 at most. It releases these when other queues
/// need the memory, and all when it is destroyed. To see whether memory is free it may enqueue
/// markers in these queues, and flush them.
///
/// **SVM.** Results in coarse-grained SVM must be mapped before the host reads them.
///
/// **Fails.** E_ARG: queue is NULL or belongs to another OpenCL context or device, or only one
/// of n_wait and wait is 0. `done` is untouched on failure.
struct gpuprim_sync {
    cl_command_queue queue; ///< of the context's device; in-order or out-of-order
    cl_uint n_wait;         ///< number of events
    const cl_event *wait;   ///< read during the call only; NULL if n_wait is 0
    /// NULL, or receives an event that is complete when the results are there. The caller
    /// releases it.
    cl_event *done;
    uint64_t reserved[4];
};

/// @}

#ifdef __cplusplus
}
#endif

#endif
