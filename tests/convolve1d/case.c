/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs one case of the tests of convolve1d (case.h). Bytes that are not elements of the input
 * are noise that would spoil a result. Bytes that are not outputs are canaries. */
#include "case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/convolve1d/convolve1d.h"
#include "tests/harness/model.h"
#include "tests/harness/shim.h"

enum { GUARD = 64 }; // elements of a block behind its array

// ---------------------------------------------------------------------------------------
// Running

static void describe(const struct convolve_case *test, char *text, size_t size)
{
    static const char *const modes[] = { "same",  "same_upper", "full",
                                         "valid", "causal",     "explicit" };
    static const char *const sides[] = { "zero",          "constant", "edge",   "reflect_half",
                                         "reflect_whole", "wrap",     "history" };
    static const char *const methods[] = { "", " fft", " auto" };
    const struct gpuprim_filter_params *p = &test->params;
    const struct check_layout *layouts[] = { &test->in, &test->out, &test->history };
    static const char *const names[] = { "in", "out", "history" };
    int n =
        snprintf(text, size,
                 "taps=%" PRIu64 "%s count=%" PRIu64 " rows=%" PRIu64
                 " %s %s|%s offset=%" PRId64 " outputs=%" PRIu64 " stride=%" PRIu64
                 " dilation=%" PRIu64 "%s%s shift=%u tap_bits=%u%s%s",
                 test->taps, test->taps_per_row ? " per row" : "", test->count, test->rows,
                 modes[p->mode], sides[p->left], sides[p->right], p->offset, test->outputs,
                 p->stride, p->dilation, p->correlate ? " correlate" : "", methods[p->method],
                 p->shift, test->tap_bits, test->small_taps ? " small" : "",
                 test->after_is_before ? " after_is_before" : "");
    for (int i = 0; i < 3 && n > 0 && (size_t)n < size; i++)
        n += check_layout_text(text + n, size - (size_t)n, names[i], layouts[i]);
    if (test->after_apart && n > 0 && (size_t)n < size)
        snprintf(text + n, size - (size_t)n, " after_apart=%" PRIu64, test->after_apart);
}

static void make_block(const struct check_layout *layout, enum gpuprim_type type,
                       uint64_t count, uint64_t rows, uint64_t tail, struct check_block *block)
{
    check_layout_block(layout, type, count, rows, tail, block);
    memset(block->bytes, 0xff, block->size); // floats: NaN
}

// Whether the history for the next block is right: the last elements of `before` followed by
// the input.
static bool tail_agrees(const struct check_block *in, const struct check_block *before,
                        const struct check_block *after)
{
    const uint64_t n = in->view.count, halo = before->view.count;
    const size_t size = gp_type_size(in->view.type);
    for (uint64_t row = 0; row < (in->view.rows ? in->view.rows : 1); row++)
        for (uint64_t i = 0; i < halo; i++) {
            const void *from = i + n < halo ? check_element(&before->view, row, i + n)
                                            : check_element(&in->view, row, i + n - halo);
            if (memcmp(from, check_element(&after->view, row, i), size) != 0)
                return false;
        }
    return true;
}

// The arrays of a running case: on the host, and where the call sees them.
enum { IN, OUT, BEFORE, AFTER, TAPS, ARRAYS };
struct fixture {
    struct check_block blocks[ARRAYS];
    struct check_place places[ARRAYS];
    uint64_t sums[ARRAYS];
    struct gpuprim_filter *filter;
    bool has_history;
};

static void judge(struct check *check, const gpuprim *gp, const struct convolve_case *test,
                  struct fixture *s, const struct check_block *before, int status,
                  const char *text)
{
    char why[256];
    if (status == GPUPRIM_E_UNSUPPORTED && check_may_refuse(gp)) {
        check->not_taken++;
        return;
    }
    if (!CHECK(check, status == GPUPRIM_OK, "%s: %s: %s", text, gpuprim_strerror(status),
               gpuprim_last_error()))
        return;
    CHECK(check,
          check_block_checksum(&s->blocks[IN]) == s->sums[IN] &&
              check_block_checksum(&s->blocks[TAPS]) == s->sums[TAPS],
          "%s: input or taps were written to", text);
    CHECK(check,
          convolve_reference_agrees(&s->blocks[IN].view, &s->blocks[TAPS].view, &test->params,
                                    s->has_history ? &before->view : NULL, &s->blocks[OUT].view,
                                    why, sizeof why),
          "%s: %s", text, why);
    CHECK(check, check_block_intact(&s->blocks[OUT]), "%s: written beside the outputs", text);
    if (!s->has_history)
        return;
    struct check_block *after = &s->blocks[test->after_is_before ? BEFORE : AFTER];
    if (test->updates_history)
        CHECK(check, tail_agrees(&s->blocks[IN], before, after), "%s: wrong history", text);
    if (!test->after_is_before) {
        CHECK(check, check_block_checksum(&s->blocks[BEFORE]) == s->sums[BEFORE],
              "%s: the history before was written to", text);
        CHECK(check, check_block_intact(after), "%s: written beside the history", text);
    }
}

