/* SPDX-License-Identifier: Apache-2.0
 *
 * The rule of gpuprim classify: reads its files and converts their numbers to the types that
 * the library takes.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "classify.h"
#include "src/core/types.h" // sizes and names of types

static int open_thresholds(const struct classify_request *request, enum gpuprim_type in,
                           struct classify_rule *rule)
{
    const char *path = request->thresholds;
    struct tool_matrix *matrix = &rule->thresholds;
    char why[TOOL_MESSAGE];
    const int code = tool_numbers_open("--thresholds", path, matrix);
    if (code != TOOL_GOOD)
        return code;
    if (matrix->rows == 0)
        return tool_fail(TOOL_FAILED, "%s: has no row of thresholds; at least one is needed",
                         path);
    uint64_t rounded = 0;
    if (!classify_convert(matrix, in, &rounded, why))
        return tool_fail(TOOL_FAILED, "%s: %s, the type of the numbers to classify", path, why);
    if (rounded && !request->common.quiet)
        fprintf(stderr,
                "classify: %" PRIu64 " of %" PRIu64 " thresholds were rounded to %s, %s\n",
                rounded, matrix->rows * matrix->columns, gp_type_name(in),
                "the type of the numbers to classify");
    rule->rules.thresholds.values =
        gpuprim_as_rows(gpuprim_host(in, matrix->data, 0), matrix->rows, matrix->columns);
    return TOOL_GOOD;
}

// The library takes labels in u8, u16 and u32; other types are converted to u32.
static int open_labels(const char *option, const char *path, struct tool_matrix *matrix,
                       struct gpuprim_array *out)
{
    char why[TOOL_MESSAGE];
    const int code = tool_numbers_open(option, path, matrix);
    if (code != TOOL_GOOD)
        return code;
    if (matrix->rows != 1 || matrix->columns == 0)
        return tool_fail(TOOL_FAILED, "%s: the labels must be one row with at least one label",
                         path);
    if (matrix->type != GPUPRIM_U8 && matrix->type != GPUPRIM_U16 &&
        !classify_convert(matrix, GPUPRIM_U32, NULL, why))
        return tool_fail(TOOL_FAILED, "%s: %s", path, why);
    *out = gpuprim_host(matrix->type, matrix->data, matrix->columns);
    return TOOL_GOOD;
}

int classify_rule_open(const struct classify_request *request, enum gpuprim_type in,
                       struct classify_rule *rule)
{
    int code = TOOL_GOOD;
    *rule = (struct classify_rule){ .params = request->params, .rules = request->rules };
    rule->params.in = in;
    switch (request->kind) {
    case CLASSIFY_THRESHOLDS:
        rule->params.thresholds = &rule->rules.thresholds;
        code = open_thresholds(request, in, rule);
        break;
    case CLASSIFY_UNIFORM:
        rule->params.uniform = &rule->rules.uniform;
        break;
    case CLASSIFY_TABLE:
        rule->params.table = &rule->rules.table;
        code = open_labels("--table", request->table, &rule->table, &rule->rules.table.labels);
        break;
    default:
        rule->params.cases = &rule->rules.cases;
        code = classify_cases_read(request->cases, 8 * (unsigned)gp_type_size(in), &rule->cases,
                                   &rule->rules.cases.count);
        rule->rules.cases.list = rule->cases;
    }
    if (code == TOOL_GOOD && request->map)
        code = open_labels("--map", request->map, &rule->map, &rule->params.map);
    return code;
}

void classify_rule_close(struct classify_rule *rule)
{
    free(rule->cases);
    tool_matrix_close(&rule->map);
    tool_matrix_close(&rule->table);
    tool_matrix_close(&rule->thresholds);
}
