// SPDX-License-Identifier: Apache-2.0
//
// reduce, baseline: any device, any work-group size, any stride; plain scalar loads.
//
// A group's WG items form WG / lanes sets of `lanes`; a set owns one slot of one row and its
// items take the elements in turn. Which way the sets lie decides what neighbours read, so that
// both rows and columns of a matrix are coalesced:
//
//     rows (stride 1)         item 0 1 2 3 | 4 5 6 7      set = item / lanes
//                             row  r  elements | row r+1
//     ACROSS_ROWS (columns)   item 0 1 2 3 | 4 5 6 7      set = item % sets
//                             element e of rows r r+1 r+2 r+3 | element e+1
//
// Local memory: one acc per item, none in groups of one.

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void reduce_partial(global const T *restrict x, global acc *part, global uint *counters,
                    global R *out, const struct arguments g)
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
        global const T *p = x + (g.first + (long)row * g.row_stride) +
                            (long)(begin + lane) * g.stride;
        const uint chain = CHAIN * g.lanes;
        for (ulong e = begin + lane; e < end; e += chain, p += CHAIN * step) {
            const uint n = ((uint)min(end - e, (ulong)chain) + g.lanes - 1) / g.lanes;
            A a;
            B_LANE b;
            START(, a, b, (W)LOAD(p, 0), 0);
            for (uint k = 0; k < n; k++) {
                const W v = (W)LOAD(p, k * step);
                STEP(a, b, v, (B)(k * g.lanes));
            }
            take(&r, a, b, g.index + e);
        }
    }
    shared[item] = r;
    fold_group(shared, item, lane, g.lanes, across ? sets : 1);
    r = shared[item];
    if (lane == 0 && row < g.rows)
        emit(part, out, &g, row, slot + 1, &r);
}
