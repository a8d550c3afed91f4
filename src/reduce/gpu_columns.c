/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_columns of reduce: the columns of a matrix on GPUs. Lines, blocks, fused
 * lines and the remainder are those of the drawing in kernels/reduce/gpu_columns.cl. */
#include "arguments.h"
#include "reduce.h"

// A fold of several groups' partials costs a GPU what some tiles do: at the end of a launch 2 to 3
// us, by a second launch 7 to 9 (2026-11-20). H200, driver 580.159.04, 2026-11-23, us with 6, 3, 2
// and 1: count u32, 217 x 1426, 8.9, 7.0, 6.9, 7.0; minmax u32, 6 x 16145, 9.3, 7.6, 7.6, 7.6.
enum { TILES_WORTH_A_FOLD = 3 };

// Positions within a chain stay below 2^31.
enum { MAX_SLOTS = 4096 };

static bool fits(const gpuprim *gp, const void *call)
{
    (void)gp;
    const struct reduction *r = call;
    return r->in.row_stride == 1 && r->in.stride >= 1;
}

static bool suits(const gpuprim *gp, const void *call)
{
    const struct reduction *r = call;
    return !gp->caps.is_cpu && r->in.rows > 1 && r->in.stride > 1;
}

// ---------------------------------------------------------------------------------------
// Vectors

// Where the first element probably lies, in bytes from an aligned address, if `base` is one.
// base itself is not looked at, so that gpuprim_reduce_prepare guesses the same. The kernel
// looks for itself; a wrong guess costs time only.
static uint64_t guess_offset(const gpuprim *gp, const struct gp_array *in)
{
    if (in->memory == GPUPRIM_HOST && !gp->caps.is_cpu)
        return 0; // staged from its first element on
    return (uint64_t)in->first * in->size;
}

// Whether lines consist of aligned vectors of so many columns.
static bool are_vectors(const struct gp_array *in, unsigned columns, uint64_t offset)
{
    return in->rows % columns == 0 && (uint64_t)in->stride % columns == 0 &&
           offset % (columns * in->size) == 0;
}

// Whether lines can be read as one with the gaps between them: there are none, or they skip no
// line of memory, or little of it. Gaps of host arrays are not copied, and statistics take longer
// than to read.
static bool is_dense(const struct reduction *r)
{
    enum { LINE = 64, SMALL = 8 };
    const struct gp_array *in = &r->in;
    const uint64_t gap = (uint64_t)in->stride - in->rows;
    return (uint64_t)in->stride == in->rows ||
           ((uint64_t)in->stride > in->rows && in->memory != GPUPRIM_HOST &&
            r->op != GPUPRIM_STATISTICS && (gap * in->size < LINE || gap <= in->rows / SMALL));
}

// log2 of the lines that have a whole number of vectors together.
static unsigned fuse_of(const struct gp_array *in, unsigned columns)
{
    unsigned fuse = 0;
    while (((uint64_t)in->stride << fuse) % columns)
        fuse++;
    return fuse;
}

// Whether the chains of 16 bytes of columns leave room for loads in flight: elements of 1 or 2
// bytes, and one word at most for each (kernels/reduce/column_chains.cl).
static bool is_narrow(const gpuprim *gp, const struct reduction *r)
{
    if (r->in.size > 2 || r->sum == GPUPRIM_F64)
        return false;
    switch (r->op) {
    case GPUPRIM_STATISTICS:
    case GPUPRIM_PRODUCT:
        return false;
    case GPUPRIM_MINMAX: // by pairs
        return gp->caps.ptx >= 90;
    case GPUPRIM_SUM_SQUARES:
        return r->in.type != GPUPRIM_I16 && r->in.type != GPUPRIM_U16;
    case GPUPRIM_MEAN:
        return !r->skip_nan;
    default:
        return true;
    }
}

// Whether a launch takes longer than the bytes.
static bool is_small(const gpuprim *gp, const struct gp_array *in)
{
    enum { SMALL = 4 << 20 };
    return gp->caps.ptx && in->rows * in->count * in->size < SMALL;
}

