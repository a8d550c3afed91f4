/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of reduce: corner cases that random cases seldom hit. How rows are cut into slots,
 * partials, matrices smaller than a vector, and numbers that no enumeration has.
 * suite.c runs this file. */
#include "case.h"
#include "tests/harness/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/reduce/operations.h"
#include "src/reduce/reduce.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

// ---------------------------------------------------------------------------------------
// How a row is cut into slots

static void cut(struct check *check)
{
    for (int i = 0; i < 20000; i++) {
        const uint64_t count = check_below(check, check_once_in(check, 3) ? 1 << 20 : 200);
        const uint64_t wanted = check_below(check, 300), most = 1 + check_below(check, 100);
        const uint64_t multiple = 1 + check_below(check, check_once_in(check, 2) ? 5000 : 8);
        struct layout l = { .slots = 0 };
        gp_reduce_cut(&l, count, wanted, multiple, most);
        check->cases++;
        const bool covers = l.slots * l.share >= count && (l.slots - 1) * l.share <= count;
        if (!CHECK(check,
                   l.slots >= 1 && l.slots <= most && (l.slots == 1 || l.slots <= wanted) &&
                       covers && (l.slots == 1 || l.share % multiple == 0) &&
                       (l.slots == 1 || (l.slots - 1) * l.share < count) &&
                       l.partials == l.slots,
                   "%llu elements in at most %llu and %llu slots of %llu: %llu of %llu",
                   (unsigned long long)count, (unsigned long long)wanted,
                   (unsigned long long)most, (unsigned long long)multiple,
                   (unsigned long long)l.slots, (unsigned long long)l.share))
            break;
    }
}

// ---------------------------------------------------------------------------------------
// Partials

// A context on a device that looks like a GPU with `units` compute units (0: the device as it
// is).
static gpuprim *context(struct check *check, const char *variant, unsigned work_group,
                        unsigned units)
{
    const struct device_model device = { .type = CL_DEVICE_TYPE_GPU, .units = units };
    return check_context_on(check, units ? &device : NULL, variant, work_group);
}

static struct reduce_case in_buffers(enum gpuprim_op op, enum gpuprim_type type)
{
    return (struct reduce_case){ .params = { .op = op },
                                 .type = type,
                                 .rows = 1,
                                 .in_memory = GPUPRIM_BUFFER,
                                 .out_memory = GPUPRIM_BUFFER };
}

// Groups whose size is no power of two fold several partials of a row. There are fewer partials
// than items, so that a group folds several rows. Oclgrind sees it if two groups write one
// result.
static void fold(struct check *check)
{
    static const struct {
        unsigned group;
        uint64_t rows, count;
    } shapes[] = { { 3, 7, 300 },  { 3, 7, 100 },    { 3, 1, 5003 },   { 3, 5, 20011 },
                   { 100, 3, 20 }, { 100, 1, 1000 }, { 100, 30, 700 }, { 100, 30, 20003 } };
    for (unsigned i = 0; i < COUNT(shapes); i++) {
        gpuprim *gp = context(check, "reduce:baseline", shapes[i].group, 64);
        struct reduce_case test = in_buffers(GPUPRIM_ARGMIN, GPUPRIM_I32);
        test.count = shapes[i].count;
        test.rows = shapes[i].rows;
        test.data = check_once_in(check, 2) ? DATA_FALLING : DATA_TIES;
        if (gp && !(check->quick && test.count > 10000))
            reduce_run(check, gp, &test);
        gpuprim_destroy(&gp);
    }
}

