/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of reduce, run with --large: arrays of 3 GiB and of more than 2^32 elements. A device
 * whose largest allocation is 2 GiB takes such an array in several pieces.
 *
 * An array is the same 61 MiB mapped again and again. It takes no more memory than that, and
 * its sum is that of a short loop, multiplied. A page becomes the array's own when it is
 * written to: each repetition has its own mark, so that the sum changes where a piece is read
 * twice, not at all, or instead of another. Zeros and the largest number stand where only
 * 64-bit positions reach.
 *
 * All of it takes 30 to 50 s on PoCL with two cores, half of that for streamed arrays and
 * columns. suite.c runs this file. */
#include "case.h"
#include "tests/harness/model.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "reference/reduce/reduce.h"

enum { TILE = 61 << 20, MAX_ROWS = 4, LEAST_MARK = 101, LARGEST = 250 };

struct tiled {
    unsigned char *bytes;
    size_t mapped;
    enum gpuprim_type type;
    struct gpuprim_array view;
    // What the array holds; put() keeps this up to date.
    uint64_t sums[MAX_ROWS], zeros;
};

static uint64_t get(const struct tiled *tiled, uint64_t at)
{
    if (tiled->type == GPUPRIM_U8)
        return tiled->bytes[at];
    if (tiled->type == GPUPRIM_I32)
        return (uint64_t)((const int32_t *)tiled->bytes)[at];
    return (uint64_t)((const float *)tiled->bytes)[at];
}

static uint64_t row_of(const struct tiled *tiled, uint64_t at)
{
    const struct gpuprim_array *view = &tiled->view;
    return view->stride > 1 ? at % view->rows : at / view->count;
}

static uint64_t place_of(const struct gpuprim_array *view, uint64_t row, uint64_t element)
{
    return view->stride > 1 ? element * view->rows + row : row * view->count + element;
}

static void set(void *bytes, enum gpuprim_type type, uint64_t at, uint64_t value)
{
    if (type == GPUPRIM_U8)
        ((unsigned char *)bytes)[at] = (unsigned char)value;
    else if (type == GPUPRIM_I32)
        ((int32_t *)bytes)[at] = (int32_t)value;
    else
        ((float *)bytes)[at] = (float)value;
}

static void put(struct tiled *tiled, uint64_t at, uint64_t value)
{
    const uint64_t old = get(tiled, at);
    tiled->sums[row_of(tiled, at)] += value - old;
    tiled->zeros += (value == 0) - (old == 0);
    set(tiled->bytes, tiled->type, at, value);
}

