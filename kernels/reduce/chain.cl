// SPDX-License-Identifier: Apache-2.0
//
// reduce, first stage: chains. A chain folds at most CHAIN elements in the cheapest type that
// cannot go wrong over that length. Its state is a pair (a, b):
//
//     operation        a         b        STEP: takes in x at i         MEET: takes in (a2, b2)
//     SUM              0                  a += x                        a += a2
//     SUM_ABS          0                  a += |x|                      a += a2
//     SUM_SQUARES      0                  a += x * x                    a += a2
//     MEAN             0         0        a += x                        a += a2
//       SKIP_NAN       0         0        a += x, b += 1, but for NaN   a += a2, b += b2
//       IS_WIDE        0         0        (b, a) += x, 128 bits         (b, a) += (b2, a2)
//     PRODUCT          1                  a *= x                        a *= a2
//     ANY, COUNT       0                  a += x != 0                   a += a2
//     ALL              0                  a += x == 0                   a += a2
//     AND              -1                 a &= x                        a &= a2
//     OR, XOR          0                  a |= x, a ^= x                a |= a2, a ^= a2
//     MIN              HIGHEST            a = x if x < a                a = a2 if a2 < a
//     MAX              LOWEST             a = x if x > a                a = a2 if a2 > a
//     MINMAX           HIGHEST   LOWEST   a as MIN, b as MAX            a as MIN, b as MAX
//     MAX_ABS          0                  a = |x| if |x| > a            a = a2 if a2 > a
//     ARGMIN, ARGMAX   x0        i0       a = x, b = i if x < a, > a    the same; of equals the
//                                                                       lower position
//
// STATISTICS has more members than a and b: reduce/moments.cl.
//
// The columns a and b say what a chain begins with. x0 is the first element, at position i0;
// STEP takes it again. A NaN wins over every number, and the first NaN over others; with
// SKIP_NAN it never wins. MAX_ABS of signed integers keeps |x| as an unsigned number, because the
// least number of a type has no positive counterpart, and because NVIDIA's driver 580 loses the
// sign of x in min(min(a, -x), b) of signed numbers on an H200 (ptxas 13.0 does so for sm_90).
//
// Defines  START(n, a, b, x0, i0), STEP(a, b, x, i), MEET(n, a, b, a2, b2)
//              a, b and x may be scalars or vectors of n; n is empty for scalars
//          OPERAND           the type elements are widened to
//          INDEX             a signed integer as wide: positions, counts, results of comparisons
//          CHAIN_A, CHAIN_B  the types of a and b
//          IDENTITY          what a begins with
//          OPERAND_IS_64     OPERAND has 64 bits; else it is not defined
//          EXACT             STATISTICS by integer sums
//          IS_ARG, IS_COUNT, IS_SUM, IS_BITWISE, IS_EXTREME, IS_WIDE: kinds of operations
//
// Macros: OP, SUM_TYPE, SKIP_NAN; see reduce.cl. CHAIN is in src/reduce/arguments.h.
// Per element: one addition or comparison with a selection, for arg ops two selections, after a
// conversion where TYPE is not OPERAND.

#if !defined(OP) || !defined(SUM_TYPE) || !defined(SKIP_NAN)
#error "OP, SUM_TYPE and SKIP_NAN must be defined"
#endif

#if !defined(SUM) || !defined(MEAN)
#error "the names of the operations must be defined (src/reduce/operations.h)"
#endif

#define IS_ARG     (OP == ARGMIN || OP == ARGMAX)
#define IS_COUNT   (OP == ANY || OP == ALL || OP == COUNT)
#define IS_SUM     (OP == SUM || OP == SUM_ABS || OP == SUM_SQUARES || OP == MEAN)
#define IS_BITWISE (OP == AND || OP == OR || OP == XOR)
#define IS_EXTREME (OP == MIN || OP == MAX || OP == MINMAX || OP == MAX_ABS || IS_ARG)
#define IS_WIDE    (OP == MEAN && SUM_TYPE == 0) // a sum of 128 bits
#define EXACT      (OP == STATISTICS && !IS_FLOAT && BYTES <= 2)
#define IN_FLOATS  (IS_FLOAT || (OP == STATISTICS && !EXACT))

