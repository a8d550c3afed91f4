/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: the search method INTERPOLATE (kernels/classify/interpolate.cl) for keys at about
 * even distances, where arithmetic gives an element's place. search_index.c asks here first.
 *
 * The host chooses the numbers of the computation, `low` and `scale`. From the bits that the
 * device computes it proves that each key gets its own number, and how large the rest of a key
 * can be: `slack`. The kernel says why places are then exact. The proof repeats the device's
 * roundings by gp_place_rounded, never by a conversion to float, which a compiler may drop
 * (src/core/round.c). */
#include "classifier.h"

#include <float.h>

// A quarter is less than a half, which the kernel's proof needs, by far more than a second
// rounding of the sum can be. With a larger slack most elements would be in doubt.
#define MOST_SLACK 0.25

// More than all that is not repeated here: the roundings of doubles, and denormals that a device
// takes for zero. Both are less than 2^-21 of a distance between keys.
#define MARGIN 0x1p-20

// Key k, from 1 on, is at about low + k / scale. Places are computed in double where keys have
// 64 bits, else in float.
struct line {
    size_t key_size;
    uint32_t n;
    double low, scale; // numbers of the type in which places are computed
};

// What the keys' rests are, at least and at most.
struct rests {
    double least, most;
};

// A key as the device computes with it. An integer of at most 32 bits a double holds exactly
// before it is rounded. One of 64 bits is rounded to a double, here and there to the nearest
// even one.
static double key_number(const struct gpuprim_classifier *c, int64_t ordinal)
{
    const size_t key_size = gp_key_size(c->in);
    uint64_t bits = 0;
    if (c->in == GPUPRIM_U64)
        return (double)((uint64_t)ordinal ^ (uint64_t)1 << 63);
    if (!gp_type_is_float(c->in))
        return gp_place_rounded(key_size, (double)ordinal);
    gp_key_store(c->in, ordinal, &bits);
    return gp_place_number(key_size, bits);
}

// Where the device computes in float, its difference has the same bits: a difference of two
// floats that is rounded to double first is the same float. The rest is exact here: a double
// holds the product of two floats, of at most 48 bits, and what is left of it. The device rounds
// it to float.
static struct rests rests_of(const struct gpuprim_classifier *c, const struct line *l,
                             const int64_t *keys)
{
    struct rests rests = { DBL_MAX, -DBL_MAX };
    for (uint32_t k = 0; k < l->n; k++) {
        const double moved = gp_place_rounded(l->key_size, key_number(c, keys[k]) - l->low);
        const double rest = moved * l->scale - (double)(k + 1);
        rests.least = rest < rests.least ? rest : rests.least;
        rests.most = rest > rests.most ? rest : rests.most;
    }
    return rests;
}

// False where the device cannot compute with the line's numbers. Denormals are excluded,
// because a device may take them for zero; with the largest scale, a denormal is nothing.
static bool draw(struct line *l, double low, double scale)
{
    const bool is_double = l->key_size == 8;
    const double least = is_double ? DBL_MIN : FLT_MIN, most = is_double ? 0x1p1000 : 0x1p100,
                 lowest = is_double ? -DBL_MAX : -FLT_MAX;
    if (!(low >= lowest && scale >= least && scale <= most))
        return false;
    l->low = gp_place_rounded(l->key_size, low);
    l->scale = gp_place_rounded(l->key_size, scale);
    return true;
}

// The float that is not less.
static double rounded_up(size_t key_size, double slack)
{
    const double rounded = gp_place_rounded(key_size, slack);
    return rounded < slack ? gp_place_rounded(key_size, slack * (1 + 0x1p-22)) : rounded;
}

bool gp_search_interpolates(const struct gpuprim_classifier *c, const int64_t *keys, uint32_t n,
                            struct search_index *index)
{
    struct line l = { .key_size = gp_key_size(c->in), .n = n };
    const bool is_long = l.key_size == 8 && !gp_type_is_float(c->in);
    if (n < 2 || (is_long && (c->gp->caps.is_cpu || !c->gp->caps.has_fp64)))
        return false;
    const double first = key_number(c, keys[0]), last = key_number(c, keys[n - 1]);
    const double step = (last - first) / (double)(n - 1);
    if (!draw(&l, first - step, 1 / step))
        return false;
    // Rests are about as far below zero as above if low is moved by their mean.
    const struct rests rests = rests_of(c, &l, keys);
    if (!(rests.least >= -1 && rests.most <= 1) ||
        !draw(&l, l.low + (rests.least + rests.most) / 2 * step, l.scale))
        return false;
    const struct rests moved = rests_of(c, &l, keys);
    const double apart = -moved.least > moved.most ? -moved.least : moved.most;
    const double slack = rounded_up(l.key_size, apart + MARGIN);
    if (!(slack <= MOST_SLACK))
        return false;
    *index = (struct search_index){ .method = SEARCH_INTERPOLATE,
                                    .low = gp_place_bits(l.key_size, l.low),
                                    .scale = gp_place_bits(l.key_size, l.scale),
                                    .slack = gp_place_bits(l.key_size, slack),
                                    .words = (uint64_t)n * l.key_size / 4 };
    return true;
}
