// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs, gpu_tile: how several short rows get into local memory.
//
//     x      | row 0         | row 1         | row 2 ...
//     tile   | halo | row 0  | halo | . | halo | row 1 | halo | . |      . unused, of pitch
//
// Where the rows lie one behind the other, or not far apart, all items load them as vectors,
// whatever row these hold. Rows that lie farther apart have vectors of their own, which all
// items share (gpu_tile_apart.cl). Elements apart come by teams of neighbouring items, which
// take the rows in turn. Then gpu_tile_ends.cl fills in what lies beyond the rows' ends.
//
// Macros   those of gpu_tile.cl

#if ROWS
#if BY_VECTORS && !PADDED
// All rows and their gaps as one row, where gaps have room for what lies beyond the ends.
// `is_within`: loads at both ends may hold what lies beside it.
static void fill_span(local OPERAND *to, global const ELEM *p, int count, bool is_within,
                      uint item)
{
    const int skew = (int)((uint)(size_t)p / BYTES % LENGTH);
    global const uint4 *from = (global const uint4 *)(p - skew);
    const int low = skew && !is_within ? 1 : 0;
    const int high = (skew + count + (is_within ? LENGTH - 1 : 0)) / LENGTH;
    local OPERAND *vectors = to - skew;
    #pragma unroll 1
    for (int i = low + (int)item; i < high; i += ROWS_AHEAD * WG) {
        uint4 v[ROWS_AHEAD];
        #pragma unroll
        for (int u = 0; u < ROWS_AHEAD; u++)
            if (i + u * WG < high)
                v[u] = load_16(from + (i + u * WG));
        #pragma unroll
        for (int u = 0; u < ROWS_AHEAD; u++)
            if (i + u * WG < high)
                #pragma unroll
                for (int k = 0; k < VECTORS; k++)
                    *(local vec16 *)(vectors + ((i + u * WG) * VECTORS + k) * VEC_N) =
                        unpack(PART(v[u], k));
    }
    if (is_within)
        return;
    // What the full loads leave out at both ends: fewer elements than two loads have.
    const int left_out = min(low * (LENGTH - skew), count);
    const int end = max(high * LENGTH - skew, left_out);
    for (int k = (int)item; k < left_out + count - end; k += WG) {
        const int i = k < left_out ? k : k - left_out + end;
        to[i] = (OPERAND)LOAD(p, i);
    }
}

// Whether all of a row has its place in the tile, but perhaps for the next outputs' inputs.
static bool holds_rows(const struct arguments *g, const struct place *s)
{
    return g->origin <= 0 && (long)g->n - g->origin < (long)s->elements + STEP;
}

// All rows by vectors, and what lies between them. A row has `inputs`, and begins n elements
// behind the row before. p is the first input, whose place is `tile`. The pitch of the tile is
// that of x modulo VEC_N.
static void fill_whole(local OPERAND *tile, global const ELEM *p, int n, int inputs,
                       const struct tile_arguments *t, const struct place *s, uint item)
{
    const int all = ((int)s->rows - 1) * n + inputs;
    const int shift = (int)((uint)(size_t)p / BYTES % VEC_N);
    const int low = shift ? 1 : 0, high = (all + shift) / VEC_N;
    global const in_vec *from = (global const in_vec *)(p - shift);
    const uint gap = t->pitch - n, turn = t->turn_rows * t->pitch + t->turn_rest;
    int at = (low + item) * VEC_N - shift; // the input of row `row` that is element 0 of a vector
    const uint row = divide(at, t->by_row);
    at -= row * n;
    // Its place; rows are no longer counted.
    local OPERAND *to = tile + (row * t->pitch + at);
    #pragma unroll 1
    for (int i = low + item; i < high; i += WHOLE_AHEAD * WG) {
        in_vec v[WHOLE_AHEAD];
        #pragma unroll
        for (int u = 0; u < WHOLE_AHEAD; u++)
            if (i + u * WG < high)
                v[u] = load_vec(from, i + u * WG);
        #pragma unroll
        for (int u = 0; u < WHOLE_AHEAD; u++) {
            if (i + u * WG < high) {
                const vec16 w = unpack(v[u]);
                // It is aligned in each row of which it holds elements. Those of the other row lie
                // where nothing is yet.
                *(local vec16 *)to = w;
                if (at + VEC_N > n)
                    *(local vec16 *)(to + gap) = w;
            }
            at += t->turn_rest;
            to += turn + (at >= n ? gap : 0);
            at -= at >= n ? n : 0;
        }
    }
    // What the vectors leave out at both ends: fewer elements than two vectors have.
    const int left_out = low * VEC_N - (low ? shift : 0), end = high * VEC_N - shift;
    for (uint k = item; k < 2 * VEC_N; k += WG) {
        const int i = k < VEC_N ? (int)k : max(end, left_out) + (int)k - VEC_N;
        if (i < (k < VEC_N ? min(left_out, all) : all))
            tile[i + divide(i, t->by_row) * gap] = (OPERAND)LOAD(p, i);
    }
}
#endif