// Scratch memory has room for the partials of the kernels. The size of a partial is seen by the
// local memory of a kernel, which has one for each item. A mean that skips NaNs has the
// largest.
static void partial_bytes(struct check *check)
{
    static const struct {
        enum gpuprim_op op;
        enum gpuprim_type type, sum;
    } kinds[] = {
        { GPUPRIM_MEAN, GPUPRIM_F32, GPUPRIM_F32 },
        { GPUPRIM_MEAN, GPUPRIM_F32, GPUPRIM_F64 },
        { GPUPRIM_SUM, GPUPRIM_F32, GPUPRIM_F32 },
        { GPUPRIM_ARGMAX, GPUPRIM_F64, GPUPRIM_F64 },
        { GPUPRIM_PRODUCT, GPUPRIM_F32, GPUPRIM_F32 },
        { GPUPRIM_MEAN, GPUPRIM_I64, 0 },
        { GPUPRIM_MINMAX, GPUPRIM_F64, GPUPRIM_F64 },
        { GPUPRIM_STATISTICS, GPUPRIM_F32, GPUPRIM_F64 },
        { GPUPRIM_STATISTICS, GPUPRIM_F32, GPUPRIM_F32 },
        { GPUPRIM_STATISTICS, GPUPRIM_U8, GPUPRIM_F64 },
    };
    enum { ITEMS = 64 };
    bool is_told = false;
    gpuprim *gp = context(check, "reduce:baseline", ITEMS, 2);
    for (unsigned k = 0; gp && k < COUNT(kinds); k++) {
        const bool is_wide = kinds[k].type == GPUPRIM_F64 || kinds[k].sum == GPUPRIM_F64 ||
                             kinds[k].op == GPUPRIM_STATISTICS ||
                             kinds[k].type < GPUPRIM_F16; // means of integers are f64
        const struct reduction r = { .op = kinds[k].op,
                                     .in = { .type = kinds[k].type,
                                             .rows = 1,
                                             .count = 1 << 20,
                                             .stride = 1,
                                             .size = gp_type_size(kinds[k].type) },
                                     .out = { .type = gp_reduce_result_type(
                                                  kinds[k].op, kinds[k].type, kinds[k].sum) },
                                     .sum = kinds[k].sum,
                                     .skip_nan = kinds[k].type >= GPUPRIM_F16 };
        struct gp_plan plan;
        check->cases++;
        if (is_wide && !gp->caps.has_fp64)
            continue;
        pthread_mutex_lock(&gp->lock);
        const int status = gp_plan(gp, &gp_primitive_reduce, &r, &plan);
        pthread_mutex_unlock(&gp->lock);
        if (!CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error()))
            continue;
        const uint64_t bytes = plan.program->local_bytes / plan.program->work_group;
        is_told = is_told || bytes > 0; // PoCL 5 and 6 say 0
        CHECK(check, bytes <= gp_reduce_partial_bytes(&r),
              "%s of %s: a partial result has %llu bytes, room is made for %llu",
              reduce_op_name(r.op), gp_type_name(r.in.type), (unsigned long long)bytes,
              (unsigned long long)gp_reduce_partial_bytes(&r));
    }
    if (gp && !is_told)
        printf("# %s: not seen: the driver does not say how much local memory kernels take\n",
               check->name);
    gpuprim_destroy(&gp);
}

// More partials than the smallest scratch memory, 64 KiB, has room for.
static void many_partials(struct check *check)
{
    gpuprim *gp = context(check, "reduce:baseline", 8, 64);
    struct reduce_case test = in_buffers(GPUPRIM_MEAN, GPUPRIM_F32);
    test.params.nan = GPUPRIM_NAN_IGNORE;
    test.data = DATA_NAN_OFTEN;
    for (test.rows = 1; gp && test.rows <= 1000; test.rows = 10 * test.rows + 7) {
        test.count = 400000 / test.rows;
        reduce_run(check, gp, &test);
    }
    gpuprim_destroy(&gp);
}

// ---------------------------------------------------------------------------------------
// Statistics

// Equal integers of 16 bits where the device lacks f64. f32 cannot hold the sum of a long chain,
// such as that of an odd number of lines above 256. The variance is exactly 0 all the same.
static void equal_without_doubles(struct check *check)
{
    gpuprim *gp = check_context(check, NULL, 0);
    if (gp)
        gp->caps.has_fp64 = false;
    for (unsigned i = 0; gp && i < 12; i++) {
        struct reduce_case test =
            in_buffers(GPUPRIM_STATISTICS, i % 2 ? GPUPRIM_I16 : GPUPRIM_U16);
        test.f32_results = true;
        test.data = i < 6 ? DATA_GREATEST : DATA_EQUAL;
        test.count = 4353 + 2 * check_below(check, 300);
        if (i / 2 % 3) { // columns
            test.rows = i / 2 % 3 == 1 ? 300 + check_below(check, 30) : 40;
            test.stride = (int64_t)test.rows;
            test.row_stride = 1;
        }
        reduce_run(check, gp, &test);
    }
    gpuprim_destroy(&gp);
}

