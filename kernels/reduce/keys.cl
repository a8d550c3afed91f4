// SPDX-License-Identifier: Apache-2.0
//
// reduce, variants for GPUs: argmin and argmax of elements of 8 and 16 bits by keys. A key has the
// order of an element above its number, so that one comparison of unsigned words decides.
//
// Defines order(), key_of(), value_of(), number_of()
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
#endif
