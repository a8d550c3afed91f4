/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: provokes every documented error once. Each must return its code, set a
 * message, and leave outputs and filter pointers alone. suite.c runs this file. */
#include "case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 16, TAPS = 5, CANARY = 77 };

struct fixture {
    struct check *check;
    gpuprim *gp, *other;
    float x[N], y[2 * N], h[TAPS], before[TAPS - 1];
    int32_t whole[TAPS];
};

// A filter and a call. right() makes correct ones; each test changes what shall be wrong.
struct wrong {
    const char *what;
    struct gpuprim_filter_params params;
    struct gpuprim_array taps, in, out;
    struct gpuprim_history history;
    bool gives_history;
    bool no_taps, no_params, no_in, no_out, no_filter;
    int expected;
};

static struct wrong right(struct fixture *f)
{
    struct wrong w = { .what = "nothing" };
    w.taps = gpuprim_host(GPUPRIM_F32, f->h, TAPS);
    w.in = gpuprim_host(GPUPRIM_F32, f->x, N);
    w.out = gpuprim_host(GPUPRIM_F32, f->y, N);
    w.history.before = gpuprim_host(GPUPRIM_F32, f->before, TAPS - 1);
    return w;
}

static void judge(struct fixture *f, const struct wrong *w, int status, const char *call)
{
    const char *message = gpuprim_last_error();
    f->check->cases++;
    CHECK(f->check, status == w->expected, "%s: %s gives %d instead of %d (%s)", w->what, call,
          status, w->expected, message);
    if (status)
        CHECK(f->check, strlen(message) > 15, "%s: %s has no message but %s", w->what, call,
              message);
    for (int i = 0; status && i < 2 * N; i++)
        if (!CHECK(f->check, f->y[i] == (float)CANARY, "%s: out was written", w->what))
            break;
}

static void bad_filter(struct fixture *f, struct wrong w, const char *what, int expected)
{
    gpuprim_filter *const untouched = (gpuprim_filter *)(void *)f;
    gpuprim_filter *filter = untouched;
    w.what = what;
    w.expected = expected;
    const int status = gpuprim_filter_create(f->gp, w.no_taps ? NULL : &w.taps,
                                             w.no_params ? NULL : &w.params, &filter);
    judge(f, &w, status, "filter_create");
    CHECK(f->check, (filter == untouched) == (status != GPUPRIM_OK),
          "%s: the pointer to the filter", what);
    if (filter != untouched)
        gpuprim_filter_destroy(&filter);
}

static void bad_call(struct fixture *f, struct wrong w, const char *what, int expected)
{
    gpuprim_filter *filter = NULL;
    w.what = what;
    w.expected = expected;
    const int made = gpuprim_filter_create(f->gp, &w.taps, &w.params, &filter);
    if (!CHECK(f->check, made == GPUPRIM_OK, "%s: %s", what, gpuprim_last_error()))
        return;
    const int status =
        gpuprim_convolve1d(f->gp, w.no_filter ? NULL : filter, w.no_in ? NULL : &w.in,
                           w.no_out ? NULL : &w.out, w.gives_history ? &w.history : NULL, NULL);
    judge(f, &w, status, "convolve1d");
    gpuprim_filter_destroy(&filter);
    CHECK(f->check, filter == NULL, "destroy leaves the pointer");
}

// ---------------------------------------------------------------------------------------

