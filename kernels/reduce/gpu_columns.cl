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
// The last tile may have fewer lines.
//
// Fused lines (FUSED): where lines lie one behind the other, or with small gaps, but do not
// begin at aligned vectors, 1 << fuse of them are read as one line that does. They are as many
// as have a whole number of vectors together, counted from the first line of memory. A column
// then stands at 1 << fuse places of such a line, and each place gives a partial of its own.
// Gaps are read as columns that have no result. Longer gaps are not read (SKIPPED): fused lines
// begin at the vector where the second line begins, and `block` counts the vectors that touch a
// column.
//
//     3 columns, vectors of 4   head | vector 0 | vector 1 | vector 2 |
//                                 2  | 0 1 2 0  | 1 2 0 1  | 2 0 1 2  |     fuse 2
//
// The remainder is the head, and what stands behind the last whole fused line. The items of all
// groups divide its columns among them and give one more partial of each.
//
// Macros: WG; COLUMNS per item: 1, 2, 4, 8 or 16, at most 16 bytes; DEPTH loads in flight per
// item, a divisor of CHAIN; PART_LOADS of them in a part of a tile; SIDE, a divisor of COLUMNS:
// accs of an item that are merged at once.
// Local memory: SIDE accs per item, none in groups of one. Barriers: those of fold_sides(),
// COLUMNS / SIDE times, and of fold_block(). Per element: its bytes and what
// reduce/column_chains.cl says; an element's part of the index arithmetic is 1 / COLUMNS.

#if !defined(COLUMNS) || !defined(DEPTH) || !defined(PART_LOADS) || !defined(SIDE)
#error "COLUMNS, DEPTH, PART_LOADS and SIDE must be defined"
#endif
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
        const uint width = (uint)g->stride, begin = g->flags & SKIPPED ? width : 0;
        const uint grid = begin ? VEC_N * BYTES : LINE_BYTES;
        const uint past = (uint)(size_t)(p + begin) & (grid - 1);
        l.head = begin ? begin - past / BYTES : ((grid - past) & (grid - 1)) / BYTES;
        if (l.head > l.pitch * (g->count - 1) + g->rows) // there is only a remainder
            l.head = (uint)(l.pitch * (g->count - 1) + g->rows);
        l.p += l.head;
        l.pitch <<= g->fuse;
        const uint others = (width > g->rows) + (l.head + width - 1) / width;
        l.count = g->count > others ? (g->count - others) >> g->fuse : 0;
    }
    return l;
}

// Lanes of a group. Lines without gaps are read by lanes that take whole lines of memory together,
// so that all loads begin there.
static uint lanes_of(const struct arguments *g)
{
    enum { FEW = 4 };
    const uint lanes = WG / g->block;
    uint step = LINE_BYTES / (VEC_N * BYTES);
    while (step > 1 && g->block * (step / 2) * (VEC_N * BYTES) % LINE_BYTES == 0)
        step /= 2;
    return g->flags & FUSED && g->blocks == 1 && lanes >= FEW * step ? lanes - lanes % step : lanes;
}

// Whether warps fold: fold_warp() in folds.cl takes fewer divisions for statistics.
#define WARPS_FOLD (OP == STATISTICS && HAS_SHUFFLE && SIDE == 1)

// Folds the lines t, t + lanes, ... of one lane in the last tile, which are fewer than DEPTH.
static void fold_part(acc *r, global const ELEM *q, const struct lines *l, ulong t, uint lanes,
                      const struct arguments *g)
{
    enum { LOADS = DEPTH < PART_LOADS ? DEPTH : PART_LOADS };
    const struct places places = { 0, lanes, g->fuse };
    const uint lines = (uint)((l->count - t + lanes - 1) / lanes);
    const ulong apart = lanes * l->pitch;
    chains s;
    chains_start(&s, *(global const vec *)q);
    #pragma unroll 1
    for (uint n = 0; n < lines; n += LOADS, q += LOADS * apart) {
        vec v[LOADS];
        #pragma unroll
        for (int i = 0; i < LOADS; i++)
            if (n + i < lines)
                v[i] = *(global const vec *)(q + i * apart);
        #pragma unroll
        for (int i = 0; i < LOADS; i++)
            if (n + i < lines)
                chains_take(&s, v[i], n + i, (INDEX)((n + i) * lanes) << g->fuse);
    }
    chains_end(r, &s, g->index + (t << g->fuse), &places);
}

