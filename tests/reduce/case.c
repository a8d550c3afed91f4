/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs one case of the tests of reduce (case.h). Bytes that are not elements of the input are
 * noise that would spoil a result. Bytes that are not results are canaries that must survive
 * the call, between strided results as well as around them.
 */
#include "case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/reduce/reduce.h"

enum { GUARD = 64 }; // elements of canaries before and behind the results

// The library's list, so that no operation is left out. The reference says what they compute.
#define WORD(NAME, name, number, ...) [number] = #name,
static const char *const op_names[REDUCE_OPS] = { REDUCE_OPERATIONS(WORD) };

const struct reduce_kind reduce_mix[REDUCE_MIX] = {
    { GPUPRIM_SUM, GPUPRIM_I32 },    { GPUPRIM_SUM, GPUPRIM_F32 },
    { GPUPRIM_ARGMIN, GPUPRIM_F32 }, { GPUPRIM_MINMAX, GPUPRIM_I16 },
    { GPUPRIM_MEAN, GPUPRIM_I64 },   { GPUPRIM_COUNT, GPUPRIM_U8 },
    { GPUPRIM_MAX, GPUPRIM_F16 },    { GPUPRIM_STATISTICS, GPUPRIM_F32 },
};

const char *reduce_op_name(enum gpuprim_op op)
{
    return op_names[op];
}

bool reduce_op_takes(enum gpuprim_op op, enum gpuprim_type type)
{
    return type < GPUPRIM_F16 || (op != GPUPRIM_AND && op != GPUPRIM_OR && op != GPUPRIM_XOR);
}

bool reduce_op_accumulates(enum gpuprim_op op)
{
    return op == GPUPRIM_SUM || op == GPUPRIM_PRODUCT || op == GPUPRIM_SUM_ABS ||
           op == GPUPRIM_SUM_SQUARES || op == GPUPRIM_MEAN;
}

// ---------------------------------------------------------------------------------------
// The case in words

static void describe(const struct reduce_case *test, char *text, size_t size)
{
    static const char *const memories[] = { "host", "buffer", "svm" };
    snprintf(text, size,
             "%s %s accumulator=%s nan=%s data=%d count=%" PRIu64 " rows=%" PRIu64
             " stride=%" PRId64 " row_stride=%" PRId64 " lead=%" PRIu64 "%s in=%s out=%s/%s"
             " %sout_stride=%" PRId64 " out_row_stride=%" PRId64,
             reduce_op_name(test->params.op), gp_type_name(test->type),
             test->params.accumulator ? gp_type_name(test->params.accumulator) : "default",
             test->params.nan == GPUPRIM_NAN_IGNORE ? "ignore" : "propagate", (int)test->data,
             test->count, test->rows, test->stride, test->row_stride, test->lead,
             test->from_middle ? " from_middle" : "", memories[test->in_memory],
             memories[test->out_memory], test->out_in_rows ? "rows" : "flat",
             test->f32_results ? "f32 " : "", test->out_stride, test->out_row_stride);
}

// ---------------------------------------------------------------------------------------
// Running

static void noise(const struct reduce_case *test, struct check_block *block)
{
    // Floats: NaNs, infinities and huge numbers by turns. The bytes that are all ones are a
    // NaN.
    static const unsigned char spoilers[] = { 0xff, 0x7f, 0x7b, 0xfe };
    const size_t size = reduce_reference_size(test->type);
    for (size_t i = 0; i < block->size; i++)
        block->bytes[i] = test->type >= GPUPRIM_F16 ? spoilers[i / size % sizeof spoilers]
                                                    : (unsigned char)(i * 37 + i / 251);
}

bool reduce_lacks_doubles(const gpuprim *gp, const struct reduce_case *test)
{
    const bool doubles = test->type == GPUPRIM_F64 || test->params.accumulator == GPUPRIM_F64 ||
                         (!test->f32_results &&
                          reduce_reference_result(test->type, &test->params) == GPUPRIM_F64);
    return doubles && !gp->caps.has_fp64;
}

// A refusal is right for a forced variant, except for baseline, and without double precision.
static bool may_refuse(const gpuprim *gp, const struct reduce_case *test)
{
    if (reduce_lacks_doubles(gp, test))
        return true;
    return check_may_refuse(gp);
}

