/* SPDX-License-Identifier: Apache-2.0
 *
 * The most that the device can do, for the shares that `check --bench` reports (bench.h):
 * reading, copying, multiply-adds, and a launch that does nothing. */
#include "bench.h"

#include <math.h>

// A fill of random floats in [1, 2), a sweep that only reads, and arithmetic without memory.
static const char kernels[] =
    "kernel void fill(global uint *x) {\n"
    "    const size_t i = get_global_id(0);\n"
    "    uint h = (uint)i * 2654435761u;\n"
    "    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13; h *= 3266489917u; h ^= h >> 16;\n"
    "    x[i] = 0x3f800000u | ((h >> 9) & 0x007f3fffu);\n"
    "}\n"
    "kernel void sweep(global const uint4 *x, ulong n, uint width, global uint4 *y) {\n"
    "    const size_t g = get_group_id(0), groups = get_num_groups(0), l = get_local_id(0);\n"
    "    uint4 a = 0;\n"
    "    for (ulong i = g * 4 * width + l; i + 3 * width < n; i += groups * 4 * width)\n"
    "        a ^= (x[i] ^ x[i + width]) ^ (x[i + 2 * width] ^ x[i + 3 * width]);\n"
    "    if (a.x == 1 && a.y == 2 && a.z == 3 && a.w == 4) y[0] = a;\n" // keeps the loads alive
    "}\n"
    "kernel void copy(global const uint4 *x, global uint4 *y) {\n"
    "    const size_t i = get_group_id(0) * 4 * get_local_size(0) + get_local_id(0);\n"
    "    const size_t width = get_local_size(0);\n"
    "    const uint4 a = x[i], b = x[i + width], c = x[i + 2 * width], d = x[i + 3 * width];\n"
    "    y[i] = a; y[i + width] = b; y[i + 2 * width] = c; y[i + 3 * width] = d;\n"
    "}\n"
    "#ifdef F64\n"
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "#endif\n"
    "#define EACH(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9)\n"
    "#define SET(k) V a##k = (V)((float)get_global_id(0) * m + k);\n"
    "#ifdef WIDE\n" // 64 bits of a chain, of which the lower 32 are multiplied
    "#define STEP(k) a##k = WIDE(a##k) * (V)(int)(m * 1000) + (V)(int)(c * 1000);\n"
    "#else\n"
    "#define STEP(k) a##k = a##k * (V)m + (V)c;\n" // PoCL makes two instructions of mad()
    "#endif\n"
    "#define ADD(k) sum += a##k;\n"
    "kernel void multiply_add(float m, float c, uint n, global float *y) {\n"
    "    EACH(SET)\n"
    "    for (uint i = 0; i < n; i++) { EACH(STEP) EACH(STEP) EACH(STEP) EACH(STEP) }\n"
    "    V sum = 0;\n"
    "    EACH(ADD)\n"
    "    union { V v; S s; } u; u.v = sum;\n"
    "    if (u.s == 12345) y[0] = 1;\n"
    "}\n"
    "kernel void empty(global uint *y) { if (get_global_id(0) == 1) y[0] = 0; }\n";

static double event_seconds(cl_event event)
{
    cl_ulong start = 0, end = 0;
    clWaitForEvents(1, &event);
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    clReleaseEvent(event);
    return 1e-9 * (double)(end - start);
}

static void launch(struct bench *b, cl_kernel kernel, size_t global, size_t local, double *best)
{
    cl_event event;
    if (clEnqueueNDRangeKernel(b->queue, kernel, 1, NULL, &global, &local, 0, NULL, &event))
        return;
    const double seconds = event_seconds(event);
    if (seconds < *best)
        *best = seconds;
}

static double best_sweep(struct bench *b, cl_kernel sweep)
{
    enum { WIDTH = 256 };
    const cl_ulong words = b->bytes / 16;
    const cl_uint width = WIDTH;
    double best = 1e9;
    clSetKernelArg(sweep, 0, sizeof b->memory, &b->memory);
    clSetKernelArg(sweep, 1, sizeof words, &words);
    clSetKernelArg(sweep, 2, sizeof width, &width);
    clSetKernelArg(sweep, 3, sizeof b->result, &b->result);
    for (unsigned k = 4; k <= 64; k *= 2)
        for (int i = 0; i < 4; i++)
            launch(b, sweep, (size_t)b->gp->caps.compute_units * k * WIDTH, WIDTH, &best);
    return 1e-9 * (double)b->bytes / best;
}

