// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_turn: rows that become columns, and columns that become rows, on GPUs.
//
// The elements of a row are neighbours in x, those of different rows in out. A group takes some
// positions of ROWS neighbouring rows, and loads the inputs that they need into local memory.
// Items that are neighbours load neighbours of one row. In the sums they are neighbouring rows,
// so that they write neighbours, too:
//
//     tile     position 0 1 2 3 4 ...          item 0 of a team
//     row 0             a a a a a ...          item 1
//     row 1             b b b b b ...          item 2
//     row 2             c c c c c ...          ...
//
// A group has TEAMS teams of ROWS items. A unit is up to ITEM_OUTPUTS outputs of each of the rows,
// PHASES positions apart: the taps, which lie DILATION apart, meet them in inputs that lie so,
// too. The teams share the units of the group. For a unit an item reads each input once, and adds
// it to all sums that need it.
//
// The rows of a tile lie an odd number of operands (with WORDS: of words) apart, in different
// banks. Positions beyond the ends are filled from the tile, where it has what stands for them.
//
// With BACK the elements of a row are neighbours in out, those of different rows in x. Then items
// that are neighbours load neighbouring rows, and take neighbouring units of one row: phases,
// so that they write neighbours. With few phases these would lie far apart: results go through
// local memory (EXCHANGE).
//
// Sums are taken in ORDER 1: an output adds its taps one after the other.
//
// Macros   those of convolve1d.cl
//          TAPS          number of taps
//          STEP          inputs of a phase between neighbouring outputs
//          DILATION      from the input of a tap to that of the next
//          TILE_ROWS     rows of a tile, in large groups
//          ITEM_OUTPUTS  outputs of an item; odd with BACK, so that items read from different banks
//          BACK          1: columns become rows
//          EXCHANGE      1: with BACK, and results go through local memory
//          PHASES        lanes of a row: the dilation, divided by what the step has in common
//          WORDS         1: elements of up to 4 bytes are neighbours in rows, and the tile has
//                        them as memory does. 0: it has operands, or with BACK elements of up
//                        to 2 bytes
//          BACKWARDS     1: with WORDS, and rows lie backwards
//          OWN_TAPS      0: all rows have the same taps, an argument by value. 1: each row has
//                        its own. With BACK neighbouring items are of one row, and read them at
//                        one address. H200, driver 580.159.04, 2026-11-28, f32, 19 taps,
//                        dilation 21, 224 of 338 columns: 151 us, by gpu_tap_chunks 534. Else
//                        an item has one row, and keeps them in registers: i32, 4 taps,
//                        dilation 14, 9747 rows of 7783 244, by gpu_tap_chunks 1180
//          ALONG         items that load neighbours of a row, where WG is a multiple of it
//          ROOM          local memory, in units of 16 bytes
// Barriers one, reached by all items: inputs are there; with EXCHANGE one more: results are there;
// and those of gpu_turn_fill.cl
// Per output: TAPS ADDs. An item reads TAPS + (ITEM_OUTPUTS - 1) * STEP operands from local memory
// for ITEM_OUTPUTS outputs.
// Local memory: one tile of inputs, and with EXCHANGE of results.

#if !defined(TAPS) || !defined(STEP) || !defined(ITEM_OUTPUTS) || !defined(ROOM) || \
    !defined(DILATION) || !defined(PHASES) || !defined(EXCHANGE) || !defined(OWN_TAPS)
#error "a macro of gpu_turn.cl is not defined: its head lists them"
#endif

// From a cell to that of the next position.
#define NEXT (BACKWARDS ? -1 : 1)

#if OWN_TAPS
#define TAP(k) own_taps[k]
#else
struct taps {
    TAP_T g[TAPS];
};
#define TAP(k) h.g[k]
#endif

// Adds input p of the item to the sums that need it.
#define ADD_INPUT(p)                                                                     \
    if ((p) < TAPS + (ITEM_OUTPUTS - 1) * STEP) {                                        \
        const OPERAND v = CELL_AT(from, NEXT * (p) * DILATION);                          \
        _Pragma("unroll") for (int o = 0; o < ITEM_OUTPUTS; o++)                         \
            if ((p) - o * STEP >= 0 && (p) - o * STEP < TAPS)                            \
                sums[o] = ADD(sums[o], TAP((p) - o * STEP), v);                          \
    }
#define ADD_INPUTS_4(p)  ADD_INPUT(p) ADD_INPUT(p + 1) ADD_INPUT(p + 2) ADD_INPUT(p + 3)
#define ADD_INPUTS_16(p) \
    ADD_INPUTS_4(p) ADD_INPUTS_4(p + 4) ADD_INPUTS_4(p + 8) ADD_INPUTS_4(p + 12)
