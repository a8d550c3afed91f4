// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_tiles: words, of 4 bytes or of one element of 8, and how a chain takes them in.
//
// Defines WORD, WORD_N elements of WORD_BYTES, VEC_WORDS of a vector, CHAIN_WORDS; a_word and
//         b_word, the state of a chain, and
//             START_WORD(a, b, w)         before the first word, which is w
//             TAKE_WORD(a, b, w, i)       takes in w, whose first element has number i, a
//                                         multiple of WORD_N
//             TAKE_TWO_WORDS(a, b, one, next, i, j) the same for two
//             TAKE_CHAIN(r, a, b, base)   the acc *r takes in the chain, whose numbers count from
//                                         position `base`
//
// Macros: see gpu_tiles.cl.

#if BYTES == 8
#define WORD   ulong
#define WORD_N 1
#else
#define WORD   uint
#define WORD_N (4 / BYTES)
#endif
#define WORD_BYTES (WORD_N * BYTES)
#define VEC_WORDS  (VEC16_BYTES / WORD_BYTES)

// Words of a chain. With MOMENTS16 one chain takes all elements of a word.
#if MOMENTS16 && !EXACT
#define CHAIN_WORDS (CHAIN / WORD_N)
#else
#define CHAIN_WORDS CHAIN
#endif
#if SQUARES16 && CHAIN_WORDS * WORD_N > 256
#error "chains are longer than take_squares() has room for"
#endif

// A chain takes in a word as a vector of its elements. CHAIN_N is their number as a part of
// names.
#if WORD_N == 1
#define CHAIN_N
#define WORD_POSITIONS 0
#elif WORD_N == 2
#define CHAIN_N        2
#define WORD_POSITIONS (JOIN_NAMES(INDEX, 2))(UP_TO_2)
#else
#define CHAIN_N        4
#define WORD_POSITIONS (JOIN_NAMES(INDEX, 4))(UP_TO_4)
#endif
#if DOTS || MOMENTS16 || BITS16 || PRODUCTS || (PACKS && !IS_ARG)
typedef word_acc a_word;
typedef int b_word;
#define START_WORD(a, b, w)          word_start(&(a), w)
#define TAKE_WORD(a, b, w, i)        word_take(&(a), w)
#define TAKE_CHAIN(r, a, b, position) vec16_merge(r, &(a))
#elif HAS_KEYS
typedef keys a_word;
typedef int b_word;
#define START_WORD(a, b, w)           keys_start(&(a))
#define TAKE_WORD(a, b, w, i)         keys_take(&(a), w, i)
#define TAKE_CHAIN(r, a, b, position) take_keys(r, &(a), position)

static void take_keys(acc *r, const keys *k, ulong position)
{
    const uint key = keys_best(k);
    take(r, value_of(key), 0, position + number_of(key));
}
#else
typedef JOIN_NAMES(CHAIN_A, CHAIN_N) a_word;
typedef JOIN_NAMES(CHAIN_B, CHAIN_N) b_word;
#define START_WORD(a, b, w) START(CHAIN_N, a, b, ELEMENTS(w), WORD_POSITIONS)
#define TAKE_CHAIN          JOIN_NAMES(take, CHAIN_N)

typedef JOIN_NAMES(OPERAND, CHAIN_N) x_word;

static x_word ELEMENTS(WORD w)
{
#if WORD_N == 1
    return (OPERAND)JOIN_NAMES(as_, ELEM)(w);
#elif TYPE == F16
    return JOIN_NAMES(JOIN_NAMES(convert_, OPERAND), 2)(halves(w));
#else
    return JOIN_NAMES(JOIN_NAMES(convert_, OPERAND), CHAIN_N)(
        JOIN_NAMES(JOIN_NAMES(as_, ELEM), CHAIN_N)(w));
#endif
}

#define TAKE_WORD(a, b, w, i) \
    do { \
        const x_word x_ = ELEMENTS(w); \
        STEP(a, b, x_, WORD_POSITIONS + (INDEX)(i)); \
    } while (0)
#endif

// Takes two words, whose first elements have numbers i and j.
#if PRODUCTS
#define TAKE_TWO_WORDS(a, b, one, next, i, j) word_take2(&(a), one, next)
#else
#define TAKE_TWO_WORDS(a, b, one, next, i, j) \
    do { \
        TAKE_WORD(a, b, one, i); \
        TAKE_WORD(a, b, next, j); \
    } while (0)
#endif

// Takes in the words of the vector v, whose first element has number i.
#if BYTES == 8
#define TAKE_VECTOR_OF_WORDS(a, b, v, i) \
    do { \
        const ulong2 words_ = as_ulong2(v); \
        TAKE_TWO_WORDS(a, b, words_.x, words_.y, i, (i) + 1); \
    } while (0)
#else
#define TAKE_VECTOR_OF_WORDS(a, b, v, i) \
    do { \
        TAKE_TWO_WORDS(a, b, (v).x, (v).y, i, (i) + WORD_N); \
        TAKE_TWO_WORDS(a, b, (v).z, (v).w, (i) + 2 * WORD_N, (i) + 3 * WORD_N); \
    } while (0)
#endif
