// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs: elements as vectors, and where a group works. First of the files that
// gpu_short_taps, gpu_register_window and gpu_tap_chunks share; gpu_tile.cl is the other.
//
// A vector has VEC_N neighbouring elements: an in_vec of x, an out_vec of out, and between them
// a vec16 of operands, 16 bytes, which is what local memory holds. Arrays begin anywhere.
// Groups cut the outputs so that the vectors they write are aligned:
//
//     out    | . . 0 1 | 2 3 4 5 | 6 7 8 9 | ...     the first group begins at output -skew
//     x         | . 0 1 2 | 3 4 5 6 | 7 8 9 a |      the inputs for a vector of outputs begin
//                                                    anywhere in a vector of inputs
//
// A dilation d divides a row into d phases: output i and all inputs that it needs, d apart, are
// in phase i % d. A phase is a row without dilation, with strides d times as long. Where the
// filter's stride is d, too, only one phase has outputs. (These kernels take no other stride
// but 1.)
//
// Groups are numbered by row (row_groups of each), within it by slot, within it by phase,
// because neighbouring phases lie in the same lines of memory. The last group of a row goes
// first.
//
// These kernels sum in ORDER 1: an output takes its taps one after the other.
//
// Macros   those of convolve1d.cl
//          VEC_N   elements of a vector: 2 where inputs have 8 bytes, else 4

#ifndef VEC_N
#error "VEC_N must be defined"
#endif
#if VEC_N != (BYTES == 8 ? 2 : 4)
#error "VEC_N operands do not have 16 bytes"
#endif

// ---------------------------------------------------------------- vectors of operands
#if TYPE == C32
typedef float4 vec16;
#define ELEMENT(v, u) ((u) == 0 ? (v).lo : (v).hi)
#define VEC_OF(v)     (vec16)((v)[0], (v)[1])
#elif TYPE == F64
typedef double2 vec16;
#define ELEMENT(v, u) ((u) == 0 ? (v).x : (v).y)
#define VEC_OF(v)     (vec16)((v)[0], (v)[1])
#else
#if IS_FLOAT
typedef float4 vec16;
#else
typedef int4 vec16;
#endif
#define ELEMENT(v, u) ((u) == 0 ? (v).x : (u) == 1 ? (v).y : (u) == 2 ? (v).z : (v).w)
#define VEC_OF(v)     (vec16)((v)[0], (v)[1], (v)[2], (v)[3])
#endif

// ---------------------------------------------------------------- vectors of x
#if BYTES == 1
typedef uint in_vec;
#elif BYTES == 2
typedef uint2 in_vec;
#else
typedef uint4 in_vec;
#endif