#if STEP > 1
// The same by elements: outputs need a part of the rows only, or rows are padded.
static void fill_parts(local OPERAND *tile, global const ELEM *p, int n, int inputs, int origin,
                       const struct tile_arguments *t, const struct place *s, uint item)
{
    const int all = ((int)s->rows - 1) * n + inputs;
    const int shift = (int)((uint)(size_t)p / BYTES % VEC_N);
    const int low = shift ? 1 : 0, high = (all + shift) / VEC_N;
    global const in_vec *from = (global const in_vec *)(p - shift);
    int at; // of row `row`, or of the next one: the input that is element b of a vector
    uint row;
#define PUT_ROW(b, value)                                               \
    {                                                                   \
        const uint wraps = at + (b) >= n;                               \
        const int e = at + (b) - (wraps ? n : 0) - origin;              \
        if ((uint)e < s->elements)                                      \
            tile[(row + wraps) * t->pitch + place_of(t, e, 0)] = value; \
    }
    at = (low + item) * VEC_N - shift;
    row = divide(at, t->by_row);
    at -= row * n;
    #pragma unroll 1
    for (int i = low + item; i < high; i += WHOLE_AHEAD * WG) {
        in_vec v[WHOLE_AHEAD];
        #pragma unroll
        for (int u = 0; u < WHOLE_AHEAD; u++)
            if (i + u * WG < high)
                v[u] = load_vec(from, i + u * WG);
        #pragma unroll
        for (int u = 0; u < WHOLE_AHEAD; u++) {
            if (i + u * WG < high) {
                const vec16 w = unpack(v[u]);
                #pragma unroll
                for (int b = 0; b < VEC_N; b++)
                    PUT_ROW(b, ELEMENT(w, b))
            }
            at += t->turn_rest;
            row += t->turn_rows + (at >= n);
            at -= at >= n ? n : 0;
        }
    }
    // What the vectors leave out at both ends: fewer elements than two vectors have.
    const int left_out = low * VEC_N - (low ? shift : 0), end = high * VEC_N - shift;
    for (uint k = item; k < 2 * VEC_N; k += WG) {
        const int i = k < VEC_N ? (int)k : max(end, left_out) + (int)k - VEC_N;
        if (i < (k < VEC_N ? min(left_out, all) : all)) {
            row = divide(i, t->by_row);
            at = i - row * n;
            PUT_ROW(0, (OPERAND)LOAD(p, i))
        }
    }
}
#endif

// Elements head ... tail - 1 of each row of the tile are inside.
static int head_of(const struct place *s)
{
    return min(max(0, -(int)s->p0), (int)s->elements);
}

static int tail_of(const struct arguments *g, const struct place *s)
{
    return max(head_of(s), min((int)g->n - (int)s->p0, (int)s->elements));
}

// What is inside.
static void fill_rows(local OPERAND *tile, global const ELEM *x, const struct arguments *g,
                      const struct tile_arguments *t, const struct place *s, uint item)
{
    global const ELEM *p = x + (g->first + (long)s->row * g->row_stride);
#if BY_VECTORS
    const int pitch = (int)g->row_stride, n = (int)g->n;
#if !PADDED
    if (holds_rows(g, s)) {
        // Whether there are rows in front of the group's and behind them.
        const bool is_within = s->row > 0 && s->row + s->rows < g->rows && pitch >= LENGTH;
        if (t->pitch == (uint)pitch)
            fill_span(tile - s->p0, p, ((int)s->rows - 1) * pitch + n, is_within, item);
        else
            fill_whole(tile - s->p0, p, pitch, n, t, s, item);
        return;
    }
#endif
#if STEP > 1
    fill_parts(tile, p, pitch, n, (int)s->p0, t, s, item);
#endif
#else
    const int head = head_of(s), count = tail_of(g, s) - head;
#if ROW_VECTORS
    if (g->stride == 1 || g->stride == -1) {
        fill_apart(tile, x, g, t, s, head, count, item);
        return;
    }
#endif
    const struct tile_rows rows = rows_of(tile, x, g, t, s);
    const struct team own = team_of(t, s->rows, item);
    p += (s->p0 + head) * g->stride;
    #pragma unroll 1
    for (uint line = own.line; line < s->rows; line += t->teams)
        fill_run(row_of(&rows, line), t,
                 p + ((long)line * g->row_stride + (int)own.number * g->stride),
                 (int)t->team * g->stride, head + (int)own.number, (int)t->team,
                 head + count);
#endif
}
#endif
