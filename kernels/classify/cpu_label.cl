// SPDX-License-Identifier: Apache-2.0
//
// classify on CPU devices: the labels of STEP elements side by side, for all methods but HASH
// (cpu_cases.cl) and BITS, which CPU devices do not use. Loops
// over single elements become vectors, as in cpu_search.cl.
//
// Macros  HAS_MAP         SEARCH: 1: the label of a class is in a map
//         PLACE_IS_LABEL  SEARCH: 1: the place is the label, of NaNs, too
//         RUNS            TABLE: runs of bits in the index
//
// Defines label_step(). For each element it takes, beside the place, one gather of 4 bytes (a
// map or a table) and about four operations; RUNS * 3 operations for an index. CHAIN takes
// three operations for each case and no gather.

#if METHOD == METHOD_SEARCH
#if !defined(HAS_MAP) || !defined(PLACE_IS_LABEL)
#error "HAS_MAP and PLACE_IS_LABEL must be defined"
#endif

static void label_step(uint *restrict label, const KEY_T *restrict v,
                       const struct held *restrict held,
                       global const uint *restrict tables,
                       const struct arguments *restrict g)
{
    place_step(label, v, held, tables, g);
#if !PLACE_IS_LABEL
    global const uint *map = tables + g->labels_at;
    #pragma clang loop vectorize_width(VEC_N) interleave_count(4)
    for (int i = 0; i < STEP; i++) {
        uint class = label[i] - g->first_class;
#if IS_FLOAT
        class = v[i] != v[i] ? g->nan_class : class;
#endif
        const bool is_class = class < g->classes;
#if HAS_MAP
        class = map[is_class ? (int)class : 0];
#endif
        label[i] = is_class ? class : REJECT;
    }
#endif
}

#elif METHOD == METHOD_TABLE
#ifndef RUNS
#error "RUNS must be defined"
#endif

static void label_step(uint *restrict label, const KEY_T *restrict v,
                       const struct held *restrict held,
                       global const uint *restrict tables,
                       const struct arguments *restrict g)
{
    global const uint *table = tables + g->labels_at;
    #pragma clang loop vectorize_width(VEC_N) interleave_count(4)
    for (int i = 0; i < STEP; i++) {
        const BITS_T bits = BITS(v[i]);
        uint index = 0;
        #pragma unroll
        for (int r = 0; r < RUNS; r++)
            index |= (uint)(bits >> tables[2 * r]) & tables[2 * r + 1];
        label[i] = table[(int)index];
    }
}

#elif METHOD == METHOD_CHAIN

// From the last case to the first: each that matches replaces the label so far. A vector of
// elements stays in registers while the cases are read.
static void label_step(uint *restrict label, const KEY_T *restrict v,
                       const struct held *restrict held,
                       global const uint *restrict tables,
                       const struct arguments *restrict g)
{
    typedef JOIN_NAMES(BITS_T, VEC_N) bits_vec;
    global const BITS_T *masks = (global const BITS_T *)tables, *values = masks + g->n;
    global const uint *labels = tables + g->labels_at;
    bits_vec bits[STEP / VEC_N], to[STEP / VEC_N];
    #pragma unroll
    for (int i = 0; i < STEP / VEC_N; i++) {
        bits[i] = ((const bits_vec *)v)[i];
        to[i] = labels[g->n];
    }
    for (uint k = g->n; k-- > 0;) {
        const bits_vec mask = masks[k], value = values[k], its = labels[k];
        #pragma unroll
        for (int i = 0; i < STEP / VEC_N; i++)
            to[i] = (bits[i] & mask) == value ? its : to[i];
    }
    #pragma unroll
    for (int i = 0; i < STEP / VEC_N; i++)
        ((uint_vec *)label)[i] = JOIN_NAMES(convert_uint, VEC_N)(to[i]);
}

#elif METHOD != METHOD_HASH // cpu_cases.cl
#error "METHOD is no method"
#endif
