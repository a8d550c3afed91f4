// SPDX-License-Identifier: Apache-2.0
//
// What every kernel of gpuprim begins with: the element type, pairs of f16, and a counter with
// device-wide order. Valid OpenCL C 1.2.
//
// Macros  I8 ... C32   the numbers of the element types: src/core/types.h lists them
//         TYPE   element type of the input, one of these
//         PTX    the compute capability of an NVIDIA GPU that takes inline PTX, from 70 (7.0) on;
//                0: no PTX, and no fences of device scope are known
//
// Defines ELEM        the type in memory
//         BYTES       its size
//         IS_FLOAT, IS_SIGNED
//         LOWEST, HIGHEST   the type's range; floats: the infinities; complex: none
//         LOAD(p, i)  element i of p as a value one can calculate with

#ifndef TYPE
#error "TYPE must be defined: a number of enum gpuprim_type"
#endif

#ifndef C32
#error "The element types must be defined, C32 last"
#endif

#ifndef PTX
#error "PTX must be defined: 0 or a compute capability"
#endif

#pragma OPENCL FP_CONTRACT OFF

// On CPUs without AVX-512 clang warns that functions with vectors of 64 bytes differ from those of
// CPUs with it, and PoCL writes the number of warnings to standard error. Kernels call no others.
#if defined(POCL_DEVICE_ADDRESS_BITS) && defined(__clang__)
#pragma clang diagnostic ignored "-Wpsabi"
#endif

// The types of an arguments.h, a text that C compiles too (kernels/embed.py).
#define cl_int   int
#define cl_uint  uint
#define cl_long  long
#define cl_ulong ulong

#define IS_FLOAT  (TYPE >= F16)
#define IS_SIGNED (TYPE == I8 || TYPE == I16 || TYPE == I32 || TYPE == I64)

#if TYPE == I8
#define ELEM    char
#define BYTES   1
#define LOWEST  CHAR_MIN
#define HIGHEST CHAR_MAX
#elif TYPE == U8
#define ELEM    uchar
#define BYTES   1
#define LOWEST  0
#define HIGHEST UCHAR_MAX
#elif TYPE == I16
#define ELEM    short
#define BYTES   2
#define LOWEST  SHRT_MIN
#define HIGHEST SHRT_MAX
#elif TYPE == U16
#define ELEM    ushort
#define BYTES   2
#define LOWEST  0
#define HIGHEST USHRT_MAX
#elif TYPE == I32
#define ELEM    int
#define BYTES   4
#define LOWEST  INT_MIN
#define HIGHEST INT_MAX
#elif TYPE == U32
#define ELEM    uint
#define BYTES   4
#define LOWEST  0
#define HIGHEST UINT_MAX
#elif TYPE == I64
#define ELEM    long
#define BYTES   8
#define LOWEST  LONG_MIN
#define HIGHEST LONG_MAX
#elif TYPE == U64
#define ELEM    ulong
#define BYTES   8
#define LOWEST  0
#define HIGHEST ULONG_MAX
#elif TYPE == F16
#define ELEM    half // a pointer to it needs no extension; values are floats
#define BYTES   2
#define LOWEST  -INFINITY
#define HIGHEST INFINITY
#elif TYPE == F32
#define ELEM    float
#define BYTES   4
#define LOWEST  -INFINITY
#define HIGHEST INFINITY
#elif TYPE == F64
#define ELEM    double
#define BYTES   8
#define LOWEST  -INFINITY
#define HIGHEST INFINITY
#elif TYPE == C32
#define ELEM    float2 // re, im; pointers to it may be aligned to 4 bytes only
#define BYTES   8
#else
#error "TYPE is not an element type"
#endif

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#if TYPE == F16
#define LOAD(p, i) vload_half(i, p)
#elif TYPE == C32
#define LOAD(p, i) vload2(i, (global const float *)(p))
#else
#define LOAD(p, i) ((p)[i])
#endif

// The two f16 of 4 bytes, as floats.
#if TYPE == F16
static float2 halves(uint pair)
{
#if PTX
    float2 r;
    asm("{ .reg .b16 a, b; mov.b32 {a, b}, %2; cvt.f32.f16 %0, a; cvt.f32.f16 %1, b; }"
        : "=f"(r.x), "=f"(r.y)
        : "r"(pair));
    return r;
#else
    return vload_half2(0, (const half *)&pair);
#endif
}
#endif

