/* SPDX-License-Identifier: Apache-2.0
 *
 * reduce on CPU devices: one item per group owns a core's vector unit. */
#include "reduce.h"

enum {
    BLOCK = 4096, // elements; shares are multiples, so that all but the last are whole blocks
    SHARE = 1 << 16, // a core's wake-up costs more than this many elements
};

static bool takes(const gpuprim *gp)
{
    return gp->caps.is_cpu && gp->force_work_group <= 1;
}

static void specialise(const gpuprim *gp, const struct reduction *r,
                       const struct gp_variant *variant, struct special *out)
{
    (void)gp, (void)r;
    out->work_group = variant->work_group;
}

// ---------------------------------------------------------------------------------------
// blocks: rows of stride 1, each a group's or a few groups'

bool gp_reduce_fits_blocks(const gpuprim *gp, const void *call)
{
    const struct reduction *r = call;
    return takes(gp) && r->in.stride == 1 && (r->in.count >= 16 || gp_reduce_is_forced(gp));
}

static void lay_out_blocks(const gpuprim *gp, const struct reduction *r,
                           const struct gp_variant *variant, unsigned work_group,
                           const struct gp_piece *piece, uint64_t most, struct layout *l)
{
    (void)r, (void)work_group;
    l->sets = l->lanes = 1;
    const uint64_t groups = (uint64_t)gp->caps.compute_units * variant->groups_per_unit;
    uint64_t wanted = groups / piece->rows;
    if (wanted > piece->count / SHARE)
        wanted = piece->count / SHARE;
    gp_reduce_cut(l, piece->count, wanted, BLOCK, most);
    l->groups = piece->rows * l->slots;
}

const struct reduce_shape gp_reduce_blocks = { specialise, lay_out_blocks };

// ---------------------------------------------------------------------------------------
// bands: elements of neighbouring rows are neighbours in memory (columns of a matrix)

// Bytes of a line that a group takes, and columns at most. PoCL 3.1, two cores with AVX-512
// that others used too, 2026-11-21, sums of 256 MiB, interleaved with a read-only loop, whose
// speed is 1; with 512 / 1024 / 2048 / 4096 columns:
//     u8   4096 wide  0.25  0.50  0.70  1.04      256 wide  0.59  0.58  0.68  1.01
//     f32  4096 wide  0.97  1.21  1.22  1.34      256 wide  0.82  1.13  1.02  1.42
enum { LINE = 8192, MOST_COLUMNS = 4096 };

static unsigned columns_of(const struct reduction *r)
{
    return LINE / r->in.size < MOST_COLUMNS ? LINE / (unsigned)r->in.size : MOST_COLUMNS;
}

bool gp_reduce_fits_bands(const gpuprim *gp, const void *call)
{
    const struct reduction *r = call;
    const bool neighbours = r->in.rows == 1 || r->in.row_stride == 1;
    return takes(gp) && neighbours && r->in.stride != 1;
}

static void specialise_bands(const gpuprim *gp, const struct reduction *r,
                             const struct gp_variant *variant, struct special *out)
{
    specialise(gp, r, variant, out);
    out->number = columns_of(r);
}

static void lay_out_bands(const gpuprim *gp, const struct reduction *r,
                          const struct gp_variant *variant, unsigned work_group,
                          const struct gp_piece *piece, uint64_t most, struct layout *l)
{
    (void)work_group;
    l->sets = l->lanes = 1;
    const uint64_t bands = gp_ceil_div(piece->rows, columns_of(r));
    const uint64_t groups = (uint64_t)gp->caps.compute_units * variant->groups_per_unit;
    uint64_t wanted = gp_ceil_div(groups, bands);
    if (wanted > piece->count / gp_ceil_div(SHARE, piece->rows))
        wanted = piece->count / gp_ceil_div(SHARE, piece->rows);
    gp_reduce_cut(l, piece->count, wanted, BLOCK, most);
    l->groups = bands * l->slots;
}

const struct reduce_shape gp_reduce_bands = { specialise_bands, lay_out_bands };

// ---------------------------------------------------------------------------------------
// batches: many short rows of stride 1

// A row is folded to one vector, whose lanes take 64 elements each; vectors are of 16 elements,
// of 8 where sums are f64.
static uint64_t most_elements(const struct reduction *r)
{
    return r->sum == GPUPRIM_F64 ? 512 : 1024;
}

// Up to that length it is faster than blocks, too: it reads several rows side by side.
// PoCL 3.1, two cores with AVX-512, 2026-11-21, f32, a read-only loop's processor time over the
// kernel's: rows of 1024 in batches 1.32, rows of 1025 in blocks 0.88.
bool gp_reduce_fits_batches(const gpuprim *gp, const void *call)
{
    const struct reduction *r = call;
    return takes(gp) && r->in.stride == 1 && r->in.count > 0 &&
           r->in.count <= most_elements(r) && (r->in.rows > 1 || gp_reduce_is_forced(gp));
}

static void lay_out_batches(const gpuprim *gp, const struct reduction *r,
                            const struct gp_variant *variant, unsigned work_group,
                            const struct gp_piece *piece, uint64_t most, struct layout *l)
{
    (void)r, (void)work_group, (void)most;
    l->sets = l->lanes = 1;
    gp_reduce_cut(l, piece->count, 1, BLOCK, most);
    const uint64_t groups = (uint64_t)gp->caps.compute_units * variant->groups_per_unit;
    l->groups = gp_ceil_div(piece->rows * piece->count, SHARE);
    if (l->groups > groups)
        l->groups = groups;
}

const struct reduce_shape gp_reduce_batches = { specialise, lay_out_batches };
