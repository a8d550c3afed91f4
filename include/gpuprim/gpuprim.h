/* SPDX-License-Identifier: Apache-2.0
 *
 * gpuprim: parallel primitives for arrays, on any GPU or CPU that OpenCL reaches.
 *
 * The smallest whole program:
 *
 *     #include <gpuprim/gpuprim.h>
 *
 *     float x[] = { 1, 2, 3 }, sum = 0;
 *     gpuprim *gp;
 *     if (gpuprim_create(NULL, &gp) == GPUPRIM_OK) {
 *         struct gpuprim_array in = gpuprim_host(GPUPRIM_F32, x, 3);
 *         struct gpuprim_array out = gpuprim_host(GPUPRIM_F32, &sum, 1);
 *         struct gpuprim_reduce_params params = { .op = GPUPRIM_SUM };
 *         int status = gpuprim_reduce(gp, &in, &out, &params, NULL);
 *         gpuprim_destroy(&gp);
 *     }
 *
 * This header needs no OpenCL header. An application that has an OpenCL context, queues,
 * buffers or events of its own includes gpuprim_cl.h instead.
 *
 * Rules that hold everywhere
 *   Status   Functions return int: GPUPRIM_OK (0), a code of OpenCL unchanged (-1 ... -1999),
 *            or one of enum gpuprim_status. gpuprim_last_error() has the words.
 *   Failure  On failure nothing leaks, the context stays usable, and outputs are untouched
 *            unless work had already been handed to the device.
 *   Structs  Zero-initialise, then fill what differs from the default. A struct is read during
 *            the call only. Members called `reserved` must be zero.
 *   Threads  One context may be used from any number of threads at once. A call in one thread
 *            never changes the result of a call in another.
 *   Fork     A context does not survive fork(): in the child every call returns
 *            GPUPRIM_E_FORKED. Create a context after the fork, in a process that has not
 *            used OpenCL before it.
 *   Silence  The library never prints, exits, aborts or installs signal handlers, and opens
 *            no file.
 */
#ifndef GPUPRIM_H
#define GPUPRIM_H

#include <stddef.h>
#include <stdint.h>

#include "version.h"

#if defined(__GNUC__)
#define GPUPRIM_API __attribute__((visibility("default")))
#else
#define GPUPRIM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------
// Status

enum gpuprim_status {
    GPUPRIM_OK = 0,
    GPUPRIM_E_ARG = -2000, // an argument that can never be right: NULL, unknown value, overlap
    GPUPRIM_E_RANGE = -2001, // an array that leaves its buffer, or sizes that overflow 64 bits
    GPUPRIM_E_TYPE =
        -2002, // no type, one that this operation does not take, or a wrong result type
    GPUPRIM_E_MEMORY = -2010,    // the host ran out of memory
    GPUPRIM_E_BUILD = -2020,     // a kernel did not compile; gpuprim_last_error() holds the log
    GPUPRIM_E_NO_DEVICE = -2030, // no platform, no usable device, or none of the name asked for
    GPUPRIM_E_UNSUPPORTED =
        -2040,                // this device cannot do it, such as f64 without fp64 hardware
    GPUPRIM_E_FORKED = -2050, // the context was made before fork()
    GPUPRIM_STATUS_FORCE_32 = 0x7fffffff
};

// The name of a code, ours or OpenCL's, in a few words. Never NULL; static storage.
GPUPRIM_API const char *gpuprim_strerror(int code);

// What went wrong in the calling thread's last failed call, in words, with the compiler's log
// after GPUPRIM_E_BUILD. Needs no context. Never NULL; valid until this thread's next call.
GPUPRIM_API const char *gpuprim_last_error(void);

// The version of the library that is running, such as "0.1.0".
GPUPRIM_API const char *gpuprim_version(void);

// ---------------------------------------------------------------------------------------
// Context: one device

typedef struct gpuprim gpuprim; // opaque

enum gpuprim_log_level {
    GPUPRIM_LOG_NONE = 0,
    GPUPRIM_LOG_WARN = 1,  // something odd that was worked around
    GPUPRIM_LOG_INFO = 2,  // the device chosen, kernels built
    GPUPRIM_LOG_TRACE = 3, // one line per launch
    GPUPRIM_LOG_LEVEL_FORCE_32 = 0x7fffffff
};

