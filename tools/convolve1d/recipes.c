/* SPDX-License-Identifier: Apache-2.0
 *
 * Taps that --taps describes instead of naming a file:
 *
 *     lowpass:CUT[/RATE]:N       h[k] = w[k] (b sinc(b m) - a sinc(a m)), m = k - (N - 1) / 2, where
 *     highpass:CUT[/RATE]:N      a and b are the ends of the band in units of RATE / 2 (lowpass: a = 0,
 *     bandpass:LO-HI[/RATE]:N    highpass: b = 1), w is the Hamming window, and the sum is scaled to a
 *                                gain of 1 in the middle of the band (0 and RATE / 2 where it reaches
 *                                these). The same as scipy.signal.firwin.
 *     gaussian:SIGMA             exp(-m^2 / (2 SIGMA^2)) to 4 SIGMA on both sides, sum 1. The same as
 *                                scipy.ndimage.gaussian_filter1d.
 *     mean:N                     N times 1 / N
 *
 * Without RATE, CUT is in hertz if FILE is a .wav file.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "convolve1d.h"

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

enum { MOST = 1 << 20 }; // as many taps as a filter may have

static double sinc(double x)
{
    return x == 0 ? 1 : sin(M_PI * x) / (M_PI * x);
}

static void fill_band(double *taps, unsigned n, double a, double b)
{
    const double middle = 0.5 * (n - 1), at = a == 0 ? 0 : b == 1 ? 1 : 0.5 * (a + b);
    double gain = 0;
    for (unsigned k = 0; k < n; k++) {
        const double m = k - middle, w = n > 1 ? 0.54 - 0.46 * cos(2 * M_PI * k / (n - 1)) : 1;
        taps[k] = w * (b * sinc(b * m) - a * sinc(a * m));
        gain += taps[k] * cos(M_PI * m * at);
    }
    for (unsigned k = 0; k < n; k++)
        taps[k] /= gain;
}

static void fill_gaussian(double *taps, unsigned n, double sigma)
{
    double sum = 0;
    for (unsigned k = 0; k < n; k++) {
        const double m = k - 0.5 * (n - 1);
        taps[k] = exp(-0.5 * m * m / (sigma * sigma));
        sum += taps[k];
    }
    for (unsigned k = 0; k < n; k++)
        taps[k] /= sum;
}

// What follows `name` and a colon in `text`, or NULL.
static const char *after(const char *text, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(text, name, length) == 0 && text[length] == ':' ? text + length + 1 : NULL;
}

// Parses a positive number and, if it is there, the mark behind it.
static bool take(const char **at, char mark, double *value)
{
    char *end;
    *value = strtod(*at, &end);
    if (end == *at || !(*value > 0) || isinf(*value) || (mark && *end != mark))
        return false;
    *at = end + (mark != 0);
    return true;
}

static bool take_count(const char *at, double *n)
{
    return take(&at, 0, n) && *at == 0 && *n <= MOST && *n == floor(*n);
}

// Parses [LO-]HI[/RATE]:N. The band gets ends in units of RATE / 2.
static bool take_band(const char *at, bool is_pair, double rate, double *band, double *n)
{
    const char *slash = strchr(at, '/');
    if ((is_pair && !take(&at, '-', &band[0])) || !take(&at, slash ? '/' : ':', &band[1]) ||
        (slash && !take(&at, ':', &rate)) || !take_count(at, n) || !(rate > 0))
        return false;
    band[0] /= rate / 2;
    band[1] /= rate / 2;
    return band[0] < band[1] && band[1] < 1;
}

// A text with a colon is the name of a file only where there is such a file.
bool convolve1d_is_recipe(const char *text)
{
    return after(text, "lowpass") || after(text, "highpass") || after(text, "bandpass") ||
           after(text, "gaussian") || after(text, "mean") ||
           (strchr(text, ':') && access(text, F_OK) != 0);
}

int convolve1d_recipe(const char *text, uint32_t rate, struct tool_matrix *out)
{
    const char *const low = after(text, "lowpass"), *const high = after(text, "highpass"),
                      *const pair = after(text, "bandpass"),
                      *const gaussian = after(text, "gaussian"),
                      *const mean = after(text, "mean");
    double band[2] = { 0, 0 }, n = 0, sigma = 0;
    bool good;
    if (gaussian) {
        const char *at = gaussian;
        good = take(&at, 0, &sigma) && *at == 0 && 8 * sigma + 2 <= MOST;
        n = 2 * floor(4 * sigma + 0.5) + 1;
    } else if (mean) {
        good = take_count(mean, &n);
    } else {
        good = (low || high || pair) && take_band(low    ? low
                                                  : high ? high
                                                         : pair,
                                                  pair != NULL, rate, band, &n);
    }
    if (high) {
        band[0] = band[1];
        band[1] = 1;
        good = good && fmod(n, 2) == 1; // with an even number the gain at RATE / 2 is 0
    }
    if (!good)
        return tool_fail(
            TOOL_MISUSED,
            "--taps: '%s' is none of lowpass:CUT/RATE:N, highpass:CUT/RATE:N (N odd), "
            "bandpass:LO-HI/RATE:N with cuts below RATE / 2, gaussian:SIGMA, mean:N",
            text);
    double *taps = malloc((size_t)n * sizeof *taps);
    if (!taps)
        return tool_fail(TOOL_FAILED, "--taps: not enough memory");
    if (gaussian)
        fill_gaussian(taps, (unsigned)n, sigma);
    else if (mean)
        fill_gaussian(taps, (unsigned)n, INFINITY); // all of them equal
    else
        fill_band(taps, (unsigned)n, band[0], band[1]);
    *out = (struct tool_matrix){ .type = GPUPRIM_F64,
                                 .data = taps,
                                 .owned = taps,
                                 .rows = 1,
                                 .columns = (uint64_t)n,
                                 .n_dims = 1 };
    return TOOL_GOOD;
}
