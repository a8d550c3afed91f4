/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows L1-L6, A1-A7 and gpuprim_reduce of the lab: sums of the same array, by the lecture, by
 * the article and by the library. sums_table.c describes the kernels.
 */
#include <stdio.h>
#include <string.h>

#include "sums.h"

enum { RESIDENT = 2048 }; // items that a compute unit of a GPU holds at once

static uint64_t values_of(const struct lab *lab, const struct lab_sum *sum)
{
    return sum->cut ? lab->n / sum->cut : lab->n;
}

static unsigned group_of(const struct lab *lab, const struct lab_sum *sum)
{
    unsigned group = sum->largest ? lab->largest : lab->group;
    const struct gp_caps *caps = &lab->gp->caps;
    // NVIDIA reserves a part of the 48 KiB.
    const uint64_t local =
        caps->is_nvidia && caps->local_bytes > 49136 ? 49136 : caps->local_bytes;
    while (group > 1 && (group * UINT64_C(4) * sum->local_words > local ||
                         (uint64_t)group * sum->per_item > values_of(lab, sum)))
        group /= 2;
    return group;
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

// Returns how many seconds the launch took.
static double check(struct lab *lab, const struct lab_launch *launch, uint64_t n)
{
    cl_uint answer = 0, sum = lab_linear_sum(n);
    const double seconds = lab_once(lab, launch);
    lab_read(lab, launch->zeroed, &answer, sizeof answer);
    if (answer != sum)
        lab_fail(lab, "the sum is %u, not %u", answer, sum);
    return seconds;
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
    lab_measure(lab, launches, n);
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
    lab_measure(lab, &launch, 1);
    result->after = launch.time.median;
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

// Checks all sums of the texts and returns the fastest. Only those are measured that can be.
static const struct lab_sum *fastest(struct lab *lab, cl_mem x, cl_mem res)
{
    static const char *const ids[] = { "L3", "L4", "L5", "L6", "A1", "A2",
                                       "A3", "A4", "A6", "A7", "A5" };
    enum { RIVALS = sizeof ids / sizeof ids[0] };
    static const double HOPELESS = 4; // times as slow as the fastest
    bool sub_groups;
    const unsigned n = RIVALS - (lab_builtin_sum(lab, &sub_groups) == NULL);
    struct lab_launch all[RIVALS];
    double first[RIVALS], least = 0;
    unsigned index[RIVALS], kept = 0, best = 0;
    for (unsigned i = 0; i < n; i++) {
        all[i] = launch_of(lab, lab_sum_find(ids[i]), x, res);
        first[i] = check(lab, &all[i], lab->n);
        least = i == 0 || first[i] < least ? first[i] : least;
    }
    for (unsigned i = 0; i < n; i++)
        if (first[i] <= HOPELESS * least) {
            all[kept] = all[i];
            index[kept++] = i;
        }
    lab_measure(lab, all, kept);
    for (unsigned i = 1; i < kept; i++)
        best = all[i].time.median < all[best].time.median ? i : best;
    return lab_sum_find(ids[index[best]]);
}

static void run_library(struct lab *lab, const char *id, struct lab_result *result)
{
    (void)id;
    cl_mem x = lab_linear(lab), res = lab_buffer(lab, 64);
    const struct gpuprim_array arrays[] = { gpuprim_buffer(GPUPRIM_U32, x, 0, lab->n),
                                            gpuprim_buffer(GPUPRIM_U64, res, 0, 1) };
    const struct lab_sum *rival = fastest(lab, x, res);
    // Measured again, so that a lucky measurement gives no advantage.
    struct lab_launch pair[] = { launch_of(lab, rival, x, res),
                                 { .zeroed = res, .call = call_reduce, .context = arrays } };
    check(lab, &pair[1], lab->n);
    lab_measure(lab, pair, 2);
    static const struct lab_reasons reasons = {
        .gain = "wide loads are in flight, and partial results need no atomics",
        .cpu = "memory limits both",
        .gpu = "memory limits both"
    };
    const struct lab_work work = { .read = (double)lab->n * sizeof(cl_uint) };
    lab_say(result, "against %s, the fastest of the others: ", rival->id);
    lab_conclude(lab, &pair[0], &pair[1], &work, &reasons, result);
}

// clang-format off
const struct lab_row lab_sums[] = {
    { "L1", "Unsynchronised additions to one number lose values",
      "sum: every item adds to res[0], unsynchronised; wrong on purpose", run_wrong },
    { "L2", "With one atomic per item the items wait for each other",
      "sum: one atomic per item", run_sum },
    { "L3", "64 values per item need 64 times fewer atomics",
      "sum: 64 adjacent values per item; before: L2", run_sum },
    { "L4", "Neighbouring items should read neighbouring values",
      "sum: 64 values per item, neighbours read neighbours; before: L3", run_sum },
    { "L5", "Adding in local memory first saves atomics on global memory",
      "sum: local memory, item 0 adds, one atomic per group; before: L2", run_sum },
    { "L5a", "Without a barrier, items read what others have not written yet",
      "L5 without its barrier; wrong on purpose", run_wrong },
    { "L5b", "Only one item of a group may add the sum of the group",
      "L5 with every item adding to the result; wrong on purpose", run_wrong },
    { "L6", "A tree in local memory is faster than one item that adds",
      "sum: a tree in local memory, one atomic per group; before: L5", run_sum },
    { "A1", "One atomic per value is nearly as fast as memory",
      "sum: one atomic per item, directly from global memory", run_sum },
    { "A2", "A block of its own for each item wastes cache lines",
      "sum: each item a block of its own, one atomic per item; before: A1", run_sum },
    { "A3", "Interleaved items share the cache lines that they read",
      "sum: items interleaved over all memory, one atomic per item; before: A2", run_sum },
    { "A4", "A tree in local memory costs more than the atomics that it saves",
      "sum: a tree in local memory, groups as large as possible; before: A1", run_sum },
    { "A5", "The built-in reduction costs more than the atomics that it saves",
      "sum: the built-in reduction of OpenCL C; before: A1", run_sum },
    { "A6", "Wide loads and few barriers beat one atomic per value",
      "sum: 256 values per item in vectors of 8, then a tree; before: A1", run_sum },
    { "A7", "Wide loads and local atomics are the fastest of all",
      "sum: one vector of 4 per item, atomics in local memory; before: A1", run_sum },
    { "gpuprim_reduce", "The library is at least as fast as the best of these kernels",
      "sum: the library; before: the fastest of the others", run_library },
    { NULL, NULL, NULL, NULL },
};
// clang-format on
