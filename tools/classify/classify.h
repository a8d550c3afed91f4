/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of gpuprim classify share: classify.c has the command line, rule.c
 * the rule and its files, call.c the call, print.c the results.
 */
#ifndef TOOLS_CLASSIFY_H
#define TOOLS_CLASSIFY_H

#include "tools/command.h"
#include "tools/files/files.h"
#include "tools/print.h"

enum classify_rule_kind {
    CLASSIFY_THRESHOLDS,
    CLASSIFY_UNIFORM,
    CLASSIFY_TABLE,
    CLASSIFY_CASES,
    CLASSIFY_RULE_KINDS
};
extern const char *const classify_rule_names[CLASSIFY_RULE_KINDS];

// The rules' own structs. Only the one of the kind that was asked for is used.
struct classify_rules {
    struct gpuprim_thresholds thresholds;
    struct gpuprim_uniform uniform;
    struct gpuprim_table table;
    struct gpuprim_cases cases;
};

// What the command line says. The rule's struct and the params lack what stands in files.
struct classify_request {
    struct tool_common common;
    enum classify_rule_kind kind;
    struct classify_rules rules;
    struct gpuprim_classifier_params params;
    enum gpuprim_type raw;
    const char *file;                             // what is classified
    const char *thresholds, *table, *cases, *map; // files of the rule, or NULL
    const char *output, *counts;                  // files of the results, or NULL
};

// The rule of a request with all that its files say.
struct classify_rule {
    struct gpuprim_classifier_params params; // its rule is one of these:
    struct classify_rules rules;
    struct tool_matrix thresholds, table, map;
    struct gpuprim_case *cases;
};

// Reads the files of the rule for elements of type `in`. Returns an exit code; whatever it is,
// the rule wants to be closed.
int classify_rule_open(const struct classify_request *request, enum gpuprim_type in,
                       struct classify_rule *rule);
void classify_rule_close(struct classify_rule *rule);

// Reads the lines "mask,value,class" of a file for elements of `bits` bits. Returns an exit
// code; the caller frees *cases.
int classify_cases_read(const char *path, unsigned bits, struct gpuprim_case **cases,
                        uint32_t *n_cases);

// Makes the numbers of a matrix those of another type, in memory that it owns. Stores what is
// wrong and returns false if one of them has no equal there.
bool classify_convert(struct tool_matrix *matrix, enum gpuprim_type type, char *why);

// From the opened file to its labels and counts. Returns an exit code.
int classify_matrix(const struct classify_request *request, const struct tool_matrix *matrix);

struct classify_results {
    struct gpuprim_array labels;   // as a row for each row of the file; NULL inside: not wanted
    const uint64_t *counts;        // or NULL
    uint64_t n_labels, n_elements; // counts, and what was counted
    double seconds;
    bool agrees;
};

void classify_print_table(const struct classify_results *results);
void classify_print_json(const struct classify_request *request,
                         const struct tool_matrix *matrix, const struct gpuprim *gp,
                         const gpuprim_classifier *classifier,
                         const struct classify_results *results);

// The whole text of gpuprim_classifier_describe, which the caller frees; NULL without memory.
char *classify_description(const gpuprim_classifier *classifier);

#endif
