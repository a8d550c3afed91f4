// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs, gpu_tile: how several short rows get into local memory.
//
//     x      | row 0         | row 1         | row 2 ...
//     tile   | halo | row 0  | halo | . | halo | row 1 | halo | . |      . unused, of pitch
//
// Where the rows lie one behind the other, all items load them as vectors, whatever row these
// hold. Else the items that compute a row load it. They also load what lies beyond the row's
// ends, first, because that takes longest.
//
// Macros   those of gpu_tile.cl

#if ROWS
// Elements of a row of the tile that one item loads: each `items`-th from its first one on. The
// next one is input min(m, last - m) of p, and m goes on by `step`, modulo `period`.
struct run {
    global const ELEM *p;
    long stride;
    int m, step, period, last;
    int count;        // of elements of all items
    bool is_constant; // all are `value`
    OPERAND value;
};

// Elements from position j on. Inside, and beyond the ends where nothing is repeated, m just
// goes on.
static struct run straight_run(global const ELEM *p, long stride, long j, int items, int count)
{
    struct run r = { p, stride, (int)j, items, INT_MAX, INT_MAX, count, false, 0 };
    return r;
}

// Elements beyond an end, from position j on.
static struct run outer_run(global const ELEM *row, const struct arguments *g, uint mode,
                            global const ELEM *history, int j, int items, int count)
{
    const int n = (int)g->n;
    struct run r = straight_run(row, g->stride, j < 0 ? 0 : n - 1, 0, count);
    if (mode == BOUNDARY_CONSTANT) {
        r.is_constant = true;
        r.value = constant_of(j < 0 ? g->constant_left : g->constant_right);
    } else if (mode == BOUNDARY_HISTORY) {
        r = straight_run(history, g->before_stride, j + (long)g->halo, items, count);
    } else if (mode != BOUNDARY_EDGE) {
        r.period = mode == BOUNDARY_WRAP           ? n
                   : mode == BOUNDARY_REFLECT_HALF ? 2 * n
                                                   : max(2 * n - 2, 1);
        r.last = mode == BOUNDARY_WRAP ? INT_MAX : mode == BOUNDARY_REFLECT_HALF ? 2 * n - 1
                                                                                 : 2 * n - 2;
        r.m = j + (j < 0 ? r.period : 0);
        r.m -= r.m >= r.period ? r.period : 0;
        if ((uint)r.m >= (uint)r.period) { // only rows shorter than what the filter needs
            r.m %= r.period;
            r.m += r.m < 0 ? r.period : 0;
        }
        r.step = items < r.period ? items : items % r.period;
    }
    return r;
}

// The next ROWS_AHEAD elements of an item, from its element `from` on: from memory, and to the
// tile, where the run's first element is e.
#define LOAD_RUN(v, run, from, items)                                                   \
    _Pragma("unroll") for (int u = 0; u < ROWS_AHEAD; u++)                              \
        if ((from) + u * (items) < (run).count) {                                       \
            (v)[u] = (run).is_constant                                                  \
                         ? (run).value                                                  \
                         : (OPERAND)LOAD((run).p, min((run).m, (run).last - (run).m) *  \
                                                      (run).stride);                    \
            (run).m += (run).step;                                                      \
            (run).m -= (run).m >= (run).period ? (run).period : 0;                      \
        }
#define STORE_RUN(v, run, from, items, e)                                               \
    _Pragma("unroll") for (int u = 0; u < ROWS_AHEAD; u++)                              \
        if ((from) + u * (items) < (run).count)                                         \
            own[place_of(t, (e) + (from) + u * (items), 0)] = (v)[u];
#define FINISH_RUN(v, run, number, items, e)                                            \
    _Pragma("unroll 1") for (int i = (number); i < (run).count;)                        \
    {                                                                                   \
        STORE_RUN(v, run, i, items, e)                                                  \
        i += ROWS_AHEAD * (items);                                                      \
        LOAD_RUN(v, run, i, items)                                                      \
    }