#define BAD_FILTER(change, expected)                                                           \
    do {                                                                                       \
        struct wrong w = right(f);                                                             \
        change;                                                                                \
        bad_filter(f, w, #change, expected);                                                   \
    } while (0)

#define BAD_CALL(change, expected)                                                             \
    do {                                                                                       \
        struct wrong w = right(f);                                                             \
        change;                                                                                \
        bad_call(f, w, #change, expected);                                                     \
    } while (0)

static void filters(struct fixture *f)
{
    BAD_FILTER(w.no_taps = true, GPUPRIM_E_ARG);
    BAD_FILTER(w.no_params = true, GPUPRIM_E_ARG);
    BAD_FILTER(w.taps.count = 0, GPUPRIM_E_ARG);
    BAD_FILTER(w.taps.count = (1 << 20) + 1, GPUPRIM_E_ARG);
    BAD_FILTER(w.taps.base = NULL, GPUPRIM_E_ARG);
    BAD_FILTER(w.params.reserved[1] = 1, GPUPRIM_E_ARG);
    BAD_FILTER(w.params.mode = (enum gpuprim_mode)6, GPUPRIM_E_ARG);
    BAD_FILTER(w.params.left = (enum gpuprim_boundary)7, GPUPRIM_E_ARG);
    BAD_FILTER(w.params.right = (enum gpuprim_boundary) - 1, GPUPRIM_E_ARG);
    BAD_FILTER(w.params.right = GPUPRIM_HISTORY, GPUPRIM_E_ARG);
    BAD_FILTER(w.params.offset = 1, GPUPRIM_E_ARG);
    BAD_FILTER((w.params.mode = GPUPRIM_EXPLICIT, w.params.offset = INT64_MIN),
               GPUPRIM_E_RANGE);
    BAD_FILTER((w.params.mode = GPUPRIM_EXPLICIT, w.params.offset = -1,
                w.params.left = GPUPRIM_HISTORY),
               GPUPRIM_E_ARG);
    BAD_FILTER(w.params.stride = (uint64_t)1 << 31, GPUPRIM_E_ARG);
    BAD_FILTER(w.params.dilation = (uint64_t)1 << 31, GPUPRIM_E_ARG);
    BAD_FILTER(w.params.correlate = 2, GPUPRIM_E_ARG);
    BAD_FILTER(w.params.shift = 1, GPUPRIM_E_ARG);
    BAD_FILTER((w.params.left = GPUPRIM_CONSTANT, w.params.constant[0] = 1e300), GPUPRIM_E_ARG);
    BAD_FILTER((w.params.left = GPUPRIM_CONSTANT, w.params.constant[1] = 1), GPUPRIM_E_ARG);
    BAD_FILTER((w.params.left = GPUPRIM_CONSTANT, w.params.constant[0] = INFINITY), GPUPRIM_OK);
    BAD_FILTER(w.params.in = GPUPRIM_F64, GPUPRIM_E_TYPE);
    BAD_FILTER(w.params.out = GPUPRIM_I64, GPUPRIM_E_TYPE);
    BAD_FILTER(w.params.in = GPUPRIM_I32, GPUPRIM_E_TYPE);
    BAD_FILTER(w.params.in = GPUPRIM_U32, GPUPRIM_E_TYPE);
    BAD_FILTER(w.taps.type = GPUPRIM_U8, GPUPRIM_E_TYPE);
}

static void integers(struct fixture *f)
{
#define WHOLE w.taps = gpuprim_host(GPUPRIM_I32, f->whole, TAPS)
    BAD_FILTER((WHOLE, w.params.shift = 63), GPUPRIM_E_ARG);
    BAD_FILTER((WHOLE, w.params.in = GPUPRIM_U16, w.params.left = GPUPRIM_CONSTANT,
                w.params.constant[0] = -1),
               GPUPRIM_E_ARG);
    BAD_FILTER((WHOLE, w.params.in = GPUPRIM_I8, w.params.right = GPUPRIM_CONSTANT,
                w.params.constant[0] = 0.5),
               GPUPRIM_E_ARG);
    BAD_FILTER((WHOLE, w.params.in = GPUPRIM_I8, w.params.right = GPUPRIM_CONSTANT,
                w.params.constant[0] = NAN),
               GPUPRIM_E_ARG);
    // Taps of f32.
    BAD_FILTER(w.params.in = GPUPRIM_U8, GPUPRIM_OK);
    BAD_FILTER((w.params.in = GPUPRIM_U8, w.params.shift = 1), GPUPRIM_E_ARG);
    BAD_FILTER((w.params.in = GPUPRIM_U8, w.params.left = GPUPRIM_CONSTANT,
                w.params.constant[0] = 0.5),
               GPUPRIM_E_ARG);
    BAD_FILTER((w.params.method = (enum gpuprim_method)3), GPUPRIM_E_ARG);
    BAD_FILTER((w.params.method = (enum gpuprim_method) - 1), GPUPRIM_E_ARG);
    BAD_FILTER((WHOLE, w.params.in = GPUPRIM_I16, w.params.method = GPUPRIM_METHOD_FFT),
               GPUPRIM_E_TYPE);
    BAD_FILTER((w.params.in = GPUPRIM_U8, w.params.out = GPUPRIM_F32,
                w.params.method = GPUPRIM_METHOD_FFT),
               GPUPRIM_E_TYPE);
    BAD_FILTER((w.params.out = GPUPRIM_I16, w.params.method = GPUPRIM_METHOD_FFT),
               GPUPRIM_E_TYPE);
    BAD_FILTER((w.params.out = GPUPRIM_I16, w.params.method = GPUPRIM_METHOD_AUTO), GPUPRIM_OK);
    BAD_FILTER(w.params.method = GPUPRIM_METHOD_FFT, GPUPRIM_OK);
    // The sum of |taps| is 2^32 - 1, then 2^32. Times 2^31 only the first is below 2^63.
    f->whole[0] = f->whole[1] = INT32_MAX;
    f->whole[2] = 1;
    BAD_FILTER(WHOLE, GPUPRIM_OK);
    f->whole[3] = -1;
    BAD_FILTER(WHOLE, GPUPRIM_E_RANGE);
    BAD_FILTER((WHOLE, w.params.in = GPUPRIM_I16), GPUPRIM_OK);
}

static void calls(struct fixture *f)
{
    BAD_CALL((void)0, GPUPRIM_OK);
    for (int i = 0; i < 2 * N; i++)
        f->y[i] = CANARY;
    BAD_CALL(w.no_filter = true, GPUPRIM_E_ARG);
    BAD_CALL(w.no_in = true, GPUPRIM_E_ARG);
    BAD_CALL(w.no_out = true, GPUPRIM_E_ARG);
    BAD_CALL(w.out.count = N - 1, GPUPRIM_E_ARG);
    BAD_CALL(w.params.mode = GPUPRIM_FULL, GPUPRIM_E_ARG);
    BAD_CALL(w.params.stride = 2, GPUPRIM_E_ARG);
    BAD_CALL(w.in.rows = 2, GPUPRIM_E_ARG);
    BAD_CALL((w.taps.count = 2, w.taps.rows = 2), GPUPRIM_E_ARG);
    BAD_CALL((w.params.mode = GPUPRIM_VALID, w.in.count = TAPS - 2, w.out.count = 0),
             GPUPRIM_E_ARG);
    BAD_CALL((w.params.mode = GPUPRIM_VALID, w.in.count = TAPS - 1, w.out.count = 0),
             GPUPRIM_OK);
    BAD_CALL((w.params.mode = GPUPRIM_FULL, w.params.left = GPUPRIM_EDGE, w.in.count = 0,
              w.out.count = TAPS - 1),
             GPUPRIM_E_ARG);
    BAD_CALL(w.in.type = GPUPRIM_I32, GPUPRIM_E_TYPE);
    BAD_CALL(w.out.type = GPUPRIM_F64, GPUPRIM_E_TYPE);
    BAD_CALL(w.in.reserved[0] = 1, GPUPRIM_E_ARG);
    BAD_CALL(w.out.base = f->x, GPUPRIM_E_ARG);
    BAD_CALL(w.in.base = f->y + N - 1, GPUPRIM_E_ARG);
    BAD_CALL(w.gives_history = true, GPUPRIM_E_ARG);
    BAD_CALL(w.params.left = GPUPRIM_HISTORY, GPUPRIM_E_ARG);
#define HISTORY w.params.left = GPUPRIM_HISTORY, w.gives_history = true
    BAD_CALL((HISTORY, w.history.before.count = TAPS - 2), GPUPRIM_E_ARG);
    BAD_CALL((HISTORY, w.history.before.rows = 2), GPUPRIM_E_ARG);
    BAD_CALL((HISTORY, w.history.before.type = GPUPRIM_I32), GPUPRIM_E_TYPE);
    BAD_CALL((HISTORY, w.history.before.base = f->y), GPUPRIM_E_ARG);
    BAD_CALL((HISTORY, w.history.after = w.history.before, w.history.after.base = f->x),
             GPUPRIM_E_ARG);
    BAD_CALL((HISTORY, w.history.after = w.history.before, w.history.after.base = f->y + N - 1),
             GPUPRIM_E_ARG);
    BAD_CALL((HISTORY, w.history.after = w.history.before, w.history.after.count = 2),
             GPUPRIM_E_ARG);
    BAD_CALL((HISTORY, w.params.dilation = 2), GPUPRIM_E_ARG);
}

// Errors of contexts, queues and kinds of memory.
static void others(struct fixture *f)
{
    struct wrong w = right(f);
    gpuprim_filter *filter = NULL;
    const struct gpuprim_sync sync = { .queue = f->gp->queue };
    w.what = "another context's filter";
    w.expected = GPUPRIM_E_ARG;
    gpuprim_filter_create(f->gp, &w.taps, &w.params, &filter);
    judge(f, &w, gpuprim_convolve1d(f->other, filter, &w.in, &w.out, NULL, NULL), "convolve1d");
    w.what = "host arrays with sync";
    judge(f, &w, gpuprim_convolve1d(f->gp, filter, &w.in, &w.out, NULL, &sync), "convolve1d");
    w.what = "no context";
    judge(f, &w, gpuprim_convolve1d(NULL, filter, &w.in, &w.out, NULL, NULL), "convolve1d");
    judge(f, &w, gpuprim_filter_create(NULL, &w.taps, &w.params, &filter), "filter_create");
    judge(f, &w, gpuprim_filter_create(f->gp, &w.taps, &w.params, NULL), "filter_create");
    gpuprim_filter_destroy(&filter);
    gpuprim_filter_destroy(&filter);
    gpuprim_filter_destroy(NULL);
}

void convolve_errors_run(struct check *check)
{
    struct fixture f = { .check = check };
    if (!check_begin(check, "convolve1d/errors"))
        return;
    for (int i = 0; i < 2 * N; i++)
        f.y[i] = CANARY;
    f.gp = check_context(check, NULL, 0);
    f.other = check_context(check, NULL, 0);
    if (f.gp && f.other) {
        filters(&f);
        integers(&f);
        calls(&f);
        for (int i = 0; i < 2 * N; i++)
            f.y[i] = CANARY;
        others(&f);
    }
    gpuprim_destroy(&f.gp);
    gpuprim_destroy(&f.other);
    check_end(check);
}
