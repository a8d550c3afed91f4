/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: every kind of types with every variant, baseline first, over numbers of
 * taps, sizes, modes, boundaries and geometries drawn at random. Runs the other files of this
 * folder, too; case.c runs and compares one case. */
#include "case.h"

#include <stdio.h>
#include <string.h>

#include "src/convolve1d/convolve1d.h"

static const uint64_t tap_counts[] = { 1, 2, 3, 8, 9, 16, 17, 31, 33, 64, 65, 129, 257, 1025 };
enum { TAP_COUNTS = sizeof tap_counts / sizeof *tap_counts };

// A number of inputs: near a limit of the kernels or near the filter's length, and with few
// enough products for the reference.
static uint64_t any_count(struct check *check, uint64_t taps)
{
    static const uint64_t fixed[] = { 0,    1,    2,    3,    4,    15,   16,   17,
                                      31,   33,   255,  256,  257,  511,  997,  1023,
                                      1025, 2047, 2049, 4095, 4097, 8191, 10007 };
    enum { N = sizeof fixed / sizeof *fixed, PRODUCTS = 400000, QUICK_PRODUCTS = 20000 };
    const uint64_t most = (check->quick ? QUICK_PRODUCTS : PRODUCTS) / taps;
    for (int turn = 0; turn < 8; turn++) {
        const uint64_t n = check_once_in(check, 4) ? taps - 1 + check_below(check, 3)
                                                   : fixed[check_below(check, N)];
        if (n <= most)
            return n;
    }
    return 1 + check_below(check, 40);
}

// Each number of taps, and on GPUs each kind of shape, may need a program of its own, and
// compiling takes most of the time. So a group takes half of the numbers of taps, or two of
// them with few cases where the device would not choose the variant (`own` is false).
static void sweep(struct check *check, gpuprim *gp, const struct convolve_kind *kind, bool own)
{
    const unsigned cases = check->quick ? (own ? 2 : 1) : own ? 8 : 3, step = own ? 2 : 7;
    struct convolve_case test = { .kind = *kind };
    for (unsigned i = (unsigned)check_below(check, step); i < TAP_COUNTS; i += step) {
        test.taps = tap_counts[i];
        for (unsigned k = 0; k < cases; k++) {
            test.count = any_count(check, test.taps);
            convolve_shuffle(check, gp, &test);
            convolve_run(check, gp, &test);
        }
    }
}

// Every pair of boundaries on short rows: one element, two, about as many as the filter has
// taps. Where the device would not choose the variant, one pair in eight with one number of
// taps, or none if quick.
static void sweep_short(struct check *check, gpuprim *gp, const struct convolve_kind *kind,
                        bool own)
{
    static const uint64_t taps[] = { 3, 9, 17, 33 };
    const uint64_t one = taps[check_below(check, 4)];
    struct convolve_case test = { .kind = *kind };
    for (int left = GPUPRIM_ZERO; left <= GPUPRIM_HISTORY; left++)
        for (int right = GPUPRIM_ZERO; right < GPUPRIM_HISTORY; right++) {
            if (!own && (check->quick || !check_once_in(check, 8)))
                continue;
            test.taps = own ? taps[check_below(check, 4)] : one;
            const uint64_t counts[] = { 1, 2, test.taps - 1, test.taps };
            for (int i = 0; i < 4; i++) {
                test.count = counts[i];
                convolve_shuffle(check, gp, &test);
                test.params.left = (enum gpuprim_boundary)left;
                test.params.right = (enum gpuprim_boundary)right;
                if (test.params.offset < 0 && left == GPUPRIM_HISTORY)
                    test.params.offset = 0;
                convolve_constant(&test);
                convolve_run(check, gp, &test);
            }
        }
}

// Work-group sizes that are forced, some of them no power of two.
static void sweep_groups(struct check *check, unsigned work_group)
{
    gpuprim *gp = check_context(check, "convolve1d:baseline", work_group);
    struct convolve_case test = { .kind = convolve_kinds[0], .taps = 17 };
    for (int i = 0; gp && i < (check->quick ? 4 : 20); i++) {
        test.count = any_count(check, test.taps);
        convolve_shuffle(check, gp, &test);
        if (i % 4 == 0)
            test.params.left = GPUPRIM_HISTORY; // its kernel has a barrier
        if (test.params.offset < 0 && test.params.left == GPUPRIM_HISTORY)
            test.params.offset = 0;
        convolve_constant(&test);
        convolve_run(check, gp, &test);
    }
    gpuprim_destroy(&gp);
}

