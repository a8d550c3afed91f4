/* SPDX-License-Identifier: Apache-2.0
 *
 * A low-pass filter over a sound file, block by block, as a live signal arrives. `history`
 * carries the last samples of a block to the next one. The result has the same bits as that of
 * one call over the whole file; this program makes both and compares them.
 *
 *     fir [IN.wav OUT.wav]      without files: filters noise and writes nothing */
#include <gpuprim/gpuprim.h>
#include <math.h>
#include <sndfile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAPS = 127, BLOCK = 1000 };

// Taps that pass frequencies up to `cutoff`, a fraction of the sample rate: sin(x) / x with a
// Blackman window.
static void design(float *taps, double cutoff)
{
    const double pi = acos(-1);
    double sum = 0, h[TAPS];
    for (int k = 0; k < TAPS; k++) {
        const double t = k - (TAPS - 1) / 2.0, phase = 2 * pi * (k + 0.5) / TAPS;
        const double sinc = t == 0 ? 2 * cutoff : sin(2 * pi * cutoff * t) / (pi * t);
        h[k] = sinc * (0.42 - 0.5 * cos(phase) + 0.08 * cos(2 * phase));
        sum += h[k];
    }
    for (int k = 0; k < TAPS; k++)
        taps[k] = (float)(h[k] / sum);
}

// Filters interleaved channels, `block` frames at a time. Before the first block is silence.
static int filter_blocks(gpuprim *gp, const gpuprim_filter *filter, float *samples,
                         float *results, size_t frames, size_t channels, size_t block)
{
    float *last = calloc((TAPS - 1) * channels, sizeof *last); // a row for each channel
    const struct gpuprim_array past =
        gpuprim_as_rows(gpuprim_host(GPUPRIM_F32, last, 0), channels, TAPS - 1);
    const struct gpuprim_history history = { .before = past, .after = past };

    int status = last ? GPUPRIM_OK : GPUPRIM_E_MEMORY;
    for (size_t at = 0; at < frames && status == GPUPRIM_OK; at += block) {
        const size_t n = frames - at < block ? frames - at : block;
        struct gpuprim_array in =
            gpuprim_host(GPUPRIM_F32, samples + at * channels, n * channels);
        struct gpuprim_array out =
            gpuprim_host(GPUPRIM_F32, results + at * channels, n * channels);
        in = gpuprim_as_columns(in, n, channels);
        out = gpuprim_as_columns(out, n, channels);
        status = gpuprim_convolve1d(gp, filter, &in, &out, &history, NULL);
    }
    free(last);
    return status;
}

static int make_filter(gpuprim *gp, gpuprim_filter **filter)
{
    float taps[TAPS];
    design(taps, 0.05);
    const struct gpuprim_array array = gpuprim_host(GPUPRIM_F32, taps, TAPS);
    const struct gpuprim_filter_params params = { .mode = GPUPRIM_CAUSAL,
                                                  .left = GPUPRIM_HISTORY };
    return gpuprim_filter_create(gp, &array, &params, filter);
}

static float *read_samples(const char *path, SF_INFO *info)
{
    SNDFILE *file = path ? sf_open(path, SFM_READ, info) : NULL;
    const size_t count = (size_t)(info->frames * info->channels);
    float *samples = !path || file ? calloc(count + 1, sizeof *samples) : NULL;

    if (file && samples && sf_readf_float(file, samples, info->frames) != info->frames) {
        free(samples);
        samples = NULL;
    }
    if (file)
        sf_close(file);
    for (size_t i = 0; !path && samples && i < count; i++)
        samples[i] = (float)(i * 7919 % 1999) / 1000 - 1;
    return samples;
}

static int write_samples(const char *path, SF_INFO info, const float *samples)
{
    const sf_count_t frames = info.frames; // sf_open sets info.frames to 0
    SNDFILE *file = sf_open(path, SFM_WRITE, &info);
    const sf_count_t done = file ? sf_writef_float(file, samples, frames) : -1;
    return file && sf_close(file) == 0 && done == frames;
}

int main(int argc, char **argv)
{
    if (argc != 1 && argc != 3) {
        fprintf(stderr, "usage: fir [IN.wav OUT.wav]\n");
        return 2;
    }
    SF_INFO info = { .frames = 100000, .channels = 2 };
    float *samples = read_samples(argc == 3 ? argv[1] : NULL, &info);
    const size_t frames = (size_t)info.frames, channels = (size_t)info.channels;
    const size_t bytes = frames * channels * sizeof(float);
    float *blocks = malloc(bytes + 1), *whole = malloc(bytes + 1);
    if (!samples || !blocks || !whole) {
        fprintf(stderr, "fir: no samples: %s\n", sf_strerror(NULL));
        return 1;
    }

    gpuprim *gp = NULL;
    gpuprim_filter *filter = NULL;
    int status = gpuprim_create(NULL, &gp);
    if (!status)
        status = make_filter(gp, &filter);
    if (!status)
        status = filter_blocks(gp, filter, samples, blocks, frames, channels, BLOCK);
    if (!status)
        status = filter_blocks(gp, filter, samples, whole, frames, channels, frames);
    if (status)
        fprintf(stderr, "fir: %s\n", gpuprim_last_error());

    int good = !status;
    if (good) {
        good = memcmp(blocks, whole, bytes) == 0;
        printf("%zu frames of %zu channels in blocks of %d: %s\n", frames, channels, BLOCK,
               good ? "the same bits as one call" : "OTHER BITS than one call");
    }
    if (good && argc == 3 && !(good = write_samples(argv[2], info, blocks)))
        fprintf(stderr, "fir: %s cannot be written\n", argv[2]);
    gpuprim_filter_destroy(&filter);
    gpuprim_destroy(&gp);
    free(whole);
    free(blocks);
    free(samples);
    return good ? 0 : status == GPUPRIM_E_NO_DEVICE ? 77 : 1;
}
