/* SPDX-License-Identifier: Apache-2.0
 *
 * The reference of classify: edges, and the label of each element by each rule. agrees.c
 * compares with it. */
#include "classify.h"

#include <math.h>
#include <stdlib.h>

#include "reference/half.h"
#include "reference/reduce/row.h"

// An element's value: f for float types, which double holds exactly, i for signed integers,
// else u.
union number {
    double f;
    int64_t i;
    uint64_t u;
};

// What a row is compared with: thresholds, values, or the edges of UNIFORM.
struct scale {
    const struct gpuprim_classifier_params *params;
    enum gpuprim_type type;
    uint64_t n;
    union number *t;
};

static union number number_at(const struct gpuprim_array *array, uint64_t row, uint64_t i)
{
    const void *p = reference_element(array, row, i);
    union number x = { .u = 0 };
    if (reference_is_float(array->type))
        x.f = reference_float(p, array->type);
    else if (reference_is_signed(array->type))
        x.i = (int64_t)reference_integer(p, array->type);
    else
        x.u = (uint64_t)reference_integer(p, array->type);
    return x;
}

// A label in a table or map. All ones are GPUPRIM_REJECT as u32, and a label as u8 and u16.
static uint32_t entry(const struct gpuprim_array *array, uint64_t i)
{
    return (uint32_t)reference_integer(reference_element(array, 0, i), array->type);
}

uint64_t classify_reference_classes(const struct gpuprim_classifier_params *params)
{
    const struct gpuprim_uniform *uniform = params->uniform;
    if (params->thresholds)
        return params->thresholds->values.count + 1;
    if (uniform)
        return uniform->bins + (uniform->outside == GPUPRIM_OUTSIDE_CLASSES ? UINT64_C(2) : 0);
    return 0;
}

// ---------------------------------------------------------------------------------------
// Edges

// Rounds once to the nearest half float, ties to even. An ulp is 2^-24 for denormals and
// 2^(exponent - 10) above.
static double round_to_half(double x)
{
    int exponent; // |x| = fraction * 2^exponent, 0.5 <= fraction < 1
    frexp(x, &exponent);
    const int ulp = (exponent < -13 ? -13 : exponent) - 11;
    const double rounded = ldexp(rint(ldexp(x, -ulp)), ulp);
    return fabs(rounded) > 65504 ? copysign(INFINITY, x) : rounded;
}

// Stores one edge. False where the type's finite values do not reach it.
static bool store_edge(enum gpuprim_type type, double x, void *p)
{
    const unsigned bits = 8 * (unsigned)reduce_reference_size(type);
    const double up = ceil(x);
    const bool is_signed = reference_is_signed(type);
    if (type == GPUPRIM_F64)
        *(double *)p = x;
    else if (type == GPUPRIM_F32)
        return isfinite(*(float *)p = (float)x);
    else if (type == GPUPRIM_F16) {
        *(uint16_t *)p = half_from_float((float)round_to_half(x)); // exact, twice
        return isfinite(round_to_half(x));
    } else if (is_signed ? up < -ldexp(1, (int)bits - 1) || up >= ldexp(1, (int)bits - 1)
                         : up < 0 || up >= ldexp(1, (int)bits))
        return false;
    else {
        const uint64_t value = up < 0 ? (uint64_t)(int64_t)up : (uint64_t)up;
        for (unsigned k = 0; k < bits / 8; k++)
            ((unsigned char *)p)[k] = (unsigned char)(value >> 8 * k); // little-endian hosts
    }
    return true;
}

static bool ascends(enum gpuprim_type type, union number a, union number b)
{
    return reference_is_float(type)    ? a.f < b.f
           : reference_is_signed(type) ? a.i < b.i
                                       : a.u < b.u;
}

// Whether x is an integer type's largest value plus one.
static bool is_one_beyond(enum gpuprim_type type, double x)
{
    const int bits = 8 * (int)reduce_reference_size(type);
    return !reference_is_float(type) && x == ldexp(1, bits - reference_is_signed(type));
}

static void store_largest(enum gpuprim_type type, unsigned char *p)
{
    const size_t size = reduce_reference_size(type);
    memset(p, 0xff, size);
    p[size - 1] = reference_is_signed(type) ? 0x7f : 0xff; // little-endian hosts
}

