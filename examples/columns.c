/* SPDX-License-Identifier: Apache-2.0
 *
 * The peak and the energy of each channel of a sound file. Interleaved samples are a matrix
 * with a row for each frame and a column for each channel, so one call reduces all channels.
 * libsndfile reads the file.
 *
 *     columns FILE */
#include <gpuprim/gpuprim.h>
#include <math.h>
#include <sndfile.h>
#include <stdio.h>
#include <stdlib.h>

static int measure(gpuprim *gp, const float *samples, uint64_t frames, uint64_t channels,
                   float *range, float *energy)
{
    const struct gpuprim_array all = gpuprim_host(GPUPRIM_F32, samples, frames * channels);
    const struct gpuprim_array in = gpuprim_as_columns(all, frames, channels);
    const struct gpuprim_array ranges = gpuprim_host(GPUPRIM_F32, range, 2 * channels);
    const struct gpuprim_array energies = gpuprim_host(GPUPRIM_F32, energy, channels);
    const struct gpuprim_reduce_params minmax = { .op = GPUPRIM_MINMAX };
    const struct gpuprim_reduce_params squares = { .op = GPUPRIM_SUM_SQUARES };

    const int status = gpuprim_reduce(gp, &in, &ranges, &minmax, NULL);
    return status ? status : gpuprim_reduce(gp, &in, &energies, &squares, NULL);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: columns FILE\n");
        return 2;
    }
    SF_INFO info = { 0 };
    SNDFILE *file = sf_open(argv[1], SFM_READ, &info);
    if (!file) {
        fprintf(stderr, "columns: %s: %s\n", argv[1], sf_strerror(NULL));
        return 1;
    }
    const size_t channels = (size_t)info.channels, frames = (size_t)info.frames;
    float *samples = calloc(frames * channels + 1, sizeof *samples);
    float *results = calloc(3 * channels, sizeof *results);
    const sf_count_t got = samples && results ? sf_readf_float(file, samples, info.frames) : -1;
    sf_close(file);

    gpuprim *gp = NULL;
    int status = got == info.frames ? gpuprim_create(NULL, &gp) : GPUPRIM_E_MEMORY;
    if (!status)
        status = measure(gp, samples, frames, channels, results, results + 2 * channels);
    if (status)
        fprintf(stderr, "columns: %s\n", gp ? gpuprim_last_error() : gpuprim_strerror(status));
    for (size_t c = 0; !status && c < channels; c++)
        printf("channel %zu: peak %.6f, energy %.6f, %zu samples\n", c + 1,
               fmaxf(-results[2 * c], results[2 * c + 1]), results[2 * channels + c], frames);
    gpuprim_destroy(&gp);
    free(results);
    free(samples);
    return status == GPUPRIM_OK ? 0 : status == GPUPRIM_E_NO_DEVICE ? 77 : 1;
}
