/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: a stream that is filtered in blocks, chained by their history, gives the
 * bits of one long call. suite.c runs this file. */
#include "case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 12000 };

struct stream {
    struct convolve_kind kind;
    struct gpuprim_filter_params params;
    gpuprim_filter *filter;
    uint64_t taps, halo, count;
    bool on_device;
    cl_mem in, out, history; // history: room for two, one behind the other
    unsigned char *x, *whole, *pieces, *before;
};

static struct gpuprim_array view(const struct stream *s, cl_mem memory, unsigned char *host,
                                 enum gpuprim_type type, uint64_t first, uint64_t count)
{
    struct gpuprim_array array = s->on_device ? gpuprim_buffer(type, memory, first, count)
                                              : gpuprim_host(type, host, count);
    array.first = first;
    return array;
}

// Convolves inputs begin ... begin + n - 1. The history moves between its two places, or stays
// in one of them.
static int block(gpuprim *gp, const struct stream *s, uint64_t begin, uint64_t n, bool stays,
                 unsigned *turn)
{
    const uint64_t step = s->params.stride;
    const enum gpuprim_type in = s->kind.in, out = s->kind.out;
    const struct gpuprim_array x = view(s, s->in, s->x, in, begin, n);
    const struct gpuprim_array y =
        view(s, s->out, s->pieces, out, begin / step, (n + step - 1) / step);
    struct gpuprim_history history = {
        .before = view(s, s->history, s->before, in, *turn * s->halo, s->halo),
    };
    if (!stays)
        *turn = 1 - *turn;
    history.after = view(s, s->history, s->before, in, *turn * s->halo, s->halo);
    return gpuprim_convolve1d(gp, s->filter, &x, &y, &history, NULL);
}

static int fill_device(const gpuprim *gp, struct stream *s, size_t in, size_t out)
{
    cl_int error;
    s->in = clCreateBuffer(gp->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, LONG * in,
                           s->x, &error);
    if (!error)
        s->out = clCreateBuffer(gp->context, CL_MEM_READ_WRITE, LONG * out, NULL, &error);
    if (!error)
        s->history =
            clCreateBuffer(gp->context, CL_MEM_READ_WRITE, 2 * s->halo * in + 1, NULL, &error);
    return error;
}

// Runs the stream in blocks of `length` inputs; 0: of random lengths.
static void run_blocks(struct check *check, gpuprim *gp, struct stream *s, uint64_t length)
{
    const size_t in = gp_type_size(s->kind.in), out = gp_type_size(s->kind.out);
    const uint64_t step = s->params.stride;
    memset(s->before, 0, 2 * s->halo * in);
    if (s->on_device)
        clEnqueueWriteBuffer(gp->queue, s->history, CL_TRUE, 0, 2 * s->halo * in + 1, s->before,
                             0, NULL, NULL);
    unsigned turn = 0;
    int status = GPUPRIM_OK;
    for (uint64_t begin = 0; !status && begin < s->count;) {
        // A block that is a multiple of the stride ends where the next one continues.
        uint64_t n = length ? length : 1 + check_below(check, 3000);
        n = (n + step - 1) / step * step;
        if (n > s->count - begin)
            n = s->count - begin;
        status = block(gp, s, begin, n, check_once_in(check, 2), &turn);
        begin += n;
    }
    check->cases++;
    if (!CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error()))
        return;
    const size_t bytes = (s->count + step - 1) / step * out;
    if (s->on_device)
        clEnqueueReadBuffer(gp->queue, s->out, CL_TRUE, 0, bytes, s->pieces, 0, NULL, NULL);
    CHECK(check, memcmp(s->pieces, s->whole, bytes) == 0,
          "%s: taps=%llu stride=%llu dilation=%llu: blocks of %llu differ from one call",
          gp_type_name(s->kind.in), (unsigned long long)s->taps, (unsigned long long)step,
          (unsigned long long)s->params.dilation, (unsigned long long)length);
}

