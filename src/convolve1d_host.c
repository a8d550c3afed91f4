/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d with arrays on the host. Rows of the input that fit the device whole are bound as
 * they are (host.c), and kernels see to the boundaries. Longer rows go window by window:
 *
 *     outputs   | 0 ... e0 - 1       | e0 ...                 e1 - 1 | e1 ...          |
 *     inputs    reach beyond the     | are there: a window of the    | reach beyond    |
 *               left end             | array, bound as it is         | the right end   |
 *
 * For the outputs at the ends the inputs are gathered here, boundaries resolved, so that no
 * kernel needs what is not in its window. The values are the same either way, and with them
 * the results. */
#include "convolve1d.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 1 << 30 };

struct host {
    struct convolve_run *run;
    struct gp_piece largest; // of the input, on the device at once
    struct gp_piece largest_out;
    bool windows;         // rows do not fit
    char *before;         // packed copies of the history: on the host,
    cl_mem before_memory; // and on the device
    cl_mem after_memory;  // where after is a host array
};

// Element `i` of row `row` of a host array.
static char *element(const struct gp_array *array, uint64_t row, int64_t i)
{
    const int64_t at = array->first + (int64_t)row * array->row_stride + i * array->stride;
    return (char *)array->base + at * (int64_t)array->size;
}

// Between a host array and packed rows, `to` says which way.
static void copy_rows(const struct gp_array *array, uint64_t row, uint64_t rows, int64_t begin,
                      uint64_t count, char *packed, bool to_array)
{
    const size_t size = array->size;
    for (uint64_t r = 0; r < rows; r++) {
        char *line = packed + r * count * size;
        if (array->stride == 1 && count) {
            char *there = element(array, row + r, begin);
            memcpy(to_array ? there : line, to_array ? line : there, count * size);
            continue;
        }
        for (uint64_t i = 0; i < count; i++) {
            char *there = element(array, row + r, begin + (int64_t)i);
            char *here = line + i * size;
            memcpy(to_array ? there : here, to_array ? here : there, size);
        }
    }
}

static void *allocate(uint64_t rows, uint64_t count, size_t size)
{
    uint64_t bytes;
    if (__builtin_mul_overflow(rows, count * size, &bytes) || bytes > SIZE_MAX - 1)
        return NULL;
    return malloc((size_t)bytes + 1);
}

static int no_memory(void)
{
    return gp_fail(GPUPRIM_E_MEMORY, "convolve1d: out of memory");
}

// A buffer of the call's own, filled from `values` where that is not NULL.
static int buffer_of(const struct host *h, uint64_t bytes, void *values, cl_mem *out)
{
    cl_int error;
    cl_mem memory = clCreateBuffer(h->run->call.gp->context,
                                   CL_MEM_READ_WRITE | (values ? CL_MEM_COPY_HOST_PTR : 0u),
                                   bytes, values, &error);
    if (error)
        return gp_fail_cl(error, "clCreateBuffer (convolve1d)");
    *out = memory;
    return GPUPRIM_OK;
}

static int read_buffer(struct host *h, cl_mem memory, uint64_t bytes, void *to)
{
    struct gp_call *call = &h->run->call;
    gp_call_unlock(call);
    const cl_int error =
        clEnqueueReadBuffer(call->queue, memory, CL_TRUE, 0, bytes, to, 0, NULL, NULL);
    gp_call_lock(call);
    return error ? gp_fail_cl(error, "clEnqueueReadBuffer") : GPUPRIM_OK;
}

// ---------------------------------------------------------------------------------------
// History

static uint64_t history_bytes(const struct host *h)
{
    const struct convolution *c = h->run->c;
    return c->in.rows * c->filter->reach * c->in.size;
}

