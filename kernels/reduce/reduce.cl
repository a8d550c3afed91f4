// SPDX-License-Identifier: Apache-2.0
//
// reduce: what all variants share, and the kernel that folds partials.
//
//     out[r] = x[r][0] op x[r][1] op ... op x[r][count - 1]
//
// A value passes three stages, each wider and rarer than the one before:
//
//     chain     at most CHAIN elements, in a cheap type        reduce/chain.cl
//     acc       a partial, exact or compensated: merging any number of them costs no accuracy
//                                                              reduce/acc.cl
//     result    what finish() writes to out                    reduce/result.cl
//
// Who reads what: a row is cut into `slots` parts. One group reads each slot, or a few items do
// where rows are short; the file of the variant says which. The partial of slot s goes to
// part[row * pitch + 1 + s]. Partial 0 is the result of the earlier pieces of a streamed array.
// reduce_fold merges a row's partials:
//
//     part   | pieces | slot 0 | slot 1 | slot 2 | ...      lanes 0, 1, 2 ... in turn, then a tree
//
// With one partial and one piece (DIRECT) the first kernel writes the result, and there is no
// fold. The order of merging depends on the layout alone, so that a call repeats to the bit.
//
// Macros  TYPE      see common.cl
//         OP        a number of enum gpuprim_op; SUM ... MEAN name these numbers
//         SUM_TYPE  what sums and products are carried in: I64 U64 F32 F64, or 0 = 128 bits,
//                   for means of integers whose sum could leave 64
//         OUT_TYPE  see reduce/result.cl
//         SKIP_NAN  1: NaNs are left out
//         WG        items per group, any number from 1 up
// A variant's own macros are in the head of its file. struct arguments, its flags and CHAIN are
// those of src/reduce/arguments.h.
//
// Barriers: fold_group() has some, the last at its end. All items of a group reach it. Bytes
// per element of x: its size. reduce_fold reads an acc per partial and writes a result per row.

#if !defined(WG) || WG < 1
#error "WG must be defined, at least 1"
#endif

// Where the accs of a group lie. A group of one item needs no local memory.
#if WG == 1
#define SHARED private
#else
#define SHARED local
#endif

// Scratch memory begins with counters, and has the partials behind them. A launch that writes
// results alone has none: each buffer that a kernel has makes its launch take longer.
static global acc *partials_of(global uint *scratch)
{
    return (global acc *)(scratch + REDUCE_COUNTERS);
}

// Writes the row's result, or partial `at` of it.
static void emit(global acc *part, global OUT_T *out, const struct arguments *g, ulong row,
                 ulong at, const acc *r)
{
    if (g->flags & DIRECT)
        finish(out, g->out_first + (long)row * g->out_row, g->out_step, r, g->total);
    else
        part[row * g->pitch + at] = *r;
}

#if PTX && WG % 32 == 0
#define HAS_SHUFFLE 1

static uint shuffle_down(uint x, uint apart)
{
    uint r;
    asm volatile("shfl.sync.down.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(r) : "r"(x), "r"(apart));
    return r;
}

static ulong shuffle_down_64(ulong x, uint apart)
{
    const uint2 halves = as_uint2(x);
    return as_ulong((uint2)(shuffle_down(halves.x, apart), shuffle_down(halves.y, apart)));
}

#ifdef OPERAND_IS_64
#define SHUFFLE_OPERAND(x, apart) JOIN_NAMES(as_, OPERAND)(shuffle_down_64(as_ulong(x), apart))
#else
#define SHUFFLE_OPERAND(x, apart) JOIN_NAMES(as_, OPERAND)(shuffle_down(as_uint(x), apart))
#endif

#if OP == STATISTICS && SUM_TYPE == F64
#define SHUFFLE_REAL(x, apart) as_double(shuffle_down_64(as_ulong(x), apart))
#elif OP == STATISTICS
#define SHUFFLE_REAL(x, apart) as_float(shuffle_down(as_uint(x), apart))
#endif

// fold_warp() merges the accs of `lanes` <= 32 items of a warp, a power of two. The first item
// gets the result.
#if OP == STATISTICS && !EXACT && !SKIP_NAN
static uint shuffle_from(uint x, uint item)
{
    uint r;
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(r) : "r"(x), "r"(item));
    return r;
}

