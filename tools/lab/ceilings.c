/* SPDX-License-Identifier: Apache-2.0
 *
 * The device's ceilings (rates of reads, copies and multiply-adds) and the share of them that a
 * row reaches. A ceiling is the best of many launches: a slow one only shows that it was
 * disturbed.
 */
#include "measure.h"
#include "tools/command.h"

static double best(struct lab *lab, const struct lab_launch *launch)
{
    static const double BUDGET_S = 0.3;
    enum { FEW = 5, LAUNCHES = 50 };
    const double start = tool_seconds();
    double least = lab_once(lab, launch);
    for (int i = 0; i < LAUNCHES && !lab->failed; i++) {
        if (i >= FEW && tool_seconds() - start > BUDGET_S)
            break;
        const double seconds = lab_once(lab, launch);
        least = seconds < least ? seconds : least;
    }
    return least;
}

static double best_bandwidth(struct lab *lab, cl_kernel kernel, double bytes)
{
    const struct gp_caps *caps = &lab->gp->caps;
    const size_t group = caps->is_cpu ? 1 : lab->group;
    double least = 0;
    for (unsigned k = 4; k <= (caps->is_cpu ? 4 : 64); k *= 4) {
        const struct lab_launch launch = { .kernel = kernel,
                                           .items = (uint64_t)caps->compute_units * k * group,
                                           .group = group };
        const double seconds = best(lab, &launch);
        if (k == 4 || seconds < least)
            least = seconds;
    }
    return least > 0 ? 1e-9 * bytes / least : 0;
}

static double best_multiply_add(struct lab *lab, cl_kernel kernel, cl_mem y)
{
    const struct gp_caps *caps = &lab->gp->caps;
    const cl_float m = 0.999f, c = 0.001f;
    const cl_uint rounds = caps->is_cpu ? 1 << 13 : 1 << 11;
    const size_t group = caps->is_cpu ? 1 : lab->group;
    const struct lab_launch launch = {
        .kernel = kernel,
        .items = caps->compute_units * group * (caps->is_cpu ? 4 : 16),
        .group = group,
    };
    LAB_SET(lab, kernel, 0, LAB_ARG(m), LAB_ARG(c), LAB_ARG(rounds), LAB_ARG(y));
    const double seconds = best(lab, &launch);
    const double steps = 4.0 * 10 * rounds * (double)launch.items * (caps->is_cpu ? 16 : 1);
    return seconds > 0 ? 1e-9 * 2 * steps / seconds : 0;
}

static void raise_to(double *ceiling, double measured)
{
    if (measured > *ceiling)
        *ceiling = measured;
}

void lab_raise_ceilings(struct lab *lab)
{
    lab->n_ceilings++;
    const uint64_t bytes = lab->n * sizeof(cl_uint);
    const cl_ulong vectors = bytes / (lab->gp->caps.is_cpu ? 64 : 16);
    cl_mem x = lab_linear(lab), y = lab_buffer(lab, bytes);
    cl_program program = lab_device_program(lab);
    cl_kernel read = lab_kernel(lab, program, "read_all");
    cl_kernel copy = lab_kernel(lab, program, "copy_all");
    LAB_SET(lab, read, 0, LAB_ARG(x), LAB_ARG(vectors), LAB_ARG(y));
    LAB_SET(lab, copy, 0, LAB_ARG(x), LAB_ARG(vectors), LAB_ARG(y));
    raise_to(&lab->read_gbps, best_bandwidth(lab, read, (double)bytes));
    raise_to(&lab->copy_gbps, best_bandwidth(lab, copy, 2 * (double)bytes));
    raise_to(&lab->fma_gflops,
             best_multiply_add(lab, lab_kernel(lab, program, "multiply_add"), y));
}

// Bytes that may stay in the device's caches from launch to launch. CPUs report their last
// cache. GPUs may report a smaller one, so that twice the reported size is assumed, and at
// least 64 MiB.
static double cache_bytes(const struct lab *lab)
{
    static const double LEAST_GPU = 64.0 * (1 << 20);
    const struct gp_caps *caps = &lab->gp->caps;
    cl_ulong size = 0;
    clGetDeviceInfo(lab->gp->device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof size, &size, NULL);
    if (size > caps->global_bytes / 4) // not plausible
        size = 0;
    if (caps->is_cpu)
        return (double)size;
    return 2.0 * (double)size > LEAST_GPU ? 2.0 * (double)size : LEAST_GPU;
}

double lab_share(const struct lab *lab, const struct lab_work *work, double seconds)
{
    const double read = lab->read_gbps ? work->read / lab->read_gbps : 0;
    const double copied = lab->copy_gbps ? work->copied / lab->copy_gbps : 0;
    const double flops = lab->fma_gflops ? work->flops / lab->fma_gflops : 0;
    double floor = read + copied;
    const double bytes = (work->read + work->copied) / (work->passes ? work->passes : 1);
    if (flops > floor)
        floor = flops;
    else if (bytes < cache_bytes(lab))
        return 0;
    return seconds > 0 ? 1e-9 * floor / seconds : 0;
}
