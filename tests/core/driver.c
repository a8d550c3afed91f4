/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests on models of devices (harness/model.h) that are small, old or odd, or have an odd
 * driver. Some small calls of each primitive must give right results, without a launch or a
 * buffer that the device cannot take. driver_variants.c tests variants that do not build. */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/classify/case.h"
#include "tests/convolve1d/case.h"
#include "tests/reduce/case.h"
#include "tests/harness/shim.h"

static void take_warning(void *user, enum gpuprim_log_level level, const char *text)
{
    struct driver_log *log = user;
    if (level != GPUPRIM_LOG_WARN)
        return;
    log->warnings++;
    snprintf(log->message, sizeof log->message, "%s", text);
}

gpuprim *driver_context(struct check *check, const struct device_model *model,
                        const char *variant, struct driver_log *log)
{
    gpuprim *gp = NULL;
    const struct gpuprim_options options = { .log = log ? take_warning : NULL,
                                             .log_user = log,
                                             .log_level = GPUPRIM_LOG_WARN };
    if (model_create(model, &options, &gp) == GPUPRIM_OK) {
        snprintf(gp->force_variant, sizeof gp->force_variant, "%s", variant ? variant : "");
        return gp;
    }
    model_end();
    check_fail(check, "no context: %s", gpuprim_last_error());
    return NULL;
}

// ---------------------------------------------------------------------------------------
// Small calls

// One for each geometry of the input that has a variant of its own.
static void reductions(struct check *check, gpuprim *gp)
{
    static const struct {
        uint64_t count, rows;
        int64_t stride, row_stride;
        enum gpuprim_memory memory;
    } geometries[] = {
        { 30011, 1, 1, 0, GPUPRIM_HOST },   { 30011, 1, 1, 0, GPUPRIM_BUFFER },
        { 201, 2, 1, 201, GPUPRIM_HOST },   { 3, 300, 1, 3, GPUPRIM_BUFFER },
        { 1100, 7, 1, 1100, GPUPRIM_HOST }, { 100, 9, 9, 1, GPUPRIM_BUFFER },
        { 60, 5, 3, 200, GPUPRIM_BUFFER },
    };
    for (unsigned i = 0; i < sizeof geometries / sizeof *geometries; i++) {
        const struct reduce_case test = { .params = { .op = GPUPRIM_SUM },
                                          .type = GPUPRIM_I32,
                                          .data = DATA_RANDOM,
                                          .count = geometries[i].count,
                                          .rows = geometries[i].rows,
                                          .stride = geometries[i].stride,
                                          .row_stride = geometries[i].row_stride,
                                          .lead = i % 3,
                                          .in_memory = geometries[i].memory,
                                          .out_memory = geometries[i].memory };
        // A buffer with what lies around the elements.
        if (geometries[i].memory == GPUPRIM_BUFFER &&
            geometries[i].count * geometries[i].rows * 4 > gp->caps.max_alloc_bytes / 2)
            continue;
        reduce_run(check, gp, &test);
    }
}

static void filter(struct check *check, gpuprim *gp, struct convolve_kind kind, uint64_t taps,
                   enum gpuprim_memory memory)
{
    const struct convolve_case test = { .kind = kind,
                                        .params = { .in = kind.in,
                                                    .out = kind.out,
                                                    .mode = GPUPRIM_SAME,
                                                    .left = GPUPRIM_EDGE },
                                        .taps = taps,
                                        .count = 5003,
                                        .rows = 1,
                                        .in = { .memory = memory },
                                        .out = { .memory = memory } };
    convolve_run(check, gp, &test);
}

static void filters(struct check *check, gpuprim *gp)
{
    static const struct convolve_kind floats = { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 };
    static const struct convolve_kind sums_of_64 = { GPUPRIM_I32, GPUPRIM_I16, GPUPRIM_I64 };
    filter(check, gp, floats, 9, GPUPRIM_BUFFER);
    filter(check, gp, floats, 33, GPUPRIM_HOST);
    if (gp->caps.is_cpu) // elsewhere all integers are summed alike
        filter(check, gp, sums_of_64, 9, GPUPRIM_HOST);
    else
        filter(check, gp, floats, 300, GPUPRIM_BUFFER);
}

