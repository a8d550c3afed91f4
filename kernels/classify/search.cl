// SPDX-License-Identifier: Apache-2.0
//
// classify: the search methods that use a search index, which the host made for one row of keys
// (src/classify/search_index.c). All variants but baseline use them. Each method returns p, the
// number of keys <= x. For a NaN p is arbitrary, but at most n: label.cl does not use it. All
// elements take the same steps.
//
//     COMPARE_ALL  compares x with each key                                compare_all.cl
//     TREE         the keys as a tree. Node 1 is the middle key, and the children of node i are
//                  2i and 2i + 1, so that the upper levels lie together    tree.cl
//     INTERPOLATE  keys at about even distances: arithmetic gives p        interpolate.cl
//     GRID         the range of the keys is cut into cells of equal width. start[cell] keys lie
//                  in the cells before; halving finds p among those within cells.cl
//     RADIX        the same with cells of equally many values. Floats are taken in the order of
//                  their bits, which suits keys that are spread as powers  cells.cl
//     PIECEWISE    a piecewise linear function gives p                     piecewise.cl
//     RANK         elements of 16 bits: the keys before 16 neighbouring values, and a bit for
//                  each of these values                                    rank.cl
//     CELL_KEYS    cells as of RADIX, with one key at most in a cell, beside the number of those
//                  before                                                  cell_keys.cl
//     LINEAR       elements of 16 bits: one linear function gives p        linear.cl
//     MULTIPLES    f32 keys that are 1, 2, 3 ... times one number, rounded: arithmetic gives p.
//                  Elements that are only counted have it instead of INTERPOLATE
//                                                                          multiples.cl
//     STEPS        elements of 16 bits: cells of equally many values, in which the label changes
//                  once at most, by one or of 8 bits; gives the label      steps.cl
//
// CPUs have code of their own for vectors (cpu_held.cl, cpu_search.cl), by the same tables:
//
//     TREE                      | keys of the nodes 0 (not used), 1, 2 ... 2^LEVELS - 1 |
//     COMPARE_ALL, INTERPOLATE  | keys |
//     GRID, RADIX               | n + 2^LEVELS - 1 keys | starts, two to a u32 |
//                               and for CPUs, where keys have 32 bits:
//                               | 64 bits for each cell: start, key of the first halving |
//     PIECEWISE                 | 2 words for each range | 2 for each cell: a line | ; GPUs alone
//     CELL_KEYS                 | key, keys before | for each cell; GPUs alone
//     STEPS                     | a word for each cell | ; GPUs alone
//     LINEAR, MULTIPLES         nothing; GPUs alone
//     RANK                      | 16 bits of keys, 16 of their number before, ... | ; GPUs alone
//
// Missing keys, at the end of a tree or behind the last cell, are the type's largest value.
// Where x reaches one of them, it reaches all keys.
//
// Reads that wait for one another, of 4 bytes (8 where keys have 64 bits): COMPARE_ALL, LINEAR
// and MULTIPLES none, INTERPOLATE at most one, TREE LEVELS - 2, GRID and RADIX 1 + LEVELS, RANK,
// STEPS and CELL_KEYS one, PIECEWISE two of 8 bytes, and a key in doubt. Operations: two for each
// key or level, eight for INTERPOLATE, nine for MULTIPLES, about six to find a cell, eight for
// RANK, some more for f16, some twenty for PIECEWISE.
//
// Macros  SEARCH_METHOD  SEARCH_COMPARE_ALL ...; of METHOD_SEARCH
//         KEYS           COMPARE_ALL: how many
//         LEVELS         TREE: of the tree; GRID, RADIX: halvings in a cell: a cell has less
//                        than 2^LEVELS keys
//         TABLES_LOCAL   1: the tables that every element needs are in local memory
//         BY_VALUE       1: all tables are, and came as an argument (gpu_words.cl)
//
// Defines TABLE_SPACE           the address space of those tables
//         ALL_SPACE             that of all tables
//         fill_tables()         TABLES_LOCAL: copies them there
//         struct row_constants  what is the same for all elements of a row; load_row() fills it
//         place_of()            p

#if !defined(TABLES_LOCAL) || !defined(BY_VALUE)
#error "TABLES_LOCAL and BY_VALUE must be defined"
#endif
#if METHOD == METHOD_SEARCH && !defined(SEARCH_METHOD)
#error "SEARCH_METHOD must be defined"
#endif

// Search methods that compute a place and compare a key only in doubt: they define places_of().
#define HAS_DOUBT \
    (METHOD == METHOD_SEARCH && \
     (SEARCH_METHOD == SEARCH_INTERPOLATE || SEARCH_METHOD == SEARCH_PIECEWISE))

// Hash tables behind a sieve: hash.cl defines labels_of_cases().
#if METHOD == METHOD_HASH && SIEVED && MASKS
#define HAS_SIEVE 1
#else
#define HAS_SIEVE 0
#endif

#if BY_VALUE
#define ALL_SPACE local
#else
#define ALL_SPACE global
#endif

#if TABLES_LOCAL
#define TABLE_SPACE local

// Copies those tables to local memory. All items of a group call it, before a barrier. The host
// begins them at a boundary of 16 bytes. Nothing else is to be done meanwhile, so an item has
// four loads under way, and that of the last words.
static void fill_tables(local uint *to, global const uint *from, uint words)
{
    const uint n = words / 4, rest = 4 * n + get_local_id(0);
    const uint last = rest < words ? from[rest] : 0;
    #pragma unroll 1
    for (uint first = get_local_id(0); first < n; first += 4 * WG) {
        uint4 v[4];
        #pragma unroll
        for (uint i = 0; i < 4; i++)
            v[i] = ((global const uint4 *)from)[min(first + i * WG, n - 1)];
        #pragma unroll
        for (uint i = 0; i < 4; i++)
            if (first + i * WG < n)
                ((local uint4 *)to)[first + i * WG] = v[i];
    }
    for (uint i = rest; i < words; i += WG)
        to[i] = i == rest ? last : from[i];
}
#else
#define TABLE_SPACE global
#endif

// The same address; a compiler that knows its parts may add them anew for each element.
static TABLE_SPACE const uint *one_address(TABLE_SPACE const uint *at)
{
#if PTX
    size_t address = (size_t)at;
    asm("mov.b64 %0, %0;" : "+l"(address));
    return (TABLE_SPACE const uint *)address;
#else
    return at;
#endif
}

// Places and cells are computed in PLACE_T.
#if BYTES == 8
#define PLACE_T             double
#define FROM_BITS(b)        as_double(b)
#define MANTISSA            52
#else
#define PLACE_T             float
#define FROM_BITS(b)        as_float((uint)(b))
#define MANTISSA            23
#endif
