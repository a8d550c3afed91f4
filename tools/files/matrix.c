/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens a file as a matrix. Its numbers are used in place where that is possible (content.c,
 * arrange.c). The first bytes of the file decide which parser reads it; its name does not matter.
 */
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "src/core/types.h" // sizes and names of types

static bool raw_parse(enum gpuprim_type type, size_t size, struct tool_matrix *out, char *why)
{
    const size_t item = gp_type_size(type);
    if (size % item)
        return tool_refuse(why, "has %zu bytes, which is not a multiple of the %zu bytes of %s",
                           size, item, gp_type_name(type));
    out->type = type;
    out->data = out->content.bytes;
    out->rows = 1;
    out->columns = size / item;
    out->n_dims = 1;
    out->ending = "raw";
    return true;
}

typedef bool parser(const unsigned char *file, size_t size, struct tool_matrix *out, char *why);

// The first bytes of the formats.
static const struct {
    const char *bytes;
    size_t size;
    parser *parse;
} marks[] = {
    { "\x93NUMPY", 6, tool_npy_parse },
    { "\x89PNG\r\n\x1a\n", 8, tool_png_parse },
    { "fLaC", 4, tool_sound_parse },
    { "OggS", 4, tool_sound_parse },
    { "RF64", 4, tool_sound_parse },
    { "RIFX", 4, tool_sound_parse },
    { "riff", 4, tool_sound_parse }, // .w64
    { "FORM", 4, tool_sound_parse }, // .aiff
    { ".snd", 4, tool_sound_parse }, // .au
    { "caff", 4, tool_sound_parse },
    { "ID3", 3, tool_sound_parse }, // .mp3, as the next ones
    { "\xff\xfb", 2, tool_sound_parse },
    { "\xff\xf3", 2, tool_sound_parse },
};
enum { N_MARKS = sizeof marks / sizeof marks[0] };

static parser *parser_of(const unsigned char *bytes, size_t size)
{
    for (int i = 0; i < N_MARKS; i++)
        if (size >= marks[i].size && memcmp(bytes, marks[i].bytes, marks[i].size) == 0)
            return marks[i].parse;
    if (size >= 4 && memcmp(bytes, "RIFF", 4) == 0)
        return tool_wav_is_coded(bytes, size) ? tool_sound_parse : tool_wav_parse;
    if (tool_is_pnm(bytes, size))
        return tool_pnm_parse;
    return tool_is_text(bytes, size) ? tool_csv_parse : NULL;
}

static bool parse(enum gpuprim_type raw, struct tool_matrix *out, char *why)
{
    const unsigned char *bytes = out->content.bytes;
    const size_t size = out->content.size;
    if (raw)
        return raw_parse(raw, size, out, why);
    parser *parse = parser_of(bytes, size);
    if (!parse)
        return tool_refuse(why, "is neither a file of a known format nor a table of numbers; "
                                "for bare numbers use --raw TYPE");
    return parse(bytes, size, out, why);
}

int tool_matrix_open(const char *path, enum gpuprim_type raw, struct tool_matrix *out)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    char why[TOOL_MESSAGE] = "";

    *out = (struct tool_matrix){ 0 };
    if (tool_content_open(path, &out->content, why) && parse(raw, out, why) &&
        tool_arrange(out, why))
        return TOOL_GOOD;
    tool_matrix_close(out);
    return tool_fail(TOOL_FAILED, "%s: %s", name, why);
}

void tool_matrix_close(struct tool_matrix *matrix)
{
    tool_content_close(&matrix->content);
    free(matrix->owned);
    *matrix = (struct tool_matrix){ 0 };
}
