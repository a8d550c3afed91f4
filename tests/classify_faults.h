/* SPDX-License-Identifier: Apache-2.0
 *
 * Classify among failing OpenCL calls.
 */
#ifndef CLASSIFY_FAULTS_H
#define CLASSIFY_FAULTS_H

#include "check.h"

// Labels and counts n elements. Returns the status of the classifier or of the call.
int classify_fault(struct check *check, gpuprim *gp, const int32_t *x, uint64_t n, bool *right,
                   bool *untouched);

#endif
