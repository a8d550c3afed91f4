// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on CPU devices: vectors, the edges of a row, results. One item per group owns the
// vector unit, whose registers hold N parts of elements. Vectors of inputs are aligned to one
// element only, so that any address is safe.
//
// Macros  those of convolve1d.cl; WG must be 1
//         SHAPE   bits 10 and 11, see convolve1d/cpu_residues.cl
//         ITEMS   vectors of a tile
//
// Defines A       what is calculated with: integers take floats where these are exact, since
//                 their fma is faster than integer arithmetic
//         N       parts in a vector; P a part in memory, PARTS of an element: 2 where complex
//         TILE    vectors, OUTPUTS results of a tile
//         tap     a tap as STEP_OF(w, v, a), a + w * v, takes it

#ifndef ORDER
#error "ORDER must be defined"
#endif
#define SPAN (16 * ORDER)

#if WG != 1
#error "the CPU shapes run with one item per group"
#endif

#if IS_FLOAT
#if TYPE == F64
#define A double
#else
#define A float
#endif
#elif SHAPE >> 11 & 1
#define A float
#elif SHAPE >> 10 & 1
#define A double
#else
#define A long
#endif

#if TYPE == C32
#define P     float
#define PARTS 2
#else
#define P     T
#define PARTS 1
#endif
#if ORDER * PARTS == 16
#define N 16
#else
#define N 8
#endif
#define TILE    ITEMS
#define OUTPUTS (TILE * ORDER)

typedef JOIN_NAMES(A, N) a_vector;
typedef a_vector __attribute__((aligned(4))) a_anywhere;
#if TYPE == F16 // by way of an aligned copy: PoCL 3.1 takes vload_half16's argument for aligned
typedef JOIN_NAMES(ushort, N) p_vector;
#else
typedef JOIN_NAMES(P, N) p_vector;
#endif
typedef p_vector __attribute__((aligned(BYTES / PARTS))) memory_vector;

static a_vector converted(global const P *p)
{
    const p_vector v = *(global const memory_vector *)p;
#if TYPE == F16
    return JOIN_NAMES(vload_half, N)(0, (const half *)&v);
#else
    return JOIN_NAMES(JOIN_NAMES(convert_, A), N)(v);
#endif
}

// Where inputs are read from: x itself, or a buffer of A. The product of two longs that were
// ints is one instruction where the compiler sees that they were.
#define IS_DIRECT (TYPE == F32 || TYPE == F64 || TYPE == C32 || (TYPE < F16 && !(SHAPE >> 10)))
#if IS_DIRECT
typedef global const P *operands;
#define load(p) converted(p)
#else
typedef const A *operands;
#define load(p) (*(const a_anywhere *)(p))
#endif

#if TAP_TYPE == C32
typedef struct {
    a_vector re, im; // im: -, +, -, + ...
} tap;

static tap tap_of(float2 h)
{
    const float2 m = (float2)(-h.y, h.y);
    const tap w = { (a_vector)(h.x), (a_vector)(m, m, m, m, m, m, m, m) };
    return w;
}

static a_vector step_of(tap w, a_vector v, a_vector a)
{
    return fma(w.im, v.s1032547698badcfe, fma(w.re, v, a));
}
#define STEP_OF(w, v, a) step_of(w, v, a)
#else
typedef A tap;
#define tap_of(h) ((A)(h))
#if IS_FLOAT || SHAPE >> 10
#define STEP_OF(w, v, a) fma((a_vector)(w), (v), (a))
#else
#define STEP_OF(w, v, a) ((a_vector)(w) * (v) + (a))
#endif
#endif

// Ordinary stores would read each line before it is written.
#if defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#define STREAM(p, v) __builtin_nontemporal_store((v), (p))
#endif
#endif
#ifndef STREAM
#define STREAM(p, v) (*(p) = (v))
#endif

#define LINE  64   // bytes
#define AHEAD 4096 // bytes

// ---------------------------------------------------------------- rows and their edges
// A group's row, and the outputs that are its own. They begin where a line of the cache does,
// which may be in front of the row.
struct share {
    global const T *x, *before;
    global const H *taps;
    global U *out;
    long begin, end;
};

static struct share find_share(global const T *x, global const T *before, global const H *taps,
                               global U *out, const struct arguments *g)
{
    const ulong row = get_group_id(0) / g->row_groups, part = get_group_id(0) % g->row_groups;
    struct share r;
    r.x = x + (g->first + (long)row * g->row_stride);
    r.before = before + (g->before_first + (long)row * g->before_row_stride);
    r.taps = taps + (g->tap_first + row * g->tap_row);
    r.out = out + (g->out_first + (long)row * g->out_row_stride);
    r.begin = (long)(part * g->share) - (long)(((size_t)r.out % LINE) / sizeof(U));
    r.end = min(r.begin + (long)g->share, (long)g->outputs);
    return r;
}

