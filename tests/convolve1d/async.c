/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: calls with a gpuprim_sync, filters that are destroyed while their calls
 * are in flight, and one filter in many threads. harness/threads has the gate and the threads.
 */
#include "case.h"

#include <stdlib.h>
#include <string.h>

#include "reference/convolve1d/convolve1d.h"
#include "tests/harness/shim.h"
#include "tests/harness/threads.h"

enum { N = 3000, TAPS = 33, THREADS = 4 };

// Taps and a signal of small whole numbers, so that f32 sums are exact, in device memory.
struct fixture {
    float h[TAPS], x[N], y[N], expected[N];
    cl_mem in, out, history;
};

static struct gpuprim_filter_params params_of(enum gpuprim_boundary left)
{
    return (struct gpuprim_filter_params){ .mode = GPUPRIM_CAUSAL, .left = left };
}

static bool fixture_make(struct check *check, gpuprim *gp, struct fixture *f)
{
    cl_int error;
    for (int k = 0; k < TAPS; k++)
        f->h[k] = (float)check_below(check, 9) - 4;
    for (int i = 0; i < N; i++)
        f->x[i] = (float)check_below(check, 201) - 100;
    f->in = clCreateBuffer(gp->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof f->x,
                           f->x, &error);
    memset(f->y, 0, sizeof f->y);
    f->out = clCreateBuffer(gp->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof f->y,
                            f->y, &error);
    f->history = clCreateBuffer(gp->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                (TAPS - 1) * sizeof(float), f->y, &error);
    const struct gpuprim_array h = gpuprim_host(GPUPRIM_F32, f->h, TAPS);
    const struct gpuprim_array x = gpuprim_host(GPUPRIM_F32, f->x, N);
    const struct gpuprim_array y = gpuprim_host(GPUPRIM_F32, f->expected, N);
    const struct gpuprim_filter_params params = params_of(GPUPRIM_ZERO);
    convolve_reference(&x, &h, &params, NULL, &y);
    return CHECK(check, !error, "no device memory: %d", error);
}

static void fixture_check(struct check *check, gpuprim *gp, struct fixture *f, const char *what)
{
    clEnqueueReadBuffer(gp->queue, f->out, CL_TRUE, 0, sizeof f->y, f->y, 0, NULL, NULL);
    check->cases++;
    CHECK(check, memcmp(f->y, f->expected, sizeof f->y) == 0, "%s: wrong results", what);
}

static void fixture_free(struct fixture *f)
{
    clReleaseMemObject(f->in);
    clReleaseMemObject(f->out);
    clReleaseMemObject(f->history);
}

// Calls behind a gate, on blocks of one signal. The history stays in one place. The filter
// ends, and then the gate opens.
static void chain(struct check *check, gpuprim *gp, bool out_of_order)
{
    struct fixture f;
    struct chain chain;
    gpuprim_filter *filter = NULL;
    uint64_t begin = 0;
    const struct gpuprim_filter_params params = params_of(GPUPRIM_HISTORY);
    if (!fixture_make(check, gp, &f) || !chain_begin(check, gp, &chain, out_of_order)) {
        fixture_free(&f);
        return;
    }
    const struct gpuprim_array h = gpuprim_host(GPUPRIM_F32, f.h, TAPS);
    int status = gpuprim_filter_create(gp, &h, &params, &filter);
    const struct gpuprim_array past = gpuprim_buffer(GPUPRIM_F32, f.history, 0, TAPS - 1);
    const struct gpuprim_history history = { .before = past, .after = past };
    for (unsigned i = 0; !status && i < CHAIN_CALLS; i++) {
        const uint64_t n = chain_share(check, i, N - begin);
        const struct gpuprim_array in = gpuprim_buffer(GPUPRIM_F32, f.in, begin, n);
        const struct gpuprim_array out = gpuprim_buffer(GPUPRIM_F32, f.out, begin, n);
        const struct gpuprim_sync sync = chain_sync(&chain, i);
        status = gpuprim_convolve1d(gp, filter, &in, &out, &history, &sync);
        begin += n;
    }
    gpuprim_filter_destroy(&filter);
    chain_end(check, &chain, status);
    if (!status)
        fixture_check(check, gp, &f, out_of_order ? "out of order" : "in order");
    fixture_free(&f);
}

