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
typedef JOIN_NAMES(T, VEC_N) bits_vector;
#endif
typedef bits_vector __attribute__((aligned(BYTES))) memory_vector;
typedef JOIN_NAMES(OPERAND, VEC_N) x_vector;

static x_vector load(global const T *p)
{
    const bits_vector v = *(global const memory_vector *)p;
#if TYPE == F16 && defined(OPERAND_IS_64)
    return JOIN_NAMES(convert_double, VEC_N)(JOIN_NAMES(vload_half, VEC_N)(0, (const half *)&v));
#elif TYPE == F16
    return JOIN_NAMES(vload_half, VEC_N)(0, (const half *)&v);
#else
    return JOIN_NAMES(JOIN_NAMES(convert_, OPERAND), VEC_N)(v);
#endif
}

#define POSITIONS (i_vector)(JOIN_NAMES(UP_TO_, VEC_N))

// Prefetches the cache line that lies AHEAD bytes behind p. Without it the processor has too few
// lines under way where a line takes more than a few instructions. OpenCL's prefetch() does nothing
// in PoCL, and whether other drivers have the compilers' builtin is not known. PoCL 3.1, two cores
// with AVX-512 that others used too, 2026-11-21, 256 MiB, processor time of a read-only loop over
// that of the kernel, medians of three interleaved runs:
//     ahead   sum f32  f64   u8    argmin f32  u8    u16   f16
//     none       0.93  0.90  0.70        0.86  0.74  0.77  0.80
//     1024       0.98  1.02  0.81        0.86
//     2048       0.96  0.96  0.93        0.95
//     4096       1.00  0.96  1.00        0.95  0.85  1.04  0.99
//     8192       1.02        0.91              0.93  0.95  0.90
// Sums of rows of 32 f32: 0.61 without, 0.89 with; argmin 0.41, 0.63. cpu_columns does not do it,
// because it loses there (4096 wide 1.22 without, 0.90 with): each of its lines is a stream of its
// own, which the processor prefetches by itself.
#define AHEAD 4096
#define LINE  64 // bytes

static void prefetch_ahead(global const T *p)
{
#ifdef POCL_DEVICE_ADDRESS_BITS
    __builtin_prefetch((const void *)((size_t)p + AHEAD), 0, 3);
#endif
}
