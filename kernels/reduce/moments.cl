// SPDX-License-Identifier: Apache-2.0
//
// reduce, STATISTICS: its chains, in place of those of chain.cl, and how they end as an acc.
//
//     count        elements taken        mean  = pivot + sum / count
//     low, high    the extremes          M2    = squares - sum^2 / count
//     sum          of x - pivot          M2 is the sum of (x - mean)^2; variance = M2 / count
//     squares      of (x - pivot)^2
//
// The pivot is the first element that a chain takes, so that nothing cancels however far from 0
// the data lie. MEET moves two chains to the pivot between theirs (Chan, Golub and LeVeque), as
// merge() does with means:
//
//     pivot' = p1 + move,  move = n2 / n * delta,  back = delta - move,  delta = p2 - p1
//     squares' = q1 + q2 + 2 (back s2 - move s1) + n1 * move * delta,   sum' = s1 + s2
//
// Error: a chain of 64 elements has rounded its squares by at most 32 u of their sum, and its
// sum twice as much of sum^2 / count. That is 96 u * 64 of M2 where the pivot lies as far off as
// an element can: 6144 u, which is 1024 u log2 64. MEET adds little, and so does merge() in a
// tree. k of them one after another add k / 2 u to the mean, and so at most 3 k u to M2.
//
// fold_warp() (folds.cl) moves the means of up to 32 accs to that of the first one, which has the
// most elements, and adds 5 times. That mean may be the square root of 32 standard deviations
// off, so that what rounds is at most 33 times M2: less than 1024 u of M2.
//
// EXACT: integers of 8 and 16 bits need no pivot. Their sums are integers without rounding, in
// accs too; chains of 16 bits keep the squares in two parts: low 16 bits and high ones.
//
// NaNs and infinities: a pivot is always finite, and squares are NaN if and only if an element
// is (nothing infinite is subtracted from squares). low and high pass NaNs over; acc_of() makes both
// NaN where squares are. From there on low and high alone decide what is NaN or infinite (result.cl).
//
// Defines CHAIN_A = moments, moments2 ... moments16; START, STEP, MEET as chain.cl; REAL, the
// type of means; MEAN_SCALE: what elements are multiplied by, a power of two, so that no sum of
// f64 leaves its range.
//
// Chains of f16 are f32, which cannot overflow. Per element: a conversion to OPERAND, two
// comparisons with selections, and one count; with a pivot two additions, a subtraction and a
// product, EXACT two additions and a product (16 bits: three and a shift). So f32 data take 8
// operations of f64 where OPERAND is double; variants for GPUs take 4 (vec16_moments.cl,
// column_moments.cl). GPUs
// whose f64 has 1/32 of the rate of f32, or less, are bound by these, not by memory.

#if OP == STATISTICS
#if SUM_TYPE == F64
#define REAL double
#else
#define REAL float
#endif

#if IS_FLOAT && BYTES == (SUM_TYPE == F64 ? 8 : 4)
#define MEAN_SCALE ((REAL)0x1p-16f)
#define SCALED(x)  ((x) * MEAN_SCALE)
#else
#define MEAN_SCALE ((REAL)1)
#define SCALED(x)  (x)
#endif

#if EXACT
#define LOW_START  HIGHEST
#define HIGH_START LOWEST
#define IS_LOWER(x, low)   ((x) < (low))
#define IS_HIGHER(x, high) ((x) > (high))
#else // where accs merge, a NaN stays
#define LOW_START  INFINITY
#define HIGH_START -INFINITY
#define IS_LOWER(x, low)   (((x) < (low)) | ((x) != (x)))
#define IS_HIGHER(x, high) (((x) > (high)) | ((x) != (x)))
#endif

#define IDENTITY LOW_START

// The members of a chain. EXTRA has no use for 8 bits.
#if EXACT
#define EXTRA squares_high
#else
#define EXTRA pivot
#endif
#define MEMBERS(X) X(count) X(low) X(high) X(sum) X(squares) X(EXTRA)
#define MOMENTS(n) \
    typedef struct { \
        JOIN_NAMES(OPERAND, n) count, low, high, sum, squares, EXTRA; \
    } JOIN_NAMES(moments, n);
MOMENTS()
MOMENTS(2)
MOMENTS(4)
MOMENTS(8)
MOMENTS(16)

#define TAKE_RANGE(a, low_, high_) \
    do { \
        (a).low = (low_) < (a).low ? (low_) : (a).low; \
        (a).high = (high_) > (a).high ? (high_) : (a).high; \
    } while (0)

#define START(n, a, b, x0, i0) \
    do { \
        (a).count = (a).sum = (a).squares = 0; \
        (a).low = LOW_START; \
        (a).high = HIGH_START; \
        START_EXTRA(a, x0); \
        (b) = 0; \
    } while (0)

