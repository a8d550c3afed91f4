// SPDX-License-Identifier: Apache-2.0
//
// convolve1d: the kernel that updates the history, for all variants, where the variant's own
// kernel does not (update.cl).
//
//     after = the last `outputs` elements of before and x, one behind the other:
//
//     before  | - - - b b b |
//     x                     | x x x |
//     after         | b b b x x x |       outputs = halo
//
// after may be the memory of before. An element only ever moves towards the front, so what it
// overwrites must have been read before. There are four ways to share the work:
//
//     share 0   A group takes a row, WG elements at a time: item i reads element i of the turn,
//               and writes it after the barrier. What it overwrites was read in an earlier
//               turn, or in this one. For few rows.
//     share 1   A group takes HISTORY_SIDE rows that lie side by side. Neighbouring items have
//               neighbouring rows, and so touch neighbouring elements; the items of a row have
//               neighbouring elements of it. An item reads HISTORY_AT_ONCE elements in a turn,
//               and writes them after the barrier. H200, driver 580.159.04, 2026-11-28, a call
//               of 4508 rows of one i16 beside each other, 152 taps: 32 us, 42 where an item
//               took a row.
//     share 2 ...   A group takes as many rows, of up to HISTORY_AT_ONCE / 2 * WG elements: it
//               reads all of them, and writes them after the barrier. An item has up to
//               HISTORY_AT_ONCE elements; of rows of up to WG elements the same one in
//               different rows. For many rows, one behind the other.
//     team > 0  A group takes `share` rows, one for each of its teams of so many items, which
//               move it by words (history_words.cl). For long rows of 8 or 16 bits, unless
//               several groups share a row and take fewer turns so.
//
// Where after has memory of its own, nothing that is read is overwritten. Then `row_groups` groups
// take a row, or rows side by side, a part of it each.
//
// With groups of one item, on CPUs, `share` is the number of rows that a group takes: one after
// the other, or side by side where they lie so. 16 elements are read before they are written,
// as a vector where they are neighbours.
//
// Macros   those of convolve1d.cl
// Barriers share 0 and 1, team: one per turn, share 2: one; reached by all items: all have read
// Per element: a load and a store of BYTES. No arithmetic, no local memory.

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
// The part of a group with `share` rows: an item has the same element of some of them.
static void copy_rows(global const ELEM *x, global const ELEM *before, global ELEM *after,
                      const struct arguments *g)
{
    const uint length = (uint)g->outputs, item = get_local_id(0), at_once = WG / length;
    const uint first = item / length, i = item - first * length;
    const long row = (long)get_group_id(0) * (long)g->share;
    const uint rows = first < at_once ? (uint)min((long)g->share, (long)g->rows - row) : 0;
    const long j = (long)i + (long)g->n - (long)length; // of x; negative: of before, from its end
    const long by = j < 0 ? g->before_row_stride : g->row_stride;
    global const ELEM *from =
        j < 0 ? before + (j + length) * g->before_stride : x + j * g->stride;
    from += (row + first) * by;
    RAW v[HISTORY_AT_ONCE];
    #pragma unroll
    for (uint u = 0; u < HISTORY_AT_ONCE; u++, from += at_once * by)
        if (first + u * at_once < rows)
            v[u] = RAW_LOAD(from, 0);
    barrier(CLK_GLOBAL_MEM_FENCE);
    after += (row + first) * g->out_row_stride + i * g->out_stride;
    #pragma unroll
    for (uint u = 0; u < HISTORY_AT_ONCE; u++, after += at_once * g->out_row_stride)
        if (first + u * at_once < rows)
            RAW_STORE(after, 0, v[u]);
}