static void labels(struct check *check, gpuprim *gp, enum gpuprim_memory memory)
{
    struct classify_case test = { .type = GPUPRIM_F32,
                                  .count = 5003,
                                  .rows = 1,
                                  .labels = GPUPRIM_U8,
                                  .counts = GPUPRIM_U32,
                                  .in = { .memory = memory },
                                  .out = { .memory = memory },
                                  .counted = { .memory = memory } };
    classify_thresholds(check, GPUPRIM_F32, 9, 1, SPREAD_RANDOM, &test.params);
    classify_run(check, gp, &test);
    classify_free(&test.params);
}

// Without local memory labels cannot be counted: every launch takes some as an argument.
static void no_labels(struct check *check, gpuprim *gp)
{
    struct gpuprim_classifier_params params = { .in = GPUPRIM_F32 };
    gpuprim_classifier *classifier = NULL;
    classify_thresholds(check, GPUPRIM_F32, 9, 1, SPREAD_RANDOM, &params);
    const int status = gpuprim_classifier_create(gp, &params, &classifier);
    check->cases++;
    CHECK(check, status == GPUPRIM_E_UNSUPPORTED && !classifier, "status %d", status);
    CHECK(check, strstr(gpuprim_last_error(), "local memory"), "message: %s",
          gpuprim_last_error());
    gpuprim_classifier_destroy(&classifier);
    classify_free(&params);
}

// ---------------------------------------------------------------------------------------
// Devices

// Work-groups of 64 where nothing else is meant: PoCL compiles them sooner.
#define GPU .type = CL_DEVICE_TYPE_GPU
static const struct device_model models[] = {
    { "gpu", GPU, .work_group = 64 },
    { "work_group/1", GPU, .work_group = 1 },
    { "work_group/24", GPU, .work_group = 24 },
    { "work_group/100", GPU, .work_group = 100 },
    { "items/96", GPU, .items = 96 },
    { "kernel_group/4", GPU, .kernel_group = 4 },
    { "local/16384", GPU, .work_group = 64, .local_is_less = true, .local_bytes = 16384 },
    { "local/1024", GPU, .work_group = 64, .local_is_less = true, .local_bytes = 1024 },
    { "local/0", GPU, .work_group = 64, .local_is_less = true },
    { "allocation/65536", GPU, .work_group = 64, .allocation = 1 << 16 },
    { "allocation/1048576", GPU, .work_group = 64, .allocation = 1 << 20 },
    { "wave/64", GPU, .wave = 64 },
    { "accelerator", .type = CL_DEVICE_TYPE_ACCELERATOR, .work_group = 64 },
    { "plain", GPU, .work_group = 64, .is_plain = true },
    { "cpu/without_doubles", .type = CL_DEVICE_TYPE_CPU, .no_doubles = true },
};

// Why the model is impossible on this device, or NULL.
static const char *cannot_tell(struct check *check, const struct device_model *model)
{
    gpuprim *gp = check_context(check, NULL, 0);
    const char *why = NULL;
    if (gp && model->type == CL_DEVICE_TYPE_CPU && !gp->caps.is_cpu)
        why = "the geometries for CPUs are for them alone";
    if (gp && model->kernel_group && gp->caps.is_nvidia)
        why = "NVIDIA's kernels take what they were compiled for, whatever is said of them";
    if (gp && model->local_is_less && model->local_bytes == 0 && gp->caps.is_nvidia)
        why = "NVIDIA counts a byte of local memory for kernels that have none";
    gpuprim_destroy(&gp);
    return why;
}

static void classes(struct check *check, gpuprim *gp)
{
    if (gp->caps.local_bytes == 0)
        no_labels(check, gp);
    else {
        labels(check, gp, GPUPRIM_HOST);
        labels(check, gp, GPUPRIM_BUFFER);
    }
}

static const struct calls {
    const char *primitive;
    void (*make)(struct check *check, gpuprim *gp);
} all_calls[] = { { "reduce", reductions },
                  { "convolve1d", filters },
                  { "classify", classes } };
enum { CALLS = sizeof all_calls / sizeof *all_calls };

