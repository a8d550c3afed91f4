/* SPDX-License-Identifier: Apache-2.0
 *
 * Device models (model.h): what the device answers, and contexts on it. Also installs all
 * functions of the models between the shim and the driver. */
#include "model_driver.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

const struct device_model model_gpu = { "gpu", .type = CL_DEVICE_TYPE_GPU, .work_group = 64 };

struct device_model model_now;
static atomic_uint refusals;

#define DEFINE(name) __typeof__(&name) driver_##name;
MODEL_REPLACES(DEFINE)
MODEL_CALLS(DEFINE)

cl_int model_refuse(cl_int code)
{
    atomic_fetch_add(&refusals, 1);
    return code;
}

unsigned model_refusals(void)
{
    return atomic_load(&refusals);
}

// ---------------------------------------------------------------------------------------
// Answers

// Gives an answer of `bytes` as OpenCL does.
static cl_int answer(const void *value_told, size_t bytes, size_t size, void *value,
                     size_t *wanted)
{
    if (wanted)
        *wanted = bytes;
    if (value && size < bytes)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, value_told, bytes);
    return CL_SUCCESS;
}

cl_int model_clGetPlatformIDs(cl_uint n, cl_platform_id *list, cl_uint *found)
{
    cl_platform_id platforms[32];
    cl_uint count = 0;
    const cl_int error = driver_clGetPlatformIDs(16, platforms, &count);
    if (error || !model_now.twice)
        return error ? error : driver_clGetPlatformIDs(n, list, found);
    count = count > 16 ? 16 : count;
    memcpy(platforms + count, platforms, count * sizeof *platforms);
    for (cl_uint i = 0; list && i < n && i < 2 * count; i++)
        list[i] = platforms[i];
    if (found)
        *found = 2 * count;
    return CL_SUCCESS;
}

cl_int model_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value,
                             size_t *wanted)
{
    const char *const extensions = model_now.wave ? "cl_amd_device_attribute_query" : "";
    const char *const version = "OpenCL 1.2 as it was";
    const cl_ulong none = 0;
    cl_ulong local_bytes = 0;
    const bool lists_extensions = model_now.wave || model_now.is_plain;
    size_t items[3] = { model_now.items, model_now.items, model_now.items };
#define SAY(said) return answer(&(said), sizeof(said), size, value, wanted)
    if (what == CL_DEVICE_TYPE && model_now.type)
        SAY(model_now.type);
    if (what == CL_DEVICE_MAX_COMPUTE_UNITS && model_now.units)
        SAY(model_now.units);
    if (what == CL_DEVICE_MAX_WORK_GROUP_SIZE && model_now.work_group)
        SAY(model_now.work_group);
    if (what == CL_DEVICE_MAX_WORK_ITEM_SIZES && model_now.items)
        SAY(items);
    if (what == CL_DEVICE_LOCAL_MEM_SIZE && model_now.local_is_less) {
        driver_clGetDeviceInfo(device, what, sizeof local_bytes, &local_bytes, NULL);
        if (local_bytes > model_now.local_bytes)
            local_bytes = model_now.local_bytes;
        SAY(local_bytes);
    }
    if (what == CL_DEVICE_MAX_MEM_ALLOC_SIZE && model_now.allocation)
        SAY(model_now.allocation);
    if (what == 0x4043 && model_now.wave) // CL_DEVICE_WAVEFRONT_WIDTH_AMD
        SAY(model_now.wave);
    if (what == CL_DEVICE_DOUBLE_FP_CONFIG && (model_now.is_plain || model_now.no_doubles))
        SAY(none);
    if (what == CL_DEVICE_EXTENSIONS && lists_extensions)
        return answer(extensions, strlen(extensions) + 1, size, value, wanted);
    if (what == CL_DEVICE_VERSION && model_now.is_plain)
        return answer(version, strlen(version) + 1, size, value, wanted);
    if (what == CL_DEVICE_SVM_CAPABILITIES && model_now.is_plain)
        return CL_INVALID_VALUE;
    return driver_clGetDeviceInfo(device, what, size, value, wanted);
}

cl_int model_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                      cl_kernel_work_group_info what, size_t size, void *value,
                                      size_t *wanted)
{
    size_t limit = 0;
    const cl_int error =
        driver_clGetKernelWorkGroupInfo(kernel, device, what, size, value, wanted);
    if (error || what != CL_KERNEL_WORK_GROUP_SIZE || !value)
        return error;
    memcpy(&limit, value, sizeof limit);
    if (model_now.kernel_group && model_now.kernel_group < limit)
        limit = model_now.kernel_group;
    if (model_now.work_group && model_now.work_group < limit)
        limit = model_now.work_group;
    memcpy(value, &limit, sizeof limit);
    return CL_SUCCESS;
}

// ---------------------------------------------------------------------------------------
// Models in use

// For the whole run: copies.c checks the copies of all tests.
__attribute__((constructor)) static void install(void)
{
#define REPLACE(name)                                                                          \
    driver_##name = (__typeof__(&name))shim_replace(#name, (shim_function)model_##name);
#define LOOK(name) driver_##name = (__typeof__(&name))shim_replace(#name, NULL);
    MODEL_REPLACES(REPLACE)
    MODEL_CALLS(LOOK)
}

void model_begin(const struct device_model *model)
{
    atomic_store(&refusals, 0);
    model_now = *model;
}

void model_end(void)
{
    copies_finish();
    model_now = (struct device_model){ .name = NULL };
}

// ---------------------------------------------------------------------------------------
// Contexts

// The device under test by its number: a model that changes its type would hide it. Asked once.
static char number[16];
static bool is_cpu;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void ask_device(void)
{
    cl_device_id device, devices[64];
    struct gp_caps caps;
    if (gp_device_find(getenv("GPUPRIM_DEVICE"), &device) || gp_caps_query(device, &caps))
        return;
    is_cpu = caps.is_cpu;
    const unsigned n = gp_devices(devices, 64);
    for (unsigned i = 0; i < n && i < 64; i++)
        if (devices[i] == device)
            snprintf(number, sizeof number, "%u", i);
}

bool model_device_is_cpu(void)
{
    pthread_once(&once, ask_device);
    return is_cpu;
}

// PoCL reads its library of kernels once for each context that builds, which takes it as long as
// half a program. So on CPUs the contexts of tests share one of OpenCL's. It stays until the
// program ends.
static _Thread_local bool shares;
static cl_context shared;
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;

cl_context model_clCreateContext(const cl_context_properties *properties, cl_uint n,
                                 const cl_device_id *devices,
                                 void(CL_CALLBACK *notify)(const char *, const void *, size_t,
                                                           void *),
                                 void *user, cl_int *error)
{
    if (!shares)
        return driver_clCreateContext(properties, n, devices, notify, user, error);
    pthread_mutex_lock(&shared_lock);
    if (!shared)
        shared = driver_clCreateContext(properties, n, devices, notify, user, error);
    else if (error)
        *error = CL_SUCCESS;
    if (shared)
        driver_clRetainContext(shared);
    pthread_mutex_unlock(&shared_lock);
    return shared;
}

int model_create(const struct device_model *model, const struct gpuprim_options *options,
                 gpuprim **out)
{
    struct gpuprim_options with = { .device = number };
    pthread_once(&once, ask_device);
    if (options)
        with = *options;
    with.device = number;
    model_begin(model);
    shares = is_cpu;
    const int status = gpuprim_create(&with, out);
    shares = false;
    return status;
}
