/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify, seventh part: what a call asks of the driver. A call like one before it
 * makes nothing, and what lies on the device beside arrays and tables has a limit. */
#include "case.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/harness/model.h"
#include "tests/harness/shim.h"

static const struct shape {
    const char *name;
    uint64_t count, rows;
    int64_t stride, row_stride;
    uint64_t thresholds;
    bool labels, counts, per_row;
} shapes[] = {
    { "labels", 1000003, 1, 1, 0, 7, true, false, false },
    { "counts", 1000003, 1, 1, 0, 7, false, true, false },
    { "both", 1000003, 1, 1, 0, 255, true, true, false },
    { "many counts", 300007, 1, 1, 0, 65535, false, true, false },
    { "strided", 100003, 1, 2, 0, 1023, true, true, false },
    { "columns", 20000, 30, 30, 1, 15, true, true, true },
    { "rows", 100, 3000, 1, 100, 15, true, true, true },
    { "long rows", 50000, 20, 1, 50000, 255, true, true, true },
    { "many counts of rows", 3000, 40, 1, 3000, 4095, true, true, true },
    { "packed rows", 1920, 500, 1, 1920, 7, true, true, false },
    { "none", 0, 1, 1, 0, 7, true, true, false },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

struct stage {
    struct gpuprim_array in, labels, counts;
    gpuprim_classifier *classifier;
};

static struct gpuprim_array buffer_of(const gpuprim *gp, enum gpuprim_type type, uint64_t n)
{
    cl_int error;
    const size_t bytes = (n ? n : 1) * gp_type_size(type);
    cl_mem memory = clCreateBuffer(gp->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    const cl_uint zero = 0;
    if (!error)
        clEnqueueFillBuffer(gp->queue, memory, &zero, 1, 0, bytes, 0, NULL, NULL);
    clFinish(gp->queue);
    return gpuprim_buffer(type, memory, 0, n);
}

// Thresholds 1, 2, 3, ... and data of zeros: all in one class.
static int stage_make(gpuprim *gp, const struct shape *shape, struct stage *s)
{
    const uint64_t elements = shape->count * shape->rows * (uint64_t)shape->stride;
    float *t = check_allocate(shape->thresholds * sizeof *t);
    for (uint64_t k = 0; k < shape->thresholds; k++)
        t[k] = (float)(k + 1);
    const struct gpuprim_thresholds rule = { .values = gpuprim_host(GPUPRIM_F32, t,
                                                                    shape->thresholds) };
    const struct gpuprim_classifier_params params = { .thresholds = &rule };
    s->classifier = NULL;
    const int status = gpuprim_classifier_create(gp, &params, &s->classifier);
    free(t);
    s->in = buffer_of(gp, GPUPRIM_F32, elements);
    s->labels = buffer_of(gp, shape->thresholds < 256 ? GPUPRIM_U8 : GPUPRIM_U16, elements);
    s->in.count = s->labels.count = shape->count;
    s->in.rows = s->labels.rows = shape->rows;
    s->in.stride = s->labels.stride = shape->stride;
    s->in.row_stride = s->labels.row_stride = shape->count ? shape->row_stride : 1;
    const uint64_t rows = shape->per_row ? shape->rows : 1;
    s->counts = buffer_of(gp, GPUPRIM_U32, (shape->thresholds + 1) * rows);
    s->counts.count = shape->thresholds + 1;
    s->counts.rows = rows;
    return status;
}

static int stage_call(gpuprim *gp, const struct shape *shape, const struct stage *s,
                      const struct gpuprim_sync *sync)
{
    return gpuprim_classify(gp, s->classifier, &s->in, shape->labels ? &s->labels : NULL,
                            shape->counts ? &s->counts : NULL, sync);
}

static void stage_free(struct stage *s)
{
    gpuprim_classifier_destroy(&s->classifier);
    clReleaseMemObject(s->in.base);
    clReleaseMemObject(s->labels.base);
    clReleaseMemObject(s->counts.base);
}

// ---------------------------------------------------------------------------------------
// A call like the one before it

enum way { BLOCKING, ENQUEUED, WITH_EVENT, OUT_OF_ORDER, WAYS };
static const char *const way_names[WAYS] = { "blocking", "enqueued", "with_event",
                                             "out_of_order" };

// The events that a call may make: the one that was asked for, the one that tells when scratch
// memory is free again, and on an out-of-order queue one for each launch.
static unsigned events_allowed(enum way way, const struct shape *shape, unsigned launches)
{
    if (way == OUT_OF_ORDER)
        return launches;
    return way == WITH_EVENT || (way == ENQUEUED && shape->counts) ? 1 : 0;
}

// That what it needs is compiled when the classifier is made.
static bool is_promised(const struct shape *shape)
{
    const bool is_packed =
        shape->stride == 1 && (shape->rows == 1 || shape->row_stride == (int64_t)shape->count);
    return is_packed && !shape->per_row;
}

static void repeat(struct check *check, gpuprim *gp, const struct shape *shape, enum way way,
                   cl_command_queue queue)
{
    struct stage s;
    check->cases++;
    int status = stage_make(gp, shape, &s);
    unsigned launches = 0, others = 0, creates = 0, events = 0, allocations = 0;
    for (int call = 0; !status && call < 2; call++) {
        cl_event done = NULL;
        struct gpuprim_sync sync = { .queue = queue };
        if (way >= WITH_EVENT)
            sync.done = &done;
        shim_fail(-1, 0);
        status = stage_call(gp, shape, &s, way == BLOCKING ? NULL : &sync);
        allocations = shim_allocations();
        events = shim_events();
        launches = shim_calls_of("clEnqueueNDRangeKernel");
        others = shim_calls_of("clEnqueue") - launches;
        creates = shim_calls_of("clCreate") + shim_calls_of("clBuild");
        CHECK(check, shim_calls_of("clBuild") == 0 || (call == 0 && !is_promised(shape)),
              "%s: call %d compiles", shape->name, call);
        if (done)
            clReleaseEvent(done);
        clFinish(queue); // whatever it used is free again
    }
    stage_free(&s);
    if (status == GPUPRIM_E_UNSUPPORTED && classify_may_refuse(gp)) {
        check->not_taken++;
        return;
    }
    CHECK(check, status == GPUPRIM_OK, "%s: %s", shape->name, gpuprim_last_error());
    CHECK(check, launches <= 2 && (launches || !shape->count), "%s: %u launches", shape->name,
          launches);
    CHECK(check, others == 0 || !shape->count, "%s: %u commands beside the launches",
          shape->name, others);
    CHECK(check, creates == 0, "%s: %u objects were made or built", shape->name, creates);
    CHECK(check, events <= events_allowed(way, shape, launches) || !shape->count,
          "%s: %u events for %u launches", shape->name, events, launches);
    CHECK(check, allocations == 0, "%s: memory was allocated %u times", shape->name,
          allocations);
}

static void repeats(struct check *check, enum way way)
{
    const struct gp_primitive *classify = classify_primitive();
    for (unsigned v = 0; v <= classify->n_variants; v++) {
        char forced[64] = "";
        if (v < classify->n_variants)
            snprintf(forced, sizeof forced, "classify:%s", classify->variants[v]->name);
        gpuprim *gp = check_context(check, forced, 0);
        if (gp)
            gp->build_late = false; // what creation builds is part of the test
        cl_int error;
        cl_command_queue queue =
            gp ? clCreateCommandQueue(
                     gp->context, gp->device,
                     way == OUT_OF_ORDER ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &error)
               : NULL;
        for (unsigned i = 0; queue && i < SHAPES; i++)
            repeat(check, gp, &shapes[i], way, queue);
        if (queue)
            clReleaseCommandQueue(queue);
        gpuprim_destroy(&gp);
    }
}

// ---------------------------------------------------------------------------------------
// Memory

// In a context of its own, that no memory is there from earlier calls. `compute_units`: as on a
// large GPU; 0: as this device has them.
static void scratch(struct check *check, const char *variant, unsigned compute_units,
                    const struct shape *shape)
{
    const long before = shim_held();
    const struct device_model large = { .type = CL_DEVICE_TYPE_GPU, .units = compute_units };
    gpuprim *gp = check_context_on(check, compute_units ? &large : NULL, variant, 0);
    struct stage s;
    if (!gp)
        return;
    const long allowed = ((long)256 << 10) * (long)gp->caps.compute_units;
    check->cases++;
    int status = stage_make(gp, shape, &s);
    shim_fail(-1, 0);
    const long held = shim_held();
    if (!status)
        status = stage_call(gp, shape, &s, NULL);
    const long most = shim_held_most() - held;
    stage_free(&s);
    gpuprim_destroy(&gp);
    if (status == GPUPRIM_E_UNSUPPORTED) {
        check->not_taken++;
        return;
    }
    CHECK(check, status == GPUPRIM_OK, "%s: %s", shape->name, gpuprim_last_error());
    CHECK(check, most <= allowed, "%s: %ld bytes of scratch memory, %ld are allowed",
          shape->name, most, allowed);
    CHECK(check, shim_held() == before, "%s: %ld bytes are left", shape->name,
          shim_held() - before);
}

void classify_driver_run(struct check *check)
{
    for (int way = BLOCKING; way < WAYS; way++)
        if (check_begin(check, "classify/driver/again/%s", way_names[way])) {
            repeats(check, way);
            check_end(check);
        }
    const struct gp_primitive *classify = classify_primitive();
    for (unsigned v = 0; v < classify->n_variants; v++)
        for (unsigned units = 0; units <= 132; units += 132)
            if (check_begin(check, "classify/driver/scratch/%s/%u", classify->variants[v]->name,
                            units)) {
                char forced[64];
                snprintf(forced, sizeof forced, "classify:%s", classify->variants[v]->name);
                for (unsigned i = 0; i < SHAPES; i++)
                    scratch(check, forced, units, &shapes[i]);
                if (check->not_taken == check->cases)
                    check_skip(check, "the variant is for other devices");
                else
                    check_end(check);
            }
}
