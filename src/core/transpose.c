/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels that bring columns to rows, and rows to columns: their tiles, their program and their
 * launches. */
#include "transpose.h"

#include "core.h"

// Tiles of elements of `size` bytes: rows at most, and bytes at most, without the pad of the rows.
// H200, driver 580.159.04, 2026-11-29, 96 MiB of elements, GB/s read and written, to rows, to columns:
//     rows x elements of a tile   44 x u16      97 x u16      590 x u16     590 x u32     4134 x u8
//     48 to 64 x 256 bytes        2885, 2911    2987, 2224    3057, 2147    3464, 3299    -
//     48 to 64 x 128 bytes        2459, 2527    2724, 2642    3045, 2979    3377, 3466    2437, 2397
//     104 or 120 x 128 bytes      -             3017, 2837    2997, 2873    2995, 3132    2220, 2192
// 760 x f64 by tiles of 64 x 256 bytes 3590, 3737, of 64 x 128 3583, 3771. Where elements went to local
// memory one by one, and a unit was made of what lay in several lines: 44 x u16 2507, 2930, 97 x u16
// 1974, 2343, 590 x u32 3122, 3048, 4134 x u8 1863, 1814.
static const struct limits {
    unsigned size, rows, bytes;
} limits[] = { { 1, 64, 8192 }, { 2, 104, 13312 }, { 4, 64, 16384 }, { 8, 64, 16384 } };

enum {
    GROUP = 256,
    ROWS_STEP = 8, // more rows are a multiple of these, so that few programs serve all numbers
};

uint64_t gp_transpose_room(const gpuprim *gp, bool has_host)
{
    enum { PART_OF_DEVICE = 32 };
    const uint64_t most =
        gp_min(gp->caps.max_alloc_bytes, gp->caps.global_bytes / PART_OF_DEVICE);
    return gp_min(gp->staging_bytes / (has_host ? 2 : 1), most);
}

// Tiles of equal numbers of rows.
struct transpose gp_transpose_of(uint64_t columns, size_t size)
{
    const struct limits *most = limits;
    while (most->size < size)
        most++;
    const uint64_t rows = gp_even_part(columns, most->rows);
    struct transpose t = {
        .size = (unsigned)size,
        .column_size = (unsigned)size,
        .rows = (unsigned)(rows < ROWS_STEP ? rows : gp_ceil_div(rows, ROWS_STEP) * ROWS_STEP),
        .count = 1
    };
    while (2 * t.count * t.rows * t.size <= most->bytes)
        t.count *= 2;
    return t;
}

static void specialise(const gpuprim *gp, const void *call, const struct gp_variant *variant,
                       struct gp_key *key)
{
    const struct transpose *t = call;
    (void)gp;
    (void)variant;
    gp_define(key, "TYPE",
              t->size == 1   ? GPUPRIM_U8
              : t->size == 2 ? GPUPRIM_U16
              : t->size == 4 ? GPUPRIM_U32
                             : GPUPRIM_U64);
    gp_define(key, "TO_COLUMNS", t->to_columns);
    gp_define(key, "COLUMN_BYTES", t->column_size);
    gp_define(key, "REJECTS", t->rejects && t->column_size > t->size);
    gp_define(key, "ANYWHERE", t->anywhere);
    gp_define(key, "PAIRS", t->pairs);
    gp_define(key, "TILE_ROWS", t->rows);
    gp_define(key, "TILE_COUNT", t->count);
}

static bool fits(const gpuprim *gp, const void *call)
{
    (void)gp;
    (void)call;
    return true;
}

static const struct gp_variant variant = {
    .name = "transpose",
    .fits = fits,
    .sources = (const char *const[]){ "core/arguments.h", "core/transpose.cl", NULL },
    .work_group = GROUP,
};

static const struct gp_variant *const variants[] = { &variant };

// A part of calls that is planned and built as primitives are.
static const struct gp_primitive primitive = {
    .name = "transpose",
    .variants = variants,
    .n_variants = 1,
    .kernels = { "transpose" },
    .local_bytes = 0,
    .specialise = specialise,
};

int gp_transpose_launch(struct gp_call *call, const struct transpose *transpose,
                        const struct gp_argument *from, const struct gp_argument *to,
                        const struct transpose_arguments *arguments, bool last)
{
    struct gp_plan plan;
    cl_kernel kernel;
    int status = gp_plan(call->gp, &primitive, transpose, &plan);
    const unsigned kinds = (from->is_svm ? GP_SVM_IN : 0u) | (to->is_svm ? GP_SVM_OUT : 0u);
    if (!status)
        status = gp_plan_kernel(&plan, 0, kinds, &kernel);
    if (status)
        return status;
    const struct gp_argument list[] = { *from, *to, { arguments, sizeof *arguments, false } };
    const uint64_t tiles = gp_ceil_div(arguments->rows, transpose->rows) *
                           gp_ceil_div(arguments->count, transpose->count);
    return gp_launch(call, kernel, tiles, plan.program->work_group, list, 3, last);
}

int gp_transpose_build(gpuprim *gp, const struct transpose *transpose, unsigned kinds)
{
    const unsigned of_kernels[GP_MAX_KERNELS] = { kinds };
    return gp_plan_prepare(gp, &primitive, transpose, of_kernels);
}
