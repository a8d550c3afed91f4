/* SPDX-License-Identifier: Apache-2.0
 *
 * The map: `check --bench --map` draws random legal calls of each primitive, checks each result
 * against baseline, and tells which share of its bound each call reaches. Call number i of a
 * primitive depends on the seed, on i and on the size of the device's arrays only, so a call of
 * a map can be measured again alone: --seed=N --filter='convolve1d/12'.
 *
 * The time of a call is what a caller sees who enqueues many: calls one behind the other in one
 * in-order queue, by the host's clock until the queue is empty, over their number. Each call of
 * such a batch takes another part of the memory, so that caches do not hold its input.
 *
 * The bound is the longer of two times, from rates of the same run:
 *     bytes          those that are read and those that are written, once each. Where strides
 *                    skip elements whole lines count, and a line that several rows share counts
 *                    once. Inputs that no output of a filter with a stride reads do not count.
 *                    Parts of the memory that outputs fill in part are read and written, where
 *                    storing every second run of half a part shows that the device does so.
 *                    As many bytes as are read and written count at the rate of the copy, what
 *                    is read beyond them at that of reading.
 *     multiply-adds  at the rate of the type they are in: f64 for f64 data, else f32, also for
 *                    integers. Of a complex number they are 4 with a complex tap, 2 with a
 *                    real one. A row whose sums need integers of 64 bits says besides which
 *                    share it has of a bound with their own rate.
 *                    Taps that meet a boundary count like the others.
 * A call is small where a GPU reads less than MAP_MOVED bytes and writes less, or where a CPU reads
 * less than MAP_SMALL and writes less. To its bound the time of the smallest call is added: a
 * kernel whose arguments are set before each launch, and of which 32 items load an element each
 * and store it. It is the least that any call does. Its batches take turns with those of the small
 * call, and the share is the median of theirs, because both are the host's time, of which a
 * machine gives more at some times than at others. A call whose bytes move while it waits for the
 * first of them can have a share a little above 1. A summary of its own counts the calls that move
 * at least MAP_LARGE bytes: what a launch costs is small beside them.
 *
 * With --variants each call is also made by every other variant that takes it, but baseline. Their
 * times stand in front of the rows, each beside the library's choice.
 *
 * On CPU devices each row also tells its share in proportion to that of a contiguous call: one
 * packed row of as many elements with the same types, taps and operation.
 *
 * Of n shares in ascending order the 10th percentile is the one that n / 10 others precede, the
 * median the one that n / 2 others precede.
 *
 * map.c runs it, map_draw.c draws layouts, map_place.c places them, map_device.c has the memory
 * and the comparison, map_time.c measures times, map_rates.c rates, map_print.c prints.
 * tests/PRIMITIVE/map.c draws the calls of a primitive, map_tests.c tests all this.
 */
#ifndef MAP_H
#define MAP_H

#include "bench.h"
#include "check.h"

// MAP_SMALL: bytes that an array of a small call spans, at most. MAP_MOVED: bytes that a GPU moves
// for such an array: whole lines of memory, and parts that are read before they are written. A GPU
// moves more for any other call.
enum { MAP_SMALL = 4 << 20, MAP_MOVED = 4 * MAP_SMALL, MAP_LARGE = 256 << 20 };

// ---------------------------------------------------------------------------------------
// Drawing: map_draw.c

// How the rows of an array lie.
enum map_layout {
    MAP_ONE_ROW,         // contiguous
    MAP_ROWS,            // packed rows
    MAP_PITCHED_ROWS,    // with a gap behind each
    MAP_COLUMNS,         // of a packed matrix
    MAP_PITCHED_COLUMNS, // of a matrix with a gap behind each line
    MAP_CHANNELS,        // two to eight, interleaved
    MAP_EVERY_KTH,       // packed rows of which only each k-th element counts
    MAP_LAYOUTS
};
extern const char *const map_layout_names[MAP_LAYOUTS];

// What a call may be.
struct map_draw {
    struct check check;     // its random numbers
    uint64_t bytes;         // that an array of this call spans at most
    uint64_t beside_bytes;  // the same for an array beside a large one
    uint64_t multiply_adds; // at most, so that baseline's check ends
    bool has_fp64;
};

