// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_words: what an item holds in registers for the methods TABLE and CHAIN, which
// look at the bits of x. label.cl does the rest.
//
// Macro  RUNS  TABLE: runs of bits in the index; may be 0

#if METHOD == METHOD_TABLE
#ifndef RUNS
#error "RUNS must be defined"
#endif

struct row_constants {
    uint shift[RUNS + 1], mask[RUNS + 1]; // one more: an array of no elements is not allowed
};

static void load_row(struct row_constants *k, ulong row, global const uint *all_tables,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
    #pragma unroll
    for (uint r = 0; r < RUNS; r++) {
        k->shift[r] = all_tables[2 * r];
        k->mask[r] = all_tables[2 * r + 1];
    }
}

static uint index_of(BITS_T bits, const struct row_constants *k, const struct arguments *g)
{
    uint index = 0;
    #pragma unroll
    for (uint r = 0; r < RUNS; r++)
        index |= (uint)(bits >> k->shift[r]) & k->mask[r];
    return index;
}

#elif METHOD == METHOD_CHAIN
struct row_constants {
    uint none;
};

static void load_row(struct row_constants *k, ulong row, global const uint *all_tables,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
}
#endif
