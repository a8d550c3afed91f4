/* SPDX-License-Identifier: Apache-2.0
 *
 * A correct call of gpuprim_reduce and its arrays, and the judgement of calls that must fail
 * (api_reduce_call.h).
 */
#include "api_reduce_call.h"

#include <string.h>

static const float CANARY = -77;
enum { OUT_AT = 8 };

void fixture_reset(struct fixture *f)
{
    for (int i = 0; i < CALL_N; i++) {
        f->x[i] = (float)i;
        f->results[i] = CANARY;
    }
    clEnqueueWriteBuffer(f->gp->queue, f->in, CL_TRUE, 0, sizeof(float) * CALL_N, f->x, 0, NULL,
                         NULL);
    clEnqueueWriteBuffer(f->gp->queue, f->out, CL_TRUE, 0, sizeof(float) * 4, f->results, 0,
                         NULL, NULL);
}

bool fixture_make(struct check *check, struct fixture *f)
{
    cl_int error[2];
    *f = (struct fixture){ .check = check, .gp = check_context(check, NULL, 0) };
    if (!f->gp)
        return false;
    f->in = clCreateBuffer(f->gp->context, CL_MEM_READ_WRITE, sizeof(float) * CALL_N, NULL,
                           &error[0]);
    f->out =
        clCreateBuffer(f->gp->context, CL_MEM_READ_WRITE, sizeof(float) * 4, NULL, &error[1]);
    fixture_reset(f);
    return CHECK(check, !error[0] && !error[1], "no buffers: %d %d", error[0], error[1]);
}

void fixture_free(struct fixture *f)
{
    if (f->in)
        clReleaseMemObject(f->in);
    if (f->out)
        clReleaseMemObject(f->out);
    gpuprim_destroy(&f->gp);
}

struct call call_on_host(struct fixture *f)
{
    struct call c = { .gp = f->gp, .prepare = true };
    c.in = gpuprim_host(GPUPRIM_F32, f->x, 16);
    c.in.rows = 4;
    c.out = gpuprim_host(GPUPRIM_F32, f->results + OUT_AT, 4);
    return c;
}

struct call call_on_buffers(struct fixture *f)
{
    struct call c = { .gp = f->gp };
    c.in = gpuprim_buffer(GPUPRIM_F32, f->in, 0, 16);
    c.in.rows = 4;
    c.out = gpuprim_buffer(GPUPRIM_F32, f->out, 0, 4);
    return c;
}

struct call call_with_sync(struct fixture *f)
{
    struct call c = call_on_buffers(f);
    c.sync.queue = f->gp->queue;
    c.sync.done = &f->done;
    return c;
}

static bool untouched(struct fixture *f)
{
    float out[4];
    clEnqueueReadBuffer(f->gp->queue, f->out, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    for (int i = 0; i < CALL_N; i++)
        if (f->results[i] != CANARY || f->x[i] != (float)i || (i < 4 && out[i] != CANARY))
            return false;
    return f->done == NULL;
}

// Whether the last message begins with the name of the function and goes on.
static bool is_message(const char *function)
{
    const char *text = gpuprim_last_error();
    const size_t n = strlen(function);
    return strncmp(text, function, n) == 0 && strncmp(text + n, ": ", 2) == 0 && text[n + 2];
}

void call_expect(struct fixture *f, const struct call *c, int expected, const char *name)
{
    struct check *check = f->check;
    const struct gpuprim_array *in = c->no_in ? NULL : &c->in,
                               *out = c->no_out ? NULL : &c->out;
    const struct gpuprim_reduce_params *params = c->no_params ? NULL : &c->params;
    check->cases++;
    int status = gpuprim_reduce(c->gp, in, out, params, c->sync_pointer);
    CHECK(check, status == expected, "%s: %d (%s), expected %d", name, status,
          gpuprim_last_error(), expected);
    CHECK(check, expected == GPUPRIM_OK || is_message("gpuprim_reduce"),
          "%s: the message is %s", name, gpuprim_last_error());
    CHECK(check, untouched(f), "%s: an array or `done` was touched", name);
    if (c->prepare) {
        status = gpuprim_reduce_prepare(c->gp, in, out, params);
        CHECK(check, status == expected, "%s: prepare gives %d, expected %d", name, status,
              expected);
        CHECK(check, expected == GPUPRIM_OK || is_message("gpuprim_reduce_prepare"),
              "%s: the message of prepare is %s", name, gpuprim_last_error());
    }
    const struct call good = call_on_host(f);
    status = gpuprim_reduce(f->gp, &good.in, &good.out, &good.params, NULL);
    CHECK(check, status == GPUPRIM_OK && f->results[OUT_AT] == 120,
          "%s: a good call afterwards gives %d, sum %g", name, status, f->results[OUT_AT]);
    fixture_reset(f);
}