// ---------------------------------------------------------------- types
// Sums that fill 64 bits are unsigned, because there wrapping is defined.
#if IN_FLOATS && (SUM_TYPE == F64 || TYPE == F64) && !(OP == STATISTICS && TYPE == F16)
#define OPERAND       double
#define INDEX         long
#define OPERAND_IS_64 1
#elif IN_FLOATS
#define OPERAND       float
#define INDEX         int
#elif OP == PRODUCT || IS_WIDE || (IS_SUM && BYTES >= 4) || (OP == SUM_SQUARES && BYTES == 2)
#define OPERAND       ulong
#define INDEX         long
#define OPERAND_IS_64 1
#elif OP == MAX_ABS && BYTES == 8
#define OPERAND       ulong
#define INDEX         long
#define OPERAND_IS_64 1
#elif BYTES == 8
#define OPERAND       ELEM
#define INDEX         long
#define OPERAND_IS_64 1
#elif TYPE == U32 || (EXACT && TYPE == U16) || OP == MAX_ABS
#define OPERAND       uint
#define INDEX         int
#else
#define OPERAND       int
#define INDEX         int
#endif

#if OP == STATISTICS
#define CHAIN_A moments
#elif IS_COUNT
#define CHAIN_A INDEX
#else
#define CHAIN_A OPERAND
#endif

#if OP == MINMAX
#define CHAIN_B OPERAND
#else
#define CHAIN_B INDEX
#endif

// ---------------------------------------------------------------- what several operations need
// x. Where NaNs are skipped and x is one: `neutral`, which leaves the result as it is.
#if SKIP_NAN
#define NO_NAN(x, neutral) ((x) == (x) ? (x) : (OPERAND)(neutral))
#else
#define NO_NAN(x, neutral) (x)
#endif

// A chain that begins with the same values whatever its first element is.
#define START_WITH(n, a, b, a0, b0) \
    do { (a) = (JOIN_NAMES(CHAIN_A, n))(a0); (b) = (JOIN_NAMES(CHAIN_B, n))(b0); } while (0)

// What variants for CPUs do with vectors of chains. INTERLEAVE: the lower halves of x and y,
// element by element, and the upper ones. CHOOSE: a becomes a2 where `take` holds. ONE_CHAIN:
// chain `lane` of those in the vectors a and b, of n each.
#define INTERLEAVE(low, high, x, y) \
    do { \
        (low).even = (x).lo; \
        (low).odd = (y).lo; \
        (high).even = (x).hi; \
        (high).odd = (y).hi; \
    } while (0)
#define CHOOSE(a, take, a2) ((a) = (take) ? (a2) : (a))
#define INTERLEAVE_CHAINS(low, high, x, y) INTERLEAVE(low, high, x, y)
#define CHOOSE_CHAINS(a, take, a2)         CHOOSE(a, take, a2)
#define ONE_CHAIN(n, one_a, one_b, a, b, lane) \
    do { \
        (one_a) = ((const CHAIN_A *)&(a))[lane]; \
        (one_b) = ((const CHAIN_B *)&(b))[lane]; \
    } while (0)

// ---------------------------------------------------------------- sums
#if IS_WIDE
// 128 bits in two halves. Signed values are shifted up by 2^63, so that all are positive;
// finish() takes count * 2^63 off again.
#define IDENTITY 0
#if IS_SIGNED
#define SHIFT_UP 0x8000000000000000UL
#else
#define SHIFT_UP 0UL
#endif
#define START(n, a, b, x0, i0) START_WITH(n, a, b, IDENTITY, 0)
#define STEP(a, b, x, i) \
    do { (a) += (x) ^ SHIFT_UP; (b) += ((a) < ((x) ^ SHIFT_UP)) & 1; } while (0)
#define MEET(n, a, b, a2, b2) do { (a) += (a2); (b) += (b2) + (((a) < (a2)) & 1); } while (0)

#elif IS_SUM
#define IDENTITY 0
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
#define START(n, a, b, x0, i0) START_WITH(n, a, b, IDENTITY, 0)
#if OP == MEAN && SKIP_NAN
#define STEP(a, b, x, i) do { (a) += NO_NAN(x, 0); (b) += ((x) == (x)) & 1; } while (0)
#else
#define STEP(a, b, x, i) ((a) += TERM(NO_NAN(x, 0)))
#endif
#define MEET(n, a, b, a2, b2) do { (a) += (a2); (b) += (b2); } while (0)

// ---------------------------------------------------------------- products
#elif OP == PRODUCT
#define IDENTITY 1
#define START(n, a, b, x0, i0) START_WITH(n, a, b, IDENTITY, 0)
#define STEP(a, b, x, i)       ((a) *= NO_NAN(x, 1))
#define MEET(n, a, b, a2, b2)  ((a) *= (a2))

// ---------------------------------------------------------------- counts
#elif IS_COUNT
// A comparison of vectors gives -1 and one of scalars 1; the last bit is the same.
#define IDENTITY 0
#if OP == ALL
#define IS_HIT(x) ((x) == 0)
#elif SKIP_NAN
#define IS_HIT(x) (((x) != 0) & ((x) == (x)))
#else
#define IS_HIT(x) ((x) != 0)
#endif
#define START(n, a, b, x0, i0) START_WITH(n, a, b, IDENTITY, 0)
#define STEP(a, b, x, i)       ((a) += IS_HIT(x) & 1)
#define MEET(n, a, b, a2, b2)  ((a) += (a2))

