/* SPDX-License-Identifier: Apache-2.0
 *
 * Host arrays as inputs. A CPU device uses them in place. For other devices they go piece by
 * piece through staging memory of bounded size. Results go the other way in stage_out.c.
 *
 * The staging memory has two halves. The host copies into one, in a queue of its own, while the
 * launches of the piece before read the other:
 *
 *     copies   | piece 0 | piece 1 | piece 2 | piece 3 |
 *     launches           | 0 |     | 1 |     | 2 |     | 3 |
 *
 * The copies block. Drivers move bytes from ordinary memory in the calling thread anyway. A
 * failure is known at once, and when a call returns, nothing reads the caller's memory any
 * more. So the host keeps the order: it enqueues a launch when its piece is there, and fills a
 * half when the launches that read it are complete. */
#include "core.h"

// An array seen as lines of memory. The axis of the shorter steps runs along a line, the other
// axis from line to line.
struct lines {
    bool are_rows;
    int64_t along, across; // the steps
};

static struct lines lines_of(const struct gp_array *array)
{
    const bool are_rows = gp_abs(array->row_stride) >= gp_abs(array->stride);
    return are_rows ? (struct lines){ true, array->stride, array->row_stride }
                    : (struct lines){ false, array->row_stride, array->stride };
}

// Elements from the first to the last of `n` on a line.
static uint64_t line_length(const struct lines *lines, uint64_t n)
{
    return (n - 1) * gp_abs(lines->along) + 1;
}

// The length of a packed line. Lines begin on multiples of 16 bytes, for wide loads.
static uint64_t padded(uint64_t length, size_t size)
{
    const uint64_t unit = 16 / size;
    return gp_ceil_div(length, unit) * unit;
}

// True where a copy line by line takes less time than a copy with the gaps. Each line costs the
// driver some work: 400 ns, which is 4 KiB at 10 GB/s, is an estimate. Some drivers refuse
// lines that are 2^31 bytes apart.
static bool leaves_gaps_out(const struct gp_array *array, const struct lines *lines,
                            uint64_t length)
{
    enum { GAP_BYTES = 4096 };
    const uint64_t step = gp_abs(lines->across);
    return step <= INT32_MAX / array->size && step > padded(length, array->size) &&
           (step - length) * array->size >= GAP_BYTES;
}

// How many steps of `step` elements fit into `room` elements beyond the first.
static uint64_t steps_within(uint64_t room, int64_t step, uint64_t most)
{
    if (step == 0)
        return most;
    const uint64_t n = room / gp_abs(step) + 1;
    return n < most ? n : most;
}

// A piece of a longer array. It is large, because each costs a copy, a launch or two, and two
// waits. It is not larger, because the first launch waits for a whole piece, and nothing is
// copied beside the last one. H200, driver 580.159, 2026-11-21, sum of 2 GiB of f32 in pageable
// memory, GB/s by pieces of 4 / 8 / 16 / 32 / 64 MiB: 4.8 / 7.8 / 7.3 / 8.3 / 8.3; copying
// alone 7.8.
enum { PIECE_BYTES = 32 << 20 };

static uint64_t piece_bytes(const gpuprim *gp)
{
    uint64_t bytes = gp->caps.max_alloc_bytes;
    if (gp->caps.is_cpu)
        return bytes;
    if (bytes > PIECE_BYTES)
        bytes = PIECE_BYTES;
    // A quarter for each half, one for results, and one for what a primitive stages besides.
    const uint64_t quarter = gp->staging_bytes / 4;
    return bytes < quarter ? bytes : quarter;
}

