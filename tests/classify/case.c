/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs one case of the tests of classify (case.h). Bytes that are not elements of the input are
 * noise. Bytes that are neither labels nor counts are canaries. */
#include "case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/classify/classify.h"

enum { GUARD = 64 }; // elements of a block behind its array

static size_t describe_rule(const struct gpuprim_classifier_params *p, char *text, size_t size)
{
    const struct gpuprim_thresholds *t = p->thresholds;
    const struct gpuprim_uniform *u = p->uniform;
    int n;
    if (t)
        n = snprintf(text, size, "thresholds %" PRIu64 "%s closed=%d", t->values.count,
                     t->values.rows > 1 ? " per row" : "", t->closed);
    else if (u)
        n = snprintf(text, size, "uniform bins=%" PRIu32 " [%a, %a] outside=%d top=%u", u->bins,
                     u->low, u->high, u->outside, u->top_inclusive);
    else if (p->table)
        n = snprintf(text, size, "table %" PRIu64 " >>%u &%" PRIx64, p->table->labels.count,
                     p->table->shift, p->table->mask);
    else if (p->cases)
        n = snprintf(text, size, "cases %" PRIu32, p->cases->count);
    else
        n = snprintf(text, size, "rules %" PRIu64, p->rules->values.count);
    return (size_t)n;
}

static void describe(const struct classify_case *test, char *text, size_t size)
{
    static const char *const data[] = { "around", "random", "one" };
    const struct gpuprim_classifier_params *p = &test->params;
    const struct check_layout *places[] = { &test->in, &test->out, &test->counted,
                                            &test->rule };
    static const char *const names[] = { "in", "labels", "counts", "rule" };
    size_t n = describe_rule(p, text, size);
    n += (size_t)snprintf(
        text + n, size - n,
        " %s map=%" PRIu64 " nan=%d/%" PRIu32 " %s count=%" PRIu64 " rows=%" PRIu64
        " labels=%s counts=%s%s%s",
        gp_type_name(test->type), p->map.count, p->nan, p->nan_class, data[test->data],
        test->count, test->rows, test->labels ? gp_type_name(test->labels) : "none",
        test->counts ? gp_type_name(test->counts) : "none",
        test->counts_per_row ? " per row" : "", p->accumulate ? " accumulate" : "");
    for (int i = 0; i < 4 && n < size; i++)
        n += (size_t)check_layout_text(text + n, size - n, names[i], places[i]);
}

// ---------------------------------------------------------------------------------------
// The arrays of a running case: on the host, and where the call sees them.

enum { IN, VALUES, ENTRIES, MAP, LABELS, COUNTS, ARRAYS }; // of the rule: VALUES to MAP
struct fixture {
    struct check_block blocks[ARRAYS];
    struct check_place places[ARRAYS];
    uint64_t sums[ARRAYS];
    gpuprim_classifier *classifier;
};

static void make_block(const struct check_layout *layout, enum gpuprim_type type,
                       uint64_t count, uint64_t rows, struct check_block *block)
{
    check_layout_block(layout, type, count, rows, GUARD, block);
    check_block_canaries(block);
}

// Copies a block to memory of a kind, and remembers its checksum.
static bool send(struct check *check, const gpuprim *gp, struct fixture *s, int which,
                 enum gpuprim_memory memory)
{
    s->sums[which] = check_block_checksum(&s->blocks[which]);
    return check_place_make(check, gp, &s->places[which], &s->blocks[which], memory);
}

// One of the arrays of the rule and the map, spread out as test->rule says.
static bool send_rule(struct check *check, const gpuprim *gp, const struct classify_case *test,
                      struct fixture *s, int which, const struct gpuprim_array *from)
{
    const uint64_t rows = from->rows ? from->rows : 1;
    struct check_block *block = &s->blocks[which];
    if (!from->type)
        return true;
    make_block(&test->rule, from->type, from->count, rows, block);
    for (uint64_t row = 0; row < rows; row++)
        for (uint64_t i = 0; i < from->count; i++)
            memcpy(check_element(&block->view, row, i), check_element(from, row, i),
                   gp_type_size(from->type));
    return send(check, gp, s, which, test->rule.memory);
}

// The arrays of the rule. One that it does not have has no type.
static const struct gpuprim_array no_array;