// ---------------------------------------------------------------- bitwise operations
#elif IS_BITWISE
#if OP == AND
#define IDENTITY -1
#define STEP(a, b, x, i) ((a) &= (x))
#elif OP == OR
#define IDENTITY 0
#define STEP(a, b, x, i) ((a) |= (x))
#else
#define IDENTITY 0
#define STEP(a, b, x, i) ((a) ^= (x))
#endif
#define START(n, a, b, x0, i0) START_WITH(n, a, b, IDENTITY, 0)
#define MEET(n, a, b, a2, b2)  STEP(a, b, a2, 0)

// ---------------------------------------------------------------- extremes
#elif IS_EXTREME
#if OP == MAX || OP == ARGMAX
#define BEFORE(x, a) ((x) > (a))
#define IDENTITY     LOWEST
#elif OP == MAX_ABS
#define BEFORE(x, a) ((x) > (a))
#define IDENTITY     0
#else
#define BEFORE(x, a) ((x) < (a))
#define IDENTITY     HIGHEST
#endif

#if IS_ARG
// A chain begins with its first element, whatever that is, so that a row in which every element
// is the identity has a position too. Where `take` holds, (a, b) becomes (x, i).
#define START(n, a, b, x0, i0) do { (a) = (x0); (b) = (i0); } while (0)
#define TAKE(a, b, take, x, i) do { (b) = (take) ? (i) : (b); (a) = (take) ? (x) : (a); } while (0)
// IS_BETTER: whether (x, i) wins over (a, b), wherever each of them lies in the row.
#if !IS_FLOAT
#define STEP(a, b, x, i) TAKE(a, b, BEFORE(x, a), x, i)
#define IS_BETTER(a, b, x, i) (BEFORE(x, a) | (((x) == (a)) & ((i) < (b))))
#elif SKIP_NAN // a NaN in a loses to any number
#define STEP(a, b, x, i) TAKE(a, b, (BEFORE(x, a) | ((a) != (a))) & ((x) == (x)), x, i)
#define IS_BETTER(a, b, x, i) \
    ((BEFORE(x, a) | ((a) != (a)) | (((x) == (a)) & ((i) < (b)))) & ((x) == (x)))
#else // a NaN in a wins for good; of two NaNs the first
#define STEP(a, b, x, i) TAKE(a, b, BEFORE(x, a) | (((x) != (x)) & ((a) == (a))), x, i)
#define IS_BETTER(a, b, x, i) \
    (BEFORE(x, a) | (((x) != (x)) & ((a) == (a))) | \
     ((((x) == (a)) | (((x) != (x)) & ((a) != (a)))) & ((i) < (b))))
#endif
#define MEET(n, a, b, a2, b2) \
    do { \
        const JOIN_NAMES(INDEX, n) take_ = IS_BETTER(a, b, a2, b2); \
        TAKE(a, b, take_, a2, b2); \
    } while (0)

#else
// A comparison with a NaN is false. So a NaN is skipped where nothing is done about it, and
// kept where the comparison asks for it.
#if !IS_FLOAT || SKIP_NAN
#define PICK(a, x)     ((a) = BEFORE(x, a) ? (x) : (a))
#define PICK_MAX(b, x) ((b) = (x) > (b) ? (x) : (b))
#else
#define PICK(a, x)     ((a) = (BEFORE(x, a) | ((x) != (x))) ? (x) : (a))
#define PICK_MAX(b, x) ((b) = (((x) > (b)) | ((x) != (x))) ? (x) : (b))
#endif
#if OP == MINMAX
#define START(n, a, b, x0, i0) START_WITH(n, a, b, IDENTITY, LOWEST)
#define STEP(a, b, x, i)       do { PICK(a, x); PICK_MAX(b, x); } while (0)
#define MEET(n, a, b, a2, b2)  do { PICK(a, a2); PICK_MAX(b, b2); } while (0)
#else
#define START(n, a, b, x0, i0) START_WITH(n, a, b, IDENTITY, 0)
#if OP != MAX_ABS
#define MAGNITUDE(x) (x)
#elif IS_FLOAT
#define MAGNITUDE(x) fabs(x)
#elif IS_SIGNED
#define MAGNITUDE(x) ((x) > (OPERAND)-1 / 2 ? -(x) : (x))
#else
#define MAGNITUDE(x) (x)
#endif
#define STEP(a, b, x, i)       PICK(a, MAGNITUDE(x))
#define MEET(n, a, b, a2, b2)  PICK(a, a2)
#endif
#endif

#elif OP != STATISTICS // reduce/moments.cl
#error "this operation has no START, STEP and MEET"
#endif
