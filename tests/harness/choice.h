/* SPDX-License-Identifier: Apache-2.0
 *
 * Which groups of tests a run of `check` begins. Groups are left out here and nowhere else.
 *
 *   --filter=GLOB  Runs the groups whose name matches. Without the other options: all of them.
 *   --sample=N     Runs one in N of those. Some groups are drawn more often or always run (the
 *                  list in choice.c). The group whose whole name is the filter always runs.
 *   --part=K/N     Runs part K of N of those. The parts have each group once, whatever their
 *                  seeds are.
 *
 * N seeds in a row, from a multiple of N on, draw different groups, and together all of them.
 *
 * Two environment variables act on a whole run of the suite. GPUPRIM_CHECK_SEED is the seed if
 * there is no --seed; the default is the time. GPUPRIM_CHECK_SAMPLE replaces the N of every
 * --sample; 1 runs everything.
 */
#ifndef CHECK_CHOICE_H
#define CHECK_CHOICE_H

#include "check.h"

enum { CHECK_MOST_SAMPLE = 480 };

struct check_choice {
    uint64_t seed;
    const char *filter;   // NULL = every name
    unsigned sample;      // 1 ... CHECK_MOST_SAMPLE
    unsigned part, parts; // part < parts
};

// The choice without options: everything runs.
struct check_choice check_choice_default(void);

// Takes --seed, --filter, --sample or --part. False if the option is none of them, or wrong.
bool check_choice_option(struct check_choice *choice, const char *option);

bool check_is_chosen(const struct check_choice *choice, const char *name);

uint64_t check_hash(const char *text);

// Calls take() with the name of every group that the program has, also those of --large.
void check_all_names(void (*take)(void *user, const char *name), void *user);

// Tests the choice itself.
void check_choice_run(struct check *check);

#endif
