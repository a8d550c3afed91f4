/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers that an option names: a file, or the numbers themselves, such as 1,2,1 or, with a
 * semicolon between rows, 0.1,0.5;0.2,0.6.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"

bool tool_are_numbers(const char *text)
{
    return *text && strchr("0123456789+-.", *text) &&
           text[strspn(text, "0123456789+-.,;eE ")] == 0 && strpbrk(text, "0123456789") != NULL;
}

static size_t count_of(const char *text, const char *marks)
{
    size_t count = 1;
    for (; *text; text++)
        count += strchr(marks, *text) != NULL;
    return count;
}

// Parses `count` numbers of `text` as integers or as floats. Returns whether all are such numbers.
static bool parse(const char *text, void *numbers, bool as_integers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *end;
        errno = 0;
        if (as_integers)
            ((int64_t *)numbers)[i] = strtoll(text, &end, 10);
        else
            ((double *)numbers)[i] = strtod(text, &end);
        if (end == text || (as_integers && errno))
            return false;
        end += strspn(end, " ");
        if (i + 1 < count ? *end != ',' && *end != ';' : *end != 0)
            return false;
        text = end + 1;
    }
    return true;
}

// The number of columns if all rows have as many, or 0.
static size_t columns_of(const char *text)
{
    size_t columns = 0;
    for (const char *at = text; at; at = strchr(at, ';') ? strchr(at, ';') + 1 : NULL) {
        size_t n = 1;
        for (const char *c = at; *c && *c != ';'; c++)
            n += *c == ',';
        if (columns && n != columns)
            return 0;
        columns = n;
    }
    return columns;
}

// A column of numbers in a text file is what a row is.
static int open_file(const char *option, const char *path, struct tool_matrix *out)
{
    if (access(path, F_OK) != 0 && errno == ENOENT && strcmp(path, "-") != 0)
        return tool_fail(TOOL_FAILED,
                         "%s: '%s' is neither a file nor a list of numbers such as 1,2,1",
                         option, path);
    const int code = tool_matrix_open(path, GPUPRIM_TYPE_INVALID, out);
    if (code != TOOL_GOOD)
        return code;
    const bool is_sound = out->wave.bits != 0;
    if (is_sound || out->image.channels) {
        tool_matrix_close(out);
        return tool_fail(TOOL_FAILED, "%s: %s is %s; a .npy or .csv file of numbers is needed",
                         path, option, is_sound ? "a sound" : "an image");
    }
    if (out->columns == 1 && strcmp(out->ending, "csv") == 0) {
        out->columns = out->rows;
        out->rows = 1;
        out->n_dims = 1;
    }
    return TOOL_GOOD;
}

int tool_numbers_open(const char *option, const char *text, struct tool_matrix *out)
{
    if (!tool_are_numbers(text))
        return open_file(option, text, out);
    *out = (struct tool_matrix){ 0 };
    const size_t count = count_of(text, ",;"), rows = count_of(text, ";"),
                 columns = columns_of(text);
    if (!columns)
        return tool_fail(TOOL_MISUSED, "%s: the rows of '%s' have different lengths", option,
                         text);
    void *numbers = malloc(count * sizeof(double));
    if (!numbers)
        return tool_fail(TOOL_FAILED, "%s: not enough memory", option);
    out->owned = numbers;
    out->data = numbers;
    out->rows = rows;
    out->columns = columns;
    out->n_dims = rows > 1 ? 2 : 1;
    out->type = GPUPRIM_I64;
    if (parse(text, numbers, true, count))
        return TOOL_GOOD;
    out->type = GPUPRIM_F64;
    if (parse(text, numbers, false, count))
        return TOOL_GOOD;
    tool_matrix_close(out);
    return tool_fail(TOOL_MISUSED,
                     "%s: '%s' is no list of numbers such as 1,2,1; a file of that "
                     "name can be given as ./%s",
                     option, text, text);
}
