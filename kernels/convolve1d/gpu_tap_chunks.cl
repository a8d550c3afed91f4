// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_tap_chunks: any number of taps, rows of any shape, on GPUs; also rows with
// taps of their own.
//
// A lane is what one output needs, and those outputs that need inputs of the same kind: a row,
// or with dilation one of its phases. Its inputs m = 0, 1, ... are `dilation` positions apart.
// Its output j needs inputs j * step ... j * step + taps - 1. A group computes some contiguous
// outputs of some neighbouring lanes, so that its loads and stores hit whole sectors of memory:
//
//     one long row                 1 lane               many outputs
//     columns, channels, dilation  lanes side by side   some outputs of each
//     short rows                   rows                 all outputs of each
//
// The taps come through local memory, a chunk at a time, together with the inputs that they
// need, boundaries resolved. The sums stay in registers from the first chunk to the last. An
// item has ITEM_OUTPUTS contiguous outputs of one lane, and moves a window over its inputs:
//
//     lane   v0 v1 v2 v3 v4 v5 v6 ...    vectors in local memory
//     item 0 |---------- - - ->          ITEM_VECS vectors for its own outputs, then those that
//     item 1          |---------- - ->   the taps need; ITEM_VECS is odd: the vectors of
//                                        neighbouring items lie in different banks
//
// With STEP 2 ... a lane's inputs lie apart by their residue modulo STEP, and an item has a
// window in each residue; tap k meets that of k % STEP. With STEP 0 the step is an argument:
// inputs lie in rows of `columns`, ITEM_OUTPUTS rows to an item, and each tap reads afresh:
//
//     inputs   row 0 | 0 1 2 ... step - 1 |   output 0 begins here; the taps that meet a row
//              row 1 | step ...           |   behind it are the next `step`
//
// Macros   those of gpu_ring.cl
//          ROOM_VECS    vectors of local memory for an item, and ROOM_REST for a group
//          STEP         inputs between neighbouring outputs of a lane; 0: any number
//          TRIP_TURNS   turns of the ring of inputs in a trip, after which the ring is where it
//                       began
// Taps that meet one value beyond an end need no inputs (gpu_chunk_flat.cl).
//
// Barriers two per chunk of taps: the chunk before has been read; this one is there. Two
//          at the end: all inputs have been read; results are there. All items reach them,
//          because the number of chunks depends on the group alone.
// Per output: an ADD for each tap. From local memory an item reads an operand and a tap for
// ITEM_OUTPUTS ADDs (STEP 0: for each ADD an operand).
// Local memory: inputs and taps of a chunk, or outputs.

#if !defined(STEP) || !defined(TRIP_TURNS) || !defined(ROOM_VECS) || !defined(ROOM_REST)
#error "STEP, TRIP_TURNS, ROOM_VECS and ROOM_REST must be defined"
#endif
#if TRIP_TURNS < 1 || TRIP_TURNS * (ITEM_VECS + 1) > 24
#error "a trip must have 1 to 24 vectors"
#endif

#define PHASES (STEP ? STEP : 1)
#define TURN   (RING * PHASES)
#define TRIP   (TRIP_TURNS * TURN)
#define UNIT   (VEC_N * PHASES) // taps that a vector of each residue meets

// ---------------------------------------------------------------- sums
#if STEP
// Adds VEC_N taps of each phase, those of vector b of a trip, as far as there are n taps. `all`
// says that there are.
#define ADD_TAPS(sums, window, from, pitch, taps, b, n, all)                           \
    if ((all) || (b) * VEC_N * STEP < (n)) {                                           \
        _Pragma("unroll") for (int s = 0; s < STEP; s++)                               \
            TAKE(window[s], from + s * (pitch), (b) + ITEM_VECS)                       \
        _Pragma("unroll") for (int v = 0; v < STEP; v++) {                             \
            const tap_vec t = (taps)[(b) * STEP + v];                                  \
            _Pragma("unroll") for (int i = v * VEC_N; i < (v + 1) * VEC_N; i++)        \
                if ((all) || (b) * VEC_N * STEP + i < (n)) {                           \
                    const TAP_T tap = TAP(t, i % VEC_N);                               \
                    ADD_ALL(sums, window[i % STEP], tap, (b) * VEC_N + i / STEP)       \
                }                                                                      \
        }                                                                              \
    }
#define IN_TRIP(sums, window, from, pitch, taps, b) \
    if ((b) < TRIP_TURNS * (ITEM_VECS + 1))         \
        ADD_TAPS(sums, window, from, pitch, taps, b, 0u, true)
#define IN_TRIP_6(sums, window, from, pitch, taps, b) \
    IN_TRIP(sums, window, from, pitch, taps, b)       \
    IN_TRIP(sums, window, from, pitch, taps, b + 1)   \
    IN_TRIP(sums, window, from, pitch, taps, b + 2)   \
    IN_TRIP(sums, window, from, pitch, taps, b + 3)   \
    IN_TRIP(sums, window, from, pitch, taps, b + 4)   \
    IN_TRIP(sums, window, from, pitch, taps, b + 5)

