/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of OpenCL contexts with several devices, of the options of a context, and of the
 * environment variables. Each is tested by its effect on a call.
 */
#include "api.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/shim.h"

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

enum { ROWS = 3, N = 301 };

struct streamed {
    int32_t x[ROWS * N];
    int64_t sums[ROWS];
    int32_t filtered[ROWS * N];
    uint8_t labels[ROWS * N];
    uint32_t counts[2];
};

static bool are_right(const struct streamed *s)
{
    uint32_t counts[2] = { 0, 0 };
    for (int r = 0; r < ROWS; r++) {
        int64_t sum = 0;
        for (int i = r * N; i < (r + 1) * N; i++) {
            const int label = s->x[i] >= 0;
            sum += s->x[i];
            counts[label]++;
            if (s->labels[i] != label ||
                s->filtered[i] != s->x[i] - (i > r * N ? s->x[i - 1] : 0))
                return false;
        }
        if (s->sums[r] != sum)
            return false;
    }
    return counts[0] == s->counts[0] && counts[1] == s->counts[1];
}

static int call_all(gpuprim *gp, struct streamed *s)
{
    static const int32_t difference[2] = { 1, -1 }, zero = 0;
    struct gpuprim_array in = gpuprim_host(GPUPRIM_I32, s->x, N);
    const struct gpuprim_array sums = gpuprim_host(GPUPRIM_I64, s->sums, ROWS);
    struct gpuprim_array filtered = gpuprim_host(GPUPRIM_I32, s->filtered, N);
    struct gpuprim_array labels = gpuprim_host(GPUPRIM_U8, s->labels, N);
    const struct gpuprim_array counts = gpuprim_host(GPUPRIM_U32, s->counts, 2);
    in.rows = filtered.rows = labels.rows = ROWS;
    const struct gpuprim_array taps = gpuprim_host(GPUPRIM_I32, difference, 2);
    const struct gpuprim_filter_params causal = { .mode = GPUPRIM_CAUSAL };
    const struct gpuprim_thresholds at_zero = { .values = gpuprim_host(GPUPRIM_I32, &zero, 1) };
    const struct gpuprim_classifier_params sign = { .thresholds = &at_zero };
    gpuprim_filter *filter = NULL;
    gpuprim_classifier *classifier = NULL;
    int status = gpuprim_reduce(gp, &in, &sums, &(struct gpuprim_reduce_params){ 0 }, NULL);
    if (!status)
        status = gpuprim_filter_create(gp, &taps, &causal, &filter);
    if (!status)
        status = gpuprim_convolve1d(gp, filter, &in, &filtered, NULL, NULL);
    if (!status)
        status = gpuprim_classifier_create(gp, &sign, &classifier);
    if (!status)
        status = gpuprim_classify(gp, classifier, &in, &labels, &counts, NULL);
    gpuprim_filter_destroy(&filter);
    gpuprim_classifier_destroy(&classifier);
    return status;
}

// Limits down to one byte, with which elements are copied one at a time. The size of the
// copies shows the limit.
static void staging(struct check *check)
{
    static const uint64_t limits[] = { 0, 4096, 64, 16, 1 };
    struct streamed *s = check_allocate(sizeof *s);
    for (int i = 0; i < ROWS * N; i++)
        s->x[i] = (int32_t)check_below(check, 2000) - 1000;
    for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++) {
        const struct gpuprim_options options = { .staging_bytes = limits[i] };
        gpuprim *gp = NULL;
        check->cases++;
        if (!CHECK(check, !gpuprim_create(&options, &gp), "%s", gpuprim_last_error()))
            continue;
        gp->caps.is_cpu = false; // CPU devices do not use staging memory
        memset(s->sums, 0x55, sizeof *s - offsetof(struct streamed, sums));
        shim_fail(-1, 0);
        const int status = call_all(gp, s);
        const unsigned copies = shim_calls_of("clEnqueueWriteBuffer");
        CHECK(check, !status && are_right(s), "staging_bytes %llu: %d (%s)",
              (unsigned long long)limits[i], status, gpuprim_last_error());
        // A half has at most a quarter of the limit. The ends of filtered rows are copied
        // apart.
        const uint64_t half = limits[i] / 4 > sizeof(int32_t) ? limits[i] / 4 : sizeof(int32_t);
        CHECK(check, limits[i] ? copies >= 2 * sizeof s->x / half : copies == 3 /* calls */,
              "staging_bytes %llu: %u copies", (unsigned long long)limits[i], copies);
        const unsigned reads = shim_calls_of("clEnqueueReadBuffer");
        CHECK(check, limits[i] || reads <= 4 /* outputs */, "%u reads for four small outputs",
              reads);
        gpuprim_destroy(&gp);
    }
    free(s);
}

// A context keeps at most 4 MiB of staging memory for later calls. A call that needs no more
// than that allocates nothing if one like it came before.
static void kept_staging(struct check *check)
{
    enum { MIB = 1 << 20, ELEMENTS = 12 * MIB / (int)sizeof(int32_t) };
    static const struct {
        unsigned staging, bytes; // MiB; a half is a quarter of `staging`
        bool again;              // the second call allocates nothing
    } cases[] = {
        { 64, 1, true }, { 64, 3, true }, { 64, 5, false }, { 12, 12, false }, { 4, 12, true }
    };
    int32_t *x = check_allocate(sizeof *x * ELEMENTS);
    for (int i = 0; i < ELEMENTS; i++)
        x[i] = 1;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct gpuprim_options options = { .staging_bytes = cases[i].staging * MIB };
        gpuprim *gp = NULL;
        check->cases++;
        if (!CHECK(check, !gpuprim_create(&options, &gp), "%s", gpuprim_last_error()))
            continue;
        gp->caps.is_cpu = false;
        const uint64_t n = cases[i].bytes * MIB / sizeof *x;
        const struct gpuprim_array in = gpuprim_host(GPUPRIM_I32, x, n);
        int64_t sum = 0;
        const struct gpuprim_array out = gpuprim_host(GPUPRIM_I64, &sum, 1);
        const long before = shim_held();
        for (int turn = 0; turn < 2; turn++) {
            shim_fail(-1, 0);
            const int status =
                gpuprim_reduce(gp, &in, &out, &(struct gpuprim_reduce_params){ 0 }, NULL);
            CHECK(check, !status && sum == (int64_t)n, "%s", gpuprim_last_error());
        }
        // Scratch memory comes on top.
        CHECK(check, shim_held() - before <= 4 * MIB + MIB, "case %u: %ld bytes are kept", i,
              shim_held() - before);
        CHECK(check, (shim_calls_of("clCreateBuffer") == 0) == cases[i].again,
              "case %u: the second call makes %u buffers", i, shim_calls_of("clCreateBuffer"));
        gpuprim_destroy(&gp);
    }
    free(x);
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
        CHECK(check,
              cases[i].status == GPUPRIM_OK ||
                  strstr(gpuprim_last_error(), "gpu_long_rows, gpu_rows, baseline"),
              "the message has no list of variants: %s", gpuprim_last_error());
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
    } tests[] = { { "log_levels", log_levels },
                  { "staging_bytes", staging },
                  { "kept_staging", kept_staging },
                  { "variant", variants } };
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
