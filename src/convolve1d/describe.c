/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d: gpuprim_filter_describe says in words how a call's rows lie in memory and which
 * variant takes them. Also what `gpuprim info` prints of convolve1d. */
#include "convolve1d.h"
#include "transposed.h"

// What AUTO goes by: "AUTO: FFT from 64 taps on".
static void add_method(struct gp_text *text, const struct gpuprim_filter *f)
{
    const uint64_t least = f->fft.crossover;
    if (f->method == GPUPRIM_METHOD_AUTO && (least == 0 || least > CONVOLVE_MAX_TAPS))
        gp_text_add(text, ", AUTO: never FFT");
    else if (f->method == GPUPRIM_METHOD_AUTO)
        gp_text_add(text, ", AUTO: FFT from %llu taps on", (unsigned long long)least);
}

// The filter: "33 f32 taps, f32 to f32, stride 2, dilation 3".
static void add_filter(struct gp_text *text, const struct gpuprim_filter *f)
{
    gp_text_add(text, "%llu %s tap%s", (unsigned long long)f->taps, gp_type_name(f->taps_type),
                f->taps == 1 ? "" : "s");
    if (f->rows > 1)
        gp_text_add(text, " for each of %llu rows", (unsigned long long)f->rows);
    gp_text_add(text, ", %s to %s", gp_type_name(f->in), gp_type_name(f->out));
    if (f->stride > 1)
        gp_text_add(text, ", stride %llu", (unsigned long long)f->stride);
    if (f->dilation > 1)
        gp_text_add(text, ", dilation %llu", (unsigned long long)f->dilation);
    add_method(text, f);
}

// The rows: "4 rows of 1000 inputs, interleaved: a matrix 12 wide".
static void add_shape(struct gp_text *text, const struct convolve_shape *s)
{
    gp_text_add(text, "; %llu row%s of %llu inputs", (unsigned long long)s->rows,
                s->rows == 1 ? "" : "s", (unsigned long long)s->n);
    if (s->channels > 1)
        gp_text_add(text, ", interleaved");
    if (!s->packed || !s->out_packed)
        gp_text_add(text, ", %s apart",
                    s->packed       ? "outputs"
                    : s->out_packed ? "inputs"
                                    : "inputs and outputs");
    if (s->lanes > 1)
        gp_text_add(text, ": a matrix %llu wide", (unsigned long long)s->lanes);
    if (s->step > 1)
        gp_text_add(text, ", an output every %llu lines", (unsigned long long)s->step);
}

// Plans a launch, and counts its groups: none where it is done in parts.
static int plan_groups(gpuprim *gp, const struct convolve_shape *s, struct gp_plan *plan,
                       uint64_t *groups)
{
    const int status = gp_plan_alone(gp, gp_convolve_primitive_of(s), s, plan);
    *groups = 0;
    if (status || !plan->program)
        return status;
    const struct convolve_ops *ops = plan->variant->ops;
    struct convolve_layout l = { .groups = 0 };
    ops->lay_out(gp, s, plan->variant, plan->program->work_group, &l);
    *groups = l.groups;
    return GPUPRIM_OK;
}

// The variant, why it, its groups, and its transforms: "segments of 1024 points".
static int add_variant(struct gp_text *text, gpuprim *gp, const struct convolve_shape *s)
{
    struct gp_plan plan;
    uint64_t groups;
    const int status = plan_groups(gp, s, &plan, &groups);
    if (status)
        return status;
    const struct convolve_ops *ops = plan.variant->ops;
    gp_text_add(text, "; %s, because %s", plan.variant->name, ops->why);
    if (gp_convolve_transposes(plan.variant)) {
        const struct transposed_piece whole = { .rows = s->rows, .outputs = s->outputs };
        const struct convolve_shape part = gp_transposed_shape(s, &whole);
        return add_variant(text, gp, &part);
    }
    gp_text_add(text, "; %llu group%s of %u", (unsigned long long)groups,
                groups == 1 ? "" : "s", plan.program->work_group);
    if (ops->by_spectrum)
        gp_text_add(text, ", segments of %u points", (unsigned)s->filter->fft.length);
    if (ops->by_spectrum && s->filter->fft.parts > 1)
        gp_text_add(text, ", taps in %u parts", (unsigned)s->filter->fft.parts);
    return GPUPRIM_OK;
}

size_t gpuprim_filter_describe(const gpuprim_filter *filter, const struct gpuprim_array *in,
                               const struct gpuprim_array *out, char *text, size_t size)
{
    gp_enter("gpuprim_filter_describe");
    struct gp_text t = { text, text ? size : 0, 0 };
    struct convolution c = { .filter = filter };
    if (!filter) {
        gp_fail(GPUPRIM_E_ARG, "filter is NULL");
        return 0;
    }
    const bool is_given = in || out;
    if (is_given && gp_convolve_check_arrays(filter->gp, filter, in, out, true, &c))
        return 0;
    const struct convolve_shape s =
        is_given ? gp_convolve_shape(&c) : gp_convolve_packed_shape(filter);
    add_filter(&t, filter);
    add_shape(&t, &s);
    if (!s.rows || !s.outputs)
        gp_text_add(&t, "; there are no outputs");
    else if (add_variant(&t, filter->gp, &s))
        return 0;
    return t.length;
}

// The variant and the groups for a filter of 33 taps on f32.
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
                                           .halo = 32,
                                           .offset = 16,
                                           .size = 4 };
    const struct convolve_shape s = gp_convolve_packed_shape(&filter);
    struct gp_plan plan;
    uint64_t groups;
    const int status = plan_groups(gp, &s, &plan, &groups);
    if (!status)
        gp_plan_describe(gp, &plan, "2^26 f32 with 33 taps", groups, text, size);
    return status;
}
