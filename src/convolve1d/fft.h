/* SPDX-License-Identifier: Apache-2.0
 *
 * The method FFT: what fft.c asks of the variant that will run it. */
#ifndef GP_CONVOLVE1D_FFT_H
#define GP_CONVOLVE1D_FFT_H

#include "convolve1d.h"

// gpu_fft.c: the number of taps from which AUTO takes the method FFT for long contiguous rows.
uint64_t gp_fft_crossover(const gpuprim *gp);

// gpu_fft.c: fills in f->fft but for its memory. Its length is 0 where the device is too small.
void gp_gpu_fft_size(const gpuprim *gp, struct gpuprim_filter *f);

#endif
