// SPDX-License-Identifier: Apache-2.0
//
// convolve1d: the kernel that updates the history, for all variants.
//
//     after = the last `outputs` elements of before and x, one behind the other:
//
//     before  | - - - b b b |
//     x                     | x x x |
//     after         | b b b x x x |       outputs = halo
//
// after may be the memory of before. An element only ever moves towards the front, so what it
// overwrites must have been read before. There are three ways to share the work:
//
//     share 0   A group takes a row, WG elements at a time: item i reads element i of the turn,
//               and writes it after the barrier. What it overwrites was read in an earlier
//               turn, or in this one. For few rows, whose elements lie side by side.
//     share 1   An item takes a row, HISTORY_AT_ONCE elements at a time: it reads all of them,
//               then writes them. For rows that lie side by side: neighbouring items then touch
//               neighbouring elements.
//     share 2 ...   A group takes as many rows, at most HISTORY_AT_ONCE * WG elements: it reads
//               all of them, and writes them after the barrier. For many short rows, one behind
//               the other.
//
// With groups of one item, on CPUs, `share` is the number of rows that a group takes: one after
// the other, or side by side where they lie so. 16 elements are read before they are written,
// as a vector where they are neighbours.
//
// Macros   those of convolve1d.cl
// Barriers share 0: one per turn, share 2: one; reached by all items: all have read
// Per element: a load and a store of BYTES. No arithmetic, no local memory.

#if BYTES == 1
#define RAW uchar
#elif BYTES == 2
#define RAW ushort
#elif BYTES == 4
#define RAW uint
#else
#define RAW uint2
#endif
#if BYTES == 8
#define RAW_LOAD(p, i)     vload2((i), (global const uint *)(p))
#define RAW_STORE(p, i, v) vstore2((v), (i), (global uint *)(p))
#else
#define RAW_LOAD(p, i)     (((global const RAW *)(p))[i])
#define RAW_STORE(p, i, v) (((global RAW *)(p))[i] = (v))
#endif

#if WG == 1
static inline __attribute__((always_inline))
void copy_run(global ELEM *to, long to_step, global const ELEM *from, long from_step, long count)
{
    long i = 0;
    for (; i + 16 <= count; i += 16) {
        RAW v[16];
        #pragma unroll
        for (int u = 0; u < 16; u++)
            v[u] = RAW_LOAD(from, (i + u) * from_step);
        #pragma unroll
        for (int u = 0; u < 16; u++)
            RAW_STORE(to, (i + u) * to_step, v[u]);
    }
    for (; i < count; i++) {
        const RAW v = RAW_LOAD(from, i * from_step);
        RAW_STORE(to, i * to_step, v);
    }
}

