// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_columns: the folds at the end of a group, over the lanes of a column, and of the last
// group of a block, over the groups.
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

// With ONE_LAUNCH the last group of the `block` to arrive here, or of all where lines are fused,
// folds the partials of its columns, g.lanes items each. All items call this.
static void fold_block(global acc *part, global uint *counters, global OUT_T *out,
                       SHARED acc *shared, local uint *last, uint item, uint block,
                       const struct arguments *g)
{
#if PTX
    const bool fused = (g->flags & FUSED) != 0;
    global uint *counter = counters + (fused ? 0 : block);
    if (!(g->flags & ONE_LAUNCH))
        return;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); // all partials are written
    const uint others = (uint)g->slots * (fused ? g->blocks : 1) - 1;
    if (item == 0)
        *last = others == 0 || arrive(counter) == others;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!*last)
        return;
    const uint lanes = g->lanes, lane = item % lanes, columns = g->block * VEC_N;
    const uint begin = fused ? 0 : block * columns;
    const uint end = fused ? (uint)g->rows : min((uint)g->rows, begin + columns);
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
    if (item == 0)
        *counter = 0; // ready for the next launch
#endif
}
