/* SPDX-License-Identifier: Apache-2.0
 *
 * gpuprim reduce: reduces a file, or each of its rows or columns, to one value: command line,
 * call and output.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reference/reduce/reduce.h"
#include "src/core/types.h" // sizes and names of types
#include "tools/command.h"
#include "tools/files/files.h"
#include "tools/print.h"
#include "tools/progress.h"

extern const struct tool_command tool_reduce;

// The operations and their names on the command line.
// clang-format off
#define OPERATIONS(X)                                                                          \
    X(SUM, "sum") X(PRODUCT, "product") X(MIN, "min") X(MAX, "max") X(ARGMIN, "argmin")        \
    X(ARGMAX, "argmax") X(MINMAX, "minmax") X(AND, "and") X(OR, "or") X(XOR, "xor")            \
    X(ANY, "any") X(ALL, "all") X(COUNT, "count") X(SUM_ABS, "sum-abs")                        \
    X(SUM_SQUARES, "sum-squares") X(MEAN, "mean") X(MAX_ABS, "max-abs")              \
    X(STATISTICS, "statistics")
// clang-format on
#define OP_ENTRY(op, name) [GPUPRIM_##op] = name,
static const char *const op_names[] = { OPERATIONS(OP_ENTRY) NULL };
static const char *const accumulators[] = { "f32", "f64", NULL };
static const char *const nan_names[] = { "propagate", "ignore", NULL };

struct request {
    struct tool_common common;
    struct gpuprim_reduce_params params;
    enum gpuprim_type raw;
    bool rows, columns, channels; // one result for each; none of them: one for all
    const char *file, *output;
};

struct results {
    struct gpuprim_array array; // one row for each row of the input
    unsigned per_row;
    double seconds;
    bool agrees;
};

// ---------------------------------------------------------------------------------------
// The call

// The channels of a sound are columns; those of an image are interleaved in its rows. 0 = the file
// has no channels.
static uint64_t channels_of(const struct tool_matrix *matrix)
{
    return matrix->wave.bits ? matrix->columns : matrix->image.channels;
}

// The rows that are reduced to one result each.
static struct gpuprim_array rows_of(const struct request *request,
                                    const struct tool_matrix *matrix)
{
    const uint64_t count = matrix->rows * matrix->columns;
    const uint64_t channels = channels_of(matrix);
    const struct gpuprim_array all = gpuprim_host(matrix->type, matrix->data, count);
    return request->rows       ? gpuprim_as_rows(all, matrix->rows, matrix->columns)
           : request->columns  ? gpuprim_as_columns(all, matrix->rows, matrix->columns)
           : request->channels ? gpuprim_as_columns(all, count / channels, channels)
                               : gpuprim_as_rows(all, 1, count);
}

static bool is_whole(const struct request *request)
{
    return !request->rows && !request->columns && !request->channels;
}

// The array has one dimension; minmax and statistics of rows, columns or channels add a second one
// of size 2 or 5. Without these the array holds the one value, or those of the one row.
static int describe(const struct request *request, const struct results *results,
                    struct tool_matrix *out)
{
    const bool is_matrix = results->per_row > 1 && !is_whole(request);
    const uint64_t rows = is_matrix ? results->array.rows : 1;
    *out = (struct tool_matrix){ .type = results->array.type,
                                 .data = results->array.base,
                                 .rows = rows,
                                 .columns = is_matrix ? results->per_row
                                                      : results->array.rows * results->per_row,
                                 .n_dims = is_matrix ? 2 : 1 };
    const int code = tool_ending_of(request->output, request->file, "npy", &out->ending);
    return code == TOOL_GOOD ? tool_matrix_writable(request->output, out) : code;
}

static int compute(const struct request *request, gpuprim *gp, const struct gpuprim_array *in,
                   struct results *out)
{
    const struct gpuprim_reduce_params *params = &request->params;
    const enum gpuprim_type type =
        gpuprim_reduce_type(params->op, in->type, params->accumulator);
    if (!type)
        return tool_fail_library(&request->common, GPUPRIM_E_TYPE);
    const uint64_t rows = in->rows;
    out->per_row = reduce_reference_results(request->params.op);
    void *values = calloc((size_t)rows + 1, out->per_row * gp_type_size(type));
    if (!values)
        return tool_fail(TOOL_FAILED, "not enough memory for %" PRIu64 " results", rows);
    out->array = gpuprim_as_rows(gpuprim_host(type, values, 0), rows, out->per_row);
    struct tool_matrix results; // a format that cannot hold them is refused before the call
    int code = request->output ? describe(request, out, &results) : TOOL_GOOD;
    if (code != TOOL_GOOD)
        return code;

    // Kernels are compiled here, so that the measured time does not include it.
    tool_progress_begin("preparing kernels");
    int status = gpuprim_reduce_prepare(gp, in, &out->array, &request->params);
    tool_progress_end();
    tool_progress_begin("reducing");
    const double start = tool_seconds();
    if (status == GPUPRIM_OK)
        status = gpuprim_reduce(gp, in, &out->array, &request->params, NULL);
    out->seconds = tool_seconds() - start;
    tool_progress_end();
    return status == GPUPRIM_OK ? TOOL_GOOD : tool_fail_library(&request->common, status);
}

static int check(const struct request *request, const struct gpuprim_array *in,
                 struct results *results)
{
    char why[512] = "";
    tool_progress_begin("checking");
    results->agrees =
        reduce_reference_agrees(in, &results->array, &request->params, why, sizeof why);
    tool_progress_end();
    return tool_report_check(&request->common, results->agrees, why);
}

// ---------------------------------------------------------------------------------------
// The results

static void print_json(const struct request *request, const struct tool_matrix *matrix,
                       const struct gpuprim_device *device, const struct results *results)
{
    const struct gpuprim_array *array = &results->array;
    struct tool_json json = { .file = stdout };
    tool_json_begin(&json, NULL, '{');
    tool_json_text(&json, "op", op_names[request->params.op]);
    tool_json_text(&json, "file", request->file);
    tool_json_text(&json, "type", gp_type_name(matrix->type));
    tool_json_shape(&json, "shape", matrix->n_dims, matrix->rows, matrix->columns);
    tool_json_text(&json, "device", device->name);
    tool_json_text(&json, "driver", device->driver);
    tool_json_real(&json, "seconds", "%.9f", results->seconds);
    tool_json_text(&json, "result_type", gp_type_name(array->type));
    tool_json_values(&json, "results", array->type, array->base, array->rows, results->per_row);
    if (request->common.check)
        tool_json_flag(&json, "checked", results->agrees);
    tool_json_end(&json, '}');
}

static int write_results(const struct request *request, const struct results *results)
{
    struct tool_matrix matrix;
    const int code = describe(request, results, &matrix);
    return code == TOOL_GOOD ? tool_matrix_write(request->output, &matrix) : code;
}

static int reduce_matrix(const struct request *request, const struct tool_matrix *matrix)
{
    const struct tool_common *common = &request->common;
    struct results results = { 0 };
    const struct gpuprim_array in = rows_of(request, matrix);

    gpuprim *gp = NULL;
    int code = tool_device_open(common, &gp);
    if (code == TOOL_GOOD)
        code = compute(request, gp, &in, &results);
    const bool computed = code == TOOL_GOOD;
    if (computed && common->check)
        code = check(request, &in, &results);
    if (code == TOOL_GOOD && request->output)
        code = write_results(request, &results);

    const struct gpuprim_device device =
        gp ? tool_device_of(gp) : (struct gpuprim_device){ .name = "" };
    if (computed && tool_wants_summary(common))
        fprintf(stderr, "%s: %" PRIu64 " x %" PRIu64 " %s in %.6f s on %s\n",
                op_names[request->params.op], matrix->rows, matrix->columns,
                gp_type_name(matrix->type), results.seconds, device.name);
    // JSON says that a check failed; lines of values cannot, so that none are printed then.
    if (computed && common->json)
        print_json(request, matrix, &device, &results);
    else if (code == TOOL_GOOD && !tool_is_standard(request->output))
        tool_print_values(stdout, results.array.type, results.array.base, results.array.rows,
                          results.per_row);
    free(results.array.base);
    gpuprim_destroy(&gp);
    return code;
}

static int run(int argc, char **argv)
{
    struct request request = { 0 };
    struct tool_matrix matrix;
    int code = tool_parse(&tool_reduce, argc, argv, &request);
    if (code != TOOL_GO_ON)
        return code;
    code = tool_matrix_open(request.file, request.raw, &matrix);
    if (code != TOOL_GOOD)
        return code;
    if (request.channels && !channels_of(&matrix))
        code = tool_fail(TOOL_MISUSED, "--channels: %s is neither an image nor a sound",
                         request.file);
    if (code == TOOL_GOOD)
        code = reduce_matrix(&request, &matrix);
    tool_matrix_close(&matrix);
    return code;
}

// clang-format off
static const struct tool_option options[] = {
    { .argument = "OP", .help = "the operation", .flags = TOOL_REQUIRED,
      .kind = TOOL_WORD, .words = op_names, TOOL_AT(struct request, params.op) },
    { .argument = "FILE", .help = TOOL_FILE_HELP, .flags = TOOL_REQUIRED,
      .kind = TOOL_INPUT, TOOL_AT(struct request, file) },
    { "rows", .help = "reduce each row; a vector is one row",
      .flags = TOOL_ALTERNATIVE, TOOL_AT(struct request, rows) },
    { "columns", .help = "reduce each column; in a sound each channel is one",
      .flags = TOOL_ALTERNATIVE, TOOL_AT(struct request, columns) },
    { "channels", .help = "reduce each channel of an image or of a sound",
      .flags = TOOL_ALTERNATIVE, TOOL_AT(struct request, channels) },
    { "accumulator", .argument = "TYPE", .help = "the type in which sums of f16 and f32 are carried", .preset = "f32",
      .kind = TOOL_WORD, .words = accumulators, .low = GPUPRIM_F32, TOOL_AT(struct request, params.accumulator) },
    { "nan", .argument = "POLICY", .help = "what NaNs do", .preset = "propagate",
      .kind = TOOL_WORD, .words = nan_names, TOOL_AT(struct request, params.nan) },
    { "raw", .argument = "TYPE", .help = TOOL_RAW_HELP,
      .kind = TOOL_WORD, .words = tool_real_types, .low = GPUPRIM_I8, TOOL_AT(struct request, raw) },
    { "output", 'o', "OUT", "also write the results to a .npy or .csv file, or - for standard output alone",
      .kind = TOOL_OUTPUT, TOOL_AT(struct request, output) },
    { 0 },
};
// clang-format on

const struct tool_command tool_reduce = {
    .name = "reduce",
    .summary = "reduce an array, or each row or column of a matrix, to one value",
    .text =
        "Reduces the numbers of a file and prints each result on a line of its own. minmax "
        "prints two values on its line, statistics five: count, minimum, maximum, mean, "
        "variance. Floats are printed with the fewest digits that read back to the same bits.",
    .options = options,
    .common = TOOL_COMMON,
    .failure = TOOL_CALL_FAILURE,
    .examples =
        (const struct tool_example[]){
            { "gpuprim reduce minmax speech.wav", "the lowest and the highest sample" },
            { "gpuprim reduce statistics table.npy --columns --nan ignore",
              "statistics of each column, without its NaNs" },
            { "gpuprim reduce sum-squares stereo.wav --columns -o energy.npy",
              "the energy of each channel, also in a file" },
            { "gpuprim reduce mean - --raw f32 < samples.raw",
              "the mean of numbers in a pipe" },
            { 0 },
        },
    .run = run,
};
