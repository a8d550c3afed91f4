/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of devices, the choice of one by name, index or kind, and gpuprim_devices. What a
 * device can do is in caps.c. */
#include "core.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PLATFORMS = 32, MAX_DEVICES = 64 };

static bool is_among(const cl_device_id *devices, unsigned n, cl_device_id device)
{
    for (unsigned i = 0; i < n; i++)
        if (devices[i] == device)
            return true;
    return false;
}

unsigned gp_devices(cl_device_id *devices, unsigned limit)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_device_id all[MAX_DEVICES]; // further devices are ignored
    cl_uint n_platforms = 0;
    unsigned n = 0;
    if (clGetPlatformIDs(MAX_PLATFORMS, platforms, &n_platforms))
        return 0;
    if (n_platforms > MAX_PLATFORMS)
        n_platforms = MAX_PLATFORMS;
    for (cl_uint i = 0; i < n_platforms; i++) {
        cl_device_id found[MAX_DEVICES];
        cl_uint n_found = 0;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, MAX_DEVICES, found, &n_found))
            continue;
        for (cl_uint k = 0; k < n_found && k < MAX_DEVICES && n < MAX_DEVICES; k++)
            if (!is_among(all, n, found[k]))
                all[n++] = found[k];
    }
    for (unsigned i = 0; i < n && i < limit; i++)
        devices[i] = all[i];
    return n;
}

static bool contains(const char *text, const char *part)
{
    const size_t n = strlen(part);
    for (; *text; text++) {
        size_t i = 0;
        while (i < n && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
            i++;
        if (i == n)
            return true;
    }
    return n == 0;
}

static bool is_index(const char *wish, unsigned long *index)
{
    char *end;
    if (!isdigit((unsigned char)wish[0]))
        return false;
    *index = strtoul(wish, &end, 10);
    return *end == '\0';
}

int gp_device_find(const char *wish, cl_device_id *out)
{
    cl_device_id devices[MAX_DEVICES];
    unsigned n = gp_devices(devices, MAX_DEVICES);
    if (n == 0)
        return gp_fail(
            GPUPRIM_E_NO_DEVICE,
            "there is no OpenCL device: no driver is installed, or the OpenCL loader "
            "could not load it");
    if (n > MAX_DEVICES)
        n = MAX_DEVICES;

    unsigned long index;
    const bool by_index = wish && is_index(wish, &index);
    const bool cpu_wished = wish && strcmp(wish, "cpu") == 0;
    const bool gpu_wished = wish && strcmp(wish, "gpu") == 0;
    if (by_index && index >= n)
        return gp_fail(GPUPRIM_E_NO_DEVICE, "device %lu was asked for, the devices are 0 to %u",
                       index, n - 1);

    struct gp_caps caps;
    cl_device_id cpu = NULL;
    int refusal = GPUPRIM_OK;
    for (unsigned i = 0; i < n; i++) {
        if (by_index && i != index)
            continue;
        const int status = gp_caps_query(devices[i], &caps);
        const bool named = !wish || by_index || (cpu_wished && caps.is_cpu) ||
                           (gpu_wished && caps.is_gpu) ||
                           (!cpu_wished && !gpu_wished &&
                            (contains(caps.device, wish) || contains(caps.platform, wish)));
        if (named && status)
            refusal = status;
        if (!named || status)
            continue;
        if (wish || caps.is_gpu) {
            *out = devices[i];
            return GPUPRIM_OK;
        }
        if (!cpu && caps.is_cpu)
            cpu = devices[i];
    }
    if (cpu) {
        *out = cpu;
        return GPUPRIM_OK;
    }
    if (refusal) // gp_caps_query has left its message
        return by_index ? refusal : GPUPRIM_E_NO_DEVICE;
    return wish ? gp_fail(GPUPRIM_E_NO_DEVICE,
                          "no usable device has \"%s\" in its name or its platform's", wish)
                : gp_fail(GPUPRIM_E_NO_DEVICE, "no device is a usable GPU or CPU");
}

// ---------------------------------------------------------------------------------------

static void describe(cl_device_id id, struct gpuprim_device *out)
{
    struct gp_caps caps;
    memset(out, 0, sizeof *out);
    out->id = id;
    out->status = gp_caps_query(id, &caps);
    if (out->status)
        snprintf(out->refusal, sizeof out->refusal, "%s", gp_last_message());
    memcpy(out->name, caps.device, sizeof out->name);
    memcpy(out->platform, caps.platform, sizeof out->platform);
    memcpy(out->driver, caps.driver, sizeof out->driver);
    memcpy(out->version, caps.version, sizeof out->version);
    out->kind = caps.is_gpu   ? GPUPRIM_DEVICE_GPU
                : caps.is_cpu ? GPUPRIM_DEVICE_CPU
                              : GPUPRIM_DEVICE_OTHER;
    out->fp64 = caps.has_fp64;
    out->svm = caps.has_svm;
    out->compute_units = caps.compute_units;
    out->width = caps.width;
    out->max_work_group = caps.max_work_group;
    out->global_bytes = caps.global_bytes;
    out->max_alloc_bytes = caps.max_alloc_bytes;
    out->local_bytes = caps.local_bytes;
}

int gpuprim_devices(struct gpuprim_device *list, unsigned limit, unsigned *count)
{
    gp_enter("gpuprim_devices");
    if (!count)
        return gp_fail(GPUPRIM_E_ARG, "count is NULL");
    if (!list && limit)
        return gp_fail(GPUPRIM_E_ARG, "list is NULL, but limit is %u; it must be 0", limit);
    const int status = gp_fork_check();
    if (status)
        return status;
    cl_device_id devices[MAX_DEVICES];
    const unsigned n = gp_devices(devices, MAX_DEVICES);
    for (unsigned i = 0; i < n && i < limit; i++)
        describe(devices[i], &list[i]);
    *count = n;
    return GPUPRIM_OK;
}
