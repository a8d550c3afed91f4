/* SPDX-License-Identifier: Apache-2.0
 *
 * What `check --bench` measures of reduce (harness/bench.h). Every result is compared with that
 * of baseline. */
#include "case.h"
#include "tests/harness/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/reduce/reduce.h"

struct measured_call {
    enum gpuprim_op op; // 0: a sum
    enum gpuprim_type type;
    struct gpuprim_array in;
    bool stays; // the result of a blocking call goes to device memory
};

static struct gpuprim_array out_of(struct bench *b, const struct measured_call *r, void *host)
{
    const struct gpuprim_reduce_params params = { .op = r->op };
    const enum gpuprim_type type = reduce_reference_result(r->type, &params);
    const uint64_t rows = r->in.rows ? r->in.rows : 1;
    const uint64_t count = rows * reduce_reference_results(r->op);
    return host ? gpuprim_host(type, host, count) : gpuprim_buffer(type, b->result, 0, count);
}

static int call(struct bench *b, const void *what, const struct gpuprim_sync *sync)
{
    const struct measured_call *r = what;
    const struct gpuprim_reduce_params params = { .op = r->op };
    double host[5];
    const struct gpuprim_array out = out_of(b, r, sync || r->stays ? NULL : host);
    return gpuprim_reduce(b->gp, &r->in, &out, &params, sync);
}

static double as_number(enum gpuprim_type type, const unsigned char *at)
{
    float f;
    double d;
    memcpy(&f, at, sizeof f);
    memcpy(&d, at, sizeof d);
    return type == GPUPRIM_F32 ? (double)f : d;
}

// Float sums may differ by rounding. 2^-18 is what the documented bound allows the two together
// for sums of positive f32. Everything else must be equal to the bit.
static bool same(enum gpuprim_type type, const unsigned char *a, const unsigned char *b,
                 size_t n)
{
    const size_t size = reduce_reference_size(type);
    if (type != GPUPRIM_F32 && type != GPUPRIM_F64)
        return memcmp(a, b, n * size) == 0;
    for (size_t i = 0; i < n; i++) {
        const double x = as_number(type, a + i * size), y = as_number(type, b + i * size);
        if (!(x == y || fabs(x - y) <= 0x1p-16 * fabs(y)))
            return false;
    }
    return true;
}

static bool verify(struct bench *b, const void *what)
{
    const struct measured_call *r = what;
    const struct gpuprim_reduce_params params = { .op = r->op };
    const struct gpuprim_array out = out_of(b, r, NULL);
    const size_t bytes = out.count * reduce_reference_size(out.type);
    unsigned char *results = calloc(2, bytes + 8);
    if (!results)
        return false;
    bool done = true;
    for (int pass = 0; pass < 2 && done; pass++)
        done = !gpuprim_reduce(pass ? b->reference : b->gp, &r->in, &out, &params, NULL) &&
               !clEnqueueReadBuffer(b->queue, b->result, CL_TRUE, 0, bytes,
                                    results + (size_t)pass * (bytes + 8), 0, NULL, NULL);
    const bool equal = done && same(out.type, results, results + bytes + 8, out.count);
    free(results);
    return equal;
}

static void row(struct bench *b, const char *name, const char *type_name,
                const struct measured_call *r, bool to_host)
{
    const uint64_t n = r->in.count * (r->in.rows ? r->in.rows : 1);
    const struct gpuprim_array out = out_of(b, r, NULL);
    const struct bench_row it = {
        .primitive = "reduce",
        .name = name,
        .type = type_name,
        .n = n,
        .bytes = (double)(n * reduce_reference_size(r->type) +
                          out.count * reduce_reference_size(out.type)),
        .call = call,
        .verify = verify,
        .what = r,
        .to_host = to_host,
        .host_only = r->in.memory == GPUPRIM_HOST,
    };
    bench_row(b, &it);
}

static const char *const type_names[] = { "",    "i8",  "u8",  "i16", "u16", "i32",
                                          "u32", "i64", "u64", "f16", "f32", "f64" };

static void large(struct bench *b, const char *name, enum gpuprim_op op)
{
    for (int type = GPUPRIM_I8; type <= GPUPRIM_F64; type++) {
        if (type == GPUPRIM_F64 && !b->gp->caps.has_fp64)
            continue;
        for (size_t bytes = b->bytes; bytes >= b->bytes / 4; bytes /= 4) {
            const uint64_t n = bytes / reduce_reference_size(type);
            const struct measured_call r = { .op = op,
                                             .type = type,
                                             .in = gpuprim_buffer(type, b->memory, 0, n) };
            row(b, name, type_names[type], &r, false);
        }
    }
}

static void matrix(struct bench *b, enum gpuprim_op op, enum gpuprim_type type,
                   uint64_t columns, bool by_columns)
{
    // All rows together have a quarter of the memory; their results fit b->result.
    const uint64_t size = reduce_reference_size(type);
    const uint64_t row_results = reduce_reference_results(op);
    const uint64_t rows = gp_min(b->bytes / 4 / size / columns, b->bytes / 8 / 8 / row_results);
    struct measured_call r = { .op = op,
                               .type = type,
                               .in = gpuprim_buffer(type, b->memory, 0, columns) };
    r.in.rows = rows;
    if (by_columns) {
        r.in.count = rows;
        r.in.stride = (int64_t)columns;
        r.in.rows = columns;
        r.in.row_stride = 1;
    }
    char name[64];
    snprintf(name, sizeof name, by_columns ? "%s columns %llu wide" : "%s rows of %llu",
             reduce_op_name(op), (unsigned long long)columns);
    row(b, name, type_names[type], &r, false);
}

