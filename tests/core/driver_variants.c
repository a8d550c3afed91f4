/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of variants whose programs do not compile on a device: another variant takes the call.
 * This file also tests the addresses of host arrays. Its groups belong to the suite of
 * driver.c. */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/shim.h"

// One call, made several times with the same arrays.
struct fixture {
    gpuprim *gp;
    gpuprim_filter *filter;
    gpuprim_classifier *classifier;
    float x[4096], y[4096];
    uint8_t labels[4096];
};

static int reduce(struct fixture *s)
{
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_F32, s->x, 4096),
                               out = gpuprim_host(GPUPRIM_F32, s->y, 1);
    return gpuprim_reduce(s->gp, &in, &out,
                          &(struct gpuprim_reduce_params){ .op = GPUPRIM_MAX }, NULL);
}

static bool reduced(const struct fixture *s)
{
    return s->y[0] == 4095;
}

static int convolve(struct fixture *s)
{
    static const float ones[3] = { 1, 1, 1 };
    const struct gpuprim_filter_params params = { .mode = GPUPRIM_SAME };
    const struct gpuprim_array taps = gpuprim_host(GPUPRIM_F32, ones, 3),
                               in = gpuprim_host(GPUPRIM_F32, s->x, 4096),
                               out = gpuprim_host(GPUPRIM_F32, s->y, 4096);
    const int status =
        s->filter ? GPUPRIM_OK : gpuprim_filter_create(s->gp, &taps, &params, &s->filter);
    return status ? status : gpuprim_convolve1d(s->gp, s->filter, &in, &out, NULL, NULL);
}

static bool convolved(const struct fixture *s)
{
    for (int i = 1; i < 4095; i++)
        if (s->y[i] != 3.0f * (float)i)
            return false;
    return s->y[0] == 1 && s->y[4095] == 4094 + 4095;
}

static int classify(struct fixture *s)
{
    static const float keys[3] = { 1000, 2000, 3000 };
    const struct gpuprim_thresholds rule = { .values = gpuprim_host(GPUPRIM_F32, keys, 3) };
    const struct gpuprim_classifier_params params = { .thresholds = &rule };
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_F32, s->x, 4096),
                               labels = gpuprim_host(GPUPRIM_U8, s->labels, 4096);
    const int status =
        s->classifier ? GPUPRIM_OK : gpuprim_classifier_create(s->gp, &params, &s->classifier);
    return status ? status : gpuprim_classify(s->gp, s->classifier, &in, &labels, NULL, NULL);
}

static bool classified(const struct fixture *s)
{
    for (int i = 0; i < 4096; i++)
        if (s->labels[i] != (i >= 3000 ? 3 : i / 1000))
            return false;
    return true;
}

static const struct primitive {
    const char *name;
    const char *variant, *file; // of the call on a GPU, and what is broken of it
    const char *last_file;      // of baseline
    int (*call)(struct fixture *s);
    bool (*is_right)(const struct fixture *s);
} primitives[] = {
    { "reduce", "gpu_long_rows", "reduce/gpu_rows.cl", "reduce/baseline.cl", reduce, reduced },
    { "convolve1d", "gpu_register_window", "convolve1d/gpu_register_window.cl",
      "convolve1d/baseline.cl", convolve, convolved },
    { "classify", "gpu_words", "classify/gpu_words.cl", "classify/baseline.cl", classify,
      classified },
};

static struct fixture *fixture_make(struct check *check, const struct device_model *model,
                                    const char *variant, struct driver_log *log)
{
    struct fixture *s = check_allocate(sizeof *s);
    memset(s, 0, sizeof *s);
    for (int i = 0; i < 4096; i++)
        s->x[i] = (float)i;
    s->gp = driver_context(check, model, variant, log);
    return s;
}

static void fixture_free(struct fixture *s)
{
    gpuprim_filter_destroy(&s->filter);
    gpuprim_classifier_destroy(&s->classifier);
    gpuprim_destroy(&s->gp);
    model_end();
    free(s);
}

