/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * gpuprim: parallel primitives for arrays, on GPUs and CPUs with OpenCL 1.2 or later.
 *
 * @defgroup rules Rules for all functions
 * @{
 *
 * - gpuprim_reduce() folds each row of an array to one value: sums, extrema, counts
 * - gpuprim_convolve1d() filters each row with a row of taps
 * - gpuprim_classify() labels each element by a rule and counts the labels
 *
 * The smallest program:
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
 * `gpuprim.h` needs no OpenCL header. Programs that have OpenCL contexts, queues, buffers or
 * events of their own include `gpuprim_cl.h`. `version.h` has the history of this API.
 *
 * - **Status.** A function that can fail returns an int: GPUPRIM_OK (0), one of enum
 *   gpuprim_status, or an OpenCL code, unchanged (-1 to -1999). gpuprim_last_error() says what
 *   went wrong, and in which function.
 * - **Failure.** A function that fails leaks nothing and leaves the context usable. Its outputs
 *   are untouched, unless it had already enqueued work.
 * - **Structs.** Zero-initialise a struct, then set the members that differ from the default.
 *   The library reads structs only during the call. Members named `reserved` must be 0.
 * - **Enums.** Every enum has 32 bits. Its last member, _FORCE_32, makes it so and is no value.
 * - **Threads.** Any number of threads may use a context at once. A call in one thread never
 *   changes the results of a call in another.
 * - **Fork.** A context does not survive fork(). In the child every call on it returns
 *   GPUPRIM_E_FORKED, and so does the creation of a context if the parent had used gpuprim.
 *   Create contexts after the fork, in a process that has not used OpenCL before.
 * - **Silence.** The library does not print, exit, abort, open files or install signal
 *   handlers.
 *
 * @}
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
/// @defgroup status Status
/// @{

/// What went wrong. Codes of OpenCL (-1 to -1999) are returned unchanged.
enum gpuprim_status {
    GPUPRIM_OK = 0, ///< nothing
    /// An argument is wrong on any device: it is NULL, has an unknown value, or overlaps
    /// another.
    GPUPRIM_E_ARG = -2000,
    /// An array leaves its buffer, or a size overflows 64 bits.
    GPUPRIM_E_RANGE = -2001,
    /// A type is not set, is not taken here, or is not the type of the results.
    GPUPRIM_E_TYPE = -2002,
    /// The host has no memory left.
    GPUPRIM_E_MEMORY = -2010,
    /// A kernel does not compile. gpuprim_last_error() has the compiler's log.
    GPUPRIM_E_BUILD = -2020,
    /// There is no OpenCL platform, no usable device, or no device of the given name.
    GPUPRIM_E_NO_DEVICE = -2030,
    /// This device cannot do it, for example f64 without double precision.
    GPUPRIM_E_UNSUPPORTED = -2040,
    /// The process was forked from one that used gpuprim.
    GPUPRIM_E_FORKED = -2050,
    GPUPRIM_STATUS_FORCE_32 = 0x7fffffff
};

/// A short text for a code of gpuprim or OpenCL. Never NULL; static storage.
GPUPRIM_API const char *gpuprim_strerror(int code);

/// A sentence about the last failure in the calling thread. It begins with the name of the
/// function that failed and, after GPUPRIM_E_BUILD, ends with the compiler's log. Needs no
/// context. Never NULL; valid until this thread calls gpuprim again.
GPUPRIM_API const char *gpuprim_last_error(void);

/// The version of the library at run time, such as "0.2.0". The version of this header is in
/// `version.h`.
GPUPRIM_API const char *gpuprim_version(void);

/// @}

// ---------------------------------------------------------------------------------------
/// @defgroup context Devices and contexts
/// @{

/// A context: one OpenCL device and what the library keeps for it. Opaque.
typedef struct gpuprim gpuprim;

/// How much is said to gpuprim_options::log.
enum gpuprim_log_level {
    GPUPRIM_LOG_NONE = 0,  ///< no messages
    GPUPRIM_LOG_WARN = 1,  ///< something is wrong with the device, and the library avoids it
    GPUPRIM_LOG_INFO = 2,  ///< which device is used, which kernels are built
    GPUPRIM_LOG_TRACE = 3, ///< one line for each launch
    GPUPRIM_LOG_LEVEL_FORCE_32 = 0x7fffffff
};

/// What a context may be told when it is created.
struct gpuprim_options {
    /// The device: its index in the list of gpuprim_devices(), "cpu", "gpu", or a part of its
    /// name or its platform's name, in upper or lower case. NULL = the value of the environment
    /// variable GPUPRIM_DEVICE, which has the same form. If that is not set: the first GPU, or
    /// the first CPU if there is no GPU. Devices of other kinds are used only by index or name.
    /// gpuprim_create_cl() does not read this member.
    const char *device;

    /// Receives messages up to `log_level`. It may be called from several threads at once and
    /// while the library holds a lock, so it must not call gpuprim. NULL = no messages.
    void (*log)(void *user, enum gpuprim_log_level level, const char *text);
    void *log_user;                   ///< passed to `log`
    enum gpuprim_log_level log_level; ///< the most that is said

    /// The most staging memory in bytes that a call may allocate on the device for host arrays.
    /// One half is filled while kernels work on the other; results wait in a third part. 0 =
    /// 256 MiB. More than about 36 MiB makes calls no faster.
    uint64_t staging_bytes;

    uint64_t reserved[4];
};

/// Creates a context for one device. `options` may be NULL. The caller owns `*out` and destroys
/// it with gpuprim_destroy(). `*out` is untouched on failure.
///
/// **Fails.** E_ARG. E_NO_DEVICE. E_UNSUPPORTED: the device with this index cannot run gpuprim.
/// E_MEMORY. E_FORKED. An OpenCL code.
GPUPRIM_API int gpuprim_create(const struct gpuprim_options *options, gpuprim **out);