// Elements and rows of an array: `most` is how many elements all rows may have together.
struct map_shape {
    enum map_layout layout;
    uint64_t step; // EVERY_KTH: k
    uint64_t most, count, rows;
};

// From low to high, each octave as likely as the others.
uint64_t map_between(struct map_draw *draw, uint64_t low, uint64_t high);
// An index below n; index i as likely as weights[i] says.
unsigned map_one_of(struct map_draw *draw, const unsigned *weights, unsigned n);
enum gpuprim_type map_type(struct map_draw *draw, bool complex);

// Draws a layout, a row length and a number of rows for elements of `size` bytes.
struct map_shape map_shape(struct map_draw *draw, size_t size);
// The shape's array; its base is not set, and its lowest element lies at 0 or a little further.
struct gpuprim_array map_array(struct map_draw *draw, enum gpuprim_type type,
                               const struct map_shape *shape);
struct gpuprim_array map_packed(enum gpuprim_type type, uint64_t n); // one row, from 0 on
// The layout of an output beside an input's: mostly the same.
struct map_shape map_beside(struct map_draw *draw, const struct map_shape *in);

// ---------------------------------------------------------------------------------------
// Calls: tests/PRIMITIVE/map.c

struct map_call {
    // Views of memory that the map provides; count 0: there is no such array. Bases are set
    // when the call is made.
    struct gpuprim_array in[2], out[2];
    bool signs;       // float inputs are 1 or -1, else in [0, 1)
    double tolerance; // relative, where the order of a float sum is free; else 0: same bits
    // Of `every` neighbours in a row of in[0] the call reads `used`. 0 and 0: all elements.
    uint64_t every, used;
    double more_read;     // bytes, beside `in`
    double multiply_adds; // of f32, or of f64
    bool is_f64;
    bool has_long_sums;     // integers of 64 bits
    char text[320];         // what is called, and on which arrays
    const char *kind;       // of shape: a row of the picture
    const char *scale;      // what `at` is, such as "taps"
    uint64_t at;            // the column of the picture
    enum map_layout layout; // of the input
    void *what;             // the primitive's own
};

struct map_primitive {
    void (*draw)(struct map_draw *draw, struct map_call *call);
    // The same operation, types and taps on one packed row of as many elements.
    void (*flatten)(struct map_call *call);
    void (*release)(struct map_call *call); // what draw() allocated; NULL: nothing
    // What a caller makes once: a filter, a classifier. NULL: nothing.
    int (*make)(gpuprim *gp, const struct map_call *call, void **object);
    void (*destroy)(void **object);
    int (*enqueue)(gpuprim *gp, void *object, const struct map_call *call,
                   const struct gpuprim_sync *sync);
    int (*prepare)(gpuprim *gp, void *object, const struct map_call *call); // compiles for it
};

void map_say(struct map_call *call, const char *format, ...)
    GP_PRINTF(2, 3); // adds to the text
void map_say_array(struct map_call *call, const char *name, const struct gpuprim_array *array);

// Draws call number `index`. `largest` is the most bytes that an array may span.
void map_draw_call(const struct map_primitive *primitive, const char *name, uint64_t seed,
                   unsigned index, const gpuprim *gp, uint64_t largest, struct map_call *call);

// ---------------------------------------------------------------------------------------
// The device's part: map_device.c

struct map_region {
    cl_mem memory;
    size_t bytes;
};

struct map_memory {
    struct bench *bench;
    cl_command_queue queue; // in-order, without profiling
    struct map_region in, out, expected;
    cl_mem found; // by the comparison
    cl_program program;
    cl_kernel empty, copy;
    struct map_call smallest; // of `copy`: map_smallest()
    double launch;            // seconds of the smallest call among many
    double empty_launch;      // of an empty kernel whose arguments stay
    double line;              // bytes
    double part;              // bytes: one that is stored in part is read; 0: none
    enum gpuprim_type filled;
    bool signs;
};

