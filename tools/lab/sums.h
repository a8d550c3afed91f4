/* SPDX-License-Identifier: Apache-2.0
 *
 * The sums of the lab: how each kernel is launched (sums_table.c), for sums.c, which runs them.
 */
#ifndef GP_LAB_SUMS_H
#define GP_LAB_SUMS_H

#include "measure.h"

struct lab_sum {
    const char *id;    // also the kernel's name
    const char *file;  // in tools/lab/kernels/
    bool largest;      // the largest group that the device allows, instead of 256 items
    unsigned per_item; // values per item; 0 = as many items as the device holds share them all
    unsigned local_words;   // u32 of local memory per item
    unsigned cut;           // sums only n / cut values; 0 = all
    const char *before;     // the row it is compared with; NULL = none
    double iris_xe, hd_630; // ms in the article; 0 = not in it
    struct lab_reasons reasons;
};

const struct lab_sum *lab_sum_find(const char *id); // NULL = this row has no kernel

#endif
