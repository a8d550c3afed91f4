// SPDX-License-Identifier: Apache-2.0
//
// classify: the search method CELL_KEYS (search.cl), for keys of 32 bits, floats that are not
// negative or integers. The values between the first key and the last are cut into cells of
// 2^shift, so that each has one key at most. A cell has that key, and how many keys there are
// before.
//
//     keys     |  k0     |         |    k1   | k2      |
//     cells    | k0 0    | none 1  | k1 1    | k2 2    |
//
// Without a key, a cell has one that decides the same for every x: a NaN, or the lowest value
// and a number that is one less.
//
// The order of floats is that of their bits. Negative ones, also -0, are below all cells, and
// are taken for the first, as 0 is. A NaN may be in any cell, and its place is the number
// there.
//
// BY_FLOATS: integers that no such cells suit, as their keys are spread as powers. The values of
// a cell have neighbouring bits of the f32 nearest to x - low, where low is the first key. These
// bits grow with x, so that keys of lower cells are less than x, and those of higher cells are
// greater. Values below the first key are taken for it, and are found less than it.
//
// An element takes one read of 8 bytes and six operations, or nine BY_FLOATS.
//
// Macro  BY_FLOATS  1: coordinates are bits of floats, of integers

#if METHOD == METHOD_SEARCH && SEARCH_METHOD == SEARCH_CELL_KEYS
#ifndef BY_FLOATS
#error "BY_FLOATS must be defined"
#endif
#if BY_FLOATS
#define ORDER_T       int
#define ORDER(x)      as_int(convert_float_rte((x) > k->low ? (uint)(x) - (uint)k->low : 0))
#elif TYPE == U32
#define ORDER_T       uint
#define ORDER(x)      (x)
#elif TYPE == I32
#define ORDER_T       int
#define ORDER(x)      (x)
#else
#define ORDER_T       int
#define ORDER(x)      as_int(x)
#endif
#define AS_KEY(bits)  JOIN_NAMES(as_, ELEM)(bits)

struct row_constants {
    ORDER_T lowest, highest; // of all cells
    KEY_T low;               // BY_FLOATS
    TABLE_SPACE const uint2 *cells; // where that of values from 0 on would be
};

static void load_row(struct row_constants *k, ulong row, ALL_SPACE const uint *all_tables,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
    k->lowest = (ORDER_T)g->low;
    k->highest = (ORDER_T)g->scale;
    k->low = BY_FLOATS ? (KEY_T)g->slack : 0;
    k->cells = (TABLE_SPACE const uint2 *)(tables + g->index_at) - (long)(k->lowest >> g->shift);
}

static uint place_of(KEY_T x, const struct row_constants *k, TABLE_SPACE const uint *tables,
                     const struct arguments *g)
{
    const ORDER_T within = clamp(ORDER(x), k->lowest, k->highest);
    const uint2 cell = k->cells[within >> g->shift];
    return cell.y + (x >= AS_KEY(cell.x));
}
#endif
