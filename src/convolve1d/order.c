/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d: the order of summation. kernels/convolve1d/convolve1d.cl says what it means. */
#include "convolve1d.h"

// GPUs take the taps in ascending order: 1. CPUs take as many residues as a vector of 64 bytes
// has elements of the type that is calculated with (kernels/convolve1d/cpu_vector.cl).
unsigned gp_convolve_order(const gpuprim *gp, const struct gpuprim_filter *filter)
{
    if (!gp->caps.is_cpu)
        return 1;
    const bool is_short =
        gp_filter_sums_whole(filter) ? filter->sum_bits <= 24 : gp_type_size(filter->in) <= 4;
    return is_short ? 16 : 8;
}
