/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: calls of one filter whose shapes differ in one number each, in random
 * order and again. A filter keeps the plans of its newest launches, and each call must get the
 * plan of its own shape, in one thread and in two that share the filter. suite.c runs this
 * file. */
#include "case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/convolve1d/convolve1d.h"
#include "tests/harness/model.h"
#include "tests/harness/threads.h"

enum { ROOM = 1 << 14, TAPS = 9, CALLS = 60, THREADS = 2, MOST_TAP = 4, MOST_INPUT = 50 };

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
    const struct shared *shared;
};

// What threads share.
struct shared {
    gpuprim *gp;
    gpuprim_filter *filter;
    struct gpuprim_array taps;
    struct gpuprim_filter_params params;
};

// Whether results are exact, or, by FFT, within its error.
static bool are_right(const struct fixture *f)
{
    const float error = f->shared->params.method == GPUPRIM_METHOD_FFT
                            ? 0x1p-18f * TAPS * MOST_TAP * MOST_INPUT
                            : 0;
    for (int i = 0; i < ROOM; i++)
        if (!(fabsf(f->y[i] - f->expected[i]) <= error))
            return false;
    return true;
}

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

static void one_call(struct check *check, struct fixture *f, unsigned number)
{
    const struct shared *shared = f->shared;
    gpuprim *gp = shared->gp;
    struct gpuprim_array in, out;
    const float none = -1;
    views(&shapes[number], f, f->expected, &in, &out);
    for (int i = 0; i < ROOM; i++)
        f->expected[i] = none;
    convolve_reference(&in, &shared->taps, &shared->params, NULL, &out);
    in.base = f->in;
    out.base = f->out;
    in.memory = out.memory = GPUPRIM_BUFFER;
    clEnqueueFillBuffer(gp->queue, f->out, &none, sizeof none, 0, sizeof f->y, 0, NULL, NULL);
    const int status = gpuprim_convolve1d(gp, shared->filter, &in, &out, NULL, NULL);
    clEnqueueReadBuffer(gp->queue, f->out, CL_TRUE, 0, sizeof f->y, f->y, 0, NULL, NULL);
    check->cases++;
    CHECK(check, status == GPUPRIM_OK, "shape %u: %s", number, gpuprim_last_error());
    CHECK(check, are_right(f), "shape %u: wrong results", number);
}

// The calls of a thread. Numbers are so small that f32 holds the sums.
static void work(struct check *check, void *user)
{
    struct fixture *f = check_allocate(sizeof *f);
    f->shared = user;
    for (int i = 0; i < ROOM; i++)
        f->x[i] = (float)check_below(check, 2 * MOST_INPUT) - MOST_INPUT;
    f->in = clCreateBuffer(f->shared->gp->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                           sizeof f->x, f->x, NULL);
    f->out = clCreateBuffer(f->shared->gp->context, CL_MEM_READ_WRITE, sizeof f->y, NULL, NULL);
    if (CHECK(check, f->in && f->out, "no memory"))
        for (int i = 0; i < CALLS; i++)
            one_call(check, f, (unsigned)check_below(check, SHAPES));
    clReleaseMemObject(f->in);
    clReleaseMemObject(f->out);
    free(f);
}

static void calls(struct check *check, gpuprim *gp, enum gpuprim_method method, int threads)
{
    float h[TAPS];
    for (int k = 0; k < TAPS; k++)
        h[k] = (float)check_below(check, 2 * MOST_TAP + 1) - MOST_TAP;
    struct shared shared = { .gp = gp,
                             .taps = gpuprim_host(GPUPRIM_F32, h, TAPS),
                             .params = { .mode = GPUPRIM_EXPLICIT,
                                         .left = GPUPRIM_WRAP,
                                         .right = GPUPRIM_REFLECT_HALF,
                                         .method = method } };
    if (CHECK(check, !gpuprim_filter_create(gp, &shared.taps, &shared.params, &shared.filter),
              "no filter: %s", gpuprim_last_error())) {
        if (threads > 1)
            crew_run(check, (unsigned)threads, work, &shared);
        else
            work(check, &shared);
    }
    gpuprim_filter_destroy(&shared.filter);
}

void convolve_plans_run(struct check *check)
{
    static const struct {
        const char *name;
        bool on_gpu;
        enum gpuprim_method method;
        int threads;
    } groups[] = {
        { "chosen", false, GPUPRIM_METHOD_DIRECT, 1 },
        { "chosen_on_gpu", true, GPUPRIM_METHOD_DIRECT, 1 },
        { "fft", false, GPUPRIM_METHOD_FFT, 1 },
        { "fft_on_gpu", true, GPUPRIM_METHOD_FFT, 1 },
        { "threads", false, GPUPRIM_METHOD_DIRECT, THREADS },
        { "fft_threads", false, GPUPRIM_METHOD_FFT, THREADS },
    };
    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++)
        if (check_begin(check, "convolve1d/driver/plans/%s", groups[i].name)) {
            gpuprim *gp =
                check_context_on(check, groups[i].on_gpu ? &model_gpu : NULL, NULL, 0);
            if (gp)
                calls(check, gp, groups[i].method, groups[i].threads);
            gpuprim_destroy(&gp);
            check_end(check);
        }
}
