/* SPDX-License-Identifier: Apache-2.0
 *
 * What convolve1d compiles: calls of many shapes with a filter need few programs, the same calls
 * again need none, and creation compiles what long contiguous rows need. suite.c runs this file. */
#include "case.h"

#include <stdlib.h>

#include "src/convolve1d/convolve1d.h"
#include "tests/harness/model.h"
#include "tests/harness/shim.h"

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

void convolve_builds_run(struct check *check)
{
    if (check_begin(check, "convolve1d/driver/created")) {
        created(check);
        check_end(check);
    }
    static const char *const names[] = { "other", "cpu" };
    for (int is_cpu = 0; is_cpu < 2; is_cpu++)
        if (check_begin(check, "convolve1d/builds/%s", names[is_cpu])) {
            builds(check, is_cpu ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_GPU);
            check_end(check);
        }
}
