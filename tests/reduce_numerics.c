/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of reduce, third part: the error bound where a plain loop would break it, and results
 * that have the same bits from run to run and wherever an array lies.
 */
#include "reduce_case.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reduce_reference.h"

// ---------------------------------------------------------------------------------------
// Error bound

// Ten million equal numbers: added one after the other in f32 they are off by percents.
static void error_bound(struct check *check, const char *forced, enum gpuprim_type type)
{
    gpuprim *gp = check_context(check, forced, 0);
    static const enum gpuprim_op ops[] = { GPUPRIM_SUM, GPUPRIM_SUM_SQUARES, GPUPRIM_MEAN };
    for (unsigned i = 0; gp && i < sizeof ops / sizeof *ops; i++) {
        struct reduce_case test = { .type = type, .params = { .op = ops[i] } };
        test.count = check->quick ? 100000 : 10000000 + check_below(check, 1000);
        test.rows = 1;
        test.data = DATA_EQUAL;
        test.lead = check_below(check, 18);
        reduce_run(check, gp, &test);
    }
    gpuprim_destroy(&gp);
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

// The bits of a float reduction of a block's view; each test has its own count of elements.
static bool result_bits(struct check *check, gpuprim *gp, const struct gpuprim_array *in,
                        enum gpuprim_op op, uint64_t *bits)
{
    const struct gpuprim_reduce_params params = { .op = op };
    *bits = 0;
    const struct gpuprim_array out =
        gpuprim_host(reduce_reference_result(in->type, &params), bits, 1);
    const int status = gpuprim_reduce(gp, in, &out, &params, NULL);
    if (status == GPUPRIM_E_UNSUPPORTED && gp->force_variant[0]) {
        check->not_taken++;
        return false;
    }
    return CHECK(check, status == GPUPRIM_OK, "%s: %s", reduce_op_name(op),
                 gpuprim_last_error());
}

static const enum gpuprim_op float_ops[] = { GPUPRIM_SUM, GPUPRIM_MEAN, GPUPRIM_SUM_SQUARES,
                                             GPUPRIM_PRODUCT };

// One hundred runs beside another thread's work.
static void same_bits(struct check *check, const char *forced, enum gpuprim_memory memory)
{
    gpuprim *gp = check_context(check, forced, 0);
    if (!gp)
        return;
    struct reduce_case test = { .type = GPUPRIM_F32, .data = DATA_SMALL, .rows = 1 };
    test.count = check->quick ? 5003 : 300007;
    struct check_block in;
    struct check_place place;
    check_block_make(&in, gpuprim_host(test.type, NULL, test.count), 3, 0);
    reduce_fill(check, &test, &in.view);
    if (check_place_make(check, gp, &place, &in, memory)) {
        struct company company;
        company_begin(&company);
        for (unsigned i = 0; i < sizeof float_ops / sizeof *float_ops; i++) {
            uint64_t first, again;
            if (!result_bits(check, gp, &place.view, float_ops[i], &first))
                continue;
            for (int run = 1; run < (check->quick ? 10 : 100); run++) {
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
    gpuprim_destroy(&gp);
}

// The same numbers in host memory at every alignment. wide_loads is for devices that are no
// CPUs: they take host arrays through staging memory, and a CPU is told here to do so, too.
static void any_alignment(struct check *check, const char *forced)
{
    gpuprim *gp = check_context(check, forced, 0);
    if (!gp)
        return;
    if (strcmp(forced, "reduce:wide_loads") == 0)
        gp->caps.is_cpu = false;
    static const enum gpuprim_type types[] = { GPUPRIM_F16, GPUPRIM_F32, GPUPRIM_F64 };
    for (unsigned t = 0; t < 3; t++) {
        const size_t size = gp_type_size(types[t]);
        struct reduce_case test = { .type = types[t], .data = DATA_SMALL, .rows = 1 };
        test.count = 10007;
        if (types[t] == GPUPRIM_F64 && !gp->caps.has_fp64)
            continue;
        struct check_block in;
        check_block_make(&in, gpuprim_host(test.type, NULL, test.count), 0, 17);
        reduce_fill(check, &test, &in.view);
        for (unsigned i = 0; i < 2; i++) {
            uint64_t first = 0, again;
            for (uint64_t lead = 0; lead < 17; lead++) {
                struct gpuprim_array view = in.view;
                view.base = in.bytes + lead * size;
                memmove(view.base, in.bytes + (lead ? lead - 1 : 0) * size, test.count * size);
                check->cases++;
                if (!result_bits(check, gp, &view, float_ops[i], &again))
                    continue;
                first = lead ? first : again;
                CHECK(check, again == first, "%s of %s %" PRIu64 " elements off: other bits",
                      reduce_op_name(float_ops[i]), gp_type_name(types[t]), lead);
            }
            memmove(in.bytes, in.bytes + 16 * size, test.count * size);
        }
        free(in.bytes);
    }
    gpuprim_destroy(&gp);
}

void reduce_numerics_run(struct check *check)
{
    const struct gp_primitive *reduce = reduce_table();
    for (unsigned v = reduce->n_variants; v-- > 0;) {
        const char *name = reduce->variants[v].name;
        char forced[64];
        snprintf(forced, sizeof forced, "reduce:%s", name);
        for (int type = GPUPRIM_F16; type <= GPUPRIM_F32; type++)
            if (check_begin(check, "reduce/error_bound/%s/%s", gp_type_name(type), name)) {
                error_bound(check, forced, type);
                check_end(check);
            }
        for (int memory = GPUPRIM_HOST; memory <= GPUPRIM_BUFFER; memory++)
            if (check_begin(check, "reduce/same_bits/%s/%s",
                            memory == GPUPRIM_HOST ? "host" : "buffer", name)) {
                same_bits(check, forced, memory);
                check_end(check);
            }
        if (check_begin(check, "reduce/any_alignment/%s", name)) {
            any_alignment(check, forced);
            check_end(check);
        }
    }
}
