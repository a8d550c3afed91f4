/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d: plans a launch, and builds for it. launch.c enqueues its kernel. Of gpu_transposed there
 * are several, piece by piece: each piece is a launch of another variant, whose outputs go to scratch
 * memory, and a launch that brings them to where they belong. */
#include "transposed.h"

// The first piece, or the one behind *piece. False: there is none.
static bool next_piece(const struct convolve_shape *s, const struct transposed_piece *largest,
                       struct transposed_piece *piece)
{
    const bool is_first = piece->rows == 0;
    if (is_first || piece->output + piece->outputs < s->outputs) {
        piece->output += piece->outputs;
    } else {
        piece->output = 0;
        piece->row += piece->rows;
    }
    piece->outputs = gp_min(largest->outputs, s->outputs - piece->output);
    piece->rows = gp_min(largest->rows, s->rows - piece->row);
    return piece->rows > 0;
}

static struct convolve_view moved(const struct convolve_view *view, uint64_t row,
                                  uint64_t element)
{
    struct convolve_view v = *view; // its argument points to the memory of the other one
    v.first += (int64_t)row * v.row_stride + (int64_t)element * v.stride;
    return v;
}

// The view of the shape's rows, in their order.
static struct convolve_view turn_view(const struct convolve_view *view, uint64_t rows,
                                      bool turned)
{
    struct convolve_view v = moved(view, turned ? rows - 1 : 0, 0);
    v.row_stride = turned ? -v.row_stride : v.row_stride;
    return v;
}

// Convolves a piece. `launch` has the shape's rows, and `out` is where its outputs go.
static int convolve(struct convolve_run *run, const struct convolve_launch *launch,
                    const struct transposed_piece *piece, const struct convolve_view *out)
{
    struct convolve_launch part = *launch;
    struct convolve_view x = moved(launch->x, piece->row, 0), before, after;
    part.x = &x;
    part.out = out;
    part.row += piece->row;
    part.rows = piece->rows;
    part.outputs = piece->outputs;
    part.origin += (int64_t)(piece->output * run->c->filter->stride);
    part.last = false;
    if (launch->before) {
        before = moved(launch->before, piece->row, 0);
        part.before = &before;
    }
    // The history is updated when all outputs of its rows are there.
    part.after = NULL;
    if (launch->after && piece->output + piece->outputs == launch->outputs) {
        after = moved(launch->after, piece->row, 0);
        part.after = &after;
    }
    bool turned;
    struct convolve_shape shape = gp_convolve_launch_shape(run, &part, &turned);
    const struct convolve_planned *planned;
    shape.is_part = 1;
    const int status = gp_convolve_plan(run->call.gp, &shape, &planned);
    return status ? status : gp_convolve_launch_planned(run, &part, planned, turned);
}

// Brings a piece from scratch memory to `out`, which has the shape's rows.
static int transpose(struct convolve_run *run, const struct convolve_shape *s,
                     const struct transposed_piece *piece, const struct convolve_view *from,
                     const struct convolve_view *out, bool last)
{
    const struct transpose t = gp_transposed_transpose(s, piece);
    const struct convolve_view to = moved(out, piece->row, piece->output);
    const struct convolve_view *columns = t.to_columns ? &to : from,
                               *rows = t.to_columns ? from : &to;
    const struct transpose_arguments arguments = { .first = columns->first,
                                                   .stride = columns->stride,
                                                   .row_stride = columns->row_stride,
                                                   .rows_first = rows->first,
                                                   .rows_stride = rows->stride,
                                                   .pitch = rows->row_stride,
                                                   .rows = piece->rows,
                                                   .count = piece->outputs };
    return gp_transpose_launch(&run->call, &t, &from->argument, &out->argument, &arguments,
                               last);
}