/// Destroys a context and sets `*gp` to NULL. gp and `*gp` may be NULL. Enqueued work still
/// finishes; this function does not wait for it. No other thread may be inside a call on the
/// context. Destroy filters and classifiers first.
GPUPRIM_API void gpuprim_destroy(gpuprim **gp);

/// What a device is.
enum gpuprim_device_kind {
    GPUPRIM_DEVICE_OTHER = 0, ///< an accelerator of another kind
    GPUPRIM_DEVICE_CPU = 1,   ///< a processor
    GPUPRIM_DEVICE_GPU = 2,   ///< a graphics processor
    GPUPRIM_DEVICE_KIND_FORCE_32 = 0x7fffffff
};

/// A device. gpuprim_devices() writes all members. Texts end with a zero; longer ones are cut.
struct gpuprim_device {
    char name[128];                ///< name of the device
    char platform[128];            ///< name of its platform
    char driver[128];              ///< version of the driver
    char version[128];             ///< version of OpenCL, for example "OpenCL 3.0 CUDA"
    enum gpuprim_device_kind kind; ///< CPU, GPU or another
    int status;                    ///< GPUPRIM_OK, or the code of gpuprim's refusal
    char refusal[128];             ///< the reason; "" if status is GPUPRIM_OK
    void *id;                      ///< the cl_device_id, for gpuprim_create_cl()
    uint32_t fp64;                 ///< 1: the device takes f64
    uint32_t svm;                  ///< 1: the device takes arrays in shared virtual memory
    uint32_t compute_units;        ///< cores of a CPU, multiprocessors of a GPU
    uint32_t width;                ///< items of a warp, wavefront or SIMD unit; 1 on a CPU
    uint64_t max_work_group;       ///< most items of a work-group
    uint64_t global_bytes;         ///< memory of the device
    uint64_t max_alloc_bytes;      ///< largest buffer
    uint64_t local_bytes;          ///< memory shared by the items of a work-group
    uint64_t reserved[8];          ///< written as 0
};

/// Lists all devices of all platforms, as `gpuprim info` does. The index in the list is the one
/// that gpuprim_options::device takes. Devices that gpuprim refuses are listed too: `status`
/// and `refusal` say why, and members that could not be asked are 0. At most 64 devices are
/// listed.
///
/// **Arguments.** list: room for `limit` devices; may be NULL if limit is 0. count: receives
/// the number of devices, which may be larger than limit; 0 if there is no driver.
///
/// **Fails.** E_ARG: count is NULL, or list is NULL and limit is not 0. E_MEMORY. E_FORKED.
GPUPRIM_API int gpuprim_devices(struct gpuprim_device *list, unsigned limit, unsigned *count);

/// @}

// ---------------------------------------------------------------------------------------
/// @defgroup arrays Arrays
/// @{

/// The type of elements.
enum gpuprim_type {
    GPUPRIM_TYPE_INVALID = 0, ///< not set
    GPUPRIM_I8 = 1,           ///< signed, 8 bits
    GPUPRIM_U8 = 2,           ///< unsigned, 8 bits
    GPUPRIM_I16 = 3,          ///< signed, 16 bits
    GPUPRIM_U16 = 4,          ///< unsigned, 16 bits
    GPUPRIM_I32 = 5,          ///< signed, 32 bits
    GPUPRIM_U32 = 6,          ///< unsigned, 32 bits
    GPUPRIM_I64 = 7,          ///< signed, 64 bits
    GPUPRIM_U64 = 8,          ///< unsigned, 64 bits
    GPUPRIM_F16 = 9,          ///< IEEE binary16; stored only, calculations are in f32
    GPUPRIM_F32 = 10,         ///< IEEE binary32
    GPUPRIM_F64 = 11,         ///< IEEE binary64; needs a device with double precision
    GPUPRIM_C32 = 12,         ///< complex: real and imaginary part in f32; convolve1d only
    GPUPRIM_TYPE_FORCE_32 = 0x7fffffff
};

/// Where an array lies.
enum gpuprim_memory {
    GPUPRIM_HOST = 0,   ///< base points to ordinary memory
    GPUPRIM_BUFFER = 1, ///< base is a cl_mem of the context's cl_context
    GPUPRIM_SVM = 2,    ///< base points to shared virtual memory of that cl_context
    GPUPRIM_MEMORY_FORCE_32 = 0x7fffffff
};

/// A view of memory as rows of elements. It owns nothing. Element e of row r is element
///
///     first + r * row_stride + e * stride
///
/// counted from base. One struct so describes arrays, batches, rows, columns and interleaved
/// channels. All counts, offsets and strides are in elements; strides may be negative. Pointers
/// to host memory and SVM must be aligned to the element, those to C32 in host memory to 4
/// bytes.
///
/// | what | members |
/// |------|---------|
/// | n packed elements | count n; gpuprim_host() |
/// | the rows of an R x C matrix | count C, rows R; gpuprim_as_rows() |
/// | its columns | count R, rows C, stride C, row_stride 1; gpuprim_as_columns() |
struct gpuprim_array {
    enum gpuprim_type type;     ///< type of the elements
    enum gpuprim_memory memory; ///< what base is
    void *base;                 ///< a pointer or a cl_mem, as `memory` says
    uint64_t first;             ///< offset of element 0 of row 0
    uint64_t count;             ///< elements in a row
    int64_t stride;             ///< distance from an element to the next one; 0 = 1
    uint64_t rows;              ///< 0 = one row if row_stride is 0, no rows if it is not
    int64_t row_stride; ///< distance from a row to the next one; 0 = packed: count * stride
    uint64_t reserved[4];
};