struct gp_piece gp_piece_largest(const gpuprim *gp, const struct gp_array *array,
                                 uint64_t max_rows)
{
    struct gp_piece piece = { .rows = array->rows < max_rows ? array->rows : max_rows,
                              .count = array->count };
    if (array->memory != GPUPRIM_HOST || array->count == 0)
        return piece;
    const uint64_t elements = piece_bytes(gp) / array->size;
    const uint64_t room = elements > 1 ? elements - 1 : 0;

    // Lines stay whole where possible.
    const struct lines lines = lines_of(array);
    uint64_t *across = lines.are_rows ? &piece.rows : &piece.count;
    uint64_t *along = lines.are_rows ? &piece.count : &piece.rows;
    *along = steps_within(room, lines.along, *along);
    const uint64_t length = line_length(&lines, *along);
    piece.packed = !gp->caps.is_cpu && *across > 1 && leaves_gaps_out(array, &lines, length);
    const uint64_t pitch = padded(length, array->size);
    if (piece.packed) // whole lines with their padding; a line alone needs none
        *across = gp_min(*across, elements < 2 * pitch ? 1 : elements / pitch);
    else
        *across = steps_within(room - (length - 1), lines.across, *across);
    return piece;
}

void gp_piece_span(const struct gp_array *array, const struct gp_piece *piece, int64_t *first,
                   int64_t *low, int64_t *high)
{
    const int64_t along = (int64_t)(piece->count - 1) * array->stride;
    const int64_t across = (int64_t)(piece->rows - 1) * array->row_stride;
    *first = array->first + (int64_t)piece->row * array->row_stride +
             (int64_t)piece->element * array->stride;
    *low = *first + (along < 0 ? along : 0) + (across < 0 ? across : 0);
    *high = *first + (along > 0 ? along : 0) + (across > 0 ? across : 0) + 1;
}

// What to copy: lines of `line` bytes that lie `step` bytes apart, and `pitch` on the device. A
// piece that is not packed is one line.
struct copy {
    const void *from;
    size_t line, lines, step, pitch;
};

// Bytes that the buffer must have. The padding behind the last line counts, although the copy
// does not write it and OpenCL does not demand it: NVIDIA's driver returns CL_INVALID_VALUE
// where the buffer ends before it (H100, driver 580.159, 2026-11-22).
static size_t copy_size(const struct copy *copy)
{
    return copy->lines == 1 ? copy->line : copy->lines * copy->pitch;
}

static cl_int enqueue_copy(cl_command_queue queue, cl_bool blocking, const struct copy *copy,
                           cl_mem to, cl_event *done)
{
    if (copy->lines == 1)
        return clEnqueueWriteBuffer(queue, to, blocking, 0, copy->line, copy->from, 0, NULL,
                                    done);
    static const size_t origin[3] = { 0, 0, 0 };
    const size_t region[3] = { copy->line, copy->lines, 1 };
    return clEnqueueWriteBufferRect(queue, to, blocking, origin, origin, region, copy->pitch, 0,
                                    copy->step, 0, copy->from, 0, NULL, done);
}

// Returns when the copy is complete. A blocking call alone is not enough: Intel's CPU runtime
// 2026.2 returns from a blocking clEnqueueWriteBufferRect before it has copied.
static cl_int copy_now(cl_command_queue queue, const struct copy *copy, cl_mem to)
{
    cl_event done = NULL;
    cl_int error = enqueue_copy(queue, CL_TRUE, copy, to, &done);
    if (!error)
        error = clWaitForEvents(1, &done);
    if (done)
        clReleaseEvent(done);
    return error;
}

// The lines of a piece that is packed, the lowest of them at `from`.
static struct copy packed_copy(const struct gp_array *array, const struct gp_piece *piece,
                               const void *from, struct gp_bound *out)
{
    const struct lines lines = lines_of(array);
    const uint64_t n = lines.are_rows ? piece->rows : piece->count;
    const uint64_t length = line_length(&lines, lines.are_rows ? piece->count : piece->rows);
    const int64_t pitch = (int64_t)padded(length, array->size);
    const int64_t step = lines.across < 0 ? -pitch : pitch;
    *(lines.are_rows ? &out->row_stride : &out->stride) = step;
    out->first =
        (lines.along < 0 ? (int64_t)length - 1 : 0) + (step < 0 ? (int64_t)(n - 1) * pitch : 0);
    return (struct copy){ .from = from,
                          .line = length * array->size,
                          .lines = n,
                          .step = gp_abs(lines.across) * array->size,
                          .pitch = (size_t)pitch * array->size };
}

