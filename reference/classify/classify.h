/* SPDX-License-Identifier: Apache-2.0
 *
 * What gpuprim_classify must give by the text of gpuprim.h: linear scans and chains of
 * comparisons in plain C. All arrays, also those of the params, are host arrays. It shares no
 * code with the library. The tests and `gpuprim classify --check` compare with this.
 */
#ifndef CLASSIFY_REFERENCE_H
#define CLASSIFY_REFERENCE_H

#include <stdbool.h>

#include <gpuprim/gpuprim.h>

// THRESHOLDS and UNIFORM: how many classes there are, before a map. 0 with other rules.
uint64_t classify_reference_classes(const struct gpuprim_classifier_params *params);

// One more than the largest label that the params name, whether an element can get it or not;
// and whether they can leave an element of `type` without a label.
uint64_t classify_reference_labels(const struct gpuprim_classifier_params *params);
bool classify_reference_rejects(const struct gpuprim_classifier_params *params,
                                enum gpuprim_type type);

// UNIFORM: fills `edges`, bins + 1 elements of the input's type. False where the edges do not
// ascend or one lies beyond the type; then `edges` may be unfinished.
bool classify_reference_edges(const struct gpuprim_uniform *params,
                              const struct gpuprim_array *edges);

// Writes the label of each element of `in`, row after row without gaps; GPUPRIM_REJECT: none.
// False where there is no memory.
bool classify_reference(const struct gpuprim_classifier_params *params,
                        const struct gpuprim_array *in, uint32_t *labels);

// Whether labels and counts are right; one of them may be NULL. If not, `why` names the first
// element that is wrong. Where the call accumulated, `before` has what the counts were, in an
// array like counts; else it is NULL.
bool classify_reference_agrees(const struct gpuprim_classifier_params *params,
                               const struct gpuprim_array *in,
                               const struct gpuprim_array *labels,
                               const struct gpuprim_array *counts,
                               const struct gpuprim_array *before, char *why, size_t size);

#endif
