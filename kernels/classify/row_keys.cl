// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_tiles: keys of each row's own (SEARCH_BINARY). A group has the keys of its
// tiles' rows in local memory, if they fit (KEYS_LOCAL), else it reads them through the caches.
//
//     keys    | row 0: k k k k k . | row 1: k k k . . . |      an odd number of places each
//
// A row with fewer keys has the type's largest value instead of those that it lacks. Where x
// reaches one of them, it reaches all keys. The search halves what is left of the row, so that
// its reads do not meet in one bank, as those at powers of two would.
//
// An element takes LEVELS reads that wait for one another, and four operations for each.
//
// Many keys that local memory has no room for have cells of equally many values, the same for
// all rows (ROW_CELLS). A cell says which of the row's keys lie there, and these are halved.
// Where rows have some ten thousand keys, an element read fifteen of them, each from another
// line, which took ten times as long as all else.
//
// Macros  LEVELS      the longest row has less than 2^LEVELS keys
//         KEYS_LOCAL  1: the keys are in local memory
//         KEYS_EVEN   1: all rows have g.n keys
//         ROW_CELLS   1: there are cells
//
// Defines for label.cl what tree.cl defines for one row of keys, and
//         places_of()  ROW_CELLS: of a few elements
//         fill_keys()  called by all items, before a barrier

#if METHOD == METHOD_SEARCH && SEARCH_METHOD == SEARCH_BINARY
#if !defined(LEVELS) || !defined(KEYS_LOCAL) || !defined(KEYS_EVEN) || !defined(ROW_CELLS)
#error "LEVELS, KEYS_LOCAL, KEYS_EVEN and ROW_CELLS must be defined"
#endif

#if KEYS_LOCAL
#define KEY_SPACE local
#else
#define KEY_SPACE global
#endif

struct row_constants {
    KEY_SPACE const KEY_T *keys;
#if ROW_CELLS
    global const uint *cells; // of the row
#endif
    uint n; // of the row
};

static uint key_pitch(const struct arguments *g)
{
    return KEYS_LOCAL ? g->n | 1 : g->n;
}

// How many keys a row has.
static uint keys_of_row(ulong row, global const uint *all_tables, const struct arguments *g)
{
    return KEYS_EVEN ? g->n : all_tables[g->rows_at + g->row + row];
}

static void fill_keys(local KEY_T *to, ulong first_row, uint rows, global const uint *all_tables,
                      const struct arguments *g)
{
    // Row by row the loads of one would wait for those of the row before.
    global const KEY_T *keys = (global const KEY_T *)all_tables + (g->row + first_row) * g->n;
    for (uint i = get_local_id(0); i < rows * g->n; i += WG) {
        const uint row = i / g->n, k = i - row * g->n;
        const bool is_there = k < keys_of_row(first_row + row, all_tables, g);
        to[row * key_pitch(g) + k] = is_there ? keys[i] : (KEY_T)HIGHEST;
    }
}

// `row` is counted from first_row, where `keys` begin.
static void load_keys_of(struct row_constants *k, KEY_SPACE const KEY_T *keys, uint row,
                         ulong first_row, global const uint *all_tables,
                         const struct arguments *g)
{
    k->keys = keys + row * key_pitch(g);
#if ROW_CELLS
    k->cells = all_tables + (g->index_at + (g->row + first_row + row) * g->cells);
#endif
    k->n = keys_of_row(first_row + row, all_tables, g);
}

#if ROW_CELLS
#define ROW_PLACES 8 // that are found together, at most

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
    for (uint e = 0; e < few; e++)
        end[e] = k->cells[cell_of(x[e], g)];
    #pragma unroll
    for (uint e = 0; e < few; e++) {
        p[e] = end[e] & 0xffff;
        end[e] >>= 16;
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
            p[e] = is_there & !is_less ? middle + 1 : p[e];
            end[e] = is_there & is_less ? middle : end[e];
            is_left |= p[e] < end[e];
        }
    }
}

static uint place_of(KEY_T x, const struct row_constants *k, TABLE_SPACE const uint *tables,
                     const struct arguments *g)
{
    uint p;
    places_of(&p, &x, 1, k, tables, g);
    return p;
}
#else
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
