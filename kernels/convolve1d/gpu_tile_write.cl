// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs, gpu_tile: how the sums of a group get from local memory to the outputs.
//
//     write_flat   contiguous outputs, perhaps backwards: by vectors, what is left at both ends by elements
//     write_lines  narrow ones of long rows that lie apart: in the same way, row by row
//     write_any    others: by elements, along a row or across rows and channels, whichever lie
//                  closer together in memory
//
// Neighbouring items write neighbours.
//
// Macros   those of gpu_tile.cl

#if LINES
// The sums of a row, or of a channel, from the lowest in memory on. They lie so late that vectors of
// outputs are aligned there, too. The pitch is odd in vectors, so that rows lie in different banks.
#define LINE_PITCH ((t->out_near | 1) * VEC_N)

// The lowest in memory of the outputs of a group's first row.
static global OUT_T *lowest_of_line(global OUT_T *out, const struct arguments *g,
                                    const struct tile_arguments *t, const struct place *s)
{
    return out + (g->out_first + (long)s->row * g->out_row_stride +
                  (long)((ulong)s->part * t->part_positions) * g->out_stride -
                  (TURNED ? divide(s->outputs, t->by_channels) - 1 : 0));
}

// How late the sums of a row lie. `low` is that of the first row, as a number of outputs.
static uint lead_of(const struct arguments *g, uint low, uint line)
{
    return (low + line * (uint)g->out_row_stride) % VEC_N;
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
    return row * LINE_PITCH + lead_of(g, low, row) + (TURNED ? length - 1 - at : at);
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
// Writes the rows of a group by vectors, and by elements what is left at both ends.
static void write_lines(global OUT_T *out, const struct arguments *g,
                        const struct tile_arguments *t, const struct place *s,
                        local const SUM_T *sums, uint item)
{
    const uint lines = ROWS ? s->rows : t->channels;
    const int length = (int)divide(s->outputs, t->by_channels);
    global OUT_T *lowest = lowest_of_line(out, g, t, s);
    const uint low = (uint)((size_t)lowest / OUT_BYTES);
    #pragma unroll 1
    for (uint i = item; i < t->out_near * lines; i += WG) {
        const uint line = divide(i, t->by_out_near), at = (i - line * t->out_near) * VEC_N;
        const int first = (int)(at - lead_of(g, low, line)); // output of the row
        global OUT_T *to = lowest + ((long)line * g->out_row_stride + first);
        const uint place = line * LINE_PITCH + at;
        if (first >= 0 && first + VEC_N <= length)
            *(global out_vec *)to = packed(sums, place / VEC_N, g->shift);
        else
            #pragma unroll
            for (int u = 0; u < VEC_N; u++)
                if (first + u >= 0 && first + u < length)
                    STORE(to, u, sums[place + u], g->shift);
    }
}
#endif

// Neighbouring items write what lies closest together in memory: positions of a row, or rows.
static void write_any(global OUT_T *out, const struct arguments *g,
                      const struct tile_arguments *t, const struct place *s,
                      local const SUM_T *sums, uint item)
{
    const uint rows = ROWS ? s->rows : t->channels;
    const uint positions = divide(s->outputs, t->by_channels);
    #pragma unroll 1
    for (uint i = item; i < t->out_near * t->out_far; i += WG) {
        const uint far = divide(i, t->by_out_near), near = i - far * t->out_near;
        const uint row = t->out_rows_near ? near : far, at = t->out_rows_near ? far : near;
        if (row < rows && at < positions)
            STORE(out,
                  g->out_first + (long)(s->row + row) * g->out_row_stride +
                      (long)((ulong)s->part * t->part_positions + at) * g->out_stride,
                  sums[ROWS ? row * s->outputs + at : at * t->channels + row], g->shift);
    }
}