// A copy on the device from `before` to `out`, of the size of the history, for all rows.
static int copy_on_device(struct host *h, const struct convolve_view *before,
                          const struct convolve_view *out)
{
    const struct convolution *c = h->run->c;
    struct convolve_view nothing;
    gp_convolve_packed(c->filter->memory, 0, 0, &nothing);
    const struct convolve_launch launch = { .x = &nothing,
                                            .before = before,
                                            .out = out,
                                            .rows = c->in.rows,
                                            .outputs = c->filter->reach };
    return gp_convolve_hand_on(h->run, &launch);
}

// Brings the samples before the input to where they are needed.
static int open_history(struct host *h)
{
    const struct convolution *c = h->run->c;
    const uint64_t reach = c->filter->reach;
    if (c->filter->left != GPUPRIM_HISTORY || reach == 0)
        return GPUPRIM_OK;
    const bool is_host = c->before.memory == GPUPRIM_HOST;
    int status = GPUPRIM_OK;
    if (is_host || h->windows) {
        h->before = allocate(c->in.rows, reach, c->in.size);
        if (!h->before)
            return no_memory();
    }
    if (is_host) {
        copy_rows(&c->before, 0, c->in.rows, 0, reach, h->before, false);
        return buffer_of(h, history_bytes(h), h->before, &h->before_memory);
    }
    if (h->windows) {
        struct convolve_view from, to;
        status = buffer_of(h, history_bytes(h), NULL, &h->before_memory);
        if (status)
            return status;
        gp_convolve_view(&c->before, 0, &from);
        gp_convolve_packed(h->before_memory, 0, reach, &to);
        status = copy_on_device(h, &from, &to);
        if (!status)
            status = read_buffer(h, h->before_memory, history_bytes(h), h->before);
    }
    return status;
}

static void view_before(const struct host *h, uint64_t row, struct convolve_view *out)
{
    const struct convolution *c = h->run->c;
    if (h->before_memory)
        gp_convolve_packed(h->before_memory, row * c->filter->reach, c->filter->reach, out);
    else
        gp_convolve_view(&c->before, row, out);
}

// The history for the next block, of rows that are on the device whole.
static int hand_on_rows(struct host *h, const struct gp_piece *piece,
                        const struct convolve_view *x, const struct convolve_view *before)
{
    const struct convolution *c = h->run->c;
    const uint64_t reach = c->filter->reach;
    struct convolve_view after;
    int status = GPUPRIM_OK;
    if (!c->hands_on)
        return status;
    if (c->after.memory == GPUPRIM_HOST) {
        if (!h->after_memory)
            status = buffer_of(h, history_bytes(h), NULL, &h->after_memory);
        if (status)
            return status;
        gp_convolve_packed(h->after_memory, piece->row * reach, reach, &after);
    } else
        gp_convolve_view(&c->after, piece->row, &after);
    const struct convolve_launch launch = { .x = x,
                                            .before = before,
                                            .out = &after,
                                            .n = c->in.count,
                                            .row = piece->row,
                                            .rows = piece->rows,
                                            .outputs = reach };
    return gp_convolve_hand_on(h->run, &launch);
}

// The same where rows went by in windows: from what the host has.
static void tail_of(const struct host *h, char *tail)
{
    const struct convolution *c = h->run->c;
    const size_t size = c->in.size;
    const uint64_t reach = c->filter->reach, n = c->in.count;
    const uint64_t kept = reach > n ? reach - n : 0; // of before
    for (uint64_t row = 0; row < c->in.rows; row++) {
        char *to = tail + row * reach * size;
        memcpy(to, h->before + (row * reach + reach - kept) * size, kept * size);
        copy_rows(&c->in, row, 1, (int64_t)(n - (reach - kept)), reach - kept, to + kept * size,
                  false);
    }
}

