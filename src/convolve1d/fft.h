/* SPDX-License-Identifier: Apache-2.0
 *
 * The method FFT: what fft.c asks of the two variants that may run it, cpu_fft.c and gpu_fft.c,
 * and what both count by. */
#ifndef GP_CONVOLVE1D_FFT_H
#define GP_CONVOLVE1D_FFT_H

#include "arguments.h"
#include "convolve1d.h"

// cpu_fft.c: whether filters of this kind are for that variant here; else they are for gpu_fft.
bool gp_cpu_fft_takes(const gpuprim *gp, const struct gpuprim_filter *f);

// Fills in f->fft but for its memory. Its length is 0 where the device is too small.
void gp_cpu_fft_size(const gpuprim *gp, struct gpuprim_filter *f);
void gp_gpu_fft_size(const gpuprim *gp, struct gpuprim_filter *f);

// Segments of a block: the real and the imaginary part of one complex segment.
static inline uint64_t gp_fft_segments_of(const struct convolve_shape *s)
{
    return s->filter->in == GPUPRIM_C32 ? 1 : 2;
}

// Blocks of a line, which is a row or a phase of it.
static inline uint64_t gp_fft_blocks_of(const struct convolve_shape *s)
{
    return gp_ceil_div(gp_ceil_div(s->outputs, s->phases),
                       gp_fft_segments_of(s) * s->filter->fft.valid);
}

// Whether the filter has spectra, and the launch has lines that kernels can count.
static inline bool gp_fft_has_lines(const struct convolve_shape *s)
{
    return s->filter->fft.length && s->step == 1 && s->phases <= INT32_MAX &&
           s->rows <= INT32_MAX / s->phases &&
           gp_fft_blocks_of(s) <= INT32_MAX / (s->rows * s->phases);
}

// Whether neighbouring inputs of lines, and neighbouring outputs, are neighbours in memory.
static inline bool gp_fft_is_dense(const struct convolve_shape *s)
{
    return s->stride == 1 && s->out_stride == 1 && s->filter->dilation == 1;
}

// What the kernels know of a launch.
static inline struct fft_arguments gp_fft_arguments(const struct convolve_shape *s)
{
    const struct convolve_fft *t = &s->filter->fft;
    return (struct fft_arguments){ .lines = (cl_uint)(s->rows * s->phases),
                                   .phases = (cl_uint)s->phases,
                                   .blocks = (cl_uint)gp_fft_blocks_of(s),
                                   .lines_near = s->lanes > 1,
                                   .valid = t->valid,
                                   .lead = t->lead,
                                   .parts = t->parts,
                                   .part_taps = t->part_taps };
}

#endif
