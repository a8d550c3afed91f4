/* SPDX-License-Identifier: Apache-2.0
 *
 * Data for the tests of classify: the order of values (rank.h), and values near what a rule
 * compares with. */
#include "rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/classify/classify.h"
#include "reference/half.h"

const enum gpuprim_type classify_types[CLASSIFY_TYPES] = {
    GPUPRIM_I8,  GPUPRIM_U8,  GPUPRIM_I16, GPUPRIM_U16, GPUPRIM_I32, GPUPRIM_U32,
    GPUPRIM_I64, GPUPRIM_U64, GPUPRIM_F16, GPUPRIM_F32, GPUPRIM_F64,
};

static bool no_denormals;

void classify_ask_denormals(const gpuprim *gp)
{
    cl_device_fp_config config = 0;
    clGetDeviceInfo(gp->device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, NULL);
    no_denormals = !(config & CL_FP_DENORM);
}

bool classify_has_denormals(void)
{
    return !no_denormals;
}

// ---------------------------------------------------------------------------------------
// Ranks

bool rank_is_float(enum gpuprim_type type)
{
    return type >= GPUPRIM_F16;
}

unsigned rank_bits(enum gpuprim_type type)
{
    return 8 * (unsigned)gp_type_size(type);
}

uint64_t rank_all_bits(enum gpuprim_type type)
{
    return UINT64_MAX >> (64 - rank_bits(type));
}

static uint64_t top_bit(enum gpuprim_type type)
{
    return UINT64_C(1) << (rank_bits(type) - 1);
}

bool rank_is_signed(enum gpuprim_type type)
{
    return type % 2 == 1 && type < GPUPRIM_F16; // I8, I16, I32, I64
}

uint64_t rank_of(enum gpuprim_type type, uint64_t bits)
{
    const uint64_t top = top_bit(type);
    if (rank_is_float(type)) // below zero a larger magnitude is less
        return bits & top ? ~bits & rank_all_bits(type) : bits | top;
    return rank_is_signed(type) ? bits ^ top : bits;
}

uint64_t rank_to_bits(enum gpuprim_type type, uint64_t rank)
{
    const uint64_t top = top_bit(type);
    uint64_t bits = rank;
    if (rank_is_float(type))
        bits = rank & top ? rank ^ top : ~rank & rank_all_bits(type);
    else if (rank_is_signed(type))
        bits = rank ^ top;
    if (type == GPUPRIM_F32 && no_denormals && !(bits & 0x7f800000))
        bits &= 0x80000000;
    return bits;
}

// The lowest and the highest rank of a type's values, NaNs left out.
static void rank_limits(enum gpuprim_type type, uint64_t *low, uint64_t *high)
{
    const uint64_t infinity = type == GPUPRIM_F16   ? 0x7c00
                              : type == GPUPRIM_F32 ? 0x7f800000
                                                    : UINT64_C(0x7ff0000000000000);
    *low = rank_is_float(type) ? rank_of(type, infinity | top_bit(type)) : 0;
    *high = rank_is_float(type) ? rank_of(type, infinity) : rank_all_bits(type);
}

uint64_t rank_random(struct check *check, enum gpuprim_type type)
{
    uint64_t low, high;
    rank_limits(type, &low, &high);
    const uint64_t span = high - low + 1; // 0: all 2^64
    return low + (span ? check_below(check, span) : check_random(check));
}

// The rank `step` further, at most the last one.
uint64_t rank_step(enum gpuprim_type type, uint64_t rank, int64_t step)
{
    uint64_t low, high;
    rank_limits(type, &low, &high);
    if (step < 0)
        return rank - low < (uint64_t)-step ? low : rank - (uint64_t)-step;
    return high - rank < (uint64_t)step ? high : rank + (uint64_t)step;
}

