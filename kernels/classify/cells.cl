// SPDX-License-Identifier: Apache-2.0
//
// classify: the search methods GRID and RADIX (search.cl): a cell, then halving among its keys.
// Rows that have keys of their own have either kind of cells, too (row_keys.cl).
//
//     keys    | k k | k | k k k | k |     cells of x from low on
//     starts    0     2   3       6       keys in the cells before
//
// The cell of x grows with x, whatever rounding does to it, and host and device compute it
// alike. So keys of lower cells are less than x, and those of higher cells are greater.
//
// Macros  LEVELS     GRID, RADIX: a cell has less than 2^LEVELS keys
//         ROW_CELLS, ROW_GRID  those of row_keys.cl

#if METHOD == METHOD_SEARCH && \
    (SEARCH_METHOD == SEARCH_GRID || SEARCH_METHOD == SEARCH_RADIX || \
     (ROW_CELLS && ROW_CELLS != CELLS_OF_VALUES))
#if SEARCH_METHOD == SEARCH_GRID || ROW_GRID
static uint cell_of(KEY_T x, const struct arguments *g)
{
    const KEY_T most = (KEY_T)(g->cells - 1),
                cell = (x - FROM_BITS(g->low)) * FROM_BITS(g->scale);
    const KEY_T within = cell < most ? cell : most; // of a NaN: the last cell
    return (uint)(within > 0 ? within : 0);
}
#else
// x - low, counted in values of the type; 0 below low.
static uint cell_of(KEY_T x, const struct arguments *g)
{
#if TYPE == F64
    const long bits = as_long(x + 0); // makes -0.0 the same as 0.0
    const long order = bits ^ ((bits >> 63) & LONG_MAX), low = (long)g->low;
#elif IS_FLOAT
    const int bits = as_int(x + 0);
    const int order = bits ^ ((bits >> 31) & INT_MAX), low = (int)g->low;
#else
    const KEY_T order = x, low = (KEY_T)g->low;
#endif
    const BITS_T beyond = order > low ? (BITS_T)order - (BITS_T)low : 0;
    return (uint)min(beyond >> g->shift, (BITS_T)(g->cells - 1));
}
#endif

#endif

#if METHOD == METHOD_SEARCH && (SEARCH_METHOD == SEARCH_GRID || SEARCH_METHOD == SEARCH_RADIX)
#ifndef LEVELS
#error "LEVELS must be defined"
#endif

struct row_constants {
    uint none;
};

static void load_row(struct row_constants *k, ulong row, ALL_SPACE const uint *all_tables,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
}

static uint place_of(KEY_T x, const struct row_constants *k, TABLE_SPACE const uint *tables,
                     const struct arguments *g)
{
    TABLE_SPACE const KEY_T *keys = (TABLE_SPACE const KEY_T *)(tables + g->index_at);
    TABLE_SPACE const ushort *starts =
        (TABLE_SPACE const ushort *)(keys + g->n + (1u << LEVELS) - 1);
    uint p = starts[cell_of(x, g)];
    #pragma unroll
    for (int level = LEVELS - 1; level >= 0; level--)
        p += x < keys[p + (1u << level) - 1] ? 0 : 1u << level;
    return min(p, g->n);
}
#endif
