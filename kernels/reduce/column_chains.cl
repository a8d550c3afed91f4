// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_columns: how an item folds the vectors of its columns. `chains` takes in a vector of
// COLUMNS elements from each line, by the first of these methods that the operation, the type and
// the device allow:
//
//     IN_KEYS     argmin, argmax of 8 and 16 bits: a word for each column, the element's order
//                 above the line's number, so that one comparison of unsigned words decides
//     IN_PAIRS    extremes of 8 and 16 bits: one instruction for two columns (reduce/pairs.cl,
//                 reduce/column_pairs.cl)
//     IN_BITS     and, or, xor, any, all of 8 and 16 bits: one to three for a word of columns
//     IN_FIELDS   count of 8 and 16 bits, sums of bytes and of their magnitudes: fields of as
//                 many or of 16 bits
//     IN_PRODUCTS products of integers of 8 and 16 bits: first of some lines, in 32 bits
//     IN_MOMENTS  statistics but for f64 and narrow integers: reduce/column_moments.cl
//     IN_EXACT    statistics of integers of 8 and 16 bits: reduce/column_exact.cl
//     else        for each column the STEP of reduce/chain.cl
//
// Defines chains, CHAIN_LINES, and
//     chains_start(&s, v)            before the first vector, which is v
//     chains_choose(&s, v, n)        CHOOSES_PIVOTS: sees the next n vectors, from v on, before
//                                    they are taken in
//     chains_take(&s, v, n, at)      takes in v of the chain's line n, of position `at` within the
//                                    chain; n < CHAIN_LINES, but for 0, which is any number
//     chains_close(&s)               IN_MOMENTS: after each CHAIN vectors
//     chains_end(r, &s, base, f)     the accs r[COLUMNS] take in what they come to; f says where
//                                    line n lies
//
// Macros: see gpu_columns.cl. Operations per word of 4 bytes, but for loading: IN_KEYS 6 to 12,
// f16 4 more for each pair; IN_PAIRS 1 for each extreme, 3 for bytes; IN_BITS 1, `all` 3;
// IN_FIELDS 4 to 5; IN_PRODUCTS for each element two, and three for each 32 bits of elements.

#define VEC_N     COLUMNS
#define VEC_BYTES (VEC_N * BYTES)

#if TYPE == F16
#define BITS ushort
#else
#define BITS ELEM
#endif
// Vectors of narrow elements are words of 4 bytes: compilers load chars by fours.
#define HAS_WORDS (BYTES <= 2 && VEC_BYTES >= 4)
#if HAS_WORDS && VEC_BYTES == 16
typedef uint4 vec;
#elif HAS_WORDS && VEC_BYTES == 8
typedef uint2 vec;
#elif HAS_WORDS
typedef uint vec;
#elif VEC_N == 1
typedef BITS vec;
#else
typedef JOIN_NAMES(BITS, VEC_N) vec;
#endif

// Column c of a vector.
static OPERAND column_of(vec v, int c)
{
#if HAS_WORDS
    const uint word = ((const uint *)&v)[c * BYTES / 4], place = c % (4 / BYTES);
#if TYPE == F16
    const float2 two = halves(word);
    return place ? two.y : two.x;
#elif IS_SIGNED
    return (OPERAND)((int)(word << (32 - 8 * BYTES * (place + 1))) >> (32 - 8 * BYTES));
#else
    return (OPERAND)((word << (32 - 8 * BYTES * (place + 1))) >> (32 - 8 * BYTES));
#endif
#elif TYPE == F16
    const ushort2 bits = v;
    return vload_half(0, (const half *)&bits);
#else
    return (OPERAND)((const ELEM *)&v)[c];
#endif
}

