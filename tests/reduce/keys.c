/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of reduce, ninth part: the keys of programs, those of the other primitives too. One for
 * each program, also of operations and types that there are not yet. */
#include "case.h"

#include <stdlib.h>
#include <string.h>

#include "src/classify/classify.h"
#include "src/convolve1d/convolve1d.h"
#include "src/reduce/reduce.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { CODES = 32, KEYS = 600000 }; // CODES: as many operations and types

struct keys {
    struct gp_key *all;
    size_t n;
};

static void add_key(struct check *check, struct keys *keys, struct gp_key key)
{
    check->cases++;
    if (keys->n < KEYS)
        keys->all[keys->n++] = key;
}

static int compare_keys(const void *a, const void *b)
{
    const struct gp_key *x = a, *y = b;
    if (x->variant != y->variant)
        return (uintptr_t)x->variant < (uintptr_t)y->variant ? -1 : 1;
    const uint32_t p[] = { x->type,    x->with[0], x->with[1],    x->with[2],
                           x->with[3], x->shape,   x->work_group, x->exact };
    const uint32_t q[] = { y->type,    y->with[0], y->with[1],    y->with[2],
                           y->with[3], y->shape,   y->work_group, y->exact };
    for (size_t i = 0; i < COUNT(p); i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

// What can be large: a whole row of values where one differs from the next in a single bit.
static const unsigned large[] = { 0, 1, 1 << 15, 1 << 20, 1u << 31 };

static void reduce_keys(struct check *check, struct keys *keys)
{
    static const enum gpuprim_type sums[] = { 0,           GPUPRIM_I64, GPUPRIM_U64,
                                              GPUPRIM_F32, GPUPRIM_F64, 16,
                                              31 };
    for (unsigned v = 0; v < REDUCE_VARIANTS; v++)
        for (int op = 0; op < CODES; op++)
            for (int type = 0; type < CODES; type++)
                for (unsigned s = 0; s < COUNT(sums); s++)
                    for (unsigned flags = 0; flags < 4; flags++) {
                        const struct reduction r = { .op = (enum gpuprim_op)op,
                                                     .in.type = (enum gpuprim_type)type,
                                                     .sum = sums[s],
                                                     .skip_nan = flags & 1 };
                        const struct special special = { .work_group = 256 };
                        add_key(check, keys,
                                gp_reduce_key(&r, gp_reduce_variants[v], &special, flags >> 1));
                    }
    const struct reduction r = { .op = GPUPRIM_SUM };
    for (unsigned i = 0; i < COUNT(large); i++)
        for (unsigned k = 0; k < COUNT(large); k++) {
            const struct special special = { .work_group = large[i], .number = large[k] };
            add_key(check, keys, gp_reduce_key(&r, gp_reduce_variants[0], &special, false));
        }
}

static void convolve_keys(struct check *check, struct keys *keys)
{
    for (unsigned v = 0; v < 2; v++)
        for (int in = 0; in < CODES; in++)
            for (int taps = 0; taps < 16; taps++)
                for (int out = 0; out < CODES; out++)
                    for (unsigned flags = 0; flags < 8; flags++) {
                        const struct gpuprim_filter f = { .in = (enum gpuprim_type)in,
                                                          .taps_type = (enum gpuprim_type)taps,
                                                          .out = (enum gpuprim_type)out,
                                                          .sum_bits = flags & 1 ? 31 : 32 };
                        const struct convolve_special special = { .work_group = 64 };
                        add_key(check, keys,
                                gp_convolve_key(&f, gp_convolve_variants[v], &special,
                                                flags & 2 ? 16 : 1, flags >> 2));
                    }
}

static void classify_keys(struct check *check, struct keys *keys)
{
    for (unsigned v = 0; v < CLASSIFY_VARIANTS; v++)
        for (int in = 0; in < CODES; in++)
            for (int form = 0; form < 8; form++)
                for (int labels = 0; labels < CODES; labels++)
                    for (unsigned flags = 0; flags < 4; flags++) {
                        const struct gpuprim_classifier f = { .in = (enum gpuprim_type)in,
                                                              .form =
                                                                  (enum classify_form)form };
                        const struct classification c = { .classifier = &f,
                                                          .has_labels = labels > 0,
                                                          .has_counts = flags & 1,
                                                          .labels.type =
                                                              (enum gpuprim_type)labels };
                        const struct classify_special special = { .work_group = 64 };
                        add_key(
                            check, keys,
                            gp_classify_key(&c, gp_classify_variants[v], &special, flags >> 1));
                    }
}

static void keys(struct check *check)
{
    struct keys k = { .all = check_allocate(KEYS * sizeof *k.all) };
    reduce_keys(check, &k);
    convolve_keys(check, &k);
    classify_keys(check, &k);
    CHECK(check, k.n == check->cases, "room for %d keys, not for all %llu", KEYS,
          (unsigned long long)check->cases);
    qsort(k.all, k.n, sizeof *k.all, compare_keys);
    for (size_t i = 1; i < k.n; i++)
        if (!CHECK(check, compare_keys(&k.all[i - 1], &k.all[i]) != 0,
                   "two programs of %s have one key: type %u, with %u %u %u %u, shape %u",
                   k.all[i].variant->name, (unsigned)k.all[i].type, (unsigned)k.all[i].with[0],
                   (unsigned)k.all[i].with[1], (unsigned)k.all[i].with[2],
                   (unsigned)k.all[i].with[3], (unsigned)k.all[i].shape))
            break;
    free(k.all);
}

// Of keys that differ in one member, each finds its own program.
static void found(struct check *check)
{
    gpuprim *gp = check_context(check, NULL, 0);
    enum { ONES = 9 };
    struct gp_program programs[ONES + 1] = { { .key.type = 0 } };
    uint32_t *members[ONES];
    for (unsigned i = 1; i <= ONES; i++) {
        struct gp_key *key = &programs[i].key;
        members[0] = &key->type, members[1] = &key->shape, members[2] = &key->work_group;
        for (unsigned w = 0; w < 4; w++)
            members[3 + w] = &key->with[w];
        if (i <= 7)
            *members[i - 1] = 1u << 31;
        key->exact = i == 8;
        key->variant = i == 9 ? gp_reduce_variants[0] : NULL;
    }
    for (unsigned b = 0; gp && b < GP_BUCKETS; b++) // all in each bucket
        gp->programs[b] = programs;
    for (unsigned i = 0; i < ONES; i++)
        programs[i].next = &programs[i + 1];
    for (unsigned i = 0; gp && i <= ONES; i++) {
        const struct gp_key key = programs[i].key;
        check->cases++;
        CHECK(check, gp_program_find(gp, &key) == &programs[i],
              "key %u finds another's program, or none", i);
    }
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
