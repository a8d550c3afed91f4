/* SPDX-License-Identifier: Apache-2.0
 *
 * The only private header: what the files of src/ share, and what the tests and the gpuprim
 * program look into. Not installed.
 *
 * The path of a call, two functions deep:
 *     gpuprim_reduce          checks, picks a variant and a geometry          reduce/call.c
 *       gp_program_find       the kernels for it; gp_program_build where new    program.c
 *       gp_launch             arguments and enqueue, under the context's lock launch.c
 */
#ifndef GP_INTERNAL_H
#define GP_INTERNAL_H

#include <pthread.h>

// clCreateCommandQueue is the one that OpenCL 1.2 has.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <gpuprim/gpuprim_cl.h>

#include "types.h"

// ---------------------------------------------------------------------------------------
// error.c: words for failures, the log, the environment

#if defined(__GNUC__)
#define GP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define GP_PRINTF(text, first)
#endif

// Stores the words for gpuprim_last_error() and returns `code`.
int gp_fail(int code, const char *format, ...) GP_PRINTF(2, 3);

// The same for an OpenCL code: names the call that returned it.
int gp_fail_cl(cl_int code, const char *call);

void gp_log(const gpuprim *gp, enum gpuprim_log_level level, const char *format, ...)
    GP_PRINTF(3, 4);

// What the environment asked for (docs/environment.md). The strings live as long as the
// environment does: copy what is kept.
struct gp_environment {
    const char *device;  // GPUPRIM_DEVICE
    const char *variant; // GPUPRIM_VARIANT
    uint64_t work_group; // GPUPRIM_WORK_GROUP, 0 = not set
};
void gp_environment_read(struct gp_environment *environment);

// ---------------------------------------------------------------------------------------
// caps.c: what a device can do, asked once

struct gp_caps {
    char device[128], platform[128], driver[128], version[128];
    bool is_gpu;
    bool is_cpu;    // host arrays are used in place
    bool is_nvidia; // inline PTX and -cl-nv-verbose are there
    unsigned ptx;   // compute capability (90 = 9.0) where kernels may use inline PTX, else 0
    bool has_fp64;
    bool has_svm;         // OpenCL 2.0 or later, at least coarse-grained
    bool divides_exactly; // correctly rounded f32 division on request
    unsigned compute_units;
    unsigned width;          // warp, wavefront or SIMD width: work-groups are multiples of it
    unsigned registers;      // of 32 bits per compute unit; 0 = the driver does not say
    uint64_t max_work_group; // the least of the work-group and the work-item limit
    uint64_t local_bytes;
    uint64_t max_alloc_bytes;
    uint64_t global_bytes;
    size_t max_parameter_bytes; // of a kernel's arguments together
    // cl_nv_create_buffer, or NULL: memory on the host that kernels write to directly.
    cl_mem(CL_API_CALL *create_buffer_nv)(cl_context, cl_mem_flags, cl_bitfield flags_nv,
                                          size_t, void *, cl_int *);
};

// Fills *caps. Fails with E_UNSUPPORTED where the device cannot run gpuprim at all.
int gp_caps_query(cl_device_id device, struct gp_caps *caps);

// Every device of every platform, in the order `gpuprim info` counts them. A platform that
// fails or has no devices is passed over, and a device that is listed twice, since its driver
// is registered twice, counts once. Returns how many there are; at most `limit` are stored.
unsigned gp_devices(cl_device_id *devices, unsigned limit);

// The device that `wish` names (see struct gpuprim_options), or the best one if it is NULL.
int gp_device_find(const char *wish, cl_device_id *out);

// ---------------------------------------------------------------------------------------
// array.c: a checked view of a caller's array

struct gp_array {
    enum gpuprim_type type;
    enum gpuprim_memory memory;
    void *base;
    size_t size;   // bytes of an element
    int64_t first; // elements
    uint64_t count, rows;
    int64_t stride, row_stride; // elements, resolved: never 0 by default
    int64_t low, high; // elements from base: the first that is touched, one past the last
    // The bytes touched, begin up to end, of the buffer `root`; of memory itself if that is
    // NULL. Equal where nothing is touched or only a description was given.
    const void *root;
    uint64_t begin, end;
};

