// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_fft: the transform of a group's LENGTH points, FFT_POINTS of which an item has
// in registers.
//
// Let P be FFT_POINTS and Q be WG / P. Points n and frequencies k have three digits each:
//
//     n = n0 + P * n1 + P * Q * n2        n0, n2, k0, k2 = 0 ... P - 1
//     k = k0 + P * k1 + P * Q * k2        n1, k1         = 0 ... Q - 1
//
//     pass          transforms of an item                     factor of input m
//     A   n2 -> k0  one of P points, for its n0, n1           1
//     B   n1 -> k1  P / Q of Q points, for its n0, some k0    table[P * k0] to the power m
//     C   n0 -> k2  one of P points, for its k0, k1           table[k0 + P * k1] to the power m
//
// forward() takes A, B, C. inverse() takes C, B, A, with the same sums and real and imaginary
// parts exchanged, so that frequencies can stay where forward() leaves them: frequency k in
// place k2 of item k0 * Q + k1. Between A and B all items exchange points; between B and C only
// the P items that share the same P / Q numbers k0, which are in one warp of an NVIDIA GPU.
//
// Macros   those of convolve1d.cl
//          FFT_POINTS  16 or 32; WG is 1, 2, 4 or 8 times as many, or 16 times 16
//          SPLIT       1: real and imaginary parts are exchanged in turn, in half the memory
//
// Defines  LENGTH   points of a transform: WG * FFT_POINTS
//          CELL     of local memory, of which a group has CELLS
//          forward(), inverse()
//
// Barriers one in forward(), one in inverse() (SPLIT: three each), reached by all items; more where
//          warps are not known
// Per exchange and point: a store and a load of local memory

#if !defined(SPLIT) || !defined(FFT_POINTS)
#error "SPLIT and FFT_POINTS must be defined"
#endif

#define P      FFT_POINTS
#define Q      (WG / P)
#define LENGTH (WG * P)
#if P == 32
#define DFT_P       dft32
#define DFT_P_PLAIN dft32_plain
#else
#define DFT_P       dft16
#define DFT_P_PLAIN dft16_plain
#endif
#if WG == P
#elif WG == 2 * P
#define DFT_Q dft2
#elif WG == 4 * P
#define DFT_Q dft4
#elif WG == 8 * P
#define DFT_Q dft8
#elif WG == 16 * P && P == 16
#define DFT_Q dft16
#else
#error "WG must be FFT_POINTS times a power of two up to 16"
#endif

// ---------------------------------------------------------------- exchange
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#if PTX && WG % 32 == 0
#define WARP_BARRIER asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#else
#define WARP_BARRIER BARRIER
#endif

// The points of a k0 have ROW places in local memory. Each run of P of them has a place more, so
// that no bank of local memory is met twice at once.
#define RUN   (P + 1)
#define ROW   (RUN * Q)
#define CELLS (P * ROW)

// Places of an item's point k, by the passes on both sides of an exchange: pointers and
// constants, so that no address is computed for a point.
#define OF_A(k)  of_a[(k) * ROW]
#define OF_AB(k) of_b[(k) / Q * ROW + (k) % Q * P]
#define OF_BC(k) of_b[(k) / Q * ROW + (k) % Q * RUN]
#define OF_C(k)  of_c[k]
#define PLACES(cells, item)                                                     \
    local CELL *const of_a = (cells) + (item);                                  \
    local CELL *const of_b = (cells) + (item) / P * (P / Q) * ROW + (item) % P; \
    local CELL *const of_c = (cells) + (item) * RUN;

#define EACH _Pragma("unroll") for (uint k = 0; k < P; k++)
#if SPLIT
#define CELL REAL
#define EXCHANGE(re, im, to, from, wait)            \
    EACH to(k) = re[k];                             \
    wait;                                           \
    EACH re[k] = from(k);                           \
    wait;                                           \
    EACH to(k) = im[k];                             \
    wait;                                           \
    EACH im[k] = from(k);
#else
#define CELL REAL2
#define EXCHANGE(re, im, to, from, wait)            \
    EACH to(k) = (CELL)(re[k], im[k]);              \
    wait;                                           \
    EACH                                            \
    {                                               \
        const CELL v = from(k);                     \
        re[k] = v.x;                                \
        im[k] = v.y;                                \
    }
#endif

// ---------------------------------------------------------------- transforms
INLINE void forward(REAL *re, REAL *im, global const REAL2 *table, local CELL *cells, uint item)
{
    PLACES(cells, item)
    DFT_P_PLAIN(re, im);
#if Q == 1
    EXCHANGE(re, im, OF_A, OF_C, WARP_BARRIER)
#else
    EXCHANGE(re, im, OF_A, OF_AB, BARRIER)
#pragma unroll
    for (uint m = 0; m < P / Q; m++) {
        const REAL2 w = table[P * (item / P * (P / Q) + m)];
        DFT_Q(re, im, m * Q, 1, w.x, w.y);
    }
    WARP_BARRIER;
    EXCHANGE(re, im, OF_BC, OF_C, WARP_BARRIER)
#endif
    const REAL2 w = table[item / Q + P * (item % Q)];
    DFT_P(re, im, 0, 1, w.x, w.y);
}

// An item writes OF_C, which it alone has read last.
INLINE void inverse(REAL *re, REAL *im, global const REAL2 *table, local CELL *cells, uint item)
{
    PLACES(cells, item)
    DFT_P_PLAIN(re, im);
#if Q == 1
    EXCHANGE(re, im, OF_C, OF_A, WARP_BARRIER)
#else
    EXCHANGE(re, im, OF_C, OF_BC, WARP_BARRIER)
    const REAL2 v = table[P * (item % P)];
#pragma unroll
    for (uint m = 0; m < P / Q; m++)
        DFT_Q(re, im, m * Q, 1, v.x, v.y);
    WARP_BARRIER;
    EXCHANGE(re, im, OF_AB, OF_A, BARRIER)
#endif
    const REAL2 w = table[item];
    DFT_P(re, im, 0, 1, w.x, w.y);
}
