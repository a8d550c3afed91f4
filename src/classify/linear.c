/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: the search method LINEAR (kernels/classify/linear.cl) for elements of 16 bits and
 * keys at about even distances: one linear function gives every value's place, and no table is
 * read. search.c asks here first on GPUs.
 *
 * The function must be right at each key and at the value before it. As it never falls, it is
 * then right everywhere between. So each key gives two limits to the function's number at 0, for
 * a given slope. The distance between the highest lower limit and the lowest upper one has one
 * maximum over all slopes, which is searched by thirds. It is asked of a few keys only, and of
 * the keys that contradict what came out. */
#include "classifier.h"

#include <float.h>
#include <string.h>

#include "src/core/round.h"

enum { MOST_ASKED = 256, FIRST_ASKED = 64, ROUNDS = 24, HALF_ULP = 0x1000, UPPER = 0x8000 };

// The function: a place is the whole number below (x * slope + low) / unit, or that itself.
// Floats: the device adds x * slope to 2^binade + low and rounds the sum down. 2^binade is not
// less than n + 2 + |low|, so that both sums are between 0 and 2^(binade + 1). An f32 has
// `shift` bits behind the point there, and `low` has no more. So the sum is never above the
// exact one, and its whole part is that of the exact one.
struct line {
    const struct gpuprim_classifier *c;
    const int64_t *keys;
    uint32_t n;       // without the last key, if that is apart
    uint32_t bias;    // floats: added to the bits of x as an f32
    bool is_apart;    // the last key is no even one, and is compared with
    int64_t from, to; // the ends of what the function is asked for
    unsigned shift;   // integers: of the unit; floats: bits of a sum behind the point
    double unit, slope, low;
    uint32_t asked[MOST_ASKED], n_asked;
};

// The whole number that is not greater.
static double floor_of(double x)
{
    const double whole = (double)(int64_t)x;
    return whole > x ? whole - 1 : whole;
}

static double rounded(double x)
{
    return gp_f32_number(gp_f32_bits(x));
}

// The whole number that is not greater than a + b, however small the lesser one is.
static double floor_of_sum(double a, double b)
{
    const double sum = a + b, back = sum - a, lost = (a - (sum - back)) + (b - back);
    const double whole = floor_of(sum);
    return whole == sum && lost < 0 ? whole - 1 : whole;
}

// An element as the function takes it: floats by their value, integers from the type's lowest on.
static double number_of(const struct line *l, int64_t ordinal)
{
    if (!gp_type_is_float(l->c->in))
        return (double)(ordinal - gp_ordinal_lowest(l->c->in));
    const uint16_t half = (uint16_t)(ordinal < 0 ? UPPER | -ordinal : ordinal);
    return gp_f32_number(gp_f16_widened(half) + l->bias);
}

// The limits that a key gives to `low`: not below *least, and below *most.
static void limits_of(const struct line *l, uint32_t k, double slope, double *least,
                      double *most)
{
    const double place = (k + 1.0) * l->unit;
    *least = place - number_of(l, l->keys[k]) * slope;
    *most = l->keys[k] > gp_ordinal_lowest(l->c->in)
                ? place - number_of(l, l->keys[k] - 1) * slope
                : DBL_MAX;
}

// How far the limits of the keys that are asked lie apart. Sets l->low between them.
static double room_of(struct line *l, double slope)
{
    double low = -number_of(l, l->from) * slope,
           high = (l->n + 1.0) * l->unit - number_of(l, l->to) * slope;
    for (uint32_t i = 0; i < l->n_asked; i++) {
        double least, most;
        limits_of(l, l->asked[i], slope, &least, &most);
        low = least > low ? least : low;
        high = most < high ? most : high;
    }
    l->low = low + (high - low) / 2;
    return high - low;
}

static double whole(const struct line *l, double slope)
{
    return l->unit > 1 ? floor_of(slope) : slope;
}

// The slope that leaves the most room. Slopes of integers are whole numbers.
static double best_slope(struct line *l, double from, double to)
{
    for (unsigned i = 0; i < 200 && to - from > (l->unit > 1 ? 2 : from * 1e-15); i++) {
        const double a = whole(l, from + (to - from) / 3), b = whole(l, to - (to - from) / 3);
        if (room_of(l, a) < room_of(l, b))
            from = a;
        else
            to = b;
    }
    double best = from;
    for (double slope = from; l->unit > 1 && slope <= to; slope++)
        best = room_of(l, slope) > room_of(l, best) ? slope : best;
    return best;
}

// ---------------------------------------------------------------------------------------
// What the device computes

static int64_t place_of(const struct line *l, int64_t ordinal)
{
    const double product = number_of(l, ordinal) * l->slope; // exact
    return (int64_t)(l->unit > 1 ? floor_of((product + l->low) / l->unit)
                                 : floor_of_sum(product, l->low));
}

// Rounds `low`, which has a place between its limits, to what the device adds. False where a
// sum has no bits behind the point.
static bool round_low(struct line *l)
{
    enum { MANTISSA = 23 };
    unsigned binade = 1;
    if (l->unit > 1) {
        l->low = floor_of(l->low);
        return true;
    }
    while (binade < MANTISSA &&
           (double)((uint64_t)1 << binade) < l->n + 2.0 + (l->low < 0 ? -l->low : l->low))
        binade++;
    l->shift = MANTISSA - binade;
    const double bits = (double)(1u << l->shift);
    l->low = floor_of(l->low * bits + 0.5) / bits;
    return l->shift > 0;
}

