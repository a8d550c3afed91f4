// SPDX-License-Identifier: Apache-2.0
//
// reduce, second stage: partial results.
//
// Macros: see reduce.cl.

// ---------------------------------------------------------------- acc
//                               v              w               n
//     float sums                sum            what it lacks   numbers seen (mean, SKIP_NAN)
//     integer sums and products                                value modulo 2^64
//     any, all, count                                          hits
//     128-bit mean              low half                       high half
//     min, max, bitwise         value
//     minmax                    minimum        maximum
//     argmin, argmax            value                          position, NONE if none
#define HAS_N (IS_WIDE || IS_COUNT || IS_ARG || ((IS_SUM || OP == PRODUCT) && !IS_FLOAT) || \
               (OP == MEAN && SKIP_NAN))
#define HAS_V (IS_WIDE || IS_ARG || !HAS_N || (IS_SUM && IS_FLOAT))
#define HAS_W ((IS_SUM && IS_FLOAT) || OP == MINMAX)

typedef struct {
#if HAS_N
    ulong n;
#endif
#if HAS_V
    W v;
#endif
#if HAS_W
    W w;
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
    r->v = START_A;
#endif
#if OP == MINMAX
    r->w = LOWEST;
#elif HAS_W
    r->w = 0;
#endif
}

// From memory that other groups wrote in this launch.
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
}

// The acc of a finished lane whose positions count from `base`.
static void acc_of(acc *r, A a, B_LANE b, ulong base)
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

// The positions of a vector's elements.
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
    // Two-sum (Knuth): s + error is exactly p->v + q->v.
    const W s = p->v + q->v, t = s - p->v;
    const W error = (p->v - (s - t)) + (q->v - t);
    // The rest moves into the sum as far as it goes, so that it stays small and exact itself;
    // but for infinities, whose rest is NaN.
    const W rest = p->w + q->w + error, whole = s + rest;
    const bool finite = isfinite(whole);
    p->w = finite ? rest - (whole - s) : rest;
    p->v = finite ? whole : s;
#if HAS_N
    p->n += q->n;
#endif
#elif IS_SUM || IS_COUNT
    p->n += q->n;
#elif OP == PRODUCT && !IS_FLOAT
    p->n *= q->n;
#elif IS_ARG
    if (q->n != NONE && (p->n == NONE || BETTER(p->v, p->n, q->v, q->n)))
        *p = *q;
#elif OP == MINMAX
    MEET(, p->v, p->w, q->v, q->w);
#else
    MEET(, p->v, p->v, q->v, q->v);
#endif
}

// *r takes in a finished lane.
static void take(acc *r, A a, B_LANE b, ulong base)
{
    acc q;
    acc_of(&q, a, b, base);
    merge(r, &q);
}

// The same for lanes that are vectors of n: they meet in halves first.
#define TAKE_VECTOR(n, half_n) \
    static void JOIN_NAMES(take, n)(acc *r, JOIN_NAMES(A, n) a, JOIN_NAMES(B_LANE, n) b, \
                                    ulong base) \
    { \
        JOIN_NAMES(A, half_n) a_ = a.lo; \
        JOIN_NAMES(B_LANE, half_n) b_ = b.lo; \
        MEET(half_n, a_, b_, a.hi, b.hi); \
        JOIN_NAMES(take, half_n)(r, a_, b_, base); \
    }
TAKE_VECTOR(2, )
TAKE_VECTOR(4, 2)
TAKE_VECTOR(8, 4)
TAKE_VECTOR(16, 8)

// One element by itself, of what does not fill a word or a line.
static void take_one(acc *r, W x, ulong at)
{
    A a;
    B_LANE b;
    START(, a, b, x, 0);
    STEP(a, b, x, 0);
    take(r, a, b, at);
}
