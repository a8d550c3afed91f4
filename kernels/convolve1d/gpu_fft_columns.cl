// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, GPUs: filters that are longer than what a group can transform. A segment is a matrix
// of P rows of LENGTH points, which lies in scratch memory between three launches:
//
//     FFT_COLUMNS  an item loads a column (gpu_fft_points.cl), transforms it, and multiplies point
//                  k of column n by exp(-2 pi i k n / SPAN)
//     FFT_ROWS     a group transforms a row, multiplies it by the spectrum of the taps, and
//                  transforms it back
//     FFT_RESULTS  an item transforms a column back, and stores its outputs
//
// Frequency k + P * l comes to row k, where a transform of LENGTH points leaves frequency l
// (src/convolve1d/fft.c).
//
// With taps in several parts a block has a matrix for each. Their products are added in the rows of
// the first one.
//
// Macros   those of convolve1d.cl, gpu_fft_passes.cl and gpu_fft_points.cl
//          PARTITIONED  1: the taps are divided
// Barriers those of gpu_fft_passes.cl; one per part, before local memory is written again; one at
//          the ends of a row
// Per block: 2 * SPAN loads of inputs, 2 * SPAN numbers of scratch memory loaded and as many
// stored, SPAN numbers of the spectrum; 2 * valid stores; 2 transforms of about
// 2.8 * SPAN * log2(SPAN) multiply-adds. With parts: for each part all loads, and a transform.

#ifndef PARTITIONED
#error "PARTITIONED must be defined"
#endif

INLINE void add_products(REAL *sum_re, REAL *sum_im, const REAL *re, const REAL *im,
                         global const REAL2 *spectrum)
{
    EACH
    {
        const REAL2 h = spectrum[k * WG];
        sum_re[k] = fma(-im[k], h.y, fma(re[k], h.x, sum_re[k]));
        sum_im[k] = fma(im[k], h.x, fma(re[k], h.y, sum_im[k]));
    }
}

// Point k times w to the power k.
INLINE void twist(REAL *re, REAL *im, REAL2 w)
{
    // w to the powers 4 * a, and 1 ... 3.
    REAL x[P / 4], y[P / 4], wx[4], wy[4];
    wx[1] = w.x;
    wy[1] = w.y;
    wx[2] = SQUARE_X(w.x, w.y);
    wy[2] = SQUARE_Y(w.x, w.y);
    wx[3] = PRODUCT_X(wx[2], wy[2], w.x, w.y);
    wy[3] = PRODUCT_Y(wx[2], wy[2], w.x, w.y);
    x[1] = SQUARE_X(wx[2], wy[2]);
    y[1] = SQUARE_Y(wx[2], wy[2]);
#pragma unroll
    for (uint a = 2; a < P / 4; a++) {
        x[a] = PRODUCT_X(x[a / 2], y[a / 2], x[a - a / 2], y[a - a / 2]);
        y[a] = PRODUCT_Y(x[a / 2], y[a / 2], x[a - a / 2], y[a - a / 2]);
    }
#pragma unroll
    for (uint k = 1; k < P; k++) {
        const uint a = k / 4, b = k % 4;
        const REAL fx = !a ? wx[b] : !b ? x[a] : PRODUCT_X(x[a], y[a], wx[b], wy[b]),
                   fy = !a ? wy[b] : !b ? y[a] : PRODUCT_Y(x[a], y[a], wx[b], wy[b]);
        const REAL t = PRODUCT_X(re[k], im[k], fx, fy);
        im[k] = PRODUCT_Y(re[k], im[k], fx, fy);
        re[k] = t;
    }
}

INLINE void load_row(REAL *re, REAL *im, global const REAL2 *from, uint apart)
{
    EACH
    {
        const REAL2 v = from[k * apart];
        re[k] = v.x;
        im[k] = v.y;
    }
}

INLINE void store_row(global REAL2 *to, uint apart, const REAL *re, const REAL *im)
{
    EACH to[k * apart] = (REAL2)(re[k], im[k]);
}

// A row of the block's matrices, which lie SPAN points apart.
INLINE void convolve_row(REAL *re, REAL *im, local CELL *cells, global const REAL2 *table,
                         global const REAL2 *factors, global REAL2 *row, uint parts, uint item,
                         uint zero)
{
#if PARTITIONED
    REAL sum_re[P], sum_im[P];
    EACH sum_re[k] = sum_im[k] = 0;
#pragma unroll 1
    for (uint part = 0; part < parts; part++) {
        BARRIER; // items still read what forward() writes
        load_row(re, im, row + part * SPAN, WG);
        forward(re, im, table, cells, item);
        add_products(sum_re, sum_im, re, im, factors + part * SPAN);
    }
    EACH
    {
        re[k] = sum_re[k];
        im[k] = sum_im[k];
    }
#else
    load_row(re, im, row, WG);
    forward(re, im, table, cells, item);
    multiply(re, im, factors);
#endif
    // Adds 0. Else compilers keep addresses and factors from forward() on in registers.
    inverse(im, re, table, cells, item + zero);
    store_row(row, WG, re, im);
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *restrict before,
                global const REAL2 *restrict spectrum, global OUT_T *restrict out,
                const struct arguments g, const struct fft_arguments f, global REAL2 *scratch)
{
    local CELL cells[CELLS];
    const uint parts = PARTITIONED ? f.parts : 1;
    const uint item = get_local_id(0), strip = get_group_id(0) % P, matrix = get_group_id(0) / P;
    const bool is_first = f.step == FFT_COLUMNS; // its groups are for one part of a block
    const uint local_block = is_first ? matrix / parts : matrix;
    const uint part = is_first ? matrix % parts : 0;
    global REAL2 *const points = scratch + (ulong)(local_block * parts + part) * SPAN;
    struct segment first, second;
    const uint line = block_of(&g, &f, f.first + local_block, &first, &second);
    REAL re[P], im[P];
    if (f.step == FFT_ROWS) {
        // Behind the tables of factors the spectra of the taps' rows, part by part.
        global const REAL2 *factors =
            spectrum + 2 * LENGTH + strip * LENGTH + item +
            (g.tap_row ? (g.tap_first / g.taps + line / f.phases) * parts * SPAN : 0);
        convolve_row(re, im, cells, spectrum, factors, points + strip * LENGTH + item, parts,
                     item, f.zero);
        return;
    }
    const uint column = strip * WG + item;
    const REAL2 w = spectrum[LENGTH + column];
    if (is_first) {
        load_points(re, im, cells, x, before, &g, &first, &second, f.valid,
                    (long)(part * f.part_taps) - (long)f.lead, column, item);
        DFT_P_PLAIN(re, im);
        twist(re, im, w);
        store_row(points + column, LENGTH, re, im);
        return;
    }
    load_row(re, im, points + column, LENGTH);
    DFT_P(im, re, 0, 1, w.x, w.y);
#if TYPE == C32
    store_outputs(out, &first, f.valid, g.shift, column, re, im);
#else
    store_outputs(out, &first, f.valid, g.shift, column, re, re);
    store_outputs(out, &second, f.valid, g.shift, column, im, im);
#endif
}