uint64_t rank_of_double(enum gpuprim_type type, double x)
{
    const float narrow = (float)x;
    uint32_t single;
    uint64_t bits;
    memcpy(&single, &narrow, sizeof single);
    memcpy(&bits, &x, sizeof bits);
    if (type == GPUPRIM_F16)
        bits = half_from_float(narrow);
    else if (type == GPUPRIM_F32)
        bits = single;
    else if (!rank_is_float(type))
        bits = (x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x) & rank_all_bits(type);
    return rank_of(type, bits);
}

uint64_t rank_read(const struct gpuprim_array *view, uint64_t row, uint64_t i)
{
    uint64_t bits = 0; // little-endian, as the library wants it
    memcpy(&bits, check_element(view, row, i), gp_type_size(view->type));
    return bits;
}

void rank_write(const struct gpuprim_array *view, uint64_t row, uint64_t i, uint64_t bits)
{
    memcpy(check_element(view, row, i), &bits, gp_type_size(view->type));
}

// ---------------------------------------------------------------------------------------
// Data

// A value at or next to one that the rule compares with.
static uint64_t bits_around(struct check *check, const struct classify_case *test,
                            const struct gpuprim_array *marks, uint64_t row)
{
    const struct gpuprim_classifier_params *p = &test->params;
    const uint64_t any = check_random(check) & rank_all_bits(test->type);
    if (p->cases && p->cases->count) {
        const struct gpuprim_case *c = &p->cases->list[check_below(check, p->cases->count)];
        const uint64_t hit = c->value | (any & ~c->mask);
        return check_once_in(check, 4)
                   ? hit ^ UINT64_C(1) << check_below(check, rank_bits(test->type))
                   : hit;
    }
    if (marks->count == 0)
        return any;
    const uint64_t mark =
        rank_read(marks, marks->rows > 1 ? row : 0, check_below(check, marks->count));
    const int64_t step = (int64_t)check_below(check, 3) - 1;
    return rank_to_bits(test->type, rank_step(test->type, rank_of(test->type, mark), step));
}

static uint64_t rare_bits(struct check *check, enum gpuprim_type type)
{
    uint64_t low, high;
    rank_limits(type, &low, &high);
    const uint64_t nan = rank_to_bits(type, high) | 1 | (check_random(check) & top_bit(type));
    const uint64_t rare[] = { rank_to_bits(type, low),
                              rank_to_bits(type, high), // infinities, or extremes
                              0,
                              top_bit(type), // zeros
                              rank_is_float(type) ? nan : 1,
                              rank_is_float(type) ? nan : rank_all_bits(type),
                              rank_to_bits(type, rank_step(type, rank_of(type, 0), 1)),
                              rank_to_bits(type, rank_step(type, low, 1)) };
    return rare[check_below(check, sizeof rare / sizeof *rare)];
}

void classify_fill(struct check *check, const struct classify_case *test,
                   const struct gpuprim_array *view)
{
    const struct gpuprim_classifier_params *p = &test->params;
    const struct gpuprim_uniform *uniform = p->uniform;
    struct gpuprim_array marks = p->thresholds ? p->thresholds->values
                                 : p->rules    ? p->rules->values
                                               : (struct gpuprim_array){ .count = 0 };
    if (uniform) {
        marks = classify_packed(test->type, (uint64_t)uniform->bins + 1, 1);
        if (!classify_reference_edges(uniform, &marks))
            marks.count = 0;
    }
    const uint64_t one = bits_around(check, test, &marks, 0);
    for (uint64_t row = 0; row < (view->rows ? view->rows : 1); row++)
        for (uint64_t i = 0; i < view->count; i++) {
            uint64_t bits = check_random(check) & rank_all_bits(test->type);
            if (test->data == FILL_ONE)
                bits = one;
            else if (check_once_in(check, 30))
                bits = rare_bits(check, test->type);
            else if (test->data == FILL_AROUND)
                bits = bits_around(check, test, &marks, row);
            else if (rank_is_float(test->type) && no_denormals)
                bits = rank_to_bits(test->type, rank_random(check, test->type));
            rank_write(view, row, i, bits);
        }
    if (uniform)
        free(marks.base);
}
