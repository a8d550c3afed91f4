// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_rows: sums of vectors of 8- and 16-bit integers, or of their squares. A dot
// product with ones, or with itself, adds four bytes or two values of 16 bits. reduce/vec16.cl
// says when. Per 16 bytes: four instructions.

#if DOTS || (MOMENTS16 && HAS_DOTS)
// sum + the products of the four or two elements of x with those of y.
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

static int add_vectors(uint4 v, uint4 y, int sum)
{
    sum = add_products(v.x, y.x, sum);
    sum = add_products(v.y, y.y, sum);
    sum = add_products(v.z, y.z, sum);
    return add_products(v.w, y.w, sum);
}
#define ONES 0x01010101
#endif

#if DOTS
#define VEC16_CHAIN 64 // of squares of bytes: 2^26

typedef struct {
    int sum;
} word_acc;

static void vec16_start(word_acc *l)
{
    l->sum = 0;
}

static void vec16_take(word_acc *l, uint4 v)
{
#if OP == SUM_SQUARES
    l->sum = add_vectors(v, v, l->sum);
#else
    l->sum = add_vectors(v, ONES, l->sum);
#endif
}

static void vec16_merge(acc *r, const word_acc *l)
{
    take(r, l->sum, 0, 0);
}
#endif
