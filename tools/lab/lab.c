/* SPDX-License-Identifier: Apache-2.0
 *
 * gpuprim lab: measures every technique, before and after, on this device. This file has the
 * command line and runs the rows; lab.h names the other files.
 */
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "tools/command.h"
#include "tools/files/files.h"

extern const struct tool_command tool_lab;

static const struct lab_row *const families[] = { lab_sums,     lab_convolutions,
                                                  lab_branches, lab_classifications,
                                                  lab_rules,    lab_memory_rules,
                                                  lab_warps,    lab_memory_warps };
enum { N_FAMILIES = sizeof families / sizeof families[0], MAX_ROWS = 64 };

struct request {
    struct tool_common common;
    bool list, quick;
    const char *plot, *json;   // files; common.json: JSON on stdout
    const char *ids[MAX_ROWS]; // that are named; none: all rows
    unsigned n_ids;
    const struct lab_row *rows[MAX_ROWS];
    unsigned n;
};

static int take_id(const char *option, const char *text, void *to)
{
    struct request *request = to;
    const char *ids[MAX_ROWS + 1] = { NULL };
    unsigned n = 0;
    for (unsigned f = 0; f < N_FAMILIES; f++)
        for (const struct lab_row *row = families[f]; row->id && n < MAX_ROWS; row++)
            ids[n++] = row->id;
    uint64_t place;
    const int code = tool_word_option(option, text, ids, &place);
    if (code == TOOL_GO_ON && request->n_ids == MAX_ROWS)
        return tool_fail(TOOL_MISUSED, "more than %d rows are named", MAX_ROWS);
    if (code == TOOL_GO_ON)
        request->ids[request->n_ids++] = text;
    return code;
}

static int take_json(const char *option, const char *text, void *to)
{
    struct request *request = to;
    (void)option;
    if (text)
        request->json = text;
    else
        request->common.json = true;
    return TOOL_GO_ON;
}

static bool is_named(const char *id, const struct request *request)
{
    bool named = request->n_ids == 0;
    for (unsigned i = 0; i < request->n_ids; i++)
        named = named || strcmp(request->ids[i], id) == 0;
    return named;
}

// Selects the named rows, in the order of --list.
static int select_rows(struct request *request)
{
    for (unsigned f = 0; f < N_FAMILIES; f++)
        for (const struct lab_row *row = families[f]; row->id; row++)
            if (is_named(row->id, request) && request->n < MAX_ROWS)
                request->rows[request->n++] = row;
    bool has_curve = false;
    for (unsigned i = 0; i < request->n; i++)
        has_curve = has_curve || lab_is_curve(request->rows[i]);
    if (request->plot && !has_curve)
        return tool_fail(TOOL_MISUSED,
                         "--plot: none of these rows has a curve; G5 and W1 to W6 have");
    return TOOL_GO_ON;
}

static void warn_busy(const struct lab *lab)
{
    if (!lab->quick && lab_is_busy(lab->others))
        fprintf(stderr,
                "gpuprim: other programs keep %.1f of %u processors busy: times are too long, "
                "and only large differences count\n",
                lab->others, lab_processors());
}

static void run_row(struct lab *lab, const struct lab_row *row, struct lab_result *result)
{
    lab_others(&lab->usage); // counts from here on
    row->run(lab, row->id, result);
    lab_release(lab);
    if (lab->failed) {
        *result = (struct lab_result){ .status = LAB_FAILED };
        lab_say(result, "%s", lab->why);
        lab->failed = false;
    }
}

static void print_end(const struct request *request, const struct lab *lab,
                      const struct lab_result *results, double ceilings)
{
    lab_print_table(lab, request->rows, results, request->n);
    lab_print_undecided(request->rows, results, request->n);
    if (lab->read_gbps + lab->copy_gbps + lab->fma_gflops > ceilings) {
        printf("\nCeilings measured again because a row exceeded them: ");
        lab_print_ceilings(lab);
    }
}

