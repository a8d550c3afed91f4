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
// accs of an item that are merged at once; FUSES: lines may be fused; SMALL: a small matrix, of
// which each tile is taken as a part of one; HOLD: no vector is used before all loads are under
// way.
// Local memory: SIDE accs per item, none in groups of one. Barriers: those of fold_sides(),
// COLUMNS / SIDE times, and of fold_block(). Per element: its bytes and what
// reduce/column_chains.cl says; an element's part of the index arithmetic is 1 / COLUMNS.

// Whether warps fold: fold_warp() in folds.cl takes fewer divisions for statistics.
#define WARPS_FOLD (OP == STATISTICS && HAS_SHUFFLE && SIDE == 1)

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
            x[i] = (OPERAND)LOAD(p, min(t + i, to - 1) * width); // no condition: all are in flight
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

// Where a vector of the group's slot begins in the line, and where the part of the line ends to
// which it belongs. A vector that has no column lies behind that end.
static uint place_of(uint vector, uint *end, const struct lines *l, const struct arguments *g)
{
    const uint width = (uint)(IS_FUSED(g) ? g->stride : (long)g->rows); // of a line
    *end = width << g->fuse;
    if (!IS_SKIPPED(g))
        return vector * VEC_N;
    const uint vectors = VECTORS_OF_SKIPPED((uint)g->rows, VEC_N), line = vector / vectors;
    const uint begin = width - l->head + line * width;
    *end = line >> g->fuse ? 0 : (begin + (uint)g->rows + VEC_N - 1) / VEC_N * VEC_N;
    return (begin / VEC_N + vector % vectors) * VEC_N;
}

// Writes the folded accs of SIDE columns of each vector, from column `first` of the vectors on.
// That of vector v lies at shared[side * WG + v * apart]. Neighbouring items write neighbouring
// columns.
static void emit_sides(global acc *part, global uint *scratch, global OUT_T *out,
                       SHARED acc *shared, uint item, uint apart, uint block, uint slot, uint first,
                       const struct lines *l, const struct arguments *g)
{
    #pragma unroll 1
    for (uint i = item; i < SIDE * g->block; i += WG) {
        uint end;
        const uint of_line =
            place_of(block * g->block + i / SIDE, &end, l, g) + first + i % SIDE;
        if (of_line >= end)
            continue;
        acc r = shared[i % SIDE * WG + i / SIDE * apart];
#if FUSES
        const uint width = (uint)(IS_FUSED(g) ? g->stride : (long)g->rows);
        const uint at = l->head + of_line; // in the matrix
#if IS_ARG
        if (r.n != NONE)
            r.n += at / width;
#endif
        if (at % width < g->rows)
            emit(part, out, g, at % width, 1 + (slot << g->fuse) + of_line / width, &r);
#else
#if SMALL && PTX
        if (g->flags & ONE_LAUNCH) {
            signal(signals_of(scratch, slot, of_line, g), &r, g->launch);
            continue;
        }
#endif
        emit(part, out, g, of_line, 1 + slot, &r);
#endif
    }
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void reduce_partial(global const ELEM *restrict x, global uint *scratch, global OUT_T *out,
                    const struct arguments g)
{
    global acc *part = partials_of(scratch);
    SHARED acc shared[SIDE * WG];
    local uint turn;
    const uint item = get_local_id(0), group = get_group_id(0), block = group % g.blocks;
    const uint slot = group / g.blocks, lane = item / g.block, lanes = lanes_of(&g);
    const struct lines l = lines_of(x + g.first, &g);
    uint end;
    const uint place = place_of(block * g.block + item % g.block, &end, &l, &g);

    acc r[VEC_N];
    #pragma unroll
    for (int c = 0; c < VEC_N; c++)
        acc_start(&r[c]);
    if (lane < lanes && place < end) {
        const uint off = (uint)(size_t)l.p | (uint)l.pitch * BYTES;
        const bool whole = off % (VEC_N * BYTES) == 0 && place + VEC_N <= end;
        if (VEC_N == 1 || whole)
            fold_lines(r, l.p + place, &l, slot, lane, lanes, &g);
        else
            fold_some(r, l.p + place, &l, end - place, slot * lanes + lane,
                      (uint)g.slots * lanes, &g);
    }
    if (IS_FUSED(&g))
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
            fold_sides(shared, SIDE, item, lanes, g.block);
        emit_sides(part, scratch, out, shared, item, are_sets ? lanes : 1, block, slot, (uint)c, &l,
                   &g);
        if (SIDE < VEC_N)
            barrier(CLK_LOCAL_MEM_FENCE); // all have read the accs
    }
    fold_block(part, scratch, out, shared, &turn, item, group, &g);
}
