// SPDX-License-Identifier: Apache-2.0
//
// reduce on GPUs: how an item folds whole 16-byte words, with as few operations and registers as
// the device has instructions for.
//
//     words_start(&l)      before the first word
//     words_take(&l, v)    adds a word, at most WORD_CHAIN of them (0: any number)
//     words_acc(l)         what they come to (not for arg ops)
//     words_best(l)        arg ops: the best value among them
//
// Three ways, the first that the operation, the type and the device allow:
//     DOTS     sums of 8- and 16-bit integers: one dot product with ones per 4 bytes
//     PACKS    extremes: one instruction for a pair of 16-bit values, or for a float with its NaN;
//              bytes go as pairs too, once as they are and once shifted up: the high byte decides
//     parts    everything else: a word as vectors of M elements, by the macros of reduce_lane.cl
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

#if TYPE == F16
static float2 halves(uint pair)
{
#if PTX
    float2 r;
    asm("{ .reg .b16 a, b; mov.b32 {a, b}, %2; cvt.f32.f16 %0, a; cvt.f32.f16 %1, b; }"
        : "=f"(r.x), "=f"(r.y)
        : "r"(pair));
    return r;
#else
    return vload_half2(0, (const half *)&pair);
#endif
}
#endif

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

#define POSITIONS (JOIN_NAMES(B, M))(JOIN_NAMES(UP_TO_, M))

// A word by itself, with the positions of its elements: its first is at `at`.
static acc acc_of_word(uint4 v, ulong at)
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
    return JOIN_NAMES(acc_of, M)(a, b, at);
}

#if IS_ARG
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

#if DOTS // ------------------------------------------------------ sums by dot products
#define WORD_CHAIN 64 // of squares of bytes: 2^26

typedef struct {
    int sum;
} lanes;

// sum + the four or two products of x's elements with those of y.
static int dot(uint x, uint y, int sum)
{
    int r;
#if BYTES == 1 && IS_SIGNED
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(sum));
#elif BYTES == 1
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(sum));
#elif IS_SIGNED
    asm("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(sum));
#else
    asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(sum));
#endif
    return r;
}

static void words_start(lanes *l)
{
    l->sum = 0;
}

static void words_take(lanes *l, uint4 v)
{
#if OP == SUM_SQUARES
    const uint4 y = v;
#else
    const uint4 y = 0x01010101;
#endif
    l->sum = dot(v.x, y.x, dot(v.y, y.y, dot(v.z, y.z, dot(v.w, y.w, l->sum))));
}

static acc words_acc(lanes l)
{
    return acc_of(l.sum, 0, 0);
}

#elif PACKS // --------------------------------------------------- extremes by pairs
#define WORD_CHAIN 0

// The instruction's type, its operands' class and type, and what any value is better than.
#if TYPE == F32
#define PACK  float
#define CLASS "f"
#define KIND  "f32"
#define NEITHER NAN
#define LAST  INFINITY
#define FIRST -INFINITY
#else
#define PACK  uint
#define CLASS "r"
#if TYPE == F16
#define KIND  "f16x2"
#define NEITHER 0x7e007e00
#define LAST  0x7c007c00
#define FIRST 0xfc00fc00
#elif IS_SIGNED
#define KIND  "s16x2"
#define LAST  0x7fff7fff
#define FIRST 0x80008000
#else
#define KIND  "u16x2"
#define LAST  0xffffffff
#define FIRST 0
#endif
#endif
#if IS_FLOAT && !SKIP_NAN
#define RULE ".NaN."
#else
#define RULE "."
#endif
#if IS_FLOAT && SKIP_NAN && IS_ARG // a row of NaNs has no position
#undef LAST
#undef FIRST
#define LAST  NEITHER
#define FIRST NEITHER
#endif

static PACK least(PACK a, PACK b)
{
    PACK r;
    asm("min" RULE KIND " %0, %1, %2;" : "=" CLASS(r) : CLASS(a), CLASS(b));
    return r;
}

static PACK most(PACK a, PACK b)
{
    PACK r;
    asm("max" RULE KIND " %0, %1, %2;" : "=" CLASS(r) : CLASS(a), CLASS(b));
    return r;
}

// `low` and `high` take the elements as they are, `low_up` and `high_up` bytes shifted up.
typedef struct {
    PACK low, high, low_up, high_up;
} lanes;

static void words_start(lanes *l)
{
    l->low = l->low_up = LAST;
    l->high = l->high_up = FIRST;
}

static void words_take(lanes *l, uint4 v)
{
    const JOIN_NAMES(PACK, 4) x = JOIN_NAMES(JOIN_NAMES(as_, PACK), 4)(v);
#if IS_LEAST
    l->low = least(l->low, least(least(x.x, x.y), least(x.z, x.w)));
#endif
#if IS_MOST
    l->high = most(l->high, most(most(x.x, x.y), most(x.z, x.w)));
#endif
#if BYTES == 1
    const uint4 up = v << 8;
#if IS_LEAST
    l->low_up = least(l->low_up, least(least(up.x, up.y), least(up.z, up.w)));
#endif
#if IS_MOST
    l->high_up = most(l->high_up, most(most(up.x, up.y), most(up.z, up.w)));
#endif
#endif
}

// The two values of a pair.
#if TYPE == F16
#define PAIR(p) halves(p)
#elif TYPE == F32
#define PAIR(p) ((float2)(p))
#elif IS_SIGNED
#define PAIR(p) (((int2)((int)(p), (int)((p) << 16))) >> (32 - 8 * BYTES))
#else
#define PAIR(p) (convert_int2(((uint2)((p), (p) << 16)) >> (32 - 8 * BYTES)))
#endif

// Of both kinds of pack: the low bytes are noise, that only chooses between equal high bytes.
static JOIN_NAMES(W, 2) least_of(lanes l)
{
    return PAIR(BYTES == 1 ? least(l.low, l.low_up) : l.low);
}

static JOIN_NAMES(W, 2) most_of(lanes l)
{
    return PAIR(BYTES == 1 ? most(l.high, l.high_up) : l.high);
}

#if IS_ARG
static W words_best(lanes l)
{
    const JOIN_NAMES(W, 2) x = IS_LEAST ? least_of(l) : most_of(l);
    W a = x.x;
    EXTREME(a, x.y);
    return a;
}
#else
static acc words_acc(lanes l)
{
#if OP == MINMAX
    return acc_of2(least_of(l), most_of(l), 0);
#else
    return acc_of2(IS_LEAST ? least_of(l) : most_of(l), 0, 0);
#endif
}
#endif

#else // --------------------------------------------------------- all else by parts
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

static W words_best(lanes l)
{
#if M == 4
    JOIN_NAMES(W, 2) two = l.a.lo;
    EXTREME(two, l.a.hi);
#else
    const JOIN_NAMES(W, 2) two = l.a;
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

static acc words_acc(lanes l)
{
    return JOIN_NAMES(acc_of, M)(l.a, l.b, 0);
}
#endif
#endif
