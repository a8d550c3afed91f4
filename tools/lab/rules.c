/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows G1-G7 of the lab: how indices are computed, and what the compiler knows. rules_memory.c
 * has G8-G11.
 */
#include <math.h>
#include <stdlib.h>

#include "measure.h"

enum { WIDTH = 4096, TABLE = 4096, STEP = 65 };

static cl_program index_program(struct lab *lab)
{
    return lab_program(lab, "rules_index.cl", NULL,
                       "#define WG %u\n#define WIDTH %d\n#define TABLE %d\n#define STEP %d\n",
                       lab->group, lab->quick ? 32 : WIDTH, TABLE, STEP);
}

static struct lab_pair index_pair(struct lab *lab, const char *before, const char *after,
                                  cl_mem x, uint64_t items, uint64_t n)
{
    cl_program program = index_program(lab);
    return lab_pair_of(lab, lab_kernel(lab, program, before), lab_kernel(lab, program, after),
                       x, items, n * sizeof(cl_uint));
}

static void run_g1(struct lab *lab, const char *id, struct lab_result *result)
{
    (void)id;
    const uint64_t n = lab_items(lab, 23, 27, 4);
    struct lab_pair pair = index_pair(lab, "G1_before", "G1_after", lab_hashed(lab, n), n, n);
    pair.work.copied = 8.0 * (double)n;
    pair.reasons = (struct lab_reasons){
        .gain = "neighbouring items share cache lines, and each line is fetched once",
        .cpu = "the caches kept the lines",
        .gpu = "the caches kept the lines"
    };
    lab_pair(lab, &pair, result);
}

static void run_g6(struct lab *lab, const char *id, struct lab_result *result)
{
    (void)id;
    const uint64_t n = lab_items(lab, 19, 24, 4);
    struct lab_pair pair =
        index_pair(lab, "G6_before", "G6_after", lab_hashed(lab, TABLE), n, n);
    pair.work.copied = 8.0 * (double)n;
    pair.reasons =
        (struct lab_reasons){ .gain =
                                  "indices of 32 bits need half the registers and instructions",
                              .cpu = "this device computes with 64 bits as fast as with 32",
                              .gpu = "the compiler found that the indices fit into 32 bits" };
    lab_pair(lab, &pair, result);
}

static void run_g7(struct lab *lab, const char *id, struct lab_result *result)
{
    (void)id;
    const uint64_t n = lab_items(lab, 22, 26, 4);
    enum { ROOM = 256 }; // a multiple of any group, more than the largest offset
    const struct {
        cl_ulong a, b, c, y;
    } offsets = { 0, 64, 128, 0 };
    cl_mem x = lab_hashed(lab, n + ROOM);
    struct lab_pair pair = index_pair(lab, "G7_before", "G7_after", x, n / 16, n);
    LAB_SET(lab, pair.before.kernel, 2, LAB_ARG(offsets));
    LAB_SET(lab, pair.after.kernel, 2, LAB_ARG(offsets));
    pair.work.copied = 8.0 * (double)n;
    pair.reasons = (struct lab_reasons){
        .gain = "each access needs fewer additions and registers",
        .cpu = "the compiler adds the offsets to the addresses by itself, or memory hides them",
        .gpu = "memory hides the additions"
    };
    lab_pair(lab, &pair, result);
}

// ---------------------------------------------------------------------------------------
// What the compiler knows

struct code {
    unsigned vector;     // floats per vector, for G2
    bool called, native; // G3: the helper is not inlined; G4: native functions
    unsigned unroll, stride;
};

static cl_program code_program(struct lab *lab, struct code code)
{
    char vector[16] = "";
    if (code.vector > 1)
        snprintf(vector, sizeof vector, "%u", code.vector);
    return lab_program(lab, "rules_code.cl", NULL,
                       "#define WG %u\n#define V float%s\n#define NOINLINE %d\n"
                       "#define NATIVE %d\n#define UNROLL %u\n#define STRIDE %u\n",
                       lab->group, vector, code.called, code.native,
                       code.unroll ? code.unroll : 1, code.stride ? code.stride : 1);
}

// n floats from 1 to 2.
static cl_mem floats(struct lab *lab, uint64_t n)
{
    cl_mem x = lab_buffer(lab, n * sizeof(cl_float));
    cl_float *values = malloc((size_t)n * sizeof *values);
    if (!values)
        lab_fail(lab, "not enough memory");
    for (uint64_t i = 0; values && i < n; i++)
        values[i] = 1 + (float)(i * 7919 % 65521) / 65521;
    lab_write(lab, x, values, (size_t)n * sizeof *values);
    free(values);
    return x;
}

