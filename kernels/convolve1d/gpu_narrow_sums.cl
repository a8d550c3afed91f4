// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs, gpu_narrow: how an item sums its outputs from words of elements in
// registers, and what becomes of the sums. gpu_narrow.cl brings the words.
//
// Integers whose taps are bytes are summed by integer dot products, of four bytes or two halves
// of a word at a time. Other sums are as convolve1d.cl has them.
//
// Macros   those of gpu_vectors.cl
//          DOT            1: dot products. Magnitudes of sums are below 2^24, and below 2^22
//                         where elements are bytes
//          ITEM_OUTPUTS   outputs of an item
//          TAPS           number of taps
//          WIDTH          lanes: how far neighbouring taps lie apart. For dot products there are
//                         taps of 0 between them

#if !defined(DOT) || !defined(ITEM_OUTPUTS) || !defined(TAPS) || !defined(WIDTH)
#error "DOT, ITEM_OUTPUTS, TAPS and WIDTH must be defined"
#endif
#if BYTES > 2
#error "elements are too large"
#endif

#define PER_WORD (4 / BYTES)              // elements of x in a word
#define SPAN     ((TAPS - 1) * WIDTH + 1) // inputs from the first tap's to the last one's
#define INPUTS   (ITEM_OUTPUTS + SPAN - 1)
#define WORDS    ((INPUTS + PER_WORD - 1) / PER_WORD)
#define DOTS     ((SPAN + PER_WORD - 1) / PER_WORD) // dot products of an output
#if WORDS > 80
#error "more words than are unrolled"
#endif

#if DOT
typedef int sum;

#if IS_SIGNED
#define DOT_TYPES ".s32.s32"
#else
#define DOT_TYPES ".u32.s32"
#endif

// s + the sum of the products of the elements of x and taps k * PER_WORD ...
static int add_dot(int s, const uint *taps, int k, uint x)
{
    const uint h = taps[k * PER_WORD / 4];
#if PTX
    int r;
#if BYTES == 1
    asm("dp4a" DOT_TYPES " %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(h), "r"(s));
#else
    if (k % 2 == 0)
        asm("dp2a.lo" DOT_TYPES " %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(h), "r"(s));
    else
        asm("dp2a.hi" DOT_TYPES " %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(h), "r"(s));
#endif
    return r;
#else
    for (int u = 0; u < PER_WORD; u++)
        s += (int)(ELEM)(x >> 8 * BYTES * u) * (char)(h >> 8 * ((k * PER_WORD + u) % 4));
    return s;
#endif
}

#if BYTES == 1
// Sums begin with the bits of 1.5 * 2^23. So the bits of a sum of magnitude below 2^22 are
// those of the f32 1.5 * 2^23 + sum.
#define ZERO_SUM 0x4b400000
#else
#define ZERO_SUM 0
#endif
// Adds to the sums what begins in word b: a window of elements from each of its elements on,
// met by all words of taps.
#define ADD_WORD(sums, words, taps, b)                                                         \
    if ((b) * PER_WORD < ITEM_OUTPUTS + (DOTS - 1) * PER_WORD)                                 \
        _Pragma("unroll") for (int u = 0; u < PER_WORD; u++)                                   \
        {                                                                                      \
            const uint window =                                                                \
                moved((words)[b], (b) + 1 < WORDS ? (words)[(b) + 1] : 0, 8 * BYTES * u);      \
            _Pragma("unroll") for (int k = 0; k < DOTS; k++)                                   \
            {                                                                                  \
                const int o = PER_WORD * ((b) - k) + u;                                        \
                if (o >= 0 && o < ITEM_OUTPUTS)                                                \
                    (sums)[o] = add_dot((sums)[o], taps, k, window);                           \
            }                                                                                  \
        }

#else
typedef SUM_T sum;
#define ZERO_SUM 0

// Element u of a word.
static OPERAND operand(uint word, int u)
{
#if TYPE == F16
    const float2 pair = halves(word);
    return u ? pair.y : pair.x;
#elif MAKES_FLOATS
    return float_of(word, u);
#else
    return (OPERAND)(ELEM)(word >> 8 * BYTES * u);
#endif
}

#define ADD_WORD(sums, words, taps, b)                                                         \
    if ((b) < WORDS)                                                                           \
        _Pragma("unroll") for (int u = 0; u < PER_WORD; u++)                                   \
        {                                                                                      \
            const OPERAND x = operand((words)[b], u);                                          \
            _Pragma("unroll") for (int o = 0; o < ITEM_OUTPUTS; o++)                           \
            {                                                                                  \
                const int place = (b) * PER_WORD + u - o;                                      \
                if (place >= 0 && place < SPAN && place % WIDTH == 0)                          \
                    (sums)[o] = ADD((sums)[o], (taps)[place / WIDTH], x);                      \
            }                                                                                  \
        }
#endif

#define ADD_WORDS_4(sums, words, taps, b)   \
    ADD_WORD(sums, words, taps, b)          \
    ADD_WORD(sums, words, taps, b + 1)      \
    ADD_WORD(sums, words, taps, b + 2)      \
    ADD_WORD(sums, words, taps, b + 3)
#define ADD_WORDS_16(sums, words, taps, b)  \
    ADD_WORDS_4(sums, words, taps, b)       \
    ADD_WORDS_4(sums, words, taps, b + 4)   \
    ADD_WORDS_4(sums, words, taps, b + 8)   \
    ADD_WORDS_4(sums, words, taps, b + 12)

// ---------------------------------------------------------------- results
// The results of four sums.
#if DOT && BYTES == 2
static out_vec pack_four(const sum *s, uint shift)
{
    const float unit = as_float((127 - shift) << 23);
    const float4 v = convert_float4((int4)(s[0], s[1], s[2], s[3])) * unit; // exact
    const float four[4] = { v.x, v.y, v.z, v.w };
    return pack(four, 0);
}
#elif DOT
// What out gets for a sum, but not saturated yet: (1.5 * 2^23 + sum) / 2^shift, moved back to
// 1.5 * 2^23 by the addition that rounds.
static int rounded(sum s, uint shift)
{
    const float unit = as_float((127 - shift) << 23), zero = as_float(ZERO_SUM);
    return as_int(fma(as_float(s), unit, fma(-zero, unit, zero))) - ZERO_SUM;
}

static out_vec pack_four(const sum *s, uint shift)
{
    const int4 r = (int4)(rounded(s[0], shift), rounded(s[1], shift), rounded(s[2], shift),
                          rounded(s[3], shift));
#if PTX >= 72 && OUT_BYTES == 1
    return saturated_bytes(r);
#else
    return AS_OUT_VEC(JOIN_NAMES(JOIN_NAMES(convert_, OUT_T), 4_sat)(r));
#endif
}
#else
#define pack_four pack
#endif