struct gpuprim_options {
    // Which device: an index as `gpuprim info` counts them, "cpu", "gpu", or a part of the
    // device's or platform's name in any case. NULL = the environment variable
    // GPUPRIM_DEVICE, which takes the same words; without it the first GPU, else the first CPU.
    // Accelerators of other kinds are taken by index or name only.
    // Not read by gpuprim_create_cl.
    const char *device;

    // Receives messages up to `log_level`, possibly from several threads at once and while
    // the library holds its lock: it must not call gpuprim. NULL = silence.
    void (*log)(void *user, enum gpuprim_log_level level, const char *text);
    void *log_user;
    enum gpuprim_log_level log_level;

    // Largest staging memory, in bytes, that a call may take on the device to stream host
    // arrays through: two halves, of which one is filled while the other is worked on, and
    // results on their way home. 0 = 256 MiB; more than some 36 MiB brings nothing.
    uint64_t staging_bytes;

    uint64_t reserved[4];
};

// Makes a context for one device. `options` may be NULL. The caller owns *out and ends it with
// gpuprim_destroy; *out is untouched on failure.
// Fails: E_ARG; E_NO_DEVICE; E_MEMORY; an OpenCL code.
GPUPRIM_API int gpuprim_create(const struct gpuprim_options *options, gpuprim **out);

enum gpuprim_device_kind {
    GPUPRIM_DEVICE_OTHER = 0, // an accelerator of another kind
    GPUPRIM_DEVICE_CPU = 1,
    GPUPRIM_DEVICE_GPU = 2,
    GPUPRIM_DEVICE_KIND_FORCE_32 = 0x7fffffff
};

// What gpuprim_devices tells about a device, all of it written by the library. Texts end with a
// zero and are cut where they are longer.
struct gpuprim_device {
    char name[128], platform[128];
    char driver[128];  // the driver's version
    char version[128]; // of OpenCL, as the device states it
    enum gpuprim_device_kind kind;
    int status;               // GPUPRIM_OK, or the code with which gpuprim refuses this device
    char refusal[128];        // the reason in words; "" where status is GPUPRIM_OK
    void *id;                 // the cl_device_id, as gpuprim_create_cl takes it
    uint32_t fp64;            // 1: the device takes f64
    uint32_t svm;             // 1: the device takes arrays in shared virtual memory
    uint32_t compute_units;   // cores of a CPU, multiprocessors of a GPU
    uint32_t width;           // items of a warp, wavefront or SIMD unit; 1 on a CPU
    uint64_t max_work_group;  // most items in a work-group
    uint64_t global_bytes;    // memory of the device
    uint64_t max_alloc_bytes; // largest single buffer
    uint64_t local_bytes;     // memory that the items of a work-group share
    uint64_t reserved[8];     // written as 0
};

// Lists the devices. The index in the list is the one that gpuprim_options.device takes. The
// list also has devices that gpuprim refuses, with the reason; the members after `refusal` may
// be 0 then, except for id.
//
// Arguments  list: room for `limit` devices; may be NULL where limit is 0. count: receives how
//            many devices there are, which may be more than limit; 0 without any driver.
// Fails      E_ARG: count is NULL, or list is NULL with a limit. E_MEMORY. E_FORKED.
GPUPRIM_API int gpuprim_devices(struct gpuprim_device *list, unsigned limit, unsigned *count);

// Ends a context and sets *gp to NULL; gp itself and *gp may be NULL. Work that was enqueued
// with a gpuprim_sync may still be running and will finish. No other thread may be inside a
// call on this context.
GPUPRIM_API void gpuprim_destroy(gpuprim **gp);

// ---------------------------------------------------------------------------------------
// Arrays

enum gpuprim_type {
    GPUPRIM_TYPE_INVALID = 0,
    GPUPRIM_I8 = 1,
    GPUPRIM_U8 = 2,
    GPUPRIM_I16 = 3,
    GPUPRIM_U16 = 4,
    GPUPRIM_I32 = 5,
    GPUPRIM_U32 = 6,
    GPUPRIM_I64 = 7,
    GPUPRIM_U64 = 8,
    GPUPRIM_F16 = 9, // IEEE binary16; storage only, arithmetic is in f32
    GPUPRIM_F32 = 10,
    GPUPRIM_F64 = 11, // needs a device with double precision
    GPUPRIM_C32 = 12, // complex: f32 real, f32 imaginary; convolve1d only
    GPUPRIM_TYPE_FORCE_32 = 0x7fffffff
};