static void run_g2(struct lab *lab, const char *id, struct lab_result *result)
{
    (void)id;
    enum { UNKNOWN = 4 };
    cl_uint width = 1;
    clGetDeviceInfo(lab->gp->device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof width, &width,
                    NULL);
    if (width == 0)
        width = 1;
    const uint64_t n = lab_items(lab, 22, 26, 4);
    cl_program before = code_program(lab, (struct code){ .vector = UNKNOWN });
    cl_program after = code_program(lab, (struct code){ .vector = width });
    struct lab_pair pair =
        lab_pair_of(lab, lab_kernel(lab, before, "G2"), lab_kernel(lab, after, "G2"),
                    floats(lab, n), n / UNKNOWN, n * sizeof(cl_float));
    pair.after.items = n / width;
    pair.work = (struct lab_work){ .copied = 8.0 * (double)n, .flops = 64.0 * (double)n };
    pair.reasons = (struct lab_reasons){
        .gain = "the vector registers are full",
        .cpu = "the compiler forms vectors of items anyway, or memory limits both",
        .gpu = "memory limits both, or the compiler split the vectors of 4"
    };
    lab_say(result, "vectors of %u, the native width of this device, against 4%s: ", width,
            width == UNKNOWN ? ", the same" : "");
    lab_pair(lab, &pair, result);
}

static void run_g3(struct lab *lab, const char *id, struct lab_result *result)
{
    (void)id;
    const uint64_t n = lab_items(lab, 21, 26, 4);
    cl_program before = code_program(lab, (struct code){ .vector = 1, .called = true });
    cl_program after = code_program(lab, (struct code){ .vector = 1 });
    struct lab_pair pair =
        lab_pair_of(lab, lab_kernel(lab, before, "G3"), lab_kernel(lab, after, "G3"),
                    lab_hashed(lab, n), n, n * sizeof(cl_uint));
    pair.work.copied = 8.0 * (double)n;
    pair.reasons = (struct lab_reasons){
        .gain = "the inner loop has no call, and items can share vector registers",
        .cpu = "the driver inlines functions marked noinline, too",
        .gpu = "the driver inlines functions marked noinline, too"
    };
    lab_pair(lab, &pair, result);
}

// ---------------------------------------------------------------------------------------
// G4: speed and error of native functions

enum { FUNCTIONS = 4, CHECKED = 4096 };
static const char *const function_names[] = { "divide", "exp2", "log2", "sin" };

static double exact(int which, float x)
{
    const double v = x;
    return which == 0 ? v / 1.7f : which == 1 ? exp2(v) : which == 2 ? log2(v) : sin(v);
}

// The largest error, in units in the last place.
static double error_of(struct lab *lab, const struct lab_launch *launch, int which,
                       const cl_float *x, cl_mem y)
{
    cl_float values[CHECKED] = { 0 };
    double most = 0;
    lab_once(lab, launch);
    lab_read(lab, y, values, sizeof values);
    for (int i = 0; i < CHECKED; i++) {
        const double right = exact(which, x[i]);
        if (isnan(values[i]))
            lab_fail(lab, "%s: the result is NaN", function_names[which]);
        else if (right != 0)
            most = fmax(most, fabs(values[i] - right) / ldexp(1, ilogb(right) - 23));
    }
    return most;
}

static void run_g4(struct lab *lab, const char *id, struct lab_result *result)
{
    (void)id;
    const uint64_t n = lab_items(lab, 20, 26, 4);
    cl_mem in = floats(lab, n), out = lab_buffer(lab, n * sizeof(cl_float));
    cl_float x[CHECKED] = { 0 };
    struct lab_launch launches[2 * FUNCTIONS];
    double errors[2 * FUNCTIONS];
    lab_read(lab, in, x, sizeof x);
    for (int native = 0; native < 2; native++) {
        cl_program program =
            code_program(lab, (struct code){ .vector = 1, .native = native != 0 });
        for (cl_uint which = 0; which < FUNCTIONS; which++) {
            struct lab_launch *launch = &launches[native * FUNCTIONS + (int)which];
            *launch = (struct lab_launch){ .kernel = lab_kernel(lab, program, "G4"),
                                           .items = n,
                                           .group = lab->group };
            LAB_SET(lab, launch->kernel, 0, LAB_ARG(in), LAB_ARG(out), LAB_ARG(which));
            errors[native * FUNCTIONS + (int)which] = error_of(lab, launch, (int)which, x, out);
            // OpenCL allows the precise functions errors of at most 4 units.
            if (!native && errors[which] > 4)
                lab_fail(lab, "%s: off by %.3g units", function_names[which], errors[which]);
        }
    }
    lab_measure(lab, launches, 2 * FUNCTIONS);
    struct lab_launch all[2] = { { .kernel = NULL } }; // the four functions together
    for (int i = 0; i < 2 * FUNCTIONS; i++) {
        struct lab_time *sum = &all[i / FUNCTIONS].time;
        sum->median += launches[i].time.median;
        sum->low += launches[i].time.low;
        sum->high += launches[i].time.high;
    }
    static const struct lab_reasons reasons = {
        .gain = "the native functions omit the steps that make the last bits right",
        .cpu = "the native functions are the precise ones, or memory limits both",
        .gpu = "memory limits both"
    };
    const struct lab_work work = { .copied = 8.0 * FUNCTIONS * (double)n, .passes = FUNCTIONS };
    lab_conclude(lab, &all[0], &all[1], &work, &reasons, result);
    lab_say(result, ". Ratio of each function, and errors of the precise and the native one in "
                    "units in the "
                    "last place:");
    for (int i = 0; i < FUNCTIONS; i++)
        lab_say(result, "%s %s %.2f, %.2g and %.2g", i ? ";" : "", function_names[i],
                launches[i].time.median / launches[FUNCTIONS + i].time.median, errors[i],
                errors[FUNCTIONS + i]);
}