// Another variant takes the call, and a warning says so once. The second call builds nothing.
static void stands_in(struct check *check, const struct primitive *p,
                      const struct device_model *model)
{
    struct driver_log log = { 0, "" };
    struct fixture *s = fixture_make(check, model, NULL, &log);
    for (int turn = 0; s->gp && turn < 2; turn++) {
        memset(s->y, 0xff, sizeof s->y);
        memset(s->labels, 0xff, sizeof s->labels);
        shim_fail(-1, 0);
        check->cases++;
        const int status = p->call(s);
        CHECK(check, status == GPUPRIM_OK && p->is_right(s), "turn %d: %s", turn,
              status ? gpuprim_last_error() : "wrong results");
        CHECK(check, turn == 0 || shim_calls_of("clBuildProgram") == 0,
              "%u programs were built again", shim_calls_of("clBuildProgram"));
        if (turn == 0)
            CHECK(check, log.warnings > 0 && strstr(log.message, p->variant),
                  "%u warnings, the last: %s", log.warnings, log.message);
    }
    // For each set of outputs one for many elements and one for few; of labels and counts one
    // more for very many.
    const unsigned programs = strcmp(p->name, "classify") ? 1 : 7;
    CHECK(check, log.warnings == programs, "%u warnings, the last: %s", log.warnings,
          log.message);
    fixture_free(s);
}

// No variant replaces one that is forced, nor baseline. The message is the compiler's, also at
// the second call.
static void fails(struct check *check, const struct primitive *p,
                  const struct device_model *model, const char *variant)
{
    char forced[64];
    snprintf(forced, sizeof forced, "%s:%s", p->name, variant);
    const long live = shim_live();
    struct fixture *s = fixture_make(check, model, forced, NULL);
    for (int turn = 0; s->gp && turn < 2; turn++) {
        shim_fail(-1, 0);
        check->cases++;
        const int status = p->call(s);
        const char *message = gpuprim_last_error();
        CHECK(check, status == GPUPRIM_E_BUILD, "%s: status %d", forced, status);
        CHECK(check,
              strstr(message, variant) && strstr(message, "error") && strchr(message, '\n'),
              "%s: message: %s", forced, message);
        CHECK(check, turn == 0 || shim_calls_of("clBuildProgram") == 0, "%s: built again",
              forced);
    }
    fixture_free(s);
    CHECK(check, shim_live() == live, "%s: %ld objects are left", forced, shim_live() - live);
}

static void broken(struct check *check, const struct primitive *p)
{
    const struct device_model model = { "broken", .type = CL_DEVICE_TYPE_GPU, .work_group = 64,
                                        .broken = p->file };
    const struct device_model last = { "broken", .type = CL_DEVICE_TYPE_GPU, .work_group = 64,
                                       .broken = p->last_file };
    stands_in(check, p, &model);
    fails(check, p, &model, p->variant);
    fails(check, p, &last, "baseline");
}

// ---------------------------------------------------------------------------------------
// Addresses

// The base of an array is a multiple of the element's size. On the host complex numbers are two
// floats.
static void alignments(struct check *check, gpuprim *gp)
{
    static uint64_t x[4];
    static const struct {
        enum gpuprim_type type;
        enum gpuprim_memory memory;
        size_t offset;
        int expected;
    } bases[] = {
        { GPUPRIM_C32, GPUPRIM_HOST, 4, GPUPRIM_OK },
        { GPUPRIM_C32, GPUPRIM_HOST, 2, GPUPRIM_E_ARG },
        { GPUPRIM_C32, GPUPRIM_SVM, 4, GPUPRIM_E_ARG },
        { GPUPRIM_C32, GPUPRIM_SVM, 8, GPUPRIM_OK },
        { GPUPRIM_F64, GPUPRIM_HOST, 4, GPUPRIM_E_ARG },
        { GPUPRIM_F64, GPUPRIM_HOST, 8, GPUPRIM_OK },
        { GPUPRIM_I16, GPUPRIM_HOST, 1, GPUPRIM_E_ARG },
        { GPUPRIM_U8, GPUPRIM_HOST, 1, GPUPRIM_OK },
    };
    for (unsigned i = 0; i < sizeof bases / sizeof *bases; i++) {
        if (bases[i].memory == GPUPRIM_SVM && !gp->caps.has_svm)
            continue;
        struct gpuprim_array array =
            gpuprim_host(bases[i].type, (char *)x + bases[i].offset, 1);
        array.memory = bases[i].memory;
        struct gp_array view;
        check->cases++;
        const int status = gp_array_resolve(gp, &array, "array", false, &view);
        CHECK(check, status == bases[i].expected, "%s at %zu: status %d",
              gp_type_name(bases[i].type), bases[i].offset, status);
    }
}

