/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_columns of reduce: the columns of a matrix on GPUs. Lines, blocks, fused
 * lines and the remainder are those of the drawing in kernels/reduce/gpu_columns.cl. */
#include "arguments.h"
#include "reduce.h"

// A second launch costs a GPU what some tiles do: 7-9 us on an H200 (driver 580.159,
// 2026-11-20).
enum { TILES_WORTH_A_LAUNCH = 8 };

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

// log2 of the lines that have a whole number of vectors together.
static unsigned fuse_of(uint64_t width, unsigned columns)
{
    unsigned fuse = 0;
    while ((width << fuse) % columns)
        fuse++;
    return fuse;
}

// Whether the chains of 16 bytes of columns leave room for loads in flight: elements of 1 or 2
// bytes, and one value of 32 bits for each.
static bool is_narrow(const struct reduction *r)
{
    switch (r->op) {
    case GPUPRIM_SUM:
    case GPUPRIM_MIN:
    case GPUPRIM_MAX:
    case GPUPRIM_AND:
    case GPUPRIM_OR:
    case GPUPRIM_XOR:
    case GPUPRIM_ANY:
    case GPUPRIM_ALL:
    case GPUPRIM_COUNT:
    case GPUPRIM_SUM_ABS:
    case GPUPRIM_MAX_ABS:
        break;
    case GPUPRIM_SUM_SQUARES:
        if (r->in.type != GPUPRIM_I16 && r->in.type != GPUPRIM_U16)
            break;
        return false;
    case GPUPRIM_MEAN:
        if (!r->skip_nan)
            break;
        return false;
    default:
        return false;
    }
    return r->in.size <= 2 && r->sum != GPUPRIM_F64;
}

// Columns of a vector: as many as 16 bytes have, but of elements of 1 or 2 bytes with larger
// chains four, and of 4 bytes two for statistics, whose four take more registers than groups of
// 512 items have (ptxas for sm_90: 164; of two 96). Fewer where lines do not consist of such
// vectors and cannot be fused.
static unsigned columns_of(const gpuprim *gp, const struct reduction *r)
{
    const struct gp_array *in = &r->in;
    const uint64_t offset = guess_offset(gp, in);
    const uint64_t room = REDUCE_SCRATCH_BYTES / gp_reduce_partial_bytes(r);
    const bool is_wide = in->size > 4 || (r->op == GPUPRIM_STATISTICS && in->size == 4);
    const unsigned most = is_wide ? 2 : is_narrow(r) ? VEC16_BYTES / (unsigned)in->size : 4;
    const bool is_packed = (uint64_t)in->stride == in->rows;
    unsigned columns = most;
    for (; columns > 1; columns /= 2) {
        const bool can_fuse =
            is_packed && (columns == most || columns >= 4) && room / in->rows > columns + 1;
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
    // 1024 items have at most 64 registers each on NVIDIA, so that one group fills a unit.
    // Prototype, H200, 2026-11-22, sums of u8 by 16 columns an item: 1024 x 8, 1 group 0.93 to
    // 1.01 of the copy rate, where 4 columns an item had 0.54 to 0.59. Not measured in this form.
    if (columns > 4 && !gp->force_work_group)
        key->work_group = 2 * variant->work_group;
    gp_define(key, "COLUMNS", columns);
    gp_define(key, "DEPTH", depth_of(variant, columns, r->in.size));
    gp_define(key, "SIDE", side_of(r, columns, key->work_group));
}

// ---------------------------------------------------------------------------------------
// The layout

// Cuts a line of `vectors` into blocks of about 64 vectors (1 KiB where they have 16 bytes), so
// that items read whole stretches of memory and a group takes several lines. Blocks are wider
// where there are not enough lines for that.
static void cut_line(struct layout *l, uint64_t vectors, uint64_t lanes_wanted,
                     unsigned work_group)
{
    enum { VECTORS = 64, MULTIPLE = 8 };
    uint64_t block = gp_min(work_group / 4, VECTORS);
    if (block * lanes_wanted < work_group)
        block = work_group / lanes_wanted;
    if (block < 1)
        block = 1;
    if (vectors <= 2 * block && vectors <= work_group)
        block = vectors;
    else {
        block = gp_ceil_div(vectors, gp_ceil_div(vectors, block));
        if (block > MULTIPLE)
            block = gp_ceil_div(block, MULTIPLE) * MULTIPLE;
        block = gp_min(block, work_group);
    }
    l->block = (uint32_t)block;
    l->blocks = (uint32_t)gp_ceil_div(vectors, block);
}

static void lay_out(const gpuprim *gp, const struct reduction *r,
                    const struct gp_variant *variant, unsigned work_group,
                    const struct gp_piece *piece, uint64_t most, struct layout *l)
{
    const struct gp_array *in = &r->in;
    const unsigned columns = columns_of(gp, r), fuse = fuse_of(piece->rows, columns);
    const unsigned depth = depth_of(variant, columns, in->size);
    l->fused = (uint64_t)in->stride == piece->rows && most > UINT64_C(1) << fuse &&
               !are_vectors(in, columns, guess_offset(gp, in));
    uint64_t lines = piece->count;
    if (l->fused) { // those behind the head, which is shorter than a vector
        l->fuse = fuse;
        lines = lines < columns ? 0 : (lines - (columns - 1)) >> fuse;
    }
    cut_line(l, gp_ceil_div(piece->rows << l->fuse, columns), lines < depth ? 1 : lines / depth,
             work_group);
    const uint64_t tile = (uint64_t)depth * (work_group / l->block), tiles = lines / tile;
    l->share = tiles * tile;

    const unsigned larger =
        work_group > variant->work_group ? work_group / variant->work_group : 1;
    uint64_t slots =
        (uint64_t)gp->caps.compute_units * variant->groups_per_unit / larger / l->blocks;
    slots = gp_min(slots, gp_min(tiles, MAX_SLOTS));
    if (!l->fused && tiles <= TILES_WORTH_A_LAUNCH)
        slots = 1;
    // Each of the fused lines gives a partial, and so does the remainder.
    const uint64_t remainder = l->fused;
    slots = gp_min(slots, (most - remainder) >> l->fuse);
    l->slots = slots ? slots : 1;
    l->partials = (l->slots << l->fuse) + remainder;
    l->groups = l->slots * l->blocks;
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
    .sources = REDUCE_SOURCES("reduce/gpu_columns.cl"),
    .work_group = 512,
    .groups_per_unit = 2,
    .items = 8,
    .ops = &ops,
};
