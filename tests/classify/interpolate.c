/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: keys at even distances, the search method INTERPOLATE
 * (src/classify/interpolate.c). Each key and its neighbours get the exact label, by THRESHOLDS,
 * UNIFORM and CASES, over many magnitudes, distances and numbers of keys.
 * suite.c runs this file. */
#include "keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = 30, MOST_QUICK = 100 };

// The rule that has the keys.
enum rule { THRESHOLDS, UNIFORM, MASKED, RULES };
static const char *const rule_names[] = { "THRESHOLDS", "UNIFORM", "CASES" };

// How often each rule got INTERPOLATE.
struct computed {
    unsigned times[RULES];
};

// The keys first, first + step, ... rounded to the type, each once.
static struct classify_keys make_keys(enum gpuprim_type type, double first, double step,
                                      uint32_t n)
{
    struct classify_keys keys = {
        type,
        first,
        step,
        0,
        check_allocate(n * sizeof(uint64_t)),
        .are_counted = type == GPUPRIM_F32
    }; // MULTIPLES may find them
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t rank = classify_one_zero(type, rank_of_double(type, first + k * step));
        if (keys.n == 0 || rank > keys.rank[keys.n - 1])
            keys.rank[keys.n++] = rank;
    }
    return keys;
}

// Counts in `computed` whether INTERPOLATE was chosen.
static void label_all(struct check *check, gpuprim *gp, enum rule rule,
                      const struct gpuprim_classifier_params *params,
                      const struct classify_keys *keys, bool closed_left, uint32_t wrap,
                      struct computed *computed)
{
    computed->times[rule] += classify_label_around(check, gp, rule_names[rule], params, keys,
                                                   closed_left, wrap, "even distances");
}

static void as_thresholds(struct check *check, gpuprim *gp, const struct classify_keys *keys,
                          struct computed *computed)
{
    computed->times[THRESHOLDS] +=
        classify_label_thresholds(check, gp, keys, !check_once_in(check, 4), "even distances");
}

// UNIFORM whose edges are the keys; the classes below and above have labels, too.
static void as_uniform(struct check *check, gpuprim *gp, const struct classify_keys *from,
                       struct computed *computed)
{
    struct classify_keys edges = *from;
    const struct gpuprim_uniform uniform = {
        .low = from->first,
        .high = from->first + from->step * (from->n - 1),
        .bins = from->n - 1,
        .outside = GPUPRIM_OUTSIDE_CLASSES,
    };
    const struct gpuprim_classifier_params params = { .uniform = &uniform, .in = from->type };
    gpuprim_classifier *classifier = NULL;
    if (from->n < 2)
        return;
    const int status = gpuprim_classifier_create(gp, &params, &classifier);
    if (status == GPUPRIM_E_ARG)
        return; // edges that coincide, or are beyond the type: classify/edges looks at those
    if (!CHECK(check, status == GPUPRIM_OK, "UNIFORM: %s", gpuprim_last_error()))
        return;
    const struct gpuprim_array read = classify_packed(from->type, from->n, 1);
    CHECK(check, !gpuprim_classifier_edges(classifier, &read), "%s", gpuprim_last_error());
    gpuprim_classifier_destroy(&classifier);
    edges.rank = check_allocate(edges.n * sizeof *edges.rank);
    for (uint32_t k = 0; k < edges.n; k++)
        edges.rank[k] =
            classify_one_zero(edges.type, rank_of(edges.type, rank_read(&read, 0, k)));
    label_all(check, gp, UNIFORM, &params, &edges, true, UINT32_MAX, computed);
    free(edges.rank), free(read.base);
}

// Labels that take a range of values each, side by side: in cases of a half, a quarter ... and
// two parts of it, because cases of fewer masks are not searched. Values outside have label 0.
static void as_cases(struct check *check, gpuprim *gp, enum gpuprim_type type,
                     struct computed *computed)
{
    enum { PIECES = 6, PARTS = 32 };
    static const unsigned starts[PIECES] = { 0, 16, 24, 28, 30, 31 },
                          lengths[PIECES] = { 16, 8, 4, 2, 1, 1 };
    struct gpuprim_case cases[CASES * PIECES];
    const unsigned low_bits = 5 + (unsigned)check_below(check, 10);
    const uint64_t width = UINT64_C(1) << low_bits, part = width / PARTS,
                   most = rank_all_bits(type) - (CASES + 1) * width,
                   first = check_below(check, most) & ~(width - 1);
    struct classify_keys keys = { type, 0, (double)width, CASES + 1, NULL, false };
    keys.rank = check_allocate(keys.n * sizeof *keys.rank);
    for (uint32_t k = 0; k <= CASES; k++) {
        keys.rank[k] = first + k * width;
        for (unsigned i = 0; i < PIECES && k < CASES; i++) {
            const uint64_t from = keys.rank[k] + starts[i] * part;
            cases[k * PIECES + i] = (struct gpuprim_case){
                .mask = rank_all_bits(type) & ~(lengths[i] * part - 1),
                .value = rank_to_bits(type, from),
                .label = k + 1,
            };
        }
    }
    keys.first = (double)first;
    const struct gpuprim_cases rule = { .list = cases, .count = CASES * PIECES };
    const struct gpuprim_classifier_params params = { .cases = &rule, .in = type };
    label_all(check, gp, MASKED, &params, &keys, true, CASES + 1, computed);
    free(keys.rank);
}

// ---------------------------------------------------------------------------------------

