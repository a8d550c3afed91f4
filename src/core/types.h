/* SPDX-License-Identifier: Apache-2.0
 *
 * The element types, one row each (types.c makes a table of them), and small arithmetic that
 * every file uses. A new type is a row here, a member of enum gpuprim_type, and what is special
 * about it in kernels/common.cl. */
#ifndef GP_TYPES_H
#define GP_TYPES_H

#include <stdbool.h>

#include <gpuprim/gpuprim.h>

// X(NAME, name, bytes, kind). Kernels have the NAME of GPUPRIM_NAME, messages have the name.
// The numbers of enum gpuprim_type are 1, 2, 3 ... without gaps.
#define GP_TYPES(X)                                                                            \
    X(I8, i8, 1, GP_SIGNED)                                                                    \
    X(U8, u8, 1, GP_UNSIGNED)                                                                  \
    X(I16, i16, 2, GP_SIGNED)                                                                  \
    X(U16, u16, 2, GP_UNSIGNED)                                                                \
    X(I32, i32, 4, GP_SIGNED)                                                                  \
    X(U32, u32, 4, GP_UNSIGNED)                                                                \
    X(I64, i64, 8, GP_SIGNED)                                                                  \
    X(U64, u64, 8, GP_UNSIGNED)                                                                \
    X(F16, f16, 2, GP_FLOAT)                                                                   \
    X(F32, f32, 4, GP_FLOAT)                                                                   \
    X(F64, f64, 8, GP_FLOAT)                                                                   \
    X(C32, c32, 8, GP_COMPLEX)

enum gp_kind { GP_NO_KIND, GP_SIGNED, GP_UNSIGNED, GP_FLOAT, GP_COMPLEX };

struct gp_type {
    const char *macro; // "F32", as kernels have it; NULL for the number 0
    const char *name;  // "f32"
    size_t size;       // bytes
    enum gp_kind kind;
};

// The table has one more row than there are types: number 0 is no type.
#define GP_COUNT_TYPE(NAME, name, bytes, kind) +1
enum { GP_TYPE_NUMBERS = 1 GP_TYPES(GP_COUNT_TYPE) };
extern const struct gp_type gp_types[GP_TYPE_NUMBERS];

// Bytes, name and kind of a type. A number that is no type has 0 bytes, the name "invalid", and
// GP_NO_KIND.
size_t gp_type_size(enum gpuprim_type type);
const char *gp_type_name(enum gpuprim_type type);
enum gp_kind gp_type_kind(enum gpuprim_type type);

static inline bool gp_type_is_float(enum gpuprim_type type)
{
    return gp_type_kind(type) == GP_FLOAT;
}

static inline bool gp_type_is_signed(enum gpuprim_type type)
{
    return gp_type_kind(type) == GP_SIGNED;
}

static inline bool gp_type_is_integer(enum gpuprim_type type)
{
    return gp_type_kind(type) == GP_SIGNED || gp_type_kind(type) == GP_UNSIGNED;
}

// Bytes of a line of a CPU's caches. Kernels have it as CACHE_LINE.
enum { GP_CACHE_LINE = 64 };

// ---------------------------------------------------------------------------------------
// Arithmetic

static inline uint64_t gp_abs(int64_t step)
{
    return step < 0 ? -(uint64_t)step : (uint64_t)step;
}

static inline uint64_t gp_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t gp_ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

// Cuts `all` into equal parts of at most `most`: what each has.
static inline uint64_t gp_even_part(uint64_t all, uint64_t most)
{
    return gp_ceil_div(all, gp_ceil_div(all, most));
}

#endif
