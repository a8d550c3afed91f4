/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of reduce: every operation x every type x every variant, baseline first, each over
 * sizes, data sets and geometries (case.c, data.c). A group's kernel is compiled once for all
 * of them. check_reduce also runs the other files of this folder, each of which has one
 * subject.
 */
#include "case.h"

#include <stdio.h>
#include <string.h>

#include "src/reduce/reduce.h"
#include "reference/reduce/reduce.h"

// ---------------------------------------------------------------------------------------

// Sizes around what the device and the kernels are likely to cut at: the device's width and
// largest group, powers of two, and primes.
static unsigned sizes_of(const struct check *check, const gpuprim *gp, uint64_t sizes[64])
{
    static const uint64_t fixed[] = {
        0,    1,    2,    3,    997,  1023,  1024,  1025,  4095,
        4096, 4097, 8191, 8192, 8193, 32767, 32768, 32769, 65537
    };
    const uint64_t cuts[] = { gp->caps.width, gp->caps.max_work_group };
    unsigned n = 0;
    for (unsigned i = 0; i < sizeof cuts / sizeof *cuts; i++)
        for (int d = -1; d <= 1; d++)
            if (!check->quick || cuts[i] < 1024)
                sizes[n++] = cuts[i] + (uint64_t)d;
    for (unsigned i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (!check->quick || fixed[i] <= 1025)
            sizes[n++] = fixed[i];
    return n;
}

// The number of rows, so that a case stays small.
static uint64_t rows_for(struct check *check, uint64_t count)
{
    static const uint64_t some[] = { 1, 1, 1, 2, 7, 33, 100 };
    const uint64_t rows = some[check_below(check, check->quick ? 5 : 7)];
    return rows * count <= (check->quick ? 3000 : 100000) ? rows : 1;
}

static bool has_denormals(const gpuprim *gp, enum gpuprim_type type)
{
    cl_device_fp_config config = 0;
    clGetDeviceInfo(gp->device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, NULL);
    return type == GPUPRIM_F64 || (config & CL_FP_DENORM);
}

// All cases of one kernel.
static void sweep(struct check *check, gpuprim *gp, struct reduce_case test)
{
    uint64_t sizes[64];
    const unsigned n_sizes = sizes_of(check, gp, sizes);
    for (unsigned i = 0; i < n_sizes; i++) {
        test.count = sizes[i];
        test.rows = rows_for(check, test.count);
        test.data = check_once_in(check, 3) ? DATA_RANDOM : DATA_SMALL;
        reduce_shuffle(check, gp, &test);
        reduce_suit(check, gp, &test);
        reduce_run(check, gp, &test);
    }
    static const uint64_t few[] = { 1, 2, 17, 300, 5000, 20000 };
    const unsigned n_data = test.type >= GPUPRIM_F16 ? DATA_SETS : DATA_INTEGER_SETS;
    for (unsigned data = 0; data < n_data; data++) {
        if (data == DATA_DENORMAL && !has_denormals(gp, test.type))
            continue;
        if (data == DATA_TWOS && test.type >= GPUPRIM_F16) // DATA_RANDOM again
            continue;
        for (unsigned i = 0; i < sizeof few / sizeof *few; i++) {
            if (check->quick && i % 3 != 0) // 1 and 300
                continue;
            test.data = (enum reduce_data)data;
            test.count = few[i] + check_below(check, 2);
            test.rows = rows_for(check, test.count);
            reduce_shuffle(check, gp, &test);
            reduce_suit(check, gp, &test);
            reduce_run(check, gp, &test);
        }
    }
}

// One long row. Its length depends on the group, so that the groups together have all lengths.
static void sweep_long(struct check *check, gpuprim *gp, struct reduce_case test)
{
    static const uint64_t lengths[] = { 262143, 262145, 1000003, 1048577, 3000017 };
    if (check->quick)
        return;
    test.count = lengths[check_below(check, 5)];
    test.rows = 1;
    test.data = check_once_in(check, 2) && test.type < GPUPRIM_F16 ? DATA_TWOS : DATA_SMALL;
    reduce_shuffle(check, gp, &test);
    reduce_suit(check, gp, &test);
    reduce_run(check, gp, &test);
}

// True if the device itself would choose this variant for a typical array: a long row, rows of
// several lengths, or columns.
static bool is_own_choice(const char *variant)
{
    static const struct gp_array arrays[] = {
        { .rows = 1, .count = 1 << 26, .stride = 1 },
        { .rows = 1 << 20, .count = 5, .stride = 1, .row_stride = 5 },
        { .rows = 1 << 16, .count = 256, .stride = 1, .row_stride = 256 },
        { .rows = 256, .count = 1 << 16, .stride = 256, .row_stride = 1 },
    };
    gpuprim *gp = NULL;
    bool is_one = false;
    gpuprim_create(NULL, &gp);
    for (unsigned i = 0; gp && i < sizeof arrays / sizeof *arrays; i++) {
        struct reduction r = { .op = GPUPRIM_SUM, .in = arrays[i], .sum = GPUPRIM_F32 };
        r.in.type = GPUPRIM_F32;
        r.in.size = sizeof(float);
        const struct gp_variant *own = gp_variant_pick(gp, &gp_primitive_reduce, &r);
        is_one |= own && strcmp(own->name, variant) == 0;
    }
    gpuprim_destroy(&gp);
    return is_one;
}

// Runs a group. Returns NULL, or the reason why nothing ran.
static const char *op_type_variant(struct check *check, enum gpuprim_op op,
                                   enum gpuprim_type type, const char *variant, bool in_full)
{
    struct reduce_case test = { .type = type, .params = { .op = op } };
    gpuprim *gp = check_variant(check, "reduce", variant, 0);
    if (!gp)
        return NULL;
    const char *why = reduce_cannot(gp, variant);
    if (why) {
        gpuprim_destroy(&gp);
        return why;
    }
    test.f32_results = op == GPUPRIM_STATISTICS && check_once_in(check, 4);
    if (test.f32_results && type != GPUPRIM_F64 && check_once_in(check, 2))
        gp->caps.has_fp64 = false;
    const bool all_refused = reduce_lacks_doubles(gp, &test);
    if (!in_full)
        test.params.nan = (enum gpuprim_nan)check_below(check, 2);
    sweep(check, gp, test);
    sweep_long(check, gp, test);
    if (in_full && type >= GPUPRIM_F16) {
        test.params.nan = GPUPRIM_NAN_IGNORE;
        sweep(check, gp, test);
    }
    if (in_full && (type == GPUPRIM_F16 || type == GPUPRIM_F32) && reduce_op_accumulates(op)) {
        test.params.accumulator = GPUPRIM_F64;
        test.params.nan = (enum gpuprim_nan)check_below(check, 2);
        sweep(check, gp, test);
    }
    if (!all_refused)
        reduce_expect_taken(check, check->quick ? 5 : 20);
    gpuprim_destroy(&gp);
    return NULL;
}

// Operations that floats do not have.
static void refused(struct check *check, enum gpuprim_op op, enum gpuprim_type type)
{
    gpuprim *gp = check_context(check, NULL, 0);
    if (!gp)
        return;
    uint64_t x[4] = { 0 }, result = 5;
    const struct gpuprim_reduce_params params = { .op = op };
    const struct gpuprim_array in = gpuprim_host(type, x, 4);
    const struct gpuprim_array out = gpuprim_host(type, &result, 1);
    check->cases += 2;
    const int called = gpuprim_reduce(gp, &in, &out, &params, NULL);
    const int prepared = gpuprim_reduce_prepare(gp, &in, &out, &params);
    CHECK(check, called == GPUPRIM_E_TYPE, "gpuprim_reduce gives %d", called);
    CHECK(check, prepared == GPUPRIM_E_TYPE, "gpuprim_reduce_prepare gives %d", prepared);
    CHECK(check, result == 5, "out was written");
    gpuprim_destroy(&gp);
}

static void run(struct check *check)
{
    const struct gp_primitive *reduce = check_primitive("reduce");
    for (unsigned v = reduce->n_variants; v-- > 0;) { // baseline stands last
        const char *variant = reduce->variants[v]->name;
        // Compiling takes most of the time. So options that need a program of their own are
        // tested with baseline and the variants that the device chooses itself.
        const bool in_full = v == reduce->n_variants - 1 || is_own_choice(variant);
        for (int op = 0; op < REDUCE_OPS; op++)
            for (int type = 1; type <= REDUCE_TYPES; type++)
                if (reduce_op_takes(op, type) &&
                    check_begin(check, "reduce/%s/%s/%s", reduce_op_name(op),
                                gp_type_name(type), variant)) {
                    const char *why = op_type_variant(check, op, type, variant, in_full);
                    if (why)
                        check_skip(check, "%s", why);
                    else
                        check_end(check);
                }
    }
    for (int op = 0; op < REDUCE_OPS; op++)
        for (int type = 1; type <= REDUCE_TYPES; type++)
            if (!reduce_op_takes(op, type) &&
                check_begin(check, "reduce/%s/%s/refused", reduce_op_name(op),
                            gp_type_name(type))) {
                refused(check, op, type);
                check_end(check);
            }
    reduce_tiny_run(check);
    reduce_shapes_run(check);
    reduce_layouts_run(check);
    reduce_pivots_run(check);
    reduce_narrow_run(check);
    reduce_numerics_run(check);
    reduce_async_run(check);
    reduce_driver_run(check);
    reduce_stream_run(check);
    reduce_large_run(check);
    reduce_corners_run(check);
    reduce_values_run(check);
    reduce_keys_run(check);
}

const struct check_suite check_reduce = {
    .name = "reduce",
    .run = run,
    .bench = bench_reduce,
    .map = &map_reduce,
    .sources = &reduce_sources,
};
