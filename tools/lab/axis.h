/* SPDX-License-Identifier: Apache-2.0
 *
 * Axes of the lab's plots: what an axis covers, where its ticks are, and where a value lies.
 */
#ifndef GP_LAB_AXIS_H
#define GP_LAB_AXIS_H

#include <stdbool.h>

enum { LAB_TICKS = 16 };
struct lab_axis {
    bool is_log;
    double low, high; // values
    double from, to;  // where these lie in the picture; the caller sets them
    double ticks[LAB_TICKS];
    unsigned n_ticks; // ascending
};

// Axes for a parameter that grows by steps, with round ticks from 0; for one that grows by
// factors, with a tick at each value; and for measured values, which is logarithmic if these lie
// far apart.
struct lab_axis lab_axis_steps(const double *values, unsigned n);
struct lab_axis lab_axis_factors(const double *values, unsigned n);
struct lab_axis lab_axis_values(const double *values, unsigned n);

double lab_axis_place(const struct lab_axis *axis, double value);

#endif
