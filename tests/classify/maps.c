/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: maps with labels that entries of one, two and four bytes hold just, or just
 * do not, with and without elements that have no label. suite.c runs this file. */
#include "rank.h"

#include <stdio.h>

#include "tests/harness/model.h"

// Labels are below `limit`, and the largest is there.
static void one_map(struct check *check, gpuprim *gp, enum gpuprim_type type, uint64_t limit,
                    bool rejects)
{
    struct classify_case test = { .type = type, .rows = 1 + check_below(check, 3) };
    const uint64_t keys = 5 + check_below(check, 100), classes = keys + 1;
    const uint64_t key_rows = check_once_in(check, 2) ? test.rows : 1;
    classify_thresholds(check, type, keys, key_rows, SPREAD_EVEN, &test.params);
    const struct gpuprim_array map = classify_packed(GPUPRIM_U32, classes, 1);
    for (uint64_t c = 0; c < classes; c++) {
        const bool has_none = rejects && check_once_in(check, 4);
        rank_write(&map, 0, c, has_none ? GPUPRIM_REJECT : check_below(check, limit));
    }
    rank_write(&map, 0, 0, limit - 1);
    if (rejects)
        rank_write(&map, 0, classes - 1, GPUPRIM_REJECT);
    test.params.map = map;
    test.count = 1000 + check_below(check, 1000);
    classify_run_limit(check, gp, &test, limit);
}

static void maps(struct check *check, gpuprim *gp, enum gpuprim_type type)
{
    static const uint64_t limits[] = { 255, 256, 65535, 65536, 70000 };
    for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++)
        for (int rejects = 0; rejects < 2; rejects++)
            one_map(check, gp, type, limits[i], rejects);
}

void classify_maps_run(struct check *check)
{
    static const enum gpuprim_type types[] = { GPUPRIM_U8, GPUPRIM_I16, GPUPRIM_F32 };
    static const char *const variants[] = { "gpu_words", "gpu_tiles", "baseline" };
    for (unsigned t = 0; t < 3; t++)
        for (unsigned v = 0; v < 3; v++) {
            if (!check_begin(check, "classify/maps/%s/%s", gp_type_name(types[t]), variants[v]))
                continue;
            char forced[64];
            snprintf(forced, sizeof forced, "classify:%s", variants[v]);
            gpuprim *gp = check_context_on(check, &model_gpu, forced, 0);
            if (gp)
                maps(check, gp, types[t]);
            CHECK(check, !gp || check->not_taken < check->cases, "the variant took no case");
            gpuprim_destroy(&gp);
            check_end(check);
        }
}
