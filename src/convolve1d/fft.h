/* SPDX-License-Identifier: Apache-2.0
 *
 * The method FFT: what fft.c asks of the variants that may run it, cpu_fft.c, gpu_fft.c and
 * gpu_fft_columns.c, and what they share. */
#ifndef GP_CONVOLVE1D_FFT_H
#define GP_CONVOLVE1D_FFT_H

#include "arguments.h"
#include "convolve1d.h"

// cpu_fft.c: whether filters of this kind are for that variant here; else they are for GPUs.
bool gp_cpu_fft_takes(const gpuprim *gp, const struct gpuprim_filter *f);

// Fills in f->fft but for its memory. Its length is 0 where the device is too small.
void gp_cpu_fft_size(const gpuprim *gp, struct gpuprim_filter *f);
void gp_gpu_fft_size(const gpuprim *gp, struct gpuprim_filter *f);

// gpu_fft.c, for gpu_fft_columns.c, too.
bool gp_gpu_fft_suits(const gpuprim *gp, const void *call);
void gp_gpu_fft_specialise(const gpuprim *gp, const struct convolve_shape *s,
                           const struct gp_variant *variant, struct gp_key *key);
bool gp_gpu_fft_holds(const struct gp_variant *variant, const void *call,
                      const struct gp_program *program);

static inline uint64_t gp_fft_number_bytes(const struct gpuprim_filter *f)
{
    return f->in == GPUPRIM_F64 ? 16 : 8;
}

// Complex points of a row of a segment: those that a group transforms.
static inline uint32_t gp_fft_width_of(const struct convolve_fft *t)
{
    return t->length / t->height / (t->is_packed ? 2 : 1);
}

// Segments of a block: the real and the imaginary part of one complex segment, or one.
static inline uint64_t gp_fft_segments_of(const struct convolve_shape *s)
{
    return s->filter->in == GPUPRIM_C32 || s->filter->fft.is_packed ? 1 : 2;
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
