/* SPDX-License-Identifier: Apache-2.0
 *
 * The bench rows of convolve1d (`check --bench`): SAME in device memory, by numbers of taps, by
 * boundaries, by types and by shapes. GPUs take 1 GiB, so that the cost of a launch does not
 * matter. Parts of every result are compared with the baseline's, bit by bit; those of the method
 * FFT, within an error. */
#include "case.h"
#include "src/convolve1d/convolve1d.h"
#include "tests/harness/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONG = 1025,
    LONGER = 16383,
    MOST_TAPS = 65537,
    STRETCH = 16384,
    BYTES = 256 << 20,
    CURVE_BYTES = 64 << 20
};

// The types that are measured, and the multiply-adds of a tap and an element.
static const struct kind {
    enum gpuprim_type taps, data;
    unsigned multiply_adds;
} f32 = { GPUPRIM_F32, GPUPRIM_F32, 1 }, f16 = { GPUPRIM_F32, GPUPRIM_F16, 1 },
  u8 = { GPUPRIM_I32, GPUPRIM_U8, 1 }, i16 = { GPUPRIM_I32, GPUPRIM_I16, 1 },
  u8_f32 = { GPUPRIM_F32, GPUPRIM_U8, 1 }, i16_f32 = { GPUPRIM_F32, GPUPRIM_I16, 1 },
  c32 = { GPUPRIM_C32, GPUPRIM_C32, 4 };

// How the rows lie: `channels` of them interleaved, or with `n` elements one behind the other.
// Zeros: one row, no steps.
struct shape {
    const char *name;
    uint64_t channels, n, dilation, step;
    enum gpuprim_method method;
};

struct measured {
    const struct kind *kind;
    union {
        float floats[2 * MOST_TAPS];
        int32_t whole[MOST_TAPS];
    } taps;
    struct gpuprim_filter_params params;
    struct gpuprim_history history;
    uint64_t n_taps;
    struct gpuprim_array in, out;
    gpuprim_filter *
        *filter; // made by the first call, so that only rows that are asked for compile
};

static int make_filter(gpuprim *gp, const struct measured *c,
                       struct gpuprim_filter_params params, gpuprim_filter **out)
{
    const struct gpuprim_array taps = gpuprim_host(c->kind->taps, &c->taps, c->n_taps);
    return gpuprim_filter_create(gp, &taps, &params, out);
}

static int convolve(gpuprim *gp, const struct measured *c, const gpuprim_filter *filter,
                    const struct gpuprim_array *out, const struct gpuprim_sync *sync)
{
    const bool has_history = c->params.left == GPUPRIM_HISTORY;
    return gpuprim_convolve1d(gp, filter, &c->in, out, has_history ? &c->history : NULL, sync);
}

static int call(struct bench *b, const void *what, const struct gpuprim_sync *sync)
{
    const struct measured *c = what;
    const int status = *c->filter ? GPUPRIM_OK : make_filter(b->gp, c, c->params, c->filter);
    return status ? status : convolve(b->gp, c, *c->filter, &c->out, sync);
}

static void forget(const void *what)
{
    const struct measured *c = what;
    gpuprim_filter_destroy(c->filter);
}

// A part of c->out, from output `begin` of all rows on, as an array of its own: contiguous, and
// at most STRETCH outputs. *first is the first one of each row in it, *row its first row.
static struct gpuprim_array part_of(const struct measured *c, uint64_t begin, uint64_t *first,
                                    uint64_t *row)
{
    struct gpuprim_array part = c->out;
    const uint64_t rows = part.rows, count = part.count;
    *first = *row = 0;
    if (part.stride > 1) { // some positions of all channels
        *first = begin / rows;
        part.count = gp_min(STRETCH / rows, count - *first);
    } else if (count <= STRETCH) { // some rows
        *row = begin / count;
        part.rows = gp_min(STRETCH / count, rows - *row);
    } else { // some of one row
        *row = begin / count;
        *first = begin % count;
        part.rows = 1;
        part.count = gp_min(STRETCH, count - *first);
    }
    return part;
}

