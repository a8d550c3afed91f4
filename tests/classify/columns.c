/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: columns that have counts or keys of their own, by gpu_tiles, where items keep
 * to their column: they hold a few counts, or a few keys, and count classes where elements have no
 * labels. suite.c runs this file. */
#include "rank.h"

#include "reference/classify/classify.h"
#include "src/classify/arguments.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static enum gpuprim_type draw_type(struct check *check)
{
    return classify_types[check_below(check, CLASSIFY_TYPES - 1)];
}

// Short columns are whole in a tile, so that their group stores their counts.
static struct classify_case draw_case(struct check *check, enum gpuprim_type type)
{
    return (struct classify_case){
        .type = type,
        .rows = 2 + check_below(check, 40),
        .count = 2 + check_below(check, check_once_in(check, 2) ? 40 : 700)
    };
}

// Lays the case out as columns, whose labels lie in columns or in rows, and makes the call. `wanted`:
// 1 labels, 2 counts, 3 both.
static void run_columns(struct check *check, gpuprim *gp, struct classify_case *test,
                        unsigned wanted, bool per_row)
{
    classify_shuffle(check, gp, test);
    test->data = FILL_AROUND;
    const enum gpuprim_type counts = check_once_in(check, 2) ? GPUPRIM_U32 : GPUPRIM_U64;
    test->labels = wanted & 1 ? GPUPRIM_U8 : GPUPRIM_TYPE_INVALID;
    test->counts = wanted & 2 ? counts : GPUPRIM_TYPE_INVALID;
    test->counts_per_row = per_row;
    const int64_t rows = (int64_t)test->rows, gap = (int64_t)check_below(check, 3);
    test->in.stride = check_once_in(check, 4) ? -rows - gap : rows + gap;
    test->in.row_stride = check_once_in(check, 4) ? -1 : 1;
    const bool becomes_row = check_once_in(check, 2);
    test->out.stride = becomes_row ? 1 : rows;
    test->out.row_stride = becomes_row ? (int64_t)test->count : 1;
    classify_run(check, gp, test);
    classify_free(&test->params);
}

// A few counts. Some elements have no label, or the label of others.
static void few_counts(struct check *check, gpuprim *gp)
{
    enum { BINS = 9 };
    for (uint32_t bins = 1; bins <= BINS; bins++) {
        struct classify_case test = draw_case(check, draw_type(check));
        classify_uniform(check, test.type, bins, &test.params);
        classify_nan(check, &test.params);
        if (check_once_in(check, 2))
            classify_map(check, &test.params);
        run_columns(check, gp, &test, check_once_in(check, 2) ? 2 : 3, true);
    }
}

// More labels than classes, so that elements that are only counted are counted by class. Some classes
// have one label.
static void spread_map(struct check *check, struct gpuprim_classifier_params *params)
{
    const uint64_t classes = classify_reference_classes(params), labels = 2 * classes;
    params->map = classify_packed(GPUPRIM_U32, classes, 1);
    for (uint64_t c = 0; c < classes; c++)
        rank_write(&params->map, 0, c, c ? check_below(check, labels) : labels - 1);
}

// Counts alone, of classes that a map gives labels: because keys are equal, or by the caller's map.
static void classes(struct check *check, gpuprim *gp)
{
    static const enum gpuprim_type types[] = { GPUPRIM_F32, GPUPRIM_I32, GPUPRIM_F16 };
    static const enum classify_spread spreads[] = { SPREAD_FEW, SPREAD_LOG, SPREAD_RANDOM };
    for (unsigned i = 0; i < 9; i++) {
        struct classify_case test = draw_case(check, types[i % COUNT(types)]);
        classify_thresholds(check, test.type, 5 + check_below(check, 200), 1, spreads[i / 3],
                            &test.params);
        classify_nan(check, &test.params);
        if (check_once_in(check, 2))
            spread_map(check, &test.params);
        else if (check_once_in(check, 2))
            classify_map(check, &test.params);
        run_columns(check, gp, &test, 2, true);
    }
}

