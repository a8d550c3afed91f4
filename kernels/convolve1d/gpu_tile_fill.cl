// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs, gpu_tile: which part of the work a group has, and how the inputs of its
// tile get into local memory. gpu_tile.cl sums them.
//
// A tile has some rows of `elements` operands. Element j * channels + c of a row is input j of
// channel c, counted from p0 on. With GAPS output lines have TAPS lines of inputs of their
// own: j is line j % TAPS of output line j / TAPS. There are three methods:
//
// Sorted inputs. Output m * SORTED + p of a row meets the positions p * STEP + (m * STEP + k) *
// SORTED. They are column p of the tile, so that neighbouring items, which have neighbouring
// phases, read neighbours.
//
//     fill_flat   one row, contiguous, perhaps backwards: by vectors; beyond the ends by elements
//     fill_rows   several rows (gpu_tile_rows.cl)
//     fill_any    everything else, by elements (gpu_tile_elements.cl)
//
// Neighbouring items load neighbouring elements. Each item has several loads under way.
//
// Macros   those of gpu_tile.cl

#if LANES
#define WIDTH     LANES
#define OUT_WIDTH LANES
#else
#define WIDTH     (t->lanes)
#define OUT_WIDTH (t->out_lanes)
#endif
#if SORTED
#define SORTED_LEAD 4 // lines in front of a phase's first one, beside STEP: for a vector, at least
#define LEAD        ((STEP + SORTED_LEAD) * SORTED)
#endif
// The numbers of loads and stores of an inner tile are known to the compiler.
#define COUNTED (TAPS > 16 && STEP == 1 && LANES && !PADDED && !SORTED)

// Loads of an item under way: all of a full tile's, or as many as the registers hold.
#if LANES
#define FULL_LINES    (WG / LANES * ITEM_OUTPUTS)
#define FULL_ELEMENTS (((FULL_LINES - 1) * STEP + TAPS) * LANES)
#define FULL_VECS     ((FULL_ELEMENTS + 2 * VEC_N - 2) / VEC_N)
#define FULL_LOADS    ((FULL_VECS + WG - 1) / WG)
#else
#define FULL_LOADS ((ITEM_OUTPUTS * STEP) / VEC_N + 1)
#endif
#define FLAT_AHEAD (FULL_LOADS < 10 ? FULL_LOADS : 8)
#define ROWS_MOST   (BYTES == 1 ? 3 : BYTES == 2 ? 5 : 8) // all of most tiles
#define ROWS_AHEAD  (ROW_LOADS < ROWS_MOST ? ROW_LOADS : ROWS_MOST)
#define WHOLE_AHEAD (ROW_LOADS < 4 ? ROW_LOADS : 4)
// What comes by vectors is seldom loaded so. PoCL 3.1 mixes up bytes that are under way.
#define ANY_AHEAD     (BY_VECTORS || !PTX ? 1 : 8)
#define HISTORY_AHEAD (PTX ? 4 : 1) // 8 take 15 registers more, as ptxas 13.0 counts

#define NOWHERE   0xffffffff

// Padded rows: element e stands behind two output lines, so that the elements of the first
// vector which nothing needs have a place, too.
#if PADDED
#define LEAD (2 * (STEP + 1) * WIDTH)
#endif

// What a group computes.
struct place {
    ulong row;     // its first row
    uint rows;     // how many
    uint part;     // which part of a row
    long p0;       // position of element 0 of the tile, which may be beyond an end
    uint elements; // of a row of the tile
    uint outputs;  // of a row
};

// a / d with a reciprocal that the host made: 0: d is 1; 1: d is larger than a.
static uint divide(uint a, uint reciprocal)
{
    return reciprocal ? mul_hi(a, reciprocal) : a;
}

static struct place find_place(const struct arguments *g, const struct tile_arguments *t)
{
    struct place s;
    const uint group = get_group_id(0);
    s.rows = 1;
    s.row = s.part = 0;
#if ROWS
    s.row = (ulong)group * t->rows;
    s.rows = (uint)min((ulong)t->rows, g->rows - s.row);
#else
    s.part = group;
    if (t->has_sets) { // spares one row the slow division
        s.row = group / t->parts;
        s.part = group - (uint)s.row * t->parts;
    }
#endif
    const bool is_last = s.part + 1 == t->parts;
    s.elements = is_last ? t->last_elements : t->elements;
    s.outputs = is_last ? t->last_outputs : t->outputs;
    s.p0 = g->origin + (long)((ulong)s.part * t->part_inputs);
    return s;
}

