/* SPDX-License-Identifier: Apache-2.0
 *
 * The operations of reduce, one row each. A new operation is a row here, a member of
 * enum gpuprim_op, its algebra in kernels/reduce/chain.cl (acc.cl and result.cl where it has a
 * partial or a result of its own kind), and its reference in reference/reduce/. The kernels get
 * the names as macros: `OP == MEAN`. */
#ifndef GP_REDUCE_OPERATIONS_H
#define GP_REDUCE_OPERATIONS_H

#include "src/core/core.h"

// The type of results.
enum reduce_result {
    RESULT_INPUT,      // the input's
    RESULT_SUM,        // the accumulator's
    RESULT_MEAN,       // f64, or f32 where input and accumulator are f32
    RESULT_STATISTICS, // f64, or f32 where `out` is
    RESULT_MAGNITUDE,  // u64; f32 for f16 and f32, f64 for f64
    RESULT_U64,
    RESULT_U8
};

// What a partial holds, at most. Its bytes: gp_reduce_partial_bytes().
enum reduce_partial {
    PARTIAL_VALUE,     // one value of up to 64 bits
    PARTIAL_PAIR,      // two of them
    PARTIAL_SUM,       // a sum and its error
    PARTIAL_MEAN,      // the same, and how many numbers were added where NaNs are skipped
    PARTIAL_STATISTICS // a count and four values
};

// X(NAME, name, number, type of results, results of a row, partial, carries a sum, takes
// floats). NAME and number are those of enum gpuprim_op, and the kernels', too. The tests print
// the name. An operation that carries a sum or a product lets the caller choose the
// accumulator.
#define REDUCE_OPERATIONS(X)                                                                   \
    X(SUM, sum, 0, RESULT_SUM, 1, PARTIAL_SUM, true, true)                                     \
    X(PRODUCT, product, 1, RESULT_SUM, 1, PARTIAL_VALUE, true, true)                           \
    X(MIN, min, 2, RESULT_INPUT, 1, PARTIAL_VALUE, false, true)                                \
    X(MAX, max, 3, RESULT_INPUT, 1, PARTIAL_VALUE, false, true)                                \
    X(ARGMIN, argmin, 4, RESULT_U64, 1, PARTIAL_PAIR, false, true)                             \
    X(ARGMAX, argmax, 5, RESULT_U64, 1, PARTIAL_PAIR, false, true)                             \
    X(MINMAX, minmax, 6, RESULT_INPUT, 2, PARTIAL_PAIR, false, true)                           \
    X(AND, and, 7, RESULT_INPUT, 1, PARTIAL_VALUE, false, false)                               \
    X(OR, or, 8, RESULT_INPUT, 1, PARTIAL_VALUE, false, false)                                 \
    X(XOR, xor, 9, RESULT_INPUT, 1, PARTIAL_VALUE, false, false)                               \
    X(ANY, any, 10, RESULT_U8, 1, PARTIAL_VALUE, false, true)                                  \
    X(ALL, all, 11, RESULT_U8, 1, PARTIAL_VALUE, false, true)                                  \
    X(COUNT, count, 12, RESULT_U64, 1, PARTIAL_VALUE, false, true)                             \
    X(SUM_ABS, sum_abs, 13, RESULT_SUM, 1, PARTIAL_SUM, true, true)                            \
    X(SUM_SQUARES, sum_squares, 14, RESULT_SUM, 1, PARTIAL_SUM, true, true)                    \
    X(MEAN, mean, 15, RESULT_MEAN, 1, PARTIAL_MEAN, true, true)                                \
    X(MAX_ABS, max_abs, 16, RESULT_MAGNITUDE, 1, PARTIAL_VALUE, false, true)                   \
    X(STATISTICS, statistics, 17, RESULT_STATISTICS, 5, PARTIAL_STATISTICS, false, true)

// A row of that list.
struct reduce_operation {
    enum reduce_result result;
    unsigned results;
    enum reduce_partial partial;
    bool carries_sum, takes_floats;
};

#define REDUCE_COUNT_OPERATION(NAME, name, number, result, results, partial, sum, floats) +1
enum { REDUCE_N_OPERATIONS = 0 REDUCE_OPERATIONS(REDUCE_COUNT_OPERATION) };

// The row of an operation; NULL for a number that is none.
const struct reduce_operation *gp_reduce_operation(enum gpuprim_op op);

// The names as macros for the kernels.
extern const struct gp_macro gp_reduce_operation_names[REDUCE_N_OPERATIONS];

// The accumulator where the caller names none.
enum gpuprim_type gp_reduce_accumulator(enum gpuprim_type in);

// The type of results where `sum` is the accumulator.
enum gpuprim_type gp_reduce_result_type(enum gpuprim_op op, enum gpuprim_type in,
                                        enum gpuprim_type sum);

#endif