// Rows and columns of f32, and those of bytes and of positions, which take other ways.
static void matrices(struct bench *b)
{
    static const uint64_t columns[] = { 3, 8, 16, 32, 33, 256, 1000, 4096, 65536 };
    static const uint64_t some[] = { 3, 16, 32, 100, 1000 };
    static const enum gpuprim_type types[] = { GPUPRIM_U8, GPUPRIM_I16, GPUPRIM_I64,
                                               GPUPRIM_F32 };
    for (int by_columns = 0; by_columns < 2; by_columns++) {
        for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
            matrix(b, GPUPRIM_SUM, GPUPRIM_F32, columns[i], by_columns);
        for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
            matrix(b, GPUPRIM_SUM, GPUPRIM_U8, some[i], by_columns);
            matrix(b, GPUPRIM_ARGMIN, GPUPRIM_F32, some[i], by_columns);
        }
        for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
            matrix(b, GPUPRIM_STATISTICS, types[i], 32, by_columns);
            matrix(b, GPUPRIM_STATISTICS, types[i], 1000, by_columns);
        }
    }
}

// Short arrays, where the launch takes all the time: from device memory and from host memory.
static void tiny(struct bench *b)
{
    enum { N = 100 };
    static float data[N];
    for (int i = 0; i < N; i++)
        data[i] = 1 + (float)i / N;
    const struct gpuprim_array memory = gpuprim_buffer(GPUPRIM_F32, b->memory, 0, N);
    const struct gpuprim_array host = gpuprim_host(GPUPRIM_F32, data, N);
    row(b, "sum buffer to buffer", "f32",
        &(struct measured_call){ .type = GPUPRIM_F32, .in = memory, .stays = true }, true);
    row(b, "sum host to host", "f32",
        &(struct measured_call){ .type = GPUPRIM_F32, .in = host }, true);
}

// What bench/reduce/boost.cpp measures.
static void small_on_cpu(struct bench *b)
{
    static const uint64_t sizes[] = { 100, 10000, 2 << 20 };
    static const enum gpuprim_type types[] = { GPUPRIM_I32, GPUPRIM_F32 };
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= b->bytes / 4; i++) {
            struct measured_call r = { .type = types[t],
                                       .in = gpuprim_buffer(types[t], b->memory, 0, sizes[i]) };
            row(b, "sum", type_names[types[t]], &r, true);
            r.op = GPUPRIM_ARGMIN;
            row(b, "argmin", type_names[types[t]], &r, true);
        }
}

void bench_reduce(struct bench *b)
{
    static const uint64_t small[] = { 1, 1 << 10, 1 << 16, 1 << 20, 1 << 24, 1 << 27 };
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        const struct measured_call r = {
            .type = GPUPRIM_F32, .in = gpuprim_buffer(GPUPRIM_F32, b->memory, 0, small[i])
        };
        if (small[i] * sizeof(float) <= b->bytes)
            row(b, "sum", "f32", &r, true);
    }
    tiny(b);
    if (b->gp->caps.is_cpu)
        small_on_cpu(b);
    matrices(b);
    large(b, "sum", GPUPRIM_SUM);
    large(b, "min", GPUPRIM_MIN);
    large(b, "max", GPUPRIM_MAX);
    large(b, "minmax", GPUPRIM_MINMAX);
    large(b, "argmin", GPUPRIM_ARGMIN);
    large(b, "argmax", GPUPRIM_ARGMAX);
    static const struct {
        const char *name;
        enum gpuprim_op op;
    } others[] = {
        { "product", GPUPRIM_PRODUCT }, { "count", GPUPRIM_COUNT },
        { "sum_abs", GPUPRIM_SUM_ABS }, { "sum_squares", GPUPRIM_SUM_SQUARES },
        { "mean", GPUPRIM_MEAN },       { "max_abs", GPUPRIM_MAX_ABS },
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        for (int type = GPUPRIM_I32; type <= GPUPRIM_F32; type += GPUPRIM_F32 - GPUPRIM_I32) {
            const struct measured_call r = { .op = others[i].op,
                                             .type = type,
                                             .in = gpuprim_buffer(type, b->memory, 0,
                                                                  b->bytes / 4) };
            row(b, others[i].name, type_names[type], &r, false);
        }
    static const enum gpuprim_type types[] = { GPUPRIM_U8, GPUPRIM_I16, GPUPRIM_F16,
                                               GPUPRIM_F32, GPUPRIM_F64 };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const uint64_t n = b->bytes / reduce_reference_size(types[i]);
        const struct measured_call r = { .op = GPUPRIM_STATISTICS,
                                         .type = types[i],
                                         .in = gpuprim_buffer(types[i], b->memory, 0, n) };
        if (types[i] != GPUPRIM_F64 || b->gp->caps.has_fp64)
            row(b, "statistics", type_names[types[i]], &r, false);
    }
}