bool classify_reference_edges(const struct gpuprim_uniform *params,
                              const struct gpuprim_array *edges)
{
    const double bins = params->bins;
    for (uint32_t j = 0; j <= params->bins; j++) {
        const double left = (bins - j) / bins, right = j / bins;
        const double a = params->low * left, b = params->high * right;
        const double e = j == 0 ? params->low : j == params->bins ? params->high : a + b;
        if (j == params->bins && is_one_beyond(edges->type, e)) {
            store_largest(edges->type, (void *)reference_element(edges, 0, j));
            return true;
        }
        if (!store_edge(edges->type, e, (void *)reference_element(edges, 0, j)))
            return false;
        if (j > 0 && !ascends(edges->type, number_at(edges, 0, j - 1), number_at(edges, 0, j)))
            return false;
    }
    return true;
}

// ---------------------------------------------------------------------------------------
// Thresholds

// How many of them are below x, or not above it (or_equal).
#define COUNT_BELOW(name, member)                                                              \
    static uint64_t name(const struct scale *s, union number x, bool or_equal)                 \
    {                                                                                          \
        uint64_t count = 0;                                                                    \
        for (uint64_t k = 0; k < s->n; k++)                                                    \
            count += or_equal ? s->t[k].member <= x.member : s->t[k].member < x.member;        \
        return count;                                                                          \
    }
COUNT_BELOW(floats_below, f)
COUNT_BELOW(signed_below, i)
COUNT_BELOW(unsigned_below, u)

static uint64_t below(const struct scale *s, union number x, bool or_equal)
{
    return reference_is_float(s->type)    ? floats_below(s, x, or_equal)
           : reference_is_signed(s->type) ? signed_below(s, x, or_equal)
                                          : unsigned_below(s, x, or_equal);
}

// The class of a value that is no NaN; GPUPRIM_REJECT: none.
static uint32_t bin_of(const struct scale *edges, union number x)
{
    const struct gpuprim_uniform *p = edges->params->uniform;
    const uint32_t first = p->outside == GPUPRIM_OUTSIDE_CLASSES ? 1 : 0;
    const uint32_t last = first + p->bins - 1;
    const uint64_t not_above = below(edges, x, true);
    if (not_above == 0) // x < e[0]
        return p->outside == GPUPRIM_OUTSIDE_REJECTED ? GPUPRIM_REJECT : 0;
    if (not_above > p->bins && is_one_beyond(edges->type, p->high))
        return last;          // nothing reaches that edge, which is not what is stored
    if (not_above <= p->bins) // e[j] <= x < e[j + 1], j = not_above - 1
        return first + (uint32_t)not_above - 1;
    // e[bins] is the only one that is not below x.
    if (p->top_inclusive && below(edges, x, false) == p->bins)
        return last;
    switch (p->outside) {
    case GPUPRIM_OUTSIDE_REJECTED:
        return GPUPRIM_REJECT;
    case GPUPRIM_OUTSIDE_CLASSES:
        return last + 1;
    default:
        return last;
    }
}

static uint32_t class_of(const struct scale *s, union number x)
{
    const struct gpuprim_classifier_params *p = s->params;
    if (reference_is_float(s->type) && isnan(x.f)) {
        if (p->nan == GPUPRIM_NAN_REJECTED)
            return GPUPRIM_REJECT;
        return p->nan == GPUPRIM_NAN_CLASS ? p->nan_class
                                           : (uint32_t)classify_reference_classes(p) - 1;
    }
    if (p->uniform)
        return bin_of(s, x);
    return (uint32_t)below(s, x, p->thresholds->closed == GPUPRIM_CLOSED_LEFT);
}

// ---------------------------------------------------------------------------------------
// Tables, cases, rules

#define COMPARE(comparison, a, b)                                                              \
    ((comparison) == GPUPRIM_LESS            ? (a) < (b)                                       \
     : (comparison) == GPUPRIM_LESS_EQUAL    ? (a) <= (b)                                      \
     : (comparison) == GPUPRIM_GREATER       ? (a) > (b)                                       \
     : (comparison) == GPUPRIM_GREATER_EQUAL ? (a) >= (b)                                      \
     : (comparison) == GPUPRIM_EQUAL         ? (a) == (b)                                      \
                                             : (a) != (b))

