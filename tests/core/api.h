/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of the suite `api`: tests of the public functions. api.c runs them all.
 */
#ifndef API_H
#define API_H

#include "tests/harness/check.h"

void api_reduce_run(struct check *check);  // api_reduce.c
void api_process_run(struct check *check); // api_process.c
void arrays_run(struct check *check);      // api_arrays.c
void queries_run(struct check *check);     // api_queries.c
void buffers_run(struct check *check);     // api_buffers.c
void contexts_run(struct check *check);    // api_contexts.c
void staging_run(struct check *check);     // api_staging.c
void fences_run(struct check *check);      // fences.c
void repeats_run(struct check *check);     // repeats.c
void readers_run(struct check *check);     // program/readers.c

// The work of `check --child=NAME`, which api_process.c starts. Returns the exit status.
int api_child(const char *name);

#endif
