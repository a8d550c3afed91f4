// SPDX-License-Identifier: Apache-2.0
//
// classify: the search method COMPARE_ALL (search.cl). The keys are in registers.
//
// Macro  KEYS  how many; may be 0

#if METHOD == METHOD_SEARCH && SEARCH_METHOD == SEARCH_COMPARE_ALL
#ifndef KEYS
#error "KEYS must be defined"
#endif

struct row_constants {
    KEY_T key[KEYS + 1]; // one more: an array of no elements is not allowed
};

static void load_row(struct row_constants *k, ulong row, ALL_SPACE const uint *all_tables,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
    #pragma unroll
    for (uint i = 0; i < KEYS; i++)
        k->key[i] = ((TABLE_SPACE const KEY_T *)(tables + g->index_at))[i];
}

static uint place_of(KEY_T x, const struct row_constants *k, TABLE_SPACE const uint *tables,
                     const struct arguments *g)
{
    uint p = 0;
    #pragma unroll
    for (uint i = 0; i < KEYS; i++)
        p += !(x < k->key[i]);
    return p;
}
#endif
