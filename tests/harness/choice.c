/* SPDX-License-Identifier: Apache-2.0
 *
 * Which groups a run begins (choice.h), and the tests of that. */
#include "choice.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Groups that no sample leaves out: contracts and refusals, which take little time, and groups
// that find the most faults.
static const char *const always[] = {
    // Contracts
    "*/errors/*",
    "*/errors",
    "*/refused",
    "*/named/*",
    "*/edges/*",
    // Limits and corners, where chance seldom comes
    "*/corners/*",
    "*/limits/*",
    // What calls ask of the driver, and odd drivers
    "*/driver/*",
    "driver/[!m]*", // not driver/model/*
    "*/again",
    "classify/nearly_even/linspace/*",
    "classify/nearly_even/?32/cpu_blocks", // baseline computes no place
    "classify/nearly_even/?32/gpu_words",
    // Host arrays in the smallest pieces, and groups of no power of two
    "*/streamed/4096",
    "reduce/streamed/gaps",
    "*/work_group/3",
    // Each variant, also those for other devices, by programs that compile fast
    "*/tiny/*",
};

static bool always_runs(const char *name)
{
    for (unsigned i = 0; i < sizeof always / sizeof *always; i++)
        if (fnmatch(always[i], name, 0) == 0)
            return true;
    return false;
}

// ---------------------------------------------------------------------------------------
// The draw

uint64_t check_hash(const char *text)
{
    uint64_t h = 0xcbf29ce484222325; // FNV-1a
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3;
    return h;
}

// MurmurHash3's last step: every bit of the result depends on every bit of z.
static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 33) * 0xff51afd7ed558ccd;
    z = (z ^ z >> 33) * 0xc4ceb9fe1a85ec53;
    return z ^ z >> 33;
}

// Every `sample` seeds, from a multiple of it on, the groups are dealt out anew.
static bool is_drawn(const char *name, uint64_t seed, unsigned sample)
{
    const uint64_t deal = mix(seed / sample + 1);
    return mix(check_hash(name) ^ deal) % sample == seed % sample;
}

// Does not depend on the seed, so that parts with different seeds share no group.
static unsigned part_of(const char *name, unsigned parts)
{
    return (unsigned)(mix(check_hash(name)) % parts);
}

bool check_is_chosen(const struct check_choice *choice, const char *name)
{
    if (choice->filter) {
        if (strcmp(choice->filter, name) == 0)
            return true;
        if (fnmatch(choice->filter, name, 0) != 0)
            return false;
    }
    return part_of(name, choice->parts) == choice->part &&
           (is_drawn(name, choice->seed, choice->sample) || always_runs(name));
}

// ---------------------------------------------------------------------------------------
// Options

struct check_choice check_choice_default(void)
{
    const char *seed = getenv("GPUPRIM_CHECK_SEED");
    return (struct check_choice){ .seed = seed ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL),
                                  .sample = 1,
                                  .parts = 1 };
}

bool check_choice_option(struct check_choice *choice, const char *option)
{
    if (strncmp(option, "--seed=", 7) == 0)
        choice->seed = strtoull(option + 7, NULL, 0);
    else if (strncmp(option, "--filter=", 9) == 0)
        choice->filter = option + 9;
    else if (sscanf(option, "--part=%u/%u", &choice->part, &choice->parts) == 2)
        return choice->part < choice->parts;
    else if (sscanf(option, "--sample=%u", &choice->sample) == 1) {
        const char *instead = getenv("GPUPRIM_CHECK_SAMPLE");
        if (instead)
            choice->sample = (unsigned)strtoul(instead, NULL, 10);
        return choice->sample >= 1 && choice->sample <= CHECK_MOST_SAMPLE;
    } else
        return false;
    return true;
}

// ---------------------------------------------------------------------------------------
// Tests

enum { SEEDS = 64, LEAST_GROUPS = 1000 };

struct names {
    struct {
        char name[sizeof((struct check *)0)->name];
        bool always;
    } * at;
    unsigned n, room;
};

static void take(void *user, const char *name)
{
    struct names *list = user;
    if (list->n == list->room) {
        list->room = list->room ? 2 * list->room : 1024;
        list->at = realloc(list->at, list->room * sizeof *list->at);
        if (!list->at)
            abort();
    }
    list->at[list->n].always = always_runs(name);
    snprintf(list->at[list->n++].name, sizeof list->at->name, "%s", name);
}

