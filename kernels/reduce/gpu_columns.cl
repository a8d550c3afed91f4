// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_columns: the columns of a matrix, which are the rows of the call. What lies
// contiguous in memory is called a line here: one element of each column.
//
// An item owns COLUMNS neighbouring columns, loads them as one aligned vector and goes down the
// lines. WG items form lanes of `block` vectors. A group owns a block of vectors, and of the
// lines one slot: tiles slot, slot + slots, ... of DEPTH * lanes lines each.
//
//              block 0            block 1
//     line 0 | lane 0           | lane 0           |       item = lane * block + vector
//     line 1 | lane 1           | lane 1           |
//     line 2 | lane 0 load 1    | lane 0 load 1    |       (2 lanes, DEPTH 2: a tile of 4)
//     line 3 | lane 1 load 1    | lane 1 load 1    |
//     line 4 | lane 0 load 0 of the next slot's tile
//
// The lines that fill no tile go to the slots one by one.
//
// Fused lines (FUSED): where lines lie one behind the other, but do not begin at aligned
// vectors, 1 << fuse of them are read as one line that does. They are as many as have a whole
// number of vectors together, counted from the first aligned address. A column then stands at 1
// << fuse places of such a line, and each place gives a partial of its own.
//
//     3 columns, vectors of 4   head | vector 0 | vector 1 | vector 2 |
//                                 2  | 0 1 2 0  | 1 2 0 1  | 2 0 1 2  |     fuse 2
//
// The remainder is the head, and what stands behind the last whole fused line. The items of all
// groups divide its columns among them and give one more partial of each.
//
// Macros: WG; COLUMNS per item: 1, 2, 4, 8 or 16, at most 16 bytes; DEPTH loads in flight per
// item, a divisor of CHAIN; SIDE, a divisor of COLUMNS: accs of an item that are merged at once.
// Local memory: SIDE accs per item, none in groups of one. Barriers: those of fold_sides(),
// COLUMNS / SIDE times. Per element: its bytes and one STEP; an element's part of the index
// arithmetic is 1 / COLUMNS.

#if !defined(COLUMNS) || !defined(DEPTH) || !defined(SIDE)
#error "COLUMNS, DEPTH and SIDE must be defined"
#endif
#define VEC_N     COLUMNS
#define VEC_BYTES (VEC_N * BYTES)

// Tiles of a chain. Sums and extremes of integers of 8 and 16 bits do not round, and 32 bits have
// room for more.
#if BYTES <= 2 && !IS_FLOAT && !IS_ARG && OP != STATISTICS
#define CHAIN_TILES (16 * CHAIN / DEPTH)
#else
#define CHAIN_TILES (CHAIN / DEPTH)
#endif

#if TYPE == F16
#define BITS ushort
#else
#define BITS ELEM
#endif
// Vectors of narrow elements are words of 4 bytes: compilers load chars by fours.
#define HAS_WORDS (BYTES <= 2 && VEC_BYTES >= 4)
#if HAS_WORDS && VEC_BYTES == 16
typedef uint4 vec;
#elif HAS_WORDS && VEC_BYTES == 8
typedef uint2 vec;
#elif HAS_WORDS
typedef uint vec;
#elif VEC_N == 1
typedef BITS vec;
#else
typedef JOIN_NAMES(BITS, VEC_N) vec;
#endif

// Column c of a vector.
static OPERAND column_of(vec v, int c)
{
#if HAS_WORDS
    const uint word = ((const uint *)&v)[c * BYTES / 4], place = c % (4 / BYTES);
#if TYPE == F16
    const float2 two = halves(word);
    return place ? two.y : two.x;
#elif IS_SIGNED
    return (OPERAND)((int)(word << (32 - 8 * BYTES * (place + 1))) >> (32 - 8 * BYTES));
#else
    return (OPERAND)((word << (32 - 8 * BYTES * (place + 1))) >> (32 - 8 * BYTES));
#endif
#elif TYPE == F16
    const ushort2 bits = v;
    return vload_half(0, (const half *)&bits);
#else
    return (OPERAND)((const ELEM *)&v)[c];
#endif
}

// The first `columns` of a vector, which may lie anywhere and end early; zeros behind them.
static vec load_some(global const ELEM *p, uint columns)
{
    vec v = 0;
    #pragma unroll
    for (uint c = 0; c < VEC_N; c++)
        if (c < columns)
            ((BITS *)&v)[c] = ((global const BITS *)p)[c];
    return v;
}

// The lines as the items see them.
struct lines {
    global const ELEM *p; // the first line's first vector
    uint head;         // elements before it
    ulong pitch;       // elements from line to line
    ulong count;
};

static struct lines lines_of(global const ELEM *p, const struct arguments *g)
{
    struct lines l = { p, 0, (ulong)g->stride, g->count };
    if (g->flags & FUSED) {
        const uint width = (uint)g->rows, past = (uint)(size_t)p & (VEC_N * BYTES - 1);
        l.head = ((VEC_N * BYTES - past) & (VEC_N * BYTES - 1)) / BYTES;
        if (l.head > g->count * width) // there is only a remainder
            l.head = (uint)(g->count * width);
        l.p += l.head;
        l.pitch <<= g->fuse;
        l.count = (g->count - (l.head + width - 1) / width) >> g->fuse;
    }
    return l;
}

