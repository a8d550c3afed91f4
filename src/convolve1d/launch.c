/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d: enqueues one kernel, and says where the arrays of a launch lie. Calls no other
 * file of this folder. run.c, and the files of host.h, call it. */
#include "arguments.h"
#include "convolve1d.h"

static unsigned arg_kinds(const struct gp_argument *x, const struct gp_argument *before,
                          const struct gp_argument *out)
{
    return (x->is_svm ? GP_SVM_IN : 0u) | (before->is_svm ? GP_SVM_THIRD : 0u) |
           (out->is_svm ? GP_SVM_OUT : 0u);
}

static struct arguments arguments_of(const struct convolve_run *run,
                                     const struct convolve_launch *launch,
                                     const struct convolve_view *before)
{
    const struct gpuprim_filter *f = run->c->filter;
    return (struct arguments){
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
        .origin = launch->origin,
        .halo = f->halo,
        .tap_first = f->rows > 1 ? launch->row * f->taps : 0,
        .tap_row = f->rows > 1 ? f->taps : 0,
        .constant_left = f->constant[0],
        .constant_right = f->constant[1],
        .taps = (cl_uint)f->taps,
        .step = (cl_uint)f->stride,
        .dilation = (cl_uint)f->dilation,
        // Kernels know no ZERO: it is the constant 0. A history that the launch does not have
        // must not be read, either.
        .left = f->left == GPUPRIM_ZERO || (f->left == GPUPRIM_HISTORY && !launch->before)
                    ? GPUPRIM_CONSTANT
                    : f->left,
        .right = f->right == GPUPRIM_ZERO ? GPUPRIM_CONSTANT : f->right,
        .shift = f->shift,
    };
}

int gp_convolve_launch(struct convolve_run *run, const struct convolve_launch *launch)
{
    const struct gpuprim_filter *f = run->c->filter;
    const struct convolve_ops *ops = run->plan.variant->ops;
    const unsigned items = run->plan.program->work_group;
    struct convolve_view unused;
    gp_convolve_view_unused(run, &unused);
    const struct convolve_view *before = launch->before ? launch->before : &unused;
    struct arguments arguments = arguments_of(run, launch, before);
    struct convolve_layout l = { 0, 0, 0 };
    ops->lay_out(run->call.gp, run->c, run->plan.variant, items, launch->rows, launch->outputs,
                 &l);
    arguments.share = l.share;
    arguments.row_groups = l.row_groups;
    const struct gp_argument taps =
        ops->by_value ? (struct gp_argument){ f->values, f->taps * f->size, false }
                      : (struct gp_argument){ &f->memory, sizeof f->memory, false };
    const struct gp_argument list[] = { launch->x->argument,
                                        before->argument,
                                        taps,
                                        launch->out->argument,
                                        { &arguments, sizeof arguments, false } };
    cl_kernel kernel;
    const int status =
        gp_plan_kernel(&run->plan, 0, arg_kinds(&list[0], &list[1], &list[3]), &kernel);
    if (status)
        return status;
    return gp_launch(&run->call, kernel, l.groups, items, list, 5, launch->last);
}

int gp_convolve_update_history(struct convolve_run *run, const struct convolve_launch *launch)
{
    struct convolve_view unused;
    gp_convolve_view_unused(run, &unused);
    const struct convolve_view *before = launch->before ? launch->before : &unused;
    const struct arguments arguments = arguments_of(run, launch, before);
    const struct gp_argument list[] = { launch->x->argument,
                                        before->argument,
                                        launch->out->argument,
                                        { &arguments, sizeof arguments, false } };
    cl_kernel kernel;
    const int status =
        gp_plan_kernel(&run->plan, 1, arg_kinds(&list[0], &list[1], &list[2]), &kernel);
    if (status)
        return status;
    return gp_launch(&run->call, kernel, launch->rows, run->plan.program->work_group, list, 4,
                     launch->last);
}

// ---------------------------------------------------------------------------------------
// Views

void gp_convolve_view_packed(cl_mem memory, uint64_t first, uint64_t count,
                             struct convolve_view *out)
{
    *out = (struct convolve_view){
        .memory = memory, .first = (int64_t)first, .stride = 1, .row_stride = (int64_t)count
    };
    out->argument = (struct gp_argument){ &out->memory, sizeof out->memory, false };
}

void gp_convolve_view_unused(const struct convolve_run *run, struct convolve_view *out)
{
    gp_convolve_view_packed(run->c->filter->memory, 0, 0, out);
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
