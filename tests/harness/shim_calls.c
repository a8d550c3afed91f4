/* SPDX-License-Identifier: Apache-2.0
 *
 * Stands in for every function of OpenCL that the library imports, which
 * tests/install/symbols.sh compares. The test program's own symbols come before those of
 * libOpenCL: unlike LD_PRELOAD this also works under sanitizers and under the oclgrind command.
 * shim.c counts, and says which call fails.
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "shim_private.h"

#include <dlfcn.h>
#include <string.h>

// The real function, found before main and before other constructors; `number` is where its
// calls are counted.
#define REAL(type, name, parameters)                                                           \
    static type(*real_##name) parameters;                                                      \
    static unsigned number_##name;                                                             \
    __attribute__((constructor(101))) static void find_##name(void)                            \
    {                                                                                          \
        void *found = dlsym(RTLD_NEXT, #name);                                                 \
        memcpy(&real_##name, &found, sizeof found);                                            \
        number_##name = shim_add(#name, &real_##name);                                         \
    }

#define STATUS(name, parameters, arguments)                                                    \
    REAL(cl_int, name, parameters)                                                             \
    cl_int name parameters                                                                     \
    {                                                                                          \
        return shim_count_call(number_##name) ? shim_code() : real_##name arguments;           \
    }

// The last parameter is `cl_event *event`. `bytes` go to the device.
#define ENQUEUE_WRITE(name, bytes, parameters, arguments)                                      \
    REAL(cl_int, name, parameters)                                                             \
    cl_int name parameters                                                                     \
    {                                                                                          \
        if (shim_count_call(number_##name))                                                    \
            return shim_code();                                                                \
        const cl_int status = real_##name arguments;                                           \
        if (status == CL_SUCCESS && event)                                                     \
            shim_count_event();                                                                \
        shim_count_written(bytes);                                                             \
        return status;                                                                         \
    }
#define ENQUEUE(name, parameters, arguments) ENQUEUE_WRITE(name, 0, parameters, arguments)

// The last parameter is `cl_int *error`. The object takes `bytes`.
#define CREATE_BYTES(type, name, bytes, parameters, arguments)                                 \
    REAL(type, name, parameters)                                                               \
    type name parameters                                                                       \
    {                                                                                          \
        if (shim_count_call(number_##name)) {                                                  \
            if (error)                                                                         \
                *error = shim_code();                                                          \
            return NULL;                                                                       \
        }                                                                                      \
        const type object = real_##name arguments;                                             \
        if (object) {                                                                          \
            shim_count_objects(1);                                                             \
            shim_count_bytes((long)(bytes));                                                   \
        }                                                                                      \
        return object;                                                                         \
    }
#define CREATE(type, name, parameters, arguments)                                              \
    CREATE_BYTES(type, name, 0, parameters, arguments)

#define RETAIN(type, name)                                                                     \
    REAL(cl_int, name, (type object))                                                          \
    cl_int name(type object)                                                                   \
    {                                                                                          \
        if (shim_count_call(number_##name))                                                    \
            return shim_code();                                                                \
        const cl_int status = real_##name(object);                                             \
        if (status == CL_SUCCESS)                                                              \
            shim_count_objects(1);                                                             \
        return status;                                                                         \
    }

#define RELEASE(type, name)                                                                    \
    REAL(cl_int, name, (type object))                                                          \
    cl_int name(type object)                                                                   \
    {                                                                                          \
        const cl_int status = real_##name(object);                                             \
        if (status == CL_SUCCESS)                                                              \
            shim_count_objects(-1);                                                            \
        return shim_release_status(status);                                                    \
    }

// clang-format off
#define INFO cl_uint what, size_t size, void *value, size_t *wanted
#define INFO_ARGUMENTS what, size, value, wanted
#define WAIT cl_uint n, const cl_event *list, cl_event *event
#define WAIT_ARGUMENTS n, list, event

STATUS(clGetPlatformIDs, (cl_uint n, cl_platform_id *p, cl_uint *found), (n, p, found))
STATUS(clGetPlatformInfo, (cl_platform_id o, INFO), (o, INFO_ARGUMENTS))
STATUS(clGetDeviceIDs,
       (cl_platform_id p, cl_device_type type, cl_uint n, cl_device_id *d, cl_uint *found),
       (p, type, n, d, found))
STATUS(clGetDeviceInfo, (cl_device_id o, INFO), (o, INFO_ARGUMENTS))
STATUS(clGetContextInfo, (cl_context o, INFO), (o, INFO_ARGUMENTS))
STATUS(clGetCommandQueueInfo, (cl_command_queue o, INFO), (o, INFO_ARGUMENTS))
STATUS(clGetMemObjectInfo, (cl_mem o, INFO), (o, INFO_ARGUMENTS))
STATUS(clGetEventInfo, (cl_event o, INFO), (o, INFO_ARGUMENTS))
STATUS(clGetEventProfilingInfo, (cl_event o, INFO), (o, INFO_ARGUMENTS))
STATUS(clGetProgramInfo, (cl_program o, INFO), (o, INFO_ARGUMENTS))
STATUS(clGetProgramBuildInfo, (cl_program o, cl_device_id d, INFO), (o, d, INFO_ARGUMENTS))
STATUS(clGetKernelInfo, (cl_kernel o, INFO), (o, INFO_ARGUMENTS))
STATUS(clGetKernelWorkGroupInfo, (cl_kernel o, cl_device_id d, INFO), (o, d, INFO_ARGUMENTS))
STATUS(clBuildProgram,
       (cl_program o, cl_uint n, const cl_device_id *d, const char *options,
        void (CL_CALLBACK *done)(cl_program, void *), void *user),
       (o, n, d, options, done, user))
STATUS(clSetKernelArg, (cl_kernel o, cl_uint i, size_t size, const void *value),
       (o, i, size, value))
STATUS(clSetKernelArgSVMPointer, (cl_kernel o, cl_uint i, const void *value), (o, i, value))
STATUS(clFlush, (cl_command_queue o), (o))
// Where several calls in a row fail, this one fails after it was made: whoever can wait in no
// way at all could never give memory back.
REAL(cl_int, clFinish, (cl_command_queue o))
cl_int clFinish(cl_command_queue o)
{
    const bool fails = shim_count_call(number_clFinish);
    const bool is_made = !fails || shim_fails_several();
    const cl_int status = is_made ? real_clFinish(o) : CL_SUCCESS;
    return fails ? shim_code() : status;
}
STATUS(clWaitForEvents, (cl_uint n, const cl_event *list), (n, list))
STATUS(clSetUserEventStatus, (cl_event o, cl_int status), (o, status))
STATUS(clSetEventCallback,
       (cl_event o, cl_int type, void (CL_CALLBACK *done)(cl_event, cl_int, void *),
        void *user),
       (o, type, done, user))

ENQUEUE(clEnqueueNDRangeKernel,
        (cl_command_queue q, cl_kernel o, cl_uint d, const size_t *offset, const size_t *global,
         const size_t *local, WAIT),
        (q, o, d, offset, global, local, WAIT_ARGUMENTS))
ENQUEUE(clEnqueueReadBuffer,
        (cl_command_queue q, cl_mem o, cl_bool block, size_t offset, size_t size, void *p,
         WAIT),
        (q, o, block, offset, size, p, WAIT_ARGUMENTS))
ENQUEUE_WRITE(clEnqueueWriteBuffer, size,
              (cl_command_queue q, cl_mem o, cl_bool block, size_t offset, size_t size,
               const void *p, WAIT),
              (q, o, block, offset, size, p, WAIT_ARGUMENTS))
ENQUEUE_WRITE(clEnqueueWriteBufferRect, region[0] * region[1] * region[2],
              (cl_command_queue q, cl_mem o, cl_bool block, const size_t *at,
               const size_t *offset, const size_t *region, size_t row, size_t slice,
               size_t p_row, size_t p_slice, const void *p, WAIT),
              (q, o, block, at, offset, region, row, slice, p_row, p_slice, p, WAIT_ARGUMENTS))
ENQUEUE(clEnqueueCopyBuffer,
        (cl_command_queue q, cl_mem from, cl_mem to, size_t at, size_t offset, size_t size,
         WAIT),
        (q, from, to, at, offset, size, WAIT_ARGUMENTS))
ENQUEUE(clEnqueueSVMMemcpy,
        (cl_command_queue q, cl_bool block, void *to, const void *from, size_t size, WAIT),
        (q, block, to, from, size, WAIT_ARGUMENTS))
ENQUEUE(clEnqueueFillBuffer,
        (cl_command_queue q, cl_mem o, const void *pattern, size_t bytes, size_t offset,
         size_t size, WAIT),
        (q, o, pattern, bytes, offset, size, WAIT_ARGUMENTS))
ENQUEUE(clEnqueueMarkerWithWaitList, (cl_command_queue q, WAIT), (q, WAIT_ARGUMENTS))
ENQUEUE(clEnqueueBarrierWithWaitList, (cl_command_queue q, WAIT), (q, WAIT_ARGUMENTS))

// A mapping is no object: the buffer's release ends it.
REAL(void *, clEnqueueMapBuffer,
     (cl_command_queue q, cl_mem o, cl_bool block, cl_map_flags flags, size_t offset,
      size_t size, WAIT, cl_int *error))
void *clEnqueueMapBuffer(cl_command_queue q, cl_mem o, cl_bool block, cl_map_flags flags,
                         size_t offset, size_t size, WAIT, cl_int *error)
{
    if (shim_count_call(number_clEnqueueMapBuffer)) {
        if (error)
            *error = shim_code();
        return NULL;
    }
    void *p = real_clEnqueueMapBuffer(q, o, block, flags, offset, size, WAIT_ARGUMENTS, error);
    if (p && event)
        shim_count_objects(1);
    return p;
}
ENQUEUE(clEnqueueUnmapMemObject, (cl_command_queue q, cl_mem o, void *p, WAIT),
        (q, o, p, WAIT_ARGUMENTS))

CREATE(cl_context, clCreateContext,
       (const cl_context_properties *properties, cl_uint n, const cl_device_id *d,
        void (CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
        cl_int *error),
       (properties, n, d, notify, user, error))
CREATE(cl_command_queue, clCreateCommandQueue,
       (cl_context o, cl_device_id d, cl_command_queue_properties properties, cl_int *error),
       (o, d, properties, error))
CREATE_BYTES(cl_mem, clCreateBuffer, flags & CL_MEM_USE_HOST_PTR ? 0 : size,
             (cl_context o, cl_mem_flags flags, size_t size, void *p, cl_int *error),
             (o, flags, size, p, error))
CREATE(cl_mem, clCreateSubBuffer,
       (cl_mem o, cl_mem_flags flags, cl_uint type, const void *region, cl_int *error),
       (o, flags, type, region, error))
// NVIDIA's, which only clGetExtensionFunctionAddressForPlatform knows.
CREATE_BYTES(cl_mem, clCreateBufferNV, size,
             (cl_context o, cl_mem_flags flags, cl_bitfield flags_nv, size_t size, void *p,
              cl_int *error),
             (o, flags, flags_nv, size, p, error))

REAL(void *, clGetExtensionFunctionAddressForPlatform, (cl_platform_id o, const char *name))
void *clGetExtensionFunctionAddressForPlatform(cl_platform_id o, const char *name)
{
    if (shim_count_call(number_clGetExtensionFunctionAddressForPlatform))
        return NULL;
    void *found = real_clGetExtensionFunctionAddressForPlatform(o, name);
    if (!found || strcmp(name, "clCreateBufferNV") != 0)
        return found;
    cl_mem (*ours)(cl_context, cl_mem_flags, cl_bitfield, size_t, void *, cl_int *) =
        clCreateBufferNV;
    memcpy(&real_clCreateBufferNV, &found, sizeof found);
    memcpy(&found, &ours, sizeof found);
    return found;
}

CREATE(cl_program, clCreateProgramWithSource,
       (cl_context o, cl_uint n, const char **text, const size_t *sizes, cl_int *error),
       (o, n, text, sizes, error))
CREATE(cl_kernel, clCreateKernel, (cl_program o, const char *name, cl_int *error),
       (o, name, error))
CREATE(cl_event, clCreateUserEvent, (cl_context o, cl_int *error), (o, error))

// As counted when it was made.
static long bytes_of(cl_mem object)
{
    cl_mem_flags flags = 0;
    cl_mem parent = NULL;
    size_t bytes = 0;
    if (real_clGetMemObjectInfo(object, CL_MEM_FLAGS, sizeof flags, &flags, NULL) ||
        real_clGetMemObjectInfo(object, CL_MEM_SIZE, sizeof bytes, &bytes, NULL) ||
        real_clGetMemObjectInfo(object, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent,
                                NULL) ||
        parent || flags & CL_MEM_USE_HOST_PTR)
        return 0;
    return (long)bytes;
}

RETAIN(cl_context, clRetainContext)
RETAIN(cl_command_queue, clRetainCommandQueue)
RETAIN(cl_mem, clRetainMemObject)
RETAIN(cl_program, clRetainProgram)
RETAIN(cl_kernel, clRetainKernel)
RETAIN(cl_event, clRetainEvent)
RETAIN(cl_device_id, clRetainDevice)
RELEASE(cl_context, clReleaseContext)
RELEASE(cl_command_queue, clReleaseCommandQueue)

// Nothing here retains buffers: each release is the last.
REAL(cl_int, clReleaseMemObject, (cl_mem object))
cl_int clReleaseMemObject(cl_mem object)
{
    const long bytes = bytes_of(object);
    const cl_int status = real_clReleaseMemObject(object);
    if (status == CL_SUCCESS) {
        shim_count_objects(-1);
        shim_count_bytes(-bytes);
    }
    return shim_release_status(status);
}
RELEASE(cl_program, clReleaseProgram)
RELEASE(cl_kernel, clReleaseKernel)
RELEASE(cl_event, clReleaseEvent)
RELEASE(cl_device_id, clReleaseDevice)