// How many groups a seed draws, where the average is `wanted`. Six standard deviations are
// allowed: a correct draw fails once in many millions.
static void judge_share(struct check *check, uint64_t seed, unsigned sample, unsigned n,
                        unsigned drawn)
{
    const double share = 1.0 / sample, wanted = n * share,
                 off = ((double)drawn - wanted) * ((double)drawn - wanted);
    CHECK(check, off <= 36 * wanted * (1 - share) + 1,
          "seed %" PRIu64 ", one in %u: %u groups of %u", seed, sample, drawn, n);
}

// 64 seeds in a row, from a multiple of 64 on, draw every group, and each seed its share.
static void draws(struct check *check, const struct names *list, unsigned sample)
{
    const uint64_t first = check_random(check) / SEEDS / 2 * SEEDS;
    bool *had = calloc(list->n, sizeof *had);
    if (!had)
        abort();
    for (uint64_t seed = first; seed < first + SEEDS; seed++) {
        const struct check_choice choice = { .seed = seed, .sample = sample, .parts = 1 };
        unsigned drawn = 0, sampled = 0;
        for (unsigned i = 0; i < list->n; i++) {
            const bool is = check_is_chosen(&choice, list->at[i].name);
            had[i] |= is;
            CHECK(check, is || !list->at[i].always, "%s is left out", list->at[i].name);
            sampled += !list->at[i].always;
            drawn += is && !list->at[i].always;
        }
        judge_share(check, seed, sample, sampled, drawn);
    }
    for (unsigned i = 0; i < list->n; i++) {
        check->cases++;
        CHECK(check, had[i], "%s: none of the seeds from %" PRIu64 " on draws it, one in %u",
              list->at[i].name, first, sample);
    }
    free(had);
}

// The parts have each group that is not sampled once, whatever their seeds are.
static void parts(struct check *check, const struct names *list, unsigned n_parts)
{
    for (unsigned i = 0; i < list->n; i++) {
        unsigned times = 0;
        for (unsigned part = 0; part < n_parts; part++) {
            const struct check_choice choice = {
                .seed = check_random(check), .sample = 1, .part = part, .parts = n_parts
            };
            times += check_is_chosen(&choice, list->at[i].name);
        }
        check->cases++;
        CHECK(check, times == 1, "%s is in %u of %u parts", list->at[i].name, times, n_parts);
    }
}

// A filter without other options takes all groups that it matches. A filter that is a whole
// name takes that group, whatever the other options are.
static void filters(struct check *check, const struct names *list)
{
    const uint64_t seed = check_random(check);
    for (unsigned i = 0; i < list->n; i++) {
        const char *name = list->at[i].name;
        const struct check_choice glob = {
            .seed = seed, .filter = "reduce/*", .sample = 1, .parts = 1
        };
        const struct check_choice whole = {
            .seed = seed, .filter = name, .sample = CHECK_MOST_SAMPLE, .part = i % 7, .parts = 7
        };
        check->cases++;
        CHECK(check, check_is_chosen(&glob, name) == (strncmp(name, "reduce/", 7) == 0),
              "--filter='reduce/*' on %s", name);
        CHECK(check, check_is_chosen(&whole, name), "--filter=%s does not run it", name);
    }
}

// A pattern of `always` that matches nothing names a group that was renamed.
static void patterns(struct check *check, const struct names *list)
{
    for (unsigned p = 0; p < sizeof always / sizeof *always; p++) {
        bool matches = false;
        for (unsigned i = 0; i < list->n && !matches; i++)
            matches = fnmatch(always[p], list->at[i].name, 0) == 0;
        check->cases++;
        CHECK(check, matches, "no group is named %s", always[p]);
    }
}

void check_choice_run(struct check *check)
{
    if (!check_begin(check, "reference/sampler"))
        return;
    static const unsigned samples[] = { 1, 2, 3, 4, 6, 8, 16, 32, CHECK_MOST_SAMPLE };
    struct names list = { 0 };
    check_all_names(take, &list);
    CHECK(check, list.n >= LEAST_GROUPS, "%u groups are listed", list.n);
    for (unsigned i = 0; i < sizeof samples / sizeof *samples; i++)
        draws(check, &list, samples[i]);
    for (unsigned n_parts = 1; n_parts < 9; n_parts++)
        parts(check, &list, n_parts);
    filters(check, &list);
    patterns(check, &list);
    free(list.at);
    check_end(check);
}
