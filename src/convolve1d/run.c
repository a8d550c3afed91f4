/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d: launches, and calls on device memory. */
#include "convolve1d.h"

static unsigned form_of(const struct gp_argument *x, const struct gp_argument *before,
                        const struct gp_argument *out)
{
    return (x->is_svm ? GP_SVM_IN : 0u) | (before->is_svm ? GP_SVM_THIRD : 0u) |
           (out->is_svm ? GP_SVM_OUT : 0u);
}

static struct convolve_arguments arguments_of(const struct convolve_run *run,
                                              const struct convolve_launch *launch,
                                              const struct convolve_view *before)
{
    const struct gpuprim_filter *f = run->c->filter;
    return (struct convolve_arguments){
        .first = launch->x->first,
        .stride = launch->x->stride,
        .row_stride = launch->x->row_stride,
        .before_first = before->first,
        .before_stride = before->stride,
        .before_row_stride = before->row_stride,
        .out_first = launch->out->first,
        .out_stride = launch->out->stride,
        .out_row_stride = launch->out->row_stride,
        .n = launch->n,
        .outputs = launch->outputs,
        .rows = launch->rows,
        .lo = launch->lo,
        .reach = f->reach,
        .tap_first = f->rows > 1 ? launch->row * f->taps : 0,
        .tap_row = f->rows > 1 ? f->taps : 0,
        .constant_left = f->constant[0],
        .constant_right = f->constant[1],
        .taps = (cl_uint)f->taps,
        .step = (cl_uint)f->stride,
        .dilation = (cl_uint)f->dilation,
        // ZERO is a constant; a history that is not there is not read either.
        .left = f->left == GPUPRIM_ZERO || (f->left == GPUPRIM_HISTORY && !launch->before)
                    ? GPUPRIM_CONSTANT
                    : f->left,
        .right = f->right == GPUPRIM_ZERO ? GPUPRIM_CONSTANT : f->right,
        .shift = f->shift,
    };
}

// What stands for memory that no kernel reads.
static void spare_of(const struct convolve_run *run, struct convolve_view *out)
{
    gp_convolve_packed(run->c->filter->memory, 0, 0, out);
}

int gp_convolve_launch(struct convolve_run *run, const struct convolve_launch *launch)
{
    const struct gpuprim_filter *f = run->c->filter;
    const struct convolve_shape *shape = run->plan.variant->ops;
    const unsigned items = run->plan.program->work_group;
    struct convolve_view spare;
    spare_of(run, &spare);
    const struct convolve_view *before = launch->before ? launch->before : &spare;
    struct convolve_arguments arguments = arguments_of(run, launch, before);
    struct convolve_layout l = { 0, 0, 0, 0 };
    shape->lay_out(run->call.gp, run->c, run->plan.variant, items, launch->rows,
                   launch->outputs, &l);
    arguments.share = l.share;
    arguments.row_groups = l.row_groups;
    arguments.extra = l.extra;
    const struct gp_argument taps =
        run->special.value_bytes
            ? (struct gp_argument){ f->values, run->special.value_bytes, false }
            : (struct gp_argument){ &f->memory, sizeof f->memory, false };
    const struct gp_argument list[] = { launch->x->argument,
                                        before->argument,
                                        taps,
                                        launch->out->argument,
                                        { &arguments, sizeof arguments, false } };
    cl_kernel kernel;
    const int status =
        gp_plan_kernel(&run->plan, 0, form_of(&list[0], &list[1], &list[3]), &kernel);
    if (status)
        return status;
    return gp_launch(&run->call, kernel, l.groups, items, list, 5, launch->last);
}

