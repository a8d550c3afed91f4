// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs, gpu_tile: inputs that get into local memory by elements, because they lie
// apart, or in another order than in the tile.
//
//     fill_run    an item's inputs that lie equally far apart
//     fill_any    everything, boundaries included, but for lines that come by vectors
//                 (gpu_tile_lines.cl): along a row or across channels, whichever lie
//                 closer together in memory
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

// Inputs from p on, each `step` elements behind the one before: elements e, e + e_step ... of a
// row, below `end`.
static void fill_run(local OPERAND *tile, const struct tile_arguments *t, global const ELEM *p,
                     long step, int e, int e_step, int end)
{
    #pragma unroll 1
    while (e < end) {
        raw_elem v[ANY_AHEAD];
        #pragma unroll
        for (int u = 0; u < ANY_AHEAD; u++, p += step)
            if (e + u * e_step < end)
                v[u] = LOAD_RAW(p);
        #pragma unroll
        for (int u = 0; u < ANY_AHEAD; u++, e += e_step)
            if (e < end)
                tile[place_of(t, e, 0)] = VALUE(v[u]);
    }
}

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

#if ROWS
// An item takes the same position of several rows.
static void fill_any(local OPERAND *tile, global const ELEM *x, global const ELEM *before,
                     const struct arguments *g, const struct tile_arguments *t,
                     const struct place *s, uint item)
{
    const int inputs = (int)s->elements, rows = (int)s->rows;
    const struct share own = share_of(&t->in, item);
    if (!own.works)
        return;
    #pragma unroll 1
    for (int j = own.number; j < inputs; j += own.team) {
        const struct one_input one = find_input(t, 1, (uint)inputs, (uint)j);
        const long p = s->p0 + one.at, step = own.lines * g->row_stride;
        if ((ulong)p >= g->n) {
            #pragma unroll 1
            for (int line = own.line; line < rows; line += own.lines)
                tile[one.place + line * t->pitch] =
                    beyond(x, before, g, t, s->row + (uint)line, p);
            continue;
        }
        global const ELEM *from =
            x + (g->first + (long)(s->row + own.line) * g->row_stride + p * g->stride);
        #pragma unroll 1
        for (int line = own.line; line < rows; line += ANY_AHEAD * own.lines) {
            raw_elem v[ANY_AHEAD];
            local OPERAND *to = tile + (one.place + line * t->pitch);
            #pragma unroll
            for (int u = 0; u < ANY_AHEAD; u++, from += step)
                if (line + u * own.lines < rows)
                    v[u] = LOAD_RAW(from);
            #pragma unroll
            for (int u = 0; u < ANY_AHEAD; u++, to += own.lines * t->pitch)
                if (line + u * own.lines < rows)
                    *to = VALUE(v[u]);
        }
    }
}
#else
#if !GAPS
// Positions low ... high - 1 of all channels.
static void fill_channels(local OPERAND *tile, global const ELEM *first,
                          const struct arguments *g, const struct tile_arguments *t, int low,
                          int high, uint item)
{
    const struct share own = share_of(&t->in, item);
    const int channels = (int)t->channels, turned = t->in_rows_near;
    const int position = low + (turned ? own.line : own.number);
    const int step = turned ? own.lines : own.team;
    if (!own.works)
        return;
    #pragma unroll 1
    for (int channel = turned ? own.number : own.line; channel < channels;
         channel += turned ? own.team : own.lines)
        fill_run(tile, t, first + (channel * g->row_stride + position * g->stride),
                 step * g->stride, position * channels + channel, step * channels,
                 high * channels);
}
#endif

static void fill_any(local OPERAND *tile, global const ELEM *x, global const ELEM *before,
                     const struct arguments *g, const struct tile_arguments *t,
                     const struct place *s, uint item)
{
    const uint rows = t->channels, all = t->in_near * t->in_far;
    const uint inputs = divide(s->elements, t->by_channels);
    // Positions head ... tail - 1 are inside. `first` is element 0 of the tile.
    const long head = max(0L, -s->p0), tail = (long)g->n - s->p0;
    global const ELEM *first =
        x + (g->first + (long)s->row * g->row_stride + s->p0 * g->stride);
#if !GAPS
    const int low = (int)min(head, (long)inputs), high = (int)clamp(tail, (long)low, (long)inputs);
#if LINE_VECTORS
    // The lines of the row's first and last position come by elements.
    const int begin = min(high, max(low, (int)clamp(1 - s->p0, 0L, (long)inputs))),
              end = max(begin, min(high, (int)min(tail - 1, (long)inputs)));
    fill_lines(tile, first, g, t, begin, end, item);
    fill_channels(tile, first, g, t, low, begin, item);
    fill_channels(tile, first, g, t, end, high, item);
#else
    fill_channels(tile, first, g, t, low, high, item);
#endif
#else
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
#endif
    if (head == 0 && find_input(t, rows, inputs, all - 1).at < tail)
        return;
    #pragma unroll 1
    for (uint i = item; i < all; i += WG) {
        const struct one_input one = find_input(t, rows, inputs, i);
        if (one.is_one && (one.at < head || one.at >= tail))
            tile[one.place] = beyond(x, before, g, t, s->row + one.row, s->p0 + one.at);
    }
}
#endif
