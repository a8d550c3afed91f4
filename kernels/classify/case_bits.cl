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
// For each word of 32 cases an element takes as many reads of 4 bytes as there are looks, with
// four operations each, and at its end one read for the label. No branch depends on x.
//
// Macros  LOOKS       how many; 0: g.cells, and what they take is read from memory
//         CASE_WORDS  how many; 0: g.n
//
// Defines for label.cl: struct row_constants, load_row(), label_of_case()

#if METHOD == METHOD_BITS
#if !defined(LOOKS) || !defined(CASE_WORDS)
#error "LOOKS and CASE_WORDS must be defined"
#endif

struct row_constants {
#if LOOKS
    uint shift[LOOKS]; // of x, for each look
#else
    global const uint *shift;
#endif
};

static void load_row(struct row_constants *k, ulong row, global const uint *all_tables,
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

// The cases of a word that all looks allow.
static uint allowed(BITS_T bits, uint word, const struct row_constants *k,
                    TABLE_SPACE const uint *table, const struct arguments *g)
{
    const uint looks = LOOKS ? LOOKS : g->cells, low = (1u << g->shift) - 1;
    uint cases = ~0u;
    #pragma unroll
    for (uint i = 0; i < looks; i++)
        cases &= table[((word * looks + i) << g->shift) + ((uint)(bits >> k->shift[i]) & low)];
    return cases;
}

// The label of an element with these bits.
static uint label_of_case(BITS_T bits, const struct row_constants *k,
                          TABLE_SPACE const uint *tables, const struct arguments *g)
{
    TABLE_SPACE const uint *table = tables + g->index_at;
    const uint words = CASE_WORDS ? CASE_WORDS : g->n;
    uint at = words * 32; // behind all labels: that of no case
    #pragma unroll
    for (uint w = words; w-- > 0;) {
        const uint cases = allowed(bits, w, k, table, g);
        at = cases ? w * 32 + clz(cases) : at;
    }
    return tables[g->labels_at + at];
}
#endif
