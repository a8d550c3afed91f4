/* SPDX-License-Identifier: Apache-2.0
 *
 * The bench rows of classify, in device memory: thresholds of several numbers and spreads,
 * labels with counts, counts alone, and a table. The data repeat a period that the reference
 * has labelled, so that every label and every count is verified. */
#include "bench_shapes.h"
#include "case.h"
#include "tests/harness/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "reference/classify/classify.h"

enum {
    PERIOD = 1 << 16,
    MOST_THRESHOLDS = 4095,
    MOST_LABELS = 4096,
    MOST_COUNTS = 1 << 16,
};

struct memory {
    cl_mem spread, one, bytes; // f32 in [0, 1), f32 all the same, u8: n elements each
    cl_mem labels, counts;
    uint64_t n;
};

int classify_row_call(struct bench *b, const void *what, const struct gpuprim_sync *sync)
{
    const struct classify_row *r = what;
    const int status = *r->classifier
                           ? GPUPRIM_OK
                           : gpuprim_classifier_create(b->gp, &r->params, r->classifier);
    return status ? status
                  : gpuprim_classify(b->gp, *r->classifier, &r->in,
                                     r->labels.count ? &r->labels : NULL,
                                     r->counts.count ? &r->counts : NULL, sync);
}

void classify_row_forget(const void *what)
{
    const struct classify_row *r = what;
    gpuprim_classifier_destroy(r->classifier);
}

// ---------------------------------------------------------------------------------------
// Verifying

static bool same_labels(struct bench *b, const struct classify_row *r, const uint32_t *expected)
{
    const size_t size = gp_type_size(r->labels.type);
    unsigned char *got = malloc(size * PERIOD);
    bool good = got != NULL;
    for (uint64_t i = 0; good && i < r->labels.count; i += PERIOD) {
        good = !clEnqueueReadBuffer(b->queue, (cl_mem)r->labels.base, CL_TRUE, i * size,
                                    PERIOD * size, got, 0, NULL, NULL);
        for (uint64_t k = 0; good && k < PERIOD; k++)
            good = expected[k] == (size == 1 ? got[k] : ((const uint16_t *)(void *)got)[k]);
    }
    free(got);
    return good;
}

static bool same_counts(struct bench *b, const struct classify_row *r, const uint32_t *expected)
{
    static uint32_t got[MOST_LABELS], right[MOST_LABELS];
    bool good = !clEnqueueReadBuffer(b->queue, (cl_mem)r->counts.base, CL_TRUE, 0,
                                     r->counts.count * sizeof *got, got, 0, NULL, NULL);
    for (uint64_t l = 0; l < r->counts.count; l++)
        right[l] = 0;
    for (uint64_t k = 0; k < PERIOD; k++)
        right[expected[k]] += (uint32_t)(r->in.count / PERIOD);
    for (uint64_t l = 0; l < r->counts.count; l++)
        good &= got[l] == right[l];
    return good;
}

static bool verify(struct bench *b, const void *what)
{
    const struct classify_row *r = what;
    const cl_uint poison = 0xfefefefe;
    const size_t size = gp_type_size(r->in.type);
    void *period = malloc(size * PERIOD);
    uint32_t *expected = malloc(sizeof *expected * PERIOD);
    const struct gpuprim_array in = gpuprim_host(r->in.type, period, PERIOD);
    const size_t bytes = r->labels.count * gp_type_size(r->labels.type);
    bool good = period && expected &&
                !clEnqueueReadBuffer(b->queue, (cl_mem)r->in.base, CL_TRUE, 0, size * PERIOD,
                                     period, 0, NULL, NULL) &&
                classify_reference(&r->params, &in, expected) &&
                (!bytes || !clEnqueueFillBuffer(b->queue, (cl_mem)r->labels.base, &poison,
                                                sizeof poison, 0, bytes, 0, NULL, NULL)) &&
                !clFinish(b->queue) && !classify_row_call(b, r, NULL);
    good = good && (!r->labels.count || same_labels(b, r, expected)) &&
           (!r->counts.count || same_counts(b, r, expected));
    free(period);
    free(expected);
    return good;
}

