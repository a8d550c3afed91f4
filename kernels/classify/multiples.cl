// SPDX-License-Identifier: Apache-2.0
//
// classify: the search method MULTIPLES (search.cl), for keys that are 1, 2 ... n times one
// number, each rounded to f32. Arithmetic gives the place of every element, and nothing is read.
//
//     number = the nearest whole number of x * scale
//     rest   = x * scale - number + half of the distance between floats at x, times scale
//     place  = rest < 0 ? number - 1 : number
//
//     floats      .     .     .     .     .
//     multiple          |     m     |           m * scale is a whole number
//     key                   k                   the nearest float
//
// A key lies at most half of the distance between floats before its multiple, and the float
// before it farther. That half is 2^-24 times the power of two that the bits of the exponent are.
//
// Elements are brought between 0 and the last key first. A greater x has no lesser power of two,
// so that among elements of one number the rest never falls, and the place never does. The host
// has made sure of the place at each key and at the value before (src/classify/multiples.c). So
// it is right everywhere. A NaN has place n.
//
// The sum 2^23 + x * scale has an ulp of 1, so that rounding makes the number. Midway between j
// and j + 1 it may be either: then the rest is about a half or minus a half, as what is added is
// at most n * 2^-24, and the place is j. The rest must be rounded once.
//
// An element takes nine operations.

#if METHOD == METHOD_SEARCH && SEARCH_METHOD == SEARCH_MULTIPLES
struct row_constants {
    float scale, half_gap, last; // half_gap: 2^-24 times the scale
};

#define WHOLE 0x1p23f

static void load_row(struct row_constants *k, ulong row, ALL_SPACE const uint *all_tables,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
    k->scale = FROM_BITS(g->scale);
    k->half_gap = FROM_BITS(g->low);
    k->last = FROM_BITS(g->slack);
}

static uint place_of(KEY_T x, const struct row_constants *k, TABLE_SPACE const uint *tables,
                     const struct arguments *g)
{
#if PTX // one operation each; of a NaN and a number they give the number
    const float inside = fmax(fmin(x, k->last), 0.0f);
#else
    const float most = x < k->last ? x : k->last;
    const float inside = most > 0 ? most : 0;
#endif
    const float sum = fma(inside, k->scale, WHOLE);
    const float binade = as_float(as_uint(inside) & 0x7f800000u);
    const float rest = fma(binade, k->half_gap, fma(inside, k->scale, WHOLE - sum));
    return as_uint(sum) - as_uint(WHOLE) + (uint)(as_int(rest) >> 31); // less 1 if it is below 0
}
#endif