// Columns of a vector of narrow elements: half of 16 bytes where what is kept of each column takes
// the registers of loads in flight. H200, driver 580.159.04, 2026-11-23, us by 16 bytes and by 8: sum
// u8, 14 wide, 308 and 282; sum_abs i8, 899 wide, 315 and 273; any u8, 27 wide, 281 and 274; argmin
// i16, 33 wide, 274 and 256; but argmin u8, 135 wide, 523 and 544, min u8, 100 wide, 237 and 240, mean
// i16, 251 wide, 309 and 319.
static unsigned narrow_columns(const struct reduction *r)
{
    const unsigned whole = VEC16_BYTES / (unsigned)r->in.size;
    switch (r->op) {
    case GPUPRIM_ARGMIN:
    case GPUPRIM_ARGMAX:
        return r->in.size == 2 ? whole / 2 : whole;
    case GPUPRIM_MIN:
    case GPUPRIM_MAX:
    case GPUPRIM_MINMAX:
    case GPUPRIM_MAX_ABS:
        return whole;
    default:
        return r->in.size == 1 ? whole / 2 : whole;
    }
}

// Columns of a vector: as many as 16 bytes have, but of elements of 1 or 2 bytes with larger
// chains four, and of 4 bytes two for statistics, whose four take more registers than groups of
// 512 items have (ptxas for sm_90: 164; of two 96). Fewer where lines do not consist of such
// vectors and cannot be fused.
static unsigned columns_of(const gpuprim *gp, const struct reduction *r)
{
    // With fewer lines the remainder is a large part of the matrix. Small matrices are done sooner
    // without the code that fused lines take. H200, driver 580.159.04, 2026-11-23, fused and not:
    // 3 x 10574 u32 12.3 and 8.5 us, 6 x 182102 f16 20.2 and 9.5, 74 x 5809 f16 14.5 and 7.8.
    enum { FUSED_LINES = 16, WORD_BYTES = 4 };
    const struct gp_array *in = &r->in;
    const uint64_t offset = guess_offset(gp, in);
    const uint64_t room = REDUCE_SCRATCH_BYTES / gp_reduce_partial_bytes(r);
    const bool is_wide = in->size > 4 || (r->op == GPUPRIM_STATISTICS && in->size == 4);
    const unsigned most = is_wide ? 2 : is_narrow(gp, r) ? narrow_columns(r) : 4;
    unsigned columns = most;
    for (; columns > 1; columns /= 2) {
        const uint64_t fused = UINT64_C(1) << fuse_of(in, columns);
        const bool can_fuse = is_dense(r) && !is_small(gp, in) &&
                              (columns == most || columns * in->size >= WORD_BYTES) &&
                              room / in->rows > fused + 1 && in->count >= FUSED_LINES * fused;
        if (can_fuse || are_vectors(in, columns, offset))
            break;
    }
    return columns;
}

// Vectors in flight per item: as many bytes as variant->items vectors of 16 bytes.
static unsigned depth_of(const struct gp_variant *variant, unsigned columns, size_t size)
{
    return (unsigned)gp_min(variant->items * VEC16_BYTES / (columns * size), 16);
}

// Accs of an item in local memory: each step of a fold has a barrier, whatever it merges.
static unsigned side_of(const struct reduction *r, unsigned columns, unsigned work_group)
{
    enum { LOCAL_BYTES = 32 << 10 };
    unsigned side = columns;
    while (side > 1 && side * work_group * gp_reduce_partial_bytes(r) > LOCAL_BYTES)
        side /= 2;
    return side;
}

