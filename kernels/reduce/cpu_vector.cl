// SPDX-License-Identifier: Apache-2.0
//
// reduce: what the variants for CPU devices share. One item per group owns the vector unit, and
// calculates with vectors of VEC_N elements of OPERAND. A vector in memory is aligned to one
// element only, so that any address is safe. Nothing is read apart up to an aligned address, so
// that the order of summation does not depend on where an array lies.
//
// Macros: WG must be 1.
// Per vector: one load of VEC_N elements, and a conversion where TYPE is not OPERAND.

#if WG != 1
#error "variants for CPUs run with one item per group"
#endif

// Elements of a vector. A number, because it becomes a part of names.
#if defined(OPERAND_IS_64)
#define VEC_N 8
#else
#define VEC_N 16
#endif
#if VEC_N != CPU_VECTOR_BYTES / 8 && VEC_N != CPU_VECTOR_BYTES / 4
#error "VEC_N elements must be CPU_VECTOR_BYTES"
#endif

typedef JOIN_NAMES(CHAIN_A, VEC_N) a_vector;
typedef JOIN_NAMES(CHAIN_B, VEC_N) b_vector;
typedef JOIN_NAMES(INDEX, VEC_N) i_vector;

#if TYPE == F16 // by way of an aligned copy: PoCL 3.1 takes vload_half16's argument for aligned
typedef JOIN_NAMES(ushort, VEC_N) bits_vector;
#else
typedef JOIN_NAMES(ELEM, VEC_N) bits_vector;
#endif
typedef bits_vector __attribute__((aligned(BYTES))) memory_vector;
typedef JOIN_NAMES(OPERAND, VEC_N) x_vector;

static x_vector operands_of(bits_vector v)
{
#if TYPE == F16 && defined(OPERAND_IS_64)
    return JOIN_NAMES(convert_double, VEC_N)(JOIN_NAMES(vload_half, VEC_N)(0, (const half *)&v));
#elif TYPE == F16
    return JOIN_NAMES(vload_half, VEC_N)(0, (const half *)&v);
#else
    return JOIN_NAMES(JOIN_NAMES(convert_, OPERAND), VEC_N)(v);
#endif
}

static x_vector load(global const ELEM *p)
{
    return operands_of(*(global const memory_vector *)p);
}

#define POSITIONS (i_vector)(JOIN_NAMES(UP_TO_, VEC_N))
