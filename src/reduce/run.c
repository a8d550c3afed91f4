/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a checked call of reduce. The plan is made once: variant, program, the size of pieces
 * and their layout, where results go. Then each piece is launched: reduce_partial leaves
 * partials or results, reduce_fold folds the partials of a row where there are some
 * (kernels/reduce/reduce.cl). A device array is one piece; host arrays may take several
 * (src/core/stage_in.c). */
#include "arguments.h"
#include "reduce.h"

#include <stddef.h>

// Everything that stays the same from launch to launch of a call.
struct run {
    struct gp_call call;
    const struct reduction *r;
    struct reduce_planned planned;
    bool folds_at_end;    // the launch can fold its partials
    cl_mem scratch;       // counters and partials; NULL where no launch leaves partials
    cl_mem results;       // where out is a host array
    uint64_t results_row; // the first row in it
    struct gp_argument out;
    int64_t out_first, out_row, out_step; // as the kernels see them
};

// ---------------------------------------------------------------------------------------
// Memory

// Where results go: to the caller's array, or packed to staging memory if that is on the host.
static int place_results(struct run *run)
{
    const struct reduction *r = run->r;
    if (r->out.memory == GPUPRIM_HOST) {
        run->out = (struct gp_argument){ &run->results, sizeof run->results, false };
        run->out_row = r->results;
        run->out_step = 1;
        return gp_call_results(&run->call,
                               (size_t)run->planned.results_rows * r->results * r->out.size,
                               &run->results);
    }
    run->out = r->out.memory == GPUPRIM_SVM
                   ? (struct gp_argument){ r->out.base, 0, true }
                   : (struct gp_argument){ &r->out.base, sizeof r->out.base, false };
    run->out_first = r->out.first;
    run->out_row = r->out_row;
    run->out_step = r->out_step;
    return GPUPRIM_OK;
}

// Takes the memory that the launches need.
static int take_memory(struct run *run)
{
    const struct gp_piece *piece = &run->planned.largest;
    const uint64_t partials =
        piece->rows * run->planned.pitch * gp_reduce_partial_bytes(run->r);
    int status = GPUPRIM_OK;
    // Where all of a row is one launch, a group can fold its partials.
    run->folds_at_end = piece->count == run->r->in.count;
    if (run->planned.keeps_partials && !(run->folds_at_end && run->planned.layout.signals))
        status = gp_call_memory(&run->call, GP_PARTIALS,
                                GP_MAX_COUNTERS * sizeof(cl_uint) + partials, &run->scratch);
    return status ? status : place_results(run);
}

// ---------------------------------------------------------------------------------------
// The launches

