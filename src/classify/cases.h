/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the rule CASES share. cases.c checks the rule and chooses how it is
 * computed; case_groups.c sorts the cases by their masks and finds those that can never decide;
 * case_chain.c, hash.c, case_bits.c, case_lists.c and ranges.c make the tables. */
#ifndef GP_CLASSIFY_CASES_H
#define GP_CLASSIFY_CASES_H

#include "classifier.h"

// A case that can decide. `number` is its place in the caller's list; the least decides.
struct ranked_case {
    uint64_t mask, value;
    uint32_t number;
};

// Cases with one mask lie side by side: cases[first] ... cases[first + n - 1].
struct case_group {
    uint64_t mask;
    uint32_t first, n;
};

// The cases that can decide, by mask and then by value, no two of them equal.
struct case_groups {
    struct ranked_case *cases;
    struct case_group *groups;
    uint32_t n_cases, n_groups;
    bool *is_left_out; // of each case of the list
};

// ---------------------------------------------------------------------------------------
// case_groups.c

// Sorts and divides the cases. gp_case_groups_free is right after a failure, too. Equal cases
// and those that an earlier case covers alone are marked as shadowed and are left out.
int gp_case_groups_make(const struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                        struct case_groups *g);
void gp_case_groups_free(struct case_groups *g);

// Leaves out the cases that are marked as shadowed.
void gp_case_groups_drop(struct case_groups *g);

// ---------------------------------------------------------------------------------------
// case_chain.c: the method CHAIN

// Makes the chain of the `n` cases that are not left out, behind which stands c->otherwise.
int gp_case_chain_make(struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                       const bool *is_left_out, uint32_t n);

// Whether to ask so many cases takes less than the table that the classifier has.
bool gp_case_chain_is_less(const struct gpuprim_classifier *c, uint32_t n);

// Makes the chain of all cases but the shadowed ones, for the table.
int gp_case_chain_make_listed(struct gpuprim_classifier *c, const struct gpuprim_cases *p);

// ---------------------------------------------------------------------------------------
// hash.c: the method HASH

// How many looks into tables an element takes; UINT32_MAX: the tables would be too large.
uint64_t gp_hash_looks(struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                       const struct case_groups *g);

// Makes the tables; *is_made is false where no turn's numbers give them, and then the
// classifier has none.
int gp_hash_make(struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                 const struct case_groups *g, bool *is_made);

// hash_places.c: the tables while they are made.
struct hash {
    struct gpuprim_classifier *c;
    const struct case_groups *g;
    uint32_t *codes;  // of each case of the caller's list
    uint32_t n_codes; // one more than the largest
    bool has_labels;  // codes are numbers of labels
    unsigned code_bits;

    uint64_t *entries; // those of 32 bits in the lower half
    uint32_t n_entries;
    uint32_t *owners; // of the places of a mask: a case, or none
    uint32_t *stamps; // of the places: one more than the turn that filled it
    uint32_t room;    // places of owners and stamps
};

// The tables of one mask. With one table its numbers stand twice.
struct mask_tables {
    uint64_t odds[2];
    uint32_t places, starts[2];
};

// The odd number of a turn. Turns are counted from 0.
uint64_t gp_hash_odd(uint32_t turn);

// Whether each mask may have one table. The struct needs c, g and code_bits.
bool gp_hash_fits_one_table(const struct hash *h);

// Bytes of two tables for each mask, of which each has places for all codes. As above.
uint64_t gp_hash_bytes(const struct hash *h);

// Finds the tables of all masks. The struct needs all before `entries`.
int gp_hash_find(struct hash *h, struct mask_tables *tables, bool *is_found);

// How many bits a number has.
static inline unsigned gp_bits_of(uint32_t n)
{
    unsigned bits = 0;
    for (; n; n >>= 1)
        bits++;
    return bits;
}

// ---------------------------------------------------------------------------------------
// case_bits.c: the method BITS

// How many looks into tables an element takes.
uint64_t gp_case_bits_looks(const struct case_groups *g);

int gp_case_bits_make(struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                      const struct case_groups *g);

// ---------------------------------------------------------------------------------------
// case_lists.c: the method LISTS

// The lowest of the bits that the sieve has, and of those that choose a list.
struct case_lists {
    unsigned sieve_at, at;
};

// What an element takes without any try: the looks into the sieve, for the list and for the
// label, and what waits for the longest list of a warp.
#define LISTS_LOOKS 5

// Chooses bits, so that few cases are tried, and says how many looks into tables an element takes;
// UINT64_MAX: lists would be too long. Not for CPUs.
uint64_t gp_case_lists_looks(const struct gpuprim_classifier *c, const struct case_groups *g,
                             struct case_lists *lists);

int gp_case_lists_make(struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                       const struct case_groups *g, const struct case_lists *lists);

// ---------------------------------------------------------------------------------------
// ranges.c: cases that take one range of values each

// Whether each of the cases does.
bool gp_ranges_are_all(const struct gpuprim_classifier *c, const struct gpuprim_cases *p);

// Marks the cases whose values earlier ones take, several of them together, too.
int gp_ranges_mark(const struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                   bool *is_shadowed);

// Makes the search.
int gp_ranges_make(struct gpuprim_classifier *c, const struct gpuprim_cases *p);

#endif
