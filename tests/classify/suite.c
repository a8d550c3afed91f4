/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: rules x types x variants, baseline first, each over random numbers of
 * thresholds, sizes, options and geometries. Runs the groups of the other files, too. */
#include "case.h"

#include <stdio.h>

// Counts near the sizes that kernels cut at, with few enough comparisons for the reference.
static uint64_t any_count(struct check *check, uint64_t thresholds)
{
    static const uint64_t fixed[] = { 0,    1,    2,     3,     4,     15,   16,   17,
                                      31,   33,   63,    64,    65,    127,  255,  256,
                                      257,  511,  997,   1023,  1025,  2047, 2049, 4095,
                                      4097, 8191, 10007, 16383, 16385, 30011 };
    enum {
        N = sizeof fixed / sizeof *fixed,
        COMPARISONS = 8000000,
        QUICK_COMPARISONS = 200000
    };
    const uint64_t most = (check->quick ? QUICK_COMPARISONS : COMPARISONS) / (thresholds + 40);
    for (int turn = 0; turn < 8; turn++) {
        const uint64_t n = fixed[check_below(check, N)];
        if (n <= most)
            return n;
    }
    return 1 + check_below(check, 100);
}

// Draws rows and elements; many rows have fewer elements.
static void any_size(struct check *check, uint64_t thresholds, struct classify_case *test)
{
    static const uint64_t rows[] = { 1, 1, 1, 2, 3, 17 };
    test->rows = rows[check_below(check, 6)];
    test->count = any_count(check, test->rows * thresholds) / (test->rows > 3 ? 10 : 1);
}

static void run_and_free(struct check *check, gpuprim *gp, struct classify_case *test)
{
    classify_shuffle(check, gp, test);
    classify_run(check, gp, test);
    classify_free(&test->params);
}

// ---------------------------------------------------------------------------------------
// Rules

static void one_of_thresholds(struct check *check, gpuprim *gp, enum gpuprim_type type,
                              uint64_t n)
{
    struct classify_case test = { .type = type };
    any_size(check, n, &test);
    const bool per_row = check_once_in(check, 3);
    const enum classify_spread spread = (enum classify_spread)check_below(check, SPREADS);
    classify_thresholds(check, type, n, per_row ? test.rows : 1, spread, &test.params);
    classify_nan(check, &test.params);
    if (check_once_in(check, 3))
        classify_map(check, &test.params);
    run_and_free(check, gp, &test);
}

static void few(struct check *check, gpuprim *gp, enum gpuprim_type type)
{
    static const uint64_t counts[] = { 0, 1, 2, 7, 15, 16 };
    for (unsigned i = 0; i < 6; i++)
        for (int k = 0; k < (check->quick ? 2 : 4); k++)
            one_of_thresholds(check, gp, type, counts[i]);
}

static void some(struct check *check, gpuprim *gp, enum gpuprim_type type)
{
    static const uint64_t counts[] = { 63, 255, 256 };
    for (unsigned i = 0; i < 3; i++)
        for (int k = 0; k < (check->quick ? 2 : 8); k++)
            one_of_thresholds(check, gp, type, counts[i]);
}

static void many(struct check *check, gpuprim *gp, enum gpuprim_type type)
{
    static const uint64_t counts[] = { 1023, 4095, 65535 };
    for (unsigned i = 0; i < 3; i++)
        for (int k = 0; k < (check->quick ? 1 : 5); k++)
            one_of_thresholds(check, gp, type, counts[i]);
}

// Keys at even distances, for INTERPOLATE (src/classify/interpolate.c), and some that are too
// uneven for it. The number of keys and whether labels are counted is drawn once, and all
// labels have one type, so that few programs are compiled.
static void nearly_even(struct check *check, gpuprim *gp, enum gpuprim_type type)
{
    static const uint64_t counts[] = { 16, 100, 255, 1000 };
    const uint64_t n = counts[check_below(check, 4)];
    const bool counted = check_once_in(check, 4);
    for (int k = 0; k < (check->quick ? 8 : 24); k++) {
        struct classify_case test = { .type = type };
        any_size(check, n, &test);
        test.count += 300; // so many elements that some are near a key
        classify_thresholds(check, type, n, 1, SPREAD_NEARLY, &test.params);
        classify_nan(check, &test.params);
        classify_shuffle(check, gp, &test);
        test.labels = GPUPRIM_U32;
        test.counts = !counted                  ? GPUPRIM_TYPE_INVALID
                      : check_once_in(check, 2) ? GPUPRIM_U32
                                                : GPUPRIM_U64;
        classify_run(check, gp, &test);
        classify_free(&test.params);
    }
}

