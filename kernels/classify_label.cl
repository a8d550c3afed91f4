// SPDX-License-Identifier: Apache-2.0
//
// classify: how an element becomes a label. The forms and their tables stand in classify.cl; what
// comes before this says where they are at hand, and how a place is found:
//
// Macros  NEARBY      address space of `near`, the part of the tables that each element needs:
//                     g.labels_at and g.aid_at are words of it
//         RUNS        TABLE: how many runs; may be left out
// Needs   place_of()  SEARCH: how many keys are not greater than x
// Defines label_of()  the label of an element, REJECT: none

#if FORM == SEARCH

static uint label_of(C x, ulong row, global const uint *tables, NEARBY const uint *near,
                     const struct arguments *g)
{
    uint class = place_of(x, row, near, g) - g->first_class; // below it: beyond all classes
#if IS_FLOAT
    class = x != x ? g->nan_class : class;
#endif
    const bool is_class = class < g->classes;
    const uint label = g->labels_at ? near[g->labels_at + (is_class ? class : 0)] : class;
    return is_class ? label : REJECT;
}

#elif FORM == TABLE

#ifndef RUNS
#define RUNS g->n
#endif

static uint label_of(C x, ulong row, global const uint *tables, NEARBY const uint *near,
                     const struct arguments *g)
{
    const U bits = BITS(x);
    uint index = 0;
    #pragma unroll
    for (uint r = 0; r < RUNS; r++)
        index |= (uint)(bits >> tables[2 * r]) & tables[2 * r + 1];
    return near[g->labels_at + index];
}

#elif FORM == CHAIN

// From the last case to the first, each overruling those behind it: no branch depends on x.
static uint label_of(C x, ulong row, global const uint *tables, NEARBY const uint *near,
                     const struct arguments *g)
{
    const U bits = BITS(x);
    NEARBY const U *masks = (NEARBY const U *)near, *values = masks + g->n;
    NEARBY const uint *labels = near + g->labels_at;
    uint label = labels[g->n];
    for (uint k = g->n; k-- > 0;)
        label = (bits & masks[k]) == values[k] ? labels[k] : label;
    return label;
}

#else
#error "FORM is none"
#endif
