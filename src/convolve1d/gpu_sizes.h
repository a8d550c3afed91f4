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
