// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on CPUs: blocks of elements that are transposed in registers of 32 bytes. A vector of
// ORDER elements is two registers there, and a block of ORDER vectors has no room in 16 of them. So
// blocks have SIDE x SIDE elements, a register for each row:
//
//     a0 a1 a2 a3     a0 b0 a2 b2     a0 b0 c0 d0
//     b0 b1 b2 b3     a1 b1 a3 b3     a1 b1 c1 d1      within halves of registers,
//     c0 c1 c2 c3     c0 d0 c2 d2     a2 b2 c2 d2      then halves change places
//     d0 d1 d2 d3     c1 d1 c3 d3     a3 b3 c3 d3
//
// Macros  those of cpu_vector.cl
//
// Defines with REGISTER_BYTES 32: SIDE, SIDE_N, unit_block, block_vec, unaligned_block_vec,
//         block_at(), UNIT_BLOCK(), CALC_BLOCK(), TRANSPOSE_BLOCK()

#if REGISTER_BYTES == 32

// Elements of a register, and their components.
#if ORDER == 16
#define SIDE 8
#else
#define SIDE 4
#endif
#if VEC_N == 16
#define SIDE_N 8
#else
#define SIDE_N 4
#endif

typedef JOIN_NAMES(CALC_T, SIDE_N) block_vec;
typedef block_vec __attribute__((aligned(4))) unaligned_block_vec;
#if TYPE == F16
typedef JOIN_NAMES(ushort, SIDE_N) block_part;
#else
typedef JOIN_NAMES(PART_T, SIDE_N) block_part;
#endif
typedef block_part __attribute__((aligned(BYTES / COMPONENTS))) unaligned_block_part;

#if COMPONENTS == 2
typedef long4 unit_block;
#define UNIT_BLOCK(v) as_long4(v)
#define CALC_BLOCK(v) as_float8(v)
#else
typedef block_vec unit_block;
#define UNIT_BLOCK(v) (v)
#define CALC_BLOCK(v) (v)
#endif

// SIDE inputs side by side.
static unit_block block_at(global const elem *p)
{
    const block_part v = *(global const unaligned_block_part *)p;
#if TYPE == F16
    return UNIT_BLOCK(JOIN_NAMES(vload_half, SIDE_N)(0, (const half *)&v));
#else
    return UNIT_BLOCK(JOIN_NAMES(JOIN_NAMES(convert_, CALC_T), SIDE_N)(v));
#endif
}

// v[to], v[to + 1] = what two registers have in their halves, element by element or two by two.
#if SIDE == 8
#define SINGLES(w, to, a, b)                                                        \
    {                                                                               \
        w[to] = (unit_block)(a.s0, b.s0, a.s1, b.s1, a.s4, b.s4, a.s5, b.s5);       \
        w[(to) + 1] = (unit_block)(a.s2, b.s2, a.s3, b.s3, a.s6, b.s6, a.s7, b.s7); \
    }
#define PAIRS(w, to, a, b)                                      \
    {                                                           \
        w[to] = (unit_block)(a.s01, b.s01, a.s45, b.s45);       \
        w[(to) + 1] = (unit_block)(a.s23, b.s23, a.s67, b.s67); \
    }
#define TRANSPOSE_BLOCK(v)                                    \
    do {                                                      \
        unit_block t[SIDE], w[SIDE];                          \
        _Pragma("unroll") for (int i = 0; i < SIDE; i += 2)   \
            SINGLES(t, i, v[i], v[i + 1])                     \
        _Pragma("unroll") for (int i = 0; i < SIDE; i += 4) { \
            PAIRS(w, i, t[i], t[i + 2])                       \
            PAIRS(w, i + 2, t[i + 1], t[i + 3])               \
        }                                                     \
        CHANGE_HALVES(v, w)                                   \
    } while (0)
#else
#define TRANSPOSE_BLOCK(v)                                                       \
    do {                                                                         \
        unit_block w[SIDE];                                                      \
        _Pragma("unroll") for (int i = 0; i < SIDE; i += 2) {                    \
            w[i] = (unit_block)(v[i].s0, v[i + 1].s0, v[i].s2, v[i + 1].s2);     \
            w[i + 1] = (unit_block)(v[i].s1, v[i + 1].s1, v[i].s3, v[i + 1].s3); \
        }                                                                        \
        CHANGE_HALVES(v, w)                                                      \
    } while (0)
#endif
#define CHANGE_HALVES(v, w)                                          \
    _Pragma("unroll") for (int i = 0; i < SIDE / 2; i++)             \
    {                                                                \
        v[i] = (unit_block)(w[i].lo, w[i + SIDE / 2].lo);            \
        v[i + SIDE / 2] = (unit_block)(w[i].hi, w[i + SIDE / 2].hi); \
    }

#endif
