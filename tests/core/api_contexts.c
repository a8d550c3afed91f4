/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of OpenCL contexts with several devices, of the option log_level, and of the
 * environment variable GPUPRIM_VARIANT. The option staging_bytes has a file of its own
 * (api_staging.c), and the choice of the device is tested in api.c. Part of the suite `api`
 * (api.h).
 */
#include "api.h"

#include <stdlib.h>
#include <string.h>

#include "tests/harness/shim.h"
#include "tests/harness/variants.h"

// ---------------------------------------------------------------------------------------
// Several devices

enum { PARTS = 2 };

static bool sums(gpuprim *gp)
{
    static const int32_t x[] = { 1, 2, 3 };
    int64_t sum = 0;
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_I32, x, 3);
    const struct gpuprim_array out = gpuprim_host(GPUPRIM_I64, &sum, 1);
    const struct gpuprim_reduce_params params = { .op = GPUPRIM_SUM };
    return !gpuprim_reduce(gp, &in, &out, &params, NULL) && sum == 6;
}

// A call with a queue of one device on buffers of the context: right on the device of gp only.
static int sum_on(const gpuprim *gp, gpuprim *caller, cl_command_queue queue, int64_t *sum)
{
    static const int32_t x[] = { 4, 5, 6 };
    cl_int error[2];
    const cl_mem in = clCreateBuffer(gp->context, CL_MEM_COPY_HOST_PTR, sizeof x,
                                     (void *)(uintptr_t)x, &error[0]);
    const cl_mem out = clCreateBuffer(gp->context, 0, sizeof *sum, NULL, &error[1]);
    const struct gpuprim_array from = gpuprim_buffer(GPUPRIM_I32, in, 0, 3);
    const struct gpuprim_array to = gpuprim_buffer(GPUPRIM_I64, out, 0, 1);
    const struct gpuprim_sync sync = { .queue = queue };
    const int status =
        gpuprim_reduce(caller, &from, &to, &(struct gpuprim_reduce_params){ 0 }, &sync);
    clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof *sum, sum, 0, NULL, NULL);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    return status;
}

static void on_parts(struct check *check, cl_context context, const cl_device_id parts[PARTS],
                     cl_device_id whole)
{
    gpuprim *gp[PARTS] = { NULL, NULL }, *none = NULL;
    cl_command_queue queues[PARTS];
    for (int i = 0; i < PARTS; i++) {
        cl_int error;
        check->cases++;
        queues[i] = clCreateCommandQueue(context, parts[i], 0, &error);
        const int status = gpuprim_create_cl(context, parts[i], NULL, &gp[i]);
        CHECK(check, status == GPUPRIM_OK, "device %d of the context: %d (%s)", i, status,
              gpuprim_last_error());
        CHECK(check, gp[i] && gp[i]->device == parts[i] && sums(gp[i]),
              "no sum on device %d: %s", i, gpuprim_last_error());
    }
    const int status = gpuprim_create_cl(context, whole, NULL, &none);
    CHECK(check, status == GPUPRIM_E_ARG && !none && gpuprim_last_error()[0],
          "a device that is not in the context: %d", status);
    for (int i = 0; gp[0] && gp[1] && i < PARTS; i++)
        for (int k = 0; k < PARTS; k++) {
            int64_t sum = 0;
            check->cases++;
            const int called = sum_on(gp[i], gp[i], queues[k], &sum);
            CHECK(check,
                  called == (i == k ? GPUPRIM_OK : GPUPRIM_E_ARG) && (i != k || sum == 15),
                  "device %d with a queue of device %d: %d, sum %lld", i, k, called,
                  (long long)sum);
        }
    for (int i = 0; i < PARTS; i++) {
        gpuprim_destroy(&gp[i]);
        clReleaseCommandQueue(queues[i]);
    }
}

// NULL, or the reason why the test cannot run here.
static const char *several_devices(struct check *check)
{
    gpuprim *gp = check_context(check, NULL, 0);
    if (!gp)
        return NULL;
    cl_device_id whole = gp->device, parts[PARTS];
    gpuprim_destroy(&gp);
    cl_int error;
    cl_uint units = 0;
    clGetDeviceInfo(whole, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    const cl_device_partition_property by[] = { CL_DEVICE_PARTITION_BY_COUNTS, 1, 1,
                                                CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0 };
    if (units < PARTS || clCreateSubDevices(whole, by, PARTS, parts, NULL))
        return "the device cannot be parted";
    cl_context context = clCreateContext(NULL, PARTS, parts, NULL, NULL, &error);
    cl_device_id named[PARTS] = { NULL, NULL };
    bool is_right = false;
    if (CHECK(check, !error, "no context of two devices: %d", error)) {
        clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof named, named, NULL);
        is_right = named[0] == parts[0] && named[1] == parts[1];
        const long live = shim_live();
        if (is_right)
            on_parts(check, context, parts, whole);
        CHECK(check, shim_live() == live, "%ld objects are left", shim_live() - live);
        clReleaseContext(context);
    }
    for (int i = 0; i < PARTS; i++)
        clReleaseDevice(parts[i]);
    return is_right ? NULL : "the driver names other devices than the context was made of";
}

