/* SPDX-License-Identifier: Apache-2.0
 *
 * The context: creation, destruction, and the list of primitives. */
#include "core.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "primitives.h"

#define DECLARE(name) extern const struct gp_primitive gp_primitive_##name;
GP_PRIMITIVES(DECLARE)

#define LIST(name) &gp_primitive_##name,
const struct gp_primitive *const gp_primitives[] = { GP_PRIMITIVES(LIST) };
const unsigned gp_n_primitives = sizeof gp_primitives / sizeof *gp_primitives;

// True in the child of a fork of a process that had a context. OpenCL drivers do not survive a
// fork: in the child even a new context deadlocks, so that creation refuses there. Asking for
// the process at every call instead costs a system call. Nothing else is kept for the whole
// process but the lock around the compiler (program.c).
static atomic_bool is_forked;

static void on_fork(void)
{
    atomic_store(&is_forked, true);
}

static int watch_result;

static void watch_forks(void)
{
    watch_result = pthread_atfork(NULL, NULL, on_fork);
}

static int fork_check(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    if (watch_result)
        return gp_fail(GPUPRIM_E_MEMORY, "gpuprim_create: out of memory");
    if (atomic_load(&is_forked))
        return gp_fail(GPUPRIM_E_FORKED, "this process was forked from one that uses OpenCL");
    return GPUPRIM_OK;
}

static bool is_zero(const uint64_t *reserved)
{
    return !(reserved[0] | reserved[1] | reserved[2] | reserved[3]);
}

static int options_check(const struct gpuprim_options *options)
{
    if (!options)
        return GPUPRIM_OK;
    if (!is_zero(options->reserved))
        return gp_fail(GPUPRIM_E_ARG, "options: reserved members must be zero");
    if ((int)options->log_level < GPUPRIM_LOG_NONE || options->log_level > GPUPRIM_LOG_TRACE)
        return gp_fail(GPUPRIM_E_ARG, "options: log_level %d", (int)options->log_level);
    return GPUPRIM_OK;
}

// Takes over one reference to `context`, also on failure.
static int context_finish(cl_context context, cl_device_id device,
                          const struct gpuprim_options *options, gpuprim **out)
{
    gpuprim *gp = calloc(1, sizeof *gp);
    if (!gp) {
        clReleaseContext(context);
        return gp_fail(GPUPRIM_E_MEMORY, "context: out of memory");
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
    if (!out)
        return gp_fail(GPUPRIM_E_ARG, "gpuprim_create: out is NULL");
    int status = options_check(options);
    if (!status)
        status = fork_check();
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
    if (!context || !device || !out)
        return gp_fail(GPUPRIM_E_ARG, "gpuprim_create_cl: context, device or out is NULL");
    int status = options_check(options);
    if (!status)
        status = fork_check();
    if (status)
        return status;

    size_t bytes = 0;
    cl_int error = clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &bytes);
    if (error)
        return gp_fail_cl(error, "clGetContextInfo");
    cl_device_id *devices = malloc(bytes ? bytes : 1);
    if (!devices)
        return gp_fail(GPUPRIM_E_MEMORY, "gpuprim_create_cl: out of memory");
    error = clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, devices, NULL);
    bool member = false;
    for (size_t i = 0; !error && i < bytes / sizeof *devices; i++)
        member |= devices[i] == device;
    free(devices);
    if (error)
        return gp_fail_cl(error, "clGetContextInfo");
    if (!member)
        return gp_fail(GPUPRIM_E_ARG, "gpuprim_create_cl: the device is not in the context");

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
    // In the child of a fork the driver's threads are gone: releasing could hang, so only the
    // memory goes.
    if (atomic_load(&is_forked)) {
        free(gp);
        return;
    }
    gp_programs_release(gp);
    for (unsigned i = 0; i < GP_SCRATCH_SLOTS; i++) {
        if (gp->scratch[i].done)
            clReleaseEvent(gp->scratch[i].done);
        for (unsigned k = 0; k < GP_SCRATCH_USES; k++)
            if (gp->scratch[i].memory[k])
                clReleaseMemObject(gp->scratch[i].memory[k]);
    }
    if (gp->copies)
        clReleaseCommandQueue(gp->copies);
    clReleaseCommandQueue(gp->queue);
    clReleaseContext(gp->context);
    clReleaseDevice(gp->device);
    pthread_mutex_destroy(&gp->lock);
    free(gp);
}

int gp_context_check(const gpuprim *gp)
{
    if (!gp)
        return gp_fail(GPUPRIM_E_ARG, "the context is NULL");
    if (atomic_load(&is_forked))
        return gp_fail(GPUPRIM_E_FORKED, "the context was made before fork()");
    return GPUPRIM_OK;
}

bool gp_variant_is_forced(const gpuprim *gp, const char *primitive)
{
    const size_t n = strlen(primitive);
    return strncmp(gp->force_variant, primitive, n) == 0 && gp->force_variant[n] == ':';
}

bool gp_variant_allowed(const gpuprim *gp, const char *primitive, const char *variant)
{
    return !gp_variant_is_forced(gp, primitive) ||
           strcmp(gp->force_variant + strlen(primitive) + 1, variant) == 0;
}

// The place in the table of the first variant that takes the call, from `from` on; table->n: none.
static unsigned first_from(const gpuprim *gp, const struct gp_table *table, unsigned from,
                           const void *call)
{
    for (unsigned i = from; i < table->n; i++)
        if (gp_variant_allowed(gp, table->primitive, table->variants[i]->name) &&
            table->variants[i]->fits(gp, call))
            return i;
    return table->n;
}

static int none_takes(const gpuprim *gp, const struct gp_table *table)
{
    return gp_fail(GPUPRIM_E_UNSUPPORTED, "%s: variant %s does not take this call",
                   table->primitive, gp->force_variant);
}

const struct gp_variant *gp_variant_pick(const gpuprim *gp, const struct gp_table *table,
                                         const void *call)
{
    const unsigned i = first_from(gp, table, 0, call);
    if (i < table->n)
        return table->variants[i];
    none_takes(gp, table);
    return NULL;
}

int gp_variant_choose(gpuprim *gp, const struct gp_table *table, const void *call,
                      struct gp_choice *out)
{
    for (unsigned i = first_from(gp, table, 0, call); i < table->n;
         i = first_from(gp, table, i + 1, call)) {
        const struct gp_variant *v = table->variants[i];
        const int status = table->program(gp, call, v, &out->program);
        if (status)
            return status;
        const struct gp_program *program = out->program;
        const bool holds = !program->refusal && (!v->holds || v->holds(v, call, program));
        out->variant = v;
        if (holds)
            return GPUPRIM_OK;
        // Nobody stands in for the last, nor for one that is asked for by name.
        if (gp_variant_is_forced(gp, table->primitive) || v == table->variants[table->n - 1])
            return program->refusal
                       ? gp_fail(program->refusal, "%s", program->words)
                       : gp_fail(
                             GPUPRIM_E_UNSUPPORTED,
                             "%s: groups of %u items are too small for %s to take this call",
                             table->primitive, program->work_group, v->name);
        gp_log(gp, GPUPRIM_LOG_TRACE, "%s: %s is passed over for this call", table->primitive,
               v->name);
    }
    return none_takes(gp, table);
}
