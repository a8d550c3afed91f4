/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify, ninth part: what no classifier is made of. Each rule first as it is right,
 * then with one thing wrong. */
#include "errors.h"

#include <math.h>

void classify_bad_thresholds(struct fixture *f)
{
    CREATE(THRESHOLDS, (void)0, OK, "");
    CREATE(THRESHOLDS, w.no_params = true, E_ARG, "params");
    CREATE(THRESHOLDS, w.params.rule = (enum gpuprim_rule)5, E_ARG, "rule");
    CREATE(THRESHOLDS, w.params.reserved[2] = 1, E_ARG, "reserved");
    CREATE(THRESHOLDS, w.params.thresholds.base = NULL, E_ARG, "thresholds");
    CREATE(THRESHOLDS, w.params.thresholds.reserved[0] = 1, E_ARG, "thresholds");
    CREATE(THRESHOLDS, w.params.thresholds.count = 65536, E_ARG, "thresholds");
    CREATE(THRESHOLDS, w.params.thresholds.type = GPUPRIM_F64, E_TYPE, "thresholds");
    CREATE(THRESHOLDS, (w.params.in = 0, w.params.thresholds.type = GPUPRIM_C32), E_TYPE,
           "c32");
    CREATE(THRESHOLDS, w.params.in = (enum gpuprim_type)13, E_TYPE, "");
    CREATE(THRESHOLDS, w.params.closed = (enum gpuprim_closed)2, E_ARG, "closed");
    CREATE(THRESHOLDS, w.params.nan = (enum gpuprim_nan_class)3, E_ARG, "nan");
    CREATE(THRESHOLDS, (w.params.nan = GPUPRIM_NAN_CLASS, w.params.nan_class = T), OK, "");
    CREATE(THRESHOLDS, (w.params.nan = GPUPRIM_NAN_CLASS, w.params.nan_class = T + 1), E_ARG,
           "nan_class");
    CREATE(THRESHOLDS, w.params.accumulate = 2, E_ARG, "accumulate");
    CREATE(THRESHOLDS, w.params.map = gpuprim_host(GPUPRIM_U32, f->map, T + 1), OK, "");
    CREATE(THRESHOLDS, w.params.map = gpuprim_host(GPUPRIM_U32, f->map, T), E_ARG, "map");
    CREATE(THRESHOLDS, w.params.map = gpuprim_host(GPUPRIM_I32, f->map, T + 1), E_TYPE, "map");
    CREATE(THRESHOLDS, w.params.map = gpuprim_host(GPUPRIM_U32, NULL, T + 1), E_ARG, "map");
    // Options of other rules.
    CREATE(THRESHOLDS, w.params.bins = 4, E_ARG, "bins");
    CREATE(THRESHOLDS, w.params.high = 4, E_ARG, "high");
    CREATE(THRESHOLDS, w.params.low = -4, E_ARG, "low");
    CREATE(THRESHOLDS, w.params.outside = GPUPRIM_OUTSIDE_REJECTED, E_ARG, "outside");
    CREATE(THRESHOLDS, w.params.top_inclusive = 1, E_ARG, "top_inclusive");
    CREATE(THRESHOLDS, w.params.table = gpuprim_host(GPUPRIM_U8, f->table, ENTRIES), E_ARG,
           "table");
    CREATE(THRESHOLDS, w.params.shift = 1, E_ARG, "shift");
    CREATE(THRESHOLDS, w.params.mask = 1, E_ARG, "mask");
    CREATE(THRESHOLDS, (w.params.cases = f->cases, w.params.n_cases = 1), E_ARG, "cases");
    CREATE(THRESHOLDS, w.params.otherwise = 1, E_ARG, "otherwise");
    CREATE(THRESHOLDS, w.params.comparisons = f->comparisons, E_ARG, "comparisons");
}

// The words name the first one that is wrong.
void classify_bad_order(struct fixture *f)
{
    const float kept = f->t[3];
    f->t[3] = 3; // 0 2 4 3 8
    CREATE(THRESHOLDS, (void)0, E_ARG, "threshold 3");
    f->t[3] = NAN;
    CREATE(THRESHOLDS, (void)0, E_ARG, "threshold 3");
    CREATE(THRESHOLDS, w.params.thresholds.count = 3, OK, "");
    CREATE(RULES, (w.params.thresholds.first = 1, w.params.thresholds.count = 3), E_ARG,
           "threshold 2");
    f->t[3] = kept;
    CREATE(THRESHOLDS, (w.params.thresholds.stride = -1, w.params.thresholds.first = T - 1),
           E_ARG, "threshold 1");
    CREATE(UNIFORM, (w.params.low = 1e6, w.params.high = 1e6 + 1, w.params.bins = 64), E_ARG,
           "edges 0 and 1");
}

