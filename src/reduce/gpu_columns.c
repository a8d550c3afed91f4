/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_columns of reduce: the columns of a matrix on GPUs. Words, lines, blocks and glue are
 * those of the drawing in kernels/reduce/gpu_columns.cl. */
#include "reduce.h"

// A second launch costs a GPU what some tiles do: 7-9 us on an H200 (driver 580.159,
// 2026-11-20).
enum { TILES_WORTH_A_LAUNCH = 8 };

// Positions within a lane's chain stay below 2^31.
enum { MAX_SLOTS = 4096 };

static bool fits(const gpuprim *gp, const void *call)
{
    const struct reduction *r = call;
    if (r->in.row_stride != 1 || r->in.stride < 1)
        return false;
    return (!gp->caps.is_cpu && r->in.rows > 1 && r->in.stride > 1) || gp_reduce_is_forced(gp);
}

// ---------------------------------------------------------------------------------------
// Words

// Where the first element probably lies, in bytes from a boundary of words, if `base` lies on
// one; base itself is not looked at, so that gpuprim_reduce_prepare guesses the same. The kernel
// looks for itself; a wrong guess costs time.
static uint64_t guess_offset(const gpuprim *gp, const struct gp_array *in)
{
    if (in->memory == GPUPRIM_HOST && !gp->caps.is_cpu)
        return 0; // staged from its first element on
    return (uint64_t)in->first * in->size;
}

static bool are_words(const struct gp_array *in, unsigned columns, uint64_t offset)
{
    return in->rows % columns == 0 && (uint64_t)in->stride % columns == 0 &&
           offset % (columns * in->size) == 0;
}

// log2 of the lines that have a whole number of words together.
static unsigned glue_of(uint64_t width, unsigned columns)
{
    unsigned glue = 0;
    while ((width << glue) % columns)
        glue++;
    return glue;
}

// Columns of a word: as many as 16 bytes and four partial results allow, fewer where lines
// do not consist of such words and cannot be glued.
static unsigned columns_of(const gpuprim *gp, const struct reduction *r)
{
    const struct gp_array *in = &r->in;
    const uint64_t offset = guess_offset(gp, in);
    const uint64_t room = REDUCE_SCRATCH_BYTES / gp_reduce_partial_bytes(r);
    unsigned columns = in->size > 4 ? 16 / (unsigned)in->size : 4;
    if ((uint64_t)in->stride == in->rows && room / in->rows > columns + 1)
        return columns; // glued
    while (columns > 1 && !are_words(in, columns, offset))
        columns /= 2;
    return columns;
}

// DEPTH of the kernel.
static unsigned depth_of(unsigned items, unsigned columns, size_t size)
{
    const unsigned depth = items * 16 / (columns * (unsigned)size);
    return depth < 16 ? depth : 16;
}

// ---------------------------------------------------------------------------------------
// The layout

static void specialise(const gpuprim *gp, const struct reduction *r,
                       const struct gp_variant *variant, struct special *out)
{
    out->number = columns_of(gp, r);
    out->work_group = variant->work_group;
}

// Cuts a line of `words` into blocks: of about 64 words, 1 KiB of the largest, so that lanes
// read whole stretches of memory and a group has some of them; wider where there are not
// enough lines for that.
static void cut_line(struct layout *l, uint64_t words, uint64_t lanes_wanted,
                     unsigned work_group)
{
    enum { WORDS = 64, MULTIPLE = 8 };
    uint64_t block = work_group / 4 < WORDS ? work_group / 4 : WORDS;
    if (block * lanes_wanted < work_group)
        block = work_group / lanes_wanted;
    if (block < 1)
        block = 1;
    if (words <= 2 * block && words <= work_group)
        block = words;
    else {
        block = gp_ceil_div(words, gp_ceil_div(words, block));
        if (block > MULTIPLE)
            block = gp_ceil_div(block, MULTIPLE) * MULTIPLE;
        if (block > work_group)
            block = work_group;
    }
    l->block = (uint32_t)block;
    l->blocks = (uint32_t)gp_ceil_div(words, block);
}

static void lay_out(const gpuprim *gp, const struct reduction *r,
                    const struct gp_variant *variant, unsigned work_group,
                    const struct gp_piece *piece, uint64_t most, struct layout *l)
{
    const struct gp_array *in = &r->in;
    const unsigned columns = columns_of(gp, r), glue = glue_of(piece->rows, columns);
    const unsigned depth = depth_of(variant->items, columns, in->size);
    l->glued = (uint64_t)in->stride == piece->rows && most > UINT64_C(1) << glue &&
               !are_words(in, columns, guess_offset(gp, in));
    uint64_t lines = piece->count;
    if (l->glued) { // those behind the head, which is shorter than a word
        l->glue = glue;
        lines = lines < columns ? 0 : (lines - (columns - 1)) >> glue;
    }
    cut_line(l, gp_ceil_div(piece->rows << l->glue, columns), lines < depth ? 1 : lines / depth,
             work_group);
    const uint64_t tile = (uint64_t)depth * (work_group / l->block), tiles = lines / tile;
    l->share = tiles * tile;

    uint64_t slots = (uint64_t)gp->caps.compute_units * variant->groups_per_unit / l->blocks;
    if (slots > tiles || slots > MAX_SLOTS)
        slots = tiles < MAX_SLOTS ? tiles : MAX_SLOTS;
    if (!l->glued && tiles <= TILES_WORTH_A_LAUNCH)
        slots = 1;
    const uint64_t strays = l->glued, room = (most - strays) >> l->glue;
    if (slots > room)
        slots = room;
    l->slots = slots ? slots : 1;
    l->partials = (l->slots << l->glue) + strays;
    l->groups = l->slots * l->blocks;
}

static const struct reduce_ops ops = { specialise, lay_out };

// H200, driver 580.159, 2026-11-21, GB/s, sums of 1 GiB of f32 as matrices so many columns wide:
//     items x words, groups    3       33      256     4096    65536
//     512 x 8, 2               4159    4161    4232    4225    4337
//     256 x 8, 4               4134    4087    4218    4210    3899
//     512 x 4, 2               4048    4073    4168    4176    4289
//     1024 x 8, 1              4158    4180    4246    4264    4259
//     512 x 8, 1               3728    3722    3866    3843    4338
const struct gp_variant gp_reduce_gpu_columns = { .name = "gpu_columns",
                                                  .fits = fits,
                                                  .sources =
                                                      REDUCE_SOURCES("reduce/gpu_columns.cl"),
                                                  .work_group = 512,
                                                  .groups_per_unit = 2,
                                                  .items = 8,
                                                  .ops = &ops };
