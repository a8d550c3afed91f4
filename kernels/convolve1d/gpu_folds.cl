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
// for rows 0, LANES, 2 LANES ... So they all read the same entry of the table, and
// neighbouring items read neighbouring rows:
//
//     input m     0  1  2  3  4  5  6 ...     the outputs of a task are STEP inputs apart
//     output 0    |--- taps ---|              an input is read once, and added to all sums
//     output 1       |--- taps ---|           that need it
//
// Neighbouring tasks share the entries that both need, where those of each begin at a multiple
// of four.
//
// Macros   those of gpu_folds_fill.cl
//          ITEM_OUTPUTS, ITEM_ROWS   outputs and rows of an item
//          TEAMS      teams of a group
//          STEP       1: inputs of a lane between neighbouring outputs are 1, or an item has one
//                     output; 0: an argument says it
//          FOLDED     1: taps that meet the same place are added first
//          TEAM_TABLES  1: each team makes the entries of its task in each round. 0: the
//                     group makes those of all tasks, once
//          NEAR_TAPS  1: local memory has the taps; 0: they are read from global memory
//          ROOM       local memory, in units of 16 bytes
// Barriers two, reached by all items: inputs, taps and table are there; results are there.
//          TEAM_TABLES and FOLDED: in each round one when the entries are there, and one when
//          they and the folded taps have been read; gpu_folds_taps.cl has more
// Per output: an ADD for each tap. For four inputs of a task an item reads from local memory
// 4 ITEM_ROWS operands, four taps (STEP 0: 4 ITEM_OUTPUTS) and four places. From global memory
// each input is read once, and each output is written once.
// Local memory: inputs, results, taps, table, folded taps.

#if !defined(STEP) || !defined(ROOM) || !defined(NEAR_TAPS)
#error "STEP, ROOM and NEAR_TAPS must be defined"
#endif

#if NEAR_TAPS
#define TAP_SPACE local
#else
#define TAP_SPACE global
#endif

// What is kept of a sum in local memory: of one that has 64 bits, the result.
#if (WIDE_SUMS || (WHOLE_SUMS && !SUM32)) && OUT_TYPE != I64
#define KEPT_T            int
#define KEEP(s, shift)    RESULT((s), (shift))
#define GIVE(p, s, shift) (*(p) = (OUT_T)(s))
#else
#define KEPT_T            SUM_T
#define KEEP(s, shift)    (s)
#define GIVE(p, s, shift) STORE((p), 0, (s), (shift))
#endif

#if !FOLDED
#define ACC_T            SUM_T
#define SUM_OF(s, shift) (s)

// Reads four taps, 16 bytes at a time.
static void read_taps(TAP_T *to, TAP_SPACE const TAP_T *from)
{
#if TAP_TYPE == C32
    const float4 a = ((TAP_SPACE const float4 *)from)[0];
    const float4 b = ((TAP_SPACE const float4 *)from)[1];
    to[0] = a.lo, to[1] = a.hi, to[2] = b.lo, to[3] = b.hi;
#elif TAP_TYPE == F64
    const double2 a = ((TAP_SPACE const double2 *)from)[0];
    const double2 b = ((TAP_SPACE const double2 *)from)[1];
    to[0] = a.x, to[1] = a.y, to[2] = b.x, to[3] = b.y;
#else
#if TAP_TYPE == F32
    const float4 a = *(TAP_SPACE const float4 *)from;
#else
    const int4 a = *(TAP_SPACE const int4 *)from;
#endif
    to[0] = a.x, to[1] = a.y, to[2] = a.z, to[3] = a.w;
#endif
}