static REAL real_from(REAL x, uint item)
{
#if SUM_TYPE == F64
    const uint2 halves = as_uint2(x);
    return as_double((uint2)(shuffle_from(halves.x, item), shuffle_from(halves.y, item)));
#else
    return as_float(shuffle_from(as_uint(x), item));
#endif
}

// Which items of the warp have elements, as bits.
static uint items_with(bool elements)
{
    uint r;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
                 : "=r"(r)
                 : "r"((uint)elements));
    return r;
}

// All moments move to one pivot, the mean of the first item that has elements, and are then no
// more than sums: one division instead of one for each of five merges. No other item has more
// elements than that one, so that its mean is off by at most the square root of `lanes` standard
// deviations (moments.cl). Where NaNs are left out it may have fewer, and merge() is used.
static void fold_warp(acc *r, uint lanes)
{
    const uint first = get_local_id(0) % 32 / lanes * lanes;
    const uint filled = items_with(r->n > 0) >> first;
    const uint at = first + (31 - clz(filled & -filled)) % lanes;
    const REAL pivot = real_from(r->mean, at), n = (REAL)r->n, off = r->mean - pivot;
    REAL sum = n * off, squares = r->m2 + n * off * off;
    for (uint apart = lanes / 2; apart > 0; apart /= 2) {
        const OPERAND low = SHUFFLE_OPERAND(r->v, apart), high = SHUFFLE_OPERAND(r->w, apart);
        r->v = IS_LOWER(low, r->v) ? low : r->v;
        r->w = IS_HIGHER(high, r->w) ? high : r->w;
        r->n += shuffle_down_64(r->n, apart);
        sum += SHUFFLE_REAL(sum, apart);
        squares += SHUFFLE_REAL(squares, apart);
    }
    const REAL shift = r->n ? sum / (REAL)r->n : 0, m2 = squares - sum * shift;
    r->mean = pivot + shift;
    r->m2 = !isfinite(squares) ? squares : m2 > 0 ? m2 : 0;
}
#elif IS_ARG && !defined OPERAND_IS_64 && PTX >= 80
#define REDUX(name, operation) \
    static uint name(uint x) \
    { \
        uint r; \
        asm volatile("redux.sync." operation ".u32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(x)); \
        return r; \
    }
REDUX(lowest_of_warp, "min")
REDUX(highest_of_warp, "max")

// A number that is higher the better v is, and the same for equal values. A NaN in an acc is
// better than all numbers.
static uint rank_of(OPERAND v)
{
#if IS_FLOAT
    const uint bits = v == 0 ? 0 : as_uint(v);
    const uint rank = bits >> 31 ? ~bits : bits | 0x80000000;
    return v != v ? 0xffffffff : OP == ARGMIN ? ~rank : rank;
#else
    const uint rank = as_uint(v) ^ (IS_SIGNED ? 0x80000000 : 0);
    return OP == ARGMIN ? ~rank : rank;
#endif
}

static void merge_down(acc *r, uint lanes);

// Whole warps: the best rank, and among those that have it the lowest position. An empty acc has
// the highest position. Four instructions that take in all items at once take less time than five
// merges one behind the other.
static void fold_warp(acc *r, uint lanes)
{
    if (lanes < 32) {
        merge_down(r, lanes);
        return;
    }
    const uint rank = r->n == NONE ? 0 : rank_of(r->v), high = (uint)(r->n >> 32);
    const uint best = highest_of_warp(rank);
    const uint best_high = lowest_of_warp(rank == best ? high : 0xffffffff);
    const bool may_win = rank == best && high == best_high;
    const uint best_low = lowest_of_warp(may_win ? (uint)r->n : 0xffffffff);
    const bool wins = may_win && (uint)r->n == best_low;
    r->v = JOIN_NAMES(as_, OPERAND)(highest_of_warp(wins ? as_uint(r->v) : 0));
    r->n = as_ulong((uint2)(best_low, best_high));
}
#define fold_warp_by_merges merge_down
#else
#define fold_warp_by_merges fold_warp
#endif

#ifdef fold_warp_by_merges
static void fold_warp_by_merges(acc *r, uint lanes)
{
    for (uint apart = lanes / 2; apart > 0; apart /= 2) {
        acc q;
#if HAS_N
        q.n = shuffle_down_64(r->n, apart);
#endif
#if HAS_V
        q.v = SHUFFLE_OPERAND(r->v, apart);
#endif
#if HAS_W
        q.w = SHUFFLE_OPERAND(r->w, apart);
#endif
#if EXACT
        q.sum = (long)shuffle_down_64((ulong)r->sum, apart);
        q.squares = shuffle_down_64(r->squares, apart);
        q.carry = BYTES == 2 ? shuffle_down_64(r->carry, apart) : 0;
#elif OP == STATISTICS
        q.mean = SHUFFLE_REAL(r->mean, apart);
        q.m2 = SHUFFLE_REAL(r->m2, apart);
#endif
        merge(r, &q);
    }
}
#endif

// fold_group() for sets of neighbours: each warp folds its own accs, then the first warp folds
// the results. H200, 2026-11-21: with barriers alone a group of 256 takes 0.8 us, and the sum
// of one element 6.4 us; with this function the sum takes 6.1 us.
static void fold_neighbours(SHARED acc *shared, uint item, uint lanes)
{
    acc r = shared[item];
    fold_warp(&r, min(lanes, 32u));
    shared[item] = r;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lanes <= 32)
        return;
    if (item < 32) {
        const uint warps = lanes / 32;
        r = shared[item < WG / 32 ? item * 32 : 0];
        fold_warp(&r, IS_ARG && lanes == WG ? 32 : warps); // the first acc may come up again
        if (item < WG / 32 && item % warps == 0)
            shared[item * 32] = r;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
#else
#define HAS_SHUFFLE 0
static void fold_neighbours(SHARED acc *shared, uint item, uint lanes) {}
#endif

// Merges the accs of each set, one for each of its `lanes`. Every item has stored its acc at
// shared[item]; the acc of the next lane lies `apart` further. Several sets lie side by side in
// shared[WG]. Afterwards the acc of lane 0 is that of its whole set, and all items see it.
static void fold_group(SHARED acc *shared, uint item, uint lane, uint lanes, uint apart)
{
    if (HAS_SHUFFLE && apart == 1 && (lanes & (lanes - 1)) == 0) {
        fold_neighbours(shared, item, lanes);
        return;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll 1
    for (uint n = lanes; n > 1; n = (n + 1) / 2) {
        const uint half_way = (n + 1) / 2;
        if (lane + half_way < n) {
            acc r = shared[item];
            const acc q = shared[item + half_way * apart];
            merge(&r, &q);
            shared[item] = r;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Merges every lanes-th partial of a row, from begin + lane on, several loads in flight.
static void fold_partials(acc *r, volatile global acc *part, uint lane, uint lanes,
                          const struct arguments *g, ulong row)
{
#define FOLD_DEPTH (sizeof(acc) <= 16 ? 8 : 1)
    acc_start(r);
    part += row * g->pitch;
    #pragma unroll 1
    for (ulong i = g->begin + lane; i <= g->partials; i += FOLD_DEPTH * lanes) {
        acc q[FOLD_DEPTH];
        #pragma unroll
        for (uint k = 0; k < FOLD_DEPTH; k++)
            if (i + k * lanes <= g->partials)
                acc_load(&q[k], part + i + k * lanes);
        #pragma unroll
        for (uint k = 0; k < FOLD_DEPTH; k++)
            if (i + k * lanes <= g->partials)
                merge(r, &q[k]);
    }
}

// ---------------------------------------------------------------- the end of a launch
#if PTX
// Signals: partials for a group that waits for them. A partial is told in words of 64 bits, of
// which the lower half is 32 bits of the acc and the upper half the number of the launch. No
// earlier launch had that number, so a word that has it is there. Words of 64 bits are written
// and read whole, in any order. So nobody needs a fence or a counter, which take two trips to
// the memory one behind the other.
#define ACC_WORDS (sizeof(acc) / 4)

union acc_words {
    acc r;
    uint word[ACC_WORDS];
};

static void signal(global ulong *to, const acc *r, uint launch)
{
    union acc_words w;
    w.r = *r;
    #pragma unroll
    for (uint k = 0; k < ACC_WORDS; k++)
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;"
                     :
                     : "l"(to + k), "l"(as_ulong((uint2)(w.word[k], launch)))
                     : "memory");
}

static void await_signal(acc *r, global const ulong *from, uint launch)
{
    union acc_words w;
    bool there;
    do {
        there = true;
        #pragma unroll
        for (uint k = 0; k < ACC_WORDS; k++) {
            ulong word;
            asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                         : "=l"(word)
                         : "l"(from + k)
                         : "memory");
            w.word[k] = (uint)word;
            there &= as_uint2(word).y == launch;
        }
    } while (!there);
    *r = w.r;
}
#endif

// Writes shared[0], a group's partial of a row. With ONE_LAUNCH the group of the row's last slot
// waits for those of the others and writes the result. It would wait forever on a device that
// begins no group before it while it runs. NVIDIA's begin groups in the order of their numbers;
// CUB's scans rely on that, too. All items call this.
static void emit_group(global uint *scratch, global OUT_T *out, SHARED acc *shared, uint item,
                       const struct arguments *g, ulong row, uint slot)
{
    acc r = shared[0];
#if PTX
    if (g->flags & ONE_LAUNCH) {
        const uint slots = (uint)g->slots;
        global ulong *signals = (global ulong *)scratch + row * slots * ACC_WORDS;
        if (item == 0)
            signal(signals + slot * ACC_WORDS, &r, g->launch);
        if (slot < slots - 1)
            return;
        acc_start(&r);
        for (uint i = item; i < slots; i += WG) {
            acc q;
            await_signal(&q, signals + i * ACC_WORDS, g->launch);
            merge(&r, &q);
        }
        barrier(CLK_LOCAL_MEM_FENCE); // all have read shared[0]
        shared[item] = r;
        fold_group(shared, item, item, WG, 1);
        r = shared[0];
        if (item == 0)
            finish(out, g->out_first + (long)row * g->out_row, g->out_step, &r, g->total);
        return;
    }
#endif
    if (item == 0)
        emit(partials_of(scratch), out, g, row, slot + 1, &r);
}

// The second launch: merges the partials of each row into its result (DIRECT) or into partial
// 0. `lanes` items share a row; they divide WG.
kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void reduce_fold(global uint *scratch, global OUT_T *out, const struct arguments g)
{
    global acc *part = partials_of(scratch);
    SHARED acc shared[WG];
    const uint item = get_local_id(0), lane = item % g.lanes;
    const ulong row = (ulong)(uint)get_group_id(0) * (WG / g.lanes) + item / g.lanes;
    acc r;
    if (row < g.rows)
        fold_partials(&r, part, lane, g.lanes, &g, row);
    else
        acc_start(&r);
    shared[item] = r;
    fold_group(shared, item, lane, g.lanes, 1);
    r = shared[item];
    if (lane == 0 && row < g.rows)
        emit(part, out, &g, row, 0, &r);
}
