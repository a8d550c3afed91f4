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

// What the caller asks for: any device, one by its index, a CPU, a GPU, or a part of a name.
struct wish {
    const char *text; // NULL: any device
    bool by_index, cpu, gpu;
    unsigned long index;
};

static bool is_wished(const struct wish *wish, unsigned index, const struct gp_caps *caps)
{
    if (!wish->text)
        return true;
    if (wish->by_index)
        return index == wish->index;
    if (wish->cpu || wish->gpu)
        return wish->cpu ? caps->is_cpu : caps->is_gpu;
    return contains(caps->device, wish->text) || contains(caps->platform, wish->text);
}

static int none_found(const struct wish *wish)
{
    if (!wish->text)
        return gp_fail(GPUPRIM_E_NO_DEVICE, "no device is a usable GPU or CPU");
    if (wish->cpu || wish->gpu)
        return gp_fail(GPUPRIM_E_NO_DEVICE, "no device is a usable %s",
                       wish->cpu ? "CPU" : "GPU");
    return gp_fail(GPUPRIM_E_NO_DEVICE,
                   "no usable device has \"%s\" in its name or its platform's", wish->text);
}

int gp_device_find(const char *text, cl_device_id *out)
{
    cl_device_id devices[MAX_DEVICES];
    const unsigned n = gp_devices(devices, MAX_DEVICES);
    if (n == 0)
        return gp_fail(GPUPRIM_E_NO_DEVICE,
                       "there is no OpenCL device: no driver is installed, or the OpenCL "
                       "loader could not load it");
    struct wish wish = { .text = text };
    wish.by_index = text && is_index(text, &wish.index);
    wish.cpu = text && strcmp(text, "cpu") == 0;
    wish.gpu = text && strcmp(text, "gpu") == 0;
    if (wish.by_index && wish.index >= n)
        return gp_fail(GPUPRIM_E_NO_DEVICE, "device %lu was asked for, the devices are 0 to %u",
                       wish.index, n - 1);

    cl_device_id cpu = NULL;
    int refusal = GPUPRIM_OK;
    char why[512] = ""; // its message; a device that is not wished may leave another one later
    for (unsigned i = 0; i < n; i++) {
        if (wish.by_index && i != wish.index)
            continue;
        struct gp_caps caps;
        const int status = gp_caps_query(devices[i], &caps);
        if (!is_wished(&wish, i, &caps))
            continue;
        if (status) {
            refusal = status;
            snprintf(why, sizeof why, "%s", gp_last_message());
        } else if (text || caps.is_gpu) {
            *out = devices[i];
            return GPUPRIM_OK;
        } else if (!cpu && caps.is_cpu)
            cpu = devices[i];
    }
    if (cpu) {
        *out = cpu;
        return GPUPRIM_OK;
    }
    if (refusal)
        return gp_fail(wish.by_index ? refusal : GPUPRIM_E_NO_DEVICE, "%s", why);
    return none_found(&wish);
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
