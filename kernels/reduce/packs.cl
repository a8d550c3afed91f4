// SPDX-License-Identifier: Apache-2.0
//
// reduce on GPUs, the extremes of words by one instruction per pair of 16-bit values, or per f32.
// Bytes go as pairs too, once as they are and once shifted up: the high byte decides.
// See reduce/vec16.cl.

#if PACKS
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
static JOIN_NAMES(W, 2) least_of(const lanes *l)
{
    return PAIR(BYTES == 1 ? least(l->low, l->low_up) : l->low);
}

static JOIN_NAMES(W, 2) most_of(const lanes *l)
{
    return PAIR(BYTES == 1 ? most(l->high, l->high_up) : l->high);
}

#if IS_ARG
static W words_best(const lanes *l)
{
    const JOIN_NAMES(W, 2) x = IS_LEAST ? least_of(l) : most_of(l);
    W a = x.x;
    EXTREME(a, x.y);
    return a;
}
#else
static void words_merge(acc *r, const lanes *l)
{
#if OP == MINMAX
    take2(r, least_of(l), most_of(l), 0);
#else
    take2(r, IS_LEAST ? least_of(l) : most_of(l), 0, 0);
#endif
}
#endif
#endif
