/* SPDX-License-Identifier: Apache-2.0
 *
 * What `check --bench` measures of convolve1d. */
#include "bench.h"

void bench_convolve1d(struct bench *b);

void bench_convolve1d(struct bench *b)
{
    (void)b;
}
