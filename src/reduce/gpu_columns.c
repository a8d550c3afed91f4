/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_columns of reduce: the columns of a matrix on GPUs. Lines, blocks, fused
 * lines and the remainder are those of the drawing in kernels/reduce/gpu_columns.cl. */
#include "arguments.h"
#include "column_cut.h"
#include "column_vectors.h"
#include "reduce.h"

// A fold of several groups' partials costs a GPU what some tiles do: at the end of a launch 2
// to 3 us, by a second launch 7 to 9 (2026-11-20). H200, driver 580.159.04, 2026-11-23, us with
// 6, 3, 2 and 1: count u32, 217 x 1426, 8.9, 7.0, 6.9, 7.0; minmax u32, 6 x 16145, 9.3, 7.6,
// 7.6, 7.6.
enum { TILES_WORTH_A_FOLD = 3 };

// Positions within a chain stay below 2^31.
enum { MAX_SLOTS = 4096 };

static bool fits(const gpuprim *gp, const void *call)
{
    (void)gp;
    const struct reduction *r = call;
    return r->in.row_stride == 1 &&
           (r->in.stride >= 1 || (r->in.stride < 0 && gp_reduce_is_arg(r)));
}

static bool suits(const gpuprim *gp, const void *call)
{
    const struct reduction *r = call;
    return !gp->caps.is_cpu && r->in.rows > 1 && gp_abs(r->in.stride) > 1;
}

// ---------------------------------------------------------------------------------------
// Items and groups

// Vectors in flight per item: as many bytes as variant->items vectors of 16 bytes, but not more
// than 16, or 32 of less than a word. In small matrices items take less time with few: H200, driver
// 580.159.04, 2026-11-23, us by 32 and 16: count f16, 227 x 262, 14.4 and 5.5, sum_squares i16,
// 892 x 166, 11.6 and 4.6, mean i16, 71 x 559, 9.7 and 5.3, argmin f16, 2612 x 558, 9.0 and 7.8.
static unsigned full_depth(const gpuprim *gp, const struct reduction *r,
                           const struct gp_variant *variant, unsigned columns)
{
    enum { MOST = 16, MOST_OF_PARTS = 32, WORD_BYTES = 4 };
    const struct gp_array *in = &r->in;
    const bool is_small = gp_reduce_is_small(gp, in);
    const unsigned items =
        variant->items * (gp_reduce_has_half_groups(r, columns) && !is_small ? 2 : 1);
    const bool is_deep = columns * in->size < WORD_BYTES && !is_small;
    return (unsigned)gp_min(items * VEC16_BYTES / (columns * in->size),
                            is_deep ? MOST_OF_PARTS : MOST);
}

// Whether groups of a matrix may have one tile each, with 16 bytes of each line or more.
static bool is_one_tile(const struct gp_array *in, unsigned columns, unsigned depth,
                        unsigned work_group)
{
    enum { LEAST = 16 };
    const uint64_t vectors = gp_ceil_div(in->rows, columns);
    return gp_ceil_div(in->count, depth) *
               gp_min(vectors, gp_ceil_div(LEAST, columns * in->size)) <=
           work_group;
}

// Accs of an item in local memory: each step of a fold has a barrier, whatever it merges. Those of
// statistics are folded by warps, one after another. H200, driver 580.159.04, 2026-11-23, us by two
// and by one: statistics f32, 4 x 39273, 10.8 and 9.4.
static unsigned side_of(const struct reduction *r, unsigned columns, unsigned work_group)
{
    enum { LOCAL_BYTES = 32 << 10 };
    unsigned side = r->op == GPUPRIM_STATISTICS ? 1 : columns;
    while (side > 1 && side * work_group * gp_reduce_partial_bytes(r) > LOCAL_BYTES)
        side /= 2;
    return side;
}

// Loads in flight in the last tile: as many as 16 registers hold. Chains of f16 take longer
// with more than four.
static unsigned part_loads(unsigned columns, size_t size)
{
    return size == 4 && columns == 1 ? 16 : size >= 4 && columns * size <= 8 ? 8 : 4;
}

