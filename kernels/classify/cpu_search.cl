// SPDX-License-Identifier: Apache-2.0
//
// classify on CPU devices: the places of STEP elements side by side, by the tables that
// search.cl describes. Loops over single elements become vectors, because their bodies have no
// branch and no loop that is not unrolled. Gathers have 32 or 64 bits and a signed index:
// processors have no others. With interleave_count 4 they are up to 1.15 times as fast as with
// 1 or 2 (PoCL 3.1, AVX-512, 2026-11-21, 255 and 4095 keys).
//
// The keys of COMPARE_ALL and the upper levels of a TREE stay in registers. A level of them is
// a choice among keys by the answers before it, which takes no load:
//
//     level 1   a = x >= key[1]
//     level 2   b = x >= the one of key[2] and key[3] that a chooses
//     level 3   c = x >= the one of key[4] ... key[7] that a and b choose
//     level 4   d = x >= the one of key[8] ... key[15] that a, b and c choose
//
// BINARY, for keys of each row's own, halves among 2^LEVELS - 1 keys in ascending order. The
// first four levels are in registers, too. Where a block has several rows, each component of a
// vector belongs to another row and holds that row's keys; fewer rows than components recur.
//
// Gathers of an element: COMPARE_ALL none, TREE and BINARY LEVELS - 4, INTERPOLATE one, GRID
// and RADIX LEVELS (of 8 bytes, then of 4), with keys of 64 bits LEVELS + 1. Operations: two to
// four for each level.
//
// Macros  those of search.cl
//
// Defines struct held    the keys in registers; hold() fills it for a row, or for the rows from
//                        it on, one to a component, perhaps in turn (by_columns)
//         place_step()   the places of STEP elements; of a NaN the one behind all keys

// PoCL's first pass over a program makes no vectors yet and warns of it; its last one does.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#define STEP 64 // elements
#if BYTES == 8
#define VEC_N 8 // elements of a vector
#else
#define VEC_N 16
#endif

typedef JOIN_NAMES(KEY_T, VEC_N) key_vec;
typedef JOIN_NAMES(uint, VEC_N) uint_vec;
#if BYTES == 8
typedef long8 mask_vec; // what a comparison gives
#else
typedef int16 mask_vec;
#endif

#if METHOD != METHOD_SEARCH || \
    (SEARCH_METHOD != SEARCH_COMPARE_ALL && SEARCH_METHOD != SEARCH_TREE && \
     SEARCH_METHOD != SEARCH_BINARY)
struct held {
    int none;
};

static void hold(struct held *held, global const uint *tables, ulong row,
                 const struct arguments *g)
{
}
#endif

// ---------------------------------------------------------------- keys in registers
#if METHOD == METHOD_SEARCH
#if SEARCH_METHOD == SEARCH_COMPARE_ALL || SEARCH_METHOD == SEARCH_TREE || \
    SEARCH_METHOD == SEARCH_BINARY
#if SEARCH_METHOD != SEARCH_COMPARE_ALL
#ifndef LEVELS
#error "LEVELS must be defined"
#endif
#define HELD (LEVELS < 4 ? LEVELS : 4) // levels in registers
#else
#ifndef KEYS
#error "KEYS must be defined"
#endif
#define HELD (KEYS < 2 ? KEYS : KEYS < 4 ? 2 : KEYS < 8 ? 3 : 4)
#endif

struct held {
    key_vec key[16]; // nodes of a tree, with the numbers that TREE gives them
#if SEARCH_METHOD == SEARCH_BINARY
    global const KEY_T *keys; // of the first row
    int at[STEP], n[STEP];    // of each component's row: where its keys begin, and how many
#endif
};

#if SEARCH_METHOD == SEARCH_BINARY
static void hold(struct held *held, global const uint *tables, ulong row,
                 const struct arguments *g)
{
    const ulong first = g->row + row;
    const uint last = (uint)min(g->rows - 1 - row, (ulong)g->block_rows - 1);
    held->keys = (global const KEY_T *)tables + first * g->n;
    for (uint i = 0; i < STEP; i++) {
        const uint its = g->by_columns ? min(i % g->block_rows, last) : 0;
        held->at[i] = (int)(its * g->n);
        held->n[i] = (int)tables[g->rows_at + first + its];
    }
    for (int node = 1; node < 1 << HELD; node++) {
        const int level = 31 - clz(node), i = node - (1 << level);
        const int k = ((2 * i + 1) << (LEVELS - 1 - level)) - 1;
        KEY_T key[VEC_N];
        for (uint c = 0; c < VEC_N; c++)
            key[c] = k < held->n[c] ? held->keys[held->at[c] + k] : (KEY_T)HIGHEST;
        for (uint c = 0; c < VEC_N; c++)
            ((KEY_T *)(held->key + node))[c] = key[c];
    }
}
#else
static void hold(struct held *held, global const uint *tables, ulong row,
                 const struct arguments *g)
{
    global const KEY_T *keys = (global const KEY_T *)(tables + g->index_at);
    for (int node = 1; node < 1 << HELD; node++) {
#if SEARCH_METHOD == SEARCH_TREE
        held->key[node] = keys[node];
#else
        const int level = 31 - clz(node), i = node - (1 << level);
        const int k = ((2 * i + 1) << (HELD - 1 - level)) - 1;
        held->key[node] = k < KEYS ? keys[k] : (KEY_T)HIGHEST;
#endif
    }
}
#endif

// How many of the keys in registers are <= each element of x. The answers that are known first
// choose first; the answer just before is the last to be waited for.
static mask_vec descend(key_vec x, const struct held *held)
{
    const key_vec *k = held->key;
    mask_vec p = 0;
#if HELD > 0
    const mask_vec a = ~(x < k[1]);
    p = a ? (mask_vec)(1 << (HELD - 1)) : p;
#endif
#if HELD > 1
    const mask_vec b = ~(x < (a ? k[3] : k[2]));
    p = b ? p + (1 << (HELD - 2)) : p;
#endif
#if HELD > 2
    const key_vec c0 = a ? k[6] : k[4], c1 = a ? k[7] : k[5];
    const mask_vec c = ~(x < (b ? c1 : c0));
    p = c ? p + (1 << (HELD - 3)) : p;
#endif
#if HELD > 3
    const key_vec d0 = a ? k[12] : k[8], d1 = a ? k[13] : k[9], d2 = a ? k[14] : k[10],
                   d3 = a ? k[15] : k[11];
    const key_vec e0 = b ? d2 : d0, e1 = b ? d3 : d1;
    const mask_vec d = ~(x < (c ? e1 : e0));
    p = d ? p + 1 : p;
#endif
    return p;
}

static void descend_step(uint *restrict to, const KEY_T *restrict v,
                         const struct held *restrict held)
{
    #pragma unroll
    for (int i = 0; i < STEP / VEC_N; i++) {
        const mask_vec p = descend(((const key_vec *)v)[i], held);
        ((uint_vec *)to)[i] = JOIN_NAMES(convert_uint, VEC_N)(p);
    }
}
#endif

// ---------------------------------------------------------------- places
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