static void specialise(const gpuprim *gp, const struct reduction *r,
                       const struct gp_variant *variant, struct gp_key *key)
{
    const unsigned columns = columns_of(gp, r);
    // Chains of statistics take more than the 64 registers that items of groups of 1024 have, but
    // for one of f16 or of narrow integers. H200, driver 580.159.04, 2026-11-23, share of the
    // bound by groups of 512 and of 1024: f16, columns by one 0.408 and 0.514; f32 0.607 and 0.494.
    if (r->op == GPUPRIM_STATISTICS && (columns > 1 || r->in.size > 2))
        key->work_group = variant->work_group / 2;
    // Small matrices: more units have a group, and a group's items wait for fewer others. The same,
    // us by groups of 1024, 512 and 256: count u32, 217 x 1426, 6.9, 5.6, 5.8; minmax u32, 6 x 16145,
    // 6.8, 5.9, 5.1; mean u64, 7 x 23595, 8.1, 6.8, 7.2; sum f32, 1000 x 64, 6.0 and 5.0 by 256.
    if (is_small(gp, &r->in))
        key->work_group = variant->work_group / 4;
    gp_define(key, "COLUMNS", columns);
    gp_define(key, "DEPTH", depth_of(variant, columns, r->in.size));
    gp_define(key, "SIDE", side_of(r, columns, key->work_group));
}

// ---------------------------------------------------------------------------------------
// The layout

// What the cut of a call into groups depends on.
struct shares {
    uint64_t vectors, lines;
    uint64_t groups; // that the device runs at once
    uint64_t slots;  // at most
    unsigned depth, work_group, vector_bytes;
    unsigned alone; // tiles that one group takes before another is worth it
    bool is_small, fused;
};

// Vectors of a line that a group takes, but for fewer of them: 64 (1 KiB where they have 16
// bytes), so that items read whole stretches of memory and a group takes several lines. More
// where there are not enough lines for that.
static uint64_t wanted_block(const struct shares *s)
{
    enum { VECTORS = 64 };
    const uint64_t lanes = s->lines < s->depth ? 1 : s->lines / s->depth;
    uint64_t block = gp_min(s->work_group / 4, VECTORS);
    if (block * lanes < s->work_group)
        block = s->work_group / lanes;
    return block ? block : 1;
}

// Cuts a line into `blocks` blocks or a few less, of whole stretches of 64 bytes.
static void cut_line(struct layout *l, const struct shares *s, uint64_t blocks)
{
    enum { STRETCH = 64 };
    const uint64_t multiple = STRETCH / s->vector_bytes;
    uint64_t block = gp_ceil_div(s->vectors, blocks);
    if (blocks > 1 && block > multiple)
        block = gp_ceil_div(block, multiple) * multiple;
    l->block = (uint32_t)gp_min(block, s->work_group);
    l->blocks = (uint32_t)gp_ceil_div(s->vectors, l->block);
}

// Vectors of a line that a group takes where few groups cover it: some groups fold the partials at
// the end, instead of one, and those of small matrices are no longer alone. H200, driver 580.159.04,
// 2026-11-23, sum f32, 256 wide, us by 64, 16 and 8 vectors: 62500 lines 35.4, 25.7, 25.5; a million
// lines 245, 236, 237.
static uint64_t narrow_block(const struct shares *s)
{
    enum { STRETCH = 256, SMALL_STRETCH = 64 };
    const uint64_t block = (s->is_small ? SMALL_STRETCH : STRETCH) / s->vector_bytes;
    return block ? block : 1;
}

// Slots that the lines are worth.
static uint64_t slots_of_lines(const struct shares *s, uint64_t lanes)
{
    const uint64_t tiles = gp_ceil_div(s->lines, lanes * s->depth);
    return tiles <= s->alone ? 1 : tiles;
}

