/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of the map itself (map.h): a seed draws the same calls again, bytes are counted as the
 * head of map.h says, and a result that differs from baseline's is noticed. */
#include "map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "tests/classify/case.h"
#include "tests/convolve1d/case.h"
#include "tests/reduce/case.h"

// ---------------------------------------------------------------------------------------
// Drawing

enum { LARGEST = 32 << 20 };

static bool same_array(const struct gpuprim_array *a, const struct gpuprim_array *b)
{
    return a->type == b->type && a->first == b->first && a->count == b->count &&
           a->rows == b->rows && a->stride == b->stride && a->row_stride == b->row_stride;
}

static bool same_call(const struct map_call *a, const struct map_call *b)
{
    return strcmp(a->text, b->text) == 0 && same_array(&a->in[0], &b->in[0]) &&
           same_array(&a->in[1], &b->in[1]) && same_array(&a->out[0], &b->out[0]) &&
           same_array(&a->out[1], &b->out[1]) && a->multiply_adds == b->multiply_adds;
}

static void draws(struct check *check, const char *name, const struct map_primitive *primitive)
{
    enum { CALLS = 60 };
    gpuprim *gp = check_context(check, NULL, 0);
    const uint64_t seed = check_random(check);
    unsigned others = 0;
    for (unsigned i = 0; gp && i < CALLS; i++) {
        struct map_call calls[3];
        for (unsigned k = 0; k < 3; k++) { // the third of another seed
            map_draw_call(primitive, name, seed + k / 2, i, gp, LARGEST, &calls[k]);
            if (primitive->release)
                primitive->release(&calls[k]);
        }
        check->cases++;
        CHECK(check, same_call(&calls[0], &calls[1]), "%s\nis not\n%s", calls[1].text,
              calls[0].text);
        others += !same_call(&calls[0], &calls[2]);
        CHECK(check, strlen(calls[0].text) + 1 < sizeof calls[0].text, "text is cut: %s",
              calls[0].text);
        // So large is the map's memory where arrays span LARGEST bytes.
        CHECK(check, map_in_step(&calls[0]) <= 16 * LARGEST / 7, "inputs are too large: %s",
              calls[0].text);
        CHECK(check, map_out_step(&calls[0]) <= 16 * LARGEST / 7, "outputs are too large: %s",
              calls[0].text);
    }
    CHECK(check, !gp || others > CALLS - 5, "only %u of %d calls differ with another seed",
          others, CALLS);
    gpuprim_destroy(&gp);
}

// ---------------------------------------------------------------------------------------
// Bytes

static struct gpuprim_array view_of(uint64_t rows, uint64_t count, int64_t row_stride,
                                    int64_t stride)
{
    return (struct gpuprim_array){ .type = GPUPRIM_F32,
                                   .count = count,
                                   .rows = rows,
                                   .stride = stride,
                                   .row_stride = row_stride };
}

static void counts_bytes(struct check *check)
{
    static const struct {
        uint64_t rows, count;
        int64_t row_stride, stride;
        double bytes; // of f32, in lines of 64 bytes
    } known[] = {
        { 1, 1000, 1000, 1, 4000 },           // packed
        { 1, 1000, 1000, -1, 4000 },          //
        { 50, 100, 100, 1, 20000 },           // packed rows
        { 100, 50, 1, 100, 20000 },           // columns of a packed matrix
        { 2, 1000, 1, 2, 8000 },              // channels
        { 2, 1000, 1, 6, 23984 },             // two of six channels share all lines
        { 1, 1000, 1, 4, 15988 },             // every 4th: all lines
        { 1, 1000, 1, 32, 64000 },            // every 32nd: a line each
        { 10, 100, 3200, 32, 64000 },         // rows of those
        { 10, 100, 100 + 1, 1, 4036 },        // a gap shorter than a line is moved, too
        { 10, 100, 1000, 1, 10 * (396 + 64) } // a wide gap is not
    };
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
        const struct gpuprim_array array =
            view_of(known[i].rows, known[i].count, known[i].row_stride, known[i].stride);
        const double got = map_bytes(&array, 64);
        check->cases++;
        CHECK(check, got == known[i].bytes, "%u: %.0f bytes instead of %.0f", i, got,
              known[i].bytes);
    }
}