// How far f32 sums of positive inputs below 2 may lie apart, by the method FFT and by a chain of
// multiply-adds: the bound of the former (gpuprim.h), and what so many roundings add up to, which
// go up and down alike.
static double tolerance(const struct measured *c)
{
    const struct convolve_fft *fft = &(*c->filter)->fft;
    const double units =
        4 * log2((double)fft->length) + (double)fft->parts + sqrt((double)c->n_taps);
    double sum = 0;
    for (uint64_t k = 0; k < c->n_taps; k++)
        sum += (double)c->taps.floats[k];
    return 0x1p-24 * units * sum * 2;
}

static bool agree(const struct measured *c, const void *expected, const void *got, size_t bytes)
{
    const float *a = expected, *b = got;
    const double most = tolerance(c);
    for (size_t i = 0; i < bytes / sizeof *a; i++)
        if (!(fabs((double)a[i] - (double)b[i]) <= most))
            return false;
    return true;
}

// Computes a part of the outputs, from `begin` on, again by baseline, and compares.
static bool same_stretch(struct bench *b, const struct measured *c, uint64_t begin)
{
    static unsigned char expected[8 * STRETCH], got[8 * STRETCH];
    uint64_t first, row;
    struct gpuprim_array out = part_of(c, begin, &first, &row);
    const size_t size = gp_type_size(c->kind->data), bytes = size * out.count * out.rows;
    const size_t at = size * (size_t)(row * (uint64_t)out.row_stride + first * out.stride);
    struct gpuprim_filter_params params = c->params;
    params.mode = GPUPRIM_EXPLICIT;
    params.method = GPUPRIM_METHOD_DIRECT;
    params.offset = (int64_t)(first * params.stride + (c->n_taps - 1) * params.dilation / 2);
    struct measured part = *c;
    part.in.first += (int64_t)row * part.in.row_stride;
    part.in.rows = out.rows;
    out.base = b->result;
    gpuprim_filter *filter = NULL;
    int status = make_filter(b->reference, c, params, &filter);
    if (!status)
        status = convolve(b->reference, &part, filter, &out, NULL);
    gpuprim_filter_destroy(&filter);
    return !status &&
           !clEnqueueReadBuffer(b->queue, b->result, CL_TRUE, 0, bytes, expected, 0, NULL,
                                NULL) &&
           !clEnqueueReadBuffer(b->queue, (cl_mem)c->out.base, CL_TRUE, at, bytes, got, 0, NULL,
                                NULL) &&
           (c->params.method == GPUPRIM_METHOD_FFT ? agree(c, expected, got, bytes)
                                                   : memcmp(expected, got, bytes) == 0);
}

// Stands in `out` before a call. No result has these bits: they are negative in every type with
// a sign, and data and taps are positive. Results of 8 bits are below 128.
static const cl_uint poison = 0x80008000;

// True if every output was written.
static bool all_written(struct bench *b, const struct measured *c)
{
    const size_t bytes = c->out.count * c->out.rows * gp_type_size(c->kind->data);
    const size_t chunk = gp_min(bytes, 16 << 20);
    cl_uint *bits = malloc(chunk);
    bool good = bits != NULL;
    for (size_t i = 0; good && i < bytes; i += chunk) {
        good = !clEnqueueReadBuffer(b->queue, (cl_mem)c->out.base, CL_TRUE, i, chunk, bits, 0,
                                    NULL, NULL);
        for (size_t k = 0; good && k < chunk / sizeof *bits; k++)
            good = bits[k] != poison;
    }
    free(bits);
    return good;
}

static bool verify(struct bench *b, const void *what)
{
    const struct measured *c = what;
    const uint64_t n = c->out.count * c->out.rows;
    if (clEnqueueFillBuffer(b->queue, (cl_mem)c->out.base, &poison, sizeof poison, 0,
                            n * gp_type_size(c->kind->data), 0, NULL, NULL) ||
        clFinish(b->queue) || call(b, what, NULL) || !all_written(b, c))
        return false;
    const uint64_t begins[] = { 0, n / 2 + 1, n / 3, n - gp_min(STRETCH, n) };
    bool good = true;
    for (int i = 0; i < 4; i++)
        good &= same_stretch(b, c, begins[i]);
    return good;
}

