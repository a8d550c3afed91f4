/* SPDX-License-Identifier: Apache-2.0
 *
 * gpuprim_convolve1d: what a call means, and whether it may be made. */
#include "convolve1d.h"

// No position in a row leaves this range, so that 64 bits hold what is calculated with them.
#define MOST_POSITIONS ((uint64_t)1 << 61)

uint64_t gpuprim_filter_outputs(const gpuprim_filter *f, uint64_t count)
{
    if (!f || count > MOST_POSITIONS)
        return 0;
    const int64_t n = (int64_t)count, reach = (int64_t)f->reach;
    const int64_t all = f->mode == GPUPRIM_FULL       ? n + reach
                        : f->mode == GPUPRIM_VALID    ? n - reach
                        : f->mode == GPUPRIM_EXPLICIT ? n + reach - f->offset
                                                      : n;
    return all > 0 ? gp_ceil_div((uint64_t)all, f->stride) : 0;
}

// How many outputs of a row the call must have: with EXPLICIT as many as `out` has.
static int outputs_of(const struct convolution *c, uint64_t *outputs)
{
    const struct gpuprim_filter *f = c->filter;
    const uint64_t n = c->in.count;
    if (n > MOST_POSITIONS || c->out.count > MOST_POSITIONS / f->stride)
        return gp_fail(GPUPRIM_E_RANGE, "convolve1d: positions in a row overflow 64 bits");
    if (f->mode == GPUPRIM_VALID && n < f->reach)
        return gp_fail(GPUPRIM_E_ARG,
                       "convolve1d: VALID with %llu inputs, fewer than the %llu before the "
                       "first output",
                       (unsigned long long)n, (unsigned long long)f->reach);
    *outputs = f->mode == GPUPRIM_EXPLICIT ? c->out.count : gpuprim_filter_outputs(f, n);
    return GPUPRIM_OK;
}

static bool has_empty(enum gpuprim_boundary boundary)
{
    return boundary == GPUPRIM_ZERO || boundary == GPUPRIM_CONSTANT ||
           boundary == GPUPRIM_HISTORY;
}

static int check_shape(const struct convolution *c)
{
    const struct gpuprim_filter *f = c->filter;
    const struct gp_array *in = &c->in, *out = &c->out;
    if (in->type != f->in || out->type != f->out)
        return gp_fail(GPUPRIM_E_TYPE,
                       "convolve1d: the filter was made for %s in and %s out, not %s and %s",
                       gp_type_name(f->in), gp_type_name(f->out), gp_type_name(in->type),
                       gp_type_name(out->type));
    if (out->rows != in->rows)
        return gp_fail(GPUPRIM_E_ARG, "convolve1d: %llu rows in, %llu out",
                       (unsigned long long)in->rows, (unsigned long long)out->rows);
    if (f->rows != 1 && f->rows != in->rows)
        return gp_fail(GPUPRIM_E_ARG, "convolve1d: %llu rows of taps for %llu rows",
                       (unsigned long long)f->rows, (unsigned long long)in->rows);
    uint64_t outputs = 0;
    const int status = outputs_of(c, &outputs);
    if (status)
        return status;
    if (out->count != outputs)
        return gp_fail(GPUPRIM_E_ARG, "convolve1d: %llu inputs have %llu outputs, out has %llu",
                       (unsigned long long)in->count, (unsigned long long)outputs,
                       (unsigned long long)out->count);
    if (in->count == 0 && outputs && (!has_empty(f->left) || !has_empty(f->right)))
        return gp_fail(GPUPRIM_E_ARG,
                       "convolve1d: without inputs only ZERO, CONSTANT and HISTORY continue "
                       "them");
    return GPUPRIM_OK;
}

// One of the two arrays of the history.
static int take_history(gpuprim *gp, const struct convolution *c,
                        const struct gpuprim_array *array, const char *name,
                        struct gp_array *out)
{
    const uint64_t reach = c->filter->reach;
    const int status = gp_array_resolve(gp, array, name, false, out);
    if (status)
        return status;
    if (out->type != c->in.type)
        return gp_fail(GPUPRIM_E_TYPE, "%s is %s, in is %s", name, gp_type_name(out->type),
                       gp_type_name(c->in.type));
    if (out->count != reach || out->rows != c->in.rows)
        return gp_fail(GPUPRIM_E_ARG,
                       "%s has %llu rows of %llu, needed are (taps - 1) * dilation = %llu for "
                       "each of %llu rows",
                       name, (unsigned long long)out->rows, (unsigned long long)out->count,
                       (unsigned long long)reach, (unsigned long long)c->in.rows);
    return GPUPRIM_OK;
}

// Whether each element of one is that of the other, however the two say so. Both have as many
// rows and elements of one type.
static bool is_same(const struct gp_array *a, const struct gp_array *b)
{
    const int64_t size = (int64_t)a->size; // bytes of the first element from the root on
    return a->memory == b->memory && a->root == b->root &&
           a->begin + (a->first - a->low) * size == b->begin + (b->first - b->low) * size &&
           (a->count < 2 || a->stride == b->stride) &&
           a->row_stride == b->row_stride; // 0 with one row
}

