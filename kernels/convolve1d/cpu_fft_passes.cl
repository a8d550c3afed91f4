// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on CPUs: the passes of cpu_fft.cl, which says what they are.
//
// Macros   those of cpu_fft.cl
//
// Defines  SIZE, LENGTH           vectors and points of a segment
//          ROOM, PLACE(p)         of `points` in local memory; of vector p in them
//          TAKE, GIVE             vectors of local memory, to and from re and im
//          OUTER_DFT, OUTER_DFT_PLAIN
//          first_pass(), second_pass(), middle_passes(), second_pass_back(), last_pass()
//
// Functions that local memory is given to are inlined. PoCL 3.1 gives those that are not one
// copy of it for all groups: the compiler sees that they are always given the same array.

#if !defined(OUTER) || !defined(MIDDLE) || !defined(GAPS)
#error "OUTER, MIDDLE and GAPS must be defined"
#endif
#if LANES != 16
#error "vectors must have 16 lanes"
#endif

#define SPAN_VECTORS (16 * MIDDLE) // from a point of the first pass to the next
#define SIZE         (OUTER * SPAN_VECTORS)
#define LENGTH       (16 * SIZE)

// Real and imaginary parts of a vector. The gaps keep vectors that the first pass takes together
// apart in the caches.
#define PLACE(p) (2 * ((p) + (GAPS ? (p) / SPAN_VECTORS : 0)))
#define ROOM     PLACE(SIZE)

// The vectors first + n * apart for n = 0 ... count - 1, to or from re and im. These are macros
// because the count must be a constant where the compiler unrolls the loop. In a function it is
// a parameter until the function is inlined, and the loop would be unrolled in part only.
#define EACH(count) _Pragma("unroll") for (uint n = 0; n < (count); n++)
#define TAKE(points, first, apart, count)                      \
    EACH(count)                                                \
    {                                                          \
        re[n] = points[PLACE((first) + n * (apart))];          \
        im[n] = points[PLACE((first) + n * (apart)) + 1];      \
    }
#define GIVE(points, first, apart, count)                      \
    EACH(count)                                                \
    {                                                          \
        points[PLACE((first) + n * (apart))] = re[n];          \
        points[PLACE((first) + n * (apart)) + 1] = im[n];      \
    }

// Power n of W; of a table, which has 16 real parts, 16 imaginary ones, and so on.
#define FACTOR_X(n) (((global const float *)table)[(n) / 16 * 32 + (n) % 16])
#define FACTOR_Y(n) (((global const float *)table)[(n) / 16 * 32 + (n) % 16 + 16])

#if OUTER == 16
#define OUTER_DFT(wx, wy) dft16(re, im, 0, 1, wx, wy)
#define OUTER_DFT_PLAIN   dft16_plain(re, im)
#elif OUTER > 1
#define OUTER_DFT(wx, wy) JOIN_NAMES(dft, OUTER)(re, im, 0, 1, wx, wy)
#define OUTER_DFT_PLAIN   OUTER_DFT(R(1.0), R(0.0))
#else
#define OUTER_DFT(wx, wy)
#define OUTER_DFT_PLAIN
#endif
#if MIDDLE > 1
#define MIDDLE_DFT(wx, wy) JOIN_NAMES(dft, MIDDLE)(re, im, 0, 1, wx, wy)
#endif

// Pass 1.
INLINE void first_pass(local REAL *points)
{
    REAL re[16], im[16];
    for (uint j = 0; j < SPAN_VECTORS; j++) {
        TAKE(points, j, SPAN_VECTORS, OUTER)
        OUTER_DFT_PLAIN;
        GIVE(points, j, SPAN_VECTORS, OUTER)
    }
}

INLINE void second_pass(local REAL *points, global const REAL *table)
{
#if MIDDLE > 1
    REAL re[32], im[32];
    for (uint k0 = 0; k0 < OUTER; k0++)
        for (uint n0 = 0; n0 < 16; n0++) {
            TAKE(points, k0 * SPAN_VECTORS + n0, 16, MIDDLE)
            MIDDLE_DFT((REAL)(FACTOR_X(16 * 16 * k0)), (REAL)(FACTOR_Y(16 * 16 * k0)));
            GIVE(points, k0 * SPAN_VECTORS + n0, 16, MIDDLE)
        }
#endif
}

// Blocks of up to so many points ask for the inputs of the next one while they calculate: their
// first pass is over before the processor knows the sequences that it reads. PoCL 3.1, two cores
// with AVX-512, 2026-11-23, Mout/s without and with it: 2048 points, 257 taps 1176, 1407; 4096,
// 1106 and 1294; 16384, 1025 taps 1269 and 1277; 131072, 16385 taps 898 and 825.
#define MOST_AHEAD 16384