// The inputs of all rows, which lie one behind the other from p on, by vectors. Without steps,
// all inputs of a row must have a place in the tile.
static void fill_inside(local OPERAND *tile, global const ELEM *p, int n, int origin,
                        const struct tile_arguments *t, const struct place *s, uint item)
{
    const int all = (int)s->rows * n, shift = (int)((uint)(size_t)p / BYTES % VEC_N);
    const int low = shift ? 1 : 0, high = (all + shift) / VEC_N;
    global const in_vec *from = (global const in_vec *)(p - shift);
    int at; // of row `row`, or of the next one: the input that is element b of a vector
    uint row;
#if STEP == 1
#define PUT_ROW(b, value) \
    tile[row * t->pitch + at - origin + (b) + (at + (b) < n ? 0 : t->pitch - n)] = value;
#else
#define PUT_ROW(b, value)                                               \
    {                                                                   \
        const uint wraps = at + (b) >= n;                               \
        const int e = at + (b) - (wraps ? n : 0) - origin;              \
        if ((uint)e < s->elements)                                      \
            tile[(row + wraps) * t->pitch + place_of(t, e, 0)] = value; \
    }
#endif
#if TYPE == C32 // perhaps no vector is aligned
    if ((size_t)p % BYTES) {
        for (int i = item; i < all; i += WG) {
            row = divide(i, t->by_row);
            at = i - row * n;
            PUT_ROW(0, (OPERAND)LOAD(p, i))
        }
        return;
    }
#endif
    at = (low + item) * VEC_N - shift;
    row = divide(at, t->by_row);
    at -= row * n;
    // Vectors do not hold parts of two rows, and are aligned in the tile, too.
    const bool is_even = STEP == 1 && (n | (int)t->pitch | shift) % VEC_N == 0;
    #pragma unroll 1
    for (int i = low + item; i < high; i += ROWS_AHEAD * WG) {
        in_vec v[ROWS_AHEAD];
        #pragma unroll
        for (int u = 0; u < ROWS_AHEAD; u++)
            if (i + u * WG < high)
                v[u] = load_vec(from, i + u * WG);
        #pragma unroll
        for (int u = 0; u < ROWS_AHEAD; u++) {
            if (i + u * WG < high) {
                const vec16 w = unpack(v[u]);
                if (is_even)
                    *(local vec16 *)(tile + (row * t->pitch + at - origin)) = w;
                else {
                    #pragma unroll
                    for (int b = 0; b < VEC_N; b++)
                        PUT_ROW(b, ELEMENT(w, b))
                }
            }
            at += t->turn_rest;
            row += t->turn_rows;
            if (at >= n) {
                at -= n;
                row++;
            }
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

// `line` is the row whose outputs the item computes, `number` its number among the row's items.
static void fill_rows(local OPERAND *tile, global const ELEM *x, global const ELEM *before,
                      const struct arguments *g, const struct tile_arguments *t,
                      const struct place *s, uint line, uint number, uint item)
{
    const int n = (int)g->n, origin = (int)s->p0, elements = (int)s->elements;
    const int items = (int)t->items;
    global const ELEM *p = x + (g->first + (long)s->row * g->row_stride);
    global const ELEM *own_row = p + line * g->row_stride;
    local OPERAND *own = tile + line * t->pitch;
    // Elements head ... tail - 1 of each row are inside.
    const int head = min(max(0, -origin), elements);
    const int tail = max(head, min(n - origin, elements));
    const bool has_row = line < s->rows;
    struct run left = outer_run(
        own_row, g, g->left,
        before + (g->before_first + (long)(s->row + line) * g->before_row_stride),
        origin + (int)number, items, has_row ? head : 0);
    struct run right = outer_run(own_row, g, g->right, before, origin + tail + (int)number,
                                 items, has_row ? elements - tail : 0);
    OPERAND to_left[ROWS_AHEAD], to_right[ROWS_AHEAD];
    LOAD_RUN(to_left, left, (int)number, items)
    LOAD_RUN(to_right, right, (int)number, items)
#if BY_VECTORS
    fill_inside(tile, p, n, origin, t, s, item);
#else
    struct run inside = straight_run(own_row, g->stride, origin + head + (int)number, items,
                                     has_row ? tail - head : 0);
    OPERAND to_inside[ROWS_AHEAD];
    LOAD_RUN(to_inside, inside, (int)number, items)
    FINISH_RUN(to_inside, inside, (int)number, items, head)
#endif
    FINISH_RUN(to_left, left, (int)number, items, 0)
    FINISH_RUN(to_right, right, (int)number, items, tail)
}
#endif
