// SPDX-License-Identifier: Apache-2.0
//
// reduce, variants for GPUs: extremes by one instruction per pair of 16-bit values, or per f32.
// Bytes are taken as pairs too, once as they are and once shifted up by 8 bits, because the high
// byte of a pair decides.
//
// Macros: see reduce.cl; PTX of common.cl.

#define IS_LEAST (OP == MIN || OP == MINMAX || OP == ARGMIN || OP == STATISTICS || \
                  (OP == MAX_ABS && IS_SIGNED))
#define IS_MOST  (OP == MAX || OP == MINMAX || OP == ARGMAX || OP == STATISTICS || OP == MAX_ABS)
#define HAS_PACKS \
    ((PTX >= 90 && !IS_FLOAT && BYTES <= 2) || (PTX >= 80 && (TYPE == F16 || TYPE == F32)))

#if HAS_PACKS && (IS_EXTREME || OP == STATISTICS)
// PACK: the type of an operand, CLASS: its class in inline PTX, KIND: the type of the
// instruction. LAST and FIRST: what least() and most() begin with; any value is better.
// NEITHER: a NaN.
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
// Where NaNs are skipped, any number wins over a NaN, infinities too. A row of NaNs alone has
// no position.
#if IS_FLOAT && SKIP_NAN && IS_ARG
#undef LAST
#undef FIRST
#define LAST  NEITHER
#define FIRST NEITHER
#endif
#if OP == MAX_ABS // magnitudes begin with 0
#undef LAST
#undef FIRST
#define LAST  0
#define FIRST 0
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
#endif
