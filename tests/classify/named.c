/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: chains of if and else, as programs have them, against the same as CASES;
 * the end of the text of gpuprim_classifier_describe; and the number of labels.
 * suite.c runs this file. */
#include "case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/classify/classify.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

void classify_expect(struct check *check, gpuprim *gp,
                     const struct gpuprim_classifier_params *params,
                     const struct gpuprim_array *in, const uint32_t *expected)
{
    const uint64_t n = in->count, most = classify_reference_labels(params);
    uint32_t *got = check_allocate(n * sizeof *got),
             *reference = check_allocate(n * sizeof *got);
    uint64_t *counts = check_allocate((most + 1) * sizeof *counts);
    gpuprim_classifier *classifier = NULL;
    check->cases++;
    int status = gpuprim_classifier_create(gp, params, &classifier);
    const uint64_t room = gpuprim_classifier_labels(classifier);
    const struct gpuprim_array labels = gpuprim_host(GPUPRIM_U32, got, n);
    const struct gpuprim_array counted = gpuprim_host(GPUPRIM_U64, counts, room);
    if (!status && CHECK(check, room <= most, "%llu labels", (unsigned long long)room))
        status = gpuprim_classify(gp, classifier, in, &labels, &counted, NULL);
    gpuprim_classifier_destroy(&classifier);
    if (status == GPUPRIM_E_UNSUPPORTED && check_may_refuse(gp))
        check->not_taken++;
    else if (CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error())) {
        for (uint64_t i = 0; i < n; i++) {
            CHECK(check, got[i] == expected[i], "element %llu: label %lx, not %lx",
                  (unsigned long long)i, (unsigned long)got[i], (unsigned long)expected[i]);
            if (expected[i] < room)
                counts[expected[i]]--;
        }
        for (uint64_t l = 0; l < room; l++)
            CHECK(check, counts[l] == 0, "label %llu is counted %lld times too often",
                  (unsigned long long)l, (long long)counts[l]);
    }
    CHECK(check,
          classify_reference(params, in, reference) &&
              memcmp(reference, expected, n * sizeof *expected) == 0,
          "the reference differs");
    free(got), free(reference), free(counts);
}

// ---------------------------------------------------------------------------------------
// CASES

// The mode of a block of BC6H: two bits decide, or five.
static uint32_t bc6h_mode(uint32_t x)
{
    const uint32_t two = x & 3, five = x & 0x1f;
    if (two == 0)
        return 0;
    else if (two == 1)
        return 1;
    else if (five == 0x02)
        return 2;
    else if (five == 0x06)
        return 3;
    else if (five == 0x0a)
        return 4;
    else if (five == 0x0e)
        return 5;
    else if (five == 0x12)
        return 6;
    else if (five == 0x16)
        return 7;
    else if (five == 0x1a)
        return 8;
    else if (five == 0x1e)
        return 9;
    else if (five == 0x03)
        return 10;
    else if (five == 0x07)
        return 11;
    else if (five == 0x0b)
        return 12;
    else if (five == 0x0f)
        return 13;
    return 14; // reserved
}

static void bc6h(struct check *check, gpuprim *gp)
{
    enum { N = 32 * 40 };
    static const uint32_t codes[] = { 0x02, 0x06, 0x0a, 0x0e, 0x12, 0x16,
                                      0x1a, 0x1e, 0x03, 0x07, 0x0b, 0x0f };
    struct gpuprim_case cases[14] = { { .mask = 3, .value = 0, .label = 0 },
                                      { .mask = 3, .value = 1, .label = 1 } };
    for (uint32_t k = 0; k < COUNT(codes); k++)
        cases[2 + k] = (struct gpuprim_case){ .mask = 0x1f, .value = codes[k], .label = 2 + k };
    const struct gpuprim_cases rule = { .list = cases, .count = 14, .otherwise = 14 };
    const struct gpuprim_classifier_params params = { .cases = &rule, .in = GPUPRIM_U32 };
    uint32_t x[N], expected[N];
    for (uint32_t i = 0; i < N; i++) {
        x[i] = (uint32_t)check_random(check) << 5 | (i & 0x1f);
        expected[i] = bc6h_mode(x[i]);
    }
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_U32, x, N);
    classify_expect(check, gp, &params, &in, expected);
}

