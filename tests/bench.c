/* SPDX-License-Identifier: Apache-2.0
 *
 * `check --bench`: ceilings of the device first, then rows. Medians after one warm-up; the
 * spread is that between the quartiles, relative to the median. */
#include "bench.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "primitives.h"

enum { MAX_SAMPLES = 101 };
static const double BUDGET_S = 0.4; // of device and host time per row, after the first samples

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct samples {
    double value[MAX_SAMPLES];
    unsigned n;
};

static double median(struct samples *s, double *spread)
{
    qsort(s->value, s->n, sizeof *s->value, by_value);
    const double middle = s->value[s->n / 2];
    if (spread)
        *spread = (s->value[s->n * 3 / 4] - s->value[s->n / 4]) / middle;
    return middle;
}

// Seconds from the first traced kernel's start to the last one's end; the trace is emptied.
static double traced_seconds(struct gp_trace *trace)
{
    cl_ulong first = 0, last = 0;
    if (trace->n) {
        clGetEventProfilingInfo(trace->events[0], CL_PROFILING_COMMAND_START, sizeof first,
                                &first, NULL);
        clGetEventProfilingInfo(trace->events[trace->n - 1], CL_PROFILING_COMMAND_END,
                                sizeof last, &last, NULL);
    }
    for (unsigned i = 0; i < trace->n; i++)
        clReleaseEvent(trace->events[i]);
    trace->n = 0;
    return 1e-9 * (double)(last - first);
}

static int measure(struct bench *b, const struct bench_row *row, struct samples *device,
                   struct samples *wall)
{
    struct gp_trace trace = { .n = 0 };
    const struct gpuprim_sync sync = { .queue = b->queue };
    const double start = now();
    int status = GPUPRIM_OK;
    for (int i = -1; !status && i < MAX_SAMPLES && (i < 5 || now() - start < BUDGET_S); i++) {
        b->gp->trace = &trace;
        status = row->call(b, row->what, &sync);
        b->gp->trace = NULL;
        if (clFinish(b->queue) && !status)
            status = CL_OUT_OF_RESOURCES;
        const double seconds = traced_seconds(&trace);
        const double begin = now();
        if (!status && row->to_host)
            status = row->call(b, row->what, NULL);
        if (i < 0)
            continue;
        device->value[device->n++] = seconds;
        wall->value[wall->n++] = now() - begin;
    }
    return status;
}

void bench_row(struct bench *b, const struct bench_row *row)
{
    char name[128];
    snprintf(name, sizeof name, "%s/%s/%s/%llu", row->primitive, row->name, row->type,
             (unsigned long long)row->n);
    if (b->filter && fnmatch(b->filter, name, 0) != 0)
        return;
    struct samples device = { .n = 0 }, wall = { .n = 0 };
    const int status = measure(b, row, &device, &wall);
    const bool verified = !status && row->verify(b, row->what);
    if (!verified)
        b->failed++;
    if (status) {
        printf("%-44s failed: %s\n", name, gpuprim_last_error());
        return;
    }
    double spread;
    const double seconds = median(&device, &spread);
    const double wall_us = row->to_host ? 1e6 * median(&wall, NULL) : 0;
    const double gbps = 1e-9 * row->bytes / seconds;
    printf("%-44s %11.2f us  %8.1f GB/s  %5.1f %% of read  +-%4.1f %%", name, 1e6 * seconds,
           gbps, 100 * gbps / b->read_gbps, 50 * spread);
    if (row->to_host)
        printf("  %8.2f us to the host", wall_us);
    printf("%s\n", verified ? "" : "  WRONG");
    fflush(stdout);
    if (b->json)
        fprintf(
            b->json,
            "%s\n  {\"primitive\": \"%s\", \"name\": \"%s\", \"type\": \"%s\", \"n\": %llu, "
            "\"bytes\": %.0f, \"device_us\": %.3f, \"wall_us\": %.3f, \"spread\": %.4f, "
            "\"rate\": %.2f, \"unit\": "
            "\"GB/s\", \"share\": %.4f, \"verified\": %s}",
            b->rows ? "," : "", row->primitive, row->name, row->type,
            (unsigned long long)row->n, row->bytes, 1e6 * seconds, wall_us, spread, gbps,
            gbps / b->read_gbps, verified ? "true" : "false");
    b->rows++;
}

// ---------------------------------------------------------------------------------------
// Ceilings

// A fill of random floats in [1, 2), and a sweep that only reads.
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
    "}\n";

static double event_seconds(cl_event event)
{
    cl_ulong start = 0, end = 0;
    clWaitForEvents(1, &event);
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    clReleaseEvent(event);
    return 1e-9 * (double)(end - start);
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
        for (int i = 0; i < 4; i++) {
            cl_event event;
            const size_t local = WIDTH, global = (size_t)b->gp->caps.compute_units * k * WIDTH;
            if (clEnqueueNDRangeKernel(b->queue, sweep, 1, NULL, &global, &local, 0, NULL,
                                       &event))
                continue;
            const double seconds = event_seconds(event);
            if (seconds < best)
                best = seconds;
        }
    return 1e-9 * (double)b->bytes / best;
}

// On CPU devices the limit is what plain C reads with a thread per compute unit.
typedef uint64_t vector __attribute__((vector_size(64)));

struct share {
    const vector *from;
    size_t n;
    vector sum;
};