static void addresses(struct check *check)
{
    static const struct {
        uint64_t address, last;
        int64_t first;
        uint64_t count;
        int64_t stride;
        bool is_inside;
    } places[] = {
        { 0xf0000000, UINT32_MAX, 0, 1000, 1, true },    // the upper half of 32 bits
        { 0xf0000000, UINT32_MAX, 0, 1 << 26, 1, true }, // up to the last byte
        { 0xf0000000, UINT32_MAX, 0, (1 << 26) + 1, 1, false },
        { 0xf0000000, UINT32_MAX, 1 << 26, 1, 1, false },
        { 0x1000, UINT32_MAX, 0, 1025, -1, true }, // down to the first
        { 0x1000, UINT32_MAX, 0, 1026, -1, false },
        { 0x80000000, UINT32_MAX, 0, 1 << 20, -512, true },
        { 0x80000000, UINT32_MAX, 0, (1 << 20) + 1, -512, true },
        { 0x80000000, UINT32_MAX, 0, (1 << 20) + 2, -512, false },
        { 0xf000000000000000, UINT64_MAX, 0, 1000, 1, true },
        { 0xf000000000000000, UINT64_MAX, 0, UINT64_C(1) << 58, 1, false },
        { 0xf000000000000000, UINT64_MAX, 0, (UINT64_C(1) << 58) - 1, 1, true },
        { 0x1000, UINT64_MAX, 0, UINT64_C(1) << 60, -1, false },
        { 0xfffffffffffffffc, UINT64_MAX, 0, 2, 1, false },
    };
    gpuprim *gp = check_context(check, NULL, 0);
    for (unsigned i = 0; gp && i < sizeof places / sizeof *places; i++) {
        const struct gpuprim_array array = { .type = GPUPRIM_F32,
                                             .first = (uint64_t)places[i].first,
                                             .count = places[i].count,
                                             .stride = places[i].stride };
        struct gp_array view;
        uint64_t begin = 0, end = 0;
        check->cases++;
        if (!CHECK(check, !gp_array_resolve(gp, &array, "array", true, &view), "place %u: %s",
                   i, gpuprim_last_error()))
            continue;
        const bool is_inside =
            gp_array_place(&view, places[i].address, places[i].last, &begin, &end);
        CHECK(check, is_inside == places[i].is_inside, "place %u: %s", i,
              is_inside ? "taken" : "refused");
        const uint64_t low = places[i].address + 4 * (uint64_t)view.low;
        CHECK(check,
              !is_inside || (begin == low && end == low + 4 * (uint64_t)(view.high - view.low)),
              "place %u: from %llx to %llx", i, (unsigned long long)begin,
              (unsigned long long)end);
    }
    if (gp)
        alignments(check, gp);
    gpuprim_destroy(&gp);
}

// A base in the upper half of the addresses, as is common where pointers have 32 bits.
static void upper_half(struct check *check)
{
    gpuprim *gp = check_context(check, NULL, 0);
    struct gpuprim_array a = gpuprim_host(GPUPRIM_F32, (void *)(UINTPTR_MAX - 65535), 1000);
    struct gp_array view;
    check->cases++;
    CHECK(check, gp && !gp_array_resolve(gp, &a, "array", false, &view), "%s",
          gpuprim_last_error());
    a.count = 1 << 20;
    CHECK(check, gp && gp_array_resolve(gp, &a, "array", false, &view) == GPUPRIM_E_RANGE,
          "beyond the last address");
    gpuprim_destroy(&gp);
}

void driver_variants_run(struct check *check)
{
    for (unsigned i = 0; i < sizeof primitives / sizeof *primitives; i++)
        if (check_begin(check, "driver/broken/%s", primitives[i].name)) {
            broken(check, &primitives[i]);
            check_end(check);
        }
    if (check_begin(check, "driver/addresses")) {
        addresses(check);
        upper_half(check);
        check_end(check);
    }
}