static const struct gpuprim_array *values_of(const struct gpuprim_classifier_params *p)
{
    return p->thresholds ? &p->thresholds->values : p->rules ? &p->rules->values : &no_array;
}

static const struct gpuprim_array *entries_of(const struct gpuprim_classifier_params *p)
{
    return p->table ? &p->table->labels : p->rules ? &p->rules->labels : &no_array;
}

static bool make_inputs(struct check *check, const gpuprim *gp,
                        const struct classify_case *test, struct fixture *s)
{
    const struct gpuprim_classifier_params *p = &test->params;
    *s = (struct fixture){ .classifier = NULL };
    make_block(&test->in, test->type, test->count, test->rows, &s->blocks[IN]);
    classify_fill(check, test, &s->blocks[IN].view);
    return send(check, gp, s, IN, test->in.memory) &&
           send_rule(check, gp, test, s, VALUES, values_of(p)) &&
           send_rule(check, gp, test, s, ENTRIES, entries_of(p)) &&
           send_rule(check, gp, test, s, MAP, &p->map);
}

static bool make_outputs(struct check *check, const gpuprim *gp,
                         const struct classify_case *test, struct fixture *s)
{
    bool ready = true;
    if (test->labels) {
        make_block(&test->out, test->labels, test->count, test->rows, &s->blocks[LABELS]);
        ready = send(check, gp, s, LABELS, test->out.memory);
    }
    if (test->counts && ready) {
        const uint64_t labels = gpuprim_classifier_labels(s->classifier);
        const uint64_t rows = test->counts_per_row ? test->rows : 1;
        make_block(&test->counted, test->counts, labels, rows, &s->blocks[COUNTS]);
        for (uint64_t row = 0; test->params.accumulate && row < rows; row++)
            for (uint64_t l = 0; l < labels; l++) {
                const uint64_t held =
                    check_once_in(check, 4) ? UINT64_MAX : check_random(check);
                memcpy(check_element(&s->blocks[COUNTS].view, row, l), &held,
                       gp_type_size(test->counts));
            }
        ready = send(check, gp, s, COUNTS, test->counted.memory);
    }
    return ready;
}

static int create(gpuprim *gp, const struct classify_case *test, struct fixture *s)
{
    struct gpuprim_classifier_params params = test->params;
    struct gpuprim_thresholds thresholds;
    struct gpuprim_table table;
    struct gpuprim_rules rules;
    if (params.thresholds) {
        thresholds = *params.thresholds;
        thresholds.values = s->places[VALUES].view;
        params.thresholds = &thresholds;
    }
    if (params.table) {
        table = *params.table;
        table.labels = s->places[ENTRIES].view;
        params.table = &table;
    }
    if (params.rules) {
        rules = *params.rules;
        rules.values = s->places[VALUES].view;
        rules.labels = s->places[ENTRIES].view;
        params.rules = &rules;
    }
    if (params.map.type)
        params.map = s->places[MAP].view;
    return gpuprim_classifier_create(gp, &params, &s->classifier);
}

// True if the forced variant may and does refuse; else a status other than OK is a failure.
static bool refused(struct check *check, const gpuprim *gp, int status, const char *text)
{
    if (status == GPUPRIM_E_UNSUPPORTED && check_may_refuse(gp)) {
        check->not_taken++;
        return true;
    }
    return !CHECK(check, status == GPUPRIM_OK, "%s: %s: %s", text, gpuprim_strerror(status),
                  gpuprim_last_error());
}

static void judge_labels(struct check *check, const struct classify_case *test,
                         const struct fixture *s, const char *text)
{
    const uint64_t got = gpuprim_classifier_labels(s->classifier);
    const uint64_t named = classify_reference_labels(&test->params);
    CHECK(check, got == named, "%s: %" PRIu64 " labels instead of %" PRIu64, text, got, named);
}

static void judge(struct check *check, const struct classify_case *test, struct fixture *s,
                  const struct check_block *before, const char *text)
{
    char why[256];
    for (int i = IN; i <= MAP; i++)
        CHECK(check, !s->blocks[i].bytes || check_block_checksum(&s->blocks[i]) == s->sums[i],
              "%s: input %d was written to", text, i);
    CHECK(check,
          classify_reference_agrees(
              &test->params, &s->blocks[IN].view, test->labels ? &s->blocks[LABELS].view : NULL,
              test->counts ? &s->blocks[COUNTS].view : NULL,
              test->params.accumulate ? &before->view : NULL, why, sizeof why),
          "%s: %s", text, why);
    CHECK(check, !test->labels || check_block_intact(&s->blocks[LABELS]),
          "%s: written beside the labels", text);
    CHECK(check, !test->counts || check_block_intact(&s->blocks[COUNTS]),
          "%s: written beside the counts", text);
}

