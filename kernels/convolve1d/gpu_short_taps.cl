// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_short_taps: a few taps, on GPUs; side by side in memory, step and dilation 1.
//
// Each item computes R contiguous outputs from the words of x that hold what they need. Nobody
// shares anything: words that neighbours read too come from the cache.
//
//     x        | - - 0 1 | 2 3 4 5 | 6 7 8 9 |     R = 4, 5 taps, SHIFT = 2: three words
//     item 0         ^ ^   ^ ^ ^ ^   ^ ^
//     out            | 0 1 2 3 |                   one word
//
// SHIFT, where in a word the inputs begin, is the same for the whole launch (of one row): there
// is a copy of the sums for each. Groups in which some input lies beyond the ends put what they
// need into local memory first, and have a copy of the sums for that.
//
// Macros   SHAPE  K taps (see convolve1d/gpu_tile.cl)
// Barriers one, in groups at the ends, reached by all of their items.
// Local memory: the inputs of a group, for those alone.

#define K (SHAPE % 512)
#if K < 1
#error "SHAPE names no taps"
#endif

#define INPUTS            (R + K - 1) // of an item
#define WORDS_FROM(shift) (((shift) + INPUTS + VEC - 1) / VEC)
#define EDGE_WORDS        ((TILE + K - 1 + VEC - 1) / VEC)

struct taps {
    H g[K];
};

// The sums over inputs from v[shift] on.
#define SUM_UP(v, shift)                                         \
    _Pragma("unroll") for (int k = 0; k < K; k++)                \
    {                                                            \
        const H tap = h.g[k];                                    \
        _Pragma("unroll") for (int j = 0; j < R; j++)            \
            sums[j] = ADD(sums[j], tap, v[(shift) + k + j]);     \
    }

#define CASE(shift)                                                   \
    case shift: {                                                     \
        W v[WORDS_FROM(shift) * VEC];                                 \
        _Pragma("unroll") for (int b = 0; b < WORDS_FROM(shift); b++) \
        {                                                             \
            const word t = unpack(load_word(p, b));                   \
            _Pragma("unroll") for (int u = 0; u < VEC; u++)           \
                v[b * VEC + u] = PART(t, u);                          \
        }                                                             \
        SUM_UP(v, shift)                                              \
        break;                                                        \
    }

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const T *restrict x, global const T *restrict before,
                const struct taps h, global U *restrict out, const struct arguments g)
{
    local word edge[EDGE_WORDS];
    const uint item = get_local_id(0);
    uint slot;
    const struct strand s = find_strand(x, out, &g, true, &slot);
    const long first = (long)slot * TILE - s.skew;
    const struct inputs in = find_inputs(&s, &g, first, EDGE_WORDS * VEC);
    const uint low = (uint)(size_t)in.x, shift = low / BYTES % VEC;
    // Words reach out a little, to both sides.
    const bool is_inside = in.j >= VEC && in.j + (long)(TILE + K - 1 + 2 * VEC) <= (long)g.n;

    S sums[R];
    #pragma unroll
    for (int j = 0; j < R; j++)
        sums[j] = 0;
    if (is_inside && s.in_step == 1 && low % BYTES == 0) {
        global const raw_in *p = (global const raw_in *)(in.x - shift) + item * ITS_WORDS;
        switch (shift) {
            CASE(0)
            CASE(1)
#if VEC > 2
            CASE(2)
            CASE(3)
#endif
        }
    } else {
        fill_tile(edge, EDGE_WORDS, &in, before, &s, &g, item);
        barrier(CLK_LOCAL_MEM_FENCE);
        local const W *v = (local const W *)edge + item * R;
        SUM_UP(v, 0)
    }

    const long i = first + item * R;
    if (s.by_words && i >= 0 && i + R <= s.outputs) {
        global raw_out *p = (global raw_out *)(s.out + i);
        #pragma unroll
        for (int q = 0; q < ITS_WORDS; q++)
            p[q] = pack(sums + q * VEC, g.shift);
    } else {
        #pragma unroll
        for (int j = 0; j < R; j++)
            if (i + j >= 0 && i + j < s.outputs)
                STORE(s.out, (i + j) * s.out_step, sums[j], g.shift);
    }
}
