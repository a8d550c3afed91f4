// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_columns: the folds at the end of a group, over the lanes of a column and over its places
// in fused lines, and of the last group of a block, over the groups.
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

// With MERGED a group merges the accs of the places of each column that it has, and gives one partial
// of every column. r of the items of the first lane are the accs of their vectors. All items call this.
static void merge_places(global acc *part, global OUT_T *out, SHARED acc *shared, const acc *r,
                         uint item, bool is_first, uint head, const struct arguments *g)
{
    const uint width = (uint)g->stride, rows = (uint)g->rows, group = get_group_id(0);
    const uint vector = group % g->blocks * g->block; // the group's first
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_first)
        #pragma unroll
        for (int c = 0; c < VEC_N; c++)
            shared[item * VEC_N + c] = r[c];
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll 1
    for (uint column = item; column < rows; column += WG) {
        acc whole;
        acc_start(&whole);
        #pragma unroll 1
        for (uint k = 0; k >> g->fuse == 0; k++) {
            uint place = (column + width - head % width) % width + k * width, skipped = 0;
            if (g->flags & SKIPPED) {
                const uint begin = width - head + k * width;
                skipped = begin / VEC_N - k * VECTORS_OF_SKIPPED(rows, VEC_N);
                place = begin + column;
            }
            const uint of_block = place / VEC_N - skipped - vector;
            if (of_block < g->block) {
                const acc q = shared[of_block * VEC_N + place % VEC_N];
                merge(&whole, &q);
            }
        }
        emit(part, out, g, column, 1 + group, &whole);
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
