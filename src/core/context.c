/* SPDX-License-Identifier: Apache-2.0
 *
 * The context: creation, destruction, and the list of primitives. devices.c finds the device,
 * caps.c asks what it can do, and fork.c says whether the process was forked. */
#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "primitives.h"

#define DECLARE(name) extern const struct gp_primitive gp_primitive_##name;
GP_PRIMITIVES(DECLARE)

#define LIST(name) &gp_primitive_##name,
const struct gp_primitive *const gp_primitives[] = { GP_PRIMITIVES(LIST) };
const unsigned gp_n_primitives = sizeof gp_primitives / sizeof *gp_primitives;

static int options_check(const struct gpuprim_options *options)
{
    if (!options)
        return GPUPRIM_OK;
    const int status = gp_reserved_check(options->reserved, "options");
    if (status)
        return status;
    if ((int)options->log_level < GPUPRIM_LOG_NONE || options->log_level > GPUPRIM_LOG_TRACE)
        return gp_fail(GPUPRIM_E_ARG,
                       "options: log_level is %d, it must be GPUPRIM_LOG_NONE (0) to "
                       "GPUPRIM_LOG_TRACE (3)",
                       (int)options->log_level);
    return GPUPRIM_OK;
}

// Owns one reference to `context`, also on failure.
static int context_finish(cl_context context, cl_device_id device,
                          const struct gpuprim_options *options, gpuprim **out)
{
    gpuprim *gp = calloc(1, sizeof *gp);
    if (!gp) {
        clReleaseContext(context);
        return gp_fail(GPUPRIM_E_MEMORY, "out of memory");
    }
    gp->context = context;
    gp->device = device;
    gp->staging_bytes = 256u << 20;
    if (options) {
        gp->log = options->log;
        gp->log_user = options->log_user;
        gp->log_level = options->log_level;
        if (options->staging_bytes)
            gp->staging_bytes = options->staging_bytes;
    }
    struct gp_environment environment;
    gp_environment_read(&environment);
    if (environment.variant)
        snprintf(gp->force_variant, sizeof gp->force_variant, "%s", environment.variant);
    gp->force_work_group = environment.work_group > 65536 ? 65536 : environment.work_group;

    int status = gp_caps_query(device, &gp->caps);
    cl_int error = CL_SUCCESS;
    if (!status) {
        gp->queue = clCreateCommandQueue(context, device, 0, &error);
        status = error ? gp_fail_cl(error, "clCreateCommandQueue") : GPUPRIM_OK;
    }
    if (!status)
        pthread_mutex_init(&gp->lock, NULL); // does not fail with default attributes
    // A device of a partitioned parent is counted; a root device ignores this.
    if (!status && (error = clRetainDevice(device)) != CL_SUCCESS) {
        status = gp_fail_cl(error, "clRetainDevice");
        pthread_mutex_destroy(&gp->lock);
        clReleaseCommandQueue(gp->queue);
    }
    if (status) {
        clReleaseContext(context);
        free(gp);
        return status;
    }
    gp_log(gp, GPUPRIM_LOG_INFO, "device %s, platform %s, driver %s", gp->caps.device,
           gp->caps.platform, gp->caps.driver);
    *out = gp;
    return GPUPRIM_OK;
}

int gpuprim_create(const struct gpuprim_options *options, gpuprim **out)
{
    gp_enter("gpuprim_create");
    if (!out)
        return gp_fail(GPUPRIM_E_ARG, "out is NULL");
    int status = options_check(options);
    if (!status)
        status = gp_fork_check();
    if (status)
        return status;

    struct gp_environment environment;
    gp_environment_read(&environment);
    const char *wish = options && options->device ? options->device : environment.device;
    cl_device_id device;
    status = gp_device_find(wish, &device);
    if (status)
        return status;

    cl_int error;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (error)
        return gp_fail_cl(error, "clCreateContext");
    return context_finish(context, device, options, out);
}

int gpuprim_create_cl(cl_context context, cl_device_id device,
                      const struct gpuprim_options *options, gpuprim **out)
{
    gp_enter("gpuprim_create_cl");
    if (!context || !device || !out)
        return gp_fail(GPUPRIM_E_ARG, "%s is NULL",
                       !context  ? "context"
                       : !device ? "device"
                                 : "out");
    int status = options_check(options);
    if (!status)
        status = gp_fork_check();
    if (status)
        return status;

    size_t bytes = 0;
    cl_int error = clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &bytes);
    if (error)
        return gp_fail_cl(error, "clGetContextInfo");
    cl_device_id *devices = malloc(bytes ? bytes : 1);
    if (!devices)
        return gp_fail(GPUPRIM_E_MEMORY, "out of memory");
    error = clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, devices, NULL);
    bool member = false;
    for (size_t i = 0; !error && i < bytes / sizeof *devices; i++)
        member |= devices[i] == device;
    free(devices);
    if (error)
        return gp_fail_cl(error, "clGetContextInfo");
    if (!member)
        return gp_fail(GPUPRIM_E_ARG, "the device is not in the context");

    error = clRetainContext(context);
    if (error)
        return gp_fail_cl(error, "clRetainContext");
    return context_finish(context, device, options, out);
}

void gpuprim_destroy(gpuprim **gp_pointer)
{
    gpuprim *gp = gp_pointer ? *gp_pointer : NULL;
    if (!gp)
        return;
    *gp_pointer = NULL;
    // In the child of a fork the driver's threads are gone and a release could hang: only the
    // memory is freed.
    if (gp_is_forked()) {
        free(gp);
        return;
    }
    gp_programs_release(gp);
    gp_scratch_release(gp);
    gp_newest_release(gp);
    if (gp->copies)
        clReleaseCommandQueue(gp->copies);
    if (gp->known_queue)
        clReleaseCommandQueue(gp->known_queue);
    clReleaseCommandQueue(gp->queue);
    clReleaseContext(gp->context);
    clReleaseDevice(gp->device);
    pthread_mutex_destroy(&gp->lock);
    free(gp);
}

cl_context gpuprim_cl_context(const gpuprim *gp)
{
    return gp ? gp->context : NULL;
}

cl_device_id gpuprim_cl_device(const gpuprim *gp)
{
    return gp ? gp->device : NULL;
}

cl_command_queue gpuprim_cl_queue(const gpuprim *gp)
{
    return gp ? gp->queue : NULL;
}

int gp_context_check(const gpuprim *gp)
{
    if (!gp)
        return gp_fail(GPUPRIM_E_ARG, "gp, the context, is NULL");
    if (gp_is_forked())
        return gp_fail(
            GPUPRIM_E_FORKED,
            "the context was made before fork(): create one in a process that has not "
            "used OpenCL before the fork");
    return GPUPRIM_OK;
}
