/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of the scenarios (faults.h), and their right results, computed by plain loops.
 */
#include "faults.h"

#include <string.h>

#include "tests/harness/shim.h"

enum {
    LINES = 25, // REDUCE with gaps
    LINE = 3000,
    LINE_STEP = 6000,
    COUNTED = 2, // labels 0 and 1
    HELD = 1000, // what counts hold before, where they accumulate
    REACH = FAULT_TAPS - 1,
    HIGH_CASES = 40,
};

// ---------------------------------------------------------------------------------------
// Right results

static int32_t tap(const struct fault_scenario *s, int row, int k)
{
    return k + 1 + (s->rule_rows ? row : 0);
}

static int32_t threshold(const struct fault_scenario *s, int row)
{
    return FAULT_BOUND * (s->rule_rows ? row + 1 : 1);
}

size_t fault_rule(const struct fault_scenario *s, int32_t values[FAULT_ROWS * FAULT_TAPS])
{
    const int rows = s->rule_rows ? FAULT_ROWS : 1;
    const int n = s->call == CONVOLVE1D ? FAULT_TAPS : s->call == CLASSIFY ? 1 : 0;
    for (int row = 0; row < rows; row++)
        for (int k = 0; k < n; k++)
            values[row * n + k] = s->call == CONVOLVE1D ? tap(s, row, k) : threshold(s, row);
    return (size_t)(rows * n) * sizeof *values;
}

size_t fault_bytes(const struct fault_scenario *s, int output)
{
    const size_t n = FAULT_ROWS * FAULT_N;
    switch (s->call) {
    case REDUCE:
        return output || s->no_rows ? 0
                                    : (size_t)(s->gaps      ? LINES
                                               : s->one_row ? 1
                                                            : FAULT_ROWS) *
                                          sizeof(int64_t);
    case CONVOLVE1D:
        if (output)
            return s->history ? FAULT_ROWS * REACH * sizeof(int32_t) : 0;
        return (s->strided ? 2 : 1) * n * sizeof(int32_t);
    case CLASSIFY:
        return output ? (s->per_row ? FAULT_ROWS : 1) * COUNTED * sizeof(uint64_t) : n;
    default:
        return 0;
    }
}

static void expect_sums(const struct fault_fixture *fixture)
{
    const struct fault_scenario *s = fixture->scenario;
    const int rows = s->no_rows ? 0 : s->gaps ? LINES : s->one_row ? 1 : FAULT_ROWS;
    const int count = s->gaps ? LINE : s->one_row ? FAULT_ROWS * FAULT_N : FAULT_N;
    const int step = s->gaps ? LINE_STEP : FAULT_N;
    for (int row = 0; row < rows; row++) {
        int64_t sum = 0;
        for (int i = 0; i < count; i++)
            sum += fixture->x[row * step + i];
        memcpy(fixture->outputs[0].wanted + (size_t)row * sizeof sum, &sum, sizeof sum);
    }
}

static void expect_filtered(const struct fault_fixture *fixture)
{
    const struct fault_scenario *s = fixture->scenario;
    const size_t step = s->strided ? 2 : 1;
    for (int row = 0; row < FAULT_ROWS; row++) {
        const int32_t *x = fixture->x + row * FAULT_N;
        for (int i = 0; i < FAULT_N; i++) {
            int32_t y = 0;
            for (int k = 0; k < FAULT_TAPS; k++)
                y += tap(s, row, k) * (i >= k ? x[i - k] : s->history ? 7 : 0);
            memcpy(fixture->outputs[0].wanted + (size_t)(row * FAULT_N + i) * step * sizeof y,
                   &y, sizeof y);
        }
        if (s->history)
            memcpy(fixture->outputs[1].wanted + (size_t)row * REACH * sizeof *x,
                   x + FAULT_N - REACH, REACH * sizeof *x);
    }
}

static void expect_labels(const struct fault_fixture *fixture)
{
    const struct fault_scenario *s = fixture->scenario;
    const int rows = s->per_row ? FAULT_ROWS : 1;
    uint64_t counts[FAULT_ROWS][COUNTED] = { { 0 } };
    for (int row = 0; row < rows; row++)
        for (int label = 0; label < COUNTED; label++)
            counts[row][label] = s->accumulate ? HELD : 0;
    if (s->accumulate)
        memcpy(fixture->outputs[1].painted, counts, fixture->outputs[1].store.bytes);
    for (int i = 0; i < FAULT_ROWS * FAULT_N; i++) {
        const int row = i / FAULT_N;
        const unsigned char label = fixture->x[i] >= threshold(s, row);
        fixture->outputs[0].wanted[i] = label;
        counts[s->per_row ? row : 0][label]++;
    }
    memcpy(fixture->outputs[1].wanted, counts, fixture->outputs[1].store.bytes);
}