// Adds n taps to the sums of an item whose inputs begin at w. `pitch`: from one phase to the
// next.
INLINE void add_taps(SUM_T *sums, local const vec16 *w, uint pitch, local const tap_vec *tap,
                     uint n)
{
    OPERAND window[STEP][RING];
    #pragma unroll
    for (int b = 0; b < ITEM_VECS * STEP; b++)
        TAKE(window[b % STEP], w + b % STEP * pitch, b / STEP)
    #pragma unroll 1
    for (; n >= TRIP; n -= TRIP, w += TRIP / STEP / VEC_N, tap += TRIP / VEC_N) {
        IN_TRIP_6(sums, window, w, pitch, tap, 0)
        IN_TRIP_6(sums, window, w, pitch, tap, 6)
        IN_TRIP_6(sums, window, w, pitch, tap, 12)
        IN_TRIP_6(sums, window, w, pitch, tap, 18)
    }
    // What is left of a trip: whole units, and then a part of one.
    #pragma unroll 1
    for (uint units = n / UNIT; units; units -= min(units, (uint)ITEM_VECS + 1)) {
        #pragma unroll
        for (uint b = 0; b <= ITEM_VECS; b++)
            if (b < units)
                ADD_TAPS(sums, window, w, pitch, tap, b, 0u, true)
        w += min(units, (uint)ITEM_VECS + 1);
        tap += min(units, (uint)ITEM_VECS + 1) * STEP;
    }
    n %= UNIT;
    if (n) {
        #pragma unroll
        for (int b = 0; b < ITEM_VECS * STEP; b++)
            TAKE(window[b % STEP], w + b % STEP * pitch, b / STEP)
        ADD_TAPS(sums, window, w, pitch, tap, 0, n, false)
    }
}
#else
// Adds n taps. `pitch`: operands from an item's rows to those of the next.
INLINE void add_taps(SUM_T *sums, local const OPERAND *w, uint pitch, local const TAP_T *tap,
                     uint n, uint columns)
{
    #pragma unroll 1
    for (uint q = 0, some; n; n -= some, q++) {
        some = min(n, columns);
        local const OPERAND *from[ITEM_OUTPUTS];
        #pragma unroll
        for (uint o = 0; o < ITEM_OUTPUTS; o++)
            from[o] = w + (q + o) / ITEM_OUTPUTS * pitch + (q + o) % ITEM_OUTPUTS * columns;
        #pragma unroll 4
        for (uint e = 0; e < some; e++, tap++) {
            #pragma unroll
            for (uint o = 0; o < ITEM_OUTPUTS; o++)
                sums[o] = ADD(sums[o], *tap, from[o][e]);
        }
    }
}
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *UNSHARED before,
                global const TAP_T *restrict taps, global OUT_T *restrict out,
                const struct arguments g, const struct chunk_arguments c UPDATE_PARAMETERS)
{
    local vec16 room[WG * ROOM_VECS + ROOM_REST];
    const struct task task = { g, c, find_part(out, &g, &c) };
    const uint item = get_local_id(0);
    // As this item computes: the segment of a lane.
    uint own = quotient(item, c.by_segments);
    const uint segment = item - own * c.segments;
    const bool is_used = own < task.p.lanes;
    own = is_used ? own : 0;
    const struct turn turn = find_in_turn(item, &c);

    SUM_T sums[ITEM_OUTPUTS];
#if FLAT_ENDS
    const struct flat_taps flat = find_flat_taps(own, &task);
    begin_sums(sums, room, x, taps, &flat, turn, &task);
#else
    const struct flat_taps flat = { .right = g.taps };
    #pragma unroll
    for (int o = 0; o < ITEM_OUTPUTS; o++)
        sums[o] = 0;
#endif
    #pragma unroll 1
    for (uint k = flat.left; k < flat.right; k += c.chunk) {
        const uint n = min(flat.right - k, c.chunk);
        load_inputs(room, x, before, k, n, turn.lane, turn.element, &task);
        load_taps(room, taps, k, n, turn.lane, turn.element, &task);
        wait_for_copies();
        barrier(CLK_LOCAL_MEM_FENCE);
        local const vec16 *w = room + own * c.lane_pitch;
        local const TAP_T *tap = (local const TAP_T *)(room + c.taps_at) + own * c.tap_pitch;
#if STEP
        if (is_used)
            add_taps(sums, w + segment * ITEM_VECS, c.pitch, (local const tap_vec *)tap, n);
#else
        add_taps(sums, (local const OPERAND *)w + segment * c.pitch, c.pitch, tap,
                 is_used ? n : 0, c.columns);
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#if FLAT_ENDS
    end_sums(sums, room, x, taps, &flat, turn, &task);
#endif
    local out_vec *results = (local out_vec *)room;
    if (is_used) {
        #pragma unroll
        for (int q = 0; q < ITEM_VECS; q++)
            results[own * c.out_pitch + segment * ITEM_VECS + q] =
                pack(sums + q * VEC_N, g.shift);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    write_part(out, results, &task);
    UPDATE_HISTORY(x, before, &g);
}
