// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on CPUs: vectors, the edges of a row, results. cpu_residues and cpu_gathered share
// this file. One item per group owns the vector unit, whose registers hold VEC_N components of
// elements. Vectors of inputs need only the alignment of one element, so any address is safe.
//
// Macros  those of convolve1d.cl; WG must be 1
//         ORDER        elements of a vector
//         ARITHMETIC   the type in which sums are calculated: F32, F64 or I64. Integers take a
//                      float type where it is exact, because an fma is faster than integer
//                      multiplication and addition
//         TILE_VECS    vectors of outputs in a tile
//
// Defines CALC_T       what is calculated with
//         PART_T       a component in memory; COMPONENTS of an element: 2 where complex, else 1
//         VEC_N        components in a vector
//         OUTPUTS      outputs of a tile
//         tap          a tap as STEP_OF(w, v, a), which is a + w * v, takes it

#if !defined(ORDER) || !defined(ARITHMETIC) || !defined(TILE_VECS)
#error "ORDER, ARITHMETIC and TILE_VECS must be defined"
#endif
#define SPAN (SPAN_ORDERS * ORDER)

#if WG != 1
#error "the variants for CPUs run with one item per group"
#endif

#if ARITHMETIC == F32
#define CALC_T float
#elif ARITHMETIC == F64
#define CALC_T double
#elif ARITHMETIC == I64
#define CALC_T long
#else
#error "ARITHMETIC must be F32, F64 or I64"
#endif

#if TYPE == C32
#define PART_T     float
#define COMPONENTS 2
#else
#define PART_T     T
#define COMPONENTS 1
#endif
#if ORDER * COMPONENTS == 16
#define VEC_N 16
#else
#define VEC_N 8
#endif
#define OUTPUTS (TILE_VECS * ORDER)

typedef JOIN_NAMES(CALC_T, VEC_N) calc_vec;
typedef calc_vec __attribute__((aligned(4))) unaligned_calc_vec;
#if TYPE == F16 // copied to an aligned vector: PoCL 3.1 assumes that vload_half16's argument is
typedef JOIN_NAMES(ushort, VEC_N) part_vec;
#else
typedef JOIN_NAMES(PART_T, VEC_N) part_vec;
#endif
typedef part_vec __attribute__((aligned(BYTES / COMPONENTS))) unaligned_part_vec;

static calc_vec converted(global const PART_T *p)
{
    const part_vec v = *(global const unaligned_part_vec *)p;
#if TYPE == F16
    return JOIN_NAMES(vload_half, VEC_N)(0, (const half *)&v);
#else
    return JOIN_NAMES(JOIN_NAMES(convert_, CALC_T), VEC_N)(v);
#endif
}

// Where inputs are read from: x itself, or a buffer of CALC_T. Sums in I64 read x, because the
// product of two longs is one instruction where the compiler sees that they were ints.
#define IS_DIRECT (TYPE == F32 || TYPE == F64 || TYPE == C32 || ARITHMETIC == I64)
#define LOAD_CALC(p) (*(const unaligned_calc_vec *)(p)) // from a buffer
#if IS_DIRECT
typedef global const PART_T *operands;
#define load(p) converted(p)
#else
typedef const CALC_T *operands;
#define load(p) LOAD_CALC(p)
#endif

#if TAP_TYPE == C32
typedef struct {
    calc_vec re, im; // im: -, +, -, + ...
} tap;

static tap tap_of(float2 h)
{
    const float2 m = (float2)(-h.y, h.y);
    const tap w = { (calc_vec)(h.x), (calc_vec)(m, m, m, m, m, m, m, m) };
    return w;
}

static calc_vec step_of(tap w, calc_vec v, calc_vec a)
{
    return fma(w.im, v.s1032547698badcfe, fma(w.re, v, a));
}
#define STEP_OF(w, v, a) step_of(w, v, a)
#else
typedef CALC_T tap;
#define tap_of(h) ((CALC_T)(h))
#if ARITHMETIC != I64
#define STEP_OF(w, v, a) fma((calc_vec)(w), (v), (a))
#else
#define STEP_OF(w, v, a) ((calc_vec)(w) * (v) + (a))
#endif
#endif

// Stores past the cache.
#if defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#define STREAM(p, v) __builtin_nontemporal_store((v), (p))
#endif
#endif
#ifndef STREAM
#define STREAM(p, v) (*(p) = (v))
#endif

#define AHEAD 4096 // bytes

// ---------------------------------------------------------------- rows and their edges A
// group's row and its outputs. They begin where a line of the cache does, which may be in front
// of the row.
struct share {
    global const T *x, *before;
    global const TAP_T *taps;
    global OUT_T *out;
    long begin, end;
};

static struct share find_share(global const T *x, global const T *before,
                               global const TAP_T *taps, global OUT_T *out,
                               const struct arguments *g)
{
    const ulong row = get_group_id(0) / g->row_groups, part = get_group_id(0) % g->row_groups;
    struct share r;
    r.x = x + (g->first + (long)row * g->row_stride);
    r.before = before + (g->before_first + (long)row * g->before_row_stride);
    r.taps = taps + (g->tap_first + row * g->tap_row);
    r.out = out + (g->out_first + (long)row * g->out_row_stride);
    r.begin = (long)(part * g->share) - (long)(((size_t)r.out % CACHE_LINE) / sizeof(OUT_T));
    r.end = min(r.begin + (long)g->share, (long)g->outputs);
    return r;
}

