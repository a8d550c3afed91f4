// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_rows: extremes of vectors by the instructions of reduce/pairs.cl. reduce/vec16.cl
// says when. Per 16 bytes: four instructions for each extreme, eight and a shift for bytes.

#if PACKS || (MOMENTS16 && HAS_PACKS)
// `low` and `high` are the extremes of the elements as they are, `low_up` and `high_up` those
// of bytes that are shifted up.
typedef struct {
    PACK low, high, low_up, high_up;
} packs;

static void packs_start(packs *l)
{
    l->low = l->low_up = LAST;
    l->high = l->high_up = FIRST;
}

static void packs_take(packs *l, uint4 v)
{
#if OP == MAX_ABS && TYPE == F32
    const float4 x = fabs(as_float4(v));
#elif OP == MAX_ABS && TYPE == F16
    const uint4 x = v & 0x7fff7fff;
#else
    const JOIN_NAMES(PACK, 4) x = JOIN_NAMES(JOIN_NAMES(as_, PACK), 4)(v);
#endif
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

static void packs_take_word(packs *l, uint word)
{
#if OP == MAX_ABS && TYPE == F32
    const PACK x = fabs(as_float(word));
#elif OP == MAX_ABS && TYPE == F16
    const PACK x = word & 0x7fff7fff;
#else
    const PACK x = JOIN_NAMES(as_, PACK)(word);
#endif
#if IS_LEAST
    l->low = least(l->low, x);
#if BYTES == 1
    l->low_up = least(l->low_up, word << 8);
#endif
#endif
#if IS_MOST
    l->high = most(l->high, x);
#if BYTES == 1
    l->high_up = most(l->high_up, word << 8);
#endif
#endif
}

// The two values of a pair.
#if TYPE == F16
#define PAIR(p) halves(p)
typedef float2 pair;
#elif TYPE == F32
#define PAIR(p) ((float2)(p))
typedef float2 pair;
#elif IS_SIGNED
#define PAIR(p) (((int2)((int)(p), (int)((p) << 16))) >> (32 - 8 * BYTES))
#else
#define PAIR(p) (convert_int2(((uint2)((p), (p) << 16)) >> (32 - 8 * BYTES)))
#endif
#if !IS_FLOAT
typedef int2 pair;
#endif

// The extreme of both kinds of pairs. The low bytes are noise: they choose between equal high
// bytes.
static pair least_of(const packs *l)
{
    return PAIR(BYTES == 1 ? least(l->low, l->low_up) : l->low);
}

static pair most_of(const packs *l)
{
    return PAIR(BYTES == 1 ? most(l->high, l->high_up) : l->high);
}

#endif

#if PACKS
#define VEC16_CHAIN 0

typedef packs word_acc;

static void vec16_start(word_acc *l)
{
    packs_start(l);
}

static void vec16_take(word_acc *l, uint4 v)
{
    packs_take(l, v);
}

#define word_start(l, word) vec16_start(l)
#define word_take(l, word)  packs_take_word(l, word)

#if IS_ARG
static OPERAND vec16_best(const word_acc *l)
{
    const JOIN_NAMES(OPERAND, 2) x = IS_LEAST ? least_of(l) : most_of(l);
    OPERAND a = x.x;
    EXTREME(a, x.y);
    return a;
}
#else
static void vec16_merge(acc *r, const word_acc *l)
{
#if OP == MINMAX
    take2(r, least_of(l), most_of(l), 0);
#elif OP == MAX_ABS && IS_SIGNED
    take2(r, max(as_uint2(-least_of(l)), as_uint2(most_of(l))), 0, 0);
#else
    take2(r, JOIN_NAMES(JOIN_NAMES(as_, OPERAND), 2)(IS_LEAST ? least_of(l) : most_of(l)), 0, 0);
#endif
}
#endif
#endif
