/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages about failures: printed as one line (tool_fail), or stored for the caller, who puts
 * the name of the file before them (tool_refuse). Colours, on terminals.
 */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int tool_fail(int code, const char *format, ...)
{
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    // Results that were printed earlier must come before the error if both streams go to one
    // place.
    fflush(stdout);
    tool_paint(stderr, TOOL_RED, "gpuprim:");
    fprintf(stderr, " %s\n", line);
    return code;
}

bool tool_is_terminal(FILE *stream)
{
    const char *kind = getenv("TERM");
    return isatty(fileno(stream)) && kind && strcmp(kind, "dumb") != 0;
}

void tool_paint(FILE *stream, enum tool_colour colour, const char *word)
{
    const char *none = getenv("NO_COLOR");
    const bool is_painted = tool_is_terminal(stream) && !(none && *none);
    if (is_painted)
        fprintf(stream, "\033[%dm%s\033[m", (int)colour, word);
    else
        fputs(word, stream);
}

bool tool_refuse(char *why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, TOOL_MESSAGE, format, arguments);
    va_end(arguments);
    return false;
}
