// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_tap_chunks: taps that meet one value beyond an end, whatever the output of
// the group: of filters that are longer than the row, most of them. gpu_tap_chunks.cl says what
// lanes are.
//
//     taps    0 ... left - 1                | left ... right - 1 | right ... taps - 1
//     inputs  X(-1), CONSTANT or X(0), EDGE | by chunks          | likewise
//
// The first ones make one sum, which is that of all outputs of an item. The last ones need no
// inputs. Both keep the order of summation. Where the value is 0, and taps are finite, they are
// skipped: such a tap adds 0 or -0. At the left end the sum is 0, and stays so. At the right
// end a sum stays what it is, but for -0, which becomes 0 with the first tap whose sign is
// plus.
//
// Macros   those of gpu_chunk_ends.cl
//          FLAT_ENDS   1: rows have such taps

#ifndef FLAT_ENDS
#error "FLAT_ENDS must be defined"
#endif

// Sums that a call is given lie in memory.
#define INLINE static __attribute__((always_inline))

struct flat_taps {
    uint left, right;
    ulong row;                // FLAT_ENDS: of the item's lane,
    global const TAP_T *taps; // and its taps
};

#if FLAT_ENDS
// `own`: the item's lane of the group.
static struct flat_taps find_flat_taps(global const TAP_T *taps, uint own, const struct task *t)
{
    const long step = (long)t->c.step * t->c.apart, n = (long)t->g.n;
    // What tap 0 meets for the lowest and for the highest output.
    const long low = t->g.origin + max(t->p.first, 0L) * step;
    const long high = t->g.origin + (t->c.phases - 1) * (long)t->g.step +
                      (t->p.first + t->p.outputs - 1) * step;
    struct flat_taps f = { 0, t->g.taps, find_lane(t->p.lane + own, t).row, taps };
    f.taps += t->g.tap_first + f.row * t->g.tap_row;
    if (is_flat(t->g.left) && high < 0)
        f.left = (uint)min(quotient_up(-high, t->c.apart), (ulong)t->g.taps);
    if (is_flat(t->g.right))
        f.right = (uint)clamp(low < n ? (long)quotient_up(n - low, t->c.apart) : 0L,
                              (long)f.left, (long)t->g.taps);
    return f;
}

// The next taps are under way while these are added: there may be zeros behind the last tap.
#define BLOCK 16
INLINE void load_block(TAP_T *to, global const TAP_T *from)
{
    #pragma unroll
    for (int i = 0; i < BLOCK; i++)
        to[i] = from[i];
}

INLINE void begin_sums(SUM_T *sums, global const ELEM *x, const struct flat_taps *f,
                       const struct task *t)
{
    SUM_T sum = 0;
    if (f->left && !t->c.skips_left) {
        const OPERAND v =
            flat_input(true, x + (t->g.first + (long)f->row * t->g.row_stride), t);
        TAP_T block[BLOCK], next[BLOCK];
        load_block(block, f->taps);
        uint k = 0;
        #pragma unroll 1
        for (; k + BLOCK <= f->left; k += BLOCK) {
            load_block(next, f->taps + k + BLOCK);
            #pragma unroll
            for (int i = 0; i < BLOCK; i++) {
                sum = ADD(sum, block[i], v);
                block[i] = next[i];
            }
        }
        #pragma unroll
        for (int i = 0; i < BLOCK; i++)
            if (k + i < f->left)
                sum = ADD(sum, block[i], v);
    }
    #pragma unroll
    for (int o = 0; o < ITEM_OUTPUTS; o++)
        sums[o] = sum;
}

INLINE void end_sums(SUM_T *sums, global const ELEM *x, const struct flat_taps *f,
                     const struct task *t)
{
    if (f->right == t->g.taps)
        return;
    if (t->c.skips_right) {
#if !WHOLE_SUMS && !WIDE_SUMS
        const SUM_T zero = (SUM_T)(f->right < t->c.plus_taps ? 0.0f : -0.0f);
        #pragma unroll
        for (int o = 0; o < ITEM_OUTPUTS; o++)
            sums[o] = sums[o] + zero;
#endif
        return;
    }
    const OPERAND v = flat_input(false, x + (t->g.first + (long)f->row * t->g.row_stride), t);
    TAP_T block[BLOCK / 2], next[BLOCK / 2];
    #pragma unroll
    for (int i = 0; i < BLOCK / 2; i++)
        block[i] = f->taps[f->right + i];
    #pragma unroll 1
    for (uint k = f->right; k < t->g.taps; k += BLOCK / 2) {
        #pragma unroll
        for (int i = 0; i < BLOCK / 2; i++)
            next[i] = f->taps[k + BLOCK / 2 + i];
        #pragma unroll
        for (int i = 0; i < BLOCK / 2; i++) {
            #pragma unroll
            for (int o = 0; o < ITEM_OUTPUTS; o++)
                if (k + i < t->g.taps)
                    sums[o] = ADD(sums[o], block[i], v);
            block[i] = next[i];
        }
    }
}
#endif
