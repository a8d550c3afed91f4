/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: the counters of groups of gpu_words (src/classify/counters.c), each form
 * with as few and as many labels as it takes on a device with little local memory, and with
 * data that are spread, sorted, or crowded in one class from the beginning or later.
 * suite.c runs this file. */
#include "case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/classify/arguments.h"
#include "tests/harness/model.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

// A table of 65536 labels does not fit the model's local memory, so that counters have all.
enum { ENTRIES = 65536, LOCAL_WORDS = 4096, HOT = HOT_WORDS, DRIVER_BYTES = 16 };

// Words of local memory that the counters of the 256 values do not fit, but smaller ones
// would.
enum { FEW_WORDS = 252 };

// Words of local memory that tiles of turned labels fit beside them.
enum { TURNED_WORDS = 12000 };

// How many counters a form takes, at most.
enum {
    MOST_WORDS = LOCAL_WORDS - 1,
    FIELDS_WORDS = LOCAL_WORDS - HOT,
    MOST_FIELDS10 = FIELDS_WORDS * 3,
    MOST_FIELDS8 = FIELDS_WORDS * 4,
    MOST_FIELDS5 = FIELDS_WORDS * 6,
    MOST_FIELDS3 = FIELDS_WORDS * 10,
    MOST_FIELDS2 = FIELDS_WORDS * 16,
};

static const struct form {
    const char *name, *text; // of gpuprim_classifier_describe
    uint32_t least, most;    // slots
    bool is_skewed;          // it has counters for what comes up often
    unsigned local_words;    // 0: LOCAL_WORDS
} forms[] = {
    { "words", "of 32 bits for each label", 1, 8, false, 0 },
    { "words", "by 1 counter of 32 bits", MOST_WORDS / 2 + 1, MOST_WORDS, false, 0 },
    { "fields_of_16", "counters of 16 bits", MOST_WORDS + 1, FIELDS_WORDS * 2, true, 0 },
    { "fields_of_10", "counters of 10 bits", FIELDS_WORDS * 2 + 1, MOST_FIELDS10, false, 0 },
    { "fields_of_8", "counters of 8 bits", MOST_FIELDS10 + 1, MOST_FIELDS8, true, 0 },
    { "fields_of_classes", "counters of 8 bits", MOST_FIELDS10 + 2, MOST_FIELDS8, false, 0 },
    { "fields_of_5", "counters of 5 bits", FIELDS_WORDS * 5 + 1, MOST_FIELDS5, true, 0 },
    { "fields_of_3", "counters of 3 bits", FIELDS_WORDS * 8 + 1, MOST_FIELDS3, false, 0 },
    { "fields_of_2_of_classes", "of 2 bits", MOST_FIELDS3 + 2, MOST_FIELDS2, false, 0 },
    { "fields_of_2", "counters of 2 bits", MOST_FIELDS3 + 1, MOST_FIELDS2, true, 0 },
    { "direct", "each element at once", MOST_FIELDS2 + 1, ENTRIES, false, 0 },
    { "values", "of 32 bits for each of the 256 values", 2, ENTRIES, false, 0 },
    { "labelled_values", "of 32 bits for each of the 256 values", 2, 4095, false, 0 },
    { "few_values", "each element at once", 2, 256, false, FEW_WORDS },
    { "far_map", "counters of 16 bits", 17001, 20001, false, 12284 },
    { "byte_intervals", "intervals of one label", 2, MOST_BYTE_INTERVALS + 1, false, 0 },
    { "intervals", "intervals of one label", 2, MOST_INTERVALS, false, 0 },
    { "turned_values", "", 1, 4095, false, TURNED_WORDS },
    { "turned_fields", "", 20000, 30000, false, TURNED_WORDS },
};

enum data { RANDOM, SORTED, SOME, MOST, ALL, LATE, TWO, DATA };
static const char *const data_names[DATA] = {
    "random",    "sorted",          "30 in 100 in one class",   "90 in 100 in one class",
    "one class", "one class later", "two classes with one tag",
};

