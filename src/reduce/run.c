/* SPDX-License-Identifier: Apache-2.0
 *
 * reduce: the launches of a call, piece by piece. */
#include "arguments.h"
#include "reduce.h"

enum { MAX_ROWS = 1 << 30 }; // of a launch: kernels count groups in 32 bits

// Everything that stays the same from launch to launch of a call.
struct run {
    struct gp_call call;
    const struct reduction *r;
    struct gp_plan plan;
    cl_mem partials;
    cl_mem counters;                    // NULL where a second launch folds the partials
    cl_mem results;                     // where out is a host array
    uint64_t results_row, results_rows; // the first row in it, and how many it has room for
    struct gp_argument out;
    int64_t out_first, out_row, out_pair; // as the kernels see them
};

static unsigned form_of(const struct gp_argument *in, const struct gp_argument *out)
{
    return (in->is_svm ? GP_SVM_IN : 0u) | (out->is_svm ? GP_SVM_OUT : 0u);
}

// Items that share the partials of a row: few partials are not worth a group.
static cl_uint fold_lanes(unsigned work_group, uint64_t partials)
{
    cl_uint lanes = 1;
    if (partials >= work_group)
        return work_group;
    while (lanes < partials && work_group % (2 * lanes) == 0)
        lanes *= 2;
    return lanes;
}

// Launches one piece: its partial results, and the fold where there is one to do. `pitch`
// partials are kept per row.
static int run_piece(struct run *run, const struct gp_piece *piece, uint64_t pitch,
                     bool last_of_call)
{
    const struct reduction *r = run->r;
    const struct gp_array *in = &r->in;
    const struct layout l = gp_reduce_layout(run->call.gp, r, run->plan.variant,
                                             run->plan.program, piece, pitch - 1);
    const bool whole = piece->count == in->count, direct = whole && l.partials == 1;
    const bool one_launch = direct || run->counters;
    const bool ends_row = piece->element + piece->count == in->count;
    const int64_t row0 = (int64_t)(piece->row - run->results_row) * run->out_row;
    struct arguments arguments = {
        .count = piece->count,
        .rows = piece->rows,
        .index = piece->element,
        .total = in->count,
        .slots = l.slots,
        .share = l.share,
        .partials = l.partials,
        .pitch = pitch,
        .begin = piece->element == 0,
        .out_first = run->out_first + row0,
        .out_row = run->out_row,
        .out_pair = run->out_pair,
        .lanes = l.lanes,
        .flags = (direct ? DIRECT : 0u) | (l.across ? ACROSS_ROWS : 0u) |
                 (one_launch && !direct ? ONE_LAUNCH : 0u) | (l.glued ? GLUED : 0u),
        .block = l.block,
        .blocks = l.blocks,
        .glue = l.glue,
        .tile = l.tile,
    };
    struct gp_bound x;
    int status = gp_piece_bind(&run->call, in, piece, run->partials, &x);
    if (status)
        return status;
    arguments.first = x.first;
    arguments.stride = x.stride;
    arguments.row_stride = x.row_stride;

    const unsigned form = form_of(&x.argument, &run->out);
    const unsigned items = run->plan.program->work_group;
    const struct gp_argument partials = { &run->partials, sizeof run->partials, false };
    const struct gp_argument scalars = { &arguments, sizeof arguments, false };
    const struct gp_argument counters =
        run->counters ? (struct gp_argument){ &run->counters, sizeof run->counters, false }
                      : partials;
    const struct gp_argument partial[] = { x.argument, partials, counters, run->out, scalars };
    cl_kernel kernel;
    status = gp_plan_kernel(&run->plan, 0, form, &kernel);
    if (!status)
        status = gp_launch(&run->call, kernel, l.groups, items, partial, 5,
                           one_launch && last_of_call);
    if (!status && !one_launch) {
        const struct gp_argument fold[] = { partials, run->out, scalars };
        arguments.flags = ends_row ? DIRECT : 0;
        arguments.lanes = fold_lanes(items, l.partials);
        const uint64_t groups = gp_ceil_div(piece->rows, items / arguments.lanes);
        status = gp_plan_kernel(&run->plan, 1, form & GP_SVM_OUT, &kernel);
        if (!status)
            status = gp_launch(&run->call, kernel, groups, items, fold, 3, last_of_call);
    }
    gp_piece_release(&x);
    return status;
}

