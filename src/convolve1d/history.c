/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d with an array on the host: the samples before the input (`before`) and those for
 * the next block (`after`). host.c calls it. Copies on the device from one layout to another
 * launch the kernel that updates the history. */
#include "host.h"

#include <stdlib.h>
#include <string.h>

static uint64_t history_bytes(const struct convolve_host *h)
{
    const struct convolution *c = h->run->c;
    return c->in.rows * c->filter->halo * c->in.size;
}

// A copy on the device from `before` to `out`, of the size of the history, for all rows.
static int copy_on_device(struct convolve_host *h, const struct convolve_view *before,
                          const struct convolve_view *out)
{
    const struct convolution *c = h->run->c;
    struct convolve_view none;
    gp_convolve_view_none(&none);
    const struct convolve_launch launch = {
        .x = &none, .before = before, .out = out, .rows = c->in.rows, .outputs = c->filter->halo
    };
    return gp_convolve_update_history(h->run, &launch);
}

int gp_convolve_open_history(struct convolve_host *h)
{
    const struct convolution *c = h->run->c;
    const uint64_t halo = c->filter->halo;
    if (c->filter->left != GPUPRIM_HISTORY || halo == 0)
        return GPUPRIM_OK;
    const bool is_host = c->before.memory == GPUPRIM_HOST;
    int status = GPUPRIM_OK;
    if (is_host || h->windows) {
        h->before = gp_convolve_allocate(c->in.rows, halo, c->in.size);
        if (!h->before)
            return gp_convolve_no_memory();
    }
    if (is_host) {
        gp_convolve_copy_rows(&c->before, 0, c->in.rows, 0, halo, h->before, false);
        return gp_convolve_buffer(h, history_bytes(h), h->before, &h->before_memory);
    }
    if (h->windows) {
        struct convolve_view from, to;
        status = gp_convolve_buffer(h, history_bytes(h), NULL, &h->before_memory);
        if (status)
            return status;
        gp_convolve_view(&c->before, 0, &from);
        gp_convolve_view_packed(h->before_memory, 0, halo, &to);
        status = copy_on_device(h, &from, &to);
        if (!status)
            status = gp_convolve_read(h, h->before_memory, history_bytes(h), h->before);
    }
    return status;
}

void gp_convolve_view_before(const struct convolve_host *h, uint64_t row,
                             struct convolve_view *out)
{
    const struct convolution *c = h->run->c;
    if (h->before_memory)
        gp_convolve_view_packed(h->before_memory, row * c->filter->halo, c->filter->halo, out);
    else
        gp_convolve_view(&c->before, row, out);
}

int gp_convolve_update_rows(struct convolve_host *h, const struct gp_piece *piece,
                            const struct convolve_view *x, const struct convolve_view *before)
{
    const struct convolution *c = h->run->c;
    const uint64_t halo = c->filter->halo;
    struct convolve_view after;
    int status = GPUPRIM_OK;
    if (!c->has_after)
        return status;
    if (c->after.memory == GPUPRIM_HOST) {
        if (!h->after_memory)
            status = gp_convolve_buffer(h, history_bytes(h), NULL, &h->after_memory);
        if (status)
            return status;
        gp_convolve_view_packed(h->after_memory, piece->row * halo, halo, &after);
    } else
        gp_convolve_view(&c->after, piece->row, &after);
    const struct convolve_launch launch = { .x = x,
                                            .before = before,
                                            .out = &after,
                                            .n = c->in.count,
                                            .row = piece->row,
                                            .rows = piece->rows,
                                            .outputs = halo };
    return gp_convolve_update_history(h->run, &launch);
}

// The history for the next block where rows went by in windows: from what the host has.
static void tail_of(const struct convolve_host *h, char *tail)
{
    const struct convolution *c = h->run->c;
    const size_t size = c->in.size;
    const uint64_t halo = c->filter->halo, n = c->in.count;
    const uint64_t kept = halo > n ? halo - n : 0; // of before
    for (uint64_t row = 0; row < c->in.rows; row++) {
        char *to = tail + row * halo * size;
        memcpy(to, h->before + (row * halo + halo - kept) * size, kept * size);
        gp_convolve_copy_rows(&c->in, row, 1, (int64_t)(n - (halo - kept)), halo - kept,
                              to + kept * size, false);
    }
}

int gp_convolve_close_history(struct convolve_host *h)
{
    const struct convolution *c = h->run->c;
    const uint64_t halo = c->filter->halo;
    if (!c->has_after)
        return GPUPRIM_OK;
    char *tail = gp_convolve_allocate(c->in.rows, halo, c->in.size);
    if (!tail)
        return gp_convolve_no_memory();
    int status = GPUPRIM_OK;
    if (h->windows)
        tail_of(h, tail);
    else if (c->after.memory == GPUPRIM_HOST)
        status = gp_convolve_read(h, h->after_memory, history_bytes(h), tail);
    if (!status && c->after.memory == GPUPRIM_HOST)
        gp_convolve_copy_rows(&c->after, 0, c->in.rows, 0, halo, tail, true);
    else if (!status && h->windows) {
        struct convolve_view from, to;
        status = gp_convolve_buffer(h, history_bytes(h), tail, &h->after_memory);
        if (!status) {
            gp_convolve_view_packed(h->after_memory, 0, halo, &from);
            gp_convolve_view(&c->after, 0, &to);
            status = copy_on_device(h, &from, &to);
        }
    }
    free(tail);
    return status;
}
