// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_words: keys of each row's own among elements of 16 bits, in long rows
// (OWN_RANKS). A group works on one row, and copies the words of RANK that the host made of the
// row's keys to local memory: 16 KiB, whatever the keys are.
//
//     ranks    | row 0: 4096 words | row 1: 4096 words | ...      rank.cl shows a word
//
// An element takes the one read of RANK. Those of a tree wait for one another, and those of its
// lower levels meet in banks: of 71 keys about seven accesses of local memory and some thirty
// operations. H100, driver 580.159.04, 2026-11-27, u16, 71 keys and 72 counts, 10 rows of 17665116:
// 348 us by the tree, 150 by these. Of 27213 keys there is no tree: i16, as many counts, 24 columns
// of 6981586 4471 by gpu_tiles, 2184 by these.
//
// Macro   OWN_RANKS  1: SEARCH_METHOD is SEARCH_RANK, and each row has words of its own
//
// Defines fill_ranks()      called by all items, before a barrier
//         load_own_ranks()  row_constants of the row

#ifndef OWN_RANKS
#error "OWN_RANKS must be defined"
#endif

#if OWN_RANKS
static void fill_ranks(local uint *to, ulong row, global const uint *all_tables,
                       const struct arguments *g)
{
    global const uint4 *from =
        (global const uint4 *)(all_tables + g->ranks_at + (g->row + row) * RANK_WORDS);
    for (uint i = get_local_id(0); i < RANK_WORDS / 4; i += WG)
        ((local uint4 *)to)[i] = from[i];
}

static void load_own_ranks(struct row_constants *k, local const uint *words)
{
    k->words = words + RANK_OF_0;
}
#endif