static const struct {
    enum gpuprim_type type;
    double first, step;
    uint32_t n;
} known[] = {
    // With gcc 12 -O2 the library once computed another line for these than the device.
    { GPUPRIM_F32, 10000, 100 / 15.0, 16 },
    { GPUPRIM_F32, 100, 1 / 49.0, 50 },
    { GPUPRIM_F32, -0x1p24, 1, 20 },
    { GPUPRIM_I32, 134217744, 16, 24 },
    { GPUPRIM_U32, 2147483664, 256, 100 },
    { GPUPRIM_F64, 0.1, 0.1, 100 },
    { GPUPRIM_F16, 1024, 1, 1000 },
    { GPUPRIM_F32, 0, 0x1p-10, 1024 },
    { GPUPRIM_U64, 0x1p63, 0x1p53, 50 },
    { GPUPRIM_I64, -0x1p63, 0x1p57, 100 },
    { GPUPRIM_F32, 0.1, 0.1, 100 },
    { GPUPRIM_F32, 1 / 65535.0, 1 / 65535.0, 65534 },
    { GPUPRIM_F32, 3e-30, 3e-30, 50 },
    { GPUPRIM_F32, 7e29, 7e29, 60 },
    { GPUPRIM_F32, 1 / 4095.0, 1 / 4095.0, 4094 },
    { GPUPRIM_F32, -1, 2 / 4094.0, 4095 },
    { GPUPRIM_I16, -32768, 16, 4095 },
};

// Keys at even distances, of a random magnitude. Their distances are much less than their
// distance from zero, or more.
static struct classify_keys random_keys(struct check *check, enum gpuprim_type type)
{
    static const uint32_t counts[] = { 5, 8, 16, 17, 31, 50, 100, 255, 256, 777, 1023, 4095 };
    const uint32_t n = counts[check_below(check, check->quick ? 7 : 12)];
    const unsigned bits = rank_bits(type);
    const double chance = 1 + (double)check_below(check, 1 << 20) * 0x1p-20;
    if (rank_is_float(type)) {
        const int magnitude = type == GPUPRIM_F16 ? (int)check_below(check, 12) - 4
                                                  : (int)check_below(check, 60) - 30;
        const double first = ldexp(check_once_in(check, 2) ? chance : 1, magnitude) *
                             (check_once_in(check, 2) ? -1 : 1);
        const double span = ldexp(fabs(first), 3 - (int)check_below(check, bits / 2));
        return make_keys(type, first, span / (n - 1), n);
    }
    const double whole = ldexp(1, (int)bits), low = rank_is_signed(type) ? -whole / 2 : 0;
    const double most = floor(whole / 2 / n);
    const double step = floor(ldexp(most, -(int)check_below(check, bits / 2)));
    const double first = floor(low + (whole - n * (step + 1)) * (chance - 1));
    return make_keys(type, first, step < 1 ? 1 : step, n);
}

static void linspace(struct check *check, gpuprim *gp, enum gpuprim_type type, bool is_for_cpus)
{
    struct computed computed = { { 0 } };
    const bool has_cases = type == GPUPRIM_I32 || type == GPUPRIM_U32;
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].type == type && (!check->quick || known[i].n <= MOST_QUICK)) {
            const struct classify_keys keys =
                make_keys(type, known[i].first, known[i].step, known[i].n);
            as_thresholds(check, gp, &keys, &computed);
            free(keys.rank);
        }
    for (int i = 0; i < (check->quick ? 6 : 40); i++) {
        const struct classify_keys keys = random_keys(check, type);
        as_thresholds(check, gp, &keys, &computed);
        if (check_once_in(check, 2))
            as_uniform(check, gp, &keys, &computed);
        free(keys.rank);
        if (has_cases)
            as_cases(check, gp, type, &computed);
    }
    // Bytes get a table. Integers of 64 bits get other search methods on CPUs, or where there
    // is no double precision, and so do elements of 16 bits on GPUs.
    const unsigned size = gp_type_size(type);
    const bool may = size > (is_for_cpus ? 1 : 2) &&
                     (rank_is_float(type) || size < 8 || (!is_for_cpus && gp->caps.has_fp64));
    for (int rule = 0; may && !check->quick && rule < RULES; rule++)
        CHECK(check, computed.times[rule] || (rule == MASKED && !has_cases),
              "%s never got INTERPOLATE: these keys do not test it", rule_names[rule]);
}

void classify_interpolate_run(struct check *check)
{
    static const char *const variants[] = { "gpu_words", "cpu_blocks" };
    for (unsigned v = 0; v < 2; v++)
        for (unsigned t = 0; t < CLASSIFY_TYPES; t++) {
            const enum gpuprim_type type = classify_types[t];
            if (!check_begin(check, "classify/nearly_even/linspace/%s/%s", gp_type_name(type),
                             variants[v]))
                continue;
            // Small groups: a simulator runs this, too (tests/meson.build).
            gpuprim *gp = check_variant(check, "classify", variants[v], v == 0 ? 64 : 0);
            const bool is_cpu = gp && gp->caps.is_cpu, lacks = gp && !gp->caps.has_fp64;
            if (gp && type == GPUPRIM_F64 && lacks)
                check_skip(check, "no double precision");
            else if (gp && !is_cpu && v == 1)
                check_skip(check, "%s is for CPU devices", variants[v]);
            else {
                if (gp)
                    linspace(check, gp, type, v == 1);
                check_end(check);
            }
            gpuprim_destroy(&gp);
        }
}
