/* SPDX-License-Identifier: Apache-2.0
 *
 * The cut of the variant gpu_columns into groups: blocks and slots are those of the drawing in
 * kernels/reduce/gpu_columns.cl. */
#include "column_cut.h"

#include "arguments.h"

// Slots that the lines are worth.
static uint64_t slots_of_lines(const struct shares *s, uint64_t lanes)
{
    const uint64_t tiles = gp_ceil_div(s->lines, lanes * s->depth);
    return tiles <= s->alone ? 1 : tiles;
}

// Cuts small matrices so that each group has one tile: no item waits for memory twice, and no
// group for others. Narrow blocks keep all units busy; a unit with two groups starts the second
// later. H200, driver 580.159.04, 2026-11-23, us by four groups and by one: count f32, 26036 x 10,
// 8.1 and 6.1; count i16, 16482 x 8, 6.4 and 6.3; argmax u64, 1550 x 52, 6.2 and 6.1. Not where
// lines are so many that a group would read less than LEAST bytes of each.
bool gp_reduce_cut_small(struct layout *l, const struct shares *s)
{
    enum { LEAST = 16, STRETCH = 64 };
    const uint64_t lanes = gp_ceil_div(s->lines, s->depth);
    if (!s->is_small || lanes == 0 || lanes > s->work_group)
        return false;
    uint64_t block = gp_ceil_div(s->vectors, s->units);
    if (block < STRETCH / s->vector_bytes)
        block = STRETCH / s->vector_bytes;
    block = gp_min(gp_min(block, s->work_group / lanes), s->vectors);
    if (block < s->vectors && block * s->vector_bytes < LEAST)
        return false;
    l->block = (uint32_t)block;
    l->blocks = (uint32_t)gp_ceil_div(s->vectors, block);
    l->slots = 1;
    return true;
}

// A line is cut into blocks of whole lines of memory.
static void cut_line(struct layout *l, const struct shares *s, uint64_t block)
{
    const uint64_t multiple = LINE_BYTES / s->vector_bytes;
    if (block < s->vectors && block > multiple)
        block = gp_ceil_div(block, multiple) * multiple;
    l->block = (uint32_t)gp_min(block, gp_min(s->vectors, s->work_group));
    // Warps fold a power of two of lanes. H200, driver 580.159.04, 2026-11-23, us: statistics of
    // f32, 5 x 5485, 8.4 and 7.3.
    uint64_t power = 1;
    while (power < l->block)
        power *= 2;
    if (s->few_lanes && s->is_small && power <= s->work_group)
        l->block = (uint32_t)power;
    l->blocks = (uint32_t)gp_ceil_div(s->vectors, l->block);
    l->slots = gp_min(gp_min(s->groups > l->blocks ? s->groups / l->blocks : 1, s->slots),
                      slots_of_lines(s, s->work_group / l->block));
}

// How well a cut uses the device: the share of items that have vectors, in the rounds that all
// groups take. Where a few have none, the others have the memory to themselves. H200, driver
// 580.159.04, 2026-11-27, a kernel that only adds, lines of 11520 bytes, GB/s where 100, 94 and
// 70 % of the items have vectors: 4421, 4413, 4302. Partials that lie side by side cost little. The
// weights were chosen by such kernels. H100, us before and after: max_abs f32, 3631 wide, 444 and
// 427; mean u16, 1153 wide, 1514 apart, 195 and 186; sum f64, 14540 wide, 440 and 450. SEVERAL: H100,
// us without and with it: sum f32, 65536 wide, 366 and 352; min f32, 18251 wide, 339 and 330; sum_abs
// f32, 48641 wide, 406 and 395; of 74 other matrices none changed by more than 1.5 %. Units without
// a group are worse than items without vectors: H200, 2026-12-01, and i32, 44867 of 82169 wide, us
// by 88 groups 142, 101 139, 117 134, 128 132; 43184 of 52389 wide, by 85 191, 97 187, 113 179, 123
// 176.
static double use_of(const struct layout *l, const struct shares *s)
{
    enum { NEAR = 4 << 20, MOST_OF_ITEM = 4000, LOSS = 40000 };
    const double SEVERAL = 0.95;
    const uint64_t lanes = gp_min(s->work_group / l->block, gp_ceil_div(s->lines, s->depth));
    const uint64_t rounds = gp_ceil_div(l->blocks * l->slots, s->groups);
    const double items = (double)(s->vectors * l->slots) / (double)(rounds * s->groups) *
                         (double)lanes / s->work_group;
    const double idle = items < 1 ? 1 - items : 0;
    const double unused = 1 - (double)(l->blocks * l->slots) / (double)(rounds * s->groups);
    double use = 1 - 0.3 * idle * idle - 0.65 * unused * unused;
    const uint64_t partials = ((l->slots << l->fuse) + l->fused) *
                              (s->fused ? s->rows : l->block * s->rows / s->vectors);
    if (l->slots > 1 || l->fused)
        use *= 1 - (double)gp_min(partials / s->work_group, MOST_OF_ITEM) / LOSS;
    // Blocks that begin within a line of memory read it twice.
    if (l->blocks > 1 && s->pitch_bytes % LINE_BYTES)
        use *= 1 - 0.16 * LINE_BYTES / (l->block * s->vector_bytes);
    for (uint64_t span = lanes * s->depth * s->pitch_bytes; span > NEAR; span /= 2)
        use *= 0.98;
    return l->slots > 1 ? SEVERAL * use : use;
}

static void try_block(struct layout *l, const struct shares *s, uint64_t block,
                      struct layout *best, double *most)
{
    cut_line(l, s, block);
    const double use = use_of(l, s);
    if (use > *most) {
        *most = use;
        *best = *l;
    }
}

// Wide lines are read whole, or by blocks of whole warps, which read as few lines of memory as
// there are. H200, driver 580.159.04, 2026-11-23, 1 GiB, us by multiples of 64 bytes and of a warp:
// sum f32, 4104 wide, 268 and 256, 2580 wide 265 and 258; sum f16, 4767 wide, 277 and 264. Where
// there is room for few partials, narrower blocks keep all units busy: argmax i8, 4350 wide, us by
// 109 groups 497, by 34 of 64 vectors (and with registers spilled) 1267.
static void cut_wide(struct layout *l, const struct shares *s)
{
    enum { WARP = 32, LEAST = 64 };
    struct layout best = *l;
    double most = -1;
    if (s->vectors <= s->work_group)
        try_block(l, s, s->vectors, &best, &most);
    for (uint64_t block = LEAST; block <= s->work_group; block += WARP)
        try_block(l, s, block, &best, &most);
    const uint64_t narrow = gp_ceil_div(s->vectors * best.slots, s->groups);
    if (narrow < LEAST)
        try_block(l, s, narrow, &best, &most);
    *l = best;
}

void gp_reduce_cut_columns(struct layout *l, const struct shares *s)
{
    enum { NARROW = 128, SMALL_STRETCH = 64 };
    if (gp_reduce_cut_small(l, s))
        return;
    // Narrow lines are read whole: then groups read neighbouring memory. Blocks of small matrices are
    // narrow, so that no group is alone.
    if (s->is_small && !s->fused)
        cut_line(l, s, gp_ceil_div(SMALL_STRETCH, s->vector_bytes));
    else if (s->vectors <= gp_min(NARROW, s->work_group) || s->work_group < NARROW)
        cut_line(l, s, s->vectors);
    else
        cut_wide(l, s);
}
