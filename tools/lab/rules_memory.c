/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows G8-G11 of the lab: kinds of memory, what the compiler knows about it, and atomics.
 */
#include "measure.h"

enum { ROOM = 256 }; // u32, a multiple of every group: no row reads further beyond its items
enum { NO_FLOAT_ATOMICS, EXT_FLOAT_ATOMICS, PTX_FLOAT_ATOMICS };

static cl_program memory_program(struct lab *lab, int float_atomics)
{
    return lab_program(lab, "rules_memory.cl",
                       float_atomics == EXT_FLOAT_ATOMICS ? "-cl-std=CL3.0" : NULL,
                       "#define WG %u\n#define FLOAT_ATOMICS %d\n", lab->group, float_atomics);
}

static void run_g8(struct lab *lab, const char *id, struct lab_result *result)
{
    (void)id;
    const uint64_t n = lab_items(lab, 20, 26, 4);
    const cl_uint tile = lab->group + 32;
    cl_program program = memory_program(lab, NO_FLOAT_ATOMICS);
    struct lab_pair pair = lab_pair_of(lab, lab_kernel(lab, program, "G8_before"),
                                       lab_kernel(lab, program, "G8_after"),
                                       lab_hashed(lab, n + ROOM), n, n * sizeof(cl_uint));
    LAB_SET(lab, pair.before.kernel, 2, LAB_LOCAL(tile * sizeof(cl_uint)), LAB_ARG(tile));
    pair.work.copied = 8.0 * (double)n;
    pair.reasons = (struct lab_reasons){
        .gain = "the compiler knows the address of the tile and the lengths of the loops",
        .cpu = "the loops are so long that this knowledge does not matter",
        .gpu = "the loops are so long that this knowledge does not matter"
    };
    lab_pair(lab, &pair, result);
}

static void run_g9(struct lab *lab, const char *id, struct lab_result *result)
{
    (void)id;
    const uint64_t n = lab_items(lab, 20, 22, 16 * sizeof(cl_uint));
    cl_mem scale = lab_hashed(lab, ROOM);
    cl_program program = memory_program(lab, NO_FLOAT_ATOMICS);
    struct lab_pair pair = lab_pair_of(lab, lab_kernel(lab, program, "G9_before"),
                                       lab_kernel(lab, program, "G9_after"), lab_hashed(lab, n),
                                       n, n * 16 * sizeof(cl_uint));
    LAB_SET(lab, pair.before.kernel, 2, LAB_ARG(scale));
    LAB_SET(lab, pair.after.kernel, 2, LAB_ARG(scale));
    pair.work.copied = 4.0 * 17 * (double)n;
    pair.reasons = (struct lab_reasons){
        .gain = "values stay in registers across the writes",
        .cpu = "the writes limit both, and repeated reads come from the cache",
        .gpu = "the writes limit both, and repeated reads come from the cache"
    };
    lab_pair(lab, &pair, result);
}

static void run_g10(struct lab *lab, const char *id, struct lab_result *result)
{
    (void)id;
    enum { TABLE = 1024, UNIFORM_BEFORE = 0, UNIFORM_AFTER };
    const uint64_t n = lab_items(lab, 18, 24, 4);
    const cl_uint apart = 7, same = 0;
    cl_mem table = lab_hashed(lab, TABLE);
    cl_program program = memory_program(lab, NO_FLOAT_ATOMICS);
    struct lab_pair pair =
        lab_pair_of(lab, lab_kernel(lab, program, "G10_before"),
                    lab_kernel(lab, program, "G10_after"), table, n, n * sizeof(cl_uint));
    LAB_SET(lab, pair.before.kernel, 2, LAB_ARG(apart));
    LAB_SET(lab, pair.after.kernel, 2, LAB_ARG(apart));
    pair.work.copied = 8.0 * (double)n;
    pair.reasons = (struct lab_reasons){
        .gain = "constant memory serves one address at a time, and the items need different "
                "ones",
        .cpu = "constant memory is ordinary memory here",
        .gpu = "constant memory serves different addresses as fast as the cache does"
    };
    lab_pair(lab, &pair, result);

    struct lab_launch uniform[] = { pair.before, pair.after };
    LAB_SET(lab, pair.before.kernel, 2, LAB_ARG(same));
    LAB_SET(lab, pair.after.kernel, 2, LAB_ARG(same));
    lab_measure(lab, uniform, 2);
    char text[2][LAB_NUMBER];
    if (!lab->failed && !lab->quick)
        lab_say(result, ". If all items read the same entry: %s, and %s by restrict",
                lab_time_text(uniform[UNIFORM_BEFORE].time.median, text[0]),
                lab_time_text(uniform[UNIFORM_AFTER].time.median, text[1]));
}