// A repeated call makes nothing: no memory, no object, no event that was not asked
// for.
static void again(struct check *check, gpuprim *gp)
{
    struct fixture f;
    gpuprim_filter *filter = NULL;
    const struct gpuprim_filter_params params = params_of(GPUPRIM_ZERO);
    const struct gpuprim_sync sync = { .queue = gp->queue };
    if (!fixture_make(check, gp, &f))
        return;
    const struct gpuprim_array h = gpuprim_host(GPUPRIM_F32, f.h, TAPS);
    const struct gpuprim_array in = gpuprim_buffer(GPUPRIM_F32, f.in, 0, N);
    const struct gpuprim_array out = gpuprim_buffer(GPUPRIM_F32, f.out, 0, N);
    int status = gpuprim_filter_create(gp, &h, &params, &filter);
    if (!status) // so short a row takes other kernels on GPUs than those that a filter is made with
        status = gpuprim_convolve1d_prepare(gp, filter, &in, &out, NULL);
    for (int i = 0; !status && i < 3; i++) {
        shim_fail(-1, 0);
        status = gpuprim_convolve1d(gp, filter, &in, &out, NULL, &sync);
        CHECK(check, shim_calls_of("clCreate") + shim_calls_of("clBuild") == 0,
              "call %d made objects", i);
        CHECK(check, shim_allocations() == 0 && shim_events() == 0,
              "call %d: %u allocations, %u events", i, shim_allocations(), shim_events());
    }
    clFinish(gp->queue);
    if (CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error()))
        fixture_check(check, gp, &f, "again");
    gpuprim_filter_destroy(&filter);
    fixture_free(&f);
}

// ---------------------------------------------------------------------------------------

struct shared {
    gpuprim *gp;
    const gpuprim_filter *filter;
    const struct fixture *f;
};

static void work(struct check *check, void *user)
{
    const struct shared *s = user;
    float *y = check_allocate(sizeof s->f->y);
    for (int i = 0; i < 50; i++) {
        const uint64_t n = 1 + check_below(check, N);
        const struct gpuprim_array in = gpuprim_host(GPUPRIM_F32, s->f->x, n);
        const struct gpuprim_array out = gpuprim_host(GPUPRIM_F32, y, n);
        check->cases++;
        const int status = gpuprim_convolve1d(s->gp, s->filter, &in, &out, NULL, NULL);
        CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error());
        CHECK(check, memcmp(y, s->f->expected, n * sizeof *y) == 0, "wrong results");
    }
    free(y);
}

static void threads(struct check *check, gpuprim *gp)
{
    struct fixture f;
    gpuprim_filter *filter = NULL;
    const struct gpuprim_filter_params params = params_of(GPUPRIM_ZERO);
    if (!fixture_make(check, gp, &f))
        return;
    const struct gpuprim_array h = gpuprim_host(GPUPRIM_F32, f.h, TAPS);
    if (CHECK(check, !gpuprim_filter_create(gp, &h, &params, &filter), "%s",
              gpuprim_last_error())) {
        struct shared shared = { gp, filter, &f };
        crew_run(check, THREADS, work, &shared);
    }
    gpuprim_filter_destroy(&filter);
    fixture_free(&f);
}

void convolve_async_run(struct check *check)
{
    static const char *const names[] = { "in_order", "out_of_order", "threads", "again" };
    for (int i = 0; i < 4; i++)
        if (check_begin(check, "convolve1d/async/%s", names[i])) {
            gpuprim *gp = check_context(check, NULL, 0);
            gpuprim *as_gpu = // where small calls have counters
                i < 2 ? check_variant(check, "convolve1d", "gpu_tap_chunks", 0) : NULL;
            for (int k = 0; gp && as_gpu && k < 16; k++)
                chain(check, k % 2 ? as_gpu : gp, i == 1);
            gpuprim_destroy(&as_gpu);
            if (gp && i == 2)
                threads(check, gp);
            if (gp && i == 3)
                again(check, gp);
            gpuprim_destroy(&gp);
            check_end(check);
        }
}
