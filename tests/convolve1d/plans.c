/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: calls of one filter whose shapes differ in one number each, in random
 * order and again. A filter keeps the plans of its newest launches, and each call must get the
 * plan of its own shape. suite.c runs this file. */
#include "case.h"

#include <stdlib.h>
#include <string.h>

#include "reference/convolve1d/convolve1d.h"
#include "tests/harness/model.h"

enum { ROOM = 1 << 14, TAPS = 9, CALLS = 60 };

// Short rows and longer ones: the first one, and those that differ from it in a number that a
// plan depends on.
static const struct shape {
    uint64_t n, outputs, rows;
    int64_t stride, row_stride, out_stride, out_row_stride;
} shapes[] = {
    { 70, 60, 40, 1, 70, 1, 60 },     { 65, 60, 40, 1, 70, 1, 60 },
    { 70, 50, 40, 1, 70, 1, 60 },     { 70, 60, 47, 1, 70, 1, 60 },
    { 70, 60, 40, 2, 70, 1, 60 },     { 70, 60, 40, 1, 71, 1, 60 },
    { 70, 60, 40, 1, 70, -1, 60 },    { 70, 60, 40, 1, 70, 1, 61 },
    { 700, 600, 3, 1, 1400, 1, 700 }, { 650, 600, 3, 1, 1400, 1, 700 },
    { 700, 600, 3, 2, 1400, 1, 700 },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

struct fixture {
    float x[ROOM], y[ROOM], expected[ROOM];
    cl_mem in, out;
    gpuprim_filter *filter;
    struct gpuprim_array taps;
    struct gpuprim_filter_params params;
};

// Views of the host's arrays. Outputs that lie the other way round begin in the middle.
static void views(const struct shape *s, struct fixture *f, float *y, struct gpuprim_array *in,
                  struct gpuprim_array *out)
{
    *in = gpuprim_host(GPUPRIM_F32, f->x, s->n);
    in->rows = s->rows;
    in->stride = s->stride;
    in->row_stride = s->row_stride;
    *out = gpuprim_host(GPUPRIM_F32, y, s->outputs);
    out->first = ROOM / 2;
    out->rows = s->rows;
    out->stride = s->out_stride;
    out->row_stride = s->out_row_stride;
}

static void one_call(struct check *check, gpuprim *gp, struct fixture *f, unsigned number)
{
    struct gpuprim_array in, out;
    const float none = -1;
    views(&shapes[number], f, f->expected, &in, &out);
    for (int i = 0; i < ROOM; i++)
        f->expected[i] = none;
    convolve_reference(&in, &f->taps, &f->params, NULL, &out);
    in.base = f->in;
    out.base = f->out;
    in.memory = out.memory = GPUPRIM_BUFFER;
    clEnqueueFillBuffer(gp->queue, f->out, &none, sizeof none, 0, sizeof f->y, 0, NULL, NULL);
    const int status = gpuprim_convolve1d(gp, f->filter, &in, &out, NULL, NULL);
    clEnqueueReadBuffer(gp->queue, f->out, CL_TRUE, 0, sizeof f->y, f->y, 0, NULL, NULL);
    check->cases++;
    CHECK(check, status == GPUPRIM_OK, "shape %u: %s", number, gpuprim_last_error());
    CHECK(check, memcmp(f->y, f->expected, sizeof f->y) == 0, "shape %u: wrong results",
          number);
}

// Numbers are so small that f32 holds the sums.
static void calls(struct check *check, gpuprim *gp)
{
    float h[TAPS];
    struct fixture *f = check_allocate(sizeof *f);
    for (int k = 0; k < TAPS; k++)
        h[k] = (float)check_below(check, 9) - 4;
    for (int i = 0; i < ROOM; i++)
        f->x[i] = (float)check_below(check, 100) - 50;
    f->filter = NULL;
    f->taps = gpuprim_host(GPUPRIM_F32, h, TAPS);
    f->params = (struct gpuprim_filter_params){ .mode = GPUPRIM_EXPLICIT,
                                                .left = GPUPRIM_WRAP,
                                                .right = GPUPRIM_REFLECT_HALF };
    f->in = clCreateBuffer(gp->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof f->x,
                           f->x, NULL);
    f->out = clCreateBuffer(gp->context, CL_MEM_READ_WRITE, sizeof f->y, NULL, NULL);
    const int status = gpuprim_filter_create(gp, &f->taps, &f->params, &f->filter);
    if (CHECK(check, !status && f->in && f->out, "no filter or memory: %s",
              gpuprim_last_error()))
        for (int i = 0; i < CALLS; i++)
            one_call(check, gp, f, (unsigned)check_below(check, SHAPES));
    gpuprim_filter_destroy(&f->filter);
    clReleaseMemObject(f->in);
    clReleaseMemObject(f->out);
    free(f);
}

void convolve_plans_run(struct check *check)
{
    static const char *const names[] = { "chosen", "chosen_on_gpu" };
    for (int i = 0; i < 2; i++)
        if (check_begin(check, "convolve1d/driver/plans/%s", names[i])) {
            gpuprim *gp = check_context_on(check, i ? &model_gpu : NULL, NULL, 0);
            if (gp)
                calls(check, gp);
            gpuprim_destroy(&gp);
            check_end(check);
        }
}
