/* SPDX-License-Identifier: Apache-2.0
 *
 * What calls of classify ask of the driver (harness/repeat.h): labels, counts and both, of few
 * and many keys, of rows and columns, on buffers. suite.c runs this file. */
#include "case.h"

#include <stdlib.h>
#include <string.h>

#include "tests/harness/model.h"
#include "tests/harness/repeat.h"
#include "tests/harness/shim.h"
#include "tests/harness/variants.h"

static const struct geometry {
    const char *name;
    uint64_t count, rows;
    int64_t stride, row_stride;
    uint64_t thresholds;
    bool labels, counts, per_row, are_bytes;
} geometries[] = {
    { "labels", 1000003, 1, 1, 0, 7, true, false, false, false },
    { "counts", 1000003, 1, 1, 0, 7, false, true, false, false },
    { "both", 1000003, 1, 1, 0, 255, true, true, false, false },
    { "many counts", 300007, 1, 1, 0, 65535, false, true, false, false },
    { "strided", 100003, 1, 2, 0, 1023, true, true, false, false },
    { "columns", 20000, 30, 30, 1, 15, true, true, true, false },
    { "rows", 100, 3000, 1, 100, 15, true, true, true, false },
    { "long rows", 50000, 20, 1, 50000, 255, true, true, true, false },
    { "many counts of rows", 3000, 40, 1, 3000, 4095, true, true, true, false },
    { "packed rows", 1920, 500, 1, 1920, 7, true, true, false, false },
    { "none", 0, 1, 1, 0, 7, true, true, false, false },
    { "few bytes", 1000, 1, 1, 0, 7, true, true, false, true },
    { "bytes", 100000, 1, 1, 0, 7, false, true, false, true },
};
enum { GEOMETRIES = sizeof geometries / sizeof *geometries };

struct fixture {
    const struct geometry *geometry;
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
static int fixture_make(gpuprim *gp, const struct geometry *geometry, struct fixture *s)
{
    const uint64_t elements = geometry->count * geometry->rows * (uint64_t)geometry->stride;
    const enum gpuprim_type type = geometry->are_bytes ? GPUPRIM_U8 : GPUPRIM_F32;
    float *t = check_allocate(geometry->thresholds * sizeof *t);
    uint8_t *bytes = (uint8_t *)t;
    for (uint64_t k = 0; k < geometry->thresholds; k++)
        if (geometry->are_bytes)
            bytes[k] = (uint8_t)(k + 1);
        else
            t[k] = (float)(k + 1);
    const struct gpuprim_thresholds rule = { .values =
                                                 gpuprim_host(type, t, geometry->thresholds) };
    const struct gpuprim_classifier_params params = { .thresholds = &rule };
    *s = (struct fixture){ .geometry = geometry };
    const int status = gpuprim_classifier_create(gp, &params, &s->classifier);
    free(t);
    s->in = buffer_of(gp, type, elements);
    s->labels = buffer_of(gp, geometry->thresholds < 256 ? GPUPRIM_U8 : GPUPRIM_U16, elements);
    s->in.count = s->labels.count = geometry->count;
    s->in.rows = s->labels.rows = geometry->rows;
    s->in.stride = s->labels.stride = geometry->stride;
    s->in.row_stride = s->labels.row_stride = geometry->count ? geometry->row_stride : 1;
    const uint64_t rows = geometry->per_row ? geometry->rows : 1;
    s->counts = buffer_of(gp, GPUPRIM_U32, (geometry->thresholds + 1) * rows);
    s->counts.count = geometry->thresholds + 1;
    s->counts.rows = rows;
    return status;
}

static void fixture_free(struct fixture *s)
{
    gpuprim_classifier_destroy(&s->classifier);
    clReleaseMemObject(s->in.base);
    clReleaseMemObject(s->labels.base);
    clReleaseMemObject(s->counts.base);
}

static int make(gpuprim *gp, const void *fixture, const struct gpuprim_sync *sync)
{
    const struct fixture *f = fixture;
    return gpuprim_classify(gp, f->classifier, &f->in, f->geometry->labels ? &f->labels : NULL,
                            f->geometry->counts ? &f->counts : NULL, sync);
}

// Whether the programs of the call are built when the classifier is made.
static bool is_promised(const struct geometry *geometry)
{
    const bool is_packed =
        geometry->stride == 1 &&
        (geometry->rows == 1 || geometry->row_stride == (int64_t)geometry->count);
    return is_packed && !geometry->per_row;
}

// Whether elements and labels of columns go by way of scratch memory: a launch each, and a part of
// the staging memory.
static bool has_turned(const gpuprim *gp)
{
    return strcmp(gp->force_variant, "classify:gpu_turned") == 0;
}

static struct repeat_call call_of(const gpuprim *gp, const struct geometry *geometry,
                                  const struct fixture *fixture)
{
    return (struct repeat_call){ .name = geometry->name,
                                 .make = make,
                                 .fixture = fixture,
                                 .least_launches = geometry->count ? 1 : 0,
                                 .most_launches = has_turned(gp) ? 4 : 2,
                                 .is_built = is_promised(geometry),
                                 .is_empty = !geometry->count };
}

static void repeats(struct check *check, gpuprim *gp, enum repeat_way way,
                    cl_command_queue queue)
{
    gp->build_late = false; // what creation builds is part of the test
    for (unsigned i = 0; i < GEOMETRIES; i++) {
        struct fixture f;
        const struct repeat_call call = call_of(gp, &geometries[i], &f);
        const int status = fixture_make(gp, &geometries[i], &f);
        const bool is_refused = status == GPUPRIM_E_UNSUPPORTED && check_may_refuse(gp);
        CHECK(check, !status || is_refused, "%s: %s", geometries[i].name, gpuprim_last_error());
        check->not_taken += is_refused;
        check->cases += is_refused;
        if (!status)
            repeat_twice(check, gp, way, queue, &call);
        fixture_free(&f);
    }
}

// In a context of its own for each call, so that no scratch memory is there from earlier ones.
static void scratch(struct check *check, const struct device_model *model, const char *forced)
{
    for (unsigned i = 0; i < GEOMETRIES; i++) {
        const long before = shim_held();
        gpuprim *gp = check_context_on(check, model, forced, 0);
        struct fixture f;
        if (!gp)
            return;
        const long allowed = has_turned(gp) ? (long)gp->staging_bytes
                                            : ((long)256 << 10) * (long)gp->caps.compute_units;
        const struct repeat_call call = call_of(gp, &geometries[i], &f);
        const int status = fixture_make(gp, &geometries[i], &f);
        if (CHECK(check, !status, "%s: %s", geometries[i].name, gpuprim_last_error()))
            repeat_bytes(check, gp, &call, before, shim_held() - before, allowed);
        fixture_free(&f);
        gpuprim_destroy(&gp);
        CHECK(check, shim_held() == before, "%s: %ld bytes are left", geometries[i].name,
              shim_held() - before);
    }
}

void classify_driver_run(struct check *check)
{
    repeat_groups(check, "classify", repeats);
    repeat_bytes_groups(check, "classify", scratch);
}
