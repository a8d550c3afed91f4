// SPDX-License-Identifier: Apache-2.0
//
// convolve1d: discrete Fourier transforms of 2, 4, 8 and 16 points in registers, of which longer
// ones are made.
//
//     dftR(re, im, at, step, wx, wy):  the R points stand at re[at + n * step], im[...]
//         point k  =  sum over n of (point n * w^n) * exp(-2 pi i n k / R)
//
// The twiddle factors of a point are powers of one number w for each transform, because those
// that all points share have been left to the next pass. A step of four points then takes 24
// multiply-adds: s = a + c * p; d = 2 * a - s. (Prototype, H200, 2026-11-20, 1025 taps: 340 to
// 353 Gout/s, with fewer registers.)
//
// Macros   TYPE     F64: in double precision
//          LANES    1; or so many transforms at once, in the lanes of vectors
//
// Defines  REAL     the type of a point's parts
//          REAL2    one number of a table: re, im
//          R(c)     a literal of type REAL
//
// Per transform with 16 points: 192 multiply-adds with one factor, 24 for its powers; no memory

#if !defined(LANES)
#error "LANES must be defined"
#endif

#if TYPE == F64
#define SCALAR double
#define REAL2  double2
#else
#define SCALAR float
#define REAL2  float2
#endif
#if LANES == 1
#define REAL SCALAR
#else
#define REAL JOIN_NAMES(SCALAR, LANES)
#endif
#if TYPE == F64
#define R(c) ((REAL)(c))
#else
#define R(c) ((REAL)(c##f))
#endif

#define INLINE static inline __attribute__((always_inline))

#define SQRT_HALF R(0.70710678118654752440)
#define COS_16    R(0.92387953251128675613)
#define SIN_16    R(0.38268343236508977173)

// Without factors.
INLINE void dft4_plain(REAL *re, REAL *im, uint a, uint b, uint c, uint d)
{
    const REAL s0x = re[a] + re[c], s0y = im[a] + im[c], s1x = re[a] - re[c],
               s1y = im[a] - im[c], s2x = re[b] + re[d], s2y = im[b] + im[d],
               s3x = re[b] - re[d], s3y = im[b] - im[d];
    re[a] = s0x + s2x;
    im[a] = s0y + s2y;
    re[b] = s1x + s3y;
    im[b] = s1y - s3x;
    re[c] = s0x - s2x;
    im[c] = s0y - s2y;
    re[d] = s1x - s3y;
    im[d] = s1y + s3x;
}

// p = w * w.
INLINE void dft4_powers(REAL *re, REAL *im, uint a, uint b, uint c, uint d, REAL wx, REAL wy,
                        REAL px, REAL py)
{
    const REAL two = R(2.0);
    const REAL s0x = fma(-im[c], py, fma(re[c], px, re[a])),
               s0y = fma(im[c], px, fma(re[c], py, im[a]));
    const REAL s1x = fma(two, re[a], -s0x), s1y = fma(two, im[a], -s0y);
    const REAL s2x = fma(-im[d], py, fma(re[d], px, re[b])),
               s2y = fma(im[d], px, fma(re[d], py, im[b]));
    const REAL s3x = fma(two, re[b], -s2x), s3y = fma(two, im[b], -s2y);
    re[a] = fma(-s2y, wy, fma(s2x, wx, s0x));
    im[a] = fma(s2y, wx, fma(s2x, wy, s0y));
    re[b] = fma(s3y, wx, fma(s3x, wy, s1x));
    im[b] = fma(s3y, wy, fma(-s3x, wx, s1y));
    re[c] = fma(two, s0x, -re[a]);
    im[c] = fma(two, s0y, -im[a]);
    re[d] = fma(two, s1x, -re[b]);
    im[d] = fma(two, s1y, -im[b]);
}

#define SQUARE_X(x, y)           (fma((x), (x), -((y) * (y))))
#define SQUARE_Y(x, y)           (R(2.0) * (x) * (y))
#define PRODUCT_X(ax, ay, bx, by) (fma((ax), (bx), -((ay) * (by))))
#define PRODUCT_Y(ax, ay, bx, by) (fma((ax), (by), (ay) * (bx)))

INLINE void dft2(REAL *re, REAL *im, uint at, uint step, REAL wx, REAL wy)
{
    const uint b = at + step;
    const REAL x = fma(-im[b], wy, fma(re[b], wx, re[at])),
               y = fma(im[b], wx, fma(re[b], wy, im[at]));
    re[b] = fma(R(2.0), re[at], -x);
    im[b] = fma(R(2.0), im[at], -y);
    re[at] = x;
    im[at] = y;
}

