/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: a classifier keeps the plans of its newest calls. Calls of one classifier on
 * device arrays that differ in one respect follow each other in any order, more of them than it
 * keeps. suite.c runs this file. */
#include "corners.h"

#include <string.h>

enum { ROWS = 3, COUNT_OF_ROW = 700, MOST = ROWS * COUNT_OF_ROW, KEYS = 9 };

static const struct call {
    bool labels, counts, per_row, columns;
    enum gpuprim_type type; // of labels
    uint64_t rows, count;
} calls[] = {
    { true, true, true, false, GPUPRIM_U16, ROWS, COUNT_OF_ROW },
    { false, true, true, false, GPUPRIM_U16, ROWS, COUNT_OF_ROW },
    { true, false, false, false, GPUPRIM_U16, ROWS, COUNT_OF_ROW },
    { true, true, false, false, GPUPRIM_U16, ROWS, COUNT_OF_ROW },
    { true, true, true, true, GPUPRIM_U16, ROWS, COUNT_OF_ROW },
    { true, true, true, false, GPUPRIM_U32, ROWS, COUNT_OF_ROW },
    { true, true, true, false, GPUPRIM_U16, ROWS - 1, COUNT_OF_ROW },
    { true, true, true, false, GPUPRIM_U16, ROWS, COUNT_OF_ROW - 1 },
};

static cl_mem buffer_of(gpuprim *gp, const void *bytes, size_t size)
{
    cl_int error;
    return clCreateBuffer(gp->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size,
                          (void *)(uintptr_t)bytes, &error);
}

static void one_call(struct check *check, gpuprim *gp, const gpuprim_classifier *c, cl_mem x,
                     const float *values, const struct call *call)
{
    static const uint32_t zeros[MOST];
    uint32_t labels[MOST], counts[ROWS * (KEYS + 1)], expected[ROWS * (KEYS + 1)] = { 0 };
    const size_t size = gp_type_size(call->type);
    const int64_t rows = (int64_t)call->rows, count = (int64_t)call->count;
    const cl_mem to[2] = { buffer_of(gp, zeros, sizeof labels),
                           buffer_of(gp, zeros, sizeof counts) };
    const struct gpuprim_array in = { .type = GPUPRIM_F32,
                                      .memory = GPUPRIM_BUFFER,
                                      .base = x,
                                      .count = call->count,
                                      .stride = call->columns ? rows : 1,
                                      .rows = call->rows,
                                      .row_stride = call->columns ? 1 : count };
    const struct gpuprim_array labelled =
        gpuprim_as_rows(gpuprim_buffer(call->type, to[0], 0, call->rows * call->count),
                        call->rows, call->count);
    const uint64_t count_rows = call->per_row ? call->rows : 1;
    const struct gpuprim_array counted = gpuprim_as_rows(
        gpuprim_buffer(GPUPRIM_U32, to[1], 0, count_rows * (KEYS + 1)), count_rows, KEYS + 1);
    check->cases++;
    const int status = gpuprim_classify(gp, c, &in, call->labels ? &labelled : NULL,
                                        call->counts ? &counted : NULL, NULL);
    CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error());
    clEnqueueReadBuffer(gp->queue, to[0], CL_TRUE, 0, sizeof labels, labels, 0, NULL, NULL);
    clEnqueueReadBuffer(gp->queue, to[1], CL_TRUE, 0, sizeof counts, counts, 0, NULL, NULL);
    for (int64_t i = 0; i < rows * count; i++) {
        const int64_t row = i / count;
        const uint32_t label = (uint32_t)values[call->columns ? i % count * rows + row : i];
        uint32_t got = 0;
        memcpy(&got, (char *)labels + (size_t)i * size, size);
        CHECK(check, !call->labels || got == label, "element %lld: label %u, not %u",
              (long long)i, got, label);
        expected[(call->per_row ? row * (KEYS + 1) : 0) + label] += call->counts;
    }
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
        CHECK(check, counts[i] == expected[i], "count %u is %u, not %u", i, counts[i],
              expected[i]);
    clReleaseMemObject(to[0]);
    clReleaseMemObject(to[1]);
}

void classify_kept_run(struct check *check)
{
    static const float keys[KEYS] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    const struct gpuprim_thresholds rule = { .values = gpuprim_host(GPUPRIM_F32, keys, KEYS) };
    const struct gpuprim_classifier_params params = { .thresholds = &rule };
    if (!check_begin(check, "classify/corners/kept_plans"))
        return;
    gpuprim *gp = check_context(check, NULL, 0);
    gpuprim_classifier *c = NULL;
    float values[MOST];
    for (unsigned i = 0; i < MOST; i++)
        values[i] = (float)check_below(check, KEYS + 1);
    if (gp && !classify_make_unbuilt(gp, &params, &c)) {
        cl_mem x = buffer_of(gp, values, sizeof values);
        for (unsigned i = 0; i < 64; i++)
            one_call(check, gp, c, x, values,
                     &calls[check_below(check, sizeof calls / sizeof *calls)]);
        clReleaseMemObject(x);
    }
    gpuprim_classifier_destroy(&c);
    gpuprim_destroy(&gp);
    check_end(check);
}
