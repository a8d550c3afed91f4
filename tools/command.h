/* SPDX-License-Identifier: Apache-2.0
 *
 * What a subcommand of the gpuprim program is, and what all subcommands share: the common
 * options (options.c) and the device (device.c).
 *
 * A subcommand is a file or a folder that defines `const struct tool_command tool_<name>` and
 * that adds its name to `commands` in a meson.build. main.c finds it by that list. Other
 * headers: message.h reports failures, print.h prints numbers and JSON, files/files.h reads and
 * writes files.
 */
#ifndef TOOLS_COMMAND_H
#define TOOLS_COMMAND_H

#include <gpuprim/gpuprim.h>
#include <stdbool.h>

#include "message.h"

struct tool_command {
    const char *name;
    const char *summary; // a few words for the list of subcommands
    const char *usage;   // --help prints it before the common options
    // argv[0] is "gpuprim", with which getopt starts its messages.
    int (*run)(int argc, char **argv);
};

// ---------------------------------------------------------------------------------------
// options.c: options

struct tool_common {
    const char *device; // NULL = the library chooses
    bool check, json, quiet;
    int verbose; // how often -v was given
};

// The common options in getopt's two notations. The long options that only one subcommand has
// get codes from TOOL_OPTION_OWN up.
#define TOOL_SHORT "d:qvh"
// clang-format off
#define TOOL_LONG                                        \
    { "device", required_argument, NULL, 'd' },          \
    { "check", no_argument, NULL, TOOL_OPTION_CHECK },   \
    { "json", no_argument, NULL, TOOL_OPTION_JSON },     \
    { "quiet", no_argument, NULL, 'q' },                 \
    { "verbose", no_argument, NULL, 'v' },               \
    { "help", no_argument, NULL, 'h' },                  \
    { NULL, 0, NULL, 0 }
// clang-format on
enum { TOOL_OPTION_CHECK = 256, TOOL_OPTION_JSON, TOOL_OPTION_OWN };

// Each of the following functions returns TOOL_GO_ON, or the exit code with which the program
// ends now (after --help or a wrong option).
enum { TOOL_GO_ON = -1 };

// Reads an option that is not the subcommand's own.
int tool_common_option(struct tool_common *common, const struct tool_command *command,
                       int option);

// Refuses --json where the numbers go to standard output, too: `output` is "-".
int tool_json_alone(const struct tool_common *common, const char *output);

// The one of `n` names that differs from `word` in the fewest letters, if these are at most two and
// fewer than the name has; or NULL.
const char *tool_nearest(const char *word, const char *const *names, int n);

// Reads the type in getopt's optarg. `option` is the option's name, for messages.
#define TOOL_REAL_TYPES "i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64"
int tool_type_option(const char *option, enum gpuprim_type *type);

// Reads a whole number from `low` to `high` in getopt's optarg.
int tool_whole_option(const char *option, uint64_t low, uint64_t high, uint64_t *out);

// Parses the whole number at the start of `text`: decimal, or hexadecimal after 0x. Returns
// what follows it, or NULL if there is no number or it exceeds 64 bits.
const char *tool_whole(const char *text, uint64_t *out);

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
