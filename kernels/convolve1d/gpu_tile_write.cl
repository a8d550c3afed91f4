// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs, gpu_tile: how the sums of a group get from local memory to the outputs.
//
//     write_flat   contiguous outputs, perhaps backwards: by vectors, and by elements what is
//                  left at both ends
//     write_lines  rows that lie apart: in the same way, each by vectors of its own; short
//                  rows, and wide outputs, by elements
//     write_any    others: by elements, along a row or across rows and channels, whichever lie
//                  closer together in memory
//
// Neighbouring items write neighbours.
//
// Macros   those of gpu_tile.cl

#if LINES
// The sums of a row, or of a channel, from the lowest in memory on. The pitch is odd, so that rows
// lie in different banks. Narrow ones lie so late that vectors of outputs are aligned there, too.
#define BY_PACKS   (OUT_BYTES < 4)
#define LINE_PITCH ((t->out_near | 1) * (BY_PACKS ? VEC_N : 1))

// The lowest in memory of the outputs of a group's first row.
static global OUT_T *lowest_of_line(global OUT_T *out, const struct arguments *g,
                                    const struct tile_arguments *t, const struct place *s)
{
    return out + (g->out_first + (long)s->row * g->out_row_stride +
                  (long)((ulong)s->part * t->part_positions) * g->out_stride -
                  (TURNED ? divide(s->outputs, t->by_channels) - 1 : 0));
}

// How late the sums of a row lie. `low` is that of the first row, as a number of outputs.
static uint lead_of(const struct arguments *g, const struct tile_arguments *t, uint low,
                    uint line)
{
    return BY_PACKS && !t->out_by_elements ? (low + line * (uint)g->out_row_stride) % VEC_N : 0;
}
#endif

// The sums of a group that has contiguous outputs lie in local memory as its outputs do, also where
// rows, or their elements, lie backwards. Others lie row by row, or position by position.
static uint place_of_sum(global OUT_T *out, const struct arguments *g,
                         const struct tile_arguments *t, const struct place *s, uint line, uint own)
{
#if LINES
    const uint at = divide(own, t->by_channels), length = divide(s->outputs, t->by_channels);
    const uint row = ROWS ? line : own - at * t->channels;
    const uint low = (uint)((size_t)lowest_of_line(out, g, t, s) / OUT_BYTES);
    return row * LINE_PITCH + lead_of(g, t, low, row) + (TURNED ? length - 1 - at : at);
#else
#if MIRRORED && ROWS
    line = s->rows - 1 - line;
#elif MIRRORED
    own += t->channels - 1 - 2 * (own - divide(own, t->by_channels) * t->channels);
#endif
    return line * s->outputs + (TURNED ? s->outputs - 1 - own : own);
#endif
}

// The lowest in memory of a group's outputs, if these are contiguous.
static global OUT_T *lowest(global OUT_T *out, const struct arguments *g,
                            const struct tile_arguments *t, const struct place *s)
{
#if TURNED || MIRRORED
    const long rows = ROWS ? s->rows : t->channels;
    const long positions = divide(s->outputs, t->by_channels);
    return out + (g->out_first + (long)s->row * g->out_row_stride +
                  (long)((ulong)s->part * t->part_positions) * g->out_stride +
                  min(0L, (rows - 1) * g->out_row_stride) +
                  min(0L, (positions - 1) * g->out_stride));
#else
    return out + (g->out_first + (long)s->row * g->out_row_stride +
                  (long)((ulong)s->part * t->outputs));
#endif
}

// Sums that take as many bytes as operands are read as vec16.
#define LONG_SUMS (WIDE_SUMS || (WHOLE_SUMS && !SUM32))
#define TWO_SUMS  JOIN_NAMES(SUM_T, 2)

// VEC_N neighbouring sums from local memory as a vector of results. PoCL 3.1 makes 0 of integer
// sums where this is a call.
__attribute__((always_inline))
static inline out_vec packed(local const SUM_T *sums, uint i, uint shift)
{
    SUM_T s[VEC_N];
#if LONG_SUMS
    const TWO_SUMS a = ((local const TWO_SUMS *)sums)[2 * i];
    const TWO_SUMS b = ((local const TWO_SUMS *)sums)[2 * i + 1];
    s[0] = a.x;
    s[1] = a.y;
    s[2] = b.x;
    s[3] = b.y;
#else
    const vec16 v = ((local const vec16 *)sums)[i];
    #pragma unroll
    for (int u = 0; u < VEC_N; u++)
        s[u] = ELEMENT(v, u);
#endif
    return pack(s, shift);
}