// Items of a group of a small matrix: a quarter of what others have, so that more units have a
// group and a group's items wait for fewer others. H200, driver 580.159.04, 2026-11-23, us by
// groups of 1024, 512 and 256: count u32, 217 x 1426, 6.9, 5.6, 5.8; minmax u32, 6 x 16145,
// 6.8, 5.9, 5.1; mean u64, 7 x 23595, 8.1, 6.8, 7.2; sum f32, 1000 x 64, 6.0 and 5.0 by 256.
// Half where these have room for 16 bytes of all lines and half of the units have one: then no
// group waits for another.
static unsigned small_group(const gpuprim *gp, const struct gp_array *in, unsigned columns,
                            unsigned depth, unsigned most)
{
    const uint64_t lanes = gp_ceil_div(in->count, depth);
    const uint64_t vectors = gp_ceil_div(in->rows, columns);
    const bool needs_half =
        !is_one_tile(in, columns, depth, most / 4) && is_one_tile(in, columns, depth, most / 2);
    return needs_half && vectors / (most / 2 / lanes) >= gp->caps.compute_units / 2 ? most / 2
                                                                                    : most / 4;
}

// Vectors in flight per item. Where groups of a small matrix have one tile each, no more than items
// find, up to a power of two: each takes instructions, also where there is none. H200, driver
// 580.159.04, 2026-11-27, us on the device alone by 16 and by 4: min f32, 6273 x 4, 3.55 and 3.26.
static unsigned depth_of(const gpuprim *gp, const struct reduction *r,
                         const struct gp_variant *variant, unsigned columns)
{
    const struct gp_array *in = &r->in;
    const unsigned full = full_depth(gp, r, variant, columns);
    if (!gp_reduce_is_small(gp, in))
        return full;
    const struct shares shares = {
        .vectors = gp_ceil_div(in->rows, columns),
        .lines = in->count,
        .depth = full,
        .work_group = small_group(gp, in, columns, full, variant->work_group),
        .vector_bytes = columns * (unsigned)in->size,
        .is_small = true,
        .units = gp->caps.compute_units,
    };
    struct layout l;
    if (!gp_reduce_cut_small(&l, &shares))
        return full;
    const uint64_t lines = gp_ceil_div(in->count, shares.work_group / l.block);
    unsigned depth = 1;
    while (depth < lines)
        depth *= 2;
    return depth;
}

// Items of a group, if the device allows so many.
static unsigned group_of(const gpuprim *gp, const struct reduction *r,
                         const struct gp_variant *variant, unsigned columns)
{
    if (gp_reduce_is_small(gp, &r->in))
        return small_group(gp, &r->in, columns, full_depth(gp, r, variant, columns),
                           variant->work_group);
    // Chains of statistics take more than the 64 registers that items of groups of 1024 have,
    // but for those of four columns of bytes and one of 16 bits. H200, driver 580.159.04,
    // 2026-11-23, share of the bound by groups of 512 and of 1024: f16, columns by one 0.408 and
    // 0.514; f32 0.607 and 0.494. us, 1 GiB, 1000 wide: u8 394 and 341, i16 294 and 322.
    const bool is_large =
        r->op == GPUPRIM_STATISTICS && r->in.size > 1 && (columns > 1 || r->in.size > 2);
    return is_large || gp_reduce_has_half_groups(r, columns) ? variant->work_group / 2
                                                             : variant->work_group;
}

static void specialise(const gpuprim *gp, const struct reduction *r,
                       const struct gp_variant *variant, struct gp_key *key)
{
    const unsigned columns = gp_reduce_columns_of(gp, r);
    const unsigned depth = depth_of(gp, r, variant, columns);
    key->work_group = group_of(gp, r, variant, columns);
    gp_define(key, "COLUMNS", columns);
    gp_define(key, "DEPTH", depth);
    const bool is_small = gp_reduce_is_small(gp, &r->in);
    gp_define(key, "PART_LOADS", is_small ? depth : part_loads(columns, r->in.size));
    gp_define(key, "FUSES", gp_reduce_is_fused(gp, r, columns));
    gp_define(key, "SMALL", is_small);
    gp_define(key, "HOLD", gp->caps.ptx && (is_small || key->work_group < variant->work_group));
    gp_define(key, "SIDE", side_of(r, columns, key->work_group));
}

