/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that repeat an earlier one, but for the places of their arrays. Most calls do: of the
 * frames of a video, of blocks of sound, of rows of a batch. What such a call enqueues is known
 * but for the memory and the first element of each array. So the earlier call leaves its
 * launch here (kept.c), and this one is not checked in full, planned, and laid out again.
 *
 * Nothing that a caller can get wrong is passed over. Arrays are the same but for base and
 * first. Whether they lie in their memory, or overlap, is found out anew. Where anything is
 * wrong the call goes the long way, which says what it is.
 *
 * The time of a small call among many is the host's. A driver's launch takes some 4 us and
 * leaves little of a library in the cache of instructions. A call that repeats another one
 * touches 66 of its lines, the long way 155 (callgrind, labels of u8).
 * docs/measurements/calls.md has what that gains. */
#include "core.h"

#include <stddef.h>
#include <string.h>

static bool is_same_array(const struct gpuprim_array *a, const struct gpuprim_array *b)
{
    enum {
        PLACE = offsetof(struct gpuprim_array, base), // base and first
        SHAPE = offsetof(struct gpuprim_array, count)
    };
    return memcmp(a, b, PLACE) == 0 &&
           memcmp((const char *)a + SHAPE, (const char *)b + SHAPE, sizeof *a - SHAPE) == 0;
}

static bool is_same_call(const struct gp_repeat *r, const struct gp_again *again)
{
    if (r->form != again->form)
        return false;
    for (unsigned i = 0; i < GP_REPEAT_ARRAYS; i++) {
        const struct gpuprim_array *array = again->arrays[i];
        if (r->is_given[i] != (array != NULL) || (array && !is_same_array(&r->given[i], array)))
            return false;
    }
    if (again->params && memcmp(r->params, again->params, again->param_bytes) != 0)
        return false;
    return !r->step_bytes ||
           (again->arrays[0]->first - r->given[0].first) * r->arrays[0].size % r->step_bytes ==
               0;
}

// Moves the arrays to where this call has them. False where one does not lie in its memory, or
// overlaps another. Then some have moved, which does no harm: the next call moves them all.
static bool move_arrays(const gpuprim *gp, struct gp_repeat *r, const struct gp_again *again)
{
    for (unsigned i = 0; i < GP_REPEAT_ARRAYS; i++) {
        const struct gpuprim_array *array = again->arrays[i];
        struct gp_array *a = &r->arrays[i];
        if (!array)
            continue;
        if (!gp_array_move(gp, a, array->base, array->first))
            return false;
        for (unsigned k = 0; k < i; k++)
            if (r->is_given[k] && gp_arrays_overlap(&r->arrays[k], a))
                return false;
        const cl_long first = a->first + r->offset[i];
        memcpy(gp_repeat_scalars(r) + r->form->arrays[i].first_at, &first, sizeof first);
        r->arguments[r->form->arrays[i].argument] =
            a->memory == GPUPRIM_SVM ? (struct gp_argument){ a->base, 0, true }
                                     : (struct gp_argument){ &a->base, sizeof(cl_mem), false };
    }
    return true;
}

// False: it needs a ticket, and there is none.
static bool take_ticket(struct gp_call *call, struct gp_repeat *r)
{
    struct gp_ticket ticket;
    if (!r->has_ticket)
        return true;
    if (!gp_call_ticket(call, r->form->last_launch, &ticket))
        return false;
    memcpy(gp_repeat_scalars(r) + r->form->launch_at, &ticket.launch, sizeof ticket.launch);
    memcpy(gp_repeat_scalars(r) + r->form->slot_at, &ticket.slot, sizeof ticket.slot);
    return true;
}

static int launch(struct gp_call *call, struct gp_repeat *r)
{
    cl_mem signals;
    if (r->signal_bytes) {
        cl_uint number;
        const int status = gp_call_signals(call, r->signal_bytes, &signals, &number);
        if (status)
            return status;
        const cl_ulong launch = number;
        memcpy(gp_repeat_scalars(r) + r->form->launch_at, &launch, sizeof launch);
        r->arguments[r->form->signals].value = &signals;
    }
    const unsigned set = call->gp->set_by == r ? r->changing : ~0u;
    int status = GPUPRIM_OK;
    call->gp->set_by = NULL;
    for (unsigned i = 0; !status && i < r->n; i++)
        if (set >> i & 1)
            status = gp_set_argument(r->kernel, i, &r->arguments[i]);
    if (!status)
        status = gp_enqueue(call, r->kernel, r->groups, r->work_group, true);
    call->gp->set_by = status ? NULL : r;
    return status;
}

bool gp_repeat(gpuprim *gp, const struct gp_again *again, const struct gpuprim_sync *sync,
               int *status)
{
    struct gp_call call;
    // Tests force one variant after another.
    if (!gp || gp_is_forked() || gp->force_variant[0] || gp->force_work_group ||
        gp_call_begin(gp, sync, &call))
        return false;
    struct gp_repeat *r = NULL;
    for (unsigned i = 0; !r && i < GP_REPEATS; i++)
        if (is_same_call(&again->kept->entries[i], again))
            r = &again->kept->entries[i];
    if (!r || !move_arrays(gp, r, again) || !take_ticket(&call, r)) {
        if (call.scratch) // which take_ticket took, and nothing uses
            call.scratch->busy = false;
        gp_call_unlock(&call);
        return false;
    }
    *status = launch(&call, r);
    if (!*status && !sync) {
        gp_call_unlock(&call);
        *status = gp_call_finish(&call);
        gp_call_lock(&call);
    }
    *status = gp_call_end(&call, *status);
    return true;
}
