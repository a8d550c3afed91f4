/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenCL for the rows of the lab: programs, buffers, launches, times.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lab.h"

extern const struct gp_source lab_sources[]; // made by kernels/embed.py
extern const unsigned lab_n_sources;

void lab_say(struct lab_result *result, const char *format, ...)
{
    const size_t used = strlen(result->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->text + used, sizeof result->text - used, format, arguments);
    va_end(arguments);
}

void lab_fail(struct lab *lab, const char *format, ...)
{
    if (lab->failed)
        return;
    lab->failed = true;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(lab->why, sizeof lab->why, format, arguments);
    va_end(arguments);
}

bool lab_good(struct lab *lab, int error, const char *call)
{
    if (error)
        lab_fail(lab, "%s: %s", call, gpuprim_strerror(error));
    return !lab->failed;
}

void lab_release(struct lab *lab)
{
    while (lab->n_kernels)
        clReleaseKernel(lab->kernels[--lab->n_kernels]);
    while (lab->n_programs)
        clReleaseProgram(lab->programs[--lab->n_programs]);
    while (lab->n_buffers)
        clReleaseMemObject(lab->buffers[--lab->n_buffers]);
}

// ---------------------------------------------------------------------------------------
// Programs and kernels

static const struct gp_source *source_find(const char *file)
{
    for (unsigned i = 0; i < lab_n_sources; i++)
        if (strcmp(lab_sources[i].name, file) == 0)
            return &lab_sources[i];
    return NULL;
}

char *lab_build_log(const struct lab *lab, cl_program program)
{
    cl_device_id device = lab->gp->device;
    size_t size = 0;
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *log = size ? calloc(size + 1, 1) : NULL;
    if (log)
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    return log;
}

static void build(struct lab *lab, cl_program program, const char *file, const char *options)
{
    char words[256];
    snprintf(words, sizeof words, "%s%s", options ? options : "-cl-std=CL1.2",
             lab->gp->caps.is_nvidia ? " -cl-nv-verbose" : "");
    const cl_int error = clBuildProgram(program, 1, &lab->gp->device, words, NULL, NULL);
    if (!error)
        return;
    char *log = lab_build_log(lab, program);
    lab_fail(lab, "building %s: %s %s", file, gpuprim_strerror(error), log ? log : "");
    free(log);
}

