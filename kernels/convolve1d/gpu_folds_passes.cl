// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_folds and gpu_places: most inputs of a task, those that all of its outputs
// need, in passes. Loads must be under way long before their values are needed: an input is
// loaded AHEAD inputs in front of its turn, as soon as a register is free for it. Taps are a
// ring of registers, of which a pass is one turn, so that nothing moves:
//
//     ring    tap m - LEAD ... m - 1 | tap m ... m - LEAD + RING - 1   where a pass begins at m
//     input m + u meets for output o the slot LEAD + u - o * STEP, modulo RING
//
// Macros   those of gpu_folds_sums.cl
//          AHEAD   a multiple of 4
// load_inside() is load_place() of inputs in front of end_of_inputs().

#ifndef AHEAD
#error "AHEAD must be defined"
#endif

#if !FOLDED && STEP
#define RING ((LEAD + 7 + AHEAD) / AHEAD * AHEAD)
// What a task must have from the beginning of a pass on: a pass looks at the places and taps
// that the next one needs.
#define PASS_TABLE (RING + AHEAD + 4)

// Adds passes from input m on while they end by `end`. Returns what comes next; the window is
// that of gpu_folds_sums.cl. `is_flat`: all inputs are `flat`.
INLINE uint add_passes(SUM_T sums[ITEM_OUTPUTS][ITEM_ROWS], INPUTS in,
                       local const ushort *places, TAP_T *window, TAP_SPACE const TAP_T *taps,
                       uint m, uint end, uint length, const OPERAND *flat, bool is_flat)
{
    // What the next pass looks at.
    local const ushort4 *table = (local const ushort4 *)(places + m + AHEAD);
    TAP_SPACE const TAP_T *next = taps + (m - LEAD);
    TAP_T ring[RING];
    OPERAND v[AHEAD][ITEM_ROWS];
    #pragma unroll
    for (uint i = 0; i < RING; i += 4)
        read_taps(ring + i, next + i);
    #pragma unroll
    for (uint u = 0; u < AHEAD; u++)
        if (!is_flat)
            load_inside(v[u], in, places[m + u]);
    ushort4 at = is_flat ? (ushort4)(0) : table[0];
    #pragma unroll 1
    do {
        next += RING;
        #pragma unroll
        for (uint u = 0; u < RING; u++) {
            #pragma unroll
            for (uint o = 0; o < ITEM_OUTPUTS; o++) {
                #pragma unroll
                for (uint r = 0; r < ITEM_ROWS; r++)
                    sums[o][r] = ADD(sums[o][r], ring[(LEAD + u - o * STEP) % RING],
                                     is_flat ? flat[r] : v[u % AHEAD][r]);
            }
            if (!is_flat)
                load_inside(v[u % AHEAD], in, u % 4 == 0   ? at.x
                                              : u % 4 == 1 ? at.y
                                              : u % 4 == 2 ? at.z
                                                           : at.w);
            if (u % 4 == 3) {
                if (!is_flat)
                    at = table[(u + 1) / 4];
                read_taps(ring + (u - 3), next + (u - 3));
            }
        }
        table += RING / 4;
        m += RING;
    } while (m + RING <= end && m + PASS_TABLE <= length);
    #pragma unroll
    for (uint i = 0; i < OLDER; i++)
        window[i + 4] = taps[m - OLDER + i];
    return m;
}
#endif