// The shim answers which devices the context has, so one device is enough.
static void devices_of_context(struct check *check)
{
    gpuprim *own = check_context(check, NULL, 0);
    if (!own)
        return;
    static char anchors[2]; // only their addresses are used
    const cl_device_id a = (cl_device_id)(void *)&anchors[0];
    const cl_device_id b = (cl_device_id)(void *)&anchors[1];
    const struct {
        cl_device_id devices[3];
        unsigned n;
        bool is_member;
    } cases[] = { { { own->device }, 1, true },    { { own->device, a }, 2, true },
                  { { a, own->device }, 2, true }, { { a, own->device, b }, 3, true },
                  { { a, b }, 2, false },          { { a }, 1, false },
                  { { NULL }, 0, false } };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        gpuprim *gp = NULL;
        check->cases++;
        shim_devices(cases[i].devices, cases[i].n);
        const int status = gpuprim_create_cl(own->context, own->device, NULL, &gp);
        shim_devices(NULL, 0);
        CHECK(check, status == (cases[i].is_member ? GPUPRIM_OK : GPUPRIM_E_ARG),
              "case %u: %d (%s)", i, status, gpuprim_last_error());
        CHECK(check, gp ? cases[i].is_member && sums(gp) : !cases[i].is_member,
              "case %u: the context is %s", i, gp ? "there" : "not there");
        gpuprim_destroy(&gp);
    }
    gpuprim_destroy(&own);
}

// ---------------------------------------------------------------------------------------
// Options

static void log_levels(struct check *check)
{
    static const int levels[] = { GPUPRIM_LOG_NONE - 1, GPUPRIM_LOG_NONE, GPUPRIM_LOG_TRACE,
                                  GPUPRIM_LOG_TRACE + 1 };
    for (int i = 0; i < 4; i++) {
        const struct gpuprim_options options = { .log_level =
                                                     (enum gpuprim_log_level)levels[i] };
        const bool good = i == 1 || i == 2;
        gpuprim *gp = NULL;
        check->cases++;
        const int status = gpuprim_create(&options, &gp);
        CHECK(check, status == (good ? GPUPRIM_OK : GPUPRIM_E_ARG) && (gp != NULL) == good,
              "log_level %d: %d", levels[i], status);
        gpuprim_destroy(&gp);
    }
}

// ---------------------------------------------------------------------------------------
// The environment

static void variants(struct check *check)
{
    static const struct {
        const char *value;
        int status;
    } cases[] = { { "reduce:baseline", GPUPRIM_OK },
                  { "reduce:no such", GPUPRIM_E_UNSUPPORTED },
                  { "reduce:", GPUPRIM_E_UNSUPPORTED },
                  { "reduce", GPUPRIM_OK }, // not PRIMITIVE:VARIANT: ignored
                  { "reduce baseline", GPUPRIM_OK },
                  { "reducer:no such", GPUPRIM_OK },
                  { "reduc:no such", GPUPRIM_OK },
                  { "classify:no such", GPUPRIM_OK } };
    const struct gp_primitive *reduce = check_primitive("reduce");
    const char *inherited = getenv("GPUPRIM_VARIANT");
    char *kept = inherited ? strdup(inherited) : NULL;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        gpuprim *gp = NULL;
        setenv("GPUPRIM_VARIANT", cases[i].value, 1);
        check->cases++;
        const bool made = !gpuprim_create(NULL, &gp);
        if (CHECK(check, made, "%s", gpuprim_last_error()))
            CHECK(check, sums(gp) == (cases[i].status == GPUPRIM_OK), "GPUPRIM_VARIANT=%s: %s",
                  cases[i].value, gpuprim_last_error());
        for (unsigned v = 0; cases[i].status && v < reduce->n_variants; v++)
            CHECK(check, strstr(gpuprim_last_error(), reduce->variants[v]->name),
                  "the message does not list %s: %s", reduce->variants[v]->name,
                  gpuprim_last_error());
        gpuprim_destroy(&gp);
    }
    if (kept)
        setenv("GPUPRIM_VARIANT", kept, 1);
    else
        unsetenv("GPUPRIM_VARIANT");
    free(kept);
}

void contexts_run(struct check *check)
{
    static const struct {
        const char *name;
        void (*run)(struct check *check);
    } tests[] = { { "log_levels", log_levels }, { "variant", variants } };
    for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++)
        if (check_begin(check, "api/options/%s", tests[i].name)) {
            tests[i].run(check);
            check_end(check);
        }
    if (check_begin(check, "api/several_devices/named")) {
        devices_of_context(check);
        check_end(check);
    }
    if (check_begin(check, "api/several_devices/parts")) {
        const char *why = several_devices(check);
        if (why)
            check_skip(check, "%s", why);
        else
            check_end(check);
    }
}