// All pieces of a launch of this shape, which is a copy: planning replaces the filter's newest plans.
static int launch_pieces(struct convolve_run *run, const struct convolve_launch *launch,
                         const struct convolve_shape shape, bool turned)
{
    const bool has_host = gp_convolve_has_host(run->c);
    const struct transposed_piece largest =
        gp_transposed_largest(&shape, gp_transpose_room(run->call.gp, has_host));
    const uint64_t rows = launch->rows;
    const struct convolve_view x = turn_view(launch->x, rows, turned),
                               out = turn_view(launch->out, rows, turned);
    struct convolve_view before, after;
    struct convolve_launch whole = *launch;
    whole.x = &x;
    if (launch->before) {
        before = turn_view(launch->before, rows, turned);
        whole.before = &before;
    }
    if (launch->after) {
        after = turn_view(launch->after, rows, turned);
        whole.after = &after;
    }
    int status = GPUPRIM_OK;
    struct transposed_piece piece = { .rows = 0 };
    while (!status && next_piece(&shape, &largest, &piece)) {
        const struct transposed_place place = gp_transposed_place(&shape, &piece);
        struct convolve_view scratch;
        gp_convolve_view_packed(NULL, 0, 0, &scratch);
        scratch.first = place.first;
        scratch.stride = place.stride;
        scratch.row_stride = place.row_stride;
        status =
            gp_call_memory(&run->call, GP_TRANSPOSED,
                           place.elements * gp_type_size(shape.filter->out), &scratch.memory);
        if (!status)
            status = convolve(run, &whole, &piece, &scratch);
        const bool last = piece.row + piece.rows == shape.rows &&
                          piece.output + piece.outputs == shape.outputs;
        if (!status)
            status = transpose(run, &shape, &piece, &scratch, &out, launch->last && last);
    }
    return status;
}

int gp_convolve_launch(struct convolve_run *run, const struct convolve_launch *launch)
{
    bool turned;
    const struct convolve_shape shape = gp_convolve_launch_shape(run, launch, &turned);
    const struct convolve_planned *planned;
    const int status = gp_convolve_plan(run->call.gp, &shape, &planned);
    if (status)
        return status;
    return gp_convolve_transposes(planned->plan.variant)
               ? launch_pieces(run, launch, planned->shape, turned)
               : gp_convolve_launch_planned(run, launch, planned, turned);
}

// Builds for all pieces. `kinds`: of the kernels of the call.
static int prepare_pieces(gpuprim *gp, const struct convolve_shape *s, bool has_host,
                          const unsigned kinds[GP_MAX_KERNELS])
{
    const struct transposed_piece largest =
        gp_transposed_largest(s, gp_transpose_room(gp, has_host));
    int status = GPUPRIM_OK;
    struct transposed_piece piece = { .rows = 0 };
    while (!status && next_piece(s, &largest, &piece)) {
        const struct convolve_shape part = gp_transposed_shape(s, &piece);
        const struct transpose t = gp_transposed_transpose(s, &piece);
        // The outputs go to a buffer. Pieces that do not end their rows update no history.
        const unsigned others = GP_SVM_OUT | (part.updates_history ? 0u : GP_SVM_FOURTH),
                       of_parts[GP_MAX_KERNELS] = { kinds[0] & ~others, kinds[1] };
        status = gp_plan_prepare(gp, gp_convolve_primitive_of(&part), &part, of_parts);
        if (!status)
            status = gp_transpose_build(gp, &t, kinds[0] & GP_SVM_OUT);
    }
    return status;
}

int gp_convolve_prepare(gpuprim *gp, const struct convolution *c)
{
    const struct convolve_shape shape =
        c->out.count ? gp_convolve_shape(c) : gp_convolve_packed_shape(c->filter);
    unsigned kinds[GP_MAX_KERNELS];
    struct gp_plan plan;
    gp_convolve_kinds(c, shape.updates_history, kinds);
    const int status = gp_plan_alone(gp, &gp_primitive_convolve1d, &shape, &plan);
    if (status)
        return status;
    return gp_convolve_transposes(plan.variant)
               ? prepare_pieces(gp, &shape, gp_convolve_has_host(c), kinds)
               : gp_plan_prepare(gp, &gp_primitive_convolve1d, &shape, kinds);
}
