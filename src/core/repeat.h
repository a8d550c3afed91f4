/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that repeat an earlier one, but for the places of their arrays (repeat.c, kept.c).
 */
#ifndef GP_REPEAT_H
#define GP_REPEAT_H

#include "array.h"
#include "call.h"

enum {
    GP_REPEATS = 4,
    GP_REPEAT_ARRAYS = 3,
    GP_REPEAT_ARGUMENTS = 8,
    GP_REPEAT_PARAM_BYTES = 64,
    GP_REPEAT_VALUE_BYTES = 1024, // scalars, and what variants pass besides
};

// Says which arguments of a kernel differ between such calls, and where in the scalars.
struct gp_repeat_form {
    unsigned scalars; // the argument that is a struct of scalars
    size_t scalar_bytes;
    // In the order of gp_again.arrays: the argument for the memory, and where the scalars have
    // the array's first element, a cl_long.
    struct {
        unsigned argument;
        size_t first_at;
    } arrays[GP_REPEAT_ARRAYS];
    unsigned signals; // the argument for the memory of gp_call_signals
    // Where the scalars have the launch's number, a cl_ulong, and the slot of a ticket, a cl_uint;
    // and the last number for which there is a ticket.
    size_t launch_at, slot_at;
    cl_ulong last_launch;
};

// What the caller of a primitive gave.
struct gp_again {
    struct gp_repeats *kept; // of the primitive's object, or of the context
    const struct gp_repeat_form *form;
    const struct gpuprim_array *arrays[GP_REPEAT_ARRAYS]; // NULL: not given
    const void *lasting; // an argument's value that lives as long as `kept` does, or NULL
    const void *params;  // compared as bytes
    size_t param_bytes;
    // Not 0: the plan holds only where arrays[0] lies by a multiple of so many bytes further.
    uint64_t step_bytes;
};

// A call, with its launch.
struct gp_repeat {
    const struct gp_repeat_form *form; // NULL: there is none
    struct gpuprim_array given[GP_REPEAT_ARRAYS];
    bool is_given[GP_REPEAT_ARRAYS];
    unsigned char params[GP_REPEAT_PARAM_BYTES];
    uint64_t step_bytes;
    // Its arrays, where they lay last, and how far from `first` kernels see the first element.
    struct gp_array arrays[GP_REPEAT_ARRAYS];
    int64_t offset[GP_REPEAT_ARRAYS];
    cl_kernel kernel;
    uint64_t groups;
    unsigned work_group, n;
    unsigned changing;   // arguments that differ from call to call: a bit for each
    size_t signal_bytes; // 0: it has no memory for signals
    bool has_ticket;
    struct gp_argument arguments[GP_REPEAT_ARGUMENTS];
    _Alignas(16) unsigned char values[GP_REPEAT_VALUE_BYTES]; // of arguments, but what lasts
};

// The newest ones. The context's lock guards them.
struct gp_repeats {
    struct gp_repeat entries[GP_REPEATS];
    unsigned next; // is replaced next
};

// Makes the call and gives its status, if it repeats one that is kept. False: it does not, or
// something is wrong with it, and the caller goes on as if nothing had been asked. The lock is
// not held.
bool gp_repeat(gpuprim *gp, const struct gp_again *again, const struct gpuprim_sync *sync,
               int *status);

static inline unsigned char *gp_repeat_scalars(struct gp_repeat *r)
{
    return (unsigned char *)r->arguments[r->form->scalars].value;
}

// kept.c. For gp_launch: keeps call->again with its only launch, which was enqueued just now.
void gp_repeat_keep(struct gp_call *call, cl_kernel kernel, uint64_t groups,
                    unsigned work_group, const struct gp_argument *arguments, unsigned n);

#endif
