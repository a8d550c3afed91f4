// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on CPUs: long filters by Fourier transforms of overlapping segments (overlap-save).
// An item, alone in its group, takes 16 blocks at once, one in each lane of its vectors, so that
// a transform has no shuffles. A block is what it is for gpu_fft: two segments of a line as the
// parts of one complex segment of LENGTH points.
//
//     x of block 0    | a b c ... |                         points 0, 1, 2 ... of local memory:
//     x of block 1       | d e f ... |      -> transposed   a d ...   b e ...   c f ...
//     ...
//
// Passes are of 16, MIDDLE and 16 points, in place. Their results stay where their points were,
// so that frequency k0 + 16 * k1 + 16 * MIDDLE * k2 lies at k0 * LENGTH / 16 + k1 * 16 + k2. The
// filter has its spectrum in that order (src/convolve1d/fft.c), and the passes of the inverse
// transform, which go the other way, leave the natural one. So five sweeps go through local
// memory; the middle one does the last pass, the product, and the first pass back:
//
//     pass        1       2                      3, product, 1 back    2 back       3 back
//     factor w    1       table[k0 * 16]         table[k0 + 16 k1], 1  table[n0 * 16]  table[j]
//
// With several parts the taps are divided, as in gpu_fft.cl; products are added in local memory.
//
// Macros   those of convolve1d.cl, fft.cl and cpu_vector.cl; WG 1, LANES 16
//          LENGTH       points of a segment: 256 * MIDDLE
//          MIDDLE       1, 2, 4, 8 or 16
//          PARTITIONED  1: the taps are divided
//          GAPS         1: points have gaps in local memory
//          DENSE        1: neighbouring inputs and outputs of lines are neighbours in memory
// Barriers none
// Functions that local memory is given to are inlined. PoCL 3.1 gives those that are not one
// copy of it for all groups: the compiler sees that they are always given the same array.
// Per block: 2 * LENGTH loads and 2 * valid stores; 2 transforms of about 2.7 * LENGTH *
// log2(LENGTH) multiply-adds; LENGTH numbers of the spectrum, which stays in the caches, for 16
// blocks; 10 * LENGTH parts through local memory.

#if !defined(LENGTH) || !defined(MIDDLE) || !defined(PARTITIONED) || !defined(DENSE) || \
    !defined(GAPS)
#error "LENGTH, MIDDLE, PARTITIONED, DENSE and GAPS must be defined"
#endif
#if WG != 1 || LANES != 16
#error "the variant for CPUs runs with one item per group and 16 blocks"
#endif

#if OUT_TYPE == F16
typedef out_vec __attribute__((aligned(2))) unaligned_out_vec;
#else
typedef out_vec __attribute__((aligned(4))) unaligned_out_vec;
#endif

// Real and imaginary part of a point. The gaps keep points that a pass takes together apart in
// the caches.
#define PLACE(p) (2 * ((p) + (GAPS ? (p) / 16 : 0)))
#define ROOM     PLACE(LENGTH)

// The points first + n * apart for n = 0 ... count - 1, to or from re and im. These are macros
// because the count must be a constant where the compiler unrolls the loop. In a function it is
// a parameter until the function is inlined, and the loop would be unrolled in part only.
#define TAKE(points, first, apart, count)                      \
    _Pragma("unroll") for (uint n = 0; n < (count); n++)       \
    {                                                          \
        re[n] = points[PLACE((first) + n * (apart))];          \
        im[n] = points[PLACE((first) + n * (apart)) + 1];      \
    }
#define GIVE(points, first, apart, count)                      \
    _Pragma("unroll") for (uint n = 0; n < (count); n++)       \
    {                                                          \
        points[PLACE((first) + n * (apart))] = re[n];          \
        points[PLACE((first) + n * (apart)) + 1] = im[n];      \
    }

// ---------------------------------------------------------------- inputs and outputs
// What the item knows of the block in a lane.
struct block {
    struct line line;
    long m; // the first output of its first segment
};

// 16 points of a segment (part 0 or 1 of its block) from point p on. first: the u of point 0,
// counted from the segment's first output.
INLINE REAL points_of(global const ELEM *x, global const ELEM *before,
                      const struct arguments *g, const struct block *b, uint part, uint valid,
                      long first, uint p)
{
    const long m = b->m + part * (long)valid, u = m + first + p;
    const long j = b->line.origin + u;
    if (DENSE && j >= 0 && j + 16 <= (long)g->n)
        return calc_of(*(global const unaligned_part_vec *)(x + b->line.at + j));
    union {
        REAL v;
        float part[16];
    } values;
    for (uint i = 0; i < 16; i++)
        values.part[i] = needed(x, before, g, &b->line, m, valid, u + i);
    return values.v;
}

// The segments of all blocks, transposed into local memory.
INLINE void load_segments(local REAL *points, global const ELEM *x, global const ELEM *before,
                          const struct arguments *g, const struct block *blocks, uint valid,
                          long first)
{
    for (uint p = 0; p < LENGTH; p += 16)
        for (uint part = 0; part < 2; part++) {
            REAL v[16];
            for (uint lane = 0; lane < 16; lane++)
                v[lane] = points_of(x, before, g, &blocks[lane], part, valid, first, p);
            TRANSPOSE(v);
#pragma unroll 16
            for (uint i = 0; i < 16; i++)
                points[PLACE(p + i) + part] = v[i];
        }
}