static void uniform(struct check *check, gpuprim *gp, enum gpuprim_type type)
{
    static const uint32_t bins[] = { 1, 2, 7, 64, 100, 255, 256, 1000, 4096 };
    for (int k = 0; k < (check->quick ? 6 : 20); k++) {
        struct classify_case test = { .type = type };
        // An 8-bit type has no more than 100 places in the stretch that is cut.
        const uint32_t n = bins[check_below(check, gp_type_size(type) == 1 ? 5 : 9)];
        any_size(check, n, &test);
        classify_uniform(check, type, n, &test.params);
        classify_nan(check, &test.params);
        if (check_once_in(check, 3))
            classify_map(check, &test.params);
        run_and_free(check, gp, &test);
    }
}

static void table(struct check *check, gpuprim *gp, enum gpuprim_type type)
{
    for (int k = 0; k < (check->quick ? 6 : 20); k++) {
        struct classify_case test = { .type = type };
        any_size(check, 0, &test);
        classify_table(check, type, &test.params);
        run_and_free(check, gp, &test);
    }
}

static void cases(struct check *check, gpuprim *gp, enum gpuprim_type type)
{
    static const uint32_t counts[] = { 0, 1, 3, 14, 100, 1000 };
    // Masks of few bits, scattered or not, and of more bits than a table has room for.
    static const uint64_t masks[] = {
        0x1f, 0x11, 0xff00, 0x8421842184218421, 0xff0ff0000000ff, UINT64_MAX
    };
    for (int k = 0; k < (check->quick ? 6 : 20); k++) {
        struct classify_case test = { .type = type };
        const uint32_t n = counts[check_below(check, 6)];
        any_size(check, n, &test);
        classify_cases(check, type, n, masks[check_below(check, 6)], &test.params);
        run_and_free(check, gp, &test);
    }
}

static void rules(struct check *check, gpuprim *gp, enum gpuprim_type type)
{
    static const unsigned counts[] = { 0, 1, 2, 3, 6, 9, 16 };
    for (int k = 0; k < (check->quick ? 6 : 20); k++) {
        struct classify_case test = { .type = type };
        const unsigned n = counts[check_below(check, check_once_in(check, 4) ? 7 : 6)];
        any_size(check, n, &test);
        classify_rules(check, type, n, &test.params);
        run_and_free(check, gp, &test);
    }
}

static const struct {
    const char *name;
    void (*run)(struct check *check, gpuprim *gp, enum gpuprim_type type);
    unsigned types;
} sweeps[] = {
    { "few", few, CLASSIFY_TYPES },         { "some", some, CLASSIFY_TYPES },
    { "many", many, CLASSIFY_TYPES },       { "nearly_even", nearly_even, CLASSIFY_TYPES },
    { "uniform", uniform, CLASSIFY_TYPES }, { "rules", rules, CLASSIFY_TYPES },
    { "table", table, CLASSIFY_INTEGERS },  { "cases", cases, CLASSIFY_INTEGERS },
};
enum { SWEEPS = sizeof sweeps / sizeof *sweeps };

// ---------------------------------------------------------------------------------------
// Options one by one, for each combination of labels and counts

static void options(struct check *check, gpuprim *gp, enum gpuprim_closed closed,
                    enum gpuprim_nan_class nan)
{
    static const enum gpuprim_type labels[] = { GPUPRIM_TYPE_INVALID, GPUPRIM_U8, GPUPRIM_U16,
                                                GPUPRIM_U32 };
    static const enum gpuprim_type counts[] = { GPUPRIM_TYPE_INVALID, GPUPRIM_U32,
                                                GPUPRIM_U64 };
    for (int l = 0; l < 4; l++)
        for (int c = 0; c < 3; c++) {
            struct classify_case test = { .type = GPUPRIM_F32 };
            if (l + c == 0)
                continue;
            any_size(check, 7, &test);
            classify_thresholds(check, GPUPRIM_F32, 7, 1, SPREAD_RANDOM, &test.params);
            classify_close(&test.params, closed);
            test.params.nan = nan;
            test.params.nan_class = nan == GPUPRIM_NAN_CLASS ? 3 : 0;
            classify_shuffle(check, gp, &test);
            test.labels = labels[l];
            test.counts = counts[c];
            classify_run(check, gp, &test);
            classify_free(&test.params);
        }
}

