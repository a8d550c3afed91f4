/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d: what a filter holds for the method FFT. The taps' spectra are computed here, once,
 * in double precision. cpu_fft.c and gpu_fft.c say how long segments are.
 * filter.c calls this file.
 *
 * A segment z has `lead` points in front of the first input that its output 0 needs:
 *
 *     output p = sum over k of g[k] * z[p + lead + k]
 *
 * so its transform is multiplied by H[f] = sum over k of g[k] * exp(+2 pi i f (lead + k) / L).
 * That is the transform of the taps, each at point -(lead + k) modulo L. It is divided by L,
 * because the inverse transform of the kernels is not. */
#include "fft.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    double re, im;
} complex64;

// exp(-2 pi i n / length) for n = 0 ... length - 1. The first eighth of the circle comes from
// the series of sine and cosine, and the rest from that by symmetry. length: a multiple of 8.
static void fill_factors(complex64 *w, uint32_t length)
{
    const double unit = 6.283185307179586476925286766559 / length;
    const uint32_t eighth = length / 8, quarter = length / 4;
    for (uint32_t n = 0; n <= eighth; n++) {
        const double x = unit * n, y = x * x;
        double c = 1, s = 1; // from the last term to the first; x is at most 0.79
        for (int k = 18; k > 0; k -= 2) {
            c = 1 - c * y / (k * (k - 1));
            s = 1 - s * y / (k * (k + 1));
        }
        w[n] = (complex64){ c, -x * s };
        w[quarter - n] = (complex64){ x * s, -c };
    }
    for (uint32_t n = quarter; n < length; n++)
        w[n] = (complex64){ w[n - quarter].im, -w[n - quarter].re };
}

// z = the transform of z, from the last pass to the first one: its input comes in natural order,
// and is sorted by the bits of its place, reversed.
static void transform(complex64 *z, const complex64 *w, uint32_t length)
{
    for (uint32_t i = 1, j = 0; i < length; i++) {
        uint32_t bit = length / 2;
        for (; j & bit; bit /= 2)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            const complex64 t = z[i];
            z[i] = z[j];
            z[j] = t;
        }
    }
    for (uint32_t half = 1; half < length; half *= 2)
        for (uint32_t at = 0; at < length; at += 2 * half)
            for (uint32_t k = 0; k < half; k++) {
                const complex64 f = w[k * (length / (2 * half))], a = z[at + k],
                                b = z[at + k + half];
                const complex64 p = { b.re * f.re - b.im * f.im, b.re * f.im + b.im * f.re };
                z[at + k] = (complex64){ a.re + p.re, a.im + p.im };
                z[at + k + half] = (complex64){ a.re - p.re, a.im - p.im };
            }
}

static complex64 tap_of(const struct gpuprim_filter *f, uint64_t row, uint64_t k)
{
    const char *p = (const char *)f->values + (row * f->taps + k) * f->size;
    float parts[2] = { 0, 0 };
    double number;
    if (f->taps_type == GPUPRIM_F64) {
        memcpy(&number, p, sizeof number);
        return (complex64){ number, 0 };
    }
    memcpy(parts, p, f->size);
    return (complex64){ parts[0], parts[1] };
}

// The frequency in place i of a spectrum: kernels/convolve1d/cpu_fft.cl and gpu_fft_passes.cl say
// in which order of its digits k0, k1, k2 their last pass leaves it, and gpu_fft_columns.cl, what
// the rows of a matrix have. Of cpu_fft's four digits the last two lie as one.
static uint32_t frequency_of(const struct convolve_fft *t, uint32_t place)
{
    const uint32_t outer = t->outer, middle = t->middle, width = gp_fft_width_of(t);
    const uint32_t row = place / width, i = place % width, last = width / outer / middle;
    const uint32_t k0 = t->is_for_cpu ? i / last / middle : i / middle % outer;
    const uint32_t k1 = t->is_for_cpu ? i / last % middle : i % middle;
    const uint32_t k2 = t->is_for_cpu ? i % last : i / middle / outer;
    return row + t->height * (k0 + outer * k1 + outer * middle * k2);
}

// Stores a number in the precision of the kernels, as number i of an array. cpu_fft reads 16 real
// parts and 16 imaginary parts in turn.
static void store(const struct gpuprim_filter *f, const complex64 *z, double scale, char *to,
                  uint64_t i)
{
    const double number[2] = { z->re * scale, z->im * scale };
    const float rounded[2] = { (float)number[0], (float)number[1] };
    if (f->in == GPUPRIM_F64)
        memcpy(to + i * sizeof number, number, sizeof number);
    else if (f->fft.is_for_cpu)
        for (uint32_t k = 0; k < 2; k++)
            memcpy(to + (i / 16 * 32 + k * 16 + i % 16) * sizeof *rounded, &rounded[k],
                   sizeof *rounded);
    else
        memcpy(to + i * sizeof rounded, rounded, sizeof rounded);
}