/// A packed host array of `count` elements. The library only reads inputs, so the base of an
/// input may be const.
static inline struct gpuprim_array gpuprim_host(enum gpuprim_type type, const void *base,
                                                uint64_t count)
{
    struct gpuprim_array array = { type, GPUPRIM_HOST,  (void *)(uintptr_t)base, 0, count, 0, 0,
                                   0,    { 0, 0, 0, 0 } };
    return array;
}

/// The rows of a matrix. The matrix has `rows` x `columns` elements and is stored row by row.
/// `array` gives type, memory, base, first and the stride of neighbours in a row; its count,
/// rows and row_stride are ignored. With rows = 0 the result has no rows.
static inline struct gpuprim_array gpuprim_as_rows(struct gpuprim_array array, uint64_t rows,
                                                   uint64_t columns)
{
    array.count = columns;
    array.rows = rows;
    array.row_stride = rows ? 0 : 1; // rows = 0 and row_stride = 0 would be one row
    return array;
}

/// The columns of the same matrix: row c of the result is column c. For interleaved samples,
/// `rows` is the number of frames and `columns` the number of channels. With columns = 0 the
/// result has no rows; with rows = 0 it has `columns` rows without elements.
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

/// How a call waits and signals; defined in `gpuprim_cl.h`. NULL = the call blocks until its
/// results are there.
struct gpuprim_sync;

/// @}

// ---------------------------------------------------------------------------------------
/// @defgroup reduce Reduce
/// @{

/// What gpuprim_reduce() computes of each row.
enum gpuprim_op {
    GPUPRIM_SUM = 0,          ///< sum of x
    GPUPRIM_PRODUCT = 1,      ///< product of x
    GPUPRIM_MIN = 2,          ///< smallest x
    GPUPRIM_MAX = 3,          ///< largest x
    GPUPRIM_ARGMIN = 4,       ///< index of the minimum in its row; the lowest index wins a tie
    GPUPRIM_ARGMAX = 5,       ///< index of the maximum, likewise
    GPUPRIM_MINMAX = 6,       ///< two results: minimum, maximum
    GPUPRIM_AND = 7,          ///< bitwise; integers only
    GPUPRIM_OR = 8,           ///< bitwise; integers only
    GPUPRIM_XOR = 9,          ///< bitwise; integers only
    GPUPRIM_ANY = 10,         ///< 1 if an element is not zero, else 0
    GPUPRIM_ALL = 11,         ///< 1 if no element is zero, else 0
    GPUPRIM_COUNT = 12,       ///< number of elements that are not zero
    GPUPRIM_SUM_ABS = 13,     ///< sum of |x|
    GPUPRIM_SUM_SQUARES = 14, ///< sum of x * x
    GPUPRIM_MEAN = 15,        ///< sum of x, divided by count
    GPUPRIM_MAX_ABS = 16,     ///< largest |x|
    GPUPRIM_STATISTICS = 17,  ///< five results: count, minimum, maximum, mean, variance
    GPUPRIM_OP_FORCE_32 = 0x7fffffff
};

/// What gpuprim_reduce() does with a NaN.
enum gpuprim_nan {
    GPUPRIM_NAN_PROPAGATE = 0, ///< a NaN makes the result NaN; ARGMIN, ARGMAX: its index
    GPUPRIM_NAN_IGNORE = 1,    ///< a NaN is left out, as if the row did not have it
    GPUPRIM_NAN_FORCE_32 = 0x7fffffff
};

/// How gpuprim_reduce() folds a row.
struct gpuprim_reduce_params {
    enum gpuprim_op op; ///< what is computed
    /// The type in which sums, products and means are accumulated. 0 = i64 for signed integers,
    /// u64 for unsigned integers, f32 for f16 and f32, f64 for f64. f16 and f32 also take
    /// GPUPRIM_F64. The other operations take the same values and do not use them.
    enum gpuprim_type accumulator;
    enum gpuprim_nan nan; ///< what becomes of a NaN
    uint64_t reserved[4];
};

