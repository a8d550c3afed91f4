/* SPDX-License-Identifier: Apache-2.0
 *
 * gpuprim lab: what a row is, what comes of it, and how results are printed. lab.c has the
 * command line and runs the rows.
 *
 * A row is one technique: a kernel, or a pair of kernels, in tools/lab/kernels/, and a function
 * that checks their answers and measures their times. The rows stand in sums.c (with
 * sums_table.c), convolve.c, branches.c, classify.c, rules.c, rules_memory.c, warps.c and
 * warps_memory.c. They use opencl.h for programs, memory and data, and measure.h for times and
 * conclusions.
 */
#ifndef GP_LAB_H
#define GP_LAB_H

#include <stdbool.h>
#include <stdio.h>

#include "tools/message.h"

enum lab_status { LAB_OK, LAB_EXPECTED_WRONG, LAB_NOT_OFFERED, LAB_FAILED };

// One or two curves over a parameter.
enum { LAB_POINTS = 12 };
struct lab_sweep {
    const char *x_name, *y_name;
    const char *names[2]; // of the curves; the second may be NULL
    unsigned n_points;
    double x[LAB_POINTS], y[2][LAB_POINTS];
};

struct lab_result {
    enum lab_status status;
    double before, after; // seconds; 0 = not measured
    double share;         // the bound divided by `after`; 0 = none is stated
    char text[1024];
    struct lab_sweep sweep;
};

struct lab;
struct lab_row {
    const char *id;
    const char *title; // one line for --list
    void (*run)(struct lab *lab, const char *id, struct lab_result *result);
};

// One family of rows each. A row without an ID ends it.
extern const struct lab_row lab_sums[], lab_convolutions[], lab_branches[],
    lab_classifications[], lab_rules[], lab_memory_rules[], lab_warps[], lab_memory_warps[];

// result.c: filling in a result. lab_say appends to its text, lab_point to its curves.
void lab_say(struct lab_result *result, const char *format, ...) TOOL_PRINTF(2, 3);
void lab_axes(struct lab_sweep *sweep, const char *x, const char *y, const char *curve,
              const char *other); // `other` may be NULL
void lab_point(struct lab_sweep *sweep, double x, double y0, double y1);

// The ratio of a result, everywhere in the lab: how many times as fast `after` is as `before`.
// Above 1, `after` is faster. 0 = there is none.
double lab_ratio(const struct lab_result *result);

// sums_table.c: the times that the article gives for a row, in ms on its two GPUs. Returns
// false if it gives none.
bool lab_article(const char *id, double *iris_xe, double *hd_630);

// print.c: text and JSON.
void lab_print_header(const struct lab *lab);
void lab_print_ceilings(const struct lab *lab);
void lab_print_row(const struct lab_row *row, const struct lab_result *result);
void lab_print_table(const struct lab *lab, const struct lab_row *const *rows,
                     const struct lab_result *results, unsigned n);
void lab_print_json(FILE *file, const struct lab_row *const *rows,
                    const struct lab_result *results, unsigned n);

// plot.c: whether a row has curves, and all curves as an SVG file. lab_plot returns an exit
// code.
bool lab_is_curve(const struct lab_row *row);
int lab_plot(const char *path, const struct lab_row *const *rows,
             const struct lab_result *results, unsigned n);

#endif
