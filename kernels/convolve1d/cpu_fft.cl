// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on CPUs: long filters by Fourier transforms of overlapping segments (overlap-save).
// An item, alone in its group, takes one block, and the lanes of its vectors are neighbouring
// points, as they lie in memory. A block is what it is for gpu_fft: two segments of a line as the
// parts of one complex segment of LENGTH points. Point n = 16 * m + l stands in lane l of vector
// m, and each lane has a transform of SIZE = LENGTH / 16 points of its own. Then points of 16
// vectors are transposed, and transforms of 16 points across the lanes make one of LENGTH points
// of all.
//
// Passes are of OUTER, MIDDLE and 16 vectors, in place, and of 16 lanes. Their results stay where
// their points were, so that frequency
//
//     f = k0 + OUTER * k1 + OUTER * MIDDLE * (k2 + 16 * k3)
//
// lies in lane k2 of vector (k0 * MIDDLE + k1) * 16 + k3. The filter has its spectrum in that
// order (src/convolve1d/fft.c), and the passes of the inverse transform, which go the other way,
// leave the natural one. So five sweeps go through local memory, of which the first reads the
// inputs, the last one writes the outputs, and the middle one does four passes and the product:
//
//     pass      1    2            3        4, product    4 back   3 back      2 back    1 back
//     of        k0   k1           k2       k3            k3       k2          k1        k0
//     factor w  1    W^(16 k0)    W^(16 c) W^(c + S k2)  1        W^(S l)     W^(OUTER n)  W^n
//
// with W = exp(-2 pi i / LENGTH), c = k0 + OUTER * k1, S = OUTER * MIDDLE, and n the point of
// lane l. On the way back a factor of all points of a pass waits for the next one, so that all
// factors between lanes cost nothing.
//
// With several parts the taps are divided, as in gpu_fft.cl; products are added in local memory.
//
// Macros   those of convolve1d.cl, fft.cl and cpu_vector.cl; WG 1, LANES 16
//          OUTER        1, 2, 4, 8 or 16
//          MIDDLE       1, 2, 4, 8, 16 or 32; LENGTH is 256 * OUTER * MIDDLE
//          PARTITIONED  1: the taps are divided
//          GAPS         1: vectors have gaps in local memory
//          DENSE        1: neighbouring inputs and outputs of lines are neighbours in memory
// Barriers none
// Per block: 2 * LENGTH loads and 2 * valid stores; 2 transforms of about 2.7 * LENGTH *
// log2(LENGTH) multiply-adds; LENGTH numbers of the spectrum; 8 * LENGTH parts through local
// memory.

#if !defined(PARTITIONED) || !defined(DENSE)
#error "PARTITIONED and DENSE must be defined"
#endif
#if WG != 1
#error "the variant for CPUs runs with one item per group"
#endif

#if OUT_TYPE == F16
typedef out_vec __attribute__((aligned(2))) unaligned_out_vec;
#else
typedef out_vec __attribute__((aligned(4))) unaligned_out_vec;
#endif

// ---------------------------------------------------------------- inputs and outputs
INLINE REAL vector_at(global const ELEM *x)
{
    return calc_of(*(global const unaligned_part_vec *)x);
}

// Vector p of a segment at an end of its line, or of one whose elements lie apart. at: the u of
// point 0, counted from the segment's first output.
INLINE REAL vector_of(global const ELEM *x, global const ELEM *before,
                      const struct arguments *g, const struct line *line, long m, uint valid,
                      long at, uint p)
{
    const long u = m + at + 16 * p, j = line->origin + u;
    const long end = min(m + (long)valid, line->outputs) + (long)g->taps - 1;
    if (u + 16 <= m || u >= end)
        return 0;
    if (DENSE && j >= 0 && j + 16 <= (long)g->n)
        return vector_at(x + line->at + j);
    union {
        REAL v;
        float part[16];
    } values;
    for (uint i = 0; i < 16; i++)
        values.part[i] = needed(x, before, g, line, m, valid, u + i);
    return values.v;
}

