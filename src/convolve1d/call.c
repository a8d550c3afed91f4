/* SPDX-License-Identifier: Apache-2.0
 *
 * gpuprim_convolve1d and gpuprim_convolve1d_prepare check the arguments of a call and resolve
 * its arrays. run.c runs the call, or builds for it. Also gpuprim_filter_outputs. */
#include "convolve1d.h"

// Positions in a row, and outputs of all rows, stay within this range, so that sums of a few of
// them fit 64 bits. A call needs memory for all outputs, but not its description.
#define MOST_POSITIONS ((uint64_t)1 << 61)

uint64_t gpuprim_filter_outputs(const gpuprim_filter *f, uint64_t count)
{
    if (!f || count > MOST_POSITIONS)
        return 0;
    const int64_t n = (int64_t)count, halo = (int64_t)f->halo;
    const int64_t all = f->mode == GPUPRIM_FULL       ? n + halo
                        : f->mode == GPUPRIM_VALID    ? n - halo
                        : f->mode == GPUPRIM_EXPLICIT ? n + halo - f->offset
                                                      : n;
    return all > 0 ? gp_ceil_div((uint64_t)all, f->stride) : 0;
}

// How many outputs a row of the call must have. EXPLICIT: as many as `out` has.
static int outputs_of(const struct convolution *c, uint64_t *outputs)
{
    const struct gpuprim_filter *f = c->filter;
    const uint64_t n = c->in.count;
    if (n > MOST_POSITIONS || c->out.count > MOST_POSITIONS / f->stride)
        return gp_fail(GPUPRIM_E_RANGE, "positions in a row must be below 2^61");
    if (f->mode == GPUPRIM_VALID && n < f->halo)
        return gp_fail(GPUPRIM_E_ARG,
                       "VALID needs at least (taps - 1) * dilation = %llu inputs, in has %llu",
                       (unsigned long long)f->halo, (unsigned long long)n);
    *outputs = f->mode == GPUPRIM_EXPLICIT ? c->out.count : gpuprim_filter_outputs(f, n);
    return GPUPRIM_OK;
}

static bool has_empty(enum gpuprim_boundary boundary)
{
    return boundary == GPUPRIM_ZERO || boundary == GPUPRIM_CONSTANT ||
           boundary == GPUPRIM_HISTORY;
}

static int check_geometry(const struct convolution *c)
{
    const struct gpuprim_filter *f = c->filter;
    const struct gp_array *in = &c->in, *out = &c->out;
    if (in->type != f->in || out->type != f->out)
        return gp_fail(GPUPRIM_E_TYPE, "the filter takes %s in and %s out, not %s and %s",
                       gp_type_name(f->in), gp_type_name(f->out), gp_type_name(in->type),
                       gp_type_name(out->type));
    if (out->rows != in->rows)
        return gp_fail(GPUPRIM_E_ARG, "in has %llu rows, out must have as many, not %llu",
                       (unsigned long long)in->rows, (unsigned long long)out->rows);
    if (f->rows != 1 && f->rows != in->rows)
        return gp_fail(GPUPRIM_E_ARG, "the filter has taps for %llu rows, in has %llu",
                       (unsigned long long)f->rows, (unsigned long long)in->rows);
    uint64_t outputs = 0;
    const int status = outputs_of(c, &outputs);
    if (status)
        return status;
    if (out->count != outputs)
        return gp_fail(GPUPRIM_E_ARG, "%llu inputs have %llu outputs, out has room for %llu",
                       (unsigned long long)in->count, (unsigned long long)outputs,
                       (unsigned long long)out->count);
    if (out->rows && outputs > MOST_POSITIONS / out->rows)
        return gp_fail(GPUPRIM_E_RANGE, "out has %llu rows of %llu elements, more than 2^61",
                       (unsigned long long)out->rows, (unsigned long long)outputs);
    if (in->count == 0 && outputs && (!has_empty(f->left) || !has_empty(f->right)))
        return gp_fail(GPUPRIM_E_ARG,
                       "without inputs a boundary must be ZERO, CONSTANT or HISTORY");
    return GPUPRIM_OK;
}

// One of the two arrays of the history.
static int take_history(gpuprim *gp, const struct convolution *c,
                        const struct gpuprim_array *array, const char *name, bool ignore_base,
                        struct gp_array *out)
{
    const uint64_t halo = c->filter->halo;
    const int status = gp_array_resolve(gp, array, name, ignore_base, out);
    if (status)
        return status;
    if (out->type != c->in.type)
        return gp_fail(GPUPRIM_E_TYPE, "%s must be %s as in is, not %s", name,
                       gp_type_name(c->in.type), gp_type_name(out->type));
    if (out->count != halo || out->rows != c->in.rows)
        return gp_fail(GPUPRIM_E_ARG,
                       "%s must have %llu rows of (taps - 1) * dilation = %llu samples, not "
                       "%llu rows of %llu",
                       name, (unsigned long long)c->in.rows, (unsigned long long)halo,
                       (unsigned long long)out->rows, (unsigned long long)out->count);
    return GPUPRIM_OK;
}

// Whether both arrays have the same elements in the same order, however they are described.
// They have the same type, count and rows.
static bool is_same(const struct gp_array *a, const struct gp_array *b)
{
    const int64_t size =
        (int64_t)a->size; // to bytes: the first element's, counted from the root
    return a->memory == b->memory && a->root == b->root &&
           a->begin + (a->first - a->low) * size == b->begin + (b->first - b->low) * size &&
           (a->count < 2 || a->stride == b->stride) &&
           a->row_stride == b->row_stride; // 0 with one row
}

