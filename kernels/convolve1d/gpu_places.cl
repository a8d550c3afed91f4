// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_places: columns that are shorter than the filter's reach, on GPUs.
//
// As in gpu_folds, which has the drawings, a table says which input stands at each position,
// and a task is up to ITEM_OUTPUTS neighbouring outputs of a lane. Here neighbouring rows lie
// side by side in memory. So local memory has tables and taps alone: an item reads the inputs
// of its row where they are, neighbouring items neighbours of these, and most reads hit the
// cache, because each input of a short row meets many taps.
//
//     item 0   row 0    | place | place | place ...   one table for all items of a team:
//     item 1   row 1    |       |       |             that of its task
//
// A group has TEAMS teams of LANES items: one task to a team, one row to an item. Groups with
// the same rows follow each other.
//
// Macros   those of gpu_places_inputs.cl and gpu_folds_task.cl
//          TEAMS   teams of a group
//          ROOM    local memory, in units of 16 bytes
// Barriers one, reached by all items: tables and taps are there.
// Per output: an ADD for each tap. For four inputs of a task an item reads them from global
// memory, and four taps and four places from local memory.
// Local memory: tables, taps.

#if !defined(TEAMS) || !defined(ROOM)
#error "TEAMS and ROOM must be defined"
#endif

#define LANES (WG / TEAMS)

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *restrict before,
                global const TAP_T *restrict taps, global OUT_T *restrict out,
                const struct arguments g, const struct fold_arguments f)
{
    local float4 room[ROOM];
    const uint item = get_local_id(0), team = item / LANES, group = (uint)get_group_id(0);
    const uint rounds = (f.tasks + TEAMS - 1) / TEAMS, band = group / rounds;
    const uint task = (group - band * rounds) * TEAMS + team;
    const ulong row = (ulong)band * LANES + item % LANES;
    const bool works = team < TEAMS && task < f.tasks;
    const uint phase = task / f.blocks, block = task - phase * f.blocks;
    const uint first = block * ITEM_OUTPUTS * f.step;
    local ushort *table = (local ushort *)room + team * f.length;

#if NEAR_TAPS
    local TAP_T *h = (local TAP_T *)(room + f.taps_at);
    copy_taps(h, taps, g.taps, item);
#else
    global const TAP_T *h = taps;
#endif
#if FLAT_ENDS
    const struct flat_inputs flat = find_flat(phase, first, &g, &f);
#else
    const struct flat_inputs flat = { 0, f.length };
#endif
    #pragma unroll 4
    for (uint m = flat.left + item % LANES; m < (works ? flat.right : 0); m += LANES)
        table[m] = (ushort)place_of(position_of(phase, first + m, &g), &g);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!works || row >= g.rows)
        return;

    struct row_inputs inputs;
    find_row(&inputs, x, (long)row, position_of(phase, first, &g), &g);
    SUM_T sums[ITEM_OUTPUTS][ITEM_ROWS];
    #pragma unroll
    for (uint o = 0; o < ITEM_OUTPUTS; o++)
        sums[o][0] = 0;
    add_task(sums, &inputs, table, h, &flat, &f, g.taps);
    out += g.out_first + (long)row * g.out_row_stride;
    #pragma unroll
    for (uint o = 0; o < ITEM_OUTPUTS; o++) {
        const long i = (long)phase + (long)(block * ITEM_OUTPUTS + o) * f.phases;
        if (i < (long)g.outputs)
            STORE(out + i * g.out_stride, 0, sums[o][0], g.shift);
    }
}
