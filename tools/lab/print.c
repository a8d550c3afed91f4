/* SPDX-License-Identifier: Apache-2.0
 *
 * What gpuprim lab prints: each row when it is done, the table of sums at the end, or JSON.
 */
#include <string.h>

#include "measure.h"
#include "tools/print.h"

static const char *const status_names[] = {
    [LAB_OK] = "ok",
    [LAB_EXPECTED_WRONG] = "expected-wrong",
    [LAB_NOT_OFFERED] = "not-offered",
    [LAB_FAILED] = "failed",
};

void lab_print_ceilings(const struct lab *lab)
{
    printf("reads %.4g GB/s, copies %.4g GB/s, multiply-adds %.4g GFLOP/s\n", lab->read_gbps,
           lab->copy_gbps, lab->fma_gflops);
}

void lab_print_header(const struct lab *lab)
{
    const struct gp_caps *caps = &lab->gp->caps;
    printf("%s, driver %s\n", caps->device, caps->driver);
    if (!lab->quick)
        lab_print_ceilings(lab);
    printf("ratio: time before / time after, so above 1 after is faster\n"
           "share: the least time that the device's ceilings allow / time after\n");
    printf("\n%-14s %-14s %11s %11s %7s %7s\n", "", "", "before, us", "after, us", "ratio",
           "share");
}

static void print_time(double seconds)
{
    if (seconds > 0)
        printf(" %11.1f", 1e6 * seconds);
    else
        printf(" %11s", "-");
}

static void print_share(double share)
{
    if (share > 0)
        printf(" %5.1f %%", 100 * share);
    else
        printf(" %7s", "-");
}

// Prints lines of at most 92 characters after four blanks.
static void print_wrapped(const char *text)
{
    enum { WIDTH = 92 };
    while (*text) {
        size_t length = strlen(text);
        if (length > WIDTH) {
            length = WIDTH;
            while (length > 1 && text[length] != ' ')
                length--;
        }
        printf("    %.*s\n", (int)length, text);
        text += length + strspn(text + length, " ");
    }
}

static void print_sweep(const struct lab_sweep *sweep)
{
    char name[64];
    printf("    %-34s", sweep->x_name);
    for (unsigned i = 0; i < sweep->n_points; i++)
        printf(" %7.4g", sweep->x[i]);
    for (int c = 0; c < 2 && sweep->names[c]; c++) {
        snprintf(name, sizeof name, "%s, %s", sweep->names[c], sweep->y_name);
        printf("\n    %-34s", name);
        for (unsigned i = 0; i < sweep->n_points; i++)
            printf(" %7.4g", sweep->y[c][i]);
    }
    printf("\n");
}

void lab_print_row(const struct lab_row *row, const struct lab_result *result)
{
    printf("%-14s %-14s", row->id, status_names[result->status]);
    print_time(result->before);
    print_time(result->after);
    if (lab_ratio(result) > 0)
        printf(" %7.3g", lab_ratio(result));
    else
        printf(" %7s", "-");
    print_share(result->share);
    printf("\n");
    print_wrapped(result->text);
    if (result->sweep.n_points)
        print_sweep(&result->sweep);
    fflush(stdout);
}

// ---------------------------------------------------------------------------------------

void lab_print_table(const struct lab *lab, const struct lab_row *const *rows,
                     const struct lab_result *results, unsigned n)
{
    // By the article: the peak read rates of its two GPUs in bytes per ms, and the bytes it
    // summed.
    static const double iris_peak = 62e6, hd_peak = 32.5e6, article_bytes = 2147483648.0;
    double iris, hd;
    bool has_title = false;
    for (unsigned i = 0; i < n; i++) {
        const bool in_article = lab_article(rows[i]->id, &iris, &hd);
        if ((!in_article && strcmp(rows[i]->id, "gpuprim_reduce") != 0) ||
            results[i].after <= 0 || lab->quick)
            continue;
        if (!has_title)
            printf("\nSums of %.0f Mi values here, and of 512 Mi in Table 1 of the article, on "
                   "Iris Xe and HD 630\n\n%-14s %9s %9s %7s %9s %7s %9s %7s\n",
                   (double)lab->n / 1048576, "", "here, ms", "GB/s", "share", "Xe, ms", "share",
                   "630, ms", "share");
        has_title = true;
        printf("%-14s %9.2f %9.2f", rows[i]->id, 1e3 * results[i].after,
               4e-9 * (double)lab->n / results[i].after);
        print_share(results[i].share);
        if (in_article)
            printf(" %9.0f %5.1f %% %9.0f %5.1f %%", iris,
                   100 * article_bytes / iris_peak / iris, hd,
                   100 * article_bytes / hd_peak / hd);
        printf("\n");
    }
}

static void json_number(FILE *file, const char *name, const char *format, double value)
{
    fprintf(file, ", \"%s\": ", name);
    if (value > 0)
        fprintf(file, format, value);
    else
        fprintf(file, "null");
}

void lab_print_json(FILE *file, const struct lab_row *const *rows,
                    const struct lab_result *results, unsigned n)
{
    fprintf(file, "[");
    for (unsigned i = 0; i < n; i++) {
        const struct lab_result *r = &results[i];
        fprintf(file, "%s\n  {\"id\": \"%s\", \"status\": \"%s\"", i ? "," : "", rows[i]->id,
                status_names[r->status]);
        json_number(file, "before_us", "%.3f", 1e6 * r->before);
        json_number(file, "after_us", "%.3f", 1e6 * r->after);
        json_number(file, "ratio", "%.5g", lab_ratio(r));
        fprintf(file, ", \"share\": %.4f, \"text\": ", r->share);
        tool_json_string(file, r->text);
        fprintf(file, "}");
    }
    fprintf(file, "\n]\n");
}