static void counts_fetched_bytes(struct check *check)
{
    static const struct {
        uint64_t rows, count;
        int64_t row_stride, stride;
        double bytes; // of f32, in parts of 32 bytes
    } known[] = {
        { 1, 1000, 1000, 1, 0 },          // packed
        { 50, 100, 100, 1, 0 },           // packed rows
        { 100, 50, 1, 100, 0 },           // columns of a packed matrix
        { 1, 1000, 1, -3, 999 * 12 + 4 }, // every 3rd: all parts
        { 1, 1000, 1, 16, 32000 },        // every 16th: a part each
        { 2, 1000, 1, 6, 23984 },         // two of six channels share all parts
        { 50, 1000, 1001, 1, 50 * 32 },   // a gap of an element lies in one part
        { 50, 1000, 1003, 1, 50 * 40 },   // one of three sometimes in two
        { 50, 1000, -2000, 1, 50 * 56 },  // a wide gap has two ends, which may be aligned
        { 1000, 50, 1, 2000, 50 * 56 },   // columns of such a matrix
        { 50, 2, 100, 1, 50 * 36 },       // a run of two lies in one part or two
        { 50, 3, 4, 1, 49 * 16 + 12 }     // no more than there are
    };
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
        const struct gpuprim_array array =
            view_of(known[i].rows, known[i].count, known[i].row_stride, known[i].stride);
        const double got = map_fetched(&array, 32), none = map_fetched(&array, 0);
        check->cases++;
        CHECK(check, got == known[i].bytes, "%u: %.0f bytes are fetched instead of %.0f", i,
              got, known[i].bytes);
        CHECK(check, none == 0, "%u: %.0f bytes are fetched without parts", i, none);
    }
}

static void counts_read_bytes(struct check *check)
{
    static const struct {
        uint64_t rows, count;
        int64_t row_stride, stride;
        uint64_t every, used;
        double bytes; // of f32, in lines of 64 bytes
    } known[] = {
        { 100, 50, 1, 100, 0, 0, 20000 },    // columns, whose lines have 400 bytes
        { 100, 50, 1, 100, 5, 5, 20000 },    // all lines
        { 100, 50, 1, 100, 5, 1, 10 * 460 }, // one line in five, wherever it begins
        { 100, 50, 1, 100, 5, 2, 20 * 460 },
        { 1, 1000, 1000, 1, 8, 1, 3972 }, // nothing is skipped: all but what follows the last
        { 1, 1000, 1000, 1, 8, 2, 4000 },
        { 1, 6400, 6400, 1, 32, 1, 12800 }, // one element in 128 bytes
    };
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
        const struct map_call call = { .every = known[i].every,
                                       .used = known[i].used,
                                       .in = { view_of(known[i].rows, known[i].count,
                                                       known[i].row_stride,
                                                       known[i].stride) } };
        const double got = map_read(&call, 64);
        check->cases++;
        CHECK(check, got == known[i].bytes, "%u: %.0f bytes are read instead of %.0f", i, got,
              known[i].bytes);
    }
}

static void keeps_large(struct check *check)
{
    struct map_row rows[] = { { .bytes = MAP_SMALL, .share = 0.1 },
                              { .bytes = MAP_LARGE, .share = 0.2 },
                              { .bytes = MAP_LARGE - 1, .share = 0.3 },
                              { .bytes = 2.0 * MAP_LARGE, .share = 0.4 } };
    check->cases++;
    CHECK(check, map_keep_large(rows, 4) == 2 && rows[0].share == 0.2 && rows[1].share == 0.4,
          "other rows than the large ones are kept");
}

// ---------------------------------------------------------------------------------------
// Wrong results

struct fixture {
    struct bench bench;
    struct map_memory memory;
};

static bool fixture_make(struct check *check, struct fixture *f)
{
    *f = (struct fixture){ .bench = { .options = { .quick = true, .map = true } } };
    const bool made = bench_open(&f->bench, NULL, NULL) &&
                      !gpuprim_create_cl(f->bench.gp->context, f->bench.gp->device, NULL,
                                         &f->bench.reference) &&
                      bench_prepare(&f->bench) && map_memory_make(&f->memory, &f->bench);
    return CHECK(check, made, "no map: %s", gpuprim_last_error());
}

static void fixture_free(struct fixture *f)
{
    map_memory_free(&f->memory);
    bench_release(&f->bench);
    gpuprim_destroy(&f->bench.reference);
    bench_close(&f->bench);
}

// What a faulty primitive changes after a call by the context that is measured.
static struct {
    gpuprim *gp;     // NULL: nothing
    uint64_t offset; // elements behind the output's first one
} fault;

