// SPDX-License-Identifier: Apache-2.0
//
// reduce, second stage: partials. An acc takes in the chains of chain.cl and other accs without
// loss of accuracy: integers are exact, floats carry their error.
//
// Macros: see reduce.cl. Local memory and scratch hold accs, of 4 to 40 bytes. merge() of float
// sums: 15 operations, of others one or two.

// ---------------------------------------------------------------- acc
//                                 v              w           n
//     float sums                  sum            its error   numbers seen (mean, SKIP_NAN)
//     integer sums and products                              value modulo 2^64
//     any, all, count                                        hits
//     128-bit mean                low half                   high half
//     min, max, max_abs, bitwise  value
//     minmax                      minimum        maximum
//     statistics                  minimum        maximum     count; mean and M2 beside it, of
//                                                            integers of 8 and 16 bits (EXACT)
//                                                            the sums of values and squares
//     argmin, argmax              value                      position, NONE if none
#define HAS_N (IS_WIDE || IS_COUNT || IS_ARG || OP == STATISTICS || \
               ((IS_SUM || OP == PRODUCT) && !IS_FLOAT) || (OP == MEAN && SKIP_NAN))
#define HAS_V (IS_WIDE || OP == STATISTICS || IS_ARG || !HAS_N || (IS_SUM && IS_FLOAT))
#define HAS_W ((IS_SUM && IS_FLOAT) || OP == MINMAX || OP == STATISTICS)

typedef struct {
#if HAS_N
    ulong n;
#endif
#if HAS_V
    OPERAND v;
#endif
#if HAS_W
    OPERAND w;
#endif
#if EXACT
    long sum;
    ulong squares, carry; // 2^64 * carry + squares
#elif OP == STATISTICS
    REAL mean, m2; // of elements times MEAN_SCALE
#endif
} acc;

// Functions take an acc by pointer: Mesa 25.0's rusticl miscompiles those that take or return a
// struct by value if only one of its members is used.

#define NONE 0xffffffffffffffffUL

static void acc_start(acc *r)
{
#if HAS_N
    r->n = IS_ARG ? NONE : OP == PRODUCT ? 1 : 0;
#endif
#if HAS_V
    r->v = IDENTITY;
#endif
#if OP == STATISTICS
    r->w = HIGH_START;
#if EXACT
    r->sum = 0;
    r->squares = r->carry = 0;
#else
    r->mean = r->m2 = 0;
#endif
#elif OP == MINMAX
    r->w = LOWEST;
#elif HAS_W
    r->w = 0;
#endif
}

// Reads an acc that another group wrote in this launch.
static void acc_load(acc *r, volatile global acc *p)
{
#if HAS_N
    r->n = p->n;
#endif
#if HAS_V
    r->v = p->v;
#endif
#if HAS_W
    r->w = p->w;
#endif
#if EXACT
    r->sum = p->sum;
    r->squares = p->squares;
    r->carry = p->carry;
#elif OP == STATISTICS
    r->mean = p->mean;
    r->m2 = p->m2;
#endif
}

#if OP == STATISTICS
#if !EXACT
// The acc of `count` elements, of which the sum and the sum of squares are about a pivot.
static void acc_of_sums(acc *r, ulong count, OPERAND low, OPERAND high, REAL sum, REAL squares,
                        REAL pivot)
{
    const REAL shift = sum / (count > 0 ? (REAL)count : 1), m2 = squares - sum * shift;
    r->n = count;
    r->v = low;
    r->w = high;
    r->mean = pivot + shift;
    r->m2 = !isfinite(squares) ? squares : m2 > 0 ? m2 : 0;
    if (squares != squares)
        r->v = r->w = NAN;
}
#endif

// The acc of a finished chain.
static void acc_of_moments(acc *r, const moments *a)
{
#if EXACT
    r->n = (ulong)a->count;
    r->v = a->low;
    r->w = a->high;
    r->sum = a->sum;
    r->squares = (ulong)a->squares + ((ulong)a->squares_high << 16);
    r->carry = 0;
#else
    acc_of_sums(r, (ulong)a->count, a->low, a->high, a->sum, a->squares, a->pivot);
#endif
}
#else
// The acc of a finished chain whose positions count from `base`.
static void acc_of(acc *r, CHAIN_A a, CHAIN_B b, ulong base)
{
    acc_start(r);
#if IS_ARG && IS_FLOAT && SKIP_NAN
    if (a == a) {
        r->v = a;
        r->n = base + b;
    }
#elif IS_ARG
    r->v = a;
    r->n = base + b;
#elif IS_WIDE || (IS_SUM && IS_FLOAT)
    r->v = a;
#if HAS_N
    r->n = b;
#endif
#elif HAS_N
    r->n = (ulong)(long)a;
#else
    r->v = a;
#endif
#if OP == MINMAX
    r->w = b;
#endif
}
#endif

