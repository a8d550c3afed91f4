/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows W1-W3 of the lab: items that run in lockstep, and how many of them can wait at the same
 * time. warps_memory.c has W4-W6.
 */
#include <stdlib.h>
#include <string.h>

#include "measure.h"

static cl_program warps_program(struct lab *lab)
{
    return lab_program(lab, "warps.cl", NULL, "#define WG %u\n#define SPACE 1\n", lab->group);
}

// ---------------------------------------------------------------------------------------
// W1: group sizes around the width

static cl_uint one_kind(cl_uint v)
{
    for (cl_uint k = 0; k < 64; k++)
        v = (v ^ (v >> 13)) * 0x5bd1e995u + k;
    return v;
}

static size_t width_of(struct lab *lab, cl_kernel kernel)
{
    size_t width = 0;
    if (!lab->failed)
        lab_good(lab,
                 clGetKernelWorkGroupInfo(kernel, lab->gp->device,
                                          CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                          sizeof width, &width, NULL),
                 "clGetKernelWorkGroupInfo");
    if (lab->gp->caps.width > width)
        width = lab->gp->caps.width;
    return width < 2 ? 2 : width;
}

static void check_w1(struct lab *lab, const struct lab_launch *launch, cl_mem x, cl_mem y)
{
    cl_uint in[64] = { 0 }, out[64] = { 0 };
    lab_fill(lab, y, sizeof out, 0);
    lab_once(lab, launch);
    lab_read(lab, x, in, sizeof in);
    lab_read(lab, y, out, sizeof out);
    for (int i = 0; i < 64 && !lab->failed; i++)
        if (out[i] != one_kind(in[i]))
            lab_fail(lab, "groups of %zu items: wrong result", launch->group);
}

static void run_w1(struct lab *lab, const char *id, struct lab_result *result)
{
    (void)id;
    enum { POINTS = 6, ODD = 4, EVEN = 3 };
    const uint64_t n = lab_items(lab, 20, 26, 4);
    cl_mem x = lab_hashed(lab, n), y = lab_buffer(lab, n * sizeof(cl_uint));
    cl_kernel kernel = lab_kernel(lab, warps_program(lab), "W1");
    const size_t w = width_of(lab, kernel);
    const size_t groups[POINTS] = { w / 2, w, w + 1, 2 * w, 2 * w + 1, 4 * w };
    struct lab_launch launches[POINTS];
    struct lab_sweep *sweep = &result->sweep;
    LAB_SET(lab, kernel, 0, LAB_ARG(x), LAB_ARG(y));
    if (lab->gp->caps.max_work_group < 4 * w) {
        result->status = LAB_NOT_OFFERED;
        lab_say(result, "not offered here: the row needs groups of %zu items", 4 * w);
        return;
    }
    for (int i = 0; i < POINTS; i++) {
        launches[i] = (struct lab_launch){ .kernel = kernel,
                                           .items = n / groups[i] * groups[i],
                                           .group = groups[i] };
        check_w1(lab, &launches[i], x, y);
    }
    lab_measure(lab, launches, POINTS);
    lab_axes(sweep, "items per group", "item", "64 rounds", NULL);
    for (int i = 0; i < POINTS; i++)
        lab_point(sweep, (double)groups[i], (double)launches[i].items, &launches[i].time, NULL);
    static const struct lab_reasons reasons = {
        .gain = "one item more than whole warps hold needs a warp for itself",
        .cpu = "the item left over costs little compared with the whole vectors",
        .gpu = "the partly filled warps are few, or other warps run meanwhile",
        .cpu_gain = "the items fill whole vectors, and none is left over"
    };
    const struct lab_work none = { 0 };
    lab_say(result, "width %zu; groups of %zu items against %zu: ", w, groups[EVEN],
            groups[ODD]);
    lab_conclude(lab, &launches[ODD], &launches[EVEN], &none, &reasons, result);
}

// ---------------------------------------------------------------------------------------
// W2: divergence