static uint32_t scattered(uint16_t x)
{
    if ((x & 0x8001) == 0x8001)
        return 7;
    else if ((x & 0x0110) == 0x0010)
        return 3;
    else if (x == 0x1334)
        return 200;
    else if ((x & 0x0010) == 0x0010)
        return 3;
    else if ((x & 0x8011) == 0x8011) // never: the first or the one above takes it
        return 9;
    else if ((x & 0x4002) == 0)
        return GPUPRIM_REJECT;
    return 0;
}

static const struct gpuprim_case scattered_cases[] = {
    { .mask = 0x8001, .value = 0x8001, .label = 7 },
    { .mask = 0x0110, .value = 0x0010, .label = 3 },
    { .mask = 0xffff, .value = 0x1334, .label = 200 },
    { .mask = 0x0010, .value = 0x0010, .label = 3 },
    { .mask = 0x8011, .value = 0x8011, .label = 9 },
    { .mask = 0x4002, .value = 0, .label = GPUPRIM_REJECT },
};

// All values of 16 bits, also as i16.
static void all_u16(struct check *check, gpuprim *gp)
{
    enum { N = 65536 };
    uint16_t *x = check_allocate(sizeof *x * N);
    uint32_t *expected = check_allocate(sizeof *expected * N);
    for (uint32_t i = 0; i < N; i++) {
        x[i] = (uint16_t)i;
        expected[i] = scattered(x[i]);
    }
    for (int type = GPUPRIM_I16; type <= GPUPRIM_U16; type++) {
        const struct gpuprim_cases rule = { .list = scattered_cases,
                                            .count = COUNT(scattered_cases) };
        const struct gpuprim_classifier_params params = { .cases = &rule,
                                                          .in = (enum gpuprim_type)type };
        const struct gpuprim_array in = gpuprim_host((enum gpuprim_type)type, x, N);
        classify_expect(check, gp, &params, &in, expected);
    }
    free(x), free(expected);
}

// Cases that look at more bits than a table has room for.
static const struct gpuprim_case wide_cases[] = {
    { .mask = 0xffffffff00000000, .value = 0x00c0ffee00000000, .label = 1 },
    { .mask = 0x00000000ffffffff, .value = 0x0badf00d, .label = 2 },
    { .mask = 0x8000000000000001, .value = 0x8000000000000000, .label = 70000 },
    { .mask = 0, .value = 0, .label = 4 }, // always
    { .mask = 1, .value = 1, .label = 5 }, // never
};

static void wide_masks(struct check *check, gpuprim *gp)
{
    enum { N = 4099 };
    const struct gpuprim_cases rule = { .list = wide_cases, .count = COUNT(wide_cases) };
    const struct gpuprim_classifier_params params = { .cases = &rule, .in = GPUPRIM_U64 };
    static uint64_t x[N];
    static uint32_t expected[N];
    for (int i = 0; i < N; i++) {
        const uint64_t bits = check_random(check);
        x[i] = check_once_in(check, 3)   ? 0x00c0ffee00000000 | (uint32_t)bits
               : check_once_in(check, 3) ? (bits & 0xffffffff00000000) | 0x0badf00d
                                         : bits;
        if (x[i] >> 32 == 0xc0ffee)
            expected[i] = 1;
        else if ((uint32_t)x[i] == 0x0badf00d)
            expected[i] = 2;
        else
            expected[i] = x[i] >> 63 && x[i] % 2 == 0 ? 70000 : 4;
    }
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_U64, x, N);
    classify_expect(check, gp, &params, &in, expected);
}

// ---------------------------------------------------------------------------------------
// Texts and labels

// Checks what the text says of cases. Case `dead` can never decide; if it is beyond the cases,
// all can.
static void shadowed_in(struct check *check, gpuprim *gp, enum gpuprim_type type,
                        const struct gpuprim_case *cases, uint32_t n, uint32_t dead)
{
    const struct gpuprim_cases rule = { .list = cases, .count = n };
    const struct gpuprim_classifier_params params = { .cases = &rule, .in = type };
    char text[2048] = "", part[8] = "xxxxxxx", last[16];
    gpuprim_classifier *c = NULL;
    check->cases++;
    const int status = gpuprim_classifier_create(gp, &params, &c);
    if (status == GPUPRIM_E_UNSUPPORTED && check_may_refuse(gp)) {
        check->not_taken++;
        return;
    }
    if (!CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error()))
        return;
    const size_t length = gpuprim_classifier_describe(c, text, sizeof text);
    CHECK(check, length == strlen(text) && length > 40, "%zu bytes: %s", length, text);
    snprintf(last, sizeof last, ": %u", (unsigned)dead);
    const char *warning = strstr(text, "can never decide");
    if (dead < n)
        CHECK(check, warning && length > 3 && strcmp(text + length - strlen(last), last) == 0,
              "case %u can never decide, but the words are: %s", (unsigned)dead, text);
    else
        CHECK(check, !warning, "each case can decide, but the words are: %s", text);
    CHECK(check,
          gpuprim_classifier_describe(c, part, 5) == length && memcmp(part, text, 4) == 0 &&
              part[4] == '\0' && part[5] == 'x',
          "cut short: %s", part);
    CHECK(check, gpuprim_classifier_describe(c, NULL, 0) == length, "measured only");
    gpuprim_classifier_destroy(&c);
}

