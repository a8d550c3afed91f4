// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, cpu_residues: CPU devices, stride 1 everywhere, taps side by side.
//
// An item is a group and takes a contiguous share of a row in tiles of TILE vectors of N. Taps
// whose numbers differ by ORDER meet the same shifted vectors, one vector further on: what is
// loaded for one tap serves all taps of its residue r (drawn for N = ORDER = 4, TILE = 3, taps
// r, r + 4, r + 8):
//
//     inputs from j + r on   | v0 | v1 | v2 | v3 | v4 |       a load begins anywhere in a line
//     tap r                    a0 + a1 + a2
//     tap r + 4                     a0 + a1 + a2
//     tap r + 8                          a0 + a1 + a2
//
// So a load, of which a core does one in a cycle where it crosses lines, feeds TILE fma's, of
// which it does two. The loops over vectors and over the taps of a residue are unrolled: a
// program is made for a number of taps below SHORT, else for the whole ORDERs that the last
// span has. More taps than SPAN are taken span by span: what a tile reads stays in the nearest
// cache.
//
//     a row of out   | - - - 0 1 2 | tile | tile | ... | tile | n-1 - - - |
//                    tiles begin on lines of the cache; outputs of the first and the last
//                    tile that are not the share's are computed and left alone
//
// A tile one of whose inputs lies beyond the ends takes the span's inputs from a buffer that
// is filled with the boundary resolved; the sums are the same, step by step. Inputs that have
// to be converted all go through the buffer, so that each is converted once, not once per
// residue. No local memory.
//
// SHAPE  bits 0-4 taps, where below SHORT (32); 5-8 whole ORDERs in the last span; 9 more than
//        a span; 10 integers: the sums fit a double, 11 a float: their arithmetic is exact

// PoCL 3.1, two cores with AVX-512 that others used too, 2026-11-21, f32, processor time of
// the larger of a memcpy of the arrays and of as many fma's on registers in parts of which the
// kernel takes, medians of 7 to 9 interleaved rounds:
//     taps                       3     9    15    17    33    65    79    90   129   180   225
//     TILE 8                  0.90  0.90  0.72  0.71  0.55  0.67  0.72  0.74  0.76  0.86  0.81
//     TILE 10                 0.91  0.91  0.77  0.74  0.60  0.72  0.75  0.78  0.82  0.90  0.91
//     TILE 12                 0.88  0.86  0.75  0.73  0.58  0.72  0.77  0.79  0.78  0.88  0.89
//     not unrolled over taps  0.91  0.73  0.59                          0.68  0.74  0.82  0.76
//     TILE 12, none ahead     0.84  0.78        0.69  0.52
// A program for each number of taps: 65 taps 0.69, 79 taps 0.69. 513 taps, one window sliding
// over all of a residue: TILE 8 0.82, 10 0.91; by spans, in another run, 0.86, and 0.88 at 1025
// taps, 0.86 at 4097.

#define TAPS    (SHAPE & 31)
#define FULL    (SHAPE >> 5 & 15)
#define IS_LONG (SHAPE >> 9 & 1)

#define HELD ((TAPS ? (TAPS - 1) / ORDER : FULL) + 1) // taps of a residue, at most
#define MOST (IS_LONG ? SPAN / ORDER : HELD)

// The taps g, g + ORDER ... of one residue, `count` of them, a constant.
static __attribute__((always_inline)) void residue(a_vector *a, operands p, global const H *g,
                                                   const int count)
{
    a_vector v[TILE + MOST - 1];
    #pragma unroll
    for (int i = 0; i < TILE - 1; i++)
        v[i] = load(p + i * N);
    #pragma unroll
    for (int q = 0; q < count; q++) {
        v[q + TILE - 1] = load(p + (q + TILE - 1) * N);
        const tap w = tap_of(g[q * ORDER]);
        #pragma unroll
        for (int i = 0; i < TILE; i++)
            a[i] = STEP_OF(w, v[q + i], a[i]);
    }
}

// A span of `count` taps.
static void span_of(a_vector *a, operands p, global const H *g, uint count)
{
#if TAPS
    #pragma unroll
    for (int r = 0; r < TAPS % ORDER; r++)
        residue(a, p + r * PARTS, g + r, TAPS / ORDER + 1);
#if TAPS >= ORDER
    #pragma unroll
    for (int r = TAPS % ORDER; r < ORDER; r++)
        residue(a, p + r * PARTS, g + r, TAPS / ORDER);
#endif
#else
#if IS_LONG
    if (count == SPAN) {
        for (uint r = 0; r < ORDER; r++)
            residue(a, p + r * PARTS, g + r, SPAN / ORDER);
        return;
    }
#endif
    for (uint r = 0; r < count % ORDER; r++)
        residue(a, p + r * PARTS, g + r, FULL + 1);
#if FULL
    for (uint r = count % ORDER; r < ORDER; r++)
        residue(a, p + r * PARTS, g + r, FULL);
#endif
#endif
}

#if IS_DIRECT
// The same from a buffer.
static void span_resolved(a_vector *a, const A *buffer, global const H *g, uint count)
{
    for (uint r = 0; r < ORDER; r++)
        for (uint k = r; k < count; k += ORDER) {
            const tap w = tap_of(g[k]);
            #pragma unroll
            for (uint i = 0; i < TILE; i++)
                a[i] = STEP_OF(w, *(const a_anywhere *)(buffer + k * PARTS + i * N), a[i]);
        }
}
#endif

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void convolve1d(global const T *restrict x, global const T *restrict before,
                global const H *restrict taps, global U *restrict out, const struct arguments g)
{
    const struct share r = find_share(x, before, taps, out, &g);
    for (long e = r.begin; e < r.end; e += OUTPUTS) {
        a_vector a[TILE];
        #pragma unroll
        for (int i = 0; i < TILE; i++)
            a[i] = (a_vector)(0);
        for (uint b = 0; b < g.taps; b += SPAN) {
            const uint count = min((uint)SPAN, g.taps - b);
            const long j = e + g.lo + b, past = j + OUTPUTS + count - 1;
            A buffer[(OUTPUTS + SPAN) * PARTS];
            ask_ahead(r.x, j);
#if IS_DIRECT
            if (j >= 0 && past <= (long)g.n) {
                span_of(a, (global const P *)(r.x + j), r.taps + b, count);
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
