// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs, gpu_tile: how several short rows get into local memory.
//
//     x      | row 0         | row 1         | row 2 ...
//     tile   | halo | row 0  | halo | . | halo | row 1 | halo | . |      . unused, of pitch
//
// Where the rows lie one behind the other, or not far apart, all items load them as vectors,
// whatever row these hold. Else teams of neighbouring items take the rows in turn. Then
// gpu_tile_ends.cl fills in what lies beyond the rows' ends.
//
// Macros   those of gpu_tile.cl

#if ROWS
// Where row `line` of the tile begins. Rows whose inputs are neighbours come by vectors. They lie
// so much behind line * pitch that vectors are aligned in the tile, too, unless it is padded.
#define ROW_VECTORS (!BY_VECTORS && TYPE != C32)
static local OPERAND *row_of(local OPERAND *tile, global const ELEM *x,
                             const struct arguments *g, const struct tile_arguments *t,
                             const struct place *s, uint line)
{
    const uint at = line * t->pitch;
#if ROW_VECTORS && !PADDED
    const long first = g->first + (long)(s->row + line) * g->row_stride + s->p0 * g->stride;
    const uint low = (uint)(size_t)(x + first) / BYTES;
    if (g->stride == 1 || g->stride == -1)
        tile += ((g->stride < 0 ? 0 - (low + 1) : low) - at) % VEC_N;
#endif
    return tile + at;
}

#if !BY_VECTORS
#if ROW_VECTORS
static in_vec turned(in_vec v)
{
#if BYTES == 1
    return as_uint(as_uchar4(v).wzyx);
#elif BYTES == 2
    return as_uint2(as_ushort4(v).wzyx);
#elif BYTES == 4
    return v.wzyx;
#else
    return v.zwxy;
#endif
}

// The inputs of a row, `count` of them, by vectors. The items of a team share them. p is the one
// that is lowest in memory, element e of the tile.
static void fill_row_by_vectors(local OPERAND *own, global const ELEM *p, bool is_back,
                                const struct tile_arguments *t, int number, int e, int count)
{
    const int team = (int)t->team;
    const int way = is_back ? -1 : 1, skew = (int)((uint)(size_t)p / BYTES % VEC_N);
    global const in_vec *from = (global const in_vec *)(p - skew);
    const int low = skew ? 1 : 0, high = (skew + count) / VEC_N; // full vectors
    const int e0 = e - way * skew;                                // of element 0 of vector 0
#if !PADDED
    local vec16 *to = (local vec16 *)(own + (e0 - (is_back ? VEC_N - 1 : 0)));
#endif
    #pragma unroll 1
    for (int i = low + number; i < high; i += ROWS_AHEAD * team) {
        in_vec v[ROWS_AHEAD];
        #pragma unroll
        for (int u = 0; u < ROWS_AHEAD; u++)
            if (i + u * team < high)
                v[u] = load_vec(from, i + u * team);
        #pragma unroll
        for (int u = 0; u < ROWS_AHEAD; u++)
            if (i + u * team < high) {
#if PADDED
                const vec16 w = unpack(v[u]);
                #pragma unroll
                for (int b = 0; b < VEC_N; b++) {
                    const int at = (i + u * team) * VEC_N + b;
                    own[place_of(t, e0 + way * at, 0)] = ELEMENT(w, b);
                }
#else
                to[way * (i + u * team)] = unpack(is_back ? turned(v[u]) : v[u]);
#endif
            }
    }
    // What the vectors leave out at both ends: fewer elements than two vectors have.
    const int left_out = min(low * (VEC_N - skew), count);
    const int end = max(high * VEC_N - skew, left_out);
    for (int k = number; k < left_out + count - end; k += team) {
        const int i = k < left_out ? k : k - left_out + end;
        own[place_of(t, e + i * way, 0)] = (OPERAND)LOAD(p, i);
    }
}
#endif

#endif

#if BY_VECTORS && !PADDED
// Narrow elements come two vectors at a time.
#if BYTES == 1
#define PAIR 2
typedef uint2 in_pair;
#define PART(w, k) ((k) ? (w).y : (w).x)
#elif BYTES == 2
#define PAIR 2
typedef uint4 in_pair;
#define PART(w, k) ((k) ? (w).hi : (w).lo)
#else
#define PAIR 1
typedef in_vec in_pair;
#define PART(w, k) (w)
#endif

static in_pair load_pair(global const in_pair *p)
{
#if PTX && BYTES == 1
    in_pair v;
    asm("ld.global.nc.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(p));
    return v;
#elif PTX
    in_pair v;
    asm("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
        : "l"(p));
    return v;
#else
    return *p;
#endif
}

// All rows and their gaps as one row, where gaps have room for what lies beyond the ends.
static void fill_span(local OPERAND *to, global const ELEM *p, int count, uint item)
{
    enum { LENGTH = PAIR * VEC_N };
    const int skew = (int)((uint)(size_t)p / BYTES % LENGTH);
    global const in_pair *from = (global const in_pair *)(p - skew);
    const int low = skew ? 1 : 0, high = (skew + count) / LENGTH; // full loads
    local OPERAND *vectors = to - skew;
    #pragma unroll 1
    for (int i = low + (int)item; i < high; i += ROWS_AHEAD * WG) {
        in_pair v[ROWS_AHEAD];
        #pragma unroll
        for (int u = 0; u < ROWS_AHEAD; u++)
            if (i + u * WG < high)
                v[u] = load_pair(from + (i + u * WG));
        #pragma unroll
        for (int u = 0; u < ROWS_AHEAD; u++)
            if (i + u * WG < high)
                #pragma unroll
                for (int k = 0; k < PAIR; k++)
                    *(local vec16 *)(vectors + ((i + u * WG) * PAIR + k) * VEC_N) =
                        unpack(PART(v[u], k));
    }
    // What they leave out at both ends: fewer elements than two loads have.
    const int left_out = min(low * (LENGTH - skew), count);
    const int end = max(high * LENGTH - skew, left_out);
    for (int k = (int)item; k < left_out + count - end; k += WG) {
        const int i = k < left_out ? k : k - left_out + end;
        to[i] = (OPERAND)LOAD(p, i);
    }
}
#endif

#if !PADDED
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
        if (t->pitch == (uint)pitch)
            fill_span(tile - s->p0, p, ((int)s->rows - 1) * pitch + n, item);
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
    const struct team own = team_of(t, s->rows, item);
    p += (s->p0 + head) * g->stride;
#if ROW_VECTORS
    const int last = g->stride < 0 ? max(count, 1) - 1 : 0;
    if (g->stride == 1 || g->stride == -1) {
        #pragma unroll 1
        for (uint line = own.line; line < s->rows; line += t->teams)
            fill_row_by_vectors(row_of(tile, x, g, t, s, line),
                                p + ((long)line * g->row_stride - last), g->stride < 0, t,
                                (int)own.number, head + last, count);
        return;
    }
#endif
    #pragma unroll 1
    for (uint line = own.line; line < s->rows; line += t->teams)
        fill_run(row_of(tile, x, g, t, s, line), t,
                 p + ((long)line * g->row_stride + (int)own.number * g->stride),
                 (int)t->team * g->stride, head + (int)own.number, (int)t->team,
                 head + count);
#endif
}
#endif