// Taps, and a shift or a factor that leaves integer results in range.
static void fill_taps(struct measured *c)
{
    const uint64_t limit = c->kind->data == GPUPRIM_U8 ? 128 : 1 << 15;
    uint64_t most = 0; // the largest result
    for (uint64_t k = 0; k < c->n_taps; k++)
        if (c->kind->taps == GPUPRIM_I32) {
            c->taps.whole[k] = 1 + (int32_t)(5 * k % 13);
            most += (uint64_t)c->taps.whole[k] * (2 * limit - 1);
        } else if (c->kind->taps == GPUPRIM_C32) {
            c->taps.floats[2 * k] = 1 / (float)(k + 2);
            c->taps.floats[2 * k + 1] = -1 / (float)(k + 3);
        } else
            c->taps.floats[k] = (c->kind->data < GPUPRIM_F16 ? 0.06f : 1) / (float)(k + 2);
    while (most >> c->params.shift >= limit)
        c->params.shift++;
}

static uint64_t at_least_one(uint64_t x)
{
    return x ? x : 1;
}

// The arrays of a shape with `all` inputs or somewhat fewer.
static void lay_out(struct measured *c, const struct shape *shape, uint64_t all, cl_mem in,
                    cl_mem out)
{
    c->params.dilation = at_least_one(shape->dilation);
    c->params.stride = at_least_one(shape->step);
    const enum gpuprim_type type = c->kind->data;
    const uint64_t channels = at_least_one(shape->channels);
    const uint64_t n = shape->n ? shape->n : all / channels;
    c->in = gpuprim_buffer(type, in, 0, n);
    c->out = gpuprim_buffer(type, out, 0, gp_ceil_div(n, c->params.stride));
    c->in.rows = c->out.rows = shape->n ? all / n : channels;
    c->in.stride = c->out.stride = (int64_t)channels;
    c->in.row_stride = channels > 1 ? 1 : (int64_t)n;
    c->out.row_stride = channels > 1 ? 1 : (int64_t)c->out.count;
}

static void row(struct bench *b, cl_mem out, const struct kind *kind, const struct shape *shape,
                size_t bytes, uint64_t taps, enum gpuprim_boundary boundary)
{
    static const char *const names[] = { "zero",          "constant", "edge",   "reflect_half",
                                         "reflect_whole", "wrap",     "history" };
    static struct measured c;
    gpuprim_filter *filter = NULL;
    char name[64];
    const bool has_history = boundary == GPUPRIM_HISTORY;
    c = (struct measured){ .kind = kind,
                           .n_taps = taps,
                           .params = { .in = kind->data,
                                       .method = shape->method,
                                       .left = boundary,
                                       .right = has_history ? GPUPRIM_ZERO : boundary },
                           .filter = &filter };
    fill_taps(&c);
    lay_out(&c, shape, bytes / gp_type_size(kind->data), b->memory, out);
    c.history.before = gpuprim_buffer(kind->data, b->memory, 0, taps - 1);
    snprintf(name, sizeof name, "%s%s%llu taps, %s", shape->name, *shape->name ? ", " : "",
             (unsigned long long)taps, names[boundary]);
    const uint64_t n = c.in.count * c.in.rows, outputs = c.out.count * c.out.rows;
    const struct bench_row it = { .primitive = "convolve1d",
                                  .name = name,
                                  .type = gp_type_name(kind->data),
                                  .n = n,
                                  .bytes =
                                      (double)gp_type_size(kind->data) * (double)(n + outputs),
                                  .outputs = outputs,
                                  .flops =
                                      2 * (double)outputs * (double)taps * kind->multiply_adds,
                                  .of_bound = *shape->name && !shape->method,
                                  .written = out,
                                  .call = call,
                                  .verify = verify,
                                  .forget = forget,
                                  .what = &c };
    bench_row(b, &it);
}

static const struct shape dense = { .name = "" };
static const struct shape fft = { .name = "fft", .method = GPUPRIM_METHOD_FFT };