// Joins two names after expanding them; an empty second one leaves the first.
#define JOIN_NAMES_(a, b) a##b
#define JOIN_NAMES(a, b)  JOIN_NAMES_(a, b)

// Counts an arrival and returns how many came before it. Items that arrive later, on the whole
// device, see what the arriving item wrote before. There is no portable form of this: OpenCL
// 1.2 has no such order, and NVIDIA compiles mem_fence to a fence of the group alone. The groups of
// PoCL are threads of a CPU, and its compiler is clang, which has one. Tests use that.
#if PTX
static uint arrive(global uint *counter)
{
    uint before;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
                 : "=r"(before)
                 : "l"(counter)
                 : "memory");
    return before;
}
#elif defined(POCL_DEVICE_ADDRESS_BITS)
static uint arrive(global uint *counter)
{
    return __atomic_fetch_add(counter, 1, __ATOMIC_ACQ_REL);
}
#endif

// Of the items of a warp that are here together: how many have this item's number, and whether it
// is the first of those. Items whose number neither the first item has, nor the first of those with
// others, count as alone: two numbers are found in a warp. Without PTX each item is alone.
static bool is_first_of_alike(uint number, uint *many)
{
#if PTX
    uint alike, before;
    asm volatile("{ .reg .b32 here, lead, one, same; .reg .pred p;"
                 " activemask.b32 here;"
                 " mov.u32 %0, %%lanemask_eq; mov.u32 %1, %%lanemask_lt;"
                 " brev.b32 lead, here; clz.b32 lead, lead;"
                 " shfl.sync.idx.b32 one, %2, lead, 31, here; setp.eq.u32 p, one, %2;"
                 " vote.sync.ballot.b32 same, p, here; selp.b32 %0, same, %0, p;"
                 " not.b32 lead, same; and.b32 lead, lead, here;"
                 " brev.b32 lead, lead; clz.b32 lead, lead;"
                 " shfl.sync.idx.b32 one, %2, lead, 31, here; setp.eq.u32 p, one, %2;"
                 " vote.sync.ballot.b32 same, p, here; selp.b32 %0, same, %0, p; }"
                 : "=&r"(alike), "=&r"(before)
                 : "r"(number));
    *many = popcount(alike);
    return (alike & before) == 0;
#else
    *many = 1;
    return true;
#endif
}

// The byte of a word that the lower four bits of a number say, 0 to 3, in one instruction. The
// other bytes of what it returns are any.
static uint chosen_byte(uint word, uint number)
{
#if PTX
    uint byte;
    asm("prmt.b32 %0, %1, %1, %2;" : "=r"(byte) : "r"(word), "r"(number));
    return byte;
#else
    return word >> (8 * (number & 15));
#endif
}

// Brings the sector of `address` into the L2 cache. A store of part of a sector then merges there, and
// the memory is not read and written once per store.
static void prefetch_line(const __global void *address)
{
#if PTX
    asm volatile("prefetch.global.L2 [%0];" : : "l"(address));
#elif defined(POCL_DEVICE_ADDRESS_BITS)
    __builtin_prefetch((const void *)(size_t)address, 0, 3); // cpu.cl
#endif
}

// The same where a line of outputs begins or ends at `address`, if that is not where a sector begins.
// A line that begins or ends with a sector fills it, and nothing of it has to come first.
static void prefetch_end(const __global void *address)
{
    enum { SECTOR = 32 };
    if ((size_t)address % SECTOR)
        prefetch_line(address);
}

// Four bytes of two words, numbered from the lowest of `low` on. The selector has four bits for
// each, from 0 to 7.
static uint joined_bytes(uint low, uint high, uint selector)
{
#if PTX
    uint bytes;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(low), "r"(high), "r"(selector));
    return bytes;
#else
    const ulong both = (ulong)high << 32 | low;
    uint bytes = 0;
    for (uint i = 0; i < 4; i++)
        bytes |= (uint)(both >> (8 * (selector >> (4 * i) & 7)) & 0xff) << (8 * i);
    return bytes;
#endif
}

// Byte `number` of each of four words.
static uint four_bytes(uint a, uint b, uint c, uint d, uint number)
{
    const uint two = 0x40 + 0x11 * number;
    return joined_bytes(joined_bytes(a, b, two), joined_bytes(c, d, two), 0x5410);
}