static void copy(global ELEM *to, long to_step, global const ELEM *from, long from_step,
                 long count)
{
    if (to_step == 1 && from_step == 1)
        copy_run(to, 1, from, 1, count);
    else
        copy_run(to, to_step, from, from_step, count);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void convolve1d_history(global const ELEM *x, global const ELEM *before, global ELEM *after,
                        const struct arguments g)
{
    const long row = (long)get_group_id(0) * (long)g.share;
    const long rows = min((long)g.share, (long)g.rows - row);
    const long length = (long)g.outputs, n = (long)g.n, kept = max(0L, length - n);
    x += g.first + row * g.row_stride + (kept + n - length) * g.stride;
    before += g.before_first + row * g.before_row_stride + n * g.before_stride;
    after += g.out_first + row * g.out_row_stride;
    if (abs(g.out_row_stride) < abs(g.out_stride)) {
        for (long i = 0; i < kept; i++)
            copy(after + i * g.out_stride, g.out_row_stride, before + i * g.before_stride,
                 g.before_row_stride, rows);
        for (long i = kept; i < length; i++)
            copy(after + i * g.out_stride, g.out_row_stride, x + (i - kept) * g.stride,
                 g.row_stride, rows);
        return;
    }
    for (long r = 0; r < rows; r++) {
        copy(after, g.out_stride, before, g.before_stride, kept);
        copy(after + kept * g.out_stride, g.out_stride, x, g.stride, length - kept);
        x += g.row_stride;
        before += g.before_row_stride;
        after += g.out_row_stride;
    }
}
#else
// A way through the rows of a group, WG elements at a time: the next element, and how far it is
// from there to the one after it, in the same row or not.
struct way {
    long at, by, turn_by;
};

static struct way way_of(long row_stride, long stride, long row, uint i, uint length)
{
    const uint rows = WG / length, rest = WG - rows * length;
    struct way r = { row * row_stride + i * stride, rows * row_stride + rest * stride, 0 };
    r.turn_by = r.by + row_stride - length * stride;
    return r;
}

static void go_on(struct way *r, bool turns)
{
    r->at += turns ? r->turn_by : r->by;
}

// The part of a group with `share` rows.
static void copy_rows(global const ELEM *x, global const ELEM *before, global ELEM *after,
                      const struct arguments *g)
{
    const uint length = (uint)g->outputs, share = (uint)g->share, item = get_local_id(0);
    const long first = (long)get_group_id(0) * share, n = (long)g->n;
    const uint elements = (uint)min((long)share, (long)g->rows - first) * length;
    const uint kept = n < length ? length - (uint)n : 0; // of before
    const long row = first + item / length;
    uint i = item % length;
    struct way in = way_of(g->row_stride, g->stride, row, i, length);
    struct way past = way_of(g->before_row_stride, g->before_stride, row, i, length);
    struct way out = way_of(g->out_row_stride, g->out_stride, row, i, length);
    x += (n - length) * g->stride;
    before += n * g->before_stride;
    RAW v[HISTORY_AT_ONCE];
    #pragma unroll
    for (uint u = 0; u < HISTORY_AT_ONCE; u++) {
        if (item + u * WG < elements)
            v[u] = i < kept ? RAW_LOAD(before, past.at) : RAW_LOAD(x, in.at);
        i += WG % length;
        const bool turns = i >= length;
        i -= turns ? length : 0;
        go_on(&in, turns);
        go_on(&past, turns);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    i = item % length;
    #pragma unroll
    for (uint u = 0; u < HISTORY_AT_ONCE; u++) {
        if (item + u * WG < elements)
            RAW_STORE(after, out.at, v[u]);
        i += WG % length;
        const bool turns = i >= length;
        i -= turns ? length : 0;
        go_on(&out, turns);
    }
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d_history(global const ELEM *x, global const ELEM *before, global ELEM *after,
                        const struct arguments g)
{
    if (g.share > 1) {
        copy_rows(x + g.first, before + g.before_first, after + g.out_first, &g);
        return;
    }
    const long row = g.share ? (long)get_group_id(0) * WG + get_local_id(0) : get_group_id(0);
    const long length = (long)g.outputs, n = (long)g.n;
    const long at = g.first + row * g.row_stride;
    const long before_at = g.before_first + row * g.before_row_stride;
    const long after_at = g.out_first + row * g.out_row_stride;
    if (g.share) {
        const long last = row < (long)g.rows ? length : 0;
        for (long i = 0; i < last; i += HISTORY_AT_ONCE) {
            RAW v[HISTORY_AT_ONCE];
            #pragma unroll
            for (int u = 0; u < HISTORY_AT_ONCE; u++) {
                const long j = min(i + u, last - 1) + n - length;
                v[u] = j < 0 ? RAW_LOAD(before, before_at + (j + length) * g.before_stride)
                             : RAW_LOAD(x, at + j * g.stride);
            }
            #pragma unroll
            for (int u = 0; u < HISTORY_AT_ONCE; u++)
                if (i + u < last)
                    RAW_STORE(after, after_at + (i + u) * g.out_stride, v[u]);
        }
        return;
    }
    for (long begin = 0; begin < length; begin += WG) {
        const long i = begin + (long)get_local_id(0);
        const long j = i + n - length; // of x; negative: of before, from its end
        RAW v = 0;
        if (i < length)
            v = j < 0 ? RAW_LOAD(before, before_at + (j + length) * g.before_stride)
                      : RAW_LOAD(x, at + j * g.stride);
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (i < length)
            RAW_STORE(after, after_at + i * g.out_stride, v);
    }
}
#endif
