// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_folds and gpu_places: how a task adds taps one by one. gpu_folds.cl has the
// drawing, and says what tasks and places are. gpu_folds_task.cl goes through a task;
// gpu_folds_taps.cl is the other way.
//
// Macros   those of gpu_folds.cl. INPUTS is where the inputs of an item are, and load_place()
//          loads from there

#if !FOLDED

#if !defined(STEP) || !defined(NEAR_TAPS)
#error "STEP and NEAR_TAPS must be defined"
#endif

#if NEAR_TAPS
#define TAP_SPACE local
#else
#define TAP_SPACE global
#endif

// Without inlining sums lie in memory.
#define INLINE static __attribute__((always_inline))

#define ACC_T            SUM_T
#define SUM_OF(s, shift) (s)

// Taps that outputs but the first still need.
#define OLDER ((ITEM_OUTPUTS - 1) * STEP)

#if NEAR_TAPS
// Puts all taps into local memory; those of a batch are under way together.
#define TAP_LOADS 8
INLINE void copy_taps(local TAP_T *to, global const TAP_T *taps, uint n_taps, uint item)
{
    #pragma unroll 1
    for (uint k = item; k < n_taps; k += WG * TAP_LOADS) {
        TAP_T h[TAP_LOADS];
        #pragma unroll
        for (uint u = 0; u < TAP_LOADS; u++)
            if (k + u * WG < n_taps)
                h[u] = taps[k + u * WG];
        #pragma unroll
        for (uint u = 0; u < TAP_LOADS; u++)
            if (k + u * WG < n_taps)
                to[k + u * WG] = h[u];
    }
}
#endif

// Reads four taps, 16 bytes at a time.
INLINE void read_taps(TAP_T *to, TAP_SPACE const TAP_T *from)
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

// Makes the window what inputs m ... m + 3 need, where inputs m - 4 ... m - 1 are done.
INLINE void move_window(TAP_T *window, TAP_SPACE const TAP_T *taps, uint m)
{
    #pragma unroll
    for (int i = 0; i < OLDER; i++)
        window[i] = window[i + 4];
    read_taps(window + OLDER, taps + m);
}

// Adds input m + u, which all outputs of a task need, and of which `v` has those of an item's
// rows.
INLINE void add_input(SUM_T sums[ITEM_OUTPUTS][ITEM_ROWS], const OPERAND *v,
                      const TAP_T *window, TAP_SPACE const TAP_T *taps, uint m, uint u,
                      uint step)
{
    #pragma unroll
    for (uint o = 0; o < ITEM_OUTPUTS; o++) {
        const TAP_T tap = STEP ? window[OLDER + u - o * STEP] : taps[m + u - o * step];
        #pragma unroll
        for (uint r = 0; r < ITEM_ROWS; r++)
            sums[o][r] = ADD(sums[o][r], tap, v[r]);
    }
}

// Adds the inputs m ... m + 3 of a task, which all of its outputs need.
INLINE void add_inputs(SUM_T sums[ITEM_OUTPUTS][ITEM_ROWS], INPUTS inputs,
                       local const ushort *places, TAP_T *window, TAP_SPACE const TAP_T *taps,
                       uint m, uint step)
{
    const ushort4 at = ((local const ushort4 *)places)[m / 4];
    if (STEP)
        move_window(window, taps, m);
    #pragma unroll
    for (uint u = 0; u < 4; u++) {
        const ushort place = u == 0 ? at.x : u == 1 ? at.y : u == 2 ? at.z : at.w;
        OPERAND v[ITEM_ROWS];
        load_place(v, inputs, place);
        add_input(sums, v, window, taps, m, u, step);
    }
}

// Adds the inputs m ... end - 1 to those outputs that need them. Those from `flat` on have the
// place `right`.
INLINE void add_slowly(SUM_T sums[ITEM_OUTPUTS][ITEM_ROWS], INPUTS inputs,
                       local const ushort *places, TAP_SPACE const TAP_T *taps, uint m,
                       uint end, uint n_taps, uint step, uint flat, uint right)
{
    #pragma unroll 4
    for (; m < end; m++) {
        OPERAND v[ITEM_ROWS];
        load_place(v, inputs, m < flat ? places[m] : right);
        #pragma unroll
        for (uint o = 0; o < ITEM_OUTPUTS; o++) {
            const uint k = m - o * step;
            if (k < n_taps) {
                const TAP_T tap = taps[k];
                #pragma unroll
                for (uint r = 0; r < ITEM_ROWS; r++)
                    sums[o][r] = ADD(sums[o][r], tap, v[r]);
            }
        }
    }
}

#if STEP
// The first inputs of a task, and the last ones: which outputs need them is known when the
// program is compiled.
//
//     input m      0 1 2 ... LEAD - 1 | all outputs ... n_taps - 1 | n_taps ... + OLDER - 1
//     output o     from o * STEP on                                  up to + o * STEP - 1
#define LEAD ((OLDER + 3) / 4 * 4)

// `length` is that of the task. It is compared for each AT_ONCE inputs, and always long enough.
// Without the comparison compilers load all inputs at once, and take 255 registers.
#define AT_ONCE 8

// Adds the inputs 0 ... LEAD - 1. There are as many taps.
INLINE void add_lead(SUM_T sums[ITEM_OUTPUTS][ITEM_ROWS], INPUTS inputs,
                     local const ushort *places, TAP_T *window, TAP_SPACE const TAP_T *taps,
                     uint length)
{
    TAP_T h[LEAD + 4];
    #pragma unroll
    for (int i = 0; i < LEAD; i += 4)
        read_taps(h + i, taps + i);
    #pragma unroll
    for (uint m = 0; m < LEAD; m++) {
        if (m / AT_ONCE * AT_ONCE >= length)
            continue;
        OPERAND v[ITEM_ROWS];
        load_place(v, inputs, places[m]);
        #pragma unroll
        for (uint o = 0; o < ITEM_OUTPUTS; o++) {
            #pragma unroll
            for (uint r = 0; o * STEP <= m && r < ITEM_ROWS; r++)
                sums[o][r] = ADD(sums[o][r], h[m - o * STEP], v[r]);
        }
    }
    #pragma unroll
    for (int i = 0; i < OLDER; i++)
        window[i + 4] = h[LEAD - OLDER + i];
}

// Adds the inputs from n_taps on. There are at least OLDER taps.
INLINE void add_tail(SUM_T sums[ITEM_OUTPUTS][ITEM_ROWS], INPUTS inputs,
                     local const ushort *places, TAP_SPACE const TAP_T *taps, uint n_taps,
                     uint flat, uint right, uint length)
{
    TAP_T h[OLDER + 1];
    #pragma unroll
    for (int i = 0; i < OLDER; i++)
        h[i] = taps[n_taps - OLDER + i];
    #pragma unroll
    for (uint u = 0; u < OLDER; u++) {
        if (n_taps + u / AT_ONCE * AT_ONCE >= length)
            continue;
        OPERAND v[ITEM_ROWS];
        load_place(v, inputs, n_taps + u < flat ? places[n_taps + u] : right);
        #pragma unroll
        for (uint o = 0; o < ITEM_OUTPUTS; o++) {
            #pragma unroll
            for (uint r = 0; o * STEP > u && r < ITEM_ROWS; r++)
                sums[o][r] = ADD(sums[o][r], h[OLDER + u - o * STEP], v[r]);
        }
    }
}
#endif
#endif
