// SPDX-License-Identifier: Apache-2.0
//
// reduce on GPUs: rows that are the columns of a matrix, neighbours in memory. To tell them from
// the matrix's own rows, these are called lines here.
//
// An item owns N neighbouring columns, loads them as one aligned word and goes down the lines.
// WG items form lanes of `block` words; a group owns a block of words, and of the lines one
// slot: tiles slot, slot + slots, ... of DEPTH * lanes lines each.
//
//              block 0            block 1
//     line 0 | lane 0           | lane 0           |       item = lane * block + word
//     line 1 | lane 1           | lane 1           |
//     line 2 | lane 0 load 1    | lane 0 load 1    |       (2 lanes, DEPTH 2: a tile of 4)
//     line 3 | lane 1 load 1    | lane 1 load 1    |
//     line 4 | lane 0 load 0 of the next slot's tile
//
// The lines that fill no tile go to the slots one by one.
//
// Where lines lie one behind the other, but do not begin at words (FUSED), 1 << fuse of them are
// seen as one line that does: that many which have a whole number of words together, from the
// first boundary on. A column then stands in 1 << fuse places of such a line, each of which gives
// a partial of its own.
//
//     3 columns, words of 4     head | word 0  | word 1  | word 2  |
//                                 2  | 0 1 2 0 | 1 2 0 1 | 2 0 1 2 |     fuse 2
//
// The head, and what stands behind the last whole fused line, are strays: the items of all
// groups share the columns out and give one more partial of each.
//
// Macros: WG; COLUMNS per item: 1, 2 or 4, at most 16 bytes; DEPTH loads in flight per item, a
// divisor of CHAIN.
// Local memory: one acc per item, none in groups of one.

#if !defined(COLUMNS) || !defined(DEPTH)
#error "COLUMNS and DEPTH must be defined"
#endif
#define N COLUMNS

#if TYPE == F16
#define BITS ushort
#else
#define BITS T
#endif
#if N == 1
typedef BITS word;
#else
typedef JOIN_NAMES(BITS, N) word;
#endif

// Column c of a word.
static W column_of(word v, int c)
{
#if TYPE == F16 && N == 1
    const ushort2 bits = v;
    return vload_half(0, (const half *)&bits);
#elif TYPE == F16
    return vload_half(c, (const half *)&v);
#else
    return (W)((const T *)&v)[c];
#endif
}

// A word that may lie anywhere, with the first `columns` that are there.
static word load_apart(global const T *p, uint columns)
{
    word v = 0;
    #pragma unroll
    for (uint c = 0; c < N; c++)
        if (c < columns)
            ((BITS *)&v)[c] = ((global const BITS *)p)[c];
    return v;
}

// The lines as the items see them.
struct lines {
    global const T *p; // the first line's first word
    uint head;         // elements before it
    ulong pitch;       // elements from line to line
    ulong count;
};

static struct lines lines_of(global const T *p, const struct arguments *g)
{
    struct lines l = { p, 0, (ulong)g->stride, g->count };
    if (g->flags & FUSED) {
        const uint width = (uint)g->rows, past = (uint)(size_t)p & (N * BYTES - 1);
        l.head = ((N * BYTES - past) & (N * BYTES - 1)) / BYTES;
        if (l.head > g->count * width) // nothing but strays
            l.head = (uint)(g->count * width);
        l.p += l.head;
        l.pitch <<= g->fuse;
        l.count = (g->count - (l.head + width - 1) / width) >> g->fuse;
    }
    return l;
}

