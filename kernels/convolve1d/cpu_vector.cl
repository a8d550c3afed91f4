// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on CPUs: vectors, and one step of a sum. cpu_residues and cpu_matrix share this
// file and cpu_results.cl. One item per group owns the vector unit, whose registers hold VEC_N
// components of elements. Vectors of inputs need only the alignment of one element, so any
// address is safe.
//
// Macros  those of convolve1d.cl; WG must be 1
//         ORDER        elements of a vector
//         ARITHMETIC   the type in which sums are calculated: F32, F64 or I64. Integers take a
//                      float type where it is exact, because an fma is faster than integer
//                      multiplication and addition
//         TILE_VECS    vectors of outputs in a tile
//         REGISTER_BYTES  64; 32 where vector registers have fewer bytes
//
// Defines CALC_T       what is calculated with
//         PART_T       a component in memory; COMPONENTS of an element: 2 where complex, else 1
//         VEC_N        components in a vector
//         OUTPUTS      outputs of a tile
//         put()        stores an element to a buffer
//         tap          a tap as STEP_OF(w, v, a), which is a + w * v, takes it

#if !defined(ORDER) || !defined(ARITHMETIC) || !defined(TILE_VECS) || !defined(REGISTER_BYTES)
#error "ORDER, ARITHMETIC, TILE_VECS and REGISTER_BYTES must be defined"
#endif
#define SPAN (SPAN_ORDERS * ORDER)

#if WG != 1
#error "the variants for CPUs run with one item per group"
#endif

#if ARITHMETIC == F32
#define CALC_T float
#elif ARITHMETIC == F64
#define CALC_T double
#elif ARITHMETIC == I64
#define CALC_T long
#else
#error "ARITHMETIC must be F32, F64 or I64"
#endif

#if TYPE == C32
#define PART_T     float
#define COMPONENTS 2
#else
#define PART_T     ELEM
#define COMPONENTS 1
#endif
#if ORDER * COMPONENTS == 16
#define VEC_N 16
#else
#define VEC_N 8
#endif
#define OUTPUTS (TILE_VECS * ORDER)

typedef JOIN_NAMES(CALC_T, VEC_N) calc_vec;
typedef calc_vec __attribute__((aligned(4))) unaligned_calc_vec;
#if TYPE == F16 // copied to an aligned vector: PoCL 3.1 assumes that vload_half16's argument is
typedef JOIN_NAMES(ushort, VEC_N) part_vec;
#else
typedef JOIN_NAMES(PART_T, VEC_N) part_vec;
#endif
typedef part_vec __attribute__((aligned(BYTES / COMPONENTS))) unaligned_part_vec;

static calc_vec calc_of(part_vec v)
{
#if TYPE == F16
    return JOIN_NAMES(vload_half, VEC_N)(0, (const half *)&v);
#else
    return JOIN_NAMES(JOIN_NAMES(convert_, CALC_T), VEC_N)(v);
#endif
}

static calc_vec converted(global const PART_T *p)
{
    return calc_of(*(global const unaligned_part_vec *)p);
}

// Stores an element to a buffer.
static void put(CALC_T *buffer, OPERAND w)
{
#if TYPE == C32
    buffer[0] = w.x;
    buffer[1] = w.y;
#else
    *buffer = (CALC_T)w;
#endif
}

// Where inputs are read from: x itself, or a buffer of CALC_T. Sums in I64 read x, because the
// product of two longs is one instruction where the compiler sees that they were ints.
#define IS_DIRECT (TYPE == F32 || TYPE == F64 || TYPE == C32 || ARITHMETIC == I64)
#define LOAD_CALC(p) (*(const unaligned_calc_vec *)(p)) // from a buffer
#if IS_DIRECT
typedef global const PART_T *operands;
#define load(p) converted(p)
#else
typedef const CALC_T *operands;
#define load(p) LOAD_CALC(p)
#endif

#if TAP_TYPE == C32
typedef struct {
    calc_vec re, im; // im: -, +, -, + ...
} tap;

static tap tap_of(float2 h)
{
    const float2 m = (float2)(-h.y, h.y);
    const tap w = { (calc_vec)(h.x), (calc_vec)(m, m, m, m, m, m, m, m) };
    return w;
}

static calc_vec step_of(tap w, calc_vec v, calc_vec a)
{
    return fma(w.im, v.s1032547698badcfe, fma(w.re, v, a));
}
#define STEP_OF(w, v, a) step_of(w, v, a)
#else
typedef CALC_T tap;
#define tap_of(h) ((CALC_T)(h))
#if ARITHMETIC != I64
#define STEP_OF(w, v, a) fma((calc_vec)(w), (v), (a))
#else
// Factors have 32 bits. Where the compiler sees it, their product is one instruction. PoCL 3.1, both
// cores of an AMD EPYC with AVX2, 2026-11-30, us before and after, i32, 71 taps, 122 columns of 16 420
// 18 611 9235; 70 taps, 10 992 rows of 78 6702 3464.
#define FACTOR(v)        JOIN_NAMES(convert_long, VEC_N)(JOIN_NAMES(convert_int, VEC_N)(v))
#define STEP_OF(w, v, a) (FACTOR((calc_vec)(w)) * FACTOR(v) + (a))
#endif
#endif
