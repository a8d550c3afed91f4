/* SPDX-License-Identifier: Apache-2.0
 *
 * The options that all subcommands share, and texts that are made of the table of options.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "command.h"

// clang-format off
static const char *const kinds_of_device[] = { "cpu", "gpu", NULL };
#define COMMON(member) .group = "Common options", TOOL_AT(struct tool_common, member)
static const struct tool_option common_options[] = { // in the order of TOOL_DEVICE ...
    { "device", 'd', "WHICH", "the device: its index as in gpuprim info, cpu, gpu, or a part of its name",
      .preset = "the one that gpuprim info marks",
      .kind = TOOL_TEXT, .words = kinds_of_device, COMMON(device) },
    { "check", .help = "compare the results with the plain C reference; exit status 1 if they differ",
      COMMON(check) },
    { "json", .help = "print the results as one JSON object", COMMON(json) },
    { "quiet", 'q', .help = "print only results and errors", COMMON(quiet) },
    { "verbose", 'v', .help = "report what the library does; given twice: also every launch",
      .kind = TOOL_COUNT, COMMON(verbose) },
    { "help", 'h', .help = "print this text", COMMON(help) },
};
// clang-format on
enum { N_COMMON = sizeof common_options / sizeof common_options[0] };

const struct tool_option *tool_option_at(const struct tool_command *command, unsigned i)
{
    const struct tool_option *own = command->options;
    while (own && i && (own->name || own->argument)) {
        own++;
        i--;
    }
    if (own && (own->name || own->argument))
        return own;
    for (unsigned c = 0; c < N_COMMON; c++)
        if (command->common >> c & 1 && i-- == 0)
            return &common_options[c];
    return NULL;
}

// Appends to a line of TOOL_LINE bytes.
static void add(char *line, const char *format, ...) TOOL_PRINTF(2, 3);
static void add(char *line, const char *format, ...)
{
    const size_t length = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + length, TOOL_LINE - length, format, arguments);
    va_end(arguments);
}

const char *tool_describe(const struct tool_option *option, char *line)
{
    *line = 0;
    add(line, "%s", option->help);
    for (unsigned i = 0; option->kind == TOOL_WORD && option->words[i]; i++)
        add(line, "%s%s", i ? ", " : ": ", option->words[i]);
    if (option->preset)
        add(line, "; default: %s", option->preset);
    return line;
}

// "OP", "[ID...]", "--taps TAPS" or "-o OUT"
static void add_use(char *line, const struct tool_option *option)
{
    if (!option->name)
        add(line,
            option->flags & TOOL_REQUIRED ? "%s"
            : option->flags & TOOL_MANY   ? "[%s...]"
                                          : "[%s]",
            option->argument);
    else if (option->letter)
        add(line, "-%c %s", option->letter, option->argument);
    else
        add(line, "--%s %s", option->name, option->argument);
}

const char *tool_synopsis(const struct tool_command *command, char *line)
{
    const struct tool_option *option;
    unsigned alternatives = 0;
    *line = 0;
    add(line, "gpuprim %s", command->name);
    for (unsigned i = 0; (option = tool_option_at(command, i)); i++) {
        const bool is_alternative = option->flags & TOOL_ALTERNATIVE;
        const bool is_shown = !option->name || option->flags & TOOL_REQUIRED;
        if (alternatives && !(is_alternative && is_shown)) {
            add(line, ")");
            alternatives = 0;
        }
        if (!is_shown)
            continue;
        add(line, is_alternative ? (alternatives++ ? " | " : " (") : " ");
        add_use(line, option);
    }
    add(line, "%s [OPTION...]", alternatives ? ")" : "");
    return line;
}

const char *tool_names(const char *names, char *line)
{
    *line = 0;
    for (const char *at = names; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        add(line, "%s--%.*s", at == names ? "" : " or ", (int)length, at);
        at += length;
    }
    return line;
}

const char *tool_heading(const struct tool_option *option, char *line)
{
    char names[TOOL_LINE];
    *line = 0;
    if (option->group)
        add(line, "%s", option->group);
    else if (option->needs)
        add(line, "With %s", tool_names(option->needs, names));
    else
        add(line, "%s", option->name ? "Options" : "");
    return line;
}
