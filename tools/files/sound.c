/* SPDX-License-Identifier: Apache-2.0
 *
 * Sounds in all formats but plain .wav (wav_read.c and wav_write.c), by libsndfile where it was
 * there when the program was built. Samples of integers stay integers: i8, i16, and i32 for 24 and
 * 32 bits. Coded samples become i16 or, from Vorbis, Opus and MPEG, f32 with full scale at 1.
 */
#include "files.h"

#ifdef TOOL_HAS_SOUND
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sndfile.h>
#include <stdlib.h>
#include <string.h>

#include "src/core/types.h" // sizes and names of types

static const struct {
    const char *ending;
    int format, coding; // the only coding, or 0
} kinds[] = {
    { "flac", SF_FORMAT_FLAC, 0 },
    { "opus", SF_FORMAT_OGG, SF_FORMAT_OPUS },
    { "ogg", SF_FORMAT_OGG, SF_FORMAT_VORBIS },
    { "oga", SF_FORMAT_OGG, SF_FORMAT_VORBIS },
    { "aiff", SF_FORMAT_AIFF, 0 },
    { "aif", SF_FORMAT_AIFF, 0 },
    { "au", SF_FORMAT_AU, 0 },
    { "caf", SF_FORMAT_CAF, 0 },
    { "w64", SF_FORMAT_W64, 0 },
    { "rf64", SF_FORMAT_RF64, 0 },
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0], BLOCK = 4096 }; // frames

// ---------------------------------------------------------------------------------------
// Reading

struct memory {
    const unsigned char *bytes;
    sf_count_t size, at;
};

static sf_count_t memory_size(void *of)
{
    return ((struct memory *)of)->size;
}

static sf_count_t place(sf_count_t base, sf_count_t offset, sf_count_t size)
{
    return offset < -base ? 0 : offset > size - base ? size : base + offset;
}

static sf_count_t memory_seek(sf_count_t offset, int whence, void *of)
{
    struct memory *memory = of;
    const sf_count_t base = whence == SEEK_SET   ? 0
                            : whence == SEEK_CUR ? memory->at
                                                 : memory->size;
    memory->at = place(base, offset, memory->size);
    return memory->at;
}

static sf_count_t memory_read(void *to, sf_count_t bytes, void *of)
{
    struct memory *memory = of;
    const sf_count_t rest = memory->size - memory->at, n = bytes < rest ? bytes : rest;
    memcpy(to, memory->bytes + memory->at, (size_t)n);
    memory->at += n;
    return n;
}

static sf_count_t memory_write(const void *from, sf_count_t bytes, void *of)
{
    (void)from;
    (void)bytes;
    (void)of;
    return 0;
}

static sf_count_t memory_tell(void *of)
{
    return ((struct memory *)of)->at;
}

// The type and the bits of the samples that become of a coding.
static void set_type(const SF_INFO *info, struct tool_matrix *out)
{
    static const struct {
        int coding;
        enum gpuprim_type type;
        unsigned bits;
    } types[] = {
        { SF_FORMAT_PCM_S8, GPUPRIM_I8, 8 },
        { SF_FORMAT_PCM_U8, GPUPRIM_I8, 8 },
        { SF_FORMAT_PCM_16, GPUPRIM_I16, 16 },
        { SF_FORMAT_PCM_24, GPUPRIM_I32, 24 },
        { SF_FORMAT_PCM_32, GPUPRIM_I32, 32 },
        { SF_FORMAT_DOUBLE, GPUPRIM_F64, 64 },
        { SF_FORMAT_ALAC_16, GPUPRIM_I16, 16 },
        { SF_FORMAT_ALAC_20, GPUPRIM_I32, 24 },
        { SF_FORMAT_ALAC_24, GPUPRIM_I32, 24 },
        { SF_FORMAT_ALAC_32, GPUPRIM_I32, 32 },
        { SF_FORMAT_FLOAT, GPUPRIM_F32, 32 },
        { SF_FORMAT_VORBIS, GPUPRIM_F32, 32 },
        { SF_FORMAT_OPUS, GPUPRIM_F32, 32 },
        { SF_FORMAT_MPEG_LAYER_I, GPUPRIM_F32, 32 },
        { SF_FORMAT_MPEG_LAYER_II, GPUPRIM_F32, 32 },
        { SF_FORMAT_MPEG_LAYER_III, GPUPRIM_F32, 32 },
    };
    out->type = GPUPRIM_I16; // A-law, ADPCM and others
    out->wave = (struct tool_wave){ .rate = (uint32_t)info->samplerate, .bits = 16 };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].coding == (info->format & SF_FORMAT_SUBMASK)) {
            out->type = types[i].type;
            out->wave.bits = types[i].bits;
        }
    }
}

static const char *ending_of(const SF_INFO *info)
{
    const int format = info->format & SF_FORMAT_TYPEMASK,
              coding = info->format & SF_FORMAT_SUBMASK;
    for (int i = 0; i < N_KINDS; i++)
        if (kinds[i].format == format && (!kinds[i].coding || kinds[i].coding == coding))
            return kinds[i].ending;
    return "wav";
}

