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

void lab_time(struct lab *lab, struct lab_launch *launches, unsigned n)
{
    enum { ROUNDS = 9, LAUNCHES = 12 };
    // Two rounds always run. No round follows the second after LONG_S, or the third after
    // BUDGET_S.
    static const double BUDGET_S = 0.5, LONG_S = 1;
    double seconds[LAUNCHES][ROUNDS] = { { 0 } };
    const double start = tool_seconds();
    int rounds = 0;
    while (!lab->failed && rounds < (lab->quick ? 1 : ROUNDS)) {
        for (unsigned i = 0; i < n; i++)
            seconds[i][rounds] = launch_seconds(lab, &launches[i]);
        rounds++;
        const double spent = tool_seconds() - start;
        if ((rounds >= 2 && spent > LONG_S) || (rounds >= 3 && spent > BUDGET_S))
            break;
    }
    for (unsigned i = 0; i < n && rounds; i++) {
        qsort(seconds[i], (size_t)rounds, sizeof(double), by_value);
        const double low = seconds[i][rounds / 4], high = seconds[i][rounds - 1 - rounds / 4];
        launches[i].seconds = seconds[i][(rounds - 1) / 2];
        launches[i].spread = launches[i].seconds > 0 ? (high - low) / launches[i].seconds : 0;
    }
}
