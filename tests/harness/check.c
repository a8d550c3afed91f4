/* SPDX-License-Identifier: Apache-2.0
 *
 * The test program: its options, its groups, and TAP. It links the objects of the library, so
 * that tests reach what the public API does not offer, such as forcing a variant.
 *
 *     check [--seed=N] [--filter=GLOB] [--sample=N] [--part=K/N] [--list] [--quick] [--large]
 *           [--tap]
 *     check --sources=FOLDER
 *     check --bench [--variants] [--quick] [--filter=GLOB] [--json=FILE]
 *     check --bench --map [--variants] [--seed=N] [--count=N] [--part=K/N] [--quick]
 *           [--filter=GLOB] [--json=FILE | --compile]
 *
 * choice.h explains the options that choose groups, sources.h --sources, bench.h --bench,
 * map.h --map.
 *
 * Exit status: 0 good; 1 a group failed, or no group has the name asked for; 2 wrong usage; 77
 * no OpenCL device. With --tap the status is 0 also after failures and skips, because the
 * reader takes them from the lines.
 */
#include "tests/core/api.h"
#include "bench.h"
#include "choice.h"
#include "memory.h"
#include "sources.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "primitives.h"

enum { SHOWN_FAILURES = 5 };
static const double SHOWN_SECONDS = 0.1;

// The suite of each primitive of the list in meson.build, those of tests/core, and the map's.
#define DECLARE(name) extern const struct check_suite check_##name;
#define ADDRESS(name) &check_##name,
DECLARE(reference)
DECLARE(api)
DECLARE(threads)
DECLARE(driver)
DECLARE(faults)
DECLARE(map)
GP_PRIMITIVES(DECLARE)

// clang-format off
static const struct check_suite *const suites[] = {
    ADDRESS(reference)
    GP_PRIMITIVES(ADDRESS)
    ADDRESS(api)
    ADDRESS(threads)
    ADDRESS(driver)
    ADDRESS(faults)
    ADDRESS(map)
};
// clang-format on

// ---------------------------------------------------------------------------------------
// Random numbers: splitmix64