static void put(CALC_T *buffer, OPERAND w)
{
#if TYPE == C32
    buffer[0] = w.x;
    buffer[1] = w.y;
#else
    *buffer = (CALC_T)w;
#endif
}

// buffer = X(j) ... X(past - 1), with zeros for inputs that no output needs.
static void gather(CALC_T *buffer, const struct share *r, const struct arguments *g, long j,
                   long past)
{
    const long n = (long)g->n;
    const long last = min(past, g->origin + (long)g->outputs + (long)g->halo);
    long i = j;
    for (; i < g->origin; i++, buffer += COMPONENTS)
        put(buffer, (OPERAND)(0));
    for (; i < min(last, 0L); i++, buffer += COMPONENTS)
        put(buffer, fetch(r->x, r->before, g, 0, 0, i));
    for (; i + ORDER <= min(last, n); i += ORDER, buffer += VEC_N)
        *(unaligned_calc_vec *)buffer = converted((global const PART_T *)(r->x + i));
    for (; i < min(last, n); i++, buffer += COMPONENTS)
        put(buffer, (OPERAND)LOAD(r->x, i));
    for (; i < last; i++, buffer += COMPONENTS)
        put(buffer, fetch(r->x, r->before, g, 0, 0, i));
    for (; i < past; i++, buffer += COMPONENTS)
        put(buffer, (OPERAND)(0));
}

// Asks for the lines that lie AHEAD bytes behind those of the tile that begins with input j.
static void prefetch_ahead(global const T *x, long j)
{
#ifdef POCL_DEVICE_ADDRESS_BITS
    #pragma unroll
    for (int line = 0; line < OUTPUTS * BYTES; line += CACHE_LINE)
        __builtin_prefetch((const void *)((size_t)(x + j) + line + AHEAD), 0, 3);
#endif
}

// ---------------------------------------------------------------- results
#if OUT_TYPE == F16
typedef JOIN_NAMES(ushort, VEC_N) out_vec;
#elif OUT_TYPE == C32
typedef calc_vec out_vec;
#else
typedef JOIN_NAMES(OUT_T, VEC_N) out_vec;
#endif

#if !IS_FLOAT
#if ARITHMETIC == F32
#define WHOLE_T    int // sums are below 2^24: a division by 2^30 gives what larger ones give
#define MOST_SHIFT 30
#else
#define WHOLE_T    long
#define MOST_SHIFT 62
#endif
typedef JOIN_NAMES(WHOLE_T, VEC_N) whole_vec;

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

// What STORE would write for each sum.
static out_vec result_of(calc_vec a, uint shift)
{
#if !IS_FLOAT
    const uint by = min(shift, (uint)MOST_SHIFT);
    const WHOLE_T unit = (WHOLE_T)1 << by, odd = by ? 1 : 0;
    const whole_vec places = (whole_vec)((WHOLE_T)by);
    const whole_vec s = JOIN_NAMES(JOIN_NAMES(convert_, WHOLE_T), VEC_N)(a), q = s >> places;
    whole_vec r = q + (((s & (unit - 1)) + ((unit >> 1) - odd) + (q & odd)) >> places);
#ifdef OUT_LOW
    r = clamp(r, (whole_vec)((WHOLE_T)OUT_LOW), (whole_vec)((WHOLE_T)OUT_HIGH));
#endif
    return JOIN_NAMES(JOIN_NAMES(convert_, OUT_T), VEC_N)(r);
#elif OUT_TYPE == F16
    out_vec r;
    JOIN_NAMES(JOIN_NAMES(vstore_half, VEC_N), _rte)(a, 0, (half *)&r);
    return r;
#else
    return a;
#endif
}

// Writes outputs e, e + 1 ... of the share. Whole tiles are streamed: an ordinary store would
// read each line before it is written.
static void store_tile(const struct share *r, const calc_vec *a, long e,
                       const struct arguments *g)
{
    global out_vec *p = (global out_vec *)(r->out + e);
    if (g->out_stride == 1 && e >= 0 && e + OUTPUTS <= r->end &&
        (size_t)p % sizeof(out_vec) == 0) {
        #pragma unroll
        for (int i = 0; i < TILE_VECS; i++)
            STREAM(p + i, result_of(a[i], g->shift));
        return;
    }
    union {
        calc_vec v[TILE_VECS];
        CALC_T part[TILE_VECS * VEC_N];
    } sums;
    #pragma unroll
    for (int i = 0; i < TILE_VECS; i++)
        sums.v[i] = a[i];
    for (long i = max(e, 0L); i < min(r->end, e + OUTPUTS); i++) {
        const CALC_T *s = sums.part + (i - e) * COMPONENTS;
#if TYPE == C32
        STORE(r->out, i * g->out_stride, (SUM_T)(s[0], s[1]), g->shift);
#else
        STORE(r->out, i * g->out_stride, (SUM_T)*s, g->shift);
#endif
    }
}
