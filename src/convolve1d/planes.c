/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d: integer taps as planes of bytes, which gpu_byte_matrices multiplies. filter.c
 * calls this file.
 *
 * Each byte of the taps has a plane, and each plane four copies. In these the taps are moved by
 * 0 to 3 bytes, so that kernels read any four neighbours as a word. There are zeros in front of
 * the taps and behind them. */
#include "gpu_sizes.h"

#include <stdlib.h>

enum { COPIES = 4, VECTOR = 4 };

uint32_t gp_filter_plane_words(const struct gpuprim_filter *f)
{
    const uint64_t words = 2 * BYTE_MOST_LEAD + gp_ceil_div(f->taps + COPIES - 1, 4);
    return (uint32_t)(gp_ceil_div(words, VECTOR) * VECTOR);
}

int gp_filter_make_planes(struct gpuprim_filter *f)
{
    if (f->gp->caps.is_cpu || f->taps_type != GPUPRIM_I32 || f->rows > 1 ||
        f->taps > CONVOLVE_BYTE_TAPS)
        return GPUPRIM_OK;
    const size_t copy = (size_t)gp_filter_plane_words(f) * 4;
    const int32_t *taps = f->values;
    unsigned char *bytes = calloc(f->tap_bytes * COPIES, copy);
    if (!bytes)
        return gp_fail(GPUPRIM_E_MEMORY, "out of memory");
    for (unsigned plane = 0; plane < f->tap_bytes; plane++)
        for (unsigned moved = 0; moved < COPIES; moved++) {
            unsigned char *to = bytes + (plane * COPIES + moved) * copy;
            for (uint64_t k = 0; k < f->taps; k++)
                to[BYTE_MOST_LEAD * 4 + moved + k] =
                    (unsigned char)((uint32_t)taps[k] >> (8 * plane));
        }
    cl_int error;
    f->planes = clCreateBuffer(f->gp->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                               f->tap_bytes * COPIES * copy, bytes, &error);
    free(bytes);
    if (error)
        f->planes = NULL;
    return error ? gp_fail_cl(error, "clCreateBuffer (bytes of taps)") : GPUPRIM_OK;
}
