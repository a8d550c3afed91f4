// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_rows and gpu_tiles: products of vectors of 8- and 16-bit integers. 32 bits have
// room for the product of a word's four or two elements, so that one multiplication of 64 bits
// takes in two words. reduce/vec16.cl says when. Per 16 bytes: 4 multiplications of 32 bits,
// for bytes 12, two that give 64, and two of 64. A product of integers stays 0 once its factors
// have 64 twos. In most data an element has one in the mean, so an item of a long row soon only
// reads. H200, driver 580.159.04, 2026-11-29, us without this and asking before each vector:
// one row of i8 409, 255, of u8 272, 217; but u8, rows of 2153 363, 398, i16, of 2384 360, 393.
// Now an item asks before each tile, where a row has a whole group: i8, one row, and u8, 5
// rows, 0.97 of the bound both, as by asking before each vector.

#if PRODUCTS
#define VEC16_CHAIN 0

typedef struct {
    ulong product;
} word_acc;

static product32 product_of(uint word)
{
#if BYTES == 2
    const JOIN_NAMES(ELEM, 2) x = JOIN_NAMES(JOIN_NAMES(as_, ELEM), 2)(word);
    return (product32)x.x * x.y;
#else
    const JOIN_NAMES(ELEM, 4) x = JOIN_NAMES(JOIN_NAMES(as_, ELEM), 4)(word);
    return ((product32)x.x * x.y) * ((product32)x.z * x.w);
#endif
}

static void vec16_start(word_acc *l)
{
    l->product = 1;
}

#define VEC16_IS_SETTLED(l) ((l)->product == 0)

static void vec16_take(word_acc *l, uint4 v)
{
    const ulong low = (ulong)((product64)product_of(v.x) * product_of(v.y));
    l->product *= low * (ulong)((product64)product_of(v.z) * product_of(v.w));
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
