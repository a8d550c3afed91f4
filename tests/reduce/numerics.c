/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of reduce: the error bound where a plain loop would break it, sums that would overflow
 * a chain, and results that have the same bits from run to run and wherever an array lies.
 * suite.c runs this file. */
#include "case.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/reduce/reduce.h"
#include "tests/harness/model.h"

// ---------------------------------------------------------------------------------------
// Geometries

// Geometry number i of about n elements, without gaps, that the variant takes: a row, rows,
// columns of odd width, whose lines are fused, or of even width. False where there are no more.
static bool shape(struct reduce_case *test, const char *variant, unsigned i, uint64_t n)
{
    enum { SHORT = 30000 }; // elements in short rows; more would test nothing else
    static const uint64_t row_counts[2] = { 3, 37 }, lengths[2] = { 33, 125 },
                          widths[2] = { 5, 8 };
    const enum reduce_case_kind kind = reduce_case_kind_of(variant);
    test->stride = test->row_stride = 0;
    test->rows = 1;
    test->count = n;
    if (kind == KIND_ROWS)
        test->rows = row_counts[i % 2];
    else if (kind == KIND_COLUMNS)
        test->rows = test->stride = (int64_t)widths[i % 2];
    else if (kind == KIND_SHORT_ROWS)
        test->rows = (n < SHORT ? n : SHORT) / lengths[i % 2];
    test->row_stride = kind == KIND_COLUMNS;
    test->count = kind == KIND_SHORT_ROWS ? lengths[i % 2] : n / test->rows;
    return i < (kind == KIND_ANY ? 1 : 2);
}

// A context with the variant forced. NULL, with the reason in *why, where the device cannot run
// it.
static gpuprim *forced_context(struct check *check, const char *variant, const char **why)
{
    gpuprim *gp = check_variant(check, "reduce", variant, 0);
    *why = gp ? reduce_cannot(gp, variant) : NULL;
    if (*why)
        gpuprim_destroy(&gp);
    return gp;
}

// Ends a group. The variant must have taken every case of it.
static void end(struct check *check, const char *why)
{
    if (why) {
        check_skip(check, "%s", why);
        return;
    }
    reduce_expect_taken(check, check->cases);
    CHECK(check, check->cases > 0, "no case was run");
    check_end(check);
}

// ---------------------------------------------------------------------------------------
// Error bound

// Ten million equal numbers, for statistics nearly equal ones. A plain loop of f32 is wrong by
// percents.
static void error_bound(struct check *check, const char *variant, enum gpuprim_type type)
{
    const char *why;
    gpuprim *gp = forced_context(check, variant, &why);
    static const enum gpuprim_op ops[] = { GPUPRIM_SUM, GPUPRIM_SUM_SQUARES, GPUPRIM_MEAN,
                                           GPUPRIM_STATISTICS };
    const uint64_t n = check->quick ? 100000 : 10000000 + check_below(check, 1000);
    for (unsigned i = 0; gp && i < sizeof ops / sizeof *ops; i++) {
        struct reduce_case test = { .type = type, .params = { .op = ops[i] } };
        if (reduce_lacks_doubles(gp, &test)) // the mean of f16
            continue;
        test.data = ops[i] == GPUPRIM_STATISTICS ? DATA_FAR : DATA_EQUAL;
        for (unsigned s = 0; shape(&test, variant, s, s ? n / 8 : n); s++) {
            test.lead = check_below(check, 18);
            reduce_run(check, gp, &test);
        }
    }
    gpuprim_destroy(&gp);
    end(check, why);
}

// ---------------------------------------------------------------------------------------
// Long chains