static int faulty_enqueue(gpuprim *gp, void *object, const struct map_call *call,
                          const struct gpuprim_sync *sync)
{
    const int status = map_reduce.enqueue(gp, object, call, sync);
    const struct gpuprim_array *out = &call->out[0];
    const size_t size = gp_type_size(out->type);
    const size_t at = (out->first + fault.offset + 1) * size - 1; // its highest byte
    unsigned char byte;
    if (status || gp != fault.gp)
        return status;
    clEnqueueReadBuffer(sync->queue, out->base, CL_TRUE, at, 1, &byte, 0, NULL, NULL);
    byte ^= 0xff;
    return clEnqueueWriteBuffer(sync->queue, out->base, CL_TRUE, at, 1, &byte, 0, NULL, NULL);
}

// One byte of a result, or of what lies behind the results, is wrong. The calls are always the
// same, so that their kernels stay compiled.
static void notices(struct check *check)
{
    struct map_primitive faulty = map_reduce;
    struct fixture f;
    unsigned wrong = 0;
    faulty.enqueue = faulty_enqueue;
    if (fixture_make(check, &f))
        for (unsigned i = 0; i < 9; i++) {
            struct map_row row = { .index = i };
            map_draw_call(&faulty, "reduce", 1, i, f.bench.gp, map_largest(&f.memory),
                          &row.call);
            const struct gpuprim_array *out = &row.call.out[0];
            const uint64_t results = out->rows * out->count;
            fault.gp = i % 3 ? f.bench.gp : NULL;
            fault.offset = i % 3 == 1 ? check_below(check, results) : results;
            const int status = map_measure(&f.memory, &faulty, "reduce", &row);
            check->cases++;
            CHECK(check, !status, "%s: %d", row.call.text, status);
            CHECK(check, row.verified == (i % 3 == 0), "%s: %s", row.call.text,
                  row.verified ? "a wrong byte is not noticed" : "verification fails");
            wrong += i % 3 != 0;
            CHECK(check, f.bench.failed == wrong, "%u failures counted, not %u", f.bench.failed,
                  wrong);
        }
    fault.gp = NULL;
    fixture_free(&f);
}

static unsigned programs_of(const gpuprim *gp)
{
    unsigned n = 0;
    for (unsigned i = 0; i < GP_BUCKETS; i++)
        for (const struct gp_program *p = gp->programs[i]; p; p = p->next)
            n++;
    return n;
}

static int failing_prepare(gpuprim *gp, void *object, const struct map_call *call)
{
    return gp == fault.gp ? GPUPRIM_E_BUILD : map_reduce.prepare(gp, object, call);
}

// A program is built in each of both contexts, and one that cannot be built is counted.
static void compiles(struct check *check)
{
    struct map_primitive failing = map_reduce;
    struct fixture f;
    failing.prepare = failing_prepare;
    if (fixture_make(check, &f)) {
        struct map_row row = { .index = 0 };
        gpuprim *const contexts[] = { f.bench.gp, f.bench.reference };
        map_draw_call(&failing, "reduce", 1, 0, f.bench.gp, map_largest(&f.memory), &row.call);
        check->cases++;
        CHECK(check, map_compile(&f.memory, &failing, "reduce", &row) == GPUPRIM_OK, "%s",
              gpuprim_last_error());
        for (unsigned i = 0; i < 2; i++)
            CHECK(check, programs_of(contexts[i]) == 1, "context %u has %u programs", i,
                  programs_of(contexts[i]));
        CHECK(check, f.bench.failed == 0, "%u failures", f.bench.failed);
        for (unsigned i = 0; i < 2; i++) {
            fault.gp = contexts[i];
            CHECK(check, map_compile(&f.memory, &failing, "reduce", &row) == GPUPRIM_E_BUILD,
                  "a program that context %u cannot build is not noticed", i);
            CHECK(check, f.bench.failed == i + 1, "%u failures, not %u", f.bench.failed, i + 1);
        }
    }
    fault.gp = NULL;
    fixture_free(&f);
}

static bool same_words(struct fixture *f, enum gpuprim_type type, double tolerance,
                       uint32_t got, uint32_t expected)
{
    struct map_call call = { .tolerance = tolerance };
    call.out[0] = (struct gpuprim_array){ .type = type, .count = 1, .rows = 1, .stride = 1 };
    return map_poison(&f->memory, &call) &&
           !clEnqueueWriteBuffer(f->memory.queue, f->memory.out.memory, CL_TRUE, 0, 4, &got, 0,
                                 NULL, NULL) &&
           !clEnqueueWriteBuffer(f->memory.queue, f->memory.expected.memory, CL_TRUE, 0, 4,
                                 &expected, 0, NULL, NULL) &&
           map_same(&f->memory, &call);
}