// Checks *array and resolves its defaults. `name` stands in the words of a failure. With
// `ignore_base` base is not looked at (prepare).
int gp_array_resolve(const gpuprim *gp, const struct gpuprim_array *array, const char *name,
                     bool ignore_base, struct gp_array *out);

// Element `i` of row `row` of a host array.
static inline char *gp_array_element(const struct gp_array *array, uint64_t row, int64_t i)
{
    const int64_t at = array->first + (int64_t)row * array->row_stride + i * array->stride;
    return (char *)array->base + at * (int64_t)array->size;
}

// The bytes of its elements, *begin up to *end, where base lies at `address` of a memory whose
// last byte is at `last`. False where they leave that memory.
bool gp_array_place(const struct gp_array *array, uint64_t address, uint64_t last,
                    uint64_t *begin, uint64_t *end);

bool gp_arrays_overlap(const struct gp_array *a, const struct gp_array *b);

// Copies all elements to `to`, row by row without gaps. Waits. `name` stands in the words of a
// failure.
int gp_array_read(gpuprim *gp, const struct gp_array *array, const char *name, void *to);

// ---------------------------------------------------------------------------------------
// plan.c: the variants of a primitive, and which of them runs a call

struct gp_program;
struct gp_variant;

// A number that kernels are compiled for: a #define of their preamble.
struct gp_macro {
    const char *name;
    uint32_t value;
};
enum { GP_MAX_MACROS = 24 };

// What a program is compiled for. Calls share a program where all of this is equal. The preamble
// is made of the same members, so that nothing in it can be missing here.
struct gp_key {
    const struct gp_variant *variant; // and with it the primitive and the sources
    unsigned work_group;              // items per group asked for
    bool exact;                       // the work-group size is forced
    unsigned n;
    struct gp_macro macros[GP_MAX_MACROS];
};

// Adds a macro to the key. `name` lives as long as the program does.
void gp_define(struct gp_key *key, const char *name, uint32_t value);

struct gp_variant {
    const char *name; // of its mechanism; also what GPUPRIM_VARIANT takes
    // Whether it can run this call on this device.
    bool (*fits)(const gpuprim *gp, const void *call);
    const char *const *sources; // its .cl files after common.cl, ended by NULL
    unsigned work_group;        // items per group asked for; shrinks to what the device allows
    unsigned items;             // loads in flight per item
    unsigned groups_per_unit;   // groups per compute unit that fill the device
    const void *ops;            // what else the primitive knows of it
    // Whether the call can be laid out on groups as large as the program's. NULL: always.
    bool (*holds)(const struct gp_variant *variant, const void *call,
                  const struct gp_program *program);
    // Whether it is worth it. Not asked of a variant that is forced. NULL: always.
    bool (*suits)(const gpuprim *gp, const void *call);
};

enum { GP_MAX_KERNELS = 2, GP_MAX_ARGUMENTS = 6 };

struct gp_primitive {
    const char *name;
    // In the order in which they are asked. The last takes every call on every device.
    const struct gp_variant *const *variants;
    unsigned n_variants;
    const char *kernels[GP_MAX_KERNELS]; // of every program; NULL = fewer
    uint64_t local_bytes; // of local memory that every launch takes beside what kernels declare
    // Defines the macros of the variant's kernels for this call, and the items per group.
    void (*specialise)(const gpuprim *gp, const void *call, const struct gp_variant *variant,
                       struct gp_key *key);
    // One line on what this primitive chooses for a common call, for `gpuprim info`.
    int (*describe)(gpuprim *gp, char *text, size_t size);
};

// The primitives of the list in meson.build, and how many.
extern const struct gp_primitive *const gp_primitives[];
extern const unsigned gp_n_primitives;

// Whether a variant of this primitive was asked for by name (GPUPRIM_VARIANT, or the tests).
bool gp_variant_is_forced(const gpuprim *gp, const char *primitive);

