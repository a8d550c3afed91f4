/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that repeat an earlier one, but for the places of their arrays. Most calls do: of the
 * frames of a video, of blocks of sound, of rows of a batch. What such a call enqueues is known
 * but for the memory and the first element of each array. So the earlier call leaves its launch
 * here, and this one is not checked in full, planned, and laid out again.
 *
 * Nothing that a caller can get wrong is passed over: arrays are the same but for base and first,
 * and whether they lie in their memory, or overlap, is found out anew. Where anything is wrong
 * the call goes the long way, which says what it is.
 *
 * Kept are calls on device arrays that are one launch, without scratch memory but for signals.
 *
 * The time of a small call among many is the host's. A driver's launch takes some 4 us and leaves
 * little of a library in the cache of instructions. A call that repeats another one touches 68 of
 * its lines, the long way 155 (callgrind, labels of u8). docs/measurements/calls.md has what that
 * gains. */
#include "core.h"

#include <stddef.h>
#include <string.h>

// ---------------------------------------------------------------------------------------
// Repeating

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
    return !again->params || memcmp(r->params, again->params, again->param_bytes) == 0;
}

static unsigned char *scalars_of(struct gp_repeat *r)
{
    return (unsigned char *)r->arguments[r->form->scalars].value;
}

// Moves the arrays to where this call has them. False where one does not lie in its memory, or
// overlaps another, or where the plan does not hold.
static bool move_arrays(const gpuprim *gp, struct gp_repeat *r, const struct gp_again *again)
{
    if (r->step_bytes &&
        (again->arrays[0]->first - r->given[0].first) * r->arrays[0].size % r->step_bytes)
        return false;
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
        memcpy(scalars_of(r) + r->form->arrays[i].first_at, &first, sizeof first);
        r->arguments[r->form->arrays[i].argument] =
            a->memory == GPUPRIM_SVM ? (struct gp_argument){ a->base, 0, true }
                                     : (struct gp_argument){ &a->base, sizeof(cl_mem), false };
    }
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
        memcpy(scalars_of(r) + r->form->launch_at, &number, sizeof number);
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
    if (!r || !move_arrays(gp, r, again)) {
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

// ---------------------------------------------------------------------------------------
// Keeping

// The call's arrays. False: one has no elements, or is on the host.
static bool take_arrays(const gpuprim *gp, const struct gp_again *again, struct gp_repeat *r)
{
    for (unsigned i = 0; i < GP_REPEAT_ARRAYS; i++) {
        const struct gpuprim_array *array = again->arrays[i];
        r->is_given[i] = array != NULL;
        if (!array)
            continue;
        r->given[i] = *array;
        if (array->memory == GPUPRIM_HOST ||
            gp_array_resolve(gp, array, "", true, &r->arrays[i]) ||
            r->arrays[i].low == r->arrays[i].high)
            return false;
        cl_long first;
        memcpy(&first, scalars_of(r) + r->form->arrays[i].first_at, sizeof first);
        r->offset[i] = first - r->arrays[i].first;
    }
    return true;
}

// Copies the arguments and their values. False: they are too many bytes.
static bool take_arguments(struct gp_repeat *r, const struct gp_argument *arguments, unsigned n)
{
    enum { ALIGNMENT = 16 };
    size_t used = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct gp_argument *a = &arguments[i];
        r->arguments[i] = *a;
        if (!a->value || a->is_svm)
            continue;
        if (a->size > sizeof r->values - used)
            return false;
        r->arguments[i].value = memcpy(r->values + used, a->value, a->size);
        used += (a->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return true;
}

void gp_repeat_keep(struct gp_call *call, cl_kernel kernel, uint64_t groups,
                    unsigned work_group, const struct gp_argument *arguments, unsigned n)
{
    gpuprim *gp = call->gp;
    const struct gp_again *again = call->again;
    const struct gp_repeat_form *form = again->form;
    struct gp_repeats *kept = again->kept;
    struct gp_repeat *r = &kept->entries[kept->next];
    if (gp->force_variant[0] || gp->force_work_group ||
        (call->scratch_uses & ~(1u << GP_SIGNALS)) || n > GP_REPEAT_ARGUMENTS ||
        n <= form->scalars || arguments[form->scalars].size != form->scalar_bytes)
        return; // the last one is another kernel's
    if (gp->set_by == r)
        gp->set_by = NULL;
    *r = (struct gp_repeat){ .kernel = kernel,
                             .groups = groups,
                             .work_group = work_group,
                             .n = n,
                             .step_bytes = again->step_bytes,
                             .signal_bytes = call->signal_bytes };
    if (again->params)
        memcpy(r->params, again->params, again->param_bytes);
    if (!take_arguments(r, arguments, n))
        return;
    r->form = form;
    r->changing = 1u << form->scalars | (r->signal_bytes ? 1u << form->signals : 0);
    for (unsigned i = 0; i < GP_REPEAT_ARRAYS; i++)
        r->changing |= again->arrays[i] ? 1u << form->arrays[i].argument : 0;
    if (take_arrays(gp, again, r))
        kept->next = (kept->next + 1) % GP_REPEATS;
    else
        r->form = NULL;
}
