/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: the edges of UNIFORM. They are those of the formula in gpuprim.h, and
 * THRESHOLDS on the edges that are read back gives each value the same label.
 * suite.c runs this file. */
#include "rank.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/classify/classify.h"

static const struct {
    enum gpuprim_type type;
    double low, high;
    uint32_t bins;
} ranges[] = {
    { GPUPRIM_F32, 1e6, 1e6 + 1, 4096 }, // edges coincide
    { GPUPRIM_F32, 1e6, 1e6 + 1, 16 },
    { GPUPRIM_F32, -3e38, 3e38, 1000 },
    { GPUPRIM_F32, 0, 1, 1 },
    { GPUPRIM_F32, 0.1, 0.7, 6 },
    { GPUPRIM_F32, -0.3, 0.7, 4095 },
    { GPUPRIM_F32, 0, 1, 65534 },              // as many edges as there may be thresholds
    { GPUPRIM_F32, 0x1p-149, 0x65p-149, 100 }, // denormals, each an edge
    { GPUPRIM_F32, 0, 1e-40, 100 },
    { GPUPRIM_F32, 0, 0x1p-148, 3 }, // there are no three
    { GPUPRIM_F32, 0, 1e39, 10 },    // beyond the type
    { GPUPRIM_F16, 0, 65520, 10 },
    { GPUPRIM_U8, 0, 257, 257 },
    { GPUPRIM_U8, 0, 256, 257 },
    { GPUPRIM_U8, 0, 256, 256 }, // high may be one beyond the largest value
    { GPUPRIM_U8, 3, 256, 11 },
    { GPUPRIM_I8, -128, 128, 64 },
    { GPUPRIM_U16, 0, 65536, 4096 },
    { GPUPRIM_I16, -32768, 32768, 7 },
    { GPUPRIM_U32, 0, 4294967296.0, 1000 },
    { GPUPRIM_I32, 0, 2147483648.0, 256 },
    { GPUPRIM_I64, -0x1p63, 0x1p63, 1024 },
    { GPUPRIM_U64, 0, 0x1p64, 65534 },
    { GPUPRIM_I32, -3e9, 0, 10 },
    { GPUPRIM_F64, -1.7e308, 1.7e308, 1000 },
    { GPUPRIM_F64, 0, 0x1p-1074, 1 },
    { GPUPRIM_F64, 0, 0x1p-1074, 2 },
    { GPUPRIM_F64, 0.1, 0.3, 777 },
    { GPUPRIM_F16, 0, 2048, 2048 },
    { GPUPRIM_F16, 0, 4096, 4096 },
    { GPUPRIM_F16, -65504, 65504, 64 },
    { GPUPRIM_F16, 0.1, 0.9, 33 },
    { GPUPRIM_I8, -100, 100, 200 },
    { GPUPRIM_I8, -100, 100, 201 },
    { GPUPRIM_I8, -128, 127, 255 },
    { GPUPRIM_U8, 0, 255, 255 },
    { GPUPRIM_U8, 0.5, 10.5, 10 },
    { GPUPRIM_I16, -32768, 32767, 65535 },
    { GPUPRIM_U16, 0, 65535, 1000 },
    { GPUPRIM_I32, -2147483648.0, 2147483647, 4097 },
    { GPUPRIM_U32, 0, 4294967295.0, 256 },
    { GPUPRIM_I64, -9e18, 9e18, 1001 },
    { GPUPRIM_U64, 0, 1.8e19, 999 },
};
enum { RANGES = sizeof ranges / sizeof *ranges, N = 4001 };

// A classifier by THRESHOLDS that gives the labels of UNIFORM: its thresholds are the edges,
// and a map makes the labels.
static int make_twin(gpuprim *gp, const struct gpuprim_uniform *uniform,
                     const struct gpuprim_array *edges, gpuprim_classifier **out)
{
    const uint32_t bins = uniform->bins;
    uint32_t *map = check_allocate((bins + 2) * sizeof *map);
    const struct gpuprim_thresholds rule = { .values = *edges };
    const struct gpuprim_classifier_params params = {
        .thresholds = &rule,
        .map = gpuprim_host(GPUPRIM_U32, map, bins + 2),
        .nan = GPUPRIM_NAN_CLASS, // class 0 of UNIFORM
        .nan_class = uniform->outside == GPUPRIM_OUTSIDE_REJECTED ? 1 : 0,
    };
    const bool classes = uniform->outside == GPUPRIM_OUTSIDE_CLASSES;
    for (uint32_t c = 0; c < bins + 2; c++)
        map[c] = classes ? c : c - 1;
    if (uniform->outside == GPUPRIM_OUTSIDE_CLAMP) {
        map[0] = 0;
        map[bins + 1] = bins - 1;
    } else if (uniform->outside == GPUPRIM_OUTSIDE_REJECTED)
        map[0] = map[bins + 1] = GPUPRIM_REJECT;
    const enum gpuprim_type type = edges->type;
    if (!rank_is_float(type) &&
        uniform->high == ldexp(1, (int)rank_bits(type) - rank_is_signed(type)))
        map[bins + 1] = map[bins]; // nothing is beyond what the last edge stands for
    const int status = gpuprim_classifier_create(gp, &params, out);
    free(map);
    return status;
}