// Where an item is on its way down the lines. Little is kept from tile to tile, so that
// registers are left for loads in flight.
struct way {
    global const ELEM *q; // this lane's first line of the next tile
    long left;            // lines from there to the end
    ulong step, apart;    // elements from tile to tile and from line to line
    uint jump, lanes;     // lines from tile to tile and from line to line
};

// Folds one chain of whole tiles.
static void fold_chain(acc *r, struct way *w, const struct lines *l, const struct arguments *g)
{
    const struct places places = { w->jump, w->lanes, g->fuse };
    const long last = (DEPTH - 1) * w->lanes;
    const ulong first = l->count - w->left; // of the chain's lines
    uint at = 0;                            // lines from there; those of keys may pass 2^32
    chains s;
    chains_start(&s, *(global const vec *)w->q);
    #pragma unroll 1
    for (uint n = 0; (!CHAIN_LINES || n < CHAIN_LINES / DEPTH * DEPTH) && w->left > last;
         n += DEPTH, at += w->jump, w->left -= w->jump, w->q += w->step) {
        vec v[DEPTH];
        #pragma unroll
        for (int i = 0; i < DEPTH; i++)
            v[i] = *(global const vec *)(w->q + i * w->apart);
        #pragma unroll
        for (int i = 0; i < DEPTH; i++)
            chains_take(&s, v[i], n + i, (INDEX)(at + i * w->lanes) << g->fuse);
    }
    chains_end(r, &s, g->index + (first << g->fuse), &places);
}

// Folds the lines of a slot that belong to `lane` of `lanes` into r[VEC_N], for the whole
// vector that begins at p. The accs in r are empty.
static void fold_lines(acc *r, global const ELEM *p, const struct lines *l, uint slot, uint lane,
                       uint lanes, const struct arguments *g)
{
    const uint tile = DEPTH * lanes, jump = (uint)g->slots * tile;
    const ulong t = (ulong)slot * tile + lane;
    struct way w = { p + t * l->pitch, (long)(l->count - t), jump * l->pitch, lanes * l->pitch,
                     jump, lanes };
    const long last = tile - lanes;
    // The first chain apart, where it is mostly the only one: no accs take registers beside it.
#if CHAIN_LINES == 0 || CHAIN_LINES >= 1 << 16
    if (w.left > last)
        fold_chain(r, &w, l, g);
#endif
    if (CHAIN_LINES)
        #pragma unroll 1
        while (w.left > last)
            fold_chain(r, &w, l, g);
    if (w.left > 0)
        fold_part(r, w.q, l, l->count - w.left, lanes, g);
}

// The same for the `columns` that are no whole vector, line by line.
static void fold_some(acc *r, global const ELEM *p, const struct lines *l, uint columns, ulong t,
                      uint step, const struct arguments *g)
{
    #pragma unroll 1
    for (; t < l->count; t += step) {
        const vec v = load_some(p + t * l->pitch, columns);
        #pragma unroll
        for (int c = 0; c < VEC_N; c++)
            take_one(&r[c], column_of(v, c), g->index + (t << g->fuse));
    }
}

// Folds the elements of a column in the lines from `from` to `to`, fewer than a chain has.
static void fold_places(acc *r, global const ELEM *p, ulong from, ulong to,
                        const struct arguments *g)
{
    enum { LOADS = VEC_N < 8 ? 4 : 8 };
    const uint width = (uint)g->stride;
    CHAIN_A a;
    CHAIN_B b;
    START(, a, b, (OPERAND)LOAD(p, from * width), 0);
    #pragma unroll 1
    for (ulong t = from; t < to; t += LOADS) {
        OPERAND x[LOADS];
        #pragma unroll
        for (int i = 0; i < LOADS; i++)
            if (t + i < to)
                x[i] = (OPERAND)LOAD(p, (t + i) * width);
        #pragma unroll
        for (int i = 0; i < LOADS; i++)
            if (t + i < to)
                STEP(a, b, x[i], (INDEX)(t - from) + i);
    }
    take(r, a, b, g->index + from);
}

