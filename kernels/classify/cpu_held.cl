// SPDX-License-Identifier: Apache-2.0
//
// classify on CPU devices: keys that stay in registers, those of COMPARE_ALL and the upper levels of a
// TREE. A level of them is a choice among keys by the answers before it, which takes no load:
//
//     level 1   a = x >= key[1]
//     level 2   b = x >= the one of key[2] and key[3] that a chooses
//     level 3   c = x >= the one of key[4] ... key[7] that a and b choose
//     level 4   d = x >= the one of key[8] ... key[15] that a, b and c choose
//
// With AVX2 and without AVX-512 a register has eight keys, all of a level, and one instruction chooses
// among them by the answers as a number. PoCL 3.1, both cores of an AMD EPYC, 2026-11-30, 2^26 of f32,
// us by choices and so: 7 keys 24 901 21 998, 15 keys 39 128 26 722.
//
// BINARY, for keys of each row's own, halves among 2^LEVELS - 1 keys in ascending order. The
// first four levels are in registers, too. Where a block has several rows, each component of a
// vector belongs to another row and holds that row's keys; fewer rows than components recur.
//
// Macros  those of search.cl
//
// Defines STEP, VEC_N, key_vec, uint_vec, mask_vec
//         HELD           levels in registers
//         struct held    the keys in registers; hold() fills it for a row, or for the rows from
//                        it on, one to a component, perhaps in turn (by_columns)
//         descend_step() how many of them are <= each of STEP elements

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

#if METHOD == METHOD_SEARCH && \
    (SEARCH_METHOD == SEARCH_COMPARE_ALL || SEARCH_METHOD == SEARCH_TREE || \
     SEARCH_METHOD == SEARCH_BINARY)
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

#define HAS_PERMUTES 0
#if defined(__AVX2__) && !defined(__AVX512F__) && defined(__has_builtin) && BYTES < 8 && \
    HELD > 2 && SEARCH_METHOD != SEARCH_BINARY
#if __has_builtin(__builtin_ia32_permvarsf256)
#undef HAS_PERMUTES
#define HAS_PERMUTES 1
#endif
#endif

struct held {
#if HAS_PERMUTES
    float8 level[2]; // the bits of the keys of levels 3, twice, and 4
#endif
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
#if HAS_PERMUTES
    for (int i = 0; i < 8; i++) {
        ((KEY_T *)held->level)[i] = held->key[4 + i % 4].s0;
        ((KEY_T *)held->level)[8 + i] = HELD > 3 ? held->key[8 + i].s0 : (KEY_T)0;
    }
#endif
}
#endif

// How many of the keys in registers are <= each element of x.
#if HAS_PERMUTES
// The keys of these numbers.
static key_vec chosen(float8 keys, int16 numbers)
{
    union {
        float8 halves[2];
        key_vec all;
    } r = { { __builtin_ia32_permvarsf256(keys, numbers.lo),
              __builtin_ia32_permvarsf256(keys, numbers.hi) } };
    return r.all;
}

static mask_vec descend(key_vec x, const struct held *held)
{
    const key_vec *k = held->key;
    const mask_vec a = ~(x < k[1]), b = ~(x < (a ? k[3] : k[2]));
    mask_vec p = -(a + a + b); // an answer is 0 or -1
    p += p - ~(x < chosen(held->level[0], p));
#if HELD > 3
    p += p - ~(x < chosen(held->level[1], p));
#endif
    return p;
}
#else
// The answers that are known first choose first; the answer just before is the last to be waited
// for.
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
#endif

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
