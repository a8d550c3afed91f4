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
// Further places hold the constants left and right, and the history of each row.
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
// Macros   those of gpu_folds_fill.cl
//          ITEM_OUTPUTS, ITEM_ROWS   outputs and rows of an item
//          TEAMS    teams of a group
//          STEP     inputs of a lane between neighbouring outputs: 1; 0: an argument says it
//          ROOM     local memory, in units of 16 bytes
// Barriers two, reached by all items: inputs, taps and table are there; sums are there
// Per output: an ADD for each tap. For four inputs of a task an item reads from local memory
// 4 ITEM_ROWS operands, four taps (STEP 0: 4 ITEM_OUTPUTS) and four places. From global memory
// each input is read once, and each output is written once.
// Local memory: inputs, sums, taps, table.

#if !defined(STEP) || !defined(ROOM)
#error "STEP and ROOM must be defined"
#endif

// Reads four taps, 16 bytes at a time.
static void read_taps(TAP_T *to, local const TAP_T *from)
{
#if TAP_TYPE == C32
    const float4 a = ((local const float4 *)from)[0], b = ((local const float4 *)from)[1];
    to[0] = a.lo, to[1] = a.hi, to[2] = b.lo, to[3] = b.hi;
#elif TAP_TYPE == F64
    const double2 a = ((local const double2 *)from)[0], b = ((local const double2 *)from)[1];
    to[0] = a.x, to[1] = a.y, to[2] = b.x, to[3] = b.y;
#else
#if TAP_TYPE == F32
    const float4 a = *(local const float4 *)from;
#else
    const int4 a = *(local const int4 *)from;
#endif
    to[0] = a.x, to[1] = a.y, to[2] = a.z, to[3] = a.w;
#endif
}

// Adds the inputs m ... m + 3 of a task. `within`: all of its outputs need all of them.
static void add_inputs(SUM_T sums[ITEM_OUTPUTS][ITEM_ROWS], local const char *inputs,
                       ushort4 places, const TAP_T *window, local const TAP_T *taps, uint m,
                       uint n_taps, uint step, bool within)
{
    #pragma unroll
    for (uint u = 0; u < 4; u++) {
        const ushort place =
            u == 0 ? places.x : u == 1 ? places.y : u == 2 ? places.z : places.w;
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
                     local const ushort *places, local const TAP_T *taps,
                     const struct fold_arguments *f, uint n_taps)
{
    const uint step = STEP ? STEP : f->step;
    TAP_T window[ITEM_OUTPUTS + 3]; // STEP 1: the taps that inputs m ... m + 3 meet
    #pragma unroll
    for (uint i = 0; i < ITEM_OUTPUTS + 3; i++)
        window[i] = 0;
    #pragma unroll 1
    for (uint m = 0; m < f->length; m += 4) {
        if (STEP) {
            #pragma unroll
            for (int i = 0; i < ITEM_OUTPUTS - 1; i++)
                window[i] = window[i + 4];
            read_taps(window + ITEM_OUTPUTS - 1, taps + m);
        }
        const ushort4 at = ((local const ushort4 *)places)[m / 4];
        if (m >= (ITEM_OUTPUTS - 1) * step && m + 4 <= n_taps)
            add_inputs(sums, inputs, at, window, taps, m, n_taps, step, true);
        else
            add_inputs(sums, inputs, at, window, taps, m, n_taps, step, false);
    }
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *restrict before,
                global const TAP_T *restrict taps, global OUT_T *restrict out,
                const struct arguments g, const struct fold_arguments f)
{
    local float4 room[ROOM];
    local OPERAND *inputs = (local OPERAND *)room;
    local SUM_T *results = (local SUM_T *)(room + f.results_at);
    local TAP_T *h = (local TAP_T *)(room + f.taps_at);
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
    for (uint k = item; k < g.taps; k += WG)
        h[k] = taps[k];
    if (team < TEAMS)
        make_table(table, &g, &f, team, lane);
    barrier(CLK_LOCAL_MEM_FENCE);

    #pragma unroll 1
    for (uint task = team < TEAMS ? team : f.tasks; task < f.tasks; task += TEAMS) {
        SUM_T sums[ITEM_OUTPUTS][ITEM_ROWS];
        #pragma unroll
        for (uint o = 0; o < ITEM_OUTPUTS; o++) {
            #pragma unroll
            for (uint r = 0; r < ITEM_ROWS; r++)
                sums[o][r] = 0;
        }
        add_task(sums, (local const char *)(inputs + lane), table + task * f.length, h, &f,
                 g.taps);
        const uint phase = task / f.blocks, block = task - phase * f.blocks;
        #pragma unroll
        for (uint o = 0; o < ITEM_OUTPUTS; o++) {
            const uint i = phase + (block * ITEM_OUTPUTS + o) * f.phases;
            if (i < outputs) {
                #pragma unroll
                for (uint r = 0; r < ITEM_ROWS; r++)
                    results[i * PITCH + lane + r * LANES] = sums[o][r];
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    global OUT_T *to = out + (g.out_first + (long)row * g.out_row_stride);
    struct run r =
        run_of(to, rows, outputs, g.out_stride, g.out_row_stride, sizeof(OUT_T), item);
    #pragma unroll 4
    for (uint e = item; e < rows * outputs; e += WG) {
        STORE((global OUT_T *)r.at, 0, results[r.place], g.shift);
        run_on(&r);
    }
}
