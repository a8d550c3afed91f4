/* SPDX-License-Identifier: Apache-2.0
 *
 * What errors.c and refusals.c share: a right classifier and a right call, of which each test
 * makes one thing wrong.
 */
#ifndef CLASSIFY_ERRORS_H
#define CLASSIFY_ERRORS_H

#include "case.h"

enum { N = 16, T = 5, CANARY = 77, ENTRIES = 8 };

struct fixture {
    struct check *check;
    gpuprim *gp, *other;
    float x[N], t[T];
    uint16_t u[N];
    uint8_t labels[2 * N], table[ENTRIES];
    uint64_t counts[2 * N];
    uint32_t map[T + 1];
    struct gpuprim_case cases[4];
    enum gpuprim_comparison comparisons[17];
};

// A classifier and a call, right but for one thing.
struct wrong {
    const char *what, *named;                // what the message must name
    struct gpuprim_classifier_params params; // its rule is one of these
    struct gpuprim_thresholds thresholds;
    struct gpuprim_uniform uniform;
    struct gpuprim_table table;
    struct gpuprim_cases cases;
    struct gpuprim_rules rules;
    struct gpuprim_array in, labels, counts;
    bool no_params, no_in, no_labels, no_counts, no_classifier;
    int expected;
};

// The right ones of each rule: 16 elements in at most 6 classes.
enum rule { THRESHOLDS, UNIFORM, TABLE, CASES, RULES };
void right(struct fixture *f, enum rule rule, struct wrong *w);

// Make the classifier, or the call and its preparation, and compare the outcome with what is
// expected.
void bad_classifier(struct fixture *f, const struct wrong *w);
void bad_call(struct fixture *f, const struct wrong *w);

#define BAD(run, rule, change, status, message)                                                \
    do {                                                                                       \
        struct wrong w;                                                                        \
        right(f, rule, &w);                                                                    \
        w.what = #rule ": " #change;                                                           \
        w.named = message;                                                                     \
        w.expected = GPUPRIM_##status;                                                         \
        change;                                                                                \
        run(f, &w);                                                                            \
    } while (0)
#define CREATE(rule, change, status, message) BAD(bad_classifier, rule, change, status, message)
#define CALL(rule, change, status, message)   BAD(bad_call, rule, change, status, message)

// refusals.c
void classify_bad_thresholds(struct fixture *f);
void classify_bad_order(struct fixture *f);
void classify_bad_uniform(struct fixture *f);
void classify_bad_tables(struct fixture *f);
void classify_bad_cases(struct fixture *f);

#endif
