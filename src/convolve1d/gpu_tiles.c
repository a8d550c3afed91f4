/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d on GPUs: finds a variant's tuning for a filter and divides rows among groups, for
 * gpu_short_taps.c, gpu_register_window.c and gpu_tap_chunks.c. See gpu_tiles.h. */
#include "gpu_tiles.h"

#include "arguments.h"

static unsigned operands(const struct gpuprim_filter *f)
{
    return gp_type_size(f->in) == 8 ? 2 : 4;
}

static enum convolve_data data_of(const struct gpuprim_filter *f)
{
    if (operands(f) == 2)
        return PAIRS;
    if (f->taps_type == GPUPRIM_I32 && f->sum_bits > 31)
        return LONG_SUMS;
    return gp_type_size(f->in) < 4 ? NARROW : QUADS;
}

const struct convolve_tuning *gp_convolve_gpu_tuning(const gpuprim *gp,
                                                     const struct convolve_tuning *rows,
                                                     unsigned n, const struct gpuprim_filter *f)
{
    const enum convolve_data data = data_of(f);
    for (unsigned i = 0; !gp->caps.is_cpu && i < n; i++)
        if ((rows[i].data & data) && f->taps <= rows[i].most_taps)
            return &rows[i];
    return NULL;
}

bool gp_convolve_gpu_is_dense(const struct gpuprim_filter *f)
{
    return f->stride == 1 && f->dilation == 1;
}

bool gp_convolve_gpu_has_phases(const struct gpuprim_filter *f)
{
    return f->stride == 1 || f->stride == f->dilation;
}

// Into how many phases a row falls (kernels/convolve1d/gpu_vectors.cl). Of a stride as long as
// the dilation, only one has outputs.
static uint64_t phases(const struct gpuprim_filter *f)
{
    return f->dilation > f->stride ? f->dilation : 1;
}

// One row of taps, within the room that the device has for arguments: there are three pointers
// besides, and what alignment may take.
bool gp_convolve_gpu_by_value(const gpuprim *gp, const struct gpuprim_filter *f)
{
    enum { OTHERS = sizeof(struct arguments) + 64 };
    return f->rows == 1 && f->taps * f->size <= CONVOLVE_TAPS_PADDING &&
           f->taps * f->size + OTHERS <= gp->caps.max_parameter_bytes;
}

// Outputs that a group computes.
static uint64_t tile_of(const struct gpuprim_filter *f, const struct convolve_tuning *tuning,
                        unsigned work_group)
{
    return (uint64_t)work_group * tuning->vectors * operands(f) * tuning->tiles;
}

// A tile that is mostly empty takes as long as a full one.
bool gp_convolve_gpu_is_long(const struct convolution *c, const struct convolve_tuning *tuning)
{
    return c->out.count / phases(c->filter) >=
           tile_of(c->filter, tuning, tuning->work_group) / 4;
}

void gp_convolve_gpu_define(const struct gpuprim_filter *f,
                            const struct convolve_tuning *tuning, struct gp_key *key)
{
    key->work_group = tuning->work_group;
    gp_define(key, "VEC_N", operands(f));
    gp_define(key, "ITEM_VECS", tuning->vectors);
}

void gp_convolve_gpu_lay_out(const gpuprim *gp, const struct convolution *c,
                             const struct gp_variant *variant, unsigned work_group,
                             uint64_t rows, uint64_t outputs, struct convolve_layout *l)
{
    (void)gp;
    const struct convolve_ops *ops = variant->ops;
    const struct convolve_tuning *tuning = c->tuning[ops->tuned];
    const struct gpuprim_filter *f = c->filter;
    const uint64_t tile = tile_of(f, tuning, work_group);
    // The first vector of outputs may lack all but one.
    const uint64_t each = gp_ceil_div(outputs, phases(f)) + operands(f) - 1;
    const uint64_t groups = gp_ceil_div(each, tile) * phases(f);
    l->row_groups = (uint32_t)groups;
    l->groups = groups * rows;
}
