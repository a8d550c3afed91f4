// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs: words of lanes (gpu_lanes.cl), as they lie in memory, as they are loaded,
// and to calculate with. gpu_walk and gpu_roll share this.
//
// What makes a word of what was loaded, and operands of the word, waits for the memory. So it
// is done where a word is used, and loads are under way as long as there is other work. H100,
// driver 580.159.04, 2026-11-27, us before and after, with SPREAD (gpu_lane_words.cl): u8, 4 taps,
// dilation 7, 20502 columns 443, 419; f16, 2 taps, 7596 of 9301 columns 194, 184; i8 to i16, 7 taps,
// step 4, 14145 columns 142, 125. With MOVES for words of aligned lines, too: u8 419, 424; f16, 4
// taps 147, 149; i8 to u16, 5 taps 201, 197.
//
// Macros  those of gpu_vectors.cl
//         WORD_LANES   lanes of a word: 1, or VEC_N = 4
//         MOVES        1: narrow lanes are words of four, and lines begin anywhere in words of
//                      4 bytes. 0: not so, or all lines begin alike
//
// Defines WORD_T      as a word lies in memory: an element, or a vector of elements
//         HELD_T      as it is loaded: so or, with MOVES, the words of 4 bytes in which it lies
//         OPERANDS_T  operands of its lanes
//         held(), word_in(), operands()   make one of the other. MOVES: a word begins with bit
//                     `bits` of what is loaded, modulo 32
//         take_apart(), word_of()

#if !defined(WORD_LANES) || !defined(MOVES)
#error "WORD_LANES and MOVES must be defined"
#endif
#if WORD_LANES != 1 && (WORD_LANES != VEC_N || BYTES > 4)
#error "WORD_LANES must be 1, or VEC_N with elements of up to 4 bytes"
#endif
#if MOVES && (WORD_LANES == 1 || BYTES > 2)
#error "MOVES is for words of four narrow lanes"
#endif

// BITS_T is an element's bits.
#if WORD_LANES == 1
#define WORD_T RAW_ONE
#else
#define WORD_T in_vec
#if BYTES == 1
#define BITS_T  uchar
#define JOIN(e) as_uint((uchar4)((e)[0], (e)[1], (e)[2], (e)[3]))
#elif BYTES == 2
#define BITS_T  ushort
#define JOIN(e) as_uint2((ushort4)((e)[0], (e)[1], (e)[2], (e)[3]))
#else
#define BITS_T  uint
#define JOIN(e) (uint4)((e)[0], (e)[1], (e)[2], (e)[3])
#endif
#endif

#if !MOVES
#define HELD_T WORD_T
#define held(w, bits)    (w)
#define word_in(h, bits) ((void)(bits), (h)) // a caller that keeps `bits` sets it anyway
#elif BYTES == 1
#define HELD_T uint2
static HELD_T held(WORD_T w, uint bits)
{
    return (uint2)(rotate(w, bits % 32)); // what is not asked for may stand there, too
}
static WORD_T word_in(HELD_T h, uint bits)
{
    return moved(h.x, h.y, bits);
}
#else
#define HELD_T uint3
static HELD_T held(WORD_T w, uint bits)
{
    return bits % 32 ? (uint3)(w.x << 16, w.x >> 16 | w.y << 16, w.y >> 16)
                     : (uint3)(w.x, w.y, 0);
}
static WORD_T word_in(HELD_T h, uint bits)
{
    return (uint2)(moved(h.x, h.y, bits), moved(h.y, h.z, bits));
}
#endif

#if WORD_LANES == 1
#define OPERANDS_T OPERAND
#define operands(h, bits) ((void)(bits), OPERAND_OF_ONE(h))
#else
#define OPERANDS_T vec16
#define operands(h, bits) unpack(word_in((h), (bits)))
#endif

// The operands of a word's lanes.
static void take_apart(OPERAND *e, OPERANDS_T v)
{
#if WORD_LANES == 1
    e[0] = v;
#else
    #pragma unroll
    for (int u = 0; u < WORD_LANES; u++)
        e[u] = ELEMENT(v, u);
#endif
}

// A word of a constant's bits.
static WORD_T word_of(ulong bits)
{
#if WORD_LANES == 1 && BYTES < 4
    return (WORD_T)bits;
#elif WORD_LANES == 1
    return constant_of(bits);
#else
    const BITS_T one = (BITS_T)bits, e[4] = { one, one, one, one };
    return JOIN(e);
#endif
}