/// Folds each row of `in` to one result:
///
///     out[r] = x[r][0] op x[r][1] op ... op x[r][count-1]
///
/// **Arguments.** in: any type but C32. out: one result for each row. MINMAX has two, the
/// minimum first; STATISTICS has five: how many elements were taken, minimum, maximum, mean,
/// and variance, which is the mean of (x - mean)^2. out is either one row of in.rows (MINMAX:
/// twice, STATISTICS: five times as many) elements, or in.rows rows of 1 (MINMAX: 2,
/// STATISTICS: 5). in and out must not overlap. An array occupies all memory from its first
/// element to its last one, gaps included. The type of out, which gpuprim_reduce_type() also
/// gives:
///
/// | operation                       | type of the results                   |
/// |---------------------------------|---------------------------------------|
/// | SUM PRODUCT SUM_ABS SUM_SQUARES | the accumulator's                     |
/// | MIN MAX MINMAX AND OR XOR       | the input's                           |
/// | ARGMIN ARGMAX COUNT             | u64                                   |
/// | ANY ALL                         | u8                                    |
/// | MAX_ABS                         | u64; f32 for f16 and f32, f64 for f64 |
/// | MEAN                            | f64; f32 for f32 with accumulator f32 |
/// | STATISTICS                      | f64, or f32 if the caller wants it    |
///
/// Devices without double precision have STATISTICS in f32 only.
///
/// **Empty.** A row without elements gives the identity: 0 for SUM, SUM_ABS, SUM_SQUARES, OR,
/// XOR, ANY, COUNT and MAX_ABS; 1 for PRODUCT and ALL; all ones for AND; the largest value of
/// the type (+inf) for MIN and the smallest (-inf) for MAX; UINT64_MAX for ARGMIN and ARGMAX;
/// NaN for MEAN; 0, +inf, -inf, NaN, NaN for STATISTICS. Without rows nothing is written.
///
/// **Numerics.** Integers wrap modulo 2^64. MEAN does not wrap: integers are summed exactly.
/// The error of a float sum is at most
///
///     (256 + log2 count) * u * sum|x|        u = 2^-24 (f64: 2^-53)
///
/// for any count: chains of at most 128 additions are folded as a tree. A float sum whose
/// partial sums leave the range of the accumulator is infinite or NaN, even where the whole sum
/// would fit, and so is MEAN, which divides the sum. With accumulator f64 f16 and f32 never get
/// there; nor do the means of STATISTICS.
///
/// **Same bits.** Repeated calls give the same bits on one device and driver. The position of
/// host data in memory makes no difference. The order of a float sum over device memory may
/// depend on the distance of a row from a 16-byte boundary.
///
/// **Statistics.** They are calculated in f64 where the device has it, else and for f16 in f32,
/// u being 2^-53 or 2^-24; an f32 result rounds once more. Integers that the type of
/// calculation cannot represent are rounded to it first. The error of the mean and the relative
/// error of the variance are at most
///
///     (256 + log2 count + k / 2) * u * max|x|, plus 2^-1040 (f32: 2^-94) for data next to 0
///     (1024 * log2 count + 3 * k) * u * sqrt(1 + mean^2 / variance)
///
/// so that data far from 0 keep theirs. k is how many chains of a row one work-item merges one
/// after another: mostly count / 64 or less, divided by the row's work-items, and never more
/// than count. The mean lies between minimum and maximum. Of equal elements the variance is
/// exactly 0. It may be infinite where count^2 times as much leaves the range. Squares of
/// distances below 2^-500 (f32: 2^-47) of f64 (f32) data are lost.
///
/// **NaN, infinity, zero.** A NaN makes all of STATISTICS NaN but the count, which has the NaNs
/// too; NAN_IGNORE leaves them out of the count. With an infinity the variance is NaN and the
/// mean infinite, or NaN if there are both. -0 and +0 are equal; MIN and MAX may return either.
/// ANY, ALL and COUNT take a NaN as not zero; with NAN_IGNORE they leave it out.
///
/// **When.** Without sync the results are in `out` on return. With sync the call only enqueues,
/// and the results are in `out` when the event `done` is complete. The first call of a kind
/// also compiles (see gpuprim_reduce_prepare()). Host arrays need a call without sync.
///
/// **Host.** Host arrays may have any size. CPU devices use them in place; to other devices
/// they are streamed through staging memory.
///
/// **Memory.** On the device the call needs at most 8 MiB beside arrays and staging memory. The
/// context keeps some of both for later calls. On NVIDIA GPUs each compiled program takes
/// 256 KiB.
///
/// **Fails.** E_ARG: NULL, an unknown op or option, an out of the wrong shape, overlap, a host
/// array with sync. E_RANGE: an array leaves its buffer. E_TYPE. E_UNSUPPORTED: the device has
/// no double precision or no SVM. E_BUILD. E_MEMORY. E_FORKED. An OpenCL code.
GPUPRIM_API int gpuprim_reduce(gpuprim *gp, const struct gpuprim_array *in,
                               const struct gpuprim_array *out,
                               const struct gpuprim_reduce_params *params,
                               const struct gpuprim_sync *sync);

/// Compiles what such a call needs and enqueues nothing. `base` of the arrays is ignored. Fails
/// as gpuprim_reduce() does.
GPUPRIM_API int gpuprim_reduce_prepare(gpuprim *gp, const struct gpuprim_array *in,
                                       const struct gpuprim_array *out,
                                       const struct gpuprim_reduce_params *params);

/// The type of the results for an operation, a type of input, and an accumulator (0 = the
/// default). GPUPRIM_TYPE_INVALID (0) if gpuprim_reduce() does not take the combination;
/// gpuprim_last_error() then says why. The answer is the same for all devices, also for those
/// without double precision.
GPUPRIM_API enum gpuprim_type gpuprim_reduce_type(enum gpuprim_op op, enum gpuprim_type in,
                                                  enum gpuprim_type accumulator);

/// @}

// ---------------------------------------------------------------------------------------
/// @defgroup convolve1d Convolve
/// @{

/// Which outputs are computed. n is the number of inputs in a row, K of taps, d the dilation,
/// L = (K - 1) * d, and o the offset in the formula of gpuprim_convolve1d(). With a stride s
/// only every s-th output is computed, beginning with the first one: ceil(outputs / s).
enum gpuprim_mode {
    GPUPRIM_SAME = 0,       ///< o = floor(L / 2), n outputs: as numpy.convolve and scipy.signal
    GPUPRIM_SAME_UPPER = 1, ///< o = ceil(L / 2), n outputs: as scipy.ndimage.convolve1d, MATLAB
    GPUPRIM_FULL = 2,       ///< o = 0, n + L outputs
    GPUPRIM_VALID = 3,      ///< o = L, n - L outputs: those that need no boundary
    GPUPRIM_CAUSAL = 4,     ///< o = 0, n outputs: each depends on its own and earlier inputs
    GPUPRIM_EXPLICIT = 5,   ///< o = offset of the params, out.count outputs
    GPUPRIM_MODE_FORCE_32 = 0x7fffffff
};

