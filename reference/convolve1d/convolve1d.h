/* SPDX-License-Identifier: Apache-2.0
 *
 * What gpuprim_convolve1d must give, from the formula in gpuprim.h, in long double and 64-bit
 * integers. Plain C on host arrays; shares no code with the library.
 */
#ifndef CONVOLVE1D_REFERENCE_H
#define CONVOLVE1D_REFERENCE_H

#include <stdbool.h>

#include <gpuprim/gpuprim.h>

// How many outputs a filter of `taps` taps has for a row of n inputs. EXPLICIT: n. Negative:
// VALID with too few inputs.
int64_t convolve_reference_outputs(const struct gpuprim_filter_params *params, uint64_t taps,
                                   uint64_t n);

// Fills out, a host array. `before` is NULL unless the left boundary is HISTORY.
void convolve_reference(const struct gpuprim_array *in, const struct gpuprim_array *taps,
                        const struct gpuprim_filter_params *params,
                        const struct gpuprim_array *before, const struct gpuprim_array *out);

// True if out, a host array, holds the right results: sums of integers exactly, sums of floats
// within the rounding errors of one sum in any order. There are none where f32 holds every sum
// of some of the products exactly. Anything is right where a sum of some of the products may be
// infinite though all of them have a finite one. An integer result is the sum or one within
// these errors, rounded. With the methods FFT and AUTO the errors may be those of FFT, and
// anything is right in a row with a NaN, an infinity or numbers that sums of transforms could
// leave the range with. Otherwise `why` names the first element that is wrong.
bool convolve_reference_agrees(const struct gpuprim_array *in, const struct gpuprim_array *taps,
                               const struct gpuprim_filter_params *params,
                               const struct gpuprim_array *before,
                               const struct gpuprim_array *out, char *why, size_t size);

#endif
