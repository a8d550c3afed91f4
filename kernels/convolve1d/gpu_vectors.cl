// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs: elements by words, and where a group works.
//
// A word is VEC neighbouring elements: a raw_in of x, a raw_out of out, and between them a
// `word` of operands, 16 bytes, which is what local memory holds. Arrays begin anywhere; groups
// cut the outputs so that those they write are whole words:
//
//     out    | . . 0 1 | 2 3 4 5 | 6 7 8 9 | ...     the first group begins at output -skew
//     x         | . 0 1 2 | 3 4 5 6 | 7 8 9 a |      what output word needs may begin anywhere
//
// A dilation d cuts a row into d strands: output i and all inputs it needs, d apart, are in
// strand i % d, which is a row without dilation of strides d times as long. With step d too the
// one strand has all outputs. (Of other steps these kernels take none.)
//
// Groups are numbered by row (row_groups of each), within it by slot, within it by strand, as
// neighbouring strands lie in the same lines of memory; the last group of a row goes first.

#define VEC (BYTES == 8 ? 2 : 4)

// ---------------------------------------------------------------- words of operands
#if TYPE == C32
typedef float4 word;
#define PART(v, u) ((u) == 0 ? (v).lo : (v).hi)
#define JOIN(v)    (word)((v)[0], (v)[1])
#elif TYPE == F64
typedef double2 word;
#define PART(v, u) ((u) == 0 ? (v).x : (v).y)
#define JOIN(v)    (word)((v)[0], (v)[1])
#else
#if IS_FLOAT
typedef float4 word;
#else
typedef int4 word;
#endif
#define PART(v, u) ((u) == 0 ? (v).x : (u) == 1 ? (v).y : (u) == 2 ? (v).z : (v).w)
#define JOIN(v)    (word)((v)[0], (v)[1], (v)[2], (v)[3])
#endif

// ---------------------------------------------------------------- words of x
#if BYTES == 1
typedef uint raw_in;
#elif BYTES == 2
typedef uint2 raw_in;
#else
typedef uint4 raw_in;
#endif

// Word i from p on. Compilers make loads of single elements of those that are not all used, or
// used one by one: four times the requests.
static raw_in load_word(global const raw_in *p, int i)
{
#if PTX && BYTES >= 4
    raw_in v;
    asm("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
        : "l"(p + i));
    return v;
#elif PTX && BYTES == 2
    raw_in v;
    asm("ld.global.nc.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(p + i));
    return v;
#else
    return p[i];
#endif
}

static word unpack(raw_in v)
{
#if TYPE == F16
    return (word)(halves(v.x), halves(v.y));
#elif TYPE == F64
    return as_double2(v);
#elif IS_FLOAT
    return as_float4(v);
#else
    return convert_int4(JOIN_NAMES(JOIN_NAMES(as_, T), 4)(v));
#endif
}

// ---------------------------------------------------------------- words of out
#if OUT_TYPE == I8 || OUT_TYPE == U8
typedef uint raw_out;
#define AS_RAW as_uint
#define OUT_BYTES 1
#elif OUT_TYPE == I16 || OUT_TYPE == U16 || OUT_TYPE == F16
typedef uint2 raw_out;
#define AS_RAW as_uint2
#define OUT_BYTES 2
#elif OUT_TYPE == I64
typedef ulong4 raw_out;
#define AS_RAW as_ulong4
#define OUT_BYTES 8
#else
typedef uint4 raw_out;
#define AS_RAW as_uint4
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

static raw_out pack(const S *s, uint shift)
{
#if OUT_TYPE == F16
    return (uint2)(two_halves(s[0], s[1]), two_halves(s[2], s[3]));
#elif IS_FLOAT
    return AS_RAW(JOIN(s));
#else
#define RESULT(u) SATURATED(scaled(s[u], shift))
    return AS_RAW((JOIN_NAMES(U, 4))(RESULT(0), RESULT(1), RESULT(2), RESULT(3)));
#endif
}

// ---------------------------------------------------------------- where a group works
// A strand of a row, as a row without dilation.
struct strand {
    global const T *x; // input 0 of the row
    long before_at;    // element 0 of the row in before
    ulong row;
    long j, apart;     // the input that g[0] meets for output 0, inputs between neighbours
    long stride;       // elements between inputs
    long in_step;      // elements between neighbours
    global U *out;     // output 0 of the strand
    long out_step;
    long outputs;
    uint skew;         // words of outputs begin at -skew, VEC - skew, ...
    bool by_words;     // outputs do come as words
};

// Sets *slot to the part of it that is this group's. `dense`: known to be without dilation, and
// side by side in memory.
static struct strand find_strand(global const T *x, global U *out, const struct arguments *g,
                                 bool dense, uint *slot)
{
    struct strand s;
    uint group = get_group_id(0), row = 0;
    if (g->rows > 1) { // divisions are slow
        row = group / g->row_groups;
        group -= row * g->row_groups;
    }
    // The last one first: it fetches inputs beyond the end one by one, and when all others are
    // done nobody is there to hide that. H200, 2026-11-21: when it went last, WRAP with 65 taps
    // took 11 us more than ZERO; not measured since.
    group = (group ? group : g->row_groups) - 1;
    s.row = row;
    s.x = x + (g->first + (long)row * g->row_stride);
    s.before_at = g->before_first + (long)row * g->before_row_stride;
    s.j = g->lo;
    s.apart = dense ? 1 : g->dilation;
    s.stride = dense ? 1 : g->stride;
    s.in_step = s.stride * s.apart;
    s.out = out + (g->out_first + (long)row * g->out_row_stride);
    s.out_step = dense ? 1 : g->out_stride;
    s.outputs = (long)g->outputs;
    if (!dense && g->dilation > g->step) {
        const uint strand = group % g->dilation;
        group /= g->dilation;
        s.j += strand;
        s.out += strand * s.out_step;
        s.out_step *= s.apart;
        s.outputs = (s.outputs - strand + s.apart - 1) / s.apart;
    }
    const uint low = (uint)(size_t)s.out;
    s.by_words = s.out_step == 1 && low % OUT_BYTES == 0;
    s.skew = s.by_words ? low / OUT_BYTES % VEC : 0;
    *slot = group;
    return s;
}
