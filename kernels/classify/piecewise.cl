// SPDX-License-Identifier: Apache-2.0
//
// classify: the search method PIECEWISE (search.cl), for many keys whose distances change
// slowly: a piecewise linear function computes the place.
//
//     coordinate u of x    | range 0    | range 1    | range 2    | ...   2^shift values each
//     cells                | 0 | 1      | 2 |3 |4 |5 | 6          | ...   equal ones in a range
//     line of a cell       q = base + (part of the cell before u) * slope, 65536 to a place
//
//     q      ---|-------|-------|-------|---      whole numbers of places
//              <->     <->     <->     <->         doubt: as near as `slack` of the range
//
// A coordinate has 32 bits and grows with x: the order of the bits of f32, the upper half of
// those of f64, and for integers the bits of the f32 nearest to x - low. So ranges follow powers
// of two, and each has as many cells as its keys need.
//
// src/classify/piecewise.c computes the lines as they are computed here, in integers, and sees
// to it that q is at most `slack` outside the place of x. So the place is floor(q) where q is
// farther than that from a whole number; in doubt x is compared with the key of that number.
// Keys are in global memory, and those of all elements that an item has at once are loaded
// together.
//
// A range whose keys no lines fit says so by the upper bit of its slack. Its only cell has the
// first and the last place there, and LEVELS halvings find the place. Few elements are in such
// ranges: they are taken one after another, once the others have their places. Elements and
// places stand in registers: so no loop chooses among them by a number.
//
// Macro  LEVELS  halvings in ranges that no lines fit; 0: there are none

#if METHOD == METHOD_SEARCH && SEARCH_METHOD == SEARCH_PIECEWISE
#ifndef LEVELS
#error "LEVELS must be defined"
#endif

struct row_constants {
    ALL_SPACE const KEY_T *keys;
    uint lowest, highest; // coordinates of the first and the last range
    KEY_T low;
};

static void load_row(struct row_constants *k, ulong row, ALL_SPACE const uint *all_tables,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
    k->keys = (ALL_SPACE const KEY_T *)all_tables;
    k->lowest = (uint)g->scale;
    k->highest = (uint)(g->scale >> 32);
    k->low = IS_FLOAT ? 0 : (KEY_T)g->low;
}

// How far the coordinate of x is from the lowest.
static uint coordinate_of(KEY_T x, const struct row_constants *k)
{
#if IS_FLOAT
#if BYTES == 8
    const int bits = as_int2(x).y;
#else
    const int bits = as_int(x);
#endif
    const uint order = (uint)(bits ^ ((bits >> 31) | INT_MIN));
#else
    const BITS_T beyond = x > k->low ? (BITS_T)x - (BITS_T)k->low : 0;
    const uint order = as_uint(convert_float_rte(beyond));
#endif
    return clamp(order, k->lowest, k->highest) - k->lowest;
}

static uint2 line_of(uint u, uint2 range, TABLE_SPACE const uint2 *lines)
{
    return lines[(u >> (range.y & 31)) + range.x];
}

#if LEVELS
// The place in a range without lines, which has these first and last ones.
static uint searched(KEY_T x, uint2 places, const struct row_constants *k)
{
    uint p = places.x;
    #pragma unroll 1
    for (uint step = 1u << (LEVELS - 1); step; step >>= 1) {
        const uint q = p + step;
        p = q <= places.y && !(x < k->keys[min(q, places.y) - 1]) ? q : p;
    }
    return p;
}
#endif

// 65536 times the place, about.
static uint height_in(uint u, uint2 range, uint2 line)
{
    return line.x + mul_hi(u << (-range.y & 31), line.y);
}

// The number of the key nearest to a height, from 1 on.
static uint nearest_to(uint height, const struct arguments *g)
{
    return clamp(((height >> 15) + 1) >> 1, 1u, g->n);
}

static uint height_of(KEY_T x, const struct row_constants *k, TABLE_SPACE const uint2 *ranges,
                      const struct arguments *g, uint *slack)
{
    const uint u = coordinate_of(x, k);
    const uint2 range = ranges[u >> g->shift];
    *slack = range.y;
    return height_in(u, range, line_of(u, range, ranges + g->cells));
}

// Of a few elements; `few` is known when the kernel is compiled, and at most 8.
static __attribute__((always_inline)) void places_of(uint *place, const KEY_T *x, uint few,
                                                     const struct row_constants *k,
                                                     TABLE_SPACE const uint *tables,
                                                     const struct arguments *g)
{
    TABLE_SPACE const uint2 *ranges = (TABLE_SPACE const uint2 *)(tables + g->index_at);
    uint doubt = 0, slack;
#if LEVELS
    uint far = 0;
#endif
    #pragma unroll
    for (uint e = 0; e < 8; e++)
        if (e < few) {
            place[e] = height_of(x[e], k, ranges, g, &slack);
            doubt |= abs((int)(place[e] << 16)) <= slack ? 1u << e : 0;
#if LEVELS
            far |= slack >> 31 << e;
#endif
        }
    #pragma unroll
    for (uint e = 0; e < 8; e++)
        if (e < few && doubt == 0)
            place[e] >>= 16;
    if (doubt == 0)
        return;
    #pragma unroll
    for (uint e = 0; e < 8; e++)
        if (e < few) {
            const uint number = nearest_to(place[e], g);
            const KEY_T key = k->keys[doubt >> e & 1 ? number - 1 : 0];
            place[e] = doubt >> e & 1 ? number - (x[e] < key) : place[e] >> 16;
        }
#if LEVELS
    if (far == 0)
        return;
    #pragma unroll
    for (uint e = 0; e < 8; e++)
        if (e < few && far >> e & 1) {
            const uint u = coordinate_of(x[e], k);
            const uint2 places = line_of(u, ranges[u >> g->shift], ranges + g->cells);
            place[e] = searched(x[e], places, k);
        }
#endif
}

static uint place_of(KEY_T x, const struct row_constants *k, TABLE_SPACE const uint *tables,
                     const struct arguments *g)
{
    uint place;
    places_of(&place, &x, 1, k, tables, g);
    return place;
}
#endif