// ---------------------------------------------------------------------------------------
// Rows and columns

// Rows of bytes that overlap, so that an item has a whole row of 1 KiB, and each begins elsewhere within
// a word. The last element is the greatest. gpu_tiles cannot number the words of all such rows, and
// refuses the longest.
static void longest_rows_of_bytes(struct check *check)
{
    enum { ROWS = 250, LONGEST = 1024, ALL = ROWS - 1 + LONGEST, RISE = 255, GROUP = 16 };
    static const struct device_model one_unit = { .type = CL_DEVICE_TYPE_GPU,
                                                  .units = 1,
                                                  .work_group = GROUP };
    static uint8_t x[ALL];
    uint64_t got[ROWS];
    gpuprim *gp = check_context_on(check, &one_unit, "reduce:gpu_tiles", GROUP);
    for (unsigned i = 0; i < ALL; i++)
        x[i] = (uint8_t)(i < ALL - RISE ? 0 : i - (ALL - RISE) + 1);
    for (uint64_t count = LONGEST - 5; gp && count <= LONGEST; count++) {
        struct gpuprim_array in = gpuprim_host(GPUPRIM_U8, x, count);
        in.first = LONGEST - count;
        in.rows = ROWS;
        in.row_stride = 1;
        const struct gpuprim_array out = gpuprim_host(GPUPRIM_U64, got, ROWS);
        const struct gpuprim_reduce_params params = { .op = GPUPRIM_ARGMAX };
        const int status = gpuprim_reduce(gp, &in, &out, &params, NULL);
        check->cases++;
        CHECK(check,
              status == GPUPRIM_OK || (status == GPUPRIM_E_UNSUPPORTED && count > LONGEST - 3),
              "%s", gpuprim_last_error());
        for (unsigned row = 0; status == GPUPRIM_OK && row < ROWS; row++)
            CHECK(check, got[row] == count - 1, "%u bytes, row %u: place %u", (unsigned)count,
                  row, (unsigned)got[row]);
    }
    gpuprim_destroy(&gp);
}

// A host array in place, a piece of a row at a time: positions count from the row's beginning.
static void pieces_in_place(struct check *check)
{
    static const enum reduce_data sets[] = { DATA_FALLING, DATA_TIES, DATA_RANDOM };
    static const uint64_t counts[] = { 16, 1000, 5003, 20011 };
    gpuprim *gp = check_context(check, NULL, 0);
    struct reduce_case test = { .params = { .op = GPUPRIM_ARGMIN }, .type = GPUPRIM_I32 };
    for (unsigned i = 0; gp && i < 2 * COUNT(sets) * COUNT(counts); i++) {
        gp->caps.max_alloc_bytes = i % 2 ? 1000 : 8192 * sizeof(int32_t);
        test.data = sets[i / 2 % COUNT(sets)];
        test.count = counts[i / 2 / COUNT(sets)];
        test.rows = 1 + 2 * check_below(check, 2);
        reduce_run(check, gp, &test);
    }
    gpuprim_destroy(&gp);
}

// Matrices of a few elements, whose lines begin anywhere in a vector, and matrices one column
// narrower than some vectors, packed or as parts of a wider matrix.
static void small_matrices(struct check *check)
{
    gpuprim *gp = check_context(check, "reduce:gpu_columns", 0);
    struct reduce_case test = in_buffers(GPUPRIM_ARGMIN, GPUPRIM_U8);
    for (test.rows = 2; gp && test.rows <= 9; test.rows++)
        for (test.count = 1; test.count <= 3; test.count++)
            for (test.lead = 0; test.lead < 5; test.lead++)
                for (int apart = 0; apart < 2; apart++) {
                    test.data = check_once_in(check, 2) ? DATA_FALLING : DATA_TIES;
                    test.row_stride = 1;
                    test.stride = (int64_t)(apart ? (test.rows + 3) / 4 * 4 : test.rows);
                    reduce_run(check, gp, &test);
                }
    gpuprim_destroy(&gp);
}

