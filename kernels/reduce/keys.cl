// SPDX-License-Identifier: Apache-2.0
//
// reduce, variants for GPUs: argmin and argmax of elements of 8 and 16 bits by keys. A key has the
// order of an element above its number, so that one comparison of unsigned words decides.
//
// Of bytes a word may hold two keys, a pair. A key of a pair has eight bits of order above eight of
// the number of the element's word, counted downwards, too. Two pairs take in a word, each by two
// instructions: one makes the pair, one compares each of its keys with the greatest so far.
//
//     word n   b0 b1 b2 b3    even   m b0 m b2    odd   m b1 m b3    m = 255 - n; lowest byte first
//
// Defines order(), key_of(), value_of(), number_of(); PAIR_KEYS, PAIR_NUMBERS, take_pairs(),
//         best_of_pairs()
//
// Macros: see reduce.cl; PTX of common.cl; HAS_KEYS and what else reduce/words.cl defines.

#if HAS_KEYS
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

// ---------------------------------------------------------------- pairs
// Of bytes in rows, where the device has max.u16x2. Without PTX compilers may have the same, and a
// CPU tests the pairs. gpu_columns keeps a key for each column: pairs of the keys of two columns
// were not faster (H200, 2026-11-30).
#define PAIR_KEYS (BYTES == 1 && (PTX >= 90 || !PTX))

#if PAIR_KEYS
#define PAIR_NUMBERS 256 // of words

static uint greater_keys(uint a, uint b)
{
#if PTX
    uint r;
    asm("max.u16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
#else
    return as_uint(max(as_ushort2(a), as_ushort2(b)));
#endif
}

// Takes in ordered word n. Pairs begin with 0.
static void take_pairs(uint *even, uint *odd, uint ordered, uint n)
{
    uint e, o;
#if PTX
    asm("prmt.b32 %0, %1, %2, 0x2404;" : "=r"(e) : "r"(ordered), "r"(~n));
    asm("prmt.b32 %0, %1, %2, 0x3414;" : "=r"(o) : "r"(ordered), "r"(~n));
#else
    const uint numbers = (~n & 0xff) * 0x00010001;
    e = (ordered << 8 & 0xff00ff00) | numbers;
    o = (ordered & 0xff00ff00) | numbers;
#endif
    *even = greater_keys(*even, e);
    *odd = greater_keys(*odd, o);
}

// The best key of both pairs, as key_of() makes it of elements whose words lie one behind the
// other.
static uint best_of_pairs(uint even, uint odd)
{
    uint key = 0;
    #pragma unroll
    for (uint c = 0; c < 4; c++) {
        const uint field = (c % 2 ? odd : even) >> (c / 2 * 16) & 0xffff;
        key = max(key, field >> 8 << 24 | (NUMBERS - ((~field & 0xff) * 4 + c)));
    }
    return key;
}
#endif
#else
#define PAIR_KEYS 0
#endif
