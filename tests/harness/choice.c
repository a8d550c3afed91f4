/* SPDX-License-Identifier: Apache-2.0
 *
 * Which groups a run begins (choice.h), and the tests of that. */
#include "choice.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Groups that a sample takes more often than others: one in so many, 1 for always. The first
// pattern that matches decides. Those that always run take little time or find the most faults.
// The others test each variant in the same way, so that a fault in what variants share shows in
// any of them, and most faults in one variant show with one seed in 16. The rates are such that
// scripts/test takes some minutes with two cores.
static const struct {
    const char *pattern;
    unsigned one_in;
} often[] = {
    // Contracts
    { "*/errors/*", 1 },
    { "*/errors", 1 },
    { "*/refused", 1 },
    { "*/named/*", 12 },
    { "classify/edges/*", 8 },
    { "classify/maps/*", 8 },
    // What the host decides for a GPU: nothing is built, and all of them take 4 s. Until 2026-12-01 they were drawn,
    // and two had failed unseen.
    { "*choices", 1 },
    { "*/corners/tile_room", 1 },
    { "convolve1d/costs", 1 },
    { "convolve1d/divisions", 1 },
    { "convolve1d/described", 1 },
    { "classify/words_keys/[!rc]*", 1 }, // not ranked_rows and celled_rows
    { "classify/words_keys/ranks", 1 },
    // Limits and corners, where chance seldom comes
    { "*/corners/*", 3 },
    { "*/limits/tiles/*", 16 },
    { "*/limits/many_lanes", 16 }, // takes as long as ten others
    { "*/limits/cpu_matrix/*", 16 },
    { "*/limits/*", 6 },
    // What calls ask of the driver, and odd drivers
    { "*/driver/*/chosen", 3 },
    { "*/driver/plans/*", 4 },
    { "*/driver/*", 16 },
    { "driver/[!m]*", 1 }, // not driver/model/*
    { "*/again", 3 },
    { "convolve1d/builds/*", 16 },
    { "classify/nearly_even/linspace/*", 12 },
    { "classify/nearly_even/[fi]32/cpu_blocks", 6 }, // baseline computes no place
    { "classify/nearly_even/[fi]32/gpu_words", 6 },
    { "classify/nearly_even/u32/[cg]*", 6 },
    // Host arrays in the smallest pieces, and groups of no power of two
    { "*/streamed/4096", 8 },
    { "reduce/streamed/gaps", 8 },
    { "*/work_group/3", 1 },
    { "convolve1d/work_group/*/2", 1 },
    // Each variant by programs that compile fast. Oclgrind, where it is installed, runs half of
    // its list (tests/meson.build) each time.
    { "*/tiny/*", 6 },
};

// Of how many groups like this one a sample of one in `sample` takes one.
static unsigned rate_of(const char *name, unsigned sample)
{
    for (unsigned i = 0; i < sizeof often / sizeof *often; i++)
        if (fnmatch(often[i].pattern, name, 0) == 0)
            return often[i].one_in < sample ? often[i].one_in : sample;
    return sample;
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

// Every `rate` seeds, from a multiple of it on, the groups are dealt out anew.
static bool is_drawn(const char *name, uint64_t seed, unsigned rate)
{
    const uint64_t deal = mix(seed / rate + 1);
    return mix(check_hash(name) ^ deal) % rate == seed % rate;
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
           is_drawn(name, choice->seed, rate_of(name, choice->sample));
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

enum {
    SEEDS = CHECK_MOST_SAMPLE, // a multiple of all rates
    FEW_SEEDS = 24,            // of all rates up to FEW
    FEW = 8,
    LEAST_GROUPS = 1000
};

struct names {
    struct {
        char name[sizeof((struct check *)0)->name];
        unsigned rate; // in the rarest sample
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
    list->at[list->n].rate = rate_of(name, CHECK_MOST_SAMPLE);
    snprintf(list->at[list->n++].name, sizeof list->at->name, "%s", name);
}

// How many of n groups a seed draws. By Bernstein's inequality a correct draw fails once in
// 10^10, also where n is small.
static void judge_share(struct check *check, uint64_t seed, unsigned rate, unsigned n,
                        unsigned drawn)
{
    const double share = 1.0 / rate, wanted = n * share, off = fabs((double)drawn - wanted);
    CHECK(check, off * off <= 48 * (wanted * (1 - share) + off / 3),
          "seed %" PRIu64 ", one in %u: %u groups of %u", seed, rate, drawn, n);
}

// Seeds in a row, from a multiple of their number on, draw every group, and each seed its
// share.
static void draws(struct check *check, const struct names *list, unsigned sample)
{
    const uint64_t seeds = sample <= FEW ? FEW_SEEDS : SEEDS,
                   first = check_random(check) / seeds / 2 * seeds;
    bool *had = calloc(list->n, sizeof *had);
    if (!had)
        abort();
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        const struct check_choice choice = { .seed = seed, .sample = sample, .parts = 1 };
        unsigned drawn[CHECK_MOST_SAMPLE + 1] = { 0 }, sampled[CHECK_MOST_SAMPLE + 1] = { 0 };
        for (unsigned i = 0; i < list->n; i++) {
            const unsigned rate = list->at[i].rate < sample ? list->at[i].rate : sample;
            const bool is = check_is_chosen(&choice, list->at[i].name);
            had[i] |= is;
            sampled[rate]++;
            drawn[rate] += is;
        }
        for (unsigned rate = 1; rate <= sample; rate++)
            judge_share(check, seed, rate, sampled[rate], drawn[rate]);
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

// A pattern of `often` that matches nothing names a group that was renamed.
static void patterns(struct check *check, const struct names *list)
{
    for (unsigned p = 0; p < sizeof often / sizeof *often; p++) {
        bool matches = false;
        for (unsigned i = 0; i < list->n && !matches; i++)
            matches = fnmatch(often[p].pattern, list->at[i].name, 0) == 0;
        check->cases++;
        CHECK(check, matches, "no group is named %s", often[p].pattern);
    }
}

// Errors always run, and whatever is not in the list is sampled.
static void rates(struct check *check)
{
    check->cases++;
    CHECK(check,
          rate_of("classify/errors/order", 64) == 1 &&
              rate_of("reduce/sum/f32/baseline", 64) == 64 &&
              rate_of("reduce/driver/again/baseline", 64) == 16 &&
              rate_of("reduce/driver/again/baseline", 3) == 3,
          "the rates are wrong");
}

void check_choice_run(struct check *check)
{
    if (!check_begin(check, "reference/sampler"))
        return;
    static const unsigned samples[] = { 1, 3, FEW, CHECK_MOST_SAMPLE };
    struct names list = { 0 };
    check_all_names(take, &list);
    CHECK(check, list.n >= LEAST_GROUPS, "%u groups are listed", list.n);
    for (unsigned i = 0; i < sizeof samples / sizeof *samples; i++)
        draws(check, &list, samples[i]);
    for (unsigned n_parts = 1; n_parts < 9; n_parts++)
        parts(check, &list, n_parts);
    filters(check, &list);
    patterns(check, &list);
    rates(check);
    free(list.at);
    check_end(check);
}
