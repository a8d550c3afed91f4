/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals and filters for the tests of the method FFT (fft_signals.h). */
#include "fft_signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double part(struct check *check, bool is_wide)
{
    const double fraction = ldexp((double)check_below(check, 1 << 21), -20) - 1;
    return is_wide ? ldexp(fraction, -(int)check_below(check, 60)) : fraction;
}

void fft_signal_make(struct check *check, enum gpuprim_type type, uint64_t taps, uint64_t n,
                     bool is_wide, struct fft_signal *s)
{
    *s = (struct fft_signal){ .type = type, .taps = taps, .n = n };
    s->h = check_allocate(2 * (taps + 2 * n) * sizeof *s->h);
    s->x = s->h + 2 * taps;
    s->y = s->x + 2 * n;
    s->bytes = check_allocate((taps + 2 * n) * 8);
    for (uint64_t i = 0; i < taps + n; i++)
        for (int k = 0; k < 2; k++) {
            const double value = part(check, is_wide);
            s->h[2 * i + k] = k && type != GPUPRIM_C32 ? 0
                              : type == GPUPRIM_F64    ? value
                                                       : (double)(float)value;
        }
}

void fft_signal_free(struct fft_signal *s)
{
    free(s->h);
    free(s->bytes);
}

// Moves numbers to the arrays of a call, or back.
static void put(const struct fft_signal *s, const double *from, unsigned char *to,
                uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const float parts[2] = { (float)from[2 * i], (float)from[2 * i + 1] };
        memcpy(to + i * gp_type_size(s->type),
               s->type == GPUPRIM_F64 ? (const void *)&from[2 * i] : parts,
               gp_type_size(s->type));
    }
}

static void get(const struct fft_signal *s, const unsigned char *from, double *to,
                uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        float parts[2] = { 0, 0 };
        double number = 0;
        const size_t size = gp_type_size(s->type);
        memcpy(s->type == GPUPRIM_F64 ? (void *)&number : parts, from + i * size, size);
        to[2 * i] = s->type == GPUPRIM_F64 ? number : (double)parts[0];
        to[2 * i + 1] = (double)parts[1];
    }
}

gpuprim_filter *fft_filter(struct check *check, gpuprim *gp, const struct fft_signal *s,
                           struct gpuprim_filter_params params)
{
    gpuprim_filter *filter = NULL;
    const struct gpuprim_array taps = gpuprim_host(s->type, s->bytes, s->taps);
    put(s, s->h, s->bytes, s->taps);
    params.method = GPUPRIM_METHOD_FFT;
    CHECK(check, !gpuprim_filter_create(gp, &taps, &params, &filter), "%s",
          gpuprim_last_error());
    return filter;
}

void fft_convolve(struct check *check, gpuprim *gp, gpuprim_filter *filter,
                  struct fft_signal *s, uint64_t first, uint64_t n,
                  const struct gpuprim_history *history)
{
    const size_t size = gp_type_size(s->type);
    unsigned char *x = s->bytes + s->taps * size, *y = x + s->n * size;
    struct gpuprim_array in = gpuprim_host(s->type, x, n), out = gpuprim_host(s->type, y, n);
    in.first = out.first = first;
    put(s, s->x + 2 * first, x + first * size, n);
    CHECK(check, !gpuprim_convolve1d(gp, filter, &in, &out, history, NULL), "%s",
          gpuprim_last_error());
    get(s, y + first * size, s->y + 2 * first, n);
}
