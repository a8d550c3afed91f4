// SPDX-License-Identifier: Apache-2.0
//
// convolve1d: the discrete Fourier transform of 32 points in registers, as fft.cl has those of
// fewer points. Half as many items then exchange points half as often.
//
// Macros   those of fft.cl
//
// Defines  dft32(), dft32_plain()
//
// Per transform: 480 multiply-adds with one factor, about 80 for its powers; no memory

#define COS_32  R(0.98078528040323044913) // of 2 pi / 32
#define SIN_32  R(0.19509032201612826785)
#define COS_332 R(0.83146961230254523708) // of 3 times as much
#define SIN_332 R(0.55557023301960222474)

// Point k1 + 8 * k2 stands at 4 * k1 + k2.
INLINE void transpose32(REAL *v)
{
    REAL t[32];
#pragma unroll 32
    for (uint k = 0; k < 32; k++)
        t[k / 4 + k % 4 * 8] = v[k];
#pragma unroll 32
    for (uint k = 0; k < 32; k++)
        v[k] = t[k];
}

// Four transforms of every fourth point; then, for each k1, one of what they gave for k1, whose
// factor is w * exp(-2 pi i k1 / 32). `at` is 0 and step is 1.
INLINE void dft32(REAL *re, REAL *im, uint at, uint step, REAL wx, REAL wy)
{
    const REAL cx[4] = { R(1.0), COS_32, COS_16, COS_332 },
               cy[4] = { R(0.0), -SIN_32, -SIN_16, -SIN_332 },
               dx[4] = { R(1.0), COS_16, SQRT_HALF, SIN_16 },
               dy[4] = { R(0.0), -SIN_16, -SQRT_HALF, -COS_16 };
    const REAL w2x = SQUARE_X(wx, wy), w2y = SQUARE_Y(wx, wy);
    const REAL w4x = SQUARE_X(w2x, w2y), w4y = SQUARE_Y(w2x, w2y);
#pragma unroll 16
    for (uint c = 0; c < 4; c++)
        dft8(re, im, c, 4, w4x, w4y);
#pragma unroll 16
    for (uint k = 0; k < 4; k++) {
        const uint a = 4 * k, b = 4 * k + 16;
        const REAL vx = k ? PRODUCT_X(wx, wy, cx[k], cy[k]) : wx,
                   vy = k ? PRODUCT_Y(wx, wy, cx[k], cy[k]) : wy,
                   px = k ? PRODUCT_X(w2x, w2y, dx[k], dy[k]) : w2x,
                   py = k ? PRODUCT_Y(w2x, w2y, dx[k], dy[k]) : w2y;
        dft4_powers(re, im, a, a + 1, a + 2, a + 3, vx, vy, px, py);
        dft4_powers(re, im, b, b + 1, b + 2, b + 3, SQRT_HALF * (vx + vy),
                    SQRT_HALF * (vy - vx), py, -px);
    }
    transpose32(re);
    transpose32(im);
}

// ---------------------------------------------------------------- without factors
INLINE void dft8_plain(REAL *re, REAL *im, uint at, uint step)
{
    REAL x[8], y[8];
    dft4_plain(re, im, at, at + 2 * step, at + 4 * step, at + 6 * step);
    dft4_plain(re, im, at + step, at + 3 * step, at + 5 * step, at + 7 * step);
#pragma unroll 16
    for (uint k = 0; k < 4; k++) {
        // The second point times exp(-2 pi i k / 8).
        const uint a = at + 2 * k * step;
        const REAL bx = re[a + step], by = im[a + step], sum = bx + by, apart = by - bx;
        const REAL unit = k % 2 ? SQRT_HALF : R(1.0);
        const REAL ux = k == 0 ? bx : k == 1 ? sum : k == 2 ? by : apart,
                   uy = k == 0 ? by : k == 1 ? apart : k == 2 ? -bx : -sum;
        x[k] = fma(unit, ux, re[a]);
        y[k] = fma(unit, uy, im[a]);
        x[k + 4] = fma(-unit, ux, re[a]);
        y[k + 4] = fma(-unit, uy, im[a]);
    }
#pragma unroll 16
    for (uint k = 0; k < 8; k++) {
        re[at + k * step] = x[k];
        im[at + k * step] = y[k];
    }
}

// w = exp(-2 pi i / 8).
INLINE void dft4_eighth(REAL *re, REAL *im, uint a, uint b, uint c, uint d)
{
    const REAL s0x = re[a] + im[c], s0y = im[a] - re[c], s1x = re[a] - im[c],
               s1y = im[a] + re[c], s2x = re[b] + im[d], s2y = im[b] - re[d],
               s3x = re[b] - im[d], s3y = im[b] + re[d];
    const REAL u = s2x + s2y, v = s2y - s2x, p = s3y - s3x, q = s3x + s3y;
    re[a] = fma(SQRT_HALF, u, s0x);
    im[a] = fma(SQRT_HALF, v, s0y);
    re[c] = fma(-SQRT_HALF, u, s0x);
    im[c] = fma(-SQRT_HALF, v, s0y);
    re[b] = fma(SQRT_HALF, p, s1x);
    im[b] = fma(-SQRT_HALF, q, s1y);
    re[d] = fma(-SQRT_HALF, p, s1x);
    im[d] = fma(SQRT_HALF, q, s1y);
}

// dft32 with w = 1.
INLINE void dft32_plain(REAL *re, REAL *im)
{
    const REAL cx[8] = { R(1.0), COS_32, COS_16, COS_332, SQRT_HALF, SIN_332, SIN_16, SIN_32 },
               cy[8] = { R(0.0),    -SIN_32,  -SIN_16, -SIN_332,
                         -SQRT_HALF, -COS_332, -COS_16, -COS_32 };
    const REAL dx[8] = { R(1.0), COS_16,  SQRT_HALF,  SIN_16,
                         R(0.0), -SIN_16, -SQRT_HALF, -COS_16 },
               dy[8] = { R(0.0),  -SIN_16, -SQRT_HALF, -COS_16,
                         R(-1.0), -COS_16, -SQRT_HALF, -SIN_16 };
#pragma unroll 16
    for (uint c = 0; c < 4; c++)
        dft8_plain(re, im, c, 4);
    dft4_plain(re, im, 0, 1, 2, 3);
#pragma unroll 16
    for (uint k = 1; k < 8; k++) {
        const uint a = 4 * k;
        if (k == 4)
            dft4_eighth(re, im, a, a + 1, a + 2, a + 3);
        else
            dft4_powers(re, im, a, a + 1, a + 2, a + 3, cx[k], cy[k], dx[k], dy[k]);
    }
    transpose32(re);
    transpose32(im);
}
