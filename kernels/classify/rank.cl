// SPDX-License-Identifier: Apache-2.0
//
// classify: the search method RANK (search.cl), for elements of 16 bits. A bit for each value
// says whether it is a key. 16 neighbouring values make a word: the bits, and above them how
// many keys there are before.
//
//     values    | 16 of them      | 16 of them      | ...          65536 values
//     words     | bits | keys     | bits | keys     | ...          4096 words
//                        before            before
//
// So a place is one read and the number of bits up to that of x, whatever the keys are. A key that
// the caller wrote twice is there once, and a map gives the labels.
//
// Values are counted in their order. An f16 comes as its bits, and never becomes an f32: its
// magnitude counts up from 0, or down if it is negative. So both zeros are one value, and the
// words of negative NaNs, which are those below that of the negative infinity, have no other
// value: the host gives them the place that NaNs have (NAN_IS_LAST). Positive NaNs have it as
// all that is behind the keys.

// In gpu_words rows may have words of their own (OWN_KEYS: OWN_RANKS, own_ranks.cl). Where some of
// a row's keys are equal, a rank is no place yet (RANK_PLACES); elements may be counted by it (COUNT_RANKS).

#if METHOD == METHOD_SEARCH && SEARCH_METHOD == SEARCH_RANK
#if OWN_KEYS == OWN_RANKS
#define RANK_SPACE local
#else
#define RANK_SPACE TABLE_SPACE
#endif
#if RANK_PLACES == PLACES_LOCAL
#define PLACE_SPACE local
#else
#define PLACE_SPACE global
#endif

#define RANK_OF_0 (IS_FLOAT || IS_SIGNED ? RANK_WORDS / 2 : 0)

struct row_constants {
    RANK_SPACE const uint *words; // that of 0
#if RANK_PLACES && !COUNT_RANKS
    PLACE_SPACE const ushort *places; // of the row
#endif
};

#if OWN_KEYS != OWN_RANKS
static void load_row(struct row_constants *k, ulong row, ALL_SPACE const uint *all_tables,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
    k->words = one_address(tables + g->index_at + RANK_OF_0);
}
#endif

static uint place_of(KEY_T x, const struct row_constants *k, TABLE_SPACE const uint *tables,
                     const struct arguments *g)
{
#if IS_FLOAT
    const int sign = x >> 31, value = (x ^ sign) + sign * 32767;
#else
    const int value = (int)x;
#endif
    const uint word = k->words[value >> 4],
               rank = (word >> 16) + popcount(word << ((~value & 15) | 16));
#if RANK_PLACES && !COUNT_RANKS
    return k->places[rank];
#else
    return rank;
#endif
}
#endif