// Rows of the largest numbers. The device has one unit and groups of 4 items, so that each lane
// takes 8 MiB / 12 and more. Sums in 32 bits overflow unless chains end in time.
static void long_chains(struct check *check, enum gpuprim_type type)
{
    static const enum gpuprim_op ops[] = { GPUPRIM_SUM, GPUPRIM_SUM_SQUARES, GPUPRIM_MEAN,
                                           GPUPRIM_STATISTICS };
    static const struct device_model device = { .type = CL_DEVICE_TYPE_GPU, .units = 1 };
    gpuprim *gp = check_context_on(check, &device, "reduce:gpu_long_rows", 4);
    // Programs for groups of several items take a CPU's compiler seconds.
    // There only the operation runs whose sums overflow soonest.
    const enum gpuprim_op telling = gp_type_size(type) == 1 ? GPUPRIM_SUM_SQUARES
                                    : type == GPUPRIM_I64   ? GPUPRIM_MEAN
                                    : type == GPUPRIM_U16   ? GPUPRIM_STATISTICS
                                                            : GPUPRIM_SUM;
    const bool one_op = check->quick || model_device_is_cpu();
    for (unsigned i = 0; gp && i < sizeof ops / sizeof *ops; i++) {
        struct reduce_case test = { .type = type, .params = { .op = ops[i] }, .rows = 1 };
        if (reduce_lacks_doubles(gp, &test) || (one_op && ops[i] != telling))
            continue;
        test.data = type == GPUPRIM_F32  ? DATA_EQUAL // the largest would be infinite
                    : type == GPUPRIM_I8 ? DATA_LEAST
                                         : DATA_GREATEST;
        test.count = (8 << 20) / gp_type_size(type) + check_below(check, 100);
        test.lead = check_below(check, 18);
        test.in_memory = GPUPRIM_BUFFER;
        reduce_run(check, gp, &test);
    }
    gpuprim_destroy(&gp);
    reduce_expect_taken(check, check->cases);
}

// ---------------------------------------------------------------------------------------
// Bits

// Keeps the device busy from another thread and context.
struct company {
    pthread_t thread;
    atomic_bool stop;
    bool started;
};

static void *keep_busy(void *argument)
{
    struct company *company = argument;
    enum { N = 200000 };
    gpuprim *gp;
    if (gpuprim_create(NULL, &gp))
        return NULL;
    int32_t *x = check_allocate(N * sizeof *x);
    memset(x, 1, N * sizeof *x);
    int64_t sum;
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_I32, x, N);
    const struct gpuprim_array out = gpuprim_host(GPUPRIM_I64, &sum, 1);
    while (!atomic_load(&company->stop))
        gpuprim_reduce(gp, &in, &out, &(struct gpuprim_reduce_params){ .op = GPUPRIM_SUM },
                       NULL);
    free(x);
    gpuprim_destroy(&gp);
    return NULL;
}

static void company_begin(struct company *company)
{
    atomic_init(&company->stop, false);
    company->started = pthread_create(&company->thread, NULL, keep_busy, company) == 0;
}

static void company_end(struct company *company)
{
    atomic_store(&company->stop, true);
    if (company->started)
        pthread_join(company->thread, NULL);
}

enum { MAX_ROWS = 1024 };

// A hash of the bits of a float reduction's results. Each step can be undone, so that sequences
// that differ in one result have different hashes.
static bool result_bits(struct check *check, gpuprim *gp, const struct gpuprim_array *in,
                        enum gpuprim_op op, uint64_t *bits)
{
    const struct gpuprim_reduce_params params = { .op = op };
    const enum gpuprim_type type = reduce_reference_result(in->type, &params);
    const uint64_t rows = in->rows ? in->rows : 1;
    unsigned char results[5 * MAX_ROWS * sizeof(double)] = { 0 };
    const uint64_t count = rows * reduce_reference_results(op);
    *bits = 0;
    if (!CHECK(check, rows <= MAX_ROWS, "%" PRIu64 " rows are too many for this test", rows))
        return false;
    const struct gpuprim_array out = gpuprim_host(type, results, count);
    const int status = gpuprim_reduce(gp, in, &out, &params, NULL);
    if (status == GPUPRIM_E_UNSUPPORTED && gp->force_variant[0]) {
        check->not_taken++;
        return false;
    }
    for (size_t i = 0; i < count * gp_type_size(type); i++)
        *bits = (*bits ^ results[i]) * 0x100000001b3;
    return CHECK(check, status == GPUPRIM_OK, "%s: %s", reduce_op_name(op),
                 gpuprim_last_error());
}

static const enum gpuprim_op float_ops[] = { GPUPRIM_SUM, GPUPRIM_MEAN, GPUPRIM_SUM_SQUARES,
                                             GPUPRIM_PRODUCT, GPUPRIM_STATISTICS };

static struct gpuprim_array view_of(const struct reduce_case *test)
{
    return (struct gpuprim_array){ .type = test->type,
                                   .count = test->count,
                                   .rows = test->rows,
                                   .stride = test->stride,
                                   .row_stride = test->row_stride };
}