// The driver's own, or a kernel's: which is faster differs from device to device. On CPUs a
// kernel of small groups is not.
static double best_copy(struct bench *b, cl_kernel copy)
{
    enum { WIDTH = 256 };
    double best = 1e9;
    const size_t half = b->bytes / 2;
    for (int i = 0; i < 6; i++) {
        cl_event event;
        if (clEnqueueCopyBuffer(b->queue, b->memory, b->memory, 0, half, half, 0, NULL, &event))
            continue;
        const double seconds = event_seconds(event);
        if (seconds < best)
            best = seconds;
    }
    const cl_buffer_region parts[2] = { { 0, half }, { half, half } };
    cl_mem ends[2] = { NULL, NULL };
    for (int i = 0; i < 2 && !b->gp->caps.is_cpu; i++) {
        ends[i] =
            clCreateSubBuffer(b->memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &parts[i], NULL);
        clSetKernelArg(copy, (cl_uint)i, sizeof ends[i], &ends[i]);
    }
    for (int i = 0; i < 6 && ends[0] && ends[1]; i++)
        launch(b, copy, half / 64, WIDTH, &best);
    for (int i = 0; i < 2; i++)
        if (ends[i])
            clReleaseMemObject(ends[i]);
    return 1e-9 * 2 * (double)half / best;
}

// GFLOP/s of vectors of so many numbers: ten chains side by side hide the latency of each.
static double best_multiply_add(struct bench *b, cl_kernel kernel, unsigned numbers)
{
    const bool cpu = b->gp->caps.is_cpu;
    const cl_float m = 0.999f, c = 0.001f;
    const cl_uint n = cpu ? 1 << 13 : 1 << 11;
    const size_t local = cpu ? 1 : 256;
    const size_t global = b->gp->caps.compute_units * local * (cpu ? 4 : 16);
    double best = 1e9;
    clSetKernelArg(kernel, 0, sizeof m, &m);
    clSetKernelArg(kernel, 1, sizeof c, &c);
    clSetKernelArg(kernel, 2, sizeof n, &n);
    clSetKernelArg(kernel, 3, sizeof b->result, &b->result);
    for (int i = 0; i < 20; i++)
        launch(b, kernel, global, local, &best);
    return 1e-9 * 2 * 10 * 4 * (double)n * (double)global * numbers / best;
}

double bench_empty_launch(struct bench *b)
{
    const size_t one = 1;
    const double start = bench_now();
    if (clEnqueueNDRangeKernel(b->gp->queue, b->empty, 1, NULL, &one, &one, 0, NULL, NULL) ||
        clFinish(b->gp->queue))
        return 0;
    return bench_now() - start;
}

void bench_set_bytes(struct bench *b)
{
    const struct gp_caps *caps = &b->gp->caps;
    b->bytes = caps->is_cpu ? (size_t)256 << 20 : (size_t)4 << 30;
    if (b->options.quick)
        b->bytes = (size_t)4 << 20;
    while (b->bytes > caps->max_alloc_bytes || b->bytes > caps->global_bytes / 2)
        b->bytes /= 2;
}

static bool make_memory(struct bench *b)
{
    cl_int error = CL_SUCCESS;
    const gpuprim *gp = b->gp;
    bench_set_bytes(b);
    b->queue = clCreateCommandQueue(gp->context, gp->device, CL_QUEUE_PROFILING_ENABLE, &error);
    if (!error)
        b->memory = clCreateBuffer(gp->context, CL_MEM_READ_WRITE, b->bytes, NULL, &error);
    if (!error)
        b->result = clCreateBuffer(gp->context, CL_MEM_READ_WRITE, b->bytes / 8, NULL, &error);
    return !error;
}

