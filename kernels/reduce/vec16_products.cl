// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_rows and gpu_tiles: products of vectors of 8- and 16-bit integers. 32 bits have
// room for the product of a word's four or two elements, so that one multiplication of 64 bits
// takes in two words. reduce/vec16.cl says when. Per 16 bytes: 4 multiplications of 32 bits,
// for bytes 12, two that give 64, and two of 64; 8 instructions that take elements out, for
// bytes 16. A product of integers stays 0 once its factors have 64 twos. In most data an element
// has one in the mean, so an item of a long row soon only reads. H200, driver 580.159.04,
// 2026-11-29, us without this and asking before each vector: one row of i8 409, 255, of u8 272, 217; but u8, rows of 2153 363, 398, i16, of 2384 360, 393.
// Now an item asks before each tile, where a row has a whole group: i8, one row, and u8, 5
// rows, 0.97 of the bound both, as by asking before each vector. 2026-11-30, rows of 64 i8 by
// gpu_tiles: 325 us, and 561 by three instructions for each byte and a product of 64 bits for each
// word.

#if PRODUCTS
#define VEC16_CHAIN 0

typedef struct {
    ulong product;
} word_acc;

#if BYTES == 1
// Byte c of a word: one instruction, where compilers make three of a conversion.
static product32 byte_of(uint word, uint c)
{
#if PTX
    const uint selector = IS_SIGNED ? 0x8880 + 0x1111 * c : 0x4440 + c; // its sign, or zeros
    uint x;
    asm("prmt.b32 %0, %1, 0, %2;" : "=r"(x) : "r"(word), "r"(selector));
    return (product32)x;
#else
    return JOIN_NAMES(as_, ELEM)((uchar)(word >> (8 * c)));
#endif
}
#endif

static product32 product_of(uint word)
{
#if BYTES == 2
    const JOIN_NAMES(ELEM, 2) x = JOIN_NAMES(JOIN_NAMES(as_, ELEM), 2)(word);
    return (product32)x.x * x.y;
#else
    return (byte_of(word, 0) * byte_of(word, 1)) * (byte_of(word, 2) * byte_of(word, 3));
#endif
}

static void vec16_start(word_acc *l)
{
    l->product = 1;
}

#define VEC16_IS_SETTLED(l) ((l)->product == 0)

// Of two words. Compilers would multiply l->product by one word after the other, each time by 64
// bits.
static ulong product_of_two(uint one, uint next)
{
    const product32 x = product_of(one), y = product_of(next);
#if PTX && IS_SIGNED
    long both;
    asm("mul.wide.s32 %0, %1, %2;" : "=l"(both) : "r"(x), "r"(y));
    return (ulong)both;
#elif PTX
    ulong both;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(both) : "r"(x), "r"(y));
    return both;
#else
    return (ulong)((product64)x * y);
#endif
}

static void word_take2(word_acc *l, uint one, uint next)
{
    l->product *= product_of_two(one, next);
}

static void vec16_take(word_acc *l, uint4 v)
{
    l->product *= product_of_two(v.x, v.y) * product_of_two(v.z, v.w);
}

static void word_take(word_acc *l, uint word)
{
    l->product *= (ulong)(product64)product_of(word);
}

static void vec16_merge(acc *r, const word_acc *l)
{
    take(r, l->product, 0, 0);
}

#define word_start(l, word) vec16_start(l)
#endif