#if EXACT
#define START_EXTRA(a, x0) ((a).squares_high = 0)
#if BYTES == 1
#define TAKE_SQUARE(a, x) ((a).squares += (x) * (x))
#else
#define TAKE_SQUARE(a, x) \
    do { (a).squares += ((x) * (x)) & 0xffff; (a).squares_high += ((x) * (x)) >> 16; } while (0)
#endif
#define STEP(a, b, x, i) \
    do { \
        (a).count += 1; \
        (a).sum += (x); \
        TAKE_SQUARE(a, x); \
        TAKE_RANGE(a, x, x); \
    } while (0)
#define MEET(n, a, b, a2, b2) \
    do { \
        (a).count += (a2).count; \
        (a).sum += (a2).sum; \
        (a).squares += (a2).squares; \
        (a).squares_high += (a2).squares_high; \
        TAKE_RANGE(a, (a2).low, (a2).high); \
    } while (0)

#else
#define FINITE_OR(x, other) (fabs(x) < (OPERAND)INFINITY ? (x) : (OPERAND)(other))
#if SKIP_NAN // the pivot is the first number
#define START_EXTRA(a, x0) ((a).pivot = 0)
#define STEP(a, b, x, i) \
    do { \
        (a).pivot = (a).count == 0 ? FINITE_OR(SCALED(x), 0) : (a).pivot; \
        (a).sum += (x) == (x) ? SCALED(x) - (a).pivot : (OPERAND)0; \
        (a).squares += (x) == (x) ? (SCALED(x) - (a).pivot) * (SCALED(x) - (a).pivot) \
                                  : (OPERAND)0; \
        (a).count = (x) == (x) ? (a).count + 1 : (a).count; \
        TAKE_RANGE(a, x, x); \
    } while (0)
#else
#define START_EXTRA(a, x0) \
    do { \
        (a).pivot = (x0); \
        (a).pivot = FINITE_OR(SCALED((a).pivot), 0); \
    } while (0)
#define STEP(a, b, x, i) \
    do { \
        (a).count += 1; \
        (a).sum += SCALED(x) - (a).pivot; \
        (a).squares += (SCALED(x) - (a).pivot) * (SCALED(x) - (a).pivot); \
        TAKE_RANGE(a, x, x); \
    } while (0)
#endif
#define MEET(n, a, b, a2, b2) \
    do { \
        const JOIN_NAMES(OPERAND, n) both_ = (a).count + (a2).count; \
        const JOIN_NAMES(OPERAND, n) delta_ = (a2).pivot - (a).pivot; \
        const JOIN_NAMES(OPERAND, n) move_ = \
            delta_ * ((a2).count / (both_ > 0 ? both_ : (OPERAND)1)); \
        const JOIN_NAMES(OPERAND, n) more_ = \
            ((a2).sum * (delta_ - move_) - (a).sum * move_) * 2 + (a).count * move_ * delta_; \
        /* Not finite: a square is infinite, too, or the squares leave the range. */ \
        (a).squares += (a2).squares + FINITE_OR(more_, INFINITY); \
        (a).sum += (a2).sum; \
        (a).pivot += move_; \
        (a).count = both_; \
        TAKE_RANGE(a, (a2).low, (a2).high); \
    } while (0)
#endif

// What chain.cl has for vectors, for each member.
#undef INTERLEAVE_CHAINS
#undef CHOOSE_CHAINS
#undef ONE_CHAIN
#define INTERLEAVE_CHAINS(low_, high_, x, y) \
    do { \
        INTERLEAVE((low_).count, (high_).count, (x).count, (y).count); \
        INTERLEAVE((low_).low, (high_).low, (x).low, (y).low); \
        INTERLEAVE((low_).high, (high_).high, (x).high, (y).high); \
        INTERLEAVE((low_).sum, (high_).sum, (x).sum, (y).sum); \
        INTERLEAVE((low_).squares, (high_).squares, (x).squares, (y).squares); \
        INTERLEAVE((low_).EXTRA, (high_).EXTRA, (x).EXTRA, (y).EXTRA); \
    } while (0)
#define CHOOSE_CHAINS(a, take, a2) \
    do { \
        CHOOSE((a).count, take, (a2).count); \
        CHOOSE((a).low, take, (a2).low); \
        CHOOSE((a).high, take, (a2).high); \
        CHOOSE((a).sum, take, (a2).sum); \
        CHOOSE((a).squares, take, (a2).squares); \
        CHOOSE((a).EXTRA, take, (a2).EXTRA); \
    } while (0)
#define ONE_CHAIN(n, one_a, one_b, a, b, lane) JOIN_NAMES(lane_of, n)(&(one_a), &(a), lane)
#define ONE_MEMBER(member) one->member = ((const OPERAND *)&all->member)[lane];
#define LANE_OF(n) \
    static void JOIN_NAMES(lane_of, n)(moments *one, const JOIN_NAMES(moments, n) *all, \
                                       uint lane) \
    { \
        MEMBERS(ONE_MEMBER) \
    }
LANE_OF(8)
LANE_OF(16)
#endif
