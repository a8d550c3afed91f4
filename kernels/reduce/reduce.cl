// SPDX-License-Identifier: Apache-2.0
//
// reduce: what all variants share, and the kernel that folds partials.
//
//     out[r] = x[r][0] op x[r][1] op ... op x[r][count - 1]
//
// A value passes three stages, each wider and rarer than the one before:
//
//     chain     at most CHAIN elements, in a cheap type        reduce/chain.cl
//     acc       a partial, exact or compensated: merging any number of them costs no accuracy
//                                                              reduce/acc.cl
//     result    what finish() writes to out                    reduce/result.cl
//
// Who reads what: a row is cut into `slots` parts. One group reads each slot, or a few items do
// where rows are short; the file of the variant says which. The partial of slot s is number
// 1 + s of its row, and goes to part[row * pitch + (1 + s) * apart]. Partial 0 is the result of the
// earlier pieces of a streamed array. reduce_fold merges a row's partials:
//
//     part   | pieces | slot 0 | slot 1 | slot 2 | ...      lanes 0, 1, 2 ... in turn, then a tree
//
// The partials of a row lie one behind the other, or those of neighbouring rows side by side
// (ACROSS_ROWS), so that neighbouring items write and read neighbouring ones.
//
// With one partial and one piece (DIRECT) the first kernel writes the result, and there is no
// fold. With ONE_LAUNCH a group folds the partials of the others (reduce/signals.cl). The order
// of merging depends on the layout alone, so that a call repeats to the bit.
//
// Macros  TYPE      see common.cl
//         OP        a number of enum gpuprim_op; SUM ... MEAN name these numbers
//         SUM_TYPE  what sums and products are carried in: I64 U64 F32 F64, or 0 = 128 bits,
//                   for means of integers whose sum could leave 64
//         OUT_TYPE  see reduce/result.cl
//         SKIP_NAN  1: NaNs are left out
//         WG        items per group, any number from 1 up
// A variant's own macros are in the head of its file. struct arguments, its flags and CHAIN are
// those of src/reduce/arguments.h.
//
// Barriers: those of fold_group() (reduce/folds.cl). Bytes per element of x: its size. reduce_fold
// reads an acc per partial and writes a result per row.

// Scratch memory begins with counters, and has the partials behind them. A launch that writes
// results alone has none: each buffer that a kernel has makes its launch take longer.
static global acc *partials_of(global uint *scratch)
{
    return (global acc *)(scratch + REDUCE_COUNTERS);
}

// Writes the row's result, or partial `at` of it.
static void emit(global acc *part, global OUT_T *out, const struct arguments *g, ulong row,
                 ulong at, const acc *r)
{
    if (g->flags & DIRECT)
        finish(out, g->out_first + (long)row * g->out_row, g->out_step, r, g->total);
    else
        part[row * g->pitch + at * g->apart] = *r;
}

// Merges every lanes-th partial of a row, from begin + lane on, several loads in flight.
static void fold_partials(acc *r, volatile global acc *part, uint lane, uint lanes,
                          const struct arguments *g, ulong row)
{
#define FOLD_DEPTH (sizeof(acc) <= 16 ? 8 : 1)
    acc_start(r);
    part += row * g->pitch;
    const ulong apart = g->apart;
    #pragma unroll 1
    for (ulong i = g->begin + lane; i <= g->partials; i += FOLD_DEPTH * lanes) {
        acc q[FOLD_DEPTH];
        #pragma unroll
        for (uint k = 0; k < FOLD_DEPTH; k++)
            if (i + k * lanes <= g->partials)
                acc_load(&q[k], part + (i + k * lanes) * apart);
        #pragma unroll
        for (uint k = 0; k < FOLD_DEPTH; k++)
            if (i + k * lanes <= g->partials)
                merge(r, &q[k]);
    }
}

// The second launch: merges the partials of each row into its result (DIRECT) or into partial
// 0. `lanes` items share a row; they divide WG.
kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void reduce_fold(global uint *scratch, global OUT_T *out, const struct arguments g)
{
    global acc *part = partials_of(scratch);
    SHARED acc shared[WG];
    const bool across = (g.flags & ACROSS_ROWS) != 0;
    const uint item = get_local_id(0), sets = WG / g.lanes;
    const uint set = across ? item % sets : item / g.lanes;
    const uint lane = across ? item / sets : item % g.lanes;
    const ulong row = (ulong)(uint)get_group_id(0) * sets + set;
    acc r;
    if (row < g.rows)
        fold_partials(&r, part, lane, g.lanes, &g, row);
    else
        acc_start(&r);
    shared[item] = r;
    fold_group(shared, item, lane, g.lanes, across ? sets : 1);
    r = shared[item];
    if (lane == 0 && row < g.rows)
        emit(part, out, &g, row, 0, &r);
}
