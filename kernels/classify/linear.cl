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
// The device computes h * scale + (2^binade + low), rounded down. Its bits are those of
// 2^binade, then the place, then the part behind the point. NVIDIA's GPUs round down in one
// operation. Others take the nearest sum, and one from its bits if what was lost is negative.
// That is exact, because 2^binade + low and the sum are multiples of one unit, and less than
// 2^24 of it.
//
// An element takes two operations of integers, and two more to bring it between the value before
// the first key and the last key (WITHIN), or six of floats.
//
// Macros  WITHIN      integers: 1: not all are there anyway
//         LAST_APART  floats: 1: the last key is no even one, and is compared with x
//         ONE_ZERO    floats: 1: -0 becomes 0 first, because 0 is between the ends, and h of -0
//                     would be less than that of 0

#if METHOD == METHOD_SEARCH && SEARCH_METHOD == SEARCH_LINEAR
#if IS_FLOAT ? !defined(LAST_APART) || !defined(ONE_ZERO) : !defined(WITHIN)
#error "a macro of linear.cl is not defined: its head lists them"
#endif
struct row_constants {
    KEY_T first, last;
#if IS_FLOAT
    float most; // the last even key
    float scale, low;
    uint shift, none; // bits of a sum behind the point; what 2^binade leaves before the place
#endif
};

static void load_row(struct row_constants *k, ulong row, ALL_SPACE const uint *all_tables,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
    const uint2 ends = as_uint2(g->slack);
#if IS_FLOAT
    const uint2 low = as_uint2(g->low), scale = as_uint2(g->scale);
    k->first = as_float(ends.x);
    k->last = as_float(ends.y);
    k->low = as_float(low.x);
    k->most = as_float(low.y);
    k->scale = as_float(scale.x);
    k->shift = scale.y;
    k->none = (127 + 23 - scale.y) << (23 - scale.y);
#else
    k->first = (KEY_T)ends.x;
    k->last = (KEY_T)ends.y;
#endif
}

#if IS_FLOAT
// The bits of h * scale + low, rounded down.
static uint sum_of(float h, const struct row_constants *k)
{
#if PTX
    float sum;
    asm("fma.rm.f32 %0, %1, %2, %3;" : "=f"(sum) : "f"(h), "f"(k->scale), "f"(k->low));
    return as_uint(sum);
#else
    const float sum = fma(h, k->scale, k->low);
    return as_uint(sum) - (fma(h, k->scale, k->low - sum) < 0);
#endif
}
#endif

static uint place_of(KEY_T x, const struct row_constants *k, TABLE_SPACE const uint *tables,
                     const struct arguments *g)
{
#if BITS_OF_F16
    return 0; // nobody asks: intervals are counted, and x is bits
#elif IS_FLOAT
#if PTX // one operation each; of a NaN and a number they give the number
    const float inside = fmax(fmin(x, k->most), k->first);
#else
    const float most = x < k->most ? x : k->most;
    const float inside = most > k->first ? most : k->first;
#endif
    const float h = as_float(as_uint(ONE_ZERO ? inside + 0 : inside) + g->shift);
    return (sum_of(h, k) >> k->shift) - k->none + (LAST_APART && !(x < k->last));
#else
    const uint within = (uint)(WITHIN ? max(min(x, k->last), k->first) : x);
    return (within * (uint)g->scale + (uint)g->low) >> g->shift;
#endif
}
#endif
