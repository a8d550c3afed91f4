/* SPDX-License-Identifier: Apache-2.0
 *
 * What the smallest call among many and one line of memory cost, for the bounds of the map (map.h). */
#include "map.h"

#include <math.h>

enum { QUEUED = 500, TIMES = 5 };
static const double WARM_UP_S = 0.03;

// Launches of a kernel, one behind the other.
struct launches {
    cl_kernel kernel;
    size_t items, local;
    unsigned calls; // of a batch
    // What a caller does before each, or NULL. `at` is for its use.
    void (*prepare)(struct map_memory *m, struct launches *l);
    size_t at;
};

// Seconds of a launch, the best of some batches.
static double seconds_of(struct map_memory *m, struct launches *l)
{
    double best = 1e9;
    const double begin = bench_now();
    for (int i = 0; i < TIMES || bench_now() - begin < WARM_UP_S; i++) {
        const double start = bench_now();
        for (unsigned k = 0; k < l->calls; k++) {
            if (l->prepare)
                l->prepare(m, l);
            clEnqueueNDRangeKernel(m->queue, l->kernel, 1, NULL, &l->items, &l->local, 0, NULL,
                                   NULL);
        }
        clFinish(m->queue);
        best = fmin(best, (bench_now() - start) / l->calls);
    }
    return best;
}

// Sets the arguments of the smallest copy: its arrays, of which the input lies a page further
// than that of the call before, as in the batches of map_time.c.
static void next_copy(struct map_memory *m, struct launches *l)
{
    enum { PAGE = 4096 };
    l->at = l->at + 2 * PAGE <= m->in.bytes ? l->at + PAGE : 0;
    const cl_ulong first = l->at / 4;
    clSetKernelArg(l->kernel, 0, sizeof m->in.memory, &m->in.memory);
    clSetKernelArg(l->kernel, 1, sizeof first, &first);
    clSetKernelArg(l->kernel, 2, sizeof m->out.memory, &m->out.memory);
}

// The smallest call that does something: the arguments are set, and each of a few items loads
// an element and stores it.
static double smallest_call(struct map_memory *m)
{
    enum { ITEMS = 32 };
    cl_int error;
    cl_kernel copy = clCreateKernel(m->program, "copy", &error);
    if (error)
        return m->empty_launch;
    struct launches l = {
        .kernel = copy, .items = ITEMS, .local = ITEMS, .calls = QUEUED, .prepare = next_copy
    };
    const double seconds = seconds_of(m, &l);
    clReleaseKernel(copy);
    return seconds;
}

// Bytes that the device moves for one element whose neighbours nobody wants: the widest step at
// which skipping saves nothing. CPUs say how long their lines are, and a core waits too long
// for single lines to be asked like this.
static double line_of(struct map_memory *m)
{
    cl_int error;
    if (m->bench->gp->caps.is_cpu)
        return GP_CACHE_LINE;
    cl_kernel every = clCreateKernel(m->program, "every", &error);
    if (error)
        return GP_CACHE_LINE;
    double line = 32;
    for (cl_ulong bytes = 64; bytes <= 128; bytes *= 2) {
        const cl_ulong step = bytes / 4;
        struct launches l = {
            .kernel = every, .items = m->in.bytes / bytes / 256 * 256, .local = 256, .calls = 1
        };
        clSetKernelArg(every, 0, sizeof m->in.memory, &m->in.memory);
        clSetKernelArg(every, 1, sizeof step, &step);
        clSetKernelArg(every, 2, sizeof m->found, &m->found);
        const double seconds = seconds_of(m, &l);
        const double moved = 1e9 * m->bench->read_gbps * seconds / (double)l.items;
        if (moved > 0.75 * (double)bytes)
            line = (double)bytes;
    }
    clReleaseKernel(every);
    return line;
}

void map_rates(struct map_memory *m)
{
    struct launches empty = { .kernel = m->empty, .items = 1, .local = 1, .calls = QUEUED };
    m->empty_launch = seconds_of(m, &empty);
    m->launch = smallest_call(m);
    m->line = line_of(m);
}