// A table of labels, and calls that count them. `keys`: thresholds that say the same.
struct counting {
    enum gpuprim_type type;
    uint32_t labels;
    uint32_t *table;
    uint16_t *keys;
    uint64_t entries;
    bool has_labels;
    struct gpuprim_table rule;
    struct gpuprim_thresholds thresholds;
    struct gpuprim_classifier_params params;
};

// Thresholds of u16, each of them twice: half as many classes as labels, of which every second is
// none's.
static struct counting make_classes(uint32_t labels)
{
    labels -= labels % 2 == 0;
    struct counting c = { .type = GPUPRIM_U16, .labels = labels, .entries = ENTRIES };
    const uint32_t step = ENTRIES / (labels / 2 + 1);
    c.table = check_allocate(c.entries * sizeof *c.table);
    c.keys = check_allocate((labels - 1) * sizeof *c.keys);
    for (uint32_t k = 0; k < labels - 1; k++)
        c.keys[k] = (uint16_t)((k / 2 + 1) * step);
    for (uint32_t i = 0; i < c.entries; i++)
        c.table[i] = (i / step < labels / 2 ? i / step : labels / 2) * 2;
    c.thresholds.values = gpuprim_host(GPUPRIM_U16, c.keys, labels - 1);
    c.params.in = c.type;
    return c;
}

// Bytes by a table of so many intervals, some of which have one label.
static struct counting make_byte_intervals(struct check *check, uint32_t intervals)
{
    enum { LABELS = 3 };
    struct counting c = { .type = check_once_in(check, 2) ? GPUPRIM_U8 : GPUPRIM_I8,
                          .labels = LABELS,
                          .entries = 256,
                          .has_labels = check_once_in(check, 3) };
    c.table = check_allocate(c.entries * sizeof *c.table);
    uint32_t v = 0, label = (uint32_t)check_below(check, LABELS);
    for (uint32_t i = 1; i <= intervals; i++) {
        const uint32_t left = 256 - v, rest = intervals - i;
        const uint32_t end = rest ? v + 1 + (uint32_t)check_below(check, left - rest) : 256;
        for (; v < end; v++)
            c.table[v] = i == intervals ? LABELS - 1 : label;
        const uint32_t next = (label + 1 + (uint32_t)check_below(check, 2)) % LABELS;
        label = rest == 1 && next == LABELS - 1 ? GPUPRIM_REJECT : next;
    }
    c.rule.labels = gpuprim_host(GPUPRIM_U32, c.table, c.entries);
    c.rule.mask = c.entries - 1;
    c.params.in = c.type;
    return c;
}

// 16 bits by thresholds, of which one is the lowest or the highest value now and then.
static struct counting make_intervals(struct check *check, uint32_t intervals)
{
    struct counting c = { .type = check_once_in(check, 2) ? GPUPRIM_U16 : GPUPRIM_I16,
                          .labels = intervals,
                          .entries = ENTRIES,
                          .has_labels = check_once_in(check, 3) };
    const uint32_t lowest = c.type == GPUPRIM_I16 ? ENTRIES / 2 : 0;
    c.table = check_allocate(c.entries * sizeof *c.table);
    c.keys = check_allocate(intervals * sizeof *c.keys);
    uint32_t v = 0;
    for (uint32_t k = 0; k + 1 < intervals; k++) { // from the lowest value on
        v +=
            check_once_in(check, 4) ? k > 0 : (uint32_t)check_below(check, ENTRIES / intervals);
        c.keys[k] = (uint16_t)(v + lowest);
    }
    for (uint32_t i = 0; i < ENTRIES; i++) {
        uint32_t label = 0;
        while (label + 1 < intervals && (uint16_t)(c.keys[label] - lowest) <= i)
            label++;
        c.table[(uint16_t)(i + lowest)] = label;
    }
    c.thresholds.values = gpuprim_host(c.type, c.keys, intervals - 1);
    c.params.in = c.type;
    return c;
}

