// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_rows and gpu_tiles: statistics of vectors of 16 bytes, and of words. An item keeps the extremes in the type of
// the elements, and sums as reduce/moments.cl says: EXACT integers for 8 and 16 bits, else with
// a pivot, the first element of the chain.
//
// Operations per 16 bytes, and what they take of an SM of an H200 in the time in which 16 bytes
// come from memory (0.8 clocks at 4.6 TB/s; predicted, not measured):
//     f32    4 conversions to f64 (16 a clock), 12 of f64 (64 a clock), 8 of f32     0.25 clocks
//     f64    8 of f64, 2 comparisons with selections                                0.2
//     8 bit  8 dot products, 16 of pairs, 4 shifts (64 a clock)                     0.45
//     16 bit 12 dot products, 8 of pairs, 4 permutations of bytes                   0.4
// Where f64 has 1/32 of the rate of f32, or less, f32 data are bound by these 16 operations of
// f64: at 1/64 they take four times as long as their bytes.

#if MOMENTS16
#if EXACT // take_squares() has room for 256 elements of 16 bits
#define VEC16_CHAIN (BYTES == 2 && HAS_DOTS ? 32 : 64)
#else // chains of CHAIN elements, as everywhere
#define VEC16_CHAIN (CHAIN / VEC_N)
#endif

typedef struct {
    uint count;
#if HAS_PACKS
    packs range;
#else
    NUMBER low, high;
#endif
#if EXACT && BYTES == 1
    int sum, squares;
#elif EXACT && HAS_DOTS
    int sum;
    squares16 squares;
#elif EXACT
    int sum;
    ulong squares;
#else
    OPERAND sum, squares, pivot;
#endif
} word_acc;

#if IS_FLOAT // a NaN loses
#define LESSER(x, y)  fmin(x, y)
#define GREATER(x, y) fmax(x, y)
#else
#define LESSER(x, y)  min(x, y)
#define GREATER(x, y) max(x, y)
#endif

static void vec16_start(word_acc *l)
{
    l->count = 0;
    l->sum = 0;
#if EXACT && BYTES == 2 && HAS_DOTS
    l->squares.low = l->squares.high = 0;
#else
    l->squares = 0;
#endif
#if !EXACT
    l->pivot = 0;
#endif
#if HAS_PACKS
    packs_start(&l->range);
#else
    l->low = HIGHEST;
    l->high = LOWEST;
#endif
}

static void take_number(word_acc *l, NUMBER x)
{
#if !HAS_PACKS
    l->low = LESSER(l->low, x);
    l->high = GREATER(l->high, x);
#endif
#if EXACT
#if !HAS_DOTS
    l->sum += x;
#if BYTES == 2
    l->squares += (ulong)((long)x * (long)x);
#else
    l->squares += (int)x * (int)x;
#endif
#endif
#else
    const OPERAND y = SCALED((OPERAND)x);
#if SKIP_NAN
    const bool is_number = x == x;
    l->pivot = l->count == 0 ? FINITE_OR(y, 0) : l->pivot;
    l->count += is_number;
    const OPERAND d = is_number ? y - l->pivot : (OPERAND)0;
#else
    const OPERAND d = y - l->pivot;
#endif
    l->sum += d;
    l->squares = fma(d, d, l->squares);
#endif
}

// The first element of a chain.
static void take_pivot(word_acc *l, NUMBER x)
{
#if !EXACT && !SKIP_NAN
    l->pivot = FINITE_OR(SCALED((OPERAND)x), 0);
#endif
}

static void vec16_take(word_acc *l, uint4 v)
{
#if HAS_PACKS
    packs_take(&l->range, v);
#endif
#if EXACT && HAS_DOTS
    l->sum = add_vectors(v, ONES, l->sum);
#if BYTES == 1
    l->squares = add_vectors(v, v, l->squares);
#else
    take_squares(&l->squares, v.x);
    take_squares(&l->squares, v.y);
    take_squares(&l->squares, v.z);
    take_squares(&l->squares, v.w);
#endif
#endif
    if (l->count == 0)
        take_pivot(l, numbers_of(v, 0).x);
#if !(EXACT && HAS_DOTS && HAS_PACKS)
    #pragma unroll
    for (int k = 0; k < SUBVECS; k++) {
        const number_subvec x = numbers_of(v, k);
        take_number(l, x.x);
        take_number(l, x.y);
#if SUBVEC_N == 4
        take_number(l, x.z);
        take_number(l, x.w);
#endif
    }
#endif
#if !SKIP_NAN
    l->count += VEC_N;
#endif
}

// Elements as numbers of one word of 4 bytes, or of 8 where elements have as many.
#if BYTES == 8
typedef ulong word_bits;
#else
typedef uint word_bits;
#endif

#if BYTES >= 4
typedef NUMBER word_numbers;
#define WORD_NUMBERS(word)   JOIN_NAMES(as_, ELEM)(word)
#define FIRST_NUMBER(number) (number)
#else
#if BYTES == 2
typedef JOIN_NAMES(NUMBER, 2) word_numbers;
#else
typedef JOIN_NAMES(NUMBER, 4) word_numbers;
#endif
#if TYPE == F16
#define WORD_NUMBERS(word) halves(word)
#elif BYTES == 2
#define WORD_NUMBERS(word) JOIN_NAMES(JOIN_NAMES(as_, ELEM), 2)(word)
#else
#define WORD_NUMBERS(word) JOIN_NAMES(JOIN_NAMES(as_, ELEM), 4)(word)
#endif
#define FIRST_NUMBER(numbers) (numbers).x
#endif

static void word_start(word_acc *l, word_bits word)
{
    const word_numbers x = WORD_NUMBERS(word);
    vec16_start(l);
    take_pivot(l, FIRST_NUMBER(x));
}

static void word_take(word_acc *l, word_bits word)
{
#if HAS_PACKS
    packs_take_word(&l->range, word);
#endif
#if EXACT && HAS_DOTS
    l->sum = add_products(word, ONES, l->sum);
#if BYTES == 1
    l->squares = add_products(word, word, l->squares);
#else
    take_squares(&l->squares, word);
#endif
#endif
#if !(EXACT && HAS_DOTS && HAS_PACKS)
    const word_numbers x = WORD_NUMBERS(word);
    take_number(l, FIRST_NUMBER(x));
#if BYTES <= 2
    take_number(l, x.y);
#endif
#if BYTES == 1
    take_number(l, x.z);
    take_number(l, x.w);
#endif
#endif
#if !SKIP_NAN
    l->count += sizeof(word) / BYTES;
#endif
}

static void vec16_merge(acc *r, const word_acc *l)
{
    moments m;
    m.count = (OPERAND)l->count;
    m.sum = l->sum;
#if HAS_PACKS
    const pair low = least_of(&l->range), high = most_of(&l->range);
    m.low = (OPERAND)LESSER(low.x, low.y);
    m.high = (OPERAND)GREATER(high.x, high.y);
#else
    m.low = (OPERAND)l->low;
    m.high = (OPERAND)l->high;
#endif
#if EXACT && BYTES == 2
#if HAS_DOTS
    const ulong squares = sum_of_squares(&l->squares);
#else
    const ulong squares = l->squares;
#endif
    m.squares = (OPERAND)(squares & 0xffff);
    m.squares_high = (OPERAND)(squares >> 16);
#elif EXACT
    m.squares = l->squares;
    m.squares_high = 0;
#else
    m.squares = l->squares;
    m.pivot = l->pivot;
#endif
    take_moments(r, &m);
}
#endif
