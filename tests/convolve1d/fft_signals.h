/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals and filters for the tests of the method FFT. Numbers are complex here, and real ones
 * have no imaginary part. */
#ifndef FFT_SIGNALS_H
#define FFT_SIGNALS_H

#include "case.h"

struct fft_signal {
    enum gpuprim_type type;
    uint64_t taps, n;
    double *h, *x, *y;    // pairs
    unsigned char *bytes; // the arrays of a call: taps, inputs, outputs
};

// Random taps and inputs, rounded to `type`. `is_wide`: with magnitudes over 60 powers of two.
void fft_signal_make(struct check *check, enum gpuprim_type type, uint64_t taps, uint64_t n,
                     bool is_wide, struct fft_signal *s);
void fft_signal_free(struct fft_signal *s);

// A filter of the signal's taps, whose method is FFT.
gpuprim_filter *fft_filter(struct check *check, gpuprim *gp, const struct fft_signal *s,
                           struct gpuprim_filter_params params);

// Outputs first ... first + n - 1 of the signal, from its inputs there and the history before
// them; without `history` all is one call.
void fft_convolve(struct check *check, gpuprim *gp, gpuprim_filter *filter,
                  struct fft_signal *s, uint64_t first, uint64_t n,
                  const struct gpuprim_history *history);

#endif
