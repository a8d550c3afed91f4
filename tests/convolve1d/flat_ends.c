/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: rows that are shorter than the filter, with ends that are one value.
 * There a variant may add the taps in another way than baseline, but must give its bits: also
 * where sums are -0, and where taps are infinities or NaNs. suite.c runs this file. */
#include "case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/convolve1d/convolve1d.h"

enum { MOST_ROWS = 40, MOST_COUNT = 60, MOST_TAPS = 2000, MOST_OUTPUTS = 4000 };

static const struct convolve_kind flat_kinds[] = {
    { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 }, { GPUPRIM_F64, GPUPRIM_F64, GPUPRIM_F64 },
    { GPUPRIM_F32, GPUPRIM_C32, GPUPRIM_C32 }, { GPUPRIM_C32, GPUPRIM_C32, GPUPRIM_C32 },
    { GPUPRIM_F32, GPUPRIM_F16, GPUPRIM_F32 }, { GPUPRIM_I32, GPUPRIM_I32, GPUPRIM_I64 },
};
enum { TINY_KINDS = 3, KINDS = sizeof flat_kinds / sizeof *flat_kinds };

// What floats are: all of one sign, so that no tap makes -0 a 0, or of both; so small that
// products are rounded to 0 and -0; one in `rare` is an infinity, a NaN or a zero.
struct manner {
    bool negative, mixed, tiny;
    uint64_t rare; // 0: none
};

static double any_number(struct check *check, const struct manner *m, double tiny)
{
    static const double rare[] = { INFINITY, -INFINITY, NAN, -0.0, 0.0 };
    const double size = 1 + (double)check_below(check, 1000) / 1000;
    const bool is_minus = m->mixed ? check_once_in(check, 2) : m->negative;
    if (m->rare && check_once_in(check, m->rare))
        return rare[check_below(check, 5)];
    return (is_minus ? -size : size) * (m->tiny ? tiny : 1);
}

static void fill(struct check *check, const struct manner *m, enum gpuprim_type type, void *to,
                 uint64_t count)
{
    const uint64_t parts = type == GPUPRIM_C32 ? 2 : 1;
    for (uint64_t i = 0; i < count * parts; i++)
        if (type == GPUPRIM_F64)
            ((double *)to)[i] = any_number(check, m, 0x1p-540);
        else if (type == GPUPRIM_F16) // 1 to 2, or 0x1p-24
            ((uint16_t *)to)[i] =
                (uint16_t)((m->tiny ? 1 : 0x3c00 + check_below(check, 0x400)) |
                           (check_once_in(check, 2) ? 0x8000 : 0));
        else if (type == GPUPRIM_I32)
            ((int32_t *)to)[i] = (int32_t)check_below(check, 2000) - 1000;
        else
            ((float *)to)[i] = (float)any_number(check, m, 0x1p-80);
}

struct flat_case {
    const struct convolve_kind *kind;
    struct gpuprim_filter_params params;
    uint64_t rows, count, outputs, taps, tap_rows;
    void *h, *x, *out[2];
};

static int run(gpuprim *gp, const struct flat_case *c, void *out)
{
    const struct gpuprim_array h =
        gpuprim_as_rows(gpuprim_host(c->kind->taps, c->h, 0), c->tap_rows, c->taps);
    const struct gpuprim_array x =
        gpuprim_as_rows(gpuprim_host(c->kind->in, c->x, 0), c->rows, c->count);
    const struct gpuprim_array y =
        gpuprim_as_rows(gpuprim_host(c->kind->out, out, 0), c->rows, c->outputs);
    gpuprim_filter *filter = NULL;
    int status = gpuprim_filter_create(gp, &h, &c->params, &filter);
    if (!status)
        status = gpuprim_convolve1d(gp, filter, &x, &y, NULL, NULL);
    gpuprim_filter_destroy(&filter);
    return status;
}

// Any NaN is as good as another.
static bool same(const struct flat_case *c)
{
    const bool is_f64 = c->kind->out == GPUPRIM_F64, is_whole = c->kind->out == GPUPRIM_I64;
    const size_t size = is_f64 || is_whole ? 8 : 4;
    const uint64_t count = c->rows * c->outputs * (c->kind->out == GPUPRIM_C32 ? 2 : 1);
    for (uint64_t i = 0; i < count; i++) {
        const char *a = (const char *)c->out[0] + i * size,
                   *b = (const char *)c->out[1] + i * size;
        const bool both_nan = is_f64 ? isnan(*(const double *)a) && isnan(*(const double *)b)
                                     : isnan(*(const float *)a) && isnan(*(const float *)b);
        if (memcmp(a, b, size) != 0 && (is_whole || !both_nan))
            return false;
    }
    return true;
}

