// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs, gpu_tile: how an item adds its inputs to its sums. Each is read once from
// local memory, and added to all sums that need it.
//
//     ADD_INPUTS_64   64 of them, unrolled: which taps they meet is known to the compiler
//     ADD_TAPS_16     long filters, whose code would be too long: 16 taps of a turn of a loop, in
//                     which a window of inputs is in registers
//
// Macros   those of gpu_tile.cl

struct taps {
#if OWN_TAPS == OWN_IN_MEMORY
    global const TAP_T *g;
#else
    TAP_T g[TAPS];
#endif
};

// Long filters, whose code would be too long: how many turns a loop takes, of PERIOD taps each.
// After so many inputs the window is where it was.
#define PERIOD (ITEM_OUTPUTS * STEP)
#define TURNS  (LOOP ? TAPS / PERIOD : 0)

// Place of input p of an item, from its first one on.
#define INPUT_AT(p) (((p) + (PADDED ? (p) / STEP : 0)) * WIDTH)

#if TURNS
// Element m % PERIOD of the window is input m of a turn, or one of the turn before that is
// still needed. Tap k of a turn meets input k + o * STEP for output o.
#define TAKE_INPUT(m) window[(m) % PERIOD] = from[INPUT_AT(m)];
#define ADD_TAP(k)                                                                       \
    if ((k) < PERIOD) {                                                                  \
        TAKE_INPUT((k) + (ITEM_OUTPUTS - 1) * STEP)                                      \
        const TAP_T tap = h.g[turn + (k)];                                               \
        _Pragma("unroll") for (int o = 0; o < ITEM_OUTPUTS; o++)                         \
            sums[o] = ADD(sums[o], tap, window[((k) + o * STEP) % PERIOD]);              \
    }
#define ADD_TAPS_4(k)  ADD_TAP(k) ADD_TAP((k) + 1) ADD_TAP((k) + 2) ADD_TAP((k) + 3)
#define ADD_TAPS_16(k) \
    ADD_TAPS_4(k) ADD_TAPS_4((k) + 4) ADD_TAPS_4((k) + 8) ADD_TAPS_4((k) + 12)
#define FIRST_TAP (TURNS * PERIOD)
#else
#define FIRST_TAP 0
#endif

// Adds input p of the item to the sums that need it, but for the taps of the turns.
#define ADD_INPUT(sums, from, taps, p)                                                   \
    if ((p) < TAPS - FIRST_TAP + (ITEM_OUTPUTS - 1) * STEP) {                            \
        const OPERAND v = (from)[INPUT_AT(p)];                                           \
        _Pragma("unroll") for (int o = 0; o < ITEM_OUTPUTS; o++)                         \
            if ((p) - o * STEP >= 0 && (p) - o * STEP < TAPS - FIRST_TAP)                \
                (sums)[o] = ADD((sums)[o], (taps).g[FIRST_TAP + (p) - o * STEP], v);     \
    }
#define ADD_INPUTS_4(sums, from, taps, p)  \
    ADD_INPUT(sums, from, taps, p)         \
    ADD_INPUT(sums, from, taps, (p) + 1)   \
    ADD_INPUT(sums, from, taps, (p) + 2)   \
    ADD_INPUT(sums, from, taps, (p) + 3)
#define ADD_INPUTS_16(sums, from, taps, p)   \
    ADD_INPUTS_4(sums, from, taps, p)        \
    ADD_INPUTS_4(sums, from, taps, (p) + 4)  \
    ADD_INPUTS_4(sums, from, taps, (p) + 8)  \
    ADD_INPUTS_4(sums, from, taps, (p) + 12)
#define ADD_INPUTS_64(sums, from, taps, p)    \
    ADD_INPUTS_16(sums, from, taps, p)        \
    ADD_INPUTS_16(sums, from, taps, (p) + 16) \
    ADD_INPUTS_16(sums, from, taps, (p) + 32) \
    ADD_INPUTS_16(sums, from, taps, (p) + 48)
