/* SPDX-License-Identifier: Apache-2.0
 *
 * A histogram of loudness for each channel of a sound file. Thresholds on both sides of 0
 * divide the samples into classes, and a map gives both sides the same levels. Interleaved
 * samples are a matrix with a column for each channel, so one call counts all channels.
 * libsndfile reads the file.
 *
 *     levels [FILE]      without a file: two channels of growing loudness */
#include <gpuprim/gpuprim.h>
#include <math.h>
#include <sndfile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 7, LEVELS = STEPS + 1 };

// The lower bounds of levels 1 to 7: in decibels relative to full scale, and as samples.
static const int decibels[STEPS] = { -60, -48, -36, -24, -18, -12, -6 };
static const int16_t steps[STEPS] = { 33, 130, 519, 2068, 4125, 8231, 16423 };

// The same as a chain of comparisons, for the check at the end.
static int level_by_chain(int16_t sample)
{
    const int size = abs(sample);
    if (size >= steps[6])
        return 7;
    else if (size >= steps[5])
        return 6;
    else if (size >= steps[4])
        return 5;
    else if (size >= steps[3])
        return 4;
    else if (size >= steps[2])
        return 3;
    else if (size >= steps[1])
        return 2;
    else if (size >= steps[0])
        return 1;
    else
        return 0;
}

// Writes counts[channel][level].
static int count(gpuprim *gp, const int16_t *samples, uint64_t frames, uint64_t channels,
                 uint64_t *counts)
{
    // A class begins at its threshold. Above 0 a level begins at steps[i]; below 0 the next
    // quieter level begins at 1 - steps[i].
    int16_t thresholds[2 * STEPS];
    uint8_t map[2 * STEPS + 1] = { 0 };
    for (int i = 0; i < STEPS; i++) {
        thresholds[STEPS - 1 - i] = (int16_t)(1 - steps[i]);
        thresholds[STEPS + i] = steps[i];
        map[STEPS - 1 - i] = map[STEPS + 1 + i] = (uint8_t)(i + 1);
    }
    const struct gpuprim_thresholds rule = { .values = gpuprim_host(GPUPRIM_I16, thresholds,
                                                                    2 * STEPS) };
    const struct gpuprim_classifier_params params = {
        .thresholds = &rule,
        .map = gpuprim_host(GPUPRIM_U8, map, 2 * STEPS + 1),
    };
    const struct gpuprim_array in = gpuprim_as_columns(
        gpuprim_host(GPUPRIM_I16, samples, frames * channels), frames, channels);
    const struct gpuprim_array histograms =
        gpuprim_as_rows(gpuprim_host(GPUPRIM_U64, counts, channels * LEVELS), channels, LEVELS);

    gpuprim_classifier *classifier = NULL;
    int status = gpuprim_classifier_create(gp, &params, &classifier);
    if (!status)
        status = gpuprim_classify(gp, classifier, &in, NULL, &histograms, NULL);
    gpuprim_classifier_destroy(&classifier);
    return status;
}

static int16_t *read_samples(const char *path, SF_INFO *info)
{
    SNDFILE *file = path ? sf_open(path, SFM_READ, info) : NULL;
    const size_t n = (size_t)(info->frames * info->channels);
    int16_t *samples = !path || file ? calloc(n + 1, sizeof *samples) : NULL;

    if (file && samples && sf_readf_short(file, samples, info->frames) != info->frames) {
        free(samples);
        samples = NULL;
    }
    if (file)
        sf_close(file);
    for (size_t i = 0; !path && samples && i < n; i++)
        samples[i] = (int16_t)(32767 * sin((double)i) * (double)i / (double)n);
    return samples;
}

// Prints the histogram of a channel. Returns 1 if the chain of comparisons gives the same.
static int report(const int16_t *samples, size_t frames, size_t channels, size_t channel,
                  const uint64_t *counts)
{
    static const char bar[] = "##################################################";
    uint64_t right[LEVELS] = { 0 };
    for (size_t i = 0; i < frames; i++)
        right[level_by_chain(samples[i * channels + channel])]++;
    printf("channel %zu\n", channel + 1);
    for (int level = 0; level < LEVELS; level++) {
        const double share = frames ? (double)counts[level] / (double)frames : 0;
        printf("  %5s %3d dB %9llu %.*s\n", level ? "from" : "below",
               decibels[level ? level - 1 : 0], (unsigned long long)counts[level],
               (int)ceil(share * (double)strlen(bar)), bar);
    }
    return memcmp(counts, right, sizeof right) == 0;
}

int main(int argc, char **argv)
{
    SF_INFO info = { .frames = 100000, .channels = 2 };
    int16_t *samples = read_samples(argc > 1 ? argv[1] : NULL, &info);
    const size_t frames = (size_t)info.frames, channels = (size_t)info.channels;
    uint64_t *counts = calloc(channels * LEVELS + 1, sizeof *counts);
    if (!samples || !counts) {
        fprintf(stderr, "levels: no samples: %s\n", sf_strerror(NULL));
        return 1;
    }

    gpuprim *gp = NULL;
    int status = gpuprim_create(NULL, &gp), good = 1;
    if (!status)
        status = count(gp, samples, frames, channels, counts);
    if (status)
        fprintf(stderr, "levels: %s\n", gpuprim_last_error());
    for (size_t c = 0; !status && c < channels; c++)
        good &= report(samples, frames, channels, c, counts + c * LEVELS);
    if (!status && !good)
        printf("the chain of comparisons gives OTHER counts\n");
    gpuprim_destroy(&gp);
    free(counts);
    free(samples);
    return !status && good ? 0 : status == GPUPRIM_E_NO_DEVICE ? 77 : 1;
}
