// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_folds and gpu_places: a task. gpu_folds.cl has the drawing. Where an end is
// one value, the first or the last inputs of all outputs are one place:
//
//     inputs m   0 ... left - 1 | left ... right - 1 | right ... length - 1
//     places     left_place     | by the table       | right_place
//
// The first ones are one chain of sums, of which the outputs have the beginnings: those of each
// are `step` taps shorter than those of the output before. The last ones need no table. All
// keep the order of summation. Zeros are skipped as gpu_chunk_flat.cl says.
//
// Macros   those of gpu_folds_sums.cl
//          PASSES      1: gpu_places_passes.cl has most inputs
//          FLAT_ENDS   1: rows have such inputs

#ifndef FLAT_ENDS
#error "FLAT_ENDS must be defined"
#endif

#if !FOLDED

struct flat_inputs {
    uint left, right; // multiples of 4
};

#if FLAT_ENDS
// a / b, rounded up, but at most `most`.
static uint quotient_up(long a, uint b, uint most)
{
    const ulong all = (ulong)a + b - 1;
    return (uint)min(all >> 32 ? all / b : (ulong)((uint)all / b), (ulong)most);
}

static struct flat_inputs find_flat(uint phase, uint first, const struct arguments *g,
                                    const struct fold_arguments *f)
{
    const long j = g->origin + (long)phase * g->step + (long)first * g->dilation;
    const long n = (long)g->n;
    struct flat_inputs flat = { 0, f->length };
    if (f->flat_left && j < 0)
        flat.left = quotient_up(-j, g->dilation, f->length) / 4 * 4;
    if (f->flat_right)
        flat.right = j < n ? (quotient_up(n - j, g->dilation, f->length) + 3) / 4 * 4 : 0;
    flat.right = max(flat.right, flat.left);
    return flat;
}

#define CHAIN_TAPS 16
INLINE void add_left(SUM_T sums[ITEM_OUTPUTS][ITEM_ROWS], INPUTS inputs,
                     TAP_SPACE const TAP_T *taps, const struct flat_inputs *flat,
                     const struct fold_arguments *f, uint n_taps, uint step)
{
    OPERAND v[ITEM_ROWS];
    SUM_T chain[ITEM_ROWS];
    load_place(v, inputs, f->left_place * PLACE_BYTES);
    #pragma unroll
    for (uint r = 0; r < ITEM_ROWS; r++)
        chain[r] = 0;
    uint k = 0;
    // Most of the chain: taps come CHAIN_TAPS at once.
    const uint others = (ITEM_OUTPUTS - 1) * step + CHAIN_TAPS, all = min(flat->left, n_taps);
    #pragma unroll 1
    for (; f->flat_left != FLAT_ZEROS && k + others <= all; k += CHAIN_TAPS) {
        TAP_T h[CHAIN_TAPS];
        #pragma unroll
        for (uint i = 0; i < CHAIN_TAPS; i += 4)
            read_taps(h + i, taps + k + i);
        #pragma unroll
        for (uint i = 0; i < CHAIN_TAPS; i++) {
            #pragma unroll
            for (uint r = 0; r < ITEM_ROWS; r++)
                chain[r] = ADD(chain[r], h[i], v[r]);
        }
    }
    #pragma unroll
    for (int o = ITEM_OUTPUTS - 1; o >= 0; o--) {
        const uint end = f->flat_left == FLAT_ZEROS || flat->left < o * step
                             ? 0
                             : min(flat->left - o * step, n_taps);
        #pragma unroll 4
        for (; k < end; k++) {
            const TAP_T tap = taps[k];
            #pragma unroll
            for (uint r = 0; r < ITEM_ROWS; r++)
                chain[r] = ADD(chain[r], tap, v[r]);
        }
        #pragma unroll
        for (uint r = 0; r < ITEM_ROWS; r++)
            sums[o][r] = chain[r];
    }
}

INLINE void add_right(SUM_T sums[ITEM_OUTPUTS][ITEM_ROWS], INPUTS inputs,
                      TAP_T *window, TAP_SPACE const TAP_T *taps,
                      const struct flat_inputs *flat, const struct fold_arguments *f,
                      uint n_taps, uint step)
{
    if (f->flat_right == FLAT_ZEROS) {
#if !WHOLE_SUMS && !WIDE_SUMS
        #pragma unroll
        for (int o = 0; o < ITEM_OUTPUTS; o++) {
            const int k = max((int)flat->right - o * (int)step, 0);
            const SUM_T zero = (SUM_T)(k < (int)f->plus_taps ? 0.0f : -0.0f);
            #pragma unroll
            for (uint r = 0; flat->right < f->length && r < ITEM_ROWS; r++)
                sums[o][r] = sums[o][r] + zero;
        }
#endif
        return;
    }
    OPERAND v[ITEM_ROWS];
    load_place(v, inputs, f->right_place * PLACE_BYTES);
    uint m = flat->right;
#if PASSES
    if (m >= LEAD && m + RING <= n_taps && m + PASS_TABLE <= f->length)
        m = add_passes(sums, 0, 0, window, taps, m, n_taps, f->length, v[0], true);
#endif
    #pragma unroll 1
    for (; m < f->length; m += 4) {
        const bool within = m >= (ITEM_OUTPUTS - 1) * step && m + 4 <= n_taps;
        if (STEP)
            move_window(window, taps, m);
        if (within) {
            #pragma unroll
            for (uint u = 0; u < 4; u++)
                add_input(sums, v, window, taps, m, u, n_taps, step, true);
        } else {
            #pragma unroll
            for (uint u = 0; u < 4; u++)
                add_input(sums, v, window, taps, m, u, n_taps, step, false);
        }
    }
}
#endif

// One task for the rows of an item.
INLINE void add_task(SUM_T sums[ITEM_OUTPUTS][ITEM_ROWS], INPUTS inputs,
                     local const ushort *places, TAP_SPACE const TAP_T *taps,
                     const struct flat_inputs *flat, const struct fold_arguments *f,
                     uint n_taps)
{
    const uint step = STEP ? STEP : f->step;
    TAP_T window[OLDER + 4]; // the taps that inputs m ... m + 3 meet
    #pragma unroll
    for (int i = 0; i < OLDER + 4; i++) {
        const int k = (int)flat->left + i - OLDER - 4;
        window[i] = FLAT_ENDS && STEP && k >= 0 ? taps[k] : 0;
    }
#if FLAT_ENDS
    add_left(sums, inputs, taps, flat, f, n_taps, step);
#endif
    #pragma unroll 1
    for (uint m = flat->left; m < flat->right;) {
#if PASSES
        const uint end = min(n_taps, flat->right);
        const uint length = min(flat->right, end_of_inputs(inputs, m));
        if (m >= LEAD && m + RING <= end && m + PASS_TABLE <= length) {
            m = add_passes(sums, inputs, places, window, taps, m, end, length, 0, false);
            continue;
        }
#endif
        if (m >= (ITEM_OUTPUTS - 1) * step && m + 8 <= min(n_taps, flat->right)) {
            add_inputs(sums, inputs, places, window, taps, m, n_taps, step, true);
            add_inputs(sums, inputs, places, window, taps, m + 4, n_taps, step, true);
            m += 8;
        } else {
            add_inputs(sums, inputs, places, window, taps, m, n_taps, step, false);
            m += 4;
        }
    }
#if FLAT_ENDS
    if (flat->right < f->length)
        add_right(sums, inputs, window, taps, flat, f, n_taps, step);
#endif
}
#endif
