// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_folds: many rows that are shorter than the filter's reach, on GPUs.
//
// Most taps of such rows meet inputs beyond the ends. Which input stands there is the same for
// all rows. So a group makes a table of these places once, and takes many whole rows:
//
//     n = 3, EDGE, 5 taps     position   -2 -1  0  1  2  3  4
//                             place       0  0  0  1  2  2  2      the table
//
//     local memory   place 0     | row 0 | row 1 | row 2 | ...
//                    place 1     | row 0 | row 1 | row 2 | ...
//
// Further places hold the constants left and right, and the history of each row. Sums of
// integers are exact in any order: where taps are many more than places, those that meet one
// place are added first (gpu_folds_taps.cl).
//
// With dilation a row has several lanes: an output needs inputs that lie `dilation` apart, and
// outputs that need the same kind of inputs share a lane. A task is up to ITEM_OUTPUTS
// neighbouring outputs of a lane. A group has TEAMS teams of LANES items, and the teams share
// the tasks. All items of a team work on one task at a time, each for ITEM_ROWS rows: item 0
// for rows 0, 1, 2 LANES, 2 LANES + 1 ... So they all read the same entry of the table, and
// neighbouring items read neighbouring rows, two at once:
//
//     input m     0  1  2  3  4  5  6 ...     the outputs of a task are STEP inputs apart
//     output 0    |--- taps ---|              an input is read once, and added to all sums
//     output 1       |--- taps ---|           that need it
//
// Neighbouring tasks share the entries that both need. Four are read at once, so the table may
// have copies, in one of which those of a task begin at a multiple of four.
//
// Macros   those of gpu_folds_fill.cl
//          ITEM_OUTPUTS, ITEM_ROWS   outputs and rows of an item
//          TEAMS        teams of a group
//          STEP         inputs of a lane between neighbouring outputs, 1 where an item has one
//                       output; 0: an argument says it
//          FOLDED       1: taps that meet the same place are added first
//          TEAM_TABLES  1: each team makes the entries of its task in each round. 0: the
//                       group makes those of all tasks, once
//          FLAT_ENDS    gpu_folds_flat.cl
//          NEAR_TAPS    1: local memory has the taps; 0: they are read from global memory
//          ROOM         local memory, in units of 16 bytes
// Barriers two, reached by all items: inputs, taps and table are there; results are there.
//          TEAM_TABLES and FOLDED: in each round one when the entries are there, and one when
//          they and the folded taps have been read; gpu_folds_taps.cl has more
// Per output: an ADD for each tap. For four inputs of a task an item reads from local memory
// 4 ITEM_ROWS inputs, in pairs, four taps (STEP 0: 4 ITEM_OUTPUTS) and four places. From global
// memory each input is read once, and each output is written once.
// Local memory: inputs, results, taps, table, folded taps.

#if !defined(ROOM)
#error "ROOM must be defined"
#endif

// What local memory keeps of a sum: the result, where that is not longer.
#if OUT_TYPE <= I32
#define KEPT_T            OUT_T
#define KEEP(s, shift)    RESULT((s), (shift))
#define GIVE(p, s, shift) (*(p) = (s))
#else
#define KEPT_T            SUM_T
#define KEEP(s, shift)    (s)
#define GIVE(p, s, shift) STORE((p), 0, (s), (shift))
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *UNSHARED before,
                global const TAP_T *restrict taps, global OUT_T *restrict out,
                const struct arguments g, const struct fold_arguments f UPDATE_PARAMETERS)
{
    local float4 room[ROOM];
    local NEAR_T *inputs = (local NEAR_T *)room;
    local KEPT_T *results = (local KEPT_T *)(room + f.results_at);
    local ushort *table = (local ushort *)(room + f.table_at);
    const uint item = get_local_id(0), team = item / LANES, lane = item - team * LANES;
    const ulong row = (ulong)get_group_id(0) * ROWS;
    const uint rows = (uint)min((ulong)ROWS, g.rows - row), n = (uint)g.n;
    const uint outputs = (uint)g.outputs;

    load_rows(inputs, x + (g.first + (long)row * g.row_stride), g.stride, g.row_stride, rows, n,
              item);
    if (g.left == BOUNDARY_HISTORY)
        load_rows(inputs + (n + 2) * PITCH,
                  before + (g.before_first + (long)row * g.before_row_stride), g.before_stride,
                  g.before_row_stride, rows, (uint)g.halo, item);
    for (uint r = item; r < PITCH; r += WG) {
        inputs[n * PITCH + r] = (NEAR_T)constant_of(g.constant_left);
        inputs[(n + 1) * PITCH + r] = (NEAR_T)constant_of(g.constant_right);
    }
#if NEAR_TAPS
    local TAP_T *h = (local TAP_T *)(room + f.taps_at);
    copy_taps(h, taps, g.taps, item);
#else
    global const TAP_T *h = taps;
#endif
#if !TEAM_TABLES
    make_table(table, &g, &f, item);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);

    #pragma unroll 1
    for (uint first = 0; first < f.tasks; first += TEAMS) {
        const uint task = first + team;
        const bool works = team < TEAMS && task < f.tasks;
#if TEAM_TABLES
        local ushort *places = table + team * f.length;
        if (works)
            make_table(places, &g, &f, task, lane);
        barrier(CLK_LOCAL_MEM_FENCE);
#else
        local const ushort *places = entries_of(table, &f, works ? task : 0);
#endif
#if FOLDED
        local int *folded = (local int *)(room + f.folded_at) + team * f.places * ITEM_OUTPUTS;
        make_folded(folded, places, taps, &g, &f, lane, works);
#endif
        if (works) {
            const uint phase = task / f.blocks, block = task - phase * f.blocks;
            ACC_T sums[ITEM_OUTPUTS][ITEM_ROWS];
            #pragma unroll
            for (uint o = 0; o < ITEM_OUTPUTS; o++) {
                #pragma unroll
                for (uint r = 0; r < ITEM_ROWS; r++)
                    sums[o][r] = 0;
            }
#if FOLDED
            add_folded(sums, inputs + ROW_OF(lane, 0), folded, f.places);
#else
#if FLAT_ENDS
            const struct flat_inputs flat =
                find_flat(phase, block * ITEM_OUTPUTS * f.step, &g, &f);
#else
            const struct flat_inputs flat = { 0, f.length };
#endif
            add_task(sums, (local const char *)(inputs + ROW_OF(lane, 0)), places, h, &flat, &f,
                     g.taps);
#endif
            #pragma unroll
            for (uint o = 0; o < ITEM_OUTPUTS; o++) {
                const uint i = phase + (block * ITEM_OUTPUTS + o) * f.phases;
                if (i < outputs) {
                    #pragma unroll
                    for (uint r = 0; r < ITEM_ROWS; r++)
                        results[i * PITCH + ROW_OF(lane, r)] =
                            KEEP(SUM_OF(sums[o][r], g.shift), g.shift);
                }
            }
        }
#if FOLDED || TEAM_TABLES
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    global OUT_T *to = out + (g.out_first + (long)row * g.out_row_stride);
    struct run r =
        run_of(to, rows, outputs, g.out_stride, g.out_row_stride, sizeof(OUT_T), item);
    #pragma unroll 4
    for (uint e = item; e < rows * outputs; e += WG) {
        GIVE((global OUT_T *)r.at, results[r.place], g.shift);
        run_on(&r);
    }
    UPDATE_HISTORY(x, before, &g);
}