/// The value of X(j) in the formula for j < 0 (left) or j > n - 1 (right). Each side has its
/// own boundary. All are defined for rows shorter than the filter: folding repeats. A row
/// without elements (n = 0) has only ZERO, CONSTANT and HISTORY.
enum gpuprim_boundary {
    GPUPRIM_ZERO = 0,          ///< 0 0 0 | a b c | 0 0 0
    GPUPRIM_CONSTANT = 1,      ///< v v v | a b c | v v v; v is the constant of the params
    GPUPRIM_EDGE = 2,          ///< a a a | a b c | c c c
    GPUPRIM_REFLECT_HALF = 3,  ///< c b a | a b c | c b a
    GPUPRIM_REFLECT_WHOLE = 4, ///< d c b | a b c d | c b a; with one element as EDGE
    GPUPRIM_WRAP = 5,          ///< b c d | a b c d | a b c
    GPUPRIM_HISTORY = 6,       ///< left only: the samples before the row, from the caller
    GPUPRIM_BOUNDARY_FORCE_32 = 0x7fffffff
};

/// How the outputs are computed. gpuprim_filter_describe() says which method runs a call.
///
/// **FFT.** A segment has P points; gpuprim_filter_describe() tells P. The time of an output
/// grows with the logarithm of the number of taps. Filters of more than 9 / 16 * P taps (CPUs:
/// 5 / 8 * P) are divided into parts of about P / 2 taps, and the time also grows with the number
/// of parts. On an H200 P is at most 262144.
/// FFT takes blocks of a row that overlap. The error of an output is at most
///
///     (73 + 2 * taps / P) * u * sum of |taps| * largest |X| of its row
///
/// with u = 2^-24 (f64: 2^-53),
///
/// and usually a tenth of that. So it is relative to the largest inputs near it, not to its own
/// products. Wherever X is NaN or infinite, outputs that do not depend on it may be NaN or
/// infinite, too: fewer than 4 * P of its row, in the blocks beside those that do. So may
/// inputs beyond 2^100 (f64: 2^1000) make them. Blocks that are chained by HISTORY agree with
/// one long call within the error, not bit for bit. Results have the same bits from run to run.
/// FFT takes f32, f16, c32 and f64 in and out.
///
/// **Computed directly** in spite of FFT are: calls whose output step does not divide the
/// dilation; filters with rows of taps whose spectra would have more than 2^24 points, or more
/// bytes than the device gives one buffer; calls of 2^31 blocks or more; calls on devices with
/// too little local memory or too small groups.
enum gpuprim_method {
    /// Adds the products of each output. The error is within that of one sum in any order.
    GPUPRIM_METHOD_DIRECT = 0,
    /// Multiplies spectra of segments.
    GPUPRIM_METHOD_FFT = 1,
    /// FFT where it is expected to be faster, else DIRECT; DIRECT for all types that FFT does
    /// not take.
    GPUPRIM_METHOD_AUTO = 2,
    GPUPRIM_METHOD_FORCE_32 = 0x7fffffff
};

/// What a filter does, beside its taps. The types that go together:
///
/// | taps | input                | output                   |
/// |------|----------------------|--------------------------|
/// | f32  | f16 f32 i8 u8 i16 u16 | f16 f32 i8 u8 i16 u16 i32 |
/// | f64  | f64                  | f64                      |
/// | i32  | i8 u8 i16 u16 i32    | i8 u8 i16 u16 i32 i64    |
/// | f32  | c32                  | c32                      |
/// | c32  | c32                  | c32                      |
struct gpuprim_filter_params {
    enum gpuprim_type in;        ///< the type of the input; 0 = that of the taps
    enum gpuprim_type out;       ///< the type of the output; 0 = that of the input
    enum gpuprim_mode mode;      ///< which outputs are computed
    int64_t offset;              ///< EXPLICIT only; else 0
    enum gpuprim_boundary left;  ///< what stands before a row
    enum gpuprim_boundary right; ///< what stands behind it
    /// The value of CONSTANT: real and imaginary part for c32, else the first number only. It
    /// is rounded to the input's type, and a NaN is a value; for integers it must be whole.
    /// Must be 0 if neither side is CONSTANT.
    double constant[2];
    uint64_t stride;    ///< every stride-th output is computed; 0 = 1; less than 2^31
    uint64_t dilation;  ///< steps between inputs of neighbouring taps; 0 = 1; less than 2^31
    unsigned correlate; ///< 1: taps in reverse order; they are not conjugated
    /// Taps of i32 only: sums are divided by 2^shift and rounded half to even. At most 62.
    unsigned shift;
    enum gpuprim_method method; ///< how the outputs are computed
    uint64_t reserved[4];
};

/// A prepared convolution: taps, boundaries, types. Opaque and immutable.
typedef struct gpuprim_filter gpuprim_filter;

/// Creates a filter from taps: 1 to 2^20 in a row, and either one row for all rows of the data
/// or one row for each of them. The taps are copied. The filter belongs to the context and
/// never changes. Any number of threads may use it at once. `*out` is untouched on failure.
///
/// **Fails.** E_ARG: NULL; no taps or too many; an unknown mode or boundary; HISTORY on the
/// right side or with a negative offset; an offset without EXPLICIT; a constant without
/// CONSTANT, out of the range of the input's type or, for integers, not whole; a shift for
/// float taps; an unknown method. E_RANGE: the array leaves its buffer; an offset beyond 2^61;
/// sums of integers that could exceed 64 bits (sum of |taps| * largest |input| > 2^63 - 1).
/// E_TYPE: types that are not in the table, or integers for the method FFT. E_UNSUPPORTED: f64
/// without double precision. E_BUILD. E_MEMORY. E_FORKED. An OpenCL code.
GPUPRIM_API int gpuprim_filter_create(gpuprim *gp, const struct gpuprim_array *taps,
                                      const struct gpuprim_filter_params *params,
                                      gpuprim_filter **out);

/// Destroys a filter and sets `*filter` to NULL. filter and `*filter` may be NULL. No other
/// thread may be inside a call with it. Work that is enqueued already finishes. Destroy filters
/// before their context.
GPUPRIM_API void gpuprim_filter_destroy(gpuprim_filter **filter);

