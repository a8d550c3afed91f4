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