// ---------------------------------------------------------------------------------------
// The layout

// The groups of a block that fold its partials: so many that items have a few of them, but no more
// than a device surely runs at once.
static uint64_t folders_of(const gpuprim *gp, const struct reduction *r, uint64_t partials,
                           uint64_t blocks, uint64_t groups, unsigned work_group)
{
    enum { LARGE = 16 };
    const uint64_t few = gp_reduce_partial_bytes(r) > LARGE ? 1 : 2;
    const uint64_t most = gp_min(gp->caps.compute_units / 4 / blocks, groups);
    const uint64_t folders = gp_min(partials / (few * work_group), most);
    return folders ? folders : 1;
}

// Groups fold the partials at the end, unless they would have too many to read: 40 for each item
// take 5 batches of loads, or 40 loads where a partial has more than 16 bytes, a second launch 7 to
// 9 us.
static void fold_at_end(const gpuprim *gp, const struct reduction *r,
                        const struct gp_piece *piece, unsigned columns, unsigned work_group,
                        struct layout *l)
{
    enum { MOST_OF_ITEM = 40, NEIGHBOURS = 4 };
    const uint64_t width =
        l->fused ? piece->rows : gp_min(piece->rows, (uint64_t)l->block * columns);
    const uint64_t counters = l->fused ? 1 : l->blocks;
    const uint64_t folders =
        folders_of(gp, r, width * l->partials, counters, l->groups / counters, work_group);
    const uint64_t share = gp_ceil_div(width, folders);
    while (l->lanes < l->partials && work_group % (2 * l->lanes) == 0 &&
           (l->lanes < NEIGHBOURS || 2 * l->lanes * share <= work_group))
        l->lanes *= 2;
    if (gp->caps.ptx && l->partials > 1 && counters <= GP_MAX_COUNTERS &&
        share * l->lanes <= (l->fused ? 1 : 2) * work_group &&
        share * l->partials <= MOST_OF_ITEM * (uint64_t)work_group) {
        l->counters = (uint32_t)counters;
        l->folders = (uint32_t)folders;
    }
}

// The same for small matrices, by signals (kernels/reduce/signals.cl). Their lines are not fused.
// An item reads up to four partials at once. H100, driver 580.159.04, 2026-11-27, us by counters
// and by signals for one group: argmin f32, 4 x 76341, 9.2 and 6.9; product f32, 880 x 443, 6.4 and
// 4.8; but any u8, 25 x 58354, whose one group has 36 partials for each item, 8.0 and 12.7. Several
// groups that wait for signals have not been measured.
static void fold_by_signals(const gpuprim *gp, const struct reduction *r,
                            const struct gp_piece *piece, unsigned columns, unsigned work_group,
                            struct layout *l)
{
    enum { AT_ONCE = 4, WARP = 32 };
    const uint64_t width = gp_min(piece->rows, (uint64_t)l->block * columns);
    const uint64_t folders =
        folders_of(gp, r, width * l->slots, l->blocks, l->slots, work_group);
    const uint64_t share = gp_ceil_div(width, folders);
    l->signals = l->slots > 1 && l->slots * piece->rows * gp_reduce_partial_bytes(r) <=
                                     REDUCE_SCRATCH_BYTES / 2;
    l->folders = (uint32_t)folders;
    while (l->lanes < l->slots && work_group % (2 * l->lanes) == 0 &&
           (2 * l->lanes * share <= work_group ||
            (AT_ONCE * l->lanes < l->slots && l->lanes < WARP)))
        l->lanes *= 2;
}

// Slots that there is room for. Partials take time to write and to fold: half of the room is used,
// or as much as gives all groups a block. H200, driver 580.159.04, 2026-11-23, us with 1 MiB and
// with 8: max_abs u16, 9451 wide, 13509 apart, 172 and 188; but statistics i8, 492 wide, where 51
// groups have room in 1 MiB, 700 and 394. Since then the partials of columns lie side by side, and
// 4 MiB are used instead of 1. That has not been measured apart from this.
static uint64_t slots_of(uint64_t most, uint64_t groups, uint64_t vectors, unsigned fuse)
{
    enum { PART = 2, LEAST_BLOCK = 64 };
    const uint64_t blocks = vectors < LEAST_BLOCK ? 1 : vectors / LEAST_BLOCK;
    const uint64_t needed = gp_ceil_div(groups, blocks);
    const uint64_t few = most / PART >> fuse, all = gp_min(most >> fuse, MAX_SLOTS);
    return gp_min(all, few > needed ? few : needed);
}

