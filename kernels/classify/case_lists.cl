// SPDX-License-Identifier: Apache-2.0
//
// classify: the method LISTS, which tries the few cases that some bits of x allow. Two fields of
// neighbouring bits are looked up at once:
//
//     x       | ...  16 bits  ...   12 bits  ... |
//                       |              |
//                     sieve          starts       a bit: may any case have these 16 bits?
//                       |              |          where the list of the cases that allow these 12
//                       +----- and ----+          bits begins, or that there is none
//                               |
//     entries   | case 3 | case 8 | case 20, last | ...     in the order of the caller's list
//                  |
//     pairs     (x & mask) == value?     the first of the list that says so decides
//
// An element takes two reads of 2 and 4 bytes and some eight operations; then for each case that
// is tried one of 2 bytes, one of a mask and its value, and eight operations; and at its end one
// read for the label. The items of a warp take as many turns as the one that tries most cases.
// The looks of a few elements are under way at once.
//
// Defines for label.cl: struct row_constants, load_row(), labels_of_lists()

#if METHOD == METHOD_LISTS

#define LIST_SIEVE_WORDS (1 << (LIST_SIEVE_BITS - 5))
#define LIST_START_WORDS (1 << (LIST_BITS - 1))
#if BYTES == 8
#define PAIR_T ulong2
#else
#define PAIR_T uint2
#endif

struct row_constants {
    uint sieve_shift, list_shift; // of x
};

static void load_row(struct row_constants *k, ulong row, ALL_SPACE const uint *all_tables,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
    k->sieve_shift = all_tables[0];
    k->list_shift = all_tables[1];
}

// Where the list of an element begins; NO_LIST: it meets no case.
static uint list_of(BITS_T bits, const struct row_constants *k, TABLE_SPACE const uint *sieve)
{
    TABLE_SPACE const ushort *starts = (TABLE_SPACE const ushort *)(sieve + LIST_SIEVE_WORDS);
    const uint bit = (uint)(bits >> k->sieve_shift) & ((1u << LIST_SIEVE_BITS) - 1);
    const uint list = (uint)(bits >> k->list_shift) & ((1u << LIST_BITS) - 1);
    const uint start = starts[list];
    return sieve[bit >> 5] >> (bit & 31) & 1 ? start : NO_LIST;
}

// The first case of the list from `at` on that x meets; g.n: none.
static uint case_of_list(BITS_T bits, uint at, TABLE_SPACE const uint *sieve,
                         const struct arguments *g)
{
    TABLE_SPACE const PAIR_T *pairs =
        (TABLE_SPACE const PAIR_T *)(sieve + LIST_SIEVE_WORDS + LIST_START_WORDS);
    TABLE_SPACE const ushort *entries = (TABLE_SPACE const ushort *)(pairs + g->n);
    uint found = g->n;
    #pragma unroll 1
    while (at != NO_LIST) {
        const uint entry = entries[at], number = entry & (LAST_OF_LIST - 1);
        const PAIR_T pair = pairs[number];
        const bool is_case = (bits & pair.x) == pair.y;
        found = is_case ? number : found;
        at = is_case || entry & LAST_OF_LIST ? NO_LIST : at + 1;
    }
    return found;
}

// The labels of a few elements.
static __attribute__((always_inline)) void labels_of_lists(uint *label, const KEY_T *x, uint few,
                                                           const struct row_constants *k,
                                                           TABLE_SPACE const uint *tables,
                                                           const struct arguments *g)
{
    TABLE_SPACE const uint *sieve = tables + g->index_at;
    #pragma unroll
    for (uint e = 0; e < few; e++)
        label[e] = list_of(BITS(x[e]), k, sieve);
    #pragma unroll
    for (uint e = 0; e < few; e++)
        label[e] = tables[g->labels_at + case_of_list(BITS(x[e]), label[e], sieve, g)];
}
#endif
