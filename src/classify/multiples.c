/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: the search method MULTIPLES (kernels/classify/multiples.cl) for keys that are 1, 2,
 * 3 ... times one number, each rounded to f32. The device computes every place exactly and reads
 * no key. search.c asks here on GPUs where keys suit INTERPOLATE. gpu_words.c says which calls
 * have it.
 *
 * The computed place never falls where elements grow, as the kernel says. So it is right
 * everywhere if it is right at each key and at the value before it. */
#include "classifier.h"

#include <float.h>

#include "src/core/round.h"

// With more keys the kernel's proof would not hold.
enum { MOST = 1 << 20, EXPONENT = 0x7f800000 };

static double f32_of(int64_t ordinal)
{
    uint32_t bits = 0;
    gp_key_store(GPUPRIM_F32, ordinal, &bits);
    return gp_f32_number(bits);
}

// The place that the device computes for a value of at least FLT_MIN. A double holds the product
// of two floats, and what is left of it. Of the last sum the sign alone matters.
static uint32_t place_of(double x, double scale, double half)
{
    const double product = x * scale;
    const uint32_t number = (uint32_t)(product + 0.5);
    const double rest = gp_f32_number(gp_f32_bits(product - number)),
                 binade = gp_f32_number(gp_f32_bits(x) & EXPONENT);
    return number - (rest + binade * half < 0);
}

static bool are_right(const int64_t *keys, uint32_t n, double scale)
{
    bool are = true;
    for (uint32_t k = 0; are && k < n; k++)
        are = place_of(f32_of(keys[k]), scale, scale * 0x1p-24) == k + 1 &&
              place_of(f32_of(keys[k] - 1), scale, scale * 0x1p-24) == k;
    return are;
}

void gp_search_multiplies(const struct gpuprim_classifier *c, const int64_t *keys, uint32_t n,
                          struct search_index *index)
{
    if (c->gp->caps.is_cpu || c->in != GPUPRIM_F32 || n > MOST)
        return;
    const double first = f32_of(keys[0]), last = f32_of(keys[n - 1]), about = n / last;
    // With such a scale neither products nor what is added are denormals, but those of values
    // before the first key, or beyond the largest float.
    if (!(first >= 2 * FLT_MIN && last <= FLT_MAX && about >= 0x1p-100 && about <= 0x1p100))
        return;
    const double scale = gp_f32_number(gp_f32_bits(about));
    if (!are_right(keys, n, scale))
        return;
    *index = (struct search_index){ .method = SEARCH_MULTIPLES,
                                    .low = gp_f32_bits(scale * 0x1p-24),
                                    .scale = gp_f32_bits(scale),
                                    .slack = gp_f32_bits(last) };
}