void fault_expect(const struct fault_fixture *fixture)
{
    if (fixture->scenario->call == REDUCE)
        expect_sums(fixture);
    else if (fixture->scenario->call == CONVOLVE1D)
        expect_filtered(fixture);
    else if (fixture->scenario->call == CLASSIFY)
        expect_labels(fixture);
}

// ---------------------------------------------------------------------------------------
// Calls

static int reduce(struct fault_fixture *fixture, gpuprim *gp, const struct gpuprim_sync *sync)
{
    const struct fault_scenario *s = fixture->scenario;
    const struct gpuprim_reduce_params params = { .op = GPUPRIM_SUM };
    struct gpuprim_array in = fault_view(&fixture->in, GPUPRIM_I32, FAULT_N, FAULT_ROWS);
    const struct gpuprim_array out = fault_view(&fixture->outputs[0].store, GPUPRIM_I64,
                                                fault_bytes(s, 0) / sizeof(int64_t), 1);
    if (s->no_rows)
        in = gpuprim_as_rows(in, 0, FAULT_N);
    if (s->one_row) {
        in.count = FAULT_ROWS * FAULT_N;
        in.rows = 1;
    }
    if (s->gaps) {
        in.count = LINE;
        in.rows = LINES;
        in.row_stride = LINE_STEP;
    }
    return gpuprim_reduce(gp, &in, &out, &params, sync);
}

static int convolve1d(struct fault_fixture *fixture, gpuprim *gp,
                      const struct gpuprim_sync *sync)
{
    const struct fault_scenario *s = fixture->scenario;
    const struct gpuprim_filter_params params = { .mode = GPUPRIM_CAUSAL,
                                                  .left = s->history ? GPUPRIM_HISTORY
                                                                     : GPUPRIM_ZERO };
    const struct gpuprim_array in = fault_view(&fixture->in, GPUPRIM_I32, FAULT_N, FAULT_ROWS);
    const struct gpuprim_array taps =
        fault_view(&fixture->rule, GPUPRIM_I32, FAULT_TAPS, s->rule_rows ? FAULT_ROWS : 1);
    struct gpuprim_array out =
        fault_view(&fixture->outputs[0].store, GPUPRIM_I32, FAULT_N, FAULT_ROWS);
    out.stride = s->strided ? 2 : 1;
    const struct gpuprim_history history = {
        .before = fault_view(&fixture->before, GPUPRIM_I32, REACH, FAULT_ROWS),
        .after = fault_view(&fixture->outputs[1].store, GPUPRIM_I32, REACH, FAULT_ROWS)
    };
    gpuprim_filter *filter = NULL;
    int status = gpuprim_filter_create(gp, &taps, &params, &filter);
    CHECK(fixture->check, (status == GPUPRIM_OK) == (filter != NULL),
          "status %d, but the filter is %s", status, filter ? "there" : "not there");
    if (!status)
        status = gpuprim_convolve1d(gp, filter, &in, &out, s->history ? &history : NULL, sync);
    gpuprim_filter_destroy(&filter);
    return status;
}

static int create(struct fault_fixture *fixture, gpuprim *gp,
                  const struct gpuprim_classifier_params *params, gpuprim_classifier **out)
{
    const int status = gpuprim_classifier_create(gp, params, out);
    CHECK(fixture->check, (status == GPUPRIM_OK) == (*out != NULL),
          "status %d, but the classifier is %s", status, *out ? "there" : "not there");
    return status;
}

static int classify(struct fault_fixture *fixture, gpuprim *gp, const struct gpuprim_sync *sync)
{
    const struct fault_scenario *s = fixture->scenario;
    const struct gpuprim_thresholds rule = {
        .values = fault_view(&fixture->rule, GPUPRIM_I32, 1, s->rule_rows ? FAULT_ROWS : 1)
    };
    const struct gpuprim_classifier_params params = { .thresholds = &rule,
                                                      .accumulate = s->accumulate };
    const struct gpuprim_array in = fault_view(&fixture->in, GPUPRIM_I32, FAULT_N, FAULT_ROWS);
    const struct gpuprim_array labels =
        fault_view(&fixture->outputs[0].store, GPUPRIM_U8, FAULT_N, FAULT_ROWS);
    const struct gpuprim_array counts = fault_view(&fixture->outputs[1].store, GPUPRIM_U64,
                                                   COUNTED, s->per_row ? FAULT_ROWS : 1);
    gpuprim_classifier *classifier = NULL;
    int status = create(fixture, gp, &params, &classifier);
    if (!status)
        status = gpuprim_classify(gp, classifier, &in, &labels, &counts, sync);
    gpuprim_classifier_destroy(&classifier);
    return status;
}

