// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_stretches: short rows of narrow elements, on GPUs.
//
// A group copies the inputs of ROWS whole rows to local memory, as they lie in memory, and what
// stands beyond their ends (gpu_turn_fill.cl). A stretch is ITEM_OUTPUTS neighbouring outputs of
// a row. Items that are neighbours take the same stretch of neighbouring rows, so that a warp has
// one stretch; TEAMS teams of ROWS items share the stretches:
//
//     tile     position 0 1 2 3 4 5 6 7 ...    TAPS 3, ITEM_OUTPUTS 4
//     row 0             a a a a a a            stretch 0: item 0 of a team
//     row 1             b b b b b b                       item 1
//     row 0                     c c c c c c    stretch 1: item 0
//
// An item reads the words that its inputs lie in, and moves them in registers, because a row
// begins anywhere in a word. A window is contiguous inputs that it has at once. One holds what all
// taps of a stretch meet; where dilation or a step makes it long, each tap has one of its own. In a
// window each input becomes an operand once. Results go back to local memory as they will lie in
// memory (gpu_stretches_give.cl): those of a group by vectors, or row by row.
//
// The rows of the tile lie an odd number of words apart, in different banks.
//
// Sums are taken in ORDER 1: an output adds its taps one after the other.
//
// Macros   those of gpu_vectors.cl, and of gpu_turn_fill.cl with WORDS
//          TAPS          number of taps
//          STEP          inputs between neighbouring outputs
//          DILATION      inputs between neighbouring taps
//          WINDOWS       1, or as many as taps
//          ITEM_OUTPUTS  outputs of a stretch, a multiple of 4
//          OWN_TAPS      1: each row has taps of its own, which its items keep in registers
//          LINES, TURNED, MIRRORED, PADDED   how results lie: gpu_stretches_give.cl
//          ROOM          local memory, in vectors of 16 bytes
// Barriers two, reached by all items: inputs are there; results are there. And those of
//          gpu_turn_fill.cl, and without PTX one more: memory that nobody wrote is 0
// Per output: TAPS ADDs. An item reads WINDOWS * INPUTS inputs for ITEM_OUTPUTS outputs.
// Local memory: the inputs of ROWS rows, and their results.

#if !defined(TAPS) || !defined(STEP) || !defined(DILATION) || !defined(WINDOWS) ||     \
    !defined(ITEM_OUTPUTS) || !defined(ROOM) || !defined(OWN_TAPS)
#error "a macro of gpu_stretches.cl is not defined: its head lists them"
#endif
#if ITEM_OUTPUTS % 4 != 0
#error "results of a stretch are whole words"
#endif

#define REACH       ((TAPS - 1) * DILATION + 1) // positions from the first tap to the last
#define WINDOW_TAPS (TAPS / WINDOWS)
#define INPUTS      ((ITEM_OUTPUTS - 1) * STEP + (WINDOW_TAPS - 1) * DILATION + 1) // of a window
#define VECTORS     ((INPUTS + VEC_N - 1) / VEC_N)
#if INPUTS > 64
#error "an item has more inputs than are unrolled"
#endif

struct taps {
    TAP_T g[TAPS];
};

// Input p of a window, whose cells lie backwards where rows do.
#define INPUT_OF(v, p) (v)[BACKWARDS ? INPUTS - 1 - (p) : (p)]

// The tap that input p meets in output o of a stretch, in a window that begins at tap k.
#define MEETS(p, o)                                                           \
    ((p) >= (o) * STEP && ((p) - (o) * STEP) % DILATION == 0 &&               \
     ((p) - (o) * STEP) / DILATION < WINDOW_TAPS)
#define TAP_OF(k, p, o) ((k) + ((p) - (o) * STEP) / DILATION)

// Adds input p to the sums that need it.
#define ADD_INPUT(k, p)                                                             \
    if ((p) < INPUTS) {                                                             \
        _Pragma("unroll") for (int o = 0; o < ITEM_OUTPUTS; o++)                    \
            if (MEETS(p, o))                                                        \
                sums[o] = ADD(sums[o], h.g[TAP_OF(k, p, o)], INPUT_OF(v, (p)));     \
    }
#define ADD_INPUTS_4(k, p) \
    ADD_INPUT(k, p) ADD_INPUT(k, p + 1) ADD_INPUT(k, p + 2) ADD_INPUT(k, p + 3)
#define ADD_INPUTS_16(k, p)                           \
    ADD_INPUTS_4(k, p) ADD_INPUTS_4(k, p + 4)         \
    ADD_INPUTS_4(k, p + 8) ADD_INPUTS_4(k, p + 12)

