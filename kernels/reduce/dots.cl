// SPDX-License-Identifier: Apache-2.0
//
// reduce on GPUs, words of 8- and 16-bit integers: their sum, or that of their squares, by dot
// products of four bytes or two halves, with ones or with themselves. See reduce/vec16.cl.

#if DOTS
#define WORD_CHAIN 64 // of squares of bytes: 2^26

typedef struct {
    int sum;
} lanes;

// sum + the four or two products of x's elements with those of y.
static int add_products(uint x, uint y, int sum)
{
    int r;
#if BYTES == 1 && IS_SIGNED
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(sum));
#elif BYTES == 1
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(sum));
#elif IS_SIGNED
    asm("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(sum));
#else
    asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(sum));
#endif
    return r;
}

static void words_start(lanes *l)
{
    l->sum = 0;
}

static void words_take(lanes *l, uint4 v)
{
#if OP == SUM_SQUARES
    const uint4 y = v;
#else
    const uint4 y = 0x01010101;
#endif
    l->sum = add_products(v.x, y.x, l->sum);
    l->sum = add_products(v.y, y.y, l->sum);
    l->sum = add_products(v.z, y.z, l->sum);
    l->sum = add_products(v.w, y.w, l->sum);
}

static void words_merge(acc *r, const lanes *l)
{
    take(r, l->sum, 0, 0);
}
#endif
