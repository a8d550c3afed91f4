/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies of rectangles. In all tests the driver is as strict about them as NVIDIA's. Device
 * models (model.h) may also have copies that blocking calls leave unmade. */
#include "model_driver.h"

#include <stdlib.h>
#include <string.h>

// By OpenCL's rules and NVIDIA's: the last line needs as much room on the device as the others.
static bool is_legal(cl_mem memory, const size_t *at, const size_t *offset,
                     const size_t *region, size_t row, size_t slice, size_t p_row,
                     size_t p_slice, const void *p)
{
    size_t bytes = 0;
    if (!at || !offset || !region || !region[0] || !region[1] || !region[2] || !p ||
        (row && row < region[0]) || (p_row && p_row < region[0]))
        return false;
    row = row ? row : region[0];
    p_row = p_row ? p_row : region[0];
    if ((slice && (slice < region[1] * row || slice % row)) ||
        (p_slice && (p_slice < region[1] * p_row || p_slice % p_row)) ||
        driver_clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof bytes, &bytes, NULL))
        return false;
    slice = slice ? slice : region[1] * row;
    return (at[2] + region[2] - 1) * slice + (at[1] + region[1]) * row + at[0] <= bytes;
}

// One copy is held back: `late` waits for `pending`.
static cl_event pending, late;
static cl_command_queue late_queue;
static void *late_lines; // a copy of the caller's memory, which may be gone by then

void copies_finish(void)
{
    if (!pending)
        return;
    driver_clSetUserEventStatus(pending, CL_COMPLETE);
    driver_clReleaseEvent(pending);
    driver_clWaitForEvents(1, &late);
    driver_clReleaseEvent(late);
    free(late_lines);
    late_lines = NULL;
    pending = late = NULL;
}

static cl_int copy_late(cl_command_queue queue, cl_mem memory, const size_t *at,
                        const size_t *offset, const size_t *region, size_t row, size_t slice,
                        size_t p_row, size_t p_slice, const void *p, cl_event *event)
{
    cl_context context = NULL;
    copies_finish();
    driver_clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    pending = driver_clCreateUserEvent(context, NULL);
    const size_t bytes = (region[1] - 1) * p_row + region[0];
    late_lines = check_allocate(bytes);
    memcpy(late_lines, p, bytes);
    const cl_int error =
        driver_clEnqueueWriteBufferRect(queue, memory, CL_FALSE, at, offset, region, row, slice,
                                        p_row, p_slice, late_lines, 1, &pending, &late);
    if (error) {
        driver_clReleaseEvent(pending);
        free(late_lines);
        late_lines = NULL;
        pending = NULL;
        return error;
    }
    late_queue = queue;
    if (event) {
        driver_clRetainEvent(late);
        *event = late;
    }
    return CL_SUCCESS;
}

cl_int model_clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem memory, cl_bool blocking,
                                      const size_t *at, const size_t *offset,
                                      const size_t *region, size_t row, size_t slice,
                                      size_t p_row, size_t p_slice, const void *p, cl_uint n,
                                      const cl_event *list, cl_event *event)
{
    if (!is_legal(memory, at, offset, region, row, slice, p_row, p_slice, p))
        return model_refuse(CL_INVALID_VALUE);
    if (model_now.late_copies && blocking && n == 0)
        return copy_late(queue, memory, at, offset, region, row, slice, p_row, p_slice, p,
                         event);
    return driver_clEnqueueWriteBufferRect(queue, memory, blocking, at, offset, region, row,
                                           slice, p_row, p_slice, p, n, list, event);
}

cl_int model_clWaitForEvents(cl_uint n, const cl_event *list)
{
    for (cl_uint i = 0; list && i < n; i++)
        if (late && list[i] == late) {
            copies_finish();
            break;
        }
    return driver_clWaitForEvents(n, list);
}

cl_int model_clFinish(cl_command_queue queue)
{
    if (late && queue == late_queue)
        copies_finish();
    return driver_clFinish(queue);
}
