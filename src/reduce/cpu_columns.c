/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant cpu_columns of reduce: the columns of a matrix, or one row of any stride, on CPU
 * devices. A group of one item goes down the lines of some columns. The kernel is
 * kernels/reduce/cpu_columns.cl. */
#include "cpu.h"

// Bytes of a line that a group takes, and columns at most. PoCL 3.1, two cores with AVX-512
// that others used too, 2026-11-21, sums of 256 MiB, interleaved with a read-only loop, whose
// speed is 1; with 512 / 1024 / 2048 / 4096 columns:
//     u8   4096 wide  0.25  0.50  0.70  1.04      256 wide  0.59  0.58  0.68  1.01
//     f32  4096 wide  0.97  1.21  1.22  1.34      256 wide  0.82  1.13  1.02  1.42
enum { LINE = 8192, MOST_COLUMNS = 4096 };

static unsigned columns_of(const struct reduction *r)
{
    return (unsigned)gp_min(LINE / r->in.size, MOST_COLUMNS);
}

static bool fits(const gpuprim *gp, const void *call)
{
    const struct reduction *r = call;
    return gp_reduce_is_for_cpu(gp) && r->in.stride != 1;
}

// Whether the rows are neighbours. Where they are not, each is a matrix with one column.
static bool are_columns(const struct reduction *r)
{
    return r->in.rows > 1 && r->in.row_stride == 1;
}

static void specialise(const gpuprim *gp, const struct reduction *r,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)gp, (void)variant;
    gp_define(key, "COLUMNS", columns_of(r));
    gp_define(key, "ONE_COLUMN", !are_columns(r));
}

static void lay_out(const gpuprim *gp, const struct reduction *r,
                    const struct gp_variant *variant, unsigned work_group,
                    const struct gp_piece *piece, uint64_t most, struct layout *l)
{
    (void)work_group;
    l->sets = l->lanes = 1;
    const uint64_t columns = are_columns(r) ? piece->rows : 1;
    const uint64_t bands = gp_ceil_div(columns, columns_of(r)) * (piece->rows / columns);
    const uint64_t wanted = gp_ceil_div(gp_reduce_cpu_groups(gp, variant), bands);
    const uint64_t worth = piece->count / gp_ceil_div(CPU_SHARE, columns);
    gp_reduce_cut(l, piece->count, gp_min(wanted, worth), CPU_BLOCK, most);
    l->groups = bands * l->slots;
}

static const struct reduce_ops ops = { specialise, lay_out };

const struct gp_variant gp_reduce_cpu_columns = {
    .name = "cpu_columns",
    .fits = fits,
    .sources = REDUCE_SOURCES("cpu.cl", "reduce/cpu_vector.cl", "reduce/cpu_columns.cl"),
    .work_group = 1,
    .groups_per_unit = 4,
    .ops = &ops,
};
