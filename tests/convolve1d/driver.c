/* SPDX-License-Identifier: Apache-2.0
 *
 * What calls of convolve1d ask of the driver (harness/repeat.h), on buffers and SVM. And what
 * is compiled: calls of many shapes with a filter need few programs, and the same calls again
 * need none. */
#include "case.h"

#include <stdlib.h>
#include <string.h>

#include "src/convolve1d/convolve1d.h"
#include "tests/harness/model.h"
#include "tests/harness/repeat.h"
#include "tests/harness/shim.h"

// ---------------------------------------------------------------------------------------
// Calls

// Most geometries share two numbers of taps, because each number needs programs of its own.
static const struct geometry {
    const char *name;
    uint64_t taps, count, rows;
    int64_t stride; // of input and output
    uint64_t step;  // of the filter
    bool is_svm, has_history, taps_per_row;
    bool are_bytes, to_columns;
} geometries[] = {
    { .name = "few taps", .taps = 9, .count = 300007, .rows = 1, .stride = 1, .step = 1 },
    { .name = "some taps", .taps = 33, .count = 300007, .rows = 1, .stride = 1, .step = 1 },
    { .name = "many taps", .taps = 300, .count = 100003, .rows = 1, .stride = 1, .step = 1 },
    { .name = "one output", .taps = 9, .count = 1, .rows = 1, .stride = 1, .step = 1 },
    { .name = "none", .taps = 9, .count = 0, .rows = 1, .stride = 1, .step = 1 },
    { .name = "rows", .taps = 9, .count = 3001, .rows = 30, .stride = 1, .step = 1 },
    { .name = "taps of rows",
      .taps = 9,
      .count = 3001,
      .rows = 3,
      .stride = 1,
      .step = 1,
      .taps_per_row = true },
    { .name = "strided", .taps = 33, .count = 30011, .rows = 1, .stride = 2, .step = 1 },
    { .name = "every third", .taps = 9, .count = 30011, .rows = 1, .stride = 1, .step = 3 },
    { .name = "history",
      .taps = 33,
      .count = 30011,
      .rows = 1,
      .stride = 1,
      .step = 1,
      .has_history = true },
    { .name = "history of rows",
      .taps = 9,
      .count = 500,
      .rows = 20,
      .stride = 1,
      .step = 1,
      .has_history = true },
    { .name = "svm",
      .taps = 33,
      .count = 30011,
      .rows = 1,
      .stride = 1,
      .step = 1,
      .is_svm = true },
    { .name = "history in svm",
      .taps = 9,
      .count = 30011,
      .rows = 2,
      .stride = 1,
      .step = 1,
      .is_svm = true,
      .has_history = true },
    { .name = "tiny rows", .taps = 9, .count = 7, .rows = 3000, .stride = 1, .step = 1 },
    { .name = "rows to columns",
      .taps = 9,
      .count = 3001,
      .rows = 30,
      .stride = 1,
      .step = 1,
      .to_columns = true },
    { .name = "bytes",
      .taps = 9,
      .count = 100003,
      .rows = 1,
      .stride = 1,
      .step = 1,
      .are_bytes = true },
    { .name = "many taps of bytes",
      .taps = 129,
      .count = 20011,
      .rows = 1,
      .stride = 1,
      .step = 1,
      .are_bytes = true },
    { .name = "short rows of bytes",
      .taps = 9,
      .count = 40,
      .rows = 3000,
      .stride = 1,
      .step = 1,
      .are_bytes = true },
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
    const enum gpuprim_type type = geometry->are_bytes ? GPUPRIM_U8 : GPUPRIM_F32;
    const size_t bytes = (row * geometry->rows + 1) * gp_type_size(type);
    const cl_uchar zero = 0;
    struct gpuprim_array array = { .type = type,
                                   .memory = geometry->is_svm ? GPUPRIM_SVM : GPUPRIM_BUFFER,
                                   .count = count,
                                   .stride = geometry->stride,
                                   .rows = geometry->rows,
                                   .row_stride = row ? (int64_t)row : 1 };
    if (geometry->is_svm) {
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
    const uint64_t rows = geometry->taps_per_row ? geometry->rows : 1;
    const bool are_bytes = geometry->are_bytes;
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
        .left = geometry->has_history ? GPUPRIM_HISTORY : GPUPRIM_ZERO
    };
    *f = (struct fixture){ .gp = gp, .has_history = geometry->has_history };
    int status = gpuprim_filter_create(gp, &taps, &params, &f->filter);
    free(h);
    f->in = memory_of(check, gp, geometry, geometry->count);
    f->out = memory_of(check, gp, geometry, outputs);
    if (geometry->to_columns) {
        f->out.stride = (int64_t)geometry->rows;
        f->out.row_stride = 1;
    }
    if (geometry->has_history)
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
                                                  (geometry->has_history ? 1u : 0u),
                                 .is_built = true,
                                 .is_empty = !geometry->count,
                                 .is_large = has_columns(gp) && geometry->rows > 10 };
}

