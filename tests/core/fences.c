/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays between pages without access (harness/memory.h), for every variant of every primitive,
 * at sizes around the widths of vectors and tiles. A CPU device works on host arrays in place.
 * Variants for GPUs run on a model (harness/model.h) that copies host arrays; they get buffers
 * made of such memory, which the CPU behind the model uses in place. So reads and writes beyond
 * arrays are seen in both.
 */
#include "api.h"

#include "tests/classify/case.h"
#include "tests/convolve1d/case.h"
#include "tests/harness/model.h"
#include "reference/convolve1d/convolve1d.h"
#include "tests/reduce/case.h"

// Host arrays, or buffers where host arrays are copied.
static enum gpuprim_memory memory_of(const struct check *check)
{
    return check->fences_buffers ? GPUPRIM_BUFFER : GPUPRIM_HOST;
}

// How rows lie.
enum layout { PACKED, GAPS, REVERSED, APART, COLUMNS, COLUMNS_GAPS, COLUMNS_UP, LAYOUTS };

static void lay(enum layout layout, uint64_t count, uint64_t rows, int64_t *stride,
                int64_t *row_stride)
{
    const int64_t n = (int64_t)count, m = (int64_t)rows;
    const bool are_columns = layout >= COLUMNS;
    *stride = layout == APART          ? 2
              : layout == COLUMNS      ? m
              : layout == COLUMNS_GAPS ? m + 3
              : layout == COLUMNS_UP   ? -m
                                       : 1;
    *row_stride = are_columns          ? 1
                  : layout == GAPS     ? n + 5
                  : layout == REVERSED ? -n
                  : layout == APART    ? 2 * n + 1
                                       : 0;
}

// ---------------------------------------------------------------------------------------

static void reduce(struct check *check, gpuprim *gp)
{
    static const uint64_t counts[] = { 0,  1,  3,  7,   15,  16,  17,   31,
                                       33, 64, 65, 127, 128, 256, 1024, 4099 };
    static const uint64_t rows[] = { 1, 2, 3, 9, 31, 33, 70 };
    struct reduce_case test = { .type = GPUPRIM_I16,
                                .in_memory = memory_of(check),
                                .out_memory = memory_of(check) };
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
        for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++)
            for (int layout = 0; layout < LAYOUTS; layout++) {
                test.count = counts[i];
                test.rows = rows[k];
                lay((enum layout)layout, counts[i], rows[k], &test.stride, &test.row_stride);
                for (int turn = 0; turn < 3; turn++) // chance takes either end
                    reduce_run(check, gp, &test);
            }
}

static void convolve1d(struct check *check, gpuprim *gp)
{
    static const uint64_t counts[] = { 9, 16, 31, 33, 64, 257, 1023, 4099 };
    static const uint64_t rows[] = { 1, 3, 6 };
    const unsigned some_rows = gp->caps.is_cpu ? 3 : 2; // on GPUs others need more programs
    struct convolve_case test = { .kind = { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 },
                                  .taps = 9,
                                  .in = { .memory = memory_of(check) },
                                  .out = { .memory = memory_of(check) } };
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
        for (unsigned k = 0; k < some_rows; k++)
            for (int layout = 0; layout < LAYOUTS; layout++) {
                test.count = counts[i];
                test.rows = rows[k];
                test.params.mode = (enum gpuprim_mode)check_below(check, GPUPRIM_EXPLICIT);
                test.params.left = (enum gpuprim_boundary)check_below(check, GPUPRIM_HISTORY);
                test.params.right = (enum gpuprim_boundary)check_below(check, GPUPRIM_HISTORY);
                const uint64_t outputs =
                    (uint64_t)convolve_reference_outputs(&test.params, test.taps, test.count);
                lay((enum layout)layout, test.count, test.rows, &test.in.stride,
                    &test.in.row_stride);
                lay((enum layout)check_below(check, LAYOUTS), outputs, test.rows,
                    &test.out.stride, &test.out.row_stride);
                convolve_run(check, gp, &test);
            }
}

// One byte an element: most of them in a word, and the most that a load may be too wide by.
static void classify(struct check *check, gpuprim *gp)
{
    static const uint64_t counts[] = { 0, 1, 5, 15, 16, 17, 31, 33, 63, 65, 257, 1023, 4099 };
    static const uint64_t rows[] = { 1, 2, 5 };
    struct classify_case test = { .type = GPUPRIM_U8,
                                  .data = FILL_RANDOM,
                                  .in = { .memory = memory_of(check) },
                                  .out = { .memory = memory_of(check) } };
    classify_thresholds(check, test.type, 3, 1, SPREAD_RANDOM, &test.params);
    test.labels = GPUPRIM_U8;
    test.counts = GPUPRIM_U32;
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
        for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++)
            for (int layout = 0; layout < LAYOUTS; layout++) {
                test.count = counts[i];
                test.rows = rows[k];
                lay((enum layout)layout, test.count, test.rows, &test.in.stride,
                    &test.in.row_stride);
                lay(check_once_in(check, 2) ? (enum layout)layout : PACKED, test.count,
                    test.rows, &test.out.stride, &test.out.row_stride);
                classify_run(check, gp, &test);
            }
    classify_free(&test.params);
}

void fences_run(struct check *check)
{
    const struct {
        const struct gp_primitive *primitive;
        void (*run)(struct check *check, gpuprim *gp);
    } tests[] = { { check_primitive("reduce"), reduce },
                  { check_primitive("convolve1d"), convolve1d },
                  { check_primitive("classify"), classify } };
    for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++) {
        const struct gp_primitive *primitive = tests[i].primitive;
        for (unsigned v = primitive->n_variants; v-- > 0;) { // baseline stands last
            if (!check_begin(check, "api/fences/%s/%s", primitive->name,
                             primitive->variants[v]->name))
                continue;
            gpuprim *gp =
                check_variant(check, primitive->name, primitive->variants[v]->name, 0);
            check->fences_buffers = gp && !gp->caps.is_cpu && model_device_is_cpu();
            if (gp)
                tests[i].run(check, gp);
            check->fences_buffers = false;
            gpuprim_destroy(&gp);
            if (check->not_taken == check->cases)
                check_skip(check, "the variant takes none of it on this device");
            else
                check_end(check);
        }
    }
}
