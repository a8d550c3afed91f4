/* SPDX-License-Identifier: Apache-2.0
 *
 * The call of gpuprim classify: makes arrays of the opened files, classifies, checks, and
 * writes or prints labels and counts.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "classify.h"
#include "reference/classify/classify.h"
#include "src/core/types.h" // sizes and names of types
#include "tools/progress.h"

struct call {
    const struct classify_request *request;
    const struct tool_matrix *matrix;
    struct classify_rule rule;
    gpuprim *gp;
    gpuprim_classifier *classifier;
    struct gpuprim_array in, counts;
    struct classify_results results;
};

static int short_of_memory(const struct call *c)
{
    return tool_fail(TOOL_FAILED, "%s: not enough memory", c->request->file);
}

// All elements are one row, unless each row, or each channel of a .wav file, has thresholds of
// its own.
static int take_elements(struct call *c)
{
    const struct tool_matrix *matrix = c->matrix, *thresholds = &c->rule.thresholds;
    const bool is_wave = matrix->wave.bits != 0;
    const uint64_t rows = is_wave ? matrix->columns : matrix->rows;
    const struct gpuprim_array all =
        gpuprim_host(matrix->type, matrix->data, matrix->rows * matrix->columns);
    c->in = all;
    if (!c->request->thresholds || thresholds->rows == 1)
        return TOOL_GOOD;
    if (thresholds->rows != rows)
        return tool_fail(TOOL_FAILED,
                         "%s: has %" PRIu64 " rows of thresholds for the %" PRIu64 " %s of %s",
                         c->request->thresholds, thresholds->rows, rows,
                         is_wave ? "channels" : "rows", c->request->file);
    c->in = is_wave ? gpuprim_as_columns(all, matrix->rows, matrix->columns)
                    : gpuprim_as_rows(all, matrix->rows, matrix->columns);
    return TOOL_GOOD;
}

// The narrowest type for `n` labels. If elements can be rejected, it has one more value, all
// ones.
static enum gpuprim_type type_of_labels(uint64_t n, bool rejects)
{
    const uint64_t values = n + rejects;
    return values <= UINT8_MAX + 1    ? GPUPRIM_U8
           : values <= UINT16_MAX + 1 ? GPUPRIM_U16
                                      : GPUPRIM_U32;
}

// Labels have the shape of the file, and the channels of an image; counts have one dimension.
static int describe_results(const struct call *c, struct tool_matrix *labels,
                            struct tool_matrix *counts)
{
    const struct classify_request *request = c->request;
    const struct classify_results *results = &c->results;
    *labels = (struct tool_matrix){ .type = results->labels.type,
                                    .data = results->labels.base,
                                    .rows = c->matrix->rows,
                                    .columns = c->matrix->columns,
                                    .n_dims = c->matrix->n_dims,
                                    .image.channels = c->matrix->image.channels };
    *counts = (struct tool_matrix){ .type = GPUPRIM_U64,
                                    .data = results->counts,
                                    .rows = 1,
                                    .columns = results->n_labels,
                                    .n_dims = 1 };
    int code = TOOL_GOOD;
    if (request->output)
        code = tool_ending_of(request->output, request->file, "npy", &labels->ending);
    if (code == TOOL_GOOD && request->output)
        code = tool_matrix_writable(request->output, labels);
    if (code == TOOL_GOOD && request->counts)
        code = tool_ending_of(request->counts, request->file, "npy", &counts->ending);
    if (code == TOOL_GOOD && request->counts)
        code = tool_matrix_writable(request->counts, counts);
    return code;
}

enum { MAX_COUNTED = 1 << 28 }; // labels, with 2 GiB of counts

static int make_results(struct call *c)
{
    struct classify_results *results = &c->results;
    const struct classify_request *request = c->request;
    const bool rejects = classify_reference_rejects(&c->rule.params, c->matrix->type);

    results->n_elements = c->matrix->rows * c->matrix->columns;
    results->n_labels = gpuprim_classifier_labels(c->classifier);
    results->labels = c->in; // the same layout
    results->labels.type = type_of_labels(results->n_labels, rejects);
    results->labels.base = NULL;
    if (request->output) {
        const size_t item = gp_type_size(results->labels.type);
        results->labels.base = calloc((size_t)results->n_elements + 1, item);
        if (!results->labels.base)
            return short_of_memory(c);
    }
    if (!request->output || request->counts || request->common.json) {
        if (results->n_labels > MAX_COUNTED)
            return tool_fail(TOOL_FAILED,
                             "%" PRIu64
                             " labels are too many to count; at most %d are possible",
                             results->n_labels, MAX_COUNTED);
        uint64_t *counts = calloc((size_t)results->n_labels + 1, sizeof *counts);
        if (!counts)
            return short_of_memory(c);
        c->counts = gpuprim_host(GPUPRIM_U64, counts, results->n_labels);
        results->counts = counts;
    }
    struct tool_matrix labels,
        counts; // a format that cannot hold them is refused before the call
    return describe_results(c, &labels, &counts);
}

static int prepare(struct call *c)
{
    const struct tool_common *common = &c->request->common;
    int code = classify_rule_open(c->request, c->matrix->type, &c->rule);
    if (code != TOOL_GOOD || (code = take_elements(c)) != TOOL_GOOD ||
        (code = tool_device_open(common, &c->gp)) != TOOL_GOOD)
        return code;
    tool_progress_begin("preparing the rule");
    const int status = gpuprim_classifier_create(c->gp, &c->rule.params, &c->classifier);
    tool_progress_end();
    if (status != GPUPRIM_OK)
        return tool_fail_library(common, status);
    if (common->verbose) {
        char *text = classify_description(c->classifier);
        fprintf(stderr, "%s\n", text ? text : "");
        free(text);
    }
    return make_results(c);
}

static const struct gpuprim_array *labels_of(const struct call *c)
{
    return c->results.labels.base ? &c->results.labels : NULL;
}

static const struct gpuprim_array *counts_of(const struct call *c)
{
    return c->counts.base ? &c->counts : NULL;
}

static int compute(struct call *c)
{
    // Kernels are compiled here, so that the measured time does not include it.
    tool_progress_begin("preparing kernels");
    int status =
        gpuprim_classify_prepare(c->gp, c->classifier, &c->in, labels_of(c), counts_of(c));
    tool_progress_end();
    tool_progress_begin("classifying");
    const double start = tool_seconds();
    if (status == GPUPRIM_OK)
        status =
            gpuprim_classify(c->gp, c->classifier, &c->in, labels_of(c), counts_of(c), NULL);
    c->results.seconds = tool_seconds() - start;
    tool_progress_end();
    return status == GPUPRIM_OK ? TOOL_GOOD : tool_fail_library(&c->request->common, status);
}

static int check(struct call *c)
{
    char why[512] = "";
    tool_progress_begin("checking");
    c->results.agrees = classify_reference_agrees(&c->rule.params, &c->in, labels_of(c),
                                                  counts_of(c), NULL, why, sizeof why);
    tool_progress_end();
    return tool_report_check(&c->request->common, c->results.agrees, why);
}

static int write_results(const struct call *c)
{
    struct tool_matrix labels, counts;
    int code = describe_results(c, &labels, &counts);
    if (code == TOOL_GOOD && c->request->output)
        code = tool_matrix_write(c->request->output, &labels);
    if (code == TOOL_GOOD && c->request->counts)
        code = tool_matrix_write(c->request->counts, &counts);
    return code;
}

static int finish(struct call *c)
{
    const struct classify_request *request = c->request;
    const struct tool_common *common = &request->common;
    int code = common->check ? check(c) : TOOL_GOOD;
    if (code == TOOL_GOOD)
        code = write_results(c);
    if (tool_wants_summary(common))
        fprintf(stderr,
                "classify: %" PRIu64 " x %" PRIu64 " %s, %" PRIu64 " labels, in %.6f s on %s\n",
                c->matrix->rows, c->matrix->columns, gp_type_name(c->matrix->type),
                c->results.n_labels, c->results.seconds, tool_device_of(c->gp).name);
    // JSON says that a check failed; the table cannot, so that it is not printed then.
    if (common->json)
        classify_print_json(request, c->matrix, c->gp, c->classifier, &c->results);
    else if (code == TOOL_GOOD && !request->output && !request->counts)
        classify_print_table(&c->results);
    return code;
}

int classify_matrix(const struct classify_request *request, const struct tool_matrix *matrix)
{
    struct call c = { .request = request, .matrix = matrix };
    int code = prepare(&c);
    if (code == TOOL_GOOD)
        code = compute(&c);
    if (code == TOOL_GOOD)
        code = finish(&c);
    free(c.counts.base);
    free(c.results.labels.base);
    gpuprim_classifier_destroy(&c.classifier);
    gpuprim_destroy(&c.gp);
    classify_rule_close(&c.rule);
    return code;
}
