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
// inputs. Both come through local memory by chunks, and keep the order of summation. Where the
// value is 0, and taps are finite, they are skipped: such a tap adds 0 or -0. At the left end
// the sum is 0, and stays so. At the right end a sum stays what it is, but for -0, which
// becomes 0 with the first tap whose sign is plus.
//
// Macros   those of gpu_chunk_fill.cl
//          FLAT_ENDS   1: rows have such taps

#ifndef FLAT_ENDS
#error "FLAT_ENDS must be defined"
#endif

// Without inlining sums lie in memory.
#define INLINE static __attribute__((always_inline))

struct flat_taps {
    uint left, right;
    ulong row; // FLAT_ENDS: of the item's lane, which is number `own` of the group
    uint own;
};

#if FLAT_ENDS
static struct flat_taps find_flat_taps(uint own, const struct task *t)
{
    const long step = (long)t->c.step * t->c.apart, n = (long)t->g.n;
    // What tap 0 meets for the lowest and for the highest output.
    const long low = t->g.origin + max(t->p.first, 0L) * step;
    const long high = t->g.origin + (t->c.phases - 1) * (long)t->g.step +
                      (t->p.first + t->p.outputs - 1) * step;
    struct flat_taps f = { 0, t->g.taps, find_lane(t->p.lane + own, t).row, own };
    if (is_flat(t->g.left) && high < 0)
        f.left = (uint)min(quotient_up(-high, t->c.apart), (ulong)t->g.taps);
    if (is_flat(t->g.right))
        f.right = (uint)clamp(low < n ? (long)quotient_up(n - low, t->c.apart) : 0L,
                              (long)f.left, (long)t->g.taps);
    return f;
}

// Adds n taps, all of which meet v, to the first `outputs` sums. Taps come `vecs` vectors at
// once.
INLINE void add_flat(SUM_T *sums, uint outputs, local const TAP_T *taps, uint n, OPERAND v,
                     uint vecs)
{
    uint k = 0;
    #pragma unroll 1
    for (; k + vecs * VEC_N <= n; k += vecs * VEC_N) {
        #pragma unroll
        for (uint b = 0; b < vecs; b++) {
            const tap_vec some = ((local const tap_vec *)(taps + k))[b];
            #pragma unroll
            for (uint i = 0; i < VEC_N; i++) {
                #pragma unroll
                for (uint o = 0; o < outputs; o++)
                    sums[o] = ADD(sums[o], TAP(some, i), v);
            }
        }
    }
    #pragma unroll 1
    for (; k < n; k++) {
        const TAP_T tap = taps[k];
        #pragma unroll
        for (uint o = 0; o < outputs; o++)
            sums[o] = ADD(sums[o], tap, v);
    }
}

// Adds the taps k ... end - 1. All items come here: their group has the same taps, which come
// through local memory.
INLINE void add_end(SUM_T *sums, uint outputs, local vec16 *room, global const ELEM *x,
                    global const TAP_T *taps, uint k, uint end, bool left,
                    const struct flat_taps *f, struct turn turn, const struct task *t,
                    uint vecs)
{
    const OPERAND v = flat_input(left, x + (t->g.first + (long)f->row * t->g.row_stride), t);
    #pragma unroll 1
    for (; k < end; k += t->c.chunk) {
        const uint n = min(end - k, t->c.chunk);
        load_taps(room, taps, k, n, turn.lane, turn.element, t);
        wait_for_copies();
        barrier(CLK_LOCAL_MEM_FENCE);
        add_flat(sums, outputs,
                 (local const TAP_T *)(room + t->c.taps_at) + f->own * t->c.tap_pitch, n, v,
                 vecs);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

INLINE void begin_sums(SUM_T *sums, local vec16 *room, global const ELEM *x,
                       global const TAP_T *taps, const struct flat_taps *f, struct turn turn,
                       const struct task *t)
{
    SUM_T sum = 0;
    if (f->left && !t->c.skips_left)
        add_end(&sum, 1, room, x, taps, 0, f->left, true, f, turn, t, 4);
    #pragma unroll
    for (int o = 0; o < ITEM_OUTPUTS; o++)
        sums[o] = sum;
}

INLINE void end_sums(SUM_T *sums, local vec16 *room, global const ELEM *x,
                     global const TAP_T *taps, const struct flat_taps *f, struct turn turn,
                     const struct task *t)
{
    if (f->right == t->g.taps)
        return;
    if (!t->c.skips_right) {
        add_end(sums, ITEM_OUTPUTS, room, x, taps, f->right, t->g.taps, false, f, turn, t, 2);
        return;
    }
#if !WHOLE_SUMS && !WIDE_SUMS
    const SUM_T zero = (SUM_T)(f->right < t->c.plus_taps ? 0.0f : -0.0f);
    #pragma unroll
    for (int o = 0; o < ITEM_OUTPUTS; o++)
        sums[o] = sums[o] + zero;
#endif
}
#endif
