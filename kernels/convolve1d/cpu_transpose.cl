// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on CPUs: copies of elements one by one, and of blocks of ORDER x ORDER elements
// whose rows become columns. For copies into tiles and out of them.
//
// Macros  those of cpu_vector.cl
//
// Defines elem, out_elem   an element in memory, to be copied; at any address of its components
//         CHUNK            elements that are copied before they are converted
//         INPUTS_ROOM, SUMS_ROOM
//         NOT_VECTORS
//         FEW(rows)        whether rows are interleaved; TOGETHER(rows): as how many
//         POSITIONS        of a few rows that are interleaved or taken apart at once
//         WIDE_ROOM        elements of their lines
//         copy_lines()
//         FIRST_HALVES(), SECOND_HALVES(), ROTATE_BITS()
//         TRANSPOSE(v)     transposes unit_vec v[ORDER]; UNITS() makes a unit_vec of a
//                          calc_vec, CALCS() the other way round

#define CHUNK     (16 * ORDER)
#define POSITIONS (4 * ORDER)
#define WIDE_ROOM (8 * POSITIONS + ORDER) // lines of eight, and what is copied with the last one

// Elements of a tile. Groups of vectors may read and write OUTPUTS behind the last one, and copies of
// eight rows that are interleaved a vector of each.
#define SLACK       (TILE_VECS > 8 ? OUTPUTS : 8 * ORDER)
#define INPUTS_ROOM (MATRIX_INPUT_VECS * ORDER + SLACK)
#define SUMS_ROOM   (MATRIX_SUM_VECS * ORDER + SLACK)

// A loop that copies elements one by one. As a vector it would gather, which takes longer:
// PoCL 3.1, two cores with AVX-512, 2026-11-22, f32, step 16, 3 taps: 0.53 ms, gathers 0.72.
#define NOT_VECTORS _Pragma("clang loop vectorize(disable)")

#if TYPE == F16
typedef ushort elem;
#elif TYPE == C32
typedef float2 __attribute__((aligned(4))) elem;
#else
typedef ELEM elem;
#endif
#if OUT_TYPE == F16
typedef ushort out_elem;
#elif OUT_TYPE == C32
typedef float2 __attribute__((aligned(4))) out_elem;
#else
typedef OUT_T out_elem;
#endif

// Elements of a vector, whatever they are.
#if COMPONENTS == 2
typedef long8 unit_vec;
#else
typedef calc_vec unit_vec;
#endif

// The elements of the first, or second, halves of two vectors in turn.
#if ORDER == 16
#define FIRST_HALVES(a, b)                                                                   \
    (unit_vec)(a.s0, b.s0, a.s1, b.s1, a.s2, b.s2, a.s3, b.s3, a.s4, b.s4, a.s5, b.s5, a.s6, \
               b.s6, a.s7, b.s7)
#define SECOND_HALVES(a, b)                                                                  \
    (unit_vec)(a.s8, b.s8, a.s9, b.s9, a.sa, b.sa, a.sb, b.sb, a.sc, b.sc, a.sd, b.sd, a.se, \
               b.se, a.sf, b.sf)
#define LOG_ORDER 4
#else
#define FIRST_HALVES(a, b)  (unit_vec)(a.s0, b.s0, a.s1, b.s1, a.s2, b.s2, a.s3, b.s3)
#define SECOND_HALVES(a, b) (unit_vec)(a.s4, b.s4, a.s5, b.s5, a.s6, b.s6, a.s7, b.s7)
#define LOG_ORDER           3
#endif

// Rotates the bits of (vector, element) of n vectors to the left, `steps` times. As a function
// with arguments it is not unrolled, and takes twice as long.
#define ROTATE_BITS(v, n, steps)                                \
    do {                                                        \
        unit_vec w[n];                                          \
        _Pragma("unroll") for (int step = 0; step < (steps); step++) { \
            _Pragma("unroll") for (int i = 0; i < (n) / 2; i++) { \
                w[2 * i] = FIRST_HALVES(v[i], v[i + (n) / 2]);  \
                w[2 * i + 1] = SECOND_HALVES(v[i], v[i + (n) / 2]); \
            }                                                   \
            _Pragma("unroll") for (int i = 0; i < (n); i++) v[i] = w[i]; \
        }                                                       \
    } while (0)

// A few rows are interleaved, or taken apart, as 2, 4 or 8 of them. PoCL 3.1, both cores with
// AVX-512, 2026-11-28, us one by one and by vectors: 3 f32 to channels 1720 952, 5 u8 1514 932,
// 7 f32 to rows 898 627; but 3 f64 433 535, 5 c32 687 938.
#if ORDER == 16
#define FEW(rows) ((rows) >= 2 && (rows) <= 8)
#else
#define FEW(rows) ((rows) == 2 || (rows) == 4 || (rows) == 8)
#endif
#define TOGETHER(rows) ((rows) <= 2 ? 2u : (rows) <= 4 ? 4u : 8u)

// Transposes ORDER vectors.
#define TRANSPOSE(v) ROTATE_BITS(v, ORDER, LOG_ORDER)

#if COMPONENTS == 2
#define UNITS(v) as_long8(v)
#define CALCS(v) as_float16(v)
#define FOUR     8 // components of four elements
#else
#define UNITS(v) (v)
#define CALCS(v) (v)
#define FOUR     4
#endif

// Copies `many` lines that lie line_from elements apart to lines line_to apart, `width` elements of
// each. The next line overwrites what is copied behind these.
typedef JOIN_NAMES(CALC_T, FOUR) __attribute__((aligned(4))) unaligned_four;
static void copy_lines(CALC_T *to, int line_to, const CALC_T *from, int line_from, int many,
                       uint width)
{
    if (width <= 4)
        for (int i = 0; i < many; i++)
            *(unaligned_four *)(to + i * line_to * COMPONENTS) =
                *(const unaligned_four *)(from + i * line_from * COMPONENTS);
    else
        for (int i = 0; i < many; i++)
            for (uint c = 0; c < width; c += ORDER)
                *(unaligned_calc_vec *)(to + (i * line_to + (int)c) * COMPONENTS) =
                    LOAD_CALC(from + (i * line_from + (int)c) * COMPONENTS);
}
