// SPDX-License-Identifier: Apache-2.0
//
// reduce: how the accs of a group's items become one.
//
// Macros: those of reduce.cl. Local memory: what the caller gives. Barriers: fold_group() has
// some, the last at its end. All items of a group reach it.
//
// Defines SHARED        where the accs of a group lie
//         fold_group()
//         HAS_SHUFFLE   items of a warp exchange their accs without local memory, by
//         fold_warp()   which all items of a warp reach: the first of each `lanes` items, a power of
//                       two, has the result then

#if !defined(WG) || WG < 1
#error "WG must be defined, at least 1"
#endif

// Where the accs of a group lie. A group of one item needs no local memory.
#if WG == 1
#define SHARED private
#else
#define SHARED local
#endif

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
    const uint first = get_local_id(0) % 32 & ~(lanes - 1);
    const uint filled = items_with(r->n > 0) >> first;
    const uint at = first + ((31 - clz(filled & -filled)) & (lanes - 1));
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

// A number that is higher the better v is, and the same for equal values. A NaN is better than
// all numbers, or, where NaNs are left out, worse.
static uint rank_of(OPERAND v)
{
#if IS_FLOAT
    const uint bits = v == 0 ? 0 : as_uint(v);
    const uint rank = bits >> 31 ? ~bits : bits | 0x80000000;
    return v != v ? (SKIP_NAN ? 0 : 0xffffffff) : OP == ARGMIN ? ~rank : rank;
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
