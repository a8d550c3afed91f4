// SPDX-License-Identifier: Apache-2.0
//
// What the variants for CPU devices of all primitives share: stores past the caches, and
// prefetches. Both depend on the compiler and have portable forms. prefetch_line() of common.cl asks
// for one line.
//
// Macros  CACHE_LINE  bytes of a line of the caches
//
// Defines STREAM(p, v)     *p = v for a whole line, which is not read before it is written
//         prefetch_ahead(p)  asks for the line AHEAD bytes behind p

#ifndef CACHE_LINE
#error "CACHE_LINE must be defined: bytes"
#endif

#if defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#define STREAM(p, v) __builtin_nontemporal_store((v), (p))
#endif
#endif
#ifndef STREAM
#define STREAM(p, v) (*(p) = (v))
#endif

// Without a prefetch the processor has too few lines under way where a line takes more than a
// few instructions. OpenCL's prefetch() does nothing in PoCL. Whether the compilers of other
// drivers have the builtin is not known. PoCL 3.1, two cores with AVX-512 that others used too,
// 2026-11-21:
//
// reduce, 256 MiB, processor time of a read-only loop over that of the kernel, medians of three
// interleaved runs:
//     ahead   sum f32  f64   u8    argmin f32  u8    u16   f16
//     none       0.93  0.90  0.70        0.86  0.74  0.77  0.80
//     1024       0.98  1.02  0.81        0.86
//     2048       0.96  0.96  0.93        0.95
//     4096       1.00  0.96  1.00        0.95  0.85  1.04  0.99
//     8192       1.02        0.91              0.93  0.95  0.90
// Sums of rows of 32 f32: 0.61 without, 0.89 with; argmin 0.41, 0.63.
//
// classify, 2^26 of f32 to labels, a memcpy's processor time over that of the kernel, three
// runs, medians of 9:
//     ahead           2048             4096             8192             16384
//     15 keys         0.69 0.69 0.71   0.72 0.75 0.74   0.73 0.73 0.72   0.69 0.75 0.73
//     255 evenly      0.39 0.45 0.44   0.45 0.44 0.42   0.41 0.45 0.45   0.35 0.45 0.44
#define AHEAD 4096

static void prefetch_ahead(global const void *p)
{
    prefetch_line((global const char *)p + AHEAD);
}
