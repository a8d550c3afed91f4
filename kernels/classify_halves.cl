// SPDX-License-Identifier: Apache-2.0
//
// classify: the place of an element among the keys of its row by halves, the same steps for every
// element, so that neighbours never part. Any number of rows of keys; all tables in global memory.

#define NEARBY global

#if FORM == SEARCH
// How many keys are not greater than x, all of them for a NaN.
static uint place_of(C x, ulong row, global const uint *tables, const struct arguments *g)
{
    const ulong key_row = g->rows_at ? g->row + row : 0;
    const uint n = g->rows_at ? tables[g->rows_at + key_row] : g->n;
    global const C *keys = (global const C *)tables + key_row * g->n;
    uint p = 0;
    for (uint step = g->top; step; step >>= 1) {
        const uint q = p + step;
        const bool reached = (q <= n) & !(x < keys[min(q, g->n) - 1]);
        p = reached ? q : p;
    }
    return p;
}
#endif
