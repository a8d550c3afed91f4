/* SPDX-License-Identifier: Apache-2.0
 *
 * message.c: how the gpuprim program reports a failure. Every other file of tools/ may use this
 * one; it uses none of them.
 */
#ifndef TOOLS_MESSAGE_H
#define TOOLS_MESSAGE_H

#include <stdbool.h>
#include <stdio.h>

#if defined(__GNUC__)
#define TOOL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TOOL_PRINTF(text, first)
#endif

enum tool_exit { TOOL_GOOD = 0, TOOL_FAILED = 1, TOOL_MISUSED = 2, TOOL_NO_DEVICE = 77 };

// Prints one line, "gpuprim: ...", to stderr and returns `code`, an exit code. Control
// characters in the line, for instance from the name of a file, become '?'.
int tool_fail(int code, const char *format, ...) TOOL_PRINTF(2, 3);

// Whether a stream is a terminal that can erase a line and show colours.
bool tool_is_terminal(FILE *stream);

// Prints a word, in a colour on terminals unless NO_COLOR is set.
enum tool_colour { TOOL_RED = 31, TOOL_GREEN = 32 };
void tool_paint(FILE *stream, enum tool_colour colour, const char *word);

// Stores a message in `why`, which has TOOL_MESSAGE bytes, and returns false. For functions
// that know what is wrong, but not in which file or option.
enum { TOOL_MESSAGE = 256 };
bool tool_refuse(char *why, const char *format, ...) TOOL_PRINTF(2, 3);

#endif