enum gpuprim_memory {
    GPUPRIM_HOST = 0,   // base is a pointer to ordinary memory
    GPUPRIM_BUFFER = 1, // base is a cl_mem of the context's cl_context
    GPUPRIM_SVM = 2,    // base points into shared virtual memory of that cl_context
    GPUPRIM_MEMORY_FORCE_32 = 0x7fffffff
};

// A view of memory; it owns nothing. Element e of row r is element
//     first + r * row_stride + e * stride
// of what base points to, so that one descriptor says batch, rows, columns and interleaved
// channels. Strides may be negative. Host and SVM pointers must be aligned to the element.
//     a whole array of n              count n
//     rows of an R x C matrix         count C, rows R
//     columns of an R x C matrix      count R, stride C, rows C, row_stride 1
struct gpuprim_array {
    enum gpuprim_type type;
    enum gpuprim_memory memory;
    void *base;
    uint64_t first;     // element offset of row 0, element 0
    uint64_t count;     // elements in a row
    int64_t stride;     // elements from one to the next; 0 = 1
    uint64_t rows;      // 0 with row_stride 0 = 1 row; 0 with another row_stride = no rows
    int64_t row_stride; // elements from row to row; 0 = packed: count * stride
    uint64_t reserved[4];
};

// A packed host array of `count` elements. gpuprim only reads its inputs, so that `base` of an
// input may point to const memory.
static inline struct gpuprim_array gpuprim_host(enum gpuprim_type type, const void *base,
                                                uint64_t count)
{
    struct gpuprim_array array = { type, GPUPRIM_HOST,  (void *)(uintptr_t)base, 0, count, 0, 0,
                                   0,    { 0, 0, 0, 0 } };
    return array;
}

// The rows of a matrix of `rows` x `columns` elements that lies in `array` row after row, as in
// C. `array` tells type, memory, base, first and stride; its count and rows are not used.
// Without rows the result is an array without rows.
static inline struct gpuprim_array gpuprim_as_rows(struct gpuprim_array array, uint64_t rows,
                                                   uint64_t columns)
{
    array.count = columns;
    array.rows = rows;
    array.row_stride = rows ? 0 : 1; // 0 and 0 would be one row
    return array;
}

// The columns of the same matrix, each as a row of the result. With one column for each channel
// these are also the channels of interleaved samples. Without columns the result has no rows;
// without rows it has `columns` rows of no elements.
static inline struct gpuprim_array gpuprim_as_columns(struct gpuprim_array array, uint64_t rows,
                                                      uint64_t columns)
{
    const int64_t step = array.stride ? array.stride : 1;
    array.count = rows;
    array.stride = (int64_t)(columns * (uint64_t)step);
    array.rows = columns;
    array.row_stride = step;
    return array;
}

// How a call waits and signals; defined in gpuprim_cl.h. NULL = the call blocks until its
// results are in place.
struct gpuprim_sync;

// ---------------------------------------------------------------------------------------
// Reduce

enum gpuprim_op {
    GPUPRIM_SUM = 0,
    GPUPRIM_PRODUCT = 1,
    GPUPRIM_MIN = 2,
    GPUPRIM_MAX = 3,
    GPUPRIM_ARGMIN = 4, // position of the minimum within its row; the lowest wins a tie
    GPUPRIM_ARGMAX = 5,
    GPUPRIM_MINMAX = 6, // two results: minimum, maximum
    GPUPRIM_AND = 7,    // bitwise; integers only
    GPUPRIM_OR = 8,
    GPUPRIM_XOR = 9,
    GPUPRIM_ANY = 10,         // 1 if some element is not zero
    GPUPRIM_ALL = 11,         // 1 if no element is zero
    GPUPRIM_COUNT = 12,       // how many elements are not zero
    GPUPRIM_SUM_ABS = 13,     // sum of |x|
    GPUPRIM_SUM_SQUARES = 14, // sum of x * x
    GPUPRIM_MEAN = 15,
    GPUPRIM_OP_FORCE_32 = 0x7fffffff
};

enum gpuprim_nan {
    GPUPRIM_NAN_PROPAGATE = 0, // a NaN in the row makes the result NaN; arg ops: its position
    GPUPRIM_NAN_IGNORE = 1,    // NaNs are left out, as if the row did not have them
    GPUPRIM_NAN_FORCE_32 = 0x7fffffff
};