// Describes the same elements of a sub-buffer as elements of its parent.
static void move_to_root(struct gp_array *array)
{
    const int64_t origin = (int64_t)(array->begin / array->size) - array->low; // elements
    array->base = (void *)(uintptr_t)array->root;
    array->first += origin;
    array->low += origin;
    array->high += origin;
}

static int check_history(gpuprim *gp, const struct gpuprim_history *history, bool ignore_base,
                         struct convolution *c)
{
    const bool wanted = c->filter->left == GPUPRIM_HISTORY;
    if (wanted != (history != NULL))
        return gp_fail(GPUPRIM_E_ARG,
                       wanted
                           ? "history is NULL, but the filter's left boundary is HISTORY"
                           : "history must be NULL: the filter's left boundary is not HISTORY");
    int status = history ? gp_reserved_check(history->reserved, "history") : GPUPRIM_OK;
    if (status || !wanted || c->filter->halo == 0)
        return status;
    status = take_history(gp, c, &history->before, "before", ignore_base, &c->before);
    if (status || history->after.count == 0)
        return status;
    c->has_after = true;
    status = take_history(gp, c, &history->after, "after", ignore_base, &c->after);
    // A kernel shall read and write this memory through one memory object: OpenCL does not say
    // what a buffer and its sub-buffer do together. It is the parent's, because `before` may be
    // read-only.
    if (!status && is_same(&c->after, &c->before)) {
        if (c->after.memory == GPUPRIM_BUFFER && c->after.base != c->before.base)
            move_to_root(&c->before);
        c->after = c->before;
    }
    return status;
}

// What is written must not be read, or written twice.
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
        return gp_fail(
            GPUPRIM_E_ARG,
            "before and after overlap, but are not the same elements in the same order");
    return what ? gp_fail(GPUPRIM_E_ARG, "%s overlap", what) : GPUPRIM_OK;
}

// Rows of one element are also columns, because the stride of a single element is free. CPUs take
// narrow columns as lanes. PoCL 3.1, both cores of an AMD EPYC with AVX-512, 2026-12-01, 4 million
// rows of one, us as rows and as columns: u8, 2 taps 3764, 1625, 3 taps 4371, 1068; f16, 2 taps 3422,
// 880, 3 taps 5232, 922; other numbers of taps the same. Elements of 4 and 8 bytes are faster as
// rows: f32, 3 taps 1017, 1989; f64 2089, 2703.
static void lay_as_columns(struct convolution *c)
{
    int64_t in_line, out_line;
    if (c->in.count != 1 || c->out.count != 1 || c->in.size > 2 || c->in.rows == 1)
        return;
    // The first element of one row more may lie beyond 64 bits. Such rows stay rows.
    if (__builtin_mul_overflow(c->in.row_stride, (int64_t)c->in.rows, &in_line) ||
        __builtin_mul_overflow(c->out.row_stride, (int64_t)c->out.rows, &out_line))
        return;
    c->in.stride = in_line;
    c->out.stride = out_line;
}

int gp_convolve_check_arrays(gpuprim *gp, const gpuprim_filter *filter,
                             const struct gpuprim_array *in, const struct gpuprim_array *out,
                             bool ignore_base, struct convolution *c)
{
    int status = gp_context_check(gp);
    if (status)
        return status;
    if (!filter)
        return gp_fail(GPUPRIM_E_ARG, "filter is NULL");
    if (filter->gp != gp)
        return gp_fail(GPUPRIM_E_ARG, "the filter belongs to another context");
    c->filter = filter;
    status = gp_array_resolve(gp, in, "in", ignore_base, &c->in);
    if (!status)
        status = gp_array_resolve(gp, out, "out", ignore_base, &c->out);
    if (!status)
        status = check_geometry(c);
    if (!status && gp->caps.is_cpu)
        lay_as_columns(c);
    return status;
}

static int check(gpuprim *gp, const gpuprim_filter *filter, const struct gpuprim_array *in,
                 const struct gpuprim_array *out, const struct gpuprim_history *history,
                 bool ignore_base, struct convolution *c)
{
    int status = gp_convolve_check_arrays(gp, filter, in, out, ignore_base, c);
    if (!status)
        status = check_history(gp, history, ignore_base, c);
    return status || ignore_base ? status : check_overlap(c);
}

int gpuprim_convolve1d(gpuprim *gp, const gpuprim_filter *filter,
                       const struct gpuprim_array *in, const struct gpuprim_array *out,
                       const struct gpuprim_history *history, const struct gpuprim_sync *sync)
{
    gp_enter("gpuprim_convolve1d");
    const struct gp_again again = { .kept = filter ? &filter->plans->repeats : NULL,
                                    .form = &gp_convolve_form,
                                    .arrays = { in, out },
                                    .lasting = filter ? filter->values : NULL };
    const bool may_repeat = filter && filter->gp == gp && !history;
    int status;
    if (may_repeat && gp_repeat(gp, &again, sync, &status))
        return status;
    struct convolution c = { .filter = NULL };
    status = check(gp, filter, in, out, history, false, &c);
    if (status)
        return status;
    if (sync && gp_convolve_has_host(&c))
        return gp_fail(GPUPRIM_E_ARG, "with host arrays sync must be NULL");
    return c.in.rows == 0 ? gp_call_nothing(gp, sync)
                          : gp_convolve_run(gp, &c, sync, may_repeat ? &again : NULL);
}

int gpuprim_convolve1d_prepare(gpuprim *gp, const gpuprim_filter *filter,
                               const struct gpuprim_array *in, const struct gpuprim_array *out,
                               const struct gpuprim_history *history)
{
    gp_enter("gpuprim_convolve1d_prepare");
    struct convolution c = { .filter = NULL };
    const int status = check(gp, filter, in, out, history, true, &c);
    return status || c.in.rows == 0 ? status : gp_convolve_prepare(gp, &c);
}
