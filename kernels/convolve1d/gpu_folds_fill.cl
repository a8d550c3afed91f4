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
// in memory: along the rows, or across them. An element has a place in local memory, too, where
// rows lie side by side.
struct run {
    uint inner, inners, inner_by; // this item's element in the inner loop, of how many
    long at, at_by, at_turn;      // where it lies; at_turn: from an inner loop to the next
    uint place, place_by, place_turn;
};

static struct run run_of(uint rows, uint count, long stride, long row_stride, uint item)
{
    const bool across = abs(row_stride) < abs(stride);
    const long inner_stride = across ? row_stride : stride;
    const long outer_stride = across ? stride : row_stride;
    const uint inner_pitch = across ? 1 : PITCH, outer_pitch = across ? PITCH : 1;
    struct run r = { .inners = max(across ? rows : count, 1u) };
    const uint outer = item / r.inners, outer_by = WG / r.inners;
    r.inner = item - outer * r.inners;
    r.inner_by = WG - outer_by * r.inners;
    r.at = r.inner * inner_stride + outer * outer_stride;
    r.at_by = r.inner_by * inner_stride + outer_by * outer_stride;
    r.at_turn = outer_stride - r.inners * inner_stride;
    r.place = r.inner * inner_pitch + outer * outer_pitch;
    r.place_by = r.inner_by * inner_pitch + outer_by * outer_pitch;
    r.place_turn = outer_pitch - r.inners * inner_pitch;
    return r;
}

static void run_on(struct run *r)
{
    r->inner += r->inner_by;
    const bool turns = r->inner >= r->inners;
    r->inner -= turns ? r->inners : 0;
    r->at += r->at_by + (turns ? r->at_turn : 0);
    r->place += r->place_by + (turns ? r->place_turn : 0);
}

// Loads `count` elements of each row: first the one at `from`. All loads of a batch are under
// way before the first of its elements is put into local memory.
#define LOADS 8
static void load_rows(local OPERAND *to, global const ELEM *from, long stride, long row_stride,
                      uint rows, uint count, uint item)
{
    const uint elements = rows * count;
    struct run r = run_of(rows, count, stride, row_stride, item);
    #pragma unroll 1
    for (uint e = item; e < elements; e += WG * LOADS) {
        OPERAND v[LOADS];
        uint places[LOADS];
        #pragma unroll
        for (uint u = 0; u < LOADS; u++) {
            places[u] = r.place;
            if (e + u * WG < elements)
                v[u] = (OPERAND)LOAD(from, r.at);
            run_on(&r);
        }
        #pragma unroll
        for (uint u = 0; u < LOADS; u++)
            if (e + u * WG < elements)
                to[places[u]] = v[u];
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
