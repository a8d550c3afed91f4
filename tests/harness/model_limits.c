/* SPDX-License-Identifier: Apache-2.0
 *
 * Device models (model.h): what the device refuses, because the model has no room for it, and
 * programs that do not compile there. model.c answers queries. */
#include "model_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cl_mem model_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *p,
                            cl_int *error)
{
    if (model_now.allocation && size > model_now.allocation) {
        if (error)
            *error = model_refuse(CL_INVALID_BUFFER_SIZE);
        return NULL;
    }
    return driver_clCreateBuffer(context, flags, size, p, error);
}

cl_int model_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                                    cl_uint dimensions, const size_t *offset,
                                    const size_t *global, const size_t *local, cl_uint n,
                                    const cl_event *list, cl_event *event)
{
    cl_device_id device;
    cl_ulong bytes = 0; // with those of arguments in local memory
    const size_t most[] = { model_now.work_group, model_now.items, model_now.kernel_group };
    for (int i = 0; i < 3; i++)
        if (most[i] && local && local[0] > most[i])
            return model_refuse(CL_INVALID_WORK_GROUP_SIZE);
    if (model_now.local_is_less &&
        (driver_clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL) ||
         driver_clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes,
                                         &bytes, NULL) ||
         bytes > model_now.local_bytes))
        return model_refuse(CL_OUT_OF_RESOURCES);
    return driver_clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, n,
                                         list, event);
}

cl_int model_clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    if (!value && model_now.local_is_less && size > model_now.local_bytes)
        return model_refuse(CL_INVALID_ARG_SIZE);
    return driver_clSetKernelArg(kernel, index, size, value);
}

// Takes types away from programs that the model lacks, and plants an error in those that shall
// not compile.
cl_program model_clCreateProgramWithSource(cl_context context, cl_uint n, const char **text,
                                           const size_t *sizes, cl_int *error)
{
    static const char no_doubles[] =
        "#undef cl_khr_fp64\n#define double no_double\n#define double2 no_double\n"
        "#define double3 no_double\n#define double4 no_double\n#define double8 no_double\n"
        "#define double16 no_double\n";
    static const char wrong[] = "\nthis does not compile\n";
    // On the stack, because the tests of faults count this program's calls of malloc.
    enum { MOST = 256 };
    const char *all[MOST + 2];
    size_t all_sizes[MOST + 2], k = 0;
    if (n > MOST) {
        printf("Bail out! a program of %u texts; the model takes %d\n", n, MOST);
        exit(1);
    }
    if (model_now.is_plain || model_now.no_doubles) {
        all[k] = no_doubles;
        all_sizes[k++] = strlen(no_doubles);
    }
    bool is_broken = false;
    for (cl_uint i = 0; i < n; i++) {
        const size_t size = sizes && sizes[i] ? sizes[i] : strlen(text[i]);
        const size_t length = model_now.broken ? strlen(model_now.broken) : 0;
        for (size_t at = 0; length && size < 64 && at + length < size; at++) // of a #line
            is_broken |= memcmp(text[i] + at, model_now.broken, length) == 0;
        all[k] = text[i];
        all_sizes[k++] = size;
    }
    if (is_broken) {
        all[k] = wrong;
        all_sizes[k++] = strlen(wrong);
    }
    return driver_clCreateProgramWithSource(context, (cl_uint)k, all, all_sizes, error);
}
