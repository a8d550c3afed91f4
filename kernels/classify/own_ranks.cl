// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_words: keys of each row's own among elements of 16 bits, in long rows
// (OWN_RANKS). A group works on one row, and makes the words of RANK (rank.cl) of the row's keys
// in local memory: 16 KiB, whatever the keys are.
//
//     1  all words are 0
//     2  each key sets its bit
//     3  an item has neighbouring words, an odd number of them, so that items read from
//        different banks. It counts their bits, the group adds these up, and the item writes
//        into each word how many keys there are before
//
// Equal keys set one bit, so that ranks number the keys that differ. With RANK_PLACES a table of
// u16 gives the place for each rank. The host makes the table for each row, and a group copies it
// where local memory has room (PLACES_LOCAL). A NaN has the last entry:
//
//     keys      3 5 5 9        places    0 1 3 4 4
//
// With COUNT_RANKS elements are counted by rank, and the group looks up the places of its counters at
// the end. The host does so where elements are counted alone, there is no map, every place is a
// label, and NaNs are behind all keys of rows that have as many. A NaN has the rank of the last counter.
//
// H200, driver 580.159.04, 2026-11-30, us without ranks and so: f16, 2911 keys of each of 6
// channels, 2912 counts of all, 19 042 691; i16, 23 137 keys and counts of each of 51 rows,
// PLACES_GLOBAL, 13 719 2163; i16, 87 keys and counts of each of 2641 rows 356 257.
//
// An element takes the one read of RANK. Those of a tree wait for one another, and those of its
// lower levels meet in banks: of 71 keys about seven accesses of local memory and some thirty
// operations. H100, driver 580.159.04, 2026-11-27, by words that the host had made for each
// row: u16, 71 keys and 72 counts, 10 rows of 17665116: 348 us by the tree, 150 by these. Of
// 27213 keys there is no tree: i16, as many counts, 24 columns of 6981586 4471 by gpu_tiles,
// 2184 by these. By words that groups make, H200, driver 580.159.04, 2026-11-28, u16, 530 keys
// and 531 counts of all, 1573 rows of 121047: 210 us, 548 by the tree.
//
// A group reads 4 bytes for each key, and with PLACES_LOCAL 2 more, and takes about 100 operations
// of an item. With RANK_PLACES an element takes a second read, but not with COUNT_RANKS.
// Barriers: two, and two for each power of two below WG
//
// Macros  OWN_KEYS     OWN_RANKS: SEARCH_METHOD is SEARCH_RANK, and each row has words of its own
//         RANK_PLACES  0: no keys of a row are equal; else PLACES_GLOBAL, PLACES_LOCAL
//         COUNT_RANKS  1: the place of an element is its rank (counters.cl)
//
// Defines own_rank_words()  u32 of local memory that a row has
//         fill_ranks()      called by all items, before a barrier
//         load_own_ranks()  row_constants of the row

#if OWN_KEYS == OWN_RANKS
#ifndef RANK_PLACES
#error "RANK_PLACES must be defined"
#endif
#define ITEM_RANKS ((RANK_WORDS + WG - 1) / WG | 1)
#define NAN_RANKS  64u // words below that of the negative infinity

// The number of a key among all values. Keys of f16 are in memory as f32, others as 32 bits.
static uint rank_value(uint key)
{
#if IS_FLOAT
    ushort bits;
    vstore_half(as_float(key & 0x7fffffff), 0, (half *)&bits);
    const int value = key >> 31 ? -(int)bits : (int)bits;
#else
    const int value = (int)key;
#endif
    return (uint)(value + (int)(16 * RANK_OF_0));
}

// How many bits are in the words of the items before. The upper half of an item's first word
// has its sum meanwhile.
static uint ranks_before(local uint *to, uint first, uint end)
{
    uint sum = 0;
    for (uint w = first; w < end; w++)
        sum += popcount(to[w]);
    if (first < end)
        to[first] |= sum << 16;
    for (uint step = 1; step < WG; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint more = first < end && get_local_id(0) >= step
                              ? to[first - step * ITEM_RANKS] >> 16
                              : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (first < end)
            to[first] += more << 16;
    }
    return first < end ? (to[first] >> 16) - sum : 0;
}

static uint own_rank_words(const struct arguments *g)
{
    return RANK_WORDS + (RANK_PLACES == PLACES_LOCAL ? PLACES_WORDS(g->n) : 0);
}

#if RANK_PLACES
static global const uint *places_of_row(ulong row, global const uint *all_tables,
                                        const struct arguments *g)
{
    return all_tables + (g->places_at + (g->row + row) * PLACES_WORDS(g->n));
}
#endif

static void fill_ranks(local uint *to, ulong row, global const uint *all_tables,
                       const struct arguments *g)
{
    const ulong key_row = g->row + row;
    global const uint *keys = all_tables + key_row * g->n;
    const uint n = all_tables[g->rows_at + key_row];
    for (uint w = get_local_id(0); w < RANK_WORDS; w += WG)
        to[w] = 0;
#if RANK_PLACES == PLACES_LOCAL
    global const uint *places = places_of_row(row, all_tables, g);
    for (uint w = get_local_id(0); w < PLACES_WORDS(g->n); w += WG)
        to[RANK_WORDS + w] = places[w];
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = get_local_id(0); k < n; k += WG) {
        const uint value = rank_value(keys[k]);
        atomic_or(&to[value / 16], 1u << value % 16);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint first = get_local_id(0) * ITEM_RANKS,
               end = min(first + ITEM_RANKS, (uint)RANK_WORDS);
    uint before = ranks_before(to, first, end);
    const uint nans = COUNT_RANKS ? g->classes - 1 : n;
    for (uint w = first; w < end; w++) {
        const uint bits = to[w] & 0xffff;
        to[w] = (IS_FLOAT && w < NAN_RANKS ? nans : before) << 16 | bits;
        before += popcount(bits);
    }
}

static void load_own_ranks(struct row_constants *k, local const uint *words, ulong row,
                           global const uint *all_tables, const struct arguments *g)
{
    k->words = words + RANK_OF_0;
#if RANK_PLACES == PLACES_LOCAL
    k->places = (local const ushort *)(words + RANK_WORDS);
#elif RANK_PLACES && !COUNT_RANKS
    k->places = (global const ushort *)places_of_row(row, all_tables, g);
#endif
}
#endif