// Runs while another thread uses the device.
static void same_bits_of(struct check *check, gpuprim *gp, const struct reduce_case *test,
                         enum gpuprim_memory memory, int runs)
{
    struct check_block in;
    struct check_place place;
    check_block_make(&in, view_of(test), 3, 0);
    reduce_fill(check, test, &in.view);
    if (check_place_make(check, gp, &place, &in, memory)) {
        struct company company;
        company_begin(&company);
        for (unsigned i = 0; i < sizeof float_ops / sizeof *float_ops; i++) {
            uint64_t first, again;
            check->cases++;
            if (!result_bits(check, gp, &place.view, float_ops[i], &first))
                continue;
            for (int run = 1; run < runs; run++) {
                check->cases++;
                if (result_bits(check, gp, &place.view, float_ops[i], &again))
                    CHECK(check, again == first,
                          "%s: 0x%" PRIx64 " in run %d, 0x%" PRIx64 " in run 0",
                          reduce_op_name(float_ops[i]), again, run, first);
            }
        }
        company_end(&company);
    }
    check_place_free(gp, &place);
    free(in.bytes);
}

// One hundred runs in all, over all geometries.
static void same_bits(struct check *check, const char *variant, enum gpuprim_memory memory)
{
    const char *why;
    gpuprim *gp = forced_context(check, variant, &why);
    struct reduce_case test = { .type = GPUPRIM_F32, .data = DATA_SMALL };
    const int runs = (check->quick ? 10 : 100) / (reduce_case_kind_of(variant) ? 2 : 1);
    for (unsigned s = 0; gp && shape(&test, variant, s, check->quick ? 5003 : 300007); s++)
        same_bits_of(check, gp, &test, memory, runs);
    gpuprim_destroy(&gp);
    end(check, why);
}

static void any_alignment_of(struct check *check, gpuprim *gp, const struct reduce_case *test)
{
    const size_t size = gp_type_size(test->type), bytes = test->count * test->rows * size;
    struct check_block in;
    check_block_make(&in, view_of(test), 0, 17);
    reduce_fill(check, test, &in.view);
    for (unsigned i = 0; i < 2; i++) {
        uint64_t first = 0, again;
        for (uint64_t lead = 0; lead < 17; lead++) {
            struct gpuprim_array view = in.view;
            view.base = in.bytes + lead * size;
            memmove(view.base, in.bytes + (lead ? lead - 1 : 0) * size, bytes);
            check->cases++;
            if (!result_bits(check, gp, &view, float_ops[i], &again))
                continue;
            first = lead ? first : again;
            CHECK(check, again == first,
                  "%s of %s, %" PRIu64 " rows, %" PRIu64 " elements off: other bits",
                  reduce_op_name(float_ops[i]), gp_type_name(test->type), test->rows, lead);
        }
        memmove(in.bytes, in.bytes + 16 * size, bytes);
    }
    free(in.bytes);
}

// The same numbers at every alignment of host memory.
static void any_alignment(struct check *check, const char *variant)
{
    static const enum gpuprim_type types[] = { GPUPRIM_F16, GPUPRIM_F32, GPUPRIM_F64 };
    const char *why;
    gpuprim *gp = forced_context(check, variant, &why);
    for (unsigned t = 0; gp && t < 3; t++) {
        struct reduce_case test = { .type = types[t], .data = DATA_SMALL };
        for (unsigned s = 0; shape(&test, variant, s, 10007); s++)
            if (!reduce_lacks_doubles(gp, &test))
                any_alignment_of(check, gp, &test);
    }
    gpuprim_destroy(&gp);
    end(check, why);
}

void reduce_numerics_run(struct check *check)
{
    const struct gp_primitive *reduce = check_primitive("reduce");
    for (unsigned v = reduce->n_variants; v-- > 0;) {
        const char *name = reduce->variants[v]->name;
        for (int type = GPUPRIM_F16; type <= GPUPRIM_F32; type++)
            if (check_begin(check, "reduce/error_bound/%s/%s", gp_type_name(type), name))
                error_bound(check, name, type);
        for (int memory = GPUPRIM_HOST; memory <= GPUPRIM_BUFFER; memory++)
            if (check_begin(check, "reduce/same_bits/%s/%s",
                            memory == GPUPRIM_HOST ? "host" : "buffer", name))
                same_bits(check, name, memory);
        if (check_begin(check, "reduce/any_alignment/%s", name))
            any_alignment(check, name);
    }
    static const enum gpuprim_type types[] = { GPUPRIM_U8,  GPUPRIM_I8,  GPUPRIM_U16,
                                               GPUPRIM_F16, GPUPRIM_F32, GPUPRIM_I64 };
    for (unsigned t = 0; t < sizeof types / sizeof *types; t++)
        if (check_begin(check, "reduce/long_chains/%s", gp_type_name(types[t]))) {
            long_chains(check, types[t]);
            if (check->cases || check->failures)
                check_end(check);
            else
                check_skip(check, "the mean needs double precision");
        }
}
