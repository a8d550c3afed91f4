/* SPDX-License-Identifier: Apache-2.0
 *
 * A low-pass over a sound file, block by block as a live signal arrives: what a filter needs of
 * the block before goes through `history`. The result has the same bits as one call over all.
 *
 *     fir [IN.wav OUT.wav]      without files: noise, filtered and thrown away */
#include <gpuprim/gpuprim.h>
#include <math.h>
#include <sndfile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAPS = 127, BLOCK = 1000 };

// Keeps frequencies up to `cutoff`, a share of the sample rate: sin(x)/x under Blackman's
// window.
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

// Filters interleaved channels, `block` frames at a time. The memory before the first is
// silence.
static int filter_blocks(gpuprim *gp, const gpuprim_filter *filter, float *samples,
                         float *results, size_t frames, size_t channels, size_t block)
{
    float *memory = calloc((TAPS - 1) * channels, sizeof *memory);
    struct gpuprim_history history = { .before = gpuprim_host(GPUPRIM_F32, memory, TAPS - 1) };
    history.before.rows = channels;
    history.after = history.before;

    int status = memory ? GPUPRIM_OK : GPUPRIM_E_MEMORY;
    for (size_t at = 0; at < frames && status == GPUPRIM_OK; at += block) {
        // Channel c begins at element c, and its next sample is one frame further.
        struct gpuprim_array in = { .type = GPUPRIM_F32,
                                    .base = samples,
                                    .first = at * channels,
                                    .count = frames - at < block ? frames - at : block,
                                    .stride = (int64_t)channels,
                                    .rows = channels,
                                    .row_stride = 1 };
        struct gpuprim_array out = in;
        out.base = results;
        status = gpuprim_convolve1d(gp, filter, &in, &out, &history, NULL);
    }
    free(memory);
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
    const sf_count_t frames = info.frames; // which opening for writing sets to 0
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
               good ? "the same bits as in one call" : "OTHER BITS than in one call");
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
