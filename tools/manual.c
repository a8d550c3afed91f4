/* SPDX-License-Identifier: Apache-2.0
 *
 * The man page gpuprim(1), made of the table of options, as source for man (roff).
 */
#include <stdio.h>
#include <string.h>

#include "command.h"

// Prints text in which roff sees no commands. Hyphens are those of options, so that they can be
// copied.
static void put(const char *text)
{
    for (; *text; text++) {
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '\'')
            fputs("\\(aq", stdout);
        else if (*text == '.' && text[1] != ' ' && text[1])
            fputs("\\&.", stdout);
        else
            putchar(*text);
    }
}

static void put_line(const char *before, const char *text, const char *after)
{
    fputs(before, stdout);
    put(text);
    fputs(after, stdout);
}

static void put_row(const struct tool_option *option)
{
    char line[TOOL_LINE];
    const bool maybe = option->flags & TOOL_MAYBE;
    printf(".TP\n");
    if (option->letter)
        printf("\\fB\\-%c\\fR, ", option->letter);
    if (option->name)
        put_line("\\fB\\-\\-", option->name,
                 maybe              ? "\\fR[="
                 : option->argument ? "\\fR "
                                    : "\\fR");
    if (option->argument)
        put_line("\\fI", option->argument, maybe ? "\\fR]" : "\\fR");
    put_line("\n", tool_describe(option, line), ".\n");
}

static void put_rows(const struct tool_command *command, bool has_headings)
{
    const struct tool_option *option;
    char line[TOOL_LINE], last[TOOL_LINE] = "";
    for (unsigned i = 0; (option = tool_option_at(command, i)); i++) {
        if (strcmp(last, tool_heading(option, line)) != 0 && has_headings)
            put_line(".PP\n", strcpy(last, line), ":\n");
        put_row(option);
    }
}

static void put_command(const struct tool_command *command)
{
    const struct tool_command own = { .options = command->options };
    char line[TOOL_LINE];
    put_line(".SS ", command->name, "\n");
    put_line("\\fB", tool_synopsis(command, line), "\\fR\n.PP\n");
    put_line("", command->text, "\n");
    put_rows(&own, true);
    for (const struct tool_example *e = command->examples; e && e->line; e++) {
        put_line(e == command->examples ? ".PP\nExamples:\n.TP\n\\fB" : ".TP\n\\fB", e->line,
                 "\\fR\n");
        put_line("", e->what, ".\n");
    }
    if (command->failure)
        put_line(".PP\nThe exit status is 1 for ", command->failure, ".\n");
}

void tool_manual(const struct tool_program *program)
{
    printf(".TH GPUPRIM 1 \"\" \"gpuprim %s\" \"User Commands\"\n", gpuprim_version());
    printf(".nh\n.ad l\n.SH NAME\ngpuprim \\- parallel primitives for arrays, on GPUs and CPUs "
           "by OpenCL\n"
           ".SH SYNOPSIS\n\\fBgpuprim\\fR \\fISUBCOMMAND\\fR [\\fIOPTION\\fR...]\n"
           ".SH DESCRIPTION\nResults go to standard output, messages to standard error.\n"
           "Common options may also stand before the subcommand.\n"
           ".SH SUBCOMMANDS\n");
    for (unsigned i = 0; i < program->n; i++)
        put_command(program->commands[i]);
    printf(".SH COMMON OPTIONS\nEach subcommand has those that mean something for it.\n");
    put_rows(program->front, false);
    printf(
        ".TP\n\\fB\\-V\\fR, \\fB\\-\\-version\\fR\nprint the version, instead of a "
        "subcommand.\n"
        ".SH EXIT STATUS\n"
        ".TP\n0\nsuccess\n.TP\n1\nfailure, or a wrong result\n.TP\n2\nwrong usage\n"
        ".TP\n77\nno device\n"
        ".SH ENVIRONMENT\n.TP\n\\fBGPUPRIM_DEVICE\\fR\nthe device, where \\fB\\-\\-device\\fR "
        "is not given.\n"
        ".TP\n\\fBNO_COLOR\\fR\nno colours on terminals.\n"
        ".SH SEE ALSO\n.BR clinfo (1)\n");
}
