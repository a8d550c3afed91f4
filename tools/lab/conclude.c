/* SPDX-License-Identifier: Apache-2.0
 *
 * Says in words what the times of a row mean, and runs pairs of kernels.
 */
#include <math.h>

#include "measure.h"

// Sets the share. If it is above 1, the ceilings are measured again: they may have been measured
// while the machine was busier. Returns how often the time would fit into the bound, if it
// remains above 1, and 0 otherwise.
static double set_share(struct lab *lab, const struct lab_work *work, struct lab_result *result)
{
    enum { MOST_CEILINGS = 4 };
    double share = lab_share(lab, work, result->after);
    if (share > 1 && lab->n_ceilings < MOST_CEILINGS) {
        lab_raise_ceilings(lab);
        share = lab_share(lab, work, result->after);
    }
    result->share = share > 1 ? 0 : share;
    return share > 1 ? share : 0;
}

// Says which of the two is faster and why. While other programs run, a difference must be as
// large as they can make it.
static void say_verdict(const struct lab *lab, const struct lab_ratios *ratios, double others,
                        const struct lab_reasons *reasons, struct lab_result *result)
{
    static const double LEAST_BUSY = 1.5;
    const bool cpu = lab->gp->caps.is_cpu, busy = cpu && lab_is_busy(others);
    const char *gain = cpu && reasons->cpu_gain ? reasons->cpu_gain : reasons->gain;
    const char *none = cpu ? reasons->cpu : reasons->gpu;
    char number[LAB_NUMBER], low[LAB_NUMBER], high[LAB_NUMBER];
    result->is_undecided = ratios->verdict == LAB_UNDECIDED ||
                           (busy && ratios->low < LEAST_BUSY && ratios->high > 1 / LEAST_BUSY);
    if (result->is_undecided)
        lab_say(result, "undecided: the ratio lies between %s and %s",
                lab_digits(ratios->low, low), lab_digits(ratios->high, high));
    else if (ratios->verdict == LAB_FASTER)
        lab_say(result, "%s times as fast: %s", lab_digits(lab_ratio(result), number), gain);
    else if (ratios->verdict == LAB_SLOWER)
        lab_say(result, "%s times as slow: %s", lab_digits(1 / lab_ratio(result), number),
                none);
    else
        lab_say(result, "no difference above %.0f %%: %s",
                100 * (fmax(ratios->high, 1 / ratios->low) - 1), none);
    if (result->is_undecided && busy)
        lab_say(result, ", while other programs keep %.1f of %u processors busy", others,
                lab_processors());
}

void lab_conclude(struct lab *lab, const struct lab_launch *before,
                  const struct lab_launch *after, const struct lab_work *work,
                  const struct lab_reasons *reasons, struct lab_result *result)
{
    const double others = lab_others(&lab->usage);
    result->after = after->time.median;
    if (before)
        result->before = before->time.median;
    if (lab->quick) {
        lab_say(result, before ? "both answers agree" : "the answer is right");
        return;
    }
    const double beyond = set_share(lab, work, result);
    if (before) {
        const struct lab_ratios ratios = lab_compare(&before->time, &after->time);
        say_verdict(lab, &ratios, others, reasons, result);
    } else {
        lab_say(result, "%s", reasons->gain);
    }
    if (beyond > 0)
        lab_say(
            result,
            "; no share, because the ceilings were measured too low: this is %.2g times what "
            "they allow",
            beyond);
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
    lab_measure(lab, launches, 2);
    if (!lab->failed)
        lab_conclude(lab, &launches[0], &launches[1], &pair->work, &pair->reasons, result);
}
