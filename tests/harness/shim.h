/* SPDX-License-Identifier: Apache-2.0
 *
 * The shim lies between gpuprim and OpenCL. It counts calls, objects, events and bytes, and
 * makes a call fail on demand. shim_calls.c stands in for OpenCL's functions, shim.c counts,
 * shim_memory.c does the same for malloc, shim_pending.c watches what the device works on, and
 * shim_answers.c changes answers.
 */
#ifndef SHIM_H
#define SHIM_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

// From now on call number `nth` (0 = the next) returns `code` and is not made. Negative: no
// call fails. Sets the counts of calls and allocations to zero, and no allocation fails.
// Releases are always made and not counted.
void shim_fail(int nth, cl_int code);
void shim_fail_run(int nth, unsigned run, cl_int code); // and those after it, `run` in all

// From now on allocation number `nth` (0 = the next) returns NULL, and no other. Negative: none
// fails. Sets their count to zero. Allocations of the driver are not counted. Those of the
// tests are, so that a test may make none between this and the call that it tests.
void shim_fail_allocation(int nth);
bool shim_allocation_failed(void);

// From now on releases are made but return `code`. CL_SUCCESS: they return what they did.
void shim_fail_releases(cl_int code);

// From now on events that are complete say that they ended with `code`. CL_SUCCESS: they tell
// the truth.
void shim_fail_events(cl_int code);

// From now on every context says that it has these devices. NULL: its own. The caller keeps the
// list while it is in use.
void shim_devices(const cl_device_id *devices, unsigned n);

unsigned shim_calls(void);                     // all but releases, since shim_fail
unsigned shim_calls_of(const char *beginning); // of those whose name begins so
unsigned shim_made(const char *beginning);     // of those, without the ones that were failed
uint64_t shim_written(void);                   // bytes of clEnqueueWriteBuffer and ...Rect
unsigned shim_events(void);                    // made by enqueueing
const char *shim_failed(void);                 // the first function that was failed, or NULL

// Puts `ours` between the shim and the driver's function `name`, and returns what was there.
// NULL puts nothing there. model.c, sources.c and shim_pending.c use it.
typedef void (*shim_function)(void);
shim_function shim_replace(const char *name, shim_function ours);

// Objects made and retained minus objects released, since the program began.
long shim_live(void);

// Bytes of the buffers among them now, and the most since shim_fail. Buffers that use the
// caller's host memory do not count.
long shim_held(void);
long shim_held_most(void);

// Calls of malloc, calloc, realloc and strdup by our own code, not the driver's, since
// shim_fail or shim_fail_allocation.
unsigned shim_allocations(void);

// Allocations of our own code minus what it freed, since the program began.
long shim_allocated(void);

// Whether to keep a list of the commands of in-order queues that no call has waited for.
void shim_watch(bool on);
unsigned shim_pending(cl_command_queue queue); // of this queue, not waited for
unsigned shim_freed_too_early(void);           // how often a pending command's memory was freed
void shim_note_free(const void *p);

#endif
