// SPDX-License-Identifier: Apache-2.0
//
// classify on CPU devices: the places of STEP elements side by side, by the tables that
// search.cl describes. Loops over single elements become vectors, because their bodies have no
// branch and no loop that is not unrolled. Gathers have 32 or 64 bits and a signed index:
// processors have no others. With interleave_count 4 they are up to 1.15 times as fast as with
// 1 or 2 (PoCL 3.1, AVX-512, 2026-11-21, 255 and 4095 keys).
//
// Gathers of an element: COMPARE_ALL none, TREE and BINARY LEVELS - 4, INTERPOLATE one, GRID
// and RADIX LEVELS (of 8 bytes, then of 4), with keys of 64 bits LEVELS + 1. Operations: two to
// four for each level.
//
// Needs cpu_held.cl. Macros  those of search.cl
//
// Defines place_step()   the places of STEP elements; of a NaN the one behind all keys

#if METHOD == METHOD_SEARCH
// Where keys have 32 bits, each cell's start and the key of its first halving stand as one
// number of 64 bits behind the starts: one gather instead of two. PoCL 3.1, AVX-512,
// 2026-11-21, 2^26 of f32, a memcpy's processor time over that of the kernel, means of two
// runs:
//                     255 evenly   1023 evenly   4095 evenly   4095 by powers   1023 clustered
//     one by one      0.43         0.50          0.48          0.48             0.44
//     in pairs        0.54         0.59          0.59          0.57             0.57
#define IN_PAIR (BYTES < 8) // halvings that the pair serves
#if IS_FLOAT
#define AS_KEY(bits) as_float(bits)
#else
#define AS_KEY(bits) ((KEY_T)(bits))
#endif

// How many keys are <= each element; all of them for a NaN.
static void place_step(uint *restrict p, const KEY_T *restrict v,
                       const struct held *restrict held, global const uint *restrict tables,
                       const struct arguments *restrict g)
{
    global const KEY_T *keys = (global const KEY_T *)(tables + g->index_at);
#if SEARCH_METHOD == SEARCH_COMPARE_ALL
    descend_step(p, v, held);
#if KEYS + 1 < 1 << HELD
    #pragma unroll
    for (int i = 0; i < STEP / VEC_N; i++)
        ((uint_vec *)p)[i] = min(((uint_vec *)p)[i], (uint_vec)KEYS);
#endif
#elif SEARCH_METHOD == SEARCH_TREE
    descend_step(p, v, held);
    #pragma clang loop vectorize_width(VEC_N) interleave_count(4)
    for (int i = 0; i < STEP; i++) {
        int node = (int)p[i] + (1 << HELD);
        #pragma unroll
        for (int level = HELD; level < LEVELS; level++)
            node = 2 * node + (v[i] < keys[node] ? 0 : 1);
        p[i] = min((uint)node - (1u << LEVELS), g->n);
    }
#elif SEARCH_METHOD == SEARCH_BINARY
    descend_step(p, v, held);
    #pragma clang loop vectorize_width(VEC_N) interleave_count(4)
    for (int i = 0; i < STEP; i++) {
        int q = (int)p[i] << (LEVELS - HELD);
        #pragma unroll
        for (int level = LEVELS - HELD - 1; level >= 0; level--) {
            const int k = q + (1 << level) - 1, n = held->n[i];
            const KEY_T key = held->keys[held->at[i] + min(k, (int)g->n - 1)];
            q += ((k < n) & !(v[i] < key)) ? 1 << level : 0;
        }
        p[i] = (uint)min(q, held->n[i]);
    }
#elif SEARCH_METHOD == SEARCH_INTERPOLATE
    struct row_constants constants;
    load_row(&constants, 0, tables, tables, g);
    // Keys are compared in doubt or not: a vector reads them whether one is needed or all.
    #pragma clang loop vectorize_width(VEC_N) interleave_count(4)
    for (int i = 0; i < STEP; i++) {
        const int k = (int)number_of(sum_of(v[i], &constants)) - 1;
        p[i] = (uint)(k + (v[i] < keys[k] ? 0 : 1));
    }
#else
    const uint key_count = g->n + (1u << LEVELS) - 1, start_words = (g->cells + 1) / 2;
#if BYTES < 8
    const uint before = key_count + start_words;
    global const ulong *pairs =
        (global const ulong *)(tables + g->index_at + before + before % 2);
#else
    global const uint *starts = (global const uint *)(keys + key_count);
#endif
    #pragma clang loop vectorize_width(VEC_N) interleave_count(4)
    for (int i = 0; i < STEP; i++) {
        const int cell = (int)cell_of(v[i], g);
#if BYTES < 8
        const ulong pair = pairs[cell];
        int q = (int)(pair >> 32) + (v[i] < AS_KEY((uint)pair) ? 0 : 1 << (LEVELS - 1));
#else
        int q = (int)(starts[cell >> 1] >> 16 * (cell & 1) & 0xffff);
#endif
        #pragma unroll
        for (int level = LEVELS - 1 - IN_PAIR; level >= 0; level--)
            q += v[i] < keys[q + (1 << level) - 1] ? 0 : 1 << level;
#if IS_FLOAT && SEARCH_METHOD == SEARCH_RADIX // in the order of bits NaNs are at both ends
        q = v[i] != v[i] ? (int)g->n : q;
#endif
        p[i] = min((uint)q, g->n);
    }
#endif
}
#endif