// Folds the lines of a slot that belong to `lane` of `lanes` into r[VEC_N], for the `columns`
// that begin at p. `whole`: these are one aligned vector. Where they are not, no line is in a
// tile, and the lines are taken one by one.
static void fold_lines(acc *r, global const ELEM *p, const struct lines *l, bool whole,
                       uint columns, uint slot, uint lane, uint lanes,
                       const struct arguments *g)
{
    const ulong in_tiles = whole ? g->share : 0;
    const uint tile = DEPTH * lanes, slots = (uint)g->slots;
    const ulong apart = lanes * l->pitch, jump = (ulong)slots * tile;
    global const ELEM *q = p + ((ulong)slot * tile + lane) * l->pitch;
    for (ulong t = (ulong)slot * tile; t < in_tiles;) {
        const ulong from = t;
        CHAIN_A a[VEC_N];
        CHAIN_B b[VEC_N];
        #pragma unroll
        for (int c = 0; c < VEC_N; c++)
            START(, a[c], b[c], (OPERAND)LOAD(q, c), 0);
        for (uint k = 0; k < CHAIN_TILES && t < in_tiles; k++, t += jump, q += jump * l->pitch) {
            vec v[DEPTH];
            #pragma unroll
            for (int i = 0; i < DEPTH; i++)
                v[i] = *(global const vec *)(q + i * apart);
            #pragma unroll
            for (int i = 0; i < DEPTH; i++)
                #pragma unroll
                for (int c = 0; c < VEC_N; c++) {
                    const OPERAND x = column_of(v[i], c);
                    STEP(a[c], b[c], x, (INDEX)((uint)(t - from) + i * lanes) << g->fuse);
                }
        }
        #pragma unroll
        for (int c = 0; c < VEC_N; c++)
            take(&r[c], a[c], b[c], g->index + ((from + lane) << g->fuse));
    }
    for (ulong t = in_tiles + slot * lanes + lane; t < l->count; t += slots * lanes) {
        q = p + t * l->pitch;
        const vec v = whole ? *(global const vec *)q : load_some(q, columns);
        #pragma unroll
        for (int c = 0; c < VEC_N; c++)
            take_one(&r[c], column_of(v, c), g->index + (t << g->fuse));
    }
}

// Folds the remainder of this item's columns. It is the last of their partials.
static void fold_remainder(global acc *part, global OUT_T *out, global const ELEM *p,
                           const struct lines *l, const struct arguments *g)
{
    const uint width = (uint)g->rows;
    for (uint column = get_global_id(0); column < width; column += get_global_size(0)) {
        acc r;
        acc_start(&r);
        for (uint e = column; e < l->head; e += width)
            take_one(&r, (OPERAND)LOAD(p, e), g->index + e / width);
        // The column's first element behind the head. Fused lines begin there.
        const uint first = l->head + (column + width - l->head % width) % width;
        for (ulong i = (l->count << g->fuse) + first / width; i < g->count; i++)
            take_one(&r, (OPERAND)LOAD(p, i * width + column), g->index + i);
        emit(part, out, g, column, 1 + (g->slots << g->fuse), &r);
    }
}

// Merges the accs of the lanes of each column, as fold_group() does. Acc s of an item lies at
// shared[s * WG + item].
static void fold_sides(SHARED acc *shared, uint item, uint lane, uint lanes, uint apart)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll 1
    for (uint n = lanes; n > 1; n = (n + 1) / 2) {
        const uint half_way = (n + 1) / 2;
        if (lane + half_way < n)
            for (uint at = item; at < SIDE * WG; at += WG) {
                acc r = shared[at];
                const acc q = shared[at + half_way * apart];
                merge(&r, &q);
                shared[at] = r;
            }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void reduce_partial(global const ELEM *restrict x, global acc *part, global uint *counters,
                    global OUT_T *out, const struct arguments g)
{
    SHARED acc shared[SIDE * WG];
    const uint item = get_local_id(0), group = get_group_id(0), width = (uint)g.rows;
    const uint slot = group / g.blocks, lane = item / g.block, lanes = WG / g.block;
    const uint place = (group % g.blocks * g.block + item % g.block) * VEC_N; // in a line
    const uint places = width << g.fuse;
    const struct lines l = lines_of(x + g.first, &g);

    acc r[VEC_N];
    #pragma unroll
    for (int c = 0; c < VEC_N; c++)
        acc_start(&r[c]);
    if (lane < lanes && place < places) {
        const uint off = (uint)(size_t)l.p | (uint)l.pitch * BYTES;
        const bool whole = off % (VEC_N * BYTES) == 0 && place + VEC_N <= places;
        fold_lines(r, l.p + place, &l, whole, places - place, slot, lane, lanes, &g);
    }
    if (g.flags & FUSED)
        fold_remainder(part, out, x + g.first, &l, &g);
    #pragma unroll
    for (int c = 0; c < VEC_N; c += SIDE) {
        #pragma unroll
        for (int i = 0; i < SIDE; i++)
            shared[i * WG + item] = r[c + i];
        fold_sides(shared, item, lane, lanes, g.block);
        for (uint i = 0; lane == 0 && i < SIDE && place + c + i < places; i++) {
            const uint of_line = place + c + i, at = l.head + of_line; // at: in the matrix
            acc whole = shared[i * WG + item];
#if IS_ARG
            if (whole.n != NONE)
                whole.n += at / width;
#endif
            emit(part, out, &g, at % width, 1 + (slot << g.fuse) + of_line / width, &whole);
        }
    }
}