static void put(A *buffer, W w)
{
#if TYPE == C32
    buffer[0] = w.x;
    buffer[1] = w.y;
#else
    *buffer = (A)w;
#endif
}

// buffer = X(j) ... X(past - 1); zeros for what no output needs.
static void gather(A *buffer, const struct share *r, const struct arguments *g, long j,
                   long past)
{
    const long n = (long)g->n;
    const long last = min(past, g->lo + (long)g->outputs + (long)g->reach);
    long i = j;
    for (; i < g->lo; i++, buffer += PARTS)
        put(buffer, (W)(0));
    for (; i < min(last, 0L); i++, buffer += PARTS)
        put(buffer, fetch(r->x, r->before, g, 0, 0, i));
    for (; i + ORDER <= min(last, n); i += ORDER, buffer += N)
        *(a_anywhere *)buffer = converted((global const P *)(r->x + i));
    for (; i < min(last, n); i++, buffer += PARTS)
        put(buffer, (W)LOAD(r->x, i));
    for (; i < last; i++, buffer += PARTS)
        put(buffer, fetch(r->x, r->before, g, 0, 0, i));
    for (; i < past; i++, buffer += PARTS)
        put(buffer, (W)(0));
}

// The lines that lie AHEAD behind those of the tile that begins with input j.
static void ask_ahead(global const T *x, long j)
{
#ifdef POCL_DEVICE_ADDRESS_BITS
    #pragma unroll
    for (int line = 0; line < OUTPUTS * BYTES; line += LINE)
        __builtin_prefetch((const void *)((size_t)(x + j) + line + AHEAD), 0, 3);
#endif
}

// ---------------------------------------------------------------- results
#if OUT_TYPE == F16
typedef JOIN_NAMES(ushort, N) u_vector;
#elif OUT_TYPE == C32
typedef a_vector u_vector;
#else
typedef JOIN_NAMES(U, N) u_vector;
#endif

#if !IS_FLOAT
#if SHAPE >> 11 & 1
#define I int // sums are below 2^24, so that 2^30 divides them as more does
#define MOST_SHIFT 30
#else
#define I long
#define MOST_SHIFT 62
#endif
typedef JOIN_NAMES(I, N) i_vector;

#if OUT_TYPE == I8
#define OUT_LOW  CHAR_MIN
#define OUT_HIGH CHAR_MAX
#elif OUT_TYPE == U8
#define OUT_LOW  0
#define OUT_HIGH UCHAR_MAX
#elif OUT_TYPE == I16
#define OUT_LOW  SHRT_MIN
#define OUT_HIGH SHRT_MAX
#elif OUT_TYPE == U16
#define OUT_LOW  0
#define OUT_HIGH USHRT_MAX
#elif OUT_TYPE == I32
#define OUT_LOW  INT_MIN
#define OUT_HIGH INT_MAX
#endif
#endif

// What STORE makes of each sum.
static u_vector result_of(a_vector a, uint shift)
{
#if !IS_FLOAT
    const uint by = min(shift, (uint)MOST_SHIFT);
    const I unit = (I)1 << by, odd = by ? 1 : 0;
    const i_vector s = JOIN_NAMES(JOIN_NAMES(convert_, I), N)(a), q = s >> (i_vector)((I)by);
    i_vector r =
        q + (((s & (unit - 1)) + ((unit >> 1) - odd) + (q & odd)) >> (i_vector)((I)by));
#ifdef OUT_LOW
    r = clamp(r, (i_vector)((I)OUT_LOW), (i_vector)((I)OUT_HIGH));
#endif
    return JOIN_NAMES(JOIN_NAMES(convert_, U), N)(r);
#elif OUT_TYPE == F16
    u_vector r;
    JOIN_NAMES(JOIN_NAMES(vstore_half, N), _rte)(a, 0, (half *)&r);
    return r;
#else
    return a;
#endif
}

// Outputs e, e + 1 ... of the share. Lines that are written whole need not be read.
static void store_tile(const struct share *r, const a_vector *a, long e,
                       const struct arguments *g)
{
    global u_vector *p = (global u_vector *)(r->out + e);
    if (g->out_stride == 1 && e >= 0 && e + OUTPUTS <= r->end &&
        (size_t)p % sizeof(u_vector) == 0) {
        #pragma unroll
        for (int i = 0; i < TILE; i++)
            STREAM(p + i, result_of(a[i], g->shift));
        return;
    }
    union {
        a_vector v[TILE];
        A part[TILE * N];
    } sums;
    #pragma unroll
    for (int i = 0; i < TILE; i++)
        sums.v[i] = a[i];
    for (long i = max(e, 0L); i < min(r->end, e + OUTPUTS); i++) {
        const A *s = sums.part + (i - e) * PARTS;
#if TYPE == C32
        STORE(r->out, i * g->out_stride, (S)(s[0], s[1]), g->shift);
#else
        STORE(r->out, i * g->out_stride, (S)*s, g->shift);
#endif
    }
}
