// SPDX-License-Identifier: Apache-2.0
//
// reduce on CPU devices: what its shapes share. One item per group owns the vector unit, whose
// registers hold N elements of the arithmetic type. A vector in memory is aligned to one element
// only, so that any address is safe, and no head is peeled off: the order of summation does not
// depend on where an array lies.
//
// Macros: WG must be 1.

#if WG != 1
#error "the CPU shapes run with one item per group"
#endif

// Vectors of 64 bytes of W.
#if defined(W_IS_64)
#define N 8
#else
#define N 16
#endif

typedef JOIN_NAMES(A, N) a_vector;
typedef JOIN_NAMES(B_LANE, N) b_vector;
typedef JOIN_NAMES(B, N) i_vector;

#if TYPE == F16 // by way of an aligned copy: PoCL 3.1 takes vload_half16's argument for aligned
typedef JOIN_NAMES(ushort, N) bits_vector;
#else
typedef JOIN_NAMES(T, N) bits_vector;
#endif
typedef bits_vector __attribute__((aligned(BYTES))) memory_vector;
typedef JOIN_NAMES(W, N) w_vector;

static w_vector load(global const T *p)
{
    const bits_vector v = *(global const memory_vector *)p;
#if TYPE == F16 && defined(W_IS_64)
    return JOIN_NAMES(convert_double, N)(JOIN_NAMES(vload_half, N)(0, (const half *)&v));
#elif TYPE == F16
    return JOIN_NAMES(vload_half, N)(0, (const half *)&v);
#else
    return JOIN_NAMES(JOIN_NAMES(convert_, W), N)(v);
#endif
}

#define POSITIONS (i_vector)(JOIN_NAMES(UP_TO_, N))

// Asks for the cache line that lies AHEAD bytes behind p: the processor's own window of
// instructions reaches too few lines where a line takes more than a few of them. OpenCL's
// prefetch() does nothing in PoCL, and the compilers' own is not known of other drivers. PoCL 3.1,
// two cores with AVX-512 that others used too, 2026-11-21, 256 MiB, processor time of a read-only
// loop over that of the kernel, medians of three interleaved runs:
//     ahead   sum f32  f64   u8    argmin f32  u8    u16   f16
//     none       0.93  0.90  0.70        0.86  0.74  0.77  0.80
//     1024       0.98  1.02  0.81        0.86
//     2048       0.96  0.96  0.93        0.95
//     4096       1.00  0.96  1.00        0.95  0.85  1.04  0.99
//     8192       1.02        0.91              0.93  0.95  0.90
// Sums of rows of 32 f32: 0.61 without, 0.89 with; argmin 0.41, 0.63. Columns lose (4096 wide 1.22,
// 0.90): each of their lines is a stream of its own, which the processor sees by itself.
#define AHEAD 4096
#define LINE  64 // bytes

static void ask_ahead(global const T *p)
{
#ifdef POCL_DEVICE_ADDRESS_BITS
    __builtin_prefetch((const void *)((size_t)p + AHEAD), 0, 3);
#endif
}