// ---------------------------------------------------------------- methods
#define WORDS      (VEC_BYTES / 4)
#define WORD(v, k) (((const uint *)&(v))[k])
#define IN_KEYS   (HAS_WORDS && IS_ARG)
#define IN_PAIRS  (HAS_WORDS && HAS_PACKS && IS_EXTREME && !IS_ARG)
#define IN_BITS   (HAS_WORDS && HAS_BITS)
#define IS_TALLY  (OP == COUNT && !SKIP_NAN)
#define IN_FIELDS \
    (HAS_WORDS && (IS_TALLY || (BYTES == 1 && (OP == SUM || OP == MEAN || OP == SUM_ABS))))

#define IN_PRODUCTS (HAS_WORDS && OP == PRODUCT && !IS_FLOAT)
#define IN_MOMENTS (OP == STATISTICS && !EXACT && BYTES <= 4) // reduce/column_moments.cl
#define IN_EXACT   (HAS_WORDS && EXACT)                       // reduce/column_exact.cl
#define CHOOSES_PIVOTS (IN_MOMENTS && SKIP_NAN) // from the vectors of a tile
#define HAS_RANGES (HAS_WORDS && HAS_PACKS && (IN_EXACT || IN_MOMENTS)) // extremes by pairs

#if IN_BITS || IN_FIELDS
// Column c of words whose fields are unsigned.
static uint field_of(const uint *words, int c)
{
    return words[c * BYTES / 4] >> (FIELD_BITS * (c % (4 / BYTES))) & FIELD;
}
#endif

// Where the lines of a chain lie: line n is n / DEPTH tiles and n % DEPTH lanes behind the first.
struct places {
    ulong jump; // lines from tile to tile
    uint lanes, fuse;
};

#if IN_KEYS
// ---------------------------------------------------------------- keys
#define CHAIN_LINES (1 << 16)

typedef struct {
    uint key[VEC_N];
} chains;

static void chains_start(chains *s, vec v)
{
    #pragma unroll
    for (int c = 0; c < VEC_N; c++)
        s->key[c] = 0;
}

static void chains_take(chains *s, vec v, uint n, INDEX at)
{
    #pragma unroll
    for (int c = 0; c < VEC_N; c++)
        s->key[c] = max(s->key[c], key_of(order(WORD(v, c * BYTES / 4)), c % (4 / BYTES), n));
}

static void chains_end(acc *r, const chains *s, ulong base, const struct places *f)
{
    #pragma unroll
    for (int c = 0; c < VEC_N; c++) {
        const uint n = number_of(s->key[c]);
        const ulong line = n / DEPTH * f->jump + n % DEPTH * f->lanes;
        take(&r[c], value_of(s->key[c]), 0, base + (line << f->fuse));
    }
}

#elif IN_BITS
// ---------------------------------------------------------------- bits
#define CHAIN_LINES 0

typedef struct {
    uint bits[WORDS];
} chains;

static void chains_start(chains *s, vec v)
{
    #pragma unroll
    for (int k = 0; k < WORDS; k++)
        s->bits[k] = NO_BITS;
}

static void chains_take(chains *s, vec v, uint n, INDEX at)
{
    #pragma unroll
    for (int k = 0; k < WORDS; k++)
        s->bits[k] = take_bits(s->bits[k], WORD(v, k));
}

static void chains_end(acc *r, const chains *s, ulong base, const struct places *f)
{
    #pragma unroll
    for (int c = 0; c < VEC_N; c++)
        take(&r[c], chain_of_bits(field_of(s->bits, c)), 0, base);
}

#elif IN_FIELDS
// ---------------------------------------------------------------- fields
// A field of a byte has room for 255 hits, one of 16 bits for 257 bytes. Signed bytes are moved up
// by 128, or are made magnitudes: each is inverted and increased by 1 where it is negative.
#define CHAIN_LINES (BYTES == 1 ? 255 : 1 << 12)
#define MOVED       (IS_SIGNED && !IS_TALLY && OP != SUM_ABS)

