/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d: enqueues one kernel, and says where the arrays of a launch lie. Calls plan.c and
 * shape.c. launches.c, run.c, and the files of host.h call it. */
#include "arguments.h"
#include "convolve1d.h"

#include <stddef.h>
#include <string.h>

static unsigned arg_kinds(bool x_is_svm, bool before_is_svm, bool out_is_svm, bool after_is_svm)
{
    return (x_is_svm ? GP_SVM_IN : 0u) | (before_is_svm ? GP_SVM_THIRD : 0u) |
           (out_is_svm ? GP_SVM_OUT : 0u) | (after_is_svm ? GP_SVM_FOURTH : 0u);
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

struct convolve_shape gp_convolve_launch_shape(const struct convolve_run *run,
                                               const struct convolve_launch *launch,
                                               bool *turned)
{
    struct convolve_shape s = { .filter = run->c->filter,
                                .n = launch->n,
                                .outputs = launch->outputs,
                                .rows = launch->rows,
                                .stride = launch->x->stride,
                                .row_stride = launch->x->row_stride,
                                .out_stride = launch->out->stride,
                                .out_row_stride = launch->out->row_stride,
                                .origin = launch->origin };
    s.updates_history = launch->after ? gp_convolve_update_of(&s) : 0;
    *turned = gp_convolve_turn_rows(&s);
    gp_convolve_join_rows(&s, launch->origin);
    return s;
}

// The rows of a launch, as its shape has them.
static void set_rows(const struct convolve_shape *s, bool turned, struct arguments *a)
{
    if (turned) {
        const int64_t last = (int64_t)a->rows - 1;
        a->first += last * a->row_stride;
        a->before_first += last * a->before_row_stride;
        a->out_first += last * a->out_row_stride;
        a->before_row_stride = -a->before_row_stride;
    }
    a->n = s->n;
    a->outputs = s->outputs;
    a->rows = s->rows;
    a->stride = s->stride;
    a->row_stride = s->row_stride;
    a->out_stride = s->out_stride;
    a->out_row_stride = s->out_row_stride;
}

// Where the history is updated in the launch. Of more than one tap no rows are joined.
static struct update_arguments update_of(const struct convolve_launch *launch, bool turned)
{
    const struct convolve_view *after = launch->after;
    const int64_t last = (int64_t)launch->rows - 1;
    return (struct update_arguments){
        .first = after->first + (turned ? last * after->row_stride : 0),
        .stride = after->stride,
        .row_stride = turned ? -after->row_stride : after->row_stride,
    };
}

// Enqueues what was planned. The first five arguments of the kernel are given. `updates`:
// UPDATES_..., or 0; `update`: where `after` lies.
static int enqueue(struct convolve_run *run, const struct convolve_planned *planned,
                   const struct gp_argument given[5], const struct gp_argument *after,
                   unsigned updates, const struct update_arguments *update, bool last)
{
    const struct convolve_ops *ops = run->plan.variant->ops;
    const struct convolve_layout *l = &planned->layout;
    const uint32_t steps = ops->step ? l->steps : 1;
    unsigned char own[sizeof l->own];
    cl_mem scratch = NULL, counters = NULL;
    cl_kernel kernel;
    struct gp_argument list[10];
    unsigned n = 5;
    memcpy(list, given, 5 * sizeof *list);
    memcpy(own, l->own, l->own_size);
    if (l->own_size)
        list[n++] = (struct gp_argument){ own, l->own_size, false };
    if (l->scratch)
        list[n++] = (struct gp_argument){ &scratch, sizeof scratch, false };
    if (updates) {
        list[n++] = *after;
        if (updates == UPDATES_BY_LAST)
            list[n++] = (struct gp_argument){ &counters, sizeof counters, false };
        list[n++] = (struct gp_argument){ update, sizeof *update, false };
    }
    int status =
        gp_plan_kernel(&run->plan, 0,
                       arg_kinds(list[0].is_svm, list[1].is_svm, list[3].is_svm,
                                 planned->shape.updates_history && after && after->is_svm),
                       &kernel);
    if (!status && l->scratch)
        status = gp_call_memory(&run->call, GP_SEGMENTS, l->scratch, &scratch);
    if (!status && updates == UPDATES_BY_LAST)
        status = gp_call_memory(&run->call, GP_PARTIALS, GP_MAX_COUNTERS * sizeof(cl_uint),
                                &counters);
    for (uint32_t i = 0; !status && i < steps; i++) {
        const uint64_t groups = ops->step ? ops->step(run->c->filter, l, i, own) : l->groups;
        status = gp_launch(&run->call, kernel, groups, run->plan.program->work_group, list, n,
                           last && i == steps - 1);
    }
    return status;
}

// Arguments by their numbers in the lists of gp_convolve_launch() and enqueue().
const struct gp_repeat_form gp_convolve_form = {
    .scalars = 4,
    .scalar_bytes = sizeof(struct arguments),
    .arrays = { { 0, offsetof(struct arguments, first) },
                { 3, offsetof(struct arguments, out_first) } },
};

int gp_convolve_launch_planned(struct convolve_run *run, const struct convolve_launch *launch,
                               const struct convolve_planned *planned, bool turned)
{
    const struct gpuprim_filter *f = run->c->filter;
    const struct convolve_shape *shape = &planned->shape;
    run->plan = planned->plan;
    const struct convolve_ops *ops = run->plan.variant->ops;
    const struct convolve_layout *l = &planned->layout;
    struct convolve_view none;
    gp_convolve_view_none(&none);
    const struct convolve_view *before = launch->before ? launch->before : &none;
    struct arguments arguments = arguments_of(run, launch, before);
    set_rows(shape, turned, &arguments);
    arguments.share = l->share;
    arguments.row_groups = l->row_groups;
    const struct gp_argument taps =
        ops->by_spectrum ? (struct gp_argument){ &f->fft.memory, sizeof f->fft.memory, false }
        : ops->by_planes && f->rows == 1
            ? (struct gp_argument){ &f->planes, sizeof f->planes, false }
        : ops->by_value && f->rows == 1
            ? (struct gp_argument){ f->values, f->taps * f->size, false }
            : (struct gp_argument){ &f->memory, sizeof f->memory, false };
    const struct gp_argument list[] = { launch->x->argument,
                                        before->argument,
                                        taps,
                                        launch->out->argument,
                                        { &arguments, sizeof arguments, false } };
    if (!launch->after)
        return enqueue(run, planned, list, NULL, 0, NULL, launch->last);
    const unsigned updates = planned->updates;
    const struct update_arguments place = update_of(launch, turned);
    const int status = enqueue(run, planned, list, &launch->after->argument, updates, &place,
                               launch->last && updates);
    if (status || updates)
        return status;
    struct convolve_launch update = *launch;
    update.out = launch->after;
    update.outputs = f->halo;
    return gp_convolve_update_history(run, &update);
}

// Each program has the kernel that updates the history. Before the first launch it comes from
// the program that the filter was created with.
int gp_convolve_update_history(struct convolve_run *run, const struct convolve_launch *launch)
{
    struct convolve_view none;
    gp_convolve_view_none(&none);
    const struct convolve_view *before = launch->before ? launch->before : &none;
    struct arguments arguments = arguments_of(run, launch, before);
    const struct gp_argument list[] = { launch->x->argument,
                                        before->argument,
                                        launch->out->argument,
                                        { &arguments, sizeof arguments, false } };
    cl_kernel kernel;
    int status = GPUPRIM_OK;
    if (!run->plan.program) {
        const struct convolve_shape packed = gp_convolve_packed_shape(run->c->filter);
        status = gp_plan(run->call.gp, &gp_primitive_convolve1d, &packed, &run->plan);
    }
    if (!status)
        status = gp_plan_kernel(
            &run->plan, 1, arg_kinds(list[0].is_svm, list[1].is_svm, list[2].is_svm, false),
            &kernel);
    if (status)
        return status;
    const unsigned items = run->plan.program->work_group;
    const uint64_t groups = gp_convolve_share_history(launch, before, run, items, &arguments);
    return gp_launch(&run->call, kernel, groups, items, list, 4, launch->last);
}

void gp_convolve_kinds(const struct convolution *c, bool updates,
                       unsigned kinds[GP_MAX_KERNELS])
{
    const bool in = c->in.memory == GPUPRIM_SVM, out = c->out.memory == GPUPRIM_SVM,
               before = c->before.memory == GPUPRIM_SVM, after = c->after.memory == GPUPRIM_SVM;
    kinds[0] = arg_kinds(in, before, out, updates && after);
    kinds[1] = arg_kinds(in, before, after, false);
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

void gp_convolve_view_none(struct convolve_view *out)
{
    gp_convolve_view_packed(NULL, 0, 0, out);
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