static void judge(struct check *check, const gpuprim *gp, const struct reduce_case *test,
                  int status, struct check_block *in, struct check_block *out,
                  uint64_t in_before)
{
    char text[512], why[256];
    describe(test, text, sizeof text);
    if (status == GPUPRIM_E_UNSUPPORTED && may_refuse(gp, test)) {
        check->not_taken++;
        out->view.count = 0; // none of it may be written
        CHECK(check, check_block_intact(out), "%s: refused, but out was written", text);
        return;
    }
    if (!CHECK(check, status == GPUPRIM_OK, "%s: %s: %s", text, gpuprim_strerror(status),
               gpuprim_last_error()))
        return;
    CHECK(check, check_block_checksum(in) == in_before, "%s: the input was written to", text);
    CHECK(check, reduce_reference_agrees(&in->view, &out->view, &test->params, why, sizeof why),
          "%s: %s", text, why);
    CHECK(check, check_block_intact(out), "%s: something beside the results was written", text);
}

bool reduce_run(struct check *check, gpuprim *gp, const struct reduce_case *test)
{
    const unsigned failures = check->failures;
    const unsigned per_row = reduce_reference_results(test->params.op);
    struct check_block in, out;
    struct check_place in_place, out_place;
    check->cases++;

    check_block_make(&in,
                     (struct gpuprim_array){ .type = test->type,
                                             .count = test->count,
                                             .rows = test->rows,
                                             .stride = test->stride,
                                             .row_stride = test->row_stride },
                     test->lead, test->tail);
    noise(test, &in);
    reduce_fill(check, test, &in.view);
    const uint64_t in_before = check_block_checksum(&in);

    struct gpuprim_array results = { .type = reduce_reference_result(test->type, &test->params),
                                     .stride = test->out_stride };
    if (test->f32_results)
        results.type = GPUPRIM_F32;
    results.count = test->out_in_rows ? per_row : test->rows * per_row;
    results.rows = test->out_in_rows ? test->rows : 0;
    results.row_stride = test->out_in_rows ? test->out_row_stride : 0;
    check_block_make(&out, results, GUARD + test->out_lead, GUARD);
    check_block_canaries(&out);

    bool ready = check_place_make(check, gp, &in_place, &in, test->in_memory);
    ready &= check_place_make(check, gp, &out_place, &out, test->out_memory);
    if (test->from_middle && test->in_memory != GPUPRIM_BUFFER) {
        in_place.view.base = (char *)in_place.view.base +
                             in_place.view.first * reduce_reference_size(test->type);
        in_place.view.first = 0;
    }
    if (ready) {
        const int status =
            gpuprim_reduce(gp, &in_place.view, &out_place.view, &test->params, NULL);
        if (check_place_read(check, gp, &in_place, &in) &&
            check_place_read(check, gp, &out_place, &out))
            judge(check, gp, test, status, &in, &out, in_before);
    }
    check_place_free(gp, &in_place);
    check_place_free(gp, &out_place);
    free(in.bytes);
    free(out.bytes);
    return check->failures == failures;
}

// ---------------------------------------------------------------------------------------
// Geometries by chance

void reduce_shuffle(struct check *check, const gpuprim *gp, struct reduce_case *test)
{
    static const int64_t strides[] = { 0, 1, 0, 1, 0, 2, 3, -1, 4, 7, -2, 13 };
    const bool plain =
        check_once_in(check, 2); // rows of neighbours, as fast variants want them
    const int64_t n = (int64_t)test->count, rows = (int64_t)test->rows;
    test->stride = strides[check_below(check, plain ? 5 : 12)];
    const int64_t stride = test->stride ? test->stride : 1;
    const int64_t packed = n * stride, gap = (int64_t)check_below(check, 20);
    switch (plain ? 1 + check_below(check, 4) : check_below(check, 8)) {
    case 0: // columns
        test->stride = rows;
        test->row_stride = 1;
        break;
    case 1: // rows with a gap
    case 2:
        test->row_stride = packed < 0 ? packed - gap : packed + gap;
        break;
    case 3: // the last row lies first
        test->row_stride = packed < 0 ? packed - gap : -packed - gap;
        break;
    default:
        test->row_stride = 0;
    }
    test->lead = check_below(check, 18);
    test->tail = check_once_in(check, 2) ? 0 : check_below(check, 18);
    test->from_middle = check_once_in(check, 4);
    test->in_memory = check_any_memory(check, gp);
    test->out_memory = check_any_memory(check, gp);
    test->out_in_rows = check_once_in(check, 2);
    test->out_lead = check_below(check, 18);
    test->out_stride = strides[check_below(check, 8)];
    test->out_row_stride = 0;
    if (check_once_in(check, 3)) { // room for the results with their stride, and a gap
        const int64_t room = 1 + 3 * (reduce_reference_results(test->params.op) - 1);
        test->out_row_stride = (check_once_in(check, 2) ? 1 : -1) * (room + 3 + gap);
    }
}

