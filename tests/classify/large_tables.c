/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: large tables, with labels of one, two and four bytes, whole and in part in
 * local memory. All ones are a label, or say that there is none. Where most entries are alike,
 * tables have a sieve. forms.c runs this file. */
#include "rank.h"

#include <stdio.h>

#include "tests/harness/model.h"

enum { ENTRIES = 65536 };

// Of `each` entries one is another than the usual one. 1: none is usual.
static void one_table(struct check *check, gpuprim *gp, enum gpuprim_type type, uint64_t limit,
                      bool rejects, unsigned each)
{
    const uint64_t usual = rejects ? GPUPRIM_REJECT : check_below(check, limit);
    struct classify_case test = { .type = type, .rows = 1 };
    struct gpuprim_table *rule = check_allocate(sizeof *rule);
    *rule = (struct gpuprim_table){ .labels = classify_packed(GPUPRIM_U32, ENTRIES, 1) };
    rule->shift = gp_type_size(type) > 2 ? 5 : 0;
    for (uint64_t i = 0; i < ENTRIES; i++) {
        const bool has_none = rejects && check_once_in(check, 8),
                   is_usual = each > 1 && !check_once_in(check, each);
        rank_write(&rule->labels, 0, i,
                   is_usual   ? usual
                   : has_none ? GPUPRIM_REJECT
                              : check_below(check, limit));
    }
    rank_write(&rule->labels, 0, check_below(check, ENTRIES), limit - 1);
    test.params = (struct gpuprim_classifier_params){ .table = rule, .in = type };
    test.count = 5000 + check_below(check, 1000);
    classify_run_limit(check, gp, &test, limit);
}

static void large_tables(struct check *check, gpuprim *gp, enum gpuprim_type type)
{
    for (unsigned each = 1; each < 30; each += 7) {
        one_table(check, gp, type, 255, true, each);
        one_table(check, gp, type, 256, false, each);
        one_table(check, gp, type, 256, true, each);
        one_table(check, gp, type, 70000, false, each);
    }
}

static void large_tables_run(struct check *check, const char *variant, enum gpuprim_type type,
                             cl_ulong local_bytes)
{
    if (!check_begin(check, "classify/forms/table_%llu/%s/%s", (unsigned long long)local_bytes,
                     gp_type_name(type), variant))
        return;
    struct device_model model = model_gpu;
    model.local_is_less = true;
    model.local_bytes = local_bytes;
    char forced[64];
    snprintf(forced, sizeof forced, "classify:%s", variant);
    gpuprim *gp = check_context_on(check, &model, forced, 0);
    if (gp)
        large_tables(check, gp, type);
    gpuprim_destroy(&gp);
    check_end(check);
}

void classify_large_tables_run(struct check *check)
{
    for (unsigned t = 0; t < 3; t++) { // whole, in part or the sieve, and neither
        static const enum gpuprim_type of[] = { GPUPRIM_I16, GPUPRIM_U16, GPUPRIM_U32 };
        large_tables_run(check, "gpu_words", of[t], 400000);
        large_tables_run(check, "gpu_words", of[t], 70000);
        large_tables_run(check, "gpu_words", of[t], 20000);
        large_tables_run(check, "gpu_words", of[t], 9000);
        large_tables_run(check, "baseline", of[t], 9000);
    }
}
