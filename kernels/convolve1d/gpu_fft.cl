// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, GPUs: filters by Fourier transforms of overlapping segments (overlap-save), in one
// launch. Device memory is read once, beside the overlap, and written once.
//
// A group takes a block of a line (fft_lines.cl): two segments that follow each other, or one that
// is twice as long (gpu_fft_points.cl). It transforms the block, multiplies it by the spectrum of
// the taps, and transforms it back. The filter has the spectrum, by the order of frequencies
// (src/convolve1d/fft.c).
//
// Macros   those of convolve1d.cl, gpu_fft_passes.cl and gpu_fft_points.cl
// Barriers those of gpu_fft_passes.cl; one at the ends of a row; PACKED: two for the product
// Per block: loads of 2 * LENGTH inputs and LENGTH numbers of the spectrum, which stays in caches
// (PACKED: 2 * LENGTH); as many stores as outputs; 2 transforms of about
// 2.8 * LENGTH * log2(LENGTH) multiply-adds.

#if PACKED
#define HALF (P / 2)

// A complex point of an item's lower half, where the item alone has read forward()'s last exchange,
// and writes inverse()'s first one.
INLINE REAL2 lower(local const CELL *at)
{
#if SPLIT
    return (REAL2)(at[0], at[HALF]);
#else
    return at[0];
#endif
}

INLINE void set_lower(local CELL *at, REAL x, REAL y)
{
#if SPLIT
    at[0] = x;
    at[HALF] = y;
#else
    at[0] = (CELL)(x, y);
#endif
}

// Times the spectrum. Frequencies k and LENGTH - k meet: an item has the upper half of its places,
// and of the item whose frequencies are the opposite ones, the lower half, which come and go
// through local memory. Item 0 is its own opposite. There place P - p is opposite to p, and each of
// places 0 and P / 2 to itself; for all others it is place P - 1 - p.
INLINE void multiply_pairs(REAL *re, REAL *im, local CELL *cells, global const REAL2 *factors,
                           uint item)
{
    const uint k0 = item / Q, k1 = item % Q;
    const uint other = (P - k0) % P * Q + (2 * Q - k1 - (k0 > 0 ? 1 : 0)) % Q;
    local CELL *const own = cells + item * RUN;
    local CELL *const last = cells + other * RUN + (item ? HALF - 1 : HALF);
    factors += 2 * item;
#pragma unroll
    for (uint p = 0; p < HALF; p++)
        set_lower(own + p, re[p], im[p]);
    BARRIER;
#pragma unroll
    for (uint p = 0; p < HALF; p++) {
        local CELL *const at = p || item ? last - p : own;
        const bool alone = p == 0 && item == 0;
        const REAL2 a = (REAL2)(re[HALF + p], im[HALF + p]), b = lower(at);
        const REAL2 c = alone ? a : b, d = alone ? b : a; // opposite to a, and to b
        const REAL2 ap = factors[4 * p * WG], aq = factors[4 * p * WG + 1],
                    bp = factors[(4 * p + 2) * WG], bq = factors[(4 * p + 2) * WG + 1];
        re[HALF + p] = fma(aq.y, c.y, fma(aq.x, c.x, PRODUCT_X(a.x, a.y, ap.x, ap.y)));
        im[HALF + p] = fma(aq.y, c.x, fma(-aq.x, c.y, PRODUCT_Y(a.x, a.y, ap.x, ap.y)));
        set_lower(at, fma(bq.y, d.y, fma(bq.x, d.x, PRODUCT_X(b.x, b.y, bp.x, bp.y))),
                  fma(bq.y, d.x, fma(-bq.x, d.y, PRODUCT_Y(b.x, b.y, bp.x, bp.y))));
    }
    BARRIER;
#pragma unroll
    for (uint p = 0; p < HALF; p++) {
        const REAL2 v = lower(own + p);
        re[p] = v.x;
        im[p] = v.y;
    }
}
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *UNSHARED before,
                global const REAL2 *restrict spectrum, global OUT_T *restrict out,
                const struct arguments g, const struct fft_arguments f UPDATE_PARAMETERS)
{
    local CELL cells[CELLS];
    struct segment first, second;
    // The last block of a row, which is at its end, takes longer, so it comes first.
    const uint line =
        block_of(&g, &f, f.lines * f.blocks - 1 - get_group_id(0), &first, &second);
    // Behind the table of factors the spectra of the taps' rows.
    global const REAL2 *factors =
        spectrum + LENGTH +
        (g.tap_row ? (g.tap_first / g.taps + line / f.phases) * SPAN : 0);
    const uint item = get_local_id(0);
    REAL re[FFT_POINTS], im[FFT_POINTS];
    load_points(re, im, cells, x, before, &g, &first, &second, f.valid, -(long)f.lead, item,
                item);
    forward(re, im, spectrum, cells, item);
#if PACKED
    multiply_pairs(re, im, cells, factors, item);
#else
    multiply(re, im, factors + item);
#endif
    // Adds 0. Else compilers keep addresses and factors from forward() on in registers.
    inverse(im, re, spectrum, cells, item + f.zero);
#if PACKED
    store_pairs(out, &first, f.valid, g.shift, item, re, im);
#elif SEGMENTS == 1
    store_outputs(out, &first, f.valid, g.shift, item, re, im);
#else
    store_outputs(out, &first, f.valid, g.shift, item, re, re);
    store_outputs(out, &second, f.valid, g.shift, item, im, im);
#endif
    UPDATE_HISTORY(x, before, &g);
}