static void call_and_judge(struct check *check, gpuprim *gp, const struct classify_case *test,
                           struct fixture *s, const char *text)
{
    struct check_block before = s->blocks[COUNTS]; // what they held
    if (test->counts) {
        before.bytes = check_allocate(before.size);
        memcpy(before.bytes, s->blocks[COUNTS].bytes, before.size);
        before.view.base = before.bytes;
    }
    const int status = gpuprim_classify(gp, s->classifier, &s->places[IN].view,
                                        test->labels ? &s->places[LABELS].view : NULL,
                                        test->counts ? &s->places[COUNTS].view : NULL, NULL);
    bool read = !refused(check, gp, status, text);
    for (int i = 0; i < ARRAYS && read; i++)
        if (s->blocks[i].bytes)
            read = check_place_read(check, gp, &s->places[i], &s->blocks[i]);
    if (read)
        judge(check, test, s, &before, text);
    if (test->counts)
        free(before.bytes);
}

bool classify_run(struct check *check, gpuprim *gp, const struct classify_case *test)
{
    const unsigned failures = check->failures;
    struct fixture s;
    char text[1024];
    describe(test, text, sizeof text);
    check->cases++;
    if (make_inputs(check, gp, test, &s) && !refused(check, gp, create(gp, test, &s), text)) {
        judge_labels(check, test, &s, text);
        if (make_outputs(check, gp, test, &s))
            call_and_judge(check, gp, test, &s, text);
    }
    gpuprim_classifier_destroy(&s.classifier);
    for (int i = 0; i < ARRAYS; i++) {
        check_place_free(gp, &s.places[i]);
        free(s.blocks[i].bytes);
    }
    return check->failures == failures;
}

// ---------------------------------------------------------------------------------------
// Geometries by chance

void classify_shuffle(struct check *check, const gpuprim *gp, struct classify_case *test)
{
    static const enum gpuprim_type types[] = { GPUPRIM_U8, GPUPRIM_U16, GPUPRIM_U32 };
    const struct gpuprim_classifier_params *p = &test->params;
    const uint64_t labels = classify_reference_labels(p);
    const bool rejects = classify_reference_rejects(p, test->type);
    test->data = (enum classify_filling)check_below(check, check_once_in(check, 3) ? 3 : 2);
    // Labels, counts or both; the narrowest type or a wider one.
    const uint64_t wanted = 1 + check_below(check, 3);
    const unsigned narrowest = labels + rejects <= 256 ? 0 : labels + rejects <= 65536 ? 1 : 2;
    test->labels = test->counts = GPUPRIM_TYPE_INVALID;
    if (wanted & 1)
        test->labels = types[narrowest + check_below(check, 3 - narrowest)];
    if (wanted & 2)
        test->counts = check_once_in(check, 2) ? GPUPRIM_U32 : GPUPRIM_U64;
    test->counts_per_row = check_once_in(check, 2);
    test->params.accumulate = (unsigned)check_below(check, 2);
    check_layout_shuffle(check, gp, test->count, test->rows, &test->in);
    check_layout_shuffle(check, gp, test->count, test->rows, &test->out);
    check_layout_shuffle(check, gp, labels, test->rows, &test->counted);
    const struct gpuprim_array *values = values_of(p);
    const uint64_t own_rows = values->rows ? values->rows : 1;
    check_layout_shuffle(check, gp, values->count, own_rows, &test->rule);
    if (own_rows == 1)
        test->rule.row_stride = 0;
}

void classify_run_limit(struct check *check, gpuprim *gp, struct classify_case *test,
                        uint64_t limit)
{
    enum { FEW = 1000 };
    classify_shuffle(check, gp, test);
    test->labels = GPUPRIM_U32;
    test->counts = limit > FEW ? GPUPRIM_TYPE_INVALID : GPUPRIM_U32;
    test->data = FILL_RANDOM;
    test->in.stride = test->out.stride = 1;
    test->in.row_stride = test->out.row_stride = 0;
    classify_run(check, gp, test);
    classify_free(&test->params);
}
