// SPDX-License-Identifier: Apache-2.0
//
// classify: the search method STEPS (search.cl), for elements of 16 bits and labels of 8. The
// values are cut into cells of 2^shift, so that the label changes at most once in each cell. A
// word has the first value behind the change, and the labels before and behind it.
//
//     values    |         |         |         |
//     labels    | 0 0 0 1 | 1 1 1 1 | 1 2 2 2 |
//     words     | 3, 0, 1 | 7, 1, 1 | 9, 1, 2 |     value, 16 bits; label before; label behind
//
// So a label is one read and one comparison, whatever the rule, its map and its class of NaN are.
// Neighbouring cells lie in different banks of local memory. Where 32 cells do, no two elements
// wait for each other.
//
// Values are the bits of elements as numbers: negative ones are behind the others, those of f16 in
// their reverse order. NaNs are values as others.
//
// An element takes some eight operations.

#if METHOD == METHOD_SEARCH && SEARCH_METHOD == SEARCH_STEPS
struct row_constants {
    uint none;
};

static void load_row(struct row_constants *k, ulong row, global const uint *all_tables,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
}

static uint label_of_step(KEY_T x, TABLE_SPACE const uint *tables, const struct arguments *g)
{
    const uint value = BITS(x), step = tables[(uint)g->index_at + (value >> g->shift)];
    return byte_of(step, value * 65536 + 65535 < step); // below the lower half of `step`
}
#endif
