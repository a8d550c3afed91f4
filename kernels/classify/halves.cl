// SPDX-License-Identifier: Apache-2.0
//
// classify: any number of rows of keys, and places by halves: the same steps for every element, so
// that neighbours never part. All tables in global memory. See classify/label.cl.

#define NEARBY global
#define HAS_MAP (g->labels_at != 0)
#define REJECTS 1

struct opened {
#if FORM == SEARCH
    global const C *keys;
    uint n;
#elif FORM == TABLE
    global const uint *runs; // shift, mask
#else
    uint none;
#endif
};

static void open_row(struct opened *o, ulong row, global const uint *tables,
                     NEARBY const uint *near, const struct arguments *g)
{
#if FORM == SEARCH
    const ulong key_row = g->rows_at ? g->row + row : 0;
    o->keys = (global const C *)tables + key_row * g->n;
    o->n = g->rows_at ? tables[g->rows_at + key_row] : g->n;
#elif FORM == TABLE
    o->runs = tables;
#endif
}

#if FORM == SEARCH
static uint place_of(C x, const struct opened *o, NEARBY const uint *near,
                     const struct arguments *g)
{
    uint p = 0;
    for (uint step = g->top; step; step >>= 1) {
        const uint q = p + step;
        const bool reached = (q <= o->n) & !(x < o->keys[min(q, g->n) - 1]);
        p = reached ? q : p;
    }
    return p;
}
#elif FORM == TABLE
static uint index_of(U bits, const struct opened *o, const struct arguments *g)
{
    uint index = 0;
    for (uint r = 0; r < g->n; r++)
        index |= (uint)(bits >> o->runs[2 * r]) & o->runs[2 * r + 1];
    return index;
}
#endif
