// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, cpu_residues: CPU devices, strides and dilation 1.
//
// An item is a group. It takes a contiguous share of a row in tiles of TILE_VECS vectors of
// VEC_N outputs. Taps whose numbers differ by ORDER meet the same shifted vectors, one vector
// further on: a vector that is loaded for one tap serves all taps of its residue r (drawn for
// VEC_N = ORDER = 4, TILE_VECS = 3, taps r, r + 4, r + 8):
//
//     inputs from j + r on   | v0 | v1 | v2 | v3 | v4 |       a load begins anywhere in a line
//     tap r                    a0 + a1 + a2
//     tap r + 4                     a0 + a1 + a2
//     tap r + 8                          a0 + a1 + a2
//
// The loops over vectors and over the taps of a residue are unrolled. A program is made for one
// number of taps where it is small (TAPS), else for the whole ORDERs of taps in the last span.
// More taps than SPAN are taken span by span, so that what a tile reads stays in the nearest
// cache.
//
// A tile one of whose inputs lies beyond the ends takes the inputs of a span from a buffer,
// which is filled with boundaries resolved. The sums are the same, step by step. Inputs that
// have to be converted all go through the buffer, so that each is converted once, not once per
// residue.
//
// Macros  those of cpu_vector.cl
//         TAPS          number of taps that the program is made for; 0: any number
//         LAST_ORDERS   TAPS 0: whole ORDERs of taps in the last span
//         HAS_SPANS     TAPS 0: 1 where there are as many taps as a span, or more
// Per vector of outputs: an fma for each tap, and (TILE_VECS + q - 1) / TILE_VECS loads for q
// taps of a residue. A load that crosses a line takes a core a cycle, in which it does two
// fma's: here it feeds up to TILE_VECS of them. Memory: each input is read and each output
// written once; stores go past the cache. No local memory, no barrier.

#if !defined(TAPS) || !defined(LAST_ORDERS) || !defined(HAS_SPANS)
#error "TAPS, LAST_ORDERS and HAS_SPANS must be defined"
#endif

// Measured with PoCL 3.1 on two cores with AVX-512, not idle, 2026-11-21, f32. The share of the
// bound: a memcpy of the arrays, or as many fma's on registers, whichever takes longer, divided
// by the kernel's processor time. Medians of 7 to 9 interleaved rounds.
//   taps                         3     9    15    17    33    65    79    90   129   180   225
//   TILE_VECS 8               0.90  0.90  0.72  0.71  0.55  0.67  0.72  0.74  0.76  0.86  0.81
//   TILE_VECS 10              0.91  0.91  0.77  0.74  0.60  0.72  0.75  0.78  0.82  0.90  0.91
//   TILE_VECS 12              0.88  0.86  0.75  0.73  0.58  0.72  0.77  0.79  0.78  0.88  0.89
//   not unrolled over taps    0.91  0.73  0.59                          0.68  0.74  0.82  0.76
//   TILE_VECS 12, no prefetch 0.84  0.78        0.69  0.52
// With a program for each number of taps: 65 taps 0.69, 79 taps 0.69. 513 taps with one window
// that slides over all of a residue: TILE_VECS 8 0.82, 10 0.91; by spans, in another run: 513
// taps 0.86, 1025 taps 0.88, 4097 taps 0.86.

#define HELD ((TAPS ? (TAPS - 1) / ORDER : LAST_ORDERS) + 1) // taps of a residue, at most
#define MOST (HAS_SPANS ? SPAN_ORDERS : HELD)

// Adds `count` taps g[0], g[ORDER] ... of one residue. `count` is a constant.
static __attribute__((always_inline)) void residue(calc_vec *a, operands p,
                                                   global const TAP_T *g, const int count)
{
    calc_vec v[TILE_VECS + MOST - 1];
    #pragma unroll
    for (int i = 0; i < TILE_VECS - 1; i++)
        v[i] = load(p + i * VEC_N);
    #pragma unroll
    for (int q = 0; q < count; q++) {
        v[q + TILE_VECS - 1] = load(p + (q + TILE_VECS - 1) * VEC_N);
        const tap w = tap_of(g[q * ORDER]);
        #pragma unroll
        for (int i = 0; i < TILE_VECS; i++)
            a[i] = STEP_OF(w, v[q + i], a[i]);
    }
}

// Adds a span of `count` taps.
static void span_of(calc_vec *a, operands p, global const TAP_T *g, uint count)
{
#if TAPS
    #pragma unroll
    for (int r = 0; r < TAPS % ORDER; r++)
        residue(a, p + r * COMPONENTS, g + r, TAPS / ORDER + 1);
#if TAPS >= ORDER
    #pragma unroll
    for (int r = TAPS % ORDER; r < ORDER; r++)
        residue(a, p + r * COMPONENTS, g + r, TAPS / ORDER);
#endif
#else
#if HAS_SPANS
    if (count == SPAN) {
        for (uint r = 0; r < ORDER; r++)
            residue(a, p + r * COMPONENTS, g + r, SPAN_ORDERS);
        return;
    }
#endif
    for (uint r = 0; r < count % ORDER; r++)
        residue(a, p + r * COMPONENTS, g + r, LAST_ORDERS + 1);
#if LAST_ORDERS
    for (uint r = count % ORDER; r < ORDER; r++)
        residue(a, p + r * COMPONENTS, g + r, LAST_ORDERS);
#endif
#endif
}

#if IS_DIRECT
// The same, with inputs from a buffer.
static void span_resolved(calc_vec *a, const CALC_T *buffer, global const TAP_T *g, uint count)
{
    for (uint r = 0; r < ORDER; r++)
        for (uint k = r; k < count; k += ORDER) {
            const tap w = tap_of(g[k]);
            #pragma unroll
            for (uint i = 0; i < TILE_VECS; i++)
                a[i] = STEP_OF(w, LOAD_CALC(buffer + k * COMPONENTS + i * VEC_N), a[i]);
        }
}
#endif

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *restrict before,
                global const TAP_T *restrict taps, global OUT_T *restrict out,
                const struct arguments g)
{
    const struct share r = find_share(x, before, taps, out, &g);
    for (long e = r.begin; e < r.end; e += OUTPUTS) {
        calc_vec a[TILE_VECS];
        #pragma unroll
        for (int i = 0; i < TILE_VECS; i++)
            a[i] = (calc_vec)(0);
        for (uint b = 0; b < g.taps; b += SPAN) {
            const uint count = min((uint)SPAN, g.taps - b);
            const long j = e + g.origin + b, past = j + OUTPUTS + count - 1;
            CALC_T buffer[(OUTPUTS + SPAN) * COMPONENTS];
            prefetch_tile(r.x, j);
#if IS_DIRECT
            if (j >= 0 && past <= (long)g.n) {
                span_of(a, (global const PART_T *)(r.x + j), r.taps + b, count);
                continue;
            }
            gather(buffer, &r, &g, j, past);
            span_resolved(a, buffer, r.taps + b, count);
#else
            gather(buffer, &r, &g, j, past);
            span_of(a, buffer, r.taps + b, count);
#endif
        }
        store_tile(&r, a, e, &g);
    }
}