// What `lane` of `lanes` takes of a slot's lines, from the `columns` that begin at p, into r[N].
// Where they are no whole word, all goes as what fills no tile does.
static void fold_lines(acc *r, global const T *p, const struct lines *l, bool whole,
                       uint columns, uint slot, uint lane, uint lanes,
                       const struct arguments *g)
{
    const ulong tiled = whole ? g->share : 0;
    const uint tile = DEPTH * lanes, slots = (uint)g->slots;
    const ulong apart = lanes * l->pitch, jump = (ulong)slots * tile;
    global const T *q = p + ((ulong)slot * tile + lane) * l->pitch;
    for (ulong t = (ulong)slot * tile; t < tiled;) {
        const ulong from = t;
        A a[N];
        B_LANE b[N];
        #pragma unroll
        for (int c = 0; c < N; c++)
            START(, a[c], b[c], (W)LOAD(q, c), 0);
        for (uint k = 0; k < CHAIN / DEPTH && t < tiled; k++, t += jump, q += jump * l->pitch) {
            word v[DEPTH];
            #pragma unroll
            for (int i = 0; i < DEPTH; i++)
                v[i] = *(global const word *)(q + i * apart);
            #pragma unroll
            for (int i = 0; i < DEPTH; i++)
                #pragma unroll
                for (int c = 0; c < N; c++) {
                    const W x = column_of(v[i], c);
                    STEP(a[c], b[c], x, (B)((uint)(t - from) + i * lanes) << g->fuse);
                }
        }
        #pragma unroll
        for (int c = 0; c < N; c++)
            take(&r[c], a[c], b[c], g->index + ((from + lane) << g->fuse));
    }
    for (ulong t = tiled + slot * lanes + lane; t < l->count; t += slots * lanes) {
        q = p + t * l->pitch;
        const word v = whole ? *(global const word *)q : load_apart(q, columns);
        #pragma unroll
        for (int c = 0; c < N; c++)
            take_one(&r[c], column_of(v, c), g->index + (t << g->fuse));
    }
}

// The strays of this item's columns, as the last of their partials.
static void fold_strays(global acc *part, global R *out, global const T *p,
                        const struct lines *l, const struct arguments *g)
{
    const uint width = (uint)g->rows;
    for (uint column = get_global_id(0); column < width; column += get_global_size(0)) {
        acc r;
        acc_start(&r);
        for (uint e = column; e < l->head; e += width)
            take_one(&r, (W)LOAD(p, e), g->index + e / width);
        // The column's first element behind the head stands where that of a fused line would.
        const uint first = l->head + (column + width - l->head % width) % width;
        for (ulong i = (l->count << g->fuse) + first / width; i < g->count; i++)
            take_one(&r, (W)LOAD(p, i * width + column), g->index + i);
        emit(part, out, g, column, 1 + (g->slots << g->fuse), &r);
    }
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void reduce_partial(global const T *restrict x, global acc *part, global uint *counters,
                    global R *out, const struct arguments g)
{
    SHARED acc shared[WG];
    const uint item = get_local_id(0), group = get_group_id(0), width = (uint)g.rows;
    const uint slot = group / g.blocks, lane = item / g.block, lanes = WG / g.block;
    const uint place = (group % g.blocks * g.block + item % g.block) * N; // in a line
    const uint places = width << g.fuse;
    const struct lines l = lines_of(x + g.first, &g);

    acc r[N];
    #pragma unroll
    for (int c = 0; c < N; c++)
        acc_start(&r[c]);
    if (lane < lanes && place < places) {
        const uint off = (uint)(size_t)l.p | (uint)l.pitch * BYTES;
        const bool whole = off % (N * BYTES) == 0 && place + N <= places;
        fold_lines(r, l.p + place, &l, whole, places - place, slot, lane, lanes, &g);
    }
    if (g.flags & FUSED)
        fold_strays(part, out, x + g.first, &l, &g);
    #pragma unroll
    for (int c = 0; c < N; c++) {
        shared[item] = r[c];
        fold_group(shared, item, lane, lanes, g.block);
        if (lane == 0 && place + c < places) {
            const uint at = l.head + place + c; // behind the beginning of a line
            acc whole = shared[item];
#if IS_ARG
            if (whole.n != NONE)
                whole.n += at / width;
#endif
            emit(part, out, &g, at % width, 1 + (slot << g.fuse) + (place + c) / width, &whole);
        }
    }
}
