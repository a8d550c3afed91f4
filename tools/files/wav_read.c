/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses RIFF/WAVE files as matrices of frames x channels (wav_write.c writes them): PCM
 * samples of 8, 16, 24 and 32 bits, IEEE floats of 32 and 64 bits.
 *
 * The program has its own parser because it uses the samples in place, in the mapped file.
 * Libraries for audio files copy them. Two formats are copied here, too. No element type has 24
 * bits: these samples become i32 of the same value, within +-2^23. Samples of 8 bits are stored as
 * 0 ... 255 with silence at 128: they become i8, the distance from silence, so that 0 is silence
 * in every sample format.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

enum { FORMAT_PCM = 1, FORMAT_FLOAT = 3, FORMAT_EXTENSIBLE = 0xfffe };

struct wave {
    unsigned format, channels, frame_bytes, bits;
    uint32_t rate;
    const unsigned char *extension, *samples;
    uint64_t bytes;
    bool open_ended;
};

static uint32_t little(const unsigned char *bytes, int n)
{
    uint32_t value = 0;
    for (int i = n; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

static bool parse_format(const unsigned char *chunk, uint64_t bytes, struct wave *wave,
                         char *why)
{
    // A GUID names an extensible format: two bytes with the format tag, then these.
    static const unsigned char guid_end[14] = { 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80,
                                                0x00, 0x00, 0xaa, 0x00, 0x38, 0x9b, 0x71 };
    if (bytes < 16)
        return tool_refuse(why, "the fmt chunk has %" PRIu64 " bytes; it needs at least 16",
                           bytes);
    wave->format = little(chunk, 2);
    wave->channels = little(chunk + 2, 2);
    wave->rate = little(chunk + 4, 4);
    wave->frame_bytes = little(chunk + 12, 2);
    wave->bits = little(chunk + 14, 2);
    if (wave->format == FORMAT_EXTENSIBLE) {
        if (bytes < 40 || memcmp(chunk + 26, guid_end, sizeof guid_end) != 0)
            return tool_refuse(why, "the extensible sample format is unknown");
        wave->format = little(chunk + 24, 2);
        wave->extension = chunk + 16;
    }
    return true;
}

// Finds the first fmt chunk and the first data chunk. Their order does not matter, and other
// chunks are skipped.
static bool find_chunks(const unsigned char *file, uint64_t size, struct wave *wave, char *why)
{
    bool has_format = false;
    for (uint64_t at = 12; size - at >= 8 && !(has_format && wave->samples);) {
        const unsigned char *id = file + at;
        uint64_t bytes = little(id + 4, 4);
        const uint64_t rest = size - at - 8;
        const bool is_data = memcmp(id, "data", 4) == 0;
        // A program that wrote to a pipe could not fill in the size afterwards.
        const bool open_ended = is_data && (bytes == 0 || bytes == UINT32_MAX);
        if (open_ended)
            bytes = rest;
        if (bytes > rest)
            return tool_refuse(
                why, "is truncated: a chunk has only %" PRIu64 " of its %" PRIu64 " bytes",
                rest, bytes);
        if (is_data && !wave->samples) {
            wave->samples = id + 8;
            wave->bytes = bytes;
            wave->open_ended = open_ended;
        } else if (!has_format && memcmp(id, "fmt ", 4) == 0) {
            if (!parse_format(id + 8, bytes, wave, why))
                return false;
            has_format = true;
        }
        // A byte of padding follows a chunk of odd length. It may be missing at the end of the
        // file.
        at += 8 + bytes + (bytes & 1 && bytes < rest);
    }
    if (!has_format || !wave->samples)
        return tool_refuse(why, "has no %s chunk", has_format ? "data" : "fmt");
    return true;
}

// Copies samples of 8 bits to i8 and samples of 24 bits to i32.
static bool copy_samples(const struct wave *wave, struct tool_matrix *out, char *why)
{
    const size_t count = (size_t)(out->rows * out->columns);
    int32_t *wide = malloc(count * (wave->bits == 24 ? sizeof *wide : 1) + 1);
    int8_t *narrow = (int8_t *)wide;
    if (!wide)
        return tool_refuse(why, "not enough memory for %zu samples", count);
    out->data = out->owned = wide;
    for (size_t i = 0; wave->bits == 8 && i < count; i++)
        narrow[i] = (int8_t)(wave->samples[i] - 128);
    for (size_t i = 0; wave->bits == 24 && i < count; i++) {
        const uint32_t sample = little(wave->samples + 3 * i, 3);
        wide[i] = (int32_t)(sample ^ 0x800000) - 0x800000; // extends the sign
    }
    return true;
}

bool tool_wav_is_coded(const unsigned char *file, size_t size)
{
    struct wave wave = { 0 };
    char why[TOOL_MESSAGE];
    return size >= 12 && memcmp(file + 8, "WAVE", 4) == 0 &&
           find_chunks(file, size, &wave, why) && wave.format != FORMAT_PCM &&
           wave.format != FORMAT_FLOAT;
}

bool tool_wav_parse(const unsigned char *file, size_t size, struct tool_matrix *out, char *why)
{
    static const struct {
        unsigned format, bits;
        enum gpuprim_type type;
    } kinds[] = {
        { FORMAT_PCM, 8, GPUPRIM_I8 },     { FORMAT_PCM, 16, GPUPRIM_I16 },
        { FORMAT_PCM, 24, GPUPRIM_I32 },   { FORMAT_PCM, 32, GPUPRIM_I32 },
        { FORMAT_FLOAT, 32, GPUPRIM_F32 }, { FORMAT_FLOAT, 64, GPUPRIM_F64 },
    };
    struct wave wave = { 0 };

    if (size < 12 || memcmp(file + 8, "WAVE", 4) != 0)
        return tool_refuse(why, "is a RIFF file, but not a WAVE file");
    if (!find_chunks(file, size, &wave, why))
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (wave.format == kinds[i].format && wave.bits == kinds[i].bits)
            out->type = kinds[i].type;
    if (!out->type)
        return tool_refuse(why,
                           "sample format %u with %u bits is not supported; PCM of 8, 16, 24 "
                           "and 32 bits and floats of 32 and 64 bits are",
                           wave.format, wave.bits);
    if (wave.channels == 0)
        return tool_refuse(why, "has no channels");
    if (wave.frame_bytes != wave.channels * (wave.bits / 8))
        return tool_refuse(
            why, "declares %u bytes per frame, which does not match %u channels of %u bits",
            wave.frame_bytes, wave.channels, wave.bits);
    // A recording into a pipe may have been stopped within a frame; its last part is ignored.
    if (wave.bytes % wave.frame_bytes && !wave.open_ended)
        return tool_refuse(why, "is truncated: the samples end within a frame");

    out->rows = wave.bytes / wave.frame_bytes;
    out->columns = wave.channels;
    out->n_dims = 2;
    out->data = wave.samples;
    out->ending = "wav";
    out->wave = (struct tool_wave){ wave.rate, wave.bits, wave.extension };
    return (wave.bits != 8 && wave.bits != 24) || copy_samples(&wave, out, why);
}
