/* SPDX-License-Identifier: Apache-2.0
 *
 * What shim_calls.c, which stands in for OpenCL's functions, tells shim.c, which counts. */
#ifndef SHIM_PRIVATE_H
#define SHIM_PRIVATE_H

#include "shim.h"

// Takes a function in; `real` is where it is kept which function is called. Returns its number.
unsigned shim_add(const char *name, void *real);

// Counts a call. True if it is to fail, with shim_code().
bool shim_count_call(unsigned function);
cl_int shim_code(void);
bool shim_fails_several(void); // calls in a row

void shim_count_objects(long n);
void shim_count_event(void);
void shim_count_written(uint64_t bytes);
void shim_count_bytes(long bytes); // of buffers

// What a release returns that was made with `status`.
cl_int shim_release_status(cl_int status);

#endif
