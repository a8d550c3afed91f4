// SPDX-License-Identifier: Apache-2.0
//
// classify, baseline: binary search in any number of rows of keys, and an index of any number
// of runs. All tables are in global memory. Every element takes the same steps, so that
// neighbours stay together. Defines for label.cl what search.cl and bits.cl define for the
// other variants.
//
// An element of SEARCH takes log2 n reads that wait for one another, with four operations each;
// of TABLE two reads for each run.

#define TABLE_SPACE global
#define ALL_SPACE   global
#define HAS_MAP     (g->labels_at != 0)
#define REJECTS     1
#define NAN_IS_LAST 0
#define ALL_CLASSES 0
#define COUNT_CLASSES 0
#define FAR_MAP       0

// HASH: any number of masks, by the numbers of two tables; with one table they stand twice.
#define TABLES_LOCAL 0
#define MASKS        0
#define WAYS         2
#define BOTH_LOOKS   0
#define SIEVED       0
// BITS: any number of looks and words
#define LOOKS        0
#define CASE_WORDS   0
#define CASE_WIDTH   1

#if METHOD != METHOD_HASH && METHOD != METHOD_BITS && METHOD != METHOD_LISTS
struct row_constants {
#if METHOD == METHOD_SEARCH
    global const KEY_T *keys;
    uint n;
#elif METHOD == METHOD_TABLE
    global const uint *runs; // shift, mask
#else
    uint none;
#endif
};

static void load_row(struct row_constants *k, ulong row, ALL_SPACE const uint *all_tables,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
#if METHOD == METHOD_SEARCH
    const ulong key_row = g->rows_at ? g->row + row : 0;
    k->keys = (global const KEY_T *)all_tables + key_row * g->n;
    k->n = g->rows_at ? all_tables[g->rows_at + key_row] : g->n;
#elif METHOD == METHOD_TABLE
    k->runs = all_tables;
#endif
}
#endif

#if METHOD == METHOD_SEARCH
static uint place_of(KEY_T x, const struct row_constants *k, TABLE_SPACE const uint *tables,
                     const struct arguments *g)
{
    uint p = 0;
    for (uint step = g->n ? 1u << (31 - clz(g->n)) : 0; step; step >>= 1) {
        const uint q = p + step;
        const bool reached = (q <= k->n) & !(x < k->keys[min(q, g->n) - 1]);
        p = reached ? q : p;
    }
    return p;
}
#elif METHOD == METHOD_TABLE
static uint index_of(BITS_T bits, const struct row_constants *k, const struct arguments *g)
{
    uint index = 0;
    for (uint r = 0; r < g->n; r++)
        index |= (uint)(bits >> k->runs[2 * r]) & k->runs[2 * r + 1];
    return index;
}

static uint entry_of(uint index, const struct row_constants *k, global const uint *tables,
                     const struct arguments *g)
{
    return ((global const ENTRY_T *)(tables + g->labels_at))[index];
}
#endif
