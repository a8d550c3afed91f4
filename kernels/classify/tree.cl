// SPDX-License-Identifier: Apache-2.0
//
// classify: the search method TREE (search.cl). The upper two levels are in registers, the
// others are read.
//
// Macro  LEVELS  of the tree, at least 2

#if METHOD == METHOD_SEARCH && SEARCH_METHOD == SEARCH_TREE
#ifndef LEVELS
#error "LEVELS must be defined"
#endif

struct row_constants {
    KEY_T top[4]; // nodes 1, 2 and 3
};

static void load_row(struct row_constants *k, ulong row, ALL_SPACE const uint *all_tables,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
    #pragma unroll
    for (uint i = 1; i < 4; i++)
        k->top[i] = ((TABLE_SPACE const KEY_T *)(tables + g->index_at))[i];
}

static uint place_of(KEY_T x, const struct row_constants *k, TABLE_SPACE const uint *tables,
                     const struct arguments *g)
{
    TABLE_SPACE const KEY_T *nodes = (TABLE_SPACE const KEY_T *)(tables + g->index_at);
    const bool above = !(x < k->top[1]);
    const KEY_T second = above ? k->top[3] : k->top[2];
    uint node = (above ? 6 : 4) + !(x < second);
    #pragma unroll
    for (uint level = 2; level < LEVELS; level++)
        node = 2 * node + !(x < nodes[node]);
    return min(node - (1u << LEVELS), g->n);
}
#endif