static void lay_out(const gpuprim *gp, const struct reduction *r,
                    const struct gp_variant *variant, unsigned work_group,
                    const struct gp_piece *piece, uint64_t most, struct layout *l)
{
    l->across = true;
    const struct gp_array *in = &r->in;
    const unsigned columns = gp_reduce_columns_of(gp, r), fuse = gp_reduce_fuse_of(in, columns);
    const unsigned depth = depth_of(gp, r, variant, columns);
    l->fused = piece->rows == in->rows && gp_reduce_is_fused(gp, r, columns) &&
               most > UINT64_C(1) << fuse;
    l->skipped = l->fused && !gp_reduce_is_dense(r);
    uint64_t vectors = gp_ceil_div(piece->rows, columns), lines = piece->count;
    if (l->fused) { // those behind the head, which is shorter than a vector, and before the last
        vectors = gp_ceil_div((uint64_t)in->stride << fuse, columns);
        l->fuse = fuse;
        lines = lines < columns ? 0 : (lines - columns) >> fuse;
    }
    if (l->skipped)
        vectors = VECTORS_OF_SKIPPED(piece->rows, columns) << fuse;
    // Each of the fused lines gives a partial, and so does the remainder.
    const uint64_t remainder = l->fused;
    const bool is_small = gp_reduce_is_small(gp, in);
    const uint64_t items = (uint64_t)gp->caps.compute_units * variant->groups_per_unit *
                           (is_small ? variant->work_group : group_of(gp, r, variant, columns));
    const uint64_t groups = gp_ceil_div(items, work_group);
    const uint64_t slots = slots_of(most - remainder, groups, vectors, l->fuse);
    const struct shares shares = {
        .rows = piece->rows,
        .vectors = vectors,
        .pitch_bytes = (gp_abs(in->stride) * in->size) << l->fuse,
        .lines = lines,
        .groups = groups,
        .slots = slots ? slots : 1,
        .depth = depth,
        .work_group = work_group,
        .vector_bytes = columns * (unsigned)in->size,
        .is_small = !l->fused && is_small,
        .fused = l->fused,
        .few_lanes = r->op == GPUPRIM_STATISTICS,
        .units = gp->caps.compute_units,
        .alone = l->fused ? 1 : TILES_WORTH_A_FOLD,
    };
    gp_reduce_cut_columns(l, &shares);
    l->partials = (l->slots << l->fuse) + remainder;
    l->groups = l->slots * l->blocks;
    if (is_small)
        fold_by_signals(gp, r, piece, columns, work_group, l);
    else
        fold_at_end(gp, r, piece, columns, work_group, l);
}

static const struct reduce_ops ops = { specialise, lay_out };

// H200, driver 580.159, 2026-11-21, GB/s, sums of 1 GiB of f32 as matrices so many columns
// wide:
//     items x vectors, groups  3       33      256     4096    65536
//     512 x 8, 2               4159    4161    4232    4225    4337
//     256 x 8, 4               4134    4087    4218    4210    3899
//     512 x 4, 2               4048    4073    4168    4176    4289
//     1024 x 8, 1              4158    4180    4246    4264    4259
//     512 x 8, 1               3728    3722    3866    3843    4338
const struct gp_variant gp_reduce_gpu_columns = {
    .name = "gpu_columns",
    .fits = fits,
    .suits = suits,
    .sources = REDUCE_SOURCES(
        "reduce/pairs.cl", "reduce/words.cl", "reduce/keys.cl", "reduce/column_chains.cl",
        "reduce/column_pairs.cl", "reduce/column_exact.cl", "reduce/column_moments.cl",
        "reduce/column_folds.cl", "reduce/column_lines.cl", "reduce/gpu_columns.cl"),
    .work_group = 1024,
    .groups_per_unit = 1,
    .items = 8,
    .ops = &ops,
};