// A few keys, of which some rows may lack the last. Items hold more of 4 bytes than of others.
static void few_keys(struct check *check, gpuprim *gp)
{
    enum { KEYS = 16, OF_OTHERS = 3 };
    for (uint64_t n = 0; n <= KEYS; n++) {
        const enum gpuprim_type word = n % 2 ? GPUPRIM_I32 : GPUPRIM_F32;
        struct classify_case test = draw_case(check, n > OF_OTHERS ? word : draw_type(check));
        classify_thresholds(check, test.type, n, test.rows, SPREAD_RANDOM, &test.params);
        const bool is_right = check_once_in(check, 2);
        classify_close(&test.params, is_right ? GPUPRIM_CLOSED_RIGHT : GPUPRIM_CLOSED_LEFT);
        if (is_right && n && check_once_in(check, 2))
            classify_end_first_row(&test.params, test.type);
        classify_nan(check, &test.params);
        run_columns(check, gp, &test, 1 + (unsigned)check_below(check, 3),
                    check_once_in(check, 2));
    }
}

// More columns than a warp has items, so that keys and counters of a group lie side by side.
static void lines(struct check *check, gpuprim *gp)
{
    for (unsigned i = 0; i < 12; i++) {
        const enum gpuprim_type type = draw_type(check);
        struct classify_case test = { .type = type,
                                      .rows = 18 + check_below(check, 250),
                                      .count = 2 + check_below(check, 300) };
        const bool own_keys = i % 3 != 0, own_counts = i % 3 != 1;
        const uint64_t most =
            (2u << check_below(check, 6)) - 1; // that halvings need as many steps for
        if (own_keys)
            classify_thresholds(check, type,
                                check_once_in(check, 2) ? most : 1 + check_below(check, 120),
                                test.rows, SPREAD_RANDOM, &test.params);
        else
            classify_uniform(check, type, 1 + (uint32_t)check_below(check, 200), &test.params);
        classify_nan(check, &test.params);
        const unsigned counted = own_counts ? 2 : 0;
        run_columns(check, gp, &test, counted | (unsigned)check_below(check, 2) | !counted,
                    own_counts || check_once_in(check, 2));
    }
}

// So many counts that they have 16 bits, and columns of which more elements have one label.
static void short_counts(struct check *check, gpuprim *gp)
{
    static const struct {
        enum gpuprim_type type;
        uint32_t bins;
        uint64_t rows, count;
    } calls[] = { { GPUPRIM_U16, 800, 20, 5000 },
                  { GPUPRIM_F16, 5001, 5, 9000 },
                  { GPUPRIM_F32, 1601, 9, 3000 },
                  { GPUPRIM_I32, 11000, 3, 70000 },
                  { GPUPRIM_I64, 20001, 6, 70000 } };
    for (unsigned i = 0; i < COUNT(calls); i++) {
        struct classify_case test = { .type = calls[i].type,
                                      .rows = calls[i].rows,
                                      .count = calls[i].count };
        classify_uniform(check, test.type, calls[i].bins, &test.params);
        classify_nan(check, &test.params);
        classify_shuffle(check, gp, &test);
        test.data = test.count > MOST_SHORT_COUNT ? FILL_ONE : FILL_AROUND;
        test.labels = GPUPRIM_TYPE_INVALID;
        test.counts = check_once_in(check, 2) ? GPUPRIM_U32 : GPUPRIM_U64;
        test.counts_per_row = true;
        test.in.stride = (int64_t)test.rows;
        test.in.row_stride = 1;
        classify_run(check, gp, &test);
        classify_free(&test.params);
    }
}

void classify_columns_run(struct check *check)
{
    enum { ROOM = 49152 }; // bytes of local memory, as NVIDIA's GPUs have
    static const struct {
        const char *name;
        void (*run)(struct check *check, gpuprim *gp);
    } kinds[] = { { "few_counts", few_counts },
                  { "classes", classes },
                  { "few_keys", few_keys },
                  { "lines", lines },
                  { "short_counts", short_counts } };
    for (unsigned k = 0; k < COUNT(kinds); k++) {
        if (!check_begin(check, "classify/columns/%s", kinds[k].name))
            continue;
        gpuprim *gp = classify_small_gpu(check, ROOM, 0, "gpu_tiles");
        if (gp)
            kinds[k].run(check, gp);
        gpuprim_destroy(&gp);
        check_end(check);
    }
}
