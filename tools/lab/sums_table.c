/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels of rows L1-L6 and A1-A7 of the lab: how each is launched, the times of the
 * article, and the reasons that the lab prints for the result.
 */
#include <string.h>

#include "sums.h"

#define LECTURE "sums_lecture.cl"
#define ARTICLE "sums_article.cl"

static const struct lab_sum sums[] = {
    { .id = "L1", .file = LECTURE, .per_item = 1 },
    { .id = "L2",
      .file = LECTURE,
      .per_item = 1,
      .reasons = { .gain = "all items wait for their turn at one address" } },
    { .id = "L3",
      .file = LECTURE,
      .per_item = 64,
      .before = "L2",
      .reasons = { .gain = "64 times fewer atomics, although neighbouring items read distant "
                           "cache lines",
                   .cpu = "the reads cost what the atomics saved",
                   .gpu =
                       "neighbouring items read values 64 apart, which costs what the atomics "
                       "saved" } },
    { .id = "L4",
      .file = LECTURE,
      .per_item = 64,
      .before = "L3",
      .reasons = { .gain = "neighbouring items read neighbouring values, so that a request "
                           "covers few lines",
                   .cpu = "a core runs the items one after the other, and 64 adjacent values "
                          "are the "
                          "better order",
                   .gpu =
                       "the caches kept the lines of L3 until all their values were used" } },
    { .id = "L5",
      .file = LECTURE,
      .per_item = 1,
      .local_words = 1,
      .before = "L2",
      .reasons = { .gain = "one atomic per group",
                   .cpu =
                       "the copy, the barrier and the second pass cost what the atomics saved",
                   .gpu = "one item adds while its group waits, and atomics are cheap here" } },
    { .id = "L5a", .file = LECTURE, .per_item = 1, .local_words = 1 },
    { .id = "L5b", .file = LECTURE, .per_item = 1, .local_words = 1, .cut = 256 },
    { .id = "L6",
      .file = LECTURE,
      .per_item = 1,
      .local_words = 1,
      .before = "L5",
      .reasons = { .gain = "many items add in few steps; before, one item added alone",
                   .cpu = "a core runs the items one after the other, and the barrier of each "
                          "step "
                          "starts another loop over them",
                   .gpu =
                       "half of the items idle in each step, and all wait at its barrier" } },
    { .id = "A1",
      .file = ARTICLE,
      .per_item = 1,
      .iris_xe = 49,
      .hd_630 = 146,
      .reasons = { .gain = "one atomic per value, unless the compiler combines them" } },
    { .id = "A2",
      .file = ARTICLE,
      .largest = true,
      .before = "A1",
      .iris_xe = 141,
      .hd_630 = 258,
      .reasons = { .gain = "few atomics; a block of its own suits an item that runs alone, or "
                           "a cache "
                           "that keeps the lines",
                   .cpu = "the reads limit it",
                   .gpu = "one load of a warp touches one line per item" } },
    { .id = "A3",
      .file = ARTICLE,
      .largest = true,
      .before = "A2",
      .iris_xe = 38,
      .hd_630 = 111,
      .reasons = { .gain = "one load by neighbouring items is one line",
                   .cpu = "a core runs the items one after the other, each in wide steps "
                          "through all "
                          "of memory",
                   .gpu = "the caches kept the lines of A2" } },
    { .id = "A4",
      .file = ARTICLE,
      .largest = true,
      .per_item = 1,
      .local_words = 1,
      .before = "A1",
      .iris_xe = 115,
      .hd_630 = 288,
      .reasons = { .gain = "one atomic per group saves more than the barriers cost",
                   .cpu = "a core runs the items one after the other, and each barrier starts "
                          "another loop over them",
                   .gpu = "barriers cost time, and half of the items idle in each step" } },
    { .id = "A5",
      .file = "sums_builtin.cl",
      .per_item = 1,
      .before = "A1",
      .iris_xe = 162,
      .hd_630 = 429,
      .reasons = { .gain =
                       "the built-in reduction of a group costs less than one atomic per item",
                   .cpu = "the built-in reduction costs more than one atomic per value",
                   .gpu = "the whole group waits for the built-in reduction of one value per "
                          "item" } },
    { .id = "A6",
      .file = ARTICLE,
      .largest = true,
      .per_item = 256,
      .local_words = 8,
      .before = "A1",
      .iris_xe = 37,
      .hd_630 = 83,
      .reasons = { .gain =
                       "wide loads, 256 values before the first barrier, one atomic per group",
                   .cpu = "the reads limit it",
                   .gpu = "this device does not load vectors of 8 at once" } },
    { .id = "A7",
      .file = ARTICLE,
      .per_item = 4,
      .local_words = 1,
      .before = "A1",
      .iris_xe = 34,
      .hd_630 = 67,
      .reasons = { .gain = "16 bytes per load, and most atomics stay in local memory",
                   .cpu = "one atomic per 4 values is still one per few cycles, local or not",
                   .gpu = "local atomics to one address cost as much as the global ones" } },
};
enum { N_SUMS = sizeof sums / sizeof sums[0] };

const struct lab_sum *lab_sum_find(const char *id)
{
    for (unsigned i = 0; i < N_SUMS; i++)
        if (strcmp(sums[i].id, id) == 0)
            return &sums[i];
    return NULL;
}

bool lab_article(const char *id, double *iris_xe, double *hd_630)
{
    const struct lab_sum *sum = lab_sum_find(id);
    *iris_xe = sum ? sum->iris_xe : 0;
    *hd_630 = sum ? sum->hd_630 : 0;
    return sum && sum->iris_xe > 0;
}