// Sorts x by its low byte, with one count per byte value.
static void partition(const cl_uint *x, uint64_t n, cl_uint *out)
{
    uint64_t place[257] = { 0 };
    for (uint64_t i = 0; i < n; i++)
        place[x[i] % 256 + 1]++;
    for (int c = 1; c < 257; c++)
        place[c] += place[c - 1];
    for (uint64_t i = 0; i < n; i++)
        out[place[x[i] % 256]++] = x[i];
}

static cl_uint sum_of(struct lab *lab, cl_mem y, cl_uint *words, uint64_t n)
{
    cl_uint sum = 0;
    lab_read(lab, y, words, (size_t)n * sizeof *words);
    for (uint64_t i = 0; i < n; i++)
        sum += words[i];
    return sum;
}

enum { FRACTIONS = 8, HALF = 4 };
static const cl_uint taken[FRACTIONS] = { 0, 2, 8, 32, 128, 192, 248, 256 };

struct divergence {
    cl_mem x[2], y; // x[0] in random order, x[1] sorted
    cl_uint *words;
    uint64_t n;
};

// Launches both orders for one fraction. Their sums must be equal.
static void check_w2(struct lab *lab, const struct divergence *d, cl_program program,
                     unsigned fraction, struct lab_launch launches[2])
{
    cl_uint sums[2];
    for (int order = 0; order < 2; order++) {
        launches[order] = (struct lab_launch){ .kernel = lab_kernel(lab, program, "W2"),
                                               .items = d->n,
                                               .group = lab->group };
        LAB_SET(lab, launches[order].kernel, 0, LAB_ARG(d->x[order]), LAB_ARG(d->y),
                LAB_ARG(taken[fraction]));
        lab_once(lab, &launches[order]);
        sums[order] = sum_of(lab, d->y, d->words, d->n);
    }
    if (sums[0] != sums[1])
        lab_fail(lab, "the order of the items changes the sum");
}

static void run_w2(struct lab *lab, const char *id, struct lab_result *result)
{
    (void)id;
    struct divergence d = { .n = lab_items(lab, 18, 23, 4) };
    const size_t bytes = (size_t)d.n * sizeof(cl_uint);
    struct lab_sweep *sweep = &result->sweep;
    d.words = calloc(2, bytes);
    d.x[0] = lab_hashed(lab, d.n);
    d.x[1] = lab_buffer(lab, bytes);
    d.y = lab_buffer(lab, bytes);
    if (!d.words)
        lab_fail(lab, "not enough memory");
    lab_read(lab, d.x[0], d.words, bytes);
    if (!lab->failed)
        partition(d.words, d.n, d.words + d.n);
    lab_write(lab, d.x[1], d.words + d.n, bytes);
    static const struct lab_reasons reasons = {
        .gain = "items of one kind are neighbours, so that few warps run both branches",
        .cpu = "each item runs alone, through one branch only",
        .gpu = "the branches are too short to matter",
        .cpu_gain = "branches that go the same way many times are predicted"
    };
    const struct lab_work none = { 0 };
    struct lab_launch launches[FRACTIONS][2] = { { { .items = 0 } } };
    cl_program program = warps_program(lab);
    for (unsigned i = 0; i < FRACTIONS && !lab->failed; i++)
        check_w2(lab, &d, program, i, launches[i]);
    lab_measure(lab, launches[0], 2 * FRACTIONS);
    lab_axes(sweep, "percent taken", "item", "mixed", "ordered");
    sweep->is_linear = true;
    for (unsigned i = 0; i < FRACTIONS; i++)
        lab_point(sweep, taken[i] / 2.56, (double)d.n, &launches[i][0].time,
                  &launches[i][1].time);
    lab_say(result, "half of the items take the branch; ordered against mixed: ");
    lab_conclude(lab, &launches[HALF][0], &launches[HALF][1], &none, &reasons, result);
    free(d.words);
}

// ---------------------------------------------------------------------------------------
// W3: occupancy by local memory

