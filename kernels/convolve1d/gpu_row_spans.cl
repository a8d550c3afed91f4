// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_row_registers: how the rows of a group come to local memory, and how results leave
// it. All items of a group copy together, by vectors of 16 bytes where that is possible.
//
// Macros   OUTPUTS   of a row
//          OUT_WAY   OUT_EACH: items write their rows. Else results go by way of local memory.
//                    OUT_VECTORS: those of a group are contiguous
//          IN_WORDS, OUT_WORDS   words of 4 bytes of a row in local memory, where items would
//                    read few banks, else 0: a pad follows each row
// Per element: one load and one store of each memory.

#define OUT_EACH     0
#define OUT_VECTORS  1
#define OUT_ELEMENTS 2

#if !defined(OUTPUTS) || !defined(OUT_WAY) || !defined(IN_WORDS) || !defined(OUT_WORDS)
#error "OUTPUTS, OUT_WAY, IN_WORDS and OUT_WORDS must be defined"
#endif

// Units in which the ends of a span are copied.
#if BYTES == 1
#define UNIT uchar
#elif BYTES == 2
#define UNIT ushort
#else
#define UNIT uint
#endif
#if OUT_BYTES == 1
#define OUT_UNIT uchar
#elif OUT_BYTES == 2
#define OUT_UNIT ushort
#else
#define OUT_UNIT uint
#endif

// Words behind a row, so that neighbouring items' rows begin in other banks.
#define PAD(bytes) ((bytes) == 8 ? 2 : 1)

// An element of local memory.
#if TYPE == F16
#define LOCAL_LOAD(p, i) vload_half((i), (local const half *)(p))
#elif TYPE == C32
#define LOCAL_LOAD(p, i) vload2((i), (local const float *)(p))
#else
#define LOCAL_LOAD(p, i) ((local const ELEM *)(p))[i]
#endif

// Copies `bytes` from `from` on. They lie in 16 bytes of local memory as they do in memory.
static void copy_bytes(local uint4 *to, global const ELEM *from, uint bytes)
{
    const uint skew = (uint)(size_t)from % 16, end = skew + bytes;
    const uint low = skew ? 1 : 0, high = end / 16; // full vectors
    global const char *p = (global const char *)from - skew;
    #pragma unroll 4
    for (uint i = low + get_local_id(0); i < high; i += WG)
        to[i] = ((global const uint4 *)p)[i];
    for (uint k = get_local_id(0); k < 32 / sizeof(UNIT); k += WG) {
        const bool is_front = k < 16 / sizeof(UNIT);
        const uint at = k * sizeof(UNIT) + (is_front ? 0 : max(high, low) * 16 - 16);
        if (at >= skew && at < (is_front ? min(low * 16, end) : end))
            *(local UNIT *)((local char *)to + at) = *(global const UNIT *)(p + at);
    }
}

// Copies the inputs of rows; with IN_WORDS a pad follows each row.
static void copy_span(local uint4 *to, global const ELEM *from, uint bytes)
{
#if IN_WORDS
    #pragma unroll 4
    for (uint w = get_local_id(0); w < bytes / 4; w += WG)
        ((local uint *)to)[w + w / IN_WORDS * PAD(BYTES)] = ((global const uint *)from)[w];
#else
    copy_bytes(to, from, bytes);
#endif
}

// Where `count` elements of a row begin that lie `stride` apart: the lowest of them.
static long lowest(long stride, uint count)
{
    return min(0L, (long)(count - 1) * stride);
}

static uint span_bytes(uint rows, long row_stride, long stride, uint count)
{
    return ((rows - 1) * (uint)row_stride + (count - 1) * (uint)abs(stride) + 1) * BYTES;
}

// A result in local memory.
#if OUT_TYPE == F16
#define PUT(p, i, s, shift) vstore_half_rte((s), (i), (p))
#elif OUT_TYPE == C32
#define PUT(p, i, s, shift) vstore2((s), (i), (local float *)(p))
#else
#define PUT(p, i, s, shift) ((p)[i] = RESULT((s), (shift)))
#endif

// Writes the results of `rows` rows, which lie in local memory from `skew` bytes on.
static void write_results(global OUT_T *to, local const uint4 *room, uint skew, uint rows,
                          const struct arguments *g)
{
#if OUT_WAY == OUT_VECTORS && OUT_WORDS
    #pragma unroll 4
    for (uint w = get_local_id(0); w < rows * OUT_WORDS; w += WG)
        ((global uint *)to)[w] = ((local const uint *)room)[w + w / OUT_WORDS * PAD(OUT_BYTES)];
#elif OUT_WAY == OUT_VECTORS
    const uint end = skew + rows * OUTPUTS * OUT_BYTES, low = skew ? 1 : 0, high = end / 16;
    global char *p = (global char *)to - skew;
    #pragma unroll 4
    for (uint i = low + get_local_id(0); i < high; i += WG)
        ((global uint4 *)p)[i] = room[i];
    for (uint k = get_local_id(0); k < 32 / sizeof(OUT_UNIT); k += WG) {
        const bool is_front = k < 16 / sizeof(OUT_UNIT);
        const uint at = k * sizeof(OUT_UNIT) + (is_front ? 0 : max(high, low) * 16 - 16);
        if (at >= skew && at < (is_front ? min(low * 16, end) : end))
            *(global OUT_UNIT *)(p + at) = *(local const OUT_UNIT *)((local const char *)room + at);
    }
#else
    // An item has one place of some rows, or some of these.
    enum { SIDE = OUTPUTS < WG ? OUTPUTS : WG, AT_ONCE = WG / SIDE };
    const uint first = get_local_id(0) / SIDE;
    #pragma unroll 1
    for (uint o = get_local_id(0) % SIDE; first < AT_ONCE && o < OUTPUTS; o += SIDE) {
        global OUT_T *p = to + (first * g->out_row_stride + o * g->out_stride);
        #pragma unroll 4
        for (uint r = first; r < rows; r += AT_ONCE, p += AT_ONCE * g->out_row_stride)
            COPY(p, 0, room, r * OUTPUTS + o);
    }
#endif
}
