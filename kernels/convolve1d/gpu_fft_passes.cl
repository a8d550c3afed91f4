// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_fft: the transform of a group's LENGTH points, 16 in the registers of an item.
//
// A transform has up to four passes (Stockham's order). Between two of them the points are
// exchanged through local memory. Item i always takes points i + WG * q, so that the order of
// frequencies is the natural one, and loads and stores are contiguous:
//
//     pass         1             2             3              4
//     points       16            R2            R3             R4        of a transform
//     factor w     1             table[b % near * LENGTH / (near * R)], for transform b
//     near         1             16            16 * R2        16 * R2 * R3
//
// Macros   those of convolve1d.cl; WG a power of two from 4 to 512
//          SPLIT   1: real and imaginary parts are exchanged in turn, in half the memory
//
// Defines  LENGTH   points of a transform: WG * FFT_POINTS
//          CELL     of local memory, of which a group has CELLS
//          transform()
//
// Barriers two per exchange (SPLIT: four), reached by all items: points of the exchange before
//          have been read; all points are written
// Per exchange and point: a store and a load of local memory

#if !defined(SPLIT)
#error "SPLIT must be defined"
#endif

#define LENGTH (WG * FFT_POINTS)

#if WG == 4 || WG == 8 || WG == 16
#define R2 WG
#else
#define R2 16
#endif
#if WG == 32
#define R3 2
#elif WG == 64
#define R3 4
#elif WG == 128
#define R3 8
#elif WG == 256
#define R3 16
#elif WG == 512
#define R3 16
#define R4 2
#elif WG < 4 || WG > 16 || (WG & (WG - 1))
#error "WG must be a power of two from 4 to 512"
#endif

// ---------------------------------------------------------------- exchange
// Neighbouring items write FFT_POINTS or more apart after the first pass, and read neighbouring
// points. With the gaps neither meets a bank of local memory twice.
#if SPLIT
#define CELL           REAL
#define PLACE(p, near) ((p) + ((near) == 1 ? (p) >> 5 : (near) == 16 ? (p) >> 8 << 4 : 0))
#else
#define CELL           REAL2
#define PLACE(p, near) ((p) + ((near) == 1 ? (p) >> 4 : 0))
#endif
#define CELLS (LENGTH + LENGTH / 16)

// Where transform b of a pass writes its first point; the others follow `near` apart.
#define FIRST(b, radix, near) (((b) & ~((near) - 1)) * (radix) + ((b) & ((near) - 1)))

#if SPLIT
INLINE void exchange_part(REAL *v, local CELL *cells, uint item, uint radix, uint near)
{
    const uint transforms = FFT_POINTS / radix;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint q = 0; q < FFT_POINTS; q++)
        cells[PLACE(FIRST(item + q % transforms * WG, radix, near) + q / transforms * near,
                    near)] = v[q];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint q = 0; q < FFT_POINTS; q++)
        v[q] = cells[PLACE(item + q * WG, near)];
}

INLINE void exchange_points(REAL *re, REAL *im, local CELL *cells, uint item, uint radix,
                            uint near)
{
    exchange_part(re, cells, item, radix, near);
    exchange_part(im, cells, item, radix, near);
}
#else
INLINE void exchange_points(REAL *re, REAL *im, local CELL *cells, uint item, uint radix,
                            uint near)
{
    const uint transforms = FFT_POINTS / radix;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint q = 0; q < FFT_POINTS; q++)
        cells[PLACE(FIRST(item + q % transforms * WG, radix, near) + q / transforms * near,
                    near)] = (CELL)(re[q], im[q]);
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint q = 0; q < FFT_POINTS; q++) {
        const CELL v = cells[PLACE(item + q * WG, near)];
        re[q] = v.x;
        im[q] = v.y;
    }
}
#endif

// ---------------------------------------------------------------- transform
// The pass behind transforms of `near` points.
#define PASS(radix, near)                                                                    \
    _Pragma("unroll") for (uint m = 0; m < FFT_POINTS / radix; m++)                          \
    {                                                                                        \
        const REAL2 w =                                                                      \
            table[((item + m * WG) & ((near) - 1)) * (LENGTH / ((near) * radix))];           \
        JOIN_NAMES(dft, radix)(re, im, m, FFT_POINTS / radix, w.x, w.y);                     \
    }

INLINE void transform(REAL *re, REAL *im, global const REAL2 *table, local CELL *cells,
                      uint item)
{
    dft16_plain(re, im);
    exchange_points(re, im, cells, item, 16, 1);
    PASS(R2, 16)
#ifdef R3
    exchange_points(re, im, cells, item, R2, 16);
    PASS(R3, 256)
#endif
#ifdef R4
    exchange_points(re, im, cells, item, R3, 256);
    PASS(R4, 4096)
#endif
}
