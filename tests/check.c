/* SPDX-License-Identifier: Apache-2.0
 *
 * The test program: options, groups, TAP. It links the library's objects, so that tests may
 * force a variant or a work-group size; nothing in the public API can.
 *
 *     check [--seed=N] [--filter=GLOB] [--sample=N] [--part=K/N] [--list] [--quick] [--large]
 * [--tap]
 *
 * Exit status: 0 good, 1 some group failed, 2 usage, 77 no OpenCL device. With --tap the reader
 * takes failures and skips from the lines, and both give 0.
 */
#include "api.h"
#include "bench.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "primitives.h"

enum { SHOWN_FAILURES = 5 };

// The primitives of the list in meson.build test themselves in a file of their name.
#define DECLARE(name) extern const struct check_suite check_##name;
#define ADDRESS(name) &check_##name,
DECLARE(reference)
DECLARE(api)
DECLARE(threads)
DECLARE(driver)
DECLARE(faults)
GP_PRIMITIVES(DECLARE)

// clang-format off
static const struct check_suite *const suites[] = {
    ADDRESS(reference)
    GP_PRIMITIVES(ADDRESS)
    ADDRESS(api)
    ADDRESS(threads)
    ADDRESS(driver)
    ADDRESS(faults)
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

static uint64_t hash(const char *text)
{
    uint64_t h = 0xcbf29ce484222325; // FNV-1a
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3;
    return h;
}

// ---------------------------------------------------------------------------------------
// Groups

bool check_begin(struct check *check, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(check->name, sizeof check->name, format, arguments);
    va_end(arguments);
    if (check->filter && fnmatch(check->filter, check->name, 0) != 0)
        return false;
    // The upper half: the low bits of a sum of characters are much alike.
    if ((check->seed + (hash(check->name) >> 32)) % check->sample != 0)
        return false;
    if (check->seen++ % check->parts != check->part)
        return false;
    if (check->list) {
        puts(check->name);
        return false;
    }
    check->random = check->seed ^ hash(check->name);
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
    check->groups++;
    check->all_cases += check->cases;
    if (check->not_taken)
        printf("# %s: not taken: %" PRIu64 " of %" PRIu64 "\n", check->name, check->not_taken,
               check->cases);
    if (check->failures) {
        check->failed++;
        printf("# %s: %u failures in %" PRIu64 " cases; repeat with\n"
               "#     %s --seed=%" PRIu64 "%s%s --filter='%s'\n",
               check->name, check->failures, check->cases, check->program, check->seed,
               check->quick ? " --quick" : "", check->large ? " --large" : "", check->name);
    }
    printf("%s %u - %s\n", check->failures ? "not ok" : "ok", check->groups, check->name);
    fflush(stdout);
}

void check_skip(struct check *check, const char *format, ...)
{
    printf("ok %u - %s # SKIP ", ++check->groups, check->name);
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    fflush(stdout);
}

// ---------------------------------------------------------------------------------------

gpuprim *check_context(struct check *check, const char *variant, unsigned work_group)
{
    gpuprim *gp = NULL;
    const int status = gpuprim_create(NULL, &gp);
    if (!CHECK(check, status == GPUPRIM_OK, "gpuprim_create: %s", gpuprim_last_error()))
        return NULL;
    snprintf(gp->force_variant, sizeof gp->force_variant, "%s", variant ? variant : "");
    gp->force_work_group = work_group;
    return gp;
}

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
    fprintf(stderr,
            "usage: %s [--seed=N] [--filter=GLOB] [--sample=N] [--part=K/N] [--list] [--quick] "
            "[--large]"
            " [--tap]\n",
            program);
    return 2;
}

int main(int argc, char **argv)
{
    struct check check = {
        .program = argv[0], .seed = (uint64_t)time(NULL), .parts = 1, .sample = 1
    };
    check.quick = getenv("GPUPRIM_CHECK_QUICK") != NULL;
    bool tap = false, bench = false;
    const char *json = NULL;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--seed=", 7) == 0)
            check.seed = strtoull(argv[i] + 7, NULL, 0);
        else if (strncmp(argv[i], "--filter=", 9) == 0)
            check.filter = argv[i] + 9;
        else if (strcmp(argv[i], "--list") == 0)
            check.list = true;
        else if (strcmp(argv[i], "--quick") == 0)
            check.quick = true;
        else if (strcmp(argv[i], "--large") == 0)
            check.large = true;
        else if (sscanf(argv[i], "--sample=%u", &check.sample) == 1 && check.sample > 0)
            continue;
        else if (sscanf(argv[i], "--part=%u/%u", &check.part, &check.parts) == 2 &&
                 check.part < check.parts)
            continue;
        else if (strcmp(argv[i], "--tap") == 0)
            tap = true;
        else if (strcmp(argv[i], "--bench") == 0)
            bench = true;
        else if (strncmp(argv[i], "--json=", 7) == 0)
            json = argv[i] + 7;
        else if (strncmp(argv[i], "--child=", 8) == 0)
            return api_child(argv[i] + 8);
        else
            return usage(argv[0]);
    }
    if (bench)
        return bench_main(check.filter, json);

    gpuprim *gp = NULL;
    if (gpuprim_create(NULL, &gp) != GPUPRIM_OK) {
        printf("1..0 # SKIP no OpenCL device: %s\n", gpuprim_last_error());
        return tap ? 0 : 77;
    }
    if (!check.list)
        printf("# gpuprim %s on %s, %s, %s\n# seed %" PRIu64 "\n", gpuprim_version(),
               gp->caps.device, gp->caps.driver, gp->caps.version, check.seed);
    gpuprim_destroy(&gp);

    const time_t start = time(NULL);
    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
        suites[i]->run(&check);
    if (check.list)
        return 0;
    printf("1..%u\n# %u groups, %u failed, %" PRIu64 " cases, %ld s\n", check.groups,
           check.groups, check.failed, check.all_cases, (long)(time(NULL) - start));
    return check.failed && !tap ? 1 : 0;
}