// Up to the largest number of taps on far shorter rows, with boundaries that take the reference
// no time.
static void sweep_long_filters(struct check *check)
{
    static const uint64_t taps[] = { 4097, 65537, 1 << 20 };
    static const struct convolve_kind whole = { GPUPRIM_I32, GPUPRIM_U16, GPUPRIM_I64 };
    gpuprim *gp = check_context(check, NULL, 0);
    struct convolve_case test = { .kind = convolve_kinds[0] };
    for (int i = 0; gp && i < (check->quick ? 4 : 12); i++) {
        test.kind = check_once_in(check, 2) ? convolve_kinds[0] : whole;
        test.taps = taps[i % 3];
        test.count = 1 + check_below(check, 20);
        convolve_shuffle(check, gp, &test);
        test.params = (struct gpuprim_filter_params){ .mode = GPUPRIM_SAME,
                                                      .dilation = 1 + check_below(check, 2),
                                                      .left = GPUPRIM_HISTORY,
                                                      .right = GPUPRIM_EDGE };
        test.rows = 1;
        test.taps_per_row = test.updates_history = false;
        test.out.stride = test.out.row_stride = test.in.row_stride = 0;
        convolve_run(check, gp, &test);
    }
    gpuprim_destroy(&gp);
}

static bool is_own_choice(const char *variant)
{
    gpuprim *gp = NULL;
    bool is_one = false;
    gpuprim_create(NULL, &gp);
    for (uint64_t taps = 3; gp && taps <= 129; taps = 2 * taps - 1) {
        const struct gpuprim_filter filter = { .gp = gp,
                                               .taps_type = GPUPRIM_F32,
                                               .in = GPUPRIM_F32,
                                               .out = GPUPRIM_F32,
                                               .taps = taps,
                                               .rows = 1,
                                               .stride = 1,
                                               .dilation = 1,
                                               .halo = taps - 1,
                                               .size = 4 };
        const struct convolve_shape c = gp_convolve_packed_shape(&filter);
        const struct gp_variant *own = gp_variant_pick(gp, &gp_primitive_convolve1d, &c);
        is_one |= own && strcmp(own->name, variant) == 0;
    }
    gpuprim_destroy(&gp);
    return is_one;
}

static void kind_variant(struct check *check, const struct convolve_kind *kind,
                         const char *variant, bool own)
{
    gpuprim *gp = check_variant(check, "convolve1d", variant, 0);
    if (!gp)
        return;
    if (kind->in != GPUPRIM_F64 || gp->caps.has_fp64) {
        sweep(check, gp, kind, own);
        if (kind == convolve_kinds || check_once_in(check, 4))
            sweep_short(check, gp, kind, own);
    }
    gpuprim_destroy(&gp);
}

static void run(struct check *check)
{
    const struct gp_primitive *convolve = check_primitive("convolve1d");
    for (unsigned v = convolve->n_variants; v-- > 0;) { // baseline stands last
        const char *variant = convolve->variants[v]->name;
        const bool own = v == convolve->n_variants - 1 || is_own_choice(variant);
        for (unsigned k = 0; k < CONVOLVE_KINDS; k++) {
            const struct convolve_kind *kind = &convolve_kinds[k];
            if (convolve_method_of(variant) && !convolve_has_fft(kind))
                continue;
            if (!check_begin(check, "convolve1d/%s%s/%s/%s", gp_type_name(kind->in),
                             convolve_taps_suffix(kind), gp_type_name(kind->out), variant))
                continue;
            kind_variant(check, kind, variant, own);
            check_end(check);
        }
    }
    static const unsigned groups[] = { 1, 3, 64, 100, 256 };
    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++)
        if (check_begin(check, "convolve1d/work_group/%u", groups[i])) {
            sweep_groups(check, groups[i]);
            check_end(check);
        }
    if (check_begin(check, "convolve1d/long_filters")) {
        sweep_long_filters(check);
        check_end(check);
    }
    convolve_tiny_run(check);
    convolve_identities_run(check);
    convolve_flat_ends_run(check);
    convolve_stream_run(check);
    convolve_errors_run(check);
    convolve_async_run(check);
    convolve_driver_run(check);
    convolve_builds_run(check);
    convolve_plans_run(check);
    convolve_describe_run(check);
    convolve_costs_run(check);
    convolve_divisions_run(check);
    convolve_cpu_matrix_run(check);
    convolve_gpu_byte_matrices_run(check);
    convolve_gpu_folds_run(check);
    convolve_gpu_stretches_run(check);
    convolve_gpu_tile_run(check);
    convolve_gpu_tile_lines_run(check);
    convolve_host_run(check);
    convolve_limits_run(check);
    convolve_ends_run(check);
    convolve_histories_run(check);
    convolve_transposed_run(check);
    convolve_updates_run(check);
    convolve_shapes_run(check);
    convolve_rounding_run(check);
    convolve_matrices_run(check);
    convolve_fft_run(check);
    convolve_fft_auto_run(check);
}

const struct check_suite check_convolve1d = {
    .name = "convolve1d",
    .run = run,
    .bench = bench_convolve1d,
    .map = &map_convolve1d,
    .sources = &convolve1d_sources,
};
