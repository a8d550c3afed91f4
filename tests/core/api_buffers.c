/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of sub-buffers. Two arrays overlap if they share bytes of the parent buffer, no matter
 * through which buffers they are given. The tests try every pair of places in a parent and four
 * sub-buffers. A call must be refused if and only if the bytes overlap. After a call that is
 * not refused, all bytes of the parent are compared.
 */
#include "api.h"

#include <stdlib.h>
#include <string.h>

// The calls; each has two arrays in the parent, and at least the second one is written.
enum kind { SUM, FILTERED, LABELS, COUNTS, LABELS_AND_COUNTS, KINDS };

enum { VIEWS = 5, UNITS = 4, BOUND = 100 };

struct fixture {
    struct check *check;
    gpuprim *gp;
    size_t unit;         // alignment of sub-buffers
    cl_mem views[VIEWS]; // the parent first
    size_t origin[VIEWS], bytes[VIEWS];
    int32_t *x;            // contents of the parent, UNITS * unit bytes
    unsigned char *wanted; // contents after the call
    unsigned char *seen;
    gpuprim_filter *filter;
    gpuprim_classifier *classifier;
};

// Elements of an input: half a unit.
static uint64_t inputs(const struct fixture *s)
{
    return s->unit / 2 / sizeof *s->x;
}

// ---------------------------------------------------------------------------------------
// The call with arrays at two places of the parent

struct place {
    unsigned view;
    size_t at; // within the parent
};

static struct gpuprim_array array_at(const struct fixture *s, struct place place,
                                     enum gpuprim_type type, uint64_t count)
{
    return gpuprim_buffer(type, s->views[place.view],
                          (place.at - s->origin[place.view]) / gp_type_size(type), count);
}

// The second array of the call, and the first one.
static struct gpuprim_array second_of(const struct fixture *s, enum kind kind,
                                      struct place place)
{
    return kind == SUM        ? array_at(s, place, GPUPRIM_I64, 1)
           : kind == FILTERED ? array_at(s, place, GPUPRIM_I32, inputs(s))
           : kind == LABELS   ? array_at(s, place, GPUPRIM_U8, inputs(s))
                              : array_at(s, place, GPUPRIM_U32, 2);
}

static struct gpuprim_array first_of(const struct fixture *s, enum kind kind,
                                     struct place place)
{
    return kind == LABELS_AND_COUNTS ? array_at(s, place, GPUPRIM_U8, inputs(s))
                                     : array_at(s, place, GPUPRIM_I32, inputs(s));
}

static int call(const struct fixture *s, enum kind kind, const struct gpuprim_array *first,
                const struct gpuprim_array *second)
{
    // The input of LABELS_AND_COUNTS is on the host, so it overlaps nothing.
    const struct gpuprim_array x = gpuprim_host(GPUPRIM_I32, s->x, inputs(s));
    switch (kind) {
    case SUM:
        return gpuprim_reduce(s->gp, first, second,
                              &(struct gpuprim_reduce_params){ .op = GPUPRIM_SUM }, NULL);
    case FILTERED:
        return gpuprim_convolve1d(s->gp, s->filter, first, second, NULL, NULL);
    case LABELS:
        return gpuprim_classify(s->gp, s->classifier, first, second, NULL, NULL);
    case COUNTS:
        return gpuprim_classify(s->gp, s->classifier, first, NULL, second, NULL);
    default:
        return gpuprim_classify(s->gp, s->classifier, &x, first, second, NULL);
    }
}

// The parent's bytes after the call.
static void expect(const struct fixture *s, enum kind kind, size_t first, size_t second)
{
    const uint64_t n = inputs(s);
    const int32_t *x = kind == LABELS_AND_COUNTS ? s->x : s->x + first / sizeof *x;
    unsigned char *out = s->wanted + second;
    unsigned char *labels = kind == LABELS ? out : s->wanted + first;
    uint32_t counts[2] = { 0, 0 };
    int64_t sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        const int32_t filtered = x[i] + (i ? x[i - 1] : 0);
        const unsigned char label = x[i] >= BOUND;
        sum += x[i];
        counts[label]++;
        if (kind == FILTERED)
            memcpy(out + i * sizeof filtered, &filtered, sizeof filtered);
        if (kind == LABELS || kind == LABELS_AND_COUNTS)
            labels[i] = label;
    }
    if (kind == SUM)
        memcpy(out, &sum, sizeof sum);
    if (kind == COUNTS || kind == LABELS_AND_COUNTS)
        memcpy(out, counts, sizeof counts);
}

