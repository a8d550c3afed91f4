/* SPDX-License-Identifier: Apache-2.0
 *
 * What the times of a row of the lab say.
 */
#include <string.h>

#include "lab.h"

double lab_share(const struct lab *lab, const struct lab_work *work, double seconds)
{
    const double read = lab->read_gbps ? work->read / lab->read_gbps : 0;
    const double copied = lab->copy_gbps ? work->copied / lab->copy_gbps : 0;
    const double flops = lab->fma_gflops ? work->flops / lab->fma_gflops : 0;
    double floor = read + copied;
    if (flops > floor)
        floor = flops;
    return seconds > 0 ? 1e-9 * floor / seconds : 0;
}

void lab_conclude(const struct lab *lab, double before, double after,
                  const struct lab_work *work, const struct lab_reasons *reasons,
                  struct lab_result *result)
{
    const char *why = lab->gp->caps.is_cpu ? reasons->cpu : reasons->gpu;
    result->before = before;
    result->after = after;
    result->share = lab_share(lab, work, after);
    if (lab->quick || before <= 0 || after <= 0)
        lab_say(result, "%s", lab->quick ? "times of these sizes mean nothing" : reasons->gain);
    else if (after < 0.9 * before)
        lab_say(result, "%.3g times as fast: %s", before / after, reasons->gain);
    else if (after > 1.1 * before)
        lab_say(result, "%.3g times as long, not faster: %s", after / before, why);
    else
        lab_say(result, "no difference: %s", why);
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
        lab_conclude(lab, launches[0].seconds, launches[1].seconds, &pair->work, &pair->reasons,
                     result);
}