static uint32_t by_rules(const struct scale *s, union number x)
{
    uint64_t index = 0;
    for (uint64_t j = 0; j < s->n; j++) {
        const enum gpuprim_comparison c = s->params->rules->comparisons[j];
        const union number t = s->t[j];
        const bool holds = reference_is_float(s->type)    ? COMPARE(c, x.f, t.f)
                           : reference_is_signed(s->type) ? COMPARE(c, x.i, t.i)
                                                          : COMPARE(c, x.u, t.u);
        index |= (uint64_t)holds << j;
    }
    return entry(&s->params->rules->labels, index);
}

static uint32_t by_table(const struct gpuprim_table *p, uint64_t bits)
{
    const uint64_t mask = p->mask ? p->mask : p->labels.count - 1;
    return entry(&p->labels, bits >> p->shift & mask);
}

static uint32_t by_cases(const struct gpuprim_cases *p, uint64_t bits)
{
    for (uint32_t i = 0; i < p->count; i++)
        if ((bits & p->list[i].mask) == p->list[i].value)
            return p->list[i].label;
    return p->otherwise;
}

static uint32_t label_of(const struct scale *s, const struct gpuprim_array *in, uint64_t row,
                         uint64_t i)
{
    const struct gpuprim_classifier_params *p = s->params;
    const union number x = number_at(in, row, i);
    const unsigned unused = 64 - 8 * (unsigned)reduce_reference_size(in->type);
    const uint64_t bits = x.u << unused >> unused; // integers: as they are
    if (p->table)
        return by_table(p->table, bits);
    if (p->cases)
        return by_cases(p->cases, bits);
    if (p->rules)
        return by_rules(s, x);
    const uint32_t class = class_of(s, x);
    return class != GPUPRIM_REJECT && p->map.count ? entry(&p->map, class) : class;
}

// ---------------------------------------------------------------------------------------
// Rows

static void read_scale(struct scale *s, const struct gpuprim_array *array, uint64_t row)
{
    for (uint64_t k = 0; k < s->n; k++)
        s->t[k] = number_at(array, row, k);
}

// What THRESHOLDS and RULES compare with; NULL with other rules.
static const struct gpuprim_array *values_of(const struct gpuprim_classifier_params *params)
{
    return params->thresholds ? &params->thresholds->values
           : params->rules    ? &params->rules->values
                              : NULL;
}

static bool make_scale(const struct gpuprim_classifier_params *params, enum gpuprim_type type,
                       struct scale *s)
{
    const struct gpuprim_uniform *uniform = params->uniform;
    const struct gpuprim_array *values = values_of(params);
    *s = (struct scale){ .params = params, .type = type };
    if (values)
        s->n = values->count;
    else if (uniform)
        s->n = (uint64_t)uniform->bins + 1;
    s->t = malloc((s->n + 1) * sizeof *s->t);
    void *memory = uniform ? malloc(s->n * reduce_reference_size(type)) : NULL;
    bool good = s->t && (memory || !uniform);
    if (good && uniform) {
        const struct gpuprim_array edges = gpuprim_host(type, memory, s->n);
        good = classify_reference_edges(uniform, &edges);
        if (good)
            read_scale(s, &edges, 0);
    } else if (good && s->n)
        read_scale(s, values, 0);
    free(memory);
    return good;
}

bool classify_reference(const struct gpuprim_classifier_params *params,
                        const struct gpuprim_array *in, uint32_t *labels)
{
    struct scale s;
    const bool good = make_scale(params, in->type, &s);
    const uint64_t rows = reference_rows(in);
    for (uint64_t row = 0; good && row < rows; row++) {
        if (params->thresholds && params->thresholds->values.rows > 1)
            read_scale(&s, &params->thresholds->values, row);
        for (uint64_t i = 0; i < in->count; i++)
            labels[row * in->count + i] = label_of(&s, in, row, i);
    }
    free(s.t);
    return good;
}
