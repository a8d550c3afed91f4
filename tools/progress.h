/* SPDX-License-Identifier: Apache-2.0
 *
 * progress.c: a line on stderr about what takes longer than a second. Between begin and end nothing
 * else may be printed.
 */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include <stdint.h>

// Decides whether there are such lines: on a terminal, but not with -q, --json or -v.
struct tool_common;
void tool_progress_allow(const struct tool_common *common);

void tool_progress_begin(const char *phase);
void tool_progress_bytes(uint64_t bytes); // that were read in this phase
void tool_progress_end(void);

#endif