static void *read_share(void *what)
{
    struct share *share = what;
    vector a[8] = { { 0 } };
    for (size_t i = 0; i + 8 <= share->n; i += 8)
        for (size_t k = 0; k < 8; k++)
            a[k] ^= share->from[i + k];
    for (size_t k = 0; k < 8; k++)
        share->sum ^= a[k];
    return NULL;
}

static double best_native_read(struct bench *b)
{
    enum { MAX_THREADS = 256 };
    static struct share shares[MAX_THREADS]; // kept: the sums must not be optimised away
    pthread_t threads[MAX_THREADS];
    const unsigned units = b->gp->caps.compute_units;
    const unsigned n = units < MAX_THREADS ? units : MAX_THREADS;
    const size_t vectors = b->bytes / sizeof(vector);
    const vector *x = clEnqueueMapBuffer(b->queue, b->memory, CL_TRUE, CL_MAP_READ, 0, b->bytes,
                                         0, NULL, NULL, NULL);
    double best = 1e9;
    for (int i = 0; x && i < 8; i++) {
        const double start = now();
        for (unsigned k = 0; k < n; k++) {
            shares[k].from = x + vectors / n * k;
            shares[k].n = vectors / n;
            if (pthread_create(&threads[k], NULL, read_share, &shares[k]))
                return 0;
        }
        for (unsigned k = 0; k < n; k++)
            pthread_join(threads[k], NULL);
        if (now() - start < best)
            best = now() - start;
    }
    if (x)
        clEnqueueUnmapMemObject(b->queue, b->memory, (void *)(uintptr_t)x, 0, NULL, NULL);
    return 1e-9 * (double)b->bytes / best;
}

static double best_copy(struct bench *b)
{
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
    return 1e-9 * 2 * (double)half / best;
}

static bool prepare(struct bench *b)
{
    cl_int error = CL_SUCCESS;
    const char *text = kernels;
    const gpuprim *gp = b->gp;
    b->bytes = gp->caps.is_cpu ? (size_t)256 << 20 : (size_t)4 << 30;
    while (b->bytes > gp->caps.max_alloc_bytes || b->bytes > gp->caps.global_bytes / 2)
        b->bytes /= 2;
    b->queue = clCreateCommandQueue(gp->context, gp->device, CL_QUEUE_PROFILING_ENABLE, &error);
    if (!error)
        b->memory = clCreateBuffer(gp->context, CL_MEM_READ_WRITE, b->bytes, NULL, &error);
    if (!error)
        b->result = clCreateBuffer(gp->context, CL_MEM_READ_WRITE, b->bytes / 8, NULL, &error);
    cl_program program =
        error ? NULL : clCreateProgramWithSource(gp->context, 1, &text, NULL, &error);
    if (error || clBuildProgram(program, 1, &gp->device, "-cl-std=CL1.2", NULL, NULL))
        return false;
    cl_kernel fill = clCreateKernel(program, "fill", NULL);
    cl_kernel sweep = clCreateKernel(program, "sweep", NULL);
    const size_t n = b->bytes / 4;
    clSetKernelArg(fill, 0, sizeof b->memory, &b->memory);
    clEnqueueNDRangeKernel(b->queue, fill, 1, NULL, &n, NULL, 0, NULL, NULL);
    b->read_gbps = gp->caps.is_cpu ? best_native_read(b) : best_sweep(b, sweep);
    b->copy_gbps = best_copy(b);
    clReleaseKernel(fill);
    clReleaseKernel(sweep);
    clReleaseProgram(program);
    return true;
}

#define DECLARE(name) extern void bench_##name(struct bench *bench);
#define RUN(name)     bench_##name(&b);
GP_PRIMITIVES(DECLARE)

int bench_main(const char *filter, const char *json_file)
{
    struct bench b = { .filter = filter };
    if (gpuprim_create(NULL, &b.gp)) {
        printf("no OpenCL device: %s\n", gpuprim_last_error());
        return 77;
    }
    if (json_file && !(b.json = fopen(json_file, "w"))) {
        perror(json_file);
        return 2;
    }
    if (!prepare(&b)) {
        printf("the ceilings cannot be measured on this device\n");
        return 1;
    }
    char date[32];
    const time_t today = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&today));
    printf("%s, driver %s, %s\ncopy %.1f GB/s, read %.1f GB/s over %zu MiB\n",
           b.gp->caps.device, b.gp->caps.driver, date, b.copy_gbps, b.read_gbps, b.bytes >> 20);
    if (b.json)
        fprintf(
            b.json,
            "{\"device\": \"%s\", \"driver\": \"%s\", \"date\": \"%s\", \"commit\": \"%s\", "
            "\"copy_gbps\": %.2f, \"read_gbps\": %.2f, \"rows\": [",
            b.gp->caps.device, b.gp->caps.driver, date,
            getenv("GPUPRIM_COMMIT") ? getenv("GPUPRIM_COMMIT") : "", b.copy_gbps, b.read_gbps);
    GP_PRIMITIVES(RUN)
    if (b.json) {
        fputs("\n]}\n", b.json);
        fclose(b.json);
    }
    clReleaseMemObject(b.memory);
    clReleaseMemObject(b.result);
    clReleaseCommandQueue(b.queue);
    gpuprim_destroy(&b.gp);
    return b.failed ? 1 : 0;
}
