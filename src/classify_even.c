/* SPDX-License-Identifier: Apache-2.0
 *
 * Keys at about the same distance: the way EVEN of kernels/classify_place.cl, which computes
 * places instead of searching them. */
#include "classify.h"

#include <float.h>
#include <string.h>

// How parts are computed: in double where keys have 64 bits, else in float.
struct line {
    bool is_wide;
    uint32_t n, shift;
    double low, scale; // floats, unless wide
};

// A key as the kernels compute with it.
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

static double as_computed(const struct line *l, double number)
{
    return l->is_wide ? number : (double)(float)number;
}

static uint64_t number_bits(const struct line *l, double number)
{
    uint64_t bits;
    if (l->is_wide) {
        memcpy(&bits, &number, sizeof bits);
        return bits;
    }
    const float narrow = (float)number;
    uint32_t short_bits;
    memcpy(&short_bits, &narrow, sizeof short_bits);
    return short_bits;
}

// The place of a key in parts. The device's difference and product are these; its sum, fused or
// rounded twice to nearest, is this or one part more.
static int64_t parts_of(const struct line *l, double key)
{
    const double moved = as_computed(l, key - l->low), within = as_computed(l, moved * l->scale);
    const double bounded = within > 0 ? within < 1 ? within : 1 : 0;
    const double parts = (double)((uint64_t)1 << l->shift);
    return (int64_t)(bounded * (double)l->n * parts) + ((int64_t)1 << l->shift >> 1);
}

// The line from place 1/2, half a step before the first key, to n + 1/2; false where it has no
// numbers to be computed with. Denormals are none: a device may take them for zero.
static bool draw(struct line *l, double first, double last)
{
    unsigned whole_bits = 1; // of places up to n and three quarters
    while ((uint64_t)l->n >= (uint64_t)1 << whole_bits)
        whole_bits++;
    l->shift = (l->is_wide ? 31 : 23) - whole_bits;
    const double step = (last - first) / (double)(l->n - 1);
    const double low = first - step / 2, scale = 1 / (step * (double)l->n);
    if (!l->is_wide && !(low >= -FLT_MAX && scale >= FLT_MIN && scale <= 0x1p100))
        return false;
    l->low = as_computed(l, low);
    l->scale = as_computed(l, scale);
    return l->is_wide ? low >= -DBL_MAX && scale >= DBL_MIN && scale <= 0x1p1000 : true;
}

bool gp_classify_even(const struct gpuprim_classifier *c, const int64_t *keys, uint32_t n,
                      struct classify_aid *aid)
{
    struct line l = { .is_wide = gp_key_size(c->in) == 8, .n = n };
    if (n < 2 || (l.is_wide && !gp_type_is_float(c->in)) ||
        !draw(&l, key_number(c, keys[0]), key_number(c, keys[n - 1])))
        return false;
    int64_t slack = 0;
    for (uint32_t k = 0; k < n; k++) {
        const int64_t parts = parts_of(&l, key_number(c, keys[k]));
        const int64_t whole = (int64_t)(k + 1) << l.shift;
        const int64_t apart = parts < whole ? whole - parts : parts - whole;
        slack = apart > slack ? apart : slack;
    }
    slack += 1; // what the device may differ by
    // Below a quarter the nearest whole number names the only key to ask, and half way between keys
    // nothing is in doubt.
    if (slack > (int64_t)1 << l.shift >> 2)
        return false;
    *aid = (struct classify_aid){ .way = CLASSIFY_EVEN,
                                  .shift = l.shift,
                                  .low = number_bits(&l, l.low),
                                  .scale = number_bits(&l, l.scale),
                                  .slack = (uint64_t)slack,
                                  .words = (uint64_t)n * gp_key_size(c->in) / 4 };
    return true;
}
