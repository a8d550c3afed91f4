/* SPDX-License-Identifier: Apache-2.0
 *
 * How many processors other programs keep busy, from the counters of Linux in /proc/stat. The
 * load average would also count this program's own last run.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lab.h"
#include "tools/command.h"

static double own_seconds(int who)
{
    struct rusage usage;
    if (getrusage(who, &usage))
        return 0;
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

// Seconds that all processors together worked, for any program or, in a virtual machine, for
// others. 0 = unknown.
static double busy_seconds(void)
{
    enum { USER, NICE, SYSTEM, IDLE, IO_WAIT, IRQ, SOFT_IRQ, STEAL, FIELDS };
    double ticks[FIELDS] = { 0 }, busy = 0;
    FILE *file = fopen("/proc/stat", "r");
    if (!file)
        return 0;
    if (fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &ticks[USER], &ticks[NICE],
               &ticks[SYSTEM], &ticks[IDLE], &ticks[IO_WAIT], &ticks[IRQ], &ticks[SOFT_IRQ],
               &ticks[STEAL]) == FIELDS)
        for (int i = 0; i < FIELDS; i++)
            busy += i == IDLE || i == IO_WAIT ? 0 : ticks[i];
    fclose(file);
    return busy / (double)sysconf(_SC_CLK_TCK);
}

double lab_others(struct lab_usage *since)
{
    static const double LEAST_S = 0.1; // the counters have steps of a hundredth of a second
    const struct lab_usage now = { .seconds = tool_seconds(),
                                   .busy = busy_seconds(),
                                   .own = own_seconds(RUSAGE_SELF) +
                                          own_seconds(RUSAGE_CHILDREN) };
    const double seconds = now.seconds - since->seconds;
    const double others = now.busy - since->busy - (now.own - since->own);
    *since = now;
    return seconds >= LEAST_S && others > 0 ? others / seconds : 0;
}

unsigned lab_processors(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}

bool lab_is_busy(double others)
{
    return others > 0.15 * lab_processors();
}
