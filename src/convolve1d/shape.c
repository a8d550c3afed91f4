/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d: how the rows of a launch lie in memory, in the words in which variants are chosen
 * and kernels are laid out. plan.c, launch.c and run.c call it. */
#include "arguments.h"
#include "convolve1d.h"

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// The width of a matrix. Short rows may have any dilation, so there is a limit, far above what
// any variant asks for: the product with the taps fits 64 bits.
static uint64_t width_of(uint64_t channels, uint64_t lanes)
{
    const uint64_t most = UINT64_MAX / CONVOLVE_MAX_TAPS;
    uint64_t width;
    return __builtin_mul_overflow(channels, lanes, &width) ? most : gp_min(width, most);
}

static bool is_interleaved(int64_t stride, int64_t row_stride)
{
    return gp_abs(row_stride) < gp_abs(stride);
}

// Whether the flat index of an element is its distance in memory from the first one.
static bool is_packed(uint64_t channels, int64_t stride, int64_t row_stride)
{
    return channels > 1 ? stride == (int64_t)channels && row_stride == 1 : stride == 1;
}

void gp_convolve_derive(struct convolve_shape *s)
{
    const struct gpuprim_filter *f = s->filter;
    const uint64_t divisor = greatest_common_divisor(f->stride, f->dilation);
    s->channels = s->rows > 1 && (is_interleaved(s->stride, s->row_stride) ||
                                  is_interleaved(s->out_stride, s->out_row_stride))
                      ? s->rows
                      : 1;
    s->batches = s->rows / s->channels;
    s->phases = f->dilation / divisor;
    s->step = f->stride / divisor;
    s->lanes = width_of(s->channels, f->dilation);
    s->out_lanes = width_of(s->channels, s->phases);
    s->packed = is_packed(s->channels, s->stride, s->row_stride);
    s->out_packed = is_packed(s->channels, s->out_stride, s->out_row_stride);
}

bool gp_convolve_turn_rows(struct convolve_shape *s)
{
    if (s->rows < 2 || s->filter->rows > 1 || s->row_stride >= 0)
        return false;
    s->row_stride = -s->row_stride;
    s->out_row_stride = -s->out_row_stride;
    return true;
}

static bool is_multiple(int64_t stride, uint64_t n, int64_t distance)
{
    int64_t product;
    return !__builtin_mul_overflow(stride, n, &product) && product == distance;
}

// Whether both arrays lie by columns, of which `least` are neighbours. (Not measured on CPUs.)
static bool are_columns(const struct convolve_shape *s, uint64_t least)
{
    return !s->filter->gp->caps.is_cpu && s->rows >= least && s->stride > 0 &&
           gp_abs(s->row_stride) < gp_abs(s->stride) &&
           gp_abs(s->out_row_stride) < gp_abs(s->out_stride);
}

static void exchange(int64_t *a, int64_t *b)
{
    const int64_t kept = *a;
    *a = *b;
    *b = kept;
}

void gp_convolve_join_rows(struct convolve_shape *s, int64_t origin)
{
    enum { WIDE = 32 };
    const struct gpuprim_filter *f = s->filter;
    const uint64_t n = s->n, rows = s->rows;
    uint64_t all;
    if (f->taps > 1 || f->rows > 1 || f->stride > 1 || origin || s->outputs != n || rows < 2 ||
        __builtin_mul_overflow(n, rows, &all))
        return;
    if (is_multiple(s->row_stride, rows, s->stride) &&
        is_multiple(s->out_row_stride, rows, s->out_stride)) {
        s->stride = s->row_stride;
        s->out_stride = s->out_row_stride;
    } else if (are_columns(s, WIDE)) {
        s->n = s->outputs = rows;
        s->rows = n;
        exchange(&s->stride, &s->row_stride);
        exchange(&s->out_stride, &s->out_row_stride);
        return;
    } else if (!is_multiple(s->stride, n, s->row_stride) ||
               !is_multiple(s->out_stride, n, s->out_row_stride))
        return;
    s->n = s->outputs = all;
    s->rows = 1;
    s->row_stride = s->out_row_stride = 0;
}

bool gp_convolve_has_host(const struct convolution *c)
{
    return c->in.memory == GPUPRIM_HOST || c->out.memory == GPUPRIM_HOST ||
           (c->filter->left == GPUPRIM_HISTORY &&
            (c->before.memory == GPUPRIM_HOST ||
             (c->has_after && c->after.memory == GPUPRIM_HOST)));
}

// A launch takes the host 5 us (H200, driver 580.159.04), and so does a small call the device. All
// groups count at one address, some 1 ns each, and one of them copies the history: 128 items 1024
// elements at a time. H100, driver 580.159.04, 2026-11-27, us of two launches and of one: 700
// elements of 175 rows 9.7, 6.2; 78 of 6 rows 9.9, 5.9; 3955 elements 13.0, 10.0; 6868 elements
// 9.5, 11.1. Not measured: more than 153575 positions (9.9, 5.6).
unsigned gp_convolve_update_of(const struct convolve_shape *s)
{
    enum { MOST_POSITIONS = 1 << 18, MOST_ELEMENTS = 1 << 12 };
    const struct gpuprim_filter *f = s->filter;
    const uint64_t positions = s->n > s->outputs ? s->n : s->outputs;
    const bool is_small = f->gp->caps.counts_arrivals &&
                          positions <= MOST_POSITIONS / s->rows &&
                          f->halo <= MOST_ELEMENTS / s->rows;
    return is_small ? UPDATES_BY_LAST : UPDATES_BY_ROWS;
}

// Rows of an array on the host go to a device of its own packed, one behind the other. Nothing is
// read of rows without elements.
static void take_strides(const gpuprim *gp, const struct gp_array *array, int64_t *stride,
                         int64_t *row_stride)
{
    const bool is_copied =
        (array->memory == GPUPRIM_HOST && !gp->caps.is_cpu) || array->count == 0;
    *stride = is_copied ? 1 : array->stride;
    *row_stride = is_copied ? (int64_t)array->count : array->row_stride;
}

struct convolve_shape gp_convolve_shape(const struct convolution *c)
{
    const struct gpuprim_filter *f = c->filter;
    struct convolve_shape s = {
        .filter = f, .n = c->in.count, .outputs = c->out.count, .rows = c->in.rows
    };
    s.origin = f->offset - (int64_t)f->halo;
    take_strides(f->gp, &c->in, &s.stride, &s.row_stride);
    take_strides(f->gp, &c->out, &s.out_stride, &s.out_row_stride);
    s.updates_history =
        c->has_after && !gp_convolve_has_host(c) ? gp_convolve_update_of(&s) : 0;
    gp_convolve_turn_rows(&s);
    gp_convolve_join_rows(&s, f->offset - (int64_t)f->halo);
    gp_convolve_derive(&s);
    return s;
}

struct convolve_shape gp_convolve_packed_shape(const struct gpuprim_filter *f)
{
    const uint64_t n = (uint64_t)1 << 26, outputs = gp_ceil_div(n, f->stride);
    struct convolve_shape s = { .filter = f,
                                .n = n,
                                .outputs = outputs,
                                .rows = f->rows,
                                .stride = 1,
                                .row_stride = (int64_t)n,
                                .out_stride = 1,
                                .out_row_stride = (int64_t)outputs,
                                .origin = f->offset - (int64_t)f->halo };
    gp_convolve_derive(&s);
    return s;
}