// ---------------------------------------------------------------------------------------
// G5: unrolling

static void run_g5(struct lab *lab, const char *id, struct lab_result *result)
{
    (void)id;
    enum { POINTS = 6, EACH = 256 }; // values of an item
    const uint64_t n = lab->quick ? lab->group * (uint64_t)EACH : lab->n, items = n / EACH;
    const uint64_t bytes = items * sizeof(cl_uint);
    cl_mem x = lab_hashed(lab, n), first = lab_buffer(lab, bytes), y = lab_buffer(lab, bytes);
    struct lab_launch launches[POINTS];
    struct lab_sweep *sweep = &result->sweep;
    for (unsigned i = 0; i < POINTS; i++) {
        const struct code code = { .vector = 1,
                                   .unroll = 1u << i,
                                   .stride = lab->gp->caps.is_cpu ? 1 : lab->group };
        launches[i] =
            (struct lab_launch){ .kernel = lab_kernel(lab, code_program(lab, code), "G5"),
                                 .items = items,
                                 .group = lab->group };
        LAB_SET(lab, launches[i].kernel, 0, LAB_ARG(x), LAB_ARG(*(i ? &y : &first)));
        lab_fill(lab, y, bytes, 0);
        lab_once(lab, &launches[i]);
        if (i && !lab_same(lab, first, y, bytes))
            lab_fail(lab, "unrolled %u times: the sum differs", 1u << i);
    }
    lab_measure(lab, launches, POINTS);
    lab_axes(sweep, "unrolled", "sum", "the loop", NULL);
    int best = 1; // of the unrolled ones
    for (int i = 0; i < POINTS; i++) {
        lab_point(sweep, 1u << i, 1, &launches[i].time, NULL);
        best = i && launches[i].time.median < launches[best].time.median ? i : best;
    }
    static const struct lab_reasons reasons = {
        .gain = "more loads are in flight, and the loop needs fewer instructions",
        .cpu = "the compiler unrolls as it likes, and memory limits the loop",
        .gpu = "memory limits the loop"
    };
    const struct lab_work work = { .read = 4.0 * (double)n };
    lab_say(result, "fastest unrolled %d times: ", 1 << best);
    lab_conclude(lab, &launches[0], &launches[best], &work, &reasons, result);
}

// clang-format off
const struct lab_row lab_rules[] = {
    { "G1", "The index that varies fastest should run along memory",
      "the index that varies fastest: across rows; after: along a row", run_g1 },
    { "G2", "Vectors should be as wide as the device's own",
      "a polynomial in vectors of 4 floats; after: of the native width", run_g2 },
    { "G3", "Inlining helps, or hurts",
      "a helper marked noinline; after: inlined", run_g3 },
    { "G4", "Native functions are faster, and less accurate",
      "precise divide, exp2, log2, sin; after: native ones, with errors", run_g4 },
    { "G5", "The best unrolling depends on the device",
      "a loop unrolled 1, 2 ... 32 times; before: 1, after: the fastest of the others", run_g5 },
    { "G6", "Indices of 32 bits cost less than those of 64 bits",
      "indices of 64 bits; after: 32 bits added to a base of 64 bits", run_g6 },
    { "G7", "Offsets should be added to the pointer once",
      "an offset added at each access; after: added once to the pointer", run_g7 },
    { NULL, NULL, NULL, NULL },
};
// clang-format on
