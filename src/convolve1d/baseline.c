/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant baseline: any call on any device, with any work-group size. It stands
 * last in the table of plan.c. Its kernel is kernels/convolve1d/baseline.cl. */
#include "convolve1d.h"

static bool fits(const gpuprim *gp, const void *call)
{
    (void)gp, (void)call;
    return true;
}

static void specialise(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key)
{
    key->work_group = gp->caps.is_cpu ? 1 : variant->work_group;
    gp_define(key, "ORDER", gp_convolve_order(gp, s->filter));
}

static void lay_out(const gpuprim *gp, const struct convolve_shape *s,
                    const struct gp_variant *variant, unsigned work_group,
                    struct convolve_layout *l)
{
    enum { CPU_SHARE = 1024 }; // a group costs a CPU more than some outputs
    (void)variant;
    l->share = gp->caps.is_cpu ? CPU_SHARE : 1;
    l->groups = gp_ceil_div(gp_ceil_div(s->rows * s->outputs, l->share), work_group);
}

static const struct convolve_ops ops = {
    .specialise = specialise,
    .lay_out = lay_out,
    .why = "no other variant takes such a call on this device",
};

const struct gp_variant gp_convolve_baseline = {
    .name = "baseline",
    .fits = fits,
    .sources = CONVOLVE_SOURCES("convolve1d/baseline.cl"),
    .work_group = 256,
    .ops = &ops,
};
