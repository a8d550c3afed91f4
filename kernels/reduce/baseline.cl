// SPDX-License-Identifier: Apache-2.0
//
// reduce, baseline: any device, any work-group size, any stride, by scalar loads.
//
// The WG items of a group form WG / lanes sets of `lanes`. A set owns one slot of one row, and
// its items take the elements in turn. Neighbouring items are of one set or of neighbouring
// sets, so that rows and columns of a matrix are both read by neighbours together:
//
//     rows (stride 1)         item 0 1 2 3 | 4 5 6 7      set = item / lanes
//                             row  r  elements | row r+1
//     ACROSS_ROWS (columns)   item 0 1 2 3 | 4 5 6 7      set = item % sets
//                             element e of rows r r+1 r+2 r+3 | element e+1
//
// An item has LOADS elements in flight, also of a row that has no more of them. H100, driver
// 580.159.04, 2026-11-27, us before and with eight: squares of 601953 rows of 101 f16, 8 apart, 381
// and 359; product of 22442 rows of 239 f64, 24 apart, 145 and 141.
//
// Macros: WG.
// Local memory: one acc per item, none in groups of one.
// Barriers: those of fold_group() and emit_group().
// Per element: one load of its size and one STEP (reduce/chain.cl), plus 1 / CHAIN of a merge.

#define LOADS (WG == 1 ? 1 : 8)

// *r takes in n elements, at most a chain, `step` apart from p on. Their positions are `lanes`
// apart, from `index` on.
static void fold_elements(acc *r, global const ELEM *p, long step, uint n, uint lanes, ulong index)
{
    CHAIN_A a;
    CHAIN_B b;
    #pragma unroll 1
    for (uint k = 0; k < n; k += LOADS, p += LOADS * step) {
        OPERAND x[LOADS];
        #pragma unroll
        for (uint i = 0; i < LOADS; i++)
            if (k + i < n)
                x[i] = (OPERAND)LOAD(p, (long)i * step);
        if (k == 0)
            START(, a, b, x[0], 0);
        #pragma unroll
        for (uint i = 0; i < LOADS; i++)
            if (k + i < n)
                STEP(a, b, x[i], (INDEX)((k + i) * lanes));
    }
    take(r, a, b, index);
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void reduce_partial(global const ELEM *restrict x, global uint *scratch, global OUT_T *out,
                    const struct arguments g)
{
    SHARED acc shared[WG];
    const uint item = get_local_id(0);
    const uint sets = WG / g.lanes;
    const bool across = (g.flags & ACROSS_ROWS) != 0;
    const uint set = across ? item % sets : item / g.lanes;
    const uint lane = across ? item / sets : item % g.lanes;
    // 32 bits, because divisions of 64 are slow on GPUs.
    const uint group = get_group_id(0), slots = (uint)g.slots, slot = group % slots;
    const ulong row = (ulong)(group / slots) * sets + set;

    acc r;
    acc_start(&r);
    if (row < g.rows) {
        const ulong begin = slot * g.share;
        const ulong end = min(g.count, begin + g.share);
        const long step = (long)g.lanes * g.stride;
        global const ELEM *p = x + (g.first + (long)row * g.row_stride) +
                            (long)(begin + lane) * g.stride;
        const uint chain = CHAIN * g.lanes;
        for (ulong e = begin + lane; e < end; e += chain, p += CHAIN * step) {
            const uint n = ((uint)min(end - e, (ulong)chain) + g.lanes - 1) / g.lanes;
            fold_elements(&r, p, step, n, g.lanes, g.index + e);
        }
    }
    shared[item] = r;
    fold_group(shared, item, lane, g.lanes, across ? sets : 1);
    if (sets == 1) {
        emit_group(scratch, out, shared, item, &g, row, slot);
        return;
    }
    r = shared[item];
    if (lane == 0 && row < g.rows)
        emit(partials_of(scratch), out, &g, row, slot + 1, &r);
}
