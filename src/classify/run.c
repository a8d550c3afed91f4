/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: runs a checked call from beginning to end. It cuts the arrays into pieces that the
 * device takes at once, launches each piece (launch.c), and reads the labels back. Arrays in
 * device memory are one piece. counts.c looks after the counts. */
#include "turned.h"

// How many labels, or rows of counts, of so many bytes may be in staging memory: an eighth of
// it for each, and at least one.
static uint64_t room_for(const gpuprim *gp, uint64_t bytes)
{
    const uint64_t room = gp->staging_bytes / 8 / (bytes ? bytes : 1);
    return room ? room : 1;
}

static struct gp_piece largest_piece(const gpuprim *gp, const struct classification *c,
                                     const struct gp_variant *variant)
{
    const struct gp_array *counts = &c->counts, *labels = &c->labels;
    uint64_t rows = CLASSIFY_MAX_ROWS;
    if (c->has_counts && c->counts_rows && counts->memory == GPUPRIM_HOST)
        rows = gp_min(rows, room_for(gp, counts->count * counts->size));
    struct gp_piece piece = gp_piece_largest(gp, &c->in, rows);
    if (gp_classify_turns(variant))
        gp_turned_limit(gp, c, &piece);
    if (!c->has_labels || labels->memory != GPUPRIM_HOST)
        return piece;
    const struct gp_piece out = gp_piece_largest(gp, labels, piece.rows);
    piece.rows = gp_min(piece.rows, out.rows);
    piece.count = gp_min(piece.count, out.count);
    if (!gp->caps.is_cpu && piece.count) { // labels are packed in staging memory
        const uint64_t room = room_for(gp, labels->size);
        piece.count = gp_min(piece.count, room);
        piece.rows = gp_min(piece.rows, room / piece.count);
    }
    return piece;
}

// Classifies one piece and reads its labels back.
static int run_piece(struct classify_run *run, const struct gp_piece *piece, bool last)
{
    const struct classification *c = run->c;
    struct gp_bound in, labels = { .temporary = NULL };
    int status = gp_piece_bind(&run->call, &c->in, piece, &in);
    if (!status && c->has_labels)
        status = gp_output_bind(&run->call, &c->labels, piece, &labels);
    if (!status)
        status = gp_classify_turns(run->plan.variant)
                     ? gp_turned_launch(run, piece, &in, &labels, last)
                     : gp_classify_launch(run, piece, &in, &labels, last);
    if (!status && c->has_labels)
        status = gp_output_read(&run->call, &c->labels, piece, &labels, &run->readback);
    gp_piece_release(&labels);
    gp_piece_release(&in);
    return status;
}

// Classifies rows from `row` on, as many elements of each at a time as the device takes at
// once.
static int run_rows(struct classify_run *run, uint64_t row, uint64_t rows)
{
    const struct gp_array *in = &run->c->in;
    struct gp_piece piece = run->largest;
    int status = GPUPRIM_OK;
    piece.row = row;
    piece.rows = rows;
    while (!status && piece.element < in->count) {
        const uint64_t left = in->count - piece.element;
        piece.count = gp_min(run->largest.count, left);
        const bool last = !run->more && row + rows == in->rows && piece.count == left;
        status = run_piece(run, &piece, last);
        piece.element += piece.count;
    }
    return status;
}

static int run_pieces(struct classify_run *run)
{
    const struct classification *c = run->c;
    run->largest = largest_piece(run->call.gp, c, run->plan.variant);
    const bool by_rows = c->has_counts && c->counts_rows;
    const bool at_once = c->has_counts && !c->counts_rows;
    int status = at_once ? gp_classify_open_counts(run, 0, 1) : GPUPRIM_OK;
    const bool has_work = c->in.count || (by_rows && c->counts.count);
    for (uint64_t row = 0; !status && has_work && row < c->in.rows; row += run->largest.rows) {
        const uint64_t rows = gp_min(run->largest.rows, c->in.rows - row);
        if (by_rows)
            status = gp_classify_open_counts(run, row, rows);
        if (!status)
            status = run_rows(run, row, rows);
        if (!status && by_rows)
            status = gp_classify_close_counts(run, row, rows);
    }
    if (!status && at_once)
        status = gp_classify_close_counts(run, 0, 1);
    // A call without elements has an event, too: that of a launch which touches nothing.
    if (!status && run->call.sync && c->in.count == 0 && !run->more)
        status = gp_classify_zero(run, 0, true);
    return status;
}

static int run_whole(struct classify_run *run)
{
    const int status = gp_classify_plan(run->call.gp, run->c, &run->plan, &run->layout);
    return status ? status : run_pieces(run);
}

// All parts are planned before the first one is launched: what does not build gives no labels.
static int run_parts(struct classify_run *run)
{
    const struct classification *c = run->c;
    struct {
        struct classification call;
        struct classify_choice choice;
        struct gp_plan plan;
        struct classify_layout layout;
    } parts[CLASSIFY_PARTS];
    int status = GPUPRIM_OK;
    for (unsigned i = 0; i < CLASSIFY_PARTS && !status; i++) {
        parts[i].call = gp_classify_part(c, i, &parts[i].choice);
        status =
            gp_classify_plan(run->call.gp, &parts[i].call, &parts[i].plan, &parts[i].layout);
    }
    for (unsigned i = 0; i < CLASSIFY_PARTS && !status; i++) {
        run->c = &parts[i].call;
        run->plan = parts[i].plan;
        run->layout = parts[i].layout;
        run->more = i + 1 < CLASSIFY_PARTS;
        status = run_pieces(run);
    }
    run->c = c;
    return status;
}

int gp_classify_run(gpuprim *gp, const struct classification *c,
                    const struct gpuprim_sync *sync, const struct gp_again *again)
{
    struct classify_run run = { .c = c };
    int status = gp_call_begin(gp, sync, &run.call);
    if (status)
        return status;
    run.call.again = again;
    status = gp_classify_has_parts(gp, c) ? run_parts(&run) : run_whole(&run);
    if (c->has_labels) {
        const int finished = gp_output_finish_read(&run.call, &c->labels, &run.readback);
        status = status ? status : finished;
    }
    if (!status && !sync) {
        gp_call_unlock(&run.call);
        status = gp_call_finish(&run.call);
        gp_call_lock(&run.call);
    }
    return gp_call_end(&run.call, status);
}
