/* SPDX-License-Identifier: Apache-2.0
 *
 * The taps of a filter: read from wherever they are, in the order in which kernels take them,
 * and whether integer sums have room. */
#include "convolve1d.h"

#include <stdlib.h>
#include <string.h>

void gp_filter_range(enum gpuprim_type type, int64_t *low, int64_t *high)
{
    const unsigned bits = 8 * (unsigned)gp_type_size(type);
    const bool is_unsigned = type == GPUPRIM_U8 || type == GPUPRIM_U16;
    *low = is_unsigned ? 0 : -((int64_t)1 << (bits - 1));
    *high = ((int64_t)1 << (bits - !is_unsigned)) - 1;
}

// `bytes` of the array from byte `at` of base on.
static int read_bytes(gpuprim *gp, const struct gp_array *array, int64_t at, size_t bytes,
                      void *to)
{
    const char *base = array->base;
    cl_int error = CL_SUCCESS;
    if (array->memory == GPUPRIM_HOST)
        memcpy(to, base + at, bytes);
    else if (array->memory == GPUPRIM_SVM)
        error = clEnqueueSVMMemcpy(gp->queue, CL_TRUE, to, base + at, bytes, 0, NULL, NULL);
    else
        error = clEnqueueReadBuffer(gp->queue, (cl_mem)array->base, CL_TRUE, (size_t)at, bytes,
                                    to, 0, NULL, NULL);
    return error ? gp_fail_cl(error, "reading the taps") : GPUPRIM_OK;
}

// Taps `begin` ... `begin + n - 1` of a row, by way of the bytes from the first to the last.
static int read_taps(gpuprim *gp, const struct gp_array *array, uint64_t row, uint64_t begin,
                     uint64_t n, char *span, char *to)
{
    const int64_t size = (int64_t)array->size, step = array->stride * size;
    const int64_t first =
        (array->first + (int64_t)row * array->row_stride) * size + (int64_t)begin * step;
    const int64_t length = (int64_t)(n - 1) * step;
    const int64_t low = length < 0 ? first + length : first;
    const int status =
        read_bytes(gp, array, low, (size_t)(gp_magnitude(length) + (uint64_t)size), span);
    for (uint64_t i = 0; !status && i < n; i++)
        memcpy(to + i * array->size, span + (first - low) + (int64_t)i * step, array->size);
    return status;
}

static void reverse(char *taps, uint64_t n, size_t size)
{
    char spare[16];
    for (uint64_t i = 0; i < n / 2; i++) {
        char *a = taps + i * size, *b = taps + (n - 1 - i) * size;
        memcpy(spare, a, size);
        memcpy(a, b, size);
        memcpy(b, spare, size);
    }
}

int gp_filter_take_taps(gpuprim *gp, const struct gp_array *array, bool correlate,
                        struct gpuprim_filter *f)
{
    enum { SPAN = 1 << 20 }; // bytes read at once, where the stride is no longer
    const uint64_t step = gp_magnitude(array->stride) * array->size;
    uint64_t most = step < SPAN ? SPAN / step : 1;
    if (most > f->taps)
        most = f->taps;
    f->size = array->size;
    uint64_t bytes;
    if (__builtin_mul_overflow(f->rows, f->taps * f->size, &bytes) ||
        bytes > SIZE_MAX - CONVOLVE_TAPS_PADDING)
        return gp_fail(GPUPRIM_E_RANGE, "filter: the size of all taps overflows");
    f->values = calloc(1, bytes + CONVOLVE_TAPS_PADDING);
    char *span = malloc((most - 1) * step + array->size);
    int status =
        f->values && span ? GPUPRIM_OK : gp_fail(GPUPRIM_E_MEMORY, "filter: out of memory");
    for (uint64_t row = 0; !status && row < f->rows; row++) {
        char *to = (char *)f->values + row * f->taps * f->size;
        for (uint64_t i = 0; !status && i < f->taps; i += most) {
            const uint64_t n = f->taps - i < most ? f->taps - i : most;
            status = read_taps(gp, array, row, i, n, span, to + i * f->size);
        }
        if (!correlate)
            reverse(to, f->taps, f->size);
    }
    free(span);
    return status;
}

int gp_filter_check_sums(struct gpuprim_filter *f)
{
    if (f->taps_type != GPUPRIM_I32)
        return GPUPRIM_OK;
    int64_t low, high;
    gp_filter_range(f->in, &low, &high);
    const uint64_t largest =
        gp_magnitude(low) > (uint64_t)high ? gp_magnitude(low) : (uint64_t)high;
    const int32_t *taps = f->values;
    f->sum_bits = 0;
    for (uint64_t row = 0; row < f->rows; row++) {
        uint64_t sum = 0; // at most 2^20 times 2^31
        for (uint64_t k = 0; k < f->taps; k++)
            sum += gp_magnitude(taps[row * f->taps + k]);
        if (sum > INT64_MAX / largest)
            return gp_fail(GPUPRIM_E_RANGE,
                           "filter: sums of %s could leave 64 bits: the taps' magnitudes come "
                           "to %llu",
                           gp_type_name(f->in), (unsigned long long)sum);
        while (f->sum_bits < 63 && sum > (((uint64_t)1 << f->sum_bits) - 1) / largest)
            f->sum_bits++;
    }
    return GPUPRIM_OK;
}
