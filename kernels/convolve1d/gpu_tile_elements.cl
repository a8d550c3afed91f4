// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs, gpu_tile: inputs that get into local memory by elements, because they lie
// apart, or in another order than in the tile.
//
//     fill_line   a part of a row, by a team of items
//     fill_any    everything, boundaries included: along a row or across rows and channels,
//                 whichever lie closer together in memory
//
// Macros   those of gpu_tile.cl

// An element as it lies in memory: loads wait for nothing but conversions.
#if TYPE == F16
typedef ushort raw_elem;
#define LOAD_RAW(p) (*(global const ushort *)(p))
#define VALUE(r)    (halves(r).x)
#elif TYPE == C32
typedef float2 raw_elem;
#define LOAD_RAW(p) LOAD(p, 0)
#define VALUE(r)    (r)
#else
typedef ELEM raw_elem;
#define LOAD_RAW(p) (*(p))
#define VALUE(r)    ((OPERAND)(r))
#endif

#if ROWS && !BY_VECTORS
// Inputs of a row, `count` of them, by elements. The items of a team share them. p is the first
// one, element e of the tile.
static void fill_line(local OPERAND *tile, global const ELEM *p, long stride,
                      const struct tile_arguments *t, int number, int e, int count)
{
    const int team = (int)t->team;
    p += number * stride;
    stride *= team;
    #pragma unroll 1
    for (int i = number; i < count; i += INSIDE_AHEAD * team) {
        raw_elem v[INSIDE_AHEAD];
        #pragma unroll
        for (int u = 0; u < INSIDE_AHEAD; u++) {
            if (i + u * team < count)
                v[u] = LOAD_RAW(p);
            p += stride;
        }
        #pragma unroll
        for (int u = 0; u < INSIDE_AHEAD; u++)
            if (i + u * team < count)
                tile[place_of(t, e + i + u * team, 0)] = VALUE(v[u]);
    }
}
#endif

// One of the inputs that the items of a group share: input j of a row or channel.
struct one_input {
    bool is_one; // there is an input of this number
    uint row;    // of the group's
    uint place;  // in the tile
    long at;     // in its row, counted from p0 on
};

static struct one_input find_input(const struct tile_arguments *t, uint rows, uint inputs,
                                   uint number)
{
    const uint far = divide(number, t->by_in_near), near = number - far * t->in_near;
    const uint j = t->in_rows_near ? far : near;
    struct one_input one;
    one.row = t->in_rows_near ? near : far;
    one.is_one = one.row < rows && j < inputs;
    one.place = place_of(t, ROWS ? j : j * t->channels + one.row, 0);
    one.at = j;
    if (ROWS)
        one.place += one.row * t->pitch;
#if GAPS
    const uint line = j / TAPS;
    one.at = (long)line * t->inputs + (long)(j - line * TAPS) * t->line_inputs;
    one.place += TAPS % 2 ? 0 : line * WIDTH;
#endif
    return one;
}

static void fill_any(local OPERAND *tile, global const ELEM *x, global const ELEM *before,
                     const struct arguments *g, const struct tile_arguments *t,
                     const struct place *s, uint item)
{
    const uint rows = ROWS ? s->rows : t->channels, all = t->in_near * t->in_far;
    const uint inputs = divide(s->elements, t->by_channels);
    // Positions head ... tail - 1 are inside. `first` is element 0 of the tile.
    const long head = max(0L, -s->p0), tail = (long)g->n - s->p0;
    global const ELEM *first =
        x + (g->first + (long)s->row * g->row_stride + s->p0 * g->stride);
    #pragma unroll 1
    for (uint i = item; i < all; i += ANY_AHEAD * WG) {
        raw_elem v[ANY_AHEAD];
        uint to[ANY_AHEAD];
        #pragma unroll
        for (int u = 0; u < ANY_AHEAD; u++) {
            const struct one_input one = find_input(t, rows, inputs, i + u * WG);
            const bool is_inside = one.is_one && one.at >= head && one.at < tail;
            to[u] = is_inside ? one.place : NOWHERE;
            if (is_inside)
                v[u] = LOAD_RAW(first + ((long)one.row * g->row_stride + one.at * g->stride));
        }
        #pragma unroll
        for (int u = 0; u < ANY_AHEAD; u++)
            if (to[u] != NOWHERE)
                tile[to[u]] = VALUE(v[u]);
    }
    if (head == 0 && find_input(t, rows, inputs, all - 1).at < tail)
        return;
    #pragma unroll 1
    for (uint i = item; i < all; i += WG) {
        const struct one_input one = find_input(t, rows, inputs, i);
        if (one.is_one && (one.at < head || one.at >= tail))
            tile[one.place] = beyond(x, before, g, t, s->row + one.row, s->p0 + one.at);
    }
}
