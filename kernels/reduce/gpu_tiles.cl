// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_tiles: many short rows of stride 1, of any length and at any place. A group
// copies a tile of whole rows to local memory by aligned vectors, and folds the rows there.
//
//     x       ...| vec 0   | vec 1   | vec 2   | ...  | vec n   |...      group 0's tile
//                   | row 0  | row 1  | row 2  | ... | row tile - 1 | row of the next group
//     items        0  1  2  3 ... WG - 1, 0 ...  ITEMS vectors each, all in flight
//     then         `lanes` items take each row: one where a tile has as many rows as the group
//                  has items, else more
//
// Neighbouring tiles share the vector between them. Vectors that leave the array, at its ends,
// are copied by elements.
//
// Macros: WG; ITEMS vectors of 16 bytes per item. Local memory: WG * ITEMS vectors and one acc
// per item. Barriers: one between copying and folding, and those of fold_group(). Per element:
// its bytes, read once and rounded up to whole vectors per tile; one load from local memory;
// one STEP (reduce/chain.cl).

#ifndef ITEMS
#error "ITEMS must be defined"
#endif
#define VEC_N (VEC16_BYTES / BYTES) // elements of a vector

#if TYPE == F16
#define BITS ushort
#else
#define BITS ELEM
#endif

static OPERAND element_of(local const BITS *p, uint i)
{
#if TYPE == F16
    const ushort2 bits = p[i];
    return vload_half(0, (const half *)&bits);
#else
    return (OPERAND)p[i];
#endif
}

// A vector's elements from `begin` up to `end`; zeros around them.
static uint4 load_within(global const BITS *vector, int begin, int end)
{
    uint4 v = 0;
    for (int i = max(begin, 0); i < min(end, VEC_N); i++)
        ((BITS *)&v)[i] = vector[i];
    return v;
}

// Folds the elements of a row at p that belong to `lane` of `lanes`.
static void fold_row(acc *r, local const BITS *p, uint lane, uint lanes,
                     const struct arguments *g)
{
    const uint count = (uint)g->count, chain = CHAIN * lanes;
    acc_start(r);
    for (uint e = lane; e < count; e += chain) {
        const uint end = min(count, e + chain);
        CHAIN_A a;
        CHAIN_B b;
        START(, a, b, element_of(p, e), 0);
        for (uint i = e; i < end; i += lanes) {
            const OPERAND x = element_of(p, i);
            STEP(a, b, x, (INDEX)(i - e));
        }
        take(r, a, b, g->index + e);
    }
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void reduce_partial(global const ELEM *restrict x, global acc *part, global uint *counters,
                    global OUT_T *out, const struct arguments g)
{
    local uint4 tile[WG * ITEMS];
    SHARED acc shared[WG];
    const uint item = get_local_id(0);
    const ulong row0 = (ulong)get_group_id(0) * g.tile, step = (ulong)g.row_stride;
    const uint rows = (uint)min((ulong)g.tile, g.rows - row0);
    const uint length = (uint)((rows - 1) * step + g.count); // of the rows together

    // The vectors, and how many elements the array has before the tile and behind it.
    global const BITS *p = (global const BITS *)x + g.first + row0 * step;
    const uint off = ((uint)(size_t)p & 15) / BYTES, vectors = (off + length + VEC_N - 1) / VEC_N;
    global const uint4 *q = (global const uint4 *)(p - off);
    const ulong before = row0 * step, behind = (g.rows - row0 - rows) * step;
    if (off <= before && vectors * VEC_N - off - length <= behind) {
        uint4 v[ITEMS];
        #pragma unroll
        for (uint i = 0; i < ITEMS; i++)
            v[i] = q[min(i * WG + item, vectors - 1)]; // no condition: all are in flight
        #pragma unroll
        for (uint i = 0; i < ITEMS; i++)
            tile[i * WG + item] = v[i];
    } else
        for (uint w = item; w < vectors; w += WG)
            tile[w] = w > 0 && w < vectors - 1
                          ? q[w]
                          : load_within((global const BITS *)(q + w), (int)off - (int)(w * VEC_N),
                                        (int)(off + length) - (int)(w * VEC_N));
    barrier(CLK_LOCAL_MEM_FENCE);

    local const BITS *s = (local const BITS *)tile + off;
    const uint set = item / g.lanes, lane = item % g.lanes, apart = (uint)step;
    acc r;
    acc_start(&r);
    for (uint row = set; row < rows; row += WG / g.lanes) {
        fold_row(&r, s + row * apart, lane, g.lanes, &g);
        if (g.lanes == 1)
            emit(part, out, &g, row0 + row, 1, &r);
    }
    // Where several items share a row, there are no more rows than sets.
    shared[item] = r;
    fold_group(shared, item, lane, g.lanes, 1);
    r = shared[item];
    if (g.lanes > 1 && lane == 0 && set < rows)
        emit(part, out, &g, row0 + set, 1, &r);
}
