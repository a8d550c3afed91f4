/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d with arrays on the host, as many rows at a time as the device takes. On devices
 * that are not CPUs pieces are copied to two halves of staging memory (src/core/stage_in.c), and results
 * home from a third part, in the queue of the launches:
 *
 *     copies             | piece 0 | piece 1         | piece 2         |
 *     launches, results            | 0 | results 0 |   | 1 | results 1 | ...
 *
 * So a launch waits for the results of the one before, which matters where it takes longer than
 * to copy a piece: above thousands of taps. */
#include "host.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 1 << 30 };

void gp_convolve_copy_rows(const struct gp_array *array, uint64_t row, uint64_t rows,
                           int64_t begin, uint64_t count, char *packed, bool to_array)
{
    const size_t size = array->size;
    for (uint64_t r = 0; r < rows; r++) {
        char *line = packed + r * count * size;
        if (array->stride == 1 && count) {
            char *there = gp_array_element(array, row + r, begin);
            memcpy(to_array ? there : line, to_array ? line : there, count * size);
            continue;
        }
        for (uint64_t i = 0; i < count; i++) {
            char *there = gp_array_element(array, row + r, begin + (int64_t)i);
            char *here = line + i * size;
            memcpy(to_array ? there : here, to_array ? here : there, size);
        }
    }
}

void *gp_convolve_allocate(uint64_t rows, uint64_t count, size_t size)
{
    uint64_t bytes;
    if (__builtin_mul_overflow(rows, count * size, &bytes) || bytes > SIZE_MAX - 1)
        return NULL;
    return malloc((size_t)bytes + 1);
}

int gp_convolve_no_memory(void)
{
    return gp_fail(GPUPRIM_E_MEMORY, "convolve1d: out of memory");
}

int gp_convolve_buffer(const struct convolve_host *h, uint64_t bytes, void *values, cl_mem *out)
{
    cl_int error;
    if (bytes > SIZE_MAX)
        return gp_convolve_no_memory();
    cl_mem memory = clCreateBuffer(h->run->call.gp->context,
                                   CL_MEM_READ_WRITE | (values ? CL_MEM_COPY_HOST_PTR : 0u),
                                   (size_t)bytes, values, &error);
    if (error)
        return gp_fail_cl(error, "clCreateBuffer (convolve1d)");
    *out = memory;
    return GPUPRIM_OK;
}

int gp_convolve_read(struct convolve_host *h, cl_mem memory, uint64_t bytes, void *to)
{
    struct gp_call *call = &h->run->call;
    gp_call_unlock(call);
    const cl_int error =
        clEnqueueReadBuffer(call->queue, memory, CL_TRUE, 0, bytes, to, 0, NULL, NULL);
    gp_call_lock(call);
    return error ? gp_fail_cl(error, "clEnqueueReadBuffer") : GPUPRIM_OK;
}

// ---------------------------------------------------------------------------------------
// Outputs

int gp_convolve_run_piece(struct convolve_host *h, const struct gp_piece *piece,
                          struct convolve_launch *launch)
{
    const struct gp_array *array = &h->run->c->out;
    struct gp_bound bound;
    struct convolve_view out;
    int status = gp_output_bind(&h->run->call, array, piece, &bound);
    if (status)
        return status;
    gp_convolve_view_bound(&bound, &out);
    launch->out = &out;
    launch->row = piece->row;
    launch->rows = piece->rows;
    launch->outputs = piece->count;
    status = gp_convolve_launch(h->run, launch);
    if (!status)
        status = gp_output_read(&h->run->call, array, piece, &bound, &h->home);
    gp_piece_release(&bound);
    return status;
}

// ---------------------------------------------------------------------------------------
// Inputs

void gp_convolve_view_bound(const struct gp_bound *bound, struct convolve_view *out)
{
    *out = (struct convolve_view){ .argument = bound->argument,
                                   .first = bound->first,
                                   .stride = bound->stride,
                                   .row_stride = bound->row_stride };
}

// Rows that are on the device whole; outputs as many at a time as there is room for.
static int run_whole(struct convolve_host *h, uint64_t row, uint64_t rows)
{
    const struct convolution *c = h->run->c;
    const struct gpuprim_filter *f = c->filter;
    const int64_t lo = f->offset - (int64_t)f->reach;
    const struct gp_piece all = { row, rows, 0, c->in.count, h->largest.packed };
    struct gp_bound bound;
    struct convolve_view x, before;
    int status = gp_piece_bind(&h->run->call, &c->in, &all, f->memory, &bound);
    if (status)
        return status;
    gp_convolve_view_bound(&bound, &x);
    const bool has_before = f->left == GPUPRIM_HISTORY && f->reach > 0;
    if (has_before)
        gp_convolve_view_before(h, row, &before);
    struct convolve_launch launch = { .x = &x,
                                      .before = has_before ? &before : NULL,
                                      .n = c->in.count };
    struct gp_piece piece = { .row = row, .rows = rows };
    while (!status && piece.element < c->out.count) {
        const uint64_t left = c->out.count - piece.element;
        piece.count = left < h->largest_out.count ? left : h->largest_out.count;
        launch.lo = lo + (int64_t)(piece.element * f->stride);
        status = gp_convolve_run_piece(h, &piece, &launch);
        piece.element += piece.count;
    }
    if (!status && has_before)
        status = gp_convolve_hand_on_rows(h, &all, &x, &before);
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
    const int arrived = gp_output_finish_read(&run->call, &c->out, &h.home);
    // The driver keeps released memory until the device is done with it.
    if (h.before_memory)
        clReleaseMemObject(h.before_memory);
    if (h.after_memory)
        clReleaseMemObject(h.after_memory);
    free(h.before);
    return status ? status : arrived;
}
