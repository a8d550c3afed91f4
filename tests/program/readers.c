/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests the gpuprim program's parsers of .wav, .npy, .csv and .pgm files on files that are
 * truncated, extended or corrupted, and what they make of texts. A file ends at a page without access (harness/memory.h), and the
 * numbers that a parser returns must lie within the file. A part of the program `check`.
 */
#include "tests/core/api.h"

#include <math.h>
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

// A text or an image, and what its parser must make of it; `numbers` NULL: a refusal with `why`.
struct example {
    parser *parser;
    const char *text;
    enum gpuprim_type type;
    uint64_t rows, columns;
    const double *numbers;
    const char *why;
};

static double number_of(const struct tool_matrix *matrix, uint64_t i)
{
    const void *data = matrix->data;
    switch (matrix->type) {
    case GPUPRIM_U8:
        return ((const uint8_t *)data)[i];
    case GPUPRIM_U16:
        return ((const uint16_t *)data)[i];
    case GPUPRIM_I32:
        return ((const int32_t *)data)[i];
    case GPUPRIM_I64:
        return (double)((const int64_t *)data)[i];
    case GPUPRIM_U64:
        return (double)((const uint64_t *)data)[i];
    default:
        return ((const double *)data)[i];
    }
}

static void compare(struct check *check, const struct example *example)
{
    const unsigned char *text = (const unsigned char *)example->text;
    struct tool_matrix matrix = { .data = NULL };
    char why[TOOL_MESSAGE] = "";
    check->cases++;
    const bool good = example->parser(text, strlen(example->text), &matrix, why);
    CHECK(check, good == (example->numbers != NULL) && (good || strstr(why, example->why)),
          "'%s': %s", example->text, good ? "taken" : why);
    const bool fits = good && matrix.type == example->type && matrix.rows == example->rows &&
                      matrix.columns == example->columns;
    CHECK(check, fits || !example->numbers, "'%s': type %d, %llu x %llu", example->text,
          (int)matrix.type, (unsigned long long)matrix.rows,
          (unsigned long long)matrix.columns);
    for (uint64_t i = 0; fits && i < matrix.rows * matrix.columns; i++)
        CHECK(check, number_of(&matrix, i) == example->numbers[i], "'%s': number %llu is %g",
              example->text, (unsigned long long)i, number_of(&matrix, i));
    free(matrix.owned);
}

#define NUMBERS(...)                                                                           \
    (const double[])                                                                           \
    {                                                                                          \
        __VA_ARGS__                                                                            \
    }
static void texts(struct check *check)
{
    const struct example examples[] = {
        { tool_csv_parse, "1,2\n3,-4\n", GPUPRIM_I32, 2, 2, NUMBERS(1, 2, 3, -4), "" },
        { tool_csv_parse, "1 2\t 3\r\n\n", GPUPRIM_I32, 1, 3, NUMBERS(1, 2, 3), "" },
        { tool_csv_parse, "\"t, s\",x#no\n1 , \"2\"#3\n#\n", GPUPRIM_I32, 1, 2, NUMBERS(1, 2),
          "" },
        { tool_csv_parse,
          "\xef\xbb\xbf"
          "a\n-2147483648",
          GPUPRIM_I32, 1, 1, NUMBERS(-0x1p31), "" },
        { tool_csv_parse, "2147483648\n-1", GPUPRIM_I64, 2, 1, NUMBERS(0x1p31, -1), "" },
        { tool_csv_parse, "9223372036854775808", GPUPRIM_U64, 1, 1, NUMBERS(0x1p63), "" },
        { tool_csv_parse, "9223372036854775808 -1", GPUPRIM_F64, 1, 2, NUMBERS(0x1p63, -1),
          "" },
        { tool_csv_parse, "18446744073709551616", GPUPRIM_F64, 1, 1, NUMBERS(0x1p64), "" },
        { tool_csv_parse, "1;.5;-2e3;+0x1p4", GPUPRIM_F64, 1, 4, NUMBERS(1, 0.5, -2000, 16),
          "" },
        { tool_csv_parse, "-inf,1e999", GPUPRIM_F64, 1, 2, NUMBERS(-INFINITY, INFINITY), "" },
        { tool_csv_parse, "1,2\n3", 0, 0, 0, NULL, "line 2 has 1 numbers" },
        { tool_csv_parse, "a,b\n#\n1,,2", 0, 0, 0, NULL, "line 3 has an empty field" },
        { tool_csv_parse, "1,2,", 0, 0, 0, NULL, "empty field" },
        { tool_csv_parse, "a,1\n2,3", 0, 0, 0, NULL, "'a' is not a number" },
        { tool_csv_parse, "1;2\n3;4,5", 0, 0, 0, NULL, "'4,5' is not a number; the decimal" },
        { tool_csv_parse, "1\n1x", 0, 0, 0, NULL, "'1x'" },
        { tool_csv_parse, "a\n\n", 0, 0, 0, NULL, "neither" },
        { tool_pnm_parse, "P2 2 1 #x\n9\n7 9", GPUPRIM_U8, 1, 2, NUMBERS(7, 9), "" },
        { tool_pnm_parse, "P2#\n1#\n2 256 256\n\n0 \n", GPUPRIM_U16, 2, 1, NUMBERS(256, 0),
          "" },
        { tool_pnm_parse, "P3 1 1 1\n1 0 1", GPUPRIM_U8, 1, 3, NUMBERS(1, 0, 1), "" },
        { tool_pnm_parse, "P5\n2 1\n255\nAB", GPUPRIM_U8, 1, 2, NUMBERS('A', 'B'), "" },
        { tool_pnm_parse, "P5 1 1 255\nA\n", GPUPRIM_U8, 1, 1, NUMBERS('A'), "" },
        { tool_pnm_parse, "P6 1 1 255\nAB", 0, 0, 0, NULL, "only 2 bytes" },
        { tool_pnm_parse, "P5 1 1 255\nAP5 1 1 255\nA", 0, 0, 0, NULL, "more than one" },
        { tool_pnm_parse, "P5 1 1 65536\nAA", 0, 0, 0, NULL, "is 65536" },
        { tool_pnm_parse, "P5 1 1 0\nA", 0, 0, 0, NULL, "is 0" },
        { tool_pnm_parse, "P5 1 2147483648 1\nA", 0, 0, 0, NULL, "header" },
        { tool_pnm_parse, "P5 2147483647 2147483647 1\nA", 0, 0, 0, NULL, "truncated" },
        { tool_pnm_parse, "P5 0 1 1\nA", 0, 0, 0, NULL, "no pixels" },
        { tool_pnm_parse, "P2 1 1 8\n9", 0, 0, 0, NULL, "is 9; the largest is 8" },
        { tool_pnm_parse, "P2 2 1 8\n 1", 0, 0, 0, NULL, "number 2 of the image" },
        { tool_pnm_parse, "P1 1 1\n1", 0, 0, 0, NULL, "one bit" },
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct file file = { .size = 0 };
        compare(check, &examples[i]);
        put(&file, examples[i].text, strlen(examples[i].text));
        if (examples[i].numbers)
            spoil(check, examples[i].parser, &file,
                  examples[i].parser == tool_pnm_parse ? 3 : 0);
    }
}

void readers_run(struct check *check)
{
    if (check_begin(check, "api/readers/text")) {
        texts(check);
        check_end(check);
    }
    if (check_begin(check, "api/readers/wav")) {
        waves(check);
        check_end(check);
    }
    if (check_begin(check, "api/readers/npy")) {
        arrays(check);
        check_end(check);
    }
}