static void compares(struct check *check)
{
    static const struct {
        enum gpuprim_type type;
        double tolerance;
        uint32_t got, expected;
        bool same;
    } known[] = {
        { GPUPRIM_F32, 0, 0x3f800000, 0x3f800000, true },
        { GPUPRIM_F32, 0, 0x3f800001, 0x3f800000, false },
        { GPUPRIM_F32, 0, 0x7fc00001, 0xffc00000, true },  // NaNs
        { GPUPRIM_F32, 0, 0x7f800000, 0x7fc00000, false }, // an infinity and a NaN
        { GPUPRIM_F32, 0x1p-14, 0x3f800001, 0x3f800000, true },
        { GPUPRIM_F32, 0x1p-14, 0x3f801000, 0x3f800000, false },
        { GPUPRIM_F32, 0x1p-14, 0x3f800000, 0x7fc00000, false },
        { GPUPRIM_F32, 0x1p-14, 0x3f800000, 0x7f800000, false },
        { GPUPRIM_F32, 0x1p-14, 0x7f800000, 0xff800000, false },
        { GPUPRIM_C32, 0, 0x7fc00001, 0xffc00000, true },
        { GPUPRIM_F16, 0, 0x7e013c00, 0xfe003c00, true },
        { GPUPRIM_F16, 0, 0x3c017e00, 0x3c007e00, false },
        { GPUPRIM_U32, 0, 0x7fc00001, 0xffc00000, false },
        { GPUPRIM_U16, 0, 0x7e013c00, 0xfe003c00, false },
        { GPUPRIM_U8, 0, 0x01020304, 0x01020304, true },
        { GPUPRIM_U8, 0, 0x01020304, 0x01020404, false },
        { GPUPRIM_I64, 0, 0x01020304, 0x01020305, false },
    };
    struct fixture f;
    if (fixture_make(check, &f))
        for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
            check->cases++;
            CHECK(check,
                  same_words(&f, known[i].type, known[i].tolerance, known[i].got,
                             known[i].expected) == known[i].same,
                  "%s: %08x and %08x count as %s", gp_type_name(known[i].type),
                  (unsigned)known[i].got, (unsigned)known[i].expected,
                  known[i].same ? "different" : "the same");
        }
    fixture_free(&f);
}

// The smallest call, whose time is in the bound of small ones, loads and stores.
static void times_a_copy(struct check *check)
{
    static const cl_uint pattern = 0x01020304, other = 0;
    cl_uint first = other;
    struct fixture f;
    if (fixture_make(check, &f)) {
        struct map_memory *m = &f.memory;
        bool done = !clEnqueueFillBuffer(m->queue, m->in.memory, &pattern, sizeof pattern, 0,
                                         m->in.bytes, 0, NULL, NULL) &&
                    !clEnqueueFillBuffer(m->queue, m->out.memory, &other, sizeof other, 0, 4096,
                                         0, NULL, NULL);
        m->launch = m->empty_launch = 0;
        map_rates(m);
        done = done && !clEnqueueReadBuffer(m->queue, m->out.memory, CL_TRUE, 0, sizeof first,
                                            &first, 0, NULL, NULL);
        check->cases++;
        CHECK(check, done && first == pattern, "the copy wrote %08x", (unsigned)first);
        CHECK(check, m->empty_launch > 0 && m->launch > 0, "%g and %g seconds", m->empty_launch,
              m->launch);
    }
    fixture_free(&f);
}

// ---------------------------------------------------------------------------------------

static void run(struct check *check)
{
    static const struct {
        const char *name;
        const struct map_primitive *primitive;
    } all[] = { { "reduce", &map_reduce },
                { "convolve1d", &map_convolve1d },
                { "classify", &map_classify } };
    for (unsigned i = 0; i < 3; i++)
        if (check_begin(check, "map/draws/%s", all[i].name)) {
            draws(check, all[i].name, all[i].primitive);
            check_end(check);
        }
    static const struct {
        const char *name;
        void (*run)(struct check *check);
    } others[] = { { "bytes", counts_bytes },
                   { "read_bytes", counts_read_bytes },
                   { "fetched_bytes", counts_fetched_bytes },
                   { "keeps_large", keeps_large },
                   { "compares", compares },
                   { "times_a_copy", times_a_copy },
                   { "notices", notices },
                   { "compiles", compiles } };
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        if (check_begin(check, "map/%s", others[i].name)) {
            others[i].run(check);
            check_end(check);
        }
}

const struct check_suite check_map = { .name = "map", .run = run };