void classify_bad_uniform(struct fixture *f)
{
    CREATE(UNIFORM, (void)0, OK, "");
    CREATE(UNIFORM, w.params.in = 0, E_TYPE, "");
    CREATE(UNIFORM, w.params.in = GPUPRIM_C32, E_TYPE, "c32");
    CREATE(UNIFORM, w.params.low = w.params.high, E_ARG, "interval");
    CREATE(UNIFORM, w.params.low = 9, E_ARG, "interval");
    CREATE(UNIFORM, w.params.low = NAN, E_ARG, "interval");
    CREATE(UNIFORM, w.params.low = -INFINITY, E_ARG, "interval");
    CREATE(UNIFORM, w.params.high = INFINITY, E_ARG, "interval");
    CREATE(UNIFORM, w.params.bins = 0, E_ARG, "bins");
    CREATE(UNIFORM, w.params.bins = 65536, E_ARG, "bins");
    CREATE(UNIFORM, w.params.outside = (enum gpuprim_outside)3, E_ARG, "outside");
    CREATE(UNIFORM, w.params.top_inclusive = 2, E_ARG, "top_inclusive");
    CREATE(UNIFORM, w.params.closed = GPUPRIM_CLOSED_RIGHT, E_ARG, "closed");
    CREATE(UNIFORM, w.params.thresholds = gpuprim_host(GPUPRIM_F32, f->t, T), E_ARG,
           "thresholds");
    CREATE(UNIFORM, (w.params.nan = GPUPRIM_NAN_CLASS, w.params.nan_class = T), OK, "");
    CREATE(UNIFORM, (w.params.nan = GPUPRIM_NAN_CLASS, w.params.nan_class = T + 1), E_ARG,
           "nan_class");
    CREATE(UNIFORM, w.params.map = gpuprim_host(GPUPRIM_U32, f->map, T), E_ARG, "map");
    CREATE(UNIFORM, (w.params.in = GPUPRIM_U8, w.params.high = 5), E_ARG, ""); // 6 bins
}

void classify_bad_tables(struct fixture *f)
{
    static const uint8_t large[65537];
    CREATE(TABLE, (void)0, OK, "");
    CREATE(TABLE, w.params.in = 0, E_TYPE, "");
    CREATE(TABLE, w.params.in = GPUPRIM_F32, E_TYPE, "f32");
    CREATE(TABLE, w.params.table.count = 0, E_ARG, "table");
    CREATE(TABLE, w.params.table = gpuprim_host(GPUPRIM_U8, large, 65537), E_ARG, "table");
    CREATE(TABLE, w.params.table.count = (uint64_t)1 << 40, E_ARG, "table"); // and is not read
    CREATE(TABLE, w.params.table.count = 7, E_ARG, ""); // no power of two, no mask
    CREATE(TABLE, (w.params.table.count = 7, w.params.mask = 6), OK, "");
    CREATE(TABLE, (w.params.table.count = 7, w.params.mask = 7), E_ARG, "mask");
    CREATE(TABLE, w.params.table.rows = 2, E_ARG, "table");
    CREATE(TABLE, w.params.table.type = GPUPRIM_I8, E_TYPE, "table");
    CREATE(TABLE, w.params.table.base = NULL, E_ARG, "table");
    CREATE(TABLE, w.params.shift = 15, OK, "");
    CREATE(TABLE, w.params.shift = 16, E_ARG, "shift");
    CREATE(TABLE, w.params.map = gpuprim_host(GPUPRIM_U32, f->map, T + 1), E_ARG, "map");
    CREATE(TABLE, w.params.nan = GPUPRIM_NAN_REJECTED, E_ARG, "nan");
    CREATE(RULES, (void)0, OK, "");
    CREATE(RULES, w.params.comparisons = NULL, E_ARG, "comparisons");
    CREATE(RULES, w.params.table.count = 4, E_ARG, "table");
    CREATE(RULES, w.params.thresholds.count = 17, E_ARG, "");
    CREATE(RULES, w.params.thresholds.type = GPUPRIM_I32, E_TYPE, "thresholds");
    CREATE(RULES, (w.params.thresholds.count = 1, w.params.thresholds.rows = 3), E_ARG,
           "thresholds");
    f->comparisons[2] = (enum gpuprim_comparison)6;
    CREATE(RULES, (void)0, E_ARG, "comparisons[2]");
    f->comparisons[2] = GPUPRIM_LESS;
}

void classify_bad_cases(struct fixture *f)
{
    const struct gpuprim_case kept = f->cases[2];
    CREATE(CASES, (void)0, OK, "");
    CREATE(CASES, w.params.in = 0, E_TYPE, "");
    CREATE(CASES, w.params.in = GPUPRIM_F16, E_TYPE, "f16");
    CREATE(CASES, w.params.cases = NULL, E_ARG, "cases");
    CREATE(CASES, w.params.n_cases = 65537, E_ARG, "cases");
    CREATE(CASES, (w.params.n_cases = 0, w.params.cases = NULL), OK, "");
    f->cases[2].value = 4; // not within the mask
    CREATE(CASES, (void)0, E_ARG, "cases[2].value");
    f->cases[2] = kept;
    f->cases[2].mask = 0x10003;
    CREATE(CASES, (void)0, E_ARG, "cases[2].mask");
    CREATE(CASES, w.params.in = GPUPRIM_I32, OK, "");
    f->cases[2] = kept;
    f->cases[2].reserved = 1;
    CREATE(CASES, (void)0, E_ARG, "cases[2].reserved");
    f->cases[2] = kept;
}
