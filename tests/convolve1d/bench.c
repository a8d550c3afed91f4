/* SPDX-License-Identifier: Apache-2.0
 *
 * The bench rows of convolve1d (`check --bench`): SAME in device memory, by numbers of taps, by
 * boundaries and by types. GPUs take 1 GiB, so that the cost of a launch does not matter. Parts
 * of every result are compared with the baseline's, bit by bit. */
#include "case.h"
#include "tests/harness/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TAPS = 1025, STRETCH = 4096, BYTES = 256 << 20 };

// The types that are measured, and the multiply-adds of a tap and an element.
static const struct kind {
    enum gpuprim_type taps, data;
    unsigned shift, multiply_adds;
} f32 = { GPUPRIM_F32, GPUPRIM_F32, 0, 1 }, f16 = { GPUPRIM_F32, GPUPRIM_F16, 0, 1 },
  i16 = { GPUPRIM_I32, GPUPRIM_I16, 9, 1 }, c32 = { GPUPRIM_C32, GPUPRIM_C32, 0, 4 };

struct convolution {
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

static int make_filter(gpuprim *gp, const struct convolution *c,
                       struct gpuprim_filter_params params, gpuprim_filter **out)
{
    const struct gpuprim_array taps = gpuprim_host(c->kind->taps, &c->taps, c->n_taps);
    return gpuprim_filter_create(gp, &taps, &params, out);
}

static int convolve(gpuprim *gp, const struct convolution *c, const gpuprim_filter *filter,
                    const struct gpuprim_array *out, const struct gpuprim_sync *sync)
{
    const bool has_history = c->params.left == GPUPRIM_HISTORY;
    return gpuprim_convolve1d(gp, filter, &c->in, out, has_history ? &c->history : NULL, sync);
}

static int call(struct bench *b, const void *what, const struct gpuprim_sync *sync)
{
    const struct convolution *c = what;
    const int status = *c->filter ? GPUPRIM_OK : make_filter(b->gp, c, c->params, c->filter);
    return status ? status : convolve(b->gp, c, *c->filter, &c->out, sync);
}

static void forget(const void *what)
{
    const struct convolution *c = what;
    gpuprim_filter_destroy(c->filter);
}

// Computes outputs begin ... begin + STRETCH - 1 again by baseline, and compares.
static bool same_stretch(struct bench *b, const struct convolution *c, uint64_t begin)
{
    static unsigned char expected[8 * STRETCH], got[8 * STRETCH];
    const size_t size = gp_type_size(c->kind->data), bytes = size * STRETCH;
    struct gpuprim_filter_params params = c->params;
    params.mode = GPUPRIM_EXPLICIT;
    params.offset = (int64_t)(begin + (c->n_taps - 1) / 2);
    const struct gpuprim_array out = gpuprim_buffer(c->kind->data, b->result, 0, STRETCH);
    gpuprim_filter *filter = NULL;
    int status = make_filter(b->reference, c, params, &filter);
    if (!status)
        status = convolve(b->reference, c, filter, &out, NULL);
    gpuprim_filter_destroy(&filter);
    return !status &&
           !clEnqueueReadBuffer(b->queue, b->result, CL_TRUE, 0, bytes, expected, 0, NULL,
                                NULL) &&
           !clEnqueueReadBuffer(b->queue, (cl_mem)c->out.base, CL_TRUE, begin * size, bytes,
                                got, 0, NULL, NULL) &&
           memcmp(expected, got, bytes) == 0;
}

// Stands in `out` before a call. No result has these bits: they are negative in every type, and
// data and taps are positive, with integer results below 30000.
static const cl_uint poison = 0x80008000;

// True if every output was written.
static bool all_written(struct bench *b, const struct convolution *c)
{
    const size_t bytes = c->out.count * gp_type_size(c->kind->data);
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
    const struct convolution *c = what;
    const uint64_t n = c->out.count;
    if (clEnqueueFillBuffer(b->queue, (cl_mem)c->out.base, &poison, sizeof poison, 0,
                            n * gp_type_size(c->kind->data), 0, NULL, NULL) ||
        clFinish(b->queue) || call(b, what, NULL) || !all_written(b, c))
        return false;
    const uint64_t begins[] = { 0, n / 2 + 1, n / 3, n - STRETCH };
    bool good = true;
    for (int i = 0; i < 4; i++)
        good &= same_stretch(b, c, begins[i]);
    return good;
}

// Integers: the sum of |taps| times the largest input stays below 2^15 after the shift.
static void fill_taps(struct convolution *c)
{
    for (uint64_t k = 0; k < c->n_taps; k++)
        if (c->kind->taps == GPUPRIM_I32)
            c->taps.whole[k] = (int32_t)(k % 13) - 6;
        else if (c->kind->taps == GPUPRIM_C32) {
            c->taps.floats[2 * k] = 1 / (float)(k + 2);
            c->taps.floats[2 * k + 1] = -1 / (float)(k + 3);
        } else
            c->taps.floats[k] = 1 / (float)(k + 2);
}

static void row(struct bench *b, cl_mem out, const struct kind *kind, size_t bytes,
                uint64_t taps, enum gpuprim_boundary boundary)
{
    static const char *const names[] = { "zero",          "constant", "edge",   "reflect_half",
                                         "reflect_whole", "wrap",     "history" };
    static struct convolution c;
    const uint64_t n = bytes / gp_type_size(kind->data);
    gpuprim_filter *filter = NULL;
    char name[64];
    const struct gpuprim_array in = gpuprim_buffer(kind->data, b->memory, 0, n);
    const bool has_history = boundary == GPUPRIM_HISTORY;
    c = (struct convolution){ .kind = kind,
                              .n_taps = taps,
                              .params = { .in = kind->data,
                                          .left = boundary,
                                          .right = has_history ? GPUPRIM_ZERO : boundary,
                                          .shift = kind->shift },
                              .history = { .before = in },
                              .filter = &filter,
                              .in = in,
                              .out = gpuprim_buffer(kind->data, out, 0, n) };
    c.history.before.count = taps - 1;
    fill_taps(&c);
    snprintf(name, sizeof name, "%llu taps, %s", (unsigned long long)taps, names[boundary]);
    const struct bench_row it = { .primitive = "convolve1d",
                                  .name = name,
                                  .type = gp_type_name(kind->data),
                                  .n = n,
                                  .bytes = 2 * (double)bytes,
                                  .outputs = n,
                                  .flops = 2 * (double)n * (double)taps * kind->multiply_adds,
                                  .written = out,
                                  .call = call,
                                  .verify = verify,
                                  .forget = forget,
                                  .what = &c };
    bench_row(b, &it);
}

void bench_convolve1d(struct bench *b)
{
    static const uint64_t taps[] = { 3, 9, 17, 33, 65, 129, 257, MOST_TAPS };
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
        row(b, out, &f32, most, taps[i], GPUPRIM_ZERO);
        if (taps[i] < MOST_TAPS) // what a kernel is compared with that clamps
            row(b, out, &f32, most, taps[i], GPUPRIM_EDGE);
    }
    for (int boundary = GPUPRIM_ZERO; boundary <= GPUPRIM_HISTORY; boundary++)
        if (most > bytes || (boundary != GPUPRIM_ZERO && boundary != GPUPRIM_EDGE)) {
            row(b, out, &f32, bytes, 9, (enum gpuprim_boundary)boundary);
            row(b, out, &f32, bytes, 65, (enum gpuprim_boundary)boundary);
        }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        row(b, out, kinds[i], bytes, 9, GPUPRIM_ZERO);
        row(b, out, kinds[i], bytes, 65, GPUPRIM_ZERO);
    }
    clReleaseMemObject(out);
}
