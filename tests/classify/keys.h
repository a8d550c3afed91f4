/* SPDX-License-Identifier: Apache-2.0
 *
 * Keys of a search, and the labels of the values around and between them, for tests of the search
 * methods (interpolate.c, uneven.c). */
#ifndef CLASSIFY_KEYS_H
#define CLASSIFY_KEYS_H

#include "rank.h"

// Ascending keys as ranks. `first` and `step` say in messages what they are.
struct classify_keys {
    enum gpuprim_type type;
    double first, step;
    uint32_t n;
    uint64_t *rank;
    bool are_counted; // elements are counted alone, too
};

// Both zeros are one value.
uint64_t classify_one_zero(enum gpuprim_type type, uint64_t rank);

// Labels the values around the keys and checks the labels. `closed_left`: the class is the
// number of keys that are not greater, else of those that are less. Class `wrap` has label 0.
// Returns whether gpuprim_classifier_describe says `word`.
bool classify_label_around(struct check *check, gpuprim *gp, const char *rule,
                           const struct gpuprim_classifier_params *params,
                           const struct classify_keys *keys, bool closed_left, uint32_t wrap,
                           const char *word);

// The same with the keys as THRESHOLDS.
bool classify_label_thresholds(struct check *check, gpuprim *gp,
                               const struct classify_keys *keys, bool closed_left,
                               const char *word);

#endif
