// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on CPUs: the sums of a tile of cpu_matrix, whose file draws it, from the inputs in
// its buffer. There are two ways, which add the same taps in the same order:
//
//     add_taps()       vectors of sums side by side; each loads what a tap meets
//     add_residues()   vectors that lie as far apart as the inputs of taps k and k + ORDER: what
//                      is loaded for one vector serves the next tap of the one before
//
//     pitch 1, ORDER 4      inputs   | v0 | v1 | v2 | v3 | v4 |     a vector every ORDER lines
//     tap k                            a0 + a1 + a2
//     tap k + 4                             a0 + a1 + a2
//
// A load that crosses a line takes a core a cycle, in which it does two fma's: so the second way
// is up to twice as fast where lines are no whole vectors.
//
// Macros  those of cpu_vector.cl
//         WINDOW      vectors of sums that add_residues() has in registers
//         LANE_TAPS   1: the filter has taps for each row, so that lanes which are rows have
//                     taps of their own

#if !defined(WINDOW) || !defined(LANE_TAPS)
#error "WINDOW and LANE_TAPS must be defined"
#endif

// Tap k of the OUTPUTS sums from group * OUTPUTS on meets the inputs at
// buffer[group * apart + places[group * line + k * tap]].
struct access {
    const CALC_T *buffer;
    const ushort *places;
    uint apart, line, tap;
};

// What taps are read from: the buffer of taps, or, with rows of taps, vectors for the lanes of
// a tile. Its pitch is then TAP_VECS vectors, or a power of two below.
#if LANE_TAPS
#define TAP_VECS 2
#if TILE_VECS % TAP_VECS != 0
#error "vectors of outputs would begin with any lane"
#endif
#if TAP_TYPE == C32
typedef tap lane_tap;
#else
typedef calc_vec lane_tap;
#endif
typedef const lane_tap *tap_source;
#define TAP(taps, k, i) (taps)[(k) * TAP_VECS + (i) % TAP_VECS]

// `count` taps of `rows` rows, for lanes of which each pitch-th has the same row.
static void fill_taps(lane_tap *to, global const TAP_T *taps, ulong row, uint rows, uint pitch,
                      uint count)
{
    if (rows == 1)
        for (uint k = 0; k < count; k++)
            for (uint i = 0; i < TAP_VECS; i++)
#if TAP_TYPE == C32
                to[k * TAP_VECS + i] = tap_of(taps[k]);
#else
                to[k * TAP_VECS + i] = (calc_vec)(tap_of(taps[k]));
#endif
    else
        for (uint lane = 0; lane < TAP_VECS * ORDER; lane++)
            for (uint k = 0; k < count && lane % pitch < rows; k++) {
                lane_tap *w = to + k * TAP_VECS + lane / ORDER;
                const uint at = lane % ORDER * COMPONENTS;
                const TAP_T h = taps[lane % pitch * row + k];
#if TAP_TYPE == C32
                put((CALC_T *)&w->re + at, (float2)(h.x, h.x));
                put((CALC_T *)&w->im + at, (float2)(-h.y, h.y));
#else
                for (uint c = 0; c < COMPONENTS; c++)
                    ((CALC_T *)w)[at + c] = (CALC_T)h;
#endif
            }
}
#else
typedef global const TAP_T *tap_source;
#define TAP(taps, k, i) tap_of((taps)[k])
#endif

// Adds `count` taps to `all` sums, which begin at zero if `is_first`.
static void add_taps(CALC_T *sums, struct access x, tap_source taps, uint count, uint all,
                     bool is_first)
{
    for (uint e = 0; e < all; e += OUTPUTS, x.buffer += x.apart, x.places += x.line) {
        CALC_T *s = sums + e * COMPONENTS;
        calc_vec a[TILE_VECS];
        #pragma unroll
        for (int i = 0; i < TILE_VECS; i++)
            a[i] = is_first ? (calc_vec)(0) : LOAD_CALC(s + i * VEC_N);
        for (uint residue = 0; residue < min(count, (uint)ORDER); residue++)
            for (uint k = residue; k < count; k += ORDER) {
                const CALC_T *v = x.buffer + x.places[k * x.tap];
                #pragma unroll
                for (int i = 0; i < TILE_VECS; i++)
                    a[i] = STEP_OF(TAP(taps, k, i), LOAD_CALC(v + i * VEC_N), a[i]);
            }
        #pragma unroll
        for (int i = 0; i < TILE_VECS; i++)
            *(unaligned_calc_vec *)(s + i * VEC_N) = a[i];
    }
}

// The same by windows of vectors that lie ORDER * tap_apart elements apart; inputs of
// neighbouring taps are `tap_apart` elements apart. Returns how many sums it took: those of whole
// windows.
//
// PoCL 3.1, one core with AVX-512, 2026-11-27, 14 calls of maps with 30 to 711 taps, geometric
// mean of the times against WINDOW 8, AT_ONCE 4: 10 and 4 1.07, 12 and 4 0.96, 8 and 8 1.02, 10
// and 2 0.96; single calls vary by 0.6 to 1.5 from run to run.
#define AT_ONCE 4 // taps of a residue
#define ADD_TAP(q)                                                          \
    {                                                                       \
        v[(q) + WINDOW - 1] = LOAD_CALC(p + ((q) + WINDOW - 1) * apart * COMPONENTS); \
        _Pragma("unroll") for (int i = 0; i < WINDOW; i++)                  \
            a[i] = STEP_OF(TAP(taps, k + (q) * ORDER, e), v[(q) + i], a[i]); \
    }
static uint add_residues(CALC_T *sums, const CALC_T *buffer, uint tap_apart, tap_source taps,
                         uint count, uint all, bool is_first)
{
    const uint apart = ORDER * tap_apart, windows = all / (apart * WINDOW);
    for (uint window = 0; window < windows; window++)
        for (uint e = 0; e < tap_apart; e++) { // a vector
            const uint at = (window * WINDOW * tap_apart + e) * VEC_N;
            CALC_T *s = sums + at;
            calc_vec a[WINDOW];
            #pragma unroll
            for (int i = 0; i < WINDOW; i++)
                a[i] = is_first ? (calc_vec)(0) : LOAD_CALC(s + i * apart * COMPONENTS);
            for (uint residue = 0; residue < min(count, (uint)ORDER); residue++) {
                const CALC_T *p = buffer + at + residue * tap_apart * COMPONENTS;
                calc_vec v[WINDOW + AT_ONCE - 1];
                #pragma unroll
                for (int i = 0; i < WINDOW - 1; i++)
                    v[i] = LOAD_CALC(p + i * apart * COMPONENTS);
                uint k = residue;
                for (; k + (AT_ONCE - 1) * ORDER < count; k += AT_ONCE * ORDER) {
                    #pragma unroll
                    for (int q = 0; q < AT_ONCE; q++)
                        ADD_TAP(q)
                    #pragma unroll
                    for (int i = 0; i < WINDOW - 1; i++)
                        v[i] = v[i + AT_ONCE];
                    p += AT_ONCE * apart * COMPONENTS;
                }
                for (; k < count; k += ORDER, p += apart * COMPONENTS) {
                    ADD_TAP(0)
                    #pragma unroll
                    for (int i = 0; i < WINDOW - 1; i++)
                        v[i] = v[i + 1];
                }
            }
            #pragma unroll
            for (int i = 0; i < WINDOW; i++)
                *(unaligned_calc_vec *)(s + i * apart * COMPONENTS) = a[i];
        }
    return windows * WINDOW * apart;
}
