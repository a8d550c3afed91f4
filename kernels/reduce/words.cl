// SPDX-License-Identifier: Apache-2.0
//
// reduce, variants for GPUs: elements of 8 and 16 bits as fields of words of 4 bytes.
//
//     bits   and, or, xor, any, all: one to three instructions take in a word
//     keys   argmin, argmax: reduce/keys.cl
//
// Defines HAS_BITS, NO_BITS, take_bits(), JOIN_BITS(), chain_of_bits(); HAS_KEYS; product32,
//         product64; TOP, NONZERO; of elements of 4 bytes, too, ALL_OF(), neutral_word(); of all,
//         turned()
//
// Macros: see reduce.cl; PTX of common.cl.

#define HAS_BITS (BYTES <= 2 && (IS_BITWISE || OP == ALL || (OP == ANY && !SKIP_NAN)))
#define HAS_KEYS (BYTES <= 2 && IS_ARG)

// A vector with its elements from the last to the first.
static uint4 turned(uint4 v)
{
#if BYTES == 8
    return v.zwxy;
#elif BYTES == 4
    return v.wzyx;
#elif BYTES == 2
    return rotate(v.wzyx, (uint4)(16));
#elif PTX
    uint4 r;
    asm("prmt.b32 %0, %1, 0, 0x0123;" : "=r"(r.x) : "r"(v.w));
    asm("prmt.b32 %0, %1, 0, 0x0123;" : "=r"(r.y) : "r"(v.z));
    asm("prmt.b32 %0, %1, 0, 0x0123;" : "=r"(r.z) : "r"(v.y));
    asm("prmt.b32 %0, %1, 0, 0x0123;" : "=r"(r.w) : "r"(v.x));
    return r;
#else
    const uint4 w = v.wzyx;
    return (rotate(w, (uint4)(8)) & 0x00ff00ff) | (rotate(w, (uint4)(24)) & 0xff00ff00);
#endif
}

#if BYTES <= 4
// A word of as many equal fields as it has.
#define ALL_OF(x) ((x) * (BYTES == 1 ? 0x01010101u : BYTES == 2 ? 0x00010001u : 1u))

// A word of elements that leave the result of a row as it is. `first` has the bits of the row's
// first element. Extremes get that one: it has the first position, so that no other place has the
// best element and a lower position.
static uint neutral_word(uint first)
{
#if IS_EXTREME
    return ALL_OF(first);
#elif SKIP_NAN || OP == AND || OP == ALL
    return 0xffffffff;
#elif OP == PRODUCT
    return ALL_OF(TYPE == F16 ? 0x3c00u : TYPE == F32 ? 0x3f800000u : 1u);
#else
    return 0;
#endif
}
#endif

// Products of integers of 8 and 16 bits: first of some in 32 bits, then of these in 64.
#if OP == PRODUCT && !IS_FLOAT && IS_SIGNED
typedef int product32;
typedef long product64;
#elif OP == PRODUCT && !IS_FLOAT
typedef uint product32;
typedef ulong product64;
#endif

#if BYTES <= 2
#define FIELD_BITS (8 * BYTES)
#define FIELD      ((1u << FIELD_BITS) - 1)
#define TOP       ALL_OF(1u << (FIELD_BITS - 1))

#if TYPE == F16
#define MAGNITUDES(w) ((w) & 0x7fff7fffu)
#else
#define MAGNITUDES(w) (w)
#endif
// The top bit of each field is set where the element is not 0.
#define NONZERO(w) ((((w) & ~TOP) + ~TOP) | MAGNITUDES(w))
#endif

#if HAS_BITS
// ---------------------------------------------------------------- bits
#if OP == AND || OP == ALL
#define NO_BITS         0xffffffff
#define JOIN_BITS(a, b) ((a) & (b))
#elif OP == XOR
#define NO_BITS         0
#define JOIN_BITS(a, b) ((a) ^ (b))
#else
#define NO_BITS         0
#define JOIN_BITS(a, b) ((a) | (b))
#endif

static uint take_bits(uint bits, uint w)
{
    return JOIN_BITS(bits, OP == ALL ? NONZERO(w) : OP == ANY ? MAGNITUDES(w) : w);
}

// The chain of an element whose bits are in the field.
static CHAIN_A chain_of_bits(uint field)
{
#if OP == ALL
    return !(field >> (FIELD_BITS - 1));
#elif OP == ANY
    return field != 0;
#else
    return (OPERAND)((int)(field << (32 - FIELD_BITS)) >> (32 - FIELD_BITS));
#endif
}
#endif
