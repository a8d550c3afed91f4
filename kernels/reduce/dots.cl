// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_rows and gpu_tiles: sums of words of 8- and 16-bit integers, of their magnitudes
// or squares, and counts of elements that are not 0. A dot product adds four bytes or two
// values of 16 bits, times 1, -1 or bytes of their own. reduce/vec16.cl says when. Per word of 4
// bytes: sums and squares of bytes one instruction, squares of 16 bits and magnitudes of signed
// elements three, counts five.
//
// H200, driver 580.159.04, 2026-11-29, us by subvectors (vec16.cl) and so: sum_abs of 72 rows
// of 12 524 821 i8 343 208; counts of 276 056 rows of 5268 u8 452 327. 2026-11-30: squares of rows
// of 614 i16 361 284, of 742 380 313. Short rows were not measured.

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

#define SQUARES16 (BYTES == 2 && (OP == SUM_SQUARES || OP == STATISTICS))
#if SQUARES16 && (DOTS || (MOMENTS16 && HAS_DOTS))
// Sums of squares of 16 bits: of elements times their lower bytes, and times their upper ones. 32
// bits have room for 256 products of 16 and 8 bits: 65535 * 255 * 256 < 2^32, signed
// 32768 * 255 * 256 < 2^31.
typedef struct {
    int low, high;
} squares16;

static void take_squares(squares16 *s, uint word)
{
    const uint bytes = joined_bytes(word, 0, 0x3120); // two lower ones, two upper ones
#if IS_SIGNED
    asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(s->low) : "r"(word), "r"(bytes), "r"(s->low));
    asm("dp2a.hi.s32.s32 %0, %1, %2, %3;" : "=r"(s->high) : "r"(word), "r"(bytes), "r"(s->high));
#else
    asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(s->low) : "r"(word), "r"(bytes), "r"(s->low));
    asm("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(s->high) : "r"(word), "r"(bytes), "r"(s->high));
#endif
}

static ulong sum_of_squares(const squares16 *s)
{
#if IS_SIGNED
    return (ulong)((long)s->high * 256 + s->low);
#else
    return (ulong)(uint)s->high * 256 + (uint)s->low;
#endif
}
#endif

#if DOTS && SQUARES16
#define VEC16_CHAIN 32 // 256 elements

typedef squares16 word_acc;

static void vec16_start(word_acc *l)
{
    l->low = l->high = 0;
}

static void word_take(word_acc *l, uint w)
{
    take_squares(l, w);
}

static void vec16_merge(acc *r, const word_acc *l)
{
    take(r, sum_of_squares(l), 0, 0);
}
#elif DOTS
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

static void word_take(word_acc *l, uint w)
{
    l->sum = add_word(w, l->sum);
}

static void vec16_merge(acc *r, const word_acc *l)
{
    take(r, l->sum, 0, 0);
}
#endif

#if DOTS
#define word_start(l, word) vec16_start(l)

static void vec16_take(word_acc *l, uint4 v)
{
    word_take(l, v.x);
    word_take(l, v.y);
    word_take(l, v.z);
    word_take(l, v.w);
}
#endif