static void fill(struct check *check, const struct convolve_case *test,
                 const struct gpuprim_array *view)
{
    if (test->is_rounding)
        convolve_fill_rounding(check, test, view);
    else
        convolve_fill(check, view, test->not_finite);
}

static bool fixture_make(struct check *check, gpuprim *gp, const struct convolve_case *test,
                         struct fixture *s)
{
    const struct gpuprim_filter_params *p = &test->params;
    const uint64_t halo = (test->taps - 1) * (p->dilation ? p->dilation : 1);
    const int64_t outputs = convolve_reference_outputs(
        p, test->taps, p->mode == GPUPRIM_EXPLICIT ? test->outputs : test->count);
    const enum gpuprim_type in = test->kind.in;
    const uint64_t tail = test->is_tight ? 0 : GUARD;
    *s = (struct fixture){ .has_history = p->left == GPUPRIM_HISTORY };
    make_block(&test->in, in, test->count, test->rows, tail, &s->blocks[IN]);
    fill(check, test, &s->blocks[IN].view);
    make_block(&test->out, test->kind.out, (uint64_t)outputs, test->rows, tail,
               &s->blocks[OUT]);
    check_block_canaries(&s->blocks[OUT]);
    make_block(&test->history, in, s->has_history ? halo : 0, test->rows, tail,
               &s->blocks[BEFORE]);
    fill(check, test, &s->blocks[BEFORE].view);
    struct check_layout after = test->history;
    after.lead += test->after_apart;
    after.row_stride += (int64_t)test->after_apart;
    make_block(&after, in,
               s->has_history && test->updates_history && !test->after_is_before ? halo : 0,
               test->rows, tail, &s->blocks[AFTER]);
    check_block_canaries(&s->blocks[AFTER]);
    make_block(&test->taps_layout, test->kind.taps, test->taps,
               test->taps_per_row ? test->rows : 1, tail, &s->blocks[TAPS]);
    if (test->is_rounding)
        convolve_fill_impulse(check, &s->blocks[TAPS].view);
    else
        convolve_fill_taps(check, test, &s->blocks[TAPS].view);
    const enum gpuprim_memory memories[ARRAYS] = { test->in.memory, test->out.memory,
                                                   test->history.memory, test->history.memory,
                                                   test->taps_layout.memory };
    bool ready = true;
    for (int i = 0; i < ARRAYS; i++) {
        s->sums[i] = check_block_checksum(&s->blocks[i]);
        ready &= check_place_make(check, gp, &s->places[i], &s->blocks[i], memories[i]);
    }
    return ready;
}

static int call(struct check *check, gpuprim *gp, const struct convolve_case *test,
                struct fixture *s)
{
    const struct gpuprim_history history = {
        .before = s->places[BEFORE].view,
        .after = s->places[test->after_is_before ? BEFORE : AFTER].view
    };
    struct gpuprim_filter_params params = test->params;
    params.in = test->kind.in;
    params.out = test->kind.out;
    // Of integers some filters sum in f64, whatever the device does fast.
    gp->caps.has_fast_fp64 = gp->caps.has_fp64 && test->count % 2;
    int status = gpuprim_filter_create(gp, &s->places[TAPS].view, &params, &s->filter);
    if (status)
        return status;
    const struct gpuprim_history *past = s->has_history ? &history : NULL;
    const struct gpuprim_array *in = &s->places[IN].view, *out = &s->places[OUT].view;
    status = gpuprim_convolve1d_prepare(gp, s->filter, in, out, past);
    const unsigned builds = shim_calls_of("clBuildProgram");
    if (!status)
        status = gpuprim_convolve1d(gp, s->filter, in, out, past, NULL);
    // Host arrays go to a GPU piece by piece, and pieces may have shapes of their own.
    const bool is_streamed =
        !gp->caps.is_cpu && (in->memory == GPUPRIM_HOST || out->memory == GPUPRIM_HOST);
    CHECK(check, is_streamed || shim_calls_of("clBuildProgram") == builds,
          "the prepared call built a program");
    return status;
}

