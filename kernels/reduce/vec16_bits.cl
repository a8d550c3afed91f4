// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_rows and gpu_tiles: and, or, xor, any and all of vectors of 8- and 16-bit elements
// (reduce/words.cl). reduce/vec16.cl says when. Per 16 bytes: four instructions, `all` twelve.

#if BITS16
#define VEC16_CHAIN 0

typedef struct {
    uint bits;
} word_acc;

static void vec16_start(word_acc *l)
{
    l->bits = NO_BITS;
}

static void word_take(word_acc *l, uint word)
{
    l->bits = take_bits(l->bits, word);
}

static void vec16_take(word_acc *l, uint4 v)
{
    word_take(l, v.x);
    word_take(l, v.y);
    word_take(l, v.z);
    word_take(l, v.w);
}

static void vec16_merge(acc *r, const word_acc *l)
{
    uint bits = JOIN_BITS(l->bits, l->bits >> 16);
    if (BYTES == 1)
        bits = JOIN_BITS(bits, bits >> 8);
    take(r, chain_of_bits(bits & FIELD), 0, 0);
}

#define word_start(l, word) vec16_start(l)
#endif
