/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes RIFF/WAVE files in the sample formats that wav_read.c parses: a fmt chunk, for floats
 * a fact chunk with the number of frames, and the data chunk. An extensible format, which
 * assigns channels to loudspeakers, is written as it was read.
 */
#include <inttypes.h>
#include <string.h>

#include "files.h"
#include "src/core/types.h" // names of types

enum { FORMAT_PCM = 1, FORMAT_FLOAT = 3, FORMAT_EXTENSIBLE = 0xfffe };
enum { FORMAT_BYTES = 16, EXTENSION_BYTES = 24 };

static void put(FILE *file, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        putc((int)(value >> 8 * i & 0xff), file);
}

static void put_format(FILE *file, const struct tool_wave *wave, bool is_float,
                       uint64_t channels)
{
    const uint64_t frame = channels * (wave->bits / 8);
    const unsigned plain = is_float ? FORMAT_FLOAT : FORMAT_PCM;
    const uint32_t more = wave->extension ? EXTENSION_BYTES : is_float ? 2 : 0;

    fwrite("fmt ", 1, 4, file);
    put(file, FORMAT_BYTES + more, 4);
    put(file, wave->extension ? FORMAT_EXTENSIBLE : plain, 2);
    put(file, channels, 2);
    put(file, wave->rate, 4);
    put(file, wave->rate * frame, 4);
    put(file, frame, 2);
    put(file, wave->bits, 2);
    // The extension starts with its own length.
    put(file, more ? more - 2 : 0, more ? 2 : 0);
    if (wave->extension)
        fwrite(wave->extension + 2, 1, EXTENSION_BYTES - 2, file);
}

// Samples of 8 bits are stored with an offset of 128. Samples of 24 bits arrive as i32, which
// may exceed 24 bits, so that they are saturated here.
static void put_samples(FILE *file, unsigned bits, const void *data, uint64_t count)
{
    enum { LARGEST = 0x7fffff };
    const int32_t *wide = data;
    const int8_t *narrow = data;

    if (bits == 8) {
        for (uint64_t i = 0; i < count; i++)
            putc(narrow[i] + 128, file);
    } else if (bits == 24) {
        for (uint64_t i = 0; i < count; i++) {
            const int32_t low = wide[i] < -LARGEST - 1 ? -LARGEST - 1 : wide[i];
            put(file, (uint32_t)(low > LARGEST ? LARGEST : low), 3);
        }
    } else {
        fwrite(data, bits / 8, (size_t)count, file);
    }
}

// A byte of padding follows a chunk of odd length; here only the data chunk can be odd.
static void put_file(FILE *file, const struct tool_wave *wave, bool is_float, const void *data,
                     uint64_t frames, uint64_t channels)
{
    const uint64_t bytes = frames * channels * (wave->bits / 8), padding = bytes & 1;
    const uint64_t more = wave->extension ? EXTENSION_BYTES : is_float ? 2 : 0;
    const uint64_t fact = is_float ? 8 + 4 : 0;

    fwrite("RIFF", 1, 4, file);
    put(file, 4 + (8 + FORMAT_BYTES + more) + fact + 8 + bytes + padding, 4);
    fwrite("WAVE", 1, 4, file);
    put_format(file, wave, is_float, channels);
    if (is_float) {
        fwrite("fact", 1, 4, file);
        put(file, 4, 4);
        put(file, frames, 4);
    }
    fwrite("data", 1, 4, file);
    put(file, bytes, 4);
    put_samples(file, wave->bits, data, frames * channels);
    put(file, 0, (int)padding);
}

static bool holds(enum gpuprim_type type, unsigned bits)
{
    static const struct {
        enum gpuprim_type type;
        unsigned bits;
    } kinds[] = {
        { GPUPRIM_I8, 8 },   { GPUPRIM_I16, 16 }, { GPUPRIM_I32, 24 },
        { GPUPRIM_I32, 32 }, { GPUPRIM_F32, 32 }, { GPUPRIM_F64, 64 },
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].type == type && kinds[i].bits == bits)
            return true;
    return false;
}

bool tool_wav_write(FILE *file, const struct tool_matrix *matrix, char *why)
{
    enum { HEADERS = 128 }; // an upper bound of all bytes that are not samples
    const struct tool_wave *wave = &matrix->wave;
    const uint64_t frames = matrix->rows, frame = matrix->columns * (wave->bits / 8);
    const bool is_float = matrix->type == GPUPRIM_F32 || matrix->type == GPUPRIM_F64;
    if (!wave->bits)
        return tool_refuse(why, "a .wav file needs a rate, so that FILE must be a sound; write "
                                "a .npy or .csv file");
    if (!holds(matrix->type, wave->bits))
        return tool_refuse(
            why,
            "a .wav file cannot hold %s; it holds i8, i16, i32, f32 and "
            "f64, which convolve1d gives with --as; a .npy file holds every type",
            gp_type_name(matrix->type));
    if (frame > UINT16_MAX || frames > (UINT32_MAX - HEADERS) / frame)
        return tool_refuse(why,
                           "a .wav file cannot hold %" PRIu64 " frames of %" PRIu64
                           " bytes; a .w64 or .npy file can",
                           frames, frame);
    if (file)
        put_file(file, wave, is_float, matrix->data, frames, matrix->columns);
    return true;
}
