// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_rows and gpu_tiles: sums of words of 8- and 16-bit integers, of their magnitudes
// or squares, and counts of elements that are not 0. A dot product adds four bytes or two
// values of 16 bits, times 1, -1 or themselves. reduce/vec16.cl says when. Per word of 4 bytes:
// sums and squares one instruction, magnitudes of signed elements three, counts five.
//
// H200, driver 580.159.04, 2026-11-29, us by subvectors (vec16.cl) and so: sum_abs of 72 rows
// of 12 524 821 i8 343 208; counts of 276 056 rows of 5268 u8 452 327. Elements of 16 bits and
// short rows were not measured.

#if DOTS || (MOMENTS16 && HAS_DOTS)
#define SIGNED_FACTORS (IS_SIGNED || OP == COUNT)

// sum + the products of the four or two elements of x with those of y. Where elements have 16
// bits, those of y are its lower two bytes.
static int add_products(uint x, uint y, int sum)
{
    int r;
#if BYTES == 1 && SIGNED_FACTORS
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(sum));
#elif BYTES == 1
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(sum));
#elif SIGNED_FACTORS
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

// A byte for each element: -1 where its upper bit is set, else 0. The selector's upper bit
// repeats the sign of a byte.
static uint negatives(uint w)
{
    uint r;
    asm("prmt.b32 %0, %1, 0, %2;" : "=r"(r) : "r"(w), "n"(BYTES == 1 ? 0xba98 : 0xb9));
    return r;
}

// sum + the terms of a word's elements.
static int add_word(uint w, int sum)
{
#if OP == COUNT
    return add_products(0xffffffff, negatives(NONZERO(w)), sum);
#elif OP == SUM_ABS && IS_SIGNED
    return add_products(w, negatives(w) | ONES, sum);
#elif OP == SUM_SQUARES
    return add_products(w, w, sum);
#else
    return add_products(w, ONES, sum);
#endif
}

typedef struct {
    int sum;
} word_acc;

static void vec16_start(word_acc *l)
{
    l->sum = 0;
}

static void vec16_take(word_acc *l, uint4 v)
{
    l->sum = add_word(v.x, l->sum);
    l->sum = add_word(v.y, l->sum);
    l->sum = add_word(v.z, l->sum);
    l->sum = add_word(v.w, l->sum);
}

static void vec16_merge(acc *r, const word_acc *l)
{
    take(r, l->sum, 0, 0);
}
#endif
