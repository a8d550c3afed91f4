// SPDX-License-Identifier: Apache-2.0
//
// reduce, first stage: lanes. A lane (a, b) folds a chain of at most CHAIN elements in the
// cheapest type that cannot go wrong over that length. The macros are written so that a, b and x
// may be scalars or vectors; `n` is the vector's length, empty for scalars.
//
//     START(n, a, b, x0, i0)   a lane before its first element x0, which STEP takes next
//     STEP(a, b, x, i)         adds element x, which stands at position i
//     MEET(n, a, b, a2, b2)    joins two lanes
//
// Macros: see reduce.cl.

#if !defined(OP) || !defined(SUM_TYPE) || !defined(SKIP_NAN)
#error "OP, SUM_TYPE and SKIP_NAN must be defined"
#endif

#if !defined(SUM) || !defined(MEAN)
#error "the names of the operations must be defined"
#endif

#define IS_ARG     (OP == ARGMIN || OP == ARGMAX)
#define IS_COUNT   (OP == ANY || OP == ALL || OP == COUNT)
#define IS_SUM     (OP == SUM || OP == SUM_ABS || OP == SUM_SQUARES || OP == MEAN)
#define IS_BITWISE (OP == AND || OP == OR || OP == XOR)
#define IS_WIDE    (OP == MEAN && SUM_TYPE == 0)

// ---------------------------------------------------------------- the arithmetic type
// W: what x is widened to. B: a signed integer of the same width, for positions and counts.
// Sums that fill 64 bits are unsigned, because there wrapping is defined.
#if IS_FLOAT && (SUM_TYPE == F64 || TYPE == F64)
#define W       double
#define B       long
#define W_IS_64 1
#elif IS_FLOAT
#define W       float
#define B       int
#elif OP == PRODUCT || IS_WIDE || (IS_SUM && BYTES >= 4) || (OP == SUM_SQUARES && BYTES == 2)
#define W       ulong
#define B       long
#define W_IS_64 1
#elif BYTES == 8
#define W       T
#define B       long
#define W_IS_64 1
#elif TYPE == U32
#define W       uint
#define B       int
#else
#define W       int
#define B       int
#endif

#if IS_COUNT
#define A B
#else
#define A W
#endif

// ---------------------------------------------------------------- lanes
// KEEP: x, or what leaves the result alone where NaNs are skipped and x is one.
#if SKIP_NAN
#define KEEP(x, neutral) ((x) == (x) ? (x) : (W)(neutral))
#else
#define KEEP(x, neutral) (x)
#endif

#define START(n, a, b, x0, i0) \
    do { (a) = (JOIN_NAMES(A, n))(START_A); (b) = (JOIN_NAMES(B_LANE, n))(START_B); } while (0)
#define START_B 0
#define B_LANE  B

#if IS_WIDE
// 128 bits in two halves. Signed values are shifted up by 2^63, so that all are positive;
// finish() takes count * 2^63 off again.
#define START_A 0
#if IS_SIGNED
#define SHIFT_UP 0x8000000000000000UL
#else
#define SHIFT_UP 0UL
#endif
#define STEP(a, b, x, i) do { (a) += (x) ^ SHIFT_UP; (b) += ((a) < ((x) ^ SHIFT_UP)) & 1; } while (0)
#define MEET(n, a, b, a2, b2) do { (a) += (a2); (b) += (b2) + (((a) < (a2)) & 1); } while (0)

#elif IS_SUM
#define START_A 0
#if OP == SUM_SQUARES
#define TERM(x) ((x) * (x))
#elif OP == SUM_ABS && IS_FLOAT
#define TERM(x) fabs(x)
#elif OP == SUM_ABS && IS_SIGNED && BYTES >= 4 // unsigned arithmetic on signed values
#define TERM(x) ((x) > 0x7fffffffffffffffUL ? -(x) : (x))
#elif OP == SUM_ABS && IS_SIGNED
#define TERM(x) ((x) < 0 ? -(x) : (x))
#else
#define TERM(x) (x)
#endif
#if OP == MEAN && SKIP_NAN
#define STEP(a, b, x, i) do { (a) += KEEP(x, 0); (b) += ((x) == (x)) & 1; } while (0)
#else
#define STEP(a, b, x, i) ((a) += TERM(KEEP(x, 0)))
#endif
#define MEET(n, a, b, a2, b2) do { (a) += (a2); (b) += (b2); } while (0)