// Labels 0 ... slots - 1, of which the last means none if the rule rejects.
static struct counting make_counting(struct check *check, const struct form *form)
{
    static const enum gpuprim_type types[] = { GPUPRIM_U16, GPUPRIM_I32, GPUPRIM_U32,
                                               GPUPRIM_U64 };
    const bool of_values = strstr(form->name, "values"), rejects = check_once_in(check, 2);
    struct counting c = { .type = types[check_below(check, COUNT(types))],
                          .entries = of_values ? 256 : ENTRIES,
                          .has_labels = check_once_in(check, 3) };
    if (of_values)
        c.type = check_once_in(check, 2) ? GPUPRIM_U8 : GPUPRIM_I8;
    const uint32_t slots = check_once_in(check, 2) ? form->least : form->most;
    if (strstr(form->name, "classes"))
        return make_classes(slots);
    if (strstr(form->name, "far_map")) { // local memory has room for RANK, not for the map
        c = make_classes(slots);
        c.has_labels = true;
        return c;
    }
    if (strstr(form->name, "byte_intervals"))
        return make_byte_intervals(check, slots);
    if (strstr(form->name, "intervals"))
        return make_intervals(check, slots);
    c.labels = slots > 1 && rejects ? slots - 1 : slots;
    c.table = check_allocate(c.entries * sizeof *c.table);
    for (uint64_t i = 0; i < c.entries; i++) {
        const uint32_t slot = (uint32_t)(of_values ? i * 7919 % slots : i % slots);
        c.table[i] = slot < c.labels ? slot : GPUPRIM_REJECT;
    }
    c.table[c.entries - 1] = c.labels - 1; // the largest is there
    c.rule.labels = gpuprim_host(GPUPRIM_U32, c.table, c.entries);
    c.rule.mask = c.entries - 1;
    c.params.in = c.type;
    return c;
}

struct sizes {
    uint64_t rows, count, gap; // gap: from a row to the next
    bool per_row, accumulates, wide, is_turned;
};

static uint64_t place_of(const struct sizes *s, uint64_t i)
{
    return i + i / s->count * s->gap;
}

static bool in_100(uint64_t random, unsigned chances)
{
    return random >> 40 < chances * ((UINT64_C(1) << 24) / 100);
}

// LATE: the first tiles of each group are among the first elements of a row.
static void fill(struct check *check, const struct counting *c, enum data data,
                 const struct sizes *s, unsigned char *to)
{
    const size_t size = gp_type_size(c->type);
    const uint64_t n = s->rows * s->count,
                   one = check_below(check, c->labels > HOT_SLOTS ? c->labels - HOT_SLOTS : 1);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t any = check_random(check);
        uint64_t x = any;
        if (data == SORTED)
            x = i * c->entries / n;
        else if (data == TWO)
            x = one + (any % 2 && c->labels > HOT_SLOTS ? HOT_SLOTS : 0);
        else if (data == ALL || (data == SOME && in_100(any, 30)) ||
                 (data == MOST && in_100(any, 90)) ||
                 (data == LATE && i % s->count >= s->count / 32))
            x = one;
        memcpy(to + place_of(s, i) * size, &x, size);
    }
}

