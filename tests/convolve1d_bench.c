/* SPDX-License-Identifier: Apache-2.0
 *
 * What `check --bench` measures of convolve1d: f32, SAME, in device memory, by numbers of taps
 * and by boundaries. Stretches of every result are compared with the baseline's, bit by bit. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TAPS = 1025, STRETCH = 4096 };

struct convolution {
    float taps[MOST_TAPS];
    struct gpuprim_filter_params params;
    uint64_t n_taps;
    struct gpuprim_array in, out;
    gpuprim_filter **filter; // made by the first call: only rows that are asked for compile
};

static int make_filter(struct bench *b, const struct convolution *c,
                       struct gpuprim_filter_params params, gpuprim_filter **out)
{
    const struct gpuprim_array taps = gpuprim_host(GPUPRIM_F32, c->taps, c->n_taps);
    return gpuprim_filter_create(b->gp, &taps, &params, out);
}

static int call(struct bench *b, const void *what, const struct gpuprim_sync *sync)
{
    const struct convolution *c = what;
    const int status = *c->filter ? GPUPRIM_OK : make_filter(b, c, c->params, c->filter);
    return status ? status : gpuprim_convolve1d(b->gp, *c->filter, &c->in, &c->out, NULL, sync);
}

// Outputs begin ... begin + STRETCH - 1, again and alone, by baseline.
static bool same_stretch(struct bench *b, const struct convolution *c, uint64_t begin)
{
    static float expected[STRETCH], got[STRETCH];
    const size_t bytes = sizeof(float) * STRETCH;
    struct gpuprim_filter_params params = c->params;
    params.mode = GPUPRIM_EXPLICIT;
    params.offset = (int64_t)(begin + (c->n_taps - 1) / 2);
    const struct gpuprim_array out = gpuprim_buffer(GPUPRIM_F32, b->result, 0, STRETCH);
    gpuprim_filter *filter = NULL;
    strcpy(b->gp->force_variant, "convolve1d:baseline");
    int status = make_filter(b, c, params, &filter);
    if (!status)
        status = gpuprim_convolve1d(b->gp, filter, &c->in, &out, NULL, NULL);
    b->gp->force_variant[0] = '\0';
    gpuprim_filter_destroy(&filter);
    return !status &&
           !clEnqueueReadBuffer(b->queue, b->result, CL_TRUE, 0, bytes, expected, 0, NULL,
                                NULL) &&
           !clEnqueueReadBuffer(b->queue, (cl_mem)c->out.base, CL_TRUE, begin * sizeof(float),
                                bytes, got, 0, NULL, NULL) &&
           memcmp(expected, got, bytes) == 0;
}

// True if no output is left of what was there before.
static bool all_written(struct bench *b, const struct convolution *c)
{
    enum { CHUNK = 1 << 22 };
    uint32_t *bits = malloc(sizeof *bits * CHUNK);
    bool good = bits != NULL;
    for (uint64_t i = 0; good && i < c->out.count; i += CHUNK) {
        const uint64_t n = c->out.count - i < CHUNK ? c->out.count - i : CHUNK;
        good = !clEnqueueReadBuffer(b->queue, (cl_mem)c->out.base, CL_TRUE, i * sizeof *bits,
                                    n * sizeof *bits, bits, 0, NULL, NULL);
        for (uint64_t k = 0; good && k < n; k++)
            good = bits[k] != UINT32_MAX;
    }
    free(bits);
    return good;
}

static bool verify(struct bench *b, const void *what)
{
    const struct convolution *c = what;
    const cl_uint poison = UINT32_MAX;
    const uint64_t n = c->out.count;
    if (clEnqueueFillBuffer(b->queue, (cl_mem)c->out.base, &poison, sizeof poison, 0,
                            n * sizeof poison, 0, NULL, NULL) ||
        clFinish(b->queue) || call(b, what, NULL) || !all_written(b, c))
        return false;
    const uint64_t begins[] = { 0, n / 2 + 1, n / 3, n - STRETCH };
    bool good = true;
    for (int i = 0; i < 4; i++)
        good &= same_stretch(b, c, begins[i]);
    return good;
}

static void row(struct bench *b, cl_mem out, uint64_t n, uint64_t taps,
                enum gpuprim_boundary boundary)
{
    static const char *const names[] = { "zero",         "constant",      "edge",
                                         "reflect_half", "reflect_whole", "wrap" };
    static struct convolution c;
    gpuprim_filter *filter = NULL;
    char name[64];
    c = (struct convolution){ .n_taps = taps,
                              .params = { .left = boundary, .right = boundary },
                              .filter = &filter,
                              .in = gpuprim_buffer(GPUPRIM_F32, b->memory, 0, n),
                              .out = gpuprim_buffer(GPUPRIM_F32, out, 0, n) };
    for (uint64_t k = 0; k < taps; k++)
        c.taps[k] = 1 / (float)(k + 2);
    snprintf(name, sizeof name, "%llu taps, %s", (unsigned long long)taps, names[boundary]);
    const struct bench_row it = { .primitive = "convolve1d",
                                  .name = name,
                                  .type = "f32",
                                  .n = n,
                                  .bytes = 2 * (double)n * sizeof(float),
                                  .outputs = n,
                                  .flops = 2 * (double)n * (double)taps,
                                  .written = out,
                                  .call = call,
                                  .verify = verify,
                                  .what = &c };
    bench_row(b, &it);
    gpuprim_filter_destroy(&filter);
}

void bench_convolve1d(struct bench *b);

void bench_convolve1d(struct bench *b)
{
    static const uint64_t taps[] = { 3, 9, 17, 33, 65, 129, 257, MOST_TAPS };
    uint64_t n = (uint64_t)1 << (b->gp->caps.is_cpu ? 26 : 28);
    while (n * sizeof(float) > b->bytes)
        n /= 2;
    cl_int error;
    cl_mem out =
        clCreateBuffer(b->gp->context, CL_MEM_READ_WRITE, n * sizeof(float), NULL, &error);
    if (error) {
        printf("convolve1d: no memory for %llu outputs\n", (unsigned long long)n);
        b->failed++;
        return;
    }
    for (size_t i = 0; i < sizeof taps / sizeof *taps; i++)
        row(b, out, n, taps[i], GPUPRIM_ZERO);
    for (int boundary = GPUPRIM_CONSTANT; boundary <= GPUPRIM_WRAP; boundary++) {
        row(b, out, n, 9, (enum gpuprim_boundary)boundary);
        row(b, out, n, 65, (enum gpuprim_boundary)boundary);
    }
    clReleaseMemObject(out);
}
