/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: cases that no hash table takes, because their values collide by the numbers of
 * all turns, or their masks are many. forms.c runs this file. */
#include "corners.h"

#include <stdlib.h>

#include "src/classify/cases.h"
#include "tests/harness/model.h"

enum { TURNS = 40, MANY = 340 };

static uint32_t place(uint32_t value, uint32_t turn, uint32_t places)
{
    return (uint32_t)((uint64_t)(value * (uint32_t)gp_hash_odd(turn)) * places >> 32);
}

// Three values within a mask for each turn that have one place in its first table and one in its
// second one.
static uint32_t collide(struct check *check, uint32_t mask, uint32_t places, uint32_t *values)
{
    uint32_t n = 0;
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        const uint32_t its = turn < 32 ? places : 2 * places;
        const uint32_t first = (uint32_t)check_random(check) & mask;
        values[n++] = first;
        uint32_t v = first;
        for (int found = 0; found < 2;) {
            v = ((v | ~mask) + 1) & mask; // the next larger one
            if (place(v, 2 * turn, its) == place(first, 2 * turn, its) &&
                place(v, 2 * turn + 1, its) == place(first, 2 * turn + 1, its)) {
                values[n++] = v;
                found++;
            }
        }
    }
    return n;
}

// No hash table is found for the cases, and the next cheapest way is taken.
static void collide_under(struct check *check, gpuprim *gp, uint32_t mask, const char *way)
{
    static struct gpuprim_case list[MANY];
    static uint32_t values[MANY], expected[2 * MANY], x[2 * MANY];
    const char *const words[] = { way, "!hash", NULL };
    const struct gpuprim_cases rule = { .list = list, .count = MANY, .otherwise = 300 };
    const struct gpuprim_classifier_params params = { .cases = &rule, .in = GPUPRIM_U32 };
    const uint32_t places = gp->caps.is_cpu ? 512 : MANY + MANY / 16 + 8;
    uint32_t n = collide(check, mask, places, values);
    while (n < MANY)
        values[n++] = (uint32_t)check_random(check) & mask;
    for (uint32_t k = 0; k < MANY; k++)
        list[k] = (struct gpuprim_case){ mask, values[k], k % 250 };
    for (uint32_t i = 0; i < 2 * MANY; i++) {
        x[i] = i % 2 ? values[i / 2] | ~mask : (uint32_t)check_random(check);
        expected[i] = 300;
        for (uint32_t k = MANY; k-- > 0;)
            expected[i] = (x[i] & mask) == values[k] ? k % 250 : expected[i];
    }
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_U32, x, 2 * MANY);
    classify_tells(check, gp, &params, words);
    classify_expect(check, gp, &params, &in, expected);
}

static void collisions(struct check *check, gpuprim *gp)
{
    const char *rest = gp->caps.is_cpu ? "a chain of 3" : "lists of 3";
    collide_under(check, gp, UINT32_MAX, "a search among");
    collide_under(check, gp, 0xfff7ffff, rest);
    gpuprim *gpu = check_context_on(check, &model_gpu, "classify:gpu_words", 0);
    if (gpu)
        collide_under(check, gpu, 0xfff7ffff, "lists of 3");
    gpuprim_destroy(&gpu);
}

// Labels of elements that meet cases against a walk through the list.
static void walk(struct check *check, gpuprim *gp, const struct gpuprim_cases *rule)
{
    enum { ELEMENTS = 300 };
    uint32_t x[ELEMENTS], expected[ELEMENTS];
    const struct gpuprim_classifier_params params = { .cases = rule, .in = GPUPRIM_U32 };
    for (unsigned i = 0; i < ELEMENTS; i++) {
        const struct gpuprim_case *near = &rule->list[check_below(check, rule->count)];
        x[i] = (uint32_t)(near->value | (check_random(check) & ~near->mask));
        uint32_t k = 0;
        while (k < rule->count && (x[i] & rule->list[k].mask) != rule->list[k].value)
            k++;
        expected[i] = k < rule->count ? rule->list[k].label : rule->otherwise;
    }
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_U32, x, ELEMENTS);
    classify_expect(check, gp, &params, &in, expected);
}

// Hash tables of so many masks would take too much memory.
static void many_masks_of_many(struct check *check, gpuprim *gp)
{
    enum { CASES = 65536, MASKS = 200 };
    struct gpuprim_case *list = check_allocate(CASES * sizeof *list);
    const char *const words[] = { gp->caps.is_cpu ? "a chain of " : "bit vectors of ", "!hash",
                                  NULL };
    const struct gpuprim_cases rule = { .list = list, .count = CASES };
    const struct gpuprim_classifier_params params = { .cases = &rule, .in = GPUPRIM_U32 };
    for (uint32_t k = 0; k < CASES; k++) {
        const uint32_t mask = ~(k % MASKS << 3);
        list[k] = (struct gpuprim_case){ mask, (uint32_t)check_random(check) & mask, k };
    }
    classify_tells(check, gp, &params, words);
    walk(check, gp, &rule);
    free(list);
}

// So many pairs of masks that not all are compared (src/classify/case_groups.c). A case in the
// middle takes whatever comes there.
static void masks_of_bits(struct check *check, gpuprim *gp)
{
    enum { BITS = 15, HALF = 1 << BITS };
    struct gpuprim_case *list = check_allocate(2 * HALF * sizeof *list);
    const struct gpuprim_cases rule = { .list = list, .count = 2 * HALF };
    for (uint32_t k = 0; k < HALF; k++) {
        const uint32_t mask = (HALF - 1) | k << BITS;
        list[k] = (struct gpuprim_case){ k + 1, k + 1, k };
        list[HALF + k] = (struct gpuprim_case){ mask, k << BITS, HALF + k };
    }
    list[HALF - 1] = (struct gpuprim_case){ .label = HALF - 1 };
    walk(check, gp, &rule);
    free(list);
}

void classify_unhashed_run(struct check *check)
{
    classify_each_variant(check, "collisions", collisions);
    classify_each_variant(check, "many_masks", many_masks_of_many);
    classify_each_variant(check, "masks_of_bits", masks_of_bits);
}
