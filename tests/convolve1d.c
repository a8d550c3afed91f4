/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d. */
#include "check.h"

static void run(struct check *check)
{
    (void)check;
}

const struct check_suite check_convolve1d = { "convolve1d", run };