// Times the spectrum; the parts of the products change places, for the inverse transform.
INLINE void multiply(REAL *re, REAL *im, global const REAL *spectrum)
{
#pragma unroll 16
    for (uint i = 0; i < 16; i++) {
        const REAL hx = spectrum[2 * i], hy = spectrum[2 * i + 1];
        const REAL x = PRODUCT_X(re[i], im[i], hx, hy);
        re[i] = PRODUCT_Y(re[i], im[i], hx, hy);
        im[i] = x;
    }
}

// Powers 0, apart, 2 * apart ... of W.
INLINE void powers_of(global const REAL *table, uint apart, REAL *x, REAL *y)
{
    union {
        REAL v;
        float part[16];
    } re, im;
    for (uint i = 0; i < 16; i++) {
        re.part[i] = FACTOR_X(i * apart);
        im.part[i] = FACTOR_Y(i * apart);
    }
    *x = re.v;
    *y = im.v;
}

// Passes 3 and 4, times the spectrum, and passes 4 and 3 back. `sums`: of the parts before; only
// the last part goes back. next: the inputs of the next block that this one has not read.
INLINE void middle_passes(local REAL *points, local REAL *sums, global const REAL *table,
                          global const REAL *spectrum, global const ELEM *next, bool is_first,
                          bool is_last)
{
    REAL lanes_x, lanes_y;
    powers_of(table, OUTER * MIDDLE, &lanes_x, &lanes_y);
    for (uint b = 0; b < SIZE / 16; b++) {
        REAL re[16], im[16];
        const uint c = b / MIDDLE + b % MIDDLE * OUTER;
        const REAL wx = (REAL)(FACTOR_X(c)), wy = (REAL)(FACTOR_Y(c));
#if LENGTH <= MOST_AHEAD
        for (uint i = 0; i < 32; i++)
            prefetch_line(next + (b * 32 + i) * 16);
#endif
        TAKE(points, b * 16, 1, 16)
        dft16(re, im, 0, 1, (REAL)(FACTOR_X(16 * c)), (REAL)(FACTOR_Y(16 * c)));
        TRANSPOSE(re);
        TRANSPOSE(im);
        dft16(re, im, 0, 1, PRODUCT_X(wx, wy, lanes_x, lanes_y),
              PRODUCT_Y(wx, wy, lanes_x, lanes_y));
        multiply(re, im, spectrum + b * 32);
#if PARTITIONED
        if (!is_first) {
#pragma unroll 16
            for (uint i = 0; i < 16; i++) {
                re[i] += sums[PLACE(b * 16 + i)];
                im[i] += sums[PLACE(b * 16 + i) + 1];
            }
        }
        if (!is_last) {
            GIVE(sums, b * 16, 1, 16)
            continue;
        }
#endif
        dft16_plain(re, im);
        TRANSPOSE(re);
        TRANSPOSE(im);
        dft16(re, im, 0, 1, lanes_x, lanes_y);
        GIVE(points, b * 16, 1, 16)
    }
}

// Pass 2 back.
INLINE void second_pass_back(local REAL *points, global const REAL *table)
{
#if MIDDLE > 1
    REAL re[32], im[32], wx, wy;
    powers_of(table, OUTER, &wx, &wy);
    for (uint n0 = 0; n0 < 16; n0++) {
        const REAL vx = (REAL)(FACTOR_X(16 * OUTER * n0)), vy = (REAL)(FACTOR_Y(16 * OUTER * n0));
        const REAL ux = PRODUCT_X(wx, wy, vx, vy), uy = PRODUCT_Y(wx, wy, vx, vy);
        for (uint k0 = 0; k0 < OUTER; k0++) {
            TAKE(points, k0 * SPAN_VECTORS + n0, 16, MIDDLE)
            MIDDLE_DFT(ux, uy);
            GIVE(points, k0 * SPAN_VECTORS + n0, 16, MIDDLE)
        }
    }
#endif
}

// Pass 1 back. The inverse transform leaves real and imaginary parts exchanged.
INLINE void last_pass(local REAL *points, global const REAL *table)
{
    REAL re[16], im[16];
    for (uint j = 0; j < SPAN_VECTORS; j++) {
        TAKE(points, j, SPAN_VECTORS, OUTER)
        OUTER_DFT(table[2 * j], table[2 * j + 1]);
        GIVE(points, j, SPAN_VECTORS, OUTER)
    }
}
