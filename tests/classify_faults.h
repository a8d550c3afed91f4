/* SPDX-License-Identifier: Apache-2.0
 *
 * Classify among failing OpenCL calls.
 */
#ifndef CLASSIFY_FAULTS_H
#define CLASSIFY_FAULTS_H

#include "check.h"

// Labels and counts the i32 elements of `in`, which are packed and at `x` on the host, too.
// Returns the status of the classifier or of the call.
int classify_fault(struct check *check, gpuprim *gp, const struct gpuprim_array *in,
                   const int32_t *x, bool *right, bool *untouched);

#endif