// The first variant that takes the call, whether or not it can be built here. NULL with the words
// set where a variant is forced that does not take it.
const struct gp_variant *
gp_variant_pick(const gpuprim *gp, const struct gp_primitive *primitive, const void *call);

// What runs a call.
struct gp_plan {
    const struct gp_primitive *primitive;
    const struct gp_variant *variant;
    struct gp_program *program;
};

// Finds the first variant that takes the call, builds here, and holds it in the groups that it
// got; builds its program where there is none yet. A variant that is forced, and the last one, fail
// with words instead of being passed over. The lock is held.
int gp_plan(gpuprim *gp, const struct gp_primitive *primitive, const void *call,
            struct gp_plan *out);

// The same without the lock, which it takes.
int gp_plan_alone(gpuprim *gp, const struct gp_primitive *primitive, const void *call,
                  struct gp_plan *out);

// Plans a call and makes the kernel objects that it needs, so that the call itself builds nothing.
// kinds[i]: the memory arguments of kernel i. The lock is not held.
int gp_plan_prepare(gpuprim *gp, const struct gp_primitive *primitive, const void *call,
                    const unsigned kinds[GP_MAX_KERNELS]);

// Kernel `index` of the plan for these kinds of memory arguments. The lock is held.
int gp_plan_kernel(const struct gp_plan *plan, unsigned index, unsigned kinds, cl_kernel *out);

// A line for `gpuprim info`: what the plan does with `call`, in words, by so many groups.
void gp_plan_describe(const gpuprim *gp, const struct gp_plan *plan, const char *call,
                      uint64_t groups, char *text, size_t size);

// ---------------------------------------------------------------------------------------
// program.c: kernels, each program built once for its key

// The same kernel once with buffers and once with SVM pointers in each of its memory
// arguments: on some drivers an argument that once was SVM never takes a cl_mem again.
enum {
    GP_SVM_IN = 1,
    GP_SVM_OUT = 2,
    GP_SVM_BEFORE = 4, // convolve1d
    GP_SVM_COUNTS = 4, // classify
    GP_ARG_KINDS = 8
};

struct gp_program {
    struct gp_key key;
    struct gp_program *next;
    cl_program program;
    cl_kernel kernels[GP_MAX_KERNELS][GP_ARG_KINDS]; // made when first asked for
    unsigned work_group;  // items per group, within every kernel's limit
    size_t limit;         // the smallest of the kernels' own limits
    size_t multiple;      // the largest of the multiples they prefer
    uint64_t local_bytes; // the hungriest kernel's
    unsigned registers;   // the hungriest kernel's; 0 = the driver does not say
    // A program that this device cannot run is kept, too, so that it is not built again: the
    // status and its words. GPUPRIM_OK: it can.
    int refusal;
    char *words;
};

// Looks *key up. NULL = not there yet. The lock is held.
struct gp_program *gp_program_find(gpuprim *gp, const struct gp_key *key);

// Builds the program that *key says and keeps it. Once it compiles, the work-group shrinks until
// every kernel's own limit and the local memory allow it; it is a multiple of what the kernels
// prefer if it is larger than that. A refusal is kept as well: where the compiler refuses the
// program, or the device has too little local memory even for one item, *out is a program that has
// only a refusal and its words. The lock is held.
int gp_program_build(gpuprim *gp, const struct gp_primitive *primitive,
                     const struct gp_key *key, struct gp_program **out);

// The kernel object for these kinds of memory arguments, made on first use. The lock is held.
int gp_program_kernel(struct gp_program *program, unsigned index, unsigned kinds,
                      const char *name, cl_kernel *out);

void gp_programs_release(gpuprim *gp);

struct gp_source {
    const char *name;
    const unsigned char *text;
    size_t size;
};
extern const struct gp_source gp_sources[]; // made by kernels/embed.py
extern const unsigned gp_n_sources;

// ---------------------------------------------------------------------------------------
// launch.c: scratch, memory objects for a call, launches

