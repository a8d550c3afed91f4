/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: results that must be equal bit by bit. A variant and baseline, a filter
 * described in two ways, an impulse among taps or inputs, an output computed by two calls.
 * suite.c runs this file. */
#include "case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/convolve1d/convolve1d.h"

enum { N = 5003, MOST_TAPS = 257 };

static const struct convolve_kind identity_kinds[] = {
    { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_F32 }, { GPUPRIM_F32, GPUPRIM_F16, GPUPRIM_F32 },
    { GPUPRIM_C32, GPUPRIM_C32, GPUPRIM_C32 }, { GPUPRIM_F32, GPUPRIM_C32, GPUPRIM_C32 },
    { GPUPRIM_I32, GPUPRIM_I16, GPUPRIM_I32 }, { GPUPRIM_I32, GPUPRIM_U8, GPUPRIM_U8 },
    { GPUPRIM_I32, GPUPRIM_I32, GPUPRIM_I64 }, { GPUPRIM_F32, GPUPRIM_U8, GPUPRIM_U8 },
    { GPUPRIM_F32, GPUPRIM_I16, GPUPRIM_F16 }, { GPUPRIM_F32, GPUPRIM_F32, GPUPRIM_I16 },
};
enum { KINDS = sizeof identity_kinds / sizeof *identity_kinds };

// Elements of up to 8 bytes.
struct signals {
    struct convolve_kind kind;
    uint64_t taps;
    unsigned char h[MOST_TAPS * 8], x[(N + MOST_TAPS) * 8];
    unsigned char a[(N + MOST_TAPS) * 8], b[(N + MOST_TAPS) * 8]; // outputs
};

static void make(struct check *check, struct signals *s, const struct convolve_kind *kind,
                 uint64_t taps)
{
    const struct convolve_case test = { .kind = *kind,
                                        .taps = taps,
                                        .small_taps =
                                            kind->in < GPUPRIM_I32 && check_once_in(check, 2) };
    s->kind = *kind;
    s->taps = taps;
    const struct gpuprim_array h = gpuprim_host(kind->taps, s->h, taps);
    const struct gpuprim_array x = gpuprim_host(kind->in, s->x, N);
    convolve_fill_taps(check, &test, &h);
    convolve_fill(check, &x, false);
    memset(s->a, 0xc5, sizeof s->a);
    memset(s->b, 0xc5, sizeof s->b);
}

static int convolve(gpuprim *gp, const struct signals *s, const void *taps, uint64_t n_taps,
                    const void *x, uint64_t n, void *out, uint64_t outputs,
                    struct gpuprim_filter_params params)
{
    params.in = s->kind.in;
    params.out = s->kind.out;
    const struct gpuprim_array h = gpuprim_host(s->kind.taps, taps, n_taps);
    const struct gpuprim_array in = gpuprim_host(s->kind.in, x, n);
    const struct gpuprim_array y = gpuprim_host(s->kind.out, out, outputs);
    gpuprim_filter *filter = NULL;
    int status = gpuprim_filter_create(gp, &h, &params, &filter);
    if (!status)
        status = gpuprim_convolve1d(gp, filter, &in, &y, NULL, NULL);
    gpuprim_filter_destroy(&filter);
    return status;
}

static bool equal(struct check *check, const gpuprim *gp, const struct signals *s, int first,
                  int second, uint64_t outputs, const char *what)
{
    check->cases++;
    if ((first == GPUPRIM_E_UNSUPPORTED || second == GPUPRIM_E_UNSUPPORTED) &&
        check_may_refuse(gp)) {
        check->not_taken++;
        return true;
    }
    return CHECK(check, first == GPUPRIM_OK && second == GPUPRIM_OK, "%s: %s", what,
                 gpuprim_last_error()) &&
           CHECK(check, memcmp(s->a, s->b, outputs * gp_type_size(s->kind.out)) == 0,
                 "%s: not the same bits: %s, %llu taps", what, gp_type_name(s->kind.in),
                 (unsigned long long)s->taps);
}

// ---------------------------------------------------------------------------------------

// Compares a variant with baseline over a whole row and both of its ends.
static void same_bits(struct check *check, gpuprim *gp, struct signals *s)
{
    char forced[sizeof gp->force_variant];
    struct gpuprim_filter_params params = { .mode = GPUPRIM_FULL };
    params.left = (enum gpuprim_boundary)check_below(check, 6);
    params.right = (enum gpuprim_boundary)check_below(check, 6);
    const uint64_t outputs = N + s->taps - 1;
    strcpy(forced, gp->force_variant);
    const int first = convolve(gp, s, s->h, s->taps, s->x, N, s->a, outputs, params);
    strcpy(gp->force_variant, "convolve1d:baseline");
    const int second = convolve(gp, s, s->h, s->taps, s->x, N, s->b, outputs, params);
    strcpy(gp->force_variant, forced);
    equal(check, gp, s, first, second, outputs, "variant and baseline");
}

