/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of classify for `check --sources` (harness/sources.h): for each variant and type
 * keys that lie in every way, tables, chains, hash tables and bit vectors, with labels, counts
 * and both, and tables of so many labels that counters of 32 or of 16 bits do not fit local
 * memory; short rows, with keys of their own, dense, with gaps, and interleaved, with cells and
 * places of values, too; few even keys, counted alone; long rows with keys of their own, with cells,
 * or ranks and places. */
#include "case.h"

// Methods of rows: with keys of their own, dense, with gaps; interleaved, few with keys of their own,
// many with counts of their own; and not interleaved, with counts of their own.
enum {
    OF_ROWS = 11,
    INTERLEAVED = 14,
    FEW = 17, // even keys, of which intervals are counted (kernels/classify/intervals.cl)
    FEW_KEYS = 6,
    LONG = 18,
    METHODS = 19,
    TABLES = 2,
    ROWS = 3,
    MANY = 70,
    COUNT = 2,
    COUNT_OF_BYTES = 1024, // interleaved: from so many elements on values have places
    COUNT_OF_LONG = 1 << 24,
    LOCAL_OF_LONG = 49152 // not all keys have room
};

static void rule(struct check *check, enum gpuprim_type type, unsigned method,
                 struct gpuprim_classifier_params *params)
{
    static const struct {
        uint64_t keys;
        enum classify_spread spread;
    } searches[] = { { 3, SPREAD_RANDOM }, { 100, SPREAD_EVEN },    { 100, SPREAD_NEARLY },
                     { 100, SPREAD_LOG },  { 1000, SPREAD_RANDOM }, { 100, SPREAD_CLUSTER } };
    static const uint64_t own_keys[] = { 200, 3, 200, 20 }, counted[] = { 3, 7, 20 };
    if (method < 6)
        classify_thresholds(check, type, searches[method].keys, 1, searches[method].spread,
                            params);
    else if (method == FEW)
        classify_thresholds(check, type, FEW_KEYS, 1, SPREAD_EVEN, params);
    else if (method == LONG) // of 16 bits some equal, of 4 and 8 bytes more than have room
        classify_thresholds(check, type, gp_type_size(type) <= 2 ? 200 : 20000, ROWS,
                            gp_type_size(type) == 2 ? SPREAD_FEW : SPREAD_EVEN, params);
    else if (method == 10)
        classify_cases(check, type, 40, UINT64_MAX, params);
    else if (method ==
             INTERLEAVED) // of some types so many that there are cells, or so few that items
                          // hold them
        classify_thresholds(check, type, own_keys[type % 4], ROWS,
                            type % 4 ? SPREAD_RANDOM : SPREAD_EVEN, params);
    else if (method == INTERLEAVED + 1) // of some types so few that items count them in fields
        classify_thresholds(check, type, counted[type % 3], 1, SPREAD_RANDOM, params);
    else if (method >= OF_ROWS)
        classify_thresholds(check, type, 20, method == OF_ROWS ? ROWS : 1, SPREAD_RANDOM,
                            params);
    else if (method > 7)
        classify_switch(check, type, method == 8 ? 20 : 1000, params);
    else
        classify_cases(check, type, method == 6 ? 14 : 3, method == 6 ? 0x1f : UINT64_MAX,
                       params);
}

// Labels are 1.5 or 6.5 times the words of local memory, which has room for two thirds, or two
// thirteenths, of their counters.
static void large_labels(const gpuprim *gp, unsigned table,
                         struct gpuprim_classifier_params *params)
{
    static uint32_t labels[2];
    static struct gpuprim_table rule;
    labels[1] = (uint32_t)(gp->caps.local_bytes / 4 * (table ? 13 : 3) / 2);
    rule = (struct gpuprim_table){ .labels = gpuprim_host(GPUPRIM_U32, labels, 2), .mask = 1 };
    *params = (struct gpuprim_classifier_params){ .table = &rule, .in = params->in };
}

static int call(struct check *check, gpuprim *gp, const char *variant, unsigned i,
                enum gpuprim_type *type)
{
    static const enum gpuprim_type labels[] = { GPUPRIM_U16, GPUPRIM_U32, GPUPRIM_U16 };
    struct gpuprim_classifier_params params = { .in = GPUPRIM_TYPE_INVALID };
    gpuprim_classifier *classifier = NULL;
    const unsigned method = i / CLASSIFY_TYPES;
    const bool is_large = method >= METHODS,
               is_of_rows = method >= OF_ROWS && method != FEW && !is_large;
    // Labels, counts, both.
    const unsigned outputs = method == FEW ? 1 : (i + i / CLASSIFY_TYPES) % 3;
    (void)variant;
    *type = classify_types[i % CLASSIFY_TYPES];
    const int64_t gap = method == OF_ROWS + 2;
    const bool is_interleaved = method == INTERLEAVED || method == INTERLEAVED + 1;
    const uint64_t rows = method == INTERLEAVED + 1 ? MANY : ROWS;
    const bool takes_floats = method < 6 || (method >= OF_ROWS && !is_large);
    if (!takes_floats && i % CLASSIFY_TYPES >= CLASSIFY_INTEGERS)
        *type = GPUPRIM_U32;
    params.in = *type;
    gp->as_if_large = method == INTERLEAVED; // else rows are too short for cells
    const cl_ulong local_bytes = gp->caps.local_bytes;
    if (method == LONG)
        gp->caps.local_bytes = LOCAL_OF_LONG;
    if (is_large)
        large_labels(gp, method - METHODS, &params);
    else
        rule(check, *type, method, &params);
    sources_name("%u.%s", method, gp_type_name(*type));
    int status = gpuprim_classifier_create(gp, &params, &classifier);
    if (!status) {
        uint64_t none[1] = { 0 }; // no element is touched
        const enum gpuprim_type label_type = is_large ? GPUPRIM_U32 : labels[i % 3];
        struct gpuprim_array in = gpuprim_host(*type, none, 1);
        struct gpuprim_array label = gpuprim_host(label_type, none, 1);
        if (is_of_rows) {
            const uint64_t count = method == LONG ? COUNT_OF_LONG
                                   : method == INTERLEAVED && gp_type_size(*type) == 1
                                       ? COUNT_OF_BYTES
                                       : COUNT;
            in = gpuprim_as_rows(gpuprim_host(*type, none, rows * count), rows, count);
            label = gpuprim_as_rows(gpuprim_host(label_type, none, rows * count), rows, count);
            label.row_stride = (int64_t)count + gap;
            if (is_interleaved) {
                in.stride = label.stride = (int64_t)rows;
                in.row_stride = label.row_stride = 1;
            }
            in.memory = label.memory = GPUPRIM_BUFFER; // in pieces words do not pass on
        }
        const uint64_t counts = gpuprim_classifier_labels(classifier);
        struct gpuprim_array counted = gpuprim_host(GPUPRIM_U32, none, counts);
        if (is_of_rows && method >= INTERLEAVED && method != LONG) {
            counted =
                gpuprim_as_rows(gpuprim_host(GPUPRIM_U32, none, rows * counts), rows, counts);
            counted.memory = GPUPRIM_BUFFER;
        }
        status = gpuprim_classify_prepare(gp, classifier, &in, outputs == 1 ? NULL : &label,
                                          outputs == 0 ? NULL : &counted);
    }
    gp->caps.local_bytes = local_bytes;
    gpuprim_classifier_destroy(&classifier);
    if (!is_large)
        classify_free(&params);
    return status;
}

const struct check_sources classify_sources = { (METHODS + TABLES) * CLASSIFY_TYPES, call };
