// SPDX-License-Identifier: Apache-2.0
//
// reduce on GPUs: how an item folds whole 16-byte words, with as few operations and registers as
// the device has instructions for.
//
//     words_start(&l)      before the first word
//     words_take(&l, v)    adds a word, at most WORD_CHAIN of them (0: any number)
//     words_merge(&r, &l)  r takes in what they come to (not for arg ops)
//     words_best(&l)       arg ops: the best value among them
//
// Three ways, the first that the operation, the type and the device allow:
//     DOTS     sums of 8- and 16-bit integers: one dot product per 4 bytes     reduce/dots.cl
//     PACKS    extremes of 8- and 16-bit values and of f32: one instruction for a pair, or for a
//              float with its NaN                                              reduce/packs.cl
//     parts    everything else: a word as vectors of M elements, by the macros of
//              reduce/chain.cl; below
//
// Macros: see reduce.cl; PTX of common.cl.

// A word is N elements, a part of it M.
#if BYTES == 1
#define N 16
#define M 4
#elif BYTES == 2
#define N 8
#define M 4
#elif BYTES == 4
#define N 4
#define M 4
#else
#define N 2
#define M 2
#endif
#define PARTS (N / M)

#define IS_EXTREME (OP == MIN || OP == MAX || OP == MINMAX || IS_ARG)
#define IS_LEAST   (OP == MIN || OP == MINMAX || OP == ARGMIN)
#define IS_MOST    (OP == MAX || OP == MINMAX || OP == ARGMAX)
#define IS_PLAIN_SUM (OP == SUM || OP == MEAN || (OP == SUM_ABS && !IS_SIGNED))

#define DOTS \
    (PTX && !IS_FLOAT && ((BYTES == 1 && (IS_PLAIN_SUM || OP == SUM_SQUARES)) || \
                          (BYTES == 2 && IS_PLAIN_SUM)))
#define PACKS \
    (IS_EXTREME && ((PTX >= 90 && !IS_FLOAT && BYTES <= 2) || \
                    (PTX >= 80 && (TYPE == F16 || TYPE == F32))))

// ---------------------------------------------------------------- parts of a word
typedef JOIN_NAMES(A, M) a_part;
typedef JOIN_NAMES(B_LANE, M) b_part;
typedef JOIN_NAMES(W, M) w_part;

// Elements M * k ... M * k + M - 1; k is a constant wherever loops are unrolled.
static w_part part_of(uint4 v, int k)
{
#if BYTES == 8
    return JOIN_NAMES(JOIN_NAMES(convert_, W), M)(JOIN_NAMES(JOIN_NAMES(as_, T), M)(v));
#elif BYTES == 4
    return JOIN_NAMES(JOIN_NAMES(convert_, W), M)(JOIN_NAMES(JOIN_NAMES(as_, T), M)(v));
#elif TYPE == F16
    const uint2 pairs = k == 0 ? v.lo : v.hi;
    const float4 x = (float4)(halves(pairs.x), halves(pairs.y));
    return JOIN_NAMES(JOIN_NAMES(convert_, W), M)(x);
#elif BYTES == 2
    const uint2 pairs = k == 0 ? v.lo : v.hi;
    return JOIN_NAMES(JOIN_NAMES(convert_, W), M)(JOIN_NAMES(JOIN_NAMES(as_, T), M)(pairs));
#else
    const uint four = k == 0 ? v.x : k == 1 ? v.y : k == 2 ? v.z : v.w;
    return JOIN_NAMES(JOIN_NAMES(convert_, W), M)(JOIN_NAMES(JOIN_NAMES(as_, T), M)(four));
#endif
}

#if IS_ARG
#define POSITIONS (JOIN_NAMES(B, M))(JOIN_NAMES(UP_TO_, M))

// A word by itself, with the positions of its elements: its first is at `at`.
static void take_word(acc *r, uint4 v, ulong at)
{
    a_part a;
    b_part b;
    const w_part x0 = part_of(v, 0);
    START(M, a, b, x0, POSITIONS);
    #pragma unroll
    for (int k = 0; k < PARTS; k++) {
        const w_part x = part_of(v, k);
        STEP(a, b, x, POSITIONS + (B)(k * M));
    }
    JOIN_NAMES(take, M)(r, a, b, at);
}

// EXTREME: the better one of a and x, for vectors too; NONE_YET what any x is better than. A NaN
// is the best there is or, where NaNs are skipped, the worst.
#if IS_FLOAT && SKIP_NAN
#define NONE_YET      NAN
#define EXTREME(a, x) ((a) = (BEFORE(x, a) | ((a) != (a))) ? (x) : (a))
#elif IS_FLOAT
#define NONE_YET      START_A
#define EXTREME(a, x) ((a) = (BEFORE(x, a) | ((x) != (x))) ? (x) : (a))
#else
#define NONE_YET      START_A
#define EXTREME(a, x) ((a) = BEFORE(x, a) ? (x) : (a))
#endif
#endif

#if !DOTS && !PACKS // ------------------------------------------- words by parts
#define WORD_CHAIN (CHAIN / PARTS)

typedef struct {
    a_part a;
    b_part b;
} lanes;

#if IS_ARG
static void words_start(lanes *l)
{
    l->a = (a_part)(NONE_YET);
}

static void words_take(lanes *l, uint4 v)
{
    #pragma unroll
    for (int k = 0; k < PARTS; k++) {
        const w_part x = part_of(v, k);
        EXTREME(l->a, x);
    }
}

static W words_best(const lanes *l)
{
#if M == 4
    JOIN_NAMES(W, 2) two = l->a.lo;
    EXTREME(two, l->a.hi);
#else
    const JOIN_NAMES(W, 2) two = l->a;
#endif
    W a = two.x;
    EXTREME(a, two.y);
    return a;
}
#else
static void words_start(lanes *l)
{
    START(M, l->a, l->b, 0, 0);
}

static void words_take(lanes *l, uint4 v)
{
    #pragma unroll
    for (int k = 0; k < PARTS; k++) {
        const w_part x = part_of(v, k);
        STEP(l->a, l->b, x, 0);
    }
}

static void words_merge(acc *r, const lanes *l)
{
    JOIN_NAMES(take, M)(r, l->a, l->b, 0);
}
#endif
#endif