// The tile that is repeated: numbers from 1 to 100.
static int make_tile(struct check *check, enum gpuprim_type type)
{
    const int file = memfd_create("gpuprim-check", MFD_CLOEXEC);
    void *tile = MAP_FAILED;
    if (file >= 0 && ftruncate(file, TILE) == 0)
        tile = mmap(NULL, TILE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (tile == MAP_FAILED) {
        if (file >= 0)
            close(file);
        return -1;
    }
    for (uint64_t i = 0; i < TILE / gp_type_size(type); i++)
        set(tile, type, i, 1 + check_below(check, 100));
    munmap(tile, TILE);
    return file;
}

// Maps the array. False where the memory cannot be mapped.
static bool tiled_make(struct check *check, struct tiled *tiled, struct gpuprim_array view)
{
    const uint64_t size = gp_type_size(view.type), n = view.count * view.rows;
    *tiled = (struct tiled){ .type = view.type, .view = view };
    tiled->mapped = (size_t)gp_ceil_div(n * size, TILE) * TILE;
    const int file = make_tile(check, view.type);
    void *space = MAP_FAILED;
    if (file >= 0)
        space = mmap(NULL, tiled->mapped, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    bool good = space != MAP_FAILED;
    for (size_t at = 0; good && at < tiled->mapped; at += TILE)
        good = mmap((char *)space + at, TILE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file, 0) != MAP_FAILED;
    if (file >= 0)
        close(file);
    if (!good && space != MAP_FAILED)
        munmap(space, tiled->mapped);
    if (!good)
        return false;
    tiled->bytes = tiled->view.base = space;

    // The sums of one tile, then of all. Rows are whole tiles, or the number of columns divides
    // one.
    const uint64_t of_tile = TILE / size, rest = n % of_tile;
    for (uint64_t i = 0; i < of_tile; i++)
        tiled->sums[view.stride > 1 ? i % view.rows : 0] +=
            get(tiled, i) *
            (view.stride > 1 ? n / of_tile + (i < rest) : view.count / of_tile + (i < rest));
    for (uint64_t row = 1; row < view.rows && view.stride <= 1; row++)
        tiled->sums[row] = tiled->sums[0];
    for (uint64_t i = 0; i * of_tile + 17 < n; i++)
        put(tiled, i * of_tile + 17, LEAST_MARK + i);
    return true;
}

// ---------------------------------------------------------------------------------------

// Makes the call and compares each result with expected[row].
static void expect(struct check *check, gpuprim *gp, const struct gpuprim_array *in,
                   enum gpuprim_op op, const uint64_t *expected)
{
    const struct gpuprim_reduce_params params = { .op = op };
    const enum gpuprim_type type = reduce_reference_result(in->type, &params);
    uint64_t got[MAX_ROWS] = { 0 };
    const struct gpuprim_array out = gpuprim_host(type, got, in->rows);
    const int status = gpuprim_reduce(gp, in, &out, &params, NULL);
    CHECK(check, status == GPUPRIM_OK, "%s: %s", reduce_op_name(op), gpuprim_last_error());
    for (uint64_t row = 0; !status && row < in->rows; row++) {
        float value;
        memcpy(&value, (const char *)got + row * sizeof value, sizeof value);
        const bool right = type == GPUPRIM_F32 ? fabs((double)value - (double)expected[row]) <=
                                                     1e-6 * (double)expected[row]
                                               : got[row] == expected[row];
        check->cases++;
        CHECK(check, right, "%s of row %" PRIu64 ": %" PRIu64 " instead of %" PRIu64,
              reduce_op_name(op), row, type == GPUPRIM_F32 ? (uint64_t)value : got[row],
              expected[row]);
    }
}

// Sum, count and both positions of rows whose zeros and largest numbers stand behind `far`.
// With few operations, the two that show a lost piece and a position of 32 bits.
static void all_of(struct check *check, gpuprim *gp, struct tiled *tiled, uint64_t far,
                   const struct gpuprim_array *in, bool few)
{
    const uint64_t n = in->count, nonzero = n - tiled->zeros, least = far + 1, most = far + 777;
    uint64_t first[MAX_ROWS];
    for (uint64_t row = 0; row < in->rows; row++)
        first[row] = most + row;
    expect(check, gp, in, GPUPRIM_SUM, tiled->sums);
    expect(check, gp, in, GPUPRIM_ARGMAX, first);
    if (few)
        return;
    expect(check, gp, in, GPUPRIM_COUNT, &nonzero);
    expect(check, gp, in, GPUPRIM_ARGMIN, &least);
}

static uint64_t available_bytes(void)
{
    FILE *file = fopen("/proc/meminfo", "r");
    char line[128];
    unsigned long long kib = 0;
    while (file && fgets(line, sizeof line, file) &&
           sscanf(line, "MemAvailable: %llu kB", &kib) != 1)
        continue;
    if (file)
        fclose(file);
    return (uint64_t)kib << 10;
}

// In device memory, where the whole array fits one allocation.
static bool in_buffer(struct check *check, gpuprim *gp, struct tiled *tiled, uint64_t far)
{
    const size_t bytes = tiled->view.count * tiled->view.rows * gp_type_size(tiled->type);
    cl_int error;
    cl_mem memory = clCreateBuffer(gp->context, CL_MEM_READ_ONLY, bytes, NULL, &error);
    if (!error)
        error = clEnqueueWriteBuffer(gp->queue, memory, CL_TRUE, 0, bytes, tiled->bytes, 0,
                                     NULL, NULL);
    if (!error) {
        struct gpuprim_array in = tiled->view;
        in.memory = GPUPRIM_BUFFER;
        in.base = memory;
        all_of(check, gp, tiled, far, &in, in.rows > 1);
    }
    if (memory)
        clReleaseMemObject(memory);
    return !error;
}

enum place { IN_PLACE, STREAMED, IN_BUFFER };

static void large(struct check *check, struct gpuprim_array view, enum place place)
{
    const uint64_t size = gp_type_size(view.type), bytes = view.count * view.rows * size;
    gpuprim *gp = check_context_on(check, place == STREAMED ? &model_gpu : NULL, NULL, 0);
    struct tiled tiled;
    if (!gp)
        return;
    uint64_t needed = 256 << 20;
    if (place == IN_BUFFER && gp->caps.is_cpu)
        needed += bytes;
    const char *why = NULL;
    if (available_bytes() < needed)
        why = "too little memory is free";
    else if (place == IN_BUFFER && gp->caps.max_alloc_bytes < bytes)
        why = "the device's allocations are smaller";
    else if (!tiled_make(check, &tiled, view))
        why = "the memory cannot be mapped";
    if (!why) {
        // Beyond 32 bits and beyond one allocation, and equal numbers behind these.
        const uint64_t far = view.count - 5000;
        for (uint64_t row = 0; row < view.rows; row++) {
            put(&tiled, place_of(&view, row, far + 1), 0);
            put(&tiled, place_of(&view, row, far + 1778), 0);
            put(&tiled, place_of(&view, row, far + 777 + row), LARGEST);
            put(&tiled, place_of(&view, row, far + 1777), LARGEST);
        }
        if (place != IN_BUFFER)
            all_of(check, gp, &tiled, far, &tiled.view, place == STREAMED || view.rows > 1);
        else if (!in_buffer(check, gp, &tiled, far))
            why = "no device memory for it";
        munmap(tiled.bytes, tiled.mapped);
    }
    gpuprim_destroy(&gp);
    if (why)
        check_skip(check, "%s: %" PRIu64 " MiB", why, bytes >> 20);
    else
        check_end(check);
}

void reduce_large_run(struct check *check)
{
    static const uint64_t three = UINT64_C(3) << 30, beyond = (UINT64_C(1) << 32) + 123457;
    static const struct {
        const char *name;
        enum gpuprim_type type;
        uint64_t count, rows;
        bool columns;
        enum place place;
    } tests[] = {
        { "u8/beyond_2_32", GPUPRIM_U8, beyond, 1, false, IN_PLACE },
        { "u8/beyond_2_32/streamed", GPUPRIM_U8, beyond, 1, false, STREAMED },
        { "u8/beyond_2_32/buffer", GPUPRIM_U8, beyond, 1, false, IN_BUFFER },
        { "i32/3_GiB", GPUPRIM_I32, three / 4 + 1, 1, false, IN_PLACE },
        { "f32/3_GiB", GPUPRIM_F32, three / 4 + 1, 1, false, IN_PLACE },
        { "f32/3_GiB/buffer", GPUPRIM_F32, three / 4 + 1, 1, false, IN_BUFFER },
        { "u8/rows", GPUPRIM_U8, UINT64_C(25) * TILE, 2, false, IN_PLACE },
        { "u8/columns", GPUPRIM_U8, three / 5, 4, true, IN_PLACE },
        { "u8/columns/buffer", GPUPRIM_U8, three / 5, 4, true, IN_BUFFER },
    };
    for (unsigned i = 0; check->large && i < sizeof tests / sizeof *tests; i++)
        if (check_begin(check, "reduce/large/%s", tests[i].name)) {
            struct gpuprim_array view = gpuprim_host(tests[i].type, NULL, tests[i].count);
            view.rows = tests[i].rows;
            if (tests[i].columns) {
                view.stride = (int64_t)tests[i].rows;
                view.row_stride = 1;
            }
            large(check, view, tests[i].place);
        }
}