// ---------------------------------------------------------------------------------------
// Rows

enum what { LABELS = 1, COUNTS = 2 };

static void measure(struct bench *b, const struct memory *m, const char *name, cl_mem data,
                    enum gpuprim_type type, const struct gpuprim_classifier_params *params,
                    unsigned what)
{
    const uint64_t labels = classify_reference_labels(params);
    const enum gpuprim_type narrow = labels <= 256 ? GPUPRIM_U8 : GPUPRIM_U16;
    gpuprim_classifier *classifier = NULL;
    struct classify_row row = { .params = *params, .classifier = &classifier };
    row.in = gpuprim_buffer(type, data, 0, m->n);
    row.labels = gpuprim_buffer(narrow, m->labels, 0, what & LABELS ? m->n : 0);
    row.counts = gpuprim_buffer(GPUPRIM_U32, m->counts, 0, what & COUNTS ? labels : 0);
    const bool has_labels = what & LABELS;
    const size_t moved = gp_type_size(type) + (has_labels ? gp_type_size(narrow) : 0);
    const struct bench_row it = { .primitive = "classify",
                                  .name = name,
                                  .type = gp_type_name(type),
                                  .n = m->n,
                                  .bytes = (double)m->n * (double)moved,
                                  .outputs = has_labels ? m->n : 0,
                                  .written = has_labels ? m->labels : NULL,
                                  .call = classify_row_call,
                                  .verify = verify,
                                  .forget = classify_row_forget,
                                  .what = &row };
    bench_row(b, &it);
}

// Thresholds in (0, 1): "even", "log-spaced", each the same multiple of the one before, or
// "clustered", all in the lowest thousandth.
static void thresholds(struct bench *b, const struct memory *m, const char *spread, uint32_t n,
                       cl_mem data, unsigned what)
{
    static float t[MOST_THRESHOLDS];
    const struct gpuprim_thresholds rule = { .values = gpuprim_host(GPUPRIM_F32, t, n) };
    const struct gpuprim_classifier_params params = { .thresholds = &rule };
    for (uint32_t k = 0; k < n; k++) {
        const double part = (k + 1.0) / (n + 1.0);
        t[k] = (float)(spread[0] == 'e'   ? part
                       : spread[0] == 'l' ? pow(2, -24 * (1 - part))
                                          : part / 1000);
    }
    char name[64];
    snprintf(name, sizeof name, "%u %s thresholds, %s%s", (unsigned)n, spread,
             what == LABELS   ? "labels"
             : what == COUNTS ? "counts"
                              : "labels and counts",
             data == m->one ? " in one class" : "");
    measure(b, m, name, data, GPUPRIM_F32, &params, what);
}

static void bins(struct bench *b, const struct memory *m, uint32_t n, cl_mem data)
{
    const struct gpuprim_uniform rule = { .high = 1, .bins = n };
    const struct gpuprim_classifier_params params = { .uniform = &rule, .in = GPUPRIM_F32 };
    char name[64];
    snprintf(name, sizeof name, "%u bins, counts%s", (unsigned)n,
             data == m->one ? " in one class" : "");
    measure(b, m, name, data, GPUPRIM_F32, &params, COUNTS);
}

static void table(struct bench *b, const struct memory *m, unsigned what)
{
    static uint8_t entries[256];
    for (int i = 0; i < 256; i++)
        entries[i] = (uint8_t)(i * 167 + 13);
    const struct gpuprim_table rule = { .labels = gpuprim_host(GPUPRIM_U8, entries, 256) };
    const struct gpuprim_classifier_params params = { .table = &rule, .in = GPUPRIM_U8 };
    measure(b, m, what == LABELS ? "table of 256, labels" : "table of 256, counts", m->bytes,
            GPUPRIM_U8, &params, what);
}

