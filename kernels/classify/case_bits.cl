// SPDX-License-Identifier: Apache-2.0
//
// classify, baseline and gpu_words: the method BITS, which finds a case of any mask by bit
// vectors. Each look takes some bits of x, which are the index of a table. The table's words
// have a bit for each case: 1 where the case allows these bits. The first case that all looks
// allow decides:
//
//     x      | look 2 | look 1 | look 0 |
//     word 0   01101..  11100..  01111..     ANDed: 01100..  its first bit is case 1
//     word 1   cases 32 ... 63               the same; the words are taken from the last one
//
// The words of a value lie side by side, and are read CASE_WIDTH at once. Most elements meet
// none of many cases, which two looks of 8 bits show for all but a few. So the others are left
// out where these two allow no case. For each CASE_WIDTH words an element takes two reads of 4,
// 8 or 16 bytes, rarely more, with four operations each, and at its end one read for the label.
//
// Macros  LOOKS       how many; 0: g.cells, and what they take is read from memory
//         CASE_WORDS  how many; 0: g.n. A multiple of CASE_WIDTH
//         CASE_WIDTH  1, 2 or 4
//
// Defines for label.cl: struct row_constants, load_row(), label_of_case()

#if METHOD == METHOD_BITS
#if !defined(LOOKS) || !defined(CASE_WORDS) || !defined(CASE_WIDTH)
#error "LOOKS, CASE_WORDS and CASE_WIDTH must be defined"
#endif

#define FIRST_LOOKS 2 // before the question whether any case is left

struct row_constants {
#if LOOKS
    uint shift[LOOKS]; // of x, for each look
#else
    ALL_SPACE const uint *shift;
#endif
};

static void load_row(struct row_constants *k, ulong row, ALL_SPACE const uint *all_tables,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
#if LOOKS
    #pragma unroll
    for (uint i = 0; i < LOOKS; i++)
        k->shift[i] = all_tables[i];
#else
    k->shift = all_tables;
#endif
}

// Leaves of CASE_WIDTH words, of which the first is `word`, the cases that look i allows.
static void allow(uint *cases, BITS_T bits, uint i, uint word, uint words,
                  const struct row_constants *k, TABLE_SPACE const uint *table,
                  const struct arguments *g)
{
    const uint low = (1u << g->shift) - 1;
    const uint value = (i << g->shift) + ((uint)(bits >> k->shift[i]) & low);
    TABLE_SPACE const uint *from = table + value * words + word;
#if CASE_WIDTH == 4
    const uint4 v = *(TABLE_SPACE const uint4 *)from;
    cases[0] &= v.x;
    cases[1] &= v.y;
    cases[2] &= v.z;
    cases[3] &= v.w;
#elif CASE_WIDTH == 2
    const uint2 v = *(TABLE_SPACE const uint2 *)from;
    cases[0] &= v.x;
    cases[1] &= v.y;
#else
    cases[0] &= *from;
#endif
}

// The label of an element with these bits.
static uint label_of_case(BITS_T bits, const struct row_constants *k,
                          TABLE_SPACE const uint *tables, const struct arguments *g)
{
    TABLE_SPACE const uint *table = tables + g->index_at;
    const uint words = CASE_WORDS ? CASE_WORDS : g->n, looks = LOOKS ? LOOKS : g->cells;
    uint at = words * 32; // behind all labels: that of no case
    #pragma unroll
    for (uint w = words; w > 0; w -= CASE_WIDTH) {
        uint cases[CASE_WIDTH], any = 0;
        #pragma unroll
        for (uint e = 0; e < CASE_WIDTH; e++)
            cases[e] = ~0u;
        #pragma unroll
        for (uint i = 0; i < FIRST_LOOKS; i++)
            if (i < looks)
                allow(cases, bits, i, w - CASE_WIDTH, words, k, table, g);
        #pragma unroll
        for (uint e = 0; e < CASE_WIDTH; e++)
            any |= cases[e];
        if (!any)
            continue;
        #pragma unroll
        for (uint i = FIRST_LOOKS; i < looks; i++)
            allow(cases, bits, i, w - CASE_WIDTH, words, k, table, g);
        #pragma unroll
        for (uint e = CASE_WIDTH; e-- > 0;)
            at = cases[e] ? (w - CASE_WIDTH + e) * 32 + clz(cases[e]) : at;
    }
    return tables[g->labels_at + at];
}
#endif
