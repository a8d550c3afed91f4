/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: the launches of a call, piece by piece. Arrays in device memory are one piece. */
#include "classify.h"

// The largest power of two within n; 0 for 0.
static uint32_t power_within(uint32_t n)
{
    uint32_t power = n > 0;
    while (power && power <= n / 2)
        power *= 2;
    return power;
}

static struct classify_arguments arguments_of(const struct classify_run *run)
{
    const struct classification *c = run->c;
    const struct gpuprim_classifier *f = c->classifier;
    return (struct classify_arguments){
        .count_first = run->counts.first,
        .count_stride = run->counts.stride,
        .count_row_stride = c->counts_rows ? run->counts.row_stride : 0,
        .wide = c->counts.type == GPUPRIM_U64,
        .rows_at = f->rows_at,
        .labels_at = f->labels_at,
        .aid_at = f->aid_at,
        .cells = f->aid.cells,
        .shift = f->aid.shift,
        .low = f->aid.low,
        .scale = f->aid.scale,
        .slack = f->aid.slack,
        .labels = f->labels,
        .n = f->n,
        .top = power_within(f->n),
        .first_class = f->first_class,
        .classes = f->classes,
        .nan_class = f->nan_class,
    };
}

// What stands for memory that no kernel reads or writes.
static struct gp_argument spare_of(const struct classify_run *run)
{
    const cl_mem *memory = &run->c->classifier->memory;
    return (struct gp_argument){ memory, sizeof *memory, false };
}

int gp_classify_zero(struct classify_run *run, uint64_t rows, bool last)
{
    enum { ITEM_COUNTS = 16 };
    const unsigned items = run->plan.program->work_group;
    struct classify_arguments arguments = arguments_of(run);
    arguments.rows = rows;
    const struct gp_argument list[] = { rows ? run->counts.argument : spare_of(run),
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

static int launch(struct classify_run *run, const struct gp_piece *piece,
                  const struct gp_bound *in, const struct gp_bound *labels, bool last)
{
    const struct classification *c = run->c;
    const struct classify_shape *shape = run->plan.variant->ops;
    const unsigned items = run->plan.program->work_group;
    struct classify_layout l = { .groups = 0 };
    shape->lay_out(run->call.gp, c, run->plan.variant, run->plan.program, piece->rows,
                   piece->count, &l);
    struct classify_arguments arguments = arguments_of(run);
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
    arguments.length = l.length;
    arguments.share = l.share;
    arguments.line_groups = l.line_groups;
    arguments.step_rows = items / piece->count;
    arguments.step = items % piece->count;
    arguments.row = piece->row;
    arguments.gathers = l.gathers;
    arguments.extra = l.extra;
    arguments.near_first = l.near_first;
    arguments.near_words = l.near_words;
    if (l.near_words) { // the kernel counts from the first of them
        arguments.labels_at -= arguments.labels_at ? l.near_first : 0;
        arguments.aid_at -= l.near_first;
    }
    const size_t local_bytes = l.local_bytes ? l.local_bytes : sizeof(cl_uint);
    const struct gp_argument list[] = { in->argument,
                                        spare_of(run), // the tables
                                        c->has_labels ? labels->argument : spare_of(run),
                                        c->has_counts ? run->counts.argument : spare_of(run),
                                        { NULL, local_bytes, false },
                                        { &arguments, sizeof arguments, false } };
    const unsigned form = (list[0].is_svm ? GP_SVM_IN : 0u) |
                          (list[2].is_svm ? GP_SVM_OUT : 0u) |
                          (list[3].is_svm ? GP_SVM_THIRD : 0u);
    cl_kernel kernel;
    const int status = gp_plan_kernel(&run->plan, 0, form, &kernel);
    if (status)
        return status;
    return gp_launch(&run->call, kernel, l.groups, items, list, 6, last);
}

// Classifies one piece and brings its labels home.
static int run_piece(struct classify_run *run, const struct gp_piece *piece, bool last)
{
    const struct classification *c = run->c;
    const cl_mem spare = c->classifier->memory;
    struct gp_bound in, labels = { .temporary = NULL };
    int status = gp_piece_bind(&run->call, &c->in, piece, spare, &in);
    if (!status && c->has_labels)
        status = gp_output_bind(&run->call, &c->labels, piece, &labels);
    if (!status)
        status = launch(run, piece, &in, &labels, last);
    if (!status && c->has_labels)
        status = gp_output_read(&run->call, &c->labels, piece, &labels, &run->home);
    gp_piece_release(&labels);
    gp_piece_release(&in);
    return status;
}

// Rows from `row` on, as many elements of each at a time as go at once.
static int run_rows(struct classify_run *run, const struct gp_piece *largest, uint64_t row,
                    uint64_t rows)
{
    const struct gp_array *in = &run->c->in;
    struct gp_piece piece = *largest;
    int status = GPUPRIM_OK;
    piece.row = row;
    piece.rows = rows;
    while (!status && piece.element < in->count) {
        const uint64_t left = in->count - piece.element;
        piece.count = largest->count < left ? largest->count : left;
        const bool last = row + rows == in->rows && piece.count == left;
        status = run_piece(run, &piece, last);
        piece.element += piece.count;
    }
    return status;
}

static int run_pieces(struct classify_run *run)
{
    const struct classification *c = run->c;
    const struct gp_piece largest = gp_classify_largest(run->call.gp, c);
    const bool by_rows = c->has_counts && c->counts_rows;
    const bool at_once = c->has_counts && !c->counts_rows;
    int status = at_once ? gp_classify_open_counts(run, 0, 1) : GPUPRIM_OK;
    const bool has_work = c->in.count || (by_rows && c->counts.count);
    for (uint64_t row = 0; !status && has_work && row < c->in.rows; row += largest.rows) {
        const uint64_t left = c->in.rows - row;
        const uint64_t rows = largest.rows < left ? largest.rows : left;
        if (by_rows)
            status = gp_classify_open_counts(run, row, rows);
        if (!status)
            status = run_rows(run, &largest, row, rows);
        if (!status && by_rows)
            status = gp_classify_close_counts(run, row, rows);
    }
    if (!status && at_once)
        status = gp_classify_close_counts(run, 0, 1);
    // A call without elements has an event, too.
    if (!status && run->call.sync && c->in.count == 0)
        status = gp_classify_zero(run, 0, true);
    return status;
}

int gp_classify_run(gpuprim *gp, const struct classification *c,
                    const struct gpuprim_sync *sync)
{
    struct classify_run run = { .c = c };
    int status = gp_call_begin(gp, sync, &run.call);
    if (status)
        return status;
    status = gp_plan(gp, &gp_primitive_classify, c, &run.plan);
    if (!status)
        status = run_pieces(&run);
    if (c->has_labels) {
        const int arrived = gp_output_finish_read(&run.call, &c->labels, &run.home);
        status = status ? status : arrived;
    }
    if (!status && !sync) {
        gp_call_unlock(&run.call);
        status = gp_call_finish(&run.call);
        gp_call_lock(&run.call);
    }
    return gp_call_end(&run.call, status);
}
