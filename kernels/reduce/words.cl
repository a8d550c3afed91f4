// SPDX-License-Identifier: Apache-2.0
//
// reduce, variants for GPUs: elements of 8 and 16 bits as fields of words of 4 bytes.
//
//     bits   and, or, xor, any, all: one to three instructions take in a word
//     keys   argmin, argmax: the order of an element above its number, so that one comparison of
//            unsigned words decides
//
// Defines HAS_BITS, NO_BITS, take_bits(), JOIN_BITS(), chain_of_bits(); HAS_KEYS, order(),
//         key_of(), value_of(), number_of(); product32, product64; TOP, NONZERO; of elements of
//         4 bytes, too, ALL_OF(), neutral_word()
//
// Macros: see reduce.cl; PTX of common.cl.

#define HAS_BITS (BYTES <= 2 && (IS_BITWISE || OP == ALL || (OP == ANY && !SKIP_NAN)))
#define HAS_KEYS (BYTES <= 2 && IS_ARG)

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

#if HAS_KEYS
// ---------------------------------------------------------------- keys
// Elements are numbered downwards, so that of equal ones the first has the greatest key. Any key
// is greater than 0 but that of the last number.
#define NUMBERS (0xffffffffu >> FIELD_BITS)

#if TYPE == F16
// Bits of f16 that are ordered as signed numbers. All NaNs are the greatest number, or with
// NAN_IS_LEAST the least one; -0 is 0.
#define NAN_IS_LEAST ((OP == ARGMAX) == SKIP_NAN)
static uint canonical(uint w)
{
#if PTX
    uint r; // adding 0 makes -0 to 0, and NaNs to 0x7fff
    asm("add.rn.f16x2 %0, %1, %2;" : "=r"(r) : "r"(w), "r"(0));
    return r;
#else
    const uint size = w & 0x7fff7fff;
    const uint nan = ((size + 0x03ff03ff) >> 15 & 0x00010001) * 0xffff;
    const uint some = ((size + 0x7fff7fff) >> 15 & 0x00010001) * 0xffff;
    return ((w & ~nan) | (0x7fff7fff & nan)) & some;
#endif
}

static uint turn_negatives(uint w)
{
    return w ^ ((w >> 15 & 0x00010001) * 0x7fff);
}
#endif

// The elements of a word as fields of which the greatest wins.
static uint order(uint w)
{
#if TYPE == F16
    w = turn_negatives(canonical(w)) + (NAN_IS_LEAST ? 0x00010001 : 0);
#endif
#if IS_SIGNED || IS_FLOAT
    w ^= TOP;
#endif
    return OP == ARGMAX ? w : ~w;
}

// The key of element c of an ordered word, which has number n.
static uint key_of(uint ordered, int c, uint n)
{
    return (ordered << (32 - FIELD_BITS * (1 + c)) & ~NUMBERS) | (NUMBERS - n);
}

static uint number_of(uint key)
{
    return NUMBERS - (key & NUMBERS);
}

static OPERAND value_of(uint key)
{
    uint w = key >> (32 - FIELD_BITS);
    w = OP == ARGMAX ? w : ~w;
#if IS_SIGNED || IS_FLOAT
    w ^= TOP;
#endif
#if TYPE == F16
    return halves(turn_negatives(w - (NAN_IS_LEAST ? 1 : 0)) & FIELD).x;
#elif IS_SIGNED
    return (OPERAND)((int)(w << (32 - FIELD_BITS)) >> (32 - FIELD_BITS));
#else
    return (OPERAND)(w & FIELD);
#endif
}
#endif
