/* SPDX-License-Identifier: Apache-2.0
 *
 * classify, the rule CASES (cases.h): the method HASH, a hash table for each mask.
 *
 *     h      (x & mask) * odd number          so that different values have different h
 *     place  upper 32 bits of h * places / 2^32
 *     entry  h << code bits | code            a table has at least 2^(code bits) places, so that
 *                                             the bits of h that the shift drops follow from the
 *                                             place
 *
 * So entry ^ (h << code bits) is the code where the case matches, and is no less than 2^(code
 * bits) where it does not. The least code of all masks decides. Codes are labels, where that
 * is the order of the cases, or else numbers of labels. An empty place has the code that is one
 * more than all others.
 *
 * A few cases have one odd number without collisions. More cases have two odd numbers and two
 * tables, and stand in one of them (cuckoo hashing). Both are found by trying. */
#include "cases.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAST_PLACES = 16,
    // One table, without collisions: places by the square of the number of cases, but at most so
    // many bytes for all masks together.
    ONE_TABLE_BYTES = 32768,
    ONE_TABLE_TURNS = 2048, // most end after some twenty cases
    // Two tables: less than half full, they are found in a few turns; then larger ones are tried.
    TWO_TABLES_TURNS = 32,
    LARGER_TURNS = 8,
    MOST_MOVES = 500, // of cases, until one has a place
    // So many places are given to labels that are codes, also where there are few cases.
    LABEL_PLACES = 1024,
};

// The tables while they are made.
struct hash {
    struct gpuprim_classifier *c;
    const struct case_groups *g;
    uint32_t *codes;  // of each case of the caller's list
    uint32_t n_codes; // one more than the largest
    bool has_labels;  // codes are numbers of labels
    unsigned code_bits;

    uint64_t *entries; // those of 32 bits in the lower half
    uint32_t n_entries;
    uint32_t *owners; // of the places of a mask: a case, or NOBODY
    uint32_t *stamps; // of the places: one more than the turn that filled it
    uint32_t room;    // places of owners and stamps
};
#define NOBODY UINT32_MAX

// The tables of one mask. With one table its numbers stand twice.
struct mask_tables {
    uint64_t odds[2];
    uint32_t places, starts[2];
};

// SplitMix64, at the turn's place in its sequence.
uint64_t gp_hash_odd(uint32_t turn)
{
    uint64_t z = ((uint64_t)turn + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (z ^ z >> 31) | 1;
}

// ---------------------------------------------------------------------------------------
// Codes

static unsigned bits_of(uint32_t n)
{
    unsigned bits = 0;
    for (; n; n >>= 1)
        bits++;
    return bits;
}

static uint32_t largest_group(const struct case_groups *g)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < g->n_groups; i++)
        most = g->groups[i].n > most ? g->groups[i].n : most;
    return most;
}

// Whether labels can be codes: the least code decides among several masks, and codes take bits
// from the places.
static bool labels_are_codes(const struct gpuprim_cases *p, const struct case_groups *g)
{
    const uint32_t most = 2 * largest_group(g);
    const uint64_t places = most > LABEL_PLACES ? most : LABEL_PLACES;
    uint32_t before = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        const uint32_t label = p->list[k].label;
        if (g->is_left_out[k])
            continue;
        if (label == GPUPRIM_REJECT || (uint64_t)1 << bits_of(label + 1) > places ||
            (g->n_groups > 1 && label < before))
            return false;
        before = label;
    }
    return true;
}

// Neighbouring cases of one label have one code.
static void number_labels(struct hash *h, const struct gpuprim_cases *p)
{
    uint32_t before = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        if (h->g->is_left_out[k])
            continue;
        if (h->n_codes == 0 || p->list[k].label != before)
            h->n_codes++;
        before = p->list[k].label;
        h->codes[k] = h->n_codes - 1;
    }
}

static void make_codes(struct hash *h, const struct gpuprim_cases *p)
{
    h->has_labels = !labels_are_codes(p, h->g);
    if (h->has_labels)
        number_labels(h, p);
    for (uint32_t k = 0; !h->has_labels && k < p->count; k++)
        if (!h->g->is_left_out[k]) {
            h->codes[k] = p->list[k].label;
            if (h->codes[k] >= h->n_codes)
                h->n_codes = h->codes[k] + 1;
        }
    h->code_bits = bits_of(h->n_codes);
}

// ---------------------------------------------------------------------------------------
// Places

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
    return (uint32_t)(h->c->gp->caps.is_cpu ? (uint64_t)1 << bits_of((uint32_t)places - 1)
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

// Whether each mask may have one table.
static bool fit_one_table(const struct hash *h)
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
    const uint32_t places = at_least(h, (uint64_t)group->n + group->n / 16 + 8);
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

// ---------------------------------------------------------------------------------------
// The classifier's tables

// kernels/classify/classify.cl has the layout.
static int write_tables(struct hash *h, const struct gpuprim_cases *p,
                        const struct mask_tables *tables)
{
    struct gpuprim_classifier *c = h->c;
    const uint32_t n = h->g->n_groups;
    const size_t size = gp_key_size(c->in), words = size / sizeof(uint32_t);
    const uint64_t labels = 3 * (uint64_t)n * words + 3 * (uint64_t)n;
    c->labels_at = h->has_labels ? labels : 0;
    c->index_at = (labels + (h->has_labels ? h->n_codes + 1 : 0) + 1) & ~(uint64_t)1;
    c->words = c->index_at + h->n_entries * words;
    c->tables = calloc(c->words, sizeof *c->tables);
    if (!c->tables)
        return gp_classify_no_memory();
    char *numbers = (char *)c->tables;
    uint32_t *places = c->tables + 3 * (uint64_t)n * words;
    for (uint32_t i = 0; i < n; i++) { // hosts and devices are little-endian
        memcpy(numbers + i * size, &h->g->groups[i].mask, size);
        for (int way = 0; way < 2; way++) {
            memcpy(numbers + ((1 + way) * n + i) * size, &tables[i].odds[way], size);
            places[(1 + way) * n + i] = tables[i].starts[way];
        }
        places[i] = tables[i].places;
    }
    for (uint32_t k = 0; h->has_labels && k < p->count; k++)
        if (!h->g->is_left_out[k])
            c->tables[c->labels_at + h->codes[k]] = p->list[k].label;
    if (h->has_labels)
        c->tables[c->labels_at + h->n_codes] = c->otherwise;
    for (uint32_t i = 0; i < h->n_entries; i++)
        memcpy(c->tables + c->index_at + i * words, &h->entries[i], size);
    c->method = METHOD_HASH;
    c->n = n;
    c->classes = h->n_codes;
    c->code_bits = h->code_bits;
    return GPUPRIM_OK;
}

static int find_all(struct hash *h, struct mask_tables *tables, bool *is_found)
{
    const bool one = fit_one_table(h);
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

int gp_hash_make(struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                 const struct case_groups *g, bool *is_made)
{
    struct hash h = { .c = c, .g = g };
    struct mask_tables *tables = malloc(((size_t)g->n_groups + 1) * sizeof *tables);
    h.codes = malloc(((size_t)p->count + 1) * sizeof *h.codes);
    int status = tables && h.codes ? GPUPRIM_OK : gp_classify_no_memory();
    if (!status) {
        make_codes(&h, p);
        status = find_all(&h, tables, is_made);
    }
    if (!status && *is_made)
        status = write_tables(&h, p, tables);
    free(tables);
    free(h.codes);
    free(h.entries);
    free(h.owners);
    free(h.stamps);
    return status;
}
