/* SPDX-License-Identifier: Apache-2.0
 *
 * Says in words what the times of a row mean, and runs pairs of kernels.
 */
#include "measure.h"

void lab_conclude(struct lab *lab, const struct lab_launch *before,
                  const struct lab_launch *after, const struct lab_work *work,
                  const struct lab_reasons *reasons, struct lab_result *result)
{
    // A difference counts from LEAST on. Times that spread by more than NOISE decide nothing.
    static const double LEAST = 0.1, NOISE = 0.6;
    const bool cpu = lab->gp->caps.is_cpu;
    const char *gain = cpu && reasons->cpu_gain ? reasons->cpu_gain : reasons->gain;
    const char *none = cpu ? reasons->cpu : reasons->gpu;
    result->after = after->seconds;
    result->share = lab_share(lab, work, after->seconds);
    // A share above 1: the ceilings were measured too low, for instance on a busy machine.
    if (result->share > 1) {
        lab_raise_ceilings(lab);
        result->share = lab_share(lab, work, after->seconds);
    }
    if (before)
        result->before = before->seconds;
    if (lab->quick) {
        lab_say(result, "times of such small sizes mean nothing");
        return;
    }
    if (!before) {
        lab_say(result, "%s", gain);
        return;
    }
    double least = before->spread > after->spread ? before->spread : after->spread;
    least = least > LEAST ? least : LEAST;
    if (before->seconds > (1 + least) * after->seconds)
        lab_say(result, "%.3g times as fast: %s", lab_ratio(result), gain);
    else if (after->seconds > (1 + least) * before->seconds)
        lab_say(result, "slower, only %.3g times as fast: %s", lab_ratio(result), none);
    else if (least > NOISE)
        lab_say(result, "undecided, because the times spread by %.0f %%", 100 * least);
    else
        lab_say(result, "no difference above %.0f %%: %s", 100 * least, none);
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

    // Different values, so that outputs that no kernel writes do not compare equal.
    lab_fill(lab, pair->out_before, pair->bytes, 0);
    lab_fill(lab, pair->out_after, pair->bytes, 0xffffffff);
    lab_once(lab, &launches[0]);
    lab_once(lab, &launches[1]);
    if (!lab_same(lab, pair->out_before, pair->out_after, pair->bytes))
        lab_fail(lab, "the results of before and after differ");
    lab_time(lab, launches, 2);
    if (!lab->failed)
        lab_conclude(lab, &launches[0], &launches[1], &pair->work, &pair->reasons, result);
}
