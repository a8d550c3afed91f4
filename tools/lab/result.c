/* SPDX-License-Identifier: Apache-2.0
 *
 * Fills in the result of a row, its text, its curves and its ratio, and writes times and rates
 * in units that fit them.
 */
#include "lab.h"

#include <stdarg.h>
#include <string.h>

void lab_say(struct lab_result *result, const char *format, ...)
{
    const size_t used = strlen(result->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->text + used, sizeof result->text - used, format, arguments);
    va_end(arguments);
}

double lab_ratio(const struct lab_result *result)
{
    return result->before > 0 && result->after > 0 ? result->before / result->after : 0;
}

struct lab_ratios lab_compare(const struct lab_time *before, const struct lab_time *after)
{
    static const double LEAST = 1.1, SAME = 1.2; // SAME: a difference below it may be none
    struct lab_ratios ratios = { .verdict = LAB_UNDECIDED };
    if (before->low <= 0 || after->low <= 0)
        return ratios;
    ratios.low = before->low / after->high;
    ratios.high = before->high / after->low;
    if (ratios.low > LEAST)
        ratios.verdict = LAB_FASTER;
    else if (ratios.high < 1 / LEAST)
        ratios.verdict = LAB_SLOWER;
    else if (ratios.low > 1 / SAME && ratios.high < SAME)
        ratios.verdict = LAB_SAME;
    return ratios;
}

// ---------------------------------------------------------------------------------------
// Units

// 999.5 would be written as 1000.
static const double TOO_LARGE = 999.5;

struct lab_unit lab_time_unit(double largest)
{
    static const struct lab_unit units[] = {
        { 1e12, "ps" }, { 1e9, "ns" }, { 1e6, "us" }, { 1e3, "ms" }, { 1, "s" }
    };
    unsigned i = 0;
    while (i < sizeof units / sizeof units[0] - 1 && units[i].factor * largest >= TOO_LARGE)
        i++;
    return units[i];
}

struct lab_unit lab_rate_unit(double largest)
{
    static const struct lab_unit units[] = { { 1e-6, "MB/s" },
                                             { 1e-9, "GB/s" },
                                             { 1e-12, "TB/s" } };
    unsigned i = 0;
    while (i < sizeof units / sizeof units[0] - 1 && units[i].factor * largest >= TOO_LARGE)
        i++;
    return units[i];
}

char *lab_digits(double value, char text[LAB_NUMBER])
{
    int decimals = 0; // a number such as 99.96 has three digits without decimals
    for (double below = 99.95; value < below && decimals < 6; below /= 10)
        decimals++;
    snprintf(text, LAB_NUMBER, "%.*f", value > 0 ? decimals : 0, value);
    return text;
}

char *lab_time_text(double seconds, char text[LAB_NUMBER])
{
    const struct lab_unit unit = lab_time_unit(seconds);
    const size_t used = strlen(lab_digits(unit.factor * seconds, text));
    snprintf(text + used, LAB_NUMBER - used, " %s", unit.name);
    return text;
}

// ---------------------------------------------------------------------------------------
// Sweeps

void lab_axes(struct lab_sweep *sweep, const char *x, const char *per, const char *curve,
              const char *other)
{
    sweep->x_name = x;
    sweep->per = per;
    sweep->names[0] = curve;
    sweep->names[1] = other;
    sweep->n_points = 0;
}

static struct lab_time scaled(const struct lab_time *time, double factor)
{
    return (struct lab_time){ factor * time->median, factor * time->low, factor * time->high };
}

static struct lab_time rate_of(const struct lab_time *time)
{
    if (time->low <= 0)
        return (struct lab_time){ 0 };
    return (struct lab_time){ 1 / time->median, 1 / time->high, 1 / time->low };
}

void lab_point(struct lab_sweep *sweep, double x, double items, const struct lab_time *time,
               const struct lab_time *other)
{
    const struct lab_time *times[2] = { time, other };
    for (int c = 0; c < 2 && times[c]; c++) {
        const struct lab_time each = scaled(times[c], 1 / items);
        sweep->y[c][sweep->n_points] = sweep->per ? each : rate_of(&each);
    }
    sweep->x[sweep->n_points++] = x;
}

void lab_shown(const struct lab_sweep *sweep, char unit[LAB_NUMBER],
               struct lab_time values[2][LAB_POINTS])
{
    double largest = 0;
    for (int c = 0; c < 2 && sweep->names[c]; c++)
        for (unsigned i = 0; i < sweep->n_points; i++)
            largest = sweep->y[c][i].median > largest ? sweep->y[c][i].median : largest;
    const struct lab_unit fits = sweep->per ? lab_time_unit(largest) : lab_rate_unit(largest);
    snprintf(unit, LAB_NUMBER, sweep->per ? "%s per %s" : "%s", fits.name, sweep->per);
    for (int c = 0; c < 2 && sweep->names[c]; c++)
        for (unsigned i = 0; i < sweep->n_points; i++)
            values[c][i] = scaled(&sweep->y[c][i], fits.factor);
}