// Labels and counts against the table.
static void judge(struct check *check, const struct counting *c, const struct sizes *s,
                  const unsigned char *x, const uint32_t *labels, const void *counts,
                  uint64_t before, const char *text)
{
    const size_t size = gp_type_size(c->type);
    const uint64_t sets = s->per_row ? s->rows : 1, n = s->rows * s->count;
    uint64_t *expected = check_allocate(sets * c->labels * sizeof *expected);
    memset(expected, 0, sets * c->labels * sizeof *expected);
    bool good = true;
    for (uint64_t i = 0; good && i < n; i++) {
        uint64_t bits = 0;
        memcpy(&bits, x + place_of(s, i) * size, size);
        const uint32_t label = c->table[bits & (c->entries - 1)];
        if (label < c->labels)
            expected[(s->per_row ? i / s->count : 0) * c->labels + label]++;
        const uint64_t at = s->is_turned ? i % s->count * s->rows + i / s->count : i;
        if (c->has_labels)
            good = CHECK(check, labels[at] == label, "%s: element %llu has label %u, not %u",
                         text, (unsigned long long)i, labels[at], label);
    }
    for (uint64_t l = 0; good && l < sets * c->labels; l++) {
        const uint64_t all = expected[l] + (s->accumulates ? before : 0);
        const uint64_t wanted = s->wide ? all : (uint32_t)all;
        const uint64_t got =
            s->wide ? ((const uint64_t *)counts)[l] : ((const uint32_t *)counts)[l];
        good =
            CHECK(check, got == wanted, "%s: count %llu is %llu, not %llu", text,
                  (unsigned long long)l, (unsigned long long)got, (unsigned long long)wanted);
    }
    free(expected);
}

static void count_once(struct check *check, gpuprim *gp, struct counting *c,
                       const struct form *form, enum data data, const struct sizes *s)
{
    char words[1024] = "", text[256];
    const uint64_t n = s->rows * s->count, sets = s->per_row ? s->rows : 1;
    const uint64_t before = UINT32_MAX - 3; // accumulated, u32 wraps and u64 carries
    unsigned char *x = check_allocate((n + s->rows * s->gap) * gp_type_size(c->type));
    uint32_t *labels = check_allocate(n * sizeof *labels);
    uint64_t *counts = check_allocate(sets * c->labels * sizeof *counts);
    for (uint64_t l = 0; l < sets * c->labels; l++)
        if (s->wide)
            counts[l] = before;
        else
            ((uint32_t *)counts)[l] = (uint32_t)before;
    fill(check, c, data, s, x);
    struct gpuprim_array in = gpuprim_as_rows(gpuprim_host(c->type, x, 0), s->rows, s->count);
    in.row_stride = (int64_t)(s->count + s->gap);
    const struct gpuprim_array packed = gpuprim_host(GPUPRIM_U32, labels, 0);
    const struct gpuprim_array out = s->is_turned
                                         ? gpuprim_as_columns(packed, s->count, s->rows)
                                         : gpuprim_as_rows(packed, s->rows, s->count);
    const struct gpuprim_array counted = gpuprim_as_rows(
        gpuprim_host(s->wide ? GPUPRIM_U64 : GPUPRIM_U32, counts, 0), sets, c->labels);
    snprintf(text, sizeof text, "%s, %u labels of %s%s, %s, %llu rows of %llu%s%s%s",
             form->name, c->labels, gp_type_name(c->type), c->has_labels ? " written" : "",
             data_names[data], (unsigned long long)s->rows, (unsigned long long)s->count,
             s->per_row ? ", counts per row" : "", s->accumulates ? ", accumulated" : "",
             s->wide ? ", u64" : "");
    check->cases++;
    gpuprim_classifier *classifier = NULL;
    c->params.table = c->keys ? NULL : &c->rule;
    c->params.thresholds = c->keys ? &c->thresholds : NULL;
    c->params.accumulate = s->accumulates;
    int status = gpuprim_classifier_create(gp, &c->params, &classifier);
    if (!status) {
        gpuprim_classifier_describe(classifier, words, sizeof words);
        CHECK(check, strstr(words, form->text), "%s: no '%s' in: %s", text, form->text, words);
        status =
            gpuprim_classify(gp, classifier, &in, c->has_labels ? &out : NULL, &counted, NULL);
    }
    if (CHECK(check, status == GPUPRIM_OK, "%s: %s", text, gpuprim_last_error()))
        judge(check, c, s, x, labels, counts, before, text);
    gpuprim_classifier_destroy(&classifier);
    free(x), free(labels), free(counts);
}