#elif OP == PRODUCT
#define START_A 1
#define STEP(a, b, x, i)      ((a) *= KEEP(x, 1))
#define MEET(n, a, b, a2, b2) ((a) *= (a2))

#elif IS_COUNT
// ALL counts the zeros, the others what is not zero. The comparison of vectors gives -1 and
// that of scalars 1; the last bit is the same.
#define START_A 0
#if OP == ALL
#define HIT(x) ((x) == 0)
#elif SKIP_NAN
#define HIT(x) (((x) != 0) & ((x) == (x)))
#else
#define HIT(x) ((x) != 0)
#endif
#define STEP(a, b, x, i)      ((a) += HIT(x) & 1)
#define MEET(n, a, b, a2, b2) ((a) += (a2))

#elif IS_BITWISE
#if OP == AND
#define START_A -1
#define STEP(a, b, x, i) ((a) &= (x))
#elif OP == OR
#define START_A 0
#define STEP(a, b, x, i) ((a) |= (x))
#else
#define START_A 0
#define STEP(a, b, x, i) ((a) ^= (x))
#endif
#define MEET(n, a, b, a2, b2) STEP(a, b, a2, 0)

#else // MIN, MAX, MINMAX, ARGMIN, ARGMAX
#if OP == MAX || OP == ARGMAX
#define BEFORE(x, a) ((x) > (a))
#define START_A      LOWEST
#else
#define BEFORE(x, a) ((x) < (a))
#define START_A      HIGHEST
#endif

#if IS_ARG
// a: the best value, b: its position. A lane starts with its first element, whatever it is, so
// that a row of nothing but the identity has a position too.
#undef START
#define START(n, a, b, x0, i0) do { (a) = (x0); (b) = (i0); } while (0)
#define TAKE(a, b, take, x, i) do { (b) = (take) ? (i) : (b); (a) = (take) ? (x) : (a); } while (0)
#if !IS_FLOAT
#define STEP(a, b, x, i) TAKE(a, b, BEFORE(x, a), x, i)
#define BETTER(a, b, x, i) (BEFORE(x, a) | (((x) == (a)) & ((i) < (b))))
#elif SKIP_NAN // a NaN in a loses to any number
#define STEP(a, b, x, i) TAKE(a, b, (BEFORE(x, a) | ((a) != (a))) & ((x) == (x)), x, i)
#define BETTER(a, b, x, i) \
    ((BEFORE(x, a) | ((a) != (a)) | (((x) == (a)) & ((i) < (b)))) & ((x) == (x)))
#else // a NaN in a wins for good; of two the first
#define STEP(a, b, x, i) TAKE(a, b, BEFORE(x, a) | (((x) != (x)) & ((a) == (a))), x, i)
#define BETTER(a, b, x, i) \
    (BEFORE(x, a) | (((x) != (x)) & ((a) == (a))) | \
     ((((x) == (a)) | (((x) != (x)) & ((a) != (a)))) & ((i) < (b))))
#endif
#define MEET(n, a, b, a2, b2) \
    do { \
        const JOIN_NAMES(B, n) take_ = BETTER(a, b, a2, b2); \
        TAKE(a, b, take_, a2, b2); \
    } while (0)

#else // a comparison with a NaN is false: the NaN is kept by asking for it, skipped by not
#if !IS_FLOAT || SKIP_NAN
#define PICK(a, x) ((a) = BEFORE(x, a) ? (x) : (a))
#define PICK_MAX(b, x) ((b) = (x) > (b) ? (x) : (b))
#else
#define PICK(a, x) ((a) = (BEFORE(x, a) | ((x) != (x))) ? (x) : (a))
#define PICK_MAX(b, x) ((b) = (((x) > (b)) | ((x) != (x))) ? (x) : (b))
#endif
#if OP == MINMAX
#undef START_B
#undef B_LANE
#define START_B LOWEST
#define B_LANE  W // the maximum
#define STEP(a, b, x, i)      do { PICK(a, x); PICK_MAX(b, x); } while (0)
#define MEET(n, a, b, a2, b2) do { PICK(a, a2); PICK_MAX(b, b2); } while (0)
#else
#define STEP(a, b, x, i)      PICK(a, x)
#define MEET(n, a, b, a2, b2) PICK(a, a2)
#endif
#endif
#endif
