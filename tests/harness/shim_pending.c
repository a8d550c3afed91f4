/* SPDX-License-Identifier: Apache-2.0
 *
 * What the device may still be working on (shim.h), for in-order queues. A command is pending
 * from the time it is enqueued until something waits for it: a blocking call, clFinish, or
 * clWaitForEvents with its event or the event of a later command of its queue. So a test sees a
 * missing wait, however early the device is done.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <pthread.h>
#include <string.h>

#include "shim.h"

enum { MOST = 1024 };

static struct command {
    cl_command_queue queue;
    const void *host; // memory that it reads or writes, or NULL
    cl_event event;   // only compared
} pending[MOST];
static unsigned n, freed_too_early;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_watching;

static void add(cl_command_queue queue, const void *host, const cl_event *event)
{
    pthread_mutex_lock(&lock);
    if (n < MOST)
        pending[n++] = (struct command){ queue, host, event ? *event : NULL };
    pthread_mutex_unlock(&lock);
}

// The commands of this queue among the first `end` of the list are done.
static void end_before(cl_command_queue queue, unsigned end)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < n; i++)
        if (i >= end || pending[i].queue != queue)
            pending[kept++] = pending[i];
    n = kept;
}

static void end_queue(cl_command_queue queue)
{
    pthread_mutex_lock(&lock);
    end_before(queue, n);
    pthread_mutex_unlock(&lock);
}

static void end_event(cl_event event)
{
    pthread_mutex_lock(&lock);
    for (unsigned i = n; i-- > 0;)
        if (pending[i].event == event) {
            end_before(pending[i].queue, i + 1);
            break;
        }
    pthread_mutex_unlock(&lock);
}

unsigned shim_pending(cl_command_queue queue)
{
    unsigned found = 0;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < n; i++)
        found += pending[i].queue == queue;
    pthread_mutex_unlock(&lock);
    return found;
}

unsigned shim_freed_too_early(void)
{
    return freed_too_early;
}

void shim_note_free(const void *p)
{
    if (!is_watching || !p)
        return;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < n; i++)
        freed_too_early += pending[i].host == p;
    pthread_mutex_unlock(&lock);
}

// ---------------------------------------------------------------------------------------
// The functions that the library enqueues and waits with

#define WAIT           cl_uint n_wait, const cl_event *list, cl_event *event
#define WAIT_ARGUMENTS n_wait, list, event

// clang-format off
#define WATCH(name, parameters, arguments, blocking, host)                                     \
    typedef cl_int type_##name parameters;                                                     \
    static type_##name *real_##name;                                                           \
    static cl_int watch_##name parameters                                                      \
    {                                                                                          \
        const cl_int status = real_##name arguments;                                           \
        if (!status && (blocking))                                                             \
            end_queue(queue);                                                                  \
        else if (!status)                                                                      \
            add(queue, host, event);                                                           \
        return status;                                                                         \
    }
// clang-format on

WATCH(clEnqueueNDRangeKernel,
      (cl_command_queue queue, cl_kernel kernel, cl_uint d, const size_t *offset,
       const size_t *global, const size_t *local, WAIT),
      (queue, kernel, d, offset, global, local, WAIT_ARGUMENTS), false, NULL)
WATCH(clEnqueueReadBuffer,
      (cl_command_queue queue, cl_mem memory, cl_bool block, size_t offset, size_t size,
       void *p, WAIT),
      (queue, memory, block, offset, size, p, WAIT_ARGUMENTS), block, p)
WATCH(clEnqueueWriteBuffer,
      (cl_command_queue queue, cl_mem memory, cl_bool block, size_t offset, size_t size,
       const void *p, WAIT),
      (queue, memory, block, offset, size, p, WAIT_ARGUMENTS), block, p)
WATCH(clEnqueueWriteBufferRect,
      (cl_command_queue queue, cl_mem memory, cl_bool block, const size_t *at,
       const size_t *offset, const size_t *region, size_t row, size_t slice, size_t p_row,
       size_t p_slice, const void *p, WAIT),
      (queue, memory, block, at, offset, region, row, slice, p_row, p_slice, p, WAIT_ARGUMENTS),
      block, p)

typedef void *type_clEnqueueMapBuffer(cl_command_queue, cl_mem, cl_bool, cl_map_flags, size_t,
                                      size_t, cl_uint, const cl_event *, cl_event *, cl_int *);
static type_clEnqueueMapBuffer *real_clEnqueueMapBuffer;
static void *watch_clEnqueueMapBuffer(cl_command_queue queue, cl_mem memory, cl_bool block,
                                      cl_map_flags flags, size_t offset, size_t size, WAIT,
                                      cl_int *error)
{
    void *p = real_clEnqueueMapBuffer(queue, memory, block, flags, offset, size, WAIT_ARGUMENTS,
                                      error);
    if (p && block)
        end_queue(queue);
    return p;
}

typedef cl_int type_clFinish(cl_command_queue);
static type_clFinish *real_clFinish;
static cl_int watch_clFinish(cl_command_queue queue)
{
    const cl_int status = real_clFinish(queue);
    if (!status)
        end_queue(queue);
    return status;
}

typedef cl_int type_clWaitForEvents(cl_uint, const cl_event *);
static type_clWaitForEvents *real_clWaitForEvents;
static cl_int watch_clWaitForEvents(cl_uint events, const cl_event *list)
{
    const cl_int status = real_clWaitForEvents(events, list);
    for (cl_uint i = 0; !status && i < events; i++)
        end_event(list[i]);
    return status;
}

void shim_watch(bool on)
{
    if (on == is_watching)
        return;
    is_watching = on;
    n = freed_too_early = 0;
#define SWITCH(name)                                                                           \
    do {                                                                                       \
        if (on)                                                                                \
            real_##name = (type_##name *)shim_replace(#name, (shim_function)watch_##name);     \
        else                                                                                   \
            shim_replace(#name, (shim_function)real_##name);                                   \
    } while (0)
    SWITCH(clEnqueueNDRangeKernel);
    SWITCH(clEnqueueReadBuffer);
    SWITCH(clEnqueueWriteBuffer);
    SWITCH(clEnqueueWriteBufferRect);
    SWITCH(clEnqueueMapBuffer);
    SWITCH(clFinish);
    SWITCH(clWaitForEvents);
}