static void device(struct check *check, const struct device_model *model,
                   const struct calls *calls)
{
    const long live = shim_live();
    gpuprim *gp = driver_context(check, model, NULL, NULL);
    if (!gp)
        return;
    calls->make(check, gp);
    CHECK(check, model_refusals() == 0, "%u launches, buffers or arguments were too large",
          model_refusals());
    gpuprim_destroy(&gp);
    model_end();
    CHECK(check, shim_live() == live, "%ld objects are left", shim_live() - live);
}

// ---------------------------------------------------------------------------------------
// Drivers

// Copies of lines that lie far apart return before they are made; only their events tell when.
// There are many pieces, because the copy of a whole array shares a queue with its launch.
static void late_copies(struct check *check)
{
    static const struct device_model late = { "late copies", GPU, .work_group = 64,
                                              .late_copies = true };
    gpuprim *gp = driver_context(check, &late, "reduce:baseline", NULL);
    if (!gp)
        return;
    gp->staging_bytes = 1 << 16;
    const struct reduce_case test = { .params = { .op = GPUPRIM_SUM },
                                      .type = GPUPRIM_I32,
                                      .data = DATA_RANDOM,
                                      .count = 300,
                                      .rows = 100,
                                      .row_stride = 5000 };
    shim_fail(-1, 0);
    reduce_run(check, gp, &test);
    CHECK(check, shim_calls_of("clEnqueueWriteBufferRect") > 5, "%u copies",
          shim_calls_of("clEnqueueWriteBufferRect"));
    gpuprim_destroy(&gp);
    model_end();
}

// Lines that are padded on the device. The padding of the last line must lie in the buffer too,
// or NVIDIA's driver refuses the copy. harness/copies.c is as strict, in all tests.
static void strict_copies(struct check *check)
{
    static const struct device_model strict = { "strict copies", GPU, .work_group = 64 };
    static const struct {
        uint64_t count, rows;
        int64_t stride, row_stride;
    } views[] = { { 500, 150, 2, -9001 }, { 500, 40, 2, 9001 }, { 999, 3, 1, 6000 },
                  { 30, 777, 9000, 1 },   { 999, 1, 1, 0 },     { 2, 16001, 30011, 1 } };
    gpuprim *gp = driver_context(check, &strict, "reduce:baseline", NULL);
    if (!gp)
        return;
    for (uint64_t staging = 1 << 14; staging <= 1 << 20; staging *= 8)
        for (unsigned i = 0; i < sizeof views / sizeof *views; i++) {
            const struct reduce_case test = { .params = { .op = GPUPRIM_COUNT },
                                              .type = GPUPRIM_U8,
                                              .data = DATA_SPARSE,
                                              .count = views[i].count,
                                              .rows = views[i].rows,
                                              .stride = views[i].stride,
                                              .row_stride = views[i].row_stride };
            gp->staging_bytes = staging;
            reduce_run(check, gp, &test);
        }
    CHECK(check, model_refusals() == 0, "%u copies are not as they must be", model_refusals());
    gpuprim_destroy(&gp);
    model_end();
}

// A driver that is registered twice lists each of its devices twice.
static void twice(struct check *check)
{
    static const struct device_model platforms = { "twice", .twice = true };
    cl_device_id once[64], again[64];
    const unsigned n = gp_devices(once, 64);
    model_begin(&platforms);
    const unsigned m = gp_devices(again, 64);
    model_end();
    check->cases++;
    CHECK(check, n == m && memcmp(once, again, n * sizeof *once) == 0, "%u devices, then %u", n,
          m);
}

static void run(struct check *check)
{
    for (unsigned i = 0; i < CALLS * sizeof models / sizeof *models; i++) {
        const struct device_model *model = &models[i / CALLS];
        const struct calls *calls = &all_calls[i % CALLS];
        if (!check_begin(check, "driver/model/%s/%s", model->name, calls->primitive))
            continue;
        const char *why = cannot_tell(check, model);
        if (why) {
            check_skip(check, "%s", why);
            continue;
        }
        device(check, model, calls);
        check_end(check);
    }
    static const struct {
        const char *name;
        void (*run)(struct check *check);
    } groups[] = { { "late_copies", late_copies },
                   { "strict_copies", strict_copies },
                   { "twice", twice } };
    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++)
        if (check_begin(check, "driver/%s", groups[i].name)) {
            groups[i].run(check);
            check_end(check);
        }
    driver_variants_run(check);
}

const struct check_suite check_driver = { .name = "driver", .run = run };