// As many elements for each group as a counter of 16 bits holds, and more: gpu_words has up to
// 2048 items for a compute unit. Labels are a part of counters from LABELLED elements on
// (src/classify/counters.c).
static void count_forms(struct check *check, gpuprim *gp, const struct form *form)
{
    enum { GROUPS = 2048 / 64, ELEMENTS = 72000, LABELLED = 1 << 22 };
    const bool is_turned = strstr(form->name, "turned"),
               is_labelled = is_turned || strstr(form->name, "labelled");
    struct counting c = make_counting(check, form);
    c.has_labels |= is_labelled;
    for (unsigned data = 0; data < DATA; data += is_labelled ? 2 : 1) {
        struct sizes s = { .rows = is_turned                 ? 23
                                   : check_once_in(check, 2) ? 1
                                                             : 3,
                           .is_turned = is_turned,
                           .per_row = !is_turned && check_once_in(check, 2),
                           .accumulates = check_once_in(check, 2),
                           .wide = check_once_in(check, 2) };
        const uint64_t all = is_labelled ? LABELLED : GROUPS * ELEMENTS;
        s.count = gp_ceil_div(all, s.rows) + check_below(check, 1000);
        count_once(check, gp, &c, form, (enum data)data, &s);
    }
    const struct sizes gaps = { .rows = 1400, .count = 301, .gap = 1 }; // words are parted
    if (strstr(form->name, "fields") && !is_turned)
        count_once(check, gp, &c, form, RANDOM, &gaps);
    const struct sizes few = { .rows = 1, .count = 500 }; // of many slots: counted at once
    if (!is_turned)
        count_once(check, gp, &c, form, SOME, &few);
    free(c.table), free(c.keys);
}

// Three tiles for each group, so that counters are looked at. Quick: one kind of data, because a
// simulator takes 15 s for it.
static void count_tiny(struct check *check, gpuprim *gp, const struct form *form)
{
    struct counting c = make_counting(check, form);
    c.type = gp_type_size(c.type) == 1 ? c.type : GPUPRIM_U64;
    c.params.in = c.type;
    for (unsigned data = MOST; data <= (check->quick ? MOST : ALL); data++) {
        const struct sizes s = { .rows = 1, .count = 2048 * 2 * WORD_ELEMENTS(8) * 3 + 777 };
        count_once(check, gp, &c, form, (enum data)data, &s);
    }
    free(c.table);
}

static void run_form(struct check *check, const struct form *form,
                     void (*run)(struct check *check, gpuprim *gp, const struct form *form))
{
    struct device_model model = model_gpu;
    model.units = 1;
    model.local_is_less = true;
    if (strstr(form->name, "fields_of_2")) // more fields become full in a tile than can wait
        model.work_group = 1024;
    const unsigned local_words = form->local_words ? form->local_words : LOCAL_WORDS;
    model.local_bytes = local_words * sizeof(cl_uint) + DRIVER_BYTES;
    gpuprim *gp = check_context_on(
        check, &model,
        strstr(form->name, "turned") ? "classify:gpu_tiles" : "classify:gpu_words", 0);
    if (gp)
        run(check, gp, form);
    gpuprim_destroy(&gp);
    check_end(check);
}

void classify_counters_run(struct check *check)
{
    for (unsigned f = 0; f < COUNT(forms); f++) {
        if (check_begin(check, "classify/counters/%s_to_%u", forms[f].name, forms[f].most))
            run_form(check, &forms[f], count_forms);
        if (forms[f].is_skewed &&
            check_begin(check, "classify/tiny/counters_%s", forms[f].name))
            run_form(check, &forms[f], count_tiny);
    }
}
