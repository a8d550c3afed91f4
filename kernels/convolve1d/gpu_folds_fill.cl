// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_folds: how inputs and the table of their places get into local memory.
// gpu_folds.cl says what places and teams are.
//
// Macros   those of convolve1d.cl
//          TEAMS, ITEM_OUTPUTS, ITEM_ROWS   gpu_folds.cl

#if !defined(TEAMS) || !defined(ITEM_OUTPUTS) || !defined(ITEM_ROWS)
#error "TEAMS, ITEM_OUTPUTS and ITEM_ROWS must be defined"
#endif

#define LANES (WG / TEAMS)
#define ROWS  FOLD_ROWS(WG, TEAMS, ITEM_ROWS)
// Sums and inputs from one place to the next: odd, so that neighbouring places of a row lie in
// different banks, too.
#define PITCH FOLD_PITCH(WG, TEAMS, ITEM_ROWS)

// The place of X(j). Rows are short, and j rarely is far away.
static uint place_of(long j, const struct arguments *g)
{
    const uint n = (uint)g->n, mode = j < 0 ? g->left : g->right;
    if ((ulong)j < n)
        return (uint)j;
    if (mode == BOUNDARY_CONSTANT)
        return j < 0 ? n : n + 1;
    if (mode == BOUNDARY_HISTORY)
        return n + 2 + (uint)max(j + (long)g->halo, 0L);
    if (mode == BOUNDARY_EDGE)
        return j < 0 ? 0 : n - 1;
    const uint period = mode == BOUNDARY_WRAP           ? n
                        : mode == BOUNDARY_REFLECT_HALF ? 2 * n
                                                        : max(2 * n - 2, 1u);
    const ulong far = j < 0 ? ~j : j;
    uint rest = far >> 32 ? (uint)(far % period) : (uint)far % period;
    rest = j < 0 ? period - 1 - rest : rest;
    // Positions j and last - j have the same input.
    const uint last = mode == BOUNDARY_REFLECT_HALF ? period - 1 : 2 * n - 2;
    return mode == BOUNDARY_WRAP ? rest : min(rest, last - rest);
}

// A run through `rows` rows of `count` elements, WG at a time, in the order in which they lie
// in memory: along the rows, or across them.
struct run {
    uint inner, outer;        // this item's element
    uint inners;              // elements of the inner loop
    uint inner_by, outer_by;  // from turn to turn
};

static struct run run_of(uint rows, uint count, bool across, uint item)
{
    struct run r = { .inners = across ? rows : count };
    r.outer = item / r.inners;
    r.inner = item - r.outer * r.inners;
    r.outer_by = WG / r.inners;
    r.inner_by = WG - r.outer_by * r.inners;
    return r;
}

static void run_on(struct run *r)
{
    r->inner += r->inner_by;
    r->outer += r->outer_by;
    if (r->inner >= r->inners) {
        r->inner -= r->inners;
        r->outer++;
    }
}

// Loads `count` elements of each row: first the one at `from`.
static void load_rows(local OPERAND *to, global const ELEM *from, long stride, long row_stride,
                      uint rows, uint count, uint item)
{
    const bool across = abs(row_stride) < abs(stride);
    struct run r = run_of(rows, count, across, item);
    const long inner_stride = across ? row_stride : stride;
    const long outer_stride = across ? stride : row_stride;
    const uint inner_pitch = across ? 1 : PITCH, outer_pitch = across ? PITCH : 1;
    #pragma unroll 4
    for (uint e = item; e < rows * count; e += WG) {
        to[r.inner * inner_pitch + r.outer * outer_pitch] =
            (OPERAND)LOAD(from, r.inner * inner_stride + r.outer * outer_stride);
        run_on(&r);
    }
    // The last group lacks rows. Its items compute them all the same.
    const uint missing = ROWS - rows;
    for (uint e = item; e < missing * count; e += WG)
        to[e / missing * PITCH + rows + e % missing] = 0;
}

// The table: for each task the places of its inputs, as distances in local memory.
static void make_table(local ushort *table, const struct arguments *g,
                       const struct fold_arguments *f, uint team, uint lane)
{
    for (uint task = team; task < f->tasks; task += TEAMS) {
        const uint phase = task / f->blocks, block = task - phase * f->blocks;
        const long j = g->origin + (long)phase * g->step +
                       (long)(block * ITEM_OUTPUTS * f->step) * g->dilation;
        for (uint m = lane; m < f->length; m += LANES)
            table[task * f->length + m] =
                (ushort)(place_of(j + (long)m * g->dilation, g) * PITCH);
    }
}