// Where results go: to the caller's array, or packed to staging memory if that is on the host.
static int place_results(struct run *run)
{
    const struct reduction *r = run->r;
    if (r->out.memory == GPUPRIM_HOST) {
        run->out = (struct gp_argument){ &run->results, sizeof run->results, false };
        run->out_row = r->pairs;
        run->out_pair = 1;
        return gp_call_results(&run->call, (size_t)run->results_rows * r->pairs * r->out.size,
                               &run->results);
    }
    run->out = r->out.memory == GPUPRIM_SVM
                   ? (struct gp_argument){ r->out.base, 0, true }
                   : (struct gp_argument){ &r->out.base, sizeof r->out.base, false };
    run->out_first = r->out.first;
    run->out_row = r->out_row;
    run->out_pair = r->out_pair;
    return GPUPRIM_OK;
}

// Waits for the results of the rows before `end`, where there is no room for those of `next`
// more rows or none are to follow. Waiting after every piece would leave no launch to copy
// beside.
static int bring_home(struct run *run, uint64_t end, uint64_t next)
{
    const struct reduction *r = run->r;
    const uint64_t begin = run->results_row;
    const bool full = run->results && end + next - begin > run->results_rows;
    if (run->call.sync || (next && !full))
        return GPUPRIM_OK;
    int status;
    gp_call_unlock(&run->call);
    if (run->results) {
        status = gp_results_read(&run->call, run->results, &r->out, begin, end - begin,
                                 r->pairs, r->out_row, r->out_pair);
        run->results_row = end;
    } else
        status = gp_call_finish(&run->call);
    gp_call_lock(&run->call);
    return status;
}

// All pieces: rows from the top down, and within the same rows elements from first to last.
static int run_pieces(struct run *run)
{
    const struct reduction *r = run->r;
    const struct gp_array *in = &r->in;
    gpuprim *gp = run->call.gp;
    struct gp_piece largest = gp_piece_largest(gp, in, MAX_ROWS);
    const uint64_t room = REDUCE_SCRATCH_BYTES / gp_reduce_partial_bytes(r);
    const struct layout l =
        gp_reduce_layout(gp, r, run->plan.variant, run->plan.program, &largest,
                         room / largest.rows > 1 ? room / largest.rows - 1 : 1);
    const uint64_t pitch = l.partials + 1;
    const bool keeps_partials = l.partials > 1 || largest.count < in->count;
    uint64_t most = keeps_partials ? room / pitch : MAX_ROWS;
    if (r->out.memory == GPUPRIM_HOST) {
        const uint64_t row_bytes = r->pairs * r->out.size;
        run->results_rows = gp_results_room(gp, row_bytes) / row_bytes;
        if (run->results_rows > in->rows)
            run->results_rows = in->rows;
        if (most > run->results_rows)
            most = run->results_rows;
    }
    if (largest.rows > most) // fewer rows may mean more of each
        largest = gp_piece_largest(gp, in, most ? most : 1);
    int status = gp_call_memory(
        &run->call, GP_PARTIALS,
        keeps_partials ? largest.rows * pitch * gp_reduce_partial_bytes(r) : 0, &run->partials);
    // The last group of a row can fold where there are fences and all of it is one launch.
    if (!status && l.one_launch && largest.count == in->count &&
        largest.rows <= GP_MAX_COUNTERS)
        status = gp_call_memory(&run->call, GP_COUNTERS, 1, &run->counters);
    if (!status)
        status = place_results(run);

    struct gp_piece piece = largest;
    for (piece.row = 0; !status && piece.row < in->rows; piece.row += largest.rows) {
        if (piece.rows > in->rows - piece.row)
            piece.rows = in->rows - piece.row;
        piece.element = 0;
        do {
            const uint64_t left = in->count - piece.element;
            piece.count = largest.count < left ? largest.count : left;
            const bool last = piece.row + piece.rows == in->rows && piece.count == left;
            status = run_piece(run, &piece, pitch, last);
            piece.element += piece.count;
        } while (!status && piece.element < in->count);
        const uint64_t end = piece.row + piece.rows, left = in->rows - end;
        if (!status)
            status = bring_home(run, end, left < piece.rows ? left : piece.rows);
    }
    return status;
}

int gp_reduce_run(gpuprim *gp, const struct reduction *r, const struct gpuprim_sync *sync)
{
    struct run run = { .r = r };
    int status = gp_call_begin(gp, sync, &run.call);
    if (status)
        return status;
    status = gp_plan(gp, &gp_primitive_reduce, r, &run.plan);
    if (!status)
        status = run_pieces(&run);
    return gp_call_end(&run.call, status);
}
