/* SPDX-License-Identifier: Apache-2.0
 *
 * Contexts for tests: with a variant or a work-group size forced, on the device itself or on a
 * model of another (model.h). */
#include "model.h"
#include "variants.h"

#include <stdio.h>
#include <string.h>

gpuprim *check_context_on(struct check *check, const struct device_model *model,
                          const char *variant, unsigned work_group)
{
    gpuprim *gp = NULL;
    struct device_model told = { .name = NULL };
    const bool is_on_cpu = variant && !check_is_for_cpus(variant) && model_device_is_cpu();
    if (!model && is_on_cpu && check_is_for_gpus(variant))
        model = &model_gpu;
    if (model)
        told = *model;
    // Small groups save a CPU's compiler time. A GPU has its own, and a test may want others.
    if (work_group || !model_device_is_cpu())
        told.work_group = 0;
    const int status = model_create(&told, NULL, &gp);
    model_end();
    if (!CHECK(check, status == GPUPRIM_OK, "gpuprim_create: %s", gpuprim_last_error()))
        return NULL;
    snprintf(gp->force_variant, sizeof gp->force_variant, "%s", variant ? variant : "");
    gp->force_work_group = work_group;
    // PoCL's arrive() of kernels/common.cl is for tests.
    if (told.type == CL_DEVICE_TYPE_GPU && model_device_is_cpu())
        gp->caps.counts_arrivals = strstr(gp->caps.platform, "Portable Computing") != NULL;
    gp->build_late = true;
    gp->as_if_large = check->random >> 8 & 1; // half of the groups test large calls so
    // Half of the groups run what is for wide registers, whatever this CPU has.
    if (gp->caps.is_cpu)
        gp->caps.vector_bytes = check->random >> 9 & 1 ? 64 : 32;
    gp->build_options = is_on_cpu && !check->optimises_all ? " -cl-opt-disable" : NULL;
    return gp;
}

gpuprim *check_context(struct check *check, const char *variant, unsigned work_group)
{
    return check_context_on(check, NULL, variant, work_group);
}
