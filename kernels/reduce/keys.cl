// SPDX-License-Identifier: Apache-2.0
//
// reduce, variants for GPUs: argmin and argmax of elements of 8 and 16 bits by keys. A key has the
// order of an element above its number, so that one comparison of unsigned words decides.
//
// Of bytes in rows a word may hold two keys, a pair. A key of a pair has eight bits of order above
// eight of the number of the element's word, counted downwards, too. Two pairs take in a word, each
// by two instructions: one makes the pair, one compares each of its keys with the greatest so far.
//
//     word n   b0 b1 b2 b3    even   m b0 m b2    odd   m b1 m b3    m = 255 - n; lowest byte first
//
// Defines order(), key_of(), value_of(), number_of(); keys, keys_start(), keys_take(), keys_best()
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

// ---------------------------------------------------------------- keys of words
// `keys` are the best of some words' elements: a key, or of bytes the two pairs, where the device
// has max.u16x2. Without PTX compilers may have the same, and a CPU tests the pairs. gpu_columns
// keeps a key for each column: pairs of the keys of two columns were not faster (H200, 2026-11-30).
//
// keys_start() comes before the first word. keys_take() takes in a word whose first element has
// number i: a multiple of the elements of a word, of bytes below MOST_KEY_BYTES.
#define PAIR_KEYS (BYTES == 1 && (PTX >= 90 || !PTX))

#if PAIR_KEYS
typedef struct {
    uint even, odd;
} keys;

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

static void keys_start(keys *k)
{
    k->even = k->odd = 0;
}

static void keys_take(keys *k, uint w, uint i)
{
    const uint ordered = order(w), n = i / 4;
    uint even, odd;
#if PTX
    asm("prmt.b32 %0, %1, %2, 0x2404;" : "=r"(even) : "r"(ordered), "r"(~n));
    asm("prmt.b32 %0, %1, %2, 0x3414;" : "=r"(odd) : "r"(ordered), "r"(~n));
#else
    const uint numbers = (~n & 0xff) * 0x00010001;
    even = (ordered << 8 & 0xff00ff00) | numbers;
    odd = (ordered & 0xff00ff00) | numbers;
#endif
    k->even = greater_keys(k->even, even);
    k->odd = greater_keys(k->odd, odd);
}

// As key_of() makes it.
static uint keys_best(const keys *k)
{
    uint key = 0;
    #pragma unroll
    for (uint c = 0; c < 4; c++) {
        const uint field = (c % 2 ? k->odd : k->even) >> (c / 2 * 16) & 0xffff;
        key = max(key, field >> 8 << 24 | (NUMBERS - ((~field & 0xff) * 4 + c)));
    }
    return key;
}
#else
typedef uint keys;

static void keys_start(keys *k)
{
    *k = 0;
}

static void keys_take(keys *k, uint w, uint i)
{
    const uint ordered = order(w);
    #pragma unroll
    for (int c = 0; c < 4 / BYTES; c++)
        *k = max(*k, key_of(ordered, c, i + c));
}

static uint keys_best(const keys *k)
{
    return *k;
}
#endif
#endif
