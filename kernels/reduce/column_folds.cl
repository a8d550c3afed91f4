// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_columns: the folds at the end of a group, over the lanes of a column, and of the last
// groups of a block, over the groups.
//
// Macros: see gpu_columns.cl.

// Merges the accs of the lanes of each column, four at each step. Acc s of an item lies at
// shared[s * WG + item].
static void fold_sides(SHARED acc *shared, uint item, uint lane, uint lanes, uint apart)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll 1
    for (uint n = lanes; n > 1; n = (n + 3) / 4) {
        const uint quarter = (n + 3) / 4;
        if (lane < quarter) {
            acc r[SIDE];
            #pragma unroll
            for (int s = 0; s < SIDE; s++)
                r[s] = shared[s * WG + item];
            #pragma unroll
            for (uint k = 1; k < 4; k++)
                if (lane + k * quarter < n)
                    #pragma unroll
                    for (int s = 0; s < SIDE; s++) {
                        const acc q = shared[s * WG + item + k * quarter * apart];
                        merge(&r[s], &q);
                    }
            #pragma unroll
            for (int s = 0; s < SIDE; s++)
                shared[s * WG + item] = r[s];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

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
// g.lanes items each column. One folder is the group that arrives last. Several are the groups
// of the highest numbers, which wait for the others; each folds a share of the columns. They
// would wait forever on a device that does not run as many groups at once, or begins groups of
// higher numbers first (reduce/signals.cl). All items call this.
static void fold_block(global acc *part, global uint *counters, global OUT_T *out,
                       SHARED acc *shared, local uint *turn, uint item, uint group,
                       const struct arguments *g)
{
#if PTX
    if (!(g->flags & ONE_LAUNCH))
        return;
    const bool fused = (g->flags & FUSED) != 0;
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
    const uint lanes = g->lanes, lane = item % lanes, columns = g->block * VEC_N;
    const uint from = block * columns;
    const uint to = fused ? (uint)g->rows : min((uint)g->rows, from + columns);
    const uint share = (to - from + folders - 1) / folders;
    const uint begin = from + *turn * share, end = min(to, begin + share);
    #pragma unroll 1
    for (uint first = begin; first < end; first += WG / lanes) {
        const uint column = first + item / lanes;
        acc r;
        if (column < end)
            fold_partials(&r, part, lane, lanes, g, column);
        else
            acc_start(&r);
        shared[item] = r;
        fold_group(shared, item, lane, lanes, 1);
        r = shared[item];
        if (lane == 0 && column < end)
            finish(out, g->out_first + (long)column * g->out_row, g->out_step, &r, g->total);
    }
    // Ready for the next launch once no folder waits.
    if (item == 0 && (folders == 1 || arrive(counter) == groups + folders - 1))
        *counter = 0;
#endif
}