// Each rule, and each way in which cases are compiled, with all that may come with it.
static int classifier(struct fault_fixture *fixture, gpuprim *gp)
{
    static const int32_t bounds[] = { -5, 8, 1000 };
    static const uint8_t entries[] = { 1, 0, 2, 0, 1, 2, 0, 1 };
    static const struct gpuprim_case low[] = { { 0xff, 0x10, 1 }, { 0xff, 0x10, 2 } };
    struct gpuprim_case high[HIGH_CASES]; // so many that they become ranges
    for (uint32_t i = 0; i < HIGH_CASES; i++)
        high[i] = (struct gpuprim_case){ 0xfffff000, i << 12, i % 3 };
    static const struct gpuprim_case wide[] = { { 0x80000001, 1, 1 }, { 0, 0, 2 } };
    static const enum gpuprim_comparison comparisons[] = { GPUPRIM_LESS, GPUPRIM_EQUAL,
                                                           GPUPRIM_NOT_EQUAL };
    const struct gpuprim_thresholds thresholds = { .values =
                                                       gpuprim_host(GPUPRIM_I32, bounds, 3) };
    const struct gpuprim_uniform uniform = { .low = 0, .high = 400, .bins = 4 };
    const struct gpuprim_table table = { .labels = gpuprim_host(GPUPRIM_U8, entries, 8) };
    const struct gpuprim_cases few = { .list = low, .count = 2 },
                               ranges = { .list = high, .count = HIGH_CASES },
                               chain = { .list = wide, .count = 2 };
    const struct gpuprim_rules rules = { .values = thresholds.values,
                                         .comparisons = comparisons,
                                         .labels = table.labels };
    const struct gpuprim_array map = gpuprim_host(GPUPRIM_U8, entries, 4);
    const struct gpuprim_classifier_params params[] = {
        { .thresholds = &thresholds, .map = map },
        { .uniform = &uniform, .in = GPUPRIM_I32, .map = map },
        { .table = &table, .in = GPUPRIM_I32 },
        { .cases = &few, .in = GPUPRIM_I32 },
        { .cases = &ranges, .in = GPUPRIM_I32 },
        { .cases = &chain, .in = GPUPRIM_I32 },
        { .rules = &rules },
    };
    gpuprim_classifier *made = NULL;
    const int status = create(fixture, gp, &params[fixture->scenario->variety], &made);
    gpuprim_classifier_destroy(&made);
    return status;
}

static int prepare(struct fault_fixture *fixture, gpuprim *gp)
{
    const struct gpuprim_array in = fault_view(&fixture->in, GPUPRIM_I32, FAULT_N, FAULT_ROWS);
    const struct gpuprim_array out = { .type = GPUPRIM_I64,
                                       .memory = GPUPRIM_BUFFER,
                                       .count = FAULT_ROWS };
    return gpuprim_reduce_prepare(gp, &in, &out, &(struct gpuprim_reduce_params){ 0 });
}

static int describe(struct fault_fixture *fixture, gpuprim *gp)
{
    char text[256] = "";
    const struct gp_primitive *primitive = gp_primitives[fixture->scenario->variety];
    const int status = primitive->describe(gp, text, sizeof text);
    CHECK(fixture->check, status || text[0], "%s is described by nothing", primitive->name);
    return status;
}

// The list says of each device why it is refused; a failure is that of the first one.
static int devices(struct fault_fixture *fixture)
{
    struct gpuprim_device list[4];
    unsigned n = 0;
    int status = gpuprim_devices(list, 4, &n);
    for (unsigned i = 0; !status && i < n && i < 4; i++) {
        CHECK(fixture->check, (list[i].status != 0) == (list[i].refusal[0] != '\0'),
              "status %d, refusal '%s'", list[i].status, list[i].refusal);
        status = list[i].status;
    }
    return status;
}

int fault_call(struct fault_fixture *fixture, gpuprim *gp)
{
    const struct fault_scenario *s = fixture->scenario;
    cl_event done = NULL;
    const struct gpuprim_sync sync = { .queue = s->how == OUT_OF_ORDER ? fixture->out_of_order
                                                                       : fixture->queue,
                                       .n_wait = fixture->gate ? 1 : 0,
                                       .wait = fixture->gate ? &fixture->gate : NULL,
                                       .done = &done };
    const struct gpuprim_sync *how = s->how == BLOCKING ? NULL : &sync;
    const int status = s->call == REDUCE       ? reduce(fixture, gp, how)
                       : s->call == CONVOLVE1D ? convolve1d(fixture, gp, how)
                       : s->call == CLASSIFY   ? classify(fixture, gp, how)
                       : s->call == CLASSIFIER ? classifier(fixture, gp)
                       : s->call == PREPARE    ? prepare(fixture, gp)
                       : s->call == DEVICES    ? devices(fixture)
                                               : describe(fixture, gp);
    CHECK(fixture->check, !how || (status == GPUPRIM_OK) == (done != NULL),
          "status %d, but `done` is %s", status, done ? "there" : "not there");
    if (done)
        clReleaseEvent(done);
    return status;
}