// Whether places are right before and at a key, of which the next may have the same value.
static bool is_right(const struct line *l, uint32_t k)
{
    const int64_t key = l->keys[k], lowest = gp_ordinal_lowest(l->c->in);
    return place_of(l, key) >= k + 1 && (key == lowest || place_of(l, key - 1) <= k);
}

// Whether all places are. If not, keys that are wrong are asked from now on.
static bool are_right(struct line *l)
{
    bool are = place_of(l, l->from) >= 0 && place_of(l, l->to) <= l->n;
    uint32_t next = 0;
    for (uint32_t k = 0; k < l->n; k++) {
        if (is_right(l, k))
            continue;
        are = false;
        if (l->n_asked < MOST_ASKED && k >= next) {
            l->asked[l->n_asked++] = k;
            next = k + l->n / 8;
        }
    }
    return are;
}

// ---------------------------------------------------------------------------------------

static bool find(struct line *l)
{
    const double first = number_of(l, l->keys[0]), last = number_of(l, l->keys[l->n - 1]);
    const double about = (l->n - 1) * l->unit / (last - first);
    l->n_asked = 0;
    for (uint32_t i = 0; i < FIRST_ASKED; i++)
        l->asked[l->n_asked++] = (uint32_t)((uint64_t)i * (l->n - 1) / (FIRST_ASKED - 1));
    for (unsigned round = 0; round < ROUNDS; round++) {
        l->slope = best_slope(l, whole(l, about * 0.75), whole(l, about * 1.5) + 1);
        if (l->unit == 1)
            l->slope = rounded(l->slope);
        if (!(room_of(l, l->slope) > 0) || !round_low(l))
            return false;
        const uint32_t asked = l->n_asked;
        if (are_right(l))
            return true;
        if (l->n_asked == asked)
            return false;
    }
    return false;
}

// Keys of closed bins on the right are the values behind even numbers. The last key may be, too,
// where the last bin alone is closed.
static bool find_of_floats(struct line *l)
{
    static const uint32_t biases[] = { HALF_ULP, 0, -HALF_ULP };
    const uint32_t n = l->n;
    l->unit = 1;
    l->from = l->keys[0] - 1;
    for (unsigned i = 0; i < 6; i++) {
        l->is_apart = i % 2;
        l->n = n - l->is_apart;
        l->to = l->keys[l->n - 1];
        l->bias = biases[i / 2];
        // The bits of 0 and less than 0 are not to become those of NaNs.
        if ((i / 2 < 2 || l->from > 0) && l->keys[0] != l->keys[l->n - 1] && find(l))
            return true;
    }
    return false;
}

// Sums are below 2^32. Keys that have no other even keys of the type beside them need no bounds.
static bool find_of_integers(struct line *l)
{
    unsigned bits = 0;
    while ((l->n + 1) >> bits)
        bits++;
    l->shift = 32 - bits;
    l->unit = (double)((uint64_t)1 << l->shift);
    if (find(l))
        return true;
    l->from = l->keys[0] - (l->keys[0] > gp_ordinal_lowest(l->c->in));
    l->to = l->keys[l->n - 1];
    return find(l);
}

// What the device takes for floats (kernels/classify/linear.cl).
static void store_floats(const struct line *l, struct search_index *index)
{
    uint32_t most;
    gp_key_store(l->c->in, l->to, &most);
    const double two = (double)((uint64_t)1 << (23 - l->shift));
    index->low = gp_f32_bits(two + l->low) | (uint64_t)most << 32;
    index->scale = gp_f32_bits(l->slope) | (uint64_t)l->shift << 32;
    index->shift = l->bias;
    const bool has_zero = l->from <= 0 && l->to >= 0;
    index->levels = (l->is_apart ? LINEAR_LAST_APART : 0) |
                    (l->bias != 0 && has_zero ? LINEAR_ONE_ZERO : 0);
}

// Elements are brought between the value before the first key and the last key.
bool gp_search_lines(const struct gpuprim_classifier *c, const int64_t *keys, uint32_t n,
                     struct search_index *index)
{
    enum { FEWEST_INTEGERS = 3, FEWEST_FLOATS = 5 };
    const bool is_float = gp_type_is_float(c->in);
    const int64_t lowest = gp_ordinal_lowest(c->in), highest = gp_ordinal_highest(c->in);
    if (c->gp->caps.is_cpu || gp_type_size(c->in) != 2 ||
        n < (is_float ? FEWEST_FLOATS : FEWEST_INTEGERS) || keys[0] == keys[n - 1] ||
        (is_float && (keys[0] <= lowest + 1 || keys[n - 1] >= highest)))
        return false;
    struct line l = { .c = c, .keys = keys, .n = n, .from = lowest, .to = highest };
    if (!(is_float ? find_of_floats(&l) : find_of_integers(&l)))
        return false;
    uint32_t ends[2];
    gp_key_store(c->in, l.from, &ends[0]);
    gp_key_store(c->in, is_float ? keys[n - 1] : l.to, &ends[1]);
    *index = (struct search_index){ .method = SEARCH_LINEAR };
    index->slack = ends[0] | (uint64_t)ends[1] << 32;
    if (is_float) {
        store_floats(&l, index);
        return true;
    }
    const uint32_t slope = (uint32_t)l.slope;
    index->levels = l.from > lowest || l.to < highest;
    index->low = (uint32_t)((int64_t)l.low - lowest * (int64_t)slope);
    index->scale = slope;
    index->shift = l.shift;
    return true;
}