// Copies a piece to the half of the staging memory whose turn it is.
static int stage_half(struct gp_call *call, const struct copy *copy, cl_mem *out)
{
    gpuprim *gp = call->gp;
    cl_int error = CL_SUCCESS;
    const unsigned half = call->half, other = 1 - half;
    call->staged = call->enqueued = true;
    call->half = other;
    if (!gp->copies)
        gp->copies = clCreateCommandQueue(gp->context, gp->device, 0, &error);
    if (error)
        return gp_fail_cl(error, "clCreateCommandQueue (copies)");
    const int status =
        gp_call_memory(call, half ? GP_STAGING_2 : GP_STAGING, copy_size(copy), out);
    if (status)
        return status;
    // The launches so far were those of the other half's piece.
    call->reader[other] = call->last;
    call->last = NULL;
    gp_call_unlock(call);
    if (call->reader[other])
        error = clFlush(call->queue); // they start now
    if (!error && call->reader[half]) {
        error = clWaitForEvents(1, &call->reader[half]);
        clReleaseEvent(call->reader[half]);
        call->reader[half] = NULL;
    }
    if (!error)
        error = copy_now(gp->copies, copy, *out);
    gp_call_lock(call);
    return error ? gp_fail_cl(error, "copying a host array") : GPUPRIM_OK;
}

// Copies a whole array. Nothing could run beside the copy, and small arrays arrive sooner
// without a wait.
static int stage_whole(struct gp_call *call, const struct copy *copy, cl_mem *out)
{
    const int status = gp_call_memory(call, GP_STAGING, copy_size(copy), out);
    if (status)
        return status;
    const cl_int error = enqueue_copy(call->queue, CL_FALSE, copy, *out, NULL);
    call->enqueued = true;
    return error ? gp_fail_cl(error, "copying a host array") : GPUPRIM_OK;
}

int gp_piece_bind(struct gp_call *call, const struct gp_array *array,
                  const struct gp_piece *piece, struct gp_bound *out)
{
    *out = (struct gp_bound){ .stride = array->stride, .row_stride = array->row_stride };
    out->argument = (struct gp_argument){ &out->memory, sizeof out->memory, false };
    if (piece->count == 0 || piece->rows == 0)
        return GPUPRIM_OK;

    int64_t low, high;
    gp_piece_span(array, piece, &out->first, &low, &high);
    if (array->memory == GPUPRIM_BUFFER) {
        out->memory = (cl_mem)array->base;
        return GPUPRIM_OK;
    }
    if (array->memory == GPUPRIM_SVM) {
        out->argument = (struct gp_argument){ array->base, 0, true };
        return GPUPRIM_OK;
    }
    char *bytes = (char *)array->base + low * (int64_t)array->size;
    const size_t size = (size_t)(high - low) * array->size;
    out->first -= low;
    cl_int error = CL_SUCCESS;
    if (call->gp->caps.is_cpu) {
        out->temporary = clCreateBuffer(
            call->gp->context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, size, bytes, &error);
        out->memory = out->temporary;
        return error ? gp_fail_cl(error, "clCreateBuffer (host array)") : GPUPRIM_OK;
    }
    const struct copy copy = piece->packed ? packed_copy(array, piece, bytes, out)
                                           : (struct copy){ bytes, size, 1, size, size };
    if (piece->rows == array->rows && piece->count == array->count)
        return stage_whole(call, &copy, &out->memory);
    return stage_half(call, &copy, &out->memory);
}

void gp_piece_release(struct gp_bound *bound)
{
    if (bound->temporary)
        clReleaseMemObject(bound->temporary);
    bound->temporary = NULL;
}
