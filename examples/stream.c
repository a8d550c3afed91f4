/* SPDX-License-Identifier: Apache-2.0
 *
 * A moving average of a live signal in the program's own OpenCL queue: each block is uploaded,
 * filtered and downloaded, and the host waits once, at the end. The last samples of a block stay
 * on the device for the next one. The result has the bits of one call over the whole signal. */
#include <gpuprim/gpuprim_cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 100000, BLOCK = 4096, TAPS = 64, PAST = TAPS - 1 };

static void must(int code, const char *what)
{
    if (code != GPUPRIM_OK) {
        fprintf(stderr, "stream: %s: %s\n", what, gpuprim_strerror(code));
        exit(code == GPUPRIM_E_NO_DEVICE ? 77 : 1);
    }
}

static cl_mem buffer(cl_context context, size_t count)
{
    cl_int code;
    cl_mem made =
        clCreateBuffer(context, CL_MEM_READ_WRITE, count * sizeof(float), NULL, &code);
    must(code, "clCreateBuffer");
    return made;
}

static void filter_blocks(gpuprim *gp, const gpuprim_filter *filter, cl_command_queue queue,
                          const float *signal, float *result)
{
    cl_context context = gpuprim_cl_context(gp);
    cl_mem x = buffer(context, BLOCK), y = buffer(context, BLOCK), past = buffer(context, PAST);
    const struct gpuprim_array last = gpuprim_buffer(GPUPRIM_F32, past, 0, PAST);
    const struct gpuprim_history history = { .before = last, .after = last };
    const struct gpuprim_sync sync = { .queue = queue }; // in-order: no events are needed
    const float silence = 0;
    must(clEnqueueFillBuffer(queue, past, &silence, sizeof silence, 0, PAST * sizeof(float), 0,
                             NULL, NULL),
         "clEnqueueFillBuffer");
    for (size_t at = 0; at < COUNT; at += BLOCK) {
        const size_t n = COUNT - at < BLOCK ? COUNT - at : BLOCK, bytes = n * sizeof(float);
        const struct gpuprim_array in = gpuprim_buffer(GPUPRIM_F32, x, 0, n);
        const struct gpuprim_array out = gpuprim_buffer(GPUPRIM_F32, y, 0, n);
        must(clEnqueueWriteBuffer(queue, x, CL_FALSE, 0, bytes, signal + at, 0, NULL, NULL),
             "clEnqueueWriteBuffer");
        must(gpuprim_convolve1d(gp, filter, &in, &out, &history, &sync), "gpuprim_convolve1d");
        must(clEnqueueReadBuffer(queue, y, CL_FALSE, 0, bytes, result + at, 0, NULL, NULL),
             "clEnqueueReadBuffer");
    }
    must(clFinish(queue), "clFinish");
    clReleaseMemObject(past);
    clReleaseMemObject(y);
    clReleaseMemObject(x);
}

int main(void)
{
    // Stands for a program that has its OpenCL objects already.
    struct gpuprim_device found;
    unsigned devices;
    must(gpuprim_devices(&found, 1, &devices), "gpuprim_devices");
    must(devices ? found.status : GPUPRIM_E_NO_DEVICE, "the first device");
    cl_int code;
    cl_device_id device = found.id;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    must(code, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    must(code, "clCreateCommandQueueWithProperties");

    static float signal[COUNT], blocks[COUNT], whole[COUNT], taps[TAPS], past[PAST];
    for (int i = 0; i < COUNT; i++)
        signal[i] = (float)(i * 7919LL % 1999) / 1000 - 1;
    for (int k = 0; k < TAPS; k++)
        taps[k] = 1.f / TAPS;
    const struct gpuprim_array tap_array = gpuprim_host(GPUPRIM_F32, taps, TAPS);
    const struct gpuprim_filter_params params = { .mode = GPUPRIM_CAUSAL,
                                                  .left = GPUPRIM_HISTORY };
    gpuprim *gp;
    gpuprim_filter *filter;
    must(gpuprim_create_cl(context, device, NULL, &gp), "gpuprim_create_cl");
    must(gpuprim_filter_create(gp, &tap_array, &params, &filter), "gpuprim_filter_create");
    filter_blocks(gp, filter, queue, signal, blocks);

    // The same in one call on host memory, and a few results by the definition.
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_F32, signal, COUNT);
    const struct gpuprim_array out = gpuprim_host(GPUPRIM_F32, whole, COUNT);
    const struct gpuprim_history history = { .before = gpuprim_host(GPUPRIM_F32, past, PAST) };
    must(gpuprim_convolve1d(gp, filter, &in, &out, &history, NULL), "gpuprim_convolve1d");
    int wrong = memcmp(blocks, whole, sizeof whole) != 0;
    for (int i = 0; i < COUNT; i += 997) {
        double mean = 0;
        for (int k = 0; k < TAPS && k <= i; k++)
            mean += (double)signal[i - k] / TAPS;
        wrong |= !(mean - (double)whole[i] < 1e-6 && mean - (double)whole[i] > -1e-6);
    }
    printf("%d samples in blocks of %d: %s\n", COUNT, BLOCK,
           wrong ? "OTHER results than one call" : "the same bits as one call");
    gpuprim_filter_destroy(&filter);
    gpuprim_destroy(&gp);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return wrong;
}
