/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests the gpuprim program's parsers of .wav and .npy files on files that are truncated,
 * extended or corrupted. A file ends at a page without access (harness/memory.h), and the
 * numbers that a parser returns must lie within the file. A part of the program `check`.
 */
#include "tests/core/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/memory.h"
#include "tools/files/files.h"

typedef bool parser(const unsigned char *file, size_t size, struct tool_matrix *out, char *why);

struct file {
    unsigned char bytes[256];
    size_t size;
};

static void put(struct file *file, const void *bytes, size_t size)
{
    memcpy(file->bytes + file->size, bytes, size);
    file->size += size;
}

static void put_number(struct file *file, uint32_t value, size_t size)
{
    put(file, &value, size); // the parsers need little-endian machines, too
}

// Parses a file and reads every number, as a program would. Returns whether the parser accepts
// it.
static bool parse(struct check *check, parser *parser, const struct file *file)
{
    struct check_fence fence;
    struct tool_matrix matrix = { .data = NULL };
    char why[TOOL_MESSAGE] = "";
    check->cases++;
    if (!check_fence_make(check, &fence, file->size, true))
        return false;
    memcpy(fence.bytes, file->bytes, file->size);
    const bool good = parser(fence.bytes, fence.size, &matrix, why);
    CHECK(check, good || why[0], "a file of %zu bytes is refused without a message",
          file->size);
    if (good) {
        const uint64_t bytes = matrix.rows * matrix.columns * gp_type_size(matrix.type);
        const unsigned char *data = matrix.data;
        const bool is_inside = matrix.owned || (data >= fence.bytes && bytes <= file->size);
        CHECK(check, is_inside, "%zu bytes cannot hold %llu bytes of numbers", file->size,
              (unsigned long long)bytes);
        unsigned sum = 0;
        for (uint64_t i = 0; is_inside && i < bytes; i++)
            sum += data[i];
        const volatile unsigned seen = sum;
        (void)seen;
    }
    free(matrix.owned);
    check_fence_free(&fence);
    return good;
}

// ---------------------------------------------------------------------------------------

enum { EXTENSIBLE = 0xfffe };

// A file whose fmt chunk has `chunk` bytes and stands before or after the samples.
static struct file wave(unsigned format, unsigned bits, unsigned chunk, bool ends_with_format)
{
    static const unsigned char rest[24] = { 22,   0, 0, 0,    3, 0,    0,    0,
                                            1,    0, 0, 0,    0, 0,    0x10, 0,
                                            0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71 };
    const unsigned channels = 2, frame = channels * bits / 8;
    struct file file = { .size = 0 }, about = { .size = 0 };
    put_number(&about, format, 2);
    put_number(&about, channels, 2);
    put_number(&about, 8000, 4);
    put_number(&about, 8000 * frame, 4);
    put_number(&about, frame, 2);
    put_number(&about, bits, 2);
    put(&about, rest, sizeof rest);
    put(&file, "RIFF\0\0\0\0WAVE", 12);
    for (int turn = 0; turn < 2; turn++)
        if ((turn == 1) == ends_with_format) {
            put(&file, "fmt ", 4);
            put_number(&file, chunk, 4);
            put(&file, about.bytes, chunk);
        } else {
            put(&file, "data", 4);
            put_number(&file, 3 * frame, 4);
            for (unsigned i = 0; i < 3 * frame; i++)
                put_number(&file, i, 1);
        }
    return file;
}

static struct file array(const char *header)
{
    struct file file = { .size = 0 };
    put(&file, "\x93NUMPY\1", 8); // including the zero of the minor version
    put_number(&file, (uint32_t)strlen(header), 2);
    put(&file, header, strlen(header));
    for (unsigned i = 0; i < 24; i++)
        put_number(&file, i, 1);
    return file;
}

// Parses all prefixes of a good file, and the file with one or two bytes changed.
static void spoil(struct check *check, parser *parser, const struct file *good, size_t least)
{
    struct file file = *good;
    CHECK(check, parse(check, parser, good), "a good file of %zu bytes is refused", good->size);
    for (file.size = least; file.size < good->size; file.size++)
        parse(check, parser, &file);
    for (int i = 0; i < (check->quick ? 200 : 2000); i++) {
        file = *good;
        for (int k = 0; k < 2; k++) {
            static const unsigned char special[] = { 0, 1, 0x7f, 0x80, 0xfe, 0xff, '(', ',' };
            const size_t at = least + check_below(check, file.size - least);
            file.bytes[at] = check_once_in(check, 2)
                                 ? special[check_below(check, sizeof special)]
                                 : (unsigned char)check_random(check);
        }
        parse(check, parser, &file);
    }
}

static void waves(struct check *check)
{
    static const unsigned kinds[][2] = { { 1, 8 }, { 1, 16 }, { 1, 24 }, { 1, 32 }, { 3, 64 } };
    for (int behind = 0; behind < 2; behind++) {
        for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            const struct file good = wave(kinds[i][0], kinds[i][1], 16, behind);
            spoil(check, tool_wav_parse, &good, 0);
        }
        const struct file good = wave(EXTENSIBLE, 32, 40, behind);
        spoil(check, tool_wav_parse, &good, 0);
        // fmt chunks of every length, also at the end of the file.
        for (unsigned chunk = 0; chunk <= 40; chunk++) {
            const struct file plain = wave(1, 16, chunk, behind);
            const bool taken = parse(check, tool_wav_parse, &plain);
            // A byte of padding follows a chunk of odd length.
            CHECK(check, taken == (chunk >= 16 && (behind || chunk % 2 == 0)),
                  "a fmt chunk of %u bytes", chunk);
            const struct file extensible = wave(EXTENSIBLE, 32, chunk, behind);
            CHECK(check, parse(check, tool_wav_parse, &extensible) == (chunk == 40),
                  "an extensible fmt chunk of %u bytes", chunk);
        }
    }
}

static void arrays(struct check *check)
{
    static const char *const headers[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }\n",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (4, 6), }\n",
        "{\"shape\":(3,1),\"descr\":\"<c8\",\"fortran_order\":False}\n",
    };
    for (unsigned i = 0; i < sizeof headers / sizeof *headers; i++) {
        const struct file good = array(headers[i]);
        spoil(check, tool_npy_parse, &good, 6); // the bytes that select the parser
    }
}

void readers_run(struct check *check)
{
    if (check_begin(check, "api/readers/wav")) {
        waves(check);
        check_end(check);
    }
    if (check_begin(check, "api/readers/npy")) {
        arrays(check);
        check_end(check);
    }
}
