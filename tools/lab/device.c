/* SPDX-License-Identifier: Apache-2.0
 *
 * The device that the lab runs on: a queue, sizes that suit it, and what it offers beyond
 * OpenCL 1.2.
 */
#include "measure.h"

#include <string.h>

uint64_t lab_items(const struct lab *lab, unsigned cpu_log2, unsigned gpu_log2, unsigned bytes)
{
    enum { LEAST = 1 << 12, EXTRA = 4096 }; // EXTRA: bytes added to a row's largest buffer
    const struct gp_caps *caps = &lab->gp->caps;
    if (lab->quick)
        return LEAST;
    uint64_t n = UINT64_C(1) << (caps->is_cpu ? cpu_log2 : gpu_log2);
    while (n > LEAST && (n * 4 * bytes > caps->global_bytes / 2 ||
                         n * bytes + EXTRA > caps->max_alloc_bytes))
        n /= 2;
    return n;
}

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

    // GPUs sum 512 Mi values, as the article does, if their memory holds four times as many.
    // CPUs sum as many as exceed their caches and still take little time.
    lab->n = caps->is_cpu ? UINT64_C(1) << 25 : UINT64_C(1) << 29;
    while (lab->n > 1 << 20 && (lab->n * sizeof(cl_uint) > caps->max_alloc_bytes ||
                                lab->n * 16 > caps->global_bytes))
        lab->n /= 2;
    if (lab->quick)
        lab->n = 1 << 14;
    lab->largest = power_of_two_up_to(caps->max_work_group);
    lab->group = lab->largest < 256 ? lab->largest : 256;
    lab_others(&lab->usage);
    if (!lab->quick)
        lab_raise_ceilings(lab);
    lab->others = caps->is_cpu ? lab_others(&lab->usage) : 0;
    lab_release(lab);
}

// ---------------------------------------------------------------------------------------
// Beyond OpenCL 1.2

#define DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS 0x1068 // not in every system's headers

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
    cl_bool collective = major == 2; // optional since 3.0
    if (major >= 3)
        clGetDeviceInfo(lab->gp->device, DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS,
                        sizeof collective, &collective, NULL);
    *sub_groups = !collective;
    if (!collective && (major < 3 || !lab_has_extension(lab, "cl_khr_subgroups")))
        return NULL;
    return major >= 3 ? "-cl-std=CL3.0" : "-cl-std=CL2.0";
}