// ---------------------------------------------------------------------------------------
// Geometries that a variant takes

static const struct {
    const char *name;
    enum reduce_case_kind kind;
} case_kinds[] = {
    { "cpu_short_rows", KIND_SHORT_ROWS }, { "cpu_rows", KIND_ANY },
    { "cpu_columns", KIND_COLUMNS },       { "gpu_columns", KIND_COLUMNS },
    { "gpu_tiles", KIND_SHORT_ROWS },      { "gpu_rows", KIND_ROWS },
};
enum { CASE_KINDS = sizeof case_kinds / sizeof *case_kinds };

enum reduce_case_kind reduce_case_kind_of(const char *variant)
{
    for (unsigned i = 0; i < CASE_KINDS; i++)
        if (strcmp(case_kinds[i].name, variant) == 0)
            return case_kinds[i].kind;
    return KIND_ANY;
}

// For cpu_short_rows, and for gpu_tiles with groups of up to 64 items.
uint64_t reduce_longest_row(const gpuprim *gp, enum gpuprim_type type)
{
    uint64_t items = gp->force_work_group ? gp->force_work_group : gp->caps.max_work_group;
    if (strstr(gp->force_variant, ":cpu_short_rows"))
        return 512;
    if (items > 64)
        items = 64;
    return (items - 1) * 16 / reduce_reference_size(type);
}

const char *reduce_cannot(const gpuprim *gp, const char *variant)
{
    return check_is_for_cpus(variant) && !gp->caps.is_cpu ? "for CPUs only" : NULL;
}

void reduce_expect_taken(struct check *check, uint64_t least)
{
    const uint64_t taken = check->cases - check->not_taken;
    CHECK(check, taken >= least,
          "the variant took %" PRIu64 " of %" PRIu64 " cases, at least %" PRIu64 " should be",
          taken, check->cases, least);
}

void reduce_suit(struct check *check, const gpuprim *gp, struct reduce_case *test)
{
    enum { MOST = 100000 };
    const char *colon = strchr(gp->force_variant, ':');
    const enum reduce_case_kind kind = colon ? reduce_case_kind_of(colon + 1) : KIND_ANY;
    const int64_t gap = check_once_in(check, 2) ? (int64_t)check_below(check, 20) : 0;
    if (kind == KIND_ANY || check_once_in(check, 8)) // refusals are tested, too
        return;
    if (kind == KIND_SHORT_ROWS) {
        const uint64_t most = reduce_longest_row(gp, test->type);
        if (test->count > most)
            test->count = 1 + check_below(check, most);
        if (test->rows == 1)
            test->rows = 1 + check_below(check, check->quick ? 20 : 100);
    } else if (test->rows == 1) {
        test->rows = 2 + check_below(check, 4);
        if (test->count > MOST)
            test->count /= test->rows;
    }
    if (check_is_for_cpus(colon + 1) && check_once_in(check, 3)) { // rows of any stride
        const int64_t apart = 2 + (int64_t)check_below(check, 4);
        test->stride = check_once_in(check, 3) ? -apart : apart;
        test->row_stride = apart * (int64_t)test->count + gap;
    } else if (kind != KIND_COLUMNS && check_once_in(check, 4)) { // elements that lie apart
        const int64_t apart = 2 + (int64_t)check_below(check, kind == KIND_ROWS ? 16 : 20);
        test->count = 1 + (test->count ? (test->count - 1) / (uint64_t)apart : 0);
        test->stride = check_once_in(check, 3) ? -apart : apart;
        test->row_stride = apart * (int64_t)test->count + gap;
    } else if (kind == KIND_COLUMNS) {
        test->stride = (int64_t)test->rows + gap;
        test->stride = check_once_in(check, 4) ? -test->stride : test->stride;
        test->row_stride = 1;
    } else {
        test->stride = check_once_in(check, 4) ? -1 : 1;
        test->row_stride = gap ? (int64_t)test->count + gap : 0;
        if (kind == KIND_ROWS && check_once_in(check, 4)) // the last row lies first
            test->row_stride = -(int64_t)test->count - gap;
    }
}
