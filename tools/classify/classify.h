/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of gpuprim classify share. classify.c is the subcommand, options.c has the
 * table of options, rule.c opens the files of the rule (cases.c parses CASES.csv, convert.c
 * converts numbers), call.c calls the library and print.c prints the results.
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

// The structs of all rules; only the one of the chosen kind is used.
struct classify_rules {
    struct gpuprim_thresholds thresholds;
    struct gpuprim_uniform uniform;
    struct gpuprim_table table;
    struct gpuprim_cases cases;
};

// The command line. Whatever files contain is not yet in the rule's struct and the params.
struct classify_request {
    struct tool_common common;
    enum classify_rule_kind kind;
    struct classify_rules rules;
    struct gpuprim_classifier_params params;
    enum gpuprim_type raw;
    const char *file;                     // the numbers to classify
    const char *thresholds, *table, *map; // files or numbers of the rule, or NULL
    const char *cases;                    // a file, or NULL
    const char *output, *counts;          // files of the results, or NULL
};

// A complete rule, with the content of its files.
struct classify_rule {
    struct gpuprim_classifier_params params; // points to one of `rules`
    struct classify_rules rules;
    struct tool_matrix thresholds, table, map;
    struct gpuprim_case *cases;
};

// options.c: the options.
extern const struct tool_option classify_options[];

// rule.c: reads the files of the rule for elements of type `in`. Returns an exit code; the
// caller closes the rule whatever it is.
int classify_rule_open(const struct classify_request *request, enum gpuprim_type in,
                       struct classify_rule *rule);
void classify_rule_close(struct classify_rule *rule);

// cases.c: reads the lines "mask,value,class" of a file, for elements of `bits` bits. Returns
// an exit code; the caller frees *cases.
int classify_cases_read(const char *path, unsigned bits, struct gpuprim_case **cases,
                        uint32_t *n_cases);

// convert.c: converts the numbers of a matrix to another type, in memory that the matrix owns.
// Where `rounded` is not NULL, finite numbers are rounded to the nearest of a float type, and
// *rounded counts them. Otherwise stores a message and returns false if that type does not have one
// of the numbers.
bool classify_convert(struct tool_matrix *matrix, enum gpuprim_type type, uint64_t *rounded,
                      char *why);

// call.c: classifies the numbers and writes or prints the results. Returns an exit code.
int classify_matrix(const struct classify_request *request, const struct tool_matrix *matrix);

struct classify_results {
    struct gpuprim_array labels; // laid out like the elements; base NULL = not wanted
    const uint64_t *counts;      // of each label, or NULL
    uint64_t n_labels, n_elements;
    double seconds;
    bool agrees;
};

// print.c: results as text and as JSON.
void classify_print_table(const struct classify_results *results);
void classify_print_json(const struct classify_request *request,
                         const struct tool_matrix *matrix, const gpuprim *gp,
                         const gpuprim_classifier *classifier,
                         const struct classify_results *results);

// print.c: the text of gpuprim_classifier_describe, which the caller frees; NULL if memory is
// short.
char *classify_description(const gpuprim_classifier *classifier);

#endif
