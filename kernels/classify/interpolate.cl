// SPDX-License-Identifier: Apache-2.0
//
// classify: the search method INTERPOLATE (search.cl), for keys at about even distances.
// Arithmetic gives the number of the key that x is nearest to, counted from 1, and how far x is
// from it, in distances between keys:
//
//     number = the nearest whole number of (x - low) * scale, from 1 to n
//     rest   = (x - low) * scale - number
//     place  = rest < 0 ? number - 1 : number
//
//     key        k[0]      k[1]      k[2]      k[3]         n = 4
//     number      1    |    2    |    3    |    4
//     rest      -  0  +    -  0  +    -  0  +    -  0  +
//                 |<->| doubt: |rest| <= slack
//
// x - low is rounded, so key k has not rest 0, but at most `slack`. In doubt that key is
// compared with x: the keys of all elements that an item has at once are loaded together.
//
// Proof that the place is exact. src/classify/interpolate.c sees to it that the device computes
// for each key its own number and a rest of at most `slack`, less than a half. Each step of the
// computation is monotone: a greater x has a greater number, or the same number and a rest that
// is not less. So an x of number j is greater than the keys before key j and less than those
// behind it, and key j decides. If the rest of x is greater than slack, it is greater than that
// of key j, and so x is greater. If it is less than -slack, x is less. Beyond the keys the
// number stays 1 or n, and the rest leads away from 0.
//
// The sum 2^MANTISSA + (x - low) * scale has an ulp of 1, so that rounding makes the number. It
// may be rounded once or twice, but the rest must be rounded once. A NaN has number n, and its
// rest compares with nothing: its place is n.

#if METHOD == METHOD_SEARCH && SEARCH_METHOD == SEARCH_INTERPOLATE
struct row_constants {
    PLACE_T low, scale, slack;
    PLACE_T first, last; // of the sums
};

#define WHOLE ((PLACE_T)((ulong)1 << MANTISSA))

static void load_row(struct row_constants *k, ulong row, ALL_SPACE const uint *all_tables,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
    k->low = FROM_BITS(g->low);
    k->scale = FROM_BITS(g->scale);
    k->slack = FROM_BITS(g->slack);
    k->first = WHOLE + 1;
    k->last = WHOLE + (PLACE_T)g->n;
}

// 2^MANTISSA more than the number of x.
static PLACE_T sum_of(KEY_T x, const struct row_constants *k)
{
    const PLACE_T moved = (PLACE_T)x - k->low;
#if PTX // one operation each; of a NaN and a number they give the number
    return fmax(fmin(fma(moved, k->scale, WHOLE), k->last), k->first);
#else
    PLACE_T sum = moved * k->scale + WHOLE;
    sum = sum < k->last ? sum : k->last;
    return sum > k->first ? sum : k->first;
#endif
}

static uint number_of(PLACE_T sum)
{
#if BYTES == 8
    return (uint)as_ulong(sum);
#else
    return as_uint(sum) - as_uint(WHOLE);
#endif
}

// Of one element: compares its key without asking for the rest.
static uint place_of(KEY_T x, const struct row_constants *k, TABLE_SPACE const uint *tables,
                     const struct arguments *g)
{
    const uint key = number_of(sum_of(x, k)) - 1;
    return key + !(x < ((TABLE_SPACE const KEY_T *)(tables + g->index_at))[key]);
}

// Of a few elements; `few` is known when the kernel is compiled, and at most 32.
static __attribute__((always_inline)) void places_of(uint *place, const KEY_T *x, uint few,
                                                     const struct row_constants *k,
                                                     TABLE_SPACE const uint *tables,
                                                     const struct arguments *g)
{
    TABLE_SPACE const KEY_T *keys = (TABLE_SPACE const KEY_T *)(tables + g->index_at);
    uint doubt = 0;
    #pragma unroll
    for (uint e = 0; e < few; e++) {
        const PLACE_T sum = sum_of(x[e], k);
        const PLACE_T rest = fma((PLACE_T)x[e] - k->low, k->scale, WHOLE - sum);
#if PTX && BYTES != 8 // by its sign, which is fewer operations: that of a NaN is + there
        place[e] = number_of(sum) + (uint)(as_int(rest) >> 31);
#else
        place[e] = number_of(sum) - (rest < 0);
#endif
        doubt |= fabs(rest) <= k->slack ? 1u << e : 0;
    }
    if (doubt == 0)
        return;
    KEY_T key[32];
    #pragma unroll
    for (uint e = 0; e < few; e++) {
        place[e] = doubt >> e & 1 ? number_of(sum_of(x[e], k)) : place[e];
        key[e] = keys[doubt >> e & 1 ? place[e] - 1 : 0];
    }
    #pragma unroll
    for (uint e = 0; e < few; e++)
        place[e] -= (doubt >> e & 1) && x[e] < key[e];
}
#endif
