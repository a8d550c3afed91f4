/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of classify's errors share: a classifier and a call that are right, of which
 * each test spoils one thing.
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

// What differs from a classifier and a call that are right.
struct wrong {
    const char *what, *named; // what the words must name
    struct gpuprim_classifier_params params;
    struct gpuprim_array in, labels, counts;
    bool no_params, no_in, no_labels, no_counts, no_classifier;
    int expected;
};

// Right ones of each rule: 16 elements in at most 6 classes.
struct wrong right(struct fixture *f, enum gpuprim_rule rule);

// Make the classifier, or the call, and hold it against what is expected.
void bad_classifier(struct fixture *f, struct wrong w);
void bad_call(struct fixture *f, struct wrong w);

#define BAD(run, rule, change, status, words)                                                  \
    do {                                                                                       \
        struct wrong w = right(f, GPUPRIM_##rule);                                             \
        w.what = #rule ": " #change;                                                           \
        w.named = words;                                                                       \
        w.expected = GPUPRIM_##status;                                                         \
        change;                                                                                \
        run(f, w);                                                                             \
    } while (0)
#define CREATE(rule, change, status, words) BAD(bad_classifier, rule, change, status, words)
#define CALL(rule, change, status, words)   BAD(bad_call, rule, change, status, words)

// refusals.c
void classify_bad_thresholds(struct fixture *f);
void classify_bad_order(struct fixture *f);
void classify_bad_uniform(struct fixture *f);
void classify_bad_tables(struct fixture *f);
void classify_bad_cases(struct fixture *f);

#endif