static void shadowed(struct check *check, gpuprim *gp)
{
    // A switch that has a value twice, and a case whose values two earlier cases take.
    static const struct gpuprim_case twice[] = {
        { .mask = 0xffffffff, .value = 5 },
        { .mask = 0xffffffff, .value = 7 },
        { .mask = 0xffffffff, .value = 5 },
    };
    static const struct gpuprim_case shared[] = { { .mask = 0x12, .value = 0x02 },
                                                  { .mask = 0x12, .value = 0x12 },
                                                  { .mask = 0x06, .value = 0x06 } };
    char text[8];
    shadowed_in(check, gp, GPUPRIM_U16, scattered_cases, COUNT(scattered_cases), 4);
    shadowed_in(check, gp, GPUPRIM_U64, wide_cases, COUNT(wide_cases), 4);
    shadowed_in(check, gp, GPUPRIM_U64, wide_cases, 3, UINT32_MAX);
    shadowed_in(check, gp, GPUPRIM_U32, twice, 3, 2);
    shadowed_in(check, gp, GPUPRIM_I32, twice, 2, UINT32_MAX);
    shadowed_in(check, gp, GPUPRIM_U8, shared, 3, 2);
    CHECK(check, gpuprim_classifier_describe(NULL, text, sizeof text) == 0, "of NULL");
}

static void room(struct check *check, gpuprim *gp)
{
    static const uint32_t nothing[] = { GPUPRIM_REJECT, GPUPRIM_REJECT };
    static const uint16_t map[] = { 9, 3 };
    static const float t[] = { 1 };
    static const struct {
        struct gpuprim_array map;
        uint64_t expected;
    } cases[] = { { .expected = 2 },
                  { { GPUPRIM_U32, .base = (void *)nothing, .count = 2 }, 0 },
                  { { GPUPRIM_U16, .base = (void *)map, .count = 2 }, 10 } };
    CHECK(check, gpuprim_classifier_labels(NULL) == 0, "of NULL");
    for (unsigned i = 0; i < COUNT(cases); i++) {
        const struct gpuprim_thresholds rule = { .values = gpuprim_host(GPUPRIM_F32, t, 1) };
        const struct gpuprim_classifier_params params = { .thresholds = &rule,
                                                          .map = cases[i].map };
        gpuprim_classifier *c = NULL;
        check->cases++;
        const int status = gpuprim_classifier_create(gp, &params, &c);
        if (status == GPUPRIM_E_UNSUPPORTED && check_may_refuse(gp)) {
            check->not_taken++;
            continue;
        }
        CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error());
        CHECK(check, gpuprim_classifier_labels(c) == cases[i].expected, "map %u: %llu labels",
              i, (unsigned long long)gpuprim_classifier_labels(c));
        gpuprim_classifier_destroy(&c);
    }
}

void classify_each_variant(struct check *check, const char *name,
                           void (*run)(struct check *check, gpuprim *gp))
{
    const struct gp_primitive *classify = check_primitive("classify");
    if (!check_begin(check, "classify/named/%s", name))
        return;
    for (unsigned v = classify->n_variants; v-- > 0;) {
        gpuprim *gp = check_variant(check, "classify", classify->variants[v]->name, 0);
        if (gp)
            run(check, gp);
        gpuprim_destroy(&gp);
    }
    check_end(check);
}

void classify_named_run(struct check *check)
{
    classify_each_variant(check, "bc6h", bc6h);
    classify_each_variant(check, "all_u16", all_u16);
    classify_each_variant(check, "wide_masks", wide_masks);
    classify_each_variant(check, "shadowed", shadowed);
    classify_each_variant(check, "room", room);
}
