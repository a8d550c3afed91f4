/* SPDX-License-Identifier: Apache-2.0
 *
 * The test program `check`: what all tests share. check.c runs the groups, contexts.c makes
 * contexts.
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
 * A group is one line of TAP. Its random numbers depend on the seed and on its name only. A
 * failure prints the --seed and --filter that repeat its group exactly. check_begin alone
 * decides which groups a run leaves out (choice.h): a test sees random numbers but no seed.
 */
#ifndef CHECK_H
#define CHECK_H

#include "src/core/core.h"

struct check {
    const char *program; // as it was called
    bool quick;          // few and small cases: for slow simulators and sanitizers
    bool large;          // arrays beyond 2^31 bytes
    const struct check_choice *choice; // which groups are run
    // If not NULL, no group runs, and this takes the names of the chosen groups.
    void (*list)(void *user, const char *name);
    void *list_user;
    unsigned groups, failed; // so far
    uint64_t all_cases;

    // Buffers are fenced host memory (place.h), where the device uses that in place.
    bool fences_buffers;

    // The running group
    char name[128];
    uint64_t random;
    bool optimises_all; // also kernels on a CPU that are not made for CPUs
    double began;       // seconds of processor time
    uint64_t cases;
    uint64_t not_taken; // cases that a forced variant refused
    unsigned failures;
};

struct check_choice;
struct check_sources;
struct bench;
struct map_primitive;

struct check_suite {
    const char *name;
    void (*run)(struct check *check);
    void (*bench)(struct bench *bench); // the rows of `check --bench` (bench.h); NULL: none
    const struct map_primitive *map; // the calls of `check --bench --map` (map.h); NULL: none
    const struct check_sources
        *sources; // the calls of `check --sources` (sources.h); NULL: none
};

// Begins a group. False if this run leaves it out.
bool check_begin(struct check *check, const char *format, ...) GP_PRINTF(2, 3);
void check_end(struct check *check);
// Ends a group that cannot run here, and says why. Use it instead of check_end. A group that
// has failures already counts as failed.
void check_skip(struct check *check, const char *format, ...) GP_PRINTF(2, 3);

// Counts a failure of the running group. Prints the first few.
void check_fail(struct check *check, const char *format, ...) GP_PRINTF(2, 3);

// Counts a failure unless the condition holds. Evaluates to the condition.
#define CHECK(check, condition, ...)                                                           \
    ((condition) ? true : (check_fail(check, __VA_ARGS__), false))

// The next random number of the group: any; below `limit`, which is at least 1; and true once
// in `n` times on average.
uint64_t check_random(struct check *check);
uint64_t check_below(struct check *check, uint64_t limit);
static inline bool check_once_in(struct check *check, uint64_t n)
{
    return check_below(check, n) == 0;
}

// A context with a variant such as "reduce:baseline" and a work-group size forced; NULL and 0
// force nothing. NULL, with a failure counted, where there is no device. A variant whose name
// says that it is for GPUs meets a model of a GPU (model.h) where the device is a CPU. In seven
// groups of eight that variant and baseline are compiled without optimisation there: CPUs have
// others of their own, and the compiler takes less than half of the time.
//
// Programs of classifiers and filters are built when they are first used (build_late), to save
// time: most tests use one of a classifier's three, or rows of a filter that are not long.
// classify/driver/again/* and convolve1d/driver/created undo this, and test that creation
// builds.
gpuprim *check_context(struct check *check, const char *variant, unsigned work_group);

// malloc that ends the program when memory runs out.
void *check_allocate(size_t bytes);

#endif
