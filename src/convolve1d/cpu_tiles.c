/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d on CPU devices: what the variants share. See cpu_tiles.h. */
#include "cpu_tiles.h"

unsigned gp_convolve_cpu_vecs(const gpuprim *gp, unsigned wide, unsigned narrow)
{
    enum { WIDE_BYTES = 64 };
    return gp->caps.vector_bytes >= WIDE_BYTES ? wide : narrow;
}

bool gp_convolve_cpu_takes(const gpuprim *gp)
{
    return gp->caps.is_cpu && gp->force_work_group <= 1;
}

// The type in which sums are calculated. Integers take a float type where it is exact.
static enum gpuprim_type arithmetic(const gpuprim *gp, const struct gpuprim_filter *f)
{
    if (!gp_filter_sums_whole(f))
        return f->in == GPUPRIM_F64 ? GPUPRIM_F64 : GPUPRIM_F32;
    if (f->sum_bits <= 24)
        return GPUPRIM_F32;
    // Outputs of 64 bits are rounded by an addition (kernels/convolve1d/cpu_results.cl).
    const unsigned most = f->out == GPUPRIM_I64 ? 51 : 53;
    return f->sum_bits <= most && gp->caps.has_fp64 ? GPUPRIM_F64 : GPUPRIM_I64;
}

void gp_convolve_cpu_define(const gpuprim *gp, const struct convolve_shape *s,
                            unsigned tile_vecs, struct gp_key *key)
{
    gp_define(key, "ORDER", gp_convolve_order(gp, s->filter));
    gp_define(key, "ARITHMETIC", arithmetic(gp, s->filter));
    gp_define(key, "TILE_VECS", tile_vecs);
    gp_define(key, "REGISTER_BYTES", gp_convolve_cpu_vecs(gp, 64, 32));
}
