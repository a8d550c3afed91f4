// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs, gpu_tile: how several short rows get into local memory.
//
//     x      | row 0         | row 1         | row 2 ...
//     tile   | halo | row 0  | halo | . | halo | row 1 | halo | . |      . unused, of pitch
//
// Where the rows lie one behind the other, all items load them as vectors, whatever row these
// hold. Else the items that compute a row load it. Then they fill in what lies beyond the row's
// ends, from the tile itself.
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
    bool is_history;  // p is not of x
    bool is_constant; // all are `value`
    OPERAND value;
};

// Elements beyond an end, from position j on.
static struct run outer_run(global const ELEM *row, const struct arguments *g, uint mode,
                            global const ELEM *history, int j, int items, int count)
{
    const int n = (int)g->n;
    struct run r = { row, g->stride, j < 0 ? 0 : n - 1, 0, INT_MAX, INT_MAX, count,
                     false, false, 0 };
    if (mode == BOUNDARY_CONSTANT) {
        r.is_constant = true;
        r.value = constant_of(j < 0 ? g->constant_left : g->constant_right);
    } else if (mode == BOUNDARY_HISTORY) {
        r.p = history;
        r.stride = g->before_stride;
        r.m = j + (int)g->halo;
        r.step = items;
        r.is_history = true;
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

// Element m of a run. The inputs of a row are in its tile, unless no output needs them.
static OPERAND run_element(const struct run *r, const struct tile_arguments *t,
                           local const OPERAND *own, int origin, uint elements)
{
    const int m = min(r->m, r->last - r->m);
    if (r->is_constant)
        return r->value;
    if (!r->is_history && (uint)(m - origin) < elements)
        return own[place_of(t, m - origin, 0)];
    return (OPERAND)LOAD(r->p, m * r->stride);
}

// Elements of the tile beyond an end, of which the run's first one is element e.
static void fill_beyond(local OPERAND *own, struct run r, const struct tile_arguments *t,
                        int origin, uint elements, int number, int items, int e)
{
    #pragma unroll 1
    for (int i = number; i < r.count; i += ROWS_AHEAD * items) {
        OPERAND v[ROWS_AHEAD];
        #pragma unroll
        for (int u = 0; u < ROWS_AHEAD; u++)
            if (i + u * items < r.count) {
                v[u] = run_element(&r, t, own, origin, elements);
                r.m += r.step;
                r.m -= r.m >= r.period ? r.period : 0;
            }
        #pragma unroll
        for (int u = 0; u < ROWS_AHEAD; u++)
            if (i + u * items < r.count)
                own[place_of(t, e + i + u * items, 0)] = v[u];
    }
}

#if !BY_VECTORS
// Rows whose inputs are neighbours come by vectors.
#define ROW_VECTORS (!PADDED && BYTES <= 4)

// How far a row of the tile lies behind line * pitch, so that the vectors of its inputs, of which
// element 0 is at p, are aligned there, too.
static uint bump_of(global const ELEM *p, long stride, uint at)
{
    const uint low = (uint)(size_t)p / BYTES;
    return !ROW_VECTORS || (stride != 1 && stride != -1) ? 0
           : ((stride < 0 ? 0 - (low + 1) : low) - at) % VEC_N;
}

// The inputs of a row from element e of the tile on: `count` of them, the first one at p.
static void fill_row(local OPERAND *own, global const ELEM *p, long stride,
                     const struct tile_arguments *t, int number, int items, int e, int count)
{
#if ROW_VECTORS
    // Few items would load what is left one after the other.
    if ((stride == 1 || stride == -1) && count >= 2 * VEC_N && items >= VEC_N) {
        const bool is_back = stride < 0;
        p -= is_back ? max(count, 1) - 1 : 0; // the lowest in memory
        own += is_back ? e + count - 1 : e;   // it in the tile
        const int way = is_back ? -1 : 1, skew = (int)((uint)(size_t)p / BYTES % VEC_N);
        global const in_vec *from = (global const in_vec *)(p - skew);
        const int low = skew ? 1 : 0, high = (skew + count) / VEC_N; // full vectors
        #pragma unroll 1
        for (int i = low + number; i < high; i += ROWS_AHEAD * items) {
            in_vec v[ROWS_AHEAD];
            #pragma unroll
            for (int u = 0; u < ROWS_AHEAD; u++)
                if (i + u * items < high)
                    v[u] = load_vec(from, i + u * items);
            #pragma unroll
            for (int u = 0; u < ROWS_AHEAD; u++)
                if (i + u * items < high) {
                    const vec16 w = unpack(v[u]);
                    const int at = (i + u * items) * VEC_N - skew;
                    *(local vec16 *)(is_back ? own - at - (VEC_N - 1) : own + at) =
                        is_back ? w.wzyx : w;
                }
        }
        // What the vectors leave out at both ends: fewer elements than two vectors have.
        const int left_out = min(low * (VEC_N - skew), count);
        const int end = max(high * VEC_N - skew, left_out);
        for (int k = number; k < left_out + count - end; k += items) {
            const int i = k < left_out ? k : k - left_out + end;
            own[i * way] = (OPERAND)LOAD(p, i);
        }
        return;
    }
#endif
    p += number * stride;
    stride *= items;
    #pragma unroll 1
    for (int i = number; i < count; i += INSIDE_AHEAD * items) {
        OPERAND v[INSIDE_AHEAD];
        #pragma unroll
        for (int u = 0; u < INSIDE_AHEAD; u++) {
            if (i + u * items < count)
                v[u] = (OPERAND)LOAD(p, 0);
            p += stride;
        }
        #pragma unroll
        for (int u = 0; u < INSIDE_AHEAD; u++)
            if (i + u * items < count)
                own[place_of(t, e + i + u * items, 0)] = v[u];
    }
}
#endif

// The inputs of all rows, which lie one behind the other from p on, by vectors. Without steps,
// all inputs of a row must have a place in the tile, whose pitch is that of x modulo VEC_N.
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
#if STEP == 1
                // It is aligned in each row of which it holds elements. Those of the other row lie
                // where nothing is yet.
                local OPERAND *to = tile + (row * t->pitch + at - origin);
                *(local vec16 *)to = w;
                if (at + VEC_N > n)
                    *(local vec16 *)(to + (t->pitch - n)) = w;
#else
                #pragma unroll
                for (int b = 0; b < VEC_N; b++)
                    PUT_ROW(b, ELEMENT(w, b))
#endif
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

// Elements head ... tail - 1 of each row of the tile are inside.
static int head_of(const struct place *s)
{
    return min(max(0, -(int)s->p0), (int)s->elements);
}

static int tail_of(const struct arguments *g, const struct place *s)
{
    return max(head_of(s), min((int)g->n - (int)s->p0, (int)s->elements));
}

// What is inside. `line` is the row whose outputs the item computes, `number` its number among
// the row's items.
static void fill_rows(local OPERAND *tile, global const ELEM *x, const struct arguments *g,
                      const struct tile_arguments *t, const struct place *s, uint line,
                      uint number, uint item)
{
    global const ELEM *p = x + (g->first + (long)s->row * g->row_stride);
#if BY_VECTORS
    fill_inside(tile, p, (int)g->n, (int)s->p0, t, s, item);
#else
    const int head = head_of(s);
    fill_row(tile + line * t->pitch, p + (line * g->row_stride + (s->p0 + head) * g->stride),
             g->stride, t, (int)number, (int)t->items, head,
             line < s->rows ? tail_of(g, s) - head : 0);
#endif
}

// What is beyond the ends, when all that is inside is there.
static void fill_ends(local OPERAND *tile, global const ELEM *x, global const ELEM *before,
                      const struct arguments *g, const struct tile_arguments *t,
                      const struct place *s, uint line, uint number)
{
    const int origin = (int)s->p0, elements = (int)s->elements, items = (int)t->items;
    const int head = head_of(s), tail = tail_of(g, s);
    if ((int)number >= max(head, elements - tail))
        return;
    const ulong row = s->row + line;
    global const ELEM *p = x + (g->first + (long)row * g->row_stride);
    local OPERAND *own = tile + line * t->pitch;
    const struct run left = outer_run(
        p, g, g->left, before + (g->before_first + (long)row * g->before_row_stride),
        origin + (int)number, items, head);
    const struct run right = outer_run(p, g, g->right, before, origin + tail + (int)number,
                                       items, elements - tail);
    fill_beyond(own, left, t, origin, s->elements, (int)number, items, 0);
    fill_beyond(own, right, t, origin, s->elements, (int)number, items, tail);
}
#endif
