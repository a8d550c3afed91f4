/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d with rows on the host that do not fit the device: window by window. host.c calls
 * it, transfer.c launches the outputs.
 *
 *     outputs   | 0 ... e0 - 1        | e0 ...           e1 - 1 | e1 ...               |
 *     inputs    begin in front of the | inside: a window of the | end behind the right |
 *               left end              | array, bound directly   | end                  |
 *
 * For the outputs at both ends this file gathers the inputs with boundaries resolved, so that
 * no kernel needs anything beyond its window. The values are the same either way, and so are
 * the results. */
#include "host.h"

#include <stdlib.h>
#include <string.h>

// X(j), for j beyond the ends of a row.
static const void *beyond(const struct convolve_host *h, uint64_t row, int64_t j)
{
    const struct convolution *c = h->run->c;
    const struct gpuprim_filter *f = c->filter;
    const int64_t n = (int64_t)c->in.count;
    const enum gpuprim_boundary side = j < 0 ? f->left : f->right;
    if (side == GPUPRIM_HISTORY)
        return h->before + ((int64_t)(row * f->halo + f->halo) + j) * (int64_t)c->in.size;
    if (side == GPUPRIM_ZERO || side == GPUPRIM_CONSTANT)
        return &f->constant[j < 0 ? 0 : 1]; // little-endian: its first bytes are the element
    if (side == GPUPRIM_EDGE)
        return gp_array_element(&c->in, row, j < 0 ? 0 : n - 1);
    const int64_t last = side == GPUPRIM_REFLECT_HALF ? 2 * n - 1 : 2 * n - 2;
    const int64_t period = side == GPUPRIM_WRAP           ? n
                           : side == GPUPRIM_REFLECT_HALF ? 2 * n
                           : last                         ? last
                                                          : 1;
    j %= period;
    j += j < 0 ? period : 0;
    return gp_array_element(&c->in, row, side != GPUPRIM_WRAP && last - j < j ? last - j : j);
}

// A packed copy of inputs begin ... begin + count - 1 of some rows, as a buffer.
static int gather(struct convolve_host *h, uint64_t row, uint64_t rows, int64_t begin,
                  uint64_t count, cl_mem *out)
{
    const struct gp_array *in = &h->run->c->in;
    const int64_t n = (int64_t)in->count, end = begin + (int64_t)count;
    const int64_t from = begin < 0 ? 0 : begin < n ? begin : n; // from ... to - 1 are inside
    const int64_t to = end < from ? from : end < n ? end : n;
    char *packed = gp_convolve_allocate(rows, count, in->size);
    if (!packed)
        return gp_convolve_no_memory();
    for (uint64_t r = 0; r < rows; r++) {
        char *line = packed + r * count * in->size;
        for (int64_t j = begin; j < end; j++) {
            if (j == from && from < to) {
                gp_convolve_copy_rows(in, row + r, 1, from, (uint64_t)(to - from),
                                      line + (size_t)(j - begin) * in->size, false);
                j = to;
                if (j == end)
                    break;
            }
            memcpy(line + (size_t)(j - begin) * in->size, beyond(h, row + r, j), in->size);
        }
    }
    const int status = gp_convolve_buffer(h, rows * count * in->size, packed, out);
    free(packed);
    return status;
}

// One window: `piece` of the outputs. `inside`: all its inputs are in the array.
static int run_window(struct convolve_host *h, const struct gp_piece *piece, bool inside)
{
    const struct convolution *c = h->run->c;
    const struct gpuprim_filter *f = c->filter;
    const int64_t begin = (int64_t)(piece->element * f->stride) + f->offset - (int64_t)f->halo;
    const uint64_t count = (piece->count - 1) * f->stride + f->halo + 1;
    struct gp_bound bound = { .temporary = NULL };
    struct convolve_view x;
    int status;
    if (inside) {
        const struct gp_piece window = { piece->row, piece->rows, (uint64_t)begin, count,
                                         h->largest.packed };
        status = gp_piece_bind(&h->run->call, &c->in, &window, &bound);
        gp_convolve_view_bound(&bound, &x);
    } else {
        status = gather(h, piece->row, piece->rows, begin, count, &bound.temporary);
        gp_convolve_view_packed(bound.temporary, 0, count, &x);
    }
    if (status)
        return status;
    struct convolve_launch launch = { .x = &x, .n = count };
    status = gp_convolve_run_piece(h, piece, &launch);
    gp_piece_release(&bound);
    return status;
}

int gp_convolve_run_windows(struct convolve_host *h, uint64_t row, uint64_t rows)
{
    const struct convolution *c = h->run->c;
    const struct gpuprim_filter *f = c->filter;
    const int64_t origin = f->offset - (int64_t)f->halo, n = (int64_t)c->in.count;
    const uint64_t room = h->largest.count, outputs = c->out.count; // room: inputs of a window
    // With a filter longer than a window no output is inside: all inputs are gathered.
    const bool fits = room > f->halo;
    uint64_t most = (fits ? (room - f->halo - 1) / f->stride : room / f->stride) + 1;
    most = gp_min(most, h->largest_out.count);
    const uint64_t e0 =
        origin < 0 ? gp_min(gp_ceil_div((uint64_t)-origin, f->stride), outputs) : 0;
    uint64_t e1 = e0;
    if (fits && n - 1 - f->offset >= 0)
        e1 = gp_min((uint64_t)(n - 1 - f->offset) / f->stride + 1, outputs);
    if (e1 < e0)
        e1 = e0;
    struct gp_piece piece = { .row = row, .rows = rows };
    int status = GPUPRIM_OK;
    while (!status && piece.element < outputs) {
        const bool inside = piece.element >= e0 && piece.element < e1;
        const uint64_t end = piece.element < e0 ? e0 : inside ? e1 : outputs;
        piece.count = gp_min(end - piece.element, most);
        status = run_window(h, &piece, inside);
        piece.element += piece.count;
    }
    return status;
}