uint64_t check_random(struct check *check)
{
    uint64_t z = check->random += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

uint64_t check_below(struct check *check, uint64_t limit)
{
    return check_random(check) % limit;
}

// ---------------------------------------------------------------------------------------
// Groups

// Processor time so far in seconds. It includes the driver's compilers.
static double processor_time(void)
{
    struct rusage own, children;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    const struct timeval times[] = { own.ru_utime, own.ru_stime, children.ru_utime,
                                     children.ru_stime };
    double seconds = 0;
    for (int i = 0; i < 4; i++)
        seconds += (double)times[i].tv_sec + 1e-6 * (double)times[i].tv_usec;
    return seconds;
}

bool check_begin(struct check *check, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(check->name, sizeof check->name, format, arguments);
    va_end(arguments);
    if (!check_is_chosen(check->choice, check->name))
        return false;
    if (check->list) {
        check->list(check->list_user, check->name);
        return false;
    }
    check->random = check->choice->seed ^ check_hash(check->name);
    check->optimises_all = (check->random >> 32) % 8 == 0;
    check->began = processor_time();
    check->cases = check->not_taken = 0;
    check->failures = 0;
    return true;
}

void check_fail(struct check *check, const char *format, ...)
{
    if (check->failures++ >= SHOWN_FAILURES)
        return;
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    printf("# %s: ", check->name);
    for (const char *p = text; *p; p++) {
        putchar(*p);
        if (*p == '\n')
            fputs("# ", stdout);
    }
    putchar('\n');
    fflush(stdout);
}

void check_end(struct check *check)
{
    check_fences_end();
    check->groups++;
    check->all_cases += check->cases;
    if (check->not_taken)
        printf("# %s: not taken: %" PRIu64 " of %" PRIu64 "\n", check->name, check->not_taken,
               check->cases);
    if (check->failures) {
        check->failed++;
        printf("# %s: %u failures in %" PRIu64 " cases; repeat with\n"
               "#     %s --seed=%" PRIu64 "%s%s --filter='%s'\n",
               check->name, check->failures, check->cases, check->program, check->choice->seed,
               check->quick ? " --quick" : "", check->large ? " --large" : "", check->name);
    }
    const double seconds = processor_time() - check->began;
    if (seconds >= SHOWN_SECONDS)
        printf("# %.1f s of processor time\n", seconds);
    printf("%s %u - %s\n", check->failures ? "not ok" : "ok", check->groups, check->name);
    fflush(stdout);
}

void check_skip(struct check *check, const char *format, ...)
{
    if (check->failures) { // what ran before the reason was found has failed
        check_end(check);
        return;
    }
    check_fences_end();
    printf("ok %u - %s # SKIP ", ++check->groups, check->name);
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    fflush(stdout);
}

// ---------------------------------------------------------------------------------------

void *check_allocate(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p) {
        printf("Bail out! no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return p;
}

static int usage(const char *program)
{
    fprintf(
        stderr,
        "usage: %s [--seed=N] [--filter=GLOB] [--sample=N] [--part=K/N] [--list] [--quick] "
        "[--large] [--tap]\n"
        "       %s --bench [--variants] [--quick] [--filter=GLOB] [--json=FILE]\n"
        "       %s --bench --map [--variants] [--seed=N] [--count=N] [--part=K/N] [--quick] "
        "[--filter=GLOB] [--json=FILE | --compile]\n",
        program, program, program);
    return 2;
}

static void run_all(struct check *check)
{
    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
        suites[i]->run(check);
}

void check_all_names(void (*take)(void *user, const char *name), void *user)
{
    const struct check_choice all = { .sample = 1, .parts = 1 };
    struct check check = { .large = true, .choice = &all, .list = take, .list_user = user };
    run_all(&check);
}

static void print_name(void *user, const char *name)
{
    (void)user;
    puts(name);
}

static void count_name(void *user, const char *name)
{
    (void)name;
    ++*(unsigned *)user;
}

// Says why no group ran. A filter that matches no name is an error. A sample or a part may
// contain no group that the filter matches.
static int nothing_ran(const struct check_choice *choice, bool large)
{
    const struct check_choice all = { .filter = choice->filter, .sample = 1, .parts = 1 };
    unsigned n = 0;
    struct check check = {
        .large = large, .choice = &all, .list = count_name, .list_user = &n
    };
    run_all(&check);
    if (n == 0)
        printf("Bail out! no group is named %s%s\n", choice->filter,
               large ? "" : ", or only with --large");
    else
        puts("1..0 # SKIP none of its groups is drawn with this seed");
    return n == 0 ? 1 : 0;
}

int main(int argc, char **argv)
{
    struct check_choice choice = check_choice_default();
    struct check check = { .program = argv[0], .choice = &choice };
    bool tap = false, bench = false;
    const char *sources = NULL;
    struct bench_options measured = { .count = 40 };
    for (int i = 1; i < argc; i++) {
        if (check_choice_option(&choice, argv[i]))
            continue;
        if (strcmp(argv[i], "--list") == 0)
            check.list = print_name;
        else if (strcmp(argv[i], "--quick") == 0)
            check.quick = true;
        else if (strcmp(argv[i], "--large") == 0)
            check.large = true;
        else if (strcmp(argv[i], "--tap") == 0)
            tap = true;
        else if (strcmp(argv[i], "--bench") == 0)
            bench = true;
        else if (strncmp(argv[i], "--sources=", 10) == 0)
            sources = argv[i] + 10;
        else if (strncmp(argv[i], "--json=", 7) == 0)
            measured.json = argv[i] + 7;
        else if (strcmp(argv[i], "--variants") == 0)
            measured.variants = true;
        else if (strcmp(argv[i], "--map") == 0)
            measured.map = true;
        else if (strcmp(argv[i], "--compile") == 0)
            measured.compile = true;
        else if (strncmp(argv[i], "--count=", 8) == 0 && argv[i][8] >= '1')
            measured.count = (unsigned)strtoul(argv[i] + 8, NULL, 10);
        else if (strncmp(argv[i], "--child=", 8) == 0)
            return api_child(argv[i] + 8);
        else
            return usage(argv[0]);
    }
    measured.filter = choice.filter;
    measured.quick = check.quick;
    measured.seed = choice.seed;
    measured.part = choice.part;
    measured.parts = choice.parts;
    if (measured.compile && (!bench || !measured.map || measured.json))
        return usage(argv[0]);
    if (bench && check.list) // rows are named as they are measured
        return usage(argv[0]);
    if (bench)
        return bench_main(&measured);

    gpuprim *gp = NULL;
    if (gpuprim_create(NULL, &gp) != GPUPRIM_OK) {
        printf("1..0 # SKIP no OpenCL device: %s\n", gpuprim_last_error());
        return tap ? 0 : 77;
    }
    if (!check.list)
        printf("# gpuprim %s on %s, %s, %s\n# seed %" PRIu64 "\n", gpuprim_version(),
               gp->caps.device, gp->caps.driver, gp->caps.version, choice.seed);
    gpuprim_destroy(&gp);
    if (sources)
        return sources_write(suites, sizeof suites / sizeof *suites, sources, choice.seed);

    const time_t start = time(NULL);
    run_all(&check);
    if (check.list)
        return 0;
    if (check.groups == 0)
        return nothing_ran(&choice, check.large);
    printf("1..%u\n# %u groups, %u failed, %" PRIu64
           " cases, %ld s, %.1f s of processor time\n",
           check.groups, check.groups, check.failed, check.all_cases,
           (long)(time(NULL) - start), processor_time());
    return check.failed && !tap ? 1 : 0;
}
