/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d with arrays on the host: a call from beginning to end, as many rows at a time as
 * the device takes. Rows that do not fit go to windows.c. Devices that are not CPUs get pieces
 * through two halves of staging memory (src/core/stage_in.c) and return results through a third
 * part, in the queue of the launches:
 *
 *     copies             | piece 0 | piece 1         | piece 2         |
 *     launches, results            | 0 | results 0 |   | 1 | results 1 | ...
 *
 * So a launch waits for the results of the one before. That costs time only where a launch
 * takes longer than the copy of a piece: above thousands of taps. */
#include "host.h"

#include <stdlib.h>

enum { MAX_ROWS = 1 << 30 };

// Rows that fit the device whole. Outputs are computed as many at a time as there is room for.
static int run_whole(struct convolve_host *h, uint64_t row, uint64_t rows)
{
    const struct convolution *c = h->run->c;
    const struct gpuprim_filter *f = c->filter;
    const int64_t origin = f->offset - (int64_t)f->halo;
    const struct gp_piece all = { row, rows, 0, c->in.count, h->largest.packed };
    struct gp_bound bound = { .temporary = NULL };
    struct convolve_view x, before;
    int status = GPUPRIM_OK;
    gp_convolve_view_none(&x); // an array without elements need not have memory
    if (c->in.count) {
        status = gp_piece_bind(&h->run->call, &c->in, &all, &bound);
        if (status)
            return status;
        gp_convolve_view_bound(&bound, &x);
    }
    const bool has_before = f->left == GPUPRIM_HISTORY && f->halo > 0;
    if (has_before)
        gp_convolve_view_before(h, row, &before);
    struct convolve_launch launch = { .x = &x,
                                      .before = has_before ? &before : NULL,
                                      .n = c->in.count };
    struct gp_piece piece = { .row = row, .rows = rows };
    while (!status && piece.element < c->out.count) {
        const uint64_t left = c->out.count - piece.element;
        piece.count = left < h->largest_out.count ? left : h->largest_out.count;
        launch.origin = origin + (int64_t)(piece.element * f->stride);
        status = gp_convolve_run_piece(h, &piece, &launch);
        piece.element += piece.count;
    }
    if (!status && has_before)
        status = gp_convolve_update_rows(h, &all, &x, &before);
    gp_piece_release(&bound);
    return status;
}

int gp_convolve_host(struct convolve_run *run)
{
    const struct convolution *c = run->c;
    struct convolve_host h = { .run = run };
    h.largest = gp_piece_largest(run->call.gp, &c->in, MAX_ROWS);
    h.largest_out = gp_piece_largest(run->call.gp, &c->out, MAX_ROWS);
    h.windows = h.largest.count < c->in.count;
    const uint64_t most = gp_min(h.largest.rows, h.largest_out.rows);
    int status = gp_convolve_open_history(&h);
    for (uint64_t row = 0; !status && row < c->in.rows; row += most) {
        const uint64_t rows = gp_min(most, c->in.rows - row);
        status = h.windows ? gp_convolve_run_windows(&h, row, rows) : run_whole(&h, row, rows);
    }
    if (!status)
        status = gp_convolve_close_history(&h);
    const int read = gp_output_finish_read(&run->call, &c->out, &h.readback);
    // The driver keeps released memory until the device is done with it.
    if (h.before_memory)
        clReleaseMemObject(h.before_memory);
    if (h.after_memory)
        clReleaseMemObject(h.after_memory);
    free(h.before);
    return status ? status : read;
}