// The same elements of a buffer, by way of its parent where it is a sub-buffer.
static void seen_from_root(struct gp_array *array)
{
    const int64_t origin = (int64_t)(array->begin / array->size) - array->low; // elements
    array->base = (void *)(uintptr_t)array->root;
    array->first += origin;
    array->low += origin;
    array->high += origin;
}

static int check_history(gpuprim *gp, const struct gpuprim_history *history,
                         struct convolution *c)
{
    const bool wanted = c->filter->left == GPUPRIM_HISTORY;
    if (wanted != (history != NULL))
        return gp_fail(GPUPRIM_E_ARG, wanted ? "convolve1d: the filter needs a history"
                                             : "convolve1d: a history, but the left boundary "
                                               "is another");
    if (history && (history->reserved[0] | history->reserved[1] | history->reserved[2] |
                    history->reserved[3]))
        return gp_fail(GPUPRIM_E_ARG,
                       "gpuprim_convolve1d: history: reserved members must be zero");
    if (!wanted || c->filter->reach == 0)
        return GPUPRIM_OK;
    int status = take_history(gp, c, &history->before, "convolve1d: before", &c->before);
    if (status || history->after.count == 0)
        return status;
    c->hands_on = true;
    status = take_history(gp, c, &history->after, "convolve1d: after", &c->after);
    // Read and written through one memory object: OpenCL leaves open what a buffer and its
    // sub-buffer do together. That object is the parent, because `before` may be read-only.
    if (!status && is_same(&c->after, &c->before)) {
        if (c->after.memory == GPUPRIM_BUFFER && c->after.base != c->before.base)
            seen_from_root(&c->before);
        c->after = c->before;
    }
    return status;
}

// Nothing that is written may be read, or written twice.
static int check_overlap(const struct convolution *c)
{
    const char *what = NULL;
    if (gp_arrays_overlap(&c->in, &c->out))
        what = "in and out";
    else if (gp_arrays_overlap(&c->before, &c->out))
        what = "before and out";
    else if (gp_arrays_overlap(&c->after, &c->out))
        what = "after and out";
    else if (gp_arrays_overlap(&c->after, &c->in))
        what = "after and in";
    else if (gp_arrays_overlap(&c->after, &c->before) && !is_same(&c->after, &c->before))
        return gp_fail(GPUPRIM_E_ARG, "convolve1d: before and after overlap, but are not the "
                                      "same elements in the same order");
    return what ? gp_fail(GPUPRIM_E_ARG, "convolve1d: %s overlap", what) : GPUPRIM_OK;
}

static int check(gpuprim *gp, const gpuprim_filter *filter, const struct gpuprim_array *in,
                 const struct gpuprim_array *out, const struct gpuprim_history *history,
                 const struct gpuprim_sync *sync, struct convolution *c)
{
    int status = gp_context_check(gp);
    if (status)
        return status;
    if (!filter)
        return gp_fail(GPUPRIM_E_ARG, "convolve1d: filter is NULL");
    if (filter->gp != gp)
        return gp_fail(GPUPRIM_E_ARG, "convolve1d: the filter is of another context");
    c->filter = filter;
    status = gp_array_resolve(gp, in, "convolve1d: in", false, &c->in);
    if (!status)
        status = gp_array_resolve(gp, out, "convolve1d: out", false, &c->out);
    if (!status)
        status = check_shape(c);
    if (!status)
        status = check_history(gp, history, c);
    if (!status)
        status = check_overlap(c);
    if (!status && sync && gp_convolve_has_host(c))
        status = gp_fail(GPUPRIM_E_ARG,
                         "convolve1d: host arrays need a blocking call, without sync");
    return status;
}

int gpuprim_convolve1d(gpuprim *gp, const gpuprim_filter *filter,
                       const struct gpuprim_array *in, const struct gpuprim_array *out,
                       const struct gpuprim_history *history, const struct gpuprim_sync *sync)
{
    gp_enter("gpuprim_convolve1d");
    struct convolution c = { .filter = NULL };
    int status = check(gp, filter, in, out, history, sync, &c);
    if (status)
        return status;
    if (c.in.rows == 0)
        return gp_call_nothing(gp, sync);
    gp_filter_retain(filter);
    status = gp_convolve_run(gp, &c, sync);
    gp_filter_release(filter);
    return status;
}

// What a filter of 33 taps would run on.
int gp_convolve_describe(gpuprim *gp, char *text, size_t size)
{
    const struct gpuprim_filter filter = { .gp = gp,
                                           .taps_type = GPUPRIM_F32,
                                           .in = GPUPRIM_F32,
                                           .out = GPUPRIM_F32,
                                           .taps = 33,
                                           .rows = 1,
                                           .stride = 1,
                                           .dilation = 1,
                                           .reach = 32,
                                           .offset = 16,
                                           .size = 4 };
    const struct convolution c = gp_convolve_packed_call(&filter);
    struct gp_plan plan;
    const int status = gp_plan_alone(gp, &gp_primitive_convolve1d, &c, &plan);
    if (status)
        return status;
    const struct convolve_shape *shape = plan.variant->ops;
    struct convolve_layout l = { 0, 0, 0, 0 };
    shape->lay_out(gp, &c, plan.variant, plan.program->work_group, c.in.rows, c.out.count, &l);
    gp_plan_describe(gp, &plan, "2^26 f32 with 33 taps", l.groups, text, size);
    return GPUPRIM_OK;
}
