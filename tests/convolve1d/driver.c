/* SPDX-License-Identifier: Apache-2.0
 *
 * What calls of convolve1d ask of the driver (harness/repeat.h), on buffers and SVM. suite.c runs
 * this file. */
#include "case.h"

#include <stdlib.h>
#include <string.h>

#include "src/convolve1d/convolve1d.h"
#include "tests/harness/model.h"
#include "tests/harness/repeat.h"
#include "tests/harness/shim.h"

enum { SVM = 1, HISTORY = 2, OWN_TAPS = 4, BYTES = 8, TO_COLUMNS = 16 };

// Most geometries share two numbers of taps, because each number needs programs of its own.
static const struct geometry {
    const char *name;
    uint64_t taps, count, rows;
    int64_t stride; // of input and output
    uint64_t step;  // of the filter
    unsigned flags;
} geometries[] = {
    { "few taps", 9, 300007, 1, 1, 1, 0 },
    { "some taps", 33, 300007, 1, 1, 1, 0 },
    { "many taps", 300, 100003, 1, 1, 1, 0 },
    { "one output", 9, 1, 1, 1, 1, 0 },
    { "none", 9, 0, 1, 1, 1, 0 },
    { "rows", 9, 3001, 30, 1, 1, 0 },
    { "taps of rows", 9, 3001, 3, 1, 1, OWN_TAPS },
    { "strided", 33, 30011, 1, 2, 1, 0 },
    { "every third", 9, 30011, 1, 1, 3, 0 },
    { "history", 33, 30011, 1, 1, 1, HISTORY },
    { "history of rows", 9, 500, 20, 1, 1, HISTORY },
    { "svm", 33, 30011, 1, 1, 1, SVM },
    { "history in svm", 9, 30011, 2, 1, 1, SVM | HISTORY },
    { "tiny rows", 9, 7, 3000, 1, 1, 0 },
    { "rows to columns", 9, 3001, 30, 1, 1, TO_COLUMNS },
    { "bytes", 9, 100003, 1, 1, 1, BYTES },
    { "many taps of bytes", 129, 20011, 1, 1, 1, BYTES },
    { "short rows of bytes", 9, 40, 3000, 1, 1, BYTES },
};
enum { GEOMETRIES = sizeof geometries / sizeof *geometries };

struct fixture {
    const gpuprim *gp;
    gpuprim_filter *filter;
    struct gpuprim_array in, out;
    struct gpuprim_history history;
    bool has_history;
};

// Zeros in a buffer or in SVM.
static struct gpuprim_array memory_of(struct check *check, const gpuprim *gp,
                                      const struct geometry *geometry, uint64_t count)
{
    const uint64_t row = count * (uint64_t)geometry->stride;
    const enum gpuprim_type type = (geometry->flags & BYTES) ? GPUPRIM_U8 : GPUPRIM_F32;
    const size_t bytes = (row * geometry->rows + 1) * gp_type_size(type);
    const cl_uchar zero = 0;
    struct gpuprim_array array = { .type = type,
                                   .memory =
                                       (geometry->flags & SVM) ? GPUPRIM_SVM : GPUPRIM_BUFFER,
                                   .count = count,
                                   .stride = geometry->stride,
                                   .rows = geometry->rows,
                                   .row_stride = row ? (int64_t)row : 1 };
    if (geometry->flags & SVM) {
        array.base = clSVMAlloc(gp->context, CL_MEM_READ_WRITE, bytes, 0);
        if (array.base)
            clEnqueueSVMMemFill(gp->queue, array.base, &zero, sizeof zero, bytes, 0, NULL,
                                NULL);
    } else {
        array.base = clCreateBuffer(gp->context, CL_MEM_READ_WRITE, bytes, NULL, NULL);
        if (array.base)
            clEnqueueFillBuffer(gp->queue, array.base, &zero, sizeof zero, 0, bytes, 0, NULL,
                                NULL);
    }
    clFinish(gp->queue);
    CHECK(check, array.base, "no device memory for a test");
    return array;
}

static int fixture_make(struct check *check, gpuprim *gp, const struct geometry *geometry,
                        struct fixture *f)
{
    const uint64_t outputs = gp_ceil_div(geometry->count, geometry->step);
    const uint64_t rows = (geometry->flags & OWN_TAPS) ? geometry->rows : 1;
    const bool are_bytes = (geometry->flags & BYTES) != 0;
    float *h = check_allocate(geometry->taps * rows * sizeof *h);
    int32_t *whole = (int32_t *)h;
    for (uint64_t k = 0; k < geometry->taps * rows; k++)
        if (are_bytes)
            whole[k] = (int32_t)(k % 7);
        else
            h[k] = (float)k;
    struct gpuprim_array taps =
        gpuprim_host(are_bytes ? GPUPRIM_I32 : GPUPRIM_F32, h, geometry->taps);
    taps.rows = rows;
    const struct gpuprim_filter_params params = {
        .in = are_bytes ? GPUPRIM_U8 : GPUPRIM_F32,
        .mode = GPUPRIM_CAUSAL,
        .stride = geometry->step,
        .method = convolve_method_of(gp->force_variant),
        .left = (geometry->flags & HISTORY) ? GPUPRIM_HISTORY : GPUPRIM_ZERO
    };
    *f = (struct fixture){ .gp = gp, .has_history = (geometry->flags & HISTORY) != 0 };
    int status = gpuprim_filter_create(gp, &taps, &params, &f->filter);
    free(h);
    f->in = memory_of(check, gp, geometry, geometry->count);
    f->out = memory_of(check, gp, geometry, outputs);
    if (geometry->flags & TO_COLUMNS) {
        f->out.stride = (int64_t)geometry->rows;
        f->out.row_stride = 1;
    }
    if (geometry->flags & HISTORY)
        f->history.before = f->history.after =
            memory_of(check, gp, geometry, geometry->taps - 1);
    if (!status)
        status = gpuprim_convolve1d_prepare(gp, f->filter, &f->in, &f->out,
                                            f->has_history ? &f->history : NULL);
    // A forced variant refuses the call later, too, which is counted there.
    return status == GPUPRIM_E_UNSUPPORTED && check_may_refuse(gp) ? GPUPRIM_OK : status;
}

