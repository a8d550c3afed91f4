/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows W4-W6 of the lab: the cost of private arrays, of strides, and of bank conflicts. warps.c
 * has W1-W3.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

// ---------------------------------------------------------------------------------------
// W4: private arrays and spills

enum { ARRAYS = 4, CHECKED = 256 };
static const unsigned array_words[ARRAYS] = { 4, 16, 64, 256 };

static cl_uint formula_w4(cl_uint v, unsigned p)
{
    cl_uint own[256];
    for (cl_uint k = 0; k < p; k++)
        own[k] = v + k;
    for (cl_uint k = 0; k < 256; k++) {
        const cl_uint at = (v >> 8) % p;
        own[at] = own[at] * 5 + k;
        v = v * 1664525u + own[(at + 1) % p];
    }
    return v;
}

// Reads from NVIDIA's compiler log how much memory an item uses. An array that is indexed at
// run time counts as stack frame, not as a spill. Returns false if the log does not tell.
static bool stack_bytes(struct lab *lab, cl_program program, long *frame, long *spilled)
{
    char *log = !lab->failed && lab->gp->caps.is_nvidia ? lab_build_log(lab, program) : NULL;
    const char *at = log ? strstr(log, " bytes stack frame, ") : NULL;
    while (at && at > log && isdigit((unsigned char)at[-1]))
        at--;
    const bool said =
        at && sscanf(at, "%ld bytes stack frame, %ld bytes spill stores", frame, spilled) == 2;
    free(log);
    return said;
}

static void check_w4(struct lab *lab, const struct lab_launch *launch, unsigned p, cl_mem x,
                     cl_mem y)
{
    cl_uint in[CHECKED] = { 0 }, out[CHECKED] = { 0 };
    lab_fill(lab, y, sizeof out, 0);
    lab_once(lab, launch);
    lab_read(lab, x, in, sizeof in);
    lab_read(lab, y, out, sizeof out);
    for (int i = 0; i < CHECKED && !lab->failed; i++)
        if (out[i] != formula_w4(in[i], p))
            lab_fail(lab, "a private array of %u words: wrong result", p);
}

static void run_w4(struct lab *lab, const char *id, struct lab_result *result)
{
    (void)id;
    const uint64_t n = lab_items(lab, 17, 22, 4);
    cl_mem x = lab_hashed(lab, n), y = lab_buffer(lab, n * sizeof(cl_uint));
    struct lab_launch launches[ARRAYS];
    struct lab_sweep *sweep = &result->sweep;
    long frame = 0, spilled = 0;
    bool said = false;
    for (int i = 0; i < ARRAYS; i++) {
        cl_program program =
            lab_program(lab, "warps_private.cl", NULL, "#define WG %u\n#define P %u\n",
                        lab->group, array_words[i]);
        launches[i] = (struct lab_launch){ .kernel = lab_kernel(lab, program, "W4"),
                                           .items = n,
                                           .group = lab->group };
        LAB_SET(lab, launches[i].kernel, 0, LAB_ARG(x), LAB_ARG(y));
        check_w4(lab, &launches[i], array_words[i], x, y);
        said = stack_bytes(lab, program, &frame, &spilled);
    }
    lab_measure(lab, launches, ARRAYS);
    lab_axes(sweep, "words per item", "item", "256 steps", NULL);
    for (int i = 0; i < ARRAYS; i++)
        lab_point(sweep, array_words[i], (double)n, &launches[i].time, NULL);
    static const struct lab_reasons reasons = {
        .gain = "the small array is closer to the item: in registers, or in the first cache",
        .cpu = "both arrays are on the stack and in the first cache",
        .gpu = "the cache serves the larger array as fast"
    };
    const struct lab_work none = { 0 };
    lab_say(result, "%u words against %u: ", array_words[0], array_words[ARRAYS - 1]);
    lab_conclude(lab, &launches[ARRAYS - 1], &launches[0], &none, &reasons, result);
    if (said)
        lab_say(
            result,
            ". With the largest array an item has a stack frame of %ld bytes, and %ld bytes "
            "are spilled",
            frame, spilled);
    else
        lab_say(result, ". The compiler does not report stack frames or spills");
}

// ---------------------------------------------------------------------------------------
// W5: strides in memory

enum { STRIDES = 7, READS = 16 };

static void check_w5(struct lab *lab, cl_mem y, uint64_t items, cl_uint right, unsigned stride)
{
    cl_uint sum = 0, *words = calloc((size_t)items, sizeof *words);
    if (!words)
        lab_fail(lab, "not enough memory");
    lab_read(lab, y, words, (size_t)items * sizeof *words);
    for (uint64_t i = 0; words && i < items; i++)
        sum += words[i];
    free(words);
    if (sum != right)
        lab_fail(lab, "stride %u: the sum is %u instead of %u", stride, sum, right);
}