/// The number of outputs for a row of `count` inputs: what out.count must be in a call.
/// EXPLICIT takes any out.count; the number is then that of the outputs with i * stride +
/// offset < count + (K - 1) * dilation, because later ones depend on no input. 0 if filter is
/// NULL, if count is more than 2^61, or if VALID has fewer than (K - 1) * dilation inputs.
GPUPRIM_API uint64_t gpuprim_filter_outputs(const gpuprim_filter *filter, uint64_t count);

/// Writes a text that says which variant runs such a call with the filter, how the call's rows
/// lie in memory, and why that variant takes them. `base` of the arrays is ignored. in and out
/// may be NULL together: long contiguous rows. At most `size` bytes are written, with the
/// terminating zero. Returns the length of the whole text without that zero, as snprintf does.
/// Returns 0 if filter is NULL, if gpuprim_convolve1d() would refuse the arrays, or if a
/// program cannot be built. gpuprim_last_error() then says why, and text has no meaning. May
/// compile a program.
GPUPRIM_API size_t gpuprim_filter_describe(const gpuprim_filter *filter,
                                           const struct gpuprim_array *in,
                                           const struct gpuprim_array *out, char *text,
                                           size_t size);

/// For the boundary HISTORY, which chains blocks of a signal. Both arrays have the input's type
/// and (K - 1) * dilation elements in each row, the latest sample last.
struct gpuprim_history {
    /// The samples before this block.
    struct gpuprim_array before;
    /// Receives the samples before the next block: the last ones of `before` and the input. Its
    /// count is 0 if no block follows. It may be the same memory as `before`: the same elements
    /// in the same order, even if base, first and strides differ.
    struct gpuprim_array after;
    uint64_t reserved[4];
};

/// Convolves each row of `in` with the filter:
///
///     out[r][i] = sum over k = 0 ... K-1 of taps[k] * X(i * stride + offset - k * dilation)
///
/// X is row r of `in`, continued at both ends as the boundaries say. With `correlate` the sum
/// has taps[K-1-k] in place of taps[k].
///
/// **Arguments.** in: any strides. out: as many rows as in; gpuprim_filter_outputs() elements
/// in each. history: NULL unless the left boundary is HISTORY. out and history.after must not
/// overlap each other or what is read, except that after may be the same as before.
///
/// **Empty.** Without rows nothing is written.
///
/// **Numerics.** Taps of i32 sum integers exactly in 64 bits. All other sums are in f32, also
/// those of integers and f16 and both parts of complex ones; of f64 data they are in f64. An
/// integer result is the sum, shifted if the taps are i32, rounded half to even and saturated
/// to its type; NaN gives 0. An f16 result is the sum rounded half to even; from 65520 on it is
/// infinite. The order of summation depends only on the number of taps and the types. Blocks of
/// any sizes that are chained by HISTORY give the same bits as one long call. That is for the
/// method DIRECT; enum gpuprim_method says what errors FFT has.
///
/// **When.** As gpuprim_reduce(). gpuprim_filter_create() compiles what calls on long
/// contiguous rows need. Other shapes are compiled for by the first call of their kind, or by
/// gpuprim_convolve1d_prepare().
///
/// **Host.** As gpuprim_reduce().
///
/// **Memory.** On the device the call needs none beside arrays, taps and staging memory. The
/// method FFT needs some with filters that are too long for what a group can transform (on an
/// H200: longer than 9216 taps, f64 and c32 4608): the smaller of 256 MiB and a 32nd of
/// the device's memory, or what one block takes, up to 32 MiB, if that is more. Calls in one
/// in-order queue share it, and the context keeps it for later calls. Each call in an
/// out-of-order queue has its own until it is complete.
///
/// **Fails.** E_ARG: NULL; a filter of another context; counts or rows that do not fit; VALID
/// with fewer than (K - 1) * dilation inputs; a boundary that a row without elements does not
/// have; a history that is missing, has the wrong size, or is given without HISTORY; overlap; a
/// host array with sync. E_RANGE. E_TYPE: other types than the filter's. E_UNSUPPORTED.
/// E_MEMORY. E_FORKED. An OpenCL code.
GPUPRIM_API int gpuprim_convolve1d(gpuprim *gp, const gpuprim_filter *filter,
                                   const struct gpuprim_array *in,
                                   const struct gpuprim_array *out,
                                   const struct gpuprim_history *history,
                                   const struct gpuprim_sync *sync);

/// Compiles what such a call needs and enqueues nothing. `base` of the arrays is ignored. Fails
/// as gpuprim_convolve1d() does.
GPUPRIM_API int gpuprim_convolve1d_prepare(gpuprim *gp, const gpuprim_filter *filter,
                                           const struct gpuprim_array *in,
                                           const struct gpuprim_array *out,
                                           const struct gpuprim_history *history);

/// @}

// ---------------------------------------------------------------------------------------
/// @defgroup classify Classify
/// @{

/// The label of an element that is rejected. Rejected elements are not counted. In `labels`
/// they have all bits of the type set.
#define GPUPRIM_REJECT UINT32_MAX

/// Which end of a class belongs to it.
enum gpuprim_closed {
    GPUPRIM_CLOSED_LEFT = 0,  ///< the lower one
    GPUPRIM_CLOSED_RIGHT = 1, ///< the upper one
    GPUPRIM_CLOSED_FORCE_32 = 0x7fffffff
};

/// THRESHOLDS. T thresholds t[0] <= t[1] <= ... make T + 1 classes:
///
///     CLOSED_LEFT   class = how many t[k] <= x     t[k-1] <= x < t[k]
///     CLOSED_RIGHT  class = how many t[k] <  x     t[k-1] < x <= t[k]
struct gpuprim_thresholds {
    /// The thresholds: 0 to 65535 of the input's type in a row, and either one row for all rows
    /// of the data or one row for each of them. This and the other arrays of rules may be in
    /// any memory.
    struct gpuprim_array values;
    enum gpuprim_closed closed; ///< which class has an element that equals a threshold
    uint64_t reserved[4];
};

