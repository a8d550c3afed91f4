/* SPDX-License-Identifier: Apache-2.0
 *
 * The help text of a subcommand, made of the table of options.
 */
#include <stdio.h>
#include <string.h>

#include "command.h"

enum { WIDTH = 80, INDENT = 27 }; // columns of a line; where descriptions begin

// Prints words in lines of WIDTH columns. `column` is where the cursor is; the next lines begin
// at `indent`.
static void wrap(const char *text, int column, int indent)
{
    for (bool is_first = true; *text; is_first = false) {
        const int length = (int)strcspn(text, " ");
        if (!is_first && column + 1 + length > WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
            is_first = true;
        }
        column += printf("%s%.*s", is_first ? "" : " ", length, text);
        text += length + (int)strspn(text + length, " ");
    }
    printf("\n");
}

static void print_row(const struct tool_option *option)
{
    char line[TOOL_LINE], use[TOOL_LINE];
    const char *argument = option->argument ? option->argument : "";
    if (!option->name)
        snprintf(use, sizeof use, "  %s", argument);
    else if (option->flags & TOOL_MAYBE)
        snprintf(use, sizeof use, "      --%s[=%s]", option->name, argument);
    else
        snprintf(use, sizeof use, "  %c%c%c --%s%s%s", option->letter ? '-' : ' ',
                 option->letter ? option->letter : ' ', option->letter ? ',' : ' ',
                 option->name, *argument ? " " : "", argument);
    printf("%s", use);
    int column = (int)strlen(use);
    if (column + 2 > INDENT) {
        printf("\n");
        column = 0;
    }
    printf("%*s", INDENT - column, "");
    wrap(tool_describe(option, line), INDENT, INDENT);
}

void tool_help(const struct tool_command *command)
{
    const struct tool_option *option;
    char line[TOOL_LINE], last[TOOL_LINE] = "";
    printf("Usage: ");
    wrap(tool_synopsis(command, line), 7, 11);
    wrap(command->text, 0, 0);
    printf("\n");
    for (unsigned i = 0; (option = tool_option_at(command, i)); i++) {
        if (strcmp(last, tool_heading(option, line)) != 0)
            printf("%s%s:\n", i ? "\n" : "", strcpy(last, line));
        print_row(option);
    }
    for (const struct tool_example *e = command->examples; e && e->line; e++)
        printf("%s  %s\n      %s\n", e == command->examples ? "\nExamples:\n" : "", e->line,
               e->what);
    printf("\n");
    snprintf(line, sizeof line, "Exit status: 0 success, 1 %s, 2 wrong usage, 77 no device.",
             command->failure ? command->failure : "failure");
    wrap(line, 0, 0);
}