// The outputs of all blocks.
INLINE void store_outputs(local const REAL *points, global OUT_T *out,
                          const struct arguments *g, const struct block *blocks, uint valid)
{
    for (uint p = 0; p < valid; p += 16)
        for (uint part = 0; part < 2; part++) {
            REAL v[16];
            // The inverse transform leaves real and imaginary parts exchanged.
#pragma unroll 16
            for (uint i = 0; i < 16; i++)
                v[i] = points[PLACE(p + i) + 1 - part];
            TRANSPOSE(v);
            for (uint lane = 0; lane < 16; lane++) {
                const struct block *b = &blocks[lane];
                const long m = b->m + part * (long)valid + p;
                const long left = min(b->line.outputs - m, (long)(valid - p));
                if (DENSE && left >= 16) {
                    *(global unaligned_out_vec *)(out + b->line.out_at + m) =
                        result_of(v[lane], g->shift);
                    continue;
                }
                const union {
                    REAL v;
                    float part[16];
                } values = { v[lane] };
                for (long i = 0; i < min(left, 16L); i++)
                    STORE(out, b->line.out_at + (m + i) * b->line.out_step, values.part[i],
                          g->shift);
            }
        }
}

// ---------------------------------------------------------------- passes
#if MIDDLE > 1
#define MIDDLE_DFT JOIN_NAMES(dft, MIDDLE)
#endif

// Pass 1, and pass 2 in each of the 16 parts that it leaves.
INLINE void first_passes(local REAL *points, global const REAL2 *table)
{
    REAL re[16], im[16];
    for (uint j = 0; j < LENGTH / 16; j++) {
        TAKE(points, j, LENGTH / 16, 16)
        dft16_plain(re, im);
        GIVE(points, j, LENGTH / 16, 16)
    }
#if MIDDLE > 1
    for (uint k0 = 0; k0 < 16; k0++)
        for (uint n0 = 0; n0 < 16; n0++) {
            const REAL2 w = table[k0 * 16];
            TAKE(points, k0 * (LENGTH / 16) + n0, 16, MIDDLE)
            MIDDLE_DFT(re, im, 0, 1, (REAL)(w.x), (REAL)(w.y));
            GIVE(points, k0 * (LENGTH / 16) + n0, 16, MIDDLE)
        }
#endif
}

// Times the spectrum; the parts of the products change places, for the inverse transform.
INLINE void multiply(REAL *re, REAL *im, global const REAL2 *spectrum)
{
#pragma unroll 16
    for (uint i = 0; i < 16; i++) {
        const REAL hx = (REAL)(spectrum[i].x), hy = (REAL)(spectrum[i].y);
        const REAL x = PRODUCT_X(re[i], im[i], hx, hy);
        re[i] = PRODUCT_Y(re[i], im[i], hx, hy);
        im[i] = x;
    }
}

// Pass 3, times the spectrum, and pass 1 back. `sums`: of the parts before; only the last part
// goes back.
INLINE void middle_passes(local REAL *points, local REAL *sums, global const REAL2 *table,
                          uint spectrum, bool is_first, bool is_last)
{
    for (uint b = 0; b < LENGTH / 16; b++) {
        REAL re[16], im[16];
        const REAL2 w = table[b / MIDDLE + b % MIDDLE * 16];
        TAKE(points, b * 16, 1, 16)
        dft16(re, im, 0, 1, (REAL)(w.x), (REAL)(w.y));
        multiply(re, im, table + spectrum + b * 16);
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
        GIVE(points, b * 16, 1, 16)
    }
}

// Passes 2 and 3 back.
INLINE void last_passes(local REAL *points, global const REAL2 *table)
{
    REAL re[16], im[16];
#if MIDDLE > 1
    for (uint n0 = 0; n0 < 16; n0++)
        for (uint k0 = 0; k0 < 16; k0++) {
            const REAL2 w = table[n0 * 16];
            TAKE(points, k0 * (LENGTH / 16) + n0, 16, MIDDLE)
            MIDDLE_DFT(re, im, 0, 1, (REAL)(w.x), (REAL)(w.y));
            GIVE(points, k0 * (LENGTH / 16) + n0, 16, MIDDLE)
        }
#endif
    for (uint j = 0; j < LENGTH / 16; j++) {
        const REAL2 w = table[j];
        TAKE(points, j, LENGTH / 16, 16)
        dft16(re, im, 0, 1, (REAL)(w.x), (REAL)(w.y));
        GIVE(points, j, LENGTH / 16, 16)
    }
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *restrict before,
                global const REAL2 *restrict spectrum, global OUT_T *restrict out,
                const struct arguments g, const struct fft_arguments f)
{
    local REAL points[ROOM];
#if PARTITIONED
    local REAL sums[ROOM];
#else
    local REAL *sums = points;
#endif
    struct block blocks[16];
    for (uint lane = 0; lane < 16; lane++) {
        const ulong number = (ulong)get_group_id(0) * 16 + lane, line = number / f.blocks;
        line_of(&g, f.phases, (uint)min(line, (ulong)f.lines - 1), &blocks[lane].line);
        blocks[lane].m = (long)(number % f.blocks) * (2 * f.valid);
        if (line >= f.lines) // a lane without a block
            blocks[lane].line.outputs = 0;
    }
    for (uint part = 0; part < f.parts; part++) {
        load_segments(points, x, before, &g, blocks, f.valid,
                      (long)(part * f.part_taps) - (long)f.lead);
        first_passes(points, spectrum);
        middle_passes(points, sums, spectrum, (part + 1) * LENGTH, part == 0,
                      part == f.parts - 1);
    }
    last_passes(points, spectrum);
    store_outputs(points, out, &g, blocks, f.valid);
}