/// Where UNIFORM puts an element below `low`, or not below `high`.
enum gpuprim_outside {
    GPUPRIM_OUTSIDE_CLAMP = 0,    ///< into the first or the last class
    GPUPRIM_OUTSIDE_REJECTED = 1, ///< into no class
    GPUPRIM_OUTSIDE_CLASSES = 2,  ///< into class 0 or class bins + 1; the bins are 1 to bins
    GPUPRIM_OUTSIDE_FORCE_32 = 0x7fffffff
};

/// UNIFORM. `bins` intervals of equal width from `low` to `high`, each closed on the left. They
/// have bins + 1 edges, which gpuprim_classifier_edges() reads:
///
///     e[j] = low * ((bins - j) / bins) + high * (j / bins),   e[0] = low, e[bins] = high
///
/// Each operation is rounded to double, and the edge is rounded to the input's type, for
/// integers upwards. class = j where e[j] <= x < e[j+1]: the same as THRESHOLDS with these
/// edges. With integers `high` may be one more than the largest value of the type, so that the
/// bins cover the whole type; that edge then reads as the largest value.
struct gpuprim_uniform {
    double low;    ///< less than high; all edges must lie within the range of the input's type
    double high;   ///< where the last bin ends
    uint32_t bins; ///< 1 to 65535
    enum gpuprim_outside outside; ///< where elements beyond low and high are put
    /// 1: x = high belongs to the last bin, as in numpy.histogram. With CLAMP it always does.
    unsigned top_inclusive;
    uint64_t reserved[4];
};

/// TABLE. label = labels[(x >> shift) & mask]. x is an integer; its bits count as unsigned.
struct gpuprim_table {
    /// 1 to 65536 entries of u8, u16 or u32 in one row. An entry of u32 may be GPUPRIM_REJECT.
    struct gpuprim_array labels;
    unsigned shift; ///< less than the number of bits of the input's type
    /// Less than the number of entries, and within the bits of the input's type. 0 = entries -
    /// 1, if the number of entries is a power of two.
    uint64_t mask;
    uint64_t reserved[4];
};

/// A case of CASES. `value` may have no bits beyond `mask`, and `mask` none beyond the input's
/// type.
struct gpuprim_case {
    uint64_t mask;  ///< which bits of x are compared
    uint64_t value; ///< what they must be
    uint32_t label; ///< a label or GPUPRIM_REJECT
};

/// CASES. The label is that of the first case with (x & mask) == value, or `otherwise` if there
/// is none: a chain of if and else if, or a switch. x is an integer; its bits count as
/// unsigned.
struct gpuprim_cases {
    const struct gpuprim_case *list; ///< earlier cases come first
    uint32_t count;                  ///< at most 65536
    uint32_t otherwise;              ///< a label or GPUPRIM_REJECT
    uint64_t reserved[4];
};

/// How RULES compares an element x with a value v.
enum gpuprim_comparison {
    GPUPRIM_LESS = 0,          ///< x < v
    GPUPRIM_LESS_EQUAL = 1,    ///< x <= v
    GPUPRIM_GREATER = 2,       ///< x > v
    GPUPRIM_GREATER_EQUAL = 3, ///< x >= v
    GPUPRIM_EQUAL = 4,         ///< x == v
    GPUPRIM_NOT_EQUAL = 5,     ///< x != v
    GPUPRIM_COMPARISON_FORCE_32 = 0x7fffffff
};

/// RULES. label = labels[index]. Bit k of index is 1 if x compares with values[k] as
/// comparisons[k] says. For a NaN only NOT_EQUAL is true.
struct gpuprim_rules {
    struct gpuprim_array values; ///< 0 to 16 of the input's type in one row, unordered
    const enum gpuprim_comparison *comparisons; ///< one for each value
    /// 2^values.count entries of u8, u16 or u32 in one row. An entry of u32 may be
    /// GPUPRIM_REJECT.
    struct gpuprim_array labels;
    uint64_t reserved[4];
};

/// Where THRESHOLDS and UNIFORM put a NaN.
enum gpuprim_nan_class {
    GPUPRIM_NAN_HIGH = 0,     ///< into the last class, as numpy and torch sort NaN
    GPUPRIM_NAN_CLASS = 1,    ///< into the class `nan_class`
    GPUPRIM_NAN_REJECTED = 2, ///< into no class
    GPUPRIM_NAN_CLASS_FORCE_32 = 0x7fffffff
};

/// What a classifier does. Exactly one of the five rules is not NULL.
struct gpuprim_classifier_params {
    const struct gpuprim_thresholds *thresholds; ///< ascending thresholds
    const struct gpuprim_uniform *uniform;       ///< intervals of equal width
    const struct gpuprim_table *table;           ///< some bits are an index
    const struct gpuprim_cases *cases;           ///< the first case that matches
    const struct gpuprim_rules *rules;           ///< several comparisons at once

    /// The input's type: any real type; for TABLE and CASES an integer type. 0 = the type of
    /// the values for THRESHOLDS and RULES; the other rules need a type.
    enum gpuprim_type in;
    enum gpuprim_nan_class nan; ///< where THRESHOLDS and UNIFORM put a NaN
    uint32_t nan_class;         ///< the class of a NaN, for NAN_CLASS
    /// THRESHOLDS, UNIFORM: map[c] is the label of class c. u8, u16 or u32, one entry for each
    /// class; an entry of u32 may be GPUPRIM_REJECT. With count 0 a class is its own label.
    struct gpuprim_array map;
    unsigned accumulate; ///< 1: counts are added to what `counts` holds
    uint64_t reserved[4];
};

