/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels of rows L1-L6 and A1-A7 of the lab, as data.
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
      .reasons = { .gain = "every item waits for its turn at one address" } },
    { .id = "L3",
      .file = LECTURE,
      .per_item = 64,
      .before = "L2",
      .reasons = { .gain = "64 times fewer atomics, though neighbours read lines far apart",
                   .cpu = "the reads cost what the atomics saved",
                   .gpu = "neighbours read 64 values apart, which costs what the atomics "
                          "saved" } },
    { .id = "L4",
      .file = LECTURE,
      .per_item = 64,
      .before = "L3",
      .reasons = { .gain = "neighbours read neighbours, so that a request is few lines",
                   .cpu = "on a core items take turns, and 64 values in a row are the better "
                          "order",
                   .gpu = "the caches kept L3's lines until all of their values were used" } },
    { .id = "L5",
      .file = LECTURE,
      .per_item = 1,
      .local_words = 1,
      .before = "L2",
      .reasons = { .gain = "one atomic per group",
                   .cpu = "copy, barrier and a second pass cost what the atomics saved",
                   .gpu = "one item adds while the group waits, and atomics are cheap here" } },
    { .id = "L5a", .file = LECTURE, .per_item = 1, .local_words = 1 },
    { .id = "L5b", .file = LECTURE, .per_item = 1, .local_words = 1, .cut = 256 },
    { .id = "L6",
      .file = LECTURE,
      .per_item = 1,
      .local_words = 1,
      .before = "L5",
      .reasons = { .gain = "few steps of many items, where one item added alone",
                   .cpu = "a core runs the items in turn, and each step's barrier is one more "
                          "loop",
                   .gpu =
                       "half of the items idle in each step, and all wait at its barrier" } },
    { .id = "A1",
      .file = ARTICLE,
      .per_item = 1,
      .iris_xe = 49,
      .hd_630 = 146,
      .reasons = { .gain = "an atomic for each value, unless the compiler combines them" } },
    { .id = "A2",
      .file = ARTICLE,
      .largest = true,
      .before = "A1",
      .iris_xe = 141,
      .hd_630 = 258,
      .reasons = { .gain = "few atomics; blocks of their own suit items that run in turn, or "
                           "caches "
                           "that "
                           "keep the lines",
                   .cpu = "the reads bound it",
                   .gpu = "one load of a warp touches as many lines as it has items" } },
    { .id = "A3",
      .file = ARTICLE,
      .largest = true,
      .before = "A2",
      .iris_xe = 38,
      .hd_630 = 111,
      .reasons = { .gain = "one load of all neighbours is one line",
                   .cpu = "a core runs items in turn, each through all of memory in wide steps",
                   .gpu = "the caches had kept A2's lines" } },
    { .id = "A4",
      .file = ARTICLE,
      .largest = true,
      .per_item = 1,
      .local_words = 1,
      .before = "A1",
      .iris_xe = 115,
      .hd_630 = 288,
      .reasons = { .gain = "one atomic per group outweighs the barriers",
                   .cpu = "a core runs the items in turn, and each barrier is one more loop",
                   .gpu = "barriers, and half of the items idle in each step" } },
    { .id = "A5",
      .file = "sums_builtin.cl",
      .per_item = 1,
      .before = "A1",
      .iris_xe = 162,
      .hd_630 = 429,
      .reasons = { .gain = "the compiler folds a group for less than an atomic per item",
                   .cpu = "the compiler's reduction costs more than an atomic for each value",
                   .gpu = "the whole group waits for the compiler's reduction of a value per "
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
                   .cpu = "the reads bound it",
                   .gpu = "vectors of 8 are no unit of this device's loads" } },
    { .id = "A7",
      .file = ARTICLE,
      .per_item = 4,
      .local_words = 1,
      .before = "A1",
      .iris_xe = 34,
      .hd_630 = 67,
      .reasons = { .gain = "16 bytes per load, and the atomics stay in local memory",
                   .cpu = "an atomic for 4 values is still one per few cycles, local or not",
                   .gpu = "local atomics to one address cost what the global ones did" } },
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
