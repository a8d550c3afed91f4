/* SPDX-License-Identifier: Apache-2.0
 *
 * Between gpuprim and OpenCL: counts calls and living objects, and fails a call on demand.
 */
#ifndef SHIM_H
#define SHIM_H

#include <CL/cl.h>
#include <stdint.h>

// From now on call number `nth` (0 = the next) that can fail returns `code` without being made;
// one call only. Negative: none. The counts of calls begin anew. Releases do not count: they
// are made in any case.
void shim_fail(int nth, cl_int code);

unsigned shim_calls(void);                     // that can fail, since shim_fail
unsigned shim_calls_of(const char *beginning); // of those whose name begins so
uint64_t shim_written(void);                   // bytes of clEnqueueWriteBuffer and ...Rect
unsigned shim_events(void);                    // made by enqueueing
const char *shim_failed(void);                 // the function that was failed, or NULL

// Puts `ours` between the shim and the driver's function `name` and returns what was there; NULL
// puts nothing there. tests/lie.c.
typedef void (*shim_function)(void);
shim_function shim_replace(const char *name, shim_function ours);

// Objects made and retained less those released, since the program began.
long shim_live(void);

// Bytes of the buffers among them, but for those in place on the host, and the most that there
// were since shim_fail.
long shim_held(void);
long shim_held_most(void);

// Calls of malloc, calloc and realloc from our own code, not from the driver, since shim_fail.
unsigned shim_allocations(void);

#endif