// Writes the sums of `count` contiguous outputs to `to` on. sums[skew] is the first one.
static void write_flat(global OUT_T *to, local const SUM_T *sums, uint skew, uint count,
                       uint shift, uint item)
{
    global OUT_T *p = to - skew;
#if COUNTED
    if (skew == 0 && count == FULL_LINES * LANES) {
        #pragma unroll
        for (uint i = 0; i < FULL_LINES * LANES / VEC_N; i += WG)
            if (i + WG <= FULL_LINES * LANES / VEC_N || i + item < FULL_LINES * LANES / VEC_N)
                ((global out_vec *)p)[i + item] = packed(sums, i + item, shift);
        for (uint i = FULL_LINES * LANES / VEC_N * VEC_N + item; i < count; i += WG)
            STORE(p, i, sums[i], shift);
        return;
    }
#endif
    // Vectors low ... high - 1 are full.
    const uint low = skew ? 1 : 0, high = (skew + count) / VEC_N;
#if PTX
    #pragma unroll 4
#endif
    for (uint i = low + item; i < high; i += WG)
        ((global out_vec *)p)[i] = packed(sums, i, shift);
    for (uint k = item; k < 2 * VEC_N; k += WG) {
        const uint e = k < VEC_N ? k : max(high, low) * VEC_N + k - VEC_N;
        if (e >= skew && e < (k < VEC_N ? min(low * VEC_N, skew + count) : skew + count))
            STORE(p, e, sums[e], shift);
    }
}

#if LINES
// Rows that lie apart, `length` outputs of each: items take what all rows have in turn.
static void write_lines(global OUT_T *out, const struct arguments *g,
                        const struct tile_arguments *t, const struct place *s,
                        local const SUM_T *sums, uint item)
{
    const uint lines = ROWS ? s->rows : t->channels, units = t->out_units;
    const uint length = divide(s->outputs, t->by_channels);
    global OUT_T *lowest = lowest_of_line(out, g, t, s);
#if BY_PACKS
    if (!t->out_by_elements) {
#if PTX
        #pragma unroll 4
#endif
        for (uint u = item; u < lines * units; u += WG) {
            const uint line = divide(u, t->by_out_units), i = u - line * units;
            global OUT_T *to = lowest + (long)line * g->out_row_stride;
            const uint skew = (uint)(size_t)to / OUT_BYTES % VEC_N;
            if ((i > 0 || skew == 0) && (i + 1) * VEC_N <= skew + length) // a full one
                ((global out_vec *)(to - skew))[i] =
                    packed(sums + line * LINE_PITCH, i, g->shift);
        }
        // What is left at both ends: fewer than two vectors.
        for (uint u = item; u < lines * (2 * VEC_N); u += WG) {
            const uint line = u / (2 * VEC_N), k = u % (2 * VEC_N);
            global OUT_T *to = lowest + (long)line * g->out_row_stride;
            const uint skew = (uint)(size_t)to / OUT_BYTES % VEC_N, end = skew + length;
            const uint low = skew ? VEC_N : 0, high = max(end / VEC_N * VEC_N, low);
            const uint e = k < VEC_N ? k : high + k - VEC_N;
            if (e >= skew && e < (k < VEC_N ? min(low, end) : end))
                STORE(to - skew, e, sums[line * LINE_PITCH + e], g->shift);
        }
        return;
    }
#endif
#if PTX
    #pragma unroll 4
#endif
    for (uint u = item; u < lines * units; u += WG) {
        const uint line = divide(u, t->by_out_units), at = u - line * units;
        if (at < length)
            STORE(lowest + (long)line * g->out_row_stride, at, sums[line * LINE_PITCH + at],
                  g->shift);
    }
}
#endif

// Neighbouring items write what lies closest together in memory: positions of a row, or channels.
// An item goes along that direction in which it has more of them.
static void write_any(global OUT_T *out, const struct arguments *g,
                      const struct tile_arguments *t, const struct place *s,
                      local const SUM_T *sums, uint item)
{
    const int positions = (int)divide(s->outputs, t->by_channels);
    const int rows = ROWS ? (int)s->rows : (int)t->channels;
    const struct share own = share_of(&t->out, item);
    const bool turned = !ROWS && t->out_rows_near;
    const int row = turned ? own.number : own.line, at = turned ? own.line : own.number;
    const int row_step = turned ? own.team : own.lines, step = turned ? own.lines : own.team;
    const bool along_rows = rows * step > positions * row_step;
    const int sum_row = ROWS ? (int)s->outputs : 1, sum_step = ROWS ? 1 : rows;
    // The inner loop, from `begin` on, and the outer one.
    const int begin = along_rows ? row : at, end = along_rows ? rows : positions;
    const int by = along_rows ? row_step : step, outer_by = along_rows ? step : row_step;
    const int inner = along_rows ? sum_row : sum_step, outer = along_rows ? sum_step : sum_row;
    const long to_inner = along_rows ? g->out_row_stride : g->out_stride;
    const long to_outer = along_rows ? g->out_stride : g->out_row_stride;
    global OUT_T *first = out + (g->out_first + (long)s->row * g->out_row_stride +
                                 (long)((ulong)s->part * t->part_positions) * g->out_stride);
    if (!own.works)
        return;
    #pragma unroll 1
    for (int k = along_rows ? at : row; k < (along_rows ? positions : rows); k += outer_by) {
        global OUT_T *to = first + (k * to_outer + begin * to_inner);
#if PTX
        #pragma unroll 4
#endif
        for (int i = begin; i < end; i += by) {
            STORE(to, 0, sums[k * outer + i * inner], g->shift);
            to += by * to_inner;
        }
    }
}