static int close_history(struct host *h)
{
    const struct convolution *c = h->run->c;
    const uint64_t reach = c->filter->reach;
    if (!c->hands_on)
        return GPUPRIM_OK;
    char *tail = allocate(c->in.rows, reach, c->in.size);
    if (!tail)
        return no_memory();
    int status = GPUPRIM_OK;
    if (h->windows)
        tail_of(h, tail);
    else if (c->after.memory == GPUPRIM_HOST)
        status = read_buffer(h, h->after_memory, history_bytes(h), tail);
    if (!status && c->after.memory == GPUPRIM_HOST)
        copy_rows(&c->after, 0, c->in.rows, 0, reach, tail, true);
    else if (!status && h->windows) {
        struct convolve_view from, to;
        status = buffer_of(h, history_bytes(h), tail, &h->after_memory);
        if (!status) {
            gp_convolve_packed(h->after_memory, 0, reach, &from);
            gp_convolve_view(&c->after, 0, &to);
            status = copy_on_device(h, &from, &to);
        }
    }
    free(tail);
    return status;
}

// ---------------------------------------------------------------------------------------
// Outputs

// Where the outputs of a piece go: the caller's memory where the device reaches it, else
// staging memory. `wrapped` receives a buffer on the caller's memory.
static int bind_out(struct host *h, const struct gp_piece *piece, struct convolve_view *out,
                    cl_mem *wrapped)
{
    const struct gp_array *array = &h->run->c->out;
    struct gp_call *call = &h->run->call;
    cl_mem memory;
    if (array->memory != GPUPRIM_HOST) {
        gp_convolve_view(array, piece->row, out);
        out->first += (int64_t)piece->element * array->stride;
        return GPUPRIM_OK;
    }
    if (!call->gp->caps.is_cpu) {
        const int status =
            gp_call_memory(call, GP_RESULTS, piece->rows * piece->count * array->size, &memory);
        if (!status)
            gp_convolve_packed(memory, 0, piece->count, out);
        return status;
    }
    int64_t first, low, high;
    cl_int error;
    gp_piece_span(array, piece, &first, &low, &high);
    memory = clCreateBuffer(call->gp->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                            (size_t)(high - low) * array->size,
                            (char *)array->base + low * (int64_t)array->size, &error);
    if (error)
        return gp_fail_cl(error, "clCreateBuffer (host array)");
    gp_convolve_packed(memory, (uint64_t)(first - low), 0, out);
    out->stride = array->stride;
    out->row_stride = array->row_stride;
    *wrapped = memory;
    return GPUPRIM_OK;
}

// Waits for the outputs of a piece to be in the caller's memory.
static int bring_home(struct host *h, const struct gp_piece *piece,
                      const struct convolve_view *out, cl_mem wrapped)
{
    const struct gp_array *array = &h->run->c->out;
    struct gp_call *call = &h->run->call;
    if (wrapped) {
        cl_int error;
        gp_call_unlock(call);
        void *mapped = clEnqueueMapBuffer(call->queue, wrapped, CL_TRUE, CL_MAP_READ, 0, 1, 0,
                                          NULL, NULL, &error);
        if (!error)
            error = clEnqueueUnmapMemObject(call->queue, wrapped, mapped, 0, NULL, NULL);
        gp_call_lock(call);
        return error ? gp_fail_cl(error, "clEnqueueMapBuffer") : GPUPRIM_OK;
    }
    if (array->memory != GPUPRIM_HOST)
        return GPUPRIM_OK;
    const uint64_t bytes = piece->rows * piece->count * array->size;
    const bool is_packed = array->stride == 1 && piece->rows == 1;
    if (is_packed)
        return read_buffer(h, out->memory, bytes,
                           element(array, piece->row, (int64_t)piece->element));
    char *packed = allocate(1, bytes, 1);
    if (!packed)
        return no_memory();
    const int status = read_buffer(h, out->memory, bytes, packed);
    if (!status)
        copy_rows(array, piece->row, piece->rows, (int64_t)piece->element, piece->count, packed,
                  true);
    free(packed);
    return status;
}

