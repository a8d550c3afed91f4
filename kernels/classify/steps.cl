// SPDX-License-Identifier: Apache-2.0
//
// classify: the search method STEPS (search.cl), for elements of 16 bits. The values are cut into
// cells of 2^shift, so that the label changes at most once in each cell. Values are the bits of
// elements as numbers: negative ones are behind the others, those of f16 in their reverse order.
// NaNs are values as others.
//
//     values    |         |         |         |
//     labels    | 0 0 0 1 | 1 1 1 1 | 1 2 2 2 |
//
// A cell has a word. Its sum with the value carries into an upper bit from the change on:
//
//     RISES   the label changes from l to l + 1, modulo 65536. The sum is the label:
//                 l * 65536 + 65536 - v, where v is the first value behind the change
//     else    labels of 8 bits change from l to m. The carry chooses the byte of the sum, 2 or 3:
//                 m | l | 2 * 2^shift + 2^shift, less v
//
// Where a few cells have more changes, with labels of 8 bits, the sum has the bit ODD_CELL, and
// without it is the place of the label behind the words.
//
// So a label is one read and few operations, whatever the rule, its map and its class of NaN are.
// Neighbouring cells lie in different banks of local memory. Where 32 cells do, no two elements
// wait for each other.
//
// An element takes five operations with RISES, and seven else. Odd cells take half an operation
// more.
//
// Macros  STEP_RISES  1: RISES
//         ODD_CELLS   1: some cells have more than one change; not of RISES
//
// Defines for label.cl: struct row_constants, load_row(), steps_of(), label_in_step()

#if METHOD == METHOD_SEARCH && SEARCH_METHOD == SEARCH_STEPS
struct row_constants {
    TABLE_SPACE const uint *words;
    TABLE_SPACE const uchar *labels; // of the values in odd cells
};

static void load_row(struct row_constants *k, ulong row, ALL_SPACE const uint *all_tables,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
    k->words = one_address(tables + g->index_at);
    k->labels = (TABLE_SPACE const uchar *)(tables + g->index_at + g->cells);
}

// Labels of a few elements, as label_in_step() takes them. `few` is known when the kernel is
// compiled.
static __attribute__((always_inline)) void steps_of(uint *step, const KEY_T *x, uint few,
                                                    const struct row_constants *k,
                                                    const struct arguments *g)
{
    #pragma unroll
    for (uint e = 0; e < few; e++) {
        const uint value = BITS(x[e]);
        step[e] = k->words[value >> g->shift] + value;
    }
#if ODD_CELLS
    uint any = 0;
    #pragma unroll
    for (uint e = 0; e < few; e++)
        any |= step[e];
    if (any & ODD_CELL) {
        #pragma unroll
        for (uint e = 0; e < few; e++)
            if (step[e] & ODD_CELL)
                step[e] = (uint)k->labels[step[e] & ~ODD_CELL] << 16 | 2u << g->shift;
    }
#endif
#if !STEP_RISES
    #pragma unroll
    for (uint e = 0; e < few; e++)
        step[e] = chosen_byte(step[e], step[e] >> g->shift);
#endif
}

static uint label_in_step(uint step)
{
    const uint none = STEP_RISES ? 0xffff : 0xff, label = STEP_RISES ? step >> 16 : step & none;
    return REJECTS && label == none ? REJECT : label;
}
#endif