cl_program lab_program(struct lab *lab, const char *file, const char *options,
                       const char *format, ...)
{
    char preamble[256], line[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(preamble, sizeof preamble, format, arguments);
    va_end(arguments);
    snprintf(line, sizeof line, "\n#line 1 \"%s\"\n", file);
    const struct gp_source *source = source_find(file);
    if (!source || lab->n_programs == LAB_PROGRAMS)
        lab_fail(lab, "%s: %s", file, source ? "too many programs" : "no such file");
    if (lab->failed)
        return NULL;

    const char *const text[] = { preamble, line, (const char *)source->text };
    const size_t sizes[] = { strlen(preamble), strlen(line), source->size };
    cl_int error;
    cl_program program =
        clCreateProgramWithSource(lab->gp->context, 3, (const char **)text, sizes, &error);
    if (!lab_good(lab, error, "clCreateProgramWithSource"))
        return NULL;
    lab->programs[lab->n_programs++] = program;
    build(lab, program, file, options);
    return program;
}

cl_kernel lab_kernel(struct lab *lab, cl_program program, const char *name)
{
    if (lab->n_kernels == LAB_KERNELS)
        lab_fail(lab, "too many kernels");
    if (lab->failed)
        return NULL;
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    if (!lab_good(lab, error, name))
        return NULL;
    lab->kernels[lab->n_kernels++] = kernel;
    return kernel;
}

void lab_set(struct lab *lab, cl_kernel kernel, cl_uint first,
             const struct lab_argument *arguments)
{
    for (cl_uint i = 0; arguments[i].size && !lab->failed; i++)
        lab_good(lab, clSetKernelArg(kernel, first + i, arguments[i].size, arguments[i].value),
                 "clSetKernelArg");
}

// ---------------------------------------------------------------------------------------
// Memory

cl_mem lab_buffer(struct lab *lab, uint64_t bytes)
{
    if (lab->n_buffers == LAB_BUFFERS)
        lab_fail(lab, "too many buffers");
    if (lab->failed)
        return NULL;
    cl_int error;
    cl_mem buffer =
        clCreateBuffer(lab->gp->context, CL_MEM_READ_WRITE, (size_t)bytes, NULL, &error);
    if (!lab_good(lab, error, "clCreateBuffer"))
        return NULL;
    lab->buffers[lab->n_buffers++] = buffer;
    return buffer;
}

void lab_fill(struct lab *lab, cl_mem buffer, uint64_t bytes, cl_uint word)
{
    if (!lab->failed)
        lab_good(lab,
                 clEnqueueFillBuffer(lab->queue, buffer, &word, sizeof word, 0, (size_t)bytes,
                                     0, NULL, NULL),
                 "clEnqueueFillBuffer");
}

void lab_write(struct lab *lab, cl_mem buffer, const void *data, size_t bytes)
{
    if (!lab->failed)
        lab_good(
            lab,
            clEnqueueWriteBuffer(lab->queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL),
            "clEnqueueWriteBuffer");
}

void lab_read(struct lab *lab, cl_mem buffer, void *data, size_t bytes)
{
    if (!lab->failed)
        lab_good(
            lab,
            clEnqueueReadBuffer(lab->queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL),
            "clEnqueueReadBuffer");
}

bool lab_same(struct lab *lab, cl_mem a, cl_mem b, uint64_t bytes)
{
    bool same = false;
    void *x = lab->failed ? NULL : malloc((size_t)bytes);
    void *y = lab->failed ? NULL : malloc((size_t)bytes);
    if (!x || !y)
        lab_fail(lab, "out of memory");
    lab_read(lab, a, x, (size_t)bytes);
    lab_read(lab, b, y, (size_t)bytes);
    if (!lab->failed)
        same = memcmp(x, y, (size_t)bytes) == 0;
    free(x);
    free(y);
    return same;
}

// ---------------------------------------------------------------------------------------
// Launches

static double event_seconds(struct lab *lab, cl_event first, cl_event last)
{
    cl_ulong start = 0, end = 0;
    cl_int error =
        clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    if (!error)
        error = clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    lab_good(lab, error, "clGetEventProfilingInfo");
    return 1e-9 * (double)(end - start);
}

// A call of the library, from the start of its first launch to the end of its last one.
static double call_seconds(struct lab *lab, const struct lab_launch *launch)
{
    struct gp_trace trace = { .n = 0 };
    const struct gpuprim_sync sync = { .queue = lab->queue };
    double seconds = 0;
    lab->gp->trace = &trace;
    const int status = launch->call(lab, launch->what, &sync);
    lab->gp->trace = NULL;
    if (status)
        lab_fail(lab, "gpuprim: %s", gpuprim_last_error());
    lab_good(lab, clFinish(lab->queue), "clFinish");
    if (!lab->failed && trace.n)
        seconds = event_seconds(lab, trace.events[0], trace.events[trace.n - 1]);
    for (unsigned i = 0; i < trace.n; i++)
        clReleaseEvent(trace.events[i]);
    return seconds;
}

static double launch_seconds(struct lab *lab, const struct lab_launch *launch)
{
    const size_t items = (size_t)launch->items;
    cl_event event;
    double seconds = 0;
    if (launch->zeroed)
        lab_fill(lab, launch->zeroed, sizeof(cl_uint), 0);
    if (lab->failed)
        return 0;
    if (launch->call)
        return call_seconds(lab, launch);
    if (!lab_good(lab,
                  clEnqueueNDRangeKernel(lab->queue, launch->kernel, 1, NULL, &items,
                                         &launch->group, 0, NULL, &event),
                  "clEnqueueNDRangeKernel"))
        return 0;
    if (lab_good(lab, clFinish(lab->queue), "clFinish"))
        seconds = event_seconds(lab, event, event);
    clReleaseEvent(event);
    return seconds;
}

double lab_once(struct lab *lab, const struct lab_launch *launch)
{
    return launch_seconds(lab, launch);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void lab_time(struct lab *lab, struct lab_launch *launches, unsigned n)
{
    enum { ROUNDS = 9, LAUNCHES = 12 };
    static const double BUDGET_S = 0.5, LONG_S = 1; // for more than 3 rounds, and than 2
    double seconds[LAUNCHES][ROUNDS] = { { 0 } };
    const double start = tool_seconds();
    int rounds = 0;
    while (!lab->failed && rounds < (lab->quick ? 1 : ROUNDS)) {
        for (unsigned i = 0; i < n; i++)
            seconds[i][rounds] = launch_seconds(lab, &launches[i]);
        rounds++;
        const double spent = tool_seconds() - start;
        if ((rounds >= 2 && spent > LONG_S) || (rounds >= 3 && spent > BUDGET_S))
            break;
    }
    for (unsigned i = 0; i < n && rounds; i++) {
        qsort(seconds[i], (size_t)rounds, sizeof(double), by_value);
        const double low = seconds[i][rounds / 4], high = seconds[i][rounds - 1 - rounds / 4];
        launches[i].seconds = seconds[i][(rounds - 1) / 2];
        launches[i].spread = launches[i].seconds > 0 ? (high - low) / launches[i].seconds : 0;
    }
}