// Launches the outputs of a piece and brings them home.
static int run_piece(struct host *h, const struct gp_piece *piece,
                     struct convolve_launch *launch)
{
    struct convolve_view out;
    cl_mem wrapped = NULL;
    int status = bind_out(h, piece, &out, &wrapped);
    if (status)
        return status;
    launch->out = &out;
    launch->row = piece->row;
    launch->rows = piece->rows;
    launch->outputs = piece->count;
    status = gp_convolve_launch(h->run, launch);
    if (!status)
        status = bring_home(h, piece, &out, wrapped);
    if (wrapped)
        clReleaseMemObject(wrapped);
    return status;
}

// ---------------------------------------------------------------------------------------
// Inputs

static void view_bound(const struct gp_bound *bound, struct convolve_view *out)
{
    *out = (struct convolve_view){ .argument = bound->argument,
                                   .first = bound->first,
                                   .stride = bound->stride,
                                   .row_stride = bound->row_stride };
}

// Rows that are on the device whole; outputs as many at a time as there is room for.
static int run_whole(struct host *h, uint64_t row, uint64_t rows)
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
    view_bound(&bound, &x);
    const bool has_before = f->left == GPUPRIM_HISTORY && f->reach > 0;
    if (has_before)
        view_before(h, row, &before);
    struct convolve_launch launch = { .x = &x,
                                      .before = has_before ? &before : NULL,
                                      .n = c->in.count };
    struct gp_piece piece = { .row = row, .rows = rows };
    while (!status && piece.element < c->out.count) {
        const uint64_t left = c->out.count - piece.element;
        piece.count = left < h->largest_out.count ? left : h->largest_out.count;
        launch.lo = lo + (int64_t)(piece.element * f->stride);
        status = run_piece(h, &piece, &launch);
        piece.element += piece.count;
    }
    if (!status && has_before)
        status = hand_on_rows(h, &all, &x, &before);
    gp_piece_release(&bound);
    return status;
}

// What X(j) is, for j beyond the ends of a row.
static const void *beyond(const struct host *h, uint64_t row, int64_t j)
{
    const struct convolution *c = h->run->c;
    const struct gpuprim_filter *f = c->filter;
    const int64_t n = (int64_t)c->in.count;
    const enum gpuprim_boundary side = j < 0 ? f->left : f->right;
    if (side == GPUPRIM_HISTORY)
        return h->before + ((int64_t)(row * f->reach + f->reach) + j) * (int64_t)c->in.size;
    if (side == GPUPRIM_ZERO || side == GPUPRIM_CONSTANT)
        return &f->constant[j < 0 ? 0 : 1]; // little-endian: its first bytes are the element
    if (side == GPUPRIM_EDGE)
        return element(&c->in, row, j < 0 ? 0 : n - 1);
    const int64_t last = side == GPUPRIM_REFLECT_HALF ? 2 * n - 1 : 2 * n - 2;
    const int64_t period = side == GPUPRIM_WRAP           ? n
                           : side == GPUPRIM_REFLECT_HALF ? 2 * n
                           : last                         ? last
                                                          : 1;
    j %= period;
    j += j < 0 ? period : 0;
    return element(&c->in, row, side != GPUPRIM_WRAP && last - j < j ? last - j : j);
}

// A packed copy of inputs begin ... begin + count - 1 of some rows, as a buffer.
static int gather(struct host *h, uint64_t row, uint64_t rows, int64_t begin, uint64_t count,
                  cl_mem *out)
{
    const struct gp_array *in = &h->run->c->in;
    const int64_t n = (int64_t)in->count, end = begin + (int64_t)count;
    const int64_t from = begin < 0 ? 0 : begin < n ? begin : n; // from ... to - 1 are there
    const int64_t to = end < from ? from : end < n ? end : n;
    char *packed = allocate(rows, count, in->size);
    if (!packed)
        return no_memory();
    for (uint64_t r = 0; r < rows; r++) {
        char *line = packed + r * count * in->size;
        for (int64_t j = begin; j < end; j++) {
            if (j == from && from < to) {
                copy_rows(in, row + r, 1, from, (uint64_t)(to - from),
                          line + (size_t)(j - begin) * in->size, false);
                j = to;
                if (j == end)
                    break;
            }
            memcpy(line + (size_t)(j - begin) * in->size, beyond(h, row + r, j), in->size);
        }
    }
    const int status = buffer_of(h, rows * count * in->size, packed, out);
    free(packed);
    return status;
}

