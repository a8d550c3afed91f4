// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_words: what an item holds in registers for the methods TABLE and CHAIN, which
// look at the bits of x. label.cl does the rest.
//
// Of a table that is larger than local memory as much as fits is copied there; the rest is read
// through the caches. Prototype, H200, 2026-11-22, 65536 labels of u8, 49104 of them in local
// memory: 0.93 of a copy; all through the caches 0.53. Where most entries are alike, local
// memory has a sieve instead (SIEVED): a bit for each entry says whether it is another one,
// which is read through the caches:
//
//     local memory   | a bit for each entry | the usual entry |
//
// Where the index has several runs, gpu_words gathers those of two elements of 16 bits at once.
//
// Macros  RUNS        TABLE: runs of bits in the index; may be 0
//         ALL_BITS    TABLE: 1: the index is all bits of x
//         PART_LOCAL  TABLE: 1: a part of the table is in local memory
//         SIEVED      TABLE: 1: the sieve of the table is there
//         HELD_CASES  CHAIN: how many cases are held in registers: all, or 0

#if METHOD == METHOD_TABLE
#if !defined(RUNS) || !defined(ALL_BITS) || !defined(PART_LOCAL) || !defined(SIEVED)
#error "RUNS, ALL_BITS, PART_LOCAL and SIEVED must be defined"
#endif

struct row_constants {
    uint shift[RUNS + 1], mask[RUNS + 1]; // one more: an array of no elements is not allowed
#if PART_LOCAL || SIEVED
    global const ENTRY_T *entries; // all
    uint near;                     // PART_LOCAL: how many are in local memory
    uint usual;                    // SIEVED: the usual entry
#endif
};

static void load_row(struct row_constants *k, ulong row, ALL_SPACE const uint *all_tables,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
    #pragma unroll
    for (uint r = 0; r < RUNS; r++) {
        k->shift[r] = all_tables[2 * r];
        k->mask[r] = all_tables[2 * r + 1];
    }
#if PART_LOCAL || SIEVED
    k->entries = (global const ENTRY_T *)(all_tables + g->local_first + g->labels_at);
    k->near = (uint)(g->local_words - g->labels_at) * (4 / ENTRY_BYTES);
    k->usual = all_tables[g->local_first + g->local_words - 1];
#endif
}

static uint index_of(BITS_T bits, const struct row_constants *k, const struct arguments *g)
{
    if (ALL_BITS)
        return (uint)bits;
    uint index = 0;
    #pragma unroll
    for (uint r = 0; r < RUNS; r++)
        index |= (uint)(bits >> k->shift[r]) & k->mask[r];
    return index;
}

// Two elements of 16 bits lie in a part of a word, and their indices in what this returns: runs of
// the one do not reach the other, as masks end them.
#define PAIRED (BYTES == 2 && RUNS > 1)
#if PAIRED
static uint indices_of(uint pair, const struct row_constants *k)
{
    uint indices = 0;
    #pragma unroll
    for (uint r = 0; r < RUNS; r++)
        indices |= (pair >> k->shift[r]) & (k->mask[r] * 0x10001u);
    return indices;
}
#endif

static uint entry_of(uint index, const struct row_constants *k, TABLE_SPACE const uint *tables,
                     const struct arguments *g)
{
#if SIEVED
    uint entry = k->usual;
    if (tables[index / 32] >> (index % 32) & 1)
        entry = k->entries[index];
    return entry;
#else
    TABLE_SPACE const ENTRY_T *entries = (TABLE_SPACE const ENTRY_T *)(tables + g->labels_at);
#if PART_LOCAL
    if (index >= k->near)
        return k->entries[index];
#endif
    return entries[index];
#endif
}

#elif METHOD == METHOD_CHAIN
#ifndef HELD_CASES
#error "HELD_CASES must be defined"
#endif

struct row_constants {
    // One more: that of no case, and an array of no elements is not allowed.
    BITS_T mask[HELD_CASES + 1], value[HELD_CASES + 1];
    uint label[HELD_CASES + 1];
};

static void load_row(struct row_constants *k, ulong row, ALL_SPACE const uint *all_tables,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
    ALL_SPACE const BITS_T *masks = (ALL_SPACE const BITS_T *)all_tables;
    const ulong first = TABLES_LOCAL ? g->local_first : 0; // labels_at is behind it
    ALL_SPACE const uint *labels = all_tables + (first + g->labels_at);
    #pragma unroll
    for (uint i = 0; i < HELD_CASES; i++) {
        k->mask[i] = masks[i];
        k->value[i] = masks[HELD_CASES + i];
    }
    #pragma unroll
    for (uint i = 0; i <= HELD_CASES; i++)
        k->label[i] = labels[i];
}
#endif
