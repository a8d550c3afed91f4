/* SPDX-License-Identifier: Apache-2.0
 *
 * gpuprim in a program with its own OpenCL context, queue, buffers and events: the maximum of a
 * buffer. The reduction waits for the upload and the download waits for the reduction, both on
 * the device; the host waits only once, at the end. */
#include <gpuprim/gpuprim_cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1 << 20 };

static void must(cl_int code, const char *what)
{
    if (code != CL_SUCCESS) {
        fprintf(stderr, "interop: %s: %s\n", what, gpuprim_strerror(code));
        exit(1);
    }
}

// The program chooses the device itself: here the first one.
static cl_device_id first_device(void)
{
    cl_platform_id platforms[16];
    cl_uint n = 0;
    if (clGetPlatformIDs(16, platforms, &n) != CL_SUCCESS)
        n = 0;
    for (cl_uint i = 0; i < n && i < 16; i++) {
        cl_device_id device;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS)
            return device;
    }
    fprintf(stderr, "interop: no OpenCL device\n");
    exit(77);
}

int main(void)
{
    cl_int code;
    const cl_device_id device = first_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    must(code, "context");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    must(code, "queue");
    cl_mem x = clCreateBuffer(context, CL_MEM_READ_ONLY, COUNT * sizeof(float), NULL, &code);
    must(code, "input");
    cl_mem y = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(float), NULL, &code);
    must(code, "output");

    gpuprim *gp;
    must(gpuprim_create_cl(context, device, NULL, &gp), "gpuprim_create_cl");

    const struct gpuprim_array in = gpuprim_buffer(GPUPRIM_F32, x, 0, COUNT);
    const struct gpuprim_array out = gpuprim_buffer(GPUPRIM_F32, y, 0, 1);
    const struct gpuprim_reduce_params params = { .op = GPUPRIM_MAX };
    // This compiles the kernels, so the call below only enqueues.
    must(gpuprim_reduce_prepare(gp, &in, &out, &params), "gpuprim_reduce_prepare");

    float *samples = malloc(COUNT * sizeof *samples);
    for (int i = 0; samples && i < COUNT; i++)
        samples[i] = (float)((i * 7919LL) % COUNT);
    cl_event uploaded, reduced;
    float largest = 0;
    must(clEnqueueWriteBuffer(queue, x, CL_FALSE, 0, COUNT * sizeof *samples, samples, 0, NULL,
                              &uploaded),
         "upload");
    const struct gpuprim_sync sync = {
        .queue = queue, .n_wait = 1, .wait = &uploaded, .done = &reduced
    };
    must(gpuprim_reduce(gp, &in, &out, &params, &sync), "gpuprim_reduce");
    must(clEnqueueReadBuffer(queue, y, CL_TRUE, 0, sizeof largest, &largest, 1, &reduced, NULL),
         "download");
    printf("the largest of %d samples is %g\n", COUNT, largest);

    clReleaseEvent(uploaded);
    clReleaseEvent(reduced);
    free(samples);
    gpuprim_destroy(&gp);
    clReleaseMemObject(x);
    clReleaseMemObject(y);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return largest == COUNT - 1 ? 0 : 1;
}
