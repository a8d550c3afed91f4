/* SPDX-License-Identifier: Apache-2.0
 *
 * classify, the method HASH (hash.c): finds odd numbers for which each case has a place. Few
 * cases of a mask have one odd number without collisions. More have two odd numbers and two
 * tables, and stand in one of them (cuckoo hashing). Both are found by trying one number after
 * another, in an order that is the same on all hosts. */
#include "cases.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAST_PLACES = 16,
    // One table, without collisions: places by the square of the number of cases, but at most so
    // many bytes for all masks together.
    ONE_TABLE_BYTES = 32768,
    ONE_TABLE_TURNS = 2048, // most end after some hundred cases
    // Two tables: less than half full, they are found in a few turns; then larger ones are tried.
    TWO_TABLES_TURNS = 32,
    LARGER_TURNS = 8,
    MOST_MOVES = 500, // of cases, until one has a place
};
#define NOBODY UINT32_MAX

// SplitMix64, at the turn's place in its sequence.
uint64_t gp_hash_odd(uint32_t turn)
{
    uint64_t z = ((uint64_t)turn + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (z ^ z >> 31) | 1;
}

static bool is_wide(const struct hash *h)
{
    return gp_key_size(h->c->in) == 8;
}

static uint64_t hashed(const struct hash *h, uint64_t value, uint64_t odd)
{
    return is_wide(h) ? value * odd : (uint32_t)(value * odd);
}

static uint32_t place_in(const struct hash *h, uint64_t hash, uint32_t places)
{
    return (uint32_t)((is_wide(h) ? hash >> 32 : hash) * places >> 32);
}

static uint32_t at_least(const struct hash *h, uint64_t places)
{
    const uint64_t codes = (uint64_t)1 << h->code_bits;
    places = places > codes ? places : codes;
    places = places > LEAST_PLACES ? places : LEAST_PLACES;
    return (uint32_t)(h->c->gp->caps.is_cpu ? (uint64_t)1 << gp_bits_of((uint32_t)places - 1)
                                            : places);
}

// Places of one table for a mask's cases; 0: there are too many cases.
static uint32_t one_table_places(const struct hash *h, uint32_t n)
{
    const uint64_t most = ONE_TABLE_BYTES / gp_key_size(h->c->in), square = (uint64_t)n * n;
    if (square > 11 * most) // one turn in 250 has no collision
        return 0;
    return at_least(h, square / 6 < most ? square / 6 : most);
}

static uint32_t two_tables_places(const struct hash *h, uint32_t n)
{
    return at_least(h, (uint64_t)n + n / 16 + 8);
}

bool gp_hash_fits_one_table(const struct hash *h)
{
    uint64_t places = 0;
    for (uint32_t i = 0; i < h->g->n_groups; i++) {
        const uint32_t its = one_table_places(h, h->g->groups[i].n);
        if (!its)
            return false;
        places += its;
    }
    return places * gp_key_size(h->c->in) <= ONE_TABLE_BYTES;
}

uint64_t gp_hash_bytes(const struct hash *h)
{
    uint64_t places = 0;
    for (uint32_t i = 0; i < h->g->n_groups; i++)
        places += 2 * (uint64_t)two_tables_places(h, h->g->groups[i].n);
    return places * gp_key_size(h->c->in);
}

static int make_room(struct hash *h, uint32_t places)
{
    if (places <= h->room)
        return GPUPRIM_OK;
    free(h->owners);
    free(h->stamps);
    h->room = places;
    h->owners = malloc(places * sizeof *h->owners);
    h->stamps = calloc(places, sizeof *h->stamps);
    return h->owners && h->stamps ? GPUPRIM_OK : gp_classify_no_memory();
}

// Puts the cases into one table; false: two of them have one place.
static bool enter_alone(struct hash *h, const struct case_group *group,
                        const struct mask_tables *t, uint32_t stamp)
{
    for (uint32_t i = 0; i < group->n; i++) {
        const uint64_t value = h->g->cases[group->first + i].value;
        const uint32_t at = place_in(h, hashed(h, value, t->odds[0]), t->places);
        if (h->stamps[at] == stamp)
            return false;
        h->stamps[at] = stamp;
        h->owners[at] = group->first + i;
    }
    return true;
}

// Puts the cases into two tables; false: one of them has found no place after many moves.
static bool enter_both(struct hash *h, const struct case_group *group,
                       const struct mask_tables *t)
{
    for (uint32_t at = 0; at < 2 * t->places; at++)
        h->owners[at] = NOBODY;
    for (uint32_t i = 0; i < group->n; i++) {
        uint32_t one = group->first + i, way = 0;
        for (int moves = 0; one != NOBODY; moves++, way ^= 1) {
            if (moves > MOST_MOVES)
                return false;
            const uint64_t hash = hashed(h, h->g->cases[one].value, t->odds[way]);
            uint32_t *owner = &h->owners[way * t->places + place_in(h, hash, t->places)];
            const uint32_t before = *owner;
            *owner = one;
            one = before;
        }
    }
    return true;
}

// Appends the places that were found as entries.
static int append(struct hash *h, struct mask_tables *t, unsigned ways, uint32_t stamp)
{
    const uint32_t n = ways * t->places;
    uint64_t *entries = realloc(h->entries, ((size_t)h->n_entries + n) * sizeof *h->entries);
    if (!entries)
        return gp_classify_no_memory();
    h->entries = entries;
    for (uint32_t at = 0; at < n; at++) {
        const bool is_taken = ways == 1 ? h->stamps[at] == stamp : h->owners[at] != NOBODY;
        const struct ranked_case *x = is_taken ? &h->g->cases[h->owners[at]] : NULL;
        entries[h->n_entries + at] = x ? hashed(h, x->value, t->odds[at / t->places])
                                                 << h->code_bits |
                                             h->codes[x->number]
                                       : h->n_codes;
    }
    t->starts[0] = h->n_entries;
    t->starts[1] = h->n_entries + (ways - 1) * t->places;
    h->n_entries += n;
    return GPUPRIM_OK;
}

static int find_one(struct hash *h, const struct case_group *group, struct mask_tables *t,
                    bool *is_found)
{
    t->places = one_table_places(h, group->n);
    const int status = make_room(h, t->places);
    if (status)
        return status;
    memset(h->stamps, 0, h->room * sizeof *h->stamps);
    for (uint32_t turn = 0; turn < ONE_TABLE_TURNS; turn++) {
        t->odds[0] = t->odds[1] = gp_hash_odd(turn);
        *is_found = enter_alone(h, group, t, turn + 1);
        if (*is_found)
            return append(h, t, 1, turn + 1);
    }
    return GPUPRIM_OK;
}

static int find_two(struct hash *h, const struct case_group *group, struct mask_tables *t,
                    bool *is_found)
{
    const uint32_t places = two_tables_places(h, group->n);
    const int status = make_room(h, 4 * places);
    if (status)
        return status;
    for (uint32_t turn = 0; turn < TWO_TABLES_TURNS + LARGER_TURNS; turn++) {
        t->places = turn < TWO_TABLES_TURNS ? places : 2 * places;
        t->odds[0] = gp_hash_odd(2 * turn);
        t->odds[1] = gp_hash_odd(2 * turn + 1);
        *is_found = enter_both(h, group, t);
        if (*is_found)
            return append(h, t, 2, 0);
    }
    return GPUPRIM_OK;
}

int gp_hash_find(struct hash *h, struct mask_tables *tables, bool *is_found)
{
    const bool one = gp_hash_fits_one_table(h);
    h->c->ways = 1;
    *is_found = true;
    for (uint32_t i = 0; *is_found && i < h->g->n_groups; i++) {
        const struct case_group *group = &h->g->groups[i];
        int status = GPUPRIM_OK;
        *is_found = false;
        if (one)
            status = find_one(h, group, &tables[i], is_found);
        if (!status && !*is_found) {
            status = find_two(h, group, &tables[i], is_found);
            h->c->ways = 2;
        }
        if (status)
            return status;
    }
    return GPUPRIM_OK;
}
