/* SPDX-License-Identifier: Apache-2.0
 *
 * The device that the lab runs on: sizes that suit it, and its ceilings.
 */
#include <string.h>

#include "lab.h"

#define LINEAR_A 2654435761u
#define LINEAR_B 12345u

static cl_program device_program(struct lab *lab)
{
    const bool cpu = lab->gp->caps.is_cpu;
    return lab_program(lab, "device.cl", NULL,
                       "#define CPU %d\n#define V %s\n#define W %s\n#define A %uu\n"
                       "#define B %uu\n",
                       cpu, cpu ? "float16" : "float", cpu ? "uint16" : "uint4", LINEAR_A,
                       LINEAR_B);
}

static cl_mem filled(struct lab *lab, const char *kernel, uint64_t n)
{
    cl_mem x = lab_buffer(lab, n * sizeof(cl_uint));
    cl_kernel fill = lab_kernel(lab, device_program(lab), kernel);
    LAB_SET(lab, fill, 0, LAB_ARG(x));
    lab_once(lab, &(struct lab_launch){ .kernel = fill, .items = n, .group = lab->group });
    return x;
}

cl_mem lab_linear(struct lab *lab)
{
    return filled(lab, "fill_linear", lab->n);
}

cl_uint lab_linear_sum(uint64_t n)
{
    const uint64_t indices = n % 2 ? (n - 1) / 2 * n : n / 2 * (n - 1);
    return (cl_uint)(LINEAR_A * indices + LINEAR_B * n);
}

cl_mem lab_hashed(struct lab *lab, uint64_t n)
{
    return filled(lab, "fill_hashed", n);
}

cl_mem lab_small(struct lab *lab, uint64_t n)
{
    return filled(lab, "fill_small", n);
}

uint64_t lab_items(const struct lab *lab, unsigned cpu_log2, unsigned gpu_log2, unsigned bytes)
{
    enum { LEAST = 1 << 12, BEYOND = 4096 }; // bytes that a row adds to its largest buffer
    const struct gp_caps *caps = &lab->gp->caps;
    if (lab->quick)
        return LEAST;
    uint64_t n = UINT64_C(1) << (caps->is_cpu ? cpu_log2 : gpu_log2);
    while (n > LEAST && (n * 4 * bytes > caps->global_bytes / 2 ||
                         n * bytes + BEYOND > caps->max_alloc_bytes))
        n /= 2;
    return n;
}

// ---------------------------------------------------------------------------------------
// Ceilings: the best of many launches, because a ceiling that was missed is none

static double best(struct lab *lab, const struct lab_launch *launch)
{
    static const double BUDGET_S = 0.5;
    enum { LAUNCHES = 50 };
    const double start = tool_seconds();
    double least = lab_once(lab, launch);
    for (int i = 0; i < LAUNCHES && tool_seconds() - start < BUDGET_S && !lab->failed; i++) {
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
    const uint64_t bytes = lab->n * sizeof(cl_uint);
    const cl_ulong vectors = bytes / (lab->gp->caps.is_cpu ? 64 : 16);
    cl_mem x = lab_linear(lab), y = lab_buffer(lab, bytes);
    cl_program program = device_program(lab);
    cl_kernel read = lab_kernel(lab, program, "read_all");
    cl_kernel copy = lab_kernel(lab, program, "copy_all");
    LAB_SET(lab, read, 0, LAB_ARG(x), LAB_ARG(vectors), LAB_ARG(y));
    LAB_SET(lab, copy, 0, LAB_ARG(x), LAB_ARG(vectors), LAB_ARG(y));
    raise_to(&lab->read_gbps, best_bandwidth(lab, read, (double)bytes));
    raise_to(&lab->copy_gbps, best_bandwidth(lab, copy, 2 * (double)bytes));
    raise_to(&lab->fma_gflops,
             best_multiply_add(lab, lab_kernel(lab, program, "multiply_add"), y));
}

// ---------------------------------------------------------------------------------------

static unsigned power_of_two_up_to(uint64_t limit)
{
    unsigned n = 1;
    while (n <= limit / 2 && n < 1u << 30)
        n *= 2;
    return n;
}

void lab_prepare(struct lab *lab)
{
    const struct gp_caps *caps = &lab->gp->caps;
    cl_int error;
    lab->queue = clCreateCommandQueue(lab->gp->context, lab->gp->device,
                                      CL_QUEUE_PROFILING_ENABLE, &error);
    lab_good(lab, error, "clCreateCommandQueue");

    // The article's 512 Mi values where the device holds them four times. On CPUs what is
    // larger than their caches and still quick.
    lab->n = caps->is_cpu ? UINT64_C(1) << 25 : UINT64_C(1) << 29;
    while (lab->n > 1 << 20 && (lab->n * sizeof(cl_uint) > caps->max_alloc_bytes ||
                                lab->n * 16 > caps->global_bytes))
        lab->n /= 2;
    if (lab->quick)
        lab->n = 1 << 16;
    lab->largest = power_of_two_up_to(caps->max_work_group);
    lab->group = lab->largest < 256 ? lab->largest : 256;
    if (!lab->quick)
        lab_raise_ceilings(lab);
    lab_release(lab);
}

// ---------------------------------------------------------------------------------------
// What is beyond OpenCL 1.2

#define DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS 0x1068 // not in the headers of every system

unsigned lab_opencl_major(const struct lab *lab)
{
    unsigned major = 1;
    sscanf(lab->gp->caps.version, "OpenCL %u", &major);
    return major;
}

bool lab_has_extension(const struct lab *lab, const char *name)
{
    char list[16384] = "";
    clGetDeviceInfo(lab->gp->device, CL_DEVICE_EXTENSIONS, sizeof list - 1, list, NULL);
    const size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

const char *lab_builtin_sum(const struct lab *lab, bool *sub_groups)
{
    const unsigned major = lab_opencl_major(lab);
    cl_bool collective = major == 2; // an option since 3.0
    if (major >= 3)
        clGetDeviceInfo(lab->gp->device, DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS,
                        sizeof collective, &collective, NULL);
    *sub_groups = !collective;
    if (!collective && (major < 3 || !lab_has_extension(lab, "cl_khr_subgroups")))
        return NULL;
    return major >= 3 ? "-cl-std=CL3.0" : "-cl-std=CL2.0";
}
