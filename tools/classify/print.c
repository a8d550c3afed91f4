/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the results of gpuprim classify as text or as JSON.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "classify.h"
#include "src/core/types.h" // sizes and names of types

char *classify_description(const gpuprim_classifier *classifier)
{
    const size_t size = gpuprim_classifier_describe(classifier, NULL, 0) + 1;
    char *text = calloc(size, 1);
    if (text)
        gpuprim_classifier_describe(classifier, text, size);
    return text;
}

static uint64_t rejected(const struct classify_results *results)
{
    uint64_t left = results->n_elements;
    for (uint64_t i = 0; i < results->n_labels; i++)
        left -= results->counts[i];
    return left;
}

static void print_line(const char *label, uint64_t count, uint64_t all)
{
    const double share = all ? 100 * (double)count / (double)all : 0;
    printf("%8s %20" PRIu64 " %8.3f %%\n", label, count, share);
}

void classify_print_table(const struct classify_results *results)
{
    enum { MANY = 1024 }; // if there are more labels, those that do not occur are omitted
    const uint64_t left = rejected(results);
    char label[TOOL_NUMBER];
    printf("%8s %20s %10s\n", "label", "count", "share");
    for (uint64_t i = 0; i < results->n_labels; i++)
        if (results->counts[i] || results->n_labels <= MANY)
            print_line(tool_number(GPUPRIM_U64, &i, label), results->counts[i],
                       results->n_elements);
    if (left)
        print_line("rejected", left, results->n_elements);
}

static void print_edges(struct tool_json *json, const gpuprim_classifier *classifier,
                        enum gpuprim_type type, uint32_t bins)
{
    void *edges = calloc((size_t)bins + 1, gp_type_size(type));
    const struct gpuprim_array array = gpuprim_host(type, edges, (uint64_t)bins + 1);
    if (edges && gpuprim_classifier_edges(classifier, &array) == GPUPRIM_OK)
        tool_json_values(json, "edges", type, edges, array.count, 1);
    free(edges);
}

void classify_print_json(const struct classify_request *request,
                         const struct tool_matrix *matrix, const gpuprim *gp,
                         const gpuprim_classifier *classifier,
                         const struct classify_results *results)
{
    const struct gpuprim_device device = tool_device_of(gp);
    char *how = classify_description(classifier);
    struct tool_json json = { .file = stdout };
    tool_json_begin(&json, NULL, '{');
    tool_json_text(&json, "file", request->file);
    tool_json_text(&json, "type", gp_type_name(matrix->type));
    tool_json_shape(&json, "shape", matrix->n_dims, matrix->rows, matrix->columns);
    tool_json_text(&json, "rule", classify_rule_names[request->kind]);
    if (request->kind == CLASSIFY_UNIFORM)
        print_edges(&json, classifier, matrix->type, request->rules.uniform.bins);
    tool_json_text(&json, "how", how ? how : "");
    tool_json_text(&json, "device", device.name);
    tool_json_text(&json, "driver", device.driver);
    tool_json_real(&json, "seconds", "%.9f", results->seconds);
    tool_json_whole(&json, "labels", results->n_labels);
    tool_json_values(&json, "counts", GPUPRIM_U64, results->counts, results->n_labels, 1);
    tool_json_whole(&json, "rejected", rejected(results));
    if (request->output) {
        tool_json_text(&json, "output", request->output);
        tool_json_text(&json, "label_type", gp_type_name(results->labels.type));
    }
    if (request->counts)
        tool_json_text(&json, "counts_output", request->counts);
    if (request->common.check)
        tool_json_flag(&json, "checked", results->agrees);
    tool_json_end(&json, '}');
    free(how);
}