static void try_pair(const struct fixture *s, enum kind kind, struct place first,
                     struct place second)
{
    struct check *check = s->check;
    const struct gpuprim_array a = first_of(s, kind, first), b = second_of(s, kind, second);
    const size_t a_end = first.at + a.count * gp_type_size(a.type);
    const size_t b_end = second.at + b.count * gp_type_size(b.type);
    const bool meet = first.at < b_end && second.at < a_end;
    const size_t all = UNITS * s->unit;
    cl_command_queue queue = s->gp->queue;
    check->cases++;
    clEnqueueWriteBuffer(queue, s->views[0], CL_TRUE, 0, all, s->x, 0, NULL, NULL);
    const int status = call(s, kind, &a, &b);
    clEnqueueReadBuffer(queue, s->views[0], CL_TRUE, 0, all, s->seen, 0, NULL, NULL);
    memcpy(s->wanted, s->x, all);
    if (!meet)
        expect(s, kind, first.at, second.at);
    CHECK(check, status == (meet ? GPUPRIM_E_ARG : GPUPRIM_OK),
          "kind %d: bytes %zu-%zu of view %u and %zu-%zu of view %u: %d (%s)", (int)kind,
          first.at, a_end, first.view, second.at, b_end, second.view, status,
          gpuprim_last_error());
    CHECK(check, memcmp(s->seen, s->wanted, all) == 0,
          "kind %d: bytes %zu-%zu of view %u and %zu-%zu of view %u: wrong bytes", (int)kind,
          first.at, a_end, first.view, second.at, b_end, second.view);
}

// An array that fits the parent but not its sub-buffer is refused.
static void leave(const struct fixture *s, enum kind kind)
{
    const struct place good = { 4, 2 * s->unit }, part = { 1, 0 };
    struct gpuprim_array in = first_of(s, kind, part);
    const struct gpuprim_array out = second_of(s, kind, good);
    in.first = s->bytes[1] / gp_type_size(in.type) - in.count + 1;
    s->check->cases++;
    CHECK(s->check, call(s, kind, &in, &out) == GPUPRIM_E_RANGE,
          "kind %d: an array leaves its sub-buffer", (int)kind);
}

// ---------------------------------------------------------------------------------------

static bool make(struct fixture *s)
{
    static const unsigned parts[VIEWS][2] = {
        { 0, 4 }, { 0, 1 }, { 1, 1 }, { 1, 2 }, { 2, 2 }
    };
    cl_uint bits = 0;
    cl_int error;
    clGetDeviceInfo(s->gp->device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL);
    s->unit = bits / 8 > 128 ? bits / 8 : 128;
    s->x = check_allocate(UNITS * s->unit);
    s->wanted = check_allocate(UNITS * s->unit);
    s->seen = check_allocate(UNITS * s->unit);
    for (size_t i = 0; i < UNITS * s->unit / sizeof *s->x; i++)
        s->x[i] = (int32_t)check_below(s->check, 2 * BOUND);
    for (unsigned i = 0; i < VIEWS; i++) {
        s->origin[i] = parts[i][0] * s->unit;
        s->bytes[i] = parts[i][1] * s->unit;
        const cl_buffer_region region = { s->origin[i], s->bytes[i] };
        s->views[i] =
            i ? clCreateSubBuffer(s->views[0], CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                  &region, &error)
              : clCreateBuffer(s->gp->context, CL_MEM_READ_WRITE, s->bytes[i], NULL, &error);
        if (!CHECK(s->check, !error, "no sub-buffer: %d", error))
            return false;
    }
    static const int32_t ones[2] = { 1, 1 }, bound = BOUND;
    const struct gpuprim_array taps = gpuprim_host(GPUPRIM_I32, ones, 2);
    const struct gpuprim_filter_params filter = { .mode = GPUPRIM_CAUSAL };
    const struct gpuprim_thresholds rule = { .values = gpuprim_host(GPUPRIM_I32, &bound, 1) };
    const struct gpuprim_classifier_params classifier = { .thresholds = &rule };
    return CHECK(s->check,
                 !gpuprim_filter_create(s->gp, &taps, &filter, &s->filter) &&
                     !gpuprim_classifier_create(s->gp, &classifier, &s->classifier),
                 "%s", gpuprim_last_error());
}

static void end(struct fixture *s)
{
    gpuprim_filter_destroy(&s->filter);
    gpuprim_classifier_destroy(&s->classifier);
    for (unsigned i = VIEWS; i-- > 0;)
        if (s->views[i])
            clReleaseMemObject(s->views[i]);
    gpuprim_destroy(&s->gp);
    free(s->x);
    free(s->wanted);
    free(s->seen);
}

static void all_pairs(const struct fixture *s, enum kind kind)
{
    struct place places[64];
    unsigned n = 0;
    // In steps of a quarter, arrays overlap by half, touch, and lie apart.
    for (unsigned view = 0; view < VIEWS; view++)
        for (size_t at = 0; at + s->unit / 2 <= s->bytes[view]; at += s->unit / 4)
            places[n++] = (struct place){ view, s->origin[view] + at };
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < n; k++)
            try_pair(s, kind, places[i], places[k]);
}

void buffers_run(struct check *check)
{
    static const char *const names[KINDS] = { "reduce", "convolve1d", "classify/labels",
                                              "classify/counts", "classify/both" };
    for (int kind = 0; kind < KINDS; kind++) {
        if (!check_begin(check, "api/sub_buffers/%s", names[kind]))
            continue;
        struct fixture fixture = { .check = check, .gp = check_context(check, NULL, 0) };
        if (fixture.gp && make(&fixture)) {
            all_pairs(&fixture, (enum kind)kind);
            leave(&fixture, (enum kind)kind);
        }
        end(&fixture);
        check_end(check);
    }
}
