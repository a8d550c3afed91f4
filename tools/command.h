/* SPDX-License-Identifier: Apache-2.0
 *
 * What a subcommand of the gpuprim program is, the table of its options, and what all subcommands
 * share: the common options (options.c, parse.c) and the device (device.c).
 *
 * A subcommand is a file or a folder that defines `const struct tool_command tool_<name>` and
 * that adds its name to `commands` in a meson.build. main.c finds it by that list. Other
 * headers: message.h reports failures, progress.h shows what takes long, print.h prints numbers
 * and JSON, files/files.h reads and writes files.
 */
#ifndef TOOLS_COMMAND_H
#define TOOLS_COMMAND_H

#include <gpuprim/gpuprim.h>
#include <stdbool.h>
#include <stddef.h>

#include "message.h"

// ---------------------------------------------------------------------------------------
// The table. It alone names an option. Parsing (parse.c), help (help.c), the man page (manual.c)
// and completion (completion.c) read it.

// What the value of an option is, and what its member in the request becomes.
enum tool_value {
    TOOL_FLAG,   // no value: an integer becomes 1
    TOOL_COUNT,  // no value: an int grows by 1
    TOOL_TEXT,   // any text: a const char *
    TOOL_INPUT,  // the name of a file that is read: a const char *
    TOOL_OUTPUT, // the name of a file that is written: a const char *
    TOOL_WORD,   // one of `words`: an integer becomes its place among them, plus `low`
    TOOL_WHOLE,  // a whole number from `low` to `high`: an integer
    TOOL_OWN,    // `take` reads it
};

// Flags of an option.
enum {
    TOOL_REQUIRED = 1,    // it must be given; of alternatives, one must
    TOOL_ALTERNATIVE = 2, // it excludes the other alternatives of its group
    TOOL_MANY = 4,  // an operand that may come any number of times, also never; the last one
    TOOL_MAYBE = 8, // the value may be missing; `take` gets NULL then
};

// Reads a value for the request. `option` is the option's name, for messages. Returns TOOL_GO_ON,
// or the exit code with which the program ends.
typedef int tool_take(const char *option, const char *text, void *request);

// A row of the table: an option, or an operand. Operands stand first, in their order.
struct tool_option {
    const char *name;     // without its dashes; NULL = an operand
    char letter;          // the short name, or 0
    const char *argument; // what the value is called; NULL = there is none
    const char *help;     // what it does: a line without a period
    const char *preset;   // what holds without it, if that needs words
    const char *const
        *words;        // the values of TOOL_WORD; otherwise some that are possible, or NULL
    const char *group; // its heading; NULL = "Options"
    const char *needs; // names of options, one of which must be given with it
    enum tool_value kind;
    unsigned flags;
    uint64_t low, high;
    size_t offset, size; // TOOL_AT gives both
    tool_take *take;
};

// The member of the struct `type` that takes the value.
#define TOOL_AT(type, member)                                                                  \
    .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)

// Texts that several subcommands share.
#define TOOL_FILE_HELP    "a file of numbers, an image, a sound, a pipe, or - for standard input"
#define TOOL_RAW_HELP     "FILE holds bare numbers of this type"
#define TOOL_CALL_FAILURE "failure or, with --check, a wrong result"

// The common options, which a subcommand may have.
enum {
    TOOL_DEVICE = 1,
    TOOL_CHECK = 2,
    TOOL_JSON = 4,
    TOOL_QUIET = 8,
    TOOL_VERBOSE = 16,
    TOOL_HELP = 32,
    TOOL_COMMON = 63
};

struct tool_example {
    const char *line; // a command
    const char *what; // it does
};

struct tool_command {
    const char *name;
    const char *summary;                 // a few words for the list of subcommands
    const char *text;                    // what it does
    const struct tool_option *options;   // own rows; a row of zeros ends them
    unsigned common;                     // which common options it has
    const char *failure;                 // what the exit status 1 means
    const struct tool_example *examples; // a row of zeros ends them
    int (*run)(int argc, char **argv);   // argv[0] is "gpuprim"
};

// What the common options give. Every request begins with it.
struct tool_common {
    const char *device; // NULL = the library chooses
    bool check, json, quiet, help;
    int verbose; // how often -v was given
};

// ---------------------------------------------------------------------------------------
// options.c: the common options, and reading the table

// Row `i` of a subcommand: its own ones first, then the common ones. NULL after the last.
const struct tool_option *tool_option_at(const struct tool_command *command, unsigned i);

// What a row tells: its help, its words and its preset.
enum { TOOL_LINE = 1024 };
const char *tool_describe(const struct tool_option *option, char *line);

// "gpuprim reduce OP FILE [OPTION...]"
const char *tool_synopsis(const struct tool_command *command, char *line);

// "--thresholds or --uniform", of "thresholds uniform".
const char *tool_names(const char *names, char *line);

// The heading above a row.
const char *tool_heading(const struct tool_option *option, char *line);

// ---------------------------------------------------------------------------------------
// parse.c: the command line

// Each of the following functions returns TOOL_GO_ON, or the exit code with which the program
// ends now (after --help or a wrong option).
enum { TOOL_GO_ON = -1 };

// Reads the command line of a subcommand into its request.
int tool_parse(const struct tool_command *command, int argc, char **argv, void *request);

// Reads the options before the first operand alone, and sets *first to its place.
int tool_parse_front(const struct tool_command *command, int argc, char **argv, void *request,
                     int *first);

// ---------------------------------------------------------------------------------------
// values.c: values of options

// Element types, ended by NULL: a type's number is its place plus GPUPRIM_I8.
extern const char *const tool_types[], *const tool_real_types[];

// Finds a word; or fails with the word that was probably meant, or else with all of them.
int tool_word_option(const char *option, const char *text, const char *const *words,
                     uint64_t *place);
int tool_fail_word(const char *what, const char *text, const char *const *words);

// Reads a whole number from `low` to `high`.
int tool_whole_option(const char *option, const char *text, uint64_t low, uint64_t high,
                      uint64_t *out);

// Parses the whole number at the start of `text`: decimal, or hexadecimal after 0x. Returns
// what follows it, or NULL if there is no number or it exceeds 64 bits.
const char *tool_whole(const char *text, uint64_t *out);

// ---------------------------------------------------------------------------------------
// help.c, manual.c, completion.c: what the table prints

// All subcommands, and the options before them as a subcommand without a name.
struct tool_program {
    const struct tool_command *front;
    const struct tool_command *const *commands;
    unsigned n;
};

void tool_help(const struct tool_command *command);
void tool_manual(const struct tool_program *program);
void tool_completion_bash(const struct tool_program *program);
void tool_completion_zsh(const struct tool_program *program);
void tool_completion_fish(const struct tool_program *program);

// ---------------------------------------------------------------------------------------
// device.c: the device of a call, its log, its failures, its time

// Creates a context on the device that was asked for. With -v its log goes to stderr. Returns
// an exit code.
int tool_device_open(const struct tool_common *common, gpuprim **out);

// What gpuprim_devices tells about the device of a context.
struct gpuprim_device tool_device_of(const gpuprim *gp);

// Reports the library's last failure. Returns the exit code for it.
int tool_fail_library(const struct tool_common *common, int status);

// Reports whether the results agree with the reference (--check); `why` tells where they
// differ. Returns an exit code.
int tool_report_check(const struct tool_common *common, bool agrees, const char *why);

// Whether a line about the finished call is wanted on stderr: with -v, or on a terminal.
bool tool_wants_summary(const struct tool_common *common);

double tool_seconds(void); // of a clock that only moves forward

#endif
