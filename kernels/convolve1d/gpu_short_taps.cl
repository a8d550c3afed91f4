// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_short_taps: a few taps, on GPUs; contiguous elements, stride and dilation 1.
//
// Each item computes ITEM_OUTPUTS contiguous outputs from the vectors of x that hold what they
// need. Items share nothing: vectors that neighbours read, too, come from the cache.
//
//     x        | - - 0 1 | 2 3 4 5 | 6 7 8 9 |     ITEM_OUTPUTS = 4, TAPS = 5, shift = 2:
//     item 0         ^ ^   ^ ^ ^ ^   ^ ^           three vectors
//     out            | 0 1 2 3 |                   one vector
//
// `shift`, where in a vector the inputs begin, is the same for all groups of a row. The kernel
// has a copy of the sums for each shift, so that all indices of registers are constants. Groups
// in which some input lies beyond the ends load what they need into local memory first, and
// have one more copy of the sums.
//
// Macros   those of gpu_tile.cl
//          TAPS   number of taps
// Barriers one, in groups at the ends, reached by all items of such a group: inputs are loaded
// Per output: TAPS ADDs. A group reads TILE + TAPS - 1 inputs and writes TILE outputs, each
// once to and from memory; an item loads VECS_FROM(shift) vectors for ITEM_VECS vectors of
// outputs.
// Local memory: the inputs of a group, in groups at the ends only.

#ifndef TAPS
#error "TAPS must be defined"
#endif
#if TAPS < 1
#error "TAPS must be at least 1"
#endif

#define ITEM_INPUTS      (ITEM_OUTPUTS + TAPS - 1)
#define VECS_FROM(shift) (((shift) + ITEM_INPUTS + VEC_N - 1) / VEC_N)
#define EDGE_VECS        ((TILE + TAPS - 1 + VEC_N - 1) / VEC_N)

struct taps {
    TAP_T g[TAPS];
};

// Adds to each of the sums its products with all taps. Output 0's first input is inputs[0].
#define SUM_UP(sums, taps, inputs)                                        \
    _Pragma("unroll") for (int k = 0; k < TAPS; k++)                      \
    {                                                                     \
        const TAP_T tap = (taps).g[k];                                    \
        _Pragma("unroll") for (int o = 0; o < ITEM_OUTPUTS; o++)          \
            (sums)[o] = ADD((sums)[o], tap, (inputs)[k + o]);             \
    }

// The sums of inputs that begin `shift` elements behind vector 0 of `from`.
#define CASE(sums, taps, from, shift)                                 \
    case shift: {                                                     \
        OPERAND v[VECS_FROM(shift) * VEC_N];                          \
        _Pragma("unroll") for (int b = 0; b < VECS_FROM(shift); b++)  \
        {                                                             \
            const vec16 t = unpack(load_vec(from, b));                \
            _Pragma("unroll") for (int u = 0; u < VEC_N; u++)         \
                v[b * VEC_N + u] = ELEMENT(t, u);                     \
        }                                                             \
        SUM_UP(sums, taps, v + (shift))                               \
        break;                                                        \
    }

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *restrict before,
                const struct taps h, global OUT_T *restrict out, const struct arguments g)
{
    local vec16 edge[EDGE_VECS];
    const uint item = get_local_id(0);
    uint slot;
    const struct phase s = find_phase(x, out, &g, true, &slot);
    const long first = (long)slot * TILE - s.skew;
    const struct inputs in = find_inputs(&s, &g, first, EDGE_VECS * VEC_N);
    const uint low = (uint)(size_t)in.x, shift = low / BYTES % VEC_N;
    // The vectors that items load may begin before the first input and end behind the last.
    const bool is_inside =
        in.j >= VEC_N && in.j + (long)(TILE + TAPS - 1 + 2 * VEC_N) <= (long)g.n;

    SUM_T sums[ITEM_OUTPUTS];
    #pragma unroll
    for (int o = 0; o < ITEM_OUTPUTS; o++)
        sums[o] = 0;
    if (is_inside && s.in_step == 1 && low % BYTES == 0) {
        global const in_vec *p = (global const in_vec *)(in.x - shift) + item * ITEM_VECS;
        switch (shift) {
            CASE(sums, h, p, 0)
            CASE(sums, h, p, 1)
#if VEC_N > 2
            CASE(sums, h, p, 2)
            CASE(sums, h, p, 3)
#endif
        }
    } else {
        fill_tile(edge, EDGE_VECS, &in, before, &s, &g, item);
        barrier(CLK_LOCAL_MEM_FENCE);
        local const OPERAND *v = (local const OPERAND *)edge + item * ITEM_OUTPUTS;
        SUM_UP(sums, h, v)
    }

    const long i = first + item * ITEM_OUTPUTS;
    if (s.by_vectors && i >= 0 && i + ITEM_OUTPUTS <= s.outputs) {
        global out_vec *p = (global out_vec *)(s.out + i);
        #pragma unroll
        for (int q = 0; q < ITEM_VECS; q++)
            p[q] = pack(sums + q * VEC_N, g.shift);
    } else {
        #pragma unroll
        for (int o = 0; o < ITEM_OUTPUTS; o++)
            if (i + o >= 0 && i + o < s.outputs)
                STORE(s.out, (i + o) * s.out_step, sums[o], g.shift);
    }
}