static int write_json(const struct request *request, const struct lab_result *results)
{
    struct tool_output out;
    const int code = tool_output_open(request->json, &out);
    if (code != TOOL_GOOD)
        return code;
    lab_print_json(out.file, request->rows, results, request->n);
    return tool_output_close(&out);
}

static int run_rows(const struct request *request, struct lab *lab)
{
    struct lab_result *results = calloc(request->n, sizeof *results);
    if (!results)
        return tool_fail(TOOL_FAILED, "not enough memory");
    const double ceilings = lab->read_gbps + lab->copy_gbps + lab->fma_gflops;
    unsigned failed = 0;
    if (!request->common.quiet)
        warn_busy(lab);
    if (!request->common.json)
        lab_print_header(lab);
    for (unsigned i = 0; i < request->n; i++) {
        run_row(lab, request->rows[i], &results[i]);
        failed += results[i].status == LAB_FAILED;
        if (!request->common.json)
            lab_print_row(lab, request->rows[i], &results[i]);
    }
    if (request->common.json)
        lab_print_json(stdout, request->rows, results, request->n);
    else
        print_end(request, lab, results, ceilings);
    int code = TOOL_GOOD;
    if (request->json)
        code = write_json(request, results);
    if (request->plot && code == TOOL_GOOD)
        code = lab_plot(lab, request->plot, request->rows, results, request->n);
    if (failed)
        code = tool_fail(TOOL_FAILED, "%u of %u rows failed", failed, request->n);
    free(results);
    return code;
}

static int run(int argc, char **argv)
{
    struct request request = { 0 };
    int code = tool_parse(&tool_lab, argc, argv, &request);
    if (code == TOOL_GO_ON)
        code = select_rows(&request);
    if (code != TOOL_GO_ON)
        return code;
    if (request.list) {
        for (unsigned i = 0; i < request.n; i++)
            printf("%-14s %s\n", request.rows[i]->id, request.rows[i]->claim);
        return TOOL_GOOD;
    }

    struct lab lab = { .quick = request.quick };
    code = tool_device_open(&request.common, &lab.gp);
    if (code != TOOL_GOOD)
        return code;
    lab_prepare(&lab);
    code = lab.failed ? tool_fail(TOOL_FAILED, "%s", lab.why) : run_rows(&request, &lab);
    lab_release(&lab);
    if (lab.queue)
        clReleaseCommandQueue(lab.queue);
    gpuprim_destroy(&lab.gp);
    return code;
}

// clang-format off
static const struct tool_option options[] = {
    { .argument = "ID", .help = "a row, such as A6; --list names them", .preset = "all rows",
      .flags = TOOL_MANY, .kind = TOOL_OWN, .take = take_id },
    { "list", .help = "list the rows and their claims, one line each", TOOL_AT(struct request, list) },
    { "json", .argument = "FILE", .help = "print the results as JSON, or also write them to a file as JSON",
      .flags = TOOL_MAYBE, .kind = TOOL_OWN, .take = take_json },
    { "plot", .argument = "FILE.svg", .help = "draw the curves of G5 and W1 to W6",
      .kind = TOOL_OUTPUT, TOOL_AT(struct request, plot) },
    { "quick", .help = "small arrays and one run each: checks the answers, and prints no times",
      TOOL_AT(struct request, quick) },
    { 0 },
};
// clang-format on

const struct tool_command tool_lab = {
    .name = "lab",
    .summary = "measure every technique, before and after, on this device",
    .text =
        "Runs the techniques of docs/techniques.md, or only the named ones. Each row checks "
        "that before and after give the same answer, measures both, and explains the result. "
        "Some rows are wrong on purpose; the lab shows that they are.",
    .options = options,
    .common = TOOL_COMMON & ~(TOOL_CHECK | TOOL_JSON),
    .failure = "failure, or a row failed",
    .examples =
        (const struct tool_example[]){
            { "gpuprim lab --list", "the rows and their claims" },
            { "gpuprim lab A6 B2", "two rows" },
            { "gpuprim lab W2 W5 W6 --plot curves.svg",
              "three rows with curves, and a picture" },
            { 0 },
        },
    .run = run,
};