// The same where rows have more elements than a group has items: an item has every WG-th
// element of the rows, as if these were one.
static void copy_long_rows(global const ELEM *x, global const ELEM *before, global ELEM *after,
                           const struct arguments *g)
{
    const uint length = (uint)g->outputs, item = get_local_id(0);
    const ulong first = (ulong)get_group_id(0) * (ulong)g->share;
    const uint rows = (uint)min((ulong)g->share, g->rows - first);
    RAW v[HISTORY_AT_ONCE];
    uint row = 0, i = item;
    #pragma unroll
    for (uint u = 0; u < HISTORY_AT_ONCE; u++) {
        const long j = (long)i - (long)length + (long)g->n;
        const long own = (long)(first + row);
        global const ELEM *from =
            j < 0 ? before + (j + length) * g->before_stride + own * g->before_row_stride
                  : x + j * g->stride + own * g->row_stride;
        if (row < rows)
            v[u] = RAW_LOAD(from, 0);
        i += WG;
        row += i >= length;
        i -= i >= length ? length : 0;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    row = 0;
    i = item;
    #pragma unroll
    for (uint u = 0; u < HISTORY_AT_ONCE; u++) {
        if (row < rows)
            RAW_STORE(after, (long)(first + row) * g->out_row_stride + i * g->out_stride, v[u]);
        i += WG;
        row += i >= length;
        i -= i >= length ? length : 0;
    }
}

// Which row the group takes, or which rows side by side, and which part of them.
static long strip_of(const struct arguments *g, uint *part)
{
    const ulong group = get_group_id(0);
    const bool divides = g->row_groups > 1; // groups are few then
    *part = divides ? (uint)group % g->row_groups : 0;
    return divides ? (uint)group / g->row_groups : group;
}

// Where part `part` of a row of so many elements begins; parts are whole turns of so many.
static long part_begin(long length, uint turn, uint part, const struct arguments *g)
{
    if (g->row_groups == 1)
        return part ? length : 0;
    const ulong turns = (ulong)(length + turn - 1) / turn,
                each = (turns + g->row_groups - 1) / g->row_groups;
    return min(length, (long)(part * each * turn));
}

// The part of a group with HISTORY_SIDE rows that lie side by side. Pointers go along, so that
// the kernel needs no more registers than for the other parts.
static void copy_side_by_side(global const ELEM *x, global const ELEM *before,
                              global ELEM *after, const struct arguments *g)
{
    const int side = HISTORY_SIDE(WG), segments = WG / side,
              segment = (int)get_local_id(0) / side, turn = HISTORY_AT_ONCE * segments;
    uint part;
    const long row = strip_of(g, &part) * side + (int)get_local_id(0) % side,
               length = (long)g->outputs, own_begin = part_begin(length, turn, part, g),
               end = part_begin(length, turn, part + 1, g),
               last = segment < segments && row < (long)g->rows ? end : 0;
    long i = own_begin + segment;
    long j = i + (long)g->n - length; // of x; negative: of before, from its end
    x += row * g->row_stride + j * g->stride;
    before += row * g->before_row_stride + (j + length) * g->before_stride;
    after += row * g->out_row_stride + i * g->out_stride;
    for (long begin = own_begin; begin < end; begin += turn) {
        RAW v[HISTORY_AT_ONCE];
        #pragma unroll
        for (int u = 0; u < HISTORY_AT_ONCE; u++) {
            if (i + u * segments < last)
                v[u] = RAW_LOAD(j < 0 ? before : x, 0);
            j += segments;
            x += segments * g->stride;
            before += segments * g->before_stride;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
        #pragma unroll
        for (int u = 0; u < HISTORY_AT_ONCE; u++, i += segments) {
            if (i < last)
                RAW_STORE(after, 0, v[u]);
            after += segments * g->out_stride;
        }
    }
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d_history(global const ELEM *x, global const ELEM *before, global ELEM *after,
                        const struct arguments g)
{
    if (g.team) {
        const ulong row = (ulong)get_group_id(0) * g.share;
        update_by_words(x + (g.first + (long)row * g.row_stride),
                        before + (g.before_first + (long)row * g.before_row_stride),
                        after + (g.out_first + (long)row * g.out_row_stride), &g,
                        (uint)min(g.share, g.rows - row));
        return;
    }
    if (g.share > 1) {
        if (g.outputs > WG)
            copy_long_rows(x + g.first, before + g.before_first, after + g.out_first, &g);
        else
            copy_rows(x + g.first, before + g.before_first, after + g.out_first, &g);
        return;
    }
    if (g.share) {
        copy_side_by_side(x + g.first, before + g.before_first, after + g.out_first, &g);
        return;
    }
    uint part;
    const long row = strip_of(&g, &part), length = (long)g.outputs, n = (long)g.n;
    const long end = part_begin(length, WG, part + 1, &g);
    const long at = g.first + row * g.row_stride;
    const long before_at = g.before_first + row * g.before_row_stride;
    const long after_at = g.out_first + row * g.out_row_stride;
    for (long begin = part_begin(length, WG, part, &g); begin < end; begin += WG) {
        const long i = begin + (long)get_local_id(0);
        const long j = i + n - length; // of x; negative: of before, from its end
        RAW v = 0;
        if (i < end)
            v = j < 0 ? RAW_LOAD(before, before_at + (j + length) * g.before_stride)
                      : RAW_LOAD(x, at + j * g.stride);
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (i < end)
            RAW_STORE(after, after_at + i * g.out_stride, v);
    }
}
#endif