struct gpuprim_reduce_params {
    enum gpuprim_op op;
    // What sums and products are carried in. 0 = i64 for signed integers, u64 for unsigned,
    // f32 for f16 and f32, f64 for f64. The one other choice: GPUPRIM_F64 for f16 and f32.
    enum gpuprim_type accumulator;
    enum gpuprim_nan nan;
    uint64_t reserved[4];
};

// Folds each row of `in` to one result:  out[r] = x[r][0] op x[r][1] op ... op x[r][count-1].
//
// Arguments  in: any type but C32. out: one result per row (minmax: two, the minimum first),
//            given either flat (count = in.rows, or 2 * in.rows) or as in.rows rows of 1 (or
//            2). Type of the results:
//                sum product sum_abs sum_squares    the accumulator's
//                min max minmax and or xor          the input's
//                argmin argmax count                u64
//                any all                            u8
//                mean                               f64; f32 for f32 input and accumulator
//            in and out must not overlap: the stretches of memory from the first to the last
//            element of each must be disjoint.
// Empty      count 0 writes the identity: 0 for sums, or, xor, any and count; 1 for product and
//            all; all ones for and; the type's largest value (+inf) for min and smallest (-inf)
//            for max; UINT64_MAX for arg ops; NaN for mean.
// Numerics   Integers wrap modulo 2^64; mean never wraps: integers are summed exactly. Float
//            sums keep |error| <= (256 + log2 count) * u * sum|x|, u = 2^-24 (f64: 2^-53),
//            whatever count is: chains of at most 128 additions are cut and folded as a tree.
//            A call gives the same bits each time on one device and driver, and host data
//            wherever it lies. In device memory the order of a float sum may depend on how far
//            a row begins from a 16-byte boundary.
//            -0 and +0 are equal; which one min or max returns is not fixed. Any, all and count
//            take a NaN as not zero; with NAN_IGNORE they pass over it.
// When       sync NULL: the results are in `out` on return. Otherwise the call only enqueues,
//            and the results are there when the event is complete; the first call of a kind
//            also compiles (see gpuprim_reduce_prepare), and host arrays are an error.
// Host       Arrays of any size. On CPU devices they are used in place, elsewhere they stream
//            through staging memory.
// Memory     On the device at most 1 MiB beside arrays and staging memory; of both, the context
//            keeps some for the next calls.
// Fails      E_ARG: NULL, unknown op or option, out of the wrong shape, overlap, host array
//            with sync. E_RANGE: array outside its buffer. E_TYPE. E_UNSUPPORTED: f64 without fp64,
//            SVM without SVM. E_BUILD. E_MEMORY. E_FORKED. An OpenCL code.
GPUPRIM_API int gpuprim_reduce(gpuprim *gp, const struct gpuprim_array *in,
                               const struct gpuprim_array *out,
                               const struct gpuprim_reduce_params *params,
                               const struct gpuprim_sync *sync);

// Compiles what that call would need and enqueues nothing; `base` of the arrays is not looked
// at. Fails as gpuprim_reduce does.
GPUPRIM_API int gpuprim_reduce_prepare(gpuprim *gp, const struct gpuprim_array *in,
                                       const struct gpuprim_array *out,
                                       const struct gpuprim_reduce_params *params);

// The type that the results of an operation have, from the type of its input and the
// accumulator of the params (0 = the default). GPUPRIM_TYPE_INVALID (0) where gpuprim_reduce
// does not offer the combination; gpuprim_last_error() has the reason. The answer holds for all
// devices: f64 may still need more than a device has.
GPUPRIM_API enum gpuprim_type gpuprim_reduce_type(enum gpuprim_op op, enum gpuprim_type in,
                                                  enum gpuprim_type accumulator);

// ---------------------------------------------------------------------------------------
// Convolve