// libsndfile has no reader for i8, and gives samples of 24 bits in the upper bits of 32.
static size_t stored_size(enum gpuprim_type type)
{
    return type == GPUPRIM_I8 ? sizeof(short) : gp_type_size(type);
}

static sf_count_t read_block(SNDFILE *sound, enum gpuprim_type type, void *to)
{
    return type == GPUPRIM_F64   ? sf_readf_double(sound, to, BLOCK)
           : type == GPUPRIM_F32 ? sf_readf_float(sound, to, BLOCK)
           : type == GPUPRIM_I32 ? sf_readf_int(sound, to, BLOCK)
                                 : sf_readf_short(sound, to, BLOCK);
}

static bool read_all(SNDFILE *sound, struct tool_matrix *out, char *why)
{
    const size_t frame = stored_size(out->type) * (size_t)out->columns;
    size_t room = 0;
    sf_count_t n = BLOCK;
    for (; n > 0; out->rows += (uint64_t)n) {
        if (out->rows + BLOCK > room) {
            room = 2 * room + BLOCK;
            void *larger = realloc(out->owned, room * frame);
            if (!larger)
                return tool_refuse(why, "not enough memory for %zu frames", room);
            out->owned = larger;
        }
        n = read_block(sound, out->type, (char *)out->owned + (size_t)out->rows * frame);
        n = n > 0 ? n : 0;
    }
    if (sf_error(sound))
        return tool_refuse(why, "libsndfile: %s", sf_strerror(sound));
    return true;
}

static void narrow(struct tool_matrix *out)
{
    const uint64_t count = out->rows * out->columns;
    if (out->wave.bits == 8)
        for (uint64_t i = 0; i < count; i++)
            ((int8_t *)out->owned)[i] = (int8_t)(((const int16_t *)out->owned)[i] >> 8);
    else if (out->wave.bits == 24)
        for (uint64_t i = 0; i < count; i++)
            ((int32_t *)out->owned)[i] >>= 8;
}

bool tool_sound_parse(const unsigned char *file, size_t size, struct tool_matrix *out,
                      char *why)
{
    struct memory memory = { .bytes = file, .size = (sf_count_t)size };
    SF_VIRTUAL_IO calls = { memory_size, memory_seek, memory_read, memory_write, memory_tell };
    SF_INFO info = { 0 };
    SNDFILE *sound = sf_open_virtual(&calls, SFM_READ, &info, &memory);
    if (!sound)
        return tool_refuse(why, "libsndfile: %s", sf_strerror(NULL));
    set_type(&info, out);
    out->columns = (uint64_t)info.channels;
    out->n_dims = 2;
    out->ending = ending_of(&info);
    bool good = read_all(sound, out, why);
    sf_close(sound);
    // libsndfile does not know the number of frames of some streams.
    if (good && info.frames != SF_COUNT_MAX && out->rows < (uint64_t)info.frames)
        good = tool_refuse(why, "is truncated: has only %" PRIu64 " of its %" PRId64 " frames",
                           out->rows, (int64_t)info.frames);
    if (good)
        narrow(out);
    out->data = out->owned;
    return good;
}

// ---------------------------------------------------------------------------------------
// Writing

static sf_count_t file_size(void *of)
{
    const off_t at = ftello(of);
    fseeko(of, 0, SEEK_END);
    const off_t size = ftello(of);
    fseeko(of, at, SEEK_SET);
    return size;
}

static sf_count_t file_seek(sf_count_t offset, int whence, void *of)
{
    return fseeko(of, (off_t)offset, whence) == 0 ? ftello(of) : -1;
}

static sf_count_t file_read(void *to, sf_count_t bytes, void *of)
{
    (void)to;
    (void)bytes;
    (void)of;
    return 0;
}

static sf_count_t file_write(const void *from, sf_count_t bytes, void *of)
{
    return (sf_count_t)fwrite(from, 1, (size_t)bytes, of);
}

static sf_count_t file_tell(void *of)
{
    return ftello(of);
}

static bool describe(const struct tool_matrix *matrix, SF_INFO *info, char *why)
{
    const unsigned bits = matrix->wave.bits;
    int coding = matrix->type == GPUPRIM_I8                  ? SF_FORMAT_PCM_S8
                 : matrix->type == GPUPRIM_I16               ? SF_FORMAT_PCM_16
                 : matrix->type == GPUPRIM_I32 && bits == 24 ? SF_FORMAT_PCM_24
                 : matrix->type == GPUPRIM_I32               ? SF_FORMAT_PCM_32
                 : matrix->type == GPUPRIM_F32               ? SF_FORMAT_FLOAT
                 : matrix->type == GPUPRIM_F64               ? SF_FORMAT_DOUBLE
                                                             : 0;
    int i = 0;
    while (strcmp(kinds[i].ending, matrix->ending) != 0)
        i++;
    if (!bits)
        return tool_refuse(why,
                           "a .%s file needs a rate, so that FILE must be a sound; write "
                           "a .npy or .csv file",
                           matrix->ending);
    if (coding && kinds[i].coding)
        coding = kinds[i].coding;
    *info = (SF_INFO){ .samplerate = (int)matrix->wave.rate,
                       .channels = matrix->columns > INT_MAX ? 0 : (int)matrix->columns,
                       .format = kinds[i].format | coding };
    if (coding && sf_format_check(info))
        return true;
    info->format = kinds[i].format | SF_FORMAT_PCM_U8; // some formats have no bytes with a sign
    if (matrix->type == GPUPRIM_I8 && sf_format_check(info))
        return true;
    return tool_refuse(why,
                       "a .%s file cannot hold samples of %s%s in %" PRIu64
                       " channels; write a .wav or .npy file",
                       matrix->ending, gp_type_name(matrix->type),
                       bits == 24 ? " (24 bits)" : "", matrix->columns);
}

