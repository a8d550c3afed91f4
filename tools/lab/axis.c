/* SPDX-License-Identifier: Apache-2.0
 *
 * Axes of the lab's plots.
 */
#include "axis.h"

#include <math.h>

static double largest(const double *values, unsigned n)
{
    double most = 0;
    for (unsigned i = 0; i < n; i++)
        most = fmax(most, values[i]);
    return most > 0 ? most : 1;
}

static double smallest(const double *values, unsigned n)
{
    double least = largest(values, n);
    for (unsigned i = 0; i < n; i++)
        if (values[i] > 0)
            least = fmin(least, values[i]);
    return least;
}

static void add_tick(struct lab_axis *axis, double value)
{
    if (axis->n_ticks < LAB_TICKS)
        axis->ticks[axis->n_ticks++] = value;
}

// The next of the numbers 1, 2, 5, 10, 20, 50 ... times any power of ten, not below `value`.
static double round_up(double value)
{
    const double power = pow(10, floor(log10(value))), digit = value / power;
    static const double SLACK = 1 + 1e-9;
    return power * (digit <= SLACK ? 1 : digit <= 2 * SLACK ? 2 : digit <= 5 * SLACK ? 5 : 10);
}

struct lab_axis lab_axis_steps(const double *values, unsigned n)
{
    enum { STEPS = 5 };
    const double most = largest(values, n), step = round_up(most / STEPS);
    struct lab_axis axis = { .high = step * ceil(most / step - 1e-9) };
    for (int i = 0; i * step <= axis.high * (1 + 1e-9); i++)
        add_tick(&axis, i * step);
    return axis;
}

struct lab_axis lab_axis_factors(const double *values, unsigned n)
{
    struct lab_axis axis = { .is_log = true,
                             .low = smallest(values, n),
                             .high = largest(values, n) };
    for (double at = axis.low; at > 0;) {
        double next = 0;
        add_tick(&axis, at);
        for (unsigned i = 0; i < n; i++)
            if (values[i] > at && (next == 0 || values[i] < next))
                next = values[i];
        at = next;
    }
    return axis;
}

struct lab_axis lab_axis_values(const double *values, unsigned n)
{
    static const double FAR = 8;
    const double least = smallest(values, n), most = largest(values, n);
    if (most < FAR * least)
        return lab_axis_steps(values, n);
    struct lab_axis axis = { .is_log = true, .high = round_up(most) };
    // The largest round number that is not above the least value.
    for (axis.low = round_up(least / 2.5); round_up(1.01 * axis.low) <= least;)
        axis.low = round_up(1.01 * axis.low);
    const bool by_tens = most > 1000 * least;
    if (by_tens)
        axis.low = pow(10, floor(log10(least)));
    for (double at = axis.low; at <= axis.high * (1 + 1e-9);
         at = by_tens ? 10 * at : round_up(1.01 * at))
        add_tick(&axis, at);
    return axis;
}

double lab_axis_place(const struct lab_axis *axis, double value)
{
    double part = 0;
    if (!axis->is_log && axis->high > axis->low)
        part = (value - axis->low) / (axis->high - axis->low);
    else if (axis->high > axis->low && value > 0)
        part = log(value / axis->low) / log(axis->high / axis->low);
    return axis->from + part * (axis->to - axis->from);
}