// Positions of a vector's elements.
#define UP_TO_2  0, 1
#define UP_TO_4  UP_TO_2, 2, 3
#define UP_TO_8  UP_TO_4, 4, 5, 6, 7
#define UP_TO_16 UP_TO_8, 8, 9, 10, 11, 12, 13, 14, 15

// *p takes in *q.
static void merge(acc *p, const acc *q)
{
#if IS_WIDE
    p->v += q->v;
    p->n += q->n + (p->v < q->v);
#elif IS_FLOAT && IS_SUM
    // Two-sum (Knuth): s + error equals p->v + q->v exactly.
    const OPERAND s = p->v + q->v, t = s - p->v;
    const OPERAND error = (p->v - (s - t)) + (q->v - t);
    // As much of the errors as fits moves into the sum, so that they stay small and exact. The
    // error of an infinity is NaN and stays where it is.
    const OPERAND rest = p->w + q->w + error, whole = s + rest;
    const bool finite = isfinite(whole);
    p->w = finite ? rest - (whole - s) : rest;
    p->v = finite ? whole : s;
#if HAS_N
    p->n += q->n;
#endif
#elif EXACT
    p->v = min(p->v, q->v);
    p->w = max(p->w, q->w);
    p->sum += q->sum;
    p->squares += q->squares;
    p->carry += q->carry + (p->squares < q->squares);
    p->n += q->n;
#elif OP == STATISTICS
    // Chan, Golub and LeVeque. The mean rounds each time. Merges weigh what they find by its
    // count, so that k of them, of equal counts, are off by at most k / 2 u.
    if (q->n == 0)
        return;
    if (p->n == 0) {
        *p = *q;
        return;
    }
    const REAL n = (REAL)p->n, m = (REAL)q->n, delta = q->mean - p->mean;
    const REAL move = delta * (m / (n + m));
    p->v = IS_LOWER(q->v, p->v) ? q->v : p->v;
    p->w = IS_HIGHER(q->w, p->w) ? q->w : p->w;
    p->m2 += q->m2 + n * move * delta;
    p->mean += move;
    p->n += q->n;
#elif IS_SUM || IS_COUNT
    p->n += q->n;
#elif OP == PRODUCT && !IS_FLOAT
    p->n *= q->n;
#elif IS_ARG
    // Without a branch: items of a warp seldom agree.
    const bool better =
        (q->n != NONE) & ((p->n == NONE) | IS_BETTER(p->v, p->n, q->v, q->n));
    p->v = better ? q->v : p->v;
    p->n = better ? q->n : p->n;
#elif OP == MINMAX
    MEET(, p->v, p->w, q->v, q->w);
#else
    MEET(, p->v, p->v, q->v, q->v);
#endif
}

#if OP == STATISTICS
static void take_moments(acc *r, const moments *a)
{
    acc q;
    acc_of_moments(&q, a);
    merge(r, &q);
}

#define HALVE(member) low.member = a->member.lo, high.member = a->member.hi;
#define TAKE_VECTOR(n, half_n) \
    static void JOIN_NAMES(take_moments, n)(acc *r, const JOIN_NAMES(moments, n) *a) \
    { \
        JOIN_NAMES(moments, half_n) low, high; \
        MEMBERS(HALVE) \
        MEET(half_n, low, , high, ); \
        JOIN_NAMES(take_moments, half_n)(r, &low); \
    }
#define acc_of(r, a, b, base) acc_of_moments(r, &(a))
#define take(r, a, b, base)   take_moments(r, &(a))
#define take2(r, a, b, base)  take_moments2(r, &(a))
#define take4(r, a, b, base)  take_moments4(r, &(a))
#define take8(r, a, b, base)  take_moments8(r, &(a))
#define take16(r, a, b, base) take_moments16(r, &(a))
#else
// *r takes in a finished chain.
static void take(acc *r, CHAIN_A a, CHAIN_B b, ulong base)
{
    acc q;
    acc_of(&q, a, b, base);
    merge(r, &q);
}

// The same for n chains that are one vector. Halves meet first.
#define TAKE_VECTOR(n, half_n) \
    static void JOIN_NAMES(take, n)(acc *r, JOIN_NAMES(CHAIN_A, n) a, JOIN_NAMES(CHAIN_B, n) b, \
                                    ulong base) \
    { \
        JOIN_NAMES(CHAIN_A, half_n) a_ = a.lo; \
        JOIN_NAMES(CHAIN_B, half_n) b_ = b.lo; \
        MEET(half_n, a_, b_, a.hi, b.hi); \
        JOIN_NAMES(take, half_n)(r, a_, b_, base); \
    }
#endif
TAKE_VECTOR(2, )
TAKE_VECTOR(4, 2)
TAKE_VECTOR(8, 4)
TAKE_VECTOR(16, 8)

// *r takes in one element: of the remainder, which fills no vector or line.
static void take_one(acc *r, OPERAND x, ulong at)
{
    CHAIN_A a;
    CHAIN_B b;
    START(, a, b, x, 0);
    STEP(a, b, x, 0);
    take(r, a, b, at);
}