// Sets the sizes of the arrays, and allocates nothing.
void map_memory_size(struct map_memory *memory, struct bench *bench);
// Sets the sizes, and allocates the arrays. False on failure.
bool map_memory_make(struct map_memory *memory, struct bench *bench);
void map_memory_free(struct map_memory *memory);
uint64_t map_largest(const struct map_memory *memory); // bytes that an array may span

// Fills the inputs' memory with random elements of the call's type. False on failure.
bool map_fill(struct map_memory *memory, const struct map_call *call);
// Fills what the call's outputs will cover with a pattern, in `out` and in `expected`.
bool map_poison(struct map_memory *memory, const struct map_call *call);
// Whether `out` and `expected` hold the same there, gaps and guard zones included. A NaN is the
// same as any other.
bool map_same(struct map_memory *memory, const struct map_call *call);

// ---------------------------------------------------------------------------------------
// Places and bytes: map_place.c

// The call with its arrays in memory: inputs from byte `in` of their memory on, outputs from
// byte `out` of `region`. The steps are how far apart two calls must be.
struct map_call map_placed(const struct map_memory *memory, const struct map_call *call,
                           size_t in, const struct map_region *region, size_t out);
// Bytes that an array takes there: a multiple of a page, so that a call finds its arrays at the
// same distance from any boundary wherever they lie.
size_t map_room(const struct gpuprim_array *array);
size_t map_in_step(const struct map_call *call);
size_t map_out_step(const struct map_call *call);

// Bytes that the device moves for a view, in lines of so many bytes.
double map_bytes(const struct gpuprim_array *view, double line);
// Bytes of the parts of memory that a view fills in part, and that the device reads therefore
// when they are written. 0 where it reads none: `part` is 0.
double map_fetched(const struct gpuprim_array *view, double part);
// Bytes of its inputs that the device reads for a call.
double map_read(const struct map_call *call, double line);

// ---------------------------------------------------------------------------------------
// Times: map_time.c

enum { MAP_BATCHES = 7 };

struct map_series {
    const struct map_primitive *primitive;
    const struct map_call *call; // of which the primitive enqueues many
    void *object;
    size_t in, out;            // where the next one's arrays lie
    unsigned calls;            // of a batch
    double times[MAP_BATCHES]; // seconds of a call
    unsigned n;
};

// Times batches of calls. With several series their batches take turns, because a machine may
// be shared. All have as many batches in the end.
int map_time(struct map_memory *memory, struct map_series *series, unsigned n);

// map_rates.c: measures `launch`, `empty_launch`, `line` and `part`. Overwrites some of `out`.
void map_rates(struct map_memory *memory);
// The smallest call, to be timed. Its call is in *memory.
struct map_series map_smallest(struct map_memory *memory);

// ---------------------------------------------------------------------------------------
// Rows: map.c

struct map_row {
    unsigned index;
    struct map_call call;
    char variant[32];
    double seconds, bound, share, relative; // relative: to a contiguous call, CPUs only
    double own_bound, own_share; // where has_long_sums: multiply-adds at their own rate
    double bytes, fetched;       // fetched: of `bytes`, those of outputs' parts that are read
    bool small, by_arithmetic, verified;
    bool forced; // by --variants
};

// Checks and measures a call. Returns its status. A wrong result, or a call that fails, counts
// in bench->failed; one that a forced variant does not take does not.
int map_measure(struct map_memory *memory, const struct map_primitive *primitive,
                const char *name, struct map_row *row);

// Compiles the programs of a row's call, and of its baseline. Returns the status of the first
// one that fails, which counts in bench->failed.
int map_compile(struct map_memory *memory, const struct map_primitive *primitive,
                const char *name, struct map_row *row);

// All rows of all primitives. With options.compile: compiles their programs, and makes no call.
void map_run(struct bench *bench);

// map_print.c: prints rows, worst first, and their summary. Leaves the large ones in `rows`.
void map_print(const struct bench *bench, const char *name, struct map_row *rows, unsigned n);
// Keeps the rows that move MAP_LARGE bytes or more, in their order. Returns their number.
unsigned map_keep_large(struct map_row *rows, unsigned n);
void map_print_head(const struct map_memory *memory);
void map_print_json(struct bench *bench, const char *name, const struct map_row *row);

#endif