// ---------------------------------------------------------------------------------------
// G11: atomics

#define DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES 0x4231 // of cl_ext_float_atomics
#define GLOBAL_FP_ATOMIC_ADD                 2

static int float_atomics(const struct lab *lab)
{
    cl_bitfield capabilities = 0;
    if (lab->gp->caps.ptx)
        return PTX_FLOAT_ATOMICS;
    if (lab_opencl_major(lab) >= 3 && lab_has_extension(lab, "cl_ext_float_atomics"))
        clGetDeviceInfo(lab->gp->device, DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES,
                        sizeof capabilities, &capabilities, NULL);
    return capabilities & GLOBAL_FP_ATOMIC_ADD ? EXT_FLOAT_ATOMICS : NO_FLOAT_ATOMICS;
}

enum { CELLS = 256, ADDITIONS = 8 };

// Runs a kernel once and checks its cells: their sum, and that they equal the cells of the
// first kernel, whose counts are stored in `counts`.
static struct lab_launch counted(struct lab *lab, cl_program program, const char *name,
                                 uint64_t items, cl_uint *counts)
{
    cl_mem cells = lab_buffer(lab, CELLS * sizeof(cl_uint));
    const struct lab_launch launch = { .kernel = lab_kernel(lab, program, name),
                                       .items = items,
                                       .group = lab->group };
    union {
        cl_uint words[CELLS];
        cl_float floats[CELLS];
    } seen = { { 0 } };
    uint64_t sum = 0;
    LAB_SET(lab, launch.kernel, 0, LAB_ARG(cells));
    lab_fill(lab, cells, sizeof seen, 0);
    lab_once(lab, &launch);
    lab_read(lab, cells, &seen, sizeof seen);
    const bool ints = counts[0] == 0;
    for (int i = 0; i < CELLS; i++) {
        const cl_uint count = ints ? seen.words[i] : (cl_uint)seen.floats[i];
        sum += count;
        if (!ints && count != counts[i])
            lab_fail(lab, "%s: %u in cell %d instead of %u", name, count, i, counts[i]);
        counts[i] = count;
    }
    if (sum != items * ADDITIONS)
        lab_fail(lab, "%s: %llu of %llu additions arrived", name, (unsigned long long)sum,
                 (unsigned long long)items * ADDITIONS);
    return launch;
}

static void run_g11(struct lab *lab, const char *id, struct lab_result *result)
{
    (void)id;
    enum { INT, SWAP, NATIVE };
    const int native = float_atomics(lab);
    const uint64_t items = lab_items(lab, 16, 20, 4);
    cl_uint counts[CELLS] = { 0 };
    cl_program program = memory_program(lab, native);
    struct lab_launch launches[3] = { counted(lab, program, "G11_int", items, counts),
                                      counted(lab, program, "G11_swap", items, counts) };
    if (native)
        launches[NATIVE] = counted(lab, program, "G11_native", items, counts);
    lab_measure(lab, launches, native ? 3 : 2);
    static const struct lab_reasons reasons = {
        .gain = "one instruction replaces a loop that repeats when another item was faster",
        .cpu = "the native addition is such a loop, too",
        .gpu = "the native addition is such a loop, too"
    };
    const double additions = (double)items * ADDITIONS;
    result->before = launches[SWAP].time.median;
    if (native) {
        const struct lab_work none = { 0 };
        lab_conclude(lab, &launches[SWAP], &launches[NATIVE], &none, &reasons, result);
    } else {
        result->status = LAB_NOT_OFFERED;
        lab_say(result, "not offered here: the device has neither "
                        "cl_ext_float_atomics nor inline PTX");
    }
    char text[2][LAB_NUMBER];
    if (!lab->quick)
        lab_say(result, ". An addition takes %s by compare-and-swap, %s as an int",
                lab_time_text(launches[SWAP].time.median / additions, text[0]),
                lab_time_text(launches[INT].time.median / additions, text[1]));
}

// clang-format off
const struct lab_row lab_memory_rules[] = {
    { "G8", "The compiler should know the size of local memory",
      "local memory whose size is an argument; after: a macro", run_g8 },
    { "G9", "restrict lets the compiler keep values in registers",
      "pointers that may alias; after: restrict", run_g9 },
    { "G10", "Constant memory is slow if the items read different entries",
      "a table in constant memory, different entries; after: global const restrict", run_g10 },
    { "G11", "Float atomics by compare-and-swap are slow",
      "float atomics by compare-and-swap; after: native", run_g11 },
    { NULL, NULL, NULL, NULL },
};
// clang-format on