// Fused lines with gaps between them, as many as lie before the first line of memory, or a few more.
static void lines_of_the_head(struct check *check)
{
    gpuprim *gp = check_context(check, "reduce:gpu_columns", 0);
    struct reduce_case test = in_buffers(GPUPRIM_PRODUCT, GPUPRIM_I8);
    test.data = DATA_SMALL;
    test.rows = 7;
    test.stride = 8;
    test.row_stride = 1;
    for (test.count = 16; gp && test.count <= 18; test.count++)
        for (test.lead = 0; test.lead <= 10; test.lead++)
            reduce_run(check, gp, &test);
    gpuprim_destroy(&gp);
}

// A context keeps the plans of its newest calls. Calls that differ in one respect follow each other
// in any order, more of them than it keeps.
static void kept_plans(struct check *check)
{
    gpuprim *gp = check_context(check, NULL, 0);
    struct reduce_case tests[8];
    for (unsigned i = 0; i < COUNT(tests); i++) {
        tests[i] = in_buffers(GPUPRIM_MIN, GPUPRIM_I16);
        tests[i].rows = 3;
        tests[i].count = 1000;
        tests[i].stride = 3;
        tests[i].row_stride = 1;
    }
    tests[1].params.op = GPUPRIM_MAX;
    tests[2].type = GPUPRIM_U16;
    tests[3].count = 999;
    tests[4].rows = 2;
    tests[5].lead = 1;
    tests[6].stride = 1;
    tests[6].row_stride = 1000;
    tests[7].out_memory = GPUPRIM_HOST;
    for (unsigned i = 0; gp && i < 64; i++)
        reduce_run(check, gp, &tests[check_below(check, COUNT(tests))]);
    gpuprim_destroy(&gp);
}

// ---------------------------------------------------------------------------------------
// What is refused

// Numbers that an enumeration does not have, some of which have its lowest bits.
static void beside(struct check *check)
{
    static const int numbers[] = {
        13, 99, 256, 257, 266, 512, 65546, -1, -246, INT32_MIN + 10
    };
    float x[4] = { 1, 2, 3, 4 }, result = 5;
    gpuprim *gp = check_context(check, NULL, 0);
    for (unsigned i = 0; gp && i < 5 * COUNT(numbers); i++) {
        const int number = numbers[i / 5];
        struct gpuprim_reduce_params p = { .op = GPUPRIM_SUM };
        struct gpuprim_array in = gpuprim_host(GPUPRIM_F32, x, 4);
        struct gpuprim_array out = gpuprim_host(GPUPRIM_F32, &result, 1);
        const int expected = i % 5 < 2 ? GPUPRIM_E_ARG : GPUPRIM_E_TYPE;
        switch (i % 5) {
        case 0:
            p.op = (enum gpuprim_op)(number == 13 ? REDUCE_N_OPERATIONS : number);
            break;
        case 1:
            p.nan = (enum gpuprim_nan)number;
            break;
        case 2:
            p.accumulator = (enum gpuprim_type)number;
            break;
        case 3:
            in.type = (enum gpuprim_type)number;
            break;
        default:
            out.type = (enum gpuprim_type)number;
        }
        check->cases++;
        const int status = gpuprim_reduce(gp, &in, &out, &p, NULL);
        CHECK(check, status == expected && strlen(gpuprim_last_error()) > 8 && result == 5,
              "%d as parameter %u: status %d, not %d", number, i % 5, status, expected);
    }
    gpuprim_destroy(&gp);
}

void reduce_corners_run(struct check *check)
{
    static const struct {
        const char *name;
        void (*run)(struct check *check);
    } groups[] = { { "cut", cut },
                   { "fold", fold },
                   { "partial_bytes", partial_bytes },
                   { "many_partials", many_partials },
                   { "equal_without_doubles", equal_without_doubles },
                   { "longest_rows_of_bytes", longest_rows_of_bytes },
                   { "pieces_in_place", pieces_in_place },
                   { "small_matrices", small_matrices },
                   { "lines_of_the_head", lines_of_the_head },
                   { "kept_plans", kept_plans },
                   { "beside", beside } };
    for (unsigned i = 0; i < COUNT(groups); i++)
        if (check_begin(check, "reduce/corners/%s", groups[i].name)) {
            groups[i].run(check);
            check_end(check);
        }
}