// Which outputs are computed. `offset` is the o of the formula at gpuprim_convolve1d; n inputs,
// K taps, dilation d, L = (K - 1) * d, stride s.
enum gpuprim_mode {
    GPUPRIM_SAME = 0,       // offset floor(L / 2), n outputs: numpy.convolve, scipy.signal
    GPUPRIM_SAME_UPPER = 1, // offset ceil(L / 2), n outputs: scipy.ndimage.convolve1d, MATLAB
    GPUPRIM_FULL = 2,       // offset 0, n + L outputs
    GPUPRIM_VALID = 3,      // offset L, n - L outputs: none that needs a boundary
    GPUPRIM_CAUSAL = 4,     // offset 0, n outputs: each from its own and earlier inputs
    GPUPRIM_EXPLICIT = 5,   // the offset of the params, as many outputs as `out` has room for
    GPUPRIM_MODE_FORCE_32 = 0x7fffffff
};
// With a stride every s-th of these outputs is computed, from the first: ceil(outputs / s).

// What X(j) is for j left of 0 or right of n - 1. The side on which j lies decides alone,
// however far out it is: folding repeats where n is shorter than the filter. An empty input
// (n = 0) has only the first two, and HISTORY.
enum gpuprim_boundary {
    GPUPRIM_ZERO = 0,
    GPUPRIM_CONSTANT = 1,
    GPUPRIM_EDGE = 2,          // a a a | a b c | c c c
    GPUPRIM_REFLECT_HALF = 3,  // c b a | a b c | c b a
    GPUPRIM_REFLECT_WHOLE = 4, // d c b | a b c d | c b a; one element: as EDGE
    GPUPRIM_WRAP = 5,          // b c d | a b c d | a b c
    GPUPRIM_HISTORY = 6,       // left only: the samples before these, which the caller gives
    GPUPRIM_BOUNDARY_FORCE_32 = 0x7fffffff
};

struct gpuprim_filter_params {
    // The elements of the input; 0 = the taps' type. Of the output; 0 = the input's.
    //     taps    input                  output
    //     f32     f16 f32                f16 f32
    //     f64     f64                    f64
    //     i32     i8 u8 i16 u16 i32      i8 u8 i16 u16 i32 i64
    //     f32     c32                    c32
    //     c32     c32                    c32
    enum gpuprim_type in, out;
    enum gpuprim_mode mode;
    int64_t offset; // of EXPLICIT; 0 with the others
    enum gpuprim_boundary left, right;
    // The value of CONSTANT, rounded to the input's type; real and imaginary part of c32. 0 (or
    // -0.0, which counts as 0 there) where neither side is CONSTANT; a NaN is a value like any.
    double constant[2];
    uint64_t stride, dilation; // 0 = 1; below 2^31
    unsigned correlate;        // 1: taps are taken in reverse order, never conjugated
    unsigned shift; // integer data: sums are divided by 2^shift, rounded half to even; below 63
    uint64_t reserved[4];
};

typedef struct gpuprim_filter gpuprim_filter; // opaque

// Makes a filter of taps: 1 to 2^20 in a row; one row for all rows of the data, or a row of
// taps for each of them. The taps are copied. The filter belongs to the context, is never
// changed, and may be used by many threads at once. *out is untouched on failure.
//
// Fails      E_ARG: NULL, no taps or too many, unknown mode or boundary, HISTORY on the right
//            or with a negative offset, an offset with another mode than EXPLICIT, a constant
//            without CONSTANT, beyond the input type's range or, of integers, not whole, a shift
//            with float data.
//            E_RANGE: the array leaves its buffer; an offset beyond 2^61; sums of integers that
//            could leave 64 bits (sum of |taps| * largest |input| above 2^63 - 1). E_TYPE: a
//            combination of types that is not offered. E_UNSUPPORTED: f64 without fp64.
//            E_BUILD. E_MEMORY. E_FORKED. An OpenCL code.
GPUPRIM_API int gpuprim_filter_create(gpuprim *gp, const struct gpuprim_array *taps,
                                      const struct gpuprim_filter_params *params,
                                      gpuprim_filter **out);

// How many outputs the filter has for a row of `count` inputs: what out.count of a call must be.
// EXPLICIT takes any out.count; for it this is the number of outputs before the first one that
// is beyond all inputs, ceil((count + (K - 1) * dilation - offset) / stride). 0 for NULL, and
// where the call would fail: with VALID and fewer than (K - 1) * dilation inputs, or with more
// than 2^61 inputs.
GPUPRIM_API uint64_t gpuprim_filter_outputs(const gpuprim_filter *filter, uint64_t count);

// Ends a filter and sets *filter to NULL; filter itself and *filter may be NULL. Calls that
// were enqueued with it still finish. Destroy filters before their context.
GPUPRIM_API void gpuprim_filter_destroy(gpuprim_filter **filter);

