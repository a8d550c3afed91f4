/* SPDX-License-Identifier: Apache-2.0
 *
 * Times of launches and of calls of the library, by the device's events.
 */
#include "measure.h"
#include "tools/command.h"

#include <stdlib.h>

static double event_seconds(struct lab *lab, cl_event first, cl_event last)
{
    cl_ulong start = 0, end = 0;
    cl_int error =
        clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    if (!error)
        error = clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    lab_good(lab, error, "clGetEventProfilingInfo");
    return 1e-9 * (double)(end - start);
}

// The time of a call of the library, from the start of its first launch to the end of its last.
static double call_seconds(struct lab *lab, const struct lab_launch *launch)
{
    struct gp_trace trace = { .n = 0 };
    const struct gpuprim_sync sync = { .queue = lab->queue };
    double seconds = 0;
    lab->gp->trace = &trace;
    const int status = launch->call(lab, launch->context, &sync);
    lab->gp->trace = NULL;
    if (status)
        lab_fail(lab, "gpuprim: %s", gpuprim_last_error());
    lab_good(lab, clFinish(lab->queue), "clFinish");
    if (!lab->failed && trace.n)
        seconds = event_seconds(lab, trace.events[0], trace.events[trace.n - 1]);
    for (unsigned i = 0; i < trace.n; i++)
        clReleaseEvent(trace.events[i]);
    return seconds;
}

static double launch_seconds(struct lab *lab, const struct lab_launch *launch)
{
    const size_t items = (size_t)launch->items;
    cl_event event;
    double seconds = 0;
    if (launch->zeroed)
        lab_fill(lab, launch->zeroed, sizeof(cl_uint), 0);
    if (lab->failed)
        return 0;
    if (launch->call)
        return call_seconds(lab, launch);
    if (!lab_good(lab,
                  clEnqueueNDRangeKernel(lab->queue, launch->kernel, 1, NULL, &items,
                                         &launch->group, 0, NULL, &event),
                  "clEnqueueNDRangeKernel"))
        return 0;
    if (lab_good(lab, clFinish(lab->queue), "clFinish"))
        seconds = event_seconds(lab, event, event);
    clReleaseEvent(event);
    return seconds;
}

double lab_once(struct lab *lab, const struct lab_launch *launch)
{
    return launch_seconds(lab, launch);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Sorts the samples. Sets the median and the limits that enclose the median of many samples in
// 95 of 100 cases: the chance that at most k of n samples lie on one side of it is binomial.
static struct lab_time summary(double *seconds, int n)
{
    double chance = 1, sum = 0; // of exactly, and of at most `outside` samples
    int outside = 0;
    for (int i = 0; i < n; i++)
        chance /= 2;
    while (2 * (sum += chance) <= 0.05) {
        chance *= (double)(n - outside) / (outside + 1);
        outside++;
    }
    const int low = outside ? outside - 1 : 0;
    qsort(seconds, (size_t)n, sizeof *seconds, by_value);
    return (struct lab_time){ seconds[(n - 1) / 2], seconds[low], seconds[n - 1 - low] };
}

static bool is_narrow(const struct lab_time *time)
{
    return time->high <= 1.1 * time->median && time->low >= time->median / 1.1;
}

static bool is_enough(const struct lab_launch *launches, unsigned n, int rounds, double spent)
{
    static const double CLEAR = 3, SHORT_S = 0.5, LONG_S = 1.5;
    enum { FEW = 3, SOME = 5 };
    bool is_decided = true;
    if (rounds > 1 && spent > LONG_S)
        return true;
    for (unsigned i = 0; i < n; i++)
        is_decided = is_decided && is_narrow(&launches[i].time);
    if (n == 2) {
        const struct lab_ratios ratios = lab_compare(&launches[0].time, &launches[1].time);
        if (ratios.low > CLEAR || ratios.high < 1 / CLEAR)
            return rounds > 1 || spent > SHORT_S;
        is_decided = ratios.verdict != LAB_UNDECIDED;
    }
    return is_decided && (rounds >= SOME || (rounds >= FEW && spent > SHORT_S));
}

void lab_measure(struct lab *lab, struct lab_launch *launches, unsigned n)
{
    enum { ROUNDS = 31 };
    double seconds[LAB_LAUNCHES][ROUNDS] = { { 0 } };
    const double start = tool_seconds();
    int rounds = 0;
    bool is_done = false;
    while (!lab->failed && !is_done && rounds < ROUNDS) {
        for (unsigned i = 0; i < n; i++)
            seconds[i][rounds] = launch_seconds(lab, &launches[i]);
        rounds++;
        for (unsigned i = 0; i < n; i++)
            launches[i].time = summary(seconds[i], rounds);
        is_done = lab->quick || is_enough(launches, n, rounds, tool_seconds() - start);
    }
}
