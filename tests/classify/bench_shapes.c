/* SPDX-License-Identifier: Apache-2.0
 *
 * The bench rows of classify beside one long row of f32: views of which lines of memory are
 * read in part or at any place, thresholds of each row, many classes, keys that are not even,
 * and data of 8 and 16 bits. The data repeat a period whose labels the reference has given. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_shapes.h"
#include "reference/classify/classify.h"

enum { PERIOD = 1 << 16, MOST_KEYS = 65535, OWN_ROWS = 4096, OWN_KEYS = 15, CHECKED = 1 << 22 };

struct row {
    struct classify_row made;
    const uint32_t *expected[2]; // of the period; odd rows have the second
};

// What all rows share.
static struct {
    float even[MOST_KEYS], powers[MOST_KEYS], own[OWN_ROWS][OWN_KEYS];
    float floats[PERIOD], hot[PERIOD];
    uint16_t shorts[PERIOD];
    uint8_t bytes[PERIOD], table[1 << 16];
    uint32_t expected[2][PERIOD], right[MOST_KEYS + 1], got[MOST_KEYS + 1];
} fixed;

// ---------------------------------------------------------------------------------------
// Verifying

static uint64_t place(const struct gpuprim_array *a, uint64_t row, uint64_t i)
{
    return a->first + row * (uint64_t)a->row_stride + i * (uint64_t)a->stride;
}

// Looks at every k-th element, so that CHECKED of them are seen.
static bool same_labels(struct bench *b, const struct row *r)
{
    const size_t size = gp_type_size(r->made.labels.type);
    const uint64_t n = r->made.in.rows * r->made.in.count, step = n / CHECKED | 1;
    const size_t bytes =
        size * (place(&r->made.labels, r->made.in.rows - 1, r->made.in.count - 1) + 1);
    unsigned char *got = malloc(bytes);
    bool good = got && !clEnqueueReadBuffer(b->queue, (cl_mem)r->made.labels.base, CL_TRUE, 0,
                                            bytes, got, 0, NULL, NULL);
    for (uint64_t k = 0; good && k < n; k += step) {
        const uint64_t row = k / r->made.in.count, i = k % r->made.in.count;
        const uint32_t right = r->expected[row & 1][place(&r->made.in, row, i) % PERIOD];
        const uint64_t at = place(&r->made.labels, row, i);
        good = right == (size == 1 ? got[at] : ((const uint16_t *)(void *)got)[at]);
    }
    free(got);
    return good;
}

// The elements of rows with counts are whole periods.
static bool same_counts(struct bench *b, const struct row *r)
{
    const uint64_t n = r->made.in.rows * r->made.in.count, labels = r->made.counts.count;
    bool good = !clEnqueueReadBuffer(b->queue, (cl_mem)r->made.counts.base, CL_TRUE, 0,
                                     labels * sizeof *fixed.got, fixed.got, 0, NULL, NULL);
    for (uint64_t l = 0; l < labels; l++)
        fixed.right[l] = 0;
    for (uint64_t k = 0; k < PERIOD; k++)
        fixed.right[r->expected[0][k]] += (uint32_t)(n / PERIOD);
    for (uint64_t l = 0; l < labels; l++)
        good &= fixed.got[l] == fixed.right[l];
    return good;
}

static bool verify(struct bench *b, const void *what)
{
    const struct row *r = what;
    const cl_uint poison = 0xfefefefe;
    size_t bytes = 0;
    if (r->made.labels.count)
        clGetMemObjectInfo((cl_mem)r->made.labels.base, CL_MEM_SIZE, sizeof bytes, &bytes,
                           NULL);
    return (!bytes || !clEnqueueFillBuffer(b->queue, (cl_mem)r->made.labels.base, &poison,
                                           sizeof poison, 0, bytes, 0, NULL, NULL)) &&
           !clFinish(b->queue) && !classify_row_call(b, r, NULL) &&
           (!r->made.labels.count || same_labels(b, r)) &&
           (!r->made.counts.count || same_counts(b, r));
}

// ---------------------------------------------------------------------------------------
// Rows

// How the reference labels the data of a row, whose period is given: even rows by the first
// params, odd ones by the second.
struct rule {
    const void *period;
    const struct gpuprim_classifier_params *even, *odd;
};

static bool expect(const struct rule *rule, enum gpuprim_type type)
{
    const struct gpuprim_array in = gpuprim_host(type, rule->period, PERIOD);
    if (!classify_reference(rule->even, &in, fixed.expected[0]))
        return false;
    if (rule->odd != rule->even)
        return classify_reference(rule->odd, &in, fixed.expected[1]);
    memcpy(fixed.expected[1], fixed.expected[0], sizeof fixed.expected[1]);
    return true;
}

// The views of a row: of the data, and of the labels if there are any.
struct views {
    struct gpuprim_array in, labels;
    double bytes_of_element; // that must be moved, without the label
};

static struct gpuprim_array view(enum gpuprim_type type, cl_mem memory, uint64_t first,
                                 uint64_t rows, int64_t row_stride, uint64_t count,
                                 int64_t stride)
{
    struct gpuprim_array a = gpuprim_buffer(type, memory, first, count);
    a.rows = rows;
    a.row_stride = row_stride;
    a.stride = stride;
    return a;
}

static void measure(struct bench *b, const struct shapes_memory *m, const char *name,
                    const struct gpuprim_classifier_params *params, const struct rule *rule,
                    const struct views *v, bool has_counts)
{
    const uint64_t n = v->in.rows * v->in.count;
    const double label = v->labels.count ? (double)gp_type_size(v->labels.type) : 0;
    gpuprim_classifier *classifier = NULL;
    struct row row = { .made = { .params = *params,
                                 .in = v->in,
                                 .labels = v->labels,
                                 .classifier = &classifier },
                       .expected = { fixed.expected[0], fixed.expected[1] } };
    row.made.counts = gpuprim_buffer(GPUPRIM_U32, m->counts, 0,
                                     has_counts ? classify_reference_labels(params) : 0);
    const struct bench_row it = { .primitive = "classify",
                                  .name = name,
                                  .type = gp_type_name(v->in.type),
                                  .n = n,
                                  .bytes = (double)n * (v->bytes_of_element + label),
                                  .outputs = v->labels.count ? n : 0,
                                  .written = v->labels.count ? m->labels : NULL,
                                  .call = classify_row_call,
                                  .verify = verify,
                                  .forget = classify_row_forget,
                                  .what = &row };
    if (!bench_wants(b, &it))
        return;
    if (expect(rule, v->in.type))
        bench_row(b, &it);
    else {
        printf("classify/%s: the reference has no labels for it\n", name);
        b->failed++;
    }
}

// One long row of the data of `period`, which fill `memory`.
static void dense(struct bench *b, const struct shapes_memory *m, const char *name,
                  const struct gpuprim_classifier_params *params, enum gpuprim_type type,
                  const void *period, cl_mem memory, enum gpuprim_type label, bool has_counts)
{
    const struct views v = { view(type, memory, 0, 1, (int64_t)m->n, m->n, 1),
                             view(label, m->labels, 0, 1, (int64_t)m->n, label ? m->n : 0, 1),
                             (double)gp_type_size(type) };
    measure(b, m, name, params, &(struct rule){ period, params, params }, &v, has_counts);
}

static struct gpuprim_thresholds keys(const float *values, uint32_t n)
{
    return (struct gpuprim_thresholds){ .values = gpuprim_host(GPUPRIM_F32, values, n) };
}

static void places(struct bench *b, const struct shapes_memory *m)
{
    const uint64_t n = m->n, wide = n / 1000;
    const cl_mem x = m->floats, y = m->labels;
    const enum gpuprim_type f32 = GPUPRIM_F32, u8 = GPUPRIM_U8;
    const struct gpuprim_thresholds rule = keys(fixed.even, OWN_KEYS);
    const struct gpuprim_classifier_params params = { .thresholds = &rule };
    const struct {
        const char *name;
        struct views views;
        bool has_counts;
    } rows[] = {
        { "15 thresholds, columns of 1000",
          { view(f32, x, 0, 1000, 1, wide, 1000), view(u8, y, 0, 1000, 1, wide, 1000), 4 },
          false },
        { "15 thresholds, every 2nd",
          { view(f32, x, 0, 1, 0, n / 2, 2), view(u8, y, 0, 1, 0, n / 2, 1), 8 },
          false },
        { "15 thresholds, labels and counts, first elements 1 and 3",
          { view(f32, x, 1, 1, 0, n - PERIOD, 1), view(u8, y, 3, 1, 0, n - PERIOD, 1), 4 },
          true },
        { "15 thresholds, columns of 1000 to rows",
          { view(f32, x, 0, 1000, 1, wide, 1000), view(u8, y, 0, 1000, (int64_t)wide, wide, 1),
            4 },
          false },
        { "15 thresholds, rows of 1000, 1003 apart",
          { view(f32, x, 0, n / 1003, 1003, 1000, 1), view(u8, y, 0, n / 1003, 1000, 1000, 1),
            4 },
          false },
        { "15 thresholds, rows of 5, 8 apart",
          { view(f32, x, 0, n / 8, 8, 5, 1), view(u8, y, 0, n / 8, 5, 5, 1), 6.4 },
          false },
    };
    const struct rule one = { fixed.floats, &params, &params };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        measure(b, m, rows[i].name, &params, &one, &rows[i].views, rows[i].has_counts);
}

static void own_thresholds(struct bench *b, const struct shapes_memory *m)
{
    const uint64_t n = m->n / OWN_ROWS;
    const struct views v = { view(GPUPRIM_F32, m->floats, 0, OWN_ROWS, (int64_t)n, n, 1),
                             view(GPUPRIM_U8, m->labels, 0, OWN_ROWS, (int64_t)n, n, 1), 4 };
    for (int row = 0; row < OWN_ROWS; row++)
        memcpy(fixed.own[row], row & 1 ? fixed.powers : fixed.even, sizeof fixed.own[row]);
    struct gpuprim_thresholds all = keys(fixed.own[0], OWN_KEYS);
    const struct gpuprim_thresholds one[] = { keys(fixed.even, OWN_KEYS),
                                              keys(fixed.powers, OWN_KEYS) };
    all.values.rows = OWN_ROWS;
    const struct gpuprim_classifier_params params = { .thresholds = &all },
                                           even = { .thresholds = &one[0] },
                                           odd = { .thresholds = &one[1] };
    measure(b, m, "15 thresholds of each of 4096 rows", &params,
            &(struct rule){ fixed.floats, &even, &odd }, &v, false);
}

static void set_keys(uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        const double part = (k + 1.0) / (n + 1.0);
        fixed.even[k] = (float)part;
        fixed.powers[k] = (float)pow(part, 4);
    }
}

static void many_classes(struct bench *b, const struct shapes_memory *m)
{
    static const uint32_t counted[] = { 4095, 12000, 20000, 65535 };
    static const uint32_t labelled[] = { 4095, 20000, 65535 };
    char name[80];
    for (int i = 0; i < 4; i++) {
        const uint32_t n = counted[i];
        set_keys(n - 1);
        const struct gpuprim_thresholds rule = keys(fixed.even, n - 1);
        const struct gpuprim_classifier_params params = { .thresholds = &rule };
        snprintf(name, sizeof name, "%u classes, counts", (unsigned)n);
        dense(b, m, name, &params, GPUPRIM_F32, fixed.floats, m->floats, 0, true);
        snprintf(name, sizeof name, "%u classes, counts, 90 %% in one", (unsigned)n);
        dense(b, m, name, &params, GPUPRIM_F32, fixed.hot, m->hot, 0, true);
    }
    for (int i = 0; i < 3; i++) {
        const uint32_t n = labelled[i];
        set_keys(n);
        const struct gpuprim_thresholds rule = keys(fixed.powers, n);
        const struct gpuprim_classifier_params params = { .thresholds = &rule };
        snprintf(name, sizeof name, "%u thresholds, fourth powers, labels", (unsigned)n);
        dense(b, m, name, &params, GPUPRIM_F32, fixed.floats, m->floats, GPUPRIM_U16, false);
    }
}

static void narrow_data(struct bench *b, const struct shapes_memory *m)
{
    const struct gpuprim_table table = { .labels =
                                             gpuprim_host(GPUPRIM_U8, fixed.table, 1 << 16) };
    const struct gpuprim_uniform values = { .high = 256, .bins = 256 };
    const struct gpuprim_classifier_params by_table = { .table = &table, .in = GPUPRIM_U16 };
    const struct gpuprim_classifier_params by_value = { .uniform = &values, .in = GPUPRIM_U8 };
    dense(b, m, "table of 65536, labels", &by_table, GPUPRIM_U16, fixed.shorts, m->shorts,
          GPUPRIM_U8, false);
    dense(b, m, "256 values, counts", &by_value, GPUPRIM_U8, fixed.bytes, m->bytes, 0, true);
    dense(b, m, "256 values, u16 labels and counts", &by_value, GPUPRIM_U8, fixed.bytes,
          m->bytes, GPUPRIM_U16, true);
}

// ---------------------------------------------------------------------------------------
// Memory

static void fill_periods(void)
{
    uint64_t state = 1;
    for (int i = 0; i < PERIOD; i++) { // a linear congruential generator's upper bits
        state = state * 6364136223846793005u + 1442695040888963407u;
        fixed.floats[i] = (float)(state >> 40) * 0x1p-24f;
        fixed.hot[i] = (state >> 32) % 10 ? 0.3f : fixed.floats[i];
        fixed.shorts[i] = (uint16_t)(state >> 32);
        fixed.bytes[i] = (uint8_t)(state >> 32);
        fixed.table[i] = (uint8_t)(i * 167 + (i >> 8));
    }
}

void bench_classify_shapes(struct bench *b,
                           cl_mem (*repeated)(struct bench *, const void *, size_t, uint64_t),
                           const struct shapes_memory *given)
{
    struct shapes_memory m = *given;
    fill_periods();
    m.floats = repeated(b, fixed.floats, sizeof *fixed.floats, m.n);
    m.hot = repeated(b, fixed.hot, sizeof *fixed.hot, m.n);
    m.shorts = repeated(b, fixed.shorts, sizeof *fixed.shorts, m.n);
    m.bytes = repeated(b, fixed.bytes, 1, m.n);
    if (m.floats && m.hot && m.shorts && m.bytes) {
        set_keys(OWN_KEYS);
        places(b, &m);
        own_thresholds(b, &m);
        many_classes(b, &m);
        narrow_data(b, &m);
    } else {
        printf("classify: no memory for %llu elements\n", (unsigned long long)m.n);
        b->failed++;
    }
    const cl_mem all[] = { m.floats, m.hot, m.shorts, m.bytes };
    for (int i = 0; i < 4; i++)
        if (all[i])
            clReleaseMemObject(all[i]);
}