// The layout of a piece. It is known for all pieces but the last ones.
static struct layout layout_of(const struct run *run, const struct gp_piece *piece)
{
    if (piece->rows == run->planned.largest.rows && piece->count == run->planned.largest.count)
        return run->planned.layout;
    return gp_reduce_layout(run->call.gp, run->r, &run->planned.plan, piece,
                            run->planned.pitch - 1);
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

// The kernels' arguments for a piece, except where it lies.
static struct arguments arguments_of(const struct run *run, const struct gp_piece *piece,
                                     const struct layout *l, bool direct)
{
    const struct gp_array *in = &run->r->in;
    return (struct arguments){
        .count = piece->count,
        .rows = piece->rows,
        .index = piece->element,
        .total = in->count,
        .slots = l->slots,
        .share = l->share,
        .partials = l->partials,
        .pitch = l->across ? 1 : run->planned.pitch,
        .begin = piece->element == 0,
        .out_first = run->out_first + (int64_t)(piece->row - run->results_row) * run->out_row,
        .out_row = run->out_row,
        .out_step = run->out_step,
        .lanes = l->lanes,
        .flags =
            (direct ? DIRECT : 0u) | (l->across ? ACROSS_ROWS : 0u) |
            (run->folds_at_end && (l->counters || l->signals) && !direct ? ONE_LAUNCH : 0u) |
            (l->fused ? FUSED : 0u) | (l->skipped ? SKIPPED : 0u),
        .block = l->block,
        .blocks = l->blocks,
        .fuse = l->fuse,
        .tile = l->tile,
        .folders = l->folders,
        .apart = l->across ? (cl_uint)run->planned.largest.rows : 1,
    };
}

// Arguments by their numbers in the list `partial` of run_piece().
const struct gp_repeat_form gp_reduce_form = {
    .scalars = 3,
    .scalar_bytes = sizeof(struct arguments),
    .arrays = { { 0, offsetof(struct arguments, first) },
                { 2, offsetof(struct arguments, out_first) } },
    .signals = 1,
    .slot_at = offsetof(struct arguments, ticket),
    .launch_at = offsetof(struct arguments, launch),
    .last_launch = UINT32_MAX,
};

// Memory for the signals of so many partials, or none where those of the program do.
static int take_signals(struct run *run, uint64_t partials, cl_mem *memory,
                        struct arguments *arguments)
{
    // A word of 64 bits for each 32 of a partial.
    const uint64_t bytes = partials * 2 * gp_reduce_partial_bytes(run->r);
    struct gp_ticket ticket = { 0 };
    *memory = NULL;
    if (bytes <= SLOT_WORDS * sizeof(cl_ulong) &&
        gp_call_ticket(&run->call, gp_reduce_form.last_launch, &ticket)) {
        arguments->launch = ticket.launch;
        arguments->ticket = ticket.slot;
        return GPUPRIM_OK;
    }
    cl_uint launch = 0;
    const int status = gp_call_signals(&run->call, bytes, memory, &launch);
    arguments->launch = launch;
    return status;
}

// Launches one piece: its partials, and the fold where there is one to do.
static int run_piece(struct run *run, const struct gp_piece *piece, bool last_of_call)
{
    const uint64_t row_count = run->r->in.count;
    const struct layout l = layout_of(run, piece);
    const bool direct = piece->count == row_count && l.partials == 1;
    const bool one_launch = direct || (run->folds_at_end && (l.counters || l.signals));
    struct arguments arguments = arguments_of(run, piece, &l, direct);
    struct gp_bound x;
    int status = gp_piece_bind(&run->call, &run->r->in, piece, &x);
    if (status)
        return status;
    arguments.first = x.first;
    arguments.stride = x.stride;
    arguments.row_stride = x.row_stride;

    const unsigned out_kind = run->out.is_svm ? GP_SVM_OUT : 0;
    const unsigned kinds = (x.argument.is_svm ? GP_SVM_IN : 0u) | out_kind;
    const unsigned items = run->planned.plan.program->work_group;
    cl_mem memory = run->scratch;
    if (run->folds_at_end && l.signals)
        status = take_signals(run, l.slots * piece->rows, &memory, &arguments);
    const struct gp_argument scratch = { &memory, sizeof memory, false };
    const struct gp_argument scalars = { &arguments, sizeof arguments, false };
    const struct gp_argument partial[] = { x.argument, scratch, run->out, scalars };
    cl_kernel kernel;
    if (!status)
        status = gp_plan_kernel(&run->planned.plan, 0, kinds, &kernel);
    if (!status)
        status = gp_launch(&run->call, kernel, l.groups, items, partial, 4,
                           one_launch && last_of_call);
    if (!status && !one_launch) {
        const struct gp_argument fold[] = { scratch, run->out, scalars };
        const bool ends_row = piece->element + piece->count == row_count;
        arguments.flags = (ends_row ? DIRECT : 0u) | (l.across ? ACROSS_ROWS : 0u);
        arguments.lanes = fold_lanes(items, l.partials);
        const uint64_t groups = gp_ceil_div(piece->rows, items / arguments.lanes);
        status = gp_plan_kernel(&run->planned.plan, 1, out_kind, &kernel);
        if (!status)
            status = gp_launch(&run->call, kernel, groups, items, fold, 3, last_of_call);
    }
    gp_piece_release(&x);
    return status;
}

// Reads the results of the rows before `end` into a host array. Does so only where there is no
// room for those of `next` more rows, or where none follow: a wait after every piece would
// leave no launch during which the next piece is copied.
static int read_results(struct run *run, uint64_t end, uint64_t next)
{
    const struct reduction *r = run->r;
    const uint64_t begin = run->results_row;
    const bool full = run->results && end + next - begin > run->planned.results_rows;
    if (run->call.sync || (next && !full))
        return GPUPRIM_OK;
    int status;
    gp_call_unlock(&run->call);
    if (run->results) {
        status = gp_results_read(&run->call, run->results, &r->out, begin, end - begin,
                                 r->results, r->out_row, r->out_step);
        run->results_row = end;
    } else
        status = gp_call_finish(&run->call);
    gp_call_lock(&run->call);
    return status;
}

// All pieces: rows from the first to the last, and of the same rows elements from first to
// last.
static int run_pieces(struct run *run)
{
    const struct gp_array *in = &run->r->in;
    struct gp_piece piece = run->planned.largest;
    int status = GPUPRIM_OK;
    for (piece.row = 0; !status && piece.row < in->rows;
         piece.row += run->planned.largest.rows) {
        piece.rows = gp_min(piece.rows, in->rows - piece.row);
        piece.element = 0;
        do {
            const uint64_t left = in->count - piece.element;
            piece.count = gp_min(run->planned.largest.count, left);
            const bool last = piece.row + piece.rows == in->rows && piece.count == left;
            status = run_piece(run, &piece, last);
            piece.element += piece.count;
        } while (!status && piece.element < in->count);
        const uint64_t end = piece.row + piece.rows;
        if (!status)
            status = read_results(run, end, gp_min(in->rows - end, piece.rows));
    }
    return status;
}

int gp_reduce_run(gpuprim *gp, const struct reduction *r, const struct gpuprim_sync *sync,
                  const struct gp_again *again)
{
    struct run run = { .r = r };
    int status = gp_call_begin(gp, sync, &run.call);
    if (status)
        return status;
    run.call.again = again;
    status = gp_reduce_plan(gp, r, &run.planned);
    if (!status)
        status = take_memory(&run);
    if (!status)
        status = run_pieces(&run);
    return gp_call_end(&run.call, status);
}