// Both classifiers give the same labels. Most of the values are edges or next to one.
static void compare(struct check *check, gpuprim *gp, const struct classify_case *test,
                    const gpuprim_classifier *uniform, const gpuprim_classifier *twin)
{
    static uint32_t labels[2][N];
    const struct gpuprim_array x = classify_packed(test->type, N, 1);
    classify_fill(check, test, &x);
    for (int i = 0; i < 2; i++) {
        const struct gpuprim_array out = gpuprim_host(GPUPRIM_U32, labels[i], N);
        const int status = gpuprim_classify(gp, i ? twin : uniform, &x, &out, NULL, NULL);
        CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error());
    }
    for (int i = 0; i < N; i++)
        if (!CHECK(
                check, labels[0][i] == labels[1][i],
                "[%a, %a] in %u bins, outside %d, top %u: bits %llx have label %ld, but %ld by "
                "thresholds",
                test->params.uniform->low, test->params.uniform->high,
                test->params.uniform->bins, test->params.uniform->outside,
                test->params.uniform->top_inclusive,
                (unsigned long long)rank_read(&x, 0, (uint64_t)i), (long)(int32_t)labels[0][i],
                (long)(int32_t)labels[1][i]))
            break;
    free(x.base);
}

static void read_edges(struct check *check, const struct gpuprim_classifier_params *params,
                       const gpuprim_classifier *classifier, struct gpuprim_array *edges)
{
    const struct gpuprim_array right = classify_packed(params->in, edges->count, 1);
    const int status = gpuprim_classifier_edges(classifier, edges);
    CHECK(check, status == GPUPRIM_OK, "edges: %s", gpuprim_last_error());
    CHECK(check,
          classify_reference_edges(params->uniform, &right) &&
              memcmp(right.base, edges->base, edges->count * gp_type_size(params->in)) == 0,
          "%s [%a, %a] in %u bins: the edges are others than the formula's",
          gp_type_name(params->in), params->uniform->low, params->uniform->high,
          params->uniform->bins);
    free(right.base);
}

// Whether the device takes the edges for zero.
static bool is_lost(struct check *check, unsigned which)
{
    if (classify_has_denormals() || ranges[which].type != GPUPRIM_F32 ||
        ranges[which].high >= 0x1p-126)
        return false;
    printf("# %s: up to %a left out: the device has no denormals\n", check->name,
           ranges[which].high);
    return true;
}

static void one_range(struct check *check, gpuprim *gp, unsigned which, int outside, int top)
{
    struct classify_case test = { .type = ranges[which].type, .data = FILL_AROUND };
    const struct gpuprim_uniform rule = {
        .low = ranges[which].low,
        .high = ranges[which].high,
        .bins = ranges[which].bins,
        .outside = (enum gpuprim_outside)outside,
        .top_inclusive = (unsigned)top,
    };
    test.params = (struct gpuprim_classifier_params){ .uniform = &rule,
                                                      .in = ranges[which].type,
                                                      .nan = GPUPRIM_NAN_CLASS };
    gpuprim_classifier *const untouched = (gpuprim_classifier *)(void *)&test;
    gpuprim_classifier *made = untouched, *twin = NULL;
    struct gpuprim_array edges = classify_packed(test.type, (uint64_t)rule.bins + 1, 1);
    const bool good = classify_reference_edges(&rule, &edges);
    check->cases++;
    int status = gpuprim_classifier_create(gp, &test.params, &made);
    CHECK(check, (made == untouched) == (status != GPUPRIM_OK), "*out after status %d", status);
    if (!good)
        CHECK(check, status == GPUPRIM_E_ARG, "%s [%a, %a] in %u bins: status %d",
              gp_type_name(test.type), rule.low, rule.high, rule.bins, status);
    else if (CHECK(check, status == GPUPRIM_OK, "%s [%a, %a] in %u bins: %s",
                   gp_type_name(test.type), rule.low, rule.high, rule.bins,
                   gpuprim_last_error())) {
        read_edges(check, &test.params, made, &edges);
        // high itself is within: as if the last edge were the next value, where there is one.
        const uint64_t last = rank_of(test.type, rank_read(&edges, 0, rule.bins));
        const uint64_t next = rank_step(test.type, last, top);
        rank_write(&edges, 0, rule.bins, rank_to_bits(test.type, next));
        status = make_twin(gp, &rule, &edges, &twin);
        CHECK(check, status == GPUPRIM_OK, "its twin: %s", gpuprim_last_error());
        if (!status && (!top || next != last))
            compare(check, gp, &test, made, twin);
    }
    if (made != untouched)
        gpuprim_classifier_destroy(&made);
    gpuprim_classifier_destroy(&twin);
    free(edges.base);
}

void classify_edges_run(struct check *check)
{
    for (unsigned t = 0; t < CLASSIFY_TYPES; t++)
        for (int outside = 0; outside < 3; outside++) {
            if (!check_begin(check, "classify/edges/%s/%d", gp_type_name(classify_types[t]),
                             outside))
                continue;
            gpuprim *gp = check_context(check, NULL, 0);
            const bool lacks = classify_types[t] == GPUPRIM_F64 && gp && !gp->caps.has_fp64;
            for (unsigned i = 0; gp && !lacks && i < RANGES; i++)
                for (int top = 0; top < 2 && ranges[i].type == classify_types[t]; top++)
                    if (!is_lost(check, i))
                        one_range(check, gp, i, outside, top);
            gpuprim_destroy(&gp);
            if (lacks)
                check_skip(check, "no double precision");
            else
                check_end(check);
        }
}