// Cuts small matrices so that each group has one tile: no item waits for memory twice, and no
// group for others. Many narrow blocks keep more of the device busy than few wide ones. False
// where lines are so many that a group would read less than LEAST bytes of each.
static bool cut_small(struct layout *l, const struct shares *s)
{
    enum { LEAST = 16, STRETCH = 64 };
    const uint64_t lanes = gp_ceil_div(s->lines, s->depth);
    if (!s->is_small || lanes == 0 || lanes > s->work_group)
        return false;
    uint64_t block = gp_ceil_div(s->vectors, s->groups);
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

// Groups are as many as the device runs at once, or a multiple: in a last round of a few groups
// most of it is idle. So blocks become as narrow as that number of groups has room for.
static void cut(struct layout *l, const struct shares *s)
{
    const uint64_t wanted = wanted_block(s);
    const bool is_one = s->vectors <= 2 * wanted && s->vectors <= s->work_group;
    const uint64_t least =
        gp_ceil_div(s->vectors, !s->fused && (is_one || s->is_small) ? narrow_block(s)
                                : is_one                             ? s->vectors
                                                                     : wanted);
    const uint64_t groups = gp_ceil_div(least, s->groups) * s->groups;
    const uint64_t most = gp_min(groups / least, s->slots);
    cut_line(l, s, least);
    l->slots = gp_min(most, slots_of_lines(s, s->work_group / l->block));
    if (l->slots == most)
        cut_line(l, s, groups / most);
}

// The last group of all, or of a block where lines are not fused, folds the partials unless it
// would have too many to read: 40 for each item take it 10 batches of loads, or 40 loads
// where a partial has more than 16 bytes, a second launch 7 to 9 us.
static void fold_at_end(const gpuprim *gp, const struct gp_piece *piece, unsigned columns,
                        unsigned work_group, struct layout *l)
{
    enum { MOST_OF_ITEM = 40, NEIGHBOURS = 4 };
    const uint64_t width =
        l->fused ? piece->rows : gp_min(piece->rows, (uint64_t)l->block * columns);
    const uint64_t counters = l->fused ? 1 : l->blocks;
    while (l->lanes < l->partials && work_group % (2 * l->lanes) == 0 &&
           (l->lanes < NEIGHBOURS || 2 * l->lanes * width <= work_group))
        l->lanes *= 2;
    if (gp->caps.ptx && l->partials > 1 && counters <= GP_MAX_COUNTERS &&
        width * l->partials <= MOST_OF_ITEM * (uint64_t)work_group)
        l->counters = (uint32_t)counters;
}

static void lay_out(const gpuprim *gp, const struct reduction *r,
                    const struct gp_variant *variant, unsigned work_group,
                    const struct gp_piece *piece, uint64_t most, struct layout *l)
{
    const struct gp_array *in = &r->in;
    const unsigned columns = columns_of(gp, r), fuse = fuse_of(in, columns);
    const unsigned depth = depth_of(variant, columns, in->size);
    l->fused = piece->rows == in->rows && is_dense(r) && most > UINT64_C(1) << fuse &&
               !are_vectors(in, columns, guess_offset(gp, in));
    uint64_t width = piece->rows, lines = piece->count;
    if (l->fused) { // those behind the head, which is shorter than a vector, and before the last
        width = (uint64_t)in->stride;
        l->fuse = fuse;
        lines = lines < columns ? 0 : (lines - columns) >> fuse;
    }
    // Each of the fused lines gives a partial, and so does the remainder.
    const uint64_t remainder = l->fused;
    const uint64_t slots = gp_min((most - remainder) >> l->fuse, MAX_SLOTS);
    const uint64_t items =
        (uint64_t)gp->caps.compute_units * variant->groups_per_unit * variant->work_group;
    const struct shares shares = {
        .vectors = gp_ceil_div(width << l->fuse, columns),
        .lines = lines,
        .groups = gp_ceil_div(items, work_group),
        .slots = slots ? slots : 1,
        .depth = depth,
        .work_group = work_group,
        .vector_bytes = columns * (unsigned)in->size,
        .is_small = !l->fused && is_small(gp, in),
        .fused = l->fused,
        .alone = l->fused ? 1 : TILES_WORTH_A_FOLD,
    };
    if (!cut_small(l, &shares))
        cut(l, &shares);
    l->partials = (l->slots << l->fuse) + remainder;
    l->groups = l->slots * l->blocks;
    fold_at_end(gp, piece, columns, work_group, l);
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
    .sources = REDUCE_SOURCES("reduce/pairs.cl", "reduce/words.cl", "reduce/column_chains.cl",
                              "reduce/column_moments.cl", "reduce/column_folds.cl",
                              "reduce/gpu_columns.cl"),
    .work_group = 1024,
    .groups_per_unit = 1,
    .items = 8,
    .ops = &ops,
};