// Counts of many elements, spread over the classes or all in one class.
static void skew(struct check *check, gpuprim *gp)
{
    static const uint64_t thresholds[] = { 0, 7, 63, 255, 1023 };
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 4; k++) {
            const uint64_t n = thresholds[i];
            struct classify_case test = { .type = k % 2 ? GPUPRIM_U16 : GPUPRIM_F32,
                                          .rows = 1 };
            test.count = (check->quick ? 300000 : 30000000) / (n + 200);
            classify_thresholds(check, test.type, n, 1, SPREAD_EVEN, &test.params);
            classify_shuffle(check, gp, &test);
            test.data = k < 2 ? FILL_ONE : FILL_RANDOM;
            test.counts = check_once_in(check, 2) ? GPUPRIM_U32 : GPUPRIM_U64;
            classify_run(check, gp, &test);
            classify_free(&test.params);
        }
}

// One kernel: large groups take long to compile.
static void odd_groups(struct check *check, gpuprim *gp)
{
    for (int i = 0; i < (check->quick ? 4 : 20); i++) {
        struct classify_case test = { .type = GPUPRIM_F32 };
        any_size(check, 15, &test);
        const bool per_row = check_once_in(check, 3);
        classify_thresholds(check, test.type, 15, per_row ? test.rows : 1, SPREAD_RANDOM,
                            &test.params);
        classify_shuffle(check, gp, &test);
        test.labels = GPUPRIM_U8;
        test.counts = GPUPRIM_U32;
        classify_run(check, gp, &test);
        classify_free(&test.params);
    }
}

// ---------------------------------------------------------------------------------------

static void end(struct check *check, gpuprim **gp)
{
    const bool is_there = *gp != NULL;
    gpuprim_destroy(gp);
    if (is_there && check->not_taken == check->cases && !check->failures)
        check_skip(check, "the variant takes none of it on this device");
    else
        check_end(check);
}

static void run_variant(struct check *check, const char *variant)
{
    for (unsigned s = 0; s < SWEEPS; s++)
        for (unsigned t = 0; t < sweeps[s].types; t++) {
            const enum gpuprim_type type = classify_types[t];
            if (!check_begin(check, "classify/%s/%s/%s", sweeps[s].name, gp_type_name(type),
                             variant))
                continue;
            gpuprim *gp = check_variant(check, "classify", variant, 0);
            if (gp && type == GPUPRIM_F64 && !gp->caps.has_fp64) {
                gpuprim_destroy(&gp);
                check_skip(check, "no double precision");
                continue;
            }
            if (gp)
                sweeps[s].run(check, gp, type);
            end(check, &gp);
        }
    for (int closed = 0; closed < 2; closed++)
        for (int nan = 0; nan < 3; nan++)
            if (check_begin(check, "classify/options/%d_%d/%s", closed, nan, variant)) {
                gpuprim *gp = check_variant(check, "classify", variant, 0);
                if (gp)
                    options(check, gp, (enum gpuprim_closed)closed,
                            (enum gpuprim_nan_class)nan);
                end(check, &gp);
            }
    if (check_begin(check, "classify/skew/%s", variant)) {
        gpuprim *gp = check_variant(check, "classify", variant, 0);
        if (gp)
            skew(check, gp);
        end(check, &gp);
    }
}

static void run(struct check *check)
{
    static const unsigned groups[] = { 1, 3, 64, 100, 256 };
    const struct gp_primitive *classify = check_primitive("classify");
    gpuprim *gp = NULL;
    if (gpuprim_create(NULL, &gp) == GPUPRIM_OK)
        classify_ask_denormals(gp);
    gpuprim_destroy(&gp);
    for (unsigned v = classify->n_variants; v-- > 0;) // baseline stands last
        run_variant(check, classify->variants[v]->name);
    // Work-group sizes that are no power of two, or are not the one asked for.
    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++)
        if (check_begin(check, "classify/work_group/%u", groups[i])) {
            gp = check_variant(check, "classify", "baseline", groups[i]);
            if (gp)
                odd_groups(check, gp);
            end(check, &gp);
        }
    classify_tiny_run(check);
    classify_views_run(check);
    classify_tiles_run(check);
    classify_words_keys_run(check);
    classify_row_keys_run(check);
    classify_channels_run(check);
    classify_columns_run(check);
    classify_parts_run(check);
    classify_turned_run(check);
    classify_named_run(check);
    classify_few_cases_run(check);
    classify_forms_run(check);
    classify_sieves_run(check);
    classify_maps_run(check);
    classify_values_run(check);
    classify_edges_run(check);
    classify_interpolate_run(check);
    classify_uneven_run(check);
    classify_counters_run(check);
    classify_stream_run(check);
    classify_errors_run(check);
    classify_async_run(check);
    classify_driver_run(check);
    classify_prepare_run(check);
    classify_kept_run(check);
    classify_large_run(check);
    classify_corners_run(check);
}

const struct check_suite check_classify = {
    .name = "classify",
    .run = run,
    .bench = bench_classify,
    .map = &map_classify,
    .sources = &classify_sources,
};
