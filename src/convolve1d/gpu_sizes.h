/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes that several variants for GPUs go by: of operands and sums, of what a kernel may be
 * given, and the lengths of rows by which they share the work. */
#ifndef GP_CONVOLVE1D_GPU_SIZES_H
#define GP_CONVOLVE1D_GPU_SIZES_H

#include "arguments.h"
#include "convolve1d.h"

enum {
    // Local memory that a kernel may declare on NVIDIA's GPUs, in bytes. They say 48 KiB.
    CONVOLVE_LOCAL_BYTES = 49136,
    // What the ends of a row take in gpu_register_window and gpu_narrow, in loads of single
    // elements.
    CONVOLVE_END_LOADS = 2000,
    // Most taps of gpu_byte_matrices: sums of 32 bits hold the products of all bytes of one
    // weight.
    CONVOLVE_BYTE_TAPS = 8192
};

// Whether groups ask for the memory at the ends of lines of outputs before they write it
// (kernels/convolve1d/gpu_fetch.cl).
bool gp_convolve_fetches(const struct convolve_shape *s);

// The share of positions that lie where a tap of some output may. The others are never met.
static inline double gp_convolve_met(const struct convolve_shape *s)
{
    const struct gpuprim_filter *f = s->filter;
    return f->taps == 1 ? 1 / (double)f->stride : (double)s->phases / (double)f->dilation;
}

// Bytes of an operand: an element to calculate with.
static inline unsigned gp_convolve_operand_bytes(const struct gpuprim_filter *f)
{
    return gp_type_size(f->in) == 8 ? 8 : 4;
}

// Sums of integers that take 64 bits: integers or f64.
static inline bool gp_convolve_has_long_sums(const struct gpuprim_filter *f)
{
    return f->sums_in_f64 || (gp_filter_sums_whole(f) && f->sum_bits > 31);
}

// Whether one value stands beyond an end.
static inline bool gp_convolve_is_flat(enum gpuprim_boundary side)
{
    return side == GPUPRIM_ZERO || side == GPUPRIM_CONSTANT || side == GPUPRIM_EDGE;
}

// How many positions outputs need beyond an end.
static inline double gp_convolve_beyond(const struct convolve_shape *s, bool left)
{
    const double low = (double)s->origin, halo = (double)s->filter->halo;
    const double last = low + (double)(s->outputs - 1) * (double)s->filter->stride + halo;
    const double beyond = left ? -low : last + 1 - (double)s->n;
    return beyond > 0 ? beyond : 0;
}

// Whether taps that meet nothing but such values are many: rows are shorter than the filter.
static inline bool gp_convolve_has_flat_ends(const struct convolve_shape *s)
{
    const struct gpuprim_filter *f = s->filter;
    return ((gp_convolve_is_flat(f->left) && gp_convolve_beyond(s, true) > 0) ||
            (gp_convolve_is_flat(f->right) && gp_convolve_beyond(s, false) > 0)) &&
           s->n <= f->halo;
}

// Where 0 stands beyond an end, a finite tap adds 0 or -0 to a sum. At the left end the sum is
// 0, and so it stays. At the right end a sum of -0 becomes 0 with the first tap whose sign is
// plus. Of complex taps, or of several rows, that takes more than one number to say.
static inline bool gp_convolve_skips_left(const struct gpuprim_filter *f)
{
    return f->taps_are_finite && f->left <= GPUPRIM_CONSTANT && f->constant[0] == 0;
}
static inline bool gp_convolve_skips_right(const struct gpuprim_filter *f)
{
    return f->taps_are_finite && f->right <= GPUPRIM_CONSTANT && f->constant[1] == 0 &&
           f->rows == 1 && f->taps_type != GPUPRIM_C32;
}

static inline unsigned gp_convolve_sum_bytes(const struct gpuprim_filter *f)
{
    return gp_convolve_has_long_sums(f) ? 8 : gp_convolve_operand_bytes(f);
}

// Whether a kernel may get the taps of a row by value, beside `own` bytes of the variant's own
// argument, three pointers, and what alignment may take.
static inline bool gp_convolve_takes_taps(const gpuprim *gp, const struct gpuprim_filter *f,
                                          size_t own)
{
    const uint64_t bytes = f->taps * f->size;
    return bytes <= CONVOLVE_TAPS_PADDING &&
           bytes + sizeof(struct arguments) + own + 64 <= gp->caps.max_parameter_bytes;
}

#endif
