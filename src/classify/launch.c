/* SPDX-License-Identifier: Apache-2.0
 *
 * The launches of classify: the kernel that classifies a piece and the one that sets counts to
 * zero, with their arguments (arguments.h). run.c and counts.c call this. */
#include "classify.h"

#include <stddef.h>

static struct arguments arguments_of(const struct classify_run *run)
{
    const struct classification *c = run->c;
    const struct gpuprim_classifier *f = c->classifier;
    const struct search_index *index = c->choice->is_multiples ? &f->multiples : &f->index;
    const bool counts_ranks = c->choice->counters.of_ranks;
    return (struct arguments){
        .count_first = run->counts.first,
        .count_stride = run->counts.stride,
        .count_row_stride = c->counts_rows ? run->counts.row_stride : 0,
        .wide = c->counts.type == GPUPRIM_U64,
        .rows_at = f->rows_at,
        .labels_at = f->labels_at,
        .index_at = f->index_at,
        .places_at = f->places_at,
        .cells = index->cells,
        .shift = index->shift,
        .low = index->low,
        .scale = index->scale,
        .slack = index->slack,
        .labels = f->labels,
        .n = f->n,
        .first_class = f->first_class,
        .classes = counts_ranks ? f->ranks : f->classes,
        .nan_class = f->nan_class,
        .code_bits = f->code_bits,
        .otherwise = f->otherwise,
        .intervals_at = f->intervals_at,
    };
}

// The argument for an array that there is not.
static struct gp_argument no_array(void)
{
    return (struct gp_argument){ NULL, sizeof(cl_mem), false };
}

int gp_classify_zero(struct classify_run *run, uint64_t rows, bool last)
{
    enum { ITEM_COUNTS = 16 };
    const unsigned items = run->plan.program->work_group;
    struct arguments arguments = arguments_of(run);
    arguments.rows = rows;
    const struct gp_argument list[] = { rows ? run->counts.argument : no_array(),
                                        { &arguments, sizeof arguments, false } };
    const uint64_t most = (uint64_t)run->call.gp->caps.compute_units * 32;
    uint64_t groups = gp_ceil_div(rows * arguments.labels, (uint64_t)items * ITEM_COUNTS);
    groups = groups > most ? most : groups ? groups : 1;
    cl_kernel kernel;
    const int status =
        gp_plan_kernel(&run->plan, 1, list[0].is_svm ? GP_SVM_THIRD : 0, &kernel);
    if (status)
        return status;
    return gp_launch(&run->call, kernel, groups, items, list, 2, last);
}

// The arguments for a piece that is laid out as *l says.
static struct arguments piece_arguments(const struct classify_run *run,
                                        const struct gp_piece *piece, const struct gp_bound *in,
                                        const struct gp_bound *labels,
                                        const struct classify_layout *l)
{
    const struct classification *c = run->c;
    const unsigned items = run->plan.program->work_group;
    struct arguments arguments = arguments_of(run);
    arguments.first = in->first;
    arguments.stride = in->stride;
    arguments.row_stride = in->row_stride;
    if (c->has_labels) {
        arguments.label_first = labels->first;
        arguments.label_stride = labels->stride;
        arguments.label_row_stride = labels->row_stride;
    }
    arguments.rows = piece->rows;
    arguments.count = piece->count;
    arguments.segment = l->segment;
    arguments.share = l->share;
    arguments.segment_groups = l->segment_groups;
    arguments.block_rows = l->block_rows;
    arguments.block_count = l->block_count;
    arguments.row_words = l->row_words;
    arguments.row_factor = l->row_factor;
    arguments.by_columns = l->by_columns;
    arguments.own_counts = c->counts_rows;
    arguments.step_rows = items / piece->count;
    arguments.step = items % piece->count;
    arguments.row = piece->row;
    arguments.privatised = l->privatised;
    arguments.streamed = l->streamed;
    arguments.local_first = l->local_first;
    arguments.local_words = l->local_words;
    arguments.launch = run->ticket.launch;
    arguments.ticket = run->ticket.slot;
    arguments.stores = run->stores;
    // Groups wait for these, so that a part of the device must take all of them at once.
    const unsigned most = gp_ceil_div(run->call.gp->caps.compute_units, 4);
    arguments.zeroers = run->ticket.launch ? gp_min(MOST_ZEROERS, most) : 0;
    if (l->local_words) { // the kernel counts from the first of them
        arguments.labels_at -= arguments.labels_at ? l->local_first : 0;
        arguments.index_at -= l->local_first;
    }
    return arguments;
}

// Arguments by their numbers in the list of gp_classify_launch().
const struct gp_repeat_form gp_classify_form = {
    .scalars = 5,
    .scalar_bytes = sizeof(struct arguments),
    .arrays = { { 0, offsetof(struct arguments, first) },
                { 2, offsetof(struct arguments, label_first) },
                { 3, offsetof(struct arguments, count_first) } },
    .slot_at = offsetof(struct arguments, ticket),
    .launch_at = offsetof(struct arguments, launch),
    .last_launch = ~(cl_ulong)0,
};

int gp_classify_launch(struct classify_run *run, const struct gp_piece *piece,
                       const struct gp_bound *in, const struct gp_bound *labels, bool last)
{
    const struct classification *c = run->c;
    const struct gpuprim_classifier *f = c->classifier;
    const unsigned items = run->plan.program->work_group;
    struct classify_layout l = run->layout;
    if (piece->rows != c->in.rows || piece->count != c->in.count)
        gp_classify_lay_out(run->call.gp, c, &run->plan, piece->rows, piece->count, &l);
    const struct arguments arguments = piece_arguments(run, piece, in, labels, &l);
    const size_t local_bytes = l.local_bytes ? l.local_bytes : sizeof(cl_uint);
    const struct gp_argument tables =
        c->choice->by_value ? (struct gp_argument){ f->by_value, sizeof f->by_value, false }
                            : (struct gp_argument){ &f->memory, sizeof f->memory, false };
    const struct gp_argument list[] = { in->argument,
                                        tables,
                                        c->has_labels ? labels->argument : no_array(),
                                        c->has_counts ? run->counts.argument : no_array(),
                                        { NULL, local_bytes, false },
                                        { &arguments, sizeof arguments, false } };
    const unsigned kinds = (list[0].is_svm ? GP_SVM_IN : 0u) |
                           (list[2].is_svm ? GP_SVM_OUT : 0u) |
                           (list[3].is_svm ? GP_SVM_THIRD : 0u);
    cl_kernel kernel;
    const int status = gp_plan_kernel(&run->plan, 0, kinds, &kernel);
    if (status)
        return status;
    return gp_launch(&run->call, kernel, l.groups, items, list, 6, last);
}
