/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_transposed: rows that become columns, and columns that become rows, where
 * other variants write outputs far apart and take longer. The outputs go to scratch memory, where they lie as
 * the inputs do, by the variant that takes the least for that. core/transpose.c brings them to where
 * they belong. Large launches go piece by piece (launches.c).
 *
 * Bytes of an output beyond those of the convolution: it is read once and written once more. */
#include "transposed.h"

#include "gpu_sizes.h"

enum {
    MEMORY_LINE = 128, // bytes
    // Bytes of a line of columns that pieces of some rows have, at least. Not measured.
    LEAST_OF_LINE = 1024,
};

static bool are_columns(int64_t stride, int64_t row_stride)
{
    return gp_abs(row_stride) < gp_abs(stride);
}

static bool has_columns(const struct convolve_shape *s)
{
    return are_columns(s->stride, s->row_stride);
}

static struct transposed_piece whole_of(const struct convolve_shape *s)
{
    return (struct transposed_piece){ .rows = s->rows, .outputs = s->outputs };
}

static uint64_t line_of(const struct convolve_shape *s)
{
    return MEMORY_LINE / gp_type_size(s->filter->out);
}

static uint64_t round_up(uint64_t n, uint64_t unit)
{
    return gp_ceil_div(n, unit) * unit;
}

struct transposed_place gp_transposed_place(const struct convolve_shape *s,
                                            const struct transposed_piece *piece)
{
    // Rows that lie from the last to the first do so there, too.
    const bool is_back = s->row_stride < 0;
    const bool columns = has_columns(s);
    const int64_t apart =
        columns ? 1 : (int64_t)round_up(piece->outputs, line_of(s)); // rows begin at lines
    return (struct transposed_place){
        .first = is_back ? ((int64_t)piece->rows - 1) * apart : 0,
        .stride = columns ? (int64_t)piece->rows : 1,
        .row_stride = is_back ? -apart : apart,
        .elements = columns ? piece->rows * piece->outputs : piece->rows * (uint64_t)apart,
    };
}

struct transposed_piece gp_transposed_largest(const struct convolve_shape *s, uint64_t bytes)
{
    const uint64_t line = line_of(s), most = bytes / gp_type_size(s->filter->out),
                   whole = most / round_up(s->outputs, line),
                   least = LEAST_OF_LINE / gp_type_size(s->filter->out);
    struct transposed_piece piece = whole_of(s);
    if (whole >= s->rows)
        return piece;
    if (whole >= least) {
        piece.rows = gp_min(round_up(gp_even_part(s->rows, whole), line), whole / line * line);
        return piece;
    }
    // All rows, or as many as a line of memory has where they have no room.
    piece.rows = gp_min(s->rows, most / line > line ? most / line : line);
    const uint64_t outputs = most / piece.rows / line * line;
    piece.outputs = gp_min(s->outputs, outputs ? outputs : line);
    return piece;
}

struct convolve_shape gp_transposed_shape(const struct convolve_shape *s,
                                          const struct transposed_piece *piece)
{
    const struct transposed_place place = gp_transposed_place(s, piece);
    struct convolve_shape part = *s;
    part.rows = piece->rows;
    part.outputs = piece->outputs;
    part.origin += (int64_t)(piece->output * s->filter->stride);
    part.out_stride = place.stride;
    part.out_row_stride = place.row_stride;
    const bool is_last = piece->output + piece->outputs == s->outputs;
    part.is_part = 1;
    part.updates_history = s->updates_history && is_last ? gp_convolve_update_of(&part) : 0;
    gp_convolve_join_rows(&part, part.origin);
    gp_convolve_derive(&part);
    return part;
}

struct transpose gp_transposed_transpose(const struct convolve_shape *s,
                                         const struct transposed_piece *piece)
{
    const enum gpuprim_type out = s->filter->out;
    struct transpose t = gp_transpose_of(piece->rows, gp_type_size(out));
    t.to_columns = !has_columns(s);
    t.anywhere = !t.to_columns;
    t.pairs = out == GPUPRIM_C32;
    return t;
}

// One output, or one row, lies in any order.
static bool fits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    return !gp->caps.is_cpu && s->filter->method != GPUPRIM_METHOD_FFT && s->rows > 1 &&
           s->outputs > 1 && has_columns(s) != are_columns(s->out_stride, s->out_row_stride) &&
           TRANSPOSE_LOCAL_BYTES <= gp_min(gp->caps.local_bytes, CONVOLVE_LOCAL_BYTES);
}

// What bringing the outputs to where they belong takes, by bytes that are read and written. H200,
// driver 580.159.04, 2026-11-30, most of 59 calls of the maps, us by this less what the convolution was
// estimated to take: 1100 to 2100 GB/s of bytes, 1200 to 2200 of 16 bits, 1900 to 3400 of 32 bits; of
// rows of six outputs of 16 bits, and of four of 32, 360 and 460. A second launch takes the host 5 us, and the
// device waits for the first: 2026-12-01, us by this and by gpu_tap_chunks, i16 to f16, 598 taps, 37 rows of
// 6572 59, 17; f32 to i32, 188 taps, 130 rows of 27 20, 9.
static double transposing(const gpuprim *gp, const struct convolve_shape *s)
{
    enum { FEW = 16 };                                        // outputs of a row
    static const double rates[] = { 1300, 1700, 2200, 3300 }; // GB/s by 132 units
    const double UNITS = 132, LAUNCH = 8, OF_FEW = 0.3;
    const size_t size = gp_type_size(s->filter->out);
    const double bytes = 2 * (double)s->outputs * (double)s->rows * (double)size;
    const double rate = rates[size == 8 ? 3 : size / 2] * gp->caps.compute_units / UNITS *
                        (s->outputs < FEW ? OF_FEW : 1);
    return LAUNCH + bytes / rate / 1e3;
}

// Of the 59 calls 12 are estimated to take MARGIN less than by the fastest of the other variants. They
// take 0.67 of the time of these in the geometric mean, the worst of them 1.17. Us by them and by this:
// f32 to u16, 316 taps, dilation 29, rows to columns 67 880, 6503; c32, 180 taps, stride 5, dilation 6,
// rows to columns 2126, 968; i32, 4 own taps of 64-bit sums, dilation 28, columns to rows 735, 441; but
// f64, 41 taps, rows to columns 250, 293. Without the margin 9 more would take 0.59 to 1.43 times as long.
static double cost(const gpuprim *gp, const struct gp_variant *variant, const void *call)
{
    const double MARGIN = 1.1;
    const struct convolve_shape *s = call;
    const struct transposed_piece whole = whole_of(s);
    const struct convolve_shape part = gp_transposed_shape(s, &whole);
    const struct gp_variant *by = gp_variant_pick(gp, &gp_primitive_convolve1d_part, &part);
    (void)variant;
    // gpu_tap_chunks takes every shape, so that it is one with a cost.
    return MARGIN * (by->cost(gp, by, &part) + transposing(gp, s));
}

static const struct convolve_ops ops = {
    .why = "rows become columns, or columns rows, and outputs take least where they lie as "
           "inputs do",
};

const struct gp_variant gp_convolve_gpu_transposed = {
    .name = "gpu_transposed",
    .fits = fits,
    .cost = cost,
    .ops = &ops,
};
