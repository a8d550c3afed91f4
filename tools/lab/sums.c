/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows L1-L6, A1-A7 and gpuprim_reduce of the lab: sums of the same array, by the lecture, by
 * the article and by the library. sums_table.c describes the kernels.
 */
#include <stdio.h>
#include <string.h>

#include "sums.h"

enum { RESIDENT = 2048 }; // items that a compute unit of a GPU holds at once

static unsigned group_of(const struct lab *lab, const struct lab_sum *sum)
{
    unsigned group = sum->largest ? lab->largest : lab->group;
    const struct gp_caps *caps = &lab->gp->caps;
    // NVIDIA reserves a part of the 48 KiB.
    const uint64_t local =
        caps->is_nvidia && caps->local_bytes > 49136 ? 49136 : caps->local_bytes;
    while (group > 1 && (group * UINT64_C(4) * sum->local_words > local ||
                         (uint64_t)group * sum->per_item > lab->n))
        group /= 2;
    return group;
}

static uint64_t values_of(const struct lab *lab, const struct lab_sum *sum)
{
    return sum->cut ? lab->n / sum->cut : lab->n;
}

static struct lab_launch launch_of(struct lab *lab, const struct lab_sum *sum, cl_mem x,
                                   cl_mem res)
{
    const unsigned group = group_of(lab, sum);
    const cl_uint n = (cl_uint)values_of(lab, sum);
    const struct gp_caps *caps = &lab->gp->caps;
    const uint64_t each = caps->is_cpu || group > RESIDENT ? group : RESIDENT;
    const uint64_t resident = caps->compute_units * each;
    bool sub_groups = false;
    const char *options = strcmp(sum->id, "A5") == 0 ? lab_builtin_sum(lab, &sub_groups) : NULL;
    cl_program program = lab_program(
        lab, sum->file, options, "#define WG %u\n#define SUB_GROUPS %d\n", group, sub_groups);
    char kernel[16]; // with a prefix, because NVIDIA's ptxas refuses a kernel named A7
    snprintf(kernel, sizeof kernel, "sum_%s", sum->id);
    const struct lab_launch launch = { .kernel = lab_kernel(lab, program, kernel),
                                       .items = sum->per_item ? n / sum->per_item : resident,
                                       .group = group,
                                       .zeroed = res };
    LAB_SET(lab, launch.kernel, 0, LAB_ARG(x), LAB_ARG(n), LAB_ARG(res));
    return launch;
}

static void check(struct lab *lab, const struct lab_launch *launch, uint64_t n)
{
    cl_uint answer = 0, sum = lab_linear_sum(n);
    lab_once(lab, launch);
    lab_read(lab, launch->zeroed, &answer, sizeof answer);
    if (answer != sum)
        lab_fail(lab, "the sum is %u, not %u", answer, sum);
}

static void run_sum(struct lab *lab, const char *id, struct lab_result *result)
{
    const struct lab_sum *sum = lab_sum_find(id);
    bool sub_groups;
    if (strcmp(id, "A5") == 0 && !lab_builtin_sum(lab, &sub_groups)) {
        result->status = LAB_NOT_OFFERED;
        lab_say(
            result,
            "not offered here: the device has neither work_group_reduce_add nor sub-groups");
        return;
    }
    cl_mem x = lab_linear(lab), res = lab_buffer(lab, 64);
    struct lab_launch launches[2] = { launch_of(lab, sum, x, res) };
    if (sum->before)
        launches[1] = launch_of(lab, lab_sum_find(sum->before), x, res);
    const unsigned n = sum->before ? 2 : 1;
    for (unsigned i = 0; i < n; i++)
        check(lab, &launches[i], lab->n);
    lab_time(lab, launches, n);
    const struct lab_work work = { .read = (double)lab->n * sizeof(cl_uint) };
    lab_conclude(lab, sum->before ? &launches[1] : NULL, &launches[0], &work, &sum->reasons,
                 result);
}

