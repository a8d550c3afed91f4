/* SPDX-License-Identifier: Apache-2.0
 *
 * What the variants of reduce for CPU devices share: cpu_short_rows.c, cpu_rows.c,
 * cpu_columns.c. One item per group owns a core's vector unit. */
#ifndef GP_REDUCE_CPU_H
#define GP_REDUCE_CPU_H

#include "arguments.h"
#include "reduce.h"

enum {
    // Elements of a block of cpu_rows.cl where operands have 4 bytes. Blocks of larger operands
    // have fewer. Shares are multiples of it, so that only a row's last block is not whole.
    CPU_BLOCK = CHAIN / 2 * CPU_ROWS_CHAINS * (CPU_VECTOR_BYTES / 4),
    // Elements of a share that are worth the wake-up of a core.
    CPU_SHARE = 1 << 16
};

// Whether variants for CPUs can run: their groups have one item.
static inline bool gp_reduce_is_for_cpu(const gpuprim *gp)
{
    return gp->caps.is_cpu && gp->force_work_group <= 1;
}

// Groups that keep all cores busy.
static inline uint64_t gp_reduce_cpu_groups(const gpuprim *gp, const struct gp_variant *variant)
{
    return (uint64_t)gp->caps.compute_units * variant->groups_per_unit;
}

#endif