// Adds the inputs m ... m + 3 of a task. `within`: all of its outputs need all of them.
static void add_inputs(SUM_T sums[ITEM_OUTPUTS][ITEM_ROWS], local const char *inputs,
                       local const ushort *places, TAP_T *window, TAP_SPACE const TAP_T *taps,
                       uint m, uint n_taps, uint step, bool within)
{
    const ushort4 at = ((local const ushort4 *)places)[m / 4];
    if (STEP) {
        #pragma unroll
        for (int i = 0; i < ITEM_OUTPUTS - 1; i++)
            window[i] = window[i + 4];
        read_taps(window + ITEM_OUTPUTS - 1, taps + m);
    }
    #pragma unroll
    for (uint u = 0; u < 4; u++) {
        const ushort place = u == 0 ? at.x : u == 1 ? at.y : u == 2 ? at.z : at.w;
        local const OPERAND *from = (local const OPERAND *)(inputs + place);
        OPERAND v[ITEM_ROWS];
        #pragma unroll
        for (uint r = 0; r < ITEM_ROWS; r++)
            v[r] = from[r * LANES];
        #pragma unroll
        for (uint o = 0; o < ITEM_OUTPUTS; o++) {
            const uint k = m + u - o * step;
            if (within || k < n_taps) {
                const TAP_T tap = STEP ? window[ITEM_OUTPUTS - 1 + u - o] : taps[k];
                #pragma unroll
                for (uint r = 0; r < ITEM_ROWS; r++)
                    sums[o][r] = ADD(sums[o][r], tap, v[r]);
            }
        }
    }
}

// One task for the rows of an item.
static void add_task(SUM_T sums[ITEM_OUTPUTS][ITEM_ROWS], local const char *inputs,
                     local const ushort *places, TAP_SPACE const TAP_T *taps,
                     const struct fold_arguments *f, uint n_taps)
{
    const uint step = STEP ? 1 : f->step;
    TAP_T window[ITEM_OUTPUTS + 3]; // STEP 1: the taps that inputs m ... m + 3 meet
    #pragma unroll
    for (uint i = 0; i < ITEM_OUTPUTS + 3; i++)
        window[i] = 0;
    #pragma unroll 1
    for (uint m = 0; m < f->length;) {
        if (m >= (ITEM_OUTPUTS - 1) * step && m + 8 <= n_taps) {
            add_inputs(sums, inputs, places, window, taps, m, n_taps, step, true);
            add_inputs(sums, inputs, places, window, taps, m + 4, n_taps, step, true);
            m += 8;
        } else {
            add_inputs(sums, inputs, places, window, taps, m, n_taps, step, false);
            m += 4;
        }
    }
}
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *restrict before,
                global const TAP_T *restrict taps, global OUT_T *restrict out,
                const struct arguments g, const struct fold_arguments f)
{
    local float4 room[ROOM];
    local OPERAND *inputs = (local OPERAND *)room;
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
        inputs[n * PITCH + r] = constant_of(g.constant_left);
        inputs[(n + 1) * PITCH + r] = constant_of(g.constant_right);
    }
#if NEAR_TAPS
    local TAP_T *h = (local TAP_T *)(room + f.taps_at);
    for (uint k = item; k < g.taps; k += WG)
        h[k] = taps[k];
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
            ACC_T sums[ITEM_OUTPUTS][ITEM_ROWS];
            #pragma unroll
            for (uint o = 0; o < ITEM_OUTPUTS; o++) {
                #pragma unroll
                for (uint r = 0; r < ITEM_ROWS; r++)
                    sums[o][r] = 0;
            }
#if FOLDED
            add_folded(sums, inputs + lane, folded, f.places);
#else
            add_task(sums, (local const char *)(inputs + lane), places, h, &f, g.taps);
#endif
            const uint phase = task / f.blocks, block = task - phase * f.blocks;
            #pragma unroll
            for (uint o = 0; o < ITEM_OUTPUTS; o++) {
                const uint i = phase + (block * ITEM_OUTPUTS + o) * f.phases;
                if (i < outputs) {
                    #pragma unroll
                    for (uint r = 0; r < ITEM_ROWS; r++)
                        results[i * PITCH + lane + r * LANES] =
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
}