#define ADD_INPUTS_64(p) \
    ADD_INPUTS_16(p) ADD_INPUTS_16(p + 16) ADD_INPUTS_16(p + 32) ADD_INPUTS_16(p + 48)

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *UNSHARED before,
                TAPS_PARAMETER, global OUT_T *restrict out, const struct arguments g,
                const struct turn_arguments t UPDATE_PARAMETERS)
{
    local float4 room[ROOM];
    local CELL *tile = (local CELL *)room;
    const uint item = get_local_id(0);
    // Blocks of rows side by side first, then parts of the rows: what both share is still in
    // the cache.
    const uint group = get_group_id(0), rest = group / t.near, part = rest % t.parts;
    const ulong row = ((ulong)(rest / t.parts) * t.near + group % t.near) * ROWS;
    const uint rows = row < g.rows ? (uint)min((ulong)ROWS, g.rows - row) : 0;
    const ulong first = (ulong)part * t.outputs; // of the row's outputs
    const uint outputs = (uint)min((ulong)t.outputs, g.outputs - first);
    const uint segment_outputs = ITEM_OUTPUTS * PHASES;
    const uint segments = (outputs + segment_outputs - 1) / segment_outputs;
    const uint elements = (outputs - 1) * g.step + (uint)g.halo + 1;
    const uint width = (segments * segment_outputs - 1) * g.step + (uint)g.halo + 1;
    const long j = g.origin + (long)first * g.step;
    // Sums that are not written have inputs, too. Only simulators ask what these are.
    if (rows)
        fill(tile, x, before, &g, t.pitch, row, rows, j, elements, width,
             PTX ? elements : width);
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint units = segments * PHASES;
#if EXCHANGE
    local OUT_T *results = (local OUT_T *)(room + (ROWS * t.pitch * sizeof(CELL) + 15) / 16);
#endif
#if BACK
    #pragma unroll 1
    for (uint n = item; n < rows * units; n += WG) {
        const uint lane = n / units, unit = n - lane * units;
#if OWN_TAPS
        global const TAP_T *own_taps = taps + (g.tap_first + (row + lane) * g.tap_row);
#endif
#else
    const uint lane = item % ROWS, team = item / ROWS;
#if OWN_TAPS
    TAP_T own_taps[TAPS];
    if (lane < rows)
        #pragma unroll
        for (int k = 0; k < TAPS; k++)
            own_taps[k] = taps[g.tap_first + (row + lane) * g.tap_row + k];
#endif
    #pragma unroll 1
    for (uint unit = lane < rows && team < TEAMS ? team : units; unit < units; unit += TEAMS) {
#endif
        const uint segment = unit / PHASES;
        const uint own = segment * segment_outputs + unit - segment * PHASES;
        local const CELL *from =
            tile + (lane * t.pitch + skew_of(lowest_cell(x, &g, row + lane, j, width)) +
                    PLACE(own * g.step, width));
        SUM_T sums[ITEM_OUTPUTS];
        #pragma unroll
        for (int o = 0; o < ITEM_OUTPUTS; o++)
            sums[o] = 0;
        ADD_INPUTS_64(0)
#if TAPS + (ITEM_OUTPUTS - 1) * STEP > 64
        ADD_INPUTS_64(64)
#endif
#if TAPS + (ITEM_OUTPUTS - 1) * STEP > 128
        ADD_INPUTS_64(128)
#endif
#if TAPS + (ITEM_OUTPUTS - 1) * STEP > 192
        ADD_INPUTS_64(192)
#endif
#if EXCHANGE
        local OUT_T *keep = results + (lane * outputs + own);
        #pragma unroll
        for (uint o = 0; o < ITEM_OUTPUTS; o++)
            if (own + o * PHASES < outputs)
                KEEP(keep, o * PHASES, sums[o], g.shift);
#else
        global OUT_T *to = out + (g.out_first + (long)(row + lane) * g.out_row_stride +
                                  (long)(first + own) * g.out_stride);
        if (own + (ITEM_OUTPUTS - 1) * PHASES < outputs) {
            #pragma unroll
            for (uint o = 0; o < ITEM_OUTPUTS; o++, to += PHASES * g.out_stride)
                STORE(to, 0, sums[o], g.shift);
        } else {
            #pragma unroll
            for (uint o = 0; o < ITEM_OUTPUTS; o++, to += PHASES * g.out_stride)
                if (own + o * PHASES < outputs)
                    STORE(to, 0, sums[o], g.shift);
        }
#endif
    }
#if EXCHANGE
    barrier(CLK_LOCAL_MEM_FENCE);
    give(out + (g.out_first + (long)row * g.out_row_stride + (long)first * g.out_stride), &g,
         results, rows, outputs);
#endif
    UPDATE_HISTORY(x, before, &g);
}
