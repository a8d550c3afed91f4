/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the reference of reduce share: elements, and the check of one row.
 */
#ifndef REDUCE_REFERENCE_ROW_H
#define REDUCE_REFERENCE_ROW_H

#include "reduce.h"

bool reference_is_float(enum gpuprim_type type);
bool reference_is_signed(enum gpuprim_type type);

uint64_t reference_rows(const struct gpuprim_array *array);
const void *reference_element(const struct gpuprim_array *array, uint64_t row, uint64_t index);
uint64_t reference_integer(const void *p, enum gpuprim_type type); // modulo 2^64
double reference_float(const void *p, enum gpuprim_type type);

// Stores the message in `why` and returns false.
bool reference_wrong(char *why, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The results of one row.
struct reference_results {
    enum gpuprim_type type;
    unsigned count; // reduce_reference_results()
    const void *at[5];
};

// True if the results are what the row must give.
bool reference_integers(const struct gpuprim_array *in, uint64_t row,
                        const struct gpuprim_reduce_params *params,
                        const struct reference_results *results, char *why, size_t size);
bool reference_floats(const struct gpuprim_array *in, uint64_t row,
                      const struct gpuprim_reduce_params *params,
                      const struct reference_results *results, char *why, size_t size);
bool reference_statistics(const struct gpuprim_array *in, uint64_t row,
                          const struct gpuprim_reduce_params *params,
                          const struct reference_results *results, char *why, size_t size);

#endif
