/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: AUTO takes the method FFT where it is faster, on a GPU as a model of one
 * says, and on this device where it is a CPU. */
#include "case.h"

#include <stdlib.h>
#include <string.h>

#include "src/convolve1d/convolve1d.h"
#include "tests/harness/model.h"

static void takes(struct check *check, gpuprim *gp, uint64_t taps, uint64_t n, bool columns,
                  const char *expected)
{
    float *values = check_allocate(taps * sizeof *values);
    for (uint64_t k = 0; k < taps; k++)
        values[k] = 1;
    const struct gpuprim_array h = gpuprim_host(GPUPRIM_F32, values, taps);
    const struct gpuprim_filter_params params = { .method = GPUPRIM_METHOD_AUTO };
    gpuprim_filter *filter = NULL;
    check->cases++;
    if (CHECK(check, !gpuprim_filter_create(gp, &h, &params, &filter), "%s",
              gpuprim_last_error())) {
        struct convolve_shape s = gp_convolve_packed_shape(filter);
        s.n = s.outputs = n;
        s.rows = columns ? 1000 : 1;
        s.stride = s.out_stride = columns ? 1000 : 1;
        s.row_stride = s.out_row_stride = columns ? 1 : (int64_t)n;
        gp_convolve_derive(&s);
        const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_convolve1d, &s);
        const bool is_fft = v && convolve_method_of(v->name);
        CHECK(check, v && (*expected ? strcmp(v->name, expected) == 0 : !is_fft),
              "%llu taps, rows of %llu%s: %s instead of %s", (unsigned long long)taps,
              (unsigned long long)n, columns ? ", columns" : "", v ? v->name : "none",
              *expected ? expected : "a direct variant");
    }
    gpuprim_filter_destroy(&filter);
    free(values);
}

static void chooses(struct check *check)
{
    static const struct device_model gpu = { .type = CL_DEVICE_TYPE_GPU };
    gpuprim *gp = check_context_on(check, &gpu, NULL, 0);
    if (!gp)
        return;
    const uint64_t n = 1 << 20;
    gp->caps.compute_units = 2;
    takes(check, gp, 63, n, false, "");
    takes(check, gp, 64, n, false, "gpu_fft");
    takes(check, gp, 5000, n, false, "gpu_fft");
    takes(check, gp, 128, 100, false, "");
    takes(check, gp, 128, n, true, "");
    takes(check, gp, 4000, n, true, "gpu_fft");
    takes(check, gp, 65537, n, false, "gpu_fft_columns");
    // A group's block takes as long as many outputs of all others.
    gp->caps.compute_units = 132;
    takes(check, gp, 100, n, false, "");
    takes(check, gp, 400, n, false, "gpu_fft");
    takes(check, gp, 65, 64 * n, false, "gpu_fft");
    gp->caps.max_alloc_bytes = 1 << 20; // spectra of 65537 taps take 2 MiB
    takes(check, gp, 65537, 64 * n, false, "");
    gpuprim_destroy(&gp);
    gp = check_context(check, NULL, 0);
    if (gp && gp->caps.is_cpu) {
        takes(check, gp, 119, n, false, "");
        takes(check, gp, 120, n, false, "cpu_fft");
        takes(check, gp, 600, n, false, "cpu_fft");
        takes(check, gp, 600, 1000, false, "");
        takes(check, gp, 600, n, true, "");
    }
    gpuprim_destroy(&gp);
}

void convolve_fft_auto_run(struct check *check)
{
    if (check_begin(check, "convolve1d/fft/auto")) {
        chooses(check);
        check_end(check);
    }
}