static void memory_free(const gpuprim *gp, struct gpuprim_array *array)
{
    if (array->base && array->memory == GPUPRIM_SVM)
        clSVMFree(gp->context, array->base);
    else if (array->base)
        clReleaseMemObject(array->base);
}

static void fixture_free(struct fixture *f)
{
    gpuprim_filter_destroy(&f->filter);
    memory_free(f->gp, &f->in);
    memory_free(f->gp, &f->out);
    if (f->has_history)
        memory_free(f->gp, &f->history.before);
}

static int make(gpuprim *gp, const void *fixture, const struct gpuprim_sync *sync)
{
    const struct fixture *f = fixture;
    return gpuprim_convolve1d(gp, f->filter, &f->in, &f->out,
                              f->has_history ? &f->history : NULL, sync);
}

// Whether the variant keeps matrices between three launches, in up to 256 MiB.
static bool has_columns(const gpuprim *gp)
{
    return strcmp(gp->force_variant, "convolve1d:gpu_fft_columns") == 0;
}

// Whether outputs go by way of a part of the staging memory: a launch more.
static bool is_transposed(const gpuprim *gp)
{
    return strcmp(gp->force_variant, "convolve1d:gpu_transposed") == 0;
}

static struct repeat_call call_of(const gpuprim *gp, const struct geometry *geometry,
                                  const struct fixture *fixture)
{
    return (struct repeat_call){ .name = geometry->name,
                                 .make = make,
                                 .fixture = fixture,
                                 .least_launches = geometry->count ? 1 : 0,
                                 // The history for the next call may be a launch of its own.
                                 .most_launches = (has_columns(gp) ? 3u : 1u) +
                                                  (is_transposed(gp) ? 1u : 0u) +
                                                  ((geometry->flags & HISTORY) ? 1u : 0u),
                                 .is_built = true,
                                 .is_empty = !geometry->count,
                                 .is_large = has_columns(gp) && geometry->rows > 10 };
}

static bool is_possible(const gpuprim *gp, const struct geometry *geometry)
{
    enum { MANY_ROWS = 1000 }; // a matrix each
    const bool has_fft = convolve_method_of(gp->force_variant) == GPUPRIM_METHOD_FFT;
    return (!(geometry->flags & SVM) || gp->caps.has_svm) &&
           !((geometry->flags & BYTES) && has_fft) &&
           !(has_columns(gp) && geometry->rows > MANY_ROWS);
}

// Whether it is there for a variant that takes few of the others.
static bool is_rare(const struct geometry *geometry)
{
    enum { TINY = 16 };
    return (geometry->flags & (BYTES | TO_COLUMNS)) ||
           (geometry->rows > 1 && geometry->count < TINY);
}

static void repeats(struct check *check, gpuprim *gp, enum repeat_way way,
                    cl_command_queue queue)
{
    for (unsigned i = 0; i < GEOMETRIES; i++) {
        struct fixture f;
        const struct repeat_call call = call_of(gp, &geometries[i], &f);
        // A forced variant takes half of those that most variants take: each may need a program.
        const bool is_left_out = !is_rare(&geometries[i]) && check_once_in(check, 2);
        if ((check_may_refuse(gp) && is_left_out) || !is_possible(gp, &geometries[i]))
            continue;
        const int status = fixture_make(check, gp, &geometries[i], &f);
        if (CHECK(check, !status, "%s: %s", geometries[i].name, gpuprim_last_error()))
            repeat_twice(check, gp, way, queue, &call);
        fixture_free(&f);
    }
}

// What a call on arrays of the device may take beside them: matrices, outputs on their way, or
// counters by which groups update the history.
static long most_bytes(const gpuprim *gp)
{
    if (is_transposed(gp))
        return (long)gp->staging_bytes;
    return has_columns(gp) ? 256 << 20 : gp->caps.counts_arrivals ? 64 << 10 : 0;
}

static void scratch(struct check *check, const struct device_model *model, const char *forced)
{
    const long before = shim_held();
    gpuprim *gp = check_context_on(check, model, forced, 0);
    for (unsigned i = 0; gp && i < GEOMETRIES; i++) {
        struct fixture f;
        const struct repeat_call call = call_of(gp, &geometries[i], &f);
        const long kept = shim_held();
        if (!is_possible(gp, &geometries[i]))
            continue;
        const int status = fixture_make(check, gp, &geometries[i], &f);
        if (CHECK(check, !status, "%s: %s", geometries[i].name, gpuprim_last_error()))
            repeat_bytes(check, gp, &call, before, shim_held() - kept, most_bytes(gp));
        fixture_free(&f);
    }
    gpuprim_destroy(&gp);
    CHECK(check, shim_held() == before, "%ld bytes are left", shim_held() - before);
}

void convolve_driver_run(struct check *check)
{
    repeat_groups(check, "convolve1d", repeats);
    repeat_bytes_groups(check, "convolve1d", scratch);
}
