/* SPDX-License-Identifier: Apache-2.0
 *
 * Keys at about the same distance: the way EVEN of kernels/classify_place.cl, which computes the
 * one key that may be near an element instead of searching it. */
#include "classify.h"

#include <string.h>

// A key as the kernels compute with it: as double where keys have 64 bits, else as float.
static double key_number(const struct gpuprim_classifier *c, int64_t ordinal)
{
    if (!gp_type_is_float(c->in))
        return (double)(float)ordinal;
    uint64_t bits = 0;
    gp_key_store(c->in, ordinal, &bits);
    if (gp_key_size(c->in) == 8) {
        double number;
        memcpy(&number, &bits, sizeof number);
        return number;
    }
    const uint32_t short_bits = (uint32_t)bits;
    float number;
    memcpy(&number, &short_bits, sizeof number);
    return (double)number;
}

static uint64_t number_bits(bool is_wide, double number)
{
    uint64_t bits;
    if (is_wide) {
        memcpy(&bits, &number, sizeof bits);
        return bits;
    }
    const float narrow = (float)number;
    uint32_t short_bits;
    memcpy(&short_bits, &narrow, sizeof short_bits);
    return short_bits;
}

// e of the kernels. No operation may be contracted or carried with more precision: meson's
// c_std=c11 and SSE or later see to that.
static double steps_from(bool is_wide, double low, double scale, double key)
{
    if (is_wide)
        return (key - low) * scale;
    const float moved = (float)key - (float)low, steps = moved * (float)scale;
    return (double)steps;
}

bool gp_classify_even(const struct gpuprim_classifier *c, const int64_t *keys, uint32_t n,
                      struct classify_aid *aid)
{
    const bool is_wide = gp_key_size(c->in) == 8;
    if (n < 2 || (is_wide && !gp_type_is_float(c->in))) // no number has the room of 64 bits
        return false;
    const double low = key_number(c, keys[0]), last = key_number(c, keys[n - 1]);
    double scale = (double)(n - 1) / (last - low);
    if (!is_wide)
        scale = (double)(float)scale;
    if (!(scale > 0 && scale <= (is_wide ? 0x1p1000 : 0x1p100)))
        return false;
    double slack = 0;
    for (uint32_t k = 0; k < n; k++) {
        const double e = steps_from(is_wide, low, scale, key_number(c, keys[k]));
        const double apart = e < (double)k ? (double)k - e : e - (double)k;
        if (!(apart <= 0.25))
            return false;
        slack = apart > slack ? apart : slack;
    }
    *aid = (struct classify_aid){ .way = CLASSIFY_EVEN,
                                  .cells = n,
                                  .low = number_bits(is_wide, low),
                                  .scale = number_bits(is_wide, scale),
                                  .slack = number_bits(is_wide, slack),
                                  .words = (uint64_t)n * gp_key_size(c->in) / 4 };
    return true;
}
