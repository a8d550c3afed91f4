/* SPDX-License-Identifier: Apache-2.0
 *
 * Keys at about the same distance: the way EVEN of kernels/classify/place.cl, which computes an
 * element's place instead of searching it.
 *
 * The host chooses the numbers of the computation, `low` and `scale`, and proves from the bits
 * that the device gets how far the computed place of each key can be from the exact one:
 * `slack` parts. The proof repeats the device's roundings with gp_f32_bits, never with a
 * conversion to float, which a compiler may drop. */
#include "classify.h"

#include <float.h>
#include <string.h>

// A line from place 1/2, half a step before the first key, to place n + 1/2.
struct line {
    bool is_wide; // places are computed in double, because keys have 64 bits; else in float
    uint32_t n, shift;
    uint64_t low, scale; // bits of a double or a float
};

// A number as the device has it, rounded to what it computes in.
static uint64_t bits_of(const struct line *l, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return l->is_wide ? bits : gp_f32_bits(number);
}

static double number_of(const struct line *l, uint64_t bits)
{
    return l->is_wide ? gp_f64_number(bits) : gp_f32_number((uint32_t)bits);
}

static double rounded(const struct line *l, double number)
{
    return number_of(l, bits_of(l, number));
}

// A key as the device computes with it. An integer has at most 32 bits here, so that a double
// holds it before it is rounded.
static double key_number(const struct gpuprim_classifier *c, const struct line *l,
                         int64_t ordinal)
{
    uint64_t bits = 0;
    if (!gp_type_is_float(c->in))
        return rounded(l, (double)ordinal);
    gp_key_store(c->in, ordinal, &bits);
    return number_of(l, bits);
}

// The place of a key in parts, rounded down. For floats the device's difference and product are
// these to the bit: a double holds the product of two floats, and a difference of two floats
// that is rounded to double first is the same float. Its sum, fused or rounded twice to
// nearest, is this or one part more.
static int64_t parts_of(const struct line *l, double key)
{
    const double low = number_of(l, l->low), scale = number_of(l, l->scale);
    const double moved = rounded(l, key - low), within = rounded(l, moved * scale);
    const double bounded = within > 0 ? within < 1 ? within : 1 : 0;
    const double parts = (double)((uint64_t)1 << l->shift);
    return (int64_t)(bounded * (double)l->n * parts) + ((int64_t)1 << l->shift >> 1);
}

// False where the line has no numbers to be computed with. Denormals are none: a device may
// take them for zero.
static bool draw(struct line *l, double first, double last)
{
    unsigned whole_bits = 1; // of places up to n and three quarters
    while ((uint64_t)l->n >= (uint64_t)1 << whole_bits)
        whole_bits++;
    l->shift = (l->is_wide ? 31 : 23) - whole_bits;
    const double step = (last - first) / (double)(l->n - 1);
    const double low = first - step / 2, scale = 1 / (step * (double)l->n);
    l->low = bits_of(l, low);
    l->scale = bits_of(l, scale);
    if (l->is_wide)
        return low >= -DBL_MAX && scale >= DBL_MIN && scale <= 0x1p1000;
    return low >= -FLT_MAX && scale >= FLT_MIN && scale <= 0x1p100;
}

// How many parts the computed place of a key may be from k + 1, at most.
static int64_t slack_of(const struct gpuprim_classifier *c, const struct line *l,
                        const int64_t *keys)
{
    int64_t slack = 0;
    for (uint32_t k = 0; k < l->n; k++) {
        const int64_t parts = parts_of(l, key_number(c, l, keys[k]));
        const int64_t whole = (int64_t)(k + 1) << l->shift;
        const int64_t apart = parts < whole ? whole - parts : parts - whole;
        slack = apart > slack ? apart : slack;
    }
    // One part for the device's sum. A double is 2^20 times finer than a part, so that
    // one more covers every rounding of doubles, on the host too.
    return slack + (l->is_wide ? 2 : 1);
}

bool gp_classify_even(const struct gpuprim_classifier *c, const int64_t *keys, uint32_t n,
                      struct classify_aid *aid)
{
    struct line l = { .is_wide = gp_key_size(c->in) == 8, .n = n };
    if (n < 2 || (l.is_wide && !gp_type_is_float(c->in)) ||
        !draw(&l, key_number(c, &l, keys[0]), key_number(c, &l, keys[n - 1])))
        return false;
    const int64_t slack = slack_of(c, &l, keys);
    // Below a quarter the nearest whole number names the only key to ask, and half way between
    // keys nothing is in doubt.
    if (slack > (int64_t)1 << l.shift >> 2)
        return false;
    *aid = (struct classify_aid){ .way = CLASSIFY_EVEN,
                                  .shift = l.shift,
                                  .low = l.low,
                                  .scale = l.scale,
                                  .slack = (uint64_t)slack,
                                  .words = (uint64_t)n * gp_key_size(c->in) / 4 };
    return true;
}