// The samples before a block, (K - 1) * dilation in each row, the latest last, in the input's
// type; and where those for the next block go: the last ones of before and this block's input.
// `after` may have no elements where no block follows, and may be the same memory as `before`:
// the same elements in the same order, whatever base, first and strides say so.
struct gpuprim_history {
    struct gpuprim_array before, after;
    uint64_t reserved[4];
};

// Convolves each row of `in` with the filter:
//     out[r][i] = sum over k of taps[k] * X(i * stride + offset - k * dilation),  k = 0 ... K-1
// (CORRELATE: taps[K-1-k]) where X is row r of `in`, continued at both ends as the boundaries
// say.
//
// Arguments  in: any strides. out: as many rows; count as the mode says (enum gpuprim_mode).
//            history: NULL unless the left boundary is HISTORY. What is written, out and after,
//            must not overlap anything else, but after may be just where before is.
// Numerics   f16 and f32 are summed in f32, f64 in f64, integers exactly in 64 bits, c32 in f32
//            by parts. Integer results are shifted, rounded half to even and saturated to their
//            type. The order of summation depends on the number of taps and the types alone:
//            blocks chained by HISTORY, of any sizes, give the bits of one long call.
// When       As gpuprim_reduce, but that no call compiles: what calls with a filter need,
//            whatever the arrays, is compiled when the filter is made.
// Host       As gpuprim_reduce.
// Memory     On the device none beside arrays, taps and staging memory.
// Fails      E_ARG: NULL, a filter of another context, counts or rows that do not fit, VALID
//            with fewer than (K - 1) * dilation inputs, a boundary that an empty input does not
//            have, history missing, too short or not asked for, overlap, host array with sync.
//            E_RANGE. E_TYPE: not the types the filter was made for. E_UNSUPPORTED. E_MEMORY.
//            E_FORKED. An OpenCL code.
GPUPRIM_API int gpuprim_convolve1d(gpuprim *gp, const gpuprim_filter *filter,
                                   const struct gpuprim_array *in,
                                   const struct gpuprim_array *out,
                                   const struct gpuprim_history *history,
                                   const struct gpuprim_sync *sync);

// ---------------------------------------------------------------------------------------
// Classify

// A classifier decides about each element x by a rule, which is data. The rule gives x a class;
// classes are numbered from 0. What is written is the class's label: the class itself, or what the
// map names (struct gpuprim_classifier_params). There are five rules, a struct for each;
// gpuprim_classifier_describe() tells how a rule is computed.

// The label of an element that is rejected. Rejected elements are not counted, and in `labels`
// all bits of their own type are one.
#define GPUPRIM_REJECT UINT32_MAX

enum gpuprim_closed {
    GPUPRIM_CLOSED_LEFT = 0,
    GPUPRIM_CLOSED_RIGHT = 1,
    GPUPRIM_CLOSED_FORCE_32 = 0x7fffffff
};

// THRESHOLDS. T thresholds t[0] <= t[1] <= ... make T + 1 classes:
//     CLOSED_LEFT   class = how many t[k] <= x     t[k-1] <= x < t[k]
//     CLOSED_RIGHT  class = how many t[k] <  x     t[k-1] < x <= t[k]
struct gpuprim_thresholds {
    // 0 to 65535 of the input's type, in one row for all rows of the data or in a row for each.
    // This and the other arrays of rules may be host arrays, SVM or buffers.
    struct gpuprim_array values;
    enum gpuprim_closed closed;
    uint64_t reserved[4];
};

// Where UNIFORM puts what is below `low`, or not below `high`.
enum gpuprim_outside {
    GPUPRIM_OUTSIDE_CLAMP = 0,    // into the first and the last class
    GPUPRIM_OUTSIDE_REJECTED = 1, // into none
    GPUPRIM_OUTSIDE_CLASSES = 2,  // into class 0 and class bins + 1; the bins are 1 ... bins
    GPUPRIM_OUTSIDE_FORCE_32 = 0x7fffffff
};