// Folds the remainder of this item's columns. It is the last of their partials.
static void fold_remainder(global acc *part, global OUT_T *out, global const ELEM *p,
                           const struct lines *l, const struct arguments *g)
{
    const uint width = (uint)g->stride;
    #pragma unroll 1
    for (uint column = get_global_id(0); column < g->rows; column += get_global_size(0)) {
        acc r;
        acc_start(&r);
        // The column's first element behind the head. Fused lines begin there.
        const uint first = l->head + (column + width - l->head % width) % width;
        ulong from = 0, to = (l->head + width - 1 - column) / width;
        #pragma unroll 1
        for (int tail = 0; tail < 2; tail++) {
            if (from < to)
                fold_places(&r, p + column, from, to, g);
            from = (l->count << g->fuse) + first / width;
            to = g->count;
        }
        emit(part, out, g, column, 1 + (g->slots << g->fuse), &r);
    }
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void reduce_partial(global const ELEM *restrict x, global uint *scratch, global OUT_T *out,
                    const struct arguments g)
{
    global acc *part = partials_of(scratch);
    SHARED acc shared[SIDE * WG];
    local uint turn;
    const uint item = get_local_id(0), group = get_group_id(0);
    const uint width = (uint)(g.flags & FUSED ? g.stride : (long)g.rows); // of a line
    const uint slot = group / g.blocks, lane = item / g.block, lanes = lanes_of(&g);
    const struct lines l = lines_of(x + g.first, &g);
    const uint vector = group % g.blocks * g.block + item % g.block;
    uint place = vector * VEC_N, places = width << g.fuse; // in a line
    if (g.flags & SKIPPED) {
        const uint vectors = VECTORS_OF_SKIPPED((uint)g.rows, VEC_N), line = vector / vectors;
        const uint begin = width - l.head + line * width;
        place = (begin / VEC_N + vector % vectors) * VEC_N;
        places = line >> g.fuse ? 0 : (begin + (uint)g.rows + VEC_N - 1) / VEC_N * VEC_N;
    }

    acc r[VEC_N];
    #pragma unroll
    for (int c = 0; c < VEC_N; c++)
        acc_start(&r[c]);
    if (lane < lanes && place < places) {
        const uint off = (uint)(size_t)l.p | (uint)l.pitch * BYTES;
        const bool whole = off % (VEC_N * BYTES) == 0 && place + VEC_N <= places;
        if (whole)
            fold_lines(r, l.p + place, &l, slot, lane, lanes, &g);
        else
            fold_some(r, l.p + place, &l, places - place, slot * lanes + lane,
                      (uint)g.slots * lanes, &g);
    }
    if (g.flags & FUSED)
        fold_remainder(part, out, x + g.first, &l, &g);
    // Warps fold the accs of a column that a power of two of lanes share, if these lie side by
    // side.
    const bool are_sets = WARPS_FOLD && (lanes & (lanes - 1)) == 0;
    const uint home = are_sets && lane < lanes ? item % g.block * lanes + lane : item;
    #pragma unroll 1
    for (int c = 0; c < VEC_N; c += SIDE) {
        #pragma unroll
        for (int i = 0; i < SIDE; i++)
            shared[i * WG + home] = r[i];
        #pragma unroll // the next ones move down: one text for all of them
        for (int i = 0; i + SIDE < VEC_N; i++)
            r[i] = r[i + SIDE];
        if (are_sets) {
            barrier(CLK_LOCAL_MEM_FENCE);
            fold_neighbours(shared, item, lanes);
        } else
            fold_sides(shared, item, lane, lanes, g.block);
        for (uint i = 0; lane == 0 && i < SIDE && place + c + i < places; i++) {
            const uint of_line = place + c + i, at = l.head + of_line; // at: in the matrix
            acc whole = shared[i * WG + home];
#if IS_ARG
            if (whole.n != NONE)
                whole.n += at / width;
#endif
            if (at % width < g.rows)
                emit(part, out, &g, at % width, 1 + (slot << g.fuse) + of_line / width, &whole);
        }
    }
    fold_block(part, scratch, out, shared, &turn, item, group, &g);
}
