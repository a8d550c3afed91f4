/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of the keys of programs, of all primitives: calls for different programs have different
 * keys, also with operations and types that may be added later. suite.c runs this file. */
#include "case.h"

#include <stdlib.h>
#include <string.h>

#include "src/classify/classify.h"
#include "src/convolve1d/convolve1d.h"
#include "src/reduce/reduce.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { CODES = 32, KEYS = 100000 }; // CODES: as many operations and types

struct keys {
    struct gp_key *all;
    size_t n;
};

// The key of a call by the primitive's baseline.
static void add_key(struct check *check, struct keys *keys, const gpuprim *gp,
                    const struct gp_primitive *primitive, const void *call)
{
    struct gp_key *key = &keys->all[keys->n];
    check->cases++;
    if (keys->n == KEYS)
        return;
    memset(key, 0, sizeof *key);
    key->variant = primitive->variants[primitive->n_variants - 1];
    primitive->specialise(gp, call, key->variant, key);
    keys->n++;
}

static int compare_keys(const void *a, const void *b)
{
    const struct gp_key *x = a, *y = b;
    if (x->variant != y->variant)
        return (uintptr_t)x->variant < (uintptr_t)y->variant ? -1 : 1;
    for (unsigned i = 0; i < x->n; i++)
        if (x->macros[i].value != y->macros[i].value)
            return x->macros[i].value < y->macros[i].value ? -1 : 1;
    return 0;
}

static void reduce_keys(struct check *check, struct keys *keys, const gpuprim *gp)
{
    static const enum gpuprim_type sums[] = { 0,           GPUPRIM_I64, GPUPRIM_U64,
                                              GPUPRIM_F32, GPUPRIM_F64, 16,
                                              31 };
    for (int op = 0; op < CODES; op++)
        for (int type = 0; type < CODES; type++)
            for (unsigned s = 0; s < COUNT(sums); s++)
                for (unsigned skip = 0; skip < 2; skip++) {
                    const struct reduction r = { .op = (enum gpuprim_op)op,
                                                 .in.type = (enum gpuprim_type)type,
                                                 .sum = sums[s],
                                                 .skip_nan = skip };
                    add_key(check, keys, gp, &gp_primitive_reduce, &r);
                }
}

static void convolve_keys(struct check *check, struct keys *keys, const gpuprim *gp)
{
    for (int in = 0; in < CODES; in++)
        for (int taps = 0; taps < 16; taps++)
            for (int out = 0; out < CODES; out++)
                for (unsigned is_sum32 = 0; is_sum32 < 2; is_sum32++) {
                    const struct gpuprim_filter f = { .in = (enum gpuprim_type)in,
                                                      .taps_type = (enum gpuprim_type)taps,
                                                      .out = (enum gpuprim_type)out,
                                                      .sum_bits = is_sum32 ? 31 : 32 };
                    const struct convolution c = { .filter = &f };
                    add_key(check, keys, gp, &gp_primitive_convolve1d, &c);
                }
}

static void classify_keys(struct check *check, struct keys *keys, const gpuprim *gp)
{
    for (int in = 0; in < CODES; in++)
        for (unsigned method = 0; method < 8; method++)
            for (int labels = 0; labels < CODES; labels++)
                for (unsigned has_counts = 0; has_counts < 2; has_counts++) {
                    const struct gpuprim_classifier f = { .in = (enum gpuprim_type)in,
                                                          .method = method };
                    struct classify_choice choice = { .zeroes = false };
                    const struct classification c = { .classifier = &f,
                                                      .choice = &choice,
                                                      .has_labels = labels > 0,
                                                      .has_counts = has_counts,
                                                      .labels.type =
                                                          (enum gpuprim_type)labels };
                    add_key(check, keys, gp, &gp_primitive_classify, &c);
                }
}

static void keys(struct check *check)
{
    gpuprim *gp = check_context(check, NULL, 0);
    struct keys k = { .all = check_allocate(KEYS * sizeof *k.all) };
    if (gp) {
        reduce_keys(check, &k, gp);
        convolve_keys(check, &k, gp);
        classify_keys(check, &k, gp);
    }
    CHECK(check, k.n == check->cases, "room for %d keys, not for all %llu", KEYS,
          (unsigned long long)check->cases);
    qsort(k.all, k.n, sizeof *k.all, compare_keys);
    for (size_t i = 1; i < k.n; i++)
        if (!CHECK(check, compare_keys(&k.all[i - 1], &k.all[i]) != 0,
                   "two programs of %s have one key: %s %u, %s %u, %s %u, %s %u",
                   k.all[i].variant->name, k.all[i].macros[0].name, k.all[i].macros[0].value,
                   k.all[i].macros[1].name, k.all[i].macros[1].value, k.all[i].macros[2].name,
                   k.all[i].macros[2].value, k.all[i].macros[3].name, k.all[i].macros[3].value))
            break;
    free(k.all);
    gpuprim_destroy(&gp);
}

// Keys that differ in one member find different programs.
static void found(struct check *check)
{
    gpuprim *gp = check_context(check, NULL, 0);
    enum { OTHERS = GP_MAX_MACROS + 5 };
    struct gp_program programs[OTHERS + 1] = { { .next = NULL } };
    for (unsigned i = 0; i <= OTHERS; i++) {
        struct gp_key *key = &programs[i].key;
        for (unsigned k = 0; k < GP_MAX_MACROS; k++)
            gp_define(key, "A", 1);
        if (i < GP_MAX_MACROS)
            key->macros[i].value = 1u << 31 | 1;
        key->macros[7].name = i == GP_MAX_MACROS ? "B" : "A";
        key->n -= i == GP_MAX_MACROS + 1;
        key->exact = i == GP_MAX_MACROS + 2;
        key->work_group = i == GP_MAX_MACROS + 3;
        key->variant = i == GP_MAX_MACROS + 4 ? gp_primitive_reduce.variants[0] : NULL;
    }
    for (unsigned b = 0; gp && b < GP_BUCKETS; b++) // all in each bucket
        gp->programs[b] = programs;
    for (unsigned i = 0; i < OTHERS; i++)
        programs[i].next = &programs[i + 1];
    for (unsigned i = 0; gp && i <= OTHERS; i++) {
        const struct gp_key key = programs[i].key;
        check->cases++;
        CHECK(check, gp_program_find(gp, &key) == &programs[i],
              "key %u finds another's program, or none", i);
    }
    // A macro beyond the list is refused instead of being lost.
    struct gp_key key = programs[OTHERS].key;
    struct gp_program *program;
    gp_define(&key, "A", 1);
    CHECK(check, !gp || !gp_program_find(gp, &key), "a key with too many macros is found");
    key.variant = gp_primitive_reduce.variants[0];
    CHECK(check,
          !gp || gp_program_build(gp, &gp_primitive_reduce, &key, &program) == GPUPRIM_E_BUILD,
          "a key with too many macros is built");
    if (gp)
        memset(gp->programs, 0, sizeof gp->programs);
    gpuprim_destroy(&gp);
}

void reduce_keys_run(struct check *check)
{
    if (check_begin(check, "reduce/corners/keys")) {
        keys(check);
        check_end(check);
    }
    if (check_begin(check, "reduce/corners/found")) {
        found(check);
        check_end(check);
    }
}