// UNIFORM. `bins` intervals of equal width from `low` to `high`, closed on the left. Their edges,
// each operation rounded to double, then once to the input's type (integers: up):
//     e[j] = low * ((bins - j) / bins) + high * (j / bins),   e[0] = low, e[bins] = high
// gpuprim_classifier_edges reads them back. Class = j where e[j] <= x < e[j+1], always as
// THRESHOLDS on these edges would have it. What lies outside goes where `outside` says. With
// integers `high` may be one more than the largest value, so that the bins fill the type: no
// element reaches that edge, and it is read back as the largest value.
struct gpuprim_uniform {
    double low, high; // low < high; the edges lie within the input type's range
    uint32_t bins;    // 1 to 65535
    enum gpuprim_outside outside;
    // 1: x = high is in the last bin, as numpy.histogram has it. Always so with CLAMP.
    unsigned top_inclusive;
    uint64_t reserved[4];
};

// TABLE. label = labels[(x >> shift) & mask]. x is an integer; its bits are taken as they are.
struct gpuprim_table {
    // 1 to 65536 of u8, u16 or u32 in one row. An entry of u32 may be GPUPRIM_REJECT.
    struct gpuprim_array labels;
    unsigned shift; // less than the number of bits of the input's type
    uint64_t mask;  // less than the number of entries, and within the bits of the input's type.
                    // 0 = entries - 1, of a table whose length is a power of two.
    uint64_t reserved[4];
};

// One of the cases of CASES. `value` must lie within `mask`, and both within the bits of the
// input's type.
struct gpuprim_case {
    uint64_t mask, value;
    uint32_t label; // GPUPRIM_REJECT: none
};

// CASES. The first case with (x & mask) == value decides, else `otherwise`: an if / else-if or
// switch chain. x is an integer; its bits are taken as they are.
struct gpuprim_cases {
    const struct gpuprim_case *list; // in the order in which they are asked
    uint32_t count;                  // up to 65536
    uint32_t otherwise;              // the label where no case matches, or GPUPRIM_REJECT
    uint64_t reserved[4];
};

enum gpuprim_comparison {
    GPUPRIM_LESS = 0,
    GPUPRIM_LESS_EQUAL = 1,
    GPUPRIM_GREATER = 2,
    GPUPRIM_GREATER_EQUAL = 3,
    GPUPRIM_EQUAL = 4,
    GPUPRIM_NOT_EQUAL = 5,
    GPUPRIM_COMPARISON_FORCE_32 = 0x7fffffff
};

// RULES. label = labels[index]; bit k of index is `x comparisons[k] values[k]`. With a NaN only
// NOT_EQUAL is true.
struct gpuprim_rules {
    struct gpuprim_array values; // 0 to 16 of the input's type in one row, in any order
    const enum gpuprim_comparison *comparisons; // one for each value
    // 2^comparisons of u8, u16 or u32 in one row. An entry of u32 may be GPUPRIM_REJECT.
    struct gpuprim_array labels;
    uint64_t reserved[4];
};

// Where THRESHOLDS and UNIFORM put a NaN.
enum gpuprim_nan_class {
    GPUPRIM_NAN_HIGH = 0,     // into the last class, as numpy and torch sort it
    GPUPRIM_NAN_CLASS = 1,    // into the class `nan_class`
    GPUPRIM_NAN_REJECTED = 2, // into none
    GPUPRIM_NAN_CLASS_FORCE_32 = 0x7fffffff
};

struct gpuprim_classifier_params {
    // The rule: exactly one of these is not NULL.
    const struct gpuprim_thresholds *thresholds;
    const struct gpuprim_uniform *uniform;
    const struct gpuprim_table *table;
    const struct gpuprim_cases *cases;
    const struct gpuprim_rules *rules;

    // The type of the elements: any real type, with TABLE and CASES an integer. 0 = the type of the
    // values, with THRESHOLDS and RULES; the other rules need it.
    enum gpuprim_type in;
    enum gpuprim_nan_class nan; // THRESHOLDS, UNIFORM
    uint32_t nan_class;         // of NAN_CLASS
    // THRESHOLDS, UNIFORM: the label of class c is map[c], u8, u16 or u32, one entry for each
    // class; an entry of u32 may be GPUPRIM_REJECT. Count 0: a class is its own label.
    struct gpuprim_array map;
    unsigned accumulate; // 1: counts are added to what `counts` holds
    uint64_t reserved[4];
};

typedef struct gpuprim_classifier gpuprim_classifier; // opaque

