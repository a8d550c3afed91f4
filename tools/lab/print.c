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
    printf("reads %.3g GB/s, copies %.3g GB/s, multiply-adds %.3g GFLOP/s\n", lab->read_gbps,
           lab->copy_gbps, lab->fma_gflops);
}

void lab_print_header(const struct lab *lab)
{
    const struct gp_caps *caps = &lab->gp->caps;
    printf("%s, driver %s\n", caps->device, caps->driver);
    if (lab->quick) {
        printf(
            "Small arrays and one run each: the answers are checked, and nothing is timed.\n");
        return;
    }
    lab_print_ceilings(lab);
    printf("ratio: time before / time after, so above 1 after is faster\n"
           "share: the least time that the device's ceilings allow / time after\n");
}

static void print_times(const struct lab_result *result)
{
    char text[LAB_NUMBER];
    printf("   ");
    if (result->before > 0)
        printf(" before %8s", lab_time_text(result->before, text));
    if (result->after > 0)
        printf("%s %8s", result->before > 0 ? "   after" : " time",
               lab_time_text(result->after, text));
    if (lab_ratio(result) > 0)
        printf("   ratio %5s", lab_digits(lab_ratio(result), text));
    if (result->share > 0)
        printf("   share %4s %%", lab_digits(100 * result->share, text));
    printf("\n");
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
    struct lab_time values[2][LAB_POINTS];
    char unit[LAB_NUMBER], text[LAB_NUMBER], name[64];
    lab_shown(sweep, unit, values);
    printf("    %-34s", sweep->x_name);
    for (unsigned i = 0; i < sweep->n_points; i++)
        printf(" %6.3g", sweep->x[i]);
    for (int c = 0; c < 2 && sweep->names[c]; c++) {
        snprintf(name, sizeof name, "%s, %s", sweep->names[c], unit);
        printf("\n    %-34s", name);
        for (unsigned i = 0; i < sweep->n_points; i++)
            printf(" %6s", lab_digits(values[c][i].median, text));
    }
    printf("\n");
}

void lab_print_row(const struct lab *lab, const struct lab_row *row,
                   const struct lab_result *result)
{
    static const char *const words[] = { [LAB_OK] = "",
                                         [LAB_EXPECTED_WRONG] = "wrong, as it must be: ",
                                         [LAB_NOT_OFFERED] = "",
                                         [LAB_FAILED] = "FAILED: " };
    char text[sizeof result->text + 32];
    printf("\n%s: %s\n    %s\n", row->id, row->claim, row->title);
    if (!lab->quick && result->before + result->after > 0)
        print_times(result);
    snprintf(text, sizeof text, "%s%s", words[result->status], result->text);
    print_wrapped(text);
    if (!lab->quick && result->sweep.n_points)
        print_sweep(&result->sweep);
    fflush(stdout);
}

void lab_print_undecided(const struct lab_row *const *rows, const struct lab_result *results,
                         unsigned n)
{
    bool has_any = false;
    for (unsigned i = 0; i < n; i++) {
        if (!results[i].is_undecided)
            continue;
        printf("%s %s", has_any ? "" : "\nUndecided; again on a quiet machine: gpuprim lab",
               rows[i]->id);
        has_any = true;
    }
    printf("%s", has_any ? "\n" : "");
}

// ---------------------------------------------------------------------------------------

void lab_print_table(const struct lab *lab, const struct lab_row *const *rows,
                     const struct lab_result *results, unsigned n)
{
    // By the article: the peak read rates of its two GPUs in bytes per ms, and the bytes it
    // summed.
    static const double iris_peak = 62e6, hd_peak = 32.5e6, article_bytes = 2147483648.0;
    char text[LAB_NUMBER];
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
                   (double)lab->n / 1048576, "", "here", "GB/s", "share", "Xe, ms", "share",
                   "630, ms", "share");
        has_title = true;
        printf("%-14s %9s", rows[i]->id, lab_time_text(results[i].after, text));
        printf(" %9s", lab_digits(4e-9 * (double)lab->n / results[i].after, text));
        if (results[i].share > 0)
            printf(" %5.1f %%", 100 * results[i].share);
        else
            printf(" %7s", "-");
        if (in_article)
            printf(" %9.0f %5.1f %% %9.0f %5.1f %%", iris,
                   100 * article_bytes / iris_peak / iris, hd,
                   100 * article_bytes / hd_peak / hd);
        printf("\n");
    }
}

static void json_number(struct tool_json *json, const char *key, const char *format,
                        double value)
{
    if (value > 0)
        tool_json_real(json, key, format, value);
    else
        tool_json_null(json, key);
}

void lab_print_json(FILE *file, const struct lab_row *const *rows,
                    const struct lab_result *results, unsigned n)
{
    struct tool_json json = { .file = file };
    tool_json_begin(&json, NULL, '[');
    for (unsigned i = 0; i < n; i++) {
        const struct lab_result *r = &results[i];
        tool_json_begin(&json, NULL, '{');
        tool_json_text(&json, "id", rows[i]->id);
        tool_json_text(&json, "status", status_names[r->status]);
        json_number(&json, "before_us", "%.3f", 1e6 * r->before);
        json_number(&json, "after_us", "%.3f", 1e6 * r->after);
        json_number(&json, "ratio", "%.5g", lab_ratio(r));
        tool_json_real(&json, "share", "%.4f", r->share);
        tool_json_text(&json, "text", r->text);
        tool_json_end(&json, '}');
    }
    tool_json_end(&json, ']');
}