// Vector i from p on. Compilers split a load into loads of single elements, four times the
// requests, where not all elements are used, or they are used one by one. PTX prevents that.
static in_vec load_vec(global const in_vec *p, int i)
{
#if PTX && BYTES >= 4
    in_vec v;
    asm("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
        : "l"(p + i));
    return v;
#elif PTX && BYTES == 2
    in_vec v;
    asm("ld.global.nc.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(p + i));
    return v;
#else
    return p[i];
#endif
}

static vec16 unpack(in_vec v)
{
#if TYPE == F16
    return (vec16)(halves(v.x), halves(v.y));
#elif TYPE == F64
    return as_double2(v);
#elif IS_FLOAT
    return as_float4(v);
#else
    return convert_int4(JOIN_NAMES(JOIN_NAMES(as_, ELEM), 4)(v));
#endif
}

// ---------------------------------------------------------------- vectors of out
#if OUT_TYPE == I8 || OUT_TYPE == U8
typedef uint out_vec;
#define AS_OUT_VEC as_uint
#define OUT_BYTES 1
#elif OUT_TYPE == I16 || OUT_TYPE == U16 || OUT_TYPE == F16
typedef uint2 out_vec;
#define AS_OUT_VEC as_uint2
#define OUT_BYTES 2
#elif OUT_TYPE == I64
typedef ulong4 out_vec;
#define AS_OUT_VEC as_ulong4
#define OUT_BYTES 8
#else
typedef uint4 out_vec;
#define AS_OUT_VEC as_uint4
#define OUT_BYTES (BYTES == 8 ? 8 : 4)
#endif

#if OUT_TYPE == F16
static uint two_halves(float x, float y)
{
    uint r;
#if PTX
    asm("{ .reg .b16 a, b; cvt.rn.f16.f32 a, %1; cvt.rn.f16.f32 b, %2; mov.b32 %0, {a, b}; }"
        : "=r"(r)
        : "f"(x), "f"(y));
#else
    vstore_half2_rte((float2)(x, y), 0, (half *)&r);
#endif
    return r;
}
#endif

static out_vec pack(const SUM_T *s, uint shift)
{
#if OUT_TYPE == F16
    return (uint2)(two_halves(s[0], s[1]), two_halves(s[2], s[3]));
#elif IS_FLOAT
    return AS_OUT_VEC(VEC_OF(s));
#else
#define RESULT(u) SATURATED(scaled(s[u], shift))
    return AS_OUT_VEC((JOIN_NAMES(OUT_T, 4))(RESULT(0), RESULT(1), RESULT(2), RESULT(3)));
#endif
}

// ---------------------------------------------------------------- where a group works
// A phase of a row, as a row without dilation.
struct phase {
    global const ELEM *x;  // input 0 of the row
    long before_at;     // element 0 of the row in before
    ulong row;
    long origin;        // the input that g[0] meets for output 0 of the phase
    long dilation;      // inputs between neighbours in the phase
    long stride;        // elements between inputs of the row
    long in_step;       // elements between neighbours in the phase
    global OUT_T *out;  // output 0 of the phase
    long out_step;
    long outputs;
    uint skew;          // vectors of outputs begin at -skew, VEC_N - skew, ...
    bool by_vectors;    // outputs are contiguous: they are written as vectors
};

// Finds this group's phase, and sets *slot to the number of its part of the phase. `dense`: the
// caller knows that there is no dilation and that elements are contiguous.
static struct phase find_phase(global const ELEM *x, global OUT_T *out,
                               const struct arguments *g, bool dense, uint *slot)
{
    struct phase s;
    uint group = get_group_id(0), row = 0;
    if (g->rows > 1) { // spares one row the slow divisions
        row = group / g->row_groups;
        group -= row * g->row_groups;
    }
    // The last group goes first: it fetches inputs beyond the end one by one, which the work of
    // the other groups hides. H200, 2026-11-21: when it went last, WRAP with 65 taps took 11 us
    // longer than ZERO. Not measured since.
    group = (group ? group : g->row_groups) - 1;
    s.row = row;
    s.x = x + (g->first + (long)row * g->row_stride);
    s.before_at = g->before_first + (long)row * g->before_row_stride;
    s.origin = g->origin;
    s.dilation = dense ? 1 : g->dilation;
    s.stride = dense ? 1 : g->stride;
    s.in_step = s.stride * s.dilation;
    s.out = out + (g->out_first + (long)row * g->out_row_stride);
    s.out_step = dense ? 1 : g->out_stride;
    s.outputs = (long)g->outputs;
    if (!dense && g->dilation > g->step) {
        const uint number = group % g->dilation;
        group /= g->dilation;
        s.origin += number;
        s.out += number * s.out_step;
        s.out_step *= s.dilation;
        s.outputs = (s.outputs - number + s.dilation - 1) / s.dilation;
    }
    const uint low = (uint)(size_t)s.out;
    s.by_vectors = s.out_step == 1 && low % OUT_BYTES == 0;
    s.skew = s.by_vectors ? low / OUT_BYTES % VEC_N : 0;
    *slot = group;
    return s;
}
