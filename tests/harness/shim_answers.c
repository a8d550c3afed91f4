/* SPDX-License-Identifier: Apache-2.0
 *
 * Untrue answers about the devices of a context and the state of events (shim.h), for tests of
 * drivers that are not here. model.c does the same for devices.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <string.h>

#include "shim.h"

// ---------------------------------------------------------------------------------------
// The devices of a context

typedef cl_int get_context_info(cl_context, cl_context_info, size_t, void *, size_t *);
static get_context_info *real_context_info;
static const cl_device_id *named;
static size_t named_bytes;

static cl_int context_info(cl_context context, cl_context_info what, size_t size, void *value,
                           size_t *wanted)
{
    if (what != CL_CONTEXT_DEVICES)
        return real_context_info(context, what, size, value, wanted);
    if (wanted)
        *wanted = named_bytes;
    if (value)
        memcpy(value, named, named_bytes);
    return CL_SUCCESS;
}

void shim_devices(const cl_device_id *devices, unsigned n)
{
    if (real_context_info)
        shim_replace("clGetContextInfo", (shim_function)real_context_info);
    real_context_info = NULL;
    named = devices;
    named_bytes = n * sizeof *devices;
    if (devices)
        real_context_info =
            (get_context_info *)shim_replace("clGetContextInfo", (shim_function)context_info);
}

// ---------------------------------------------------------------------------------------
// The state of events

typedef cl_int get_event_info(cl_event, cl_event_info, size_t, void *, size_t *);
static get_event_info *real_event_info;
static cl_int ended_with;

static cl_int event_info(cl_event event, cl_event_info what, size_t size, void *value,
                         size_t *wanted)
{
    const cl_int status = real_event_info(event, what, size, value, wanted);
    cl_int *state = value;
    if (!status && what == CL_EVENT_COMMAND_EXECUTION_STATUS && state && *state == CL_COMPLETE)
        *state = ended_with;
    return status;
}

void shim_fail_events(cl_int code)
{
    if (real_event_info)
        shim_replace("clGetEventInfo", (shim_function)real_event_info);
    real_event_info = NULL;
    ended_with = code;
    if (code)
        real_event_info =
            (get_event_info *)shim_replace("clGetEventInfo", (shim_function)event_info);
}
