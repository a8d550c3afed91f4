// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_rows: how an item folds aligned vectors of 16 bytes, with as few operations and
// registers as the device has instructions for. A word_acc takes in vectors; the fastest of
// six methods that the operation, the type and the device allow defines it:
//
//     DOTS       sums of 8- and 16-bit integers, counts of 8 and 16 bits: one dot product per 4
//                bytes, for squares of 16 bits two                            reduce/dots.cl
//     PACKS      extremes of 8- and 16-bit values and of f32: one instruction for a pair, or for a
//                float with its NaN                                            reduce/packs.cl
//     BITS       and, or, xor, any, all of 8- and 16-bit values       reduce/vec16_bits.cl
//     MOMENTS    statistics: by the instructions of the two where they fit
//                                                                  reduce/vec16_moments.cl
//     PRODUCTS   products of 8- and 16-bit integers: first of the elements of a word
//                                                                  reduce/vec16_products.cl
//     SUBVECS    everything else: a vector as SUBVECS vectors of SUBVEC_N elements, by the macros
//                of reduce/chain.cl                                            below
//
// Each defines the type word_acc, VEC16_CHAIN, and
//     vec16_start(&l)      before the first vector
//     vec16_take(&l, v)    takes in a vector, at most VEC16_CHAIN of them (0: any number)
//     vec16_merge(&r, &l)  the acc r takes in what they come to (not for arg ops)
//     vec16_best(&l)       arg ops: the best value among them
// PRODUCTS also defines VEC16_IS_SETTLED(l): whether no further vector changes what it comes to.
//
// Macros: see reduce.cl; PTX of common.cl.
// Operations per 16 bytes: DOTS 4 to 20; BITS 4, `all` 12; PACKS 4 for each extreme, 8 for
// bytes; MOMENTS, PRODUCTS see there; SUBVECS one STEP per element.

// A vector is VEC_N elements, a subvector SUBVEC_N.
#if BYTES == 1
#define VEC_N 16
#define SUBVEC_N 4
#elif BYTES == 2
#define VEC_N 8
#define SUBVEC_N 4
#elif BYTES == 4
#define VEC_N 4
#define SUBVEC_N 4
#else
#define VEC_N 2
#define SUBVEC_N 2
#endif
#define SUBVECS (VEC_N / SUBVEC_N)

#define IS_PLAIN_SUM (OP == SUM || OP == MEAN || OP == SUM_ABS)

// What the device has instructions for, and whether the operation is no more than that.
#define HAS_DOTS  (PTX && !IS_FLOAT && BYTES <= 2)
#define DOTS \
    ((HAS_DOTS && (IS_PLAIN_SUM || OP == SUM_SQUARES)) || \
     (PTX && BYTES <= 2 && OP == COUNT && !SKIP_NAN))
#define PACKS     (HAS_PACKS && IS_EXTREME)
#define BITS16    HAS_BITS
#define MOMENTS16 (OP == STATISTICS)
#define PRODUCTS  (OP == PRODUCT && !IS_FLOAT && BYTES <= 2)

// ---------------------------------------------------------------- subvectors
typedef JOIN_NAMES(CHAIN_A, SUBVEC_N) a_subvec;
typedef JOIN_NAMES(CHAIN_B, SUBVEC_N) b_subvec;
typedef JOIN_NAMES(OPERAND, SUBVEC_N) x_subvec;

// Elements as numbers of their own type, but for f16.
#if TYPE == F16
#define NUMBER float
#else
#define NUMBER ELEM
#endif
typedef JOIN_NAMES(NUMBER, SUBVEC_N) number_subvec;

// SUBVEC_N elements: numbers as operands, and bits as numbers.
#define TO_OPERANDS(x)   JOIN_NAMES(JOIN_NAMES(convert_, OPERAND), SUBVEC_N)(x)
#define AS_NUMBERS(bits) JOIN_NAMES(JOIN_NAMES(as_, ELEM), SUBVEC_N)(bits)

// Elements SUBVEC_N * k ... SUBVEC_N * (k + 1) - 1. k is a constant wherever loops are
// unrolled.
static number_subvec numbers_of(uint4 v, int k)
{
#if BYTES >= 4
    return AS_NUMBERS(v);
#elif TYPE == F16
    const uint2 pairs = k == 0 ? v.lo : v.hi;
    return (float4)(halves(pairs.x), halves(pairs.y));
#elif BYTES == 2
    const uint2 pairs = k == 0 ? v.lo : v.hi;
    return AS_NUMBERS(pairs);
#else
    const uint four = k == 0 ? v.x : k == 1 ? v.y : k == 2 ? v.z : v.w;
    return AS_NUMBERS(four);
#endif
}

static x_subvec subvec_of(uint4 v, int k)
{
    return TO_OPERANDS(numbers_of(v, k));
}

#if IS_ARG
#define POSITIONS (JOIN_NAMES(INDEX, SUBVEC_N))(JOIN_NAMES(UP_TO_, SUBVEC_N))

// EXTREME: a becomes the better one of a and x, which may be vectors. NONE_YET: any x is better
// than it. A NaN is better than any number or, where NaNs are skipped, worse.
#if IS_FLOAT && SKIP_NAN
#define NONE_YET      NAN
#define EXTREME(a, x) ((a) = (BEFORE(x, a) | ((a) != (a))) ? (x) : (a))
#elif IS_FLOAT
#define NONE_YET      IDENTITY
#define EXTREME(a, x) ((a) = (BEFORE(x, a) | ((x) != (x))) ? (x) : (a))
#else
#define NONE_YET      IDENTITY
#define EXTREME(a, x) ((a) = BEFORE(x, a) ? (x) : (a))
#endif
#endif

#if !DOTS && !PACKS && !BITS16 && !MOMENTS16 && !PRODUCTS // ------------------ vectors by subvectors
#define VEC16_CHAIN (CHAIN / SUBVECS)

typedef struct {
    a_subvec a;
    b_subvec b;
} word_acc;

#if IS_ARG
static void vec16_start(word_acc *l)
{
    l->a = (a_subvec)(NONE_YET);
}

static void vec16_take(word_acc *l, uint4 v)
{
    #pragma unroll
    for (int k = 0; k < SUBVECS; k++) {
        const x_subvec x = subvec_of(v, k);
        EXTREME(l->a, x);
    }
}

static OPERAND vec16_best(const word_acc *l)
{
#if SUBVEC_N == 4
    JOIN_NAMES(OPERAND, 2) two = l->a.lo;
    EXTREME(two, l->a.hi);
#else
    const JOIN_NAMES(OPERAND, 2) two = l->a;
#endif
    OPERAND a = two.x;
    EXTREME(a, two.y);
    return a;
}
#else
static void vec16_start(word_acc *l)
{
    START(SUBVEC_N, l->a, l->b, 0, 0);
}

static void vec16_take(word_acc *l, uint4 v)
{
    #pragma unroll
    for (int k = 0; k < SUBVECS; k++) {
        const x_subvec x = subvec_of(v, k);
        STEP(l->a, l->b, x, 0);
    }
}

static void vec16_merge(acc *r, const word_acc *l)
{
    JOIN_NAMES(take, SUBVEC_N)(r, l->a, l->b, 0);
}
#endif
#endif