bool convolve_run(struct check *check, gpuprim *gp, const struct convolve_case *given)
{
    const unsigned failures = check->failures;
    struct fixture s;
    char text[768];
    struct convolve_case with_method = *given;
    const struct convolve_case *test = &with_method;
    if (convolve_has_fft(&given->kind) && !given->params.method)
        with_method.params.method = convolve_method_of(gp->force_variant);
    describe(test, text, sizeof text);
    check->cases++;
    if (fixture_make(check, gp, test, &s)) {
        // before as it was: after may be the same memory
        struct check_block before = s.blocks[BEFORE];
        before.bytes = check_allocate(before.size);
        memcpy(before.bytes, s.blocks[BEFORE].bytes, before.size);
        before.view.base = before.bytes;
        const int status = call(check, gp, test, &s);
        bool read = true;
        for (int i = 0; i < ARRAYS; i++)
            read &= check_place_read(check, gp, &s.places[i], &s.blocks[i]);
        if (read)
            judge(check, gp, test, &s, &before, status, text);
        free(before.bytes);
    }
    gpuprim_filter_destroy(&s.filter);
    for (int i = 0; i < ARRAYS; i++) {
        check_place_free(gp, &s.places[i]);
        free(s.blocks[i].bytes);
    }
    return check->failures == failures;
}

gpuprim *convolve_cpu_context(struct check *check, const char *variant)
{
    static const struct device_model cpu = { .type = CL_DEVICE_TYPE_CPU };
    char forced[64];
    cl_device_type type = 0; // a simulator has all types
    snprintf(forced, sizeof forced, "convolve1d:%s", variant);
    gpuprim *gp = check_context_on(check, &cpu, forced, 0);
    if (gp)
        clGetDeviceInfo(gp->device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    if (!(type & CL_DEVICE_TYPE_CPU))
        gpuprim_destroy(&gp);
    return gp;
}

// ---------------------------------------------------------------------------------------
// Geometries by chance

void convolve_constant(struct convolve_case *test)
{
    struct gpuprim_filter_params *p = &test->params;
    p->constant[0] = p->constant[1] = 0;
    if (p->left != GPUPRIM_CONSTANT && p->right != GPUPRIM_CONSTANT)
        return;
    p->constant[0] = 3;
    if (test->kind.in == GPUPRIM_C32)
        p->constant[1] = -0.3;
    else if (test->kind.in >= GPUPRIM_F16)
        p->constant[0] = -0.7;
}

void convolve_shuffle(struct check *check, const gpuprim *gp, struct convolve_case *test)
{
    static const uint64_t strides[] = { 0, 1, 1, 1, 2, 3, 7 };
    static const uint64_t dilations[] = { 0, 1, 1, 1, 2, 3, 16, 50 };
    static const uint64_t rows[] = { 1, 1, 1, 2, 3, 17 };
    struct gpuprim_filter_params *p = &test->params;
    *p = (struct gpuprim_filter_params){ .constant = { 0, 0 } };
    p->stride = strides[check_below(check, 7)];
    p->dilation = dilations[check_below(check, test->taps > 64 ? 5 : 8)];
    p->correlate = (unsigned)check_below(check, 2);
    p->mode = (enum gpuprim_mode)check_below(check, 6);
    const uint64_t halo = (test->taps - 1) * (p->dilation ? p->dilation : 1);
    if (p->mode == GPUPRIM_VALID && test->count < halo)
        p->mode = GPUPRIM_FULL;
    p->left = (enum gpuprim_boundary)check_below(check, 7);
    p->right = (enum gpuprim_boundary)check_below(check, 6);
    if (test->count == 0) { // what an empty input has
        p->left = check_once_in(check, 2) ? GPUPRIM_HISTORY : GPUPRIM_CONSTANT;
        p->right = (enum gpuprim_boundary)check_below(check, 2);
    }
    if (p->mode == GPUPRIM_EXPLICIT) {
        const uint64_t span = test->count + halo;
        test->outputs = check_below(check, 2 * test->count + 40);
        p->offset = (int64_t)check_below(check, 2 * span + 1);
        if (p->left != GPUPRIM_HISTORY)
            p->offset -= (int64_t)span;
    }
    convolve_constant(test);
    if (test->kind.taps == GPUPRIM_I32 && check_once_in(check, 2))
        p->shift = (unsigned)check_below(check, check_once_in(check, 3) ? 63 : 20);
    test->rows = rows[check_below(check, test->count * test->taps > 20000 ? 4 : 6)];
    test->taps_per_row = check_once_in(check, 4);
    test->small_taps = test->kind.in < GPUPRIM_I32 && check_once_in(check, 2);
    test->tap_bits = check_once_in(check, 2) ? 0 : 1 + (unsigned)check_below(check, 8);
    test->not_finite = test->kind.taps != GPUPRIM_I32 && check_once_in(check, 6);
    test->updates_history = check_once_in(check, 2);
    test->after_is_before = test->updates_history && check_once_in(check, 2);
    check_layout_shuffle(check, gp, test->count, test->rows, &test->in);
    const int64_t outputs = convolve_reference_outputs(
        p, test->taps, p->mode == GPUPRIM_EXPLICIT ? test->outputs : test->count);
    check_layout_shuffle(check, gp, (uint64_t)outputs, test->rows, &test->out);
    check_layout_shuffle(check, gp, halo, test->rows, &test->history);
    check_layout_shuffle(check, gp, test->taps, test->rows, &test->taps_layout);
}