// Teams of neighbouring items take the lines of a group in turn: `teams` of them at once.
struct team {
    uint line;   // an item's first one; `lines` for items that are in no team
    uint number; // of the item in its team
};

static struct team team_of(const struct tile_arguments *t, uint lines, uint item)
{
    const uint line = divide(item, t->by_team);
    const struct team own = { line < t->teams ? line : lines, item - line * t->team };
    return own;
}

// What an item takes of lines that the items of a group share.
struct share {
    bool works;
    int line, lines;  // its first line, and from it to the next
    int number, team; // its first element of a line, and from it to the next
};

static struct share share_of(const struct tile_share *t, uint item)
{
    const uint line = divide(item, t->by_team), lines = divide(WG, t->by_team);
    const struct share own = { line < lines, (int)line, (int)lines,
                               (int)(item - line * t->team), (int)t->team };
    return own;
}

// ---------------------------------------------------------------- beyond the ends
// X(p) of a row, p outside 0 ... n - 1. One fold is done here; rows shorter than what the
// filter needs may fold again.
static OPERAND beyond(global const ELEM *x, global const ELEM *before,
                      const struct arguments *g, const struct tile_arguments *t, ulong row,
                      long p)
{
    const bool is_left = p < 0;
    if ((is_left ? g->left : g->right) == BOUNDARY_CONSTANT)
        return constant_of(is_left ? g->constant_left : g->constant_right);
    const long at = g->first + (long)row * g->row_stride;
    const long q = is_left ? t->left_factor * p + t->left_shift
                           : t->right_factor * p + t->right_shift;
    if ((ulong)q < g->n)
        return (OPERAND)LOAD(x, at + q * g->stride);
    return fetch(x, before, g, at, g->before_first + (long)row * g->before_row_stride, p);
}

static OPERAND input(global const ELEM *x, global const ELEM *before, const struct arguments *g,
                     const struct tile_arguments *t, ulong row, long p)
{
    if ((ulong)p < g->n)
        return (OPERAND)LOAD(x, g->first + (long)row * g->row_stride + p * g->stride);
    return beyond(x, before, g, t, row, p);
}

// ---------------------------------------------------------------- three methods
// Where element e >= -VEC_N of a row stands, from the row's place in the tile on. `shift`: of a
// tile that is neither padded nor sorted.
static uint place_of(const struct tile_arguments *t, int e, uint shift)
{
#if SORTED
    const uint from = e + SORTED_LEAD * SORTED, phase = from * INVERSE % SORTED;
    return (from + (SORTED - phase) * STEP) / SORTED * SORTED + phase;
#elif PADDED
    const uint from = e + 2 * STEP * WIDTH;
#if LANES
    return from + from / (STEP * WIDTH) * WIDTH;
#else
    return from + divide(from, t->by_line) * WIDTH;
#endif
#else
    return e + shift;
#endif
}

// The elements of a vector from the last to the first.
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

// Vector i of a row, whose element 0 is `shift` elements behind vector 0.
static void put_vec(local OPERAND *tile, const struct tile_arguments *t, uint i, uint shift,
                    in_vec from)
{
    const vec16 v = unpack(from);
#if SORTED
    // From a position to the next: the phase that is INVERSE further on, and there fewer lines.
    const int first = (int)(i * VEC_N - shift);
    uint phase = (uint)(first + SORTED_LEAD * SORTED) * INVERSE % SORTED;
    uint at = place_of(t, first, 0);
    #pragma unroll
    for (int u = 0; u < VEC_N; u++) {
        tile[at] = ELEMENT(v, u);
        phase += INVERSE;
        const bool is_over = phase >= SORTED;
        phase -= is_over ? SORTED : 0;
        at += INVERSE - INVERSE * STEP / SORTED * SORTED + (is_over ? (STEP - 1) * SORTED : 0);
    }
#elif PADDED && LANES && VEC_N % (STEP * LANES) == 0
    // All vectors begin at the same element of a line of outputs.
    const uint begin = (VEC_N - shift) % (STEP * LANES);
    local OPERAND *to = tile + place_of(t, (int)(i * VEC_N - shift), 0);
    #pragma unroll
    for (int u = 0; u < VEC_N; u++)
        to[u + (begin + u) / (STEP * LANES) * LANES] = ELEMENT(v, u);
#elif PADDED
    #pragma unroll
    for (int u = 0; u < VEC_N; u++)
        tile[place_of(t, (int)(i * VEC_N + u - shift), 0)] = ELEMENT(v, u);
#else
    ((local vec16 *)tile)[i] = v;
#endif
}