// Checks the end of the chain of reads of some items. A chain starts at the mirrored item of
// the group.
static void check_w3(struct lab *lab, cl_mem x, uint64_t n, cl_mem y, const char *what)
{
    cl_uint *words = calloc(2, (size_t)n * sizeof *words);
    if (!words)
        lab_fail(lab, "not enough memory");
    lab_read(lab, x, words, (size_t)n * sizeof *words);
    if (words)
        lab_read(lab, y, words + n, (size_t)n * sizeof *words);
    for (uint64_t i = 0; i < n && !lab->failed; i += 1 + n / 999) {
        cl_uint at = (cl_uint)(i - i % lab->group + lab->group - 1 - i % lab->group);
        for (int k = 0; k < 16; k++)
            at = words[at % n];
        if (words[n + i] != at)
            lab_fail(lab, "%s: the end of a chain of reads is wrong", what);
    }
    free(words);
}

static void run_w3(struct lab *lab, const char *id, struct lab_result *result)
{
    (void)id;
    enum { POINTS = 5 };
    const struct gp_caps *caps = &lab->gp->caps;
    const uint64_t n = lab_items(lab, 20, 24, 4);
    const cl_uint mask = (cl_uint)n - 1;
    // NVIDIA reserves a part of the 48 KiB.
    const uint64_t most = caps->is_cpu                ? caps->local_bytes / 2
                          : caps->local_bytes > 49136 ? 49136
                                                      : caps->local_bytes;
    cl_mem x = lab_hashed(lab, n), y = lab_buffer(lab, n * sizeof(cl_uint));
    cl_program program = warps_program(lab);
    struct lab_launch launches[POINTS];
    struct lab_sweep *sweep = &result->sweep;
    uint64_t held[POINTS]; // bytes
    for (int i = 0; i < POINTS; i++) {
        uint64_t bytes = (most >> i) / 16 * 16;
        if (i == POINTS - 1 || bytes < lab->group * sizeof(cl_uint))
            bytes = lab->group * sizeof(cl_uint);
        launches[i] = (struct lab_launch){ .kernel = lab_kernel(lab, program, "W3"),
                                           .items = n,
                                           .group = lab->group };
        LAB_SET(lab, launches[i].kernel, 0, LAB_ARG(x), LAB_ARG(mask), LAB_ARG(y),
                LAB_LOCAL((size_t)bytes));
        held[i] = bytes;
        lab_fill(lab, y, n * sizeof(cl_uint), 0);
        lab_once(lab, &launches[i]);
        check_w3(lab, x, n, y, "W3");
    }
    lab_measure(lab, launches, POINTS);
    lab_axes(sweep, "local KiB per group", "item", "16 reads in a row", NULL);
    for (int i = 0; i < POINTS; i++)
        lab_point(sweep, (double)held[i] / 1024, (double)n, &launches[i].time, NULL);
    static const struct lab_reasons reasons = {
        .gain = "more groups are resident and run while one waits for its reads",
        .cpu = "a core runs one group at a time, whatever its local memory",
        .gpu = "even the lowest occupancy has enough items that wait at once",
        .cpu_gain = "chance, because a core runs one group at a time"
    };
    const struct lab_work none = { 0 };
    lab_say(result, "%llu bytes of local memory per group against %llu: ",
            (unsigned long long)held[POINTS - 1], (unsigned long long)held[0]);
    lab_conclude(lab, &launches[0], &launches[POINTS - 1], &none, &reasons, result);
}

// clang-format off
const struct lab_row lab_warps[] = {
    { "W1", "Groups should be whole warps",
      "groups of two warps and one item; after: of two warps", run_w1 },
    { "W2", "Divergence costs both branches",
      "some items take another branch; before: mixed, after: ordered", run_w2 },
    { "W3", "Occupancy hides latency",
      "occupancy: groups with much local memory; after: with little", run_w3 },
    { NULL, NULL, NULL, NULL },
};
// clang-format on
