/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: what gpuprim_classifier_create refuses. Each rule is first right, then has
 * one thing wrong. */
#include "errors.h"

#include <math.h>

void classify_bad_thresholds(struct fixture *f)
{
    CREATE(THRESHOLDS, (void)0, OK, "");
    CREATE(THRESHOLDS, w.no_params = true, E_ARG, "params");
    CREATE(THRESHOLDS, w.params.thresholds = NULL, E_ARG, "no rule is given");
    CREATE(THRESHOLDS, w.params.table = &w.table, E_ARG, "thresholds and table");
    CREATE(UNIFORM, w.params.rules = &w.rules, E_ARG, "uniform and rules");
    CREATE(CASES, w.params.rules = &w.rules, E_ARG, "cases and rules");
    CREATE(THRESHOLDS, w.params.reserved[2] = 1, E_ARG, "reserved");
    CREATE(THRESHOLDS, w.thresholds.reserved[0] = 1, E_ARG, "thresholds: reserved");
    CREATE(UNIFORM, w.uniform.reserved[1] = 1, E_ARG, "uniform: reserved");
    CREATE(TABLE, w.table.reserved[3] = 1, E_ARG, "table: reserved");
    CREATE(CASES, w.cases.reserved[2] = 1, E_ARG, "cases: reserved");
    CREATE(RULES, w.rules.reserved[0] = 1, E_ARG, "rules: reserved");
    CREATE(THRESHOLDS, w.thresholds.values.base = NULL, E_ARG, "values");
    CREATE(THRESHOLDS, w.thresholds.values.reserved[0] = 1, E_ARG, "values");
    CREATE(THRESHOLDS, w.thresholds.values.count = 65536, E_ARG, "values");
    CREATE(THRESHOLDS, w.thresholds.values.type = GPUPRIM_F64, E_TYPE, "values");
    CREATE(THRESHOLDS, (w.params.in = 0, w.thresholds.values.type = GPUPRIM_C32), E_TYPE,
           "c32");
    CREATE(THRESHOLDS, w.params.in = (enum gpuprim_type)13, E_TYPE, "");
    CREATE(THRESHOLDS, w.thresholds.closed = (enum gpuprim_closed)2, E_ARG, "closed");
    CREATE(THRESHOLDS, w.params.nan = (enum gpuprim_nan_class)3, E_ARG, "nan");
    CREATE(THRESHOLDS, (w.params.nan = GPUPRIM_NAN_CLASS, w.params.nan_class = T), OK, "");
    CREATE(THRESHOLDS, (w.params.nan = GPUPRIM_NAN_CLASS, w.params.nan_class = T + 1), E_ARG,
           "nan_class");
    CREATE(THRESHOLDS, w.params.accumulate = 2, E_ARG, "accumulate");
    CREATE(THRESHOLDS, w.params.map = gpuprim_host(GPUPRIM_U32, f->map, T + 1), OK, "");
    CREATE(THRESHOLDS, w.params.map = gpuprim_host(GPUPRIM_U32, f->map, T), E_ARG, "map");
    CREATE(THRESHOLDS, w.params.map = gpuprim_host(GPUPRIM_I32, f->map, T + 1), E_TYPE, "map");
    CREATE(THRESHOLDS, w.params.map = gpuprim_host(GPUPRIM_U32, NULL, T + 1), E_ARG, "map");
}

// The message names the first value that is wrong.
void classify_bad_order(struct fixture *f)
{
    const float kept = f->t[3];
    f->t[3] = 3; // 0 2 4 3 8
    CREATE(THRESHOLDS, (void)0, E_ARG, "value 3 of row 0 (3) is less than value 2 (4)");
    f->t[3] = NAN;
    CREATE(THRESHOLDS, (void)0, E_ARG, "value 3");
    CREATE(THRESHOLDS, w.thresholds.values.count = 3, OK, "");
    CREATE(RULES, (w.rules.values.first = 1, w.rules.values.count = 3), E_ARG, "value 2");
    f->t[3] = kept;
    CREATE(THRESHOLDS, (w.thresholds.values.stride = -1, w.thresholds.values.first = T - 1),
           E_ARG, "value 1");
    CREATE(UNIFORM, (w.uniform.low = 1e6, w.uniform.high = 1e6 + 1, w.uniform.bins = 64), E_ARG,
           "edges 0 and 1");
}