// From GP_RESULTS on it is staging memory: host arrays on their way, within the caller's limit.
enum gp_scratch_use {
    GP_PARTIALS,
    GP_COUNTERS,
    GP_RESULTS,
    GP_HOME,    // results that kernels write to host memory
    GP_COUNTS,  // counts that will be added to a host array's
    GP_STAGING, // two halves that take turns: one is filled while a launch reads the other
    GP_STAGING_2,
    GP_SCRATCH_USES
};

// GP_COUNTERS is always this large and zero when a launch finds it; the launch leaves it so.
enum { GP_MAX_COUNTERS = 4096 };

// What one call in flight holds. Free when `busy` is false and `done` is NULL or complete.
struct gp_scratch {
    cl_mem memory[GP_SCRATCH_USES];
    size_t bytes[GP_SCRATCH_USES];
    cl_event done; // the last launch that uses the memory
    bool busy;     // a call is being enqueued or waited for
};
enum { GP_SCRATCH_SLOTS = 32 };

struct gp_call {
    gpuprim *gp;
    const struct gpuprim_sync *sync; // NULL = blocking
    cl_command_queue queue;
    bool out_of_order; // chain the launches by events
    bool uses_scratch;
    bool enqueued;      // something is with the device
    bool staged;        // pieces take turns in the staging memory: launches leave events
    unsigned half;      // of the staging memory: the one that the next piece takes
    cl_event reader[2]; // the last launch that reads each half, or NULL
    struct gp_scratch *scratch;
    struct gp_scratch own; // instead of a slot, where none is free
    cl_event last;         // the newest launch, where somebody must know of it
    cl_uint n_wait;        // what the first launch waits for
    const cl_event *wait;
};

struct gp_argument {
    const void *value;
    size_t size;
    bool is_svm; // value is the pointer itself
};

// Begins a call: checks *sync, takes the lock and a scratch slot. On success gp_call_end must
// follow, on failure nothing is held.
int gp_call_begin(gpuprim *gp, const struct gpuprim_sync *sync, struct gp_call *call);

// Lets other calls in while this one waits for the device; it keeps its scratch.
void gp_call_unlock(struct gp_call *call);
void gp_call_lock(struct gp_call *call);

// Waits for all that is enqueued. The lock must not be held.
int gp_call_finish(struct gp_call *call);

// Ends a call, with the lock held: hands out the event, and frees slot and lock. On failure
// nothing of the call uses its host memory any more. `status` is passed through.
int gp_call_end(struct gp_call *call, int status);

// A call that has nothing to compute: checks *sync, and gives it its event.
int gp_call_nothing(gpuprim *gp, const struct gpuprim_sync *sync);

// At least `bytes` of scratch memory of one use, grown when it is too small. 0: a buffer for an
// argument that no launch of this call touches.
int gp_call_memory(struct gp_call *call, enum gp_scratch_use use, size_t bytes, cl_mem *out);

// Memory for `bytes` of results on their way to a host array; gp_results_read brings them home.
int gp_call_results(struct gp_call *call, size_t bytes, cl_mem *out);

// Enqueues `groups` groups. `last`: no launch of this call follows.
int gp_launch(struct gp_call *call, cl_kernel kernel, uint64_t groups, unsigned work_group,
              const struct gp_argument *arguments, unsigned n_arguments, bool last);

// How much of a compute unit's items a program keeps resident, in percent, as the least of
// registers, local memory and the limit of groups; `limit` receives which one it is.
unsigned gp_occupancy(const gpuprim *gp, const struct gp_program *program, const char **limit);

// ---------------------------------------------------------------------------------------
// stage_in.c: host arrays on the device, piece by piece

// A part of an array: rows row ... row + rows - 1, of each the elements from `element` on.
struct gp_piece {
    uint64_t row, rows, element, count;
    bool packed; // copied without the gaps between its lines (see stage_in.c)
};

// The largest piece, from its row 0 and element 0, that the device takes at once: all of a
// device array; of a host array what fits an allocation or, where it is copied, a quarter of
// the staging memory. At most `max_rows` rows.
struct gp_piece gp_piece_largest(const gpuprim *gp, const struct gp_array *array,
                                 uint64_t max_rows);