// CORRELATE with taps that are reversed by hand gives what a convolution gives.
static void reversal(struct check *check, gpuprim *gp, struct signals *s)
{
    const size_t size = gp_type_size(s->kind.taps);
    unsigned char reversed[MOST_TAPS * 8];
    for (uint64_t k = 0; k < s->taps; k++)
        memcpy(reversed + k * size, s->h + (s->taps - 1 - k) * size, size);
    const struct gpuprim_filter_params convolved = { .right = GPUPRIM_WRAP };
    const struct gpuprim_filter_params correlated = { .right = GPUPRIM_WRAP, .correlate = 1 };
    const int first = convolve(gp, s, s->h, s->taps, s->x, N, s->a, N, convolved);
    const int second = convolve(gp, s, reversed, s->taps, s->x, N, s->b, N, correlated);
    equal(check, gp, s, first, second, N, "taps reversed by hand");
}

// An output does not depend on where a call begins: a call on the inputs from `by` on gives
// what the whole call gives from output `by` on.
static void shift(struct check *check, gpuprim *gp, struct signals *s)
{
    const uint64_t by = check_below(check, 1000);
    const size_t in = gp_type_size(s->kind.in), out = gp_type_size(s->kind.out);
    const struct gpuprim_filter_params valid = { .mode = GPUPRIM_VALID };
    const uint64_t outputs = N - (s->taps - 1);
    const int first = convolve(gp, s, s->h, s->taps, s->x, N, s->a, outputs, valid);
    const int second =
        convolve(gp, s, s->h, s->taps, s->x + by * in, N - by, s->b, outputs - by, valid);
    memmove(s->a, s->a + by * out, (outputs - by) * out);
    equal(check, gp, s, first, second, outputs - by, "inputs from the middle on");
}

// A single tap of 1 at position m moves the input by m. A single input of 1 gives the taps.
static void impulse(struct check *check, gpuprim *gp, struct signals *s)
{
    const float one = 1;
    const int32_t whole = 1;
    const bool is_float = s->kind.taps != GPUPRIM_I32;
    if (s->kind.in != s->kind.out)
        return; // outputs equal inputs only where nothing is converted
    const size_t size = gp_type_size(s->kind.in), tap = gp_type_size(s->kind.taps);
    unsigned char delta[MOST_TAPS * 8] = { 0 };
    const uint64_t m = check_below(check, s->taps), outputs = N + s->taps - 1;
    memcpy(delta + m * tap, is_float ? (const void *)&one : &whole, 4);
    const struct gpuprim_filter_params full = { .mode = GPUPRIM_FULL };
    const int first = convolve(gp, s, delta, s->taps, s->x, N, s->a, outputs, full);
    memset(s->b, 0, sizeof s->b);
    memcpy(s->b + m * size, s->x, N * size);
    equal(check, gp, s, first, GPUPRIM_OK, outputs, "an impulse among the taps");
    if (!is_float || s->kind.taps != s->kind.in)
        return;
    unsigned char *x = check_allocate(N * size);
    memset(x, 0, N * size);
    const uint64_t at = check_below(check, N);
    memcpy(x + at * size, &one, sizeof one);
    const int second = convolve(gp, s, s->h, s->taps, x, N, s->a, outputs, full);
    memset(s->b, 0, sizeof s->b);
    memcpy(s->b + at * size, s->h, s->taps * size);
    equal(check, gp, s, second, GPUPRIM_OK, outputs, "an impulse among the inputs");
    free(x);
}

// Runs all of these with one variant.
static void identities(struct check *check, const char *variant)
{
    static const uint64_t taps[] = { 1, 2, 3, 9, 17, 33, 65, 129, MOST_TAPS };
    enum { COUNTS = sizeof taps / sizeof *taps };
    gpuprim *gp = check_variant(check, "convolve1d", variant, 0);
    struct signals *s = check_allocate(sizeof *s);
    for (unsigned k = 0; gp && k < KINDS; k++)
        for (unsigned i = 0; i < COUNTS; i++) {
            // f32 runs with all numbers of taps, the other types with about two.
            if (k && check_below(check, COUNTS) > 1)
                continue;
            make(check, s, &identity_kinds[k], taps[i]);
            same_bits(check, gp, s);
            reversal(check, gp, s);
            shift(check, gp, s);
            impulse(check, gp, s);
        }
    free(s);
    gpuprim_destroy(&gp);
}

void convolve_identities_run(struct check *check)
{
    const struct gp_primitive *convolve = check_primitive("convolve1d");
    for (unsigned v = convolve->n_variants; v-- > 0;)
        if (!convolve_method_of(convolve->variants[v]->name) &&
            check_begin(check, "convolve1d/identities/%s", convolve->variants[v]->name)) {
            identities(check, convolve->variants[v]->name);
            check_end(check);
        }
}
