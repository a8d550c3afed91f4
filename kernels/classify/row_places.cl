// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_tiles, gpu_channels and gpu_words: the search among a row's own keys, of what
// row_keys.cl has of the row. held_keys.cl and line_keys.cl have other searches.
//
// Where local memory has every 2^KEYS_APART-th key, the keys between two of them are halved through
// the caches, by reads that lie side by side. The last two halvings of keys of 4 bytes are one read
// of an aligned vector of 4 (KEY_VECTOR). So the places of a row begin with the vector that has its
// first key. Up to 3 keys of the row before lie in that vector, and count as reached:
//
//     keys     . . 2 3  5 7 8 9  11 . . .      ahead = 2
//     place        2 3  4 5 6 7   8
//
// Macros  those of row_keys.cl
//
// Defines for label.cl
//         place_of()         how many keys of the row are not greater than x; if KEYS_HELD and
//                            LINE_ROWS are 0
//         places_of()        HALVES_CELLS: of a few elements

#if METHOD == METHOD_SEARCH && SEARCH_METHOD == SEARCH_BINARY && OWN_KEYS != OWN_TREE
#if HALVES_CELLS
#define ROW_PLACES 8 // that are found together, at most
#if OWN_KEYS == OWN_CELLS && BYTES == 1
#error "a word of gpu_words has more elements of 8 bits than ROW_PLACES"
#endif

#if KEYS_APART
#define VECTOR KEY_VECTOR(KEYS_APART, sizeof(KEY_T))
#if BYTES < 8
typedef JOIN_NAMES(KEY_T, 4) key_vec;

// How many of the first three keys of the vector at `place` count as reached. The row's own keys have
// places k->ahead to n - 1.
static uint reached_of(key_vec keys, uint place, KEY_T x, uint n, const struct row_constants *k)
{
    const KEY_T three[3] = { keys.x, keys.y, keys.z };
    uint reached = 0;
    #pragma unroll
    for (uint u = 0; u < 3; u++)
        reached += (place + u < k->ahead) | ((place + u < n) & !(x < three[u]));
    return reached;
}

// The last two halvings. The fourth key of the vector is greater than x, or the row has none there.
// Where no vector is left, an element reads the first one, and counts nothing of it.
static __attribute__((always_inline)) void add_keys_of_vectors(uint *p, const KEY_T *x, uint few,
                                                               uint n,
                                                               const struct row_constants *k)
{
    key_vec keys[ROW_PLACES];
    #pragma unroll
    for (uint e = 0; e < few; e++)
        keys[e] = *(global const key_vec *)(k->all_keys + (p[e] < n ? p[e] : 0));
    #pragma unroll
    for (uint e = 0; e < few; e++)
        p[e] += reached_of(keys[e], p[e], x[e], n, k);
}
#endif

// p[e] is how many keys of local memory are not greater than x[e], and becomes how many of all keys
// are not.
static __attribute__((always_inline)) void add_keys_between(uint *p, const KEY_T *x, uint few,
                                                            const struct row_constants *k)
{
    const uint n = k->n + k->ahead;
    #pragma unroll
    for (uint e = 0; e < few; e++)
        p[e] <<= KEYS_APART;
    #pragma unroll
    for (uint step = 1u << (KEYS_APART - 1); step >= VECTOR; step /= 2) {
        KEY_T key[ROW_PLACES];
        #pragma unroll
        for (uint e = 0; e < few; e++) {
            const uint at = p[e] + step - 1;
            key[e] = k->all_keys[at < n ? at : k->ahead];
        }
        #pragma unroll
        for (uint e = 0; e < few; e++)
            p[e] += p[e] + step <= n && !(x[e] < key[e]) ? step : 0;
    }
#if BYTES < 8
    if (VECTOR > 1)
        add_keys_of_vectors(p, x, few, n, k);
#endif
    #pragma unroll
    for (uint e = 0; e < few; e++)
        p[e] -= k->ahead;
}
#endif

// The places of a few elements of the row: each step reads a key for each of them. Those that
// are found read the first, all at one address. One after the other the searches waited for
// their keys in turn.
static __attribute__((always_inline)) void places_of(uint *p, const KEY_T *x, uint few,
                                                     const struct row_constants *k,
                                                     TABLE_SPACE const uint *tables,
                                                     const struct arguments *g)
{
    uint end[ROW_PLACES], is_left = 0;
    #pragma unroll
    for (uint e = 0; e < few; e++) {
#if ROW_CELLS == CELLS_LOCAL
        const uint cell = local_cell_of(x[e], g);
        p[e] = k->starts[cell];
        end[e] = k->starts[cell + 1];
#else
        end[e] = k->cells[cell_of(x[e], g)];
#endif
    }
    #pragma unroll
    for (uint e = 0; e < few; e++) {
#if ROW_CELLS == CELLS_GLOBAL
        p[e] = end[e] & 0xffff;
        end[e] >>= 16;
#endif
        is_left |= p[e] < end[e];
    }
    #pragma unroll 1
    while (is_left) {
        KEY_T key[ROW_PLACES];
        #pragma unroll
        for (uint e = 0; e < few; e++)
            key[e] = k->keys[p[e] < end[e] ? (p[e] + end[e]) / 2 : 0];
        is_left = 0;
        #pragma unroll
        for (uint e = 0; e < few; e++) {
            const uint middle = (p[e] + end[e]) / 2;
            const bool is_less = x[e] < key[e], is_there = p[e] < end[e];
            p[e] = (is_there & !is_less) ? middle + 1 : p[e];
            end[e] = (is_there & is_less) ? middle : end[e];
            is_left |= p[e] < end[e];
        }
    }
#if KEYS_APART
    add_keys_between(p, x, few, k);
#endif
}

static uint place_of(KEY_T x, const struct row_constants *k, TABLE_SPACE const uint *tables,
                     const struct arguments *g)
{
    uint p;
    places_of(&p, &x, 1, k, tables, g);
    return p;
}
#elif ROW_CELLS == CELLS_OF_VALUES
static uint place_of(KEY_T x, const struct row_constants *k, TABLE_SPACE const uint *tables,
                     const struct arguments *g)
{
    return k->starts[local_cell_of(x, g) + 1];
}
#elif !KEYS_HELD && !LINE_ROWS // held_keys.cl, line_keys.cl
static uint place_of(KEY_T x, const struct row_constants *k, TABLE_SPACE const uint *tables,
                     const struct arguments *g)
{
    uint p = 0, left = KEYS_LOCAL ? g->n : k->n;
    #pragma unroll
    for (uint level = 0; level < LEVELS; level++) {
        const uint upper = (left + 1) / 2; // of g->n it is never 0
        const bool is_left = KEYS_LOCAL || upper;
        p += is_left && !(x < k->keys[p + upper - 1]) ? upper : 0;
        left /= 2;
    }
    return min(p, k->n);
}
#endif
#endif
