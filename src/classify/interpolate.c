/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: the search method INTERPOLATE (kernels/classify/interpolate.cl) for keys at about
 * even distances, where arithmetic gives an element's place. search_index.c asks here first.
 *
 * The host chooses the numbers of the computation, `low` and `scale`. From the bits that the
 * device computes it proves how far the computed place of each key can be from the exact one:
 * `slack` fractions of a place. The proof repeats the device's roundings by gp_place_rounded,
 * never by a conversion to float, which a compiler may drop (src/core/round.c). */
#include "classify.h"

#include <float.h>

// A line from place 1/2, half a step before the first key, to place n + 1/2. Places are
// computed in double where keys have 64 bits, else in float.
struct line {
    size_t key_size;
    uint32_t n, shift;   // 2^shift fractions of a place
    uint64_t low, scale; // bits
};

// A key as the device computes with it. An integer has at most 32 bits here, so that a double
// holds it exactly before it is rounded.
static double key_number(const struct gpuprim_classifier *c, const struct line *l,
                         int64_t ordinal)
{
    uint64_t bits = 0;
    if (!gp_type_is_float(c->in))
        return gp_place_rounded(l->key_size, (double)ordinal);
    gp_key_store(c->in, ordinal, &bits);
    return gp_place_number(l->key_size, bits);
}

// The place of a key in fractions, rounded down. Where the device computes in float, its
// difference and product have the same bits: a double holds the product of two floats, and a
// difference of two floats that is rounded to double first is the same float. The device's sum,
// fused or rounded twice to nearest, is this number or one more.
static int64_t fractions_of(const struct line *l, double key)
{
    const double low = gp_place_number(l->key_size, l->low),
                 scale = gp_place_number(l->key_size, l->scale);
    const double moved = gp_place_rounded(l->key_size, key - low),
                 within = gp_place_rounded(l->key_size, moved * scale);
    const double bounded = within > 0 ? within < 1 ? within : 1 : 0;
    const double fractions = (double)((uint64_t)1 << l->shift);
    return (int64_t)(bounded * (double)l->n * fractions) + ((int64_t)1 << l->shift >> 1);
}

// False where the device cannot compute with the line's numbers. Denormals are excluded,
// because a device may take them for zero.
static bool draw(struct line *l, double first, double last)
{
    unsigned whole_bits = 1; // of places up to n + 3/4
    while ((uint64_t)l->n >= (uint64_t)1 << whole_bits)
        whole_bits++;
    l->shift = (l->key_size == 8 ? 31 : 23) - whole_bits;
    const double step = (last - first) / (double)(l->n - 1);
    const double low = first - step / 2, scale = 1 / (step * (double)l->n);
    l->low = gp_place_bits(l->key_size, low);
    l->scale = gp_place_bits(l->key_size, scale);
    if (l->key_size == 8)
        return low >= -DBL_MAX && scale >= DBL_MIN && scale <= 0x1p1000;
    return low >= -FLT_MAX && scale >= FLT_MIN && scale <= 0x1p100;
}

// How many fractions the computed place of key k may be from k + 1, at most.
static int64_t slack_of(const struct gpuprim_classifier *c, const struct line *l,
                        const int64_t *keys)
{
    int64_t slack = 0;
    for (uint32_t k = 0; k < l->n; k++) {
        const int64_t computed = fractions_of(l, key_number(c, l, keys[k]));
        const int64_t exact = (int64_t)(k + 1) << l->shift;
        const int64_t apart = computed < exact ? exact - computed : computed - exact;
        slack = apart > slack ? apart : slack;
    }
    // One fraction more for the device's sum. A double is 2^20 times finer than a fraction, so
    // that another one covers all roundings of doubles, on the host too.
    return slack + (l->key_size == 8 ? 2 : 1);
}

bool gp_search_interpolates(const struct gpuprim_classifier *c, const int64_t *keys, uint32_t n,
                            struct search_index *index)
{
    struct line l = { .key_size = gp_key_size(c->in), .n = n };
    if (n < 2 || (l.key_size == 8 && !gp_type_is_float(c->in)) ||
        !draw(&l, key_number(c, &l, keys[0]), key_number(c, &l, keys[n - 1])))
        return false;
    const int64_t slack = slack_of(c, &l, keys);
    // With less than a quarter of a place, the nearest whole number names the only key that may
    // have to be compared, and half way between keys there is no doubt.
    if (slack > (int64_t)1 << l.shift >> 2)
        return false;
    *index = (struct search_index){ .method = SEARCH_INTERPOLATE,
                                    .shift = l.shift,
                                    .low = l.low,
                                    .scale = l.scale,
                                    .slack = (uint64_t)slack,
                                    .words = (uint64_t)n * l.key_size / 4 };
    return true;
}
