/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages about failures: printed as one line (tool_fail), or stored for the caller, who puts
 * the name of the file before them (tool_refuse).
 */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

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
    fprintf(stderr, "gpuprim: %s\n", line);
    return code;
}

bool tool_refuse(char *why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, TOOL_MESSAGE, format, arguments);
    va_end(arguments);
    return false;
}
