// SPDX-License-Identifier: Apache-2.0
//
// convolve1d: the update of the history at the end of a variant's kernel. It spares the launch
// of history.cl, whose formula and drawing say what it computes.
//
// after may be the memory of before. So nothing is written until all groups that read it have
// done so. Where a group has whole rows, and no other group reads what stands before them, it
// updates their history behind a barrier (UPDATES_BY_ROWS). In other small calls each group
// counts its arrival behind a barrier, and the group that comes last updates the history of all
// rows (UPDATES_BY_LAST). No group waits for another.
//
//     group   | reads before, computes, writes out | arrives
//     group        | reads before, computes, writes out | arrives
//     group     | reads before, computes, writes out | arrives: the last one | updates after
//
// The elements of these rows are numbered so that neighbours lie side by side in after: along
// the rows, or across them. The items take HISTORY_AT_ONCE * WG of them in a turn: read,
// barrier, write. An element moves towards the front of its row, to a lower number. So what a
// turn overwrites was read in it, or in an earlier one.
//
// Macros   those of convolve1d.cl
//          UPDATES_HISTORY   UPDATES_BY_LAST, UPDATES_BY_ROWS; 0: nothing is defined here
// Defines  UNSHARED          of the parameter before: restrict, unless after may be its memory
//          UPDATE_PARAMETERS further parameters, behind all others
//          UPDATE_HISTORY(x, before, g)   but for UPDATES_BY_ROWS: the update, reached by all
//                            items of all groups
//          UPDATE_ROWS(x, before, g, row, rows)   the same, for variants whose groups may have
//                            whole rows: this group has `rows` of them, from `row` on
// Barriers two, or one of UPDATES_BY_ROWS, and one per turn; reached by all items of a group.
//          Simulators do not run UPDATES_BY_LAST: OpenCL 1.2 has no order between groups, and
//          arrive() has no form for them
// Local memory: 4 bytes of UPDATES_BY_LAST, beside that of the variant
// Per element: a load and a store of BYTES.

#if !defined(UPDATES_HISTORY)
#error "UPDATES_HISTORY must be defined"
#endif

#if !UPDATES_HISTORY
#define UNSHARED restrict
#define UPDATE_PARAMETERS
#define UPDATE_HISTORY(x, before, g)
#define UPDATE_ROWS(x, before, g, row, rows)
#else
#define UNSHARED
#if UPDATES_HISTORY == UPDATES_BY_ROWS
#define UPDATE_PARAMETERS , global ELEM *after, const struct update_arguments updated
#define UPDATE_ROWS(x, before, g, row, rows)                                 \
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* before is read */ \
    copy_history((x), (before), after + updated.first, (g), &updated, (long)(row), (rows))
#else
#define UPDATE_PARAMETERS \
    , global ELEM *after, global uint *arrived, const struct update_arguments updated
#define UPDATE_HISTORY(x, before, g) \
    local uint is_last; \
    if (is_last_group(arrived, &is_last)) \
    copy_history((x), (before), after + updated.first, (g), &updated, 0, (uint)(g)->rows)
#define UPDATE_ROWS(x, before, g, row, rows) UPDATE_HISTORY(x, before, g)

// Whether all other groups have come to this place. The counter is zero before and after.
static bool is_last_group(global uint *arrived, local uint *is_last)
{
    const uint groups = (uint)get_num_groups(0);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); // all items have read before
    if (get_local_id(0) == 0) {
        *is_last = groups == 1 || arrive(arrived) == groups - 1;
        if (groups > 1 && *is_last)
            *arrived = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return *is_last;
}
#endif

// An element: its place in its line, its number in its row, and where it lies.
struct element {
    uint at, i;
    long in_x, in_before, in_after;
};

static void go_on(struct element *e, const struct element *near, const struct element *far,
                  uint wide)
{
    const bool wraps = e->at + near->at >= wide;
    e->at += wraps ? far->at : near->at;
    e->i += wraps ? far->i : near->i;
    e->in_x += wraps ? far->in_x : near->in_x;
    e->in_before += wraps ? far->in_before : near->in_before;
    e->in_after += wraps ? far->in_after : near->in_after;
}

// Element `at` of line `line`, from the first element on. Both may be distances.
static void place(struct element *e, long line, long at, bool across, const struct arguments *g,
                  const struct update_arguments *updated)
{
    const long row = across ? at : line, i = across ? line : at;
    e->at = (uint)at;
    e->i = (uint)i;
    e->in_x = i * g->stride + row * g->row_stride;
    e->in_before = i * g->before_stride + row * g->before_row_stride;
    e->in_after = i * updated->stride + row * updated->row_stride;
}

// Of `rows` rows, from `row` on.
static void copy_history(global const ELEM *x, global const ELEM *before, global ELEM *after,
                         const struct arguments *g, const struct update_arguments *updated,
                         long row, uint rows)
{
    const bool across = abs(updated->row_stride) < abs(updated->stride);
    const uint length = (uint)g->halo, all = length * rows;
    const uint wide = max(across ? rows : length, 1u); // elements of a line
    const long n = (long)g->n;
    const uint kept = (uint)max((long)length - n, 0L); // of before, in a row
    const uint item = get_local_id(0);
    // The steps to an item's next element: to a later place of a line, and past a line's end.
    struct element e, near, far;
    place(&e, item / wide, item % wide, across, g, updated);
    place(&near, WG / wide, WG % wide, across, g, updated);
    place(&far, WG / wide + 1, (long)(WG % wide) - (long)wide, across, g, updated);
    x += g->first + (n - (long)length) * g->stride + row * g->row_stride;
    before += g->before_first + n * g->before_stride + row * g->before_row_stride;
    after += row * updated->row_stride;
    #pragma unroll 1
    for (uint first = 0; first < all; first += HISTORY_AT_ONCE * WG) {
        RAW v[HISTORY_AT_ONCE];
        long to[HISTORY_AT_ONCE];
        #pragma unroll
        for (uint u = 0; u < HISTORY_AT_ONCE; u++) {
            if (first + item + u * WG < all)
                v[u] = RAW_LOAD(e.i < kept ? before + e.in_before : x + e.in_x, 0);
            to[u] = e.in_after;
            go_on(&e, &near, &far, wide);
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
        #pragma unroll
        for (uint u = 0; u < HISTORY_AT_ONCE; u++)
            if (first + item + u * WG < all)
                RAW_STORE(after, to[u], v[u]);
    }
}
#endif
