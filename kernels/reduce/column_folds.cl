// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_columns: the folds at the end of a group, over the lanes of a column, and of the last
// groups of a block, over the groups. In small matrices partials are told by signals
// (reduce/signals.cl).
//
// Macros: see gpu_columns.cl.

#if !defined(FUSES)
#error "FUSES must be defined"
#endif
#define IS_FUSED(g) (FUSES && ((g)->flags & FUSED))

// Merges the accs of the lanes of each column, four at each step. An item has `sides` of them: acc
// s lies at shared[s * WG + item], that of the next lane `block` further. The items divide all accs
// of a step among them: where each merged its own columns, most would wait for those of the lowest
// lanes.
static void fold_sides(SHARED acc *shared, uint sides, uint item, uint lanes, uint block)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll 1
    for (uint n = lanes; n > 1; n = (n + 3) / 4) {
        const uint apart = (n + 3) / 4 * block, end = n * block;
        #pragma unroll 1
        for (uint i = item; i < sides * apart; i += WG) {
            const uint side = sides > 1 ? i / apart : 0, of_side = i - side * apart;
            SHARED acc *p = shared + side * WG + of_side;
            acc r = *p;
            #pragma unroll
            for (uint k = 1; k < 4; k++)
                if (of_side + k * apart < end) {
                    const acc q = p[k * apart];
                    merge(&r, &q);
                }
            *p = r;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

#if SMALL && PTX
// Where the signals of a column's partial lie.
static global ulong *signals_of(global uint *scratch, uint slot, uint column,
                                const struct arguments *g)
{
    return signal_words(scratch, g) + ((ulong)slot * g->rows + column) * ACC_WORDS;
}
#endif

#if PTX
// How many have arrived. What they wrote before is seen from then on.
static uint arrivals(global uint *counter)
{
    uint n;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(n) : "l"(counter) : "memory");
    return n;
}
#endif

// With ONE_LAUNCH some groups fold the partials of a block, or of all where lines are fused,
// g.lanes items each column. Several folders are the groups of the highest numbers, which wait for
// the others; each folds a share of the columns. They would wait forever on a device that does not
// run as many groups at once, or begins groups of higher numbers first (reduce/signals.cl). In
// small matrices they wait for the signals of the others. In others a counter has the groups that
// have come, and a single folder is the group that comes last. All items call this.
static void fold_block(global acc *part, global uint *counters, global OUT_T *out,
                       SHARED acc *shared, local uint *turn, uint item, uint group,
                       const struct arguments *g)
{
#if PTX && SMALL
    const uint slots = (uint)g->slots, folders = g->folders;
    const uint block = group % g->blocks, slot = group / g->blocks;
    if (!(g->flags & ONE_LAUNCH) || slot + folders < slots)
        return;
    barrier(CLK_LOCAL_MEM_FENCE); // all have read the accs
    const uint lanes = g->lanes, sets = WG / lanes, lane = item / sets;
    const uint from = block * g->block * VEC_N, to = min((uint)g->rows, from + g->block * VEC_N);
    const uint share = (to - from + folders - 1) / folders;
    const uint begin = from + (slot + folders - slots) * share, end = min(to, begin + share);
    #pragma unroll 1
    for (uint first = begin; first < end; first += sets) {
        const uint column = first + item % sets;
        acc r;
        acc_start(&r);
        #pragma unroll 1
        for (uint i = lane; column < end && i < slots; i += AWAITED * lanes) {
            const uint n = min((slots - i + lanes - 1) / lanes, (uint)AWAITED);
            acc q[AWAITED];
            await_signals(q, signals_of(counters, i, column, g),
                          (ulong)lanes * g->rows * ACC_WORDS, n, g->launch);
            #pragma unroll
            for (uint k = 0; k < AWAITED; k++)
                if (k < n)
                    merge(&r, &q[k]);
        }
        shared[item] = r;
        fold_sides(shared, 1, item, lanes, sets);
        r = shared[item];
        if (lane == 0 && column < end)
            finish(out, g->out_first + (long)column * g->out_row, g->out_step, &r, g->total);
    }
#elif PTX
    if (!(g->flags & ONE_LAUNCH))
        return;
    const bool fused = IS_FUSED(g);
    const uint block = fused ? 0 : group % g->blocks, number = fused ? group : group / g->blocks;
    const uint groups = (uint)g->slots * (fused ? g->blocks : 1), folders = g->folders;
    global uint *counter = counters + block;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); // all partials are written
    if (item == 0) {
        const uint before = groups > 1 ? arrive(counter) : 0;
        *turn = folders > 1 ? number + folders - groups : before + 1 - groups;
        while (folders > 1 && *turn < folders && arrivals(counter) < groups)
            ;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (*turn >= folders)
        return;
    const uint lanes = g->lanes, sets = WG / lanes, lane = item / sets;
    const uint columns = g->block * VEC_N;
    const uint from = block * columns;
    const uint to = fused ? (uint)g->rows : min((uint)g->rows, from + columns);
    const uint share = (to - from + folders - 1) / folders;
    const uint begin = from + *turn * share, end = min(to, begin + share);
    #pragma unroll 1
    for (uint first = begin; first < end; first += sets) {
        const uint column = first + item % sets;
        acc r;
        if (column < end)
            fold_partials(&r, part, lane, lanes, g, column);
        else
            acc_start(&r);
        shared[item] = r;
        fold_sides(shared, 1, item, lanes, sets);
        r = shared[item];
        if (lane == 0 && column < end)
            finish(out, g->out_first + (long)column * g->out_row, g->out_step, &r, g->total);
    }
    // Ready for the next launch once no folder waits.
    if (item == 0 && (folders == 1 || arrive(counter) == groups + folders - 1))
        *counter = 0;
#endif
}