INLINE void dft4(REAL *re, REAL *im, uint at, uint step, REAL wx, REAL wy)
{
    dft4_powers(re, im, at, at + step, at + 2 * step, at + 3 * step, wx, wy, SQUARE_X(wx, wy),
                SQUARE_Y(wx, wy));
}

INLINE void exchange(REAL *v, uint a, uint b)
{
    const REAL t = v[a];
    v[a] = v[b];
    v[b] = t;
}

// Two transforms of four points, of the even and of the odd ones; then four of two points, whose
// factors are w times the powers of exp(-2 pi i / 8).
INLINE void dft8(REAL *re, REAL *im, uint at, uint step, REAL wx, REAL wy)
{
    const REAL w2x = SQUARE_X(wx, wy), w2y = SQUARE_Y(wx, wy);
    const REAL vx = SQRT_HALF * (wx + wy), vy = SQRT_HALF * (wy - wx);
    const REAL ux[4] = { wx, vx, wy, vy }, uy[4] = { wy, vy, -wx, -vx };
    REAL x[8], y[8];
    dft4(re, im, at, 2 * step, w2x, w2y);
    dft4(re, im, at + step, 2 * step, w2x, w2y);
#pragma unroll 16
    for (uint k = 0; k < 4; k++) {
        dft2(re, im, at + 2 * k * step, step, ux[k], uy[k]);
        x[k] = re[at + 2 * k * step];
        y[k] = im[at + 2 * k * step];
        x[k + 4] = re[at + (2 * k + 1) * step];
        y[k + 4] = im[at + (2 * k + 1) * step];
    }
#pragma unroll 16
    for (uint k = 0; k < 8; k++) {
        re[at + k * step] = x[k];
        im[at + k * step] = y[k];
    }
}

// Point k1 + 4 * k2 stands at 4 * k1 + k2.
INLINE void transpose(REAL *v)
{
    exchange(v, 1, 4);
    exchange(v, 2, 8);
    exchange(v, 3, 12);
    exchange(v, 6, 9);
    exchange(v, 7, 13);
    exchange(v, 11, 14);
}

// Four transforms of every fourth point; then, for each k1, one of what they gave for k1, whose
// factor is w * exp(-2 pi i k1 / 16). `at` is 0 and step is 1.
INLINE void dft16(REAL *re, REAL *im, uint at, uint step, REAL wx, REAL wy)
{
    const REAL w2x = SQUARE_X(wx, wy), w2y = SQUARE_Y(wx, wy);
    const REAL w4x = SQUARE_X(w2x, w2y), w4y = SQUARE_Y(w2x, w2y);
    const REAL w8x = SQUARE_X(w4x, w4y), w8y = SQUARE_Y(w4x, w4y);
#pragma unroll 16
    for (uint c = 0; c < 4; c++)
        dft4_powers(re, im, c, c + 4, c + 8, c + 12, w4x, w4y, w8x, w8y);
    const REAL px = SQRT_HALF * (w2x + w2y), py = SQRT_HALF * (w2y - w2x);
    dft4_powers(re, im, 0, 1, 2, 3, wx, wy, w2x, w2y);
    dft4_powers(re, im, 4, 5, 6, 7, PRODUCT_X(wx, wy, COS_16, -SIN_16),
                PRODUCT_Y(wx, wy, COS_16, -SIN_16), px, py);
    dft4_powers(re, im, 8, 9, 10, 11, SQRT_HALF * (wx + wy), SQRT_HALF * (wy - wx), w2y, -w2x);
    dft4_powers(re, im, 12, 13, 14, 15, PRODUCT_X(wx, wy, SIN_16, -COS_16),
                PRODUCT_Y(wx, wy, SIN_16, -COS_16), py, -px);
    transpose(re);
    transpose(im);
}

// The same with w = 1.
INLINE void dft16_plain(REAL *re, REAL *im)
{
#pragma unroll 16
    for (uint c = 0; c < 4; c++)
        dft4_plain(re, im, c, c + 4, c + 8, c + 12);
    dft4_plain(re, im, 0, 1, 2, 3);
    dft4_powers(re, im, 4, 5, 6, 7, COS_16, -SIN_16, SQRT_HALF, -SQRT_HALF);
    dft4_powers(re, im, 8, 9, 10, 11, SQRT_HALF, -SQRT_HALF, R(0.0), R(-1.0));
    dft4_powers(re, im, 12, 13, 14, 15, SIN_16, -COS_16, -SQRT_HALF, -SQRT_HALF);
    transpose(re);
    transpose(im);
}
