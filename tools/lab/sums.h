/* SPDX-License-Identifier: Apache-2.0
 *
 * The sums of the lab: what each of their kernels takes, and why it does as it does. */
#ifndef GP_LAB_SUMS_H
#define GP_LAB_SUMS_H

#include "lab.h"

struct lab_sum {
    const char *id;       // also the kernel's name
    const char *file;     // in tools/lab/kernels/
    bool largest;         // groups as large as the device takes, not of 256 items
    unsigned per_item;    // values an item takes; 0 = the items the device holds share them all
    unsigned local_words; // of an item
    unsigned cut;         // takes a part of the array: one of so many; 0 = all of it
    const char *before;   // the row it is compared with; NULL = none
    double iris_xe, hd_630; // ms in the article
    struct lab_reasons reasons;
};

const struct lab_sum *lab_sum_find(const char *id); // NULL = no kernel of its own

#endif
