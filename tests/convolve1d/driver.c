/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d, sixth part: what is compiled, and when. All of it when a filter is made:
 * no call may wait for a compiler, whatever variant it gets. */
#include "case.h"

#include <stdlib.h>
#include <string.h>

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
enum { FILTERS = sizeof filters / sizeof *filters };

// A call with the filter, in all that a filter does not know.
static struct convolution any_call(struct check *check, const gpuprim_filter *filter)
{
    static const uint64_t counts[] = { 0, 1, 100, 700, 1000, 3000, 20000, (uint64_t)1 << 33 };
    static const int64_t strides[] = { 1, 1, 1, 2, -1, 1000 };
    struct convolution c = gp_convolve_packed_call(filter);
    c.in.count = counts[check_below(check, 8)];
    c.out.count = gp_ceil_div(c.in.count, filter->stride);
    c.in.stride = strides[check_below(check, 6)];
    c.out.stride = strides[check_below(check, 6)];
    c.in.first = (int64_t)check_below(check, 9);
    c.out.first = (int64_t)check_below(check, 9);
    c.in.rows = c.out.rows = filter->rows > 1 ? filter->rows : 1 + check_below(check, 100000);
    c.in.memory = (enum gpuprim_memory)check_below(check, 3);
    c.out.memory = (enum gpuprim_memory)check_below(check, 3);
    return c;
}

// Many calls ask for their programs, but are not made: on a device of another kind that would
// take the compiler minutes. Those that are made are counted in convolve_run().
static void calls(struct check *check, gpuprim *gp, const gpuprim_filter *filter)
{
    struct gp_plan plan;
    const struct gp_variant *used[2] = { NULL, NULL };
    const unsigned builds = shim_calls_of("clBuildProgram");
    for (int i = 0; i < 1000; i++) {
        const struct convolution c = any_call(check, filter);
        check->cases++;
        if (!CHECK(check, gp_plan(gp, &gp_primitive_convolve1d, &c, &plan) == GPUPRIM_OK, "%s",
                   gpuprim_last_error()))
            return;
        used[plan.variant != used[0] && used[0]] = plan.variant;
    }
    CHECK(check, shim_calls_of("clBuildProgram") == builds,
          "%llu taps, stride %llu, dilation %llu: calls built %u programs (%s, %s)",
          (unsigned long long)filter->taps, (unsigned long long)filter->stride,
          (unsigned long long)filter->dilation, shim_calls_of("clBuildProgram") - builds,
          used[0]->name, used[1] ? used[1]->name : "no other");
}

static void builds(struct check *check, cl_device_type type)
{
    const struct device_model model = { .type = type };
    gpuprim *gp = check_context_on(check, &model, NULL, 0);
    if (!gp)
        return;
    void *values = calloc(ROWS * MOST_TAPS, 8);
    for (unsigned i = 0; values && i < FILTERS; i++) {
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
            calls(check, gp, filter);
        gpuprim_filter_destroy(&filter);
    }
    free(values);
    gpuprim_destroy(&gp);
}

void convolve_driver_run(struct check *check)
{
    static const char *const names[] = { "other", "cpu" };
    for (int is_cpu = 0; is_cpu < 2; is_cpu++)
        if (check_begin(check, "convolve1d/builds/%s", names[is_cpu])) {
            builds(check, is_cpu ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_GPU);
            check_end(check);
        }
}
