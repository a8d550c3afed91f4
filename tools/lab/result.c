/* SPDX-License-Identifier: Apache-2.0
 *
 * Fills in the result of a row: its text, its curves, its ratio.
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

double lab_ratio(const struct lab_result *result)
{
    return result->before > 0 && result->after > 0 ? result->before / result->after : 0;
}