// Rows whose figure is the share of the bound: of the copy's rate or of the multiply-adds',
// whichever is reached later.
static void shapes(struct bench *b, cl_mem out, size_t bytes)
{
    static const uint64_t taps[] = { 3, 9, 33, 65, 129 };
    static const struct {
        struct shape shape;
        unsigned taps; // how many of `taps`
    } list[] = {
        { { "columns of 4096", .channels = 4096 }, 5 },
        { { "columns of 1000", .channels = 1000 }, 5 },
        { { "stereo", .channels = 2 }, 5 },
        { { "6 channels", .channels = 6 }, 3 },
        { { "dilation 2", .dilation = 2 }, 3 },
        { { "dilation 16", .dilation = 16 }, 3 },
        { { "rows of 100", .n = 100 }, 3 },
        { { "rows of 1000", .n = 1000 }, 3 },
        { { "rows of 4096", .n = 4096 }, 3 },
        { { "step 2", .step = 2 }, 3 },
        { { "step 4", .step = 4 }, 3 },
        { { "step 2 of stereo", .channels = 2, .step = 2 }, 2 },
        { { "step 3 of dilation 2", .dilation = 2, .step = 3 }, 2 },
    };
    static const struct kind *const bytes_and_shorts[] = { &u8, &i16, &f16 };
    static const struct kind *const mixed[] = { &u8_f32, &i16_f32 };
    static const struct shape whole = { .name = "dense" }, stereo = { "stereo", .channels = 2 };
    static const struct shape floats = { .name = "dense, f32 taps" };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (unsigned k = 0; k < list[i].taps; k++)
            row(b, out, &f32, &list[i].shape, bytes, taps[k], GPUPRIM_REFLECT_HALF);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            row(b, out, bytes_and_shorts[i], &whole, bytes, taps[k], GPUPRIM_REFLECT_HALF);
            row(b, out, bytes_and_shorts[i], &stereo, bytes, taps[k], GPUPRIM_REFLECT_HALF);
        }
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            row(b, out, mixed[i], &floats, bytes, taps[k], GPUPRIM_REFLECT_HALF);
}

// Long filters by transforms. The baseline takes long for the longest on a CPU.
static void transforms(struct bench *b, cl_mem out, size_t bytes)
{
    static const uint64_t taps[] = { 65, 129, 257, 513, LONG, 2049, 4097, LONGER };
    for (size_t i = 0; i < sizeof taps / sizeof *taps; i++)
        if (!b->gp->caps.is_cpu || taps[i] < LONGER)
            row(b, out, &f32, &fft, bytes, taps[i], GPUPRIM_ZERO);
}

// Both methods by the number of taps, on as few elements as the slower one needs. The numbers are
// those of bench/convolve1d/peers.py.
static void curves(struct bench *b, cl_mem out, size_t bytes)
{
    static const uint64_t taps[] = { 3,   9,    17,   33,   65,    129,      257,
                                     513, LONG, 2049, 4097, 16385, MOST_TAPS };
    for (size_t i = 0; i < sizeof taps / sizeof *taps; i++) {
        row(b, out, &f32, &dense, bytes, taps[i], GPUPRIM_ZERO);
        row(b, out, &f32, &fft, bytes, taps[i], GPUPRIM_ZERO);
    }
}

void bench_convolve1d(struct bench *b)
{
    static const uint64_t taps[] = { 3, 9, 17, 33, 65, 129, 257, LONG };
    static const struct kind *const kinds[] = { &f16, &i16, &c32 };
    const size_t large = (size_t)1 << 30, bytes = gp_min(b->bytes, BYTES);
    const size_t most = b->gp->caps.is_cpu || b->bytes < large ? bytes : large;
    cl_int error;
    cl_mem out = clCreateBuffer(b->gp->context, CL_MEM_READ_WRITE, most, NULL, &error);
    if (error) {
        printf("convolve1d: no memory for %zu bytes of outputs\n", most);
        b->failed++;
        return;
    }
    for (size_t i = 0; i < sizeof taps / sizeof *taps; i++) {
        row(b, out, &f32, &dense, most, taps[i], GPUPRIM_ZERO);
        if (taps[i] < LONG) // what a kernel is compared with that clamps
            row(b, out, &f32, &dense, most, taps[i], GPUPRIM_EDGE);
    }
    for (int boundary = GPUPRIM_ZERO; boundary <= GPUPRIM_HISTORY; boundary++)
        if (most > bytes || (boundary != GPUPRIM_ZERO && boundary != GPUPRIM_EDGE)) {
            row(b, out, &f32, &dense, bytes, 9, (enum gpuprim_boundary)boundary);
            row(b, out, &f32, &dense, bytes, 65, (enum gpuprim_boundary)boundary);
        }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        row(b, out, kinds[i], &dense, bytes, 9, GPUPRIM_ZERO);
        row(b, out, kinds[i], &dense, bytes, 65, GPUPRIM_ZERO);
    }
    shapes(b, out, most);
    transforms(b, out, most);
    if (!b->gp->caps.is_cpu)
        curves(b, out, gp_min(bytes, CURVE_BYTES));
    clReleaseMemObject(out);
}
