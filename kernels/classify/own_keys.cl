// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_words: keys of each row's own (SEARCH_BINARY), as a tree. A group works on one
// row. It copies the row's keys to local memory as a tree of LEVELS levels, in the order of TREE
// (search.cl): node 1 is the middle key, and the children of node i are 2i and 2i + 1.
//
//     keys    k0 k1 k2 k3 k4 k5 k6     LEVELS 3, all 7 keys there
//     node    4  2  5  1  6  3  7
//
// A row with fewer keys has the type's largest value instead of those that it lacks. Where x
// reaches one of them, it reaches all keys. With FULL_TREE no row lacks any. A NaN reaches all
// keys: no comparison with it is true.
//
// H200, driver 580.159.04, 2026-11-30, f32 by 15 keys in each of 4096 rows, with 4 groups of 256
// to a row: 315 us, 1.00 of the bound. With 2 or 8 groups 321 and 312.
//
// A group reads its keys once and writes them to local memory. An element takes LEVELS - 2
// local reads that wait for one another, and two operations for each level. An element of 8
// bits takes one read: the group searches each of the 256 values once, and keeps their places.
// H100, driver 580.159.04, 2026-11-27, 71.7 million i8, 88 keys of each row, u8 labels: 148 us
// by the tree, 57 by places.
//
// Macros  OWN_KEYS   OWN_TREE: SEARCH_METHOD is SEARCH_BINARY, and a group has such a tree
//         LEVELS     of the tree: the longest row has less than 2^LEVELS keys
//         FULL_TREE  1: every row has 2^LEVELS - 1 keys
//
// Defines for label.cl what tree.cl defines for one row of keys, and
//         OWN_WORDS    u32 of local memory that the tree takes
//         fill_tree()  called by all items, before a barrier
//         OWN_PLACES   1: places of values are kept, in PLACE_WORDS u32 of local memory
//         fill_places()  called by all items, behind that barrier and before another

#if OWN_KEYS == OWN_TREE
#if !defined(LEVELS) || !defined(FULL_TREE)
#error "LEVELS and FULL_TREE must be defined"
#endif

#define OWN_WORDS   ((uint)sizeof(KEY_T) / 4 << LEVELS)
#define OWN_PLACES  (BYTES == 1)
#define PLACE_WORDS (OWN_PLACES ? (LEVELS > 8 ? 256 : 64) : 0)
#if LEVELS > 8
#define OWN_PLACE_T uint
#else
#define OWN_PLACE_T uchar
#endif

struct row_constants {
    local const KEY_T *nodes;
    local const OWN_PLACE_T *places; // OWN_PLACES: of the 256 values
    uint n;
    KEY_T top[4]; // nodes 1, 2 and 3
};

static uint own_keys_of(ulong row, global const uint *all_tables, const struct arguments *g)
{
    return FULL_TREE ? (1u << LEVELS) - 1 : all_tables[g->rows_at + g->row + row];
}

static void fill_tree(local KEY_T *nodes, ulong row, global const uint *all_tables,
                      const struct arguments *g)
{
    global const KEY_T *keys = (global const KEY_T *)all_tables + (g->row + row) * g->n;
    const uint n = own_keys_of(row, all_tables, g);
    for (uint node = 1 + get_local_id(0); node < 1u << LEVELS; node += WG) {
        const uint level = 31 - clz(node), nth = node - (1u << level);
        const uint k = ((2 * nth + 1) << (LEVELS - 1 - level)) - 1;
        nodes[node] = k < n ? keys[k] : (KEY_T)HIGHEST;
    }
}

static void load_own_keys(struct row_constants *k, local const KEY_T *nodes, ulong row,
                          global const uint *all_tables, const struct arguments *g)
{
    k->nodes = nodes;
    k->n = own_keys_of(row, all_tables, g);
#if LEVELS >= 2
    #pragma unroll
    for (uint i = 1; i < 4; i++)
        k->top[i] = nodes[i];
#endif
}

static uint searched(KEY_T x, const struct row_constants *k)
{
    const uint size = (uint)sizeof(KEY_T);
    uint node = size; // in bytes
#if LEVELS >= 2
    const bool above = !(x < k->top[1]);
    const KEY_T second = above ? k->top[3] : k->top[2];
    node = (above ? 6 * size : 4 * size) + (x < second ? 0 : size);
#endif
    #pragma unroll
    for (uint level = LEVELS >= 2 ? 2 : 0; level < LEVELS; level++) {
        const KEY_T key = *(local const KEY_T *)((local const uchar *)k->nodes + node);
        node = 2 * node + (x < key ? 0 : size);
    }
    const uint place = node / size - (1u << LEVELS);
    return FULL_TREE ? place : min(place, k->n);
}

#if OWN_PLACES
static void fill_places(local OWN_PLACE_T *places, struct row_constants *k)
{
    for (uint i = get_local_id(0); i < 256; i += WG)
        places[i] = (OWN_PLACE_T)searched((KEY_T)(ELEM)i, k);
    k->places = places;
}
#endif

static uint place_of(KEY_T x, const struct row_constants *k, TABLE_SPACE const uint *tables,
                     const struct arguments *g)
{
#if OWN_PLACES
    return k->places[BITS(x)];
#else
    return searched(x, k);
#endif
}
#endif
