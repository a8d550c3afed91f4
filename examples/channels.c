/* SPDX-License-Identifier: Apache-2.0
 *
 * RMS and peak of each channel of a sound. Interleaved samples are a matrix with a row for each
 * frame and a column for each channel, so one call takes all channels as they lie. */
#include <gpuprim/gpuprim.h>
#include <math.h>
#include <stdio.h>

enum { FRAMES = 48000, CHANNELS = 2 };

int main(void)
{
    static float samples[FRAMES][CHANNELS]; // a sine of amplitude 0.5, a square wave of 0.25
    for (int i = 0; i < FRAMES; i++) {
        samples[i][0] = 0.5f * sinf((float)(i % 480) * (float)(2 * acos(-1) / 480));
        samples[i][1] = i % 96 < 48 ? 0.25f : -0.25f;
    }

    float squares[CHANNELS], peaks[CHANNELS];
    const struct gpuprim_array in = gpuprim_as_columns(
        gpuprim_host(GPUPRIM_F32, samples, FRAMES * CHANNELS), FRAMES, CHANNELS);
    const struct gpuprim_array power = gpuprim_host(GPUPRIM_F32, squares, CHANNELS);
    const struct gpuprim_array peak = gpuprim_host(GPUPRIM_F32, peaks, CHANNELS);
    const struct gpuprim_reduce_params sum = { .op = GPUPRIM_SUM_SQUARES };
    const struct gpuprim_reduce_params max = { .op = GPUPRIM_MAX_ABS };
    gpuprim *gp = NULL;
    int status = gpuprim_create(NULL, &gp);
    if (!status)
        status = gpuprim_reduce(gp, &in, &power, &sum, NULL);
    if (!status)
        status = gpuprim_reduce(gp, &in, &peak, &max, NULL);
    gpuprim_destroy(&gp);
    if (status) {
        fprintf(stderr, "channels: %s\n", gpuprim_last_error());
        return status == GPUPRIM_E_NO_DEVICE ? 77 : 1;
    }

    const double right[CHANNELS][2] = { { 0.5 / sqrt(2), 0.5 }, { 0.25, 0.25 } };
    int wrong = 0;
    for (int c = 0; c < CHANNELS; c++) {
        const double rms = sqrt((double)squares[c] / FRAMES);
        printf("channel %d: rms %.4f, peak %.4f\n", c + 1, rms, (double)peaks[c]);
        wrong |= fabs(rms - right[c][0]) > 1e-5 || fabs((double)peaks[c] - right[c][1]) > 1e-5;
    }
    return wrong;
}
