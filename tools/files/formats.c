/* SPDX-License-Identifier: Apache-2.0
 *
 * The formats of results. The ending of a file's name chooses one; an ending that names none is
 * refused, so that no file holds something else than its name says.
 */
#include <string.h>
#include <strings.h>

#include "files.h"

static const struct {
    const char *ending;
    tool_writer *write;
} formats[] = {
    { "npy", tool_npy_write },    { "csv", tool_csv_write },   { "raw", tool_raw_write },
    { "bin", tool_raw_write },    { "pgm", tool_pnm_write },   { "ppm", tool_pnm_write },
    { "pnm", tool_pnm_write },    { "png", tool_png_write },   { "wav", tool_wav_write },
    { "flac", tool_sound_write }, { "ogg", tool_sound_write }, { "oga", tool_sound_write },
    { "opus", tool_sound_write }, { "aif", tool_sound_write }, { "aiff", tool_sound_write },
    { "au", tool_sound_write },   { "caf", tool_sound_write }, { "w64", tool_sound_write },
    { "rf64", tool_sound_write },
};
enum { N_FORMATS = sizeof formats / sizeof formats[0] };

// The ending of the last part of a path, or NULL.
static const char *ending_in(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *point = strrchr(name, '.');
    return point && point > name && point[1] ? point + 1 : NULL;
}

static int find(const char *ending)
{
    int i = 0;
    while (i < N_FORMATS && strcasecmp(formats[i].ending, ending) != 0)
        i++;
    return i;
}

int tool_ending_of(const char *path, const char *file, const char *like, const char **ending)
{
    const char *own = ending_in(path), *of_file = ending_in(file);
    const int i = own ? find(own) : N_FORMATS;
    *ending = i < N_FORMATS ? formats[i].ending : like;
    if (i < N_FORMATS || !own || strcmp(like, "raw") == 0 || (of_file && !strcmp(own, of_file)))
        return TOOL_GOOD;
    char list[256] = "";
    for (int k = 0; k < N_FORMATS; k++) {
        const size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, " .%s", formats[k].ending);
    }
    return tool_fail(TOOL_MISUSED,
                     "%s: files of this ending are not written; the endings are%s", path, list);
}

static int report(const char *path, const char *why)
{
    return tool_fail(TOOL_FAILED, "%s: %s", tool_is_standard(path) ? "standard output" : path,
                     why);
}

int tool_matrix_writable(const char *path, const struct tool_matrix *results)
{
    char why[TOOL_MESSAGE] = "";
    const bool good = formats[find(results->ending)].write(NULL, results, why);
    return good ? TOOL_GOOD : report(path, why);
}

int tool_matrix_write(const char *path, const struct tool_matrix *results)
{
    char why[TOOL_MESSAGE] = "";
    struct tool_output out;
    int code = tool_matrix_writable(path, results);
    if (code == TOOL_GOOD)
        code = tool_output_open(path, &out);
    if (code != TOOL_GOOD)
        return code;
    if (formats[find(results->ending)].write(out.file, results, why))
        return tool_output_close(&out);
    tool_output_drop(&out);
    return report(path, why);
}
