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
static uint place_of(KEY_T x, const struct row_constants *k, TABLE_SPACE const uint *tables,
                     const struct arguments *g)
{
    const uint cell = k->cells[cell_of(x, g)];
    uint p = cell & 0xffff, end = cell >> 16;
    while (p < end) {
        const uint middle = (p + end) / 2;
        const bool is_less = x < k->keys[middle];
        p = is_less ? p : middle + 1;
        end = is_less ? middle : end;
    }
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
