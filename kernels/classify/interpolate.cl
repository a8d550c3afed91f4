// SPDX-License-Identifier: Apache-2.0
//
// classify: the search method INTERPOLATE (search.cl), for keys at about even distances. An
// element's place is computed in fractions, of which 2^shift make a place:
//
//     place = 1/2 + n * clamp((x - low) * scale, 0, 1)
//
//     key        k[0]      k[1]      k[2]      k[3]         n = 4
//     place  1/2  1         2         3         4   4 1/2
//                 |<->| doubt: slack fractions on either side of a whole number
//
// The computed place grows with x. That of key k is k + 1, except for at most `slack`
// fractions, which are at most a quarter of a place (src/classify/interpolate.c proves it).
// Farther than that from a whole number there is no doubt. Nearer, one key is compared with x.
// Beyond the keys the place ends at 1/2 and n + 1/2.

#if METHOD == METHOD_SEARCH && SEARCH_METHOD == SEARCH_INTERPOLATE
struct row_constants {
    PLACE_T low, scale, factor, offset;
    uint base, mask; // of whole places; of fractions
};

static void load_row(struct row_constants *k, ulong row, global const uint *all_tables,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
    const PLACE_T one = FRACTIONS((ulong)1 << MANTISSA, g->shift);
    k->low = FROM_BITS(g->low);
    k->scale = FROM_BITS(g->scale);
    k->factor = (PLACE_T)g->n;
    k->offset = one + (PLACE_T)0.5 + FRACTIONS(g->slack, g->shift);
#if BYTES == 8
    k->base = 0;
#else
    k->base = as_uint(one) >> g->shift;
#endif
    k->mask = (1u << g->shift) - 1;
}

// The place in fractions, plus `slack`. It is added to a power of two whose ulp is one
// fraction, so that the low bits of the sum count fractions. A NaN has some place; on CPUs,
// where it must be behind all keys, the last one.
static uint fractions_of(KEY_T x, const struct row_constants *k)
{
    const PLACE_T moved = (PLACE_T)x - k->low;
#if PTX && BYTES < 8
    float within;
    asm("mul.rn.sat.f32 %0, %1, %2;" : "=f"(within) : "f"(moved), "f"(k->scale));
    return as_uint(fma(within, k->factor, k->offset));
#else
    PLACE_T within = moved * k->scale;
    within = within < 1 ? within : 1;
    within = within > 0 ? within : 0;
    const PLACE_T sum = within * k->factor + k->offset;
#if BYTES == 8
    return (uint)as_ulong(sum);
#else
    return as_uint(sum);
#endif
#endif
}

// In doubt where this is at most 2 * slack.
static uint doubt_of(uint fractions, const struct row_constants *k)
{
    return fractions & k->mask;
}

static uint place_without_doubt(uint fractions, const struct row_constants *k,
                                const struct arguments *g)
{
    return (fractions >> g->shift) - k->base;
}

// The key that x may be near, from 0 on.
static uint nearest_key(uint fractions, const struct row_constants *k,
                        const struct arguments *g)
{
    const uint half_way = (k->mask + 1) / 2 - (uint)g->slack;
    return clamp(((fractions + half_way) >> g->shift) - k->base, 1u, g->n) - 1;
}

static uint place_of(KEY_T x, const struct row_constants *k, TABLE_SPACE const uint *tables,
                     const struct arguments *g)
{
    const uint key = nearest_key(fractions_of(x, k), k, g);
    return key + !(x < ((TABLE_SPACE const KEY_T *)(tables + g->index_at))[key]);
}
#endif