static void measure_launches(struct bench *b)
{
    double device = 1e9, wall[25];
    for (int i = -1; i < 25; i++) {
        launch(b, b->empty, 1, 1, &device);
        const double seconds = bench_empty_launch(b);
        if (i >= 0)
            wall[i] = seconds;
    }
    b->empty_us = 1e6 * device;
    b->empty_wall_us = 1e6 * bench_median(wall, 25);
}

// The kernels, with multiply_add for a kind of numbers. NULL where they do not build.
enum { F32, F64, WIDE, ARITHMETICS };
static cl_program build(const gpuprim *gp, unsigned arithmetic)
{
    static const char *const all[ARITHMETICS][2] = {
        // of GPUs and of CPUs
        { "-cl-std=CL1.2 -DS=float -DV=float", "-cl-std=CL1.2 -DS=float -DV=float16" },
        { "-cl-std=CL1.2 -DF64 -DS=double -DV=double",
          "-cl-std=CL1.2 -DF64 -DS=double -DV=double8" },
        { "-cl-std=CL1.2 -DS=long -DV=long -DWIDE(a)=((long)(int)(a))",
          "-cl-std=CL1.2 -DS=long -DV=long8 -DWIDE(a)=convert_long8(convert_int8(a))" }
    };
    const char *text = kernels, *options = all[arithmetic][gp->caps.is_cpu];
    cl_program program = clCreateProgramWithSource(gp->context, 1, &text, NULL, NULL);
    if (program && clBuildProgram(program, 1, &gp->device, options, NULL, NULL)) {
        clReleaseProgram(program);
        program = NULL;
    }
    return program;
}

// 0 where the kernel does not build.
static double measure_64_bits(struct bench *b, unsigned arithmetic)
{
    cl_program program = build(b->gp, arithmetic);
    if (!program)
        return 0;
    cl_kernel multiply_add = clCreateKernel(program, "multiply_add", NULL);
    const double rate = best_multiply_add(b, multiply_add, b->gp->caps.is_cpu ? 8 : 1);
    clReleaseKernel(multiply_add);
    clReleaseProgram(program);
    return rate;
}

bool bench_prepare(struct bench *b)
{
    const gpuprim *gp = b->gp;
    if (!make_memory(b))
        return false;
    cl_program program = build(gp, F32);
    if (!program)
        return false;
    cl_kernel fill = clCreateKernel(program, "fill", NULL);
    cl_kernel sweep = clCreateKernel(program, "sweep", NULL);
    cl_kernel copy = clCreateKernel(program, "copy", NULL);
    cl_kernel multiply_add = clCreateKernel(program, "multiply_add", NULL);
    b->empty = clCreateKernel(program, "empty", NULL);
    const size_t n = b->bytes / 4;
    clSetKernelArg(fill, 0, sizeof b->memory, &b->memory);
    clSetKernelArg(b->empty, 0, sizeof b->result, &b->result);
    clEnqueueNDRangeKernel(b->queue, fill, 1, NULL, &n, NULL, 0, NULL, NULL);
    clFinish(b->queue);
    double native = 1e9;
    for (int i = 0; gp->caps.is_cpu && i < 8; i++)
        native = fmin(native, bench_native(b, NULL, b->bytes));
    b->read_gbps = gp->caps.is_cpu ? 1e-9 * (double)b->bytes / native : best_sweep(b, sweep);
    b->copy_gbps = best_copy(b, copy);
    b->fma_gflops = best_multiply_add(b, multiply_add, gp->caps.is_cpu ? 16 : 1);
    if (b->options.map) {
        b->fma64_gflops = gp->caps.has_fp64 ? measure_64_bits(b, F64) : 0;
        b->mad64_gflops = measure_64_bits(b, WIDE);
    }
    measure_launches(b);
    clReleaseKernel(fill);
    clReleaseKernel(sweep);
    clReleaseKernel(copy);
    clReleaseKernel(multiply_add);
    clReleaseProgram(program);
    return true;
}

void bench_release(struct bench *b)
{
    clReleaseKernel(b->empty);
    clReleaseMemObject(b->memory);
    clReleaseMemObject(b->result);
    clReleaseCommandQueue(b->queue);
}
