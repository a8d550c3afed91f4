// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_folds and gpu_places: inputs of a task that are one place, because one value
// stands beyond an end: the first or the last ones of all outputs.
//
//     inputs m   0 ... left - 1 | left ... right - 1 | right ... length - 1
//     places     left_place     | by the table       | right_place
//
// The first ones are one chain of sums, of which the outputs have the beginnings: those of each
// are `step` taps shorter than those of the output before. The last ones need no table. All
// keep the order of summation. Zeros are skipped as gpu_chunk_flat.cl says.
//
// Macros   those of gpu_folds_sums.cl
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
    if (flat.right >= g->taps && f->flat_right != FLAT_ZEROS) // add_tail() is as fast
        flat.right = f->length;
    return flat;
}

// Adds the taps from k on to a chain while they are in front of `end`. Returns what comes next.
INLINE uint add_chain(SUM_T *chain, const OPERAND *v, TAP_SPACE const TAP_T *taps, uint k,
                      uint end)
{
    #pragma unroll 1
    for (; k < end; k++) {
        const TAP_T tap = taps[k];
        #pragma unroll
        for (uint r = 0; r < ITEM_ROWS; r++)
            chain[r] = ADD(chain[r], tap, v[r]);
    }
    return k;
}

#define CHAIN_TAPS 16
INLINE void add_left(SUM_T sums[ITEM_OUTPUTS][ITEM_ROWS], INPUTS inputs,
                     TAP_SPACE const TAP_T *taps, const struct flat_inputs *flat,
                     const struct fold_arguments *f, uint n_taps, uint step)
{
    if (flat->left == 0 || f->flat_left == FLAT_ZEROS)
        return;
    OPERAND v[ITEM_ROWS];
    SUM_T chain[ITEM_ROWS];
    load_place(v, inputs, f->left_place * PLACE_BYTES);
    #pragma unroll
    for (uint r = 0; r < ITEM_ROWS; r++)
        chain[r] = 0;
    uint k = 0;
    // Most of the chain: taps come CHAIN_TAPS at once.
    const uint older = (ITEM_OUTPUTS - 1) * step, all = min(flat->left, n_taps);
    #pragma unroll 1
    for (; k + older + CHAIN_TAPS <= all; k += CHAIN_TAPS) {
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
#if STEP
    // The beginnings are STEP taps apart where none is empty or the whole filter.
    if (flat->left >= OLDER && flat->left <= n_taps) {
        k = add_chain(chain, v, taps, k, flat->left - OLDER);
        #pragma unroll
        for (int o = ITEM_OUTPUTS - 1; o >= 0; o--) {
            #pragma unroll
            for (uint r = 0; r < ITEM_ROWS; r++)
                sums[o][r] = chain[r];
            #pragma unroll
            for (uint i = 0; o > 0 && i < STEP; i++) {
                const TAP_T tap = taps[k + (ITEM_OUTPUTS - 1 - o) * STEP + i];
                #pragma unroll
                for (uint r = 0; r < ITEM_ROWS; r++)
                    chain[r] = ADD(chain[r], tap, v[r]);
            }
        }
        return;
    }
#endif
    #pragma unroll
    for (int o = ITEM_OUTPUTS - 1; o >= 0; o--) {
        const uint end = flat->left < o * step ? 0 : min(flat->left - o * step, n_taps);
        k = add_chain(chain, v, taps, k, end);
        #pragma unroll
        for (uint r = 0; r < ITEM_ROWS; r++)
            sums[o][r] = chain[r];
    }
}

// Zeros on the right: a sum of -0 may become 0.
INLINE void skip_right(SUM_T sums[ITEM_OUTPUTS][ITEM_ROWS], const struct flat_inputs *flat,
                       const struct fold_arguments *f, uint step)
{
#if !WHOLE_SUMS && !WIDE_SUMS
    #pragma unroll
    for (int o = 0; o < ITEM_OUTPUTS; o++) {
        const int k = max((int)flat->right - o * (int)step, 0);
        const SUM_T zero = (SUM_T)(k < (int)f->plus_taps ? 0.0f : -0.0f);
        #pragma unroll
        for (uint r = 0; r < ITEM_ROWS; r++)
            sums[o][r] = sums[o][r] + zero;
    }
#endif
}

// Adds the inputs from m on of those that all outputs need, of which all are `flat`. Returns
// what comes next.
INLINE uint add_right(SUM_T sums[ITEM_OUTPUTS][ITEM_ROWS], const OPERAND *flat, TAP_T *window,
                      TAP_SPACE const TAP_T *taps, uint m, uint n_taps, uint length, uint step)
{
#if STEP
    if (m + RING <= n_taps && m + PASS_TABLE <= length)
        m = add_passes(sums, 0, 0, window, taps, m, n_taps, length, flat, true);
#endif
    #pragma unroll 1
    for (; m + 4 <= n_taps; m += 4) {
        if (STEP)
            move_window(window, taps, m);
        #pragma unroll
        for (uint u = 0; u < 4; u++)
            add_input(sums, flat, window, taps, m, u, step);
    }
    return m;
}
#endif
#endif