void classify_bad_uniform(struct fixture *f)
{
    CREATE(UNIFORM, (void)0, OK, "");
    CREATE(UNIFORM, w.params.in = 0, E_TYPE, "");
    CREATE(UNIFORM, w.params.in = GPUPRIM_C32, E_TYPE, "c32");
    CREATE(UNIFORM, w.uniform.low = w.uniform.high, E_ARG, "low must be less than high");
    CREATE(UNIFORM, w.uniform.low = 9, E_ARG, "low must be less than high");
    CREATE(UNIFORM, w.uniform.low = NAN, E_ARG, "low must be less than high");
    CREATE(UNIFORM, w.uniform.low = -INFINITY, E_ARG, "low must be less than high");
    CREATE(UNIFORM, w.uniform.high = INFINITY, E_ARG, "low must be less than high");
    CREATE(UNIFORM, w.uniform.bins = 0, E_ARG, "bins");
    CREATE(UNIFORM, w.uniform.bins = 65536, E_ARG, "bins");
    CREATE(UNIFORM, w.uniform.outside = (enum gpuprim_outside)3, E_ARG, "outside");
    CREATE(UNIFORM, w.uniform.top_inclusive = 2, E_ARG, "top_inclusive");
    CREATE(UNIFORM, (w.params.nan = GPUPRIM_NAN_CLASS, w.params.nan_class = T), OK, "");
    CREATE(UNIFORM, (w.params.nan = GPUPRIM_NAN_CLASS, w.params.nan_class = T + 1), E_ARG,
           "nan_class");
    CREATE(UNIFORM, w.params.map = gpuprim_host(GPUPRIM_U32, f->map, T), E_ARG, "map");
    CREATE(UNIFORM, (w.params.in = GPUPRIM_U8, w.uniform.high = 5), E_ARG, ""); // 6 bins
}

void classify_bad_tables(struct fixture *f)
{
    static const uint8_t large[65537];
    CREATE(TABLE, (void)0, OK, "");
    CREATE(TABLE, w.params.in = 0, E_TYPE, "");
    CREATE(TABLE, w.params.in = GPUPRIM_F32, E_TYPE, "f32");
    CREATE(TABLE, w.table.labels.count = 0, E_ARG, "labels");
    CREATE(TABLE, w.table.labels = gpuprim_host(GPUPRIM_U8, large, 65537), E_ARG, "labels");
    CREATE(TABLE, w.table.labels.count = (uint64_t)1 << 40, E_ARG, "labels"); // and is not read
    CREATE(TABLE, w.table.labels.count = 7, E_ARG, ""); // no power of two, no mask
    CREATE(TABLE, (w.table.labels.count = 7, w.table.mask = 6), OK, "");
    CREATE(TABLE, (w.table.labels.count = 7, w.table.mask = 7), E_ARG, "mask");
    CREATE(TABLE, w.table.labels.rows = 2, E_ARG, "labels");
    CREATE(TABLE, w.table.labels.type = GPUPRIM_I8, E_TYPE, "labels");
    CREATE(TABLE, w.table.labels.base = NULL, E_ARG, "labels");
    CREATE(TABLE, w.table.shift = 15, OK, "");
    CREATE(TABLE, w.table.shift = 16, E_ARG, "shift");
    CREATE(TABLE, w.params.map = gpuprim_host(GPUPRIM_U32, f->map, T + 1), E_ARG, "map");
    CREATE(TABLE, w.params.nan = GPUPRIM_NAN_REJECTED, E_ARG, "nan");
    CREATE(RULES, (void)0, OK, "");
    CREATE(RULES, w.rules.comparisons = NULL, E_ARG, "comparisons");
    CREATE(RULES, w.rules.labels.count = 4, E_ARG, "labels");
    CREATE(RULES, w.rules.values.count = 17, E_ARG, "");
    CREATE(RULES, w.rules.values.type = GPUPRIM_I32, E_TYPE, "values");
    CREATE(RULES, (w.rules.values.count = 1, w.rules.values.rows = 3), E_ARG, "values");
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
    CREATE(CASES, w.cases.list = NULL, E_ARG, "list");
    CREATE(CASES, w.cases.count = 65537, E_ARG, "cases");
    CREATE(CASES, (w.cases.count = 0, w.cases.list = NULL), OK, "");
    f->cases[2].value = 4; // not within the mask
    CREATE(CASES, (void)0, E_ARG, "list[2].value");
    f->cases[2] = kept;
    f->cases[2].mask = 0x10003;
    CREATE(CASES, (void)0, E_ARG, "list[2].mask");
    CREATE(CASES, w.params.in = GPUPRIM_I32, OK, "");
    f->cases[2] = kept;
}
