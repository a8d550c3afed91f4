/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d: runs a checked call. What lies in device memory is one launch here; a call with an
 * array on the host goes to host.c. launch.c enqueues the kernels. */
#include "host.h"

// Everything in device memory. A call that has nothing to do launches the kernel that updates the
// history without work, so that it has an event.
static int run_device(struct convolve_run *run)
{
    const struct convolution *c = run->c;
    const struct gpuprim_filter *f = c->filter;
    struct convolve_view x, before, out, after;
    // An array without elements need not have memory.
    if (c->in.count)
        gp_convolve_view(&c->in, 0, &x);
    else
        gp_convolve_view_none(&x);
    const bool has_before = f->left == GPUPRIM_HISTORY && f->halo > 0;
    if (has_before)
        gp_convolve_view(&c->before, 0, &before);
    if (c->has_after)
        gp_convolve_view(&c->after, 0, &after);
    else
        gp_convolve_view_none(&after);
    struct convolve_launch launch = { .x = &x,
                                      .before = has_before ? &before : NULL,
                                      .n = c->in.count,
                                      .rows = c->in.rows,
                                      .origin = f->offset - (int64_t)f->halo,
                                      .last = true };
    if (c->out.count) {
        gp_convolve_view(&c->out, 0, &out);
        launch.out = &out;
        launch.outputs = c->out.count;
        launch.after = c->has_after ? &after : NULL;
        return gp_convolve_launch(run, &launch);
    }
    launch.out = &after;
    launch.outputs = c->has_after ? f->halo : 0;
    return gp_convolve_update_history(run, &launch);
}

int gp_convolve_run(gpuprim *gp, const struct convolution *c, const struct gpuprim_sync *sync,
                    const struct gp_again *again)
{
    struct convolve_run run = { .c = c };
    int status = gp_call_begin(gp, sync, &run.call);
    if (status)
        return status;
    run.call.again = again;
    status = gp_convolve_has_host(c) ? gp_convolve_host(&run) : run_device(&run);
    if (!status && !sync) {
        gp_call_unlock(&run.call);
        status = gp_call_finish(&run.call);
        gp_call_lock(&run.call);
    }
    return gp_call_end(&run.call, status);
}