int gp_convolve_hand_on(struct convolve_run *run, const struct convolve_launch *launch)
{
    struct convolve_view spare;
    spare_of(run, &spare);
    const struct convolve_view *before = launch->before ? launch->before : &spare;
    const struct convolve_arguments arguments = arguments_of(run, launch, before);
    const struct gp_argument list[] = { launch->x->argument,
                                        before->argument,
                                        launch->out->argument,
                                        { &arguments, sizeof arguments, false } };
    cl_kernel kernel;
    const int status =
        gp_plan_kernel(&run->plan, 1, form_of(&list[0], &list[1], &list[2]), &kernel);
    if (status)
        return status;
    return gp_launch(&run->call, kernel, launch->rows, run->plan.program->work_group, list, 4,
                     launch->last);
}

void gp_convolve_packed(cl_mem memory, uint64_t first, uint64_t count,
                        struct convolve_view *out)
{
    *out = (struct convolve_view){
        .memory = memory, .first = (int64_t)first, .stride = 1, .row_stride = (int64_t)count
    };
    out->argument = (struct gp_argument){ &out->memory, sizeof out->memory, false };
}

void gp_convolve_view(const struct gp_array *array, uint64_t row, struct convolve_view *out)
{
    *out = (struct convolve_view){ .memory = (cl_mem)array->base,
                                   .first = array->first + (int64_t)row * array->row_stride,
                                   .stride = array->stride,
                                   .row_stride = array->row_stride };
    out->argument = array->memory == GPUPRIM_SVM
                        ? (struct gp_argument){ array->base, 0, true }
                        : (struct gp_argument){ &out->memory, sizeof out->memory, false };
}

// ---------------------------------------------------------------------------------------

bool gp_convolve_has_host(const struct convolution *c)
{
    return c->in.memory == GPUPRIM_HOST || c->out.memory == GPUPRIM_HOST ||
           (c->filter->left == GPUPRIM_HISTORY &&
            (c->before.memory == GPUPRIM_HOST ||
             (c->hands_on && c->after.memory == GPUPRIM_HOST)));
}

// Everything in device memory: one launch, and one that hands on the history. A call that has
// nothing to do launches the latter for nothing, so that it has an event.
static int run_device(struct convolve_run *run)
{
    const struct convolution *c = run->c;
    const struct gpuprim_filter *f = c->filter;
    struct convolve_view x, before, out, after;
    // An array without elements need not have memory.
    if (c->in.count)
        gp_convolve_view(&c->in, 0, &x);
    else
        spare_of(run, &x);
    const bool has_before = f->left == GPUPRIM_HISTORY && f->reach > 0;
    if (has_before)
        gp_convolve_view(&c->before, 0, &before);
    struct convolve_launch launch = { .x = &x,
                                      .before = has_before ? &before : NULL,
                                      .n = c->in.count,
                                      .rows = c->in.rows,
                                      .lo = f->offset - (int64_t)f->reach };
    int status = GPUPRIM_OK;
    const bool hands_on = c->hands_on || c->out.count == 0;
    if (c->out.count) {
        gp_convolve_view(&c->out, 0, &out);
        launch.out = &out;
        launch.outputs = c->out.count;
        launch.last = !hands_on;
        status = gp_convolve_launch(run, &launch);
    }
    if (!status && hands_on) {
        if (c->hands_on)
            gp_convolve_view(&c->after, 0, &after);
        else
            spare_of(run, &after);
        launch.out = &after;
        launch.outputs = c->hands_on ? f->reach : 0;
        launch.last = true;
        status = gp_convolve_hand_on(run, &launch);
    }
    return status;
}

int gp_convolve_run(gpuprim *gp, const struct convolution *c, const struct gpuprim_sync *sync)
{
    struct convolve_run run = { .c = c };
    int status = gp_call_begin(gp, sync, &run.call);
    if (status)
        return status;
    status = gp_plan(gp, &gp_primitive_convolve1d, c, &run.plan);
    if (!status)
        run.special = gp_convolve_special(gp, c, run.plan.variant);
    if (!status && gp_convolve_has_host(c))
        status = gp_convolve_host(&run);
    else if (!status)
        status = run_device(&run);
    if (!status && !sync) {
        gp_call_unlock(&run.call);
        status = gp_call_finish(&run.call);
        gp_call_lock(&run.call);
    }
    return gp_call_end(&run.call, status);
}
