// SPDX-License-Identifier: Apache-2.0
//
// classify: the search method LINEAR (search.cl), for elements of 16 bits and keys at about even
// distances. One linear function gives the place of every value. The host has made sure of it
// for each key and the value before (src/classify/linear.c), and the function never falls.
// Nothing is read.
//
//     integers    place = (x * scale + low) >> shift                  32 bits, that wrap
//     f16         place = the whole number below h * scale + low
//
// Keys of f16 are even numbers that were rounded to f16. Such a number is not greater than x if
// it is not greater than the middle between x and the next value. The bits of `h` are those of x as
// an f32, and 0x1000 more: of positive normal x that middle. Where keys are not rounded, h is x.
// Where they are the values behind such numbers (intervals closed on the right), its bits are
// 0x1000 less. Whatever h is elsewhere, the host takes the same one when it tries the function.
//
// The nearest whole number of h * scale + low comes from one rounding (interpolate.cl). The rest
// is exact to about 48 bits, as scale is the sum of two floats, and decides whether the place is
// one less.
//
// An element takes two operations of integers, and two more to bring it between the value before
// the first key and the last key (WITHIN), or nine of floats.
//
// Macros  WITHIN      integers: 1: not all are there anyway
//         LAST_APART  floats: 1: the last key is no even one, and is compared with x

#if METHOD == METHOD_SEARCH && SEARCH_METHOD == SEARCH_LINEAR
struct row_constants {
    KEY_T first, last;
#if IS_FLOAT
    float scale, more, whole, limit, most; // of sums
#endif
};

static void load_row(struct row_constants *k, ulong row, ALL_SPACE const uint *all_tables,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
    const uint2 ends = as_uint2(g->slack);
#if IS_FLOAT
    const float2 low = as_float2(g->low), scale = as_float2(g->scale);
    k->first = as_float(ends.x);
    k->last = as_float(ends.y);
    k->most = 0x1.8p23f + (float)(g->n - LAST_APART);
    k->whole = low.x;
    k->limit = low.y;
    k->scale = scale.x;
    k->more = scale.y;
#else
    k->first = (KEY_T)ends.x;
    k->last = (KEY_T)ends.y;
#endif
}

static uint place_of(KEY_T x, const struct row_constants *k, TABLE_SPACE const uint *tables,
                     const struct arguments *g)
{
#if BITS_OF_F16
    return 0; // nobody asks: intervals are counted, and x is bits
#elif IS_FLOAT
    // Of a NaN all is one but the last sum. Its bits are not added to, because those of some NaNs
    // would become a number. h of the positive infinity is one, too.
#if PTX // one operation; a NaN stays as it is below
    const float inside = fmax(x, k->first);
#else
    const float inside = x < k->first ? k->first : x;
#endif
    const float h = x != x ? x : as_float(as_uint(inside) + g->shift);
    const float sum = fmin(fma(h, k->scale, k->whole), k->most);
    const float rest = fma(h, k->more, fma(h, k->scale, k->whole - sum));
#if PTX // by the sign of the difference, which is + for a NaN there
    const uint before = (uint)(as_int(rest - k->limit) >> 31);
#else
    const uint before = 0u - (rest < k->limit);
#endif
    const uint place = as_uint(sum) - as_uint(0x1.8p23f) + before;
    return place + (LAST_APART && !(x < k->last));
#else
    const uint within = (uint)(WITHIN ? max(min(x, k->last), k->first) : x);
    return (within * (uint)g->scale + (uint)g->low) >> g->shift;
#endif
}
#endif