// Writes up to BLOCK numbers. libsndfile takes samples of 24 bits in the upper bits of 32, and has
// no writer for i8.
static bool write_block(SNDFILE *sound, const struct tool_matrix *matrix, uint64_t at,
                        sf_count_t n)
{
    enum { LARGEST = 0x7fffff };
    int wide[BLOCK];
    short low[BLOCK];
    const unsigned char *from =
        (const unsigned char *)matrix->data + at * gp_type_size(matrix->type);
    if (matrix->type == GPUPRIM_F64)
        return sf_write_double(sound, (const double *)(const void *)from, n) == n;
    if (matrix->type == GPUPRIM_F32)
        return sf_write_float(sound, (const float *)(const void *)from, n) == n;
    if (matrix->type == GPUPRIM_I16)
        return sf_write_short(sound, (const short *)(const void *)from, n) == n;
    if (matrix->type == GPUPRIM_I8) {
        for (sf_count_t i = 0; i < n; i++)
            low[i] = (short)(((const int8_t *)from)[i] * 256);
        return sf_write_short(sound, low, n) == n;
    }
    for (sf_count_t i = 0; i < n; i++) {
        const int32_t sample = ((const int32_t *)(const void *)from)[i],
                      least = sample < -LARGEST - 1 ? -LARGEST - 1 : sample;
        wide[i] = matrix->wave.bits != 24 ? sample : (least > LARGEST ? LARGEST : least) * 256;
    }
    return sf_write_int(sound, wide, n) == n;
}

static bool write_sound(FILE *file, SF_INFO *info, const struct tool_matrix *matrix, char *why)
{
    SF_VIRTUAL_IO calls = { file_size, file_seek, file_read, file_write, file_tell };
    SNDFILE *sound = sf_open_virtual(&calls, SFM_WRITE, info, file);
    if (!sound)
        return tool_refuse(
            why,
            "a .%s file cannot be written at %u Hz with %" PRIu64 " channels: libsndfile: %s",
            matrix->ending, matrix->wave.rate, matrix->columns, sf_strerror(NULL));
    // Blocks of whole frames: Vorbis overflows its stack with many.
    const uint64_t count = matrix->rows * matrix->columns,
                   block = BLOCK / matrix->columns * matrix->columns;
    bool good = true;
    for (uint64_t at = 0; good && at < count; at += block)
        good = write_block(sound, matrix, at,
                           (sf_count_t)(count - at < block ? count - at : block));
    if (!good)
        tool_refuse(why, "libsndfile: %s", sf_strerror(sound));
    const int status = sf_close(sound);
    if (good && status)
        good = tool_refuse(why, "libsndfile: %s", sf_error_number(status));
    return good;
}

static void copy_file(FILE *from, FILE *to)
{
    char bytes[BUFSIZ];
    rewind(from);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, from)) > 0;)
        fwrite(bytes, 1, n, to);
}

bool tool_sound_write(FILE *file, const struct tool_matrix *matrix, char *why)
{
    SF_INFO info;
    if (!describe(matrix, &info, why))
        return false;
    if (!file)
        return true;
    if (file != stdout)
        return write_sound(file, &info, matrix, why);
    // Standard output may be a pipe, which has no places to go back to.
    FILE *seekable = tmpfile();
    if (!seekable)
        return tool_refuse(why, "no temporary file can be made: %s", strerror(errno));
    bool good = write_sound(seekable, &info, matrix, why);
    if (good && (fflush(seekable) != 0 || ferror(seekable)))
        good = tool_refuse(why, "a temporary file cannot be written: %s", strerror(errno));
    if (good)
        copy_file(seekable, file);
    fclose(seekable);
    return good;
}

#else

bool tool_sound_parse(const unsigned char *file, size_t size, struct tool_matrix *out,
                      char *why)
{
    (void)file;
    (void)size;
    (void)out;
    return tool_refuse(why, "this format of sounds needs libsndfile, which was not there when "
                            "this gpuprim was built; install libsndfile1-dev and build again, "
                            "or convert the sound to .wav with samples of PCM");
}

bool tool_sound_write(FILE *file, const struct tool_matrix *matrix, char *why)
{
    (void)file;
    return tool_refuse(why,
                       "a .%s file needs libsndfile, which was not there when this gpuprim was "
                       "built; install libsndfile1-dev and build again, or write a .wav file",
                       matrix->ending);
}

#endif