// `is_tiny`: sums are 0 or -0 before most outputs meet zeros beyond the right end.
static void draw(struct check *check, struct flat_case *c, bool is_tiny)
{
    static const enum gpuprim_mode modes[] = { GPUPRIM_SAME, GPUPRIM_CAUSAL, GPUPRIM_FULL };
    static const double values[] = { 0, -0.0, 0.75 };
    struct gpuprim_filter_params *p = &c->params;
    const enum gpuprim_type in = c->kind->in;
    const uint64_t part = check->quick ? 8 : 1;
    c->rows = 1 + check_below(check, MOST_ROWS / part);
    c->count = 1 + check_below(check, MOST_COUNT / part);
    c->taps = 1 + check_below(check, (check_once_in(check, 3) ? MOST_TAPS : 200) / part);
    c->tap_rows = !is_tiny && check_once_in(check, 4) ? c->rows : 1;
    *p = (struct gpuprim_filter_params){ .in = in,
                                         .out = c->kind->out,
                                         .mode = modes[is_tiny ? 0 : check_below(check, 3)],
                                         .stride = 1 + check_below(check, 4),
                                         .dilation = 1 + check_below(check, 3) };
    const unsigned sides = check_once_in(check, 2) ? 2 : 6; // ZERO and CONSTANT, or any
    p->left = (enum gpuprim_boundary)check_below(check, sides);
    p->right = is_tiny ? GPUPRIM_ZERO : (enum gpuprim_boundary)check_below(check, sides);
    if (p->left == GPUPRIM_CONSTANT || p->right == GPUPRIM_CONSTANT)
        p->constant[0] = values[check_below(check, in == GPUPRIM_I32 || is_tiny ? 1 : 3)];
    const uint64_t all = c->count + (p->mode == GPUPRIM_FULL ? (c->taps - 1) * p->dilation : 0);
    c->outputs = (all + p->stride - 1) / p->stride;
    if (c->outputs > MOST_OUTPUTS) {
        p->mode = GPUPRIM_SAME;
        c->outputs = (c->count + p->stride - 1) / p->stride;
    }
}

static void one_case(struct check *check, gpuprim *gp, struct flat_case *c)
{
    char forced[sizeof gp->force_variant];
    const bool is_tiny = check_once_in(check, 2), is_minus = check_once_in(check, 2);
    const struct manner taps = { is_minus, check_once_in(check, 3), is_tiny,
                                 check_once_in(check, 4) ? 60 : 0 };
    const struct manner data = { !is_minus, check_once_in(check, 3), is_tiny,
                                 check_once_in(check, 6) ? 60 : 0 };
    c->kind = &flat_kinds[check_below(check, is_tiny ? TINY_KINDS : KINDS)];
    if (c->kind->in == GPUPRIM_F64 && !gp->caps.has_fp64)
        c->kind = &flat_kinds[0];
    draw(check, c, is_tiny);
    fill(check, &taps, c->kind->taps, c->h, c->tap_rows * c->taps);
    fill(check, &data, c->kind->in, c->x, c->rows * c->count);
    check->cases++;
    strcpy(forced, gp->force_variant);
    const int first = run(gp, c, c->out[0]);
    strcpy(gp->force_variant, "convolve1d:baseline");
    const int second = run(gp, c, c->out[1]);
    strcpy(gp->force_variant, forced);
    if (first == GPUPRIM_E_UNSUPPORTED && check_may_refuse(gp)) {
        check->not_taken++;
        return;
    }
    if (CHECK(check, first == GPUPRIM_OK && second == GPUPRIM_OK, "%s", gpuprim_last_error()))
        CHECK(check, same(c),
              "not the bits of baseline: %s, %llu taps, %llu rows of %llu, left %d right %d, "
              "constant %g, mode %d, stride %llu, dilation %llu",
              gp_type_name(c->kind->in), (unsigned long long)c->taps,
              (unsigned long long)c->rows, (unsigned long long)c->count, (int)c->params.left,
              (int)c->params.right, c->params.constant[0], (int)c->params.mode,
              (unsigned long long)c->params.stride, (unsigned long long)c->params.dilation);
}

static void flat_ends(struct check *check, gpuprim *gp)
{
    const int cases = check->quick ? 6 : 60;
    struct flat_case c = { .h = malloc((size_t)MOST_ROWS * MOST_TAPS * 8),
                           .x = malloc((size_t)MOST_ROWS * MOST_COUNT * 8),
                           .out = { malloc((size_t)MOST_ROWS * MOST_OUTPUTS * 8),
                                    malloc((size_t)MOST_ROWS * MOST_OUTPUTS * 8) } };
    const bool good = c.h && c.x && c.out[0] && c.out[1];
    for (int i = 0; i < cases && CHECK(check, good, "out of memory"); i++)
        one_case(check, gp, &c);
    free(c.h);
    free(c.x);
    free(c.out[0]);
    free(c.out[1]);
}

void convolve_flat_ends_run(struct check *check)
{
    static const char *const variants[] = { "gpu_tap_chunks", "gpu_folds", "gpu_places",
                                            "gpu_row_registers" };
    for (unsigned i = 0; i < sizeof variants / sizeof *variants; i++) {
        if (!check_begin(check, "convolve1d/flat_ends/%s", variants[i]))
            continue;
        gpuprim *gp = check_variant(check, "convolve1d", variants[i], 0);
        if (gp)
            flat_ends(check, gp);
        gpuprim_destroy(&gp);
        check_end(check);
    }
}
