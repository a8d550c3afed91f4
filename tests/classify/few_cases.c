/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: the rule CASES with few cases that look at many bits, which GPUs ask one
 * after another instead of a large table, and what stays a table. suite.c runs this file. */
#include "corners.h"
#include "tests/harness/model.h"

#include <string.h>

enum { MOST = 5, ELEMENTS = 700, WIDE = 0xfff0, NARROW = 0x7ff };

static const enum gpuprim_type types[] = { GPUPRIM_I16, GPUPRIM_U16, GPUPRIM_I32, GPUPRIM_U64 };

// Masks within `bits`, which together have all of them; the last case is one that the first
// covers.
static void draw(struct check *check, uint32_t n, uint64_t bits, struct gpuprim_case *list)
{
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t mask = k == 1 || n == 1 ? bits : bits & (check_random(check) | 0x10);
        list[k] = (struct gpuprim_case){ mask, check_random(check) & mask, 3 * k + 1 };
    }
    if (n > 2) {
        list[n - 1] = list[0];
        list[n - 1].label = 100;
    }
}

static uint32_t label_of(uint64_t x, const struct gpuprim_cases *rule)
{
    for (uint32_t k = 0; k < rule->count; k++)
        if ((x & rule->list[k].mask) == rule->list[k].value)
            return rule->list[k].label;
    return rule->otherwise;
}

static void of_type(struct check *check, gpuprim *gp, enum gpuprim_type type, uint32_t n,
                    uint64_t bits)
{
    struct gpuprim_case list[MOST];
    uint64_t x[ELEMENTS];
    uint32_t expected[ELEMENTS];
    const struct gpuprim_cases rule = { .list = list, .count = n, .otherwise = 7 };
    const struct gpuprim_classifier_params params = { .cases = &rule, .in = type };
    const unsigned size = (unsigned)gp_type_size(type);
    draw(check, n, bits, list);
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        const struct gpuprim_case *near = &list[check_below(check, n)];
        const uint64_t value = near->value | (check_random(check) & ~near->mask);
        memcpy((char *)x + (size_t)i * size, &value, size);
        expected[i] = label_of(value, &rule);
    }
    const struct gpuprim_array in = gpuprim_host(type, x, ELEMENTS);
    classify_expect(check, gp, &params, &in, expected);
}

static void few_cases(struct check *check, gpuprim *gp)
{
    for (unsigned t = 0; t < sizeof types / sizeof *types; t++)
        for (uint32_t n = 1; n <= MOST; n++)
            of_type(check, gp, types[t], n, n % 2 ? WIDE : 0xffff);
}

// Five cases, of which one can never decide, are four.
static void what_it_tells(struct check *check)
{
    struct gpuprim_case list[MOST + 1];
    struct gpuprim_cases rule = { .list = list, .count = MOST };
    const struct gpuprim_classifier_params params = { .cases = &rule, .in = GPUPRIM_U16 };
    if (!check_begin(check, "classify/named/few_cases_tell"))
        return;
    gpuprim *gp = check_context_on(check, &model_gpu, "", 0);
    if (gp) {
        for (uint32_t k = 0; k < MOST; k++)
            list[k] = (struct gpuprim_case){ WIDE, 16 * k, k };
        CLASSIFY_TELLS(&params, "a table of 4096 labels");
        list[MOST - 1] = list[0];
        CLASSIFY_TELLS(&params, "a chain of 4 cases", "1 of the cases can never decide");
        for (uint32_t k = 0; k < MOST; k++)
            list[k] = (struct gpuprim_case){ NARROW, k, k };
        rule.count = 2;
        CLASSIFY_TELLS(&params, "a table of 2048 labels");
    }
    gpuprim_destroy(&gp);
    check_end(check);
}

void classify_few_cases_run(struct check *check)
{
    classify_each_variant(check, "few_cases", few_cases);
    what_it_tells(check);
}
