/* SPDX-License-Identifier: Apache-2.0
 *
 * What a call leaves for those that repeat it (repeat.c): itself, and its launch. A call is
 * kept if it is one launch on device arrays and needs no scratch memory but for signals. */
#include "core.h"

#include <stddef.h>
#include <string.h>

// The call's arrays. False: one has no elements.
static bool take_arrays(const gpuprim *gp, const struct gp_again *again, struct gp_repeat *r)
{
    for (unsigned i = 0; i < GP_REPEAT_ARRAYS; i++) {
        const struct gpuprim_array *array = again->arrays[i];
        r->is_given[i] = array != NULL;
        if (!array)
            continue;
        r->given[i] = *array;
        if (gp_array_resolve(gp, array, "", true, &r->arrays[i]) ||
            r->arrays[i].low == r->arrays[i].high)
            return false;
        cl_long first;
        memcpy(&first, gp_repeat_scalars(r) + r->form->arrays[i].first_at, sizeof first);
        r->offset[i] = first - r->arrays[i].first;
    }
    return true;
}

// Copies the arguments, and their values but for one that lasts. False: they are too many
// bytes.
static bool take_arguments(struct gp_repeat *r, const struct gp_argument *arguments, unsigned n,
                           const void *lasting)
{
    enum { ALIGNMENT = 16 };
    size_t used = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct gp_argument *a = &arguments[i];
        r->arguments[i] = *a;
        if (!a->value || a->is_svm || a->value == lasting)
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
        return; // an argument of another size means another kernel
    for (unsigned i = 0; i < GP_REPEAT_ARRAYS; i++)
        if (again->arrays[i] && again->arrays[i]->memory == GPUPRIM_HOST)
            return;
    memset(r, 0, offsetof(struct gp_repeat, values));
    r->kernel = kernel;
    r->groups = groups;
    r->work_group = work_group;
    r->n = n;
    r->step_bytes = again->step_bytes;
    r->signal_bytes = call->signal_bytes;
    r->has_ticket = call->has_ticket;
    if (again->params)
        memcpy(r->params, again->params, again->param_bytes);
    if (!take_arguments(r, arguments, n, again->lasting))
        return;
    r->form = form;
    r->changing = 1u << form->scalars | (r->signal_bytes ? 1u << form->signals : 0);
    for (unsigned i = 0; i < GP_REPEAT_ARRAYS; i++)
        r->changing |= again->arrays[i] ? 1u << form->arrays[i].argument : 0;
    if (!take_arrays(gp, again, r)) {
        r->form = NULL;
        return;
    }
    kept->next = (kept->next + 1) % GP_REPEATS;
    gp->set_by = r; // its arguments were set for this launch
}
