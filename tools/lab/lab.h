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

// A time in seconds: the median of the samples, and two limits between which the median of many
// samples lies in 95 of 100 cases. Of fewer than six samples these are the fastest and the
// slowest.
struct lab_time {
    double median, low, high;
};

// One or two curves over a parameter: seconds per item, or bytes per second.
enum { LAB_POINTS = 8 };
struct lab_sweep {
    const char *x_name;
    const char *per;      // what takes the seconds, such as "item"; NULL = rates of bytes
    const char *names[2]; // of the curves; the second may be NULL
    bool is_linear;       // the parameter grows by steps, not by factors
    unsigned n_points;
    double x[LAB_POINTS];
    struct lab_time y[2][LAB_POINTS];
};

struct lab_result {
    enum lab_status status;
    bool is_undecided;    // the times do not tell whether `after` is faster
    double before, after; // seconds; 0 = not measured
    double share;         // the bound divided by `after`; 0 = none is stated
    char text[1024];
    struct lab_sweep sweep;
};

struct lab;
struct lab_row {
    const char *id;
    const char *claim; // one line: what the texts say, or what the library promises
    const char *title; // one line: the kernels that test it
    void (*run)(struct lab *lab, const char *id, struct lab_result *result);
};

// One family of rows each. A row without an ID ends it.
extern const struct lab_row lab_sums[], lab_convolutions[], lab_branches[],
    lab_classifications[], lab_rules[], lab_memory_rules[], lab_warps[], lab_memory_warps[];

// result.c: filling in a result. lab_say appends to its text.
void lab_say(struct lab_result *result, const char *format, ...) TOOL_PRINTF(2, 3);

// Begins a sweep whose curves are times per `per`, or rates if `per` is NULL; `other` may be NULL.
void lab_axes(struct lab_sweep *sweep, const char *x, const char *per, const char *curve,
              const char *other);
// Appends a point: the times of `items` items, or of `items` bytes; `other` may be NULL.
void lab_point(struct lab_sweep *sweep, double x, double items, const struct lab_time *time,
               const struct lab_time *other);

// A factor and a name for seconds or for bytes per second, so that `largest` is a number from 1
// to 999: 1e9 and "ns".
struct lab_unit {
    double factor;
    const char *name;
};
struct lab_unit lab_time_unit(double largest);
struct lab_unit lab_rate_unit(double largest);

// Writes three significant digits without an exponent, such as 13.4, and a time with its unit,
// such as 13.4 ms. Both return `text`.
enum { LAB_NUMBER = 32 };
char *lab_digits(double value, char text[LAB_NUMBER]);
char *lab_time_text(double seconds, char text[LAB_NUMBER]);

// What the points of a sweep show, in a unit that fits all of them: the unit's name, and
// values[curve][point]. The name is of the kind "ns per item" or "GB/s".
void lab_shown(const struct lab_sweep *sweep, char unit[LAB_NUMBER],
               struct lab_time values[2][LAB_POINTS]);

// The ratio of a result, everywhere in the lab: how many times as fast `after` is as `before`.
// Above 1, `after` is faster. 0 = there is none.
double lab_ratio(const struct lab_result *result);

// By how much `after` is faster than `before`: the least and the largest ratio that the limits
// of both times allow, and what follows. A difference of a tenth is one.
enum lab_verdict { LAB_UNDECIDED, LAB_FASTER, LAB_SLOWER, LAB_SAME };
struct lab_ratios {
    double low, high;
    enum lab_verdict verdict;
};
struct lab_ratios lab_compare(const struct lab_time *before, const struct lab_time *after);

// sums_table.c: the times that the article gives for a row, in ms on its two GPUs. Returns
// false if it gives none.
bool lab_article(const char *id, double *iris_xe, double *hd_630);

// others.c: how many processors other programs keep busy. lab_others counts from the call before
// and returns 0 where the system does not tell.
struct lab_usage {
    double seconds, busy, own; // of a clock, of all processors, of this program
};
double lab_others(struct lab_usage *since);
unsigned lab_processors(void);
bool lab_is_busy(double others); // so many that times on a CPU say little

// print.c: text and JSON.
void lab_print_header(const struct lab *lab);
void lab_print_ceilings(const struct lab *lab);
void lab_print_row(const struct lab *lab, const struct lab_row *row,
                   const struct lab_result *result);
void lab_print_table(const struct lab *lab, const struct lab_row *const *rows,
                     const struct lab_result *results, unsigned n);
// Names the undecided rows, if there are any.
void lab_print_undecided(const struct lab_row *const *rows, const struct lab_result *results,
                         unsigned n);
void lab_print_json(FILE *file, const struct lab_row *const *rows,
                    const struct lab_result *results, unsigned n);

// plot.c: whether a row has curves, and all curves as an SVG file. lab_plot returns an exit
// code.
bool lab_is_curve(const struct lab_row *row);
int lab_plot(const struct lab *lab, const char *path, const struct lab_row *const *rows,
             const struct lab_result *results, unsigned n);

#endif