// A piece as a kernel's argument: where its memory is, and the offset of its first element and
// the steps there, which are not the array's where the piece was packed.
struct gp_bound {
    struct gp_argument argument;
    cl_mem memory;    // what argument.value points to
    cl_mem temporary; // to be released after the launch, or NULL
    int64_t first, stride, row_stride;
};

// The element at which a piece begins, and those it touches: from *low up to *high; all counted
// from base.
void gp_piece_span(const struct gp_array *array, const struct gp_piece *piece, int64_t *first,
                   int64_t *low, int64_t *high);

// Makes a piece reachable. Host arrays are wrapped in place on CPU devices and copied to the
// staging memory elsewhere; the copy is ordered before the launches that follow, and runs
// beside those of the piece before: other calls may take the lock meanwhile. An array without
// elements is bound to `spare`, which no kernel reads.
int gp_piece_bind(struct gp_call *call, const struct gp_array *array,
                  const struct gp_piece *piece, cl_mem spare, struct gp_bound *out);

void gp_piece_release(struct gp_bound *bound);

// ---------------------------------------------------------------------------------------
// stage_out.c: results on their way to host arrays

// Bytes of packed results, at least `least`, that may wait on the device for gp_results_read.
uint64_t gp_results_room(const gpuprim *gp, uint64_t least);

// Reads packed results, `pairs` for each of `rows` rows, from `memory` into a host array that
// is seen as rows row_step elements apart and pairs pair_step apart, beginning at row `row`.
// Waits. The lock must not be held.
int gp_results_read(struct gp_call *call, cl_mem memory, const struct gp_array *array,
                    uint64_t row, uint64_t rows, unsigned pairs, int64_t row_step,
                    int64_t pair_step);

// A piece of an array that kernels write, as gp_piece_bind: packed in staging memory where a host
// array cannot be written in place.
int gp_output_bind(struct gp_call *call, const struct gp_array *array,
                   const struct gp_piece *piece, struct gp_bound *out);

// Outputs on their way to a host array.
struct gp_home {
    cl_event there; // NULL: none are
    char *packed;   // where they arrive before they go where they belong; NULL: there at once
    struct gp_piece piece;
};

// Sends a piece that was launched to the caller's memory, and waits for the one before, of which
// `home` knows: so the next piece is copied meanwhile.
int gp_output_home(struct gp_call *call, const struct gp_array *array,
                   const struct gp_piece *piece, const struct gp_bound *bound,
                   struct gp_home *home);

// Waits for the last; after a failure, too.
int gp_output_arrive(struct gp_call *call, const struct gp_array *array, struct gp_home *home);

// ---------------------------------------------------------------------------------------

// Events of the launches of the calls that follow, for whoever measures. Owned by the trace.
struct gp_trace {
    cl_event events[64];
    unsigned n;
};

// ---------------------------------------------------------------------------------------
// context.c

enum { GP_BUCKETS = 256 };

struct gpuprim {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue; // for blocking calls
    struct gp_caps caps;

    pthread_mutex_t lock; // guards everything below; held while arguments are set and enqueued
    struct gp_program *programs[GP_BUCKETS];
    struct gp_scratch scratch[GP_SCRATCH_SLOTS];
    // Copies host arrays to the device beside the launches; NULL = no need yet.
    cl_command_queue copies;

    void (*log)(void *user, enum gpuprim_log_level level, const char *text);
    void *log_user;
    enum gpuprim_log_level log_level;
    uint64_t staging_bytes;

    // Set from the environment, or by the tests before any call.
    char force_variant[64];    // "reduce:baseline" or ""
    unsigned force_work_group; // 0 = choose
    bool build_late; // tests only: what a classifier promises to build waits for the first call
    struct gp_trace *trace; // NULL = off
};

// E_ARG for NULL, E_FORKED in the child of a fork.
int gp_context_check(const gpuprim *gp);

#endif
