/* SPDX-License-Identifier: Apache-2.0
 *
 * Which groups of tests a run of `check` begins: the one place where groups are left out.
 *
 *   --filter=GLOB  groups whose name matches; alone it runs all of them
 *   --sample=N     of those one in N, but the groups that always run (the list in
 *                  choice.c) and the one whose whole name is the filter
 *   --part=K/N     of those the share number K: the shares of all K are all groups, each once,
 *                  whatever the seeds are
 *
 * Of N seeds in a row, from a multiple of N, each draws other groups, and together they draw all
 * of them.
 *
 * For a whole run of the suite the environment has a say: GPUPRIM_CHECK_SEED is the seed where no
 * --seed is given, else the time is, and GPUPRIM_CHECK_SAMPLE stands in for N where there is a
 * --sample (1 = everything).
 */
#ifndef CHECK_CHOICE_H
#define CHECK_CHOICE_H

#include "check.h"

enum { CHECK_MOST_SAMPLE = 64 };

struct check_choice {
    uint64_t seed;
    const char *filter;   // NULL = every name
    unsigned sample;      // 1 ... CHECK_MOST_SAMPLE
    unsigned part, parts; // part < parts
};

// What runs where no option says so: everything.
struct check_choice check_choice_default(void);

// Takes --seed, --filter, --sample or --part; false where the option is none of them, or wrong.
bool check_choice_option(struct check_choice *choice, const char *option);

bool check_is_chosen(const struct check_choice *choice, const char *name);

uint64_t check_hash(const char *text);

// Gives the name of every group that the program has, those of --large among them, to take().
void check_all_names(void (*take)(void *user, const char *name), void *user);

// The tests of all this.
void check_choice_run(struct check *check);

#endif