static void stream(struct check *check, gpuprim *gp, const struct convolve_kind *kind,
                   uint64_t taps, bool on_device)
{
    static const uint64_t dilations[] = { 1, 1, 3 }, strides[] = { 1, 1, 1, 4 };
    struct stream s = { .kind = *kind, .taps = taps, .count = LONG, .on_device = on_device };
    s.params = (struct gpuprim_filter_params){ .in = kind->in,
                                               .out = kind->out,
                                               .mode = GPUPRIM_CAUSAL,
                                               .left = GPUPRIM_HISTORY,
                                               .stride = strides[check_below(check, 4)],
                                               .dilation = dilations[check_below(check, 3)] };
    s.halo = (taps - 1) * s.params.dilation;
    const size_t in = gp_type_size(kind->in), out = gp_type_size(kind->out);
    const struct convolve_case small = { .kind = *kind, .taps = taps };
    unsigned char *values = check_allocate(taps * 8);
    const struct gpuprim_array h = gpuprim_host(kind->taps, values, taps);
    convolve_fill_taps(check, &small, &h);
    s.x = check_allocate(LONG * in);
    s.whole = check_allocate(LONG * out);
    s.pieces = check_allocate(LONG * out);
    s.before = check_allocate(2 * s.halo * in + 1);
    const struct gpuprim_array x = gpuprim_host(kind->in, s.x, LONG);
    convolve_fill(check, &x, false);
    // The long call has zeros in front of its input instead of a history.
    struct gpuprim_filter_params plain = s.params;
    plain.left = GPUPRIM_ZERO;
    gpuprim_filter *filter = NULL;
    const struct gpuprim_array whole =
        gpuprim_host(kind->out, s.whole, (s.count + s.params.stride - 1) / s.params.stride);
    int status = gpuprim_filter_create(gp, &h, &plain, &filter);
    if (!status)
        status = gpuprim_convolve1d(gp, filter, &x, &whole, NULL, NULL);
    if (!status)
        status = gpuprim_filter_create(gp, &h, &s.params, &s.filter);
    if (!status && on_device)
        status = fill_device(gp, &s, in, out);
    if (status == GPUPRIM_E_UNSUPPORTED && check_may_refuse(gp)) {
        check->cases++;
        check->not_taken++;
    } else if (CHECK(check, status == GPUPRIM_OK, "%d: %s", status, gpuprim_last_error())) {
        static const uint64_t lengths[] = { 7, 4096, 0 };
        for (int i = 0; i < 3; i++)
            run_blocks(check, gp, &s, lengths[i]);
        s.count = 40; // each block takes a launch or two
        run_blocks(check, gp, &s, 1);
    }
    gpuprim_filter_destroy(&filter);
    gpuprim_filter_destroy(&s.filter);
    cl_mem memory[] = { s.in, s.out, s.history };
    for (int i = 0; i < 3; i++)
        if (memory[i])
            clReleaseMemObject(memory[i]);
    free(s.x), free(s.whole), free(s.pieces), free(s.before), free(values);
}

static void blocks(struct check *check, const char *variant)
{
    static const uint64_t taps[] = { 1, 3, 9, 17, 64, 129, 257 };
    gpuprim *gp = check_variant(check, "convolve1d", variant, 0);
    if (!gp)
        return;
    for (unsigned i = 0; i < (check->quick ? 3 : 7); i++)
        stream(check, gp, &convolve_kinds[0], taps[i], check_once_in(check, 2));
    stream(check, gp, &convolve_kinds[2 + check_below(check, 2)], 33, true);
    if (gp->caps.has_fp64)
        stream(check, gp, &convolve_kinds[4], 33, true);
    stream(check, gp, &convolve_kinds[5 + check_below(check, 2)], 33, true);
    stream(check, gp, &convolve_kinds[7 + check_below(check, CONVOLVE_KINDS - 7)], 33, false);
    gpuprim_destroy(&gp);
}

void convolve_stream_run(struct check *check)
{
    const struct gp_primitive *convolve = check_primitive("convolve1d");
    for (unsigned v = convolve->n_variants; v-- > 0;) {
        const char *name = convolve->variants[v]->name;
        const bool has_histories = strcmp(name, "gpu_places") != 0;
        if (has_histories && !convolve_method_of(name) &&
            check_begin(check, "convolve1d/blocks/%s", name)) {
            blocks(check, name);
            check_end(check);
        }
    }
}