// The outputs of vector p of a segment that are wanted.
INLINE void store_some(global OUT_T *out, const struct arguments *g, const struct line *line,
                       long m, uint valid, uint p, REAL v)
{
    const long first = m + 16 * p;
    const long left = min(line->outputs - first, (long)valid - 16 * (long)p);
    if (DENSE && left >= 16) {
        *(global unaligned_out_vec *)(out + line->out_at + first) = result_of(v, g->shift);
        return;
    }
    const union {
        REAL v;
        float part[16];
    } values = { v };
    for (long i = 0; i < min(left, 16L); i++)
        STORE(out, line->out_at + (first + i) * line->out_step, values.part[i], g->shift);
}

// Pass 1 of two segments whose inputs are neighbours.
INLINE void first_pass_of(local REAL *points, global const ELEM *a, global const ELEM *b)
{
    REAL re[16], im[16];
    for (uint j = 0; j < SPAN_VECTORS; j++) {
        EACH(OUTER)
        {
            re[n] = vector_at(a + 16 * (j + n * SPAN_VECTORS));
            im[n] = vector_at(b + 16 * (j + n * SPAN_VECTORS));
        }
        OUTER_DFT_PLAIN;
        GIVE(points, j, SPAN_VECTORS, OUTER)
    }
}

// Pass 1 back, to two segments whose outputs are neighbours.
INLINE void last_pass_to(local const REAL *points, global const REAL *table, global OUT_T *a,
                         global OUT_T *b, uint valid, uint shift)
{
    for (uint j = 0; j < SPAN_VECTORS; j++) {
        REAL re[16], im[16];
        TAKE(points, j, SPAN_VECTORS, OUTER)
        OUTER_DFT(table[2 * j], table[2 * j + 1]);
        EACH(OUTER)
        {
            const uint p = 16 * (j + n * SPAN_VECTORS);
            if (p < valid) {
                *(global unaligned_out_vec *)(a + p) = result_of(im[n], shift);
                *(global unaligned_out_vec *)(b + p) = result_of(re[n], shift);
            }
        }
    }
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *restrict before,
                global const REAL *restrict table, global OUT_T *restrict out,
                const struct arguments g, const struct fft_arguments f)
{
    local REAL points[ROOM];
#if PARTITIONED
    local REAL sums[ROOM];
#else
    local REAL *sums = points;
#endif
    const uint number = (uint)get_group_id(0);
    struct line line;
    line_of(&g, f.phases, number / f.blocks, &line);
    const long m = (long)(number % f.blocks) * (2 * f.valid), j = line.origin + m;
    // Whether all inputs and outputs of both segments exist, and neighbours are neighbours.
    const bool is_inside =
        DENSE && j >= 0 && m + 2 * (long)f.valid <= line.outputs &&
        j + (long)f.valid + (long)((f.parts - 1) * f.part_taps) + LENGTH <= (long)g.n;
    for (uint part = 0; part < f.parts; part++) {
        const long at = (long)(part * f.part_taps);
        global const ELEM *const from = x + line.at + j + at;
        if (is_inside)
            first_pass_of(points, from, from + f.valid);
        else {
            for (uint p = 0; p < SIZE; p++) {
                points[PLACE(p)] = vector_of(x, before, &g, &line, m, f.valid, at, p);
                points[PLACE(p) + 1] =
                    vector_of(x, before, &g, &line, m + f.valid, f.valid, at, p);
            }
            first_pass(points);
        }
        second_pass(points, table);
        middle_passes(points, sums, table, table + (part + 1) * (2 * SIZE),
                      from + f.valid + LENGTH, part == 0, part == f.parts - 1);
    }
    second_pass_back(points, table);
    if (is_inside) {
        global OUT_T *const to = out + line.out_at + m;
        last_pass_to(points, table, to, to + f.valid, f.valid, g.shift);
    } else {
        last_pass(points, table);
        for (uint p = 0; p < f.valid / 16; p++) {
            store_some(out, &g, &line, m, f.valid, p, points[PLACE(p) + 1]);
            store_some(out, &g, &line, m + f.valid, f.valid, p, points[PLACE(p)]);
        }
    }
}