// Rows that are wrong on purpose. Their time is that of a wrong answer.
static void run_wrong(struct lab *lab, const char *id, struct lab_result *result)
{
    const struct lab_sum *sum = lab_sum_find(id);
    const uint64_t n = values_of(lab, sum);
    cl_mem x = lab_linear(lab), res = lab_buffer(lab, 64);
    struct lab_launch launch = launch_of(lab, sum, x, res);
    cl_uint right = lab_linear_sum(n), answer = right;
    lab_once(lab, &launch);
    lab_read(lab, res, &answer, sizeof answer);
    lab_time(lab, &launch, 1);
    result->after = launch.seconds;
    if (answer == right && launch.group == 1 && strcmp(sum->id, "L1") != 0) {
        lab_say(result, "right, because a group is one item here");
        return;
    }
    if (answer == right && strcmp(sum->id, "L5b") != 0) {
        lab_say(result, "right this time, as a race can be; Oclgrind reports the race");
        return;
    }
    result->status = LAB_EXPECTED_WRONG;
    lab_say(result, "%u instead of %u: ", answer, right);
    if (strcmp(sum->id, "L1") == 0)
        lab_say(result,
                "items read and write res[0] at the same time, so that additions are lost");
    else if (strcmp(sum->id, "L5a") == 0)
        lab_say(result,
                "without a barrier item 0 adds values that others have not written yet");
    else if (answer == right * (cl_uint)launch.group)
        lab_say(result, "%zu times the sum, because each item of a group adds it",
                launch.group);
    else
        lab_fail(lab, "L5b: the result is not the sum times the items of a group");
}

// ---------------------------------------------------------------------------------------
// The library against the fastest of the rows

static int call_reduce(struct lab *lab, const void *context, const struct gpuprim_sync *sync)
{
    const struct gpuprim_array *arrays = context;
    const struct gpuprim_reduce_params params = { .op = GPUPRIM_SUM };
    return gpuprim_reduce(lab->gp, &arrays[0], &arrays[1], &params, sync);
}

static void run_library(struct lab *lab, const char *id, struct lab_result *result)
{
    static const char *const rivals[] = { "L3", "L4", "L5", "L6", "A1", "A2",
                                          "A3", "A4", "A6", "A7", "A5" };
    bool sub_groups;
    const int n = 10 + (lab_builtin_sum(lab, &sub_groups) != NULL); // not every device has A5
    (void)id;
    cl_mem x = lab_linear(lab), res = lab_buffer(lab, 64);
    const struct gpuprim_array arrays[] = { gpuprim_buffer(GPUPRIM_U32, x, 0, lab->n),
                                            gpuprim_buffer(GPUPRIM_U64, res, 0, 1) };
    struct lab_launch library = { .zeroed = res, .call = call_reduce, .context = arrays };
    struct lab_launch all[11], pair[2];
    int best = 0;
    check(lab, &library, lab->n);
    for (int i = 0; i < n; i++) {
        all[i] = launch_of(lab, lab_sum_find(rivals[i]), x, res);
        check(lab, &all[i], lab->n);
    }
    lab_time(lab, all, (unsigned)n);
    for (int i = 1; i < n; i++)
        best = all[i].seconds < all[best].seconds ? i : best;
    pair[0] = all[best]; // measured again, so that a lucky measurement gives no advantage
    pair[1] = library;
    lab_time(lab, pair, 2);
    static const struct lab_reasons reasons = {
        .gain = "wide loads are in flight, and partial results need no atomics",
        .cpu = "memory limits both",
        .gpu = "memory limits both"
    };
    const struct lab_work work = { .read = (double)lab->n * sizeof(cl_uint) };
    lab_say(result, "against %s, the fastest of the others: ", rivals[best]);
    lab_conclude(lab, &pair[0], &pair[1], &work, &reasons, result);
}

// clang-format off
const struct lab_row lab_sums[] = {
    { "L1", "sum: every item adds to res[0], unsynchronised; wrong on purpose", run_wrong },
    { "L2", "sum: one atomic per item", run_sum },
    { "L3", "sum: 64 adjacent values per item; before: L2", run_sum },
    { "L4", "sum: 64 values per item, neighbours read neighbours; before: L3", run_sum },
    { "L5", "sum: local memory, item 0 adds, one atomic per group; before: L2", run_sum },
    { "L5a", "L5 without its barrier; wrong on purpose", run_wrong },
    { "L5b", "L5 with every item adding to the result; wrong on purpose", run_wrong },
    { "L6", "sum: a tree in local memory, one atomic per group; before: L5", run_sum },
    { "A1", "sum: one atomic per item, directly from global memory", run_sum },
    { "A2", "sum: each item a block of its own, one atomic per item; before: A1", run_sum },
    { "A3", "sum: items interleaved over all memory, one atomic per item; before: A2", run_sum },
    { "A4", "sum: a tree in local memory, groups as large as possible; before: A1", run_sum },
    { "A5", "sum: the built-in reduction of OpenCL C; before: A1", run_sum },
    { "A6", "sum: 256 values per item in vectors of 8, then a tree; before: A1", run_sum },
    { "A7", "sum: one vector of 4 per item, atomics in local memory; before: A1", run_sum },
    { "gpuprim_reduce", "sum: the library; before: the fastest of the others", run_library },
    { NULL, NULL, NULL },
};
// clang-format on