// ---------------------------------------------------------------------------------------
// Memory

// A buffer of n elements that repeat `period`.
static cl_mem repeated(struct bench *b, const void *period, size_t size, uint64_t n)
{
    cl_int error;
    cl_mem memory = clCreateBuffer(b->gp->context, CL_MEM_READ_WRITE, n * size, NULL, &error);
    if (error)
        return NULL;
    error = clEnqueueWriteBuffer(b->queue, memory, CL_FALSE, 0, PERIOD * size, period, 0, NULL,
                                 NULL);
    for (uint64_t have = PERIOD; !error && have < n; have *= 2)
        error = clEnqueueCopyBuffer(b->queue, memory, memory, 0, have * size,
                                    gp_min(have, n - have) * size, 0, NULL, NULL);
    clFinish(b->queue);
    return memory;
}

static bool memory_make(struct bench *b, struct memory *m)
{
    static float spread[PERIOD], one[PERIOD];
    static uint8_t bytes[PERIOD];
    cl_int error[2];
    m->n = (uint64_t)1 << (b->gp->caps.is_cpu ? 26 : 28);
    while (m->n * sizeof(float) > b->bytes)
        m->n /= 2;
    uint64_t state = 1;
    for (int i = 0; i < PERIOD; i++) { // a linear congruential generator's upper bits
        state = state * 6364136223846793005u + 1442695040888963407u;
        spread[i] = (float)(state >> 40) * 0x1p-24f;
        bytes[i] = (uint8_t)(state >> 32);
        one[i] = 0.3f;
    }
    m->spread = repeated(b, spread, sizeof *spread, m->n);
    m->one = repeated(b, one, sizeof *one, m->n);
    m->bytes = repeated(b, bytes, 1, m->n);
    // As large as the input, because the copy that rows are compared with writes there.
    m->labels = clCreateBuffer(b->gp->context, CL_MEM_READ_WRITE, m->n * sizeof(float), NULL,
                               &error[0]);
    m->counts = clCreateBuffer(b->gp->context, CL_MEM_READ_WRITE,
                               MOST_COUNTS * sizeof(uint32_t), NULL, &error[1]);
    return m->spread && m->one && m->bytes && !error[0] && !error[1];
}

static void memory_free(struct memory *m)
{
    cl_mem all[] = { m->spread, m->one, m->bytes, m->labels, m->counts };
    for (int i = 0; i < 5; i++)
        if (all[i])
            clReleaseMemObject(all[i]);
}

void bench_classify(struct bench *b)
{
    static const uint32_t even[] = { 7, 15, 63, 255, 1023, 4095 };
    static const uint32_t uneven[] = { 255, 1023, 4095 };
    static const uint32_t counted[] = { 7, 63, 255, 1023 };
    struct memory m = { .n = 0 };
    if (!memory_make(b, &m)) {
        printf("classify: no memory for %llu elements\n", (unsigned long long)m.n);
        b->failed++;
        memory_free(&m);
        return;
    }
    for (int i = 0; i < 6; i++)
        thresholds(b, &m, "even", even[i], m.spread, LABELS);
    for (int i = 0; i < 3; i++) {
        thresholds(b, &m, "clustered", uneven[i], m.spread, LABELS);
        thresholds(b, &m, "log-spaced", uneven[i], m.spread, LABELS);
    }
    for (int i = 0; i < 4; i++) {
        thresholds(b, &m, "even", counted[i], m.spread, LABELS | COUNTS);
        thresholds(b, &m, "even", counted[i], m.one, LABELS | COUNTS);
    }
    for (uint32_t n = 256; n <= MOST_LABELS; n *= 4) {
        bins(b, &m, n, m.spread);
        bins(b, &m, n, m.one);
    }
    table(b, &m, LABELS);
    table(b, &m, COUNTS);
    const struct shapes_memory shapes = { .labels = m.labels, .counts = m.counts, .n = m.n };
    bench_classify_shapes(b, repeated, &shapes);
    memory_free(&m);
}
