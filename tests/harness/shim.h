/* SPDX-License-Identifier: Apache-2.0
 *
 * Between gpuprim and OpenCL: counts calls and living objects, and fails a call on demand.
 */
#ifndef SHIM_H
#define SHIM_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

// From now on call number `nth` (0 = the next) that can fail returns `code` without being made.
// Negative: none. The counts of calls and of allocations begin anew, and no allocation fails.
// Releases do not count: they are made in any case.
void shim_fail(int nth, cl_int code);
void shim_fail_run(int nth, unsigned run, cl_int code); // and those after it, `run` in all

// From now on allocation number `nth` (0 = the next) of our own code, not of the driver, returns
// NULL; one only. Negative: none. Their count begins anew. The tests' own allocations are among
// them: none may lie between this and what is tested.
void shim_fail_allocation(int nth);
bool shim_allocation_failed(void);

// From now on releases return `code`, although they are made. CL_SUCCESS: as it is.
void shim_fail_releases(cl_int code);

// shim_answers.c: from now on events that are complete say that they ended with `code`.
// CL_SUCCESS: as it is.
void shim_fail_events(cl_int code);

// From now on every context says that it has these devices; NULL: its own. The list is the
// caller's, and stays while it is in use.
void shim_devices(const cl_device_id *devices, unsigned n);

unsigned shim_calls(void);                     // that can fail, since shim_fail
unsigned shim_calls_of(const char *beginning); // of those whose name begins so
unsigned shim_made(const char *beginning);     // of those, without the ones that were failed
uint64_t shim_written(void);                   // bytes of clEnqueueWriteBuffer and ...Rect
unsigned shim_events(void);                    // made by enqueueing
const char *shim_failed(void);                 // the first function that was failed, or NULL

// Puts `ours` between the shim and the driver's function `name` and returns what was there;
// NULL puts nothing there. tests/harness/model.c.
typedef void (*shim_function)(void);
shim_function shim_replace(const char *name, shim_function ours);

// Objects made and retained less those released, since the program began.
long shim_live(void);

// Bytes of the buffers among them, but for those in place on the host, and the most that there
// were since shim_fail.
long shim_held(void);
long shim_held_most(void);

// shim_memory.c: calls of malloc, calloc, realloc and strdup from our own code, not from the
// driver, since shim_fail or shim_fail_allocation.
unsigned shim_allocations(void);

// Of our own code: allocations less what was freed, since the program began.
long shim_allocated(void);

// shim_pending.c: from now on, or no more, commands of in-order queues are kept in mind until a
// call waits for them.
void shim_watch(bool on);
unsigned shim_pending(cl_command_queue queue); // of this queue, not waited for
unsigned shim_freed_too_early(void); // how often memory was freed that one reads or writes
void shim_note_free(const void *p);

#endif