// One window: `piece` of the outputs. `inside`: its inputs are all there.
static int run_window(struct host *h, const struct gp_piece *piece, bool inside)
{
    const struct convolution *c = h->run->c;
    const struct gpuprim_filter *f = c->filter;
    const int64_t begin = (int64_t)(piece->element * f->stride) + f->offset - (int64_t)f->reach;
    const uint64_t count = (piece->count - 1) * f->stride + f->reach + 1;
    struct gp_bound bound = { .temporary = NULL };
    struct convolve_view x;
    int status;
    if (inside) {
        const struct gp_piece window = { piece->row, piece->rows, (uint64_t)begin, count,
                                         h->largest.packed };
        status = gp_piece_bind(&h->run->call, &c->in, &window, f->memory, &bound);
        view_bound(&bound, &x);
    } else {
        status = gather(h, piece->row, piece->rows, begin, count, &bound.temporary);
        gp_convolve_packed(bound.temporary, 0, count, &x);
    }
    if (status)
        return status;
    struct convolve_launch launch = { .x = &x, .n = count };
    status = run_piece(h, piece, &launch);
    gp_piece_release(&bound);
    return status;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static int run_windows(struct host *h, uint64_t row, uint64_t rows)
{
    const struct convolution *c = h->run->c;
    const struct gpuprim_filter *f = c->filter;
    const int64_t lo = f->offset - (int64_t)f->reach, n = (int64_t)c->in.count;
    const uint64_t room = h->largest.count, outputs = c->out.count;
    // A filter longer than a window leaves nothing inside; its inputs are gathered.
    const bool fits = room > f->reach;
    uint64_t most = (fits ? (room - f->reach - 1) / f->stride : room / f->stride) + 1;
    most = least(most, h->largest_out.count);
    const uint64_t e0 = lo < 0 ? least(gp_divide_up((uint64_t)-lo, f->stride), outputs) : 0;
    uint64_t e1 = e0;
    if (fits && n - 1 - f->offset >= 0)
        e1 = least((uint64_t)(n - 1 - f->offset) / f->stride + 1, outputs);
    if (e1 < e0)
        e1 = e0;
    struct gp_piece piece = { .row = row, .rows = rows };
    int status = GPUPRIM_OK;
    while (!status && piece.element < outputs) {
        const bool inside = piece.element >= e0 && piece.element < e1;
        const uint64_t end = piece.element < e0 ? e0 : inside ? e1 : outputs;
        piece.count = least(end - piece.element, most);
        status = run_window(h, &piece, inside);
        piece.element += piece.count;
    }
    return status;
}

int gp_convolve_host(struct convolve_run *run)
{
    const struct convolution *c = run->c;
    struct host h = { .run = run };
    h.largest = gp_piece_largest(run->call.gp, &c->in, MAX_ROWS);
    h.largest_out = gp_piece_largest(run->call.gp, &c->out, MAX_ROWS);
    h.windows = h.largest.count < c->in.count;
    const uint64_t most = least(h.largest.rows, h.largest_out.rows);
    int status = open_history(&h);
    for (uint64_t row = 0; !status && row < c->in.rows; row += most) {
        const uint64_t rows = least(most, c->in.rows - row);
        status = h.windows ? run_windows(&h, row, rows) : run_whole(&h, row, rows);
    }
    if (!status)
        status = close_history(&h);
    // The driver keeps released memory until the device is done with it.
    if (h.before_memory)
        clReleaseMemObject(h.before_memory);
    if (h.after_memory)
        clReleaseMemObject(h.after_memory);
    free(h.before);
    return status;
}
