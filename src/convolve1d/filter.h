/* SPDX-License-Identifier: Apache-2.0
 *
 * What a filter of convolve1d is, and the files that make one: params.c, taps.c, planes.c and fft.c,
 * which filter.c calls. convolve1d.h includes this. */
#ifndef GP_CONVOLVE1D_FILTER_H
#define GP_CONVOLVE1D_FILTER_H

#include "src/core/core.h"

// This many zero bytes stand behind the taps, on the host and on the device. Kernels may
// therefore read whole vectors of taps, or take a struct of up to this size by value. They
// never use these zeros as taps: 0 * infinity would be NaN.
enum { CONVOLVE_TAPS_PADDING = 4352, CONVOLVE_MAX_TAPS = 1 << 20 };

// How a filter is computed by Fourier transforms.
struct convolve_fft {
    uint64_t crossover; // AUTO: taps from which long contiguous rows are computed so
    uint32_t length;    // points of a segment; 0: it is not
    uint32_t lead;      // points in front of the first input that an output needs
    uint32_t valid;     // outputs of a segment
    uint32_t parts, part_taps;
    uint32_t height; // rows of a segment that is a matrix (gpu_fft_columns), or 1
    uint32_t outer;  // points of the first pass; on GPUs also of the last one of a row
    uint32_t middle; // of the second one of three on GPUs; 1: there are two
    bool is_packed;  // a complex point has two neighbouring inputs
    bool is_for_cpu; // for cpu_fft, else for GPUs
    cl_mem memory;   // tables of factors, then the spectra: row by row, part by part
};

// Immutable once it is made. OpenCL itself keeps `memory` alive for enqueued kernels.
struct gpuprim_filter {
    gpuprim *gp;
    enum gpuprim_type taps_type, in, out;
    enum gpuprim_mode mode;
    enum gpuprim_boundary left, right;
    uint64_t constant[2];            // bits of the value for CONSTANT and ZERO, left and right
    uint64_t taps, rows;             // rows of taps: 1, or as many as the data has
    uint64_t stride, dilation, halo; // halo: (taps - 1) * dilation
    int64_t offset;
    unsigned shift;
    unsigned sum_bits;  // magnitudes of integer sums are below 2^sum_bits; of floats 0
    bool taps_are_i8;   // integer taps fit bytes
    unsigned tap_bytes; // integer taps fit so many
    // Of taps that are floats. The last real tap of the first row whose sign is plus is number
    // plus_taps - 1; 0: there is none.
    bool taps_are_finite;
    uint64_t plus_taps;
    size_t size; // bytes of a tap
    // Integer taps whose sums f32 holds exactly. Kernels then get f32 taps, already divided by
    // 2^shift, and sum in f32. On GPUs only: they multiply f32 twice as fast as integers.
    bool sums_in_f32;
    // The same in f64, where sums need more than 32 bits and the device multiplies f64 fast.
    bool sums_in_f64;
    // The taps as kernels take them: row by row, in each row first the tap that meets the
    // lowest input.
    void *values;  // on the host
    cl_mem memory; // on the device
    cl_mem planes; // integer taps as bytes (gpu_byte_matrices), or NULL
    // Of its newest launches, and its newest calls. The context's lock guards them.
    struct convolve_plans *plans;
    enum gpuprim_method method;
    struct convolve_fft fft;
};

// The type of `values`.
static inline enum gpuprim_type gp_filter_tap_type(const struct gpuprim_filter *f)
{
    return f->sums_in_f32 ? GPUPRIM_F32 : f->sums_in_f64 ? GPUPRIM_F64 : f->taps_type;
}

// Whether sums are integers. Float taps sum integers in floats, too.
static inline bool gp_filter_sums_whole(const struct gpuprim_filter *f)
{
    return gp_filter_tap_type(f) == GPUPRIM_I32;
}

// ---------------------------------------------------------------------------------------
// params.c

// Refuses combinations of f->in, taps_type and out that are not offered.
int gp_filter_check_types(const struct gpuprim_filter *f);

// Checks the parameters and stores them in *f, of which taps and types are there.
int gp_filter_take_params(const struct gpuprim_filter_params *p, struct gpuprim_filter *f);

// ---------------------------------------------------------------------------------------
// taps.c

// The range of an integer input type.
void gp_filter_range(enum gpuprim_type type, int64_t *low, int64_t *high);

// Copies the taps to f->values. Reverses them unless `correlate`.
int gp_filter_take_taps(gpuprim *gp, const struct gp_array *array, bool correlate,
                        struct gpuprim_filter *f);

// Sets f->taps_are_finite and f->plus_taps: what taps do that meet zeros.
void gp_filter_find_signs(struct gpuprim_filter *f);

// Refuses integer taps whose sums could leave 64 bits. Sets f->sum_bits: kernels are faster
// where sums fit 32 bits.
int gp_filter_check_sums(struct gpuprim_filter *f);

// Sets f->sums_in_f32 or f->sums_in_f64, and makes the taps f32 or f64 there.
int gp_filter_choose_sums(struct gpuprim_filter *f);

// ---------------------------------------------------------------------------------------
// planes.c

// Makes f->planes, if the taps are integers and a GPU may take them as bytes.
int gp_filter_make_planes(struct gpuprim_filter *f);

// Words of a copy of a plane.
uint32_t gp_filter_plane_words(const struct gpuprim_filter *f);

// ---------------------------------------------------------------------------------------
// fft.c

// Where the filter's method takes it: chooses f->fft, and computes the spectra.
int gp_filter_transform(gpuprim *gp, struct gpuprim_filter *f);

#endif
