/* SPDX-License-Identifier: Apache-2.0
 *
 * The test program `check`: what its files share.
 *
 * A file of tests exposes one struct check_suite. Its run() goes through groups, each with a
 * path for a name, and a group through cases:
 *
 *     if (check_begin(check, "reduce/sum/%s/%s", type, variant)) {
 *         for (...) {
 *             check->cases++;
 *             CHECK(check, got == expected, "%d instead of %d for count=%d", ...);
 *         }
 *         check_end(check);
 *     }
 *
 * A group is one line of TAP. Its random numbers depend on the seed and on its name only, so
 * that --seed and --filter with that name repeat it exactly, which is what a failure prints.
 * Which groups of a run are left out is decided in check_begin and nowhere else, hence a test
 * has random numbers and no seed: a group that has begun runs (choice.h).
 */
#ifndef CHECK_H
#define CHECK_H

#include "src/core/core.h"

struct check {
    const char *program; // as it was called
    bool quick;          // small sizes, few shapes: for slow simulators and sanitizers
    bool large;          // arrays beyond 2^31 bytes
    const struct check_choice *choice; // which groups are run
    // Where no group is to run: takes the names of those that were chosen.
    void (*list)(void *user, const char *name);
    void *list_user;
    unsigned groups, failed; // so far
    uint64_t all_cases;

    // The running group
    char name[128];
    uint64_t random;
    double began; // seconds of processor time
    uint64_t cases;
    uint64_t not_taken; // cases that a forced variant refused
    unsigned failures;
};

struct check_choice;
struct check_sources;
struct bench;

struct check_suite {
    const char *name;
    void (*run)(struct check *check);
    void (*bench)(struct bench *bench); // the rows of `check --bench` (bench.h); NULL: none
    const struct check_sources
        *sources; // the calls of `check --sources` (sources.h); NULL: none
};

// Begins a group; false if it is not asked for.
bool check_begin(struct check *check, const char *format, ...) GP_PRINTF(2, 3);
void check_end(struct check *check);
// Instead of check_end: this group cannot run here, and why. A group with failures has failed,
// whatever it says then.
void check_skip(struct check *check, const char *format, ...) GP_PRINTF(2, 3);

// Counts a failure of the running group and prints the words; the first few are shown.
void check_fail(struct check *check, const char *format, ...) GP_PRINTF(2, 3);

// Evaluates to the condition.
#define CHECK(check, condition, ...)                                                           \
    ((condition) ? true : (check_fail(check, __VA_ARGS__), false))

// The next random number of the group; below `limit`, at least 1; true once in `n` times.
uint64_t check_random(struct check *check);
uint64_t check_below(struct check *check, uint64_t limit);
static inline bool check_once_in(struct check *check, uint64_t n)
{
    return check_below(check, n) == 0;
}

// A context with a variant such as "reduce:baseline" and a work-group size forced; NULL and 0
// force nothing. NULL, with a failure counted, where there is no device. A variant whose name
// says that it is for GPUs meets a model of a GPU (model.h) where the device is a CPU.
//
// A classifier's programs are built when they are first used (build_late), to save time: most
// tests use one of the three. classify/driver/again/* undo this, and test that creation builds.
gpuprim *check_context(struct check *check, const char *variant, unsigned work_group);

// malloc that ends the program when memory runs out: not what is tested here.
void *check_allocate(size_t bytes);

#endif