// The tables of factors: exp(-2 pi i n / width) for n = 0 ... width - 1, and, of a matrix,
// exp(-2 pi i n / length). Returns how many numbers they have.
static uint64_t store_tables(const struct gpuprim_filter *f, const complex64 *w, char *to)
{
    const uint32_t height = f->fft.height, width = gp_fft_width_of(&f->fft);
    const uint64_t numbers = height > 1 ? 2 * width : width;
    for (uint32_t n = 0; to && n < numbers; n++)
        store(f, &w[n < width ? n * (f->fft.length / width) : n - width], 1, to, n);
    return numbers;
}

// The same where a complex point z[n] has the inputs 2 n and 2 n + 1. With A = Z[k] and B = the
// conjugate of Z[L - k], L complex points, the product's point is P A + Q B:
//
//     P = (S - D sin(pi k / L)) / 2,  Q = i D cos(pi k / L) / 2,  S, D = H[k] +- H[k + L]
//
// kernels/convolve1d/gpu_fft.cl says which item needs which of them.
static void store_packed(const struct gpuprim_filter *f, const complex64 *z, const complex64 *w,
                         char *to)
{
    const struct convolve_fft *t = &f->fft;
    const uint32_t width = gp_fft_width_of(t), items = width / t->outer;
    for (uint32_t i = 0; i < width; i++) {
        const uint32_t own = frequency_of(t, i / items / 2 * items + i % items + width / 2);
        const uint32_t other = own == width / 2 ? 0 : width - own;
        const uint32_t k = i / items % 2 ? other : own;
        const complex64 a = z[k], b = z[k + width];
        const complex64 s = { a.re + b.re, a.im + b.im }, d = { a.re - b.re, a.im - b.im };
        const double cosine = w[k].re, sine = -w[k].im;
        const complex64 p = { s.re - d.re * sine, s.im - d.im * sine };
        const complex64 q = { -d.im * cosine, d.re * cosine };
        store(f, &p, 0.5 / width, to, 2 * i);
        store(f, &q, 0.5 / width, to, 2 * i + 1);
    }
}

// The spectrum of one part of a row's taps.
static void spectrum_of(const struct gpuprim_filter *f, uint64_t row, uint32_t part,
                        const complex64 *w, complex64 *z, char *to)
{
    const struct convolve_fft *t = &f->fft;
    const uint64_t first = (uint64_t)part * t->part_taps;
    const uint64_t taps = gp_min(t->part_taps, f->taps - first);
    memset(z, 0, t->length * sizeof *z);
    for (uint64_t k = 0; k < taps; k++)
        z[(2 * t->length - t->lead - k) % t->length] = tap_of(f, row, first + k);
    transform(z, w, t->length);
    if (t->is_packed)
        store_packed(f, z, w, to);
    for (uint32_t i = 0; !t->is_packed && i < t->length; i++)
        store(f, &z[frequency_of(t, i)], 1.0 / t->length, to, i);
}

// Bytes of the tables and all spectra of a filter.
static uint64_t spectra_bytes(const struct gpuprim_filter *f)
{
    const uint64_t numbers = f->rows * f->fft.parts * f->fft.length;
    return (store_tables(f, NULL, NULL) + numbers) * gp_fft_number_bytes(f);
}

static int make_spectra(gpuprim *gp, struct gpuprim_filter *f)
{
    struct convolve_fft *t = &f->fft;
    const size_t size = gp_fft_number_bytes(f), tables = size * store_tables(f, NULL, NULL);
    const uint64_t spectra = f->rows * t->parts;
    const size_t bytes = spectra_bytes(f);
    char *all = malloc(bytes);
    complex64 *w = malloc(2 * t->length * sizeof *w);
    int status = GPUPRIM_OK;
    if (all && w) {
        cl_int error;
        fill_factors(w, t->length);
        store_tables(f, w, all);
        for (uint64_t i = 0; i < spectra; i++)
            spectrum_of(f, i / t->parts, (uint32_t)(i % t->parts), w, w + t->length,
                        all + tables + i * t->length * size);
        t->memory = clCreateBuffer(gp->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes,
                                   all, &error);
        if (error) {
            t->memory = NULL;
            status = gp_fail_cl(error, "clCreateBuffer (spectra)");
        }
    } else
        status = gp_fail(GPUPRIM_E_MEMORY, "out of memory");
    free(w);
    free(all);
    return status;
}

// Points of all spectra of a filter. With taps for very many rows they would fill the device, or
// be more than it gives one buffer.
enum { MOST_POINTS = 1 << 24 };

int gp_filter_transform(gpuprim *gp, struct gpuprim_filter *f)
{
    if (f->method == GPUPRIM_METHOD_DIRECT || f->in < GPUPRIM_F16 || f->out < GPUPRIM_F16)
        return GPUPRIM_OK;
    if (gp_cpu_fft_takes(gp, f))
        gp_cpu_fft_size(gp, f);
    else
        gp_gpu_fft_size(gp, f);
    if ((uint64_t)f->fft.length * f->fft.parts > MOST_POINTS / f->rows ||
        (f->method == GPUPRIM_METHOD_AUTO && f->taps < f->fft.crossover) ||
        (f->fft.length && spectra_bytes(f) > gp->caps.max_alloc_bytes))
        f->fft.length = 0;
    return f->fft.length ? make_spectra(gp, f) : GPUPRIM_OK;
}
