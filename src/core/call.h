/* SPDX-License-Identifier: Apache-2.0
 *
 * A call on its way to the device: its scratch memory (scratch.c), its launches and its end
 * (launch.c).
 */
#ifndef GP_CALL_H
#define GP_CALL_H

#include "error.h"

struct gp_again;

// From GP_RESULTS on it is staging memory: host arrays on their way, within the caller's limit.
enum gp_scratch_use {
    GP_PARTIALS,   // behind GP_MAX_COUNTERS counters
    GP_SIGNALS,    // words that tell in which launch they were written
    GP_SEGMENTS,   // of Fourier transforms
    GP_TRANSPOSED, // columns that became rows, and what will become columns or rows
    GP_RESULTS,
    GP_READBACK, // results that kernels write to host memory
    GP_ADDENDS,  // results that will be added to those of a host array
    GP_STAGING,  // two halves that take turns: one is filled while a launch reads the other
    GP_STAGING_2,
    GP_SCRATCH_USES
};

// GP_PARTIALS begins with this many counters of 32 bits. They are zero when a launch begins and
// when it ends. So a launch that needs both has one buffer less, which takes 0.2 us of 4 (H200,
// driver 580.159.04, 2026-11-23).
enum { GP_MAX_COUNTERS = 4096 };

// What one call in flight holds, or the calls of an in-order queue. It is free when `busy` is
// false, `queue` is NULL, and `done` is NULL or complete.
struct gp_scratch {
    cl_mem memory[GP_SCRATCH_USES];
    size_t bytes[GP_SCRATCH_USES];
    cl_uint launch;         // the newest number of a launch with GP_SIGNALS
    cl_ulong ticket;        // the newest number of a launch with a ticket; both count apart
    cl_command_queue queue; // all launches that use the memory are in this one, in their order
    cl_event done;          // the last launch that uses the memory, or a marker behind it
    bool busy;              // a call is being enqueued or waited for
};
enum { GP_SCRATCH_SLOTS = 32 };

// What a launch needs to use the memory that its program has for signals (kernels/tickets.cl): a
// slot, which has a part of that memory, and a number that no launch of the slot had before.
struct gp_ticket {
    cl_ulong launch; // from 1 on; 0: it has no ticket
    cl_uint slot;
};

struct gp_call {
    gpuprim *gp;
    const struct gpuprim_sync *sync; // NULL = blocking
    cl_command_queue queue;
    bool out_of_order;  // chain the launches by events
    bool enqueued;      // at least one command was enqueued
    bool staged;        // pieces take turns in the staging memory: launches leave events
    unsigned half;      // of the staging memory: the one that the next piece takes
    cl_event reader[2]; // the last launch that reads each half, or NULL
    struct gp_scratch *scratch; // NULL = the call has used none
    struct gp_scratch own;      // instead of a slot, where none is free
    cl_event last;              // the newest launch, where an event of it is needed
    cl_uint n_wait;             // what the first launch waits for
    const cl_event *wait;
    const struct gp_again *again;    // how the call may be repeated (repeat.c), or NULL
    unsigned launches, scratch_uses; // uses: a bit for each
    size_t signal_bytes;
    bool has_ticket;
};

struct gp_argument {
    const void *value;
    size_t size;
    bool is_svm; // value is the pointer itself
};

// scratch.c. A slot that nothing uses, or NULL. With a queue that keeps the order of its launches:
// the slot that it uses already, if there is one.
struct gp_scratch *gp_scratch_take(gpuprim *gp, cl_command_queue in_order);

// Notes what uses a slot: the launches that a queue has so far, and those that follow if it keeps
// their order; or those up to an event.
void gp_scratch_use(struct gp_scratch *slot, cl_command_queue in_order, cl_event done);

// Releases all memory of a slot.
void gp_scratch_drop(struct gp_scratch *slot);

// Releases the staging memory of a slot beyond what is kept for the next call.
void gp_scratch_trim(struct gp_scratch *slot);

// Releases all slots of a context.
void gp_scratch_release(gpuprim *gp);

// Begins a call: checks *sync, takes the lock. On success gp_call_end must
// follow, on failure nothing is held.
int gp_call_begin(gpuprim *gp, const struct gpuprim_sync *sync, struct gp_call *call);

// Lets other calls in while this one waits for the device; it keeps its scratch.
void gp_call_unlock(struct gp_call *call);
void gp_call_lock(struct gp_call *call);

// Waits for all that is enqueued. The lock must not be held.
int gp_call_finish(struct gp_call *call);

// Ends a call, with the lock held: hands out the event, and frees slot and lock. On failure
// nothing of the call uses its host memory any more. `status` is passed through.
int gp_call_end(struct gp_call *call, int status);

// A call that has nothing to compute: checks *sync, and gives it its event.
int gp_call_nothing(gpuprim *gp, const struct gpuprim_sync *sync);

// scratch.c. At least `bytes` of scratch memory of one use. Memory that is too small is
// replaced.
int gp_call_memory(struct gp_call *call, enum gp_scratch_use use, size_t bytes, cl_mem *out);

// Memory for the signals of one launch, and the launch's number. No word of the memory has it.
int gp_call_signals(struct gp_call *call, size_t bytes, cl_mem *out, cl_uint *launch);

// A ticket for the launch that follows, with a number up to `last`. False: no slot is free, or its
// numbers are used up. The call holds a slot then, too.
bool gp_call_ticket(struct gp_call *call, cl_ulong last, struct gp_ticket *out);

// Sets arguments, and enqueues `groups` groups. `last`: no launch of this call follows.
int gp_launch(struct gp_call *call, cl_kernel kernel, uint64_t groups, unsigned work_group,
              const struct gp_argument *arguments, unsigned n_arguments, bool last);

// The two parts of it.
int gp_set_argument(cl_kernel kernel, unsigned i, const struct gp_argument *argument);
int gp_enqueue(struct gp_call *call, cl_kernel kernel, uint64_t groups, unsigned work_group,
               bool last);

#endif
