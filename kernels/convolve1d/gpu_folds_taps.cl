// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_folds: folded taps. Most taps of a long filter meet the same few places, and
// sums of integers are exact in any order. So the team of a task first adds up the taps that
// meet one place, and its items then take each place once:
//
//     n = 3, EDGE, 5 taps    output 0 meets the places   0 0 0 1 2
//                            its folded taps             g0 + g1 + g2, g3, g4
//
//     folded taps   place 0   | output 0 | output 1 | ...   of a task
//                   place 1   | output 0 | output 1 | ...
//
// Folded taps are integers of 32 bits (gpu_folds_layout.c sees to it that these suffice).
//
// Macros   those of gpu_folds.cl. ITEM_OUTPUTS is 2, 4 or 8
// Barriers three for each task of a team, four where sums are f32: folded taps are 0; they are
//          there; they are floats; they have been read
// Per output: an addition of a tap for each tap, shared by the items of a team, and an ADD for
// each place.

#if FOLDED

#if ITEM_OUTPUTS != 2 && ITEM_OUTPUTS != 4 && ITEM_OUTPUTS != 8
#error "ITEM_OUTPUTS must be 2, 4 or 8"
#endif

// Sums, and what they are for results.cl. f64 would take conversions of all inputs.
#if WIDE_SUMS
#define ACC_T          long
#define ADD_FOLDED(s, tap, v) ((s) + whole_product((tap), (v)))
#define SUM_OF(s, shift)      ((double)(s) / unit_of(shift))
static long whole_product(int tap, int v)
{
#if PTX
    long r;
    asm("mul.wide.s32 %0, %1, %2;" : "=l"(r) : "r"(tap), "r"(v));
    return r;
#else
    return (long)tap * v;
#endif
}
#elif WHOLE_SUMS
#define ACC_T                 SUM_T
#define ADD_FOLDED(s, tap, v) ADD((s), (tap), (v))
#define SUM_OF(s, shift)      (s)
#else
#define ACC_T                 float
#define ADD_FOLDED(s, tap, v) ADD((s), as_float(tap), (v))
#define SUM_OF(s, shift)      (s)
#endif

// Taps that are floats are integers divided by this. An addition leaves the integer in the
// lowest bits.
static TAP_T unit_of(uint shift)
{
    return (TAP_T)((ulong)1 << shift);
}
static int whole_tap(TAP_T tap, TAP_T unit)
{
#if WHOLE_SUMS
    return tap;
#elif WIDE_SUMS
    return (int)as_long(fma(tap, unit, 0x1.8p52));
#else
    return as_int(fma(tap, unit, 0x1.8p23f)) - as_int(0x1.8p23f);
#endif
}

// Adds the taps of a task to its folded taps, which are 0. Ends that are one place take many
// taps: an item adds up its own of these first.
static void fold_taps(local int *folded, local const ushort *places, global const TAP_T *taps,
                      const struct arguments *g, const struct fold_arguments *f, uint lane)
{
    const uint left = f->left_place * PLACE_BYTES, right = f->right_place * PLACE_BYTES;
    const TAP_T unit = unit_of(g->shift);
    int at_left[ITEM_OUTPUTS], at_right[ITEM_OUTPUTS];
    #pragma unroll
    for (uint o = 0; o < ITEM_OUTPUTS; o++)
        at_left[o] = at_right[o] = 0;
    #pragma unroll 1
    for (uint k = lane; k < g->taps; k += LANES) {
        const int tap = whole_tap(taps[k], unit);
        #pragma unroll
        for (uint o = 0; o < ITEM_OUTPUTS; o++) {
            const uint place = places[k + o * f->step];
            const bool is_left = place == left, is_right = place == right && !is_left;
            at_left[o] += is_left ? tap : 0;
            at_right[o] += is_right ? tap : 0;
            if (!is_left && !is_right)
                atomic_add((local int *)((local char *)(folded + o) + place), tap);
        }
    }
    #pragma unroll
    for (uint o = 0; o < ITEM_OUTPUTS; o++) {
        atomic_add((local int *)((local char *)(folded + o) + left), at_left[o]);
        atomic_add((local int *)((local char *)(folded + o) + right), at_right[o]);
    }
}

// Makes the folded taps of a task. All items of the group come here; `works`: this one's team
// has a task.
static void make_folded(local int *folded, local const ushort *places, global const TAP_T *taps,
                        const struct arguments *g, const struct fold_arguments *f, uint lane,
                        bool works)
{
    const uint count = works ? f->places * ITEM_OUTPUTS : 0;
    for (uint i = lane; i < count; i += LANES)
        folded[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (works)
        fold_taps(folded, places, taps, g, f, lane);
    barrier(CLK_LOCAL_MEM_FENCE);
#if !WHOLE_SUMS && !WIDE_SUMS
    for (uint i = lane; i < count; i += LANES)
        folded[i] = as_int((float)folded[i] / unit_of(g->shift));
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

// One task for the rows of an item, whose inputs begin at `inputs`.
static void add_folded(ACC_T sums[ITEM_OUTPUTS][ITEM_ROWS], local const NEAR_T *inputs,
                       local const int *folded, uint places)
{
    #pragma unroll 2
    for (uint p = 0; p < places; p++, inputs += PITCH, folded += ITEM_OUTPUTS) {
        int taps[ITEM_OUTPUTS];
#if ITEM_OUTPUTS == 2
        const int2 two = *(local const int2 *)folded;
        taps[0] = two.x, taps[1] = two.y;
#else
        #pragma unroll
        for (uint q = 0; q < ITEM_OUTPUTS; q += 4) {
            const int4 four = ((local const int4 *)folded)[q / 4];
            taps[q] = four.x, taps[q + 1] = four.y, taps[q + 2] = four.z, taps[q + 3] = four.w;
        }
#endif
        OPERAND v[ITEM_ROWS];
        load_place(v, (INPUTS)inputs, 0);
        #pragma unroll
        for (uint r = 0; r < ITEM_ROWS; r++) {
            #pragma unroll
            for (uint o = 0; o < ITEM_OUTPUTS; o++)
                sums[o][r] = ADD_FOLDED(sums[o][r], taps[o], v[r]);
        }
    }
}

#endif