/// A prepared rule. Opaque and immutable. It gives each element x a label by a rule, which is
/// data. There are five rules, with a struct for each. THRESHOLDS and UNIFORM give x a class,
/// numbered from 0; its label is the class itself or an entry of a map
/// (gpuprim_classifier_params). The other rules give x a label directly.
/// gpuprim_classifier_describe() tells how a rule is computed.
typedef struct gpuprim_classifier gpuprim_classifier;

/// Creates a classifier. All that the params point to is copied. The classifier belongs to the
/// context and never changes. Any number of threads may use it at once. `*out` is untouched on
/// failure.
///
/// **Fails.** E_ARG: NULL; no rule or several; an unknown option; values that are NaN or, for
/// THRESHOLDS, descend; low >= high, or edges that are equal in the input's type; a table, map
/// or list of cases of the wrong length; low, high, a mask, a value or a shift beyond the type;
/// a nan_class beyond the classes; nan, nan_class or a map for a rule that has none. The
/// message names the first wrong index. E_RANGE: an array leaves its buffer. E_TYPE: the rule
/// does not take the type. E_UNSUPPORTED: f64 without double precision. E_BUILD. E_MEMORY.
/// E_FORKED. An OpenCL code.
GPUPRIM_API int gpuprim_classifier_create(gpuprim *gp,
                                          const struct gpuprim_classifier_params *params,
                                          gpuprim_classifier **out);

/// Destroys a classifier and sets `*classifier` to NULL. classifier and `*classifier` may be
/// NULL. No other thread may be inside a call with it. Work that is enqueued already finishes.
/// Destroy classifiers before their context.
GPUPRIM_API void gpuprim_classifier_destroy(gpuprim_classifier **classifier);

/// The number of labels that are counted: one more than the largest label in the map, table or
/// cases, even if no element can get it; without a map the number of classes. 0 if classifier
/// is NULL or everything is rejected.
GPUPRIM_API uint64_t gpuprim_classifier_labels(const gpuprim_classifier *classifier);

/// For UNIFORM: writes the bins + 1 edges in the input's type to a packed host array.
///
/// **Fails.** E_ARG: NULL; another rule; not a packed host array of bins + 1 elements. E_TYPE.
/// E_FORKED.
GPUPRIM_API int gpuprim_classifier_edges(const gpuprim_classifier *classifier,
                                         const struct gpuprim_array *edges);

/// Writes a text that says how the classifier is computed on its device and why, and which
/// cases of CASES no element can match. Cases that only several earlier ones together cover may
/// be missing there, and so may others where there are thousands of masks. At most `size` bytes
/// are written, with the terminating zero. Returns the length of the whole text without that
/// zero, as snprintf does; 0 for NULL. May compile a program.
GPUPRIM_API size_t gpuprim_classifier_describe(const gpuprim_classifier *classifier, char *text,
                                               size_t size);

/// Labels each element of `in`, counts the labels, or both. Some calls with both read `in` twice
/// on GPUs:
///
///     labels[r][i] = label of in[r][i],    counts[l] = how many elements have label l
///
/// **Arguments.** in: any strides. labels: NULL, or as many rows and elements as in, any
/// strides, of u8, u16 or u32. The type must hold every label; if elements can be rejected, the
/// value with all bits set must not be a label. counts: NULL, or u32 or u64 in rows of
/// gpuprim_classifier_labels() elements: one row for all rows of in, or one for each. labels
/// and counts must not both be NULL. in, labels and counts must not overlap; an array occupies
/// all memory from its first element to its last one.
///
/// **Empty.** Without elements or rows, counts are set to 0, or are unchanged with
/// `accumulate`.
///
/// **Numerics.** Exact. Elements are compared with thresholds in their own type. -0 and +0 are
/// equal. Denormals are compared exactly on devices that have them. u32 counts wrap modulo
/// 2^32.
///
/// **When.** As gpuprim_reduce(). gpuprim_classifier_create() compiles what calls on packed
/// device arrays need: with labels of the narrowest type that holds them, with counts of all
/// rows together, or with both. Other calls compile when the first of their kind is made, or in
/// gpuprim_classify_prepare(), and so do packed calls of some sizes where rows have thresholds
/// of their own.
///
/// **Host.** As gpuprim_reduce().
///
/// **Memory.** On the device the call needs none beside arrays, the classifier's tables and
/// staging memory. On GPUs, columns with very many counts or thresholds of each need some: the
/// smaller of gpuprim_options::staging_bytes and a 32nd of the device's memory, or up to 320 KiB,
/// if that is more. Calls in one in-order queue share it, and the context keeps it for later
/// calls. Each call in an out-of-order queue has its own until it is complete. On NVIDIA GPUs each
/// compiled program takes 8 KiB.
///
/// **Fails.** E_ARG: NULL; a classifier of another context; counts or rows that do not fit;
/// labels of too narrow a type; overlap; a host array with sync. E_RANGE. E_TYPE.
/// E_UNSUPPORTED. E_BUILD. E_MEMORY. E_FORKED. An OpenCL code.
GPUPRIM_API int gpuprim_classify(gpuprim *gp, const gpuprim_classifier *classifier,
                                 const struct gpuprim_array *in,
                                 const struct gpuprim_array *labels,
                                 const struct gpuprim_array *counts,
                                 const struct gpuprim_sync *sync);

/// Compiles what such a call needs and enqueues nothing. `base` of the arrays is ignored. Fails
/// as gpuprim_classify() does.
GPUPRIM_API int gpuprim_classify_prepare(gpuprim *gp, const gpuprim_classifier *classifier,
                                         const struct gpuprim_array *in,
                                         const struct gpuprim_array *labels,
                                         const struct gpuprim_array *counts);

/// @}

#ifdef __cplusplus
}
#endif

#endif
