/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: gpuprim_classify_prepare. It enqueues nothing, looks at no base, and after
 * it the call that was described builds nothing and makes no kernel object.
 * suite.c runs this file. */
#include "case.h"

#include <stdio.h>
#include <string.h>

#include "tests/harness/shim.h"

enum { N = 5000, ROWS = 4, KEYS = 9 };

// What is described, and how its arrays lie.
static const struct call {
    const char *name;
    enum gpuprim_memory memory;
    enum gpuprim_type labels; // not a type: none
    uint64_t count;
    int64_t stride, row_stride;                   // 0, 0: packed
    bool counts, per_row, accumulate, to_columns; // to_columns: labels lie by columns
} calls[] = {
    { "labels", GPUPRIM_BUFFER, GPUPRIM_U8, N, 0, 0, false, false, false, false },
    { "wide labels", GPUPRIM_BUFFER, GPUPRIM_U32, N, 0, 0, true, false, false, false },
    { "columns", GPUPRIM_BUFFER, GPUPRIM_U8, N, ROWS, 1, true, true, false, false },
    { "columns, wide labels", GPUPRIM_BUFFER, GPUPRIM_U32, N, ROWS, 1, true, true, false,
      false },
    { "counts of rows", GPUPRIM_BUFFER, GPUPRIM_TYPE_INVALID, N, 0, 0, true, true, true,
      false },
    { "svm", GPUPRIM_SVM, GPUPRIM_U16, N, 0, 0, true, false, false, false },
    { "svm, counts", GPUPRIM_SVM, GPUPRIM_TYPE_INVALID, N, 0, 0, true, true, false, false },
    { "svm, columns", GPUPRIM_SVM, GPUPRIM_U8, N, ROWS, 1, true, true, false, false },
    { "svm, columns, wide labels", GPUPRIM_SVM, GPUPRIM_U32, N, ROWS, 1, true, true, false,
      false },
    { "svm, counts of columns", GPUPRIM_SVM, GPUPRIM_TYPE_INVALID, N, ROWS, 1, true, true,
      false, false },
    { "rows to columns", GPUPRIM_BUFFER, GPUPRIM_U8, N, 0, 0, true, true, false, true },
    { "svm, rows to columns", GPUPRIM_SVM, GPUPRIM_U8, N, 0, 0, true, true, false, true },
    { "svm, rows to columns, wide labels", GPUPRIM_SVM, GPUPRIM_U32, N, 0, 0, true, true, false,
      true },
    { "no elements", GPUPRIM_BUFFER, GPUPRIM_U8, 0, 0, 1, true, false, true, false },
    { "svm, no elements", GPUPRIM_SVM, GPUPRIM_U8, 0, 0, 1, true, false, true, false },
};

struct arrays {
    struct gpuprim_array in, labels, counts;
    const struct gpuprim_array *some_labels, *some_counts; // NULL: none
};

static void *memory_of(const gpuprim *gp, enum gpuprim_memory memory, size_t bytes)
{
    cl_int error;
    return memory == GPUPRIM_SVM
               ? clSVMAlloc(gp->context, CL_MEM_READ_WRITE, bytes, 0)
               : (void *)clCreateBuffer(gp->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
}

static void release(const gpuprim *gp, const struct gpuprim_array *array)
{
    if (array->memory == GPUPRIM_SVM)
        clSVMFree(gp->context, array->base);
    else if (array->base)
        clReleaseMemObject((cl_mem)array->base);
}

// The arrays of a call, without memory yet.
static void describe(const struct call *call, struct arrays *a)
{
    a->in = (struct gpuprim_array){ .type = GPUPRIM_F32,
                                    .memory = call->memory,
                                    .count = call->count,
                                    .stride = call->stride,
                                    .rows = ROWS,
                                    .row_stride = call->row_stride };
    a->labels = a->counts = a->in;
    a->labels.type = call->labels;
    if (call->to_columns) {
        a->labels.stride = ROWS;
        a->labels.row_stride = 1;
    }
    a->counts = (struct gpuprim_array){ .type = GPUPRIM_U32,
                                        .memory = call->memory,
                                        .count = KEYS + 1,
                                        .rows = call->per_row ? ROWS : 1 };
    a->some_labels = call->labels ? &a->labels : NULL;
    a->some_counts = call->counts ? &a->counts : NULL;
}

static void prepared(struct check *check, gpuprim *gp, const struct call *call)
{
    static const float keys[KEYS] = { 1, 2, 3, 5, 8, 13, 21, 34, 55 };
    const struct gpuprim_thresholds rule = { .values = gpuprim_host(GPUPRIM_F32, keys, KEYS) };
    const struct gpuprim_classifier_params params = { .thresholds = &rule,
                                                      .accumulate = call->accumulate };
    const struct gpuprim_sync sync = { .queue = gp->queue };
    gpuprim_classifier *c = NULL;
    struct arrays a;
    describe(call, &a);
    check->cases++;
    int status = gpuprim_classifier_create(gp, &params, &c);
    shim_fail(-1, 0);
    if (!status)
        status = gpuprim_classify_prepare(gp, c, &a.in, a.some_labels, a.some_counts);
    CHECK(check, shim_calls_of("clEnqueue") == 0, "%s: prepare enqueues", call->name);
    a.in.base = memory_of(gp, call->memory, N * ROWS * sizeof(float));
    a.labels.base = memory_of(gp, call->memory, N * ROWS * sizeof(cl_uint));
    a.counts.base = memory_of(gp, call->memory, (KEYS + 1) * ROWS * sizeof(cl_uint));
    shim_fail(-1, 0);
    if (!status)
        status = gpuprim_classify(gp, c, &a.in, a.some_labels, a.some_counts, &sync);
    const unsigned made = shim_calls_of("clBuild") + shim_calls_of("clCreateKernel");
    clFinish(gp->queue);
    release(gp, &a.in);
    release(gp, &a.labels);
    release(gp, &a.counts);
    gpuprim_classifier_destroy(&c);
    if (status == GPUPRIM_E_UNSUPPORTED && check_may_refuse(gp)) {
        check->not_taken++;
        return;
    }
    CHECK(check, status == GPUPRIM_OK, "%s: %s", call->name, gpuprim_last_error());
    CHECK(check, made == 0, "%s: the call builds or makes %u objects", call->name, made);
}

void classify_prepare_run(struct check *check)
{
    const struct gp_primitive *classify = check_primitive("classify");
    for (unsigned v = 0; v < classify->n_variants; v++) {
        const char *variant = classify->variants[v]->name;
        if (!check_begin(check, "classify/driver/prepare/%s", variant))
            continue;
        for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
            // A context of its own, so that nothing is there from the calls before.
            gpuprim *gp = check_variant(check, "classify", variant, 0);
            if (gp && (calls[i].memory != GPUPRIM_SVM || gp->caps.has_svm))
                prepared(check, gp, &calls[i]);
            gpuprim_destroy(&gp);
        }
        check_end(check);
    }
}
