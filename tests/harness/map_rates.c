/* SPDX-License-Identifier: Apache-2.0
 *
 * What the smallest call among many and one line of memory cost, for the bounds of the map (map.h). */
#include "map.h"

#include <math.h>

enum { QUEUED = 500, TIMES = 5 };
static const double WARM_UP_S = 0.03;

// Seconds of a launch of a kernel whose arguments stay, the best of some batches.
static double seconds_of(struct map_memory *m, cl_kernel kernel, size_t items, size_t local,
                         unsigned calls)
{
    double best = 1e9;
    const double begin = bench_now();
    for (int i = 0; i < TIMES || bench_now() - begin < WARM_UP_S; i++) {
        const double start = bench_now();
        for (unsigned k = 0; k < calls; k++)
            clEnqueueNDRangeKernel(m->queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL);
        clFinish(m->queue);
        best = fmin(best, (bench_now() - start) / calls);
    }
    return best;
}

// ---------------------------------------------------------------------------------------
// The smallest call that does something: its arguments are set, and each of a few items loads
// an element and stores it.

enum { FEW_ITEMS = 32 };

// Of struct map_primitive; the object is the kernel.
static int enqueue_smallest(gpuprim *gp, void *object, const struct map_call *call,
                            const struct gpuprim_sync *sync)
{
    (void)gp;
    const size_t items = FEW_ITEMS;
    const cl_ulong first = call->in[0].first;
    const cl_mem in = (cl_mem)call->in[0].base, out = (cl_mem)call->out[0].base;
    clSetKernelArg(object, 0, sizeof in, &in);
    clSetKernelArg(object, 1, sizeof first, &first);
    clSetKernelArg(object, 2, sizeof out, &out);
    return clEnqueueNDRangeKernel(sync->queue, object, 1, NULL, &items, &items, 0, NULL, NULL);
}

struct map_series map_smallest(struct map_memory *m)
{
    static const struct map_primitive primitive = { .enqueue = enqueue_smallest };
    m->smallest.in[0] = m->smallest.out[0] = map_packed(GPUPRIM_U32, FEW_ITEMS);
    return (
        struct map_series){ .primitive = &primitive, .call = &m->smallest, .object = m->copy };
}

// ---------------------------------------------------------------------------------------

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
        const size_t items = m->in.bytes / bytes / 256 * 256;
        clSetKernelArg(every, 0, sizeof m->in.memory, &m->in.memory);
        clSetKernelArg(every, 1, sizeof step, &step);
        clSetKernelArg(every, 2, sizeof m->found, &m->found);
        const double seconds = seconds_of(m, every, items, 256, 1);
        const double moved = 1e9 * m->bench->read_gbps * seconds / (double)items;
        if (moved > 0.75 * (double)bytes)
            line = (double)bytes;
    }
    clReleaseKernel(every);
    return line;
}

// Seconds of storing `run` units of 16 bytes in each `step` of the outputs' memory.
static double seconds_of_stores(struct map_memory *m, cl_kernel store, cl_ulong run,
                                cl_ulong step)
{
    const size_t items = m->out.bytes / 16 / step * run / 256 * 256;
    clSetKernelArg(store, 0, sizeof m->out.memory, &m->out.memory);
    clSetKernelArg(store, 1, sizeof run, &run);
    clSetKernelArg(store, 2, sizeof step, &step);
    return seconds_of(m, store, items, 256, 1);
}

// Bytes of a part of the memory that the device reads before it is stored in part: twice the
// longest run that takes longer to store, with a gap as long behind each, than all bytes take.
// Without such reads it takes as long at most. 0: there are none, or they cannot be told from
// stores of whole parts, because the device is a CPU, whose caches read those, too.
static double part_of(struct map_memory *m)
{
    enum { LONGEST = 4 }; // units of 16 bytes
    static const double LONGER = 1.4;
    cl_int error;
    if (m->bench->gp->caps.is_cpu)
        return 0;
    cl_kernel store = clCreateKernel(m->program, "store", &error);
    if (error)
        return 0;
    const double all = seconds_of_stores(m, store, 1, 1);
    double part = 0;
    for (cl_ulong run = 1; run <= LONGEST; run *= 2)
        if (seconds_of_stores(m, store, run, 2 * run) > LONGER * all)
            part = 2 * 16 * (double)run;
    clReleaseKernel(store);
    return part;
}

void map_rates(struct map_memory *m)
{
    m->line = line_of(m);
    m->part = part_of(m);
    struct map_series smallest = map_smallest(m);
    m->empty_launch = seconds_of(m, m->empty, 1, 1, QUEUED);
    m->launch =
        map_time(m, &smallest, 1) ? m->empty_launch : bench_median(smallest.times, smallest.n);
}
