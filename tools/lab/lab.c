/* SPDX-License-Identifier: Apache-2.0
 *
 * gpuprim lab: measures every technique, before and after, on this device. This file has the
 * command line and runs the rows; lab.h names the other files.
 */
#include <getopt.h>
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
    const char *plot, *json; // files; common.json: JSON on stdout
    const struct lab_row *rows[MAX_ROWS];
    unsigned n;
};

// Returns TOOL_GO_ON, or the exit code where the program ends here.
static int parse_options(int argc, char **argv, struct request *request)
{
    enum { LIST = TOOL_OPTION_OWN, QUICK, PLOT, JSON };
    static const struct option options[] = {
        { "list", no_argument, NULL, LIST },
        { "quick", no_argument, NULL, QUICK },
        { "plot", required_argument, NULL, PLOT },
        { "json", optional_argument, NULL, JSON }, // getopt takes the first of two equal names
        TOOL_LONG,
    };
    for (int option; (option = getopt_long(argc, argv, TOOL_SHORT, options, NULL)) != -1;) {
        int code = TOOL_GO_ON;
        if (option == LIST)
            request->list = true;
        else if (option == QUICK)
            request->quick = true;
        else if (option == PLOT)
            request->plot = optarg;
        else if (option == JSON && optarg)
            request->json = optarg;
        else if (option == JSON)
            request->common.json = true;
        else
            code = tool_common_option(&request->common, &tool_lab, option);
        if (code != TOOL_GO_ON)
            return code;
    }
    return TOOL_GO_ON;
}

static bool is_named(const char *id, char **names, int n)
{
    bool named = n == 0; // no names: all rows
    for (int i = 0; i < n; i++)
        named = named || strcmp(names[i], id) == 0;
    return named;
}

// Selects the named rows, in the order of --list.
static int select_rows(int n, char **names, struct request *request)
{
    for (int i = 0; i < n; i++) {
        bool known = false;
        for (unsigned f = 0; f < N_FAMILIES; f++)
            for (const struct lab_row *row = families[f]; row->id; row++)
                known = known || strcmp(row->id, names[i]) == 0;
        if (!known)
            return tool_fail(TOOL_MISUSED,
                             "unknown row '%s'; gpuprim lab --list names the rows", names[i]);
    }
    for (unsigned f = 0; f < N_FAMILIES; f++)
        for (const struct lab_row *row = families[f]; row->id; row++)
            if (is_named(row->id, names, n) && request->n < MAX_ROWS)
                request->rows[request->n++] = row;
    bool has_curve = false;
    for (unsigned i = 0; i < request->n; i++)
        has_curve = has_curve || lab_is_curve(request->rows[i]);
    if (request->plot && !has_curve)
        return tool_fail(TOOL_MISUSED,
                         "--plot: none of these rows has a curve; G5 and W1 to W6 have");
    return TOOL_GO_ON;
}

static void run_row(struct lab *lab, const struct lab_row *row, struct lab_result *result)
{
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
    if (!request->common.json)
        lab_print_header(lab);
    for (unsigned i = 0; i < request->n; i++) {
        run_row(lab, request->rows[i], &results[i]);
        failed += results[i].status == LAB_FAILED;
        if (!request->common.json)
            lab_print_row(request->rows[i], &results[i]);
    }
    if (request->common.json)
        lab_print_json(stdout, request->rows, results, request->n);
    else
        print_end(request, lab, results, ceilings);
    int code = TOOL_GOOD;
    if (request->json)
        code = write_json(request, results);
    if (request->plot && code == TOOL_GOOD)
        code = lab_plot(request->plot, request->rows, results, request->n);
    if (failed)
        code = tool_fail(TOOL_FAILED, "%u of %u rows failed", failed, request->n);
    free(results);
    return code;
}

static int run(int argc, char **argv)
{
    struct request request = { 0 };
    int code = parse_options(argc, argv, &request);
    if (code == TOOL_GO_ON)
        code = select_rows(argc - optind, argv + optind, &request);
    if (code != TOOL_GO_ON)
        return code;
    if (request.list) {
        for (unsigned i = 0; i < request.n; i++)
            printf("%-14s %s\n", request.rows[i]->id, request.rows[i]->title);
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

const struct tool_command tool_lab = {
    .name = "lab",
    .summary = "measure every technique, before and after, on this device",
    .usage =
        "Usage: gpuprim lab [ID...] [OPTION...]\n"
        "Runs the techniques of docs/techniques.md, or only the named ones. Each row checks\n"
        "that before and after give the same answer, measures both, and explains the result.\n"
        "Some rows are wrong on purpose; the lab shows that they are. The exit status is 1 if\n"
        "a row failed.\n"
        "\n"
        "      --list              list the rows, one line each\n"
        "      --json=FILE         also write the results to a file, as JSON\n"
        "      --plot FILE.svg     draw the curves of G5 and W1 to W6\n"
        "      --quick             small arrays and one run each: checks the answers; the\n"
        "                          times mean nothing\n",
    .run = run,
};
