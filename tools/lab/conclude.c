/* SPDX-License-Identifier: Apache-2.0
 *
 * What the times of a row of the lab say.
 */
#include <string.h>

#include "lab.h"

// What may stay in the device's caches from launch to launch. CPUs name their last cache; GPUs
// may name the first of theirs, so that twice as much and 64 MiB at least are taken for it.
static double cache_bytes(const struct lab *lab)
{
    static const double LEAST_GPU = 64.0 * (1 << 20);
    const struct gp_caps *caps = &lab->gp->caps;
    cl_ulong size = 0;
    clGetDeviceInfo(lab->gp->device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof size, &size, NULL);
    if (size > caps->global_bytes / 4) // not plausible
        size = 0;
    if (caps->is_cpu)
        return (double)size;
    return 2.0 * (double)size > LEAST_GPU ? 2.0 * (double)size : LEAST_GPU;
}

double lab_share(const struct lab *lab, const struct lab_work *work, double seconds)
{
    const double read = lab->read_gbps ? work->read / lab->read_gbps : 0;
    const double copied = lab->copy_gbps ? work->copied / lab->copy_gbps : 0;
    const double flops = lab->fma_gflops ? work->flops / lab->fma_gflops : 0;
    double floor = read + copied;
    const double bytes = (work->read + work->copied) / (work->passes ? work->passes : 1);
    if (flops > floor)
        floor = flops;
    else if (bytes < cache_bytes(lab))
        return 0;
    return seconds > 0 ? 1e-9 * floor / seconds : 0;
}

void lab_axes(struct lab_sweep *sweep, const char *x, const char *y, const char *curve,
              const char *other)
{
    sweep->x_name = x;
    sweep->y_name = y;
    sweep->names[0] = curve;
    sweep->names[1] = other;
    sweep->n_points = 0;
}

void lab_point(struct lab_sweep *sweep, double x, double y0, double y1)
{
    sweep->x[sweep->n_points] = x;
    sweep->y[0][sweep->n_points] = y0;
    sweep->y[1][sweep->n_points++] = y1;
}

void lab_conclude(struct lab *lab, const struct lab_launch *before,
                  const struct lab_launch *after, const struct lab_work *work,
                  const struct lab_reasons *reasons, struct lab_result *result)
{
    static const double LEAST = 0.1, NOISE = 0.6;
    const bool cpu = lab->gp->caps.is_cpu;
    const char *gain = cpu && reasons->cpu_gain ? reasons->cpu_gain : reasons->gain;
    const char *none = cpu ? reasons->cpu : reasons->gpu;
    result->after = after->seconds;
    result->share = lab_share(lab, work, after->seconds);
    if (result->share > 1) { // the ceilings were missed, as on a machine that others use
        lab_raise_ceilings(lab);
        result->share = lab_share(lab, work, after->seconds);
    }
    if (before)
        result->before = before->seconds;
    if (lab->quick) {
        lab_say(result, "times of these sizes mean nothing");
        return;
    }
    if (!before) {
        lab_say(result, "%s", gain);
        return;
    }
    double least = before->spread > after->spread ? before->spread : after->spread;
    least = least > LEAST ? least : LEAST;
    if (before->seconds > (1 + least) * after->seconds)
        lab_say(result, "%.3g times as fast: %s", before->seconds / after->seconds, gain);
    else if (after->seconds > (1 + least) * before->seconds)
        lab_say(result, "%.3g times as long, not faster: %s", after->seconds / before->seconds,
                none);
    else if (least > NOISE)
        lab_say(result, "no telling, as the times spread by %.0f %%", 100 * least);
    else
        lab_say(result, "no difference beyond %.0f %%: %s", 100 * least, none);
}

struct lab_pair lab_pair_of(struct lab *lab, cl_kernel before, cl_kernel after, cl_mem x,
                            uint64_t items, uint64_t bytes)
{
    const struct lab_pair pair = {
        .before = { .kernel = before, .items = items, .group = lab->group },
        .after = { .kernel = after, .items = items, .group = lab->group },
        .out_before = lab_buffer(lab, bytes),
        .out_after = lab_buffer(lab, bytes),
        .bytes = bytes,
    };
    LAB_SET(lab, before, 0, LAB_ARG(x), LAB_ARG(pair.out_before));
    LAB_SET(lab, after, 0, LAB_ARG(x), LAB_ARG(pair.out_after));
    return pair;
}

void lab_pair(struct lab *lab, struct lab_pair *pair, struct lab_result *result)
{
    struct lab_launch launches[] = { pair->before, pair->after };

    // Different, so that outputs that nobody writes do not agree.
    lab_fill(lab, pair->out_before, pair->bytes, 0);
    lab_fill(lab, pair->out_after, pair->bytes, 0xffffffff);
    lab_once(lab, &launches[0]);
    lab_once(lab, &launches[1]);
    if (!lab_same(lab, pair->out_before, pair->out_after, pair->bytes))
        lab_fail(lab, "before and after differ");
    lab_time(lab, launches, 2);
    if (!lab->failed)
        lab_conclude(lab, &launches[0], &launches[1], &pair->work, &pair->reasons, result);
}