// Makes a classifier; what the params point to is copied. It belongs to the context, is never
// changed, and may be used by many threads at once. *out is untouched on failure.
//
// Fails      E_ARG: NULL, no rule or several, an unknown option; values that are NaN or, with
//            THRESHOLDS, descend; edges that coincide in the input's type, low >= high; a table,
//            map or list of cases of the wrong length; low, high, a mask, a value or a shift
//            beyond the type; a nan_class beyond the classes; nan, nan_class or a map with a rule
//            that has none. The message names the first offending index. E_RANGE: an array that
//            leaves its buffer. E_TYPE: a type that the rule does not take. E_UNSUPPORTED: f64
//            without fp64. E_BUILD. E_MEMORY. E_FORKED. An OpenCL code.
GPUPRIM_API int gpuprim_classifier_create(gpuprim *gp,
                                          const struct gpuprim_classifier_params *params,
                                          gpuprim_classifier **out);

// Ends a classifier and sets *classifier to NULL; classifier itself and *classifier may be
// NULL. No other thread may be inside a call with it. Work that is enqueued already finishes.
// Destroy classifiers before their context.
GPUPRIM_API void gpuprim_classifier_destroy(gpuprim_classifier **classifier);

// One more than the largest label that its map, table or cases name, whether an element can get
// it or not; without a map, the number of classes. As many are counted. 0 for NULL and where
// everything is rejected.
GPUPRIM_API uint64_t gpuprim_classifier_labels(const gpuprim_classifier *classifier);

// UNIFORM: writes its bins + 1 edges, in the input's type, to a packed host array.
// Fails      E_ARG: NULL, another rule, not a host array, another count. E_TYPE. E_FORKED.
GPUPRIM_API int gpuprim_classifier_edges(const gpuprim_classifier *classifier,
                                         const struct gpuprim_array *edges);

// Writes as text how the classifier is computed on its device and why, and which of the cases of
// CASES can never decide: up to `size` bytes with the zero that ends them. Returns the length of
// the whole text without that zero, as snprintf does; 0 for NULL. May build a program.
GPUPRIM_API size_t gpuprim_classifier_describe(const gpuprim_classifier *classifier, char *text,
                                               size_t size);

// Labels each element of `in`, counts the labels, or both in one pass:
//     labels[r][i] = label of in[r][i],    counts[l] = how many elements have label l
//
// Arguments  in: any strides. labels: NULL, or rows and count of in, any strides: u8, u16 or
//            u32, wide enough for every label and, where some element may be rejected, for all
//            ones not to be a label. counts: NULL, or u32 or u64, exactly
//            gpuprim_classifier_labels() in one row for all rows of in, or in a row for each.
//            Not both NULL. The stretches of memory from the first to the last element of
//            in, labels and counts must be disjoint.
// Numerics   Exact: elements are compared with thresholds in their own type. -0 and +0 are
//            equal. Denormals count where the device has them. u32 counts wrap modulo 2^32.
// Empty      No elements: counts are set to 0, or left as they are where they accumulate.
// When       As gpuprim_reduce. The classifier's creation compiles what is needed for packed device
//            arrays with labels of the narrowest type that takes them, with counts of all rows
//            together, or with both. Other calls compile when the first of their kind is made, or
//            in gpuprim_classify_prepare.
// Host       As gpuprim_reduce.
// Memory     On the device at most 256 KiB per compute unit beside arrays, the classifier's tables
//            and staging memory.
// Fails      E_ARG: NULL, a classifier of another context, counts or rows that do not fit, labels
//            too narrow, overlap, host array with sync. E_RANGE. E_TYPE. E_UNSUPPORTED. E_MEMORY.
//            E_FORKED. An OpenCL code.
GPUPRIM_API int gpuprim_classify(gpuprim *gp, const gpuprim_classifier *classifier,
                                 const struct gpuprim_array *in,
                                 const struct gpuprim_array *labels,
                                 const struct gpuprim_array *counts,
                                 const struct gpuprim_sync *sync);

// Compiles what that call would need and enqueues nothing; `base` of the arrays is not looked at.
// Fails as gpuprim_classify does.
GPUPRIM_API int gpuprim_classify_prepare(gpuprim *gp, const gpuprim_classifier *classifier,
                                         const struct gpuprim_array *in,
                                         const struct gpuprim_array *labels,
                                         const struct gpuprim_array *counts);

#ifdef __cplusplus
}
#endif

#endif