static bool is_possible(const gpuprim *gp, const struct geometry *geometry)
{
    enum { MANY_ROWS = 1000 }; // a matrix each
    const bool has_fft = convolve_method_of(gp->force_variant) == GPUPRIM_METHOD_FFT;
    return (!geometry->is_svm || gp->caps.has_svm) && !(geometry->are_bytes && has_fft) &&
           !(has_columns(gp) && geometry->rows > MANY_ROWS);
}

// Whether it is there for a variant that takes few of the others.
static bool is_rare(const struct geometry *geometry)
{
    enum { TINY = 16 };
    return geometry->are_bytes || geometry->to_columns ||
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

// ---------------------------------------------------------------------------------------
// Programs

enum { MOST_TAPS = 300, ROWS = 2 };

// Filters that differ in what a variant may be chosen for.
static const struct {
    struct convolve_kind kind;
    uint64_t taps, rows, stride, dilation;
} filters[] = {
    { { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 }, 9, 1, 1, 1 },
    { { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 }, 50, 1, 1, 1 },
    { { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 }, 300, 1, 1, 1 },
    { { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 }, 33, 1, 1, 3 },
    { { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 }, 33, 1, 2, 1 },
    { { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 }, 9, 1, 20, 20 },
    { { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 }, 65, ROWS, 1, 1 },
    { { GPUPRIM_C32, GPUPRIM_C32, GPUPRIM_C32 }, 17, 1, 1, 1 },
    { { GPUPRIM_I32, GPUPRIM_I16, GPUPRIM_I8 }, 129, 1, 1, 1 },
};
enum { FILTERS = sizeof filters / sizeof *filters, RUN_FILTERS = 2 };

// A shape with the filter, in all that a filter does not know: one row, batches, or interleaved
// rows.
static struct convolve_shape any_shape(struct check *check, const gpuprim_filter *filter)
{
    static const uint64_t counts[] = { 1, 100, 700, 1000, 3000, 20000, 1 << 24 };
    static const int64_t strides[] = { 1, 1, 1, 2, -1, 1000 };
    struct convolve_shape s = { .filter = filter };
    s.n = counts[check_below(check, 7)];
    s.outputs = gp_ceil_div(s.n, filter->stride);
    s.rows = filter->rows > 1 ? filter->rows : 1 + check_below(check, 100000);
    s.stride = strides[check_below(check, 6)];
    s.out_stride = strides[check_below(check, 6)];
    s.row_stride = s.stride * (int64_t)s.n;
    s.out_row_stride = s.out_stride * (int64_t)s.outputs;
    if (check_once_in(check, 3)) {
        s.row_stride = s.out_row_stride = 1;
        s.stride = s.out_stride = (int64_t)s.rows;
    }
    gp_convolve_derive(&s);
    return s;
}

// Asks for the programs of SHAPES random shapes.
enum { SHAPES = 500 };
static bool plan_shapes(struct check *check, gpuprim *gp, const gpuprim_filter *filter)
{
    for (int i = 0; i < SHAPES; i++) {
        struct gp_plan plan;
        const struct convolve_shape s = any_shape(check, filter);
        check->cases++;
        if (!CHECK(check, gp_plan(gp, &gp_primitive_convolve1d, &s, &plan) == GPUPRIM_OK, "%s",
                   gpuprim_last_error()))
            return false;
    }
    return true;
}

// Many launches ask for their programs, but are not made: on a device of another kind that
// would take the compiler minutes. Those that are made are counted in convolve_run(). There are as
// many programs as kinds of shapes, such as arrays forwards and backwards, contiguous and not: on
// GPUs 19 to 45 for 500 shapes, and 29 to 48 for 20000 (2026-11-27). So the same shapes again
// need no program, and others few.
static void shapes(struct check *check, gpuprim *gp, const gpuprim_filter *filter)
{
    enum { MOST_PROGRAMS = 60 };
    unsigned built[4] = { shim_calls_of("clBuildProgram") };
    const uint64_t random = check->random;
    for (int turn = 0; turn < 3; turn++) {
        if (turn == 1)
            check->random = random; // the same shapes again
        if (!plan_shapes(check, gp, filter))
            return;
        built[turn + 1] = shim_calls_of("clBuildProgram");
    }
    const unsigned first = built[1] - built[0], again = built[2] - built[1],
                   others = built[3] - built[2];
    CHECK(check, first <= MOST_PROGRAMS && again == 0 && others <= first / 2 + 2,
          "%llu taps, stride %llu, dilation %llu: %u programs for %d shapes, %u for the same "
          "again, %u for as many others",
          (unsigned long long)filter->taps, (unsigned long long)filter->stride,
          (unsigned long long)filter->dilation, first, SHAPES, again, others);
}

static void builds(struct check *check, cl_device_type type)
{
    const struct device_model model = { .type = type };
    gpuprim *gp = check_context_on(check, &model, NULL, 0);
    if (!gp)
        return;
    void *values = calloc(ROWS * MOST_TAPS, 8);
    // All of them take a cold compiler three minutes. A run has some.
    const unsigned first = (unsigned)check_below(check, FILTERS);
    for (unsigned j = 0; values && j < RUN_FILTERS; j++) {
        const unsigned i = (first + j) % FILTERS;
        const struct convolve_kind *kind = &filters[i].kind;
        struct gpuprim_array taps = gpuprim_host(kind->taps, values, filters[i].taps);
        taps.rows = filters[i].rows;
        const struct gpuprim_filter_params params = { .in = kind->in,
                                                      .out = kind->out,
                                                      .stride = filters[i].stride,
                                                      .dilation = filters[i].dilation };
        gpuprim_filter *filter = NULL;
        shim_fail(-1, 0);
        if (CHECK(check, !gpuprim_filter_create(gp, &taps, &params, &filter), "%s",
                  gpuprim_last_error()))
            shapes(check, gp, filter);
        gpuprim_filter_destroy(&filter);
    }
    free(values);
    gpuprim_destroy(&gp);
}

// Creation compiles what calls on long contiguous rows need, so that the first call does not.
static void created(struct check *check)
{
    enum { TAPS = 9, LONG = 1 << 24 };
    float values[TAPS] = { 0 };
    const struct gpuprim_array taps = gpuprim_host(GPUPRIM_F32, values, TAPS), row = {
        .type = GPUPRIM_F32, .memory = GPUPRIM_BUFFER, .count = LONG, .rows = 1
    };
    const struct gpuprim_filter_params params = { .in = GPUPRIM_F32, .out = GPUPRIM_F32 };
    gpuprim_filter *filter = NULL;
    gpuprim *gp = check_context(check, NULL, 0);
    if (!gp)
        return;
    gp->build_late = false;
    shim_fail(-1, 0);
    check->cases++;
    CHECK(check, !gpuprim_filter_create(gp, &taps, &params, &filter), "%s",
          gpuprim_last_error());
    const unsigned built = shim_calls_of("clBuildProgram");
    CHECK(check, built > 0, "creation built nothing");
    CHECK(check, !gpuprim_convolve1d_prepare(gp, filter, &row, &row, NULL), "%s",
          gpuprim_last_error());
    CHECK(check, shim_calls_of("clBuildProgram") == built, "a long row needs another program");
    gpuprim_filter_destroy(&filter);
    gpuprim_destroy(&gp);
}

void convolve_driver_run(struct check *check)
{
    if (check_begin(check, "convolve1d/driver/created")) {
        created(check);
        check_end(check);
    }
    repeat_groups(check, "convolve1d", repeats);
    repeat_bytes_groups(check, "convolve1d", scratch);
    static const char *const names[] = { "other", "cpu" };
    for (int is_cpu = 0; is_cpu < 2; is_cpu++)
        if (check_begin(check, "convolve1d/builds/%s", names[is_cpu])) {
            builds(check, is_cpu ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_GPU);
            check_end(check);
        }
}
