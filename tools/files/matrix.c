/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens a file as a matrix. Its numbers are used in place where that is possible (content.c,
 * arrange.c). The first bytes of the file decide which parser reads it (npy_read.c or wav_read.c);
 * its name does not matter.
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
    return true;
}

static bool parse(enum gpuprim_type raw, struct tool_matrix *out, char *why)
{
    const unsigned char *bytes = out->content.bytes;
    const size_t size = out->content.size;
    if (raw)
        return raw_parse(raw, size, out, why);
    if (size >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0)
        return tool_npy_parse(bytes, size, out, why);
    if (size >= 4 && memcmp(bytes, "RIFF", 4) == 0)
        return tool_wav_parse(bytes, size, out, why);
    return tool_refuse(why,
                       "is neither a .npy nor a .wav file; for bare numbers use --raw TYPE");
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