static uint sizes_of(uint w)
{
    const uint negative = w >> 7 & 0x01010101;
    return OP == SUM_ABS && IS_SIGNED ? (w ^ negative * 255) + negative : w;
}

typedef struct {
    uint even[WORDS], odd[WORDS]; // tallies have even ones alone
    uint lines;
} chains;

static void chains_start(chains *s, vec v)
{
    s->lines = 0;
    #pragma unroll
    for (int k = 0; k < WORDS; k++)
        s->even[k] = s->odd[k] = 0;
}

static void chains_take(chains *s, vec v, uint n, INDEX at)
{
    s->lines++;
    #pragma unroll
    for (int k = 0; k < WORDS; k++) {
        const uint w = MOVED ? WORD(v, k) ^ TOP : sizes_of(WORD(v, k));
        if (IS_TALLY)
            s->even[k] += (NONZERO(w) & TOP) >> (FIELD_BITS - 1);
        else {
            s->even[k] += w & 0x00ff00ff;
            s->odd[k] += w >> 8 & 0x00ff00ff;
        }
    }
}

static void chains_end(acc *r, const chains *s, ulong base, const struct places *f)
{
    #pragma unroll
    for (int c = 0; c < VEC_N; c++) {
        const uint pair = c % 2 ? s->odd[c / 4] : s->even[c / 4];
        const uint sum = IS_TALLY ? field_of(s->even, c) : pair >> (c % 4 / 2 * 16) & 0xffff;
        take(&r[c], (CHAIN_A)sum - (MOVED ? 128 * (CHAIN_A)s->lines : 0), 0, base);
    }
}

#elif IN_PRODUCTS
// ---------------------------------------------------------------- products
// 32 bits have room for the product of so many elements.
#define FACTORS     (4 / BYTES)
#define CHAIN_LINES 0

typedef struct {
    ulong product[VEC_N];
    product32 few[VEC_N];
} chains;

static void chains_start(chains *s, vec v)
{
    #pragma unroll
    for (int c = 0; c < VEC_N; c++) {
        s->product[c] = 1;
        s->few[c] = 1;
    }
}

static void chains_take(chains *s, vec v, uint n, INDEX at)
{
    #pragma unroll
    for (int c = 0; c < VEC_N; c++) {
        s->few[c] *= (product32)column_of(v, c);
        if (n % FACTORS == FACTORS - 1) {
            s->product[c] *= (ulong)(product64)s->few[c];
            s->few[c] = 1;
        }
    }
}

static void chains_end(acc *r, const chains *s, ulong base, const struct places *f)
{
    #pragma unroll
    for (int c = 0; c < VEC_N; c++)
        take(&r[c], s->product[c] * (ulong)(product64)s->few[c], 0, base);
}

#elif !IN_PAIRS && !IN_MOMENTS && !IN_EXACT
// ---------------------------------------------------------------- columns one by one
// Sums and extremes of integers of 8 and 16 bits do not round, and 32 bits have room for more.
#if BYTES <= 2 && !IS_FLOAT && !IS_ARG && OP != STATISTICS
#define CHAIN_LINES (16 * CHAIN)
#else
#define CHAIN_LINES CHAIN
#endif

typedef struct {
    CHAIN_A a[VEC_N];
    CHAIN_B b[VEC_N];
} chains;

static void chains_start(chains *s, vec v)
{
    #pragma unroll
    for (int c = 0; c < VEC_N; c++)
        START(, s->a[c], s->b[c], column_of(v, c), 0);
}

static void chains_take(chains *s, vec v, uint n, INDEX at)
{
    #pragma unroll
    for (int c = 0; c < VEC_N; c++) {
        const OPERAND x = column_of(v, c);
        STEP(s->a[c], s->b[c], x, at);
    }
}

static void chains_end(acc *r, const chains *s, ulong base, const struct places *f)
{
    #pragma unroll
    for (int c = 0; c < VEC_N; c++)
        take(&r[c], s->a[c], s->b[c], base);
}
#endif