#if !ROWS
// Items share FULL_VECS loads. Whether the i-th load of this item is one of them.
#define HAS(i, item) (((i) + 1) * WG <= FULL_VECS || (i) * WG + (item) < FULL_VECS)

// Vector i of a row, as its elements follow each other there.
static in_vec flat_vec(global const in_vec *from, int i)
{
    return REVERSED ? turned(load_vec(from, -i)) : load_vec(from, i);
}

// Returns how many elements of the first vector lie in front of element 0.
static uint fill_flat(local OPERAND *tile, global const ELEM *x, global const ELEM *before,
                      const struct arguments *g, const struct tile_arguments *t,
                      const struct place *s, uint item)
{
    const long flat = s->p0 * t->channels, all = (long)g->n * t->channels;
    global const ELEM *p =
        x + (g->first + (long)s->row * g->row_stride + (REVERSED ? -flat : flat));
    const uint low_in_vec = (uint)(size_t)p / BYTES % VEC_N;
    const uint shift = REVERSED ? VEC_N - 1 - low_in_vec : low_in_vec;
    const long start = flat - shift; // of vector 0
    global const in_vec *from = (global const in_vec *)(p - low_in_vec);
    const bool is_aligned = TYPE != C32 || (size_t)p % BYTES == 0; // to elements
#if COUNTED
    if (s->elements == FULL_ELEMENTS && start >= 0 && start + FULL_VECS * VEC_N <= all &&
        is_aligned) {
        in_vec v[FULL_LOADS];
        #pragma unroll
        for (int i = 0; i < FULL_LOADS; i++)
            if (HAS(i, item))
                v[i] = flat_vec(from + (REVERSED ? -(int)item : (int)item), i * WG);
        #pragma unroll
        for (int i = 0; i < FULL_LOADS; i++)
            if (HAS(i, item))
                put_vec(tile, t, i * WG + item, shift, v[i]);
        return shift;
    }
#endif
    // Vectors low ... high - 1 are inside, and with them elements head ... tail - 1.
    uint low = 0, high = (s->elements + shift + VEC_N - 1) / VEC_N;
    uint head = 0, tail = s->elements;
    if (!is_aligned)
        high = tail = 0;
    else if (start < 0 || start + high * VEC_N > all) {
        low = start < 0 ? (uint)min((long)high, (VEC_N - 1 - start) / VEC_N) : 0;
        high = (uint)max((long)low, min((long)high, (all - start) / VEC_N));
        head = low ? min(s->elements, low * VEC_N - shift) : 0;
        tail = max(head, min(s->elements, high * VEC_N - min(shift, high * VEC_N)));
    }
    const uint rest = head + s->elements - tail;
    OPERAND first_rest = 0;
    if (item < rest) {
        const uint e = item < head ? item : item - head + tail;
        const uint q = divide(e, t->by_channels);
        first_rest = input(x, before, g, t, s->row + (e - q * t->channels), s->p0 + q);
    }
    #pragma unroll 1
    for (uint i = low + item; i < high; i += FLAT_AHEAD * WG) {
        in_vec v[FLAT_AHEAD];
        #pragma unroll
        for (int u = 0; u < FLAT_AHEAD; u++)
            if (i + u * WG < high)
                v[u] = flat_vec(from, (int)(i + u * WG));
        #pragma unroll
        for (int u = 0; u < FLAT_AHEAD; u++)
            if (i + u * WG < high)
                put_vec(tile, t, i + u * WG, shift, v[u]);
    }
    if (item < rest)
        tile[place_of(t, item < head ? item : item - head + tail, shift)] = first_rest;
    #pragma unroll 1
    for (uint i = item + WG; i < rest; i += WG) {
        const uint e = i < head ? i : i - head + tail, q = divide(e, t->by_channels);
        tile[place_of(t, e, shift)] =
            input(x, before, g, t, s->row + (e - q * t->channels), s->p0 + q);
    }
    return shift;
}
#endif