static void run_w5(struct lab *lab, const char *id, struct lab_result *result)
{
    (void)id;
    const uint64_t n = lab->n, items = n / READS;
    cl_uint log2_n = 0;
    while (UINT64_C(1) << (log2_n + 1) <= n)
        log2_n++;
    cl_mem x = lab_linear(lab), y = lab_buffer(lab, items * sizeof(cl_uint));
    cl_program program =
        lab_program(lab, "warps.cl", NULL, "#define WG %u\n#define SPACE 1\n", lab->group);
    struct lab_launch launches[STRIDES];
    struct lab_sweep *sweep = &result->sweep;
    for (int i = 0; i < STRIDES; i++) {
        const cl_uint stride = 1u << i;
        launches[i] = (struct lab_launch){ .kernel = lab_kernel(lab, program, "W5"),
                                           .items = items,
                                           .group = lab->group };
        LAB_SET(lab, launches[i].kernel, 0, LAB_ARG(x), LAB_ARG(log2_n), LAB_ARG(y),
                LAB_ARG(stride));
        lab_once(lab, &launches[i]);
        check_w5(lab, y, items, lab_linear_sum(n), stride);
    }
    lab_measure(lab, launches, STRIDES);
    lab_axes(sweep, "words apart", NULL, "useful bytes", NULL);
    for (int i = 0; i < STRIDES; i++)
        lab_point(sweep, 1u << i, 4.0 * (double)n, &launches[i].time, NULL);
    static const struct lab_reasons reasons = {
        .gain = "neighbouring items share the lines that are fetched",
        .cpu = "the caches kept each line until all of it was used",
        .gpu = "the caches kept each line until all of it was used"
    };
    const struct lab_work work = { .read = 4.0 * (double)n };
    lab_say(result, "adjacent words against words %d apart: ", 1 << (STRIDES - 1));
    lab_conclude(lab, &launches[STRIDES - 1], &launches[0], &work, &reasons, result);
}

// ---------------------------------------------------------------------------------------
// W6: banks of local memory

static void run_w6(struct lab *lab, const char *id, struct lab_result *result)
{
    (void)id;
    enum { POINTS = 6 };
    const uint64_t n = lab_items(lab, 16, 22, 4), bytes = n * sizeof(cl_uint);
    int points = POINTS; // fewer if the local memory is too small for the last stride, padded
    unsigned words = (lab->group << (points - 1)) * 33 / 32 + 1;
    for (; points > 1 && words * sizeof(cl_uint) > lab->gp->caps.local_bytes; points--)
        words = words / 2 + 1;
    cl_mem x = lab_hashed(lab, n), first = lab_buffer(lab, bytes), y = lab_buffer(lab, bytes);
    cl_program program = lab_program(lab, "warps.cl", NULL, "#define WG %u\n#define SPACE %u\n",
                                     lab->group, words);
    struct lab_launch launches[2 * POINTS]; // plain, then padded
    for (int i = 0; i < 2 * points; i++) {
        const cl_uint stride = 1u << i % points, padded = i >= points;
        struct lab_launch *launch = &launches[i];
        *launch = (struct lab_launch){ .kernel = lab_kernel(lab, program, "W6"),
                                       .items = n,
                                       .group = lab->group };
        LAB_SET(lab, launch->kernel, 0, LAB_ARG(x), LAB_ARG(*(i ? &y : &first)),
                LAB_ARG(stride), LAB_ARG(padded));
        lab_fill(lab, y, bytes, 0);
        lab_once(lab, launch);
        if (i && !lab_same(lab, first, y, bytes))
            lab_fail(lab, "stride %u: the sum differs", stride);
    }
    lab_measure(lab, launches, 2 * (unsigned)points);
    struct lab_sweep *sweep = &result->sweep;
    lab_axes(sweep, "words apart", "item", "plain", "padded");
    for (int i = 0; i < points; i++)
        lab_point(sweep, 1u << i, (double)n, &launches[i].time, &launches[points + i].time);
    static const struct lab_reasons reasons = {
        .gain = "the words of a warp lie in different banks",
        .cpu = "local memory is ordinary memory here and has no banks",
        .gpu = "the banks of this device serve such strides, or something else limits both",
        .cpu_gain =
            "local memory is ordinary memory here, and strides of 128 bytes use few sets of "
            "the cache"
    };
    const struct lab_work none = { 0 };
    lab_say(result, "%d words apart, padded against plain: ", 1 << (points - 1));
    lab_conclude(lab, &launches[points - 1], &launches[2 * points - 1], &none, &reasons,
                 result);
}

// clang-format off
const struct lab_row lab_memory_warps[] = {
    { "W4", "Large private arrays spill",
      "a private array of 256 ... 4 words per item; before: 256, after: 4", run_w4 },
    { "W5", "A request costs the cache lines that it covers",
      "reads 64 ... 1 words apart; before: 64, after: 1", run_w5 },
    { "W6", "Bank conflicts serialise reads of local memory",
      "local memory 32 words apart; after: one unused word after each 32", run_w6 },
    { NULL, NULL, NULL, NULL },
};
// clang-format on