// Four elements as operands. They are extended to 32 bits before they become floats: conversions
// from fewer bits take the unit that has an eighth of the rate.
#if PTX && !IS_FLOAT && !WHOLE_SUMS && !WIDE_SUMS && !MAKES_FLOATS
static vec16 operands_of(in_vec v)
{
    const JOIN_NAMES(ELEM, 4) e = JOIN_NAMES(JOIN_NAMES(as_, ELEM), 4)(v);
    return (vec16)(OPERAND_OF(e.x), OPERAND_OF(e.y), OPERAND_OF(e.z), OPERAND_OF(e.w));
}
#else
#define operands_of(v) unpack(v)
#endif

// The operands of a window, the lowest cell first. Cell `first` of the tile is the lowest one.
__attribute__((always_inline))
static inline void take_inputs(OPERAND *v, local const CELL *tile, uint first)
{
    local const uint *from = (local const uint *)tile + first / IN_WORD;
    const uint late = first % IN_WORD * (8 * BYTES);
    uint w[VECTORS * BYTES + 1];
    #pragma unroll
    for (int i = 0; i <= VECTORS * BYTES; i++)
        w[i] = from[i];
    #pragma unroll
    for (int i = 0; i < VECTORS; i++) {
#if BYTES == 1
        const in_vec moved_in = moved(w[i], w[i + 1], late);
#else
        const in_vec moved_in = (in_vec)(moved(w[2 * i], w[2 * i + 1], late),
                                         moved(w[2 * i + 1], w[2 * i + 2], late));
#endif
        const vec16 four = operands_of(moved_in);
        #pragma unroll
        for (int u = 0; u < VEC_N; u++)
            v[i * VEC_N + u] = ELEMENT(four, u);
    }
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *UNSHARED before,
                TAPS_PARAMETER, global OUT_T *restrict out, const struct arguments g,
                const struct stretch_arguments t UPDATE_PARAMETERS)
{
    local uint4 room[ROOM];
    local CELL *tile = (local CELL *)room;
    local uchar *results = (local uchar *)(room + t.results_at);
    const uint item = get_local_id(0), lane = item % ROWS, team = item / ROWS;
    const ulong row = (ulong)get_group_id(0) * ROWS;
    const uint rows = (uint)min((ulong)ROWS, g.rows - row), outputs = (uint)g.outputs;
    const uint elements = (outputs - 1) * STEP + REACH;
    const uint width = (t.stretches * ITEM_OUTPUTS - 1) * STEP + REACH;
#if !PTX
    // Items read words beside their inputs. Nobody wrote them, which simulators report.
    for (uint i = item; i < ROOM; i += WG)
        room[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#if OWN_TAPS
    struct taps h;
    if (lane < rows)
        #pragma unroll
        for (int k = 0; k < TAPS; k++)
            h.g[k] = taps[g.tap_first + (row + lane) * g.tap_row + k];
#endif
    fill(tile, x, before, &g, t.pitch, row, rows, g.origin, elements, width, elements);
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint skew = skew_of(lowest_cell(x, &g, row + lane, g.origin, width));
    const uint own_row = lane * t.pitch + skew;
    global OUT_T *lowest = lowest_result(out, &g, row, rows);
    const struct row_place to = place_of_row(lowest, &g, &t, rows, lane);
    #pragma unroll 1
    for (uint s = lane < rows && team < TEAMS ? team : t.stretches; s < t.stretches; s += TEAMS) {
        const uint own = s * ITEM_OUTPUTS;
        SUM_T sums[ITEM_OUTPUTS];
        #pragma unroll
        for (int o = 0; o < ITEM_OUTPUTS; o++)
            sums[o] = 0;
        #pragma unroll
        for (int k = 0; k < WINDOWS; k++) {
            OPERAND v[VECTORS * VEC_N];
            const uint low = own * STEP + k * DILATION + (BACKWARDS ? INPUTS - 1 : 0);
            take_inputs(v, tile, own_row + PLACE(low, width));
            ADD_INPUTS_16(k, 0)
            ADD_INPUTS_16(k, 16)
            ADD_INPUTS_16(k, 32)
            ADD_INPUTS_16(k, 48)
        }
        keep_results(results, &to, sums, own, outputs, g.shift);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    give_results(lowest, results, &g, &t, rows, item);
    UPDATE_ROWS(x, before, &g, row, rows);
}
