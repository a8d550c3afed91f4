// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, GPUs: long filters by Fourier transforms of overlapping segments (overlap-save),
// in one launch. Device memory is read once, beside the overlap, and written once.
//
// A group takes a block of a line (fft_lines.cl): two real segments as the real and the
// imaginary part of one complex segment, which real taps keep apart; of complex data one
// segment. A segment has LENGTH points:
//
//     u        m - lead                 m                                    m + LENGTH - lead
//     points   | lead: not needed       | needed by `valid` outputs          | rest |
//     outputs                           | m ... m + valid - 1 |
//
//     segment -> transform -> times the spectrum of the taps -> inverse transform -> outputs
//
// The filter has the spectrum, by the order of frequencies (src/convolve1d/fft.c). `lead` makes
// loads begin where lines of memory do, if the array does. With several parts the taps are
// divided: part t has part_taps of them, and its segments lie t * part_taps further on. The
// products of all parts are added before the inverse transform.
//
// Macros   those of convolve1d.cl and gpu_fft_passes.cl
//          PARTITIONED  1: the taps are divided
//          DENSE        1: neighbouring inputs and outputs of lines are neighbours in memory
// Barriers those of gpu_fft_passes.cl; one per part, before local memory is written again; one at
//          the ends of a row
// Per block: loads of 2 * LENGTH inputs and LENGTH numbers of the spectrum, which stays in
// caches; 2 * valid stores; 2 transforms of about 2.8 * LENGTH * log2(LENGTH) multiply-adds.

#if !defined(PARTITIONED) || !defined(DENSE)
#error "PARTITIONED and DENSE must be defined"
#endif

// ---------------------------------------------------------------- segments
// The item's points at the ends of a row: part 0 or 1 of those of a block whose segments begin
// with outputs m and m + valid, and whose first point is X(u). They go through local memory, in
// a loop that is not unrolled: else the kernel would have the registers of this one, too. An
// item meets its own points alone.
INLINE void load_edge(REAL *v, uint part, local REAL *cells, global const ELEM *x,
                      global const ELEM *before, const struct arguments *g,
                      const struct line *line, long m, uint valid, long u, uint item)
{
#pragma unroll 1
    for (uint p = item; p < LENGTH; p += WG) {
#if TYPE == C32
        const OPERAND w = needed(x, before, g, line, m, valid, u + p);
        cells[p] = part ? w.y : w.x;
#else
        const uint on = part * valid;
        cells[p] = needed(x, before, g, line, m + on, valid, u + on + p);
#endif
    }
#pragma unroll
    for (uint q = 0; q < FFT_POINTS; q++)
        v[q] = cells[item + q * WG];
}

// All the item's points.
INLINE void load_points(REAL *re, REAL *im, local CELL *cells, global const ELEM *x,
                        global const ELEM *before, const struct arguments *g,
                        const struct line *line, long m, uint valid, long u, uint item)
{
    const long first = line->origin + u * g->dilation;
    const long last = first + (LENGTH - 1 + (SEGMENTS - 1) * (long)valid) * g->dilation;
    if (first < 0 || last >= (long)g->n) {
        load_edge(re, 0, (local REAL *)cells, x, before, g, line, m, valid, u, item);
        load_edge(im, 1, (local REAL *)cells, x, before, g, line, m, valid, u, item);
        BARRIER;
        return;
    }
    const long step = DENSE ? 1 : line->step;
    global const ELEM *from = x + (line->at + first * g->stride + item * step);
#if SEGMENTS == 2
    global const ELEM *second = from + valid * step;
#endif
#pragma unroll
    for (uint q = 0; q < FFT_POINTS; q++) {
#if TYPE == C32
        const OPERAND v = LOAD(from, q * WG * step);
        re[q] = v.x;
        im[q] = v.y;
#else
        re[q] = LOAD(from, q * WG * step);
        im[q] = LOAD(second, q * WG * step);
#endif
    }
}

// Times the spectrum.
INLINE void multiply(REAL *re, REAL *im, global const REAL2 *spectrum)
{
    EACH
    {
        const REAL2 h = spectrum[k * WG];
        const REAL x = PRODUCT_X(re[k], im[k], h.x, h.y);
        im[k] = PRODUCT_Y(re[k], im[k], h.x, h.y);
        re[k] = x;
    }
}

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

// Outputs of the segment that begins with output m.
INLINE void store_outputs(global OUT_T *out, const struct line *line, long m, uint valid,
                          uint shift, uint item, const REAL *re, const REAL *im)
{
    const int end = (int)clamp(line->outputs - m, 0L, (long)valid);
    const long step = DENSE ? 1 : line->out_step;
    global OUT_T *to = out + (line->out_at + (m + item) * step);
#pragma unroll
    for (uint q = 0; q < FFT_POINTS; q++)
        if ((int)(item + q * WG) < end) {
#if TYPE == C32
            STORE(to, q * WG * step, (OPERAND)(re[q], im[q]), shift);
#else
            STORE(to, q * WG * step, re[q], shift);
#endif
        }
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *restrict before,
                global const REAL2 *restrict spectrum, global OUT_T *restrict out,
                const struct arguments g, const struct fft_arguments f)
{
    local CELL cells[CELLS];
    const uint group = get_group_id(0);
    uint number = 0, block = group;
    if (f.lines > 1) {
        number = f.lines_near ? group % f.lines : group / f.blocks;
        block = f.lines_near ? group / f.lines : group % f.blocks;
    }
    struct line line;
    line_of(&g, f.phases, number, &line);
    const long m = (long)block * (SEGMENTS * f.valid);
    const uint parts = PARTITIONED ? f.parts : 1;
    // Behind the table of factors the spectra of the taps' rows, part by part.
    global const REAL2 *factors =
        spectrum + LENGTH +
        (g.tap_row ? (g.tap_first / g.taps + number / f.phases) * parts * LENGTH : 0);
    const uint item = get_local_id(0);
    REAL re[FFT_POINTS], im[FFT_POINTS];
#if PARTITIONED
    REAL sum_re[FFT_POINTS], sum_im[FFT_POINTS];
    EACH sum_re[k] = sum_im[k] = 0;
#pragma unroll 1
    for (uint part = 0; part < parts; part++) {
        barrier(CLK_LOCAL_MEM_FENCE); // load_points may write where items still read
        load_points(re, im, cells, x, before, &g, &line, m, f.valid,
                    m + (long)(part * f.part_taps) - (long)f.lead, item);
        forward(re, im, spectrum, cells, item);
        add_products(sum_re, sum_im, re, im, factors + part * LENGTH + item);
    }
    EACH
    {
        re[k] = sum_re[k];
        im[k] = sum_im[k];
    }
#else
    load_points(re, im, cells, x, before, &g, &line, m, f.valid, m - (long)f.lead, item);
    forward(re, im, spectrum, cells, item);
    multiply(re, im, factors + item);
#endif
    // Adds 0. Else compilers keep addresses and factors from forward() on in registers.
    inverse(im, re, spectrum, cells, item + f.zero);
#if TYPE == C32
    store_outputs(out, &line, m, f.valid, g.shift, item, re, im);
#else
    store_outputs(out, &line, m, f.valid, g.shift, item, re, re);
    store_outputs(out, &line, m + f.valid, f.valid, g.shift, item, im, im);
#endif
}
